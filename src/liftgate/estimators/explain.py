"""Why a row was flagged: its columns taken away one at a time, and the row scored again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.crossfit import Fitted
from liftgate.estimators.rows import Column, Rows
from liftgate.labels import Label, label_text

Floats = NDArray[np.float64]
MOST_VALUES = 48


@dataclass(frozen=True)
class Move:
    """What knowing one column does: the lift without it (averaged over what it could be) and with it."""

    column: str
    entry: str
    without: float
    with_it: float

    @property
    def size(self) -> float:
        """How far belief moves, as |log ratio|."""
        return abs(float(np.log(self.with_it / self.without)))


@dataclass(frozen=True)
class Explanation:
    """The sensitive value that a row says most about, and the columns that say it, largest first."""

    label: Label
    lift: float
    moves: tuple[Move, ...]

    @property
    def sentence(self) -> str:
        """The explanation in words."""
        parts = [f"{m.column} = {m.entry} ({m.without:.2f}× without it)" for m in self.moves[:3] if m.size > 0.02]
        said = f"this row makes “{label_text(self.label)}” {self.lift:.2f} times as likely as before"
        return f"{said}; what moves it most: {', '.join(parts)}" if parts else said


def explain(model: Fitted, rows: Rows, background: Rows, at: int) -> Explanation:
    """Exact leave-one-column-out re-scoring of one row.

    Without column j the row may be any row that agrees with it elsewhere; the column is given every value of the
    background in turn (numbers of more than 48 values: the middles of 48 equal parts), and P(s | x) is averaged
    with the shares of these values.
    """
    row = rows.take(np.array([at]))
    found = model.log_lift(row)[0]
    s = int(np.abs(found).argmax())
    moves = []
    for j, column in enumerate(background.columns):
        values, shares = _values(column)
        many = Rows(tuple(replace(c, values=np.repeat(c.values, values.size)) for c in row.columns))
        many = many.with_column(j, replace(row.columns[j], values=values))
        mean = float(np.exp(model.log_lift(many)[:, s]) @ shares)
        moves.append(Move(column.name, entry_text(row.columns[j], 0), mean, float(np.exp(found[s]))))
    moves.sort(key=lambda m: -m.size)
    return Explanation(s, float(np.exp(found[s])), tuple(moves))


def with_labels(found: Explanation, labels: Sequence[Label]) -> Explanation:
    """The explanation with the sensitive value by its name."""
    return replace(found, label=labels[found.label])


def entry_text(column: Column, at: int) -> str:
    """One entry as people read it."""
    if column.missing[at]:
        return "(missing)"
    value = column.values[at]
    return f"{float(value):g}" if column.kind == "number" else label_text(column.labels[int(value)])


def _values(column: Column) -> tuple[NDArray[np.float64 | np.int64], Floats]:
    """The different values of a column and their shares; a missing entry is one of them."""
    different, counts = np.unique(column.values, return_counts=True, equal_nan=True)
    if different.size <= MOST_VALUES or column.kind == "category":
        return different, counts / counts.sum()
    known = np.sort(column.values[~column.missing])
    middles = known[((np.arange(MOST_VALUES) + 0.5) * known.size / MOST_VALUES).astype(np.int64)]
    gone = float(column.missing.mean())
    if gone == 0:
        return middles, np.full(MOST_VALUES, 1 / MOST_VALUES)
    return np.append(middles, np.nan), np.append(np.full(MOST_VALUES, (1 - gone) / MOST_VALUES), gone)
