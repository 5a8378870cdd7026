"""The exact curve and the inverse question."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from liftgate.errors import LiftgateError
from liftgate.transparency import DecisionRules, announce, curve, fidelity_for


def test_breakpoints_of_the_paper(credit):
    """Figure 5: female .928571, .888889, .727273, male .659091 (exactly 13/14, 8/9, 8/11, 29/44)."""
    found = curve(credit).breakpoints
    assert found["Female"] == (F(13, 14), F(8, 9), F(8, 11))
    assert found["Male"] == (F(29, 44),)
    female = curve(credit).groups[0]
    assert [p.binding for p in female.pieces] == [
        "positive outcome",
        "both outcomes together",
        "negative outcome",
        "largest group share",
    ]
    assert (female.at(1), female.at(0)) == (1, F(3, 5))
    assert (curve(credit).groups[1].at(1), curve(credit).groups[1].at(0)) == (F(18, 25), F(9, 20))


def test_curve_equals_the_announcement_everywhere():
    """At random deltas and at every breakpoint the curve is the exact optimum; the pieces join."""
    rng = np.random.default_rng(1)
    most = 0
    for _ in range(25):
        m = int(rng.integers(1, 6))
        rule = np.array([F(int(v), 6) for v in rng.integers(0, 7, m)], dtype=object)
        rules = DecisionRules.from_arrays([F(int(v)) for v in rng.integers(1, 9, m)], rule, [0] * m)
        one = curve(rules).groups[0]
        most = max(most, len(one.pieces))
        assert (one.pieces[0].high, one.pieces[-1].low) == (1, 0)
        for left, right in zip(one.pieces, one.pieces[1:], strict=False):
            assert left.low == right.high
            assert left.at(left.low) == pytest.approx(float(right.at(left.low)), abs=1e-20)
        for delta in [*[F(int(v), 1000) for v in rng.integers(1, 1001, 6)], *[b for b in one.breakpoints if b > 0]]:
            assert float(one.at(delta)) == pytest.approx(float(announce(rules, delta=delta).beta), abs=1e-18)
    assert most >= 3


def test_curve_is_for_two_outcomes():
    """More outcomes: an error that says what to do instead."""
    with pytest.raises(LiftgateError, match="announce at each delta"):
        curve(DecisionRules.from_arrays([1, 1], [[0.2, 0.3, 0.5]] * 2, [0, 0]))


def test_gamma_of_the_curve(credit):
    """The curve in minimum uncertainty is -log of the confidence."""
    assert curve(credit).gamma("0.9") == pytest.approx(-np.log(0.675))


@pytest.mark.parametrize("kind", ["delta", "alpha"])
def test_inverse_meets_the_target_and_nothing_larger_does(kind):
    """The fidelity found meets the target exactly; a little more faithful does not."""
    rng = np.random.default_rng(2)
    for _ in range(15):
        m = int(rng.integers(2, 6))
        rules = DecisionRules.from_arrays(rng.random(m) + 0.01, rng.random(m) * 0.9 + 0.05, [0] * m)
        low = announce(rules, **{kind: 0.05}).beta
        high = announce(rules, **{kind: 1.0}).beta
        target = low + (high - low) * float(rng.random())
        found = fidelity_for(rules, target, kind)
        assert announce(rules, **{kind: found}).beta <= target
        if found < 1 - 1e-9:
            assert announce(rules, **{kind: min(1.0, found * (1 + 1e-9) + 1e-12)}).beta > target - 1e-12


def test_inverse_of_the_paper(credit):
    """0.675 needs delta 0.9; the floor 0.6 is reached at 8/11; what the real rules meet needs no change."""
    assert fidelity_for(credit, target_beta=0.675) == 0.9
    assert fidelity_for(credit, target_beta=0.6) == pytest.approx(8 / 11, abs=1e-14)
    assert fidelity_for(credit, target_beta=1) == 1.0
    assert fidelity_for(credit, target_gamma=-np.log(0.675)) == pytest.approx(0.9, abs=1e-12)


def test_inverse_names_the_floor(credit):
    """Below the floor: an error with the floor and the reason, for delta and for alpha."""
    with pytest.raises(
        LiftgateError, match=r"below the floor 0\.6: one private value makes that share of group 'Female'"
    ):
        fidelity_for(credit, target_beta=0.5)
    with pytest.raises(LiftgateError, match="a rule that is 0 or 1 cannot be moved by a factor"):
        fidelity_for(credit, target_beta=0.7, kind="alpha")
    with pytest.raises(LiftgateError, match="not above 0 and at most 1"):
        fidelity_for(credit, target_beta=0)
    with pytest.raises(LiftgateError, match="exactly one of"):
        fidelity_for(credit)


def test_inverse_for_three_outcomes():
    """Several outcomes: the same by the linear program."""
    rules = DecisionRules.from_arrays([3, 2, 2], [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0, 0, 1]], [0, 0, 0])
    found = fidelity_for(rules, target_beta=0.6)
    assert announce(rules, delta=found).beta <= 0.6 + 1e-9
    assert announce(rules, delta=found + 1e-4).beta > 0.6
