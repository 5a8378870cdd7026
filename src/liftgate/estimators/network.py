"""network: a small NumPy network trained by cross-entropy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.nets import Network, fit_network
from liftgate.estimators.rows import Sample
from liftgate.estimators.scale import log_softmax

Floats = NDArray[np.float64]


def network(sample: Sample, seed: int = 0) -> Network:
    """log P(s | x) by two hidden layers. Assumes that it varies smoothly with the features."""
    return fit_network(sample, seed, "network", cross_entropy, mean_log_likelihood, log_lift=False)


def cross_entropy(
    g: NDArray[np.float32], s: NDArray[np.int64], prior: Floats, rng: np.random.Generator
) -> NDArray[np.float32]:
    """The gradient of the mean of -log softmax(g)[s]."""
    p = np.exp(g - g.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(s.size), s] -= 1
    return np.asarray(p / np.float32(s.size), dtype=np.float32)


def mean_log_likelihood(g: Floats, s: NDArray[np.int64], prior: Floats) -> float:
    """The mean of log softmax(g)[s]."""
    return float(log_softmax(g)[np.arange(s.size), s].mean())
