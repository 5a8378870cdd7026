"""Counting in the embedded engine: one group-by over the columns asked for, its cells as labels and whole numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError, LiftgateError
from liftgate.labels import Label, label_text
from liftgate.tables.columns import Spec, bin_label, encode, plain, typed_label
from liftgate.tables.csv import CsvFile, line_of_row, ragged, ragged_error
from liftgate.tables.sources import Bound, Opened, first_line

PROBE_ROWS = 100_000
_WHOLE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER")
_TEXT_OUT = re.compile(r"FLOAT|U?HUGEINT|DATE|TIME|TIME_NS|TIMESTAMP|TIMESTAMP_(NS|S|MS)|UUID|ENUM\(.*|BIGNUM", re.S)
_PLAIN = re.compile(r"BOOLEAN|DOUBLE|DECIMAL\(.*|VARCHAR|\"NULL\"|NULL|JSON")
_TEXT = re.compile(r"VARCHAR|JSON|ENUM\(.*", re.S)
_NUMBER_TEXT = r"[ \t]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*"
_ISO_SPACE = re.compile(r"(\d{4,}-\d\d-\d\d) (\d\d:.*)")


@dataclass(frozen=True)
class Words:
    """What counts as missing and how text is cut."""

    tokens: tuple[str, ...] = ()
    trim: bool = False


@dataclass(frozen=True)
class Key:
    """One column as the engine groups it (`inner`), hands it over (`outer`), and how its values become labels."""

    spec: Spec
    inner: str
    outer: str
    kind: str
    labels: dict[int, Label] | list[Label] | None = None


@dataclass
class Cells:
    """The distinct combinations of values: a code per column and cell, labels in order per column, counts."""

    codes: list[NDArray[np.int64]]
    labels: list[list[Label]]
    counts: NDArray[Any]
    blank: list[bool]


def column_types(bound: Bound, specs: Sequence[Spec]) -> list[str]:
    """The engine's types of the columns."""
    names = ", ".join(f"c{s.index}" for s in specs)
    return [str(t) for t in bound.con.sql(f"SELECT {names} FROM {bound.relation} LIMIT 0").types]


def make_key(bound: Bound, spec: Spec, kind: str, words: Words, weight: str, place: str, notes: list[str]) -> Key:
    """How to group a column of this type; types that have no readable values are refused."""
    where, raw = f"{place}, column {spec.name!r}", f"c{spec.index}"
    if spec.index in bound.labels:
        return Key(spec, raw, "{}", "codes", bound.labels[spec.index])
    if spec.binning is not None:
        return _binned(bound, spec, kind, words, weight, where, notes)
    if kind == "FLOAT" or kind == "DOUBLE":
        inner = f"CASE WHEN isnan({raw}) THEN NULL ELSE {raw} END"
        return Key(spec, inner, "CAST({} AS VARCHAR)" if kind == "FLOAT" else "{}", kind)
    if kind == "TIMESTAMP WITH TIME ZONE":
        utc = "CAST(make_timestamp(epoch_us({0})) AS VARCHAR) || '+00:00'"
        return Key(spec, raw, f"CASE WHEN isfinite({{0}}) THEN {utc} ELSE CAST({{0}} AS VARCHAR) END", kind)
    if kind == "TIMESTAMPTZ_NS":  # Arrow's nanoseconds with a zone, which have no infinity
        return Key(spec, raw, "CAST(make_timestamp_ns(epoch_ns({})) AS VARCHAR) || '+00:00'", kind)
    if kind in ("INTERVAL", "TIME WITH TIME ZONE"):
        return Key(spec, f"CAST({raw} AS VARCHAR)", "{}", "text of a type")
    if _TEXT_OUT.fullmatch(kind):
        return Key(spec, raw, "CAST({} AS VARCHAR)", kind)
    if _WHOLE.fullmatch(kind) or _PLAIN.fullmatch(kind):
        return Key(spec, raw, "{}", kind)
    raise DataError(where, f"it holds {type_name(kind)} values", "choose a column of text, numbers, dates or booleans")


def type_name(kind: str) -> str:
    """The engine's name of a type, short."""
    return "LIST" if kind.endswith("]") else kind.split("(")[0]


def text_value(raw: str, words: Words) -> str:
    """A text column after cutting blanks and reading the missing words, in SQL."""
    if words.trim:
        raw = f"CASE WHEN {raw} <> '' THEN nullif(trim({raw}, ' ' || chr(9)), '') ELSE {raw} END"
    if words.tokens:
        listed = ", ".join("'" + t.replace("'", "''") + "'" for t in words.tokens)
        raw = f"CASE WHEN ({raw}) IN ({listed}) THEN NULL ELSE ({raw}) END"
    return raw


def _binned(bound: Bound, spec: Spec, kind: str, words: Words, weight: str, where: str, notes: list[str]) -> Key:
    binning, raw = spec.binning, f"c{spec.index}"
    if binning is None:
        raise ValueError("no binning")
    value = raw
    if _TEXT.fullmatch(kind):
        value = text_value(f"CAST({raw} AS VARCHAR)", words)
        shown = f"NOT regexp_full_match({value}, '{_NUMBER_TEXT}')"
        value = f"CASE WHEN regexp_full_match({value}, '{_NUMBER_TEXT}') THEN CAST(trim({value}, ' ' || chr(9)) AS DOUBLE) END"
        _no_other(
            bound,
            f"CAST({raw} AS VARCHAR)",
            f"({text_value(f'CAST({raw} AS VARCHAR)', words)}) IS NOT NULL AND {shown}",
            where,
        )
    elif kind in ("FLOAT", "DOUBLE"):
        value = f"CASE WHEN isnan({raw}) THEN NULL ELSE CAST({raw} AS DOUBLE) END"
        _no_other(bound, raw, f"isinf({raw})", where)
    elif kind.startswith("DECIMAL"):
        value = f"CAST({raw} AS DOUBLE)"
    elif not _WHOLE.fullmatch(kind):
        raise DataError(
            where, f"it holds {type_name(kind)} values", "only numbers can be binned; name the column alone"
        )
    whole = _WHOLE.fullmatch(kind) is not None
    if _TEXT.fullmatch(kind) is None and (absent := _number_tokens(words)):
        value = f"CASE WHEN CAST({raw} AS DOUBLE) IN ({absent}) THEN NULL ELSE {value} END"
    notes.append(f"column {spec.name!r}: numbers were put {binning.told()}")
    if binning.kind == "width":
        return _by_width(spec, value, binning.numbers[0], whole)
    if binning.kind in ("edges", "closed"):
        return _by_edges(spec, value, binning.numbers, whole, closed=binning.kind == "closed")
    edges = _quantiles(bound, value, weight, int(binning.numbers[0]))
    if len(edges) - 1 < int(binning.numbers[0]):
        notes.append(
            f"column {spec.name!r}: equal values leave {max(1, len(edges) - 1)} of {plain(binning.numbers[0])} bins"
        )
    return _by_edges(spec, value, edges, whole, closed=True)


def _number_tokens(words: Words) -> str:
    return ", ".join(f"CAST('{t.strip()}' AS DOUBLE)" for t in words.tokens if re.fullmatch(_NUMBER_TEXT, t))


def _no_other(bound: Bound, raw: str, wrong: str, where: str) -> None:
    found = bound.con.sql(f"SELECT {raw} FROM {bound.relation} WHERE {wrong} LIMIT 1").fetchall()
    if found:
        fix = "leave the binning out, repair the value, or add it to the missing words (--missing-token)"
        raise DataError(where, f"{found[0][0]!r} is not a number", fix)


def _by_width(spec: Spec, value: str, width: Decimal, whole: bool) -> Key:
    """Bin k holds k * width <= value < (k + 1) * width, decided at the edges as written and not by a float quotient."""
    text = plain(width)
    if whole and width == int(width):
        v = f"CAST({value} AS HUGEINT)"
        inner = f"({v} - (({v} % {text}) + {text}) % {text}) // {text}"
    else:
        v = f"CAST({value} AS DOUBLE)"
        k = f"CAST(floor({v} / CAST('{text}' AS DOUBLE)) AS HUGEINT)"
        edge = f"CAST(CAST(({k} + {{}}) AS DECIMAL(20, 0)) * CAST('{text}' AS DECIMAL(18, {max(0, -int(width.as_tuple().exponent))})) AS DOUBLE)"
        inner = f"CASE WHEN {v} >= {edge.format(1)} THEN {k} + 1 WHEN {v} < {edge.format(0)} THEN {k} - 1 ELSE {k} END"
    return Key(spec, inner, "CAST({} AS VARCHAR)", f"width {text}")


def _by_edges(spec: Spec, value: str, edges: Sequence[Decimal], whole: bool, closed: bool) -> Key:
    arms, labels = [], {}
    for n, edge in enumerate(edges):
        shown = str(int(edge.to_integral_value("ROUND_CEILING"))) if whole else f"CAST('{plain(edge)}' AS DOUBLE)"
        last = closed and n == len(edges) - 1
        arms.append(f"WHEN {value} {'<=' if last else '<'} {shown} THEN {n}")
        labels[n] = bin_label(edges[n - 1] if n else None, edge, last)
    labels[len(edges)] = bin_label(edges[-1], None)
    if closed and len(edges) == 1:
        labels[0] = bin_label(edges[0], edges[0], True)
    return Key(
        spec, f"CASE WHEN ({value}) IS NULL THEN NULL {' '.join(arms)} ELSE {len(edges)} END", "{}", "codes", labels
    )


def _quantiles(bound: Bound, value: str, weight: str, parts: int) -> tuple[Decimal, ...]:
    """The least and greatest value, and the smallest values that reach i/parts of the rows."""
    rows = bound.con.sql(
        f"WITH v AS (SELECT {value} AS v, {weight} AS n FROM {bound.relation} GROUP BY 1), "
        "w AS (SELECT v, sum(n) OVER (ORDER BY v) AS upto, sum(n) OVER () AS total FROM v WHERE v IS NOT NULL AND n > 0) "
        + " UNION ALL ".join(f"SELECT {i}, min(v) FROM w WHERE upto * {parts} >= {i} * total" for i in range(parts))
        + f" UNION ALL SELECT {parts}, max(v) FROM w"
    ).fetchall()
    found = sorted({Decimal(repr(v)) if isinstance(v, float) else Decimal(v) for _, v in rows if v is not None})
    return tuple(found) or (Decimal(0),)


def approximate_sizes(bound: Bound, sides: Sequence[Sequence[Key]]) -> list[int] | None:
    """About how many values each side has; None where a look at the first rows shows that there are few."""
    keys = [side[0].inner if len(side) == 1 else f"hash({', '.join(k.inner for k in side)})" for side in sides]
    parts = ", ".join(f"{k} AS k{n}" for n, k in enumerate(keys))
    sizes = ", ".join(f"approx_count_distinct(k{n})" for n in range(len(keys)))
    few = f"SELECT {sizes}, count(*) FROM (SELECT {parts} FROM {bound.relation} LIMIT {PROBE_ROWS})"
    *first, rows = bound.con.sql(few).fetchall()[0]
    if rows < PROBE_ROWS or max(first) < PROBE_ROWS // 8:
        return None
    return [int(n) for n in bound.con.sql(f"SELECT {sizes} FROM (SELECT {parts} FROM {bound.relation})").fetchall()[0]]


def count_cells(
    bound: Bound,
    sides: Sequence[Sequence[Key]],
    weight: str,
    words: Words,
    place: str,
    most: int,
    check: Callable[[list[int]], None],
) -> Cells:
    """One group-by; NULL is a group of its own. `check` sees about how many values each side has, before labels are made."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = [key for side in sides for key in side]
    inner = ", ".join(f"{k.inner} AS k{n}" for n, k in enumerate(keys))
    outer = ", ".join(f"{k.outer.format(f'k{n}')} AS k{n}" for n, k in enumerate(keys))
    names = ", ".join(f"k{n}" for n in range(len(keys)))
    places = ", ".join(str(n + 1) for n in range(len(keys)))
    grouped = f"SELECT {inner}, {weight} AS n FROM {bound.relation} GROUP BY {places}"
    query = f"SELECT {outer}, n FROM ({grouped}) AS g({names}, n) LIMIT {most + 1}"
    table = bound.con.sql(query).to_arrow_table().combine_chunks()
    if len(table) > most:
        raise DataError(
            place,
            f"more than {most:,} combinations of values occur",
            "name fewer columns, bin numbers, or allow more cells (--max-cells)",
        )
    counts = table.column(len(keys))
    if pa.types.is_integer(counts.type):
        numbers = counts.to_numpy()
    else:
        whole = [int(v) for v in counts.to_pylist()]
        numbers = np.array(whole, dtype=np.int64 if sum(whole) < 1 << 62 else object)
    if len(table) == 0:
        return Cells([np.zeros(0, np.int64) for _ in keys], [[] for _ in keys], numbers, [False] * len(keys))
    coded = [pc.dictionary_encode(table.column(n), null_encoding="encode").chunk(0) for n in range(len(keys))]
    sizes = [len(c.dictionary) for c in coded]
    check([max(sizes[: len(sides[0])]), max(sizes[len(sides[0]) :])])
    found = [labelled(c.dictionary.to_pylist(), key, words) for c, key in zip(coded, keys, strict=True)]
    codes = [f[0][c.indices.to_numpy()] for f, c in zip(found, coded, strict=True)]
    return Cells(codes, [f[1] for f in found], numbers, [f[2] for f in found])


def labelled(values: list[Any], key: Key, words: Words) -> tuple[NDArray[np.int64], list[Label], bool]:
    """The rank of the label of each value, the labels in order, and whether every text starts with a blank."""
    text = _TEXT.fullmatch(key.kind) is not None
    if text:
        filled = [v for v in values if v]
        blank = bool(filled) and all(v.startswith((" ", "\t")) for v in filled)
        return (*encode([_label(v, key, words, text) for v in values]), blank)
    if _WHOLE.fullmatch(key.kind) and "HUGE" not in key.kind and not words.tokens and key.spec.binning is None:
        ordered: list[Label] = sorted(v for v in values if v is not None) + [None] * (None in values)
        at = {v: i for i, v in enumerate(ordered)}
        return np.array([at[v] for v in values], dtype=np.int64), ordered, False
    return (*encode([_label(v, key, words, text) for v in values]), False)


def _label(value: Any, key: Key, words: Words, text: bool) -> Label:
    if value is None:
        return None
    if key.kind.startswith("width "):
        width = Decimal(key.kind[6:])
        return bin_label(int(value) * width, (int(value) + 1) * width)
    if key.labels is not None and key.spec.binning is not None:
        return key.labels[int(value)]
    label = key.labels[int(value)] if key.labels is not None else str(value) if text else _typed(value, key)
    if isinstance(label, str) and words.trim and label:
        label = label.strip(" \t") or None
    return None if label is None or label_text(label) in words.tokens else label


def _typed(value: Any, key: Key) -> Label:
    if key.kind == "FLOAT":
        return typed_label(float(value))
    if key.kind in ("HUGEINT", "UHUGEINT", "BIGNUM"):
        return int(value)
    if key.kind.startswith("TIMESTAMP"):
        return _ISO_SPACE.sub(r"\1T\2", str(value))
    return typed_label(value)


def check_counts(bound: Bound, index: int, kind: str, opened: Opened, name: str) -> str:
    """The SQL of the count of a row in a pre-counted table, after every count was found whole and not negative."""
    raw, place = f"c{index}", f"{opened.name}, column {name!r}"
    if kind == "VARCHAR":
        good, value = f"regexp_full_match(trim({raw}, ' ' || chr(9)), '[0-9]{{1,36}}')", f"trim({raw}, ' ' || chr(9))"
    elif _WHOLE.fullmatch(kind):
        good, value = f"{raw} >= 0", raw
    elif kind in ("FLOAT", "DOUBLE"):
        good, value = f"{raw} >= 0 AND {raw} < 9007199254740993 AND {raw} = floor({raw})", raw
    elif kind.startswith("DECIMAL"):
        good, value = f"{raw} >= 0 AND {raw} = floor({raw})", raw
    else:
        raise DataError(place, f"it holds {type_name(kind)} values", "name a column of whole numbers")
    wrong = bound.con.sql(
        f"SELECT r, v FROM (SELECT row_number() OVER () AS r, {raw} AS v, {good} AS good FROM {bound.relation}) "
        "WHERE good IS NOT TRUE ORDER BY r LIMIT 1"
    ).fetchall()
    if wrong:
        row, found = wrong[0]
        at = f"line {line_of_row(opened.files[0], row - 1)}" if len(opened.files) == 1 else f"row {row}"
        shown = "a missing count" if found is None or found != found else f"{found} is not a count"
        raise DataError(f"{place}, {at}", shown, "counts are whole numbers, 0 or more")
    return f"sum(CAST({value} AS HUGEINT))"


def engine_error(error: Exception, opened: Opened) -> LiftgateError:
    """What the engine could not read, in our words and with the line."""
    text = str(error)
    if opened.files:
        for file in opened.files:
            if (found := _csv_error(text, file, opened)) is not None:
                return found
    if "Out of Memory" in text:
        return DataError(opened.name, "the values do not fit into memory", "name fewer public columns, or bin numbers")
    return DataError(opened.name, f"it could not be read ({first_line(error)})", "check the table")


def _csv_error(text: str, file: CsvFile, opened: Opened) -> DataError | None:
    line = re.search(r"CSV Error on Line: (\d+)", text)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if len(opened.files) == 1 and line and fields:
        return ragged_error(file.place, int(line[1]), int(fields[2]), int(fields[1]))
    if (found := ragged(file, len(opened.columns))) is not None:
        return found
    if len(opened.files) == 1 and line:
        problem = "a quote is opened and not closed, or text follows a closing quote" if "quote" in text else "not CSV"
        return DataError(f"{file.place}, line {line[1]}", problem, "repair the line")
    return None
