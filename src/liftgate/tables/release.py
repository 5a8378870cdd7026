"""Writing released rows: read, draw and write in one streaming pass; the rows never stand in memory together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.channel import Channel
from liftgate.errors import DataError, LiftgateError, UsageError
from liftgate.labels import Label, label_text
from liftgate.tables.columns import Spec, combine, find_columns, missing_column
from liftgate.tables.draws import Draw
from liftgate.tables.files import unwritten
from liftgate.tables.keys import Words, labelled, make_key
from liftgate.tables.outputs import Output, outputs_of
from liftgate.tables.resolved import base_names, resolved
from liftgate.tables.sources import Bound, Opened

BATCH_ROWS = 500_000
SHOWN = 5
Positions = NDArray[np.int64]


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


@dataclass(frozen=True)
class Rows:
    """What was written."""

    columns: tuple[str, ...]
    number: int
    left_out: int


def write_rows(opened: Opened, order: Order, target: Path, temporary: Path, csv: bool) -> Rows:
    """Read an open source, draw a released value for every row and write the rows to ``temporary``."""
    import duckdb

    work = _Work.of(opened, order)
    try:
        work.start()
        stream = work.stream()
    except duckdb.Error as error:
        raise _engine_error(error, opened) from None
    try:
        with duckdb.connect() as con:
            con.execute("SET enable_progress_bar = false")
            con.execute("SET temp_directory = ''")
            con.register("rows", stream)
            how = "FORMAT csv, HEADER true" if csv else "FORMAT parquet, COMPRESSION zstd"
            inner = "SELECT * FROM rows" + (" ORDER BY ALL" if order.sort else "")
            path = str(temporary).replace("'", "''")
            con.execute(f"COPY ({inner}) TO '{path}' ({how}, USE_TMP_FILE false)")
    except (duckdb.Error, OSError) as error:
        if isinstance(work.failure, duckdb.Error):
            raise _engine_error(work.failure, opened) from None
        if work.failure is not None:
            raise work.failure from None
        raise unwritten(target, str(error).splitlines()[0]) from None
    work.finish()
    return Rows(tuple(name for name, _ in work.fields), work.written, work.left_out)


def _engine_error(error: Exception, opened: Opened) -> LiftgateError:
    from liftgate.tables.duckdb import engine_error

    return engine_error(error, opened)


class _Work:
    """One pass over a source."""

    def __init__(self, opened: Opened, order: Order, shown: Sequence[Spec], hidden: Sequence[Spec]) -> None:
        self.opened, self.order, self.shown, self.hidden = opened, order, tuple(shown), tuple(hidden)
        names = [*opened.columns]
        self.kept = [(name, names.index(name)) for name in order.keep]
        self.id = None if order.row_id is None else find_columns(order.row_id, names, opened.name, "id")[0].index
        self.count = None if order.count is None else find_columns(order.count, names, opened.name, "count")[0].index
        labels = order.channel.released if order.render is None else order.render.released
        self.outputs: list[Output] = outputs_of(labels, [s.name for s in shown])
        self.at = {_key(v): i for i, v in enumerate(order.channel.public)}
        self.unseen: dict[Any, Label] = {}
        self.written = self.left_out = self.rows = 0
        self.failure: Exception | None = None
        self.fields: list[tuple[str, Any]] = []

    @classmethod
    def of(cls, opened: Opened, order: Order) -> _Work:
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
        indices = [s.index for s in (*self.shown, *self.hidden)] + [i for _, i in self.kept]
        indices += [i for i in (self.id, self.count) if i is not None]
        binned = [s.index for s in (*self.shown, *self.hidden) if s.binning]
        plain = [i for i in (self.id, self.count) if i is not None]
        self.bound: Bound = self.opened.bind(tuple(dict.fromkeys(indices)), [*binned, *plain])
        self.words = Words(order.tokens, order.trim)
        specs = [*self.shown, *self.hidden]
        types = engine.column_types(self.bound, specs)
        self.keys = [
            make_key(self.bound, s, t, self.words, "count(*)", place, []) for s, t in zip(specs, types, strict=True)
        ]
        parts = [f"{k.outer.format(k.inner)} AS k{n}" for n, k in enumerate(self.keys)]
        parts += [f"c{i} AS r{n}" for n, (_, i) in enumerate(self.kept)]
        if self.count is not None:
            spec = Spec(str(order.count), str(order.count), self.count)
            kind = engine.column_types(self.bound, [spec])[0]
            engine.check_counts(self.bound, self.count, kind, self.opened, spec.name)
            blanks = f"trim(c{self.count}, ' ' || chr(9))" if kind == "VARCHAR" else f"c{self.count}"
            parts.append(f"CAST({blanks} AS BIGINT) AS n")
        if self.id is not None:
            parts.append(f"CAST(c{self.id} AS VARCHAR) AS i")
            self._ids_differ()
        self.query = f"SELECT {', '.join(parts)} FROM {self.bound.relation}"

    def _ids_differ(self) -> None:
        place, raw = f"{self.opened.name}, column {self.order.row_id!r}", f"CAST(c{self.id} AS VARCHAR)"
        con, relation = self.bound.con, self.bound.relation
        if con.sql(f"SELECT 1 FROM {relation} WHERE c{self.id} IS NULL LIMIT 1").fetchall():
            raise DataError(place, "a row id is missing", "give every row an id, or draw fresh")
        twice = con.sql(
            f"SELECT v, n FROM (SELECT {raw} AS v, count(*) AS n FROM {relation} GROUP BY 1) WHERE n > 1 ORDER BY v LIMIT 1"
        ).fetchall()
        if twice:
            problem = f"{twice[0][0]!r} occurs {twice[0][1]:,} times, so it does not tell rows apart"
            raise DataError(place, problem, "name a column without repeats, or draw fresh")

    def stream(self) -> Any:
        """The released rows as an Arrow stream, drawn as they are read."""
        import pyarrow as pa

        reader = self.bound.con.sql(self.query).to_arrow_reader(BATCH_ROWS)
        self.fields = [(o.name, o.kind) for o in self.outputs]
        for (name, index), field in zip(self.kept, list(reader.schema)[len(self.keys) :], strict=False):
            self.fields.append((name, pa.string() if index in self.bound.labels else field.type))
        schema = pa.schema([pa.field(name, kind) for name, kind in self.fields])
        return pa.RecordBatchReader.from_batches(schema, self._safely(reader, schema))

    def _safely(self, reader: Any, schema: Any) -> Iterator[Any]:
        """The batches; what goes wrong is kept, because the engine that writes would tell it in its own words."""
        try:
            yield from self._batches(reader, schema)
        except Exception as error:
            self.failure = error
            raise

    def _batches(self, reader: Any, schema: Any) -> Iterator[Any]:
        import pyarrow as pa

        wide = len(self.shown)
        for batch in reader:
            self.rows += batch.num_rows
            found = [self._labelled(batch.column(n), key) for n, key in enumerate(self.keys)]
            codes, labels = combine([f[0] for f in found[:wide]], [f[1] for f in found[:wide]])
            rows = None
            if self.order.drop_missing:
                lost = np.zeros(batch.num_rows, dtype=bool)
                for code, names in found:
                    lost |= code == names.index(None) if None in names else False
                if lost.any():
                    rows = np.flatnonzero(~lost)
                    self.left_out += int(lost.sum())
            place = self._places(labels, codes if rows is None else codes[rows])
            if self.unseen:
                continue
            yield from self._drawn(pa, batch, place[codes], rows, schema)
        if self.unseen:
            raise self._unseen()

    def _labelled(self, column: Any, key: Any) -> tuple[Positions, list[Label]]:
        """A code for each row of a column, and the labels in order."""
        import pyarrow.compute as pc

        coded = pc.dictionary_encode(column, null_encoding="encode")
        rank, labels, _ = labelled(coded.dictionary.to_pylist(), key, self.words)
        return rank[coded.indices.to_numpy()], labels

    def _places(self, labels: Sequence[Label], codes: Positions) -> Positions:
        """The channel's position of each label; labels that it does not have are remembered."""
        used = np.zeros(len(labels), dtype=bool)
        used[codes] = True
        place = np.zeros(len(labels), dtype=np.int64)
        for i in np.flatnonzero(used).tolist():
            key = _key(labels[i])
            if key in self.at:
                place[i] = self.at[key]
            else:
                self.unseen.setdefault(key, labels[i])
        return place

    def _drawn(self, pa: Any, batch: Any, positions: Positions, rows: Positions | None, schema: Any) -> Iterator[Any]:
        width = len(self.keys)
        for take in self._pieces(batch, rows):
            at = positions if take is None else positions[take]
            columns = (
                list(batch.columns)[width:] if take is None else [c.take(pa.array(take)) for c in batch.columns[width:]]
            )
            ids = columns[-1].to_pylist() if self.id is not None else None
            channels = [self.order.channel] + ([self.order.render] if self.order.render is not None else [])
            y = self.order.draw.through(channels, at, ids)
            arrays = [output.array(y) for output in self.outputs]
            for (_, index), column in zip(self.kept, columns, strict=False):
                arrays.append(self._decoded(pa, column, self.bound.labels.get(index)))
            self.written += len(at)
            yield pa.record_batch(arrays, schema=schema)

    def _pieces(self, batch: Any, rows: Positions | None) -> Iterator[Positions | None]:
        """Which rows to draw; a row of a counted table stands for as many people, a bounded number at a time."""
        if self.count is None:
            yield rows
            return
        people = batch.column(len(self.keys) + len(self.kept)).to_numpy().astype(np.int64)
        rows = np.arange(batch.num_rows) if rows is None else rows
        ends = np.cumsum(people[rows])
        for start in range(0, int(ends[-1]) if ends.size else 0, BATCH_ROWS):
            one = np.arange(start, min(start + BATCH_ROWS, int(ends[-1])))
            yield rows[np.searchsorted(ends, one, side="right")]

    @staticmethod
    def _decoded(pa: Any, column: Any, labels: Any) -> Any:
        """A kept column as it was: the texts of a column that holds codes."""
        if labels is None:
            return column
        texts = pa.array([None if v is None else label_text(v) for v in labels], pa.string())
        return texts.take(column)

    def _unseen(self) -> DataError:
        named = ", ".join(repr(self.opened.columns[s.index]) for s in self.shown)
        shown = ", ".join(repr(label_text(v)) for v in list(self.unseen.values())[:SHOWN])
        number = len(self.unseen)
        return DataError(
            f"{self.opened.name}, column{'s' * (len(self.shown) > 1)} {named}",
            f"{number:,} value{'s' * (number > 1)} {'were' if number > 1 else 'was'} not seen at design time: "
            f"{shown}{', …' if number > SHOWN else ''}",
            "design the release on a table that has them, or leave these rows out",
        )

    def finish(self) -> None:
        """Look once more at what can only be known at the end."""
        from liftgate.tables.reading import all_fields

        if self.rows == 0:
            raise DataError(self.opened.name, "no row, only column names", "give a table with at least one row")
        all_fields(self.opened, self.bound, self.rows)


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


def _key(label: Label) -> Any:
    """A label that tells 1, True and "1" apart."""
    if isinstance(label, tuple):
        return tuple((type(v), v) for v in label)
    return (type(label), label)
