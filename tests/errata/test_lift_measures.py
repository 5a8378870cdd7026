"""Errata of the measures of LIFT and LIFT0, as exact counterexamples, and the repaired statements."""

from __future__ import annotations

from fractions import Fraction

import pytest

from liftgate.budget import Budget
from liftgate.joint import Joint
from liftgate.measures import MEASURES, implied_by


def lifts(joint: Joint) -> list[list[Fraction]]:
    """The lifts of each released value, exactly."""
    n = joint.total
    rows, columns = [int(v) for v in joint.sensitive_counts], [int(v) for v in joint.public_counts]
    return [[Fraction(int(joint.counts[s, y]) * n, a * b) for s, a in enumerate(rows)] for y, b in enumerate(columns)]


def worst(joint: Joint, name: str, inverse: bool = False) -> Fraction:
    """The l1- or chi2-lift, or its inverse, exactly."""
    prior = [Fraction(int(v), joint.total) for v in joint.sensitive_counts]
    power = 1 if name == "l1" else 2
    return max(
        sum((p * abs((1 / t if inverse else t) - 1) ** power for p, t in zip(prior, column, strict=True)), Fraction(0))
        for column in lifts(joint)
    )


def on_the_diagonal(size: int, diagonal: int, elsewhere: int) -> Joint:
    return Joint.from_counts([[diagonal if s == y else elsewhere for y in range(size)] for s in range(size)])


def test_e1_the_upper_bound_alone_does_not_bound_l1_chi2_and_total_variation() -> None:
    """LIFT Prop. 1-2, 3-1, 3-2 fail when eps_low > eps_up: lift 1/10 on the diagonal of 3 x 3, 29/20 elsewhere."""
    joint = on_the_diagonal(3, 2, 29)
    low, up = min(map(min, lifts(joint))), max(map(max, lifts(joint)))
    assert (low, up) == (Fraction(1, 10), Fraction(29, 20))
    l1, chi2 = worst(joint, "l1"), worst(joint, "chi2")
    assert l1 == Fraction(3, 5) > up - 1 == Fraction(9, 20)
    assert chi2 == Fraction(81, 200) > (up - 1) ** 2 == Fraction(81, 400)
    assert l1 / 2 == Fraction(3, 10) > (up - 1) / 2 == Fraction(9, 40)
    assert l1 == 2 * (up - 1) * (1 - low) / (up - low)  # the repaired bounds, attained
    assert chi2 == (up - 1) * (1 - low)
    bounds = implied_by(Budget.between(low, up))
    for name, true in (("l1-lift", l1), ("chi2-lift", chi2), ("total-variation", l1 / 2), ("chi2", chi2)):
        assert MEASURES[name].of(joint) == pytest.approx(float(true), rel=1e-14)
        assert bounds[name] == pytest.approx(float(true), rel=1e-14)


def test_e1_the_printed_bounds_follow_when_both_sides_are_equal() -> None:
    """For low = 1/up the true bounds are at most the printed ones."""
    for up in (Fraction(11, 10), Fraction(3, 2), Fraction(5)):
        low = 1 / up
        assert 2 * (up - 1) * (1 - low) / (up - low) <= up - 1
        assert (up - 1) * (1 - low) <= (up - 1) ** 2


def test_e2_the_lower_bound_alone_does_not_bound_the_inverse_measures() -> None:
    """LIFT Prop. 5-1, 5-2 fail when eps_up > eps_low: lift 3/2 on the diagonal of 6 x 6, 9/10 elsewhere."""
    joint = on_the_diagonal(6, 5, 3)
    low, up = min(map(min, lifts(joint))), max(map(max, lifts(joint)))
    assert (low, up) == (Fraction(9, 10), Fraction(3, 2))
    l1, chi2 = worst(joint, "l1", inverse=True), worst(joint, "chi2", inverse=True)
    assert l1 == Fraction(4, 27) > 1 / low - 1 == Fraction(1, 9)
    assert chi2 == Fraction(7, 243) > (1 / low - 1) ** 2 == Fraction(1, 81)
    assert l1 == (1 - low) * (up - 1) * (low + up) / (low * up * (up - low))  # the repaired bounds, attained
    assert chi2 == (1 - low) * (up - 1) * (low + up - low * up) / (low * up) ** 2
    bounds = implied_by(Budget.between(low, up))
    for name, true in (("l1-lift-inverse", l1), ("chi2-lift-inverse", chi2)):
        assert MEASURES[name].of(joint) == pytest.approx(float(true), rel=1e-14)
        assert bounds[name] == pytest.approx(float(true), rel=1e-14)


@pytest.mark.parametrize(
    ("name", "counts", "before", "after"),
    [
        ("l1", [[3, 2, 2], [1, 1, 6], [4, 5, 5]], Fraction(1897, 4205), Fraction(17269, 37845)),
        ("chi2", [[2, 1, 1], [1, 2, 1], [1, 1, 14]], Fraction(35, 18), Fraction(475, 243)),
    ],
)
def test_e3_merging_two_released_values_can_raise_the_inverse_measures(
    name: str, counts: list[list[int]], before: Fraction, after: Fraction
) -> None:
    """LIFT Def. 6: l1- and chi2-lift-inverse break data processing."""
    joint = Joint.from_counts(counts)
    merged = joint.merge([[0, 1], [2]])
    assert worst(joint, name, inverse=True) == before
    assert worst(merged, name, inverse=True) == after > before
    assert not MEASURES[f"{name}-lift-inverse"].survives_merging
