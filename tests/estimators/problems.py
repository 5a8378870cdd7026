"""Problems whose log-lift is known: Gaussian laws with spreads of their own, and mixed columns with interactions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.rows import Column, Rows, Sample
from liftgate.estimators.scale import log_softmax

Floats = NDArray[np.float64]
PRIOR = np.array([0.5, 0.3, 0.2])


@dataclass(frozen=True)
class Problem:
    """A sample, and the true i(s, x) of its rows."""

    sample: Sample
    log_lift: Floats
    prior: Floats


def gauss(d: int, n: int, seed: int) -> Problem:
    """X | s is Gaussian with a mean and a covariance of its own; the log-lift is quadratic in x."""
    law = np.random.default_rng([d, 1])
    reach = {2: 0.4, 10: 0.36, 50: 0.155}[d]
    means = law.normal(size=(3, d)) * reach
    roots = [np.linalg.cholesky(_covariance(law, d, reach)) for _ in range(3)]
    rng = np.random.default_rng([d, n, seed])
    s = rng.choice(3, n, p=PRIOR)
    noise = rng.normal(size=(n, d))
    x = np.stack([means[k] + roots[k] @ e for k, e in zip(s, noise, strict=True)])
    return Problem(Sample(Rows.from_matrix(x), s.astype(np.int64), 3), _gauss_truth(x, means, roots), PRIOR)


def _covariance(law: np.random.Generator, d: int, reach: float) -> Floats:
    mixing = np.linalg.qr(law.normal(size=(d, d)))[0]
    spread = np.exp(law.normal(size=d) * reach)
    return np.asarray(mixing @ np.diag(spread) @ mixing.T)


def _gauss_truth(x: Floats, means: Floats, roots: list[Floats]) -> Floats:
    logs = np.empty((len(x), 3))
    for k in range(3):
        z = np.linalg.solve(roots[k], (x - means[k]).T)
        logs[:, k] = np.log(PRIOR[k]) - 0.5 * (z * z).sum(axis=0) - np.log(np.diag(roots[k])).sum()
    return np.asarray(log_softmax(logs) - np.log(PRIOR))


def mixed(n: int, seed: int) -> Problem:
    """Three numbers and three categories, with a step, an interaction, a bend and entries missing where it tells."""
    numbers, codes, absent, posterior, uniform = _mixed_law(n, seed)
    prior = _mixed_law(400_000, 0)[3].mean(axis=0)
    s = (uniform > posterior.cumsum(axis=1)[:, :2]).sum(axis=1)
    seen = numbers.copy()
    seen[absent, 2] = np.nan
    columns = [Column(f"n{j}", "number", seen[:, j]) for j in range(3)]
    columns += [Column(f"c{j}", "category", codes[:, j], tuple("abcdef"[:k])) for j, k in enumerate(_SIZES)]
    return Problem(Sample(Rows(tuple(columns)), s.astype(np.int64), 3), np.log(posterior) - np.log(prior), prior)


_SIZES = (3, 4, 6)


def _mixed_law(n: int, seed: int) -> tuple[Floats, NDArray[np.int64], NDArray[np.bool_], Floats, Floats]:
    """Numbers, codes, which third numbers are missing, P(s | x), and a uniform number for each row."""
    rng, law = np.random.default_rng([3, n, seed]), np.random.default_rng(5)
    numbers = rng.normal(size=(n, 3))
    codes = np.column_stack([rng.integers(k, size=n) for k in _SIZES])
    absent = rng.random(n) < 0.1
    numbers[absent, 2] = 0.0
    logits = 0.5 * numbers @ law.normal(size=(3, 3))
    for j, k in enumerate(_SIZES):
        logits += 0.5 * law.normal(size=(k, 3))[codes[:, j]]
    logits[:, 0] += 1.2 * (numbers[:, 0] > 0.5) * (codes[:, 0] == 1)
    logits[:, 1] += 0.8 * np.sin(2 * numbers[:, 1])
    logits[:, 2] += 0.8 * absent
    return numbers, codes, absent, np.exp(log_softmax(logits)), rng.random((n, 1))


def rmse(found: Floats, truth: Floats) -> float:
    """Over all rows and sensitive values."""
    return float(np.sqrt(((found - truth) ** 2).mean()))
