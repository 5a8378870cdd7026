"""Channel: what each public value is released as, in whole shares."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgate.errors import DataError
from liftgate.exact import SHARE_TOTAL, fits_int64, read_only, whole_shares
from liftgate.labels import Label, clean_label, encode_label, joined_label, label_text, label_texts, unique_labels


@dataclass(frozen=True, eq=False)
class Channel:
    """A public value x is released as y in ``shares[x, y]`` of ``total`` cases: P(y | x) = share / total.

    The shares are stored row by row: public value ``x`` has the entries ``start[x]:start[x + 1]`` of
    ``targets`` (positions of released values) and ``shares``. Deterministic channels have total 1.

    >>> c = Channel.merge(["a", "b", "c"], [["a", "b"], ["c"]])
    >>> c.released
    ('a · b', 'c')
    >>> c.matrix.tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """

    public: tuple[Label, ...]
    released: tuple[Label, ...]
    total: int
    start: NDArray[np.int64]
    targets: NDArray[np.int64]
    shares: NDArray[Any]

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "public", unique_labels(self.public, len(self.public), "channel, public values"))
        put(self, "released", unique_labels(self.released, len(self.released), "channel, released values"))
        put(self, "total", int(self.total))
        put(self, "start", read_only(np.asarray(self.start, dtype=np.int64)))
        put(self, "targets", read_only(np.asarray(self.targets, dtype=np.int64)))
        kind = np.int64 if self.total < 1 << 62 else object
        put(self, "shares", read_only(np.asarray(self.shares).astype(kind)))
        self._validate()

    def _validate(self) -> None:
        n, m = len(self.public), len(self.released)
        ends = self.start
        if (
            self.total < 1
            or ends.size != n + 1
            or ends[0] != 0
            or ends[-1] != self.targets.size
            or np.any(np.diff(ends) < 0)
        ):
            raise DataError(
                "channel",
                "the rows do not fit together",
                "build channels with identity, merge, from_floats or from_shares",
            )
        if self.targets.size != self.shares.size or (
            m and self.targets.size and not 0 <= self.targets.min() <= self.targets.max() < m
        ):
            raise DataError(
                "channel", "an entry names a released value that does not exist", "check the released labels"
            )
        if self.shares.size and self.shares.min() < 1:
            raise DataError("channel", "a share is not positive", "leave out shares of 0")
        rows = np.repeat(np.arange(n), np.diff(ends))
        if np.unique(rows * max(m, 1) + self.targets).size != self.targets.size:
            raise DataError("channel", "a public value names the same released value twice", "add the shares up")
        sums = np.zeros(n, dtype=self.shares.dtype)
        np.add.at(sums, rows, self.shares)
        wrong = np.flatnonzero(sums != self.total)
        if wrong.size:
            x = int(wrong[0])
            raise DataError(
                f"channel, public value {label_text(self.public[x])!r}",
                f"its shares add up to {sums[x]}, not {self.total}",
                "make every row add up to the total",
            )

    # ---- building ------------------------------------------------------------------------------

    @classmethod
    def identity(cls, public: Sequence[Label] | int) -> Channel:
        """Every public value is released as it is."""
        labels = tuple(range(public)) if isinstance(public, int) else tuple(public)
        n = len(labels)
        return cls(labels, labels, 1, np.arange(n + 1), np.arange(n), np.ones(n, dtype=np.int64))

    @classmethod
    def merge(
        cls, public: Sequence[Label] | int, blocks: Iterable[Iterable[Label]], released: Sequence[Label] | None = None
    ) -> Channel:
        """The members of each block are released as one value; a block's name joins its members by `` · ``."""
        labels = tuple(range(public)) if isinstance(public, int) else tuple(clean_label(v) for v in public)
        position: dict[Hashable, int] = {(type(v), v): i for i, v in enumerate(labels)}
        block_of = np.full(len(labels), -1, dtype=np.int64)
        groups = [[clean_label(v) for v in block] for block in blocks]
        for b, members in enumerate(groups):
            for label in members:
                i = position.get((type(label), label))
                if i is None:
                    raise DataError(
                        "blocks", f"{label_text(label)!r} is not a public value", "use the labels of the joint"
                    )
                if block_of[i] >= 0:
                    raise DataError("blocks", f"{label_text(label)!r} is in two blocks", "put each value in one block")
                block_of[i] = b
        if np.any(block_of < 0):
            lost = label_text(labels[int(np.argmax(block_of < 0))])
            raise DataError("blocks", f"{lost!r} is in no block", "put each value in one block")
        names = tuple(released) if released is not None else tuple(joined_label(g) for g in groups)
        return cls(labels, names, 1, np.arange(len(labels) + 1), block_of, np.ones(len(labels), dtype=np.int64))

    @classmethod
    def from_floats(
        cls,
        matrix: ArrayLike,
        public: Sequence[Label] | None = None,
        released: Sequence[Label] | None = None,
        total: int = SHARE_TOTAL,
    ) -> Channel:
        """A matrix P(y | x), |X| x |Y|, rounded once to whole shares (largest remainder in each row)."""
        p = np.asarray(matrix, dtype=np.float64)
        if p.ndim != 2 or 0 in p.shape:
            raise DataError("channel matrix", f"shape {p.shape}", "give public values x released values")
        for x, row in enumerate(p):
            if not np.all(np.isfinite(row)) or row.min() < 0 or abs(row.sum() - 1) > 1e-6:
                raise DataError(
                    f"channel matrix, row {x}",
                    f"adds up to {row.sum()}",
                    "every row must be probabilities that add up to 1",
                )
        return cls.from_shares(np.vstack([whole_shares(row, total) for row in p]), public, released)

    @classmethod
    def from_shares(
        cls, matrix: ArrayLike, public: Sequence[Label] | None = None, released: Sequence[Label] | None = None
    ) -> Channel:
        """A matrix of whole shares, |X| x |Y|, whose rows have one total; unused released values are left out."""
        w = np.asarray(matrix)
        if w.ndim != 2 or 0 in w.shape or w.dtype.kind not in "iuO":
            raise DataError(
                "channel shares",
                f"shape {w.shape}, type {w.dtype}",
                "give whole numbers, public values x released values",
            )
        names = unique_labels(released, w.shape[1], "released labels")
        used = [y for y in range(w.shape[1]) if any(v != 0 for v in w[:, y])]
        w = w[:, used]
        rows, targets = np.nonzero(w)
        start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=w.shape[0]))])
        labels = unique_labels(public, w.shape[0], "public labels")
        total = sum(int(v) for v in w[0])
        return cls(labels, tuple(names[y] for y in used), total, start, targets, w[rows, targets])

    # ---- views ---------------------------------------------------------------------------------

    @property
    def matrix(self) -> NDArray[np.float64]:
        """P(y | x) as floats, |X| x |Y|."""
        out = np.zeros((len(self.public), len(self.released)))
        out[self.row_of_entry, self.targets] = (self.shares / self.total).astype(np.float64)
        return read_only(out)

    @property
    def row_of_entry(self) -> NDArray[np.int64]:
        """The public position of every stored entry."""
        return np.repeat(np.arange(len(self.public)), np.diff(self.start))

    @property
    def is_merge(self) -> bool:
        """Whether every public value has exactly one released value."""
        return len(self.public) == self.targets.size

    def rows(self) -> list[tuple[Label, list[tuple[Label, int]]]]:
        """For every public value the released values it may become, with whole shares of ``total``."""
        return [
            (
                x,
                [
                    (self.released[int(self.targets[k])], int(self.shares[k]))
                    for k in range(self.start[i], self.start[i + 1])
                ],
            )
            for i, x in enumerate(self.public)
        ]

    def outputs(self) -> list[list[tuple[int, int]]]:
        """For every released value the public positions that lead to it, with whole shares of ``total``."""
        out: list[list[tuple[int, int]]] = [[] for _ in self.released]
        for x, y, w in zip(self.row_of_entry.tolist(), self.targets.tolist(), self.shares.tolist(), strict=True):
            out[y].append((x, int(w)))
        return out

    def of(self, positions: NDArray[np.int64]) -> Channel:
        """The channel on some of its public values, and on the released values that these may become.

        >>> Channel.merge(["a", "b", "c"], [["a", "b"], ["c"]]).of(np.array([1])).rows()
        [('b', [('a · b', 1)])]
        """
        parts = [slice(int(self.start[x]), int(self.start[x + 1])) for x in positions.tolist()]
        used, targets = np.unique(np.concatenate([self.targets[p] for p in parts]), return_inverse=True)
        return Channel(
            tuple(self.public[x] for x in positions.tolist()),
            tuple(self.released[y] for y in used.tolist()),
            self.total,
            np.concatenate([[0], np.cumsum([p.stop - p.start for p in parts])]),
            targets,
            np.concatenate([self.shares[p] for p in parts]),
        )

    def compose(self, then: Channel) -> Channel:
        """First this channel, then ``then`` on what was released: an exact product of whole shares."""
        position = {(type(v), v): i for i, v in enumerate(then.public)}
        try:
            follow = [position[(type(v), v)] for v in self.released]
        except KeyError as missing:
            raise DataError(
                "second channel",
                f"does not know {label_text(missing.args[0][1])!r}",
                "it must cover every released value",
            ) from None
        rows: list[dict[int, int]] = []
        for i in range(len(self.public)):
            row: dict[int, int] = {}
            for k in range(self.start[i], self.start[i + 1]):
                f = follow[int(self.targets[k])]
                for j in range(then.start[f], then.start[f + 1]):
                    y = int(then.targets[j])
                    row[y] = row.get(y, 0) + int(self.shares[k]) * int(then.shares[j])
            rows.append(row)
        common = math.gcd(self.total * then.total, *(w for row in rows for w in row.values()))
        start = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        targets = np.array([y for row in rows for y in sorted(row)], dtype=np.int64)
        shares = np.array([row[y] // common for row in rows for y in sorted(row)], dtype=object)
        return Channel(self.public, then.released, self.total * then.total // common, start, targets, shares)

    # ---- drawing -------------------------------------------------------------------------------

    def draw(self, positions: ArrayLike, words: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        """Released positions for public positions: draw below the total and walk the shares.

        Fresh draws take 64-bit words from the operating system and reject the unfair tail; given
        ``words`` (keyed draws) must come from a keyed hash, and the total must be a power of two.
        """
        x = np.asarray(positions, dtype=np.int64)
        if x.size and not 0 <= x.min() <= x.max() < len(self.public):
            raise DataError("draw", "a position outside the channel", "encode rows with the channel's public labels")
        if self.is_merge:
            return np.asarray(self.targets[self.start[x]])
        if not fits_int64(len(self.public), self.total):
            raise DataError("draw", "too many values for this total", "draw from the two channels one after the other")
        places = x * self.total + _below(self.total, x.size, words)
        return np.asarray(self.targets[_entries(np.cumsum(self.shares.astype(np.int64)), places)])

    # ---- outside forms -------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """A JSON form that :meth:`from_dict` reads back."""
        return {
            "public": [encode_label(v) for v in self.public],
            "released": [encode_label(v) for v in self.released],
            "total": self.total,
            "outputs": [[v for pair in output for v in pair] for output in self.outputs()],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Channel:
        """The channel that :meth:`to_dict` described."""
        public = tuple(clean_label(v) for v in data["public"])
        released = tuple(clean_label(v) for v in data["released"])
        entries = sorted(
            (int(flat[k]), y, int(flat[k + 1]))
            for y, flat in enumerate(data["outputs"])
            for k in range(0, len(flat), 2)
        )
        counts = np.bincount([e[0] for e in entries], minlength=len(public))
        return cls(
            public,
            released,
            int(data["total"]),
            np.concatenate([[0], np.cumsum(counts)]),
            np.array([e[1] for e in entries], dtype=np.int64),
            np.array([e[2] for e in entries], dtype=object),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (Channel, (self.public, self.released, self.total, self.start, self.targets, self.shares))

    def _repr_html_(self) -> str:
        from liftgate.notebook import small_table

        names = label_texts(self.released)
        rows = [
            [label_text(x), *(f"{p:.3f}" if p else "" for p in row)]
            for x, row in zip(self.public, self.matrix, strict=True)
        ]
        return small_table(f"Channel, shares of {self.total}", ["public", *names], rows)


def _entries(ends: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The entry in which each place lies: rows add up to the total, so entries lie end to end.

    Many places are looked up by their first 13 bits; where an entry ends among places that share them, it is searched.
    """
    step = max(0, int(ends[-1] - 1).bit_length() - _GUIDE)
    if places.size < 4 << _GUIDE:
        return np.asarray(np.searchsorted(ends, places, side="right"))
    first = np.arange((int(ends[-1] - 1) >> step) + 1, dtype=np.int64) << step
    guide = np.searchsorted(ends, first, side="right")
    guide[guide != np.searchsorted(ends, first | (1 << step) - 1, side="right")] = -1
    found: NDArray[np.int64] = guide[places >> step]
    unsure = np.flatnonzero(found < 0)
    found[unsure] = np.searchsorted(ends, places[unsure], side="right")
    return found


_GUIDE = 13


def _below(total: int, size: int, words: NDArray[np.uint64] | None) -> NDArray[np.int64]:
    """Fair whole numbers below ``total`` from 64-bit words."""
    bits = total.bit_length() - 1
    if total == 1 << bits:
        source = (
            np.frombuffer(os.urandom(8 * size), dtype=np.uint64)
            if words is None
            else np.asarray(words, dtype=np.uint64)
        )
        if source.size != size:
            raise DataError("draw", f"{source.size} random words for {size} rows", "give one word for each row")
        return (source >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(size, dtype=np.int64)
    if words is not None:
        raise DataError(
            "draw", f"keyed draws need a power of two, not {total}", "use a channel with the usual total of 2^40"
        )
    limit = np.uint64((1 << 64) // total * total - 1)
    out = np.empty(size, dtype=np.int64)
    todo = np.arange(size)
    while todo.size:
        source = np.frombuffer(os.urandom(8 * todo.size), dtype=np.uint64)
        fair = source <= limit
        out[todo[fair]] = (source[fair] % np.uint64(total)).astype(np.int64)
        todo = todo[~fair]
    return out
