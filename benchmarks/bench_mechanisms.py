"""Mechanisms: kernels at fixed prices, the certified optimum by size, proofs, merging by size, rows, first and later runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measuring import Record, fresh, growth, peer, record, scratch
from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import optimal_utility
from liftgate.joint import Joint
from liftgate.mechanisms import utility
from liftgate.mechanisms.blocks import block_channel
from liftgate.mechanisms.grouped import Grouped, limits_of
from liftgate.mechanisms.merge_best import merge_best
from liftgate.mechanisms.merge_subsets import merge_subsets, subset_blocks
from liftgate.mechanisms.optimal import optimal
from liftgate.mechanisms.subset_response import subset_response

SIZES = (
    (17, 5, "0.5", 60), (17, 5, "2", 60), (30, 5, "1", 60), (100, 5, "0.5", 60), (100, 5, "2", 60), (100, 10, "1", 60),
    (100, 10, "0.5", 60), (200, 10, "0.5", 120), (200, 15, "1", 120), (500, 5, "0.5", 120), (500, 5, "1", 120),
    (500, 5, "2", 120), (1000, 5, "2", 300), (1000, 5, "1", 300), (1000, 5, "0.5", 300), (200, 15, "0.5", 300),
)  # fmt: skip

VERTICES = """
import itertools
import numpy as np, cdd
import liftgate as lg
from liftgate.mechanisms.grouped import Grouped, limits_of
from liftgate.mechanisms.optimal import optimal
from liftgate.mechanisms._solver.columns import Clock
from liftgate.mechanisms._solver.convexly import outcome
n, seed = given
cells = np.random.default_rng(seed).random((5, n))
joint, budget = lg.Joint.from_probabilities(cells / cells.sum()), lg.Budget.split(1, "0.5")
lift, low, up = np.asarray(joint.lift), float(budget.low), float(budget.up)
def listing():
    table = [[-1.0, *np.ones(n)], *([0.0, *row] for row in np.vstack([np.eye(n), lift - low, up - lift]))]
    matrix = cdd.matrix_from_array(table, rep_type=cdd.RepType.INEQUALITY, lin_set={0})
    return len(cdd.copy_generators(cdd.polyhedron_from_matrix(matrix)).array)
grouped, limits = Grouped.of(joint), limits_of(budget, 1e-9)
def search():
    outcome(grouped.lift, grouped.sensitive, grouped.public, limits, 1e-6 * grouped.h_x, Clock(60.0))
def least(work, times):
    found = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        found = min(found, time.process_time() - start)
    return found
assert optimal(joint, budget).proof is not None
count = listing()
tell([count, least(listing, 1 if n > 17 else 3), least(search, 30), least(lambda: optimal(joint, budget), 5)])
"""

ROWS = """
import os
import duckdb
import liftgate as lg
source, folder = given["path"], given["folder"]
joint = lg.read_joint(source, sensitive="s", public="x")
release = lg.protect(joint, lg.Budget.lip("0.1"), mechanism="subset-response")
assert not release.channel.is_merge
def copy():
    con = duckdb.connect()
    con.execute("SET threads = 1")
    con.execute(f"COPY (SELECT x, n, a, b, c, d, i FROM read_parquet('{source}')) TO '{folder}/copy.parquet' (FORMAT parquet, COMPRESSION zstd)")
def ours():
    release.apply(source, out=f"{folder}/ours.parquet", keep=list("nabcdi"), force=True)
found = {"copy": [], "ours": []}
for _ in range(given["times"]):
    for name, work in (("copy", copy), ("ours", ours)):
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        found[name].append((time.perf_counter() - wall, time.process_time() - cpu))
tell([min(v[k] for v in found["ours"]) / min(v[k] for v in found["copy"]) for k in (0, 1)] + [peak()])
"""

MAKE = """
import duckdb
duckdb.connect().execute(f'''COPY (SELECT (hash(i) % 7)::INTEGER AS s,
(if(hash(i + 300000000) % 4 = 0, 2 * (hash(i) % 7), hash(i + 100000000) % 15))::INTEGER AS x,
hash(i + 200000000) % 1000000 AS n, (hash(i + 400000000) % 90)::INTEGER AS a, (hash(i + 500000000) % 1000)::INTEGER AS b,
(hash(i + 600000000) % 100000) / 8 AS c, ['north', 'south', 'east', 'west'][1 + (hash(i + 700000000) % 4)::INTEGER] AS d, i FROM range({given["rows"]}) r(i)) TO '{given["path"]}' (FORMAT parquet)''')
tell(None)
"""


def table(values: int, classes: int, seed: int = 100) -> Joint:
    """A normalised uniform matrix."""
    cells = np.random.default_rng(seed).random((classes, values))
    return Joint.from_probabilities(cells / cells.sum())


def kernels(values: int, classes: int, eps: str) -> list[Record]:
    """Nodes and time of the pricing kernel and of the plain one, same prices and same threshold."""
    from liftgate.mechanisms._solver.columns import Clock
    from liftgate.mechanisms._solver.generate import generate
    from liftgate.mechanisms._solver.polytope import build
    from liftgate.mechanisms._solver.pricing import prove

    grouped = Grouped.of(table(values, classes))
    polytope = build(grouped.lift, grouped.sensitive, grouped.public, limits_of(Budget.split(eps, "0.5")))
    gap = 1e-6 * grouped.h_x
    found = generate(polytope, grouped.public, gap, Clock(120))
    where, runs = f"{values} x {classes}, eps {eps}", []
    for clamp, follow in ((0.4, True), (0.0, False)):
        start = time.process_time()
        priced = prove(
            polytope, found.prices, -0.9 * gap, polytope.start, polytope.basis, Clock(120), clamp=clamp, follow=follow
        )
        runs.append((priced.nodes, time.process_time() - start, priced.closed))
    if not (runs[0][2] and runs[1][2]):
        return [record("pricing", where, float(runs[0][2]), "the plain kernel did not", unit="closed", least=1)]
    plain = "the plain kernel, same prices"
    return [
        record("pricing nodes", where, runs[0][0] / runs[1][0], plain, limit=1.2),
        record("pricing time", where, runs[0][1] / runs[1][1], plain),
    ]


def certified(values: int, classes: int, eps: str, allowed: float) -> tuple[list[Record], float]:
    """The optimum with its gap, and what merging and the subset response keep; the work of the search."""
    joint, budget, where = table(values, classes), Budget.split(eps, "0.5"), f"{values} x {classes}, eps {eps}"
    start, busy = time.perf_counter(), time.process_time()
    design = optimal(joint, budget, seconds=allowed)
    took, worked = time.perf_counter() - start, time.process_time() - busy
    kept = utility(joint, design.channel)
    busy = time.process_time()
    baseline = utility(joint, subset_response(joint, budget, seconds=allowed).channel)
    other = time.process_time() - busy
    assert design.search_bound is not None
    assert design.bound is not None
    merged = utility(joint, merge_best(joint, budget, seconds=5).channel)
    return [
        record("optimal", where, took / allowed, f"{allowed:.0f} s allowed", unit="of the limit", limit=1.1),
        record("optimal, gap left by the search", where, design.search_bound - kept, "1e-6", unit="NMI", limit=1e-6),
        record("optimal, gap proven", where, float(design.bound) - kept, "1e-6 where it is proven", unit="NMI"),
        record("optimal, gain", where, kept - baseline, "subset-response", unit="NMI", least=-1e-6),
        record("optimal, gain", where, kept - merged, "merge-best", unit="NMI", least=-1e-6),
        record("optimal, time", where, worked / other, "subset-response"),
        record("merge-best, gain", where, merged - utility(joint, merge_subsets(joint, budget).channel), "merge-subsets", unit="NMI", least=0),
    ], worked  # fmt: skip


def by_size(quick: bool) -> list[Record]:
    """Growth of the optimum with the number of public values, 5 sensitive values, eps 1."""
    sizes = (10, 30, 100) if quick else (10, 30, 100, 300, 1000)
    optimal(table(5, 3), Budget.lip("0.1"))
    return growth("optimal, 5 sensitive values, eps 1", "time", "public values", sizes, [certified(n, 5, "1", 300)[1] for n in sizes])  # fmt: skip


def vertices(values: int, seed: int, search: float, proof: float | None) -> list[Record]:
    """The search, and search and proof in whole numbers, beside listing the vertices with cddlib."""
    found = peer("cdd", VERTICES, [values, seed])
    if found is None:
        return []
    count, listing, searching, whole = found
    where, other = f"{values} x 5, eps 1, {count:,} vertices", "cddlib listing the vertices"
    return [
        record(where, "times as fast, gap 1e-6", listing / searching, other, least=search),
        record(where, "times as fast, proof included", listing / whole, other, least=proof),
    ]


def proofs(values: int, classes: int, eps: str) -> list[Record]:
    """Size and cost of a proof at gap 1e-6."""
    joint = Joint.from_counts(np.random.default_rng(100).integers(1, 1000, (classes, values)))
    budget, where = Budget.split(eps, "0.5"), f"{values} x {classes}, eps {eps}"
    busy = time.process_time()
    design = optimal(joint, budget, seconds=120)
    whole = time.process_time() - busy
    if design.proof is None:
        return [record("proof", where, 0.0, design.notes[-1], unit="written", least=1)]
    certificate = optimal_utility(joint, design.channel, budget, design.proof, ())
    busy = time.process_time()
    holds = checker.check(certificate).holds
    took = time.process_time() - busy
    size = len(json.dumps(certificate.to_dict()["evidence"], separators=(",", ":")))
    small = values * classes <= 85
    return [
        record("proof accepted", where, float(holds), "1", unit="yes", least=1),
        record("proof evidence", where, size / 1000, "60 kB at 17 x 5", unit="kB", limit=60 if small else None),
        record("proof check", where, took, "1 s at 17 x 5", unit="CPU s", limit=1 if small else None),
        record("proof check", where, took / whole, "search and proof together"),
    ]


def merging(sizes: tuple[int, ...]) -> list[Record]:
    """Time of Algorithm 1 against the number of risky values."""
    seconds = []
    for n in sizes:
        joint = Joint.from_counts(np.random.default_rng(n).integers(1, 1000, (5, n)))
        least = float("inf")
        for _ in range(3):
            busy = time.process_time()
            blocks = subset_blocks(joint, Budget.split(1, "0.5"), "sum")
            least = min(least, time.process_time() - busy)
        assert utility(joint, block_channel(joint, blocks)) > 0.9
        seconds.append(least)
    linear = seconds[-1] / seconds[0] / (sizes[-1] / sizes[0])
    against = f"{sizes[0]:,} values"
    return [
        *growth("merge-subsets", "time", "public values", sizes, seconds),
        record("merge-subsets, cost of one value", f"{sizes[-1]:,} values", linear, against, limit=1.2),
    ]


def rows(number: int, quick: bool) -> list[Record]:
    """Reading, drawing and writing rows beside a plain copy of the same columns."""
    with scratch() as folder:
        path = f"{folder}/rows.parquet"
        fresh(MAKE, {"rows": number, "path": path})
        wall, work, megabytes = fresh(ROWS, {"path": path, "folder": folder, "times": 3 if quick else 5})
    name, copy = f"protect, {number:.0e} rows", "a plain copy by DuckDB"
    return [
        record(name, "time", wall, copy),
        record(name, "CPU time", work, copy, limit=None if quick else 1.7),
        record(name, "peak memory", megabytes, "600 MB allowed", unit="MB", limit=None if quick else 600),
    ]


def first_run() -> list[Record]:
    """`liftgate protect` on the demo table in a fresh process with an empty cache of compiled loops, then again."""
    from liftgate.demo import demo_table

    words = ["protect", str(demo_table()), "--count", "people", "--sensitive", "relationship", "--public", "occupation", "--budget", "alip:1,1"]  # fmt: skip
    took = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            start = time.perf_counter()
            subprocess.run(
                [str(Path(sys.executable).with_name("liftgate")), *words],
                env={**os.environ, "NUMBA_CACHE_DIR": folder},
                check=True,
                capture_output=True,
            )
            took.append(time.perf_counter() - start)
    return [
        record("first run of protect on the demo table", "time", took[0] / took[1], "a later run"),
        record("first run of protect on the demo table", "time", took[0] / 60, "a minute", unit="minutes", limit=1),
    ]


def run(quick: bool) -> list[Record]:
    """All figures, or in a minute the small ones."""
    out = kernels(100, 10, "0.5")
    for size in SIZES[:5] if quick else SIZES:
        out += certified(*size)[0]
    out += by_size(quick)
    for values, classes, eps in ((17, 5, "1"), (30, 10, "1"))[: 1 if quick else 2]:
        out += proofs(values, classes, eps)
    out += vertices(17, 11, 30, None)
    out += merging((3_000, 10_000) if quick else (10_000, 30_000, 100_000))
    out += rows(10**6 if quick else 10**7, quick)
    if not quick:
        out += kernels(200, 15, "1") + kernels(200, 10, "0.5") + kernels(1000, 5, "0.5")
        out += vertices(30, 100, 300, 300) + first_run()
    return out
