"""The checker: deciding a certificate beside merely parsing it, and growth with the size of the table."""

from __future__ import annotations

import json
import time
from functools import partial

import numpy as np

from benchmarks.measuring import Record, growth, in_turns, record
from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import lift_bounds, ratio_bound
from liftgate.channel import Channel
from liftgate.joint import Joint


def certificates(values: int, outputs: int = 10) -> dict[str, bytes]:
    """Certificates about 15 sensitive x ``values`` public values: as they are, merged, and through a noisy channel."""
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(rng.integers(50, 100, (15, values)))
    merge = Channel.merge(joint.public, [list(range(k, values, outputs)) for k in range(min(outputs, values))])
    shares = np.full((values, min(outputs, values)), 2**36 // min(outputs, values), dtype=np.int64)
    shares[:, 0] += 2**36 - shares.sum(axis=1)
    noise = Channel.from_shares(shares, public=joint.public)
    same = Channel.identity(joint.public)
    budget = Budget.between("1/3", 3)
    made = {
        "lift-bounds": lift_bounds(joint, same, budget, ["counts-are-population"]),
        "lift-bounds, merged": lift_bounds(joint, merge, budget, ["counts-are-population"]),
        "ratio-bound, noisy": ratio_bound(joint, noise, 9, ["counts-are-population"]),
    }
    return {name: certificate.to_json().encode() for name, certificate in made.items()}


def decide(text: bytes) -> None:
    """Read strictly and decide."""
    verdict = checker.check(checker.read_bytes(text))
    assert verdict.holds, verdict.reason


def run(quick: bool) -> list[Record]:
    """Ratios to the standard parser on the same bytes, and growth over public values."""
    sizes = [10, 100, 1000] if quick else [10, 100, 1000, 10_000]
    seconds: dict[str, list[float]] = {}
    out: list[Record] = []
    for values in sizes:
        for name, text in certificates(values).items():
            found = in_turns(
                {"ours": partial(decide, text), "parsing": partial(json.loads, text)}, 3, time.process_time
            )
            seconds.setdefault(name, []).append(found["ours"])
            if values == sizes[-1]:
                told = f"{name}, 15 x {values:,}, {len(text) / 2**20:.2f} MB"
                out.append(record(told, "time", found["ours"] / found["parsing"], "json.loads of the same bytes"))
    for name, times in seconds.items():
        out += growth(name, "time", "public values", sizes, times, limit=1.2)
    return out
