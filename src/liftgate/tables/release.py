"""Writing released rows: read, draw and write in one streaming pass; the rows never stand in memory together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liftgate.channel import Channel
from liftgate.errors import DataError, LiftgateError, UsageError
from liftgate.labels import Label
from liftgate.tables.columns import Spec, find_columns, missing_column
from liftgate.tables.dialects import DUCKDB, POSTGRES
from liftgate.tables.drawing import BATCH_ROWS, Drawer
from liftgate.tables.draws import Draw
from liftgate.tables.files import unwritten
from liftgate.tables.keys import TEXT, Words, make_key, type_name
from liftgate.tables.outputs import Output, outputs_of
from liftgate.tables.resolved import base_names, resolved
from liftgate.tables.sources import Bound, Opened, quote

ID_TYPES = re.compile(r"VARCHAR|U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|UUID|DATE|BOOLEAN")


@dataclass(frozen=True)
class Order:
    """What to write: columns of the source by the names of the design, and how rows are read and drawn."""

    channel: Channel
    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    draw: Draw
    keep: tuple[str, ...] = ()
    row_id: str | None = None
    count: str | None = None
    render: Channel | None = None
    drop_missing: bool = False
    sort: bool = False
    tokens: tuple[str, ...] = ()
    trim: bool = False
    kept_as_text: bool = False
    scores: tuple[Output, ...] = ()  # columns of the released position beside the released value
    aliases: tuple[tuple[Label, Label], ...] = ()


@dataclass(frozen=True)
class Rows:
    """What was written."""

    columns: tuple[str, ...]
    number: int
    left_out: int


def write_rows(opened: Opened, order: Order, target: Path, temporary: Path, csv: bool) -> Rows:
    """Read an open source, draw a released value for every row and write the rows to ``temporary``."""
    if opened.engine == "Spark":
        from liftgate.tables.spark_rows import write_rows as write_on_cluster

        return write_on_cluster(Work.of(opened, order), target, temporary, csv)
    import duckdb

    work = Work.of(opened, order)
    stream = _started(work)
    try:
        with duckdb.connect() as con:
            for setting in ("enable_progress_bar = false", "temp_directory = ''", "threads = 1", "async_threads = 0"):
                con.execute(f"SET {setting}")  # one thread writes as the rows come, and keeps none of them
            con.register("rows", stream)
            how = "FORMAT csv, HEADER true" if csv else "FORMAT parquet, COMPRESSION zstd"
            parts = [] if csv else work.partitions()
            how += f", PARTITION_BY ({', '.join(map(quote, parts))})" if parts else ", USE_TMP_FILE false"
            inner = "SELECT * FROM rows" + (" ORDER BY ALL" if order.sort else "")
            path = str(temporary).replace("'", "''")
            con.execute(f"COPY ({inner}) TO '{path}' ({how})")
    except (duckdb.Error, OSError) as error:
        work.tell_failure()
        raise unwritten(target, str(error).splitlines()[0]) from None
    return work.finished()


def copy_rows(opened: Opened, order: Order, table: Any) -> Rows:
    """The same into a new table of a server, which takes the stream as it comes."""
    if opened.engine != "PostgreSQL":
        raise UsageError("into", f"the source is read by {opened.engine}", "write a file, or read from PostgreSQL")
    work = Work.of(opened, order)
    stream = _started(work)
    table.create([(o.name, o.kind) for o in work.outputs], [(name, f"c{i}") for name, i in work.kept], work.bound)
    try:
        table.fill(stream, order.sort)
    except LiftgateError:
        work.tell_failure()
        raise
    return work.finished()


def _started(work: Work) -> Any:
    import duckdb

    try:
        work.start()
        return work.stream()
    except duckdb.Error as error:
        raise _engine_error(error, work.opened) from None


def _engine_error(error: Exception, opened: Opened) -> LiftgateError:
    from liftgate.tables.duckdb import engine_error

    return engine_error(error, opened)


class Work:
    """One pass over a source."""

    def __init__(self, opened: Opened, order: Order, shown: Sequence[Spec], hidden: Sequence[Spec]) -> None:
        self.opened, self.order, self.shown, self.hidden = opened, order, tuple(shown), tuple(hidden)
        names = [*opened.columns]
        self.kept = [(name, names.index(name)) for name in order.keep]
        self.id = None if order.row_id is None else find_columns(order.row_id, names, opened.name, "id")[0].index
        self.count = None if order.count is None else find_columns(order.count, names, opened.name, "count")[0].index
        labels = order.channel.released if order.render is None else order.render.released
        self.outputs: list[Output] = [*outputs_of(labels, [s.name for s in shown]), *order.scores]
        self.failure: Exception | None = None
        self.fields: list[tuple[str, Any]] = []

    @classmethod
    def of(cls, opened: Opened, order: Order) -> Work:
        """The columns that the order names, found in the source, and none of them said by accident."""
        place = opened.name
        shown = resolved(find_columns(order.public, opened.columns, place, "public"), order.channel.public)
        hidden = []
        if order.drop_missing:
            there = [t for t in order.sensitive if base_names(t) & set(opened.columns)]
            hidden = list(find_columns(there, opened.columns, place, "sensitive")) if there else []
        _keep_nothing_private(order, opened)
        work = cls(opened, order, shown, resolved(hidden, ()))
        taken = [o.name for o in work.outputs]
        for name in order.keep:
            if name in taken:
                raise UsageError(f"{place}, keep {name!r}", "a released column has this name", "leave it out")
            taken.append(name)
        return work

    def start(self) -> None:
        """Bind the columns, make the query, and look at the row ids."""
        from liftgate.tables import duckdb as engine

        order, place = self.order, self.opened.name
        specs = [*self.shown, *self.hidden]
        indices = [s.index for s in specs] + [i for _, i in self.kept]
        indices += [i for i in (self.id, self.count) if i is not None]
        binned = [s.index for s in specs if s.binning]
        plain = [i for i in (self.id, self.count) if i is not None]
        self.bound: Bound = self.opened.bind(tuple(dict.fromkeys(indices)), [*binned, *plain])
        sql, words = self.bound.dialect, Words(order.tokens, order.trim)
        types = engine.column_types(self.bound, specs)
        keys = [make_key(self.bound, s, t, words, "count(*)", place, []) for s, t in zip(specs, types, strict=True)]
        parts = [f"{k.outer.format(k.inner)} AS k{n}" for n, k in enumerate(keys)]
        kept = f"CAST(c{{}} AS {sql.text})" if order.kept_as_text else "c{}"
        parts += [f"{kept.format(i)} AS r{n}" for n, (_, i) in enumerate(self.kept)]
        if self.count is not None:
            spec = Spec(str(order.count), str(order.count), self.count)
            kind = engine.column_types(self.bound, [spec])[0]
            engine.check_counts(self.bound, self.count, kind, self.opened, spec.name)
            blanks = sql.trimmed(f"c{self.count}") if TEXT.fullmatch(kind) else f"c{self.count}"
            parts.append(f"CAST({blanks} AS BIGINT) AS n")
        if self.id is not None:
            parts.append(f"CAST(c{self.id} AS {sql.text}) AS i")
            self._ids_differ()
        self.query = f"SELECT {', '.join(parts)} FROM {self.bound.relation}"
        self.drawer = Drawer(
            place=place,
            named=tuple(self.opened.columns[s.index] for s in self.shown),
            keys=tuple(keys),
            words=words,
            channels=tuple(c for c in (order.channel, order.render) if c is not None),
            outputs=tuple(self.outputs),
            draw=order.draw,
            kept=tuple(self.bound.labels.get(i) for _, i in self.kept),
            counted=self.count is not None,
            identified=self.id is not None,
            drop_missing=order.drop_missing,
            aliases=order.aliases,
        )

    def _ids_differ(self) -> None:
        from liftgate.tables import duckdb as engine

        place, sql = f"{self.opened.name}, column {self.order.row_id!r}", self.bound.dialect
        con, relation = self.bound.con, self.bound.relation
        kind = engine.column_types(self.bound, [Spec("", "", int(self.id or 0))])[0]
        if sql is not DUCKDB and not ID_TYPES.fullmatch(kind):
            problem = f"it holds {type_name(kind)} values, which engines write in different ways"
            raise DataError(place, problem, "name a column of text, whole numbers or UUIDs")
        raw = f"CAST(c{self.id} AS {sql.text})" + (' COLLATE "C"' if sql is POSTGRES else "")
        rows, given = con.sql(f"SELECT count(*), count(c{self.id}) FROM {relation}").fetchall()[0]
        if given < rows:
            raise DataError(place, "a row id is missing", "give every row an id, or draw fresh")
        passes = engine.passes_for(self.bound, rows)
        twice: list[Any] = []
        for turn in range(passes):
            mine = f"WHERE hash(c{self.id}) % {passes} = {turn}" if passes > 1 else ""
            counted = f"(SELECT {raw} AS v, count(*) AS n FROM {relation} {mine} GROUP BY 1) AS g"
            twice += con.sql(f"SELECT v, n FROM {counted} WHERE n > 1 ORDER BY v LIMIT 1").fetchall()
        if twice:
            value, times = min(twice)
            problem = f"{value!r} occurs {times:,} times, so it does not tell rows apart"
            raise DataError(place, problem, "name a column without repeats, or draw fresh")

    def partitions(self) -> list[str]:
        """The columns of the release that are folders in the source, while another one is left to be written."""
        names = [name for name, _ in self.fields]
        kept = [name for name in self.opened.partitions if name in names]
        return kept[: len(names) - 1]

    def stream(self) -> Any:
        """The released rows as an Arrow stream, drawn as they are read."""
        import pyarrow as pa

        reader = self.bound.con.sql(self.query).to_arrow_reader(BATCH_ROWS)
        self.fields = [(o.name, o.kind) for o in self.outputs]
        for (name, index), field in zip(self.kept, list(reader.schema)[len(self.drawer.keys) :], strict=False):
            self.fields.append((name, pa.string() if index in self.bound.labels else field.type))
        schema = pa.schema([pa.field(name, kind) for name, kind in self.fields])
        return pa.RecordBatchReader.from_batches(schema, self._safely(reader, schema))

    def _safely(self, reader: Any, schema: Any) -> Iterator[Any]:
        """The batches up to what goes wrong, which is kept: the engine that writes would tell it in its own words.

        The stream then ends instead of failing, because DuckDB 2 can wait for ever when a write fails in its middle.
        """
        try:
            yield from self.drawer.batches(reader, schema)
        except Exception as error:
            self.failure = error

    def tell_failure(self) -> None:
        """Raise what went wrong while reading, if that was it."""
        import duckdb

        if isinstance(self.failure, duckdb.Error):
            raise _engine_error(self.failure, self.opened) from None
        if self.failure is not None:
            raise self.failure from None

    def finished(self) -> Rows:
        """Look once more at what can only be known at the end; what went wrong on the way comes first."""
        from liftgate.tables.reading import all_fields

        self.tell_failure()
        if self.drawer.rows == 0:
            raise DataError(self.opened.name, "no row, only column names", "give a table with at least one row")
        all_fields(self.opened, self.bound, self.drawer.rows)
        return Rows(tuple(name for name, _ in self.fields), self.drawer.written, self.drawer.left_out)


def _keep_nothing_private(order: Order, opened: Opened) -> None:
    place, names = opened.name, opened.columns
    if len(set(order.keep)) < len(order.keep):
        raise UsageError(f"{place}, keep", "a column is named twice", "name each column once")
    for name in order.keep:
        if name not in names:
            raise missing_column(name, names, place)
        if any(name in base_names(text) for text in order.sensitive):
            raise UsageError(f"{place}, keep {name!r}", "a sensitive column is never released", "leave it out")
        if any(name in base_names(text) for text in order.public):
            problem = "it is released in its protected form, and never beside it as it was"
            raise UsageError(f"{place}, keep {name!r}", problem, "leave it out")
        if name == order.count:
            raise UsageError(f"{place}, keep {name!r}", "it holds the counts", "leave it out")
