"""merge-best: the best partition, exactly up to 16 values and the best found above."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.joint import Joint
from liftgate.mechanisms.blocks import RISKS, Problem, block_channel, repaired
from liftgate.mechanisms.design import Design, Progress, mechanism, utility
from liftgate.mechanisms.merge_subsets import subset_blocks

EXACT_UP_TO = 16
_SCHEDULES = ((0.02, 1e-5, 2.0), (0.005, 1e-5, 5.0), (0.05, 1e-4, 1.0))


@mechanism
def merge_best(
    joint: Joint,
    budget: Budget,
    *,
    gap: float = 1e-6,
    seconds: float = 60.0,
    progress: Progress | None = None,
    seed: int = 0,
) -> Design:
    """The deterministic release that keeps most: the partition of all values with the largest H(Y) inside the budget.

    Up to 16 values a dynamic programme over all subsets (exact); above, annealing from the best of
    Algorithm 1, never below it (best found). Low-risk values may be merged too.

    >>> j = Joint.from_counts([[9, 1, 8, 2], [1, 9, 2, 8]], public=["a", "b", "c", "d"])
    >>> merge_best(j, Budget.lip("0.1")).notes
    ('best of all partitions (exact)',)
    """
    if len(joint.public) <= EXACT_UP_TO:
        return Design(block_channel(joint, _exact(joint, budget)), notes=("best of all partitions (exact)",))
    return Design(
        block_channel(joint, _annealed(joint, budget, seconds, progress, seed)), notes=("best partition found",)
    )


def _exact(joint: Joint, budget: Budget) -> NDArray[np.int64]:
    from liftgate.mechanisms.kernels import best_partition, loads

    problem = Problem.of(joint, budget)
    n = len(joint.public)
    masses = np.zeros((1 << n, len(joint.sensitive)))
    for x in range(n):
        masses[1 << x : 2 << x] = masses[: 1 << x] + problem.masses[x]
    shares = masses.sum(axis=1)
    shares[0] = 1.0
    full = loads(*problem.limits, masses, shares, problem.prior)
    allowed = full <= 1
    close = np.flatnonzero(np.abs(full - 1) < 1e-9)
    close = close[close > 0]
    if close.size:
        allowed[close] = _decided(joint, budget, close)
    allowed[0] = False
    allowed[-1] = True
    return np.asarray(best_partition(n, shares, allowed), dtype=np.int64)


def _decided(joint: Joint, budget: Budget, masks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which subsets (bit masks) keep the budget, in whole numbers."""
    out = np.empty(masks.size, dtype=np.bool_)
    bits = (masks[:, None] >> np.arange(len(joint.public)) & 1).astype(np.int64)
    for i, row in enumerate(bits):
        two = Joint(np.stack([joint.counts @ row, joint.counts @ (1 - row)], axis=1), joint.sensitive, (0, 1))
        out[i] = budget.holds(two)[0]
    return out


def _annealed(joint: Joint, budget: Budget, seconds: float, progress: Progress | None, seed: int) -> NDArray[np.int64]:
    from liftgate.mechanisms.kernels import anneal

    begin = time.monotonic()
    problem = Problem.of(joint, budget)
    n = len(joint.public)
    best, kept = np.zeros(n, dtype=np.int64), -1.0
    for metric in RISKS:
        block = repaired(joint, budget, subset_blocks(joint, budget, metric, seed))
        value = utility(joint, block_channel(joint, block))
        if value > kept:
            best, kept = block, value
    steps = 20_000
    round_number = 0
    while True:
        hot, cold, weight = _SCHEDULES[round_number % len(_SCHEDULES)]
        started = time.monotonic()
        found, gain = anneal(
            *problem.limits,
            problem.masses,
            problem.shares,
            problem.prior,
            best,
            steps,
            hot,
            cold,
            weight,
            seed + round_number,
        )
        if np.isfinite(gain):
            block = repaired(joint, budget, found)
            value = utility(joint, block_channel(joint, block))
            if value > kept:
                best, kept = block, value
        if progress is not None and progress(kept, 1.0) is False:
            return best
        round_number += 1
        now = time.monotonic()
        per_step = (now - started) / steps
        budget_left = seconds - (now - begin)
        if round_number >= 3 * len(_SCHEDULES) or budget_left <= 0:
            return best
        steps = max(1, int(min(400_000, max(100_000, 400 * n), 0.5 * budget_left / max(per_step, 1e-9))))
