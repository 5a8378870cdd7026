"""Optimal responses under l1-, chi2- and alpha-lift: the truth lies between the two sides, and the gap closes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.joint import Joint
from liftgate.mechanisms import utility
from liftgate.mechanisms._solver.convex import Convex, chords, tangents
from liftgate.mechanisms.merge_best import merge_best
from liftgate.mechanisms.optimal import optimal

Floats = NDArray[np.float64]
Maker = Callable[..., Joint]
FORMS = (
    "l1:none,{e}", "chi2:none,{e}", "alpha:2,none,{e}", "alpha:10,none,{e}", "alpha:2,{e},{e}", "alpha:10,{e},{e}",
    "alpha:3,{e},none",
)  # fmt: skip
KINDS = (
    Convex("l1", 0.3), Convex("chi2", 0.2), Convex("alpha", 1.5, 2.0), Convex("alpha", 8.0, 10.0),
    Convex("alpha-inverse", 2.0, 2.0),
)  # fmt: skip


def allowed_lifts(joint: Joint, budget: Budget) -> tuple[float, float]:
    """For two sensitive values the budget is an interval of the first lift; its ends by bisection."""
    p = np.asarray(joint.prior)

    def keeps(first: float) -> bool:
        lift = np.array([first, (1 - p[0] * first) / p[1]])
        if lift.min() < 0:
            return False
        order = float(budget.order or 2)
        with np.errstate(divide="ignore"):
            value = {
                "l1": lambda r: p @ np.abs(r - 1),
                "chi2": lambda r: p @ (r - 1) ** 2,
                "alpha": lambda r: (p @ r**order) ** (1 / order),
            }[budget.kind]
            up = budget.up is None or value(lift) <= float(budget.up)
            return bool(up and (budget.low is None or value(1 / lift) <= float(budget.low)))

    ends = []
    for far in (0.0, 1 / p[0]):
        near = 1.0
        if keeps(far):
            ends.append(far)
            continue
        for _ in range(200):
            middle = (near + far) / 2
            near, far = (middle, far) if keeps(middle) else (near, middle)
        ends.append(near)
    return ends[0], ends[1]


def truth_for_two(joint: Joint, budget: Budget) -> float:
    """The exact optimum: a linear programme over unit vectors inside and two-symbol points on either end."""
    from scipy.optimize import linprog

    low, up = allowed_lifts(joint, budget)
    first = np.asarray(joint.lift)[0]
    n = len(first)
    points = [np.eye(n)[x] for x in range(n) if low <= first[x] <= up]
    for x in range(n):
        for z in range(n):
            for end in (low, up):
                if first[x] < end < first[z]:
                    v = np.zeros(n)
                    v[z] = (end - first[x]) / (first[z] - first[x])
                    v[x] = 1 - v[z]
                    points.append(v)
    v = np.array(points)
    costs = -np.sum(np.where(v > 0, v * np.log(np.where(v > 0, v, 1)), 0), axis=1)
    p = np.asarray(joint.public_share)
    answer = linprog(costs, A_eq=v.T, b_eq=p, method="highs")
    assert answer.status == 0
    return 1 - float(answer.fun) / -float(np.sum(p * np.log(p)))


@pytest.mark.parametrize("form", FORMS)
def test_two_sensitive_values_have_an_exact_answer_that_is_met(make_joint: Maker, form: str) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        joint = Joint.from_counts(rng.integers(1, 100, (2, 4)))
        budget = Budget.parse(form.format(e=(0.05, 0.1, 0.2, 0.4, 0.1)[seed]))
        if budget.holds(joint).all():
            continue
        truth = truth_for_two(joint, budget)
        design = optimal(joint, budget, gap=2e-6, seconds=30)
        kept = utility(joint, design.channel)
        assert design.search_bound is not None
        assert design.bound is not None
        assert kept - 1e-7 <= truth <= design.search_bound + 1e-7, (seed, form)
        assert truth <= float(design.bound) + 1e-9
        assert design.search_bound - kept <= 2e-6


@pytest.mark.parametrize("budget", KINDS)
def test_tangents_lie_below_and_chords_above_and_both_are_exact_at_their_points(budget: Convex) -> None:
    prior = 0.3
    low, top = budget.range(prior)
    points = np.linspace(low + 0.05, top - 0.05, 7)
    assert low < 1 < top
    for pieces, sign in ((tangents((budget,), prior, points), -1), (chords((budget,), prior, points), 1)):
        at = np.sort(np.concatenate([np.linspace(pieces.kinks[0], pieces.kinks[-1], 301), points]))
        steps = np.clip(at[:, None] - pieces.kinks[None, :-1], 0, np.diff(pieces.kinks)[None, :])
        line = pieces.start[0] + steps @ pieces.slopes[0]
        assert (sign * (line - budget.phi(at)) >= -1e-9 * (1 + np.abs(line))).all()
        here = np.searchsorted(at, points)
        assert np.allclose(line[here], budget.phi(points), rtol=1e-7)


@pytest.mark.parametrize("form", ["l1:none,0.25", "chi2:none,0.5", "alpha:10,none,0.25", "alpha:2,0.5,0.5"])
def test_seventeen_by_five_closes_and_keeps_more_than_merging(form: str) -> None:
    joint = Joint.from_counts(np.random.default_rng(100).integers(1, 1000, (5, 17)))
    budget = Budget.parse(form)
    design = optimal(joint, budget, gap=1e-5, seconds=60)
    kept = utility(joint, design.channel)
    assert design.search_bound is not None
    assert design.search_bound - kept <= 1e-5
    assert kept > utility(joint, merge_best(joint, budget, seconds=2).channel)
    assert budget.holds(joint.through(design.channel)).all()


@pytest.mark.slow
def test_the_table_of_ten_draws_under_convex_budgets() -> None:
    """Means of the optimum over ten normalised uniform tables, 17 x 5, at total eps .5 and 1."""
    known = {
        "l1:none,0.25": 0.8744,
        "chi2:none,0.25": 0.8435,
        "alpha:10,none,0.25": 0.8847,
        "alpha:2,0.25,0.25": 0.8878,
    }
    for form, value in known.items():
        kept = []
        for seed in range(100, 110):
            table = np.random.default_rng(seed).random((5, 17))
            joint = Joint.from_probabilities(table / table.sum())
            design = optimal(joint, Budget.parse(form), gap=1e-5, seconds=60)
            kept.append(utility(joint, design.channel))
            assert design.search_bound is not None
            assert design.search_bound - kept[-1] <= 1e-5
        assert np.mean(kept) == pytest.approx(value, abs=0.01)
