"""A joint and a budget as the response search reads them: equal columns joined, bounds in floats, and the way back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.errors import BudgetError
from liftgate.joint import Joint
from liftgate.mechanisms._solver.convex import Convex
from liftgate.mechanisms._solver.polytope import Limits

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Grouped:
    """Public values with the same lifts are one group: telling them apart costs nothing and keeps the optimum.

    ``h_x`` is H(X) of the table itself; H(X|Y) of the groups equals that of the values after :meth:`spread`.
    """

    groups: tuple[tuple[int, ...], ...]
    lift: Floats
    sensitive: Floats
    public: Floats
    share: Floats
    h_x: float

    @classmethod
    def of(cls, joint: Joint) -> Grouped:
        """Group the columns that are multiples of each other, exactly."""
        found: dict[tuple[int, ...], list[int]] = {}
        for x, column in enumerate(joint.counts.T.tolist()):
            common = math.gcd(*column)
            found.setdefault(tuple(c // common for c in column), []).append(x)
        groups = tuple(tuple(members) for members in found.values())
        joined = np.stack([joint.counts[:, list(g)].sum(axis=1) for g in groups], axis=1)
        table = Joint(joined, joint.sensitive, tuple(range(len(groups))))
        share = np.array(joint.public_share)
        return cls(
            groups,
            np.array(table.lift),
            np.array(table.prior),
            np.array(table.public_share),
            share,
            math.fsum((-share * np.log(share)).tolist()),
        )

    def gathered(self, posterior: Floats) -> Floats:
        """A posterior of values as one of groups."""
        return np.array([posterior[list(g)].sum() for g in self.groups])

    def spread(self, posteriors: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Posteriors of groups as posteriors of values with the same entropy and the same mean.

        Every group walks through its members by their shares at the same pace, so that each posterior becomes a few,
        in which one member stands for its whole group.
        """
        if len(self.groups) == len(self.share):
            order = [g[0] for g in self.groups]
            out = np.zeros_like(posteriors)
            out[:, order] = posteriors
            return out, weights
        ends = [np.cumsum(self.share[list(g)]) / self.share[list(g)].sum() for g in self.groups]
        for e in ends:
            e[-1] = 1.0
        points: list[Floats] = []
        parts: list[float] = []
        for v, weight in zip(posteriors, weights, strict=True):
            support = np.flatnonzero(v > 0)
            stops = np.unique(np.concatenate([ends[z] for z in support]))
            stops = stops[np.append(np.diff(stops) > 1e-12, True)]
            before = 0.0
            for stop in stops.tolist():
                middle = (before + stop) / 2
                point = np.zeros(len(self.share))
                for z in support:
                    point[self.groups[z][int(np.searchsorted(ends[z], middle))]] = v[z]
                points.append(point)
                parts.append(float(weight) * (stop - before))
                before = stop
        return np.array(points), np.array(parts)


def limits_of(budget: Budget, inside: float = 0.0) -> Limits:
    """The budget in floats, moved towards silence by the share ``inside``: the lifts 1 + (1 - inside) (l - 1).

    A bound C on a convex mean becomes (1 - inside) C + inside phi(1), by convexity.
    """

    def aimed(bound: float, silent: float) -> float:
        return bound + inside * (silent - bound)

    up = math.inf if budget.up is None else float(budget.up)
    if budget.kind == "alip":
        assert budget.low is not None
        return Limits(low=aimed(float(budget.low), 1.0), up=aimed(up, 1.0))
    if budget.kind == "ldp":
        return Limits(ratio=aimed(up, 1.0))
    if budget.kind in ("l1", "chi2"):
        refuse_inverse(budget)
        return Limits(convex=(Convex(budget.kind, aimed(up, 0.0)),))
    assert budget.order is not None
    order = float(budget.order)
    parts = []
    if budget.up is not None:
        parts.append(Convex("alpha", aimed(_power(up, order), 1.0), order))
    if budget.low is not None:
        parts.append(Convex("alpha-inverse", aimed(_power(float(budget.low), order), 1.0), order))
    return Limits(convex=tuple(parts))


def _power(bound: float, order: float) -> float:
    return math.exp(min(order * math.log(bound), 600.0))


def refuse_inverse(budget: Budget) -> None:
    """l1- and chi2-lift-inverse have no optimal response that could be proven (LIFT Def. 6, E3)."""
    if budget.kind in ("l1", "chi2") and budget.low is not None:
        raise BudgetError(
            f"budget {budget.text}",
            f"{budget.kind}-lift-inverse is not convex: the mean of two allowed releases can break it, "
            "so no optimum can be certified",
            "use a merging mechanism (merge-best), or bound the low side with alpha-lift-inverse or alip",
        )


def is_silent(budget: Budget) -> bool:
    """Whether only lifts of exactly 1 keep the budget."""
    if budget.kind == "alip":
        return budget.low == 1 or budget.up == 1
    silent = 0 if budget.kind in ("l1", "chi2") else 1
    return silent in (budget.up, budget.low)
