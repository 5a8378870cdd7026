"""merge-all: the watchdog with complete merging, repaired."""

from __future__ import annotations

import numpy as np

from liftgate.budget import Budget
from liftgate.joint import Joint
from liftgate.mechanisms.blocks import block_channel, repaired, risky
from liftgate.mechanisms.design import Design, Progress, mechanism


@mechanism
def merge_all(
    joint: Joint, budget: Budget, *, gap: float = 1e-6, seconds: float = 60.0, progress: Progress | None = None
) -> Design:
    """All risky values are released as one value, everything else as it is (LIFT section 3.1, eq. 7).

    Erratum E5: as printed the merged block can still break the budget; low-risk values are merged in
    until it does not. ``gap``, ``seconds`` and ``progress`` are accepted and not needed.

    >>> j = Joint.from_counts([[9, 1, 5, 5], [1, 9, 5, 5]], public=["a", "b", "c", "d"])
    >>> merge_all(j, Budget.lip("0.1")).channel.released
    ('a · b', 'c', 'd')
    """
    high = risky(joint, budget)
    block = np.where(high, 0, np.arange(1, high.size + 1)).astype(np.int64)
    fixed = repaired(joint, budget, block)
    before = np.unique(block).size
    notes = (
        ()
        if np.unique(fixed).size == before
        else ("the block of all risky values broke the budget: low-risk values were merged in",)
    )
    return Design(block_channel(joint, fixed), notes=notes)
