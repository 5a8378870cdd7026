"""Least deltas and cuts against the maximum flow of OR-tools, exact where its whole numbers suffice."""

from __future__ import annotations

import random
from fractions import Fraction as F
from math import lcm

import numpy as np
import pytest

from liftgate.couplings import Law, Spans, profile
from liftgate.couplings.flows import least_delta

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("default")]


def flow(left: Law, right: Law, edges: np.ndarray, t: F) -> tuple[F, set[int]]:
    """Their least delta at t and the left side of their minimum cut; every capacity a whole number below 2^62."""
    from ortools.graph.python import max_flow

    n, m = len(left), len(right)
    unit = lcm(left.scale, right.scale * t.denominator)
    here = [w * (unit // left.scale) for w in left.weights]
    there = [w * t.numerator * (unit // (right.scale * t.denominator)) for w in right.weights]
    assert max(sum(here), sum(there)) < 2**62
    network = max_flow.SimpleMaxFlow()
    tails = np.concatenate([np.full(n, n + m), np.arange(n, n + m), edges[:, 0]]).astype(np.int32)
    heads = np.concatenate([np.arange(n), np.full(m, n + m + 1), edges[:, 1] + n]).astype(np.int32)
    wide = np.full(len(edges), sum(here) + 1, dtype=np.int64)
    network.add_arcs_with_capacity(
        tails, heads, np.concatenate([np.array(here, np.int64), np.array(there, np.int64), wide])
    )
    assert network.solve(n + m, n + m + 1) == network.OPTIMAL
    cut = {v for v in network.get_source_side_min_cut() if v < n}
    return F(sum(here) - network.optimal_flow(), unit), cut


def law(rng: random.Random, size: int, most: int) -> Law:
    """Whole weights with zeros."""
    weights = [rng.choice((0, 1, 1, 1)) * rng.randint(1, most) for _ in range(size)]
    weights[rng.randrange(size)] += 1
    return Law(tuple(range(size)), tuple(weights), sum(weights))


@pytest.mark.parametrize("seed", range(3))
def test_least_deltas_and_cuts_agree(seed: int) -> None:
    """300 random networks of up to 30 labels at corners and between: the same delta, and their cut needs all of it."""
    rng = random.Random(seed)
    for _ in range(100):
        n, m = rng.randint(1, 30), rng.randint(1, 30)
        left, right = law(rng, n, 50), law(rng, m, 50)
        edges = np.array(sorted({(rng.randrange(n), rng.randrange(m)) for _ in range(rng.randint(1, 3 * n))}))
        p = profile(left, right, edges)
        corners = [a / b for a, b in p.blocks if b and a >= b]
        for t in (F(1), 1 + F(rng.randint(1, 30), rng.randint(1, 9)), *corners[:4]):
            delta, cut = flow(left, right, edges, t)
            assert delta == p.delta(exp_eps=t) == least_delta(left, right, t, edges)
            image = {int(b) for a, b in edges if int(a) in cut}
            assert sum((left.mass(a) for a in cut), F(0)) - t * sum((right.mass(b) for b in image), F(0)) == delta


@pytest.mark.parametrize(("size", "degree"), [(3000, 3), (3000, 8), (30_000, 3)])
def test_large_critical_networks_agree(size: int, degree: int) -> None:
    """Balanced masses and few random partners, 9,000 to 90,000 edges, in compiled int64."""
    rng = np.random.default_rng(size + degree)
    weights = rng.integers(1, 1000, size)
    left, right = (
        Law(tuple(range(size)), tuple(w.tolist()), int(weights.sum())) for w in (weights, rng.permutation(weights))
    )
    edges = np.unique(
        np.stack([np.repeat(np.arange(size), degree), rng.integers(0, size, size * degree)], axis=1), axis=0
    )
    p = profile(left, right, edges)
    for t in (F(1), F(3, 2), F(4)):
        assert flow(left, right, edges, t)[0] == p.delta(exp_eps=t) == least_delta(left, right, t, edges)


def test_intervals_agree() -> None:
    """Spans are answered by the greedy sweep; their flow gets every edge listed."""
    rng = random.Random(5)
    for _ in range(60):
        n, m = rng.randint(1, 25), rng.randint(1, 25)
        left, right = law(rng, n, 9), law(rng, m, 9)
        starts = [rng.randint(0, m - 1) for _ in range(n)]
        stops = [min(m, s + rng.randint(1, 6)) for s in starts]
        edges = np.array([(i, j) for i in range(n) for j in range(starts[i], stops[i])])
        p = profile(left, right, Spans(starts, stops))
        for t in (F(1), F(7, 5), F(3)):
            assert flow(left, right, edges, t)[0] == p.delta(exp_eps=t)


def test_they_say_where_their_numbers_end_and_ours_go_on() -> None:
    """Beyond int64 OR-tools refuses; the answer here is settled by a coupling and a set that meet."""
    from ortools.graph.python import max_flow

    network = max_flow.SimpleMaxFlow()
    for arc in ((0, 1), (0, 2), (1, 3), (2, 3)):
        network.add_arc_with_capacity(*arc, 2**62)
    assert network.solve(0, 3) == network.POSSIBLE_OVERFLOW
    hair = F(1, 2**80)
    p = profile([F(1, 2) + hair, F(1, 2) - hair], [F(1, 2), F(1, 2)], [(0, 0), (1, 0), (1, 1)])
    assert p.delta(exp_eps=1) == hair
