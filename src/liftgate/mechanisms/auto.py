"""auto: the strongest mechanism that the size of the table allows, and why, in one sentence."""

from __future__ import annotations

from dataclasses import replace

from liftgate.budget import Budget
from liftgate.joint import Joint
from liftgate.mechanisms.design import Design, Progress

PARTITIONS_UP_TO = 5_000
INVERSE_LOOSE = ("l1", "chi2")


def choose(joint: Joint, budget: Budget) -> tuple[str, str]:
    """The mechanism for this size and budget, and the reason in one sentence.

    >>> j = Joint.from_counts([[9, 1], [1, 9]])
    >>> choose(j, Budget.lip(1))
    ('optimal', '2 values are few enough to look for a proof that no other release keeps more')
    """
    values, classes = len(joint.public), len(joint.sensitive)
    size = f"{values:,} values"
    if budget.kind in INVERSE_LOOSE and budget.low is not None:
        reason = f"a {budget.kind} bound on lift-inverse is not convex, so no optimum can be certified"
        return _merging(values, reason)
    if budget.kind in ("alip", "ldp"):
        if values <= 100 and classes <= 10:
            return "optimal", f"{size} are few enough to look for a proof that no other release keeps more"
        if (values <= 1000 and classes <= 5) or (values <= 200 and classes <= 15):
            return "optimal", f"{size} can be searched within the time limit; the gap that is left is told"
    elif values <= 20 and classes <= 10:
        return "optimal", f"{size} are few enough to look for a proof that no other release keeps more"
    return _merging(values, f"{size} x {classes:,} sensitive values are too many for the optimal response")


def _merging(values: int, reason: str) -> tuple[str, str]:
    if values <= PARTITIONS_UP_TO:
        return "merge-best", f"{reason}; the best partition is searched instead"
    return "merge-subsets", f"{reason}; merging takes time proportional to the number of values"


def auto(
    joint: Joint, budget: Budget, *, gap: float = 1e-6, seconds: float = 60.0, progress: Progress | None = None
) -> Design:
    """What ``choose`` names, with the reason as its first note."""
    from liftgate.mechanisms import MECHANISMS

    name, reason = choose(joint, budget)
    design = MECHANISMS[name](joint, budget, gap=gap, seconds=seconds, progress=progress)
    return replace(design, notes=(f"{name}: {reason}", *design.notes))
