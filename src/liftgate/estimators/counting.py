"""counting: public values that repeat, counted; scores are shrunk towards silence as far as the data ask for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.rows import Rows, Sample

Floats = NDArray[np.float64]
Smoothing = Literal["plug-in", "joint", "bayes"]
ROWS_PER_SYMBOL = 10


@dataclass(frozen=True, eq=False)
class Counting:
    """``P(s | x) = (n_sx + c P(s)) / (n_x + c)``; a value that was never seen tells nothing.

    ``keys`` are the symbols of the training rows in order, one row each, as numbers (NaN where missing).
    """

    keys: Floats
    posterior: Floats
    prior: Floats
    strength: float
    name: str = "counting"

    def scores(self, rows: Rows) -> Floats:
        """log P(s | x); a value that never occurs with s has -inf unless it was smoothed."""
        known = {key.tobytes(): k for k, key in enumerate(self.keys)}
        places = np.array([known.get(key.tobytes(), -1) for key in symbols(rows)], dtype=np.int64)
        found = np.where(places[:, None] >= 0, self.posterior[places], self.prior)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(found))

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a file keeps of the model."""
        arrays = {"keys": self.keys, "posterior": self.posterior, "prior": self.prior}
        return {"name": self.name, "strength": self.strength}, arrays

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Counting:
        """The model that :meth:`state` described."""
        return cls(arrays["keys"], arrays["posterior"], arrays["prior"], meta["strength"], meta["name"])


def counting(sample: Sample, seed: int = 0, smoothing: Smoothing = "bayes") -> Counting:
    """Counts per public value. Assumes nothing, and knows nothing about values it has not seen.

    ``plug-in`` takes the counts as they are; ``joint`` adds half a row to every cell; ``bayes`` draws P(. | x)
    from a Dirichlet law around P(s) whose strength makes the counts likeliest (empirical Bayes): the best
    scores, but shrinkage hides rare risky values, so verdicts never come from them.
    """
    keys = symbols(sample.rows)
    ordered, member = np.unique(keys, axis=0, return_inverse=True, equal_nan=True)
    counts = np.zeros((len(ordered), sample.classes))
    np.add.at(counts, (member.ravel(), sample.s), 1.0)
    prior = sample.prior
    strength = 0.0
    if smoothing == "joint":
        counts = counts + 0.5
    elif smoothing == "bayes":
        strength = _strength(counts, prior)
    total = counts.sum(axis=1, keepdims=True)
    return Counting(ordered, (counts + strength * prior) / (total + strength), prior, strength)


def symbols(rows: Rows) -> Floats:
    """Rows as keys: numbers as they are, categories as codes, every missing entry the same NaN, no negative zero."""
    found = np.column_stack(
        [c.values if c.kind == "number" else np.where(c.values < 0, np.nan, c.values) for c in rows.columns]
    ).astype(np.float64)
    found = found + 0.0
    found[np.isnan(found)] = np.nan
    return np.ascontiguousarray(found)


def few_symbols(rows: Rows) -> bool:
    """Whether values repeat often enough to be counted."""
    keys = symbols(rows)
    return len(np.unique(keys, axis=0, equal_nan=True)) * ROWS_PER_SYMBOL <= len(keys)


def _strength(counts: Floats, prior: Floats) -> float:
    """The strength of the Dirichlet law that makes the counts likeliest, on a grid of e^-3 to e^12."""
    from scipy.special import gammaln

    grid = np.exp(np.linspace(-3, 12, 61))
    n = counts.sum(axis=1)
    known = prior > 0
    best, value = float(grid[0]), -np.inf
    for c in grid:
        a = c * prior[known]
        found = float((gammaln(c) - gammaln(n + c)).sum() + (gammaln(counts[:, known] + a) - gammaln(a)).sum())
        if found > value:
            best, value = float(c), found
    return best
