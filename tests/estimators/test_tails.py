"""Tails of the conditional law against exact sums, and the facts the verdicts lean on."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate.estimators.tails import lower_tail, upper_tail


@st.composite
def tables(draw: st.DrawFn, most: int = 40) -> tuple[int, int, int, int]:
    """Rows seen, in the block, in the group and in all, that fit together."""
    n = draw(st.integers(1, most))
    block, group = draw(st.integers(0, n)), draw(st.integers(0, n))
    return draw(st.integers(max(0, block + group - n), min(block, group))), block, group, n


def exact_law(block: int, group: int, n: int, odds: Fraction) -> dict[int, Fraction]:
    """The definition: P(A = k) ~ C(block, k) C(n - block, group - k) odds^k."""
    weights = {
        k: comb(block, k) * comb(n - block, group - k) * odds**k
        for k in range(max(0, block + group - n), min(block, group) + 1)
    }
    total = sum(weights.values())
    return {k: w / total for k, w in weights.items()}


@given(tables(), st.fractions(Fraction(1, 50), 50, max_denominator=50))
def test_equal_to_exact_fractions(table: tuple[int, int, int, int], odds: Fraction) -> None:
    """Both tails of small tables to 1e-11 relative, however small they are."""
    seen, block, group, n = table
    law = exact_law(block, group, n, odds)
    above = float(sum(p for k, p in law.items() if k >= seen))
    below = float(sum(p for k, p in law.items() if k <= seen))
    assert float(upper_tail(seen, block, group, n, float(odds))) == pytest.approx(above, rel=1e-11)
    assert float(lower_tail(seen, block, group, n, float(odds))) == pytest.approx(below, rel=1e-11)


def test_equal_to_scipy_on_random_tables() -> None:
    """scipy's own law, tables of up to 2,000 rows, odds between e^-3 and e^3."""
    from scipy.stats import nchypergeom_fisher

    random = np.random.default_rng(11)
    for _ in range(60):
        n = int(random.integers(2, 2001))
        block, group = (int(v) for v in random.integers(1, n, size=2))
        law = nchypergeom_fisher(n, block, group, odds := float(np.exp(random.uniform(-3, 3))))
        seen = int(law.rvs(random_state=random))
        assert float(lower_tail(seen, block, group, n, odds)) == pytest.approx(float(law.cdf(seen)), rel=1e-8)
        assert float(upper_tail(seen, block, group, n, odds)) == pytest.approx(float(law.sf(seen - 1)), rel=1e-8)


def test_equal_to_scipy_without_association() -> None:
    """Odds 1 is the plain hypergeometric law; one call answers all tables."""
    from scipy.stats import hypergeom

    random = np.random.default_rng(12)
    n = random.integers(10, 50_000, size=200)
    block, group = random.integers(1, n), random.integers(1, n)
    seen = hypergeom.rvs(n, block, group, random_state=random)
    assert upper_tail(seen, block, group, n, 1.0) == pytest.approx(hypergeom.sf(seen - 1, n, block, group), rel=1e-6)
    assert lower_tail(seen, block, group, n, 1.0) == pytest.approx(hypergeom.cdf(seen, n, block, group), rel=1e-6)


@pytest.mark.parametrize(("n", "away"), [(10**6, -4.0), (10**7, 2.5), (10**9, -1.0), (10**9, 5.0)])
def test_large_tables(n: int, away: float) -> None:
    """Up to 1e9 rows: every term within 40 standard deviations summed one by one in long doubles."""
    block, group, odds = n // 7, n // 3, 1.7
    b = n - block - group + odds * (block + group)
    mode = 2 * odds * block * group / (b + (b * b - 4 * (odds - 1) * odds * block * group) ** 0.5)
    width = sum(1 / c for c in (mode, block - mode, group - mode, n - block - group + mode)) ** -0.5
    seen = int(mode + away * width)
    k = np.arange(int(mode - 40 * width), int(mode + 40 * width)).astype(np.longdouble)
    steps = np.log(np.longdouble(odds) * (block - k) * (group - k) / ((k + 1) * (n - block - group + k + 1)))
    logs = np.concatenate([[0], np.cumsum(steps)])
    terms = np.exp(logs - logs.max())
    at = seen - int(mode - 40 * width)
    above, below = float(terms[at:].sum() / terms.sum()), float(terms[: at + 1].sum() / terms.sum())
    assert float(upper_tail(seen, block, group, n, odds)) == pytest.approx(above, rel=1e-7)
    assert float(lower_tail(seen, block, group, n, odds)) == pytest.approx(below, rel=1e-7)


def test_ends_of_the_law() -> None:
    """Certain, impossible and one-point cases, and odds without end."""
    assert upper_tail(0, 3, 3, 9, 2.0) == 1
    assert lower_tail(3, 3, 3, 9, 2.0) == 1
    assert upper_tail(4, 3, 3, 9, 2.0) == 0
    assert upper_tail(2, 2, 9, 9, 5.0) == lower_tail(2, 2, 9, 9, 5.0) == 1  # everybody is in the group
    assert upper_tail(3, 3, 3, 9, np.inf) == 1
    assert lower_tail(2, 3, 3, 9, np.inf) == 0
    assert upper_tail(1, 3, 3, 9, 0.0) == 0
    assert lower_tail(0, 3, 3, 9, 0.0) == 1


def test_far_tails_are_never_larger_than_they_may_be() -> None:
    """Far out, where 1e-45 is passed, the answer is an upper bound and still next to nothing."""
    n, block, group = 10**6, 10**5, 3 * 10**5
    found = float(upper_tail(70_000, block, group, n, 1.0))
    assert 0 < found < 1e-45
    assert float(lower_tail(70_000, block, group, n, 1.0)) == 1


@pytest.mark.parametrize("odds", [Fraction(1, 30), Fraction(1), Fraction(9, 2)])
def test_where_the_sum_is_cut_short(odds: Fraction) -> None:
    """Every count of one table: to 1e-9 where the tail is above 1e-45, an upper bound below 1e-45 where it is not."""
    block, group, n = 300, 500, 900
    law, counts = exact_law(block, group, n, odds), np.arange(301)
    above, below, short = Fraction(0), Fraction(1), 0
    up, low = upper_tail(counts, block, group, n, float(odds)), lower_tail(counts, block, group, n, float(odds))
    for k in counts[::-1].tolist():
        above += law[k]
        for found, exact in ((up[k], above), (low[k], below)):
            short += exact < Fraction(1, 10**45)
            assert found == pytest.approx(float(exact), rel=1e-9) or exact <= Fraction(found) < Fraction(1, 10**45)
        below -= law[k]
    assert short > 50


@given(tables(), st.floats(0.05, 20), st.floats(1.01, 3))
def test_tails_move_with_the_odds(table: tuple[int, int, int, int], odds: float, factor: float) -> None:
    """Larger odds: more above, less below. Both tails together exceed 1 by P(A = seen)."""
    seen, block, group, n = table
    up, up_more = upper_tail(seen, block, group, n, odds), upper_tail(seen, block, group, n, odds * factor)
    low, low_more = lower_tail(seen, block, group, n, odds), lower_tail(seen, block, group, n, odds * factor)
    assert up_more >= up * (1 - 1e-12)
    assert low_more <= low * (1 + 1e-12)
    assert up + low >= 1 - 1e-12


@given(tables(), st.floats(0.1, 10))
def test_block_and_group_are_interchangeable(table: tuple[int, int, int, int], odds: float) -> None:
    """The law counts the rows in both, so it does not matter which of the two is called the block."""
    seen, block, group, n = table
    assert float(upper_tail(seen, block, group, n, odds)) == pytest.approx(
        float(upper_tail(seen, group, block, n, odds)), rel=1e-10
    )


def test_one_call_equals_many() -> None:
    """Broadcasting: a table of cells gives the same as cell by cell."""
    random = np.random.default_rng(13)
    counts = random.integers(0, 40, size=(4, 30))
    group, block, n = counts.sum(axis=1)[:, None], counts.sum(axis=0)[None, :], counts.sum()
    odds = np.exp(random.uniform(log(0.2), log(5), size=counts.shape))
    together = upper_tail(counts, block, group, n, odds)
    one_by_one = [
        [float(upper_tail(counts[s, x], block[0, x], group[s, 0], n, odds[s, x])) for x in range(30)] for s in range(4)
    ]
    assert together.shape == (4, 30)
    assert together == pytest.approx(np.array(one_by_one), rel=1e-12)
