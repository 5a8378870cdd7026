"""From any table to rows: numbers, categories and sensitive values, with everything that was done to them told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError, UsageError
from liftgate.estimators.rows import Column, Rows, Sample
from liftgate.labels import Label, label_text
from liftgate.tables.columns import Spec, combine, encode, find_columns, typed_label
from liftgate.tables.sources import Bound, Opened, Options, header_names, open_source

MAX_CLASSES = 50
MOST_REMOTE_ROWS = 1_000_000
_NUMBER = re.compile(r"[ \t]*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?[ \t]*")
_INFINITE = re.compile(r"[ \t]*[+-]?inf(inity)?[ \t]*", re.IGNORECASE)
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowTable:
    """The rows of a table, with the names and labels they had and the public columns as they were written."""

    name: str
    sample: Sample
    sensitive: tuple[str, ...]
    labels: tuple[Label, ...]
    written: Any
    missing: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]
    task: Column | None = None
    kept: Any = None

    def __len__(self) -> int:
        return len(self.sample)

    @property
    def public(self) -> tuple[str, ...]:
        """The names of the public columns."""
        return self.sample.rows.names

    def to_dict(self) -> dict[str, Any]:
        """Where the rows came from, for JSON."""
        return {
            "name": self.name,
            "sensitive": list(self.sensitive),
            "public": list(self.public),
            "rows": len(self),
            "missing": dict(self.missing),
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Words:
    """How entries are read: words that mean missing, blanks, and columns whose numbers are names of categories."""

    tokens: tuple[str, ...] = ()
    trim: bool = False
    categories: tuple[str, ...] = ()


def read_rows(
    source: Any,
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    *,
    person: str | None = None,
    task: str | None = None,
    keep: str | Sequence[str] = (),
    categories: str | Sequence[str] = (),
    missing_tokens: Iterable[str] = (),
    max_classes: int = MAX_CLASSES,
    trim: bool = False,
    table: str | None = None,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: str | Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> RowTable:
    """Every row of a source: nothing is dropped, a missing entry is an entry.

    Columns of numbers stay numbers (in CSV files: columns whose every entry is one) unless ``categories`` names
    them; everything else is a category. ``person`` names the column that tells whose row it is, ``task`` one to be
    guessed from the public columns, ``keep`` columns that stay beside the released ones.
    """
    tokens = (missing_tokens,) if isinstance(missing_tokens, str) else tuple(str(t) for t in missing_tokens)
    named = (categories,) if isinstance(categories, str) else tuple(categories)
    if progress is not None:
        progress("reading")
    with open_source(source, Options(table, query, delimiter, encoding, header_names(columns), trim)) as opened:
        return _read(opened, sensitive, public, person, task, keep, Words(tokens, trim, named), max_classes)


def _read(
    opened: Opened,
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    person: str | None,
    task: str | None,
    keep: str | Sequence[str],
    words: Words,
    max_classes: int,
) -> RowTable:
    import duckdb

    from liftgate.tables import duckdb as engine

    place = opened.name
    hidden = find_columns(sensitive, opened.columns, place, "sensitive")
    shown = find_columns(public, opened.columns, place, "public")
    whose = find_columns(person, opened.columns, place, "person")[0] if person is not None else None
    asked = find_columns(task, opened.columns, place, "task")[0] if task is not None else None
    stay = find_columns(keep, opened.columns, place, "keep") if keep else ()
    find_columns(words.categories, opened.columns, place, "categories") if words.categories else ()
    _apart(hidden, shown, whose, asked, stay, place)
    specs = (*hidden, *shown, *([whose] if whose else []), *([asked] if asked else []), *stay)
    wanted = tuple(dict.fromkeys(s.index for s in specs))
    try:
        bound = opened.bind(wanted, [])
        types = dict(zip((s.index for s in specs), engine.column_types(bound, specs), strict=True))
        names = ", ".join(f"c{i}" for i in wanted)
        if opened.engine != "DuckDB":
            _few_enough(bound, opened)
        data = bound.con.sql(f"SELECT {names} FROM {bound.relation}").to_arrow_table()
    except duckdb.Error as error:
        raise engine.engine_error(error, opened) from None
    if len(data) == 0:
        raise DataError(place, "no row, only column names", "give a table with at least one row")
    text_file = bool(opened.files)

    def read(spec: Spec) -> Column:
        labels = bound.labels.get(spec.index)
        return _column(data.column(f"c{spec.index}"), spec.name, types[spec.index], labels, words, text_file, place)

    secret = [read(s) for s in hidden]
    s, labels = _classes(secret)
    _usable(place, hidden, s, labels, max_classes)
    rows = Rows(tuple(read(spec) for spec in shown))
    _readable(place, rows, text_file)
    persons = None if whose is None else _persons(read(whose))
    sample = Sample(rows, s, len(labels), persons)
    counted = [(c.name, int(c.missing.sum())) for c in (*secret, *rows.columns)]
    notes = [*opened.notes, *_told(rows, sample)]
    return RowTable(
        place,
        sample,
        tuple(spec.name for spec in hidden),
        labels,
        _as_written(data, shown, bound.labels),
        tuple(counted),
        tuple(notes),
        None if asked is None else read(asked),
        _as_written(data, stay, bound.labels) if stay else None,
    )


def _as_written(data: Any, specs: Sequence[Spec], labels: Mapping[int, list[Label]]) -> Any:
    """Columns of the table as it has them; columns that came as codes of labels as these labels."""
    import pyarrow as pa

    columns = {}
    for spec in specs:
        column = data.column(f"c{spec.index}")
        if spec.index in labels:
            column = pa.chunked_array([pa.array(labels[spec.index]).take(c) for c in column.chunks])
        columns[spec.name] = column
    return pa.table(columns)


def _few_enough(bound: Bound, opened: Opened) -> None:
    """Models learn from rows in memory, so a server or a cluster gives a bounded number of them."""
    rows = int(bound.con.sql(f"SELECT count(*) FROM {bound.relation}").fetchall()[0][0])
    if rows > MOST_REMOTE_ROWS:
        problem = f"{rows:,} rows, and no more than {MOST_REMOTE_ROWS:,} are taken out of {opened.engine}"
        raise DataError(opened.name, problem, "name a random part of them in a query, or audit the whole table")


def _apart(
    hidden: Sequence[Spec],
    shown: Sequence[Spec],
    whose: Spec | None,
    asked: Spec | None,
    stay: Sequence[Spec],
    place: str,
) -> None:
    """A column has one part to play, and rows are read as they are."""
    for spec in (*hidden, *shown):
        if spec.binning is not None:
            where = f"{place}, column {spec.name!r}"
            raise UsageError(where, "rows are scored as they are", "leave the binning out, or audit binned columns")
    secret = {s.index for s in hidden}
    parts: list[tuple[Spec | None, str]] = [(s, "public") for s in shown]
    parts += [(whose, "the person"), (asked, "the task"), *((s, "kept") for s in stay)]
    for other, part in parts:
        if other is not None and other.index in secret:
            where = f"{place}, column {other.name!r}"
            raise UsageError(where, f"it is both sensitive and {part}", "name it on one side only")
    for spec in stay:
        if spec.index in {s.index for s in shown}:
            where = f"{place}, column {spec.name!r}"
            raise UsageError(where, "it is both public and kept", "public columns are released: leave out --keep")
    if whose is not None and whose.index in {s.index for s in shown}:
        where = f"{place}, column {whose.name!r}"
        raise UsageError(where, "it is both public and the person", "an identifier is not released: name it once")


def _column(
    data: Any, name: str, kind: str, labels: list[Label] | None, words: Words, text_file: bool, place: str
) -> Column:
    """A column as numbers or as codes of labels."""
    import pyarrow as pa

    where = f"{place}, column {name!r}"
    force = name in words.categories
    array = data.combine_chunks() if hasattr(data, "combine_chunks") else data
    if labels is not None:
        codes = array.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        missing = [k for k, label in enumerate(labels) if label is None]
        return Column(name, "category", np.where(np.isin(codes, missing), -1, codes), tuple(labels))
    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    dated = (pa.types.is_date, pa.types.is_timestamp)
    if any(test(array.type) for test in (*numeric, *dated)) and not force:
        return Column(name, "number", _finite(_floats(array), where))
    if pa.types.is_nested(array.type) or pa.types.is_binary(array.type):
        fix = "choose a column of text, numbers, dates or booleans"
        raise DataError(where, f"it holds {kind.split('(')[0]} values", fix)
    coded = array.dictionary_encode()
    coded = coded.chunk(0) if hasattr(coded, "chunk") else coded
    found = [_entry(v, words) for v in coded.dictionary.to_pylist()]
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    if text_file and not force and (numbers := _numbers(found)) is not None:
        return Column(name, "number", _finite(np.append(numbers, np.nan)[codes], where))
    ranks, ordered = encode([typed_label(v) for v in found])
    place_of = np.append(ranks, -1)
    if None in ordered:
        place_of[place_of == ordered.index(None)] = -1
        ordered = [v for v in ordered if v is not None]
    return Column(name, "category", place_of[codes], tuple(ordered))


def _floats(array: Any) -> NDArray[np.float64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_timestamp(array.type):
        array = pc.divide(
            pc.cast(pc.cast(array, pa.timestamp("us", tz=array.type.tz), safe=False), pa.int64()), 86_400_000_000.0
        )
    elif pa.types.is_date(array.type):
        array = pc.cast(pc.cast(array, pa.date32()), pa.int32())
    return np.asarray(pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def _finite(values: NDArray[np.float64], where: str) -> NDArray[np.float64]:
    wrong = np.flatnonzero(np.isinf(values))
    if wrong.size:
        fix = "repair it, or leave the entry empty: a missing entry is read as one"
        raise DataError(f"{where}, row {int(wrong[0]) + 1}", "it holds an infinite number", fix)
    return values


def _entry(value: Any, words: Words) -> Any:
    if isinstance(value, str):
        value = value.strip(" \t") or None if words.trim and value else value
        if value in words.tokens:
            return None
    return value


def _numbers(found: Sequence[Any]) -> NDArray[np.float64] | None:
    """The entries as numbers, or None where one of them is none."""
    out = np.full(len(found), np.nan)
    some = False
    for k, value in enumerate(found):
        if value is None:
            continue
        if not (_NUMBER.fullmatch(value) or (_INFINITE.fullmatch(value))):
            return None
        out[k], some = float(value), True
    return out if some else None


def _classes(secret: Sequence[Column]) -> tuple[Ints, tuple[Label, ...]]:
    """Codes and labels of the sensitive value; several columns make a tuple, a missing entry is a value."""
    codes, names = [], []
    for column in secret:
        if column.kind == "number":
            different, at = np.unique(column.values, return_inverse=True)
            ranks, ordered = encode([typed_label(v) for v in different.tolist()])
            codes.append(ranks[at.ravel()])
        else:
            ordered = [*column.labels, *([None] if column.missing.any() else [])]
            codes.append(np.where(column.missing, len(column.labels), column.values))
        names.append(ordered)
    code, labels = combine(codes, names)
    return code.astype(np.int64), labels


def _usable(place: str, hidden: Sequence[Spec], s: Ints, labels: Sequence[Label], max_classes: int) -> None:
    where = f"{place}, column{'s' * (len(hidden) > 1)} {', '.join(repr(h.name) for h in hidden)}"
    if len(labels) < 2:
        fix = "name a sensitive column with at least two values"
        raise DataError(where, f"every row has the same value, {label_text(labels[0])!r}", fix)
    if len(labels) > max_classes:
        fix = f"merge values in the table, or allow more (--max-classes {len(labels)})"
        raise DataError(where, f"{len(labels):,} sensitive values, more than {max_classes}", fix)


def _readable(place: str, rows: Rows, text_file: bool) -> None:
    """No column without an entry, and no free text."""
    for column in rows.columns:
        where = f"{place}, column {column.name!r}"
        if column.missing.all():
            raise DataError(where, "every entry is missing", "leave the column out")
        if column.kind == "category" and len(column.labels) > max(20, min(len(rows) // 5, 10_000)):
            fix = "leave it out, or turn it into numbers or a few categories first (its length, its topic, scores of a text model)"
            if not text_file and all(isinstance(v, str) and _NUMBER.fullmatch(v) for v in column.labels[:100]):
                fix = "its texts are numbers: cast the column to a number"
            raise DataError(where, f"text of free form: {len(column.labels):,} values in {len(rows):,} rows", fix)


def _persons(column: Column) -> Ints:
    """A code for every person; a row without one is a person of its own."""
    _, codes = np.unique(np.where(column.missing, np.inf, column.values), return_inverse=True)
    codes = codes.ravel().astype(np.int64)
    alone = column.missing
    codes[alone] = codes.max() + 1 + np.arange(int(alone.sum()))
    return codes


def _told(rows: Rows, sample: Sample) -> list[str]:
    """How columns were read, and rows that may belong to one person."""
    kinds = [f"{kind}s: {', '.join(c.name for c in rows.columns if c.kind == kind)}" for kind in ("number", "category")]
    notes = ["columns were read as " + "; ".join(k.replace("categorys", "categories") for k in kinds if k[-1] != " ")]
    for column in rows.columns:
        if missing := int(column.missing.sum()):
            notes.append(f"column {column.name!r}: {missing:,} missing entries were kept as information")
    if sample.person is None:
        equal = len(rows) - _different(sample)
        if equal:
            notes.append(
                f"{equal:,} rows repeat another one in every column: if they are the same person again, name the "
                "column that tells persons apart (--person), so that nobody is scored by a model that has seen them"
            )
    return notes


def _different(sample: Sample) -> int:
    from liftgate.estimators.counting import symbols

    return len(np.unique(np.column_stack([symbols(sample.rows), sample.s]), axis=0, equal_nan=True))
