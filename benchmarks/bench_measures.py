"""Measures: every one of them on a dense joint beside one logarithm per cell, their growth, and dit and qif on the same joint."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measuring import Record, growth, in_turns, peer, record
from liftgate.joint import Joint
from liftgate.measures import MEASURES, measure

DIT = """
import numpy as np, dit
import liftgate as lg
from liftgate.measures import MEASURES
counts = np.random.default_rng(0).integers(1, 1000, given)
joint = lg.Joint.from_counts(counts)
p = counts / counts.sum()
law = dit.Distribution({(str(s), str(x)): float(p[s, x]) for s in range(p.shape[0]) for x in range(p.shape[1])})
def ours():
    return MEASURES["mutual-information"].of(lg.Joint.from_counts(counts))
def theirs():
    return dit.shannon.mutual_information(law, [0], [1]) * np.log(2)
assert abs(ours() - theirs()) < 1e-9
tell([best(ours), best(theirs)])
"""

QIF = """
import numpy as np
from qif.measure import d_privacy
import liftgate as lg
from liftgate.measures import MEASURES
counts = np.random.default_rng(0).integers(1, 1000, given)
prior = counts.sum(1) / counts.sum()
channel = counts / counts.sum(1, keepdims=True)
def ours():
    return MEASURES["ldp-epsilon"].of(lg.Joint.from_counts(counts))
def theirs():
    return d_privacy.smallest_epsilon(channel, lambda a, b: float(a != b))
assert abs(ours() - theirs()) < 1e-9, (ours(), theirs())
tell([best(ours), best(theirs, 1)])
"""


def dense(sensitive: int, public: int) -> Joint:
    """A joint of positive counts."""
    return Joint.from_counts(np.random.default_rng(0).integers(1, 1000, (sensitive, public)))


def run(quick: bool) -> list[Record]:
    """Each measure in logarithms of the whole matrix, growth over cells, and two peers."""
    sensitive, public = (1000, 200) if quick else (10_000, 200)
    counts = dense(sensitive, public).counts.astype(float)
    seconds: dict[str, float] = {}
    for name, m in MEASURES.items():
        seconds[name] = least(lambda m=m: m.of(Joint.from_counts(counts)), 2)  # type: ignore[misc]
    unit = least(lambda: np.log(counts), 5)
    base = least(lambda: Joint.from_counts(counts))
    slowest = max(seconds, key=lambda name: seconds[name])
    size = f"{sensitive:,} x {public}"
    against = "one logarithm of every cell"
    out = [
        record(f"slowest measure ({slowest}) of {size}, with its joint", "time", seconds[slowest] / unit, against),
        record(
            f"median measure of {size}, with its joint", "time", float(np.median([*seconds.values()])) / unit, against
        ),
        record(f"slowest measure of {size}", "time", seconds[slowest] - base, "1 allowed", unit="s", limit=1),
    ]
    sizes = (
        [(10, 20), (100, 20), (1000, 20), (10_000, 20)]
        if quick
        else [(10, 200), (100, 200), (1000, 200), (10_000, 200)]
    )
    times = []
    for shape in sizes:
        joint_counts = dense(*shape).counts
        times.append(least(lambda c=joint_counts: measure(Joint.from_counts(c))))  # type: ignore[misc]
    out += growth("all measures", "time", "cells", [s * x for s, x in sizes], times, limit=1.15)
    for name, code, shape in (("dit", DIT, (15, 200)), ("qif", QIF, (100 if quick else 300,) * 2)):
        found = peer(name, code, shape)
        if found is not None:
            what = "mutual information" if name == "dit" else "LDP epsilon"
            size = f"{shape[0]} x {shape[1]}"
            out.append(record(f"{what} of {size}", "times as fast", found[1] / found[0], f"{name} on the same matrix"))
    return out


def least(work: Callable[[], Any], times: int = 3) -> float:
    """The least CPU time of a few runs."""
    return in_turns({"": work}, times, time.process_time)[""]
