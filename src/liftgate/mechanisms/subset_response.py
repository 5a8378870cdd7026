"""subset-response: Algorithm 2, the response inside each block of Algorithm 1, as the baseline it is."""

from __future__ import annotations

import numpy as np

from liftgate.budget import Budget
from liftgate.joint import Joint
from liftgate.mechanisms.blocks import members, repaired
from liftgate.mechanisms.design import Design, Progress, mechanism, utility
from liftgate.mechanisms.grouped import is_silent, limits_of, refuse_inverse
from liftgate.mechanisms.merge_subsets import merge_subsets, subset_blocks
from liftgate.mechanisms.naming import named
from liftgate.mechanisms.response import rounded


@mechanism
def subset_response(
    joint: Joint,
    budget: Budget,
    *,
    gap: float = 1e-6,
    seconds: float = 60.0,
    progress: Progress | None = None,
    metric: str = "sum",
) -> Design:
    """The best response within each block of Algorithm 1, low-risk values as they are (LIFT Algorithm 2, SRR).

    Every block of a repaired Algorithm 1 keeps the budget as a whole, so its own mean is a feasible response; lines
    7-14 of Algorithm 2 can never run (E7). Nothing is mixed across blocks: ``optimal`` is never worse.

    >>> j = Joint.from_counts([[9, 1, 8, 2], [1, 9, 2, 8]], public=["a", "b", "c", "d"])
    >>> design = subset_response(j, Budget.lip("0.5"))
    >>> round(utility(j, design.channel), 2)
    0.63
    """
    refuse_inverse(budget)
    blocks = members(repaired(joint, budget, subset_blocks(joint, budget, metric)))
    merged = merge_subsets(joint, budget, metric=metric)
    if is_silent(budget):
        return merged
    from liftgate.mechanisms._solver import ready
    from liftgate.mechanisms._solver.columns import Clock
    from liftgate.mechanisms._solver.convexly import outcome

    ready()
    clock = Clock(0.97 * seconds, progress, 1.0)
    n = len(joint.public)
    lift, prior, share = np.array(joint.lift), np.array(joint.prior), np.array(joint.public_share)
    limits = limits_of(budget, min(1e-8, 1e-2 * gap))
    points, weights, late = [], [], 0
    for block in blocks:
        mass = float(share[block].sum())
        late += clock.stopped and len(block) > 1
        if len(block) == 1 or clock.stopped:
            wide = np.zeros((1, n))
            wide[0, block] = share[block] / mass
            points.append(wide)
            weights.append(np.array([mass]))
            continue
        found = outcome(lift[:, block], prior, share[block] / mass, limits, gap, Clock(0.2 * clock.left))
        wide = np.zeros((len(found.weights), n))
        wide[:, block] = found.posteriors
        points.append(wide)
        weights.append(found.weights * mass)
    channel, _ = rounded(joint, budget, np.vstack(points), np.concatenate(weights))
    if channel is None or utility(joint, channel) < utility(joint, merged.channel):
        note = "no rounded response kept the budget or more than merging: this is the release of merge-subsets"
        return Design(merged.channel, notes=(note,))
    notes = [f"responses inside {len(blocks)} blocks"]
    if late:
        notes.append(f"no time was left for {late} of them: they are merged")
    return Design(named(joint, channel), notes=tuple(notes))
