"""The search for any budget: polyhedral ones at once, convex ones between inner chords and outer tangents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.mechanisms._solver.columns import Clock
from liftgate.mechanisms._solver.convex import breakpoints, chords, tangents
from liftgate.mechanisms._solver.generate import Found, generate
from liftgate.mechanisms._solver.polytope import Limits, build

Floats = NDArray[np.float64]
FIRST = 12  # points of tangency of each lift at the start
ROUNDS = 40
CLOSEST = 3e-7  # chord and tangent differ by about the square of this


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A mixture of allowed posteriors, its H(X|Y), a lower bound of the least one with its prices, and the tangents.

    ``points[s]`` are the points of tangency of lift s; empty for polyhedral budgets.
    """

    posteriors: Floats
    weights: Floats
    cost: float
    bound: float
    prices: Floats
    low: float
    nodes: int
    points: tuple[Floats, ...] = ()


def outcome(
    lift: Floats,
    sensitive: Floats,
    public: Floats,
    limits: Limits,
    gap: float,
    clock: Clock,
    known: Floats | None = None,
) -> Outcome:
    """The least H(X|Y), to ``gap`` nats where the clock allows it (LIFT section 4.2; for convex budgets section 6.2).

    If phi_out <= phi <= phi_in are piecewise linear, the least cost over the inner polytope is reached inside the
    budget, and the least cost over the outer one bounds it. Both become exact at the lifts of the columns in use, so
    these are added as breakpoints until the two agree.
    """
    if not limits.convex:
        found = generate(build(lift, sensitive, public, limits), public, gap, clock, known)
        return _plain(found)
    m = len(sensitive)
    mean = lift @ public
    points = [np.append(_first(limits, float(sensitive[s])), mean[s]) for s in range(m)]
    best: Found | None = None
    bound, prices, low, nodes = 0.0, np.zeros(len(public)), 0.0, 0
    aim = max(gap / 4, 1e-3)
    last = np.inf
    for _ in range(ROUNDS):
        inner = build(
            lift, sensitive, public, limits, [chords(limits.convex, sensitive[s], points[s]) for s in range(m)]
        )
        feasible = best.columns if best is not None else known
        found = generate(inner, public, aim, _part(clock, 0.5), _inside(feasible, limits, lift, sensitive))
        if best is None or bound - 1e-9 < found.cost < best.cost:  # below the bound: carried off by drift
            best = found
        clock.best = min(clock.best, best.cost)
        outer = build(
            lift, sensitive, public, limits, [tangents(limits.convex, sensitive[s], points[s]) for s in range(m)]
        )
        above = generate(outer, public, aim, _part(clock, 1.0), best.posteriors)
        nodes += found.nodes + above.nodes
        if above.bound > bound:
            bound, prices, low = above.bound, above.prices, above.low
        clock.bound = max(clock.bound, bound)
        clock.tell()
        left = best.cost - bound
        if left <= gap or clock.stopped or (left > 0.99 * last and aim <= gap / 4):
            break
        last = left
        seen = np.concatenate([best.posteriors[best.weights > 1e-9], above.posteriors[above.weights > 1e-9]]) @ lift.T
        points = [_joined(points[s], seen[:, s]) for s in range(m)]
        aim = max(gap / 4, min(aim / 4, left / 10))
    assert best is not None
    return Outcome(best.posteriors, best.weights, best.cost, min(bound, best.cost), prices, low, nodes, tuple(points))


def _plain(found: Found) -> Outcome:
    return Outcome(found.posteriors, found.weights, found.cost, found.bound, found.prices, found.low, found.nodes)


def _part(clock: Clock, share: float) -> Clock:
    """A clock for a piece of the search; cancelling reaches it, reports stay with the whole."""

    def report(_found: float, _bound: float) -> bool:
        clock.tell()
        return not clock.cancelled

    return Clock(max(share * clock.left, 0.02), report)


def _first(limits: Limits, prior: float) -> Floats:
    """The first points of tangency of one lift, for all budgets together."""
    ranges = [b.range(prior) for b in limits.convex]
    low, top = max(r[0] for r in ranges), min(r[1] for r in ranges)
    return np.unique(np.concatenate([breakpoints(b, low, top, FIRST) for b in limits.convex]))


def _joined(points: Floats, more: Floats) -> Floats:
    """All points, without those closer than CLOSEST to another."""
    every = np.unique(np.concatenate([points, more]))
    return np.asarray(every[np.append(True, np.diff(every) > CLOSEST)])


def _inside(columns: Floats | None, limits: Limits, lift: Floats, sensitive: Floats) -> Floats | None:
    """Known posteriors that keep every convex budget."""
    if columns is None or not len(columns):
        return None
    lifts = columns @ lift.T
    keep = np.ones(len(columns), dtype=np.bool_)
    for b in limits.convex:
        keep &= b.phi(lifts) @ sensitive <= b.limit
    return columns[keep] if keep.any() else None
