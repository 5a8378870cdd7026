"""Pricing: looking for posteriors below the current prices (walks), and proving that there are none (branch and bound)."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.mechanisms._solver.columns import Clock, Columns
from liftgate.mechanisms._solver.polytope import Polytope

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
SLICE = 0.03  # seconds of one call into a kernel
NODES = 2_000_000  # tableau cells that fit into about as much time


class Walker:
    """Vertex walks in slices short enough for a clock; every point has its own seed, so slices change nothing."""

    def __init__(self, polytope: Polytope) -> None:
        self._p = polytope
        self._seed = 0
        self._rate = 1000.0  # points a second

    def walk(
        self, prices: Floats, points: Floats, bases: Whole, steps: int, kicks: int, clock: Clock
    ) -> tuple[Floats, Whole, Floats]:
        """Walked copies of the points with their values (inf where a basis was singular or the clock stopped)."""
        from liftgate.mechanisms._solver import search

        p = self._p
        points, bases = points.copy(), bases.copy()
        values = np.full(len(points), np.inf)
        first = 0
        while first < len(points) and not clock.stopped:
            last = min(len(points), first + max(1, int(self._rate * SLICE)))
            start = time.perf_counter()
            search.walk(
                p.rows, p.low, p.high, p.symbols, prices, points, bases, values, first, last, steps, kicks, self._seed
            )
            took = time.perf_counter() - start
            self._rate = max(1.0, (last - first) / max(took, 1e-6))
            first = last
            clock.tell()
        self._seed += len(points)
        return points, bases, values

    def extremes(self, point: Floats, basis: Whole, clock: Clock) -> tuple[Floats, Whole, bool]:
        """A vertex with the largest ``v_x`` for each symbol, from one vertex; False when the clock stopped it."""
        from liftgate.mechanisms._solver import search

        p = self._p
        points = np.zeros((p.symbols, p.width))
        bases = np.zeros((p.symbols, len(p.rows)), dtype=np.int64)
        point, basis = point.copy(), basis.copy()
        first, batch = 0, 16
        while first < p.symbols:
            if clock.stopped:
                return points[:first], bases[:first], False
            last = min(p.symbols, first + batch)
            search.extremes(p.rows, p.low, p.high, p.symbols, point, basis, points, bases, first, last)
            first = last
        return points, bases, True


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """Outcome of one exact call: a proven lower bound of ``min H(v) - pi v`` and points found below the prices."""

    low: float
    closed: bool
    points: Floats
    bases: Whole
    values: Floats
    nodes: int
    failures: int


def prove(
    polytope: Polytope,
    prices: Floats,
    cut: float,
    point: Floats,
    basis: Whole,
    clock: Clock,
    *,
    record: float = -np.inf,
    enough: int = 40,
    most_nodes: float = np.inf,
    clamp: float = 0.4,
    rounds: int = 3,
    follow: bool = True,
    caps: Floats | None = None,
) -> Priced:
    """Branch and bound for ``H(v) - pi v >= cut``; stops at the clock, the node limit or after enough points below.

    ``record``: points below it are handed back; ``enough`` of them end the call when they are also below ``cut``.
    ``caps``: known upper bounds of the ``v_x``. ``clamp = 0`` with ``follow = False`` is the plain kernel.
    """
    from liftgate.mechanisms._solver import search

    p = polytope
    m, width = p.rows.shape[0], p.width
    slots = 32
    tableaus = np.zeros((slots, m, width + 1))
    xs = np.zeros((slots, width))
    heads = np.zeros((slots, m), dtype=np.int64)
    lows = np.zeros((slots, width))
    highs = np.zeros((slots, width))
    costs = np.zeros((slots, width + 1))
    bounds = np.full(slots, -np.inf)
    ages = np.zeros(slots, dtype=np.int64)
    xs[0], heads[0], lows[0], highs[0] = point, basis, p.low, p.high
    if caps is not None:
        highs[0, : p.symbols] = np.minimum(p.high[: p.symbols], caps + 1e-12)
    ages[0] = 10**6  # the kernel factors the first basis
    count = np.array([1, 0, 0, 0], dtype=np.int64)
    low = np.array([np.inf])
    found = 64
    fx = np.zeros((found, width))
    fh = np.zeros((found, m), dtype=np.int64)
    fv = np.zeros(found)
    kept: list[tuple[Floats, Whole, Floats]] = []
    below = 0
    rows_g = p.follow if follow else np.zeros((0, p.symbols))
    batch = max(20, NODES // p.rows.size)  # fixed by the size: the same search on every machine
    while True:
        code = search.branch(
            p.rows, rows_g, p.symbols, prices, cut, record, clamp, rounds, tableaus, xs, heads, lows, highs, costs,
            bounds, ages, count, low, fx, fh, fv, batch,
        )  # fmt: skip
        if count[2]:
            k = int(count[2])
            kept.append((fx[:k].copy(), fh[:k].copy(), fv[:k].copy()))
            below += int(np.sum(fv[:k] < cut))
            count[2] = 0
        clock.tell()
        if code == 0 or below >= enough or count[1] >= most_nodes or clock.stopped:
            break
        if code == 2:
            tableaus, xs, heads, lows, highs, costs, bounds, ages = (
                np.concatenate([a, np.zeros_like(a)]) for a in (tableaus, xs, heads, lows, highs, costs, bounds, ages)
            )
    still = int(count[0])
    proven = min(cut, float(low[0]), float(bounds[:still].min()) if still else np.inf)
    joined = kept or [(fx[:0], fh[:0], fv[:0])]
    points, bases, values = (np.concatenate([k[i] for k in joined]) for i in range(3))
    return Priced(
        low=proven,
        closed=still == 0 and proven >= cut,
        points=points,
        bases=bases,
        values=values,
        nodes=int(count[1]),
        failures=int(count[3]),
    )


def choose(columns: Columns, values: Floats, points: Floats, bases: Whole, below: float, most: int) -> Whole:
    """Add the best new points below a value to the columns; their places."""
    order = np.argsort(values, kind="stable")
    order = order[values[order] < below][:most]
    return columns.add(points[order], bases[order])
