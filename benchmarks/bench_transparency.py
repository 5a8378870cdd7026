"""Announcements: one copy of the inputs beside them, their growth, their memory, and bisection over linear programs.

Everything runs in one thread, so times are those of the processor: a busy machine does not change them much.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.measuring import Record, fresh, growth, in_turns, record
from liftgate.transparency import DecisionRules, announce

FULL = 5**10
WIDTHS = (5, 125, 3125)

PEAK = """
import numpy as np
from liftgate.transparency import DecisionRules, announce
def inputs(n, width):
    rng = np.random.default_rng(0)
    return rng.random(n), rng.random(n), np.repeat(np.arange(n // width), width)
announce(DecisionRules.from_arrays(*inputs(50_000, 5)), delta=0.9)
before = peak()
data = inputs(*given)
announce(DecisionRules.from_arrays(*data), delta=0.9)
tell((peak() - before) * 2**20 / sum(a.nbytes for a in data))
"""


def inputs(records: int, width: int) -> tuple[Any, Any, Any]:
    """Masses, rules and group numbers of random records in groups of one width."""
    rng = np.random.default_rng(0)
    return rng.random(records), rng.random(records), np.repeat(np.arange(records // width), width)


def solve(data: tuple[Any, Any, Any]) -> Any:
    """Read the arrays, check them and announce at delta 0.9."""
    return announce(DecisionRules.from_arrays(*data), delta=0.9)


class Bisection:
    """The feasibility programs that a bisection over the confidence solves, here one sparse one for all groups."""

    steps = 30

    def __init__(self, data: tuple[Any, Any, Any]) -> None:
        from scipy import sparse

        mass, rule, group = data
        n, groups = mass.size, int(group[-1]) + 1
        low, high = mass * np.maximum(rule - 0.1, 0), mass * np.minimum(rule + 0.1, 1)
        beta = (solve(data).group_beta * 1.01)[group]
        unit = sparse.eye(n, format="csr")
        shared = sparse.csr_matrix((beta, (np.arange(n), group)), shape=(n, groups))
        self.upper = sparse.vstack([sparse.hstack([unit, -shared]), sparse.hstack([-unit, shared])]).tocsr()
        self.right = np.concatenate([np.zeros(n), beta * np.bincount(group, mass)[group] - mass])
        total = sparse.csr_matrix((np.ones(n), (group, np.arange(n))), shape=(groups, n))
        self.same = sparse.hstack([total, -sparse.eye(groups)]).tocsr()
        lower, higher = np.concatenate([low, np.zeros(groups)]), np.concatenate([high, np.full(groups, np.inf)])
        self.bounds = np.stack([lower, higher], 1)

    def once(self) -> None:
        """One program, at a confidence that can be reached (the others take no less)."""
        from scipy.optimize import linprog

        cost, zeros = np.zeros(self.bounds.shape[0]), np.zeros(self.same.shape[0])
        found = linprog(cost, self.upper, self.right, self.same, zeros, self.bounds, method="highs")
        assert found.status == 0, found.message


def run(quick: bool) -> list[Record]:
    """The records of this bench."""
    solve(inputs(50_000, 5))  # compiled once
    out: list[Record] = []
    records = 5**8 if quick else FULL
    for width in WIDTHS:
        data = inputs(records, width)
        works = {"ours": lambda d=data: solve(d), "copy": lambda d=data: [a.copy() for a in d]}
        took = in_turns(works, 3, time.process_time)
        name = f"announce, {records:,} records in groups of {width}"
        out.append(record(name, "time", took["ours"] / took["copy"], "one memory copy of the inputs", limit=20))
        out.append(record(name, "peak memory", fresh(PEAK, [records, width]), "the inputs", limit=4))
    sizes = [10_000, 100_000, 1_000_000] if quick else [10_000, 100_000, 1_000_000, 10_000_000]
    for width in WIDTHS[:2]:
        seconds = [_seconds(inputs(n, width), 5 if n < 10**6 else 2) for n in sizes]
        out += growth(f"announce, groups of {width}", "time", "records", sizes, seconds, limit=1.1)
    for width in WIDTHS[:2]:
        n = 50_000 if quick else 400_000
        data = inputs(n, width)
        program = Bisection(data)
        took = in_turns({"ours": lambda d=data: solve(d), "program": program.once}, 1, time.process_time)
        name = f"bisection over {Bisection.steps} programs, {n:,} records in groups of {width}"
        slower = took["program"] * Bisection.steps / took["ours"]
        out.append(record(name, "time", slower, "announce", least=30))
    return out


def _seconds(data: tuple[Any, Any, Any], times: int) -> float:
    return in_turns({"ours": lambda: solve(data)}, times, time.process_time)["ours"]
