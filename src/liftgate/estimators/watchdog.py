"""The watchdog of DOG on counted tables: what mapping (9) leaks exactly, what was printed, and the funnel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.errors import UsageError
from liftgate.exact import SHARE_TOTAL, fraction, whole_shares
from liftgate.joint import Joint
from liftgate.labels import joined_label

Floats = NDArray[np.float64]


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


@dataclass(frozen=True)
class FunnelPoint:
    """The watchdog at one eps: the mass within, what is kept (NMI), what is told (nats), and the leak."""

    eps: float
    within: float
    utility: float
    information: float
    gamma: float
    printed: float | None
    optimum: float | None = None


def funnel(joint: Joint, epsilons: Sequence[float | str], optimum: bool = False) -> tuple[FunnelPoint, ...]:
    """Utility against leakage over eps (DOG section III-B): eq. (11) exactly, as a share of H(X).

    ``utility = (H_within - q log q) / H(X)``, where ``H_within = - sum P(x) log P(x)`` over the values within is no
    entropy of X given X_eps, as printed (erratum E25), and keeps growing with eps (erratum E24). With ``optimum`` the
    best release whose leak is at most the watchdog's is searched beside it.
    """
    joint = joint.drop_empty()
    points = []
    for eps in epsilons:
        budget = Budget.lip(eps)
        flagged = flagged_values(joint, budget)
        leak = leakage(joint, flagged)
        share = joint.public_share
        p_in, out = share[~flagged], float(share[flagged].sum())
        h_x = -float((share * np.log(share)).sum())
        kept = -float((p_in * np.log(p_in)).sum()) - (out * math.log(out) if out > 0 else 0.0)
        after = joint.through(mapping(joint, flagged))
        best = _optimum(joint, leak) if optimum else None
        points.append(
            FunnelPoint(
                eps=float(fraction(eps, "eps")),
                within=float(p_in.sum()),
                utility=1.0 if h_x == 0 else kept / h_x,
                information=information(after),
                gamma=leak.gamma,
                printed=gamma_as_printed(float(fraction(eps, "eps")), float(p_in.sum())),
                optimum=best,
            )
        )
    return tuple(points)


@dataclass(frozen=True)
class RowPoint:
    """The watchdog at one eps on estimated log-lifts of rows: ``kept`` and ``told`` are estimates as these are.

    ``within``, ``pooled`` and ``lost`` are the three blocks of H(X), as shares of it: what the rows within keep, what
    being flagged still tells apart, and what is lost inside the flagged rows (DOG 11); ``utility`` is the first two.
    """

    eps: float
    within: float
    kept: float
    pooled: float
    information: float
    gamma: float
    printed: float | None

    @property
    def utility(self) -> float:
        """I(X;Y) / H(X)."""
        return self.kept + self.pooled

    @property
    def lost(self) -> float:
        """H(X|Y) / H(X)."""
        return 1.0 - self.utility


def funnel_of_rows(log_lift: Floats, prior: Floats, epsilons: Sequence[float]) -> tuple[RowPoint, ...]:
    """Utility (11) and leakage of mapping (9) over eps on rows that weigh the same, whose posteriors are estimated.

    The law is ``P(x) = 1 / n`` and ``P(s | x) = P(s) e^i(s, x)``; its own P(s) is used, so that gamma is exact for it.

    >>> i = np.log(np.array([[1.5, 0.5], [0.5, 1.5]]))
    >>> [(p.within, p.utility, p.gamma) for p in funnel_of_rows(i, np.array([0.5, 0.5]), [0.1])]
    [(0.0, 0.0, 0.0)]
    """
    joint = np.exp(log_lift) * prior / len(log_lift)
    own = joint.sum(axis=0)
    log_lifts = np.log(joint * len(log_lift) / own)
    size = np.abs(log_lifts).max(axis=1)
    told = (joint * log_lifts).sum(axis=1)
    points = []
    for eps in epsilons:
        inside = size <= eps
        out = float((~inside).mean())
        pooled = joint[~inside].sum(axis=0)
        merged = np.log(pooled / out / own) if out else np.zeros(own.size)
        points.append(
            RowPoint(
                eps=float(eps),
                within=1.0 - out,
                kept=1.0 - out,
                pooled=float(-out * math.log(out) / math.log(len(log_lift))) if out else 0.0,
                information=float(told[inside].sum() + (pooled * merged).sum()),
                gamma=float(max(size[inside].max(initial=0.0), np.abs(merged).max())),
                printed=gamma_as_printed(float(eps), 1.0 - out),
            )
        )
    return tuple(points)


def information(joint: Joint) -> float:
    """I(S; X) in nats."""
    lift = joint.lift
    mass = joint.counts / joint.total
    seen = mass > 0
    return float((mass[seen] * np.log(lift[seen])).sum())


MOST_FOR_OPTIMUM = 60


def _optimum(joint: Joint, leak: Leak) -> float:
    """The NMI of the best release whose lifts stay between the watchdog's own extremes."""
    from liftgate.mechanisms import MECHANISMS, utility

    if len(joint.public) > MOST_FOR_OPTIMUM:
        what = f"{len(joint.public)} public values"
        raise UsageError("optimum", what, f"compare with the optimum up to {MOST_FOR_OPTIMUM} values, or leave it out")
    budget = Budget.between(min(leak.least, Fraction(1)), max(leak.most, Fraction(1)))
    design = MECHANISMS["optimal"](joint, budget, seconds=20.0)
    return utility(joint, design.channel)
