"""Blocks of public values: what a merging mechanism searches over, decided in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.exact import sum_whole
from liftgate.joint import Joint

KIND_CODE = {"alip": 0, "ldp": 1, "l1": 2, "chi2": 3, "alpha": 4}
RISKS = ("sum", "max", "ratio", "budget")


@dataclass(frozen=True, eq=False)
class Problem:
    """A joint and a budget in the form that the compiled loops read."""

    kind: int
    order: float
    limit_up: float
    limit_low: float
    masses: NDArray[np.float64]
    shares: NDArray[np.float64]
    prior: NDArray[np.float64]

    @classmethod
    def of(cls, joint: Joint, budget: Budget) -> Problem:
        """``masses[x, s] = P(s, x)``; the limits bound a block's two numbers, infinite where a side is free."""
        total = joint.total
        masses = np.array([[int(v) / total for v in row] for row in joint.counts.T], dtype=np.float64)
        up = np.inf if budget.up is None else float(budget.up)
        low = np.inf if not budget.low else float(1 / budget.low if budget.kind == "alip" else budget.low)
        if budget.kind in ("l1", "chi2", "alpha") and budget.low is not None:
            low = float(budget.low)
        order = float(budget.order) if budget.order is not None else 1.0
        return cls(KIND_CODE[budget.kind], order, up, low, masses, masses.sum(axis=1), np.array(joint.prior))

    @property
    def limits(self) -> tuple[int, float, float, float]:
        """What every compiled loop takes first."""
        return self.kind, self.order, self.limit_up, self.limit_low


def block_channel(joint: Joint, block_of: NDArray[np.int64]) -> Channel:
    """The merge of public values with equal block numbers, in the order of their first members."""
    groups: dict[int, list[int]] = {}
    for x, b in enumerate(block_of.tolist()):
        groups.setdefault(b, []).append(x)
    return Channel.merge(joint.public, [[joint.public[x] for x in members] for members in groups.values()])


def repaired(joint: Joint, budget: Budget, block_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Blocks that all keep the budget in whole numbers: one that does not takes in others until it does.

    Preferred is the partner that makes the block fit at the least loss of information, else the one
    that brings it closest; everything in one block always fits, because its lifts are exactly 1.
    """
    from liftgate.mechanisms.kernels import loads

    problem = Problem.of(joint, budget)
    _, block = np.unique(block_of, return_inverse=True)
    block = block.astype(np.int64)
    counts = np.zeros((len(joint.sensitive), int(block.max()) + 1), dtype=joint.counts.dtype)
    np.add.at(counts.T, block, joint.counts.T)
    keeps = budget.holds(_merged(joint, counts)).tolist()
    alive = [True] * len(keeps)
    masses = np.zeros((len(keeps), len(joint.sensitive)))
    np.add.at(masses, block, problem.masses)
    shares = masses.sum(axis=1)
    while True:
        broken = [g for g, ok in enumerate(keeps) if alive[g] and not ok]
        if not broken:
            return block
        g = max(broken, key=lambda b: shares[b])
        others = np.array([h for h, there in enumerate(alive) if there and h != g], dtype=np.int64)
        full = loads(*problem.limits, masses[others] + masses[g], shares[others] + shares[g], problem.prior)
        for h in _by_preference(full, shares[others], float(shares[g])):
            partner = int(others[h])
            if full[h] > 1 + 1e-9 or bool(
                budget.holds(_merged(joint, (counts[:, g] + counts[:, partner])[:, None], joint))[0]
            ):
                break
        counts[:, partner] += counts[:, g]
        masses[partner] += masses[g]
        shares[partner] += shares[g]
        alive[g] = False
        block[block == g] = partner
        keeps[partner] = bool(budget.holds(_merged(joint, counts[:, [partner]], joint))[0])


def _by_preference(full: NDArray[np.float64], shares: NDArray[np.float64], share: float) -> list[int]:
    """Partners that fit, least lost information first; then the others, least overfull first."""
    together = shares + share
    lost = together * np.log(together) - shares * np.log(shares) - share * np.log(share)
    fits = full <= 1 + 1e-9
    return sorted(range(full.size), key=lambda h: (not fits[h], lost[h] if fits[h] else full[h]))


def _merged(joint: Joint, counts: NDArray[np.int64], margins_of: Joint | None = None) -> Joint:
    """Columns of counts as a joint; with ``margins_of`` the rest of the table follows as one more column."""
    if margins_of is None:
        return Joint(counts, joint.sensitive, tuple(range(counts.shape[1])))
    rest = margins_of.sensitive_counts - counts.sum(axis=1)
    if sum_whole(rest) == 0:
        return Joint(counts, joint.sensitive, tuple(range(counts.shape[1])))
    return Joint(np.column_stack([counts, rest]), joint.sensitive, tuple(range(counts.shape[1] + 1)))


def risky(joint: Joint, budget: Budget) -> NDArray[np.bool_]:
    """Which public values break the budget as they are: X_H of LIFT (5), decided exactly."""
    return ~budget.holds(joint)


def members(block_of: Sequence[int] | NDArray[np.int64]) -> list[list[int]]:
    """Positions in each block."""
    groups: dict[int, list[int]] = {}
    for x, b in enumerate(np.asarray(block_of).tolist()):
        groups.setdefault(b, []).append(x)
    return list(groups.values())
