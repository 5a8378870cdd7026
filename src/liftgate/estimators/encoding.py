"""Preprocessing for mixed columns: scaled numbers, one-hot categories, missing entries as information of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.rows import Column, Rows

Floats = NDArray[np.float64]
LEAST_OF_A_KIND = 5  # categories with fewer training rows share one column
MOST_CATEGORIES = 200
HEAVY_TAIL = 2.5  # of the skewness, from where a number is put on a logarithmic scale


@dataclass(frozen=True)
class Number:
    """How one column of numbers becomes features."""

    centre: float
    scale: float
    logarithmic: bool
    told_missing: bool

    @classmethod
    def of(cls, column: Column) -> Number:
        known = column.values[~column.missing]
        told = known.size < column.values.size
        if known.size == 0:
            return cls(0.0, 0.0, False, told)
        heavy = _skewness(known) > HEAVY_TAIL
        if heavy:
            known = _signed_log(known)
        scale = float(known.std())
        return cls(float(known.mean()), scale if scale > 1e-12 * (1 + abs(float(known.mean()))) else 0.0, heavy, told)

    def features(self, column: Column) -> list[Floats]:
        """The scaled number, 0 where it is missing, and a column that says so."""
        out = []
        missing = column.missing
        if self.scale > 0:
            value = _signed_log(column.values) if self.logarithmic else column.values
            out.append(np.where(missing, 0.0, (value - self.centre) / self.scale))
        if self.told_missing:
            out.append(missing.astype(np.float64))
        return out


@dataclass(frozen=True)
class Category:
    """How one column of categories becomes features: a column for each frequent value, one for all rare ones."""

    kept: tuple[int, ...]
    rare: bool
    told_missing: bool

    @classmethod
    def of(cls, column: Column) -> Category:
        known = column.values[column.values >= 0]
        counts = np.bincount(known, minlength=max(1, len(column.labels)))
        order = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
        kept = tuple(sorted(int(c) for c in order if counts[c] >= LEAST_OF_A_KIND))
        others = int(counts.sum() - counts[list(kept)].sum())
        return cls(kept, others >= LEAST_OF_A_KIND, known.size < column.values.size)

    def features(self, column: Column) -> list[Floats]:
        """A 0/1 column for each value."""
        out = [(column.values == c).astype(np.float64) for c in self.kept]
        if self.rare:
            out.append(((column.values >= 0) & ~np.isin(column.values, self.kept)).astype(np.float64))
        if self.told_missing:
            out.append(column.missing.astype(np.float64))
        return out


@dataclass(frozen=True)
class Encoder:
    """Features of rows, learned from training rows alone."""

    parts: tuple[Number | Category, ...]

    @classmethod
    def of(cls, rows: Rows) -> Encoder:
        """The preprocessing that these rows suggest."""
        return cls(tuple(Number.of(c) if c.kind == "number" else Category.of(c) for c in rows.columns))

    def matrix(self, rows: Rows) -> Floats:
        """Rows x features; a table that tells nothing has one feature, which is 0."""
        columns = [f for part, c in zip(self.parts, rows.columns, strict=True) for f in part.features(c)]
        return np.column_stack(columns) if columns else np.zeros((len(rows), 1))

    def to_dict(self) -> list[dict[str, Any]]:
        """A form for JSON."""
        return [{"kind": type(p).__name__, **vars(p)} for p in self.parts]

    @classmethod
    def from_dict(cls, data: list[Mapping[str, Any]]) -> Encoder:
        """The encoder that :meth:`to_dict` described."""
        parts: list[Number | Category] = []
        for entry in data:
            rest = {k: v for k, v in entry.items() if k != "kind"}
            if entry["kind"] == "Number":
                parts.append(Number(**rest))
            else:
                parts.append(Category(tuple(rest["kept"]), rest["rare"], rest["told_missing"]))
        return cls(tuple(parts))


def _signed_log(values: Floats) -> Floats:
    return np.asarray(np.sign(values) * np.log1p(np.abs(values)))


def _skewness(values: Floats) -> float:
    """The size of the third moment of the scaled values; 0 where there are too few to tell."""
    spread = float(values.std())
    if spread == 0 or values.size < 20:
        return 0.0
    return abs(float((((values - values.mean()) / spread) ** 3).mean()))
