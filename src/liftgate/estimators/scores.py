"""Scores: the estimated log-lift of every row, cross-fitted and normalised, and what it is worth on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.errors import DataError, UsageError
from liftgate.estimators.crossfit import Fitted, cross_fit
from liftgate.estimators.folds import folds_for
from liftgate.estimators.reading import RowTable, read_rows
from liftgate.estimators.rows import Rows, Sample
from liftgate.estimators.scale import load
from liftgate.exact import read_only
from liftgate.labels import Label, label_text

Floats = NDArray[np.float64]
TRAIN_ROWS = 200_000
NOTE = (
    "scores of rows are estimates: no method certifies a single row whose columns are continuous, "
    "only counted groups of rows can be tested"
)


@dataclass(frozen=True, eq=False)
class Scores:
    """``log_lift[row, s]`` estimates log P(s | x) / P(s) by models that have not seen the row.

    ``mutual_information`` is the mean of i(s, x) over the rows with their own s, in nats, with the ends of a 95 %
    interval: what such a model tells about rows it has not seen, which is at most I(S; X) on average.
    """

    log_lift: Floats
    labels: tuple[Label, ...]
    prior: Floats
    mutual_information: float
    interval: tuple[float, float]
    estimator: str
    folds: int
    seed: int
    trained_on: int
    chosen: tuple[str, ...]
    notes: tuple[str, ...]
    table: RowTable = field(repr=False)
    model: Fitted = field(repr=False)
    fold: NDArray[np.int64] = field(repr=False)

    def flag(self, budget: Budget) -> NDArray[np.bool_]:
        """Which rows are estimated to break the budget (True = outside)."""
        return np.asarray(self.load(budget) > 1)

    def load(self, budget: Budget) -> Floats:
        """How full each row fills the budget; above 1 is outside."""
        return load(self.log_lift, self.prior, budget)

    def _repr_html_(self) -> str:
        from html import escape

        low, up = self.interval
        return (
            f"<p><strong>{len(self.log_lift):,} rows scored by {escape(self.estimator)}</strong>: "
            f"{self.mutual_information:.4f} nats on held-out rows ({low:.4f} to {up:.4f})</p>"
        )


def estimate(
    table: Any,
    /,
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    estimator: str = "auto",
    seed: int = 0,
    *,
    folds: int | None = None,
    train_rows: int = TRAIN_ROWS,
    progress: Callable[[str], None] | None = None,
    **reading: Any,
) -> Scores:
    """Estimate the log-lift of every row of a table (DOG section IV, corrected: E22, E23).

    ``table`` is anything :func:`liftgate.read_joint` reads, or a :class:`RowTable`; further keywords are those of
    :func:`read_rows`. Above ``train_rows`` rows the models learn from a seeded sample of that size.

    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> age = rng.integers(20, 70, 400)
    >>> frame = pd.DataFrame({"age": age, "ill": np.where(rng.random(400) < age / 90, "yes", "no")})
    >>> found = estimate(frame, sensitive="ill", public=["age"], estimator="logistic")
    >>> found.log_lift.shape, found.labels, bool(found.flag(Budget.lip("0.3"))[age.argmin()])
    ((400, 2), ('no', 'yes'), True)
    """
    rows = table if isinstance(table, RowTable) else read_rows(table, sensitive, public, progress=progress, **reading)
    sample = rows.sample
    chosen = training_rows(sample, train_rows, seed)
    part = sample if chosen is None else sample.take(chosen)
    parts = folds_for(len(part)) if folds is None else folds
    enough(part, rows.labels, parts, rows.name, rows.sensitive)
    found, fold, model = cross_fit(part, estimator, seed, parts, progress)
    notes = [NOTE]
    if chosen is not None:
        notes.append(f"the models learned from {len(part):,} of {len(sample):,} rows, drawn by the seed {seed}")
        scores, folds_of = np.empty((len(sample), sample.classes)), np.full(len(sample), -1, dtype=np.int64)
        scores[chosen], folds_of[chosen] = found, fold
        rest = np.setdiff1d(np.arange(len(sample)), chosen)
        if progress is not None:
            progress("scoring the other rows")
        scores[rest] = model.log_lift(sample.rows.take(rest))
        found, fold = scores, folds_of
    value, interval = held_out_information(found, sample)
    told = tuple(getattr(m, "told", m.name) for m in model.models)
    return Scores(
        read_only(found), rows.labels, sample.prior, value, interval, estimator, parts, seed, len(part), told,
        (*rows.notes, *notes), rows, model, fold,
    )  # fmt: skip


def enough(sample: Sample, labels: Sequence[Label], folds: int, place: str, columns: Sequence[str]) -> None:
    """Every sensitive value has to be in every fold."""
    counts = np.bincount(sample.s, minlength=sample.classes)
    least = int(counts.argmin())
    if counts[least] < folds:
        what = f"the value {label_text(labels[least])!r} has {int(counts[least])} rows, fewer than the {folds} folds"
        where = f"{place}, column{'s' * (len(columns) > 1)} {', '.join(repr(c) for c in columns)}"
        raise DataError(where, what, "merge rare values in the table, or use fewer folds (--folds)")


def training_rows(sample: Sample, most: int, seed: int) -> NDArray[np.int64] | None:
    """Positions of the rows to learn from, whole persons together; None for all."""
    if most < 100:
        raise UsageError("train_rows", f"{most} rows are too few to learn from", "give at least 100")
    if len(sample) <= most:
        return None
    rng = np.random.default_rng([seed, 3])
    if sample.person is None:
        return np.sort(rng.permutation(len(sample))[:most])
    _, member, size = np.unique(sample.person, return_inverse=True, return_counts=True)
    order = rng.permutation(size.size)
    taken = order[np.cumsum(size[order]) <= most]
    return np.flatnonzero(np.isin(member.ravel(), taken))


def held_out_information(log_lift: Floats, sample: Sample) -> tuple[float, tuple[float, float]]:
    """The mean score of rows with their own sensitive value, and its 95 % interval (rows of a person together)."""
    own = log_lift[np.arange(len(sample)), sample.s]
    mean = float(own.mean())
    if sample.person is None:
        error = float(own.std(ddof=1)) / np.sqrt(own.size)
    else:
        _, member = np.unique(sample.person, return_inverse=True)
        error = float(np.sqrt((np.bincount(member.ravel(), weights=own - mean) ** 2).sum())) / own.size
    return mean, (float(mean - 1.96 * error), float(mean + 1.96 * error))


def rows_of(table: RowTable | Rows) -> Rows:
    """The public columns of either."""
    return table if isinstance(table, Rows) else table.sample.rows
