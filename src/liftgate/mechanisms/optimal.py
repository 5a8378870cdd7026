"""optimal: the response that keeps most inside the budget, with a certified gap."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.joint import Joint
from liftgate.mechanisms.design import Design, Progress, mechanism, utility
from liftgate.mechanisms.grouped import Grouped, is_silent, limits_of, refuse_inverse
from liftgate.mechanisms.merge_best import merge_best
from liftgate.mechanisms.merge_subsets import merge_subsets
from liftgate.mechanisms.naming import named
from liftgate.mechanisms.proof import Proof, can_be_proven, prove
from liftgate.mechanisms.response import rounded
from liftgate.mechanisms.subset_response import subset_response

if TYPE_CHECKING:
    from liftgate.mechanisms._solver.columns import Clock
    from liftgate.mechanisms._solver.convexly import Outcome

Floats = NDArray[np.float64]
PROVEN_UP_TO = 1000  # public x sensitive values


@mechanism
def optimal(
    joint: Joint, budget: Budget, *, gap: float = 1e-6, seconds: float = 60.0, progress: Progress | None = None
) -> Design:
    """The channel with the largest I(X;Y) inside the budget, by column generation (LIFT section 4.2, AORR; for LDP
    the optimal response with respect to S; LIFT section 6.2 for l1-, chi2- and alpha-lift, open there).

    Errata: E9 (for a fixed number of sensitive values there are only polynomially many vertices), E10 (LDP is decided
    value by value as well), E11 (l1-, chi2- and alpha-lift are convex).

    min sum_y P(y) H(v_y) over posteriors v_y the budget allows with mean P_X. ``search_bound`` is what the search
    believes; ``bound`` is proven in whole numbers, 1 where no better proof was found in time.

    >>> j = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    >>> design = optimal(j, Budget.between("3/4", "5/4"))
    >>> round(utility(j, design.channel), 4), round(float(design.bound), 4)
    (0.6588, 0.6588)
    """
    refuse_inverse(budget)
    if budget.holds(joint).all():
        return _unchanged(joint, budget, gap, seconds)
    if is_silent(budget):
        design = merge_best(joint, budget, gap=gap, seconds=seconds, progress=progress)
        note = "only lifts of exactly 1 are allowed: values can be merged, and no response is rounded into this budget"
        return replace(design, bound=Fraction(1), search_bound=1.0, notes=(note, *design.notes))
    return _searched(joint, budget, gap, seconds, progress)


@dataclass(frozen=True, eq=False)
class _Searched:
    """What the float search ended with: a mixture of groups, and lower bounds of H(X|Y) for the budget itself."""

    found: Outcome
    bound: float
    prices: Floats
    low: float


def _unchanged(joint: Joint, budget: Budget, gap: float, seconds: float) -> Design:
    """Nothing can keep more than everything: I(X;Y) <= H(X)."""
    channel, grouped = Channel.identity(joint.public), Grouped.of(joint)
    proof: Proof | str = "alpha-lift of an order that is not whole has no proof in whole numbers"
    if can_be_proven(budget):
        wide = tuple(np.array([1.0]) for _ in joint.sensitive)
        proof = prove(joint, budget, channel, grouped, np.zeros(len(grouped.groups)), wide, gap, seconds)
    note = "the table itself keeps the budget"
    return Design(channel, Fraction(1), 1.0, proof.to_dict() if isinstance(proof, Proof) else None, (note,))


def _searched(joint: Joint, budget: Budget, gap: float, seconds: float, progress: Progress | None) -> Design:
    from liftgate.mechanisms._solver import ready
    from liftgate.mechanisms._solver.columns import Clock

    ready()
    grouped = Grouped.of(joint)
    small = len(grouped.groups) * len(joint.sensitive) <= PROVEN_UP_TO and can_be_proven(budget)
    clock = Clock(0.97 * seconds, progress, grouped.h_x)
    busy = time.process_time()
    start, name = merge_subsets(joint, budget).channel, "merge-subsets"
    if not small or budget.kind in ("chi2", "alpha"):
        response = subset_response(joint, budget, gap=gap, seconds=0.1 * seconds).channel
        if utility(joint, response) > utility(joint, start):
            start, name = response, "subset-response"
    crowding = max(1.0, clock.spent / max(time.process_time() - busy, 1e-3))
    clock.seconds -= _rounding_time(joint) * crowding
    result = _search(grouped, budget, 0.1 * gap if small else 0.9 * gap, clock, start, joint)
    channel, moved = rounded(joint, budget, *grouped.spread(result.found.posteriors, result.found.weights))
    notes = []
    if moved > 1e-6:
        notes.append(f"rounding to whole shares needed up to {moved:.0e} of everyone in a released value")
    if channel is None or utility(joint, channel) < utility(joint, start):
        why = "no rounded response kept the budget" if channel is None else "it keeps more than the response found"
        notes.append(f"this is the release of {name}: {why}")
        channel = start
    kept = utility(joint, channel)
    search_bound = min(1.0, max(kept, 1.0 - result.bound / grouped.h_x))
    proof: Proof | str
    if search_bound - kept > gap:
        stop = "cancelled" if clock.cancelled else f"stopped after {clock.spent:.0f} s"
        notes.append(f"{stop}: at most {search_bound - kept:.1e} of H(X) below the best, as far as the search knows")
        proof = "the search did not close"
    elif not can_be_proven(budget):
        proof = "alpha-lift of an order that is not whole has no proof in whole numbers"
    elif not small:
        proof = f"{len(grouped.groups):,} x {len(joint.sensitive):,} values are too many"
    else:
        crowding = max(1.0, clock.spent / max(time.process_time() - busy, 1e-3))
        proof = prove(joint, budget, channel, grouped, result.prices, result.found.points, gap, clock.left, crowding)
    if isinstance(proof, Proof):
        return Design(named(joint, channel), proof.share, search_bound, proof.to_dict(), tuple(notes))
    notes.append(f"not proven in whole numbers: {proof}")
    return Design(named(joint, channel), Fraction(1), search_bound, None, tuple(notes))


def _rounding_time(joint: Joint) -> float:
    """Seconds of work that rounding and deciding the channel will take, measured on tables of up to 1,000 values."""
    n, m = len(joint.public), len(joint.sensitive)
    return 2e-7 * n * n + 2e-6 * n * m


def _search(grouped: Grouped, budget: Budget, gap: float, clock: Clock, start: Channel, joint: Joint) -> _Searched:
    """Column generation a little inside the budget; the bound is carried over to the budget itself."""
    from liftgate.mechanisms._solver.convexly import outcome

    inside = min(1e-9, 1e-2 * gap)
    limits = limits_of(budget, inside)
    flow = start.matrix * np.asarray(joint.public_share)[:, None]
    known = np.array([grouped.gathered(v) for v in (flow / flow.sum(axis=0)).T])
    target = gap * grouped.h_x - 2 * _carried(inside, len(grouped.groups))
    found = outcome(grouped.lift, grouped.sensitive, grouped.public, limits, max(target, 1e-13), clock, known)
    lost = _carried(inside, len(grouped.groups)) + inside * float(np.ptp(found.prices))
    return _Searched(found, found.bound - lost, found.prices, found.low - lost)


def _carried(inside: float, symbols: int) -> float:
    """Most that H(v) can differ from H of v moved by the share ``inside`` towards the mean (Fannes' inequality)."""
    return inside * math.log(max(symbols, 2)) - inside * math.log(inside) - (1 - inside) * math.log1p(-inside)
