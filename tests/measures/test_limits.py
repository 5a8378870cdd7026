"""Limits of the orders, identities between measures, and f-information."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings

from liftgate.channel import Channel
from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.measures import (
    MEASURES,
    alpha_lift,
    arimoto,
    f_information,
    measure,
    normalised_mutual_information,
    recursive_c,
    sibson,
)
from liftgate.testing import joints


@settings(max_examples=40)
@given(joints())
def test_sibson_and_arimoto_go_to_mutual_information_at_order_one(joint: Joint) -> None:
    """From both sides, linearly in the distance of the order from 1; no digits are lost on the way."""
    true = MEASURES["mutual-information"].of(joint)
    for family in (sibson, arimoto):
        assert family(1).of(joint) == true
        for step in (1e-4, 1e-7, 1e-10):
            assert family(1 - step).of(joint) == pytest.approx(true, abs=50 * step + 1e-13)
            assert family(1 + step).of(joint) == pytest.approx(true, abs=50 * step + 1e-13)


@settings(max_examples=100)
@given(joints())
@example(Joint.from_counts([[0, 1], [1, 0], [1, 1]]))
def test_order_infinity_is_the_limit(joint: Joint) -> None:
    """alpha-lift goes to max-lift and 1 / min-lift, Sibson to maximal leakage, Arimoto to min-entropy leakage."""
    m = measure(joint)
    assert alpha_lift(1e5).of(joint) == pytest.approx(m["max-lift"], rel=2e-4)
    assert alpha_lift(math.inf).of(joint) == m["max-lift"]
    inverse = 1 / m["min-lift"] if m["min-lift"] else math.inf
    assert alpha_lift(math.inf, inverse=True).of(joint) == inverse
    assert alpha_lift(1e5, inverse=True).of(joint) == pytest.approx(inverse, rel=2e-4)
    assert sibson(1e6).of(joint) == pytest.approx(m["maximal-leakage"], abs=1e-4)
    assert arimoto(1e6).of(joint) == pytest.approx(m["min-entropy-leakage"], abs=1e-4)
    assert m["sibson-inf"] == m["maximal-leakage"]
    assert m["arimoto-inf"] == m["min-entropy-leakage"]


@settings(max_examples=40)
@given(joints())
def test_measures_grow_with_their_order(joint: Joint) -> None:
    """Sibson, Arimoto for a uniform prior aside, and alpha-lift never fall as the order rises."""
    orders = [0.3, 0.5, 0.9, 1, 1.1, 2, 5, 50, math.inf]
    values = [sibson(a).of(joint) for a in orders]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(values))
    lifts = [alpha_lift(a).of(joint) for a in orders[4:]]
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(lifts))


@settings(max_examples=40)
@given(joints())
def test_identities(joint: Joint) -> None:
    """What two names call the same number, and the averages of the numbers of released values (LIFT Def. 5)."""
    m = measure(joint)
    share = joint.drop_empty().public_share
    clean = joint.drop_empty()
    assert m["beta-likeness"] == pytest.approx(m["max-lift"] - 1, abs=1e-13)
    fall = -math.log(m["min-lift"]) if m["min-lift"] else math.inf
    assert m["delta-disclosure"] == pytest.approx(max(m["pointwise-maximal-leakage"], fall), abs=1e-15)
    assert m["t-closeness"] == m["l1-lift"] / 2
    assert m["log-lift-range"] == m["ldp-epsilon"]
    assert m["total-variation"] == pytest.approx(float(share @ MEASURES["l1-lift"].outputs(clean)) / 2, abs=1e-14)
    assert m["chi2"] == pytest.approx(float(share @ MEASURES["chi2-lift"].outputs(clean)), abs=1e-13)
    assert m["sibson-2"] == pytest.approx(
        2 * math.log(float(share @ MEASURES["alpha-lift-2"].outputs(clean))), abs=1e-12
    )
    assert m["guessing-after"] == pytest.approx(m["guessing-before"] * math.exp(m["min-entropy-leakage"]), rel=1e-13)
    assert m["t-closeness-ordered"] <= m["t-closeness"] + 1e-14


@settings(max_examples=40)
@given(joints())
def test_f_information_of_a_function_is_the_named_one(joint: Joint) -> None:
    def kl(t: np.ndarray) -> np.ndarray:
        return t * np.log(np.where(t > 0, t, 1)) - t + 1

    assert f_information(kl).of(joint) == pytest.approx(MEASURES["mutual-information"].of(joint), abs=1e-13)
    assert f_information("kl") is MEASURES["mutual-information"]
    assert f_information(lambda t: (np.sqrt(t) - 1) ** 2 / 2).of(joint) == pytest.approx(
        MEASURES["hellinger"].of(joint), abs=1e-13
    )


def test_f_information_says_what_is_wrong_with_f() -> None:
    with pytest.raises(UsageError, match=r"f\(1\) is 1.0"):
        f_information(lambda t: t)
    with pytest.raises(UsageError, match="kl, reverse-kl, tv, chi2, hellinger"):
        f_information("renyi")
    with pytest.raises(UsageError, match="one number for each lift"):
        f_information(lambda t: np.where(t > 0, t - 1, np.nan)).of(Joint.from_counts([[1, 0], [1, 1]]))


@pytest.mark.parametrize("family", [sibson, arimoto])
@pytest.mark.parametrize("order", [0, -1, float("nan")])
def test_orders_below_zero_are_refused(family: object, order: float) -> None:
    with pytest.raises(UsageError, match="not above 0"):
        family(order)  # type: ignore[operator]


def test_recursive_diversity_of_any_length() -> None:
    """r_1 / (r_l + ... + r_m) of the worst class; infinite when a class has fewer than l values."""
    joint = Joint.from_counts([[6, 1], [3, 1], [1, 1]])
    assert [recursive_c(n).of(joint) for n in (1, 2, 3, 4)] == [0.6, 1.5, 6.0, math.inf]
    huge = Joint.from_counts(np.array([[6 * 10**30], [3 * 10**30], [10**30]], dtype=object))
    assert recursive_c(3).of(huge) == pytest.approx(6.0, rel=1e-15)
    with pytest.raises(UsageError, match="whole number of at least 1"):
        recursive_c(0)


def test_normalised_mutual_information_of_a_release() -> None:
    """I(X;Y)/H(X): 1 when everything is kept, 0 when nothing is, one half of two fair bits when one is kept."""
    joint = Joint.from_counts([[1, 2, 0, 1], [1, 0, 2, 1]])
    assert normalised_mutual_information(joint, Channel.identity(4)) == pytest.approx(1, abs=1e-15)
    assert normalised_mutual_information(joint, Channel.merge(4, [[0, 1, 2, 3]])) == 0
    assert normalised_mutual_information(joint, Channel.merge(4, [[0, 1], [2, 3]])) == pytest.approx(0.5, abs=1e-15)
    half = Channel.from_floats([[0.5, 0.5], [0.5, 0.5]])
    assert normalised_mutual_information(Joint.from_counts([[3, 5]]), half) == pytest.approx(0, abs=1e-15)
    assert normalised_mutual_information(Joint.from_counts([[3], [5]]), Channel.identity(1)) == 1.0
