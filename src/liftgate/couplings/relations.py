"""Relations between the labels of two laws: equality, intervals (distances among them), and any list of pairs."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, Union

import numpy as np
from numpy.typing import NDArray

from liftgate.couplings.laws import Label, Law, whole_array
from liftgate.errors import DataError, UsageError
from liftgate.exact import fraction

MAX_EDGES = 20_000_000
Ints = NDArray[np.int64]
RelationLike = Union[str, "Spans", Iterable[tuple[Any, Any]], Callable[[Any, Any], bool]]


class Relation(Protocol):
    """A relation between positions 0..n-1 on the left and 0..m-1 on the right."""

    @property
    def shape(self) -> tuple[int, int]: ...
    def related(self, i: int, j: int) -> bool:
        """Whether left ``i`` is related to right ``j``."""
        ...

    def partner(self, i: int) -> int:
        """Some right position related to left ``i``, or -1."""
        ...

    def partner_of(self, j: int) -> int:
        """Some left position related to right ``j``, or -1."""
        ...

    def row(self, i: int) -> Iterable[int]:
        """All right positions related to left ``i``."""
        ...


@dataclass(frozen=True, eq=False)
class Matching:
    """Every left position has at most one partner and the other way round; equality of labels is the main case."""

    to: Ints
    size: int
    equality: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.to), self.size

    @cached_property
    def back(self) -> Ints:
        """For every right position its left partner, or -1."""
        out = np.full(self.size, -1, dtype=np.int64)
        has = np.flatnonzero(self.to >= 0)
        out[self.to[has]] = has
        return out

    def related(self, i: int, j: int) -> bool:
        return bool(self.to[i] == j)

    def partner(self, i: int) -> int:
        return int(self.to[i])

    def partner_of(self, j: int) -> int:
        return int(self.back[j])

    def row(self, i: int) -> Iterable[int]:
        return () if self.to[i] < 0 else (int(self.to[i]),)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Left ``i`` is related to the right labels ``order[low[i]:high[i]]``; ``distance`` is set for distance <= k."""

    low: Ints
    high: Ints
    order: Ints
    distance: Fraction | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.low), len(self.order)

    @cached_property
    def rank(self) -> Ints:
        """The place of every right position in the order."""
        out = np.empty(len(self.order), dtype=np.int64)
        out[self.order] = np.arange(len(self.order))
        return out

    @cached_property
    def _cover(self) -> Ints:
        """For every place in the order the widest-reaching interval that starts at or before it, or -1."""
        out = np.full(len(self.order), -1, dtype=np.int64)
        starts = sorted(
            (int(lo), -int(hi), i) for i, (lo, hi) in enumerate(zip(self.low, self.high, strict=True)) if lo < hi
        )
        reach, best, k = 0, -1, 0
        for p in range(len(self.order)):
            while k < len(starts) and starts[k][0] <= p:
                if -starts[k][1] > reach:
                    reach, best = -starts[k][1], starts[k][2]
                k += 1
            if p < reach:
                out[p] = best
        return out

    def related(self, i: int, j: int) -> bool:
        return bool(self.low[i] <= self.rank[j] < self.high[i])

    def partner(self, i: int) -> int:
        return int(self.order[self.low[i]]) if self.low[i] < self.high[i] else -1

    def partner_of(self, j: int) -> int:
        return int(self._cover[self.rank[j]])

    def row(self, i: int) -> Iterable[int]:
        return self.order[self.low[i] : max(self.low[i], self.high[i])].tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Graph:
    """Any relation: left ``i`` is related to ``targets[start[i]:start[i + 1]]``, ascending."""

    start: Ints
    targets: Ints
    size: int

    @classmethod
    def of_rows(cls, rows: list[list[int]], size: int) -> Graph:
        """From the related right positions of every left position, ascending."""
        start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return cls(start, np.array([j for row in rows for j in row], dtype=np.int64), size)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.start) - 1, self.size

    @cached_property
    def _back(self) -> Ints:
        out = np.full(self.size, -1, dtype=np.int64)
        out[self.targets] = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        return out

    def related(self, i: int, j: int) -> bool:
        row = self.targets[self.start[i] : self.start[i + 1]]
        k = int(np.searchsorted(row, j))
        return k < len(row) and bool(row[k] == j)

    def partner(self, i: int) -> int:
        return int(self.targets[self.start[i]]) if self.start[i] < self.start[i + 1] else -1

    def partner_of(self, j: int) -> int:
        return int(self._back[j])

    def row(self, i: int) -> Iterable[int]:
        return self.targets[self.start[i] : self.start[i + 1]].tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Reversed:
    """The inverse of a relation."""

    of: Relation

    @property
    def shape(self) -> tuple[int, int]:
        n, m = self.of.shape
        return m, n

    def related(self, i: int, j: int) -> bool:
        return self.of.related(j, i)

    def partner(self, i: int) -> int:
        return self.of.partner_of(i)

    def partner_of(self, j: int) -> int:
        return self.of.partner(j)

    @cached_property
    def _rows(self) -> list[list[int]]:
        out: list[list[int]] = [[] for _ in range(self.shape[0])]
        for i in range(self.shape[1]):
            for j in self.of.row(i):
                out[j].append(i)
        return out

    def row(self, i: int) -> Iterable[int]:
        return self._rows[i]


@dataclass(frozen=True)
class Spans:
    """A relation to pass in: left label ``i`` is related to the right labels at places ``starts[i]`` up to ``stops[i] - 1``.

    The places follow the order of the labels of the right law. No pair is ever listed, so millions of them cost nothing.
    """

    starts: Iterable[int]
    stops: Iterable[int]


def listable(relation: Relation, max_edges: int = MAX_EDGES) -> None:
    """Refuse to list the pairs of a relation that implies more than are allowed; they are counted without listing them."""
    plain = relation.of if isinstance(relation, Reversed) else relation
    if isinstance(plain, Intervals) and int(np.maximum(plain.high - plain.low, 0).sum()) > max_edges:
        raise _too_many(max_edges)


_DISTANCE = re.compile(r"\s*distance\s*<=\s*(\S+)\s*")


def read_relation(source: RelationLike, left: Law, right: Law, max_edges: int = MAX_EDGES) -> Relation:
    """The relation between two laws that ``"equal"``, ``"distance<=k"``, pairs of labels or a predicate describe."""
    if isinstance(source, str):
        if source == "equal":
            to = np.fromiter((right.position.get(label, -1) for label in left.labels), dtype=np.int64, count=len(left))
            return Matching(to, len(right))
        if (match := _DISTANCE.fullmatch(source)) is not None:
            return _distance(fraction(match.group(1), "relation"), left, right)
        raise UsageError(
            "relation", f"{source!r} is not known", 'use "equal", "distance<=k", pairs of labels, or a predicate'
        )
    if isinstance(source, Spans):
        return _spans(source, left, right)
    if isinstance(source, Matching | Intervals | Graph | Reversed):
        if source.shape != (len(left), len(right)):
            raise UsageError(
                "relation", f"it is for {source.shape}, the laws have {(len(left), len(right))} labels", "build it anew"
            )
        return source
    if callable(source):
        n, m = len(left), len(right)
        if n * m > 10 * max_edges:
            raise UsageError(
                "relation",
                f"a predicate on {n * m} pairs",
                f"at most {10 * max_edges} are tried; list the pairs or use intervals",
            )
        found = ((i, j) for i, a in enumerate(left.labels) for j, b in enumerate(right.labels) if source(a, b))
        return _graph(found, n, m, max_edges)
    if isinstance(source, np.ndarray):
        return _array(source, left, right, max_edges)
    try:
        pairs = iter(source)
    except TypeError:
        raise UsageError("relation", f"a {type(source).__name__} is not a relation", "list pairs of labels") from None
    return _graph(_positions(pairs, left, right), len(left), len(right), max_edges)


def _positions(pairs: Iterator[Any], left: Law, right: Law) -> Iterator[tuple[int, int]]:
    for number, pair in enumerate(pairs):
        try:
            a, b = pair
        except (TypeError, ValueError):
            raise UsageError(
                f"relation, entry {number}", f"{pair!r} is not a pair", "write (left label, right label)"
            ) from None
        yield _position(a, left, "left", number), _position(b, right, "right", number)


def _position(label: Label, law: Law, side: str, number: int) -> int:
    try:
        return law.position[label]
    except (KeyError, TypeError):
        known = ", ".join(repr(v) for v in law.labels[:5]) + (", ..." if len(law) > 5 else "")
        raise UsageError(
            f"relation, entry {number}", f"the {side} law has no label {label!r}", f"it has {known}"
        ) from None


def _graph(pairs: Iterable[tuple[int, int]], n: int, m: int, max_edges: int) -> Relation:
    codes: set[int] = set()
    for i, j in pairs:
        codes.add(i * m + j)
        if len(codes) > max_edges:
            raise _too_many(max_edges)
    return _from_codes(np.fromiter(codes, dtype=np.int64, count=len(codes)), n, m)


def _array(pairs: NDArray[Any], left: Law, right: Law, max_edges: int) -> Relation:
    if pairs.ndim != 2 or pairs.shape[1:] != (2,) or pairs.dtype.kind not in "iu":
        return _graph(_positions(iter(pairs.tolist()), left, right), len(left), len(right), max_edges)
    if len(pairs) > max_edges:
        raise _too_many(max_edges)
    columns = []
    for side, law, column in (("left", left, pairs[:, 0]), ("right", right, pairs[:, 1])):
        if law.labels == tuple(range(len(law))):
            wrong = np.flatnonzero((column < 0) | (column >= len(law)))
            if wrong.size:
                _position(int(column[wrong[0]]), law, side, int(wrong[0]))
            columns.append(column.astype(np.int64))
        else:
            columns.append(
                np.array([_position(v, law, side, k) for k, v in enumerate(column.tolist())], dtype=np.int64)
            )
    return _from_codes(np.unique(columns[0] * len(right) + columns[1]), len(left), len(right))


def _too_many(max_edges: int) -> UsageError:
    fix = "use an interval relation (distance<=k or Spans), which lists no pairs, or raise max_edges"
    return UsageError("relation", f"it has more than {max_edges} pairs", fix)


def _from_codes(codes: NDArray[Any], n: int, m: int) -> Relation:
    if not codes.size:
        raise UsageError("relation", "it is empty: no pair of labels is related", "relate at least one pair")
    codes = np.sort(codes)
    rows, targets = codes // m, codes % m
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    if start[-1] == len(np.unique(targets)) and np.diff(start).max() <= 1:
        to = np.full(n, -1, dtype=np.int64)
        to[rows] = targets
        return Matching(to, m, equality=False)
    return Graph(start, targets, m)


_FAR = 1 << 61


def _small(law: Law) -> Ints | None:
    """The labels as an array where all are whole numbers that a distance cannot take beyond int64."""
    if set(map(type, law.labels)) != {int}:
        return None
    labels = whole_array(law.labels)  # type: ignore[arg-type]
    return labels if labels.dtype != object and max(map(abs, (labels.min(), labels.max()))) < _FAR else None


def _whole_distance(step: int, here: Ints, there: Ints, k: Fraction) -> Intervals:
    """The intervals of whole numbers; questions in ascending order are answered faster."""
    places, ascending = np.argsort(there, kind="stable"), np.argsort(here, kind="stable")
    low, high = np.empty_like(here), np.empty_like(here)
    low[ascending] = np.searchsorted(there[places], here[ascending] - step, "left")
    high[ascending] = np.searchsorted(there[places], here[ascending] + step, "right")
    return Intervals(low, high, places, k)


def _numbers(law: Law, side: str) -> list[Any]:
    out: list[Any] = []
    for label in law.labels:
        try:
            out.append(label if type(label) is int else fraction(label, f"{side} law"))
        except DataError:
            raise UsageError(
                f"{side} law, label {label!r}", "distance<=k needs labels that are numbers", "list the pairs instead"
            ) from None
    return out


def _distance(k: Fraction, left: Law, right: Law) -> Relation:
    if k < 0:
        raise UsageError("relation", f"the distance {k} is negative", "use a distance of at least 0")
    here, there = _small(left), _small(right)
    if here is not None and there is not None and k < _FAR:
        return _whole_distance(math.floor(k), here, there, k)
    a, b = _numbers(left, "left"), _numbers(right, "right")
    order = sorted(range(len(b)), key=b.__getitem__)
    values = [b[j] for j in order]
    step: Any = int(k) if k.denominator == 1 else k
    low = np.fromiter((bisect_left(values, v - step) for v in a), dtype=np.int64, count=len(a))
    high = np.fromiter((bisect_right(values, v + step) for v in a), dtype=np.int64, count=len(a))
    return Intervals(low, high, np.array(order, dtype=np.int64), k)


def _spans(source: Spans, left: Law, right: Law) -> Relation:
    low = np.array(list(source.starts), dtype=np.int64)
    high = np.array(list(source.stops), dtype=np.int64)
    if len(low) != len(left) or len(high) != len(left):
        raise UsageError(
            "relation",
            f"{len(low)} starts and {len(high)} stops for {len(left)} left labels",
            "give one of each for every left label",
        )
    wrong = np.flatnonzero((low < 0) | (high > len(right)))
    if wrong.size:
        i = int(wrong[0])
        raise UsageError(
            f"relation, left label {left.labels[i]!r}",
            f"the span {low[i]} to {high[i]} leaves 0 to {len(right)}",
            "keep spans inside the right law",
        )
    if not np.any(low < high):
        raise UsageError("relation", "it is empty: every span is empty", "relate at least one pair")
    return Intervals(low, np.maximum(low, high), np.arange(len(right)))
