"""Errata of the mechanisms in LIFT: each statement as printed, and an exact counterexample."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.joint import Joint
from liftgate.mechanisms import utility
from liftgate.mechanisms.as_printed import literal_blocks, subset_merging, watchdog
from liftgate.mechanisms.blocks import block_channel, risky
from liftgate.mechanisms.merge_all import merge_all

# Two sensitive values; the first eight public values are risky at the budget below, the last two are not.
TABLE = Joint.from_counts([[9, 12, 14, 3, 4, 6, 16, 2, 25, 25], [3, 5, 9, 13, 9, 11, 5, 8, 25, 27]])
BUDGET = Budget.between("9/10", "10/9")


def lifts(joint: Joint, x: int) -> list[Fraction]:
    """The lifts of one public value, exactly."""
    column = [int(c) for c in joint.counts[:, x]]
    return [
        Fraction(c * joint.total, sum(column) * int(n)) for c, n in zip(column, joint.sensitive_counts, strict=True)
    ]


def test_e4_the_printed_risk_falls_when_a_sensitive_value_becomes_impossible() -> None:
    """omega = Lambda + Psi: with the same largest lift, the value that excludes someone counts as less risky."""
    joint = Joint.from_counts([[5, 6, 1], [5, 3, 4], [0, 3, 9]])
    excluding, mild = lifts(joint, 0), lifts(joint, 1)
    assert max(excluding) == max(mild) == Fraction(3, 2)
    assert min(excluding) == 0 < min(mild)
    assert max(excluding) + min(excluding) < max(mild) + min(mild)


def test_e4_the_printed_risk_keeps_less() -> None:
    """Both readings end inside the budget here; the printed one keeps less than half."""
    counts = [
        [17, 22, 1, 21, 13, 28, 1, 2, 14],
        [21, 3, 27, 21, 14, 2, 10, 20, 18],
        [23, 22, 24, 4, 29, 4, 11, 19, 6],
        [2, 16, 2, 25, 10, 19, 7, 6, 23],
    ]
    joint, budget = Joint.from_counts(counts), Budget.between("2/3", "3/2")
    kept = []
    for printed in (False, True):
        channel = block_channel(joint, literal_blocks(joint, budget, printed_omega=printed, printed_loop=False))
        assert budget.holds(joint.through(channel)).all()
        kept.append(utility(joint, channel))
    assert kept[0] > 2 * kept[1]


def test_e5_complete_merging_can_break_its_own_budget() -> None:
    """'Privacy constraints are satisfied in all cases': the block of both risky values has lifts 17/10 and 3/10."""
    joint = Joint.from_counts([[9, 8, 40, 43], [1, 2, 40, 57]])
    budget = Budget.between("4/5", "5/4")
    assert risky(joint, budget).tolist() == [True, True, False, False]
    for printed in (watchdog(joint, budget), subset_merging(joint, budget)):
        released = joint.through(printed)
        assert budget.holds(released).tolist()[0] is False
    assert lifts(joint.through(watchdog(joint, budget)), 0) == [Fraction(17, 10), Fraction(3, 10)]
    assert budget.holds(joint.through(merge_all(joint, budget).channel)).all()


def test_e6_the_printed_outer_loop_merges_everything_or_leaves_values_over() -> None:
    """'While the remaining set breaks the constraint': the first test passes already, and nothing was grouped."""
    high = risky(TABLE, BUDGET)
    literal = literal_blocks(TABLE, BUDGET, printed_omega=False, printed_loop=True)
    working = literal_blocks(TABLE, BUDGET, printed_omega=False, printed_loop=False)
    assert len(set(literal[high])) == 1
    assert len(set(working[high])) > 1
    merged, grouped = (utility(TABLE, block_channel(TABLE, b)) for b in (literal, working))
    assert merged < grouped


def test_e7_a_feasible_block_contains_its_own_mean_and_an_infeasible_one_has_no_response() -> None:
    """Lines 7-14 of Algorithm 2 can never run, and where Algorithm 1 fails no union of its subsets helps."""
    blocks = literal_blocks(TABLE, BUDGET, printed_omega=False, printed_loop=False)
    assert BUDGET.holds(TABLE.through(block_channel(TABLE, blocks))).all()
    joint = Joint.from_counts([[9, 8, 40, 43], [1, 2, 40, 57]])
    budget = Budget.between("4/5", "5/4")
    rng = np.random.default_rng(0)
    for _ in range(200):
        inside = rng.integers(1, 100, 2)
        rows = [[int(a), 100 - int(a), 0, 0] for a in inside] + [[0, 0, 100, 0], [0, 0, 0, 100]]
        released = joint.through(Channel.from_shares(rows))
        assert not budget.holds(released)[:2].all()


def test_e8_the_ldp_test_compares_with_e_to_the_eps() -> None:
    """Gamma = Lambda / Psi is at least 1, so 'Gamma > eps' holds for ever when eps < 1, even for a constant."""
    constant = lifts(Joint.from_counts([[5, 5], [7, 7]]).merge([[0, 1]]), 0)
    gamma = max(constant) / min(constant)
    eps = Fraction(1, 2)
    assert gamma == 1 > eps
    assert Budget.ldp(eps).holds(Joint.from_counts([[10], [14]])).all()


def vertices_for_two(first: list[Fraction], low: Fraction, up: Fraction) -> int:
    """Vertices of {v : low <= sum v_x l_x <= up}, two sensitive values: unit vectors inside, and crossings of an end."""
    inside = sum(low <= v <= up for v in first)
    crossings = sum(a < end < b or b < end < a for a, b in itertools.combinations(first, 2) for end in (low, up))
    return inside + crossings


def test_e9_for_a_fixed_number_of_sensitive_values_the_vertices_are_polynomially_many() -> None:
    """'Exponential in |X| - 1': with two sensitive values there are at most |X|^2."""
    for n in (6, 12, 24):
        first = [Fraction(2 * i + 1, n) for i in range(n)]
        count = vertices_for_two(first, Fraction(4, 5), Fraction(6, 5))
        assert count <= n * n
        assert n < 12 or count < 2 ** (n - 1)


def test_e10_ldp_is_decided_value_by_value_like_alip() -> None:
    """'Dimension |X| (|X| - 1)': whether a released value keeps LDP depends on its own posterior alone."""
    budget = Budget("ldp", None, Fraction(3, 2))
    rng = np.random.default_rng(1)
    for _ in range(100):
        shares = rng.integers(0, 20, 5)
        alone = [[int(a), 20 - int(a)] for a in shares]
        cut = [[int(a), int(20 - a) // 2, 20 - int(a) - int(20 - a) // 2] for a in shares]
        joint = Joint.from_counts(rng.integers(1, 30, (3, 5)))
        if shares.sum() == 0:
            continue
        verdicts = [budget.holds(joint.through(Channel.from_shares(rows)))[0] for rows in (alone, cut)]
        assert verdicts[0] == verdicts[1]


def test_e11_l1_chi2_and_alpha_lift_are_convex() -> None:
    """'ORR is not applicable since their constraints are not convex': mixing two allowed posteriors stays allowed."""
    budgets = [Budget.parse(t) for t in ("l1:none,0.3", "chi2:none,0.5", "alpha:2,none,0.1", "alpha:2,0.3,none")]
    rng = np.random.default_rng(2)
    seen = dict.fromkeys(budgets, 0)
    for _ in range(400):
        joint = Joint.from_counts(rng.integers(1, 12, (3, 4)))
        mixed = joint.merge([[0, 1], [2], [3]])
        for budget in budgets:
            if budget.holds(joint)[:2].all():
                seen[budget] += 1
                assert budget.holds(mixed)[0]
    assert min(seen.values()) > 20


def test_e11_their_means_are_bounded_by_fractions_of_the_parts() -> None:
    """The same in numbers: chi2-lift of a mean is at most the mean of the chi2-lifts."""
    joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    prior = [Fraction(int(n), joint.total) for n in joint.sensitive_counts]

    def chi2(values: list[Fraction]) -> Fraction:
        return sum((p * (v - 1) ** 2 for p, v in zip(prior, values, strict=True)), Fraction(0))

    a, b = lifts(joint, 0), lifts(joint, 1)
    mean = [(u + v) / 2 for u, v in zip(a, b, strict=True)]
    assert chi2(mean) == 0 < (chi2(a) + chi2(b)) / 2
