"""Keys: how a column is grouped in any engine's SQL, handed over, and read as labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.labels import Label, label_text
from liftgate.tables.columns import Spec, bin_label, encode, plain, typed_label
from liftgate.tables.dialects import DUCKDB, POSTGRES, Dialect
from liftgate.tables.sources import Bound

WHOLE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER")
_TEXT_OUT = re.compile(r"FLOAT|U?HUGEINT|DATE|TIME|TIME_NS|TIMESTAMP|TIMESTAMP_(NS|S|MS)|UUID|ENUM\(.*|BIGNUM", re.S)
_PLAIN = re.compile(r"BOOLEAN|DOUBLE|DECIMAL\(.*|VARCHAR|\"NULL\"|NULL|JSON")
TEXT = re.compile(r"VARCHAR|JSON|ENUM\(.*", re.S)
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
    parse: Callable[[str], Any] | None = None


def make_key(bound: Bound, spec: Spec, kind: str, words: Words, weight: str, place: str, notes: list[str]) -> Key:
    """How to group a column of this type; types that have no readable values are refused."""
    where, raw = f"{place}, column {spec.name!r}", f"c{spec.index}"
    if spec.index in bound.labels:
        return Key(spec, raw, "{}", "codes", bound.labels[spec.index])
    if spec.binning is not None:
        return _binned(bound, spec, kind, words, weight, where, notes)
    if bound.dialect is not DUCKDB:
        return _handed_over_as_text(bound.dialect, spec, kind, where)
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
    if WHOLE.fullmatch(kind) or _PLAIN.fullmatch(kind):
        return Key(spec, raw, "{}", kind)
    raise DataError(where, f"it holds {type_name(kind)} values", "choose a column of text, numbers, dates or booleans")


def _handed_over_as_text(dialect: Dialect, spec: Spec, kind: str, where: str) -> Key:
    """A key of a server or a cluster: grouped as what it is (text by its bytes), handed over as text, read by type."""
    raw, outer = f"c{spec.index}", f"CAST({{}} AS {dialect.text})"
    if kind in ("FLOAT", "DOUBLE") or (kind.startswith("DECIMAL") and dialect is POSTGRES):
        return Key(spec, f"CASE WHEN {dialect.nan(raw)} THEN NULL ELSE {raw} END", outer, kind, parse=_reader(kind))
    if kind == "TIMESTAMP WITH TIME ZONE" and dialect is POSTGRES:
        utc = "CAST({0} AT TIME ZONE 'UTC' AS text)"
        return Key(spec, raw, f"CASE WHEN isfinite({{0}}) THEN {utc} || '+00:00' ELSE {utc} END", kind)
    if kind == "TIMESTAMP WITH TIME ZONE":
        return Key(spec, raw, "CAST(unix_micros({}) AS STRING)", kind, parse=_from_micros)
    if TEXT.fullmatch(kind) and dialect is POSTGRES:
        return Key(spec, f'CAST({raw} AS text) COLLATE "C"', "{}", kind)
    if kind in ("DATE", "TIME", "TIMESTAMP", "UUID", "NULL") or TEXT.fullmatch(kind):
        return Key(spec, raw, outer, kind)
    if kind == "BOOLEAN" or WHOLE.fullmatch(kind) or kind.startswith("DECIMAL"):
        return Key(spec, raw, outer, kind, parse=_reader(kind))
    raise DataError(where, f"it holds {type_name(kind)} values", "choose a column of text, numbers, dates or booleans")


def _reader(kind: str) -> Callable[[str], Any]:
    """How a text is read as a value of a type."""
    if kind == "BOOLEAN":
        return lambda text: text == "true"
    if kind == "FLOAT":
        return lambda text: float(str(np.float32(text)))
    if kind == "DOUBLE":
        return float
    return int if WHOLE.fullmatch(kind) else _decimal


def _decimal(text: str) -> Decimal | float:
    value = Decimal(text)
    return value if value.is_finite() else float(text)


def _from_micros(text: str) -> str:
    """A moment as the embedded engine writes it.

    >>> _from_micros("1500000")
    '1970-01-01 00:00:01.5+00:00'
    """
    moment = datetime(1970, 1, 1) + timedelta(microseconds=int(text))
    shown = moment.isoformat(sep=" ")
    return (shown.rstrip("0") if "." in shown else shown) + "+00:00"


def type_name(kind: str) -> str:
    """The engine's name of a type, short."""
    return "LIST" if kind.endswith("]") else kind.split("(")[0]


def text_value(raw: str, words: Words, dialect: Dialect) -> str:
    """A text column after cutting blanks and reading the missing words, in SQL."""
    if words.trim:
        raw = f"CASE WHEN {raw} <> '' THEN nullif({dialect.trimmed(raw)}, '') ELSE {raw} END"
    if words.tokens:
        listed = ", ".join(dialect.literal(t) for t in words.tokens)
        raw = f"CASE WHEN ({raw}) IN ({listed}) THEN NULL ELSE ({raw}) END"
    return raw


def _binned(bound: Bound, spec: Spec, kind: str, words: Words, weight: str, where: str, notes: list[str]) -> Key:
    binning, raw, sql = spec.binning, f"c{spec.index}", bound.dialect
    if binning is None:
        raise ValueError("no binning")
    value = raw
    if TEXT.fullmatch(kind):
        written = f"CAST({raw} AS {sql.text})"
        text = text_value(written, words, sql)
        number = sql.matches(f"({text})", _NUMBER_TEXT)
        value = f"CASE WHEN {number} THEN CAST({sql.trimmed(f'({text})')} AS {sql.double}) END"
        _no_other(bound, written, f"({text}) IS NOT NULL AND NOT {number}", where)
    elif kind in ("FLOAT", "DOUBLE"):
        value = f"CASE WHEN {sql.nan(raw)} THEN NULL ELSE CAST({raw} AS {sql.double}) END"
        _no_other(bound, raw, sql.infinite(raw), where)
    elif kind.startswith("DECIMAL"):
        value = f"CAST({raw} AS {sql.double})"
        if sql is POSTGRES:
            value = f"CASE WHEN {sql.nan(raw)} THEN NULL ELSE {value} END"
            _no_other(bound, raw, sql.infinite(value), where)
    elif not WHOLE.fullmatch(kind):
        raise DataError(
            where, f"it holds {type_name(kind)} values", "only numbers can be binned; name the column alone"
        )
    whole = WHOLE.fullmatch(kind) is not None
    if TEXT.fullmatch(kind) is None and (absent := _number_tokens(words, sql)):
        value = f"CASE WHEN CAST({raw} AS {sql.double}) IN ({absent}) THEN NULL ELSE {value} END"
    notes.append(f"column {spec.name!r}: numbers were put {binning.told()}")
    if binning.kind == "width":
        return _by_width(spec, value, binning.numbers[0], whole, sql)
    if binning.kind in ("edges", "closed"):
        return _by_edges(spec, value, binning.numbers, whole, binning.kind == "closed", sql)
    edges = _quantiles(bound, value, weight, int(binning.numbers[0]))
    if len(edges) - 1 < int(binning.numbers[0]):
        notes.append(
            f"column {spec.name!r}: equal values leave {max(1, len(edges) - 1)} of {plain(binning.numbers[0])} bins"
        )
    return _by_edges(spec, value, edges, whole, True, sql)


def _number_tokens(words: Words, sql: Dialect) -> str:
    return ", ".join(f"CAST('{t.strip()}' AS {sql.double})" for t in words.tokens if re.fullmatch(_NUMBER_TEXT, t))


def _no_other(bound: Bound, raw: str, wrong: str, where: str) -> None:
    found = bound.con.sql(f"SELECT {raw} FROM {bound.relation} WHERE {wrong} LIMIT 1").fetchall()
    if found:
        fix = "leave the binning out, repair the value, or add it to the missing words (--missing-token)"
        raise DataError(where, f"{found[0][0]!r} is not a number", fix)


def _by_width(spec: Spec, value: str, width: Decimal, whole: bool, sql: Dialect) -> Key:
    """Bin k holds k * width <= value < (k + 1) * width, decided at the edges as written and not by a float quotient."""
    text = plain(width)
    if whole and width == int(width):
        v = f"CAST({value} AS {sql.huge})"
        inner = sql.quotient(f"{v} - (({v} % {text}) + {text}) % {text}", text)
    else:
        v = f"CAST({value} AS {sql.double})"
        k = f"CAST(floor({v} / CAST('{text}' AS {sql.double})) AS {'BIGINT' if sql is POSTGRES else sql.huge})"
        width_as_written = f"CAST('{text}' AS DECIMAL(18, {max(0, -int(width.as_tuple().exponent))}))"
        edge = f"CAST(CAST(({k} + {{}}) AS DECIMAL(20, 0)) * {width_as_written} AS {sql.double})"
        inner = f"CASE WHEN {v} >= {edge.format(1)} THEN {k} + 1 WHEN {v} < {edge.format(0)} THEN {k} - 1 ELSE {k} END"
    return Key(spec, inner, f"CAST({{}} AS {sql.text})", f"width {text}")


def _by_edges(spec: Spec, value: str, edges: Sequence[Decimal], whole: bool, closed: bool, sql: Dialect) -> Key:
    arms, labels = [], {}
    for n, edge in enumerate(edges):
        shown = str(int(edge.to_integral_value("ROUND_CEILING"))) if whole else f"CAST('{plain(edge)}' AS {sql.double})"
        last = closed and n == len(edges) - 1
        arms.append(f"WHEN {value} {'<=' if last else '<'} {shown} THEN {n}")
        labels[n] = bin_label(edges[n - 1] if n else None, edge, last)
    labels[len(edges)] = bin_label(edges[-1], None)
    if closed and len(edges) == 1:
        labels[0] = bin_label(edges[0], edges[0], True)
    inner = f"CASE WHEN ({value}) IS NULL THEN NULL {' '.join(arms)} ELSE {len(edges)} END"
    return Key(spec, inner, "{}" if sql is DUCKDB else f"CAST({{}} AS {sql.text})", "codes", labels)


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


def labelled(values: list[Any], key: Key, words: Words) -> tuple[NDArray[np.int64], list[Label], bool]:
    """The rank of the label of each value, the labels in order, and whether every text starts with a blank."""
    text = TEXT.fullmatch(key.kind) is not None
    if key.parse is not None:
        values = [None if v is None else key.parse(v) for v in values]
    if text:
        filled = [v for v in values if v]
        blank = bool(filled) and all(v.startswith((" ", "\t")) for v in filled)
        return (*encode([_label(v, key, words, text) for v in values]), blank)
    if WHOLE.fullmatch(key.kind) and "HUGE" not in key.kind and not words.tokens and key.spec.binning is None:
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
