"""dv and dv-exact: the Donsker-Varadhan network of DOG, made definite by normalising every row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.nets import Network, fit_network
from liftgate.estimators.rows import Sample

Floats = NDArray[np.float64]


def dv(sample: Sample, seed: int = 0) -> Network:
    """DOG (13) with the product law from shuffled sensitive values. Kept as the reference implementation.

    Errata: E22 (13 has no unique maximiser: g + c scores the same, so scores are normalised per row), E23
    (Lemma 2 needs a unique maximum, so Proposition 3 does not follow, and no estimator is within eta of the
    truth with probability 1 at any finite n). The bound says nothing on the rows it was trained on.
    """
    return fit_network(sample, seed, "dv", _shuffled, dv_bound, log_lift=True)


def dv_exact(sample: Sample, seed: int = 0) -> Network:
    """DOG (13) with the product law summed over the sensitive values, which are few: nothing is shuffled (E22)."""
    return fit_network(sample, seed, "dv-exact", _exact, dv_bound, log_lift=True)


def dv_bound(g: Floats, s: NDArray[np.int64], prior: Floats) -> float:
    """E[g(S, X)] - log E[sum_s P(s) e^g(s, X)] (DOG 12): a lower bound on I(S; X) on rows that g has not seen.

    >>> g = np.array([[0.2, 0.0], [0.0, 0.3]])
    >>> same = dv_bound(g, np.array([0, 1]), np.array([0.5, 0.5]))
    >>> abs(dv_bound(g + 5, np.array([0, 1]), np.array([0.5, 0.5])) - same) < 1e-12
    True
    """
    top = float(g.max())
    product = float((np.exp(g - top) @ prior).mean())
    return float(g[np.arange(s.size), s].mean()) - top - float(np.log(product))


def _shuffled(
    g: NDArray[np.float32], s: NDArray[np.int64], prior: Floats, rng: np.random.Generator
) -> NDArray[np.float32]:
    """The gradient of -(mean g[s] - log mean e^g[shuffled s])."""
    rows = np.arange(s.size)
    other = rng.permutation(s)
    there = g[rows, other]
    weight = np.exp(there - there.max())
    slope = np.zeros_like(g)
    slope[rows, other] += weight / weight.sum()
    slope[rows, s] -= np.float32(1 / s.size)
    return slope


def _exact(
    g: NDArray[np.float32], s: NDArray[np.int64], prior: Floats, rng: np.random.Generator
) -> NDArray[np.float32]:
    """The gradient of -(mean g[s] - log mean sum_s P(s) e^g(s))."""
    weight = np.exp(g - g.max()) * prior.astype(np.float32)
    slope = np.asarray(weight / weight.sum(), dtype=np.float32)
    slope[np.arange(s.size), s] -= np.float32(1 / s.size)
    return slope
