"""Profiles of two laws: small cases worked out by hand."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from liftgate.couplings import STAR, profile


def test_randomised_response_needs_exactly_its_factor():
    """Keeping the truth with probability 3/4 needs e^eps = 3, and delta falls linearly on the way there."""
    p = profile({"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"})
    assert p.blocks == [(F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))]
    assert p.exp_epsilon(0) == 3
    assert [p.delta(exp_eps=t) for t in (1, 2, 3, 4)] == [F(1, 2), F(1, 4), 0, 0]
    assert p.violating_set(exp_eps=2) == ("yes",)


def test_mass_without_partner_is_on_the_star():
    """A left label without a partner needs its whole mass as delta, at any eps."""
    p = profile({"a": "1/2", "b": "1/2"}, {"b": 1})
    assert p.blocks == [(F(1, 2), 0), (F(1, 2), 1)]
    assert p.exp_epsilon("1/4") is None
    assert p.epsilon("1/4") is None
    assert p.coupling().left == {("a", STAR): F(1, 2), ("b", "b"): F(1, 2)}


@pytest.mark.parametrize(("relation", "factor"), [("distance<=0", 4), ("distance<=1", 1), ("distance<=1/2", 4)])
def test_distances_relax_equality(relation, factor):
    """Labels that may move by one step couple laws that are far apart under equality."""
    p = profile(["4/7", "2/7", "1/7"], ["1/7", "2/7", "4/7"], relation)
    assert p.exp_epsilon(0) == factor if factor > 1 else p.exp_epsilon(0) == p.blocks[0][0] / p.blocks[0][1]
