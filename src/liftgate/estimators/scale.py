"""Normalised log-lift: whatever an estimator says, sum_s P(s) e^i(s, x) = 1 for every row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget

Floats = NDArray[np.float64]


def log_softmax(scores: Floats) -> Floats:
    """Logarithms of probabilities from scores that are known up to a constant per row."""
    top = scores.max(axis=1, keepdims=True)
    shifted = scores - np.where(np.isfinite(top), top, 0.0)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def normalised(scores: Floats, prior: Floats) -> Floats:
    """i(s, x) = g(s, x) - log sum_s P(s) e^g(s, x), for g = scores - log P(s), so that no constant is left open.

    Erratum E22: the Donsker-Varadhan objective (DOG 13) determines g only up to a constant.

    >>> i = normalised(np.array([[3.0, 5.0]]), np.array([0.25, 0.75]))
    >>> round(float((np.array([0.25, 0.75]) * np.exp(i)).sum()), 12)
    1.0
    """
    return log_softmax(np.asarray(scores, dtype=np.float64)) - np.log(prior)


def normalisation_error(log_lift: Floats, prior: Floats) -> float:
    """The largest |sum_s P(s) e^i(s, x) - 1| over the rows."""
    return float(np.abs(np.exp(log_lift) @ prior - 1).max(initial=0.0))


def load(log_lift: Floats, prior: Floats, budget: Budget) -> Floats:
    """How full each row fills a budget: above 1 is outside. Estimates, so floats decide.

    >>> load(np.log([[1.5, 0.5]]), np.array([0.5, 0.5]), Budget.between("1/2", 2)).round(6).tolist()
    [1.0]
    """
    low = None if budget.low is None else float(budget.low)
    up = None if budget.up is None else float(budget.up)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        if budget.kind == "alip":
            sides = [_share(log_lift.max(axis=1), up)]
            if low:
                sides.append(_share(-log_lift.min(axis=1), 1 / low))
            return np.asarray(np.max(sides, axis=0))
        if budget.kind == "ldp":
            return _share(log_lift.max(axis=1) - log_lift.min(axis=1), up)
        found = [
            _averaged(budget, sign * log_lift, prior, bound)
            for sign, bound in ((1.0, up), (-1.0, low))
            if bound is not None
        ]
        return np.asarray(np.max(found, axis=0))


def _share(log_value: Floats, bound: float | None) -> Floats:
    """log value / log bound; a bound of 1 allows only silence."""
    if bound is None:
        return np.zeros(log_value.size)
    limit = np.log(bound)
    return np.asarray(log_value / limit if limit > 0 else np.where(log_value > 1e-12, np.inf, 0.0))


def _averaged(budget: Budget, log_ratio: Floats, prior: Floats, bound: float) -> Floats:
    """The l1-, chi2- or alpha-mean of lift (or of its inverse) against its bound."""
    ratio = np.exp(log_ratio)
    if budget.kind == "l1":
        mean = np.abs(ratio - 1) @ prior
    elif budget.kind == "chi2":
        mean = (ratio - 1) ** 2 @ prior
    else:
        assert budget.order is not None
        order = float(budget.order)
        return _share(np.log(np.exp(order * log_ratio) @ prior) / order, bound)
    return np.asarray(mean / bound if bound > 0 else np.where(mean > 1e-12, np.inf, 0.0))
