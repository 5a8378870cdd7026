"""Merging: exact where it says exact, in order of strength, inside the budget in whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import certify
from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.mechanisms import MECHANISMS, utility
from liftgate.mechanisms.as_printed import watchdog
from liftgate.mechanisms.blocks import RISKS, block_channel, members, repaired, risky
from liftgate.mechanisms.merge_best import merge_best
from liftgate.mechanisms.merge_subsets import merge_subsets, subset_blocks

Maker = Callable[..., Joint]
BudgetMaker = Callable[..., Budget]


def partitions(n: int) -> Iterator[list[int]]:
    """All partitions of n values as block numbers in order of first appearance."""

    def extend(start: list[int], most: int) -> Iterator[list[int]]:
        if len(start) == n:
            yield start
            return
        for b in range(most + 1):
            yield from extend([*start, b], max(most, b + 1))

    yield from extend([], 0)


def best_by_hand(joint: Joint, budget: Budget) -> float:
    """The largest NMI over all partitions that keep the budget; the verdict on every block is exact."""
    n = len(joint.public)
    allowed: dict[int, bool] = {}
    for mask in range(1, 1 << n):
        inside = np.array([mask >> x & 1 for x in range(n)])
        two = Joint(np.stack([joint.counts @ inside, joint.counts @ (1 - inside)], axis=1), joint.sensitive, (0, 1))
        allowed[mask] = bool(budget.holds(two)[0])
    p = joint.public_share
    h_x = -float(np.sum(p * np.log(p)))
    best = 0.0
    for block in partitions(n):
        masks: dict[int, int] = {}
        for x, b in enumerate(block):
            masks[b] = masks.get(b, 0) | 1 << x
        if all(allowed[m] for m in masks.values()):
            y = np.bincount(block, weights=p)
            best = max(best, -float(np.sum(y * np.log(y))) / h_x)
    return best


def check_exact(make_joint: Maker, make_budget: BudgetMaker, seeds: range, sizes: range) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        joint = make_joint(rng, columns=int(rng.integers(sizes.start, sizes.stop)))
        budget = make_budget(rng, True)
        design = merge_best(joint, budget)
        assert design.notes == ("best of all partitions (exact)",)
        assert utility(joint, design.channel) == pytest.approx(best_by_hand(joint, budget), abs=1e-12)


def test_merge_best_equals_the_search_over_all_partitions(make_joint: Maker, make_budget: BudgetMaker) -> None:
    check_exact(make_joint, make_budget, range(40), range(2, 7))
    check_exact(make_joint, make_budget, range(40, 46), range(7, 8))


@pytest.mark.slow
def test_merge_best_equals_the_search_over_all_partitions_up_to_nine_values(
    make_joint: Maker, make_budget: BudgetMaker
) -> None:
    check_exact(make_joint, make_budget, range(100, 130), range(8, 10))


def sweep(make_joint: Maker, make_budget: BudgetMaker, seeds: range) -> None:
    """Whole numbers and the checker agree that every release is inside; merge-best is never below the others."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        joint, budget = make_joint(rng), make_budget(rng, True)
        kept = {}
        for name in ("merge-all", "merge-subsets"):
            channel = MECHANISMS[name](joint, budget).channel
            assert channel.is_merge
            assert budget.holds(joint.through(channel)).all(), (seed, name)
            assert checker.check(certify(joint, channel, budget, ())).holds, (seed, name)
            kept[name] = utility(joint, channel)
        if seed % 10 == 0 and len(joint.public) <= 12:
            channel = merge_best(joint, budget).channel
            assert budget.holds(joint.through(channel)).all(), seed
            assert utility(joint, channel) >= kept["merge-subsets"] - 1e-12, seed
            assert utility(joint, channel) >= kept["merge-all"] - 1e-12, seed


def test_no_merge_of_2000_random_tables_leaves_its_budget(make_joint: Maker, make_budget: BudgetMaker) -> None:
    sweep(make_joint, make_budget, range(2_000))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100_000, 10_000))
def test_no_merge_of_100000_random_tables_leaves_its_budget(
    first: int, make_joint: Maker, make_budget: BudgetMaker
) -> None:
    sweep(make_joint, make_budget, range(first, first + 10_000))


def test_annealing_is_never_below_merge_subsets_and_says_best_found(make_joint: Maker) -> None:
    for seed in range(3):
        joint = make_joint(np.random.default_rng(seed), 4, 24)
        budget = Budget.split("0.7", "0.5")
        design = merge_best(joint, budget, seconds=1)
        assert design.notes == ("best partition found",)
        assert utility(joint, design.channel) >= utility(joint, merge_subsets(joint, budget).channel) - 1e-12


def test_low_risk_values_may_be_merged_where_that_keeps_more() -> None:
    joint = Joint.from_counts([[60, 40, 1, 99], [40, 60, 39, 61]])
    budget = Budget.between("0.55", "1.45")
    assert risky(joint, budget).tolist() == [False, False, True, False]
    assert budget.holds(joint.through(merge_best(joint, budget).channel)).all()
    assert len(merge_best(joint, budget).channel.released) == 3


def test_every_metric_can_be_chosen_and_best_is_the_best_of_them(make_joint: Maker) -> None:
    joint, budget = make_joint(np.random.default_rng(3), 5, 17), Budget.split(1, "0.65")
    each = {m: utility(joint, merge_subsets(joint, budget, metric=m).channel) for m in RISKS}
    assert utility(joint, merge_subsets(joint, budget).channel) == max(each.values())
    with pytest.raises(UsageError, match=r"'omega' is not known. Fix: use one of best, sum, max, ratio, budget"):
        merge_subsets(joint, budget, metric="omega")


def test_merging_is_deterministic(make_joint: Maker) -> None:
    joint = make_joint(np.random.default_rng(9), 4, 18)
    for name in ("merge-all", "merge-subsets", "merge-best"):
        first, second = (MECHANISMS[name](joint, Budget.lip("0.3"), seconds=600).channel for _ in range(2))
        assert first.released == second.released


def test_only_risky_values_are_merged_by_algorithm_1() -> None:
    joint = Joint.from_counts([[9, 1, 8, 2, 50], [1, 9, 2, 8, 50]])
    budget = Budget.lip("0.1")
    blocks = members(subset_blocks(joint, budget, "sum"))
    assert sorted(map(len, blocks)) == [1, 2, 2]
    assert [4] in blocks


def test_repair_takes_in_low_risk_values_until_the_block_fits() -> None:
    joint = Joint.from_counts([[9, 8, 40, 43], [1, 2, 40, 57]], public=list("abcd"))
    budget = Budget.lip("0.2")
    block = np.array([0, 0, 1, 2])
    assert not budget.holds(joint.through(block_channel(joint, block)))[0]
    fixed = repaired(joint, budget, block)
    assert budget.holds(joint.through(block_channel(joint, fixed))).all()
    assert "merged in" in MECHANISMS["merge-all"](joint, budget).notes[0]


def test_counts_beyond_int64_are_merged_exactly() -> None:
    big = 10**30
    joint = Joint.from_counts(np.array([[9 * big, big, 5 * big], [big, 9 * big, 5 * big + 1]], dtype=object))
    for name in ("merge-all", "merge-subsets", "merge-best"):
        budget = Budget.lip("0.01")
        assert budget.holds(joint.through(MECHANISMS[name](joint, budget).channel)).all()


def random_values(n: int, seed: int = 0) -> Joint:
    rng = np.random.default_rng(seed)
    return Joint.from_counts(rng.integers(1, 1000, (5, n)))


def blocks_of(joint: Joint, metric: str, candidates: int | None = None, seed: int = 0) -> NDArray[np.int64]:
    return subset_blocks(joint, Budget.split(1, "0.5"), metric, seed, candidates)


def test_256_random_partners_cost_at_most_1e_4_nmi_at_3000_values() -> None:
    """Mean over tables, metrics and seeds; single runs differ by that much in both directions."""
    lost = []
    for table in range(3):
        joint = random_values(3000, table)
        for metric in RISKS:
            full = utility(joint, block_channel(joint, blocks_of(joint, metric, 3000)))
            fast = [utility(joint, block_channel(joint, blocks_of(joint, metric, None, seed))) for seed in range(4)]
            lost += [full - f for f in fast]
    assert np.mean(lost) <= 1e-4
    assert max(lost) <= 2e-3


@pytest.mark.slow
def test_merge_subsets_is_linear_in_the_number_of_risky_values() -> None:
    import time

    def seconds(joint: Joint) -> float:
        best = np.inf
        for _ in range(3):
            start = time.process_time()
            blocks_of(joint, "sum")
            best = min(best, time.process_time() - start)
        return best

    small, large = random_values(10_000), random_values(100_000)
    assert seconds(large) <= 12 * seconds(small)


def test_ldp_has_fewer_risky_values_and_complete_merging_keeps_more(make_joint: Maker) -> None:
    """LIFT Prop. 2: low <= lift <= up bounds the ratio by up / low, so X_H' of LDP lies inside X_H of ALIP."""
    strict = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        joint = make_joint(rng)
        low, up = Fraction(int(rng.integers(1, 100)), 100), Fraction(int(rng.integers(101, 300)), 100)
        alip, ldp = Budget.between(low, up), Budget("ldp", None, up / low)
        assert not (risky(joint, ldp) & ~risky(joint, alip)).any()
        more, less = (utility(joint, watchdog(joint, budget)) for budget in (ldp, alip))
        assert more >= less - 1e-12
        strict += more > less + 1e-9
    assert strict > 50
