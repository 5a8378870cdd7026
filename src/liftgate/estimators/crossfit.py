"""Cross-fitting: every row is scored by models that have not seen it, nor any other row of the same person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import UsageError
from liftgate.estimators import Model, estimator_named
from liftgate.estimators.folds import fold_of, folds_for
from liftgate.estimators.rows import Rows, Sample
from liftgate.estimators.scale import log_softmax, normalised

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
BATCH = 65_536


@dataclass(frozen=True, eq=False)
class Fitted:
    """The models of all folds; a new row is scored by their normalised geometric mean."""

    estimator: str
    models: tuple[Model, ...]
    prior: Floats

    def log_lift(self, rows: Rows, batch: int = BATCH) -> Floats:
        """i(s, x) of new rows, rows x |S|, in batches: memory does not grow with the table."""
        out = np.empty((len(rows), self.prior.size))
        for start in range(0, len(rows), batch):
            part = rows.take(slice(start, start + batch))
            out[start : start + batch] = self._of(part)
        return out

    def _of(self, rows: Rows) -> Floats:
        if len(self.models) == 1:
            return normalised(self.models[0].scores(rows), self.prior)
        mean = np.mean([log_softmax(m.scores(rows)) for m in self.models], axis=0)
        return normalised(mean, self.prior)


def cross_fit(
    sample: Sample,
    estimator: str,
    seed: int,
    folds: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[Floats, Ints, Fitted]:
    """Out-of-fold log-lifts of all rows, the fold of each row, and the models for rows that are not among them."""
    fit = estimator_named(estimator)
    parts = folds_for(len(sample)) if folds is None else folds
    if not 2 <= parts <= 20:
        raise UsageError("folds", f"{parts} is not a usable number of folds", "give 2 to 20")
    fold = fold_of(sample, parts, seed)
    prior = sample.prior
    scores = np.empty((len(sample), sample.classes))
    models = []
    for k in range(parts):
        if progress is not None:
            progress(f"learning, part {k + 1} of {parts}")
        model = fit(sample.take(fold != k), seed + 1000 * (k + 1))
        held = fold == k
        scores[held] = Fitted(estimator, (model,), prior).log_lift(sample.rows.take(held))
        models.append(model)
    return scores, fold, Fitted(estimator, tuple(models), prior)
