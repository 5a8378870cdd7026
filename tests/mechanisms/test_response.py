"""The response mechanisms: optimal against vertex enumeration, order of strength, time limit, progress."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import certify, optimal_utility
from liftgate.channel import Channel
from liftgate.joint import Joint
from liftgate.mechanisms import MECHANISMS, utility
from liftgate.mechanisms.grouped import Grouped
from liftgate.mechanisms.merge_best import merge_best
from liftgate.mechanisms.optimal import optimal
from liftgate.mechanisms.subset_response import subset_response

Floats = NDArray[np.float64]
Maker = Callable[..., Joint]
BudgetMaker = Callable[..., Budget]


def rows_of(joint: Joint, budget: Budget) -> Floats:
    """The budget on a posterior v as ``rows v >= 0`` (bounds times sum v = 1 for alip; all pairs for ldp)."""
    lift = np.asarray(joint.lift)
    if budget.kind == "alip":
        assert budget.low is not None
        assert budget.up is not None
        return np.vstack([lift - float(budget.low), float(budget.up) - lift])
    assert budget.up is not None
    pairs = itertools.permutations(range(len(lift)), 2)
    return np.array([float(budget.up) * lift[t] - lift[s] for s, t in pairs])


def vertices(rows: Floats) -> Floats:
    """All vertices of ``v >= 0, sum v = 1, rows v >= 0`` by trying every set of active constraints."""
    n = rows.shape[1]
    every = np.vstack([np.eye(n), rows])
    found: dict[bytes, Floats] = {}
    for active in itertools.combinations(range(len(every)), n - 1):
        system = np.vstack([np.ones(n), every[list(active)]])
        if abs(np.linalg.det(system)) < 1e-11:
            continue
        v = np.linalg.solve(system, np.eye(n)[0])
        if (every @ v >= -1e-10).all():
            found[np.round(v, 8).tobytes()] = np.maximum(v, 0)
    return np.array(list(found.values()))


def optimum_by_enumeration(joint: Joint, budget: Budget) -> float:
    """Largest NMI: a linear programme over all vertices."""
    from scipy.optimize import linprog

    points = vertices(rows_of(joint, budget))
    costs = -np.sum(np.where(points > 0, points * np.log(np.where(points > 0, points, 1)), 0), axis=1)
    p = np.asarray(joint.public_share)
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    answer = linprog(costs, A_eq=points.T, b_eq=p, method="highs", options=options)
    assert answer.status == 0
    return 1 - float(answer.fun) / -float(np.sum(p * np.log(p)))


def check_against_enumeration(make_joint: Maker, seeds: range) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        joint = make_joint(rng, int(rng.integers(2, 4)), int(rng.integers(2, 6)))
        eps = round(float(10.0 ** rng.uniform(-1, 0.6)), 3)
        budget = Budget.parse(("split:{e},0.5", "split:{e},0.35", "ldp:{e}", "ldp:{e}")[seed % 4].format(e=eps))
        truth = 1.0 if budget.holds(joint).all() else optimum_by_enumeration(joint, budget)
        design = optimal(joint, budget, gap=2e-9)
        kept = utility(joint, design.channel)
        assert kept == pytest.approx(truth, abs=1e-8), (seed, budget.text)
        assert design.search_bound is not None
        assert design.search_bound >= truth - 1e-10
        assert design.bound is not None
        assert float(design.bound) >= truth - 1e-10


def test_optimal_equals_vertex_enumeration_on_20_small_tables(make_joint: Maker) -> None:
    check_against_enumeration(make_joint, range(20))


@pytest.mark.slow
def test_optimal_equals_vertex_enumeration_on_200_small_tables(make_joint: Maker) -> None:
    check_against_enumeration(make_joint, range(20, 220))


def sweep(make_joint: Maker, make_budget: BudgetMaker, seeds: range) -> None:
    """Whole numbers and the checker agree that every release is inside, and no release is above a bound."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        joint, budget = make_joint(rng), make_budget(rng)
        response = subset_response(joint, budget, seconds=2, gap=1e-4)
        best = optimal(joint, budget, seconds=1, gap=1e-3)
        assert budget.holds(joint.through(response.channel)).all(), seed
        assert budget.holds(joint.through(best.channel)).all(), seed
        for channel in (response.channel, best.channel):
            assert checker.check(certify(joint, channel, budget, ())).holds, seed
        kept = utility(joint, best.channel)
        assert best.search_bound is not None
        assert best.bound is not None
        assert kept <= best.search_bound + 1e-12, seed
        assert kept <= float(best.bound) + 1e-12, seed
        assert utility(joint, response.channel) <= best.search_bound + 1e-9, seed
        if best.search_bound - kept <= 1e-3:
            assert utility(joint, response.channel) <= kept + 1e-3, seed
        if best.proof is not None:
            assert checker.check(optimal_utility(joint, best.channel, budget, best.proof, ())).holds, seed


def test_no_response_to_60_random_tables_leaves_its_budget(make_joint: Maker, make_budget: BudgetMaker) -> None:
    sweep(make_joint, make_budget, range(60))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 3_000, 300))
def test_no_response_to_3000_random_tables_leaves_its_budget(
    first: int, make_joint: Maker, make_budget: BudgetMaker
) -> None:
    sweep(make_joint, make_budget, range(first, first + 300))


@pytest.mark.parametrize("text", ["split:1,0.5", "split:2,0.65", "ldp:0.5"])
def test_optimal_merging_and_subset_response_are_in_order(make_joint: Maker, text: str) -> None:
    budget = Budget.parse(text)
    for seed in range(4):
        joint = make_joint(np.random.default_rng(seed), 4, 10)
        kept = utility(joint, optimal(joint, budget).channel)
        merged = utility(joint, merge_best(joint, budget).channel)
        assert kept >= merged - 1e-6
        assert kept >= utility(joint, subset_response(joint, budget).channel) - 1e-6
        assert merged >= utility(joint, MECHANISMS["merge-subsets"](joint, budget).channel) - 1e-12


@pytest.mark.slow
def test_the_order_of_strength_holds_for_300_random_tables_and_every_budget(
    make_joint: Maker, make_budget: BudgetMaker
) -> None:
    """optimal >= merge-best >= merge-subsets, and optimal >= subset-response, also where a search does not close."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        joint, budget = make_joint(rng), make_budget(rng)
        kept = utility(joint, optimal(joint, budget, seconds=10).channel)
        merged = utility(joint, merge_best(joint, budget, seconds=1).channel)
        assert kept >= merged - 1e-9, seed
        assert merged >= utility(joint, MECHANISMS["merge-subsets"](joint, budget).channel) - 1e-12, seed
        assert kept >= utility(joint, subset_response(joint, budget, seconds=5).channel) - 1e-6, seed


def test_ldp_is_its_own_problem_and_keeps_at_least_as_much_as_alip_with_the_same_total(make_joint: Maker) -> None:
    for seed in range(4):
        joint = make_joint(np.random.default_rng(seed), 3, 7)
        free = utility(joint, optimal(joint, Budget.ldp(1)).channel)
        halves = [utility(joint, optimal(joint, Budget.split(1, lam)).channel) for lam in ("0.35", "0.5", "0.65")]
        assert free >= max(halves) - 1e-6
        assert free > min(halves) + 1e-6 or free == pytest.approx(1)


def test_equal_columns_are_told_apart_for_free() -> None:
    narrow = Joint.from_counts([[30, 10, 20], [10, 30, 20]])
    wide = Joint.from_counts([[15, 15, 10, 8, 12], [5, 5, 30, 8, 12]])
    budget = Budget.lip("0.4")
    assert [len(g) for g in Grouped.of(wide).groups] == [2, 1, 2]

    def lost(joint: Joint) -> float:
        p = np.asarray(joint.public_share)
        return (1 - utility(joint, optimal(joint, budget, gap=1e-8).channel)) * -float(np.sum(p * np.log(p)))

    assert lost(wide) == pytest.approx(lost(narrow), abs=1e-7)


def test_spread_keeps_mean_and_entropy() -> None:
    joint = Joint.from_counts([[1, 2, 3, 4, 5, 6], [1, 2, 3, 1, 1, 1]])
    grouped = Grouped.of(joint)
    u = np.array([[0.5, 0.2, 0.3, 0.0], [0.25, 0.25, 0.25, 0.25]])
    points, weights = grouped.spread(u, np.array([0.5, 0.5]))
    assert weights.sum() == pytest.approx(1)
    assert np.allclose([grouped.gathered(v) for v in points[:3]], u[0])
    for v in points:
        assert sorted(v[v > 0]) in ([pytest.approx(s) for s in sorted(row[row > 0])] for row in u)
    mean = weights @ points
    inside = mean[:3] / mean[:3].sum()
    assert np.allclose(inside, [1 / 6, 2 / 6, 3 / 6])


def test_a_stop_after_a_moment_still_returns_a_release_and_a_bound() -> None:
    joint = Joint.from_counts(np.random.default_rng(5).integers(1, 1000, (12, 150)))
    budget = Budget.split("0.5", "0.5")
    optimal(Joint.from_counts([[3, 1], [1, 3]]), Budget.lip("0.1"))
    design = optimal(joint, budget, seconds=2)
    kept = utility(joint, design.channel)
    assert budget.holds(joint.through(design.channel)).all()
    assert kept > utility(joint, MECHANISMS["merge-subsets"](joint, budget).channel)
    assert design.bound == 1
    assert design.search_bound is not None
    assert kept < design.search_bound <= 1
    assert any(note.startswith("stopped after ") for note in design.notes)


def test_progress_is_told_and_can_stop_the_search() -> None:
    joint = Joint.from_counts(np.random.default_rng(6).integers(1, 1000, (10, 120)))
    seen: list[tuple[float, float]] = []

    def stop(found: float, bound: float) -> bool:
        seen.append((found, bound))
        return len(seen) < 3

    begin = time.perf_counter()
    design = optimal(joint, Budget.split("0.5", "0.5"), seconds=300, progress=stop)
    assert len(seen) == 3
    assert time.perf_counter() - begin < 150
    assert all(0 <= found <= bound <= 1 for found, bound in seen)
    assert any(note.startswith("cancelled: ") for note in design.notes)


def test_a_search_that_closes_gives_the_same_release_on_a_slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time decides when to stop and nothing else, so that a design repeats, and keyed draws with it."""
    from liftgate.mechanisms._solver import pricing

    joint = Joint.from_counts(np.random.default_rng(5).integers(1, 1000, (5, 40)))
    for text in ("split:1,0.5", "ldp:0.5"):
        fast = optimal(joint, Budget.parse(text)).channel
        with monkeypatch.context() as patch:
            patch.setattr(pricing, "SLICE", 1e-9)
            slow = optimal(joint, Budget.parse(text)).channel
        assert fast.outputs() == slow.outputs()


def test_responses_inside_blocks_do_not_cross_them() -> None:
    joint = Joint.from_counts([[9, 1, 8, 2, 50], [1, 9, 2, 8, 50]], public=list("abcde"))
    design = subset_response(joint, Budget.lip("0.3"))
    flow = design.channel.matrix
    assert isinstance(design.channel, Channel)
    together = (flow > 0).astype(int) @ (flow > 0).T.astype(int) > 0
    assert together[4].tolist() == [False, False, False, False, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lam", "values"), [("0.5", (0.768, 0.851, 0.935, 0.988)), ("0.65", (0.756, 0.848, 0.952, 0.996))]
)
def test_the_headline_numbers_of_100_draws(lam: str, values: tuple[float, ...]) -> None:
    for eps, value in zip(("0.5", "1", "2", "4"), values, strict=True):
        kept = []
        for seed in range(100):
            table = np.random.default_rng(seed).random((5, 17))
            joint = Joint.from_probabilities(table / table.sum())
            budget = Budget.split(eps, lam)
            design = optimal(joint, budget, gap=1e-5)
            kept.append(utility(joint, design.channel))
            assert design.search_bound is not None
            assert design.search_bound - kept[-1] <= 1e-5
        assert np.mean(kept) == pytest.approx(value, abs=0.01)
