"""merge-subsets: Algorithm 1, with the outer loop that its figures need, repaired."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.mechanisms.blocks import RISKS, Problem, block_channel, repaired, risky
from liftgate.mechanisms.design import Design, Progress, mechanism, utility

FULL_SCAN = 1000
CANDIDATES = 256


@mechanism
def merge_subsets(
    joint: Joint,
    budget: Budget,
    *,
    gap: float = 1e-6,
    seconds: float = 60.0,
    progress: Progress | None = None,
    metric: str = "best",
    seed: int = 0,
) -> Design:
    """Risky values are merged into as many blocks as fit the budget (LIFT Algorithm 1).

    ``metric`` is the risk omega that chooses partners, with a the number bounded from above and b the
    one bounded from below (ALIP: largest lift, 1 / smallest lift): ``sum`` a + b, ``max``, ``ratio``
    a b, ``budget`` the fuller side of the budget; ``best`` keeps the best of the four. Errata: E4
    (the printed omega = Lambda + Psi has the wrong sign in Psi), E6 (the printed outer loop stops
    before it starts; here it runs until no risky value is left), E5 (repair), E8 (for LDP the
    largest ratio is compared with e^eps, not with eps). Above 1,000 risky
    values each step looks at 256 random partners, which keeps the cost linear.

    >>> j = Joint.from_counts([[9, 1, 8, 2], [1, 9, 2, 8]], public=["a", "b", "c", "d"])
    >>> merge_subsets(j, Budget.lip("0.1")).channel.released
    ('a · b', 'c · d')
    """
    if metric not in (*RISKS, "best"):
        raise UsageError("merge-subsets, metric", f"{metric!r} is not known", f"use one of best, {', '.join(RISKS)}")
    best: tuple[float, Design] | None = None
    high = risky(joint, budget)
    for name in RISKS if metric == "best" else (metric,):
        block = subset_blocks(joint, budget, name, seed, high=high)
        fixed = repaired(joint, budget, block)
        repaired_note = (
            ("the last block broke the budget: other values were merged in",)
            if np.unique(fixed).size < np.unique(block).size
            else ()
        )
        design = Design(block_channel(joint, fixed), notes=(f"risk metric: {name}", *repaired_note))
        kept = utility(joint, design.channel)
        if best is None or kept > best[0] + 1e-15:
            best = (kept, design)
        if progress is not None and progress(best[0], 1.0) is False:
            break
    assert best is not None
    return best[1]


def subset_blocks(
    joint: Joint,
    budget: Budget,
    metric: str,
    seed: int = 0,
    candidates: int | None = None,
    high: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """Block numbers of Algorithm 1 before repair: low-risk values stay alone, risky ones are grouped."""
    from liftgate.mechanisms.kernels import subsets

    places = np.flatnonzero(risky(joint, budget) if high is None else high)
    block = np.arange(len(joint.public), dtype=np.int64)
    if places.size == 0:
        return block
    problem = Problem.of(joint, budget)
    if candidates is None:
        candidates = places.size if places.size <= FULL_SCAN else CANDIDATES
    found = subsets(
        *problem.limits,
        RISKS.index(metric),
        problem.masses[places],
        problem.shares[places],
        problem.prior,
        seed,
        candidates,
    )
    block[places] = len(joint.public) + found
    return block
