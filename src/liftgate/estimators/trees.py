"""trees: gradient boosting on histograms, stopped by held-out likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.folds import held_out
from liftgate.estimators.forest import Forest
from liftgate.estimators.rows import Rows, Sample
from liftgate.estimators.scale import log_softmax

Floats = NDArray[np.float64]
HELD_OUT = 0.15
ROUNDS, MOST_ROUNDS = 50, 400
MOST_CODES = 250  # the library reads at most 255 categories; rarer ones go with the missing entries


@dataclass(frozen=True, eq=False)
class Trees:
    """Boosted trees; ``heat`` multiplies their scores (1 unless calibrated)."""

    forest: Forest
    kept: tuple[tuple[int, ...] | None, ...]
    classes: int
    heat: float
    reached: float
    name: str = "trees"

    def scores(self, rows: Rows) -> Floats:
        """log P(s | x) up to a constant per row."""
        return self.heat * _by_class(self.forest.raw(matrix(rows, self.kept)), self.classes)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a file keeps of the model."""
        kept = [None if k is None else list(k) for k in self.kept]
        meta = {"name": self.name, "kept": kept, "classes": self.classes, "heat": self.heat, "reached": self.reached}
        return meta, self.forest.arrays()

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Trees:
        """The model that :meth:`state` described."""
        kept = tuple(None if k is None else tuple(k) for k in meta["kept"])
        return cls(Forest(**arrays), kept, meta["classes"], meta["heat"], meta["reached"], meta["name"])


def trees(sample: Sample, seed: int = 0, calibrated: bool = False) -> Trees:
    """log P(s | x) as a sum of small trees. Assumes nothing about shape, but shrinks what few rows show.

    ``calibrated`` multiplies all scores by the factor that held-out rows like best.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    inner, held = held_out(sample, HELD_OUT, seed)
    kept = tuple(_frequent(c.values) if c.kind == "category" else None for c in inner.rows.columns)
    x, x_held = matrix(inner.rows, kept), matrix(held.rows, kept)
    grower = HistGradientBoostingClassifier(
        learning_rate=0.08,
        max_iter=ROUNDS,
        max_leaf_nodes=15,
        l2_regularization=1.0,
        early_stopping=False,
        warm_start=True,
        categorical_features=sorted((k is not None for k in kept), reverse=True),
        random_state=seed,
    )
    per_round = 1 if sample.classes == 2 else sample.classes
    reached, best = -np.inf, 0
    seen, so_far = 0, np.zeros((0, 0))
    while True:
        grower.fit(x, inner.s)
        forest = Forest.of(grower)
        if seen == 0:
            so_far = np.repeat(forest.base[None, :], len(held), axis=0)
        for stage in range(seen, grower.max_iter):
            so_far = so_far + _stage(forest, stage, per_round).raw(x_held)
            found = _likelihood(so_far, held.s, sample.classes)
            if found > reached:
                reached, best = found, stage + 1
        seen = grower.max_iter
        if best <= seen - 10 or seen >= MOST_ROUNDS:
            break
        grower.set_params(max_iter=seen + ROUNDS)
    forest = forest.first(best * per_round)
    heat = _heat(forest.raw(x_held), held.s, sample.classes) if calibrated else 1.0
    return Trees(forest, kept, sample.classes, heat, float(reached))


def matrix(rows: Rows, kept: tuple[tuple[int, ...] | None, ...]) -> Floats:
    """Rows x columns, categories first (as the library orders them) and as places among the kept ones.

    NaN where an entry is missing or not kept.
    """
    out = np.empty((len(rows), len(rows.columns)))
    pairs = sorted(zip(rows.columns, kept, strict=True), key=lambda pair: pair[1] is None)
    for j, (column, codes) in enumerate(pairs):
        if codes is None:
            out[:, j] = column.values
            continue
        place = np.full(max([len(column.labels), *(c + 1 for c in codes), 1]) + 1, np.nan)
        place[list(codes)] = np.arange(len(codes))
        out[:, j] = place[column.values]  # -1, missing, is the last entry and stays NaN
    return out


def _frequent(codes: NDArray[Any]) -> tuple[int, ...]:
    counts = np.bincount(codes[codes >= 0], minlength=1)
    order = np.argsort(-counts, kind="stable")[:MOST_CODES]
    return tuple(sorted(int(c) for c in order if counts[c] > 0))


def _by_class(raw: Floats, classes: int) -> Floats:
    return np.column_stack([np.zeros(len(raw)), raw[:, 0]]) if classes == 2 and raw.shape[1] == 1 else raw


def _likelihood(raw: Floats, s: NDArray[np.int64], classes: int) -> float:
    return float(log_softmax(_by_class(raw, classes))[np.arange(s.size), s].mean())


def _stage(forest: Forest, stage: int, per_round: int) -> Forest:
    """One round of trees on its own, without the base."""
    roots = forest.roots[stage * per_round : (stage + 1) * per_round]
    rest = {k: v for k, v in vars(forest).items() if k not in ("base", "roots")}
    return Forest(base=np.zeros_like(forest.base), roots=roots, **rest)


def _heat(raw: Floats, s: NDArray[np.int64], classes: int) -> float:
    tried = np.exp(np.linspace(-1.2, 0.7, 39))
    return float(max(tried, key=lambda h: _likelihood(h * raw, s, classes)))
