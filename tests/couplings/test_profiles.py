"""Profiles of two laws: what the contract promises, on cases worked out by hand and on random ones."""

from __future__ import annotations

import math
import random
from fractions import Fraction as F

import pytest

import liftgate as lg
from liftgate.couplings import STAR, profile, read_law
from liftgate.couplings.hinges import Hinges
from liftgate.errors import UsageError
from liftgate.exact import Enclosure, exp_enclosure


def test_randomised_response_needs_exactly_its_factor():
    """Keeping the truth with probability 3/4 needs e^eps = 3, and delta falls linearly on the way there."""
    p = profile({"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"})
    assert p.blocks == [(F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))]
    assert p.exp_epsilon(0) == 3
    assert [p.delta(exp_eps=t) for t in (1, 2, 3, 4)] == [F(1, 2), F(1, 4), 0, 0]
    assert p.violating_set(exp_eps=2) == ("yes",)
    assert p.epsilon() >= math.log(3) > p.epsilon() - 1e-15


def test_mass_without_partner_is_on_the_star():
    """A left label without a partner needs its whole mass as delta, at any eps."""
    p = profile({"a": "1/2", "b": "1/2"}, {"b": 1})
    assert p.blocks == [(F(1, 2), 0), (F(1, 2), 1)]
    assert p.exp_epsilon("1/4") is None
    assert p.epsilon("1/4") is None
    assert p.coupling().left == {("a", STAR): F(1, 2), ("b", "b"): F(1, 2)}
    assert p.decide(eps=1000, delta="1/4") is False
    assert p.decide(eps=0, delta="1/2") is True


@pytest.mark.parametrize(
    ("relation", "factor"), [("distance<=0", 4), ("distance<=1", 2), ("distance<=1/2", 4), ("distance<=2", 1)]
)
def test_distances_relax_equality(relation, factor):
    """Labels that may move couple laws that are far apart under equality."""
    p = profile(["4/7", "2/7", "1/7"], ["1/7", "2/7", "4/7"], relation)
    assert p.exp_epsilon(0) == (F(4, 3) if relation == "distance<=1" else factor)


def test_the_four_blocks_of_the_cut_geometric_mechanism():
    """Noise cut at +-3: four blocks, least delta 1/22 at every factor from 2 on."""
    low = {k: F(2 ** (3 - abs(k - 4)), 22) for k in range(1, 8)}
    high = {k: F(2 ** (3 - abs(k - 5)), 22) for k in range(2, 9)}
    p = profile(low, high)
    assert p.blocks == [(F(1, 22), 0), (F(7, 11), F(7, 22)), (F(7, 22), F(7, 11)), (0, F(1, 22))]
    assert p.delta(exp_eps=2) == p.delta(exp_eps=1000) == F(1, 22)
    assert p.exp_epsilon() is None
    assert p.exp_epsilon("1/22") == 2
    assert p.violating_set(exp_eps=2) == (1,)
    assert p.reverse.delta(exp_eps=2) == p.symmetric_delta(exp_eps=2) == F(1, 22)
    assert p.f_divergence("tv") == F(4, 11)
    assert p.f_divergence("chi2") == p.f_divergence("kl") == math.inf


def test_least_factor_and_least_delta_are_inverse(instances):
    """delta(exp_epsilon(d)) <= d, with equality above 1, and any smaller factor needs more."""
    for one in instances(5, 80, 7):
        p = profile(one.left, one.right, one.relation, proper=one.proper)
        for d in (F(0), F(1, 100), F(1, 7), F(1)):
            t = p.exp_epsilon(d)
            if t is None:
                assert p.delta(exp_eps=2**200) > d
                continue
            assert p.delta(exp_eps=t) <= d
            if t > 1:
                assert p.delta(exp_eps=1 + (t - 1) * F(999, 1000)) > d


@pytest.mark.parametrize("bits", [40, 80, 200, 300])
@pytest.mark.parametrize("eps", ["1/2", "1", "3/7"])
def test_rational_eps_is_decided_next_to_the_threshold(bits, eps):
    """At distance 2^-bits from e^eps on either side the answer is right (no tolerance anywhere)."""
    low, up = exp_enclosure(F(eps), bits + 40)
    hair = F(1, 2**bits)
    for t, close in ((low - hair, True), (up + hair, False)):
        q = 1 / (1 + t)
        p = profile([t * q, q], [q, t * q])
        assert p.exp_epsilon() == t
        assert p.decide(eps=eps) is close
        ends = p.delta(eps=eps, bits=bits + 60)
        assert isinstance(ends, Enclosure)
        assert (ends.upper == 0) is close
        assert (ends.lower > 0) is not close


def test_delta_at_a_rational_eps_is_enclosed():
    """The enclosure holds the value of every factor between the ends of e^eps."""
    p = profile(["1/2", "1/2"], ["1/4", "3/4"])
    low, up = p.delta(eps="1/2")
    assert low <= F(1, 2) - F(1, 4) * exp_enclosure(F(1, 2), 200).upper <= up
    assert up - low < F(1, 2**120)
    assert p.delta(eps=0) == (F(1, 4), F(1, 4))


def test_reverse_reads_the_blocks_backwards(instances):
    """The reverse is the profile of the swapped question, and its reverse is the profile itself."""
    rng = random.Random(2)
    for one in instances(6, 60, 6):
        p = profile(one.left, one.right, one.relation, proper=one.proper)
        pairs = [(j, i) for i, row in enumerate(one.rows) for j in row]
        swapped = profile(one.right, one.left, pairs, proper=one.proper)
        assert p.reverse.blocks == swapped.blocks
        assert p.reverse.reverse.blocks == p.blocks
        t = 1 + F(rng.randint(0, 40), 7)
        assert p.symmetric_delta(exp_eps=t) == max(p.delta(exp_eps=t), swapped.delta(exp_eps=t))
        assert p.reverse.coupling().left == {(b, a): m for (a, b), m in p.coupling().right.items()}


def test_a_two_lifting_may_use_labels_without_mass():
    """A partner that never occurs is a partner; without any partner there is no 2-lifting at any price."""
    p = profile(["1/2", "1/2", 0], [1, 0, 0], [(0, 0), (1, 2)])
    assert p.has_two_lifting(exp_eps=1, delta="1/2")
    assert not p.has_two_lifting(exp_eps=1, delta="1/4")
    assert not profile(["1/2", "1/2"], [1, 0], [(0, 0)]).has_two_lifting(exp_eps=1, delta=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: p.delta(), "give either eps or exp_eps"),
        (lambda p: p.delta(eps=1, exp_eps=2), "give either eps or exp_eps"),
        (lambda p: p.delta(exp_eps="1/2"), "below 1"),
        (lambda p: p.delta(eps=-1), "negative"),
        (lambda p: p.exp_epsilon(2), "not between 0 and 1"),
        (lambda p: p.exp_epsilon("-1/2"), "not between 0 and 1"),
        (lambda p: p.decide(delta=0), "give either eps or exp_eps"),
        (lambda p: p.f_divergence("renyi"), "'renyi' is not known"),
    ],
)
def test_questions_that_cannot_be_asked(call, words):
    """Each is refused in words."""
    with pytest.raises(UsageError, match=words):
        call(profile(["1/2", "1/2"], ["1/4", "3/4"]))


def test_f_divergences_under_equality_are_the_plain_ones():
    """tv, chi2 as fractions; kl and hellinger as enclosures of the plain formulas."""
    left, right = ["1/2", "3/8", "1/8"], ["1/4", "1/4", "1/2"]
    p = profile(left, right)
    a, b = [F(v) for v in left], [F(v) for v in right]
    assert p.f_divergence("tv") == sum(abs(x - y) for x, y in zip(a, b, strict=True)) / 2
    assert p.f_divergence("chi2") == sum((x - y) ** 2 / y for x, y in zip(a, b, strict=True))
    kl = sum(float(x) * math.log(x / y) for x, y in zip(a, b, strict=True))
    hellinger = 1 - sum(math.sqrt(x * y) for x, y in zip(a, b, strict=True))
    for name, value in (("kl", kl), ("hellinger", hellinger)):
        low, up = p.f_divergence(name)
        assert low < up < low + F(1, 2**60)
        assert abs(float(low) - value) < 1e-12
    assert profile(left, left).f_divergence("kl") == (0, 0)
    assert profile(["1/9", "8/9"], ["4/9", "5/9"]).f_divergence("hellinger").lower > 0
    assert profile(["1/4", "3/4"], [0, 1]).f_divergence("kl") == math.inf


def test_decimals_mean_what_is_written():
    """ "0.1" is one tenth, in any spelling, also for e^eps and delta."""
    assert profile({"a": "0.1", "b": "0.9"}, {"a": "1/10", "b": "9/10"}).exp_epsilon() == 1
    assert profile(["0.3", "0.7"], ["0.1", "0.9"]).delta(exp_eps="2.0") == F(1, 10)
    assert read_law({"x": "1"}, "left").labels == ("x",)


def test_the_package_offers_the_contract():
    """``lg.couplings.profile`` with the names of the contract."""
    p = lg.couplings.profile([1], [1])
    for name in (
        "delta",
        "epsilon",
        "exp_epsilon",
        "blocks",
        "coupling",
        "violating_set",
        "reverse",
        "symmetric_delta",
    ):
        assert hasattr(p, name)
    assert isinstance(p.hinges, Hinges)
