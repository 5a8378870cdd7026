"""Column generation: the best mixture of allowed posteriors, with a lower bound of ``H(X|Y)`` at every moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.mechanisms._solver.columns import Clock, Columns
from liftgate.mechanisms._solver.master import Master, Mixture
from liftgate.mechanisms._solver.polytope import Polytope, part
from liftgate.mechanisms._solver.pricing import Walker, choose, prove

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
CHUNK = 64
CHUNKED_ABOVE = 160
SMALL = 60


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A mixture ``sum weights_k posteriors_k = P_X``, its ``H(X|Y)``, a lower bound of the least one, and its prices.

    ``bound = prices P_X + low`` with ``low <= min H(v) - prices v``; ``closed`` when the gap asked for was reached.
    """

    posteriors: Floats
    weights: Floats
    cost: float
    bound: float
    prices: Floats
    low: float
    closed: bool
    nodes: int
    failures: int
    columns: Floats


class Search:
    """One polytope, one prior: columns, master and bound; ``run`` may be called again after ``seed``."""

    def __init__(self, polytope: Polytope, prior: Floats, gap: float, clock: Clock) -> None:
        self.p = polytope
        self.prior = prior
        self.gap = gap  # in nats of H(X|Y)
        self.clock = clock
        self.columns = Columns(polytope.symbols, polytope.rows, polytope.low, polytope.high)
        self.master = Master(prior)
        self.walker = Walker(polytope)
        self.mixture: Mixture | None = None
        self.bound = 0.0
        self.prices = np.zeros(polytope.symbols)
        self.low = 0.0
        self.nodes = 0
        self.failures = 0
        self.caps: Floats | None = None
        self._given = 0
        self._gone = 0  # calls in which exact search gave nothing

    # ---- pieces --------------------------------------------------------------------------------

    def seed(self, points: Floats, bases: Whole | None) -> None:
        """Columns known beforehand."""
        self.columns.add(points, bases)

    def start(self) -> bool:
        """The constant release, and a vertex with the largest share of each symbol."""
        p = self.p
        self.columns.add(p.start[None, :], None)
        zero = np.zeros(p.symbols)
        points, bases, values = self.walker.walk(zero, p.start[None, :], p.basis[None, :], 0, 0, Clock(float("inf")))
        if not np.isfinite(values[0]):
            return False
        points, bases, whole = self.walker.extremes(points[0], bases[0], self.clock)
        self.columns.add(points, bases)
        if whole:
            self.caps = np.minimum(points[np.arange(p.symbols), np.arange(p.symbols)], 1.0)
        return True

    def solve(self) -> bool:
        """Solve the master over all columns; False when it did not finish."""
        c = self.columns
        if self._given < c.count:
            self.master.add(c.points[self._given : c.count, : c.symbols], c.costs[self._given : c.count])
            self._given = c.count
        mixture = self.master.solve(max(self.clock.left, 0.1))
        if mixture is None:
            return False
        self.mixture = mixture
        self.clock.best = min(self.clock.best, mixture.cost)
        self.clock.tell()
        return True

    @property
    def done(self) -> bool:
        """Whether the gap asked for is reached."""
        return self.mixture is not None and self.mixture.cost - self.bound <= self.gap

    def used(self) -> Whole:
        """Columns with weight that are vertices."""
        assert self.mixture is not None
        weights = self.mixture.weights
        return np.flatnonzero((weights > 1e-12) & self.columns.vertex[: len(weights)])

    def look(self, enough: float, patience: int = 8) -> None:
        """Walk until ``patience`` rounds of random kicks find no posterior worth more than ``enough``."""
        most = 2 * self.p.symbols + 50
        c = self.columns
        while not self.clock.stopped and self.solve():
            assert self.mixture is not None
            prices = self.mixture.prices
            used = self.used()
            if not len(used):
                used = np.flatnonzero(c.vertex[: c.count])
            new = 0
            for round_ in range(-2, patience):
                start, steps, kicks = used, 500, 4 + 2 * (round_ % 3)
                if round_ == -2:
                    steps, kicks = 2, 0
                elif round_ == -1:
                    kicks = 0
                elif round_ % 2:
                    gap = c.costs[: c.count] - c.points[: c.count, : c.symbols] @ prices
                    gap[~c.vertex[: c.count]] = np.inf
                    start = np.argsort(gap, kind="stable")[: 2 * len(used)]
                    start = start[np.isfinite(gap[start])]
                found = self.walker.walk(prices, c.points[start], c.bases[start], steps, kicks, self.clock)
                new += len(choose(c, found[2], found[0], found[1], -enough, most))
                if new >= max(3, len(used) // 20) or (new and round_ >= 0) or self.clock.stopped:
                    break
            if not new:
                return

    def exact(self, cut: float, record: float, most_nodes: float = np.inf, clamp: float = 0.4) -> tuple[bool, int]:
        """Prove ``H(v) - pi v >= cut`` for the current prices; whether it closed, and how many new columns it gave."""
        assert self.mixture is not None
        prices = self.mixture.prices
        used = self.used()
        k = int(used[np.argmax(self.mixture.weights[used])]) if len(used) else int(np.argmax(self.columns.vertex))
        priced = prove(
            self.p, prices, cut, self.columns.points[k], self.columns.bases[k], self.clock,
            record=record, most_nodes=most_nodes, clamp=clamp, caps=self.caps,
        )  # fmt: skip
        self.nodes += priced.nodes
        self.failures += priced.failures
        bound = float(prices @ self.prior) + priced.low
        if np.isfinite(bound) and bound > self.bound:
            self.bound, self.prices, self.low = bound, prices, priced.low
            self.clock.bound = bound
        new = 0
        if len(priced.values):
            found = self.walker.walk(prices, priced.points, priced.bases, 500, 0, self.clock)
            new = len(choose(self.columns, found[2], found[0], found[1], record, 4 * self.p.symbols))
        return priced.closed, new

    # ---- the whole search ----------------------------------------------------------------------

    def run(self, prove_it: bool = True) -> None:
        """Look, then prove; the ladder 1 %, 1e-4, target leaves a bound at any stop."""
        fine = 0.05 * self.gap
        patience = 2 if prove_it and self.p.symbols <= SMALL else 8  # where exact search costs less than more walks
        self.look(fine, patience)
        if not prove_it or self.mixture is None:
            return
        scale = float(-np.sum(self.prior * np.log(self.prior)))
        rung = 100_000.0
        while not self.clock.stopped and not self.done:
            frozen = self.clock.spent > 0.4 * self.clock.seconds and self.mixture.cost - self.bound > 0.01 * scale
            before = self.bound
            closed, new = False, 0
            if not frozen:
                closed, new = self.exact(-0.9 * self.gap, -fine, most_nodes=rung)
                if closed or new:
                    if new:
                        self.look(fine, patience)
                    elif not self.solve():
                        return
                    if closed and not new:
                        break
                    continue
            for share in (1e-2, 1e-4):
                cut = 0.9 * share * scale
                if cut <= self.gap or self.mixture.cost - self.bound <= 1.05 * cut or self.clock.stopped:
                    continue
                closed, found = self.exact(-cut, -fine)
                new += found
            if new:
                self.look(fine)
            rung *= 8 if not new else 1
            if self.clock.stopped:
                break
            if self.bound <= before and not new and not np.isfinite(rung):
                break  # a numerical stop: nothing found and no better bound
            if rung > 1e6:
                rung = np.inf

    def result(self) -> Found:
        """The best mixture and bound so far."""
        assert self.mixture is not None
        c = self.columns
        weights = self.mixture.weights
        keep = np.flatnonzero(weights > 1e-14)
        return Found(
            posteriors=c.points[keep, : c.symbols].copy(),
            weights=weights[keep] / weights[keep].sum(),
            cost=self.mixture.cost,
            bound=min(self.bound, self.mixture.cost),
            prices=self.prices,
            low=self.low,
            closed=self.done,
            nodes=self.nodes,
            failures=self.failures,
            columns=c.points[: c.count, : c.symbols],
        )


def generate(polytope: Polytope, prior: Floats, gap: float, clock: Clock, known: Floats | None = None) -> Found:
    """The least ``H(X|Y)`` over mixtures of posteriors in a polytope that average to the prior (LIFT section 4.2)."""
    search = Search(polytope, prior, gap, clock)
    if not search.start():
        raise ArithmeticError("the first basis is singular")
    if known is not None and len(known):
        wide = np.zeros((len(known), polytope.width))
        wide[:, : polytope.symbols] = known
        search.seed(wide, None)
    if polytope.symbols > CHUNKED_ABOVE:
        chunks(search)
    search.run()
    if search.mixture is None:
        search.clock = Clock(max(10.0 * clock.seconds, 1.0))  # one solve of what is there
        search.solve()
    return search.result()


def chunks(search: Search) -> None:
    """Columns of random groups of symbols, solved one by one without proof: valid for all symbols together."""
    p, clock = search.p, search.clock
    order = np.random.default_rng(1).permutation(p.symbols)
    start_point, start_basis = search.columns.points[1], search.columns.bases[1]
    for group in np.array_split(order, max(1, round(p.symbols / CHUNK))):
        if clock.spent > 0.3 * clock.seconds or clock.cancelled:
            return
        touched = np.append(np.flatnonzero(start_point[: p.symbols] > 0), start_basis[start_basis < p.symbols])
        chosen = np.union1d(group, touched)
        small = part(p, chosen)
        keep = np.concatenate([chosen, np.arange(p.symbols, p.width)])
        back = np.full(p.width, -1, dtype=np.int64)
        back[keep] = np.arange(len(keep))
        prior = search.prior[chosen] / search.prior[chosen].sum()
        inner = Search(small, prior, search.gap, Clock(max(clock.left, 0.1)))
        points, bases, _ = inner.walker.extremes(start_point[keep], back[start_basis], clock)
        inner.columns.add(points, bases)
        # artificial columns let the group's own mean break the budget while it is being solved
        units = np.zeros((len(chosen), small.width))
        units[:, : len(chosen)] = np.eye(len(chosen))
        artificial = inner.columns.add(units, None)
        inner.columns.costs[artificial] = 2.0 + 2.0 * np.log(len(chosen))
        inner.look(1e-4)
        if inner.mixture is None:
            continue
        used = inner.used()
        points = np.zeros((len(used), p.width))
        points[:, keep] = inner.columns.points[used]
        search.columns.add(points, keep[inner.columns.bases[used]])
