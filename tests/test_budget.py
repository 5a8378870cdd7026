"""Budgets: exact decisions, inward rounding, and refusals that say what to write instead."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate.budget import Budget
from liftgate.errors import BudgetError, DataError
from liftgate.exact import exp_enclosure
from liftgate.joint import Joint

joints = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 6), min_size=m, max_size=m), min_size=1, max_size=4)
).filter(lambda rows: any(any(r) for r in rows))  # fmt: skip
bounds = st.fractions(min_value=0, max_value=3, max_denominator=12)


def lifts(rows: list[list[int]]) -> tuple[list[Fraction], list[list[Fraction] | None]]:
    """P(s) and the lifts of every column, from the definitions, empty rows left out."""
    rows = [r for r in rows if any(r)]
    n = sum(map(sum, rows))
    prior = [Fraction(sum(r), n) for r in rows]
    out: list[list[Fraction] | None] = []
    for column in zip(*rows, strict=True):
        out.append([Fraction(c, sum(column)) / p for c, p in zip(column, prior, strict=True)] if any(column) else None)
    return prior, out


def value(kind: str, order: int, prior: list[Fraction], ratios: list[Fraction]) -> Fraction:
    """l1, chi2, or the alpha-lift to the power alpha, of lifts or their inverses."""
    if kind == "l1":
        return sum((p * abs(r - 1) for p, r in zip(prior, ratios, strict=True)), Fraction(0))
    if kind == "chi2":
        return sum((p * (r - 1) ** 2 for p, r in zip(prior, ratios, strict=True)), Fraction(0))
    return sum((p * r**order for p, r in zip(prior, ratios, strict=True)), Fraction(0))


@given(joints, bounds, bounds)
def test_alip_and_ldp_decide_as_their_definitions(rows: list[list[int]], a: Fraction, b: Fraction) -> None:
    joint = Joint.from_counts(rows)
    _, columns = lifts(rows)
    alip = Budget.between(min(a, 1), b + 1)
    assert alip.holds(joint).tolist() == [c is None or (min(c) >= min(a, 1) and max(c) <= b + 1) for c in columns]
    ldp = Budget("ldp", None, b + 1)
    assert ldp.holds(joint).tolist() == [c is None or max(c) <= (b + 1) * min(c) for c in columns]


@given(joints, st.sampled_from(["l1", "chi2", "alpha"]), st.integers(2, 5), bounds, bounds)
def test_lift_based_budgets_decide_as_their_definitions(
    rows: list[list[int]], kind: str, order: int, a: Fraction, b: Fraction
) -> None:
    joint = Joint.from_counts(rows)
    prior, columns = lifts(rows)
    floor = 1 if kind == "alpha" else 0
    power = order if kind == "alpha" else 1
    budget = Budget(kind, a + floor, b + floor, Fraction(order) if kind == "alpha" else None)
    expected = []
    for c in columns:
        up = c is None or value(kind, order, prior, c) <= (b + floor) ** power
        low = c is None or (min(c) > 0 and value(kind, order, prior, [1 / r for r in c]) <= (a + floor) ** power)
        expected.append(up and low)
    assert budget.holds(joint).tolist() == expected


@given(joints, bounds)
def test_rational_orders_agree_with_floats_away_from_the_edge(rows: list[list[int]], b: Fraction) -> None:
    joint = Joint.from_counts(rows)
    prior, columns = lifts(rows)
    got = Budget("alpha", None, b + 1, Fraction(3, 2)).holds(joint).tolist()
    for ok, c in zip(got, columns, strict=True):
        if c is not None:
            alpha_lift = sum(float(p) * float(r) ** 1.5 for p, r in zip(prior, c, strict=True)) ** (2 / 3)
            if abs(alpha_lift - float(b + 1)) > 1e-9:
                assert ok == (alpha_lift < float(b + 1))


def test_bounds_are_decided_at_the_edge() -> None:
    joint = Joint.from_counts([[3, 1], [1, 3]])
    assert Budget.between("1/2", "3/2").holds(joint).all()
    assert not Budget.between("1/2", Fraction(3, 2) - Fraction(1, 10**30)).holds(joint).any()
    assert not Budget.between(Fraction(1, 2) + Fraction(1, 10**30), 2).holds(joint).any()


def test_large_counts_do_not_overflow() -> None:
    """Lift exactly 2 at counts of 2^60: int64 products would wrap around."""
    joint = Joint.from_counts([[2**60, 0], [0, 2**60]])
    assert Budget.between(0, 2).holds(joint).all()
    assert not Budget.between(0, Fraction(2) - Fraction(1, 2**200)).holds(joint).any()


def test_cells_outside_name_the_cell() -> None:
    joint = Joint.from_counts([[30, 10, 1], [10, 30, 1]])
    assert Budget.between("3/4", 2).cells_outside(joint).tolist() == [[False, True, False], [True, False, False]]
    assert Budget.ldp(1).cells_outside(joint).tolist() == [[True, True, False]] * 2


@given(st.fractions(0, 8, max_denominator=1000), st.fractions(0, 8, max_denominator=1000))
def test_epsilons_are_rounded_inwards(low: Fraction, up: Fraction) -> None:
    budget = Budget.alip(low, up)
    assert budget.low is not None
    assert budget.up is not None
    assert budget.low >= exp_enclosure(-low, 300).lower
    assert budget.up <= exp_enclosure(up, 300).upper
    assert float(budget.low) == pytest.approx(math.exp(-low), rel=1e-8)
    assert float(budget.up) == pytest.approx(math.exp(up), rel=1e-11)
    assert Budget.split(low + up, "1/2") == Budget("alip", *[getattr(Budget.lip((low + up) / 2), k) for k in ("low", "up")], asked=f"split:{low + up},1/2")  # fmt: skip


def test_budget_zero_allows_only_silence() -> None:
    silent = Joint.from_counts([[1, 2], [2, 4]])
    for budget in (Budget.lip(0), Budget.ldp(0), Budget.l1(0, 0), Budget.chi2(0, 0), Budget.alpha(2, 0, 0)):
        assert budget.holds(silent).all()
        assert not budget.holds(Joint.from_counts([[1, 2], [2, 3]])).any()


def test_breach_bounds_are_those_of_prop_a1() -> None:
    budget = Budget.breach("1/10", "1/2")
    assert (budget.low, budget.up) == (Fraction(5, 9), 5)


def test_lift_section_6_limits() -> None:
    e = float(Budget.l1(None, 1).up or 0) + 1
    assert e == pytest.approx(math.e, rel=1e-11)
    assert float(Budget.chi2(1, None).low or 0) == pytest.approx((math.e - 1) ** 2, rel=1e-11)
    assert Budget.alpha(10, 1, None).up is None


@pytest.mark.parametrize(
    "text", ["alip:1,1", "lip:0.5", "ldp:2", "split:2,0.35", "l1:1,none", "chi2:none,1", "alpha:10,1,1", "alpha:3/2,none,1", "breach:0.1,0.5", "between:1/2,2"]
)  # fmt: skip
def test_short_forms_and_json_round_trip(text: str) -> None:
    budget = Budget.parse(text)
    assert budget.text == text
    again = Budget.from_dict(budget.to_dict())
    assert (again.kind, again.low, again.up, again.order) == (budget.kind, budget.low, budget.up, budget.order)
    assert Budget.parse(Budget.parse(text).text) == budget
    assert budget.sentence


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alp:1,1", "did you mean al"),
        ("alip:1", "needs 2"),
        ("alip:-1,1", "below 0"),
        ("alip:1,none", "side is missing"),
        ("alip:a,1", "not a number"),
        ("ldp:", "needs 1"),
        ("between:2,3", "low must be"),
        ("between:1/2,0.9", "up at least 1"),
        ("l1:none,none", "both sides"),
        ("alpha:1,1,1", "greater than 1"),
        ("breach:0.5,0.1", "0 < rho1 < rho2 < 1"),
        ("split:1,2", "between 0 and 1"),
        ("alip:1e9,1", "allows everything"),
    ],
)
def test_wrong_budgets_say_what_to_write(text: str, message: str) -> None:
    with pytest.raises((BudgetError, DataError), match=message):
        Budget.parse(text)


def test_values_that_never_occur_keep_every_budget() -> None:
    joint = Joint.from_counts([[1, 0], [2, 0], [0, 0]])
    for budget in (Budget.lip(0), Budget.ldp(0), Budget.l1(0, 0)):
        assert budget.holds(joint).tolist() == [True, True]
    assert np.array_equal(Budget.lip(0).cells_outside(joint), np.zeros((3, 2), dtype=bool))
