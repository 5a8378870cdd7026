"""Proofs at the sizes that are promised: every draw is proven, the evidence is small, and the check is short."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable

import numpy as np
import pytest

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import Certificate, optimal_utility
from liftgate.joint import Joint
from liftgate.mechanisms import proof, utility
from liftgate.mechanisms.grouped import Grouped
from liftgate.mechanisms.optimal import optimal


def a_table(seed: int, rows: int, columns: int) -> Joint:
    return Joint.from_counts(np.random.default_rng(seed).integers(1, 1000, (rows, columns)))


def proven(joint: Joint, text: str, gap: float) -> tuple[Certificate, int]:
    """An accepted certificate with this gap, and the bytes of its evidence."""
    budget = Budget.parse(text)
    design = optimal(joint, budget, gap=gap, seconds=300)
    assert design.proof is not None, design.notes
    assert design.bound is not None
    assert 0 <= float(design.bound) - utility(joint, design.channel) <= gap
    certificate = optimal_utility(joint, design.channel, budget, design.proof, ())
    assert checker.check(certificate).holds
    return certificate, len(json.dumps(certificate.to_dict()["evidence"], separators=(",", ":")))


def check_draws(text: str, seeds: Iterable[int]) -> None:
    """5 x 17 at gap 1e-6: evidence below 60 kB."""
    for seed in seeds:
        _, size = proven(a_table(seed, 5, 17), text, 1e-6)
        assert size < 60_000, (seed, size)


@pytest.mark.parametrize("text", ["split:0.5,0.5", "ldp:1"])
def test_five_draws_of_5_x_17_are_proven_to_a_millionth(text: str) -> None:
    check_draws(text, range(5))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["split:0.5,0.5", "split:1,0.5", "split:2,0.65", "ldp:1"])
def test_all_of_100_draws_of_5_x_17_are_proven_to_a_millionth(text: str) -> None:
    check_draws(text, range(100))


@pytest.mark.slow
def test_a_proof_of_5_x_17_is_checked_within_a_second_of_work() -> None:
    """The hardest budget of the figures, ten draws, in pure Python."""
    for seed in range(10):
        certificate, _ = proven(a_table(seed, 5, 17), "split:0.5,0.5", 1e-6)
        begin = time.thread_time()
        checker.check(certificate)
        assert time.thread_time() - begin < 1


@pytest.mark.slow
@pytest.mark.parametrize("text", ["split:0.5,0.5", "split:1,0.5", "split:2,0.5", "ldp:1"])
def test_ten_sensitive_and_thirty_public_values_are_proven(text: str) -> None:
    proven(a_table(100, 10, 30), text, 1e-6)


@pytest.mark.parametrize("text", ["l1:none,0.25", "alpha:2,none,0.05"])
def test_convex_budgets_are_proven_at_5_x_17(text: str) -> None:
    proven(a_table(100, 5, 17), text, 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["l1:none,0.25", "chi2:none,0.25", "alpha:2,none,0.25", "alpha:10,none,0.25", "alpha:2,0.25,0.25",
             "alpha:10,0.25,0.25"],
)  # fmt: skip
def test_every_convex_budget_is_proven_at_5_x_17(text: str) -> None:
    """Three draws of each kind of budget whose optimum the papers leave open."""
    for seed in range(100, 103):
        proven(a_table(seed, 5, 17), text, 1e-5)


def test_a_proof_that_the_checker_could_not_decide_in_time_is_given_up_before() -> None:
    """Nothing can stop the checker, so its time is foreseen: on a crowded machine the same proof is not begun."""
    joint, budget = a_table(3, 5, 17), Budget.split(1, "0.5")
    design, grouped = optimal(joint, budget), Grouped.of(joint)
    assert design.proof is not None
    bits = design.proof["evidence"]["pi_bits"]
    prices = np.array([p / 2.0**bits for p in design.proof["evidence"]["pi"]])
    for crowding, holds in ((1.0, True), (1e6, False)):
        found = proof.prove(joint, budget, design.channel, grouped, prices, (), 1e-5, 60.0, crowding)
        assert isinstance(found, proof.Proof) == holds, found
