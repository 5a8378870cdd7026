"""Mechanisms: kernels at fixed prices, the certified optimum by size, proofs, merging by size, first and later runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import optimal_utility
from liftgate.joint import Joint
from liftgate.mechanisms import utility
from liftgate.mechanisms.blocks import block_channel
from liftgate.mechanisms.grouped import Grouped, limits_of
from liftgate.mechanisms.merge_subsets import merge_subsets, subset_blocks
from liftgate.mechanisms.optimal import optimal
from liftgate.mechanisms.subset_response import subset_response

Record = dict[str, Any]
SIZES = (
    (17, 5, "0.5", 60), (17, 5, "2", 60), (30, 5, "1", 60), (100, 5, "0.5", 60), (100, 5, "2", 60), (100, 10, "1", 60),
    (100, 10, "0.5", 60), (200, 10, "0.5", 120), (200, 15, "1", 120), (500, 5, "0.5", 120), (500, 5, "1", 120),
    (500, 5, "2", 120), (1000, 5, "2", 300), (1000, 5, "1", 300), (1000, 5, "0.5", 300), (200, 15, "0.5", 300),
)  # fmt: skip


def table(values: int, classes: int, seed: int = 100) -> Joint:
    """A normalised uniform matrix."""
    cells = np.random.default_rng(seed).random((classes, values))
    return Joint.from_probabilities(cells / cells.sum())


def record(name: str, figure: str, value: float, unit: str, compared_with: str) -> Record:
    """One line of the result."""
    return {"name": name, "figure": figure, "value": value, "unit": unit, "compared_with": compared_with}


def kernels(values: int, classes: int, eps: str) -> list[Record]:
    """Nodes of the pricing kernel and of the plain one, same prices and same threshold."""
    from liftgate.mechanisms._solver.columns import Clock
    from liftgate.mechanisms._solver.generate import generate
    from liftgate.mechanisms._solver.polytope import build
    from liftgate.mechanisms._solver.pricing import prove

    grouped = Grouped.of(table(values, classes))
    polytope = build(grouped.lift, grouped.sensitive, grouped.public, limits_of(Budget.split(eps, "0.5")))
    gap = 1e-6 * grouped.h_x
    found = generate(polytope, grouped.public, gap, Clock(120))
    runs = []
    for clamp, follow in ((0.4, True), (0.0, False)):
        start = time.perf_counter()
        priced = prove(
            polytope, found.prices, -0.9 * gap, polytope.start, polytope.basis, Clock(120), clamp=clamp, follow=follow
        )
        runs.append((priced.nodes, time.perf_counter() - start, priced.closed))
    if not (runs[0][2] and runs[1][2]):
        return [
            record("pricing", f"{values} x {classes}, eps {eps}", float(runs[0][2]), "closed", "plain kernel did not")
        ]
    where = f"{values} x {classes}, eps {eps}"
    return [
        record("pricing nodes", where, runs[0][0] / runs[1][0], "ratio", "the plain kernel, same prices"),
        record("pricing time", where, runs[0][1] / runs[1][1], "ratio", "the plain kernel, same prices"),
    ]


def certified(values: int, classes: int, eps: str, limit: float) -> list[Record]:
    """The optimum with its gap, and what merging and the subset response keep."""
    joint, budget, where = table(values, classes), Budget.split(eps, "0.5"), f"{values} x {classes}, eps {eps}"
    start = time.perf_counter()
    design = optimal(joint, budget, seconds=limit)
    took = time.perf_counter() - start
    kept = utility(joint, design.channel)
    start = time.perf_counter()
    baseline = utility(joint, subset_response(joint, budget, seconds=limit).channel)
    other = time.perf_counter() - start
    assert design.search_bound is not None
    assert design.bound is not None
    return [
        record("optimal", where, took / limit, "share of the limit", f"{limit:.0f} s"),
        record("optimal, gap left by the search", where, design.search_bound - kept, "NMI", "1e-6"),
        record("optimal, gap proven", where, float(design.bound) - kept, "NMI", "1e-6"),
        record("optimal, gain", where, kept - baseline, "NMI", "subset-response"),
        record("optimal, time", where, took / other, "ratio", "subset-response"),
        record("merge-subsets", where, utility(joint, merge_subsets(joint, budget).channel) - kept, "NMI", "optimal"),
    ]


def proofs(values: int, classes: int, eps: str) -> list[Record]:
    """Size and cost of a proof at gap 1e-6."""
    joint = Joint.from_counts(np.random.default_rng(100).integers(1, 1000, (classes, values)))
    budget, where = Budget.split(eps, "0.5"), f"{values} x {classes}, eps {eps}"
    start = time.perf_counter()
    design = optimal(joint, budget, seconds=120)
    whole = time.perf_counter() - start
    if design.proof is None:
        return [record("proof", where, 0.0, "written", design.notes[-1])]
    certificate = optimal_utility(joint, design.channel, budget, design.proof, ())
    start = time.perf_counter()
    holds = checker.check(certificate).holds
    took = time.perf_counter() - start
    size = len(json.dumps(certificate.to_dict()["evidence"], separators=(",", ":")))
    return [
        record("proof accepted", where, float(holds), "yes", "1"),
        record("proof evidence", where, size / 60_000, "ratio", "60 kB"),
        record("proof check", where, took, "seconds", "1 s"),
        record("proof check", where, took / whole, "ratio", "search and proof together"),
    ]


def merging(sizes: tuple[int, ...]) -> list[Record]:
    """Time of Algorithm 1 for each value, against the smallest size."""
    rates = []
    for n in sizes:
        joint = Joint.from_counts(np.random.default_rng(n).integers(1, 1000, (5, n)))
        best = np.inf
        for _ in range(3):
            start = time.process_time()
            blocks = subset_blocks(joint, Budget.split(1, "0.5"), "sum")
            best = min(best, time.process_time() - start)
        rates.append((n, best / n, utility(joint, block_channel(joint, blocks))))
    return [
        record("merge-subsets, cost of one value", f"{n:,} values", rate / rates[0][1], "ratio", f"{sizes[0]:,} values")
        for n, rate, _ in rates[1:]
    ]


def first_run() -> list[Record]:
    """A fresh process with an empty cache of compiled loops, then another one."""
    code = (
        "from liftgate.joint import Joint; from liftgate.budget import Budget; from liftgate.mechanisms import MECHANISMS\n"
        "j = Joint.from_counts([[9, 1, 8, 2], [1, 9, 2, 8]])\n"
        "for name in MECHANISMS: MECHANISMS[name](j, Budget.lip('0.3'))"
    )
    took = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "NUMBA_CACHE_DIR": folder},
                check=True,
                capture_output=True,
            )
            took.append(time.perf_counter() - start)
    return [record("first run", "all mechanisms, 4 values", took[0] / took[1], "ratio", "a later run")]


def run(quick: bool) -> list[Record]:
    """All figures, or in a minute the small ones."""
    out = kernels(100, 10, "0.5")
    for size in SIZES[:5] if quick else SIZES:
        out += certified(*size)
    for values, classes, eps in ((17, 5, "1"), (30, 10, "1"))[: 1 if quick else 2]:
        out += proofs(values, classes, eps)
    out += merging((3_000, 10_000) if quick else (10_000, 30_000, 100_000))
    if not quick:
        out += kernels(200, 15, "1") + kernels(200, 10, "0.5") + kernels(1000, 5, "0.5") + first_run()
    return out
