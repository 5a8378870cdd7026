"""auto: the estimator, or the pool of estimators, that held-out rows like best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.counting import counting, few_symbols
from liftgate.estimators.folds import held_out
from liftgate.estimators.logistic import logistic
from liftgate.estimators.network import network
from liftgate.estimators.quadratic import quadratic
from liftgate.estimators.rows import Rows, Sample
from liftgate.estimators.scale import log_softmax
from liftgate.estimators.trees import trees

Floats = NDArray[np.float64]
HELD_OUT = 0.2
LEAST_WEIGHT = 0.05


class Model(Protocol):
    """What every estimator gives: scores that are log P(s | x) up to a constant per row, and a state for a file."""

    @property
    def name(self) -> str: ...

    def scores(self, rows: Rows) -> Floats: ...

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]: ...


CANDIDATES: tuple[tuple[str, Callable[..., Model]], ...] = (
    ("counting", counting),
    ("logistic", logistic),
    ("quadratic", quadratic),
    ("network", network),
    ("trees", trees),
)
"""From few assumptions that can be wrong to many that cannot be checked: a tie goes to the earlier one."""


@dataclass(frozen=True, eq=False)
class Pool:
    """``sum_m w_m log P_m(s | x)``, normalised: a product of opinions, with weights that add up to 1."""

    models: tuple[Model, ...]
    weights: tuple[float, ...]
    name: str = "auto"

    def scores(self, rows: Rows) -> Floats:
        """log P(s | x) up to a constant per row."""
        if len(self.models) == 1:
            return self.models[0].scores(rows)
        parts = [w * log_softmax(m.scores(rows)) for m, w in zip(self.models, self.weights, strict=True)]
        return np.asarray(np.sum(parts, axis=0))

    @property
    def told(self) -> str:
        """Which estimators, and how much of each."""
        return ", ".join(f"{m.name} {w:.0%}" for m, w in zip(self.models, self.weights, strict=True))

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a file keeps of the model."""
        states = [m.state() for m in self.models]
        arrays = {f"m{k}.{name}": a for k, (_, found) in enumerate(states) for name, a in found.items()}
        meta = {"name": self.name, "weights": list(self.weights), "models": [meta for meta, _ in states]}
        return meta, arrays


def auto(sample: Sample, seed: int = 0) -> Pool:
    """Fit every candidate, compare them on rows that none has seen, and fit what wins once more on all rows.

    The best candidate alone, in case of a tie (within two standard errors of the paired difference) the
    earliest; the pool instead, where it is better than that by more than two standard errors. Likelihood alone
    is no rule for flagging: it favours scores whose tails are shrunk, so weights add up to 1 and noise in
    them is not allowed to scale the tails.
    """
    inner, held = held_out(sample, HELD_OUT, seed + 101)
    named = [(n, fit) for n, fit in CANDIDATES if n != "counting" or few_symbols(inner.rows)]
    rows = np.arange(len(held))
    logs = [log_softmax(fit(inner, seed).scores(held.rows)) for _, fit in named]
    own = np.array([found[rows, held.s] for found in logs])
    best = int(own.mean(axis=1).argmax())
    chosen = next(k for k in range(len(named)) if not _better(own[best], own[k]))
    weights = _pool_weights(np.array(logs), held.s)
    pooled = log_softmax(np.tensordot(weights, np.array(logs), axes=1))[rows, held.s]
    if not _better(pooled, own[chosen]):
        weights = np.eye(len(named))[chosen]
    kept = [k for k in range(len(named)) if weights[k] > 0]
    models = tuple(named[k][1](sample, seed) for k in kept)
    return Pool(models, tuple(float(weights[k]) for k in kept))


def _better(a: Floats, b: Floats, errors: float = 2.0) -> bool:
    """Whether a is better than b by more than so many standard errors of the mean difference."""
    gap = a - b
    return bool(gap.mean() > max(0.0, errors * gap.std() / np.sqrt(gap.size)))


def _pool_weights(logs: NDArray[np.float64], s: NDArray[np.int64]) -> Floats:
    """Weights of at least ``LEAST_WEIGHT`` (or 0) that add up to 1, of the largest held-out likelihood.

    Exponentiated gradient on a concave function of the weights.
    """
    rows = np.arange(s.size)
    alive = np.ones(len(logs), dtype=np.bool_)
    while True:
        w = alive / alive.sum()
        for step in range(400):
            pooled = np.tensordot(w, logs, axes=1)
            p = np.exp(log_softmax(pooled))
            slope = np.array([(found[rows, s] - (p * found).sum(axis=1)).mean() for found in logs])
            w = w * np.exp(np.clip(20.0 / (1 + step / 50) * (slope - slope @ w), -2, 2))
            w /= w.sum()
        weak = alive & (w < LEAST_WEIGHT)
        if not weak.any():
            return np.asarray(w)
        alive &= ~weak
