"""The privacy funnel of DOG section III-B: utility against leakage over eps, counted or on the scores of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.errors import UsageError
from liftgate.estimators.reading import RowTable
from liftgate.estimators.watchdog import Leak, flagged_values, gamma_as_printed, leakage, mapping
from liftgate.exact import fraction
from liftgate.joint import Joint

Floats = NDArray[np.float64]
MOST_FOR_OPTIMUM = 60
GRID = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.85, 1.0, 1.5, 2.0)


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


def _optimum(joint: Joint, leak: Leak) -> float:
    """The NMI of the best release whose lifts stay between the watchdog's own extremes."""
    from liftgate.mechanisms import MECHANISMS, utility

    if len(joint.public) > MOST_FOR_OPTIMUM:
        what = f"{len(joint.public)} public values"
        raise UsageError("optimum", what, f"compare with the optimum up to {MOST_FOR_OPTIMUM} values, or leave it out")
    budget = Budget.between(min(leak.least, Fraction(1)), max(leak.most, Fraction(1)))
    design = MECHANISMS["optimal"](joint, budget, seconds=20.0)
    return utility(joint, design.channel)


def counted_rows(table: RowTable) -> Joint | None:
    """The rows as a counted table where their public columns take at most 60 different values together, else None."""
    columns = []
    for column in table.sample.rows.columns:
        _, codes = np.unique(column.values, return_inverse=True, equal_nan=True)
        columns.append(codes.ravel())
    _, place = np.unique(np.stack(columns), axis=1, return_inverse=True)
    values = int(place.max()) + 1
    if values > MOST_FOR_OPTIMUM:
        return None
    counts = np.zeros((table.sample.classes, values), dtype=np.int64)
    np.add.at(counts, (table.sample.s, place.ravel()), 1)
    return Joint.from_counts(counts, sensitive=list(table.labels))


@dataclass(frozen=True)
class Funnel:
    """Utility against leakage over eps: on the scores of rows, and counted with the optimum where values are few."""

    rows: tuple[RowPoint, ...]
    counted: tuple[FunnelPoint, ...]

    def to_dict(self) -> dict[str, Any]:
        """Every point, for JSON."""
        return {
            "rows": [{**vars(p), "utility": p.utility} for p in self.rows],
            "counted": [dict(vars(p)) for p in self.counted],
        }


def funnel_view(table: RowTable, log_lift: Floats, prior: Floats) -> Funnel:
    """Both readings of the same rows."""
    joint = counted_rows(table)
    counted = () if joint is None else funnel(joint, [str(e) for e in GRID], optimum=True)
    return Funnel(funnel_of_rows(log_lift, prior, GRID), counted)
