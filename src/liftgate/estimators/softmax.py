"""Softmax regression on linear and quadratic features, with a ridge chosen by held-out likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.encoding import Encoder
from liftgate.estimators.folds import held_out
from liftgate.estimators.rows import Rows, Sample
from liftgate.estimators.scale import log_softmax

Floats = NDArray[np.float64]
RIDGES = (300.0, 30.0, 3.0, 0.3)  # in rows: a coefficient of 1 costs as much as this many half rows
HELD_OUT = 0.15
_STEPS = 120


@dataclass(frozen=True, eq=False)
class Softmax:
    """``g_s(x) = b_s + w_s z + z A_s z`` on whitened features z; without the last part it is logistic regression."""

    name: str
    encoder: Encoder
    mean: Floats
    whiten: Floats
    weights: Floats
    quadratic: bool

    def scores(self, rows: Rows) -> Floats:
        """log P(s | x) up to a constant per row."""
        z = (self.encoder.matrix(rows) - self.mean) @ self.whiten
        return _scores(z, self.weights, self.quadratic)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a file keeps of the model."""
        meta = {"name": self.name, "encoder": self.encoder.to_dict(), "quadratic": self.quadratic}
        return meta, {"mean": self.mean, "whiten": self.whiten, "weights": self.weights}

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Softmax:
        """The model that :meth:`state` described."""
        return cls(
            meta["name"],
            Encoder.from_dict(meta["encoder"]),
            arrays["mean"],
            arrays["whiten"],
            arrays["weights"],
            meta["quadratic"],
        )


def fit_softmax(sample: Sample, seed: int, quadratic: bool, name: str) -> Softmax:
    """From the heaviest ridge to the lightest until held-out likelihood falls, then once more on all rows."""
    inner, held = held_out(sample, HELD_OUT, seed)
    encoder = Encoder.of(inner.rows)
    mean, whiten = _whitening(encoder.matrix(inner.rows))
    z_in = (encoder.matrix(inner.rows) - mean) @ whiten
    z_held = (encoder.matrix(held.rows) - mean) @ whiten
    ridge, towards_gauss = _best_ridge(z_in, inner.s, z_held, held.s, sample.classes, quadratic)
    encoder = Encoder.of(sample.rows)
    mean_all, whiten_all = _whitening(encoder.matrix(sample.rows))
    z = (encoder.matrix(sample.rows) - mean_all) @ whiten_all
    centre = _centre(z, sample.s, sample.classes, quadratic, towards_gauss)
    weights = _minimise(z, sample.s, sample.classes, quadratic, ridge / len(sample), centre, centre)
    return Softmax(name, encoder, mean_all, whiten_all, weights, quadratic)


def _whitening(features: Floats) -> tuple[Floats, Floats]:
    """Uncorrelated directions of spread 1; directions without spread are left out."""
    mean = features.mean(axis=0)
    spread, directions = np.linalg.eigh(np.atleast_2d(np.cov(features, rowvar=False, bias=True)))
    kept = spread > 1e-6 * max(float(spread.max()), 1e-12)
    whiten = directions[:, kept] / np.sqrt(spread[kept]) if kept.any() and spread.max() > 0 else directions[:, :1]
    return mean, np.ascontiguousarray(whiten)


def _best_ridge(
    z: Floats, s: NDArray[np.int64], z_held: Floats, s_held: NDArray[np.int64], classes: int, quadratic: bool
) -> tuple[float, bool]:
    """The ridge, and what it pulls to; Gaussian laws as they stand win ties.

    A tie is a lead of at most three standard errors: the leader is the best of nine, so two are often luck.
    """
    found: dict[tuple[float, bool], Floats] = {}
    for towards_gauss in (False, True) if quadratic else (False,):
        centre = _centre(z, s, classes, quadratic, towards_gauss)
        weights, last = centre, -np.inf
        for ridge in (np.inf, *RIDGES):
            weights = _minimise(z, s, classes, quadratic, ridge / s.size, centre, weights)
            own = log_softmax(_scores(z_held, weights, quadratic))[np.arange(s_held.size), s_held]
            found[ridge, towards_gauss] = own
            if own.mean() <= last:
                break
            last = float(own.mean())
    best = max(found, key=lambda key: float(found[key].mean()))
    if (np.inf, True) in found:
        gap = found[best] - found[np.inf, True]
        if gap.mean() <= 3 * gap.std() / np.sqrt(gap.size):
            return np.inf, True
    return best


def _centre(z: Floats, s: NDArray[np.int64], classes: int, quadratic: bool, towards_gauss: bool) -> Floats:
    """Where the ridge pulls: to P(s) alone, or to what Gaussian laws with their own means and spreads would say."""
    d = z.shape[1]
    out = np.zeros((classes, 1 + d + (d * d if quadratic else 0)))
    shares = np.maximum(np.bincount(s, minlength=classes), 0.5) / s.size
    out[:, 0] = np.log(shares)
    if towards_gauss:
        for k in range(classes):
            own = z[s == k]
            mean = own.mean(axis=0) if len(own) else np.zeros(d)
            pull = d / (len(own) + d)
            spread = (1 - pull) * (np.atleast_2d(np.cov(own, rowvar=False, bias=True)) if len(own) else np.eye(d))
            spread = spread + pull * np.eye(d)
            inverse = np.linalg.inv(spread)
            out[k, 0] += -0.5 * float(np.linalg.slogdet(spread)[1]) - 0.5 * float(mean @ inverse @ mean)
            out[k, 1 : 1 + d] = inverse @ mean
            out[k, 1 + d :] = -0.5 * inverse.ravel()
    return out


def _scores(z: Floats, weights: Floats, quadratic: bool) -> Floats:
    d = z.shape[1]
    out = z @ weights[:, 1 : 1 + d].T + weights[:, 0]
    if quadratic:
        for s in range(weights.shape[0]):
            out[:, s] += np.einsum("ij,ij->i", z @ weights[s, 1 + d :].reshape(d, d), z)
    return np.asarray(out)


def _minimise(
    z: Floats, s: NDArray[np.int64], classes: int, quadratic: bool, ridge: float, centre: Floats, start: Floats
) -> Floats:
    """Mean cross-entropy plus ridge around the centre, by L-BFGS; the quadratic part never makes its features."""
    from scipy.optimize import minimize

    if np.isinf(ridge):
        return centre

    n, d = z.shape
    shape = start.shape
    target = np.zeros((n, classes))
    target[np.arange(n), s] = 1.0

    def value(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        logs = log_softmax(_scores(z, weights, quadratic))
        residual = (np.exp(logs) - target) / n
        slope = np.empty(shape)
        slope[:, 0] = residual.sum(axis=0)
        slope[:, 1 : 1 + d] = residual.T @ z
        if quadratic:
            for k in range(classes):
                slope[k, 1 + d :] = ((z * residual[:, k : k + 1]).T @ z).ravel()
        bent = weights - centre
        bent[:, 0] = 0.0
        slope += ridge * bent
        loss = -float(logs[np.arange(n), s].mean()) + 0.5 * ridge * float((bent * bent).sum())
        return loss, slope.ravel()

    done = minimize(
        value, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "ftol": 1e-9, "gtol": 1e-6}
    )
    return np.asarray(done.x, dtype=np.float64).reshape(shape)
