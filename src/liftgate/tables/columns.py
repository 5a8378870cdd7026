"""Column specs as people write them (`age`, `age:10`, `age@quantiles=5`), and the labels that values get."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError, UsageError
from liftgate.labels import Label, clean_label, sort_key

NUMBER = r"-?\d+(?:\.\d+)?"
_INTERVAL = re.compile(rf"[\[(]({NUMBER}), ({NUMBER})[\])]|below ({NUMBER})|({NUMBER}) and above")
_MOST_EDGES = 1000


@dataclass(frozen=True)
class Binning:
    """How numbers become ranges: a width, a number of quantiles, or edges (``closed``: the last one belongs to its range)."""

    kind: str
    numbers: tuple[Decimal, ...]

    def told(self) -> str:
        """What was done, for the notes."""
        if self.kind == "width":
            return f"in bins of width {plain(self.numbers[0])}"
        if self.kind == "quantiles":
            return f"in {plain(self.numbers[0])} bins of about equally many rows"
        return f"cut at {', '.join(plain(n) for n in self.numbers)}"


@dataclass(frozen=True)
class Spec:
    """A column as asked for: its exact name, its position in the table, and how to bin it."""

    text: str
    name: str
    index: int
    binning: Binning | None = None


def plain(number: Decimal) -> str:
    """A number without exponent or needless zeros.

    >>> plain(Decimal("30.0")), plain(Decimal("1E+2")), plain(Decimal("0.250"))
    ('30', '100', '0.25')
    """
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def find_columns(specs: str | Sequence[str], columns: Sequence[str], place: str, side: str) -> tuple[Spec, ...]:
    """The columns that the specs name; an exact column name wins over a binning suffix."""
    wanted = [specs] if isinstance(specs, str) else [str(s) for s in _several(specs)]
    if not wanted:
        raise UsageError(side, "no column is named", "name at least one column")
    found = tuple(_find(text, columns, place) for text in wanted)
    seen: set[int] = set()
    for spec in found:
        if spec.index in seen:
            raise UsageError(f"{place}, column {spec.name!r}", f"named twice as {side}", "name each column once")
        seen.add(spec.index)
    return found


def _several(specs: object) -> Sequence[object]:
    return list(specs) if isinstance(specs, (list, tuple, set, frozenset)) or hasattr(specs, "__iter__") else [specs]


def _find(text: str, columns: Sequence[str], place: str) -> Spec:
    if text in columns:
        return Spec(text, text, columns.index(text))
    for mark, read in (("@", _at), (":", _width)):
        name, found, rest = text.rpartition(mark)
        if found and name in columns:
            return Spec(text, name, columns.index(name), read(rest, f"{place}, column {name!r}"))
    raise missing_column(text, columns, place)


def missing_column(text: str, columns: Sequence[str], place: str) -> DataError:
    """The error for a name that no column has, with the nearest name."""
    by_folded = {c.strip().casefold(): c for c in reversed(columns)}
    near = get_close_matches(text.strip().casefold(), list(by_folded), n=1, cutoff=0.6)
    if near:
        name = by_folded[near[0]]
        fix = f"did you mean {name!r}?"
        if name != name.strip() and text == name.strip():
            fix += " Its name has blanks around it; trim (--trim) cuts them"
    else:
        shown = ", ".join(repr(c) for c in columns[:12])
        fix = f"the columns are {shown}{' and more' if len(columns) > 12 else ''}"
        if any(re.fullmatch(NUMBER, c.strip()) for c in columns):
            fix += "; where the first line is a row and no header, name the columns (--columns)"
        elif len(columns) == 1 and len(columns[0].split()) > 3:
            fix += "; where it is several, name the delimiter (--delimiter), and the columns if there is no header (--columns)"
    return DataError(f"{place}, column {text!r}", "no such column", fix)


def _width(text: str, place: str) -> Binning:
    width = _number(text)
    if width is None or width <= 0:
        raise UsageError(place, f"{text!r} is not a bin width", "write NAME:WIDTH with a positive number, as in age:10")
    return Binning("width", (width,))


def _at(text: str, place: str) -> Binning:
    kind, _, rest = text.partition("=")
    numbers = [_number(part) for part in rest.split(",")]
    known = [n for n in numbers if n is not None]
    if kind == "quantiles" and len(numbers) == len(known) == 1 and known[0] == int(known[0]) and 2 <= known[0] <= 1000:
        return Binning("quantiles", (known[0],))
    if kind == "edges" and len(known) == len(numbers) <= _MOST_EDGES:
        if all(a < b for a, b in pairwise(known)):
            return Binning("edges", tuple(known))
        raise UsageError(place, f"the edges {rest} do not increase", "write the edges from small to large")
    raise UsageError(
        place,
        f"{text!r} is not a way to bin",
        "write NAME:10, NAME@quantiles=5 (2 to 1000) or NAME@edges=18,30,65",
    )


def _number(text: str) -> Decimal | None:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and -30 <= value.adjusted() <= 30 else None


def bin_label(low: Decimal | None, high: Decimal | None, closed: bool = False) -> str:
    """The text of a range of numbers.

    >>> bin_label(Decimal(20), Decimal(30)), bin_label(None, Decimal(18)), bin_label(Decimal(65), None)
    ('[20, 30)', 'below 18', '65 and above')
    """
    if low is None:
        return f"below {plain(high or Decimal(0))}"
    if high is None:
        return f"{plain(low)} and above"
    return f"[{plain(low)}, {plain(high)}{']' if closed else ')'}"


def order_key(label: Label) -> tuple[Any, ...]:
    """The order of labels in a joint: that of :func:`liftgate.labels.sort_key`, but ranges go by their numbers.

    >>> sorted(["[100, 110)", "[20, 30)", "below 20"], key=order_key)
    ['below 20', '[20, 30)', '[100, 110)']
    """
    if isinstance(label, tuple):
        return (3, tuple(order_key(v) for v in label))
    if isinstance(label, str) and (found := _INTERVAL.fullmatch(label)):
        low, high, below, above = found.groups()
        start = Decimal(low or above) if below is None else Decimal("-Infinity")
        end = Decimal(high or below) if above is None else Decimal("Infinity")
        return (1.5, start, end, label)
    return sort_key(label)


def typed_label(value: object) -> Label:
    """The label of a value of a typed column: decimals and dates become numbers or ISO text, NaN and NaT are missing.

    >>> typed_label(Decimal("2.50")), typed_label(Decimal("3.00")), typed_label(float("inf"))
    (2.5, 3, 'inf')
    """
    value = clean_label(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if abs(value) != float("inf") else str(value)
    if isinstance(value, Decimal):
        if value == value.to_integral_value():
            return int(value)
        return float(value) if Decimal(repr(float(value))) == value else plain(value)
    if value != value:  # NaT
        return None
    if isinstance(value, datetime):
        value = value.astimezone(UTC) if value.tzinfo else value
        return re.sub(r"(\.\d*?)0+(?=[+-]|$)", r"\1", value.isoformat()).replace(".+", "+").rstrip(".")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def encode(values: Sequence[Label]) -> tuple[NDArray[np.int64], list[Label]]:
    """A code for each label, and the different labels in their order; 1 and True are two labels.

    >>> encode(["b", None, 1, "b"])
    (array([1, 2, 0, 1]), [1, 'b', None])
    """
    kinds = [(type(v), v) for v in values]
    ordered = sorted(dict(zip(kinds, values, strict=True)).values(), key=order_key)
    at = {(type(v), v): i for i, v in enumerate(ordered)}
    return np.array([at[k] for k in kinds], dtype=np.int64), ordered


def combine(
    codes: Sequence[NDArray[np.int64]], labels: Sequence[Sequence[Label]]
) -> tuple[NDArray[np.int64], tuple[Label, ...]]:
    """One code for the values of several columns that occur together, and their labels in order.

    >>> combine([np.array([0, 1, 0]), np.array([1, 0, 1])], [["a", "b"], [7, 8]])
    (array([0, 1, 0]), (('a', 8), ('b', 7)))
    """
    seen, code = _unique(codes[0], len(labels[0]))
    parts = [seen]
    for column, names in zip(codes[1:], labels[1:], strict=True):
        pairs, code = _unique(code * np.int64(len(names)) + column, len(parts[0]) * len(names))
        parts = [p[pairs // len(names)] for p in parts] + [pairs % len(names)]
    if len(parts) == 1:
        return code, tuple(labels[0][i] for i in parts[0].tolist())
    columns = [[names[i] for i in part.tolist()] for part, names in zip(parts, labels, strict=True)]
    return code, tuple(zip(*columns, strict=True))


def _unique(codes: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``np.unique(codes, return_inverse=True)`` for codes below `size`, without sorting where that is quicker."""
    if size > 4 * len(codes) + 1000:
        seen, inverse = np.unique(codes, return_inverse=True)
        return seen, inverse.astype(np.int64)
    met = np.zeros(size, dtype=np.bool_)
    met[codes] = True
    return np.flatnonzero(met).astype(np.int64), (np.cumsum(met) - 1)[codes]
