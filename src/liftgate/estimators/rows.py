"""Rows of a table as columns of numbers and categories, where a missing entry is an entry of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgate.errors import DataError
from liftgate.exact import read_only
from liftgate.labels import Label

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kind = Literal["number", "category"]


@dataclass(frozen=True, eq=False)
class Column:
    """One public column: ``values`` are floats (NaN where missing), or codes of ``labels`` (-1 where missing)."""

    name: str
    kind: Kind
    values: NDArray[Any]
    labels: tuple[Label, ...] = ()

    def __post_init__(self) -> None:
        kind: Any = np.float64 if self.kind == "number" else np.int64
        values = np.asarray(self.values, dtype=kind)
        if values.flags.writeable:  # a part of a column that nobody can change needs no copy
            values = read_only(values)
        object.__setattr__(self, "values", values)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which entries are missing."""
        return np.isnan(self.values) if self.kind == "number" else self.values < 0


@dataclass(frozen=True, eq=False)
class Rows:
    """The public columns of some rows, all of one length.

    >>> Rows.from_matrix([[1.0, 2.0], [3.0, float("nan")]]).columns[1].missing.tolist()
    [False, True]
    """

    columns: tuple[Column, ...]

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, names: Sequence[str] | None = None) -> Rows:
        """Every column of a matrix as numbers."""
        x = np.asarray(matrix, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] == 0:
            raise DataError("rows", f"shape {x.shape}", "give a matrix of rows x columns")
        named = [f"x{j}" for j in range(x.shape[1])] if names is None else list(names)
        return cls(tuple(Column(name, "number", x[:, j].copy()) for j, name in enumerate(named)))

    def __len__(self) -> int:
        return int(self.columns[0].values.size)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(c.name for c in self.columns)

    def take(self, index: Ints | NDArray[np.bool_] | slice) -> Rows:
        """Some of the rows, in the order asked for."""
        return Rows(tuple(replace(c, values=c.values[index]) for c in self.columns))

    def with_column(self, position: int, column: Column) -> Rows:
        """The same rows with another column at this position."""
        return Rows((*self.columns[:position], column, *self.columns[position + 1 :]))


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with their sensitive values as codes, and the person each row belongs to where one has several."""

    rows: Rows
    s: Ints
    classes: int
    person: Ints | None = None

    def __len__(self) -> int:
        return int(self.s.size)

    def take(self, index: Ints | NDArray[np.bool_]) -> Sample:
        """Some of the rows."""
        person = None if self.person is None else self.person[index]
        return Sample(self.rows.take(index), self.s[index], self.classes, person)

    @property
    def prior(self) -> Floats:
        """P(s) in these rows."""
        return np.bincount(self.s, minlength=self.classes) / max(1, self.s.size)
