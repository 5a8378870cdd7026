"""Growth of the jobs that no other bench follows: profiles of two laws, scores of rows; composition beside dp-accounting."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring import Record, fresh, growth, in_turns, peer, record
from liftgate.couplings import profile

SCORES = """
import numpy as np
import liftgate as lg
import pyarrow as pa
def table(rows):
    rng = np.random.default_rng(rows)
    ill = rng.integers(0, 3, rows)
    columns = {f"x{i}": rng.normal(size=rows) + 0.3 * ill * (i % 2) for i in range(6)}
    return pa.table({"ill": ill.astype(str), **columns})
def score(rows):
    people = table(rows)
    start = time.process_time()
    found = lg.estimate(people, sensitive="ill", public=[f"x{i}" for i in range(6)], estimator="logistic", seed=0)
    assert found.log_lift.shape == (rows, 3)
    return time.process_time() - start
score(1000)
tell([[min(score(rows) for _ in range(3 if rows < 10**6 else 1)) for rows in given], peak()])
"""

COMPOSED = """
import math
from fractions import Fraction
from dp_accounting.pld import privacy_loss_distribution as pld
from liftgate.couplings import profile
from liftgate.couplings.named import randomised_response
from liftgate.couplings.products import power
times, eps = given
yes, no = randomised_response(3, "yes"), randomised_response(3, "no")
laws = [{str(a): math.log(m) for a, m in zip(law.labels, law.masses(), strict=True)} for law in (no, yes)]
def ours():
    return power(profile(yes, no), times).delta(eps=Fraction(eps))
def theirs():
    loss = pld.from_two_probability_mass_functions(*laws, value_discretization_interval=1e-4, symmetric=True)
    return loss.self_compose(times).get_delta_for_epsilon(eps)
found, above = ours(), theirs()
assert float(found.lower) <= above
tell([best(ours), best(theirs), above - float(found.upper)])
"""


def laws(labels: int) -> tuple[dict[int, int], dict[int, int]]:
    """Two laws in whole numbers of one total."""
    rng = np.random.default_rng(labels)
    weights = rng.integers(1, 1000, labels)
    left, right = (dict(enumerate(w.tolist())) for w in (weights, rng.permutation(weights)))
    return left, right


def run(quick: bool) -> list[Record]:
    """Growth over three decades, and one peer."""
    sizes = [10**2, 10**3, 10**4, 10**5]
    seconds = []
    for labels in sizes:
        left, right = (_shares(law) for law in laws(labels))
        work = {"profile": lambda a=left, b=right: profile(a, b).delta(exp_eps=2)}
        seconds.append(in_turns(work, 3 if labels < 10**5 else 1)["profile"])
    out = growth("couple: profile of two laws and one answer", "time", "labels", sizes, seconds)
    sizes = [10**3, 10**4, 10**5, 10**6]
    seconds, megabytes = fresh(SCORES, sizes)
    out += growth("rows: scores of every row, logistic", "time", "rows", sizes, seconds, limit=1.1)
    told = f"rows: scores of {sizes[-1]:,} rows x 6 columns"
    out.append(record(told, "peak memory", megabytes, "2,000 MB allowed", unit="MB", limit=2000))
    for times, eps in ((10, 3), (50, 10)):
        found = peer("dp_accounting", COMPOSED, [times, eps])
        if found is not None:
            name = f"delta of {times} uses of randomised response, exact"
            out.append(record(name, "time", found[0] / found[1], "dp-accounting at a grid of 1e-4"))
            out.append(record(name, "what dp-accounting adds", found[2], "the exact delta", unit="delta"))
    return out


def _shares(law: dict[int, int]) -> dict[int, str]:
    total = sum(law.values())
    return {label: f"{weight}/{total}" for label, weight in law.items()}
