"""The watchdog of DOG on counted tables: what mapping (9) leaks exactly, and what was printed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.exact import SHARE_TOTAL, whole_shares
from liftgate.joint import Joint
from liftgate.labels import joined_label


@dataclass(frozen=True)
class Leak:
    """What mapping (9) leaks: the extreme lifts, exactly, and their largest |logarithm|."""

    least: Fraction
    most: Fraction

    @property
    def gamma(self) -> float:
        """max |i(s, y)|; infinite where some pair is ruled out."""
        return max(math.log(self.most), math.inf if self.least == 0 else -math.log(self.least))


def flagged_values(joint: Joint, budget: Budget) -> NDArray[np.bool_]:
    """The complement of X_eps, decided exactly: which public values break the budget (DOG Def. 2)."""
    return np.asarray(~budget.holds(joint))


def mapping(joint: Joint, flagged: NDArray[np.bool_], weights: ArrayLike | None = None) -> Channel:
    """Mapping (9): values within are released as they are, flagged ones as a draw from R_Y on the flagged values.

    Without ``weights`` for R_Y the flagged values are released as one, which tells exactly as much.
    """
    joint = joint.drop_empty()
    rows = np.flatnonzero(flagged)
    if weights is None or rows.size == 0:
        blocks = [[v] for v, bad in zip(joint.public, flagged, strict=True) if not bad]
        members = [joint.public[k] for k in rows]
        names = [b[0] for b in blocks] + ([joined_label(members)] if members else [])
        return Channel.merge(joint.public, [*blocks, *([members] if members else [])], names)
    shares = whole_shares(np.asarray(weights, dtype=np.float64), SHARE_TOTAL)
    matrix = np.zeros((len(joint.public), len(joint.public)), dtype=np.int64)
    for x in range(len(joint.public)):
        if flagged[x]:
            matrix[x, rows] = shares
        else:
            matrix[x, x] = SHARE_TOTAL
    return Channel.from_shares(matrix, joint.public, joint.public)


def leakage(joint: Joint, flagged: NDArray[np.bool_]) -> Leak:
    """The exact extreme lifts after mapping (9), whatever R_Y (DOG Prop. 2, corrected: errata E20, E21).

    The largest |i| of the values within, and |log(P(flagged | s) / P(flagged))|. It never exceeds the largest |i|
    before, and it can exceed eps: a small one-sided flagged set still tells.

    >>> j = Joint.from_counts([[40, 5, 5], [30, 15, 5]])
    >>> leakage(j, flagged_values(j, Budget.lip("0.2"))).gamma == math.log(2)
    True
    """
    after = joint.drop_empty().through(mapping(joint, flagged))
    total, n_s, n_y = after.total, after.sensitive_counts, after.public_counts
    lifts = [
        Fraction(int(after.counts[s, y]) * total, int(n_s[s]) * int(n_y[y]))
        for s in range(len(after.sensitive))
        for y in range(len(after.public))
        if n_s[s] and n_y[y]
    ]
    return Leak(min(lifts), max(lifts))


def gamma_as_printed(eps: float, within: float) -> float | None:
    """Proposition 2 as printed, for p = P(X_eps): None where it is undefined, because e^eps p >= 1 (erratum E20).

    >>> round(gamma_as_printed(0.2, 0.8), 6), gamma_as_printed(0.3, 0.8)
    (2.168151, None)
    """
    rest = 1 - within
    grown = math.exp(eps) * within
    if rest <= 0 or grown >= 1:
        return None
    return max(math.log((1 - grown + math.exp(eps)) / rest), -math.log((1 - grown) / rest))


def gamma_bound(eps: float, within: float) -> float:
    """The bound that follows from eps and p = P(X_eps) alone (erratum E21 repaired), for the time of design.

    ``max{eps, log((1 - e^-eps p) / q), -log((1 - e^eps p) / q)}`` with q = 1 - p; infinite where e^eps p >= 1, eps
    where q = 0, 0 where p = 0.

    >>> gamma_bound(0.2, 0.0), gamma_bound(0.2, 1.0), gamma_bound(0.3, 0.8)
    (0.0, 0.2, inf)
    """
    rest = 1 - within
    if within <= 0:
        return 0.0
    if rest <= 0:
        return eps
    grown = math.exp(eps) * within
    if grown >= 1:
        return math.inf
    return max(eps, math.log((1 - math.exp(-eps) * within) / rest), -math.log((1 - grown) / rest))
