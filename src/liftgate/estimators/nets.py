"""A small network in plain NumPy: two hidden layers, Adam, early stopping on held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.encoding import Encoder
from liftgate.estimators.folds import held_out
from liftgate.estimators.rows import Rows, Sample

Floats = NDArray[np.float64]
Weights = list[NDArray[np.float32]]
Loss = Callable[[NDArray[np.float32], NDArray[np.int64], Floats, np.random.Generator], NDArray[np.float32]]
"""Outputs, sensitive values, P(s) and randomness -> the gradient of the loss by the outputs."""
Score = Callable[[Floats, NDArray[np.int64], Floats], float]
"""Outputs, sensitive values and P(s) of held-out rows -> what early stopping maximises."""

HIDDEN = 64
HELD_OUT = 0.15
RATE = 2e-3
DECAY = 1e-4
MOST_EPOCHS = 200
PATIENCE = 12


@dataclass(frozen=True, eq=False)
class Network:
    """``g(x) = relu(relu(x W1 + b1) W2 + b2) W3 + b3``, an output for each sensitive value."""

    name: str
    encoder: Encoder
    weights: tuple[NDArray[np.float32], ...]
    offset: Floats
    reached: float

    def scores(self, rows: Rows) -> Floats:
        """log P(s | x) up to a constant per row (``offset`` is log P(s) where the outputs are log-lifts)."""
        return outputs(self.encoder.matrix(rows).astype(np.float32), list(self.weights)) + self.offset

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a file keeps of the model."""
        arrays: dict[str, NDArray[Any]] = {f"w{k}": w for k, w in enumerate(self.weights)}
        return {"name": self.name, "encoder": self.encoder.to_dict(), "reached": self.reached}, {
            **arrays,
            "offset": self.offset,
        }

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Network:
        """The model that :meth:`state` described."""
        weights = tuple(arrays[f"w{k}"] for k in range(6))
        return cls(meta["name"], Encoder.from_dict(meta["encoder"]), weights, arrays["offset"], meta["reached"])


def outputs(x: NDArray[np.float32], weights: Weights) -> Floats:
    """The outputs of a network, in double precision at the end."""
    hidden = np.maximum(x @ weights[0] + weights[1], 0)
    hidden = np.maximum(hidden @ weights[2] + weights[3], 0)
    return np.asarray(hidden @ weights[4] + weights[5], dtype=np.float64)


def fit_network(sample: Sample, seed: int, name: str, loss: Loss, score: Score, log_lift: bool) -> Network:
    """Train until held-out rows have not improved for ``PATIENCE`` epochs, and keep the best epoch."""
    inner, held = held_out(sample, HELD_OUT, seed)
    encoder = Encoder.of(inner.rows)
    x = encoder.matrix(inner.rows).astype(np.float32)
    x_held = encoder.matrix(held.rows).astype(np.float32)
    prior = np.maximum(sample.prior, 1e-12)
    rng = np.random.default_rng([seed, 11])
    weights = _start(x.shape[1], sample.classes, rng)
    adam = _Adam(weights)
    batch = 64 if len(inner) < 4000 else 128 if len(inner) < 40_000 else 256
    reached, best, since = score(outputs(x_held, weights), held.s, prior), [w.copy() for w in weights], 0
    for epoch in range(MOST_EPOCHS):
        order = rng.permutation(len(inner))
        rate = RATE * (0.5 if since > PATIENCE // 2 else 1.0) / (1 + epoch / 30)
        for start in range(0, len(order) - min(batch, len(order)) + 1, batch):
            rows = order[start : start + batch]
            _step(x[rows], inner.s[rows], weights, adam, rate, loss, prior, rng)
        found = score(outputs(x_held, weights), held.s, prior)
        if found > reached:
            reached, best, since = found, [w.copy() for w in weights], 0
        else:
            since += 1
            if since >= PATIENCE:
                break
    offset = np.log(prior) if log_lift else np.zeros(sample.classes)
    return Network(name, encoder, tuple(best), offset, float(reached))


def _start(features: int, classes: int, rng: np.random.Generator) -> Weights:
    sizes = (features, HIDDEN, HIDDEN, classes)
    out: Weights = []
    for k in range(3):
        spread = np.sqrt(2.0 / sizes[k]) if k < 2 else 0.1 * np.sqrt(1.0 / sizes[k])
        out.append((rng.normal(size=(sizes[k], sizes[k + 1])) * spread).astype(np.float32))
        out.append(np.zeros(sizes[k + 1], dtype=np.float32))
    return out


def _step(
    x: NDArray[np.float32],
    s: NDArray[np.int64],
    weights: Weights,
    adam: _Adam,
    rate: float,
    loss: Loss,
    prior: Floats,
    rng: np.random.Generator,
) -> None:
    """One gradient by hand, one step of Adam."""
    first = np.maximum(x @ weights[0] + weights[1], 0)
    second = np.maximum(first @ weights[2] + weights[3], 0)
    slope = loss(second @ weights[4] + weights[5], s, prior, rng)
    back = (slope @ weights[4].T) * (second > 0)
    below = (back @ weights[2].T) * (first > 0)
    adam.step([x.T @ below, below.sum(0), first.T @ back, back.sum(0), second.T @ slope, slope.sum(0)], weights, rate)


class _Adam:
    """Adam with decoupled weight decay on the matrices (Kingma and Ba 2015; Loshchilov and Hutter 2019)."""

    def __init__(self, weights: Weights) -> None:
        self.mean = [np.zeros_like(w) for w in weights]
        self.square = [np.zeros_like(w) for w in weights]
        self.steps = 0

    def step(self, slopes: list[NDArray[np.float32]], weights: Weights, rate: float) -> None:
        self.steps += 1
        scale = rate * float(np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps))
        for w, g, m, v in zip(weights, slopes, self.mean, self.square, strict=True):
            m *= np.float32(0.9)
            m += np.float32(0.1) * g
            v *= np.float32(0.999)
            v += np.float32(0.001) * (g * g)
            if w.ndim == 2:
                w *= np.float32(1 - rate * DECAY)
            w -= np.float32(scale) * m / (np.sqrt(v) + np.float32(1e-8))
