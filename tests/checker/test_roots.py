"""Alpha-lifts of rational order are compared exactly: against 150 decimal digits, at ties, and at near ties."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate import checker

DIGITS = 150


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def alpha_lift(lifts: list[Fraction], sizes: list[int], order: Fraction) -> Fraction:
    """(sum P(s) l^(p/q))^(q/p) to about 140 digits, as a fraction."""
    with localcontext() as context:
        context.prec = DIGITS
        power = Decimal(order.numerator) / Decimal(order.denominator)
        mean = sum(
            (decimal(Fraction(n, sum(sizes))) * decimal(v) ** power for n, v in zip(sizes, lifts, strict=True) if v),
            Decimal(0),
        )
        return Fraction(mean ** (1 / power))


def verdict(counts: list[list[int]], name: str, low: Fraction | None, up: Fraction | None) -> bool:
    """Whether the checker accepts bounds of one measure of a table released as it is."""
    outputs = [[x, 1] for x in range(len(counts[0]))]
    ends = [None if end is None else str(end) for end in (low, up)]
    claim = {"counts": counts, "channel": {"total": 1, "outputs": outputs}, "bounds": {name: ends}}
    envelope = {"liftgate-certificate": 1, "kind": "measure-bounds", "version": 1, "claim": claim, "evidence": {}}
    found = checker.check({**envelope, "assumptions": [], "salt": "0" * 64})
    assert found.kind == "measure-bounds", found
    return found.holds


def lifts_of(counts: list[list[int]]) -> list[list[Fraction]]:
    """Per public value the lifts."""
    total, rows = sum(map(sum, counts)), [sum(row) for row in counts]
    return [
        [Fraction(c * total, n * sum(column)) for c, n in zip(column, rows, strict=True)]
        for column in zip(*counts, strict=True)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_rational_orders_against_decimals(seed: int) -> None:
    """Bounds 10^-30 below and above the value (to 140 digits) are told apart, on both sides and for the inverse."""
    rng = random.Random(seed)
    m, n = rng.randint(2, 5), rng.randint(2, 4)
    counts = [[rng.randint(1, 10 ** rng.randint(1, 9)) for _ in range(n)] for _ in range(m)]
    q = rng.randint(1, 9)
    order = Fraction(rng.randint(q + 1, 6 * q), q)
    sizes = [sum(row) for row in counts]
    lifts = lifts_of(counts)
    for inverse in (False, True):
        name = f"alpha-lift-{order}" + "-inverse" * inverse
        value = max(alpha_lift([1 / v for v in row] if inverse else row, sizes, order) for row in lifts)
        step = Fraction(1, 10**30) * max(1, math.ceil(value))
        assert verdict(counts, name, value - step, value + step)
        assert not verdict(counts, name, None, value - step)
        assert not verdict(counts, name, value + step, None)


def test_near_ties_that_need_a_thousand_bits() -> None:
    """Off by 10^-130 either way, still decided the right way."""
    counts = [[3, 1, 2], [1, 3, 2], [2, 2, 7]]
    sizes = [sum(row) for row in counts]
    for order in (Fraction(3, 2), Fraction(7, 3), Fraction(11, 10)):
        value = max(alpha_lift(row, sizes, order) for row in lifts_of(counts))
        step = Fraction(1, 10**130)
        assert verdict(counts, f"alpha-lift-{order}", value - step, value + step)
        assert not verdict(counts, f"alpha-lift-{order}", None, value - step)
        assert not verdict(counts, f"alpha-lift-{order}", value + step, None)


def test_exact_ties_with_rational_roots() -> None:
    """Lifts of 1/4 and 9/4 have rational square roots: the tie is found, and a hair beside it is none."""
    counts = [[5, 45], [27, 3]]
    sizes = [50, 30]
    assert lifts_of(counts)[0] == [Fraction(1, 4), Fraction(9, 4)]
    mean = Fraction(5, 8) / 8 + Fraction(3, 8) * 27 / 8  # of l^(3/2)
    tie = [(50, Fraction(1, 4) ** 3), (30, Fraction(9, 4) ** 3), (-80, mean**2)]
    assert checker.sign_of_roots(tie, 2) == 0
    assert checker.sign_of_roots([*tie[:2], (-80, mean**2 + Fraction(1, 10**300))], 2) == -1
    assert checker.sign_of_roots([*tie[:2], (-80, mean**2 - Fraction(1, 10**300))], 2) == 1
    assert sum(sizes) == 80


def test_ties_of_irrational_roots() -> None:
    """sqrt 2 + sqrt 8 - sqrt 18 = 0 is found, and so is cbrt 2 + cbrt 16 - cbrt 54; one unit more is not 0."""
    for roots, q in (((2, 8, 18), 2), ((2, 16, 54), 3)):
        a, b, c = (Fraction(r) for r in roots)
        assert checker.sign_of_roots([(1, a), (1, b), (-1, c)], q) == 0
        assert checker.sign_of_roots([(7, a), (7, b), (-7, c)], q) == 0
        assert checker.sign_of_roots([(1, a / 49**q), (1, b / 49**q), (-1, c / 49**q)], q) == 0
        tiny = Fraction(1, 10**900)
        assert checker.sign_of_roots([(1, a), (1, b), (-1, c - tiny)], q) == 1
        assert checker.sign_of_roots([(1, a), (1, b), (-1, c + tiny)], q) == -1


def test_sums_that_cancel_partly() -> None:
    """Groups of rational ratio that cancel leave the sign to the rest."""
    terms = [(1, Fraction(2)), (1, Fraction(8)), (-1, Fraction(18)), (3, Fraction(3)), (-3, Fraction(3))]
    assert checker.sign_of_roots(terms, 2) == 0
    assert checker.sign_of_roots([*terms, (1, Fraction(1, 10**2000))], 2) == 1
    assert checker.sign_of_roots([*terms, (-1, Fraction(1, 10**2000))], 2) == -1
    assert checker.sign_of_roots([(5, Fraction(0)), (0, Fraction(7))], 2) == 0
    assert checker.sign_of_roots([], 3) == 0


@given(
    st.lists(st.tuples(st.integers(-20, 20), st.fractions(0, 30, max_denominator=12)), max_size=5), st.integers(1, 7)
)
def test_sign_of_roots_against_decimals(terms: list[tuple[int, Fraction]], q: int) -> None:
    """The sign of a sum of q-th roots is that of its 150 digits, and 0 only when they are all 0."""
    with localcontext() as context:
        context.prec = DIGITS
        value = sum((c * decimal(r) ** (Decimal(1) / q) for c, r in terms if r), Decimal(0))
    sign = checker.sign_of_roots(terms, q)
    assert sign == (value > Decimal(10) ** -120) - (value < -(Decimal(10) ** -120))


@given(st.integers(0, 10**60), st.integers(1, 40))
def test_root_is_the_floor(number: int, q: int) -> None:
    """root(n, q)^q <= n < (root(n, q) + 1)^q."""
    found = checker.root(number, q)
    assert found**q <= number < (found + 1) ** q


@given(st.integers(1, 10**9), st.integers(1, 60), st.sampled_from([-1, 0, 1]))
def test_root_beside_perfect_powers(base: int, q: int, step: int) -> None:
    """Just below, at and just above a perfect power."""
    number = base**q + step
    found = checker.root(number, q)
    assert found**q <= number < (found + 1) ** q


def test_orders_far_out_are_decided_or_refused_in_time() -> None:
    """Orders up to 1000/999 are decided; numbers whose powers would fill the memory are refused, not accepted."""
    counts = [[3, 1], [1, 3]]
    assert verdict(counts, "alpha-lift-1000/999", None, Fraction(3, 2))
    assert not verdict(counts, "alpha-lift-1000/999", None, Fraction(1))
    assert verdict(counts, "alpha-lift-1000", Fraction(149, 100), Fraction(3, 2))
    outputs = [[0, 1], [1, 1]]
    claim = {"counts": [[10**3000, 1], [1, 10**3000 + 1]], "channel": {"total": 1, "outputs": outputs}}
    bounds = {"bounds": {"alpha-lift-1000": [None, 10**9]}}
    envelope = {"liftgate-certificate": 1, "kind": "measure-bounds", "version": 1, "evidence": {}, "assumptions": []}
    found = checker.check({**envelope, "claim": {**claim, **bounds}, "salt": "0" * 64})
    assert found.exit_code == 1
    assert found.reason == "the numbers are too long for the order 1000"


def test_a_bound_too_close_to_tell_is_refused() -> None:
    """sqrt 2 + sqrt 3 against a fraction within 10^-6000 of it: neither side is claimed to hold."""
    two, three = (Fraction(math.isqrt(n * 10**12000), 10**6000) for n in (2, 3))
    with pytest.raises(checker.Refused, match="a bound is too close to its measure to be decided"):
        checker.sign_of_roots([(1, Fraction(2)), (1, Fraction(3)), (-1, (two + three) ** 2)], 2)
    assert (
        checker.sign_of_roots([(1, Fraction(2)), (1, Fraction(3)), (-1, (two + three - Fraction(1, 10**4000)) ** 2)], 2)
        == 1
    )
