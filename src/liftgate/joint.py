"""Joint: whole-number counts of sensitive x public values, and the views that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgate.channel import Channel
from liftgate.errors import DataError
from liftgate.exact import SHARE_TOTAL, fits_int64, largest, read_only, sum_whole, whole_array, whole_shares
from liftgate.labels import Label, clean_label, encode_label, label_text, label_texts, sort_key, unique_labels


@dataclass(frozen=True)
class Source:
    """Where a joint came from: what a result prints about its data."""

    name: str = "counts"
    sensitive: tuple[str, ...] = ("sensitive",)
    public: tuple[str, ...] = ("public",)
    rows: int | None = None
    missing: tuple[tuple[str, int], ...] = ()
    missing_rule: str = "value"
    dropped_rows: int = 0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The same facts for JSON."""
        return {
            "name": self.name,
            "sensitive": list(self.sensitive),
            "public": list(self.public),
            "rows": self.rows,
            "missing": dict(self.missing),
            "missing_rule": self.missing_rule,
            "dropped_rows": self.dropped_rows,
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Source:
        """The source that :meth:`to_dict` described."""
        return cls(
            name=data["name"],
            sensitive=tuple(data["sensitive"]),
            public=tuple(data["public"]),
            rows=data["rows"],
            missing=tuple(data["missing"].items()),
            missing_rule=data["missing_rule"],
            dropped_rows=data["dropped_rows"],
            notes=tuple(data["notes"]),
        )


@dataclass(frozen=True, eq=False)
class Joint:
    """How often each sensitive value occurs with each public value: ``counts[s, x]``, whole numbers.

    ``lift[s, x] = P(s | x) / P(s)``: how many times more common s is among people with x than overall.

    >>> j = Joint.from_counts([[3, 1], [1, 3]], sensitive=["ill", "well"], public=["A", "B"])
    >>> j.lift.tolist()
    [[1.5, 0.5], [0.5, 1.5]]
    """

    counts: NDArray[Any]
    sensitive: tuple[Label, ...]
    public: tuple[Label, ...]
    source: Source = field(default_factory=Source)

    def __post_init__(self) -> None:
        if np.ndim(self.counts) != 2 or 0 in np.shape(self.counts):
            raise DataError(
                "counts",
                f"shape {np.shape(self.counts)}",
                "give a matrix of sensitive x public values with at least one of each",
            )
        counts = whole_array(self.counts, "counts")
        if sum_whole(counts) == 0:
            raise DataError("counts", "every count is 0", "give a table with at least one row")
        put = object.__setattr__
        put(self, "counts", read_only(counts))
        put(self, "sensitive", unique_labels(self.sensitive, counts.shape[0], "sensitive labels"))
        put(self, "public", unique_labels(self.public, counts.shape[1], "public labels"))

    # ---- building ------------------------------------------------------------------------------

    @classmethod
    def from_counts(
        cls,
        matrix: ArrayLike,
        sensitive: Iterable[Label] | None = None,
        public: Iterable[Label] | None = None,
        source: Source | None = None,
    ) -> Joint:
        """A joint from whole numbers, sensitive values x public values."""
        try:
            counts = np.asarray(matrix)
        except ValueError:
            raise DataError("counts", "the rows have different lengths", "give a rectangular matrix") from None
        if counts.ndim != 2 or 0 in counts.shape:
            raise DataError(
                "counts",
                f"shape {counts.shape}",
                "give a matrix of sensitive x public values with at least one of each",
            )
        s, x = counts.shape
        rows = unique_labels(sensitive, s, "sensitive labels")
        columns = unique_labels(public, x, "public labels")
        return cls(counts, rows, columns, source or Source())

    @classmethod
    def from_probabilities(
        cls, matrix: ArrayLike, sensitive: Iterable[Label] | None = None, public: Iterable[Label] | None = None
    ) -> Joint:
        """A joint from probabilities, rounded once to whole shares of 2^40; positive stays positive."""
        try:
            p = np.asarray(matrix, dtype=np.float64)
        except (ValueError, TypeError):
            raise DataError("probabilities", "not a matrix of numbers", "give sensitive x public values") from None
        if p.ndim != 2 or 0 in p.shape:
            raise DataError("probabilities", f"shape {p.shape}", "give a matrix of sensitive x public values")
        wrong = np.argwhere(~np.isfinite(p) | (p < 0))
        if wrong.size:
            where = tuple(int(i) for i in wrong[0])
            raise DataError(
                f"probabilities {list(where)}",
                f"{p[where]} is not a probability",
                "give finite numbers that are not negative",
            )
        if abs(float(p.sum()) - 1) > 1e-6:
            raise DataError(
                "probabilities", f"they add up to {float(p.sum())!r}", "divide by the sum, or use from_counts"
            )
        return cls.from_counts(whole_shares(p.ravel(), SHARE_TOTAL).reshape(p.shape), sensitive, public)

    @classmethod
    def from_rows(cls, sensitive: Iterable[Label], public: Iterable[Label], source: Source | None = None) -> Joint:
        """A joint from one sensitive and one public value for each row, counted."""
        pairs = [(clean_label(s), clean_label(x)) for s, x in zip(sensitive, public, strict=True)]
        if not pairs:
            raise DataError("rows", "there are none", "give at least one row")
        cells: dict[tuple[Any, ...], int] = {}
        for s, x in pairs:
            key = ((type(s), s), (type(x), x))
            cells[key] = cells.get(key, 0) + 1
        rows = sorted({k[0] for k in cells}, key=lambda k: sort_key(k[1]))
        columns = sorted({k[1] for k in cells}, key=lambda k: sort_key(k[1]))
        row_at, column_at = {k: i for i, k in enumerate(rows)}, {k: i for i, k in enumerate(columns)}
        counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
        for (s_key, x_key), n in cells.items():
            counts[row_at[s_key], column_at[x_key]] = n
        return cls(counts, tuple(k[1] for k in rows), tuple(k[1] for k in columns), source or Source(rows=len(pairs)))

    # ---- views ---------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """The number of rows (or shares) counted."""
        return sum_whole(self.counts)

    @property
    def sensitive_counts(self) -> NDArray[Any]:
        """How often each sensitive value occurs, exactly."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def public_counts(self) -> NDArray[Any]:
        """How often each public value occurs, exactly."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def prior(self) -> NDArray[np.float64]:
        """P(s)."""
        return read_only(_ratio(self.sensitive_counts, self.total))

    @property
    def public_share(self) -> NDArray[np.float64]:
        """P(x)."""
        return read_only(_ratio(self.public_counts, self.total))

    @property
    def lift(self) -> NDArray[np.float64]:
        """P(s | x) / P(s), |S| x |X|; NaN only in an empty row or column, where it has no meaning."""
        top = (
            self.counts * self.total
            if fits_int64(largest(self.counts), self.total)
            else self.counts.astype(object) * self.total
        )
        a, b = self.sensitive_counts, self.public_counts
        bottom = (
            np.multiply.outer(a, b)
            if fits_int64(largest(a), largest(b))
            else np.multiply.outer(a.astype(object), b.astype(object))
        )
        return read_only(_ratio(top, bottom))

    @property
    def log_lift(self) -> NDArray[np.float64]:
        """The logarithm of lift, in nats; -inf where a pair never occurs."""
        lift = self.lift
        out = np.full(lift.shape, -np.inf)
        np.log(lift, out=out, where=lift > 0)
        out[np.isnan(lift)] = np.nan
        return read_only(out)

    # ---- moving on -----------------------------------------------------------------------------

    def through(self, channel: Channel) -> Joint:
        """The joint of sensitive and released values: an integer product of counts and whole shares.

        >>> j = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
        >>> j.through(Channel.merge(3, [[0, 1], [2]])).counts.tolist()
        [[4, 2], [4, 2]]
        """
        if len(channel.public) != len(self.public) or [(type(v), v) for v in channel.public] != [
            (type(v), v) for v in self.public
        ]:
            raise DataError(
                "channel",
                "its public values are not those of the joint",
                "build it from joint.public, in the same order",
            )
        small = fits_int64(self.total, channel.total) and self.counts.dtype != object
        kind: Any = np.int64 if small else object
        out = np.zeros((len(channel.released), len(self.sensitive)), dtype=kind)
        columns = np.ascontiguousarray(self.counts.T.astype(kind))
        np.add.at(out, channel.targets, columns[channel.row_of_entry] * channel.shares.astype(kind)[:, None])
        return replace(self, counts=out.T, public=channel.released)

    def merge(self, blocks: Iterable[Iterable[Label]]) -> Joint:
        """The joint after the members of each block became one public value."""
        return self.through(Channel.merge(self.public, blocks))

    def drop_empty(self) -> Joint:
        """The joint without rows and columns that never occur; their names are noted in the source."""
        rows = np.flatnonzero(self.sensitive_counts.astype(bool))
        columns = np.flatnonzero(self.public_counts.astype(bool))
        if len(rows) == len(self.sensitive) and len(columns) == len(self.public):
            return self
        kept_rows, kept_columns = set(rows.tolist()), set(columns.tolist())
        gone = [
            f"sensitive value {t!r} never occurs and was left out"
            for i, t in enumerate(label_texts(self.sensitive))
            if i not in kept_rows
        ]
        gone += [
            f"public value {t!r} never occurs and was left out"
            for i, t in enumerate(label_texts(self.public))
            if i not in kept_columns
        ]
        return replace(
            self,
            counts=self.counts[np.ix_(rows, columns)],
            sensitive=tuple(self.sensitive[i] for i in rows),
            public=tuple(self.public[i] for i in columns),
            source=replace(self.source, notes=(*self.source.notes, *gone)),
        )

    # ---- outside forms -------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """A JSON form that :meth:`from_dict` reads back."""
        return {
            "sensitive": [encode_label(v) for v in self.sensitive],
            "public": [encode_label(v) for v in self.public],
            "counts": self.counts.tolist(),
            "source": self.source.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Joint:
        """The joint that :meth:`to_dict` described."""
        counts = np.array(data["counts"], dtype=object)
        return cls(counts, _labels(data["sensitive"]), _labels(data["public"]), Source.from_dict(data["source"]))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Joint, (np.array(self.counts), self.sensitive, self.public, self.source))

    def _repr_html_(self) -> str:
        from liftgate.notebook import small_table

        rows = [
            [label_text(x), str(n), *(f"{v:.2f}" for v in column)]
            for x, n, column in zip(self.public, self.public_counts, self.lift.T, strict=True)
        ]
        return small_table(f"Lift, {self.total} rows", ["public value", "rows", *label_texts(self.sensitive)], rows)


def _labels(values: Sequence[Any]) -> tuple[Label, ...]:
    return tuple(clean_label(v) for v in values)


def _ratio(top: NDArray[Any], bottom: NDArray[Any] | int) -> NDArray[np.float64]:
    """Ratios of whole numbers as floats; 0/0 is NaN, and whole numbers of any size are divided exactly first."""
    bottom = np.broadcast_to(
        np.asarray(bottom, dtype=None if isinstance(bottom, np.ndarray) or bottom < 1 << 62 else object), top.shape
    )
    out = np.full(top.shape, np.nan)
    known = bottom.astype(bool)
    if top.dtype == object or bottom.dtype == object:
        out[known] = [int(a) / int(b) for a, b in zip(top[known], bottom[known], strict=True)]
    else:
        np.divide(top, bottom, out=out, where=known)
    return out
