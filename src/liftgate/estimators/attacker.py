"""A built-in attacker, and what the released rows are still good for; nobody is attacked by a model that has seen them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.estimators.counting import symbols
from liftgate.estimators.encoding import Encoder
from liftgate.estimators.folds import fold_of
from liftgate.estimators.rows import Column, Rows, Sample
from liftgate.estimators.scale import log_softmax
from liftgate.estimators.trees import trees

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Guess:
    """How well somebody guesses a column from rows: area under the curve (one against the rest), and nats told."""

    auc: float
    information: float


@dataclass(frozen=True)
class Utility:
    """What became of the columns: largest change of a marginal (total variation) and of a correlation; rows left."""

    marginals: float
    correlations: float
    rows: int


def guess(
    rows: Rows,
    target: NDArray[np.int64],
    classes: int,
    person: Any = None,
    seed: int = 0,
    learn_from: Rows | None = None,
    there: NDArray[np.bool_] | None = None,
) -> Guess:
    """Trees that know the target of half the people guess it for the rest, and the other way round.

    They learn from the same rows, or from the records in ``learn_from`` at the places ``there``: a task that is learned
    from released records is then applied to the true rows of people who were not learned from.
    """
    sample = Sample(rows, target, classes, person)
    known = np.ones(target.size, dtype=np.bool_) if there is None else there
    half = fold_of(sample, 2, seed + 29)
    logs = np.empty((len(sample), classes))
    for k in (0, 1):
        train, test = (half != k) & known, half == k
        if np.intersect1d(_people(sample, train), _people(sample, test)).size:
            raise AssertionError("a person is on both sides")
        logs[test] = _learned(learn_from or rows, target, train, person, seed, rows.take(test), classes)
    prior = np.bincount(target, minlength=classes) / target.size
    told = float((logs[np.arange(target.size), target] - np.log(prior[target])).mean())
    areas = [np.mean([area(logs[half == k, c], target[half == k] == c) for k in (0, 1)]) for c in range(classes)]
    if classes == 2:
        return Guess(float(areas[1]), told)
    return Guess(float(np.average(areas, weights=prior)), told)


def _learned(
    rows: Rows, target: NDArray[np.int64], train: NDArray[np.bool_], person: Any, seed: int, asked: Rows, classes: int
) -> Floats:
    """log P(target | row) for the rows asked about; values that were never learned are all but ruled out."""
    found = np.full((len(asked), classes), -30.0)
    present = np.unique(target[train])
    if present.size < 2:
        found[:, present] = 0.0
        return found
    local = np.searchsorted(present, target[train]).astype(np.int64)
    model = trees(Sample(rows.take(train), local, present.size, None if person is None else person[train]), seed)
    found[:, present] = log_softmax(model.scores(asked))
    return found


def _people(sample: Sample, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.flatnonzero(chosen) if sample.person is None else np.unique(sample.person[chosen])


def area(score: Floats, hit: NDArray[np.bool_]) -> float:
    """P(a row with the value scores above one without), ties half.

    >>> area(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    0.75
    """
    from scipy.stats import rankdata

    hits = int(hit.sum())
    if hits in (0, hit.size):
        return 0.5
    ranks = rankdata(score)
    return float((ranks[hit].sum() - hits * (hits + 1) / 2) / (hits * (hit.size - hits)))


def utility(before: Rows, released: NDArray[np.int64]) -> Utility:
    """What the released records are worth as columns of their own."""
    after = before.take(released[released >= 0])
    encoder = Encoder.of(before)
    changes = _correlation_change(encoder.matrix(before), encoder.matrix(after))
    return Utility(_marginal_change(before, after), changes, len(after))


def target_of(column: Column, place: str) -> tuple[NDArray[np.int64], int]:
    """A task column as codes: categories and numbers of up to ten values as they are, others above or below the median."""
    where = f"{place}, column {column.name!r}"
    if column.missing.any():
        raise DataError(where, f"{int(column.missing.sum()):,} missing entries in the task", "name a complete column")
    different, codes = np.unique(column.values, return_inverse=True)
    if column.kind == "number" and different.size > 10:
        codes = (column.values > np.median(column.values)).astype(np.int64)
    classes = int(codes.max()) + 1
    if not 2 <= classes <= 20:
        raise DataError(where, f"{classes} values make no task", "name a column with 2 to 20 values, or a number")
    return codes.ravel().astype(np.int64), classes


def _marginal_change(before: Rows, after: Rows) -> float:
    changes = []
    for a, b in zip(before.columns, after.columns, strict=True):
        both = np.concatenate([symbols(Rows((a,))), symbols(Rows((b,)))]).ravel()
        _, code = np.unique(both, return_inverse=True, equal_nan=True)
        size = int(code.max()) + 1
        shares = [
            np.bincount(part, minlength=size) / max(1, part.size) for part in (code[: len(before)], code[len(before) :])
        ]
        changes.append(0.5 * float(np.abs(shares[0] - shares[1]).sum()))
    return max(changes)


def _correlation_change(before: Floats, after: Floats) -> float:
    moving = (before.std(axis=0) > 0) & (after.std(axis=0) > 0) if len(after) > 1 else np.zeros(before.shape[1], bool)
    if moving.sum() < 2:
        return 0.0
    gap = np.corrcoef(before[:, moving], rowvar=False) - np.corrcoef(after[:, moving], rowvar=False)
    return round(float(np.abs(gap).max()), 12)  # the order of a sum moves the last digits
