"""Speed of announcements, every figure a ratio to something measured beside it in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from liftgate.transparency import DecisionRules, announce

FULL = 5**10


def timed(call: Callable[[], Any], times: int = 3) -> float:
    """The least of some timings."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def inputs(records: int, width: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses, rules and group numbers of random records in groups of one width."""
    rng = np.random.default_rng(seed)
    return rng.random(records), rng.random(records), np.repeat(np.arange(records // width), width)


def copy_seconds(arrays: tuple[np.ndarray, ...]) -> float:
    """One memory copy of the inputs, into fresh memory as the results need it."""
    return timed(lambda: [a.copy() for a in arrays], 5)


def solve_seconds(mass: np.ndarray, rule: np.ndarray, group: np.ndarray, times: int = 3) -> float:
    """Reading the arrays, checking them and announcing at delta 0.9."""
    return timed(lambda: announce(DecisionRules.from_arrays(mass, rule, group), delta=0.9), times)


def bisection_seconds(mass: np.ndarray, rule: np.ndarray, width: int, steps: int = 30) -> tuple[float, int]:
    """One linear feasibility program over all groups at a feasible confidence; a bisection needs ``steps`` of them."""
    from scipy import sparse
    from scipy.optimize import linprog

    n, groups = mass.size, mass.size // width
    low, high = mass * np.maximum(rule - 0.1, 0), mass * np.minimum(rule + 0.1, 1)
    group = np.repeat(np.arange(groups), width)
    beta = np.repeat(announce(DecisionRules.from_arrays(mass, rule, group), delta=0.9).group_beta * 1.01, width)
    total = np.bincount(group, mass)[group]
    unit = sparse.eye(n, format="csr")
    shared = sparse.csr_matrix((beta, (np.arange(n), group)), shape=(n, groups))
    upper = sparse.vstack([sparse.hstack([unit, -shared]), sparse.hstack([-unit, shared])]).tocsr()
    right = np.concatenate([np.zeros(n), beta * total - mass])
    same = sparse.hstack(
        [sparse.csr_matrix((np.ones(n), (group, np.arange(n))), shape=(groups, n)), -sparse.eye(groups)]
    ).tocsr()
    bounds = np.stack([np.concatenate([low, np.zeros(groups)]), np.concatenate([high, np.full(groups, np.inf)])], 1)

    def once() -> None:
        found = linprog(np.zeros(n + groups), upper, right, same, np.zeros(groups), bounds, method="highs")
        assert found.status == 0, found.message

    return timed(once, 1), steps


def peak_ratio(records: int, width: int) -> float:
    """Peak memory of a fresh process that makes the inputs and announces, above the bare process, per input byte."""
    code = (
        "import sys,resource,numpy as np;sys.path.insert(0,sys.argv[3]);import bench_transparency as b;"
        "from liftgate.transparency import DecisionRules,announce;"
        "announce(DecisionRules.from_arrays(*b.inputs(50_000,5)),delta=0.9);"
        "before=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;x=b.inputs(int(sys.argv[1]),int(sys.argv[2]));"
        "announce(DecisionRules.from_arrays(*x),delta=0.9);"
        "after=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "print((after-before)*1024/sum(a.nbytes for a in x))"
    )
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(
        [sys.executable, "-c", code, str(records), str(width), folder], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def run(quick: bool = True) -> list[dict[str, Any]]:
    """Records of name, figure, value, unit and what it is compared with."""
    records = 5**8 if quick else FULL
    announce(DecisionRules.from_arrays(*inputs(50_000, 5)), delta=0.9)  # compiled once
    out: list[dict[str, Any]] = []
    for width in (5, 125, 3125):
        data = inputs(records, width)
        ratio = solve_seconds(*data) / copy_seconds(data)
        name = f"announce {records:,} records in groups of {width}"
        out.append(record(name, "time", ratio, "x", "one memory copy of the inputs"))
        out.append(record(name, "peak memory", peak_ratio(records, width), "x", "the inputs"))
    sizes = [10_000, 100_000, 1_000_000] if quick else [10_000, 100_000, 1_000_000, 10_000_000]
    for width in (5, 125):
        compiled = [inputs(n, width) for n in (max(s, 25_000) for s in sizes)]
        seconds = [solve_seconds(*data, times=5 if data[0].size < 10**6 else 2) for data in compiled]
        slope = np.polyfit(np.log([d[0].size for d in compiled]), np.log(seconds), 1)[0]
        out.append(record(f"groups of {width}", "growth exponent", float(slope), "", "linear cost, 1"))
    for width in (5, 125):
        n = 50_000 if quick else 400_000
        data = inputs(n, width)
        one, steps = bisection_seconds(data[0], data[1], width)
        ratio = one * steps / solve_seconds(*data)
        out.append(
            record(f"bisection over {steps} programs, {n:,} records, groups of {width}", "time", ratio, "x", "announce")
        )
    return out


def record(name: str, figure: str, value: float, unit: str, compared_with: str) -> dict[str, Any]:
    """One figure."""
    return {"name": name, "figure": figure, "value": value, "unit": unit, "compared_with": compared_with}


if __name__ == "__main__":
    for entry in run(quick="--quick" in sys.argv):
        print(f"{entry['name']}: {entry['figure']} {entry['value']:.3g}{entry['unit']} ({entry['compared_with']})")
