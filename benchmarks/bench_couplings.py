"""Couplings: one flow against OR-tools, profiles against one flow, intervals against sorting the labels."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.measuring import Record, in_turns, peer, record
from liftgate.couplings.blocks import decompose
from liftgate.couplings.flows import least_delta
from liftgate.couplings.laws import Law
from liftgate.couplings.relations import Graph, Intervals, read_relation


def network(size: int, degree: int, seed: int = 0, fine: int = 1) -> tuple[Law, Law, Graph]:
    """Balanced random masses, ``degree`` random partners each: the hard case for a flow."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 1000 * fine, size)
    left, right = (
        Law(tuple(range(size)), tuple(w.tolist()), int(weights.sum())) for w in (weights, rng.permutation(weights))
    )
    targets = np.sort(rng.integers(0, size, (size, degree)), axis=1)
    codes = np.unique(np.repeat(np.arange(size), degree) * size + targets.ravel())
    relation = read_relation(np.stack([codes // size, codes % size], axis=1), left, right)
    assert isinstance(relation, Graph)
    return left, right, relation


def flows(size: int) -> dict[str, float]:
    """Seconds of one exact flow on a critical network, ours and that of OR-tools, in turns in this process."""
    from ortools.graph.python import max_flow

    left, right, relation = network(size, 3)
    n, m = len(left), len(right)
    owner = np.repeat(np.arange(n), np.diff(relation.start))
    tails = np.concatenate([np.full(n, n + m), np.arange(n, n + m), owner]).astype(np.int32)
    heads = np.concatenate([np.arange(n), np.full(m, n + m + 1), relation.targets + n]).astype(np.int32)
    room = np.concatenate([left.weights, right.weights, np.full(len(owner), 1 << 40)]).astype(np.int64)
    values: dict[str, Any] = {}

    def theirs() -> None:
        flow = max_flow.SimpleMaxFlow()
        flow.add_arcs_with_capacity(tails, heads, room)
        assert flow.solve(n + m, n + m + 1) == flow.OPTIMAL
        values["theirs"] = left.scale - flow.optimal_flow()

    def ours() -> None:
        values["ours"] = least_delta(left, right, 1, relation) * left.scale

    warm()
    took = in_turns({"ours": ours, "theirs": theirs}, clock=time.process_time)
    assert values["ours"] == values["theirs"]
    return {**took, "edges": len(owner)}


def warm() -> None:
    """Everything compiled before anything is measured."""
    left, right, relation = network(3000, 3)
    least_delta(left, right, 1, relation)
    decompose(left, right, relation, "int64")
    least_delta(left, right, 1, "distance<=2")


def run(quick: bool) -> list[Record]:
    """All figures as ratios of processor time."""
    figures = []
    size = 20_000 if quick else 340_000
    code = "from benchmarks.bench_couplings import flows\ntell(flows(given))"
    found = flows(size) if find_spec("ortools") else peer("ortools", code, size)
    if found is not None:
        name = f"critical flow, {found['edges']:,} edges"
        figures.append(
            record(
                name, "time of one exact flow", found["ours"] / found["theirs"], "OR-tools on the same network", limit=3
            )
        )

    warm()
    points, degree = (2000, 5) if quick else (10_000, 10)
    for kind, each, fine in (("", degree, 1), ("", 3, 1), (", 40-bit masses", 3, 2**30)):
        left, right, relation = network(points, each, 1, fine)
        took = in_turns(
            {"one": lambda: least_delta(left, right, 1, relation), "whole": lambda: decompose(left, right, relation)},  # noqa: B023
            clock=time.process_time,
        )
        blocks = len(decompose(left, right, relation).masses)
        name = f"profile, {points:,} points, {len(relation.targets):,} edges, {blocks:,} blocks{kind}"
        figures.append(record(name, "time of the whole profile", took["whole"] / took["one"], "one flow", limit=100))

    labels = 10_000 if quick else 100_000
    rng = np.random.default_rng(2)
    places = rng.permutation(10 * labels)[:labels].tolist()
    weights = rng.integers(1, 1000, labels)
    sides = [(tuple(places), tuple(w.tolist()), int(weights.sum())) for w in (weights, rng.permutation(weights))]

    def answer() -> None:
        """From the labels to the exact delta, the relation read anew."""
        least_delta(Law(*sides[0]), Law(*sides[1]), 1, "distance<=500")

    took = in_turns(
        {"sort": lambda: [sorted(range(labels), key=places.__getitem__) for _ in range(2)], "answer": answer},
        clock=time.process_time,
    )
    spans = read_relation("distance<=500", Law(*sides[0]), Law(*sides[1]))
    assert isinstance(spans, Intervals)
    name = f"intervals, {int((spans.high - spans.low).sum()):,} implied edges"
    against = "sorting the labels of both laws"
    figures.append(
        record(name, "time of one exact answer", took["answer"] / took["sort"], against, limit=None if quick else 2)
    )
    return figures
