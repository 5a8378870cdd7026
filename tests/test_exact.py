"""Exact arithmetic: enclosures enclose, shares add up, roundings go to the stated side."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate import exact
from liftgate.errors import DataError

rationals = st.fractions(min_value=-40, max_value=40, max_denominator=10**6)
bit_sizes = st.sampled_from([8, 40, 64, 200])


def decimal_of(q: Fraction) -> Decimal:
    return Decimal(q.numerator) / Decimal(q.denominator)


@given(rationals, bit_sizes)
def test_exp_enclosure_holds_the_decimal_value_and_is_narrow(q: Fraction, bits: int) -> None:
    getcontext().prec = 130
    low, up = exact.exp_enclosure(q, bits)
    truth = decimal_of(q).exp()
    assert decimal_of(low) <= truth + Decimal(10) ** -100 * truth
    assert decimal_of(up) >= truth - Decimal(10) ** -100 * truth
    assert up - low <= Fraction(1, 2**bits) * max(1, up)


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9), bit_sizes)
def test_log_enclosure_holds_the_decimal_value_and_is_narrow(q: Fraction, bits: int) -> None:
    getcontext().prec = 130
    low, up = exact.log_enclosure(q, bits)
    truth = decimal_of(q).ln()
    assert decimal_of(low) <= truth + Decimal(10) ** -100
    assert decimal_of(up) >= truth - Decimal(10) ** -100
    assert up - low <= Fraction(1, 2**bits)


@given(rationals.filter(bool))
def test_exp_rounded_lies_on_the_stated_side_within_one_unit(q: Fraction) -> None:
    down, up = exact.exp_rounded(q, "down"), exact.exp_rounded(q, "up")
    low, high = exact.exp_enclosure(q, 400)
    assert down <= low < high <= up
    assert up - down == Fraction(1, exact.SHARE_TOTAL)


def test_logarithm_of_zero_is_refused() -> None:
    with pytest.raises(DataError, match="not positive"):
        exact.log_enclosure(Fraction(0))


@given(st.lists(st.floats(0, 1e300, allow_subnormal=True), min_size=1, max_size=30), st.integers(30, 2**40))
def test_shares_add_up_and_positive_stays_positive(weights: list[float], total: int) -> None:
    if not any(weights):
        with pytest.raises(DataError):
            exact.whole_shares(weights, total)
        return
    shares = exact.whole_shares(weights, total)
    assert int(shares.sum()) == total
    assert [s > 0 for s in shares.tolist()] == [w > 0 for w in weights]


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=20))
def test_shares_are_within_one_of_the_ideal(weights: list[int]) -> None:
    total = 10**6
    shares = exact.whole_shares(weights, total)
    for w, share in zip(weights, shares.tolist(), strict=True):
        assert abs(share - Fraction(w * total, sum(weights))) <= 1


def test_numbers_are_read_exactly() -> None:
    assert exact.fraction(0.1) == exact.fraction("0.1") == Fraction(1, 10)
    assert exact.fraction(np.float64(0.25)) == Fraction(1, 4)
    assert exact.fraction(np.int64(3)) == 3
    for wrong in ("", "a", "1/0", math.nan, math.inf, True, None, [1], "9" * 5000, "1e999999999", "1E-4001"):
        with pytest.raises(DataError):
            exact.fraction(wrong)


def test_whole_arrays_refuse_what_is_not_a_count() -> None:
    assert exact.whole_array([[1.0, 2.0]], "counts").dtype == np.int64
    assert exact.whole_array([[2**70, 1]], "counts").tolist() == [[2**70, 1]]
    for wrong, what in (
        ([[0.5]], "0.5"),
        ([[-1]], "negative"),
        ([[math.nan]], "nan"),
        ([["a"]], "type"),
        ([[True]], "type"),
    ):
        with pytest.raises(DataError, match=what):
            exact.whole_array(wrong, "counts")


@given(st.integers(0, 2**200), st.integers(1, 12))
def test_integer_roots_are_exact(value: int, degree: int) -> None:
    root = exact.integer_root(value, degree)
    assert root**degree <= value < (root + 1) ** degree


@given(st.fractions(0, 1000), st.integers(1, 5))
def test_root_enclosures_hold_the_root(value: Fraction, degree: int) -> None:
    low, up = exact.root_enclosure(value, degree, 50)
    assert low**degree <= value <= up**degree
    assert up - low <= Fraction(1, 2**50)


def test_sums_do_not_overflow() -> None:
    assert exact.sum_whole(np.array([2**62, 2**62], dtype=np.int64)) == 2**63
