"""Rows put together by group: labels, where each group starts, and the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.labels import Label, clean_label, sort_key

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which rows belong together: group g owns ``order[starts[g]:starts[g + 1]]``; no order means as they stand."""

    labels: NDArray[Any]
    starts: IntArray
    order: IntArray | None

    @property
    def size(self) -> int:
        """How many groups there are."""
        return self.starts.size - 1

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.starts[-1])

    def label(self, group: int) -> Label:
        """The label of one group."""
        return clean_label(self.labels[group])

    def rows_of(self, group: int) -> IntArray:
        """The row numbers of one group."""
        span = np.arange(self.starts[group], self.starts[group + 1])
        return span if self.order is None else self.order[span]

    def gather(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values by row, with the rows of each group put together."""
        return values if self.order is None else values[self.order]

    def scatter(self, values: NDArray[Any]) -> NDArray[Any]:
        """The reverse of :meth:`gather`."""
        if self.order is None:
            return values
        out = np.empty_like(values)
        out[self.order] = values
        return out

    def codes(self) -> IntArray:
        """The number of the group of every row."""
        by_group = np.repeat(np.arange(self.size), np.diff(self.starts))
        return np.asarray(self.scatter(by_group))


def label_array(values: Any, place: str) -> NDArray[Any]:
    """Labels as a one-dimensional array: whole numbers, booleans and text as they are, all else as plain objects."""
    raw = values if isinstance(values, np.ndarray) else None
    if raw is not None and raw.ndim == 1 and raw.dtype.kind in "iubU":
        return raw
    if raw is None and isinstance(values, Sequence) and values and not isinstance(values, str):
        kinds = {type(v) for v in values}
        if kinds <= {int} or kinds == {str}:
            plain = np.asarray(values)
            if plain.dtype.kind in "iuU":
                return plain
    try:
        items = [clean_label(tuple(v) if isinstance(v, np.ndarray) else v) for v in values]
    except TypeError:
        raise DataError(place, f"{values!r} is not a list of labels", "give one label for each row") from None
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out


def put_together(values: Any, place: str) -> Grouping:
    """The groups of rows by their labels, in the order of the labels.

    >>> g = put_together(["b", "a", "b"], "group")
    >>> g.labels.tolist(), g.starts.tolist(), g.order.tolist()
    (['a', 'b'], [0, 1, 3], [1, 0, 2])
    """
    labels = label_array(values, place)
    n = labels.size
    if n == 0:
        raise DataError(place, "no rows", "give at least one row")
    if labels.dtype.kind == "O":
        found: dict[tuple[type, Label], int] = {}
        codes = np.empty(n, dtype=np.int64)
        for i, label in enumerate(labels):
            codes[i] = found.setdefault((type(label), label), len(found))
        names = [label for _, label in found]
        rank = sorted(range(len(names)), key=lambda i: sort_key(names[i]))
        place_of = np.empty(len(names), dtype=np.int64)
        place_of[rank] = np.arange(len(names))
        codes = place_of[codes]
        unique = np.empty(len(names), dtype=object)
        unique[:] = [names[i] for i in rank]
    else:
        codes, unique = labels, np.empty(0)
    together = bool((codes[1:] >= codes[:-1]).all()) if codes.dtype.kind != "b" else False
    order = None if together else np.argsort(codes, kind="stable")
    lined = codes if order is None else codes[order]
    changes = np.flatnonzero(lined[1:] != lined[:-1]) + 1
    starts = np.concatenate([[0], changes, [n]]).astype(np.int64)
    if labels.dtype.kind != "O":
        unique = lined[starts[:-1]]
    for array in (unique, starts) if order is None else (unique, starts, order):
        array.setflags(write=False)
    return Grouping(unique, starts, order)
