"""Couplings: one flow against OR-tools (where it is installed), profiles against one flow, intervals against a sort."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from liftgate.couplings.blocks import Part, decompose
from liftgate.couplings.flows import least_delta
from liftgate.couplings.laws import Law
from liftgate.couplings.relations import Graph, Intervals, read_relation


def seconds(work: Callable[[], Any], times: int = 3) -> float:
    """The shortest of a few runs."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def network(size: int, degree: int, seed: int = 0) -> tuple[Law, Law, Graph]:
    """Balanced random masses, ``degree`` random partners each: the hard case for a flow."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 1000, size)
    left, right = (
        Law(tuple(range(size)), tuple(w.tolist()), int(weights.sum())) for w in (weights, rng.permutation(weights))
    )
    targets = np.sort(rng.integers(0, size, (size, degree)), axis=1)
    codes = np.unique(np.repeat(np.arange(size), degree) * size + targets.ravel())
    relation = read_relation(np.stack([codes // size, codes % size], axis=1), left, right)
    assert isinstance(relation, Graph)
    return left, right, relation


def ortools_flow(left: Law, right: Law, relation: Graph) -> tuple[float, int] | None:
    """Seconds and value of OR-tools on the same network, or None where it is not installed."""
    try:
        from ortools.graph.python import max_flow
    except ImportError:
        return None
    n, m = len(left), len(right)
    owner = np.repeat(np.arange(n), np.diff(relation.start))
    tails = np.concatenate([np.full(n, n + m), np.arange(n, n + m), owner]).astype(np.int32)
    heads = np.concatenate([np.arange(n), np.full(m, n + m + 1), relation.targets + n]).astype(np.int32)
    room = np.concatenate([left.weights, right.weights, np.full(len(owner), 1 << 40)]).astype(np.int64)
    values = []

    def work() -> None:
        flow = max_flow.SimpleMaxFlow()
        flow.add_arcs_with_capacity(tails, heads, room)
        assert flow.solve(n + m, n + m + 1) == flow.OPTIMAL
        values.append(flow.optimal_flow())

    return seconds(work), values[0]


def run(quick: bool) -> list[dict[str, Any]]:
    """All figures as ratios."""
    figures = []

    def add(name: str, figure: str, value: float, against: str) -> None:
        figures.append({"name": name, "figure": figure, "value": value, "unit": "ratio", "compared_with": against})

    small = network(3000, 3)
    least_delta(*small[:2], 1, small[2])  # compiled before anything is measured
    decompose(*small, "int64")

    size = 20_000 if quick else 210_000
    left, right, relation = network(size, 3)
    theirs = ortools_flow(left, right, relation)
    if theirs is not None:
        delta = least_delta(left, right, 1, relation)
        assert left.scale - theirs[1] == delta * left.scale
        mine = seconds(lambda: least_delta(left, right, 1, relation))
        arcs = len(relation.targets) + 2 * size
        add(
            f"critical flow, {arcs} arcs",
            "time of one exact flow",
            mine / theirs[0],
            "OR-tools on the same network, limit 3",
        )

    points, degree = (2000, 5) if quick else (10_000, 10)
    left, right, relation = network(points, degree, 1)
    one = seconds(lambda: least_delta(left, right, 1, relation))
    whole = seconds(lambda: decompose(left, right, relation))
    add(
        f"profile, {points} points, {len(relation.targets)} edges",
        "time of the whole profile",
        whole / one,
        "one flow, limit 100",
    )

    labels = 10_000 if quick else 100_000
    rng = np.random.default_rng(2)
    places = rng.permutation(10 * labels)[:labels].tolist()
    weights = rng.integers(1, 1000, labels)
    left, right = (
        Law(tuple(places), tuple(w.tolist()), int(weights.sum())) for w in (weights, rng.permutation(weights))
    )
    spans = read_relation("distance<=500", left, right)
    assert isinstance(spans, Intervals)
    implied = int((spans.high - spans.low).sum())
    sort = seconds(lambda: [sorted(range(labels), key=places.__getitem__) for _ in range(2)])
    Part(left, right, spans)
    greedy = seconds(lambda: least_delta(left, right, 1, spans))
    add(
        f"intervals, {implied} implied edges",
        "time of one exact answer",
        greedy / sort,
        "sorting the labels of both laws, limit 2",
    )
    return figures
