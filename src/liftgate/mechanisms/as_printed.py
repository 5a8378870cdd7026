"""The watchdog and Algorithm 1 exactly as printed: for the figures of the papers, never for a release."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.joint import Joint
from liftgate.mechanisms.blocks import block_channel, risky
from liftgate.mechanisms.merge_subsets import subset_blocks


def watchdog(joint: Joint, budget: Budget) -> Channel:
    """Complete merging of the risky values, unrepaired: the merged block may break the budget (LIFT eq. 7, E5).

    >>> j = Joint.from_counts([[9, 5], [1, 5]], public=["a", "b"])
    >>> Budget.lip("0.1").holds(j.through(watchdog(j, Budget.lip("0.1")))).tolist()
    [True]
    """
    high = risky(joint, budget)
    return block_channel(joint, np.where(high, 0, np.arange(1, high.size + 1)).astype(np.int64))


def subset_merging(joint: Joint, budget: Budget, metric: str = "sum") -> Channel:
    """Algorithm 1 with a working outer loop and no repair: the last block may break the budget (LIFT Algorithm 1)."""
    return block_channel(joint, subset_blocks(joint, budget, metric))


def literal_blocks(joint: Joint, budget: Budget, *, printed_omega: bool, printed_loop: bool) -> NDArray[np.int64]:
    """Algorithm 1 read to the letter, in fractions, with either of its two misprints switched on (E4, E6).

    ``printed_omega`` takes omega = Lambda + Psi, which prefers partners with *small* smallest lifts;
    ``printed_loop`` stops as soon as the remaining values pass as a whole, and leaves them in one block.
    """
    counts = [[int(v) for v in row] for row in joint.counts.T]
    prior = [Fraction(int(v), joint.total) for v in joint.sensitive_counts]

    def extremes(members: list[int]) -> tuple[Fraction, Fraction]:
        cells = [sum(counts[x][s] for x in members) for s in range(len(prior))]
        mass = sum(cells)
        lifts = [Fraction(c, mass) / p for c, p in zip(cells, prior, strict=True)]
        return max(lifts), min(lifts)

    def omega(members: list[int]) -> Fraction | float:
        top, bottom = extremes(members)
        if printed_omega:
            return top + bottom
        return top + 1 / bottom if bottom else float("inf")

    def breaks(members: list[int]) -> bool:
        top, bottom = extremes(members)
        return bool((budget.up is not None and top > budget.up) or (budget.low is not None and bottom < budget.low))

    left = np.flatnonzero(risky(joint, budget)).tolist()
    block = np.arange(len(joint.public), dtype=np.int64)
    number = len(joint.public)
    while left and (breaks(left) or not printed_loop):
        group = [max(left, key=lambda x: omega([x]))]
        left.remove(group[0])
        while breaks(group) and left:
            group.append(min(left, key=lambda x: omega([*group, x])))
            left.remove(group[-1])
        block[group] = number
        number += 1
    block[left] = number
    return block
