"""Verdicts from a sample: the tests behind them, Holm, edges, and what must never happen."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.errors import BudgetError, UsageError
from liftgate.estimators.verdicts import (
    SampleReading,
    holm,
    lift_odds,
    sample_reading,
    share_at_least,
    share_at_most,
)
from liftgate.joint import Joint

WIDE = Budget.between("1/2", 2)


def random_joint(random: np.random.Generator, most: int = 400) -> Joint:
    """A joint with every row and column occupied, zero cells included."""
    shape = tuple(int(v) for v in random.integers(2, 5, size=2))
    while True:
        size = int(random.choice([4, 30, most]))
        counts = random.integers(0, size, size=shape) * (random.random(shape) < 0.85)
        if counts.sum(axis=0).all() and counts.sum(axis=1).all():
            return Joint.from_counts(counts)


# ---- the odds of a lift ----------------------------------------------------------------------------


@given(st.lists(st.integers(1, 60), min_size=4, max_size=4))
def test_odds_of_a_table_come_from_its_lift_and_margins(cells: list[int]) -> None:
    """theta(l, w, p) is the odds ratio of the 2 x 2 law with that lift and these margins."""
    both, only_s, only_x, neither = cells
    n = sum(cells)
    w, p = Fraction(both + only_x, n), Fraction(both + only_s, n)
    lift = Fraction(both, n) / (w * p)
    expected = Fraction(both * neither, only_s * only_x)
    assert float(lift_odds(float(lift), float(w), float(p))) == pytest.approx(float(expected), rel=1e-9)


def test_odds_grow_with_lift_and_move_with_both_margins_as_stated() -> None:
    """100,000 random draws: up in l always; up in w and p where l > 1, down where l < 1, equal to 1 at l = 1."""
    random = np.random.default_rng(21)
    w, p = random.uniform(0.001, 0.999, size=(2, 100_000))
    w_more, p_more = w + (1 - w) * random.random(w.size), p + (1 - p) * random.random(w.size)
    most = 1 / np.maximum(w_more, p_more)
    lift = 1 + (most - 1) * random.random(w.size) * 0.999
    assert (lift_odds(lift, w_more, p) >= lift_odds(lift, w, p) * (1 - 1e-9)).all()
    assert (lift_odds(lift, w, p_more) >= lift_odds(lift, w, p) * (1 - 1e-9)).all()
    less = random.random(w.size)
    assert (lift_odds(less, w_more, p) <= lift_odds(less, w, p) * (1 + 1e-9) + 1e-12).all()
    assert (lift_odds(less, w, p_more) <= lift_odds(less, w, p) * (1 + 1e-9) + 1e-12).all()
    assert (lift_odds(lift, w, p) >= lift_odds(1 + (lift - 1) / 2, w, p) * (1 - 1e-9)).all()
    assert (lift_odds(less / 2, w, p) <= lift_odds(less, w, p)).all()
    assert lift_odds(1.0, w, p) == pytest.approx(1.0)


def test_odds_used_are_on_the_cautious_side_of_every_law_to_be_refuted() -> None:
    """100,000 random laws between confidence bounds: each of the four rows of the table in the module's text."""
    random = np.random.default_rng(22)
    size = 100_000
    w, p = random.uniform(0.001, 0.999, size=(2, size))
    w_lo, p_lo = w * random.random(size), p * random.random(size)
    w_up, p_up = w + (1 - w) * random.random(size), p + (1 - p) * random.random(size)
    least, most = np.maximum(0, (w + p - 1) / (w * p)), 1 / np.maximum(w, p)
    lift = least + (most - least) * random.random(size)
    odds = lift_odds(lift, w, p)
    up, low = 1 + random.exponential(0.5, size), random.random(size)
    worse, better = lift >= up, lift <= up
    assert worse.sum() > 1000
    assert (odds[worse] >= lift_odds(up, w_lo, p_lo)[worse] * (1 - 1e-9)).all()
    assert (odds[better] <= lift_odds(up, w_up, p_up)[better] * (1 + 1e-9)).all()
    worse, better = lift <= low, lift >= low
    assert worse.sum() > 1000
    assert (odds[worse] <= lift_odds(low, w_lo, p_lo)[worse] * (1 + 1e-9) + 1e-12).all()
    assert (odds[better] >= lift_odds(low, w_up, p_up)[better] * (1 - 1e-9) - 1e-12).all()


def test_odds_are_infinite_or_zero_where_no_law_reaches_the_lift() -> None:
    """l w >= 1, l p >= 1, and 1 - w - p + l w p <= 0."""
    assert lift_odds(2, 0.5, 0.1) == np.inf
    assert lift_odds(2, 0.1, 0.5) == np.inf
    assert lift_odds(0.5, 0.8, 0.9) == 0
    assert lift_odds(0, 0.2, 0.2) == 0


# ---- confidence bounds and Holm --------------------------------------------------------------------


@pytest.mark.parametrize("miss", [0.025, 1e-4, 1e-8])
def test_share_bounds_are_those_of_clopper_and_pearson(miss: float) -> None:
    """At the lower bound as many rows as seen are just as rare as ``miss``, at the upper bound so few."""
    from scipy.stats import binom

    for n in (1, 7, 1000, 10**6):
        count = np.unique(np.array([0, 1, 2, n // 3, n - 1, n]).clip(0, n))
        low, up = share_at_least(count, n, miss), share_at_most(count, n, miss)
        assert (low <= count / n).all()
        assert (up >= count / n).all()
        assert (low[count == 0] == 0).all()
        assert (up[count == n] == 1).all()
        some, few = count > 0, count < n
        assert binom.sf(count[some] - 1, n, low[some]) == pytest.approx(miss, rel=1e-3)
        assert (binom.sf(count[some] - 1, n, low[some]) <= miss).all()
        usual = count < n / 2 if n > 7 else count < 0
        assert binom.cdf(count[usual], n, up[usual]) == pytest.approx(miss, rel=1e-3)
        assert (binom.cdf(count[few], n, up[few]) <= miss).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_holm_is_the_closed_test_of_bonferroni(p: list[float]) -> None:
    """Brute force: a hypothesis falls when every intersection that contains it falls by Bonferroni."""
    size = len(p)
    expected = [
        max(
            min(1.0, count * min(p[i] for i in members))
            for count in range(1, size + 1)
            for members in combinations(range(size), count)
            if at in members
        )
        for at in range(size)
    ]
    assert holm(p) == pytest.approx(np.array(expected), rel=1e-12)


# ---- the verdicts ----------------------------------------------------------------------------------


def plain_reading(joint: Joint, low: float, up: float, alpha: float) -> tuple[list[float], list[float], float]:
    """The definition in loops: the whole law of every cell, and scipy's beta quantiles."""
    from scipy.special import gammaln, softmax
    from scipy.stats import beta

    counts, n = joint.counts, joint.total
    groups, size = counts.shape

    def cell(s: int, x: int, miss: float, inside: bool) -> list[float]:
        a, g, b = int(counts[s, x]), int(counts[s].sum()), int(counts[:, x].sum())
        if inside:  # lower bounds of both margins
            w, p = (float(beta.ppf(miss / 2, k, n - k + 1)) for k in (b, g))
        else:
            w, p = (float(beta.ppf(1 - miss / 2, k + 1, n - k)) if k < n else 1.0 for k in (b, g))
        out = []
        for bound, is_up in ((up, True), (low, False)):
            top, bottom = 1 - w - p + bound * w * p, (1 - bound * w) * (1 - bound * p)
            impossible = (bound * w >= 1 or bound * p >= 1) if is_up else (top <= 0 or bound == 0)
            if impossible:
                out.append((0.0 if inside else 1.0) + miss * (bound != 0))
                continue
            k = np.arange(max(0, b + g - n), min(b, g) + 1)
            ways = sum(gammaln(v + 1) for v in (k, b - k, g - k, n - b - g + k))
            law = softmax(k * np.log(bound * top / bottom) - ways)
            few = is_up == inside  # within the upper side, or below the lower one: few rows speak for it
            out.append(float(law[k <= a].sum() if few else law[k >= a].sum()) + miss)
        return out

    half = alpha / 2
    within = [max(max(cell(s, x, half / (20 * size), True)) for s in range(groups)) for x in range(size)]
    miss = half / (20 * size * 2 * groups)
    outside = [2 * groups * min(min(cell(s, x, miss, False)) for s in range(groups)) for x in range(size)]
    table = max(max(cell(s, x, alpha / 20, True)) for s in range(groups) for x in range(size))
    return within, outside, table


@pytest.mark.parametrize(("low", "up"), [("1/2", "2"), ("0", "3/2"), ("9/10", "1"), ("1/3", "5/4"), ("1", "3")])
def test_equal_to_the_definition_in_loops(low: str, up: str) -> None:
    """p-values of values and of the table, and the words they lead to, on random tables with zero cells."""
    random = np.random.default_rng(23)
    words = set()
    for _ in range(12):
        joint = random_joint(random)
        found = sample_reading(joint, Budget.between(low, up))
        within, outside, table = plain_reading(joint, float(Fraction(low)), float(Fraction(up)), 0.05)
        assert found.p_within == pytest.approx(holm(np.minimum(within, 1)), rel=2e-4)
        assert found.p_outside == pytest.approx(holm(np.minimum(outside, 1)), rel=2e-4)
        assert found.p_table == pytest.approx(min(table, 1.0), rel=2e-4)
        words.update(found.verdicts)
    assert "outside" in words


def test_worked_by_hand() -> None:
    """All 8 of 16 rows with s have x: at lift 1 that is one of C(16, 8) = 12,870 tables."""
    found = sample_reading(Joint.from_counts([[8, 0], [0, 8]]), Budget.between(0, 1))
    gamma = 1 / 40 / (20 * 2 * 4)  # half of alpha; 20 values-times-parts; 2 |S| sides
    assert found.verdicts == ("outside", "outside")
    assert found.overall == "outside"
    assert found.p_outside == pytest.approx(2 * 4 * (1 / 12870 + gamma), rel=1e-4)
    assert found.p_outside.max() <= 1 / 40
    assert found.p_table == 1


def test_side_that_cannot_break_is_not_tested() -> None:
    """A value with nearly all rows cannot be 1.5 times as common anywhere: within at the price of the margins."""
    found = sample_reading(Joint.from_counts([[500, 3], [500, 3]]), Budget.between(0, "3/2"))
    assert found.verdicts == ("within", "unknown")
    assert found.p_within[0] == pytest.approx(2 * (1 / 40) / (20 * 2), rel=1e-12)


def test_words_and_error_rates_of_values_and_table_fit_together() -> None:
    """All values within means the table is; one value outside means the table is, and then p_table is large."""
    random = np.random.default_rng(24)
    seen = set()
    for _ in range(60):
        base = np.outer([5, 3, 2], [6, 3, 1]) * int(random.choice([1, 10, 100]))
        joint = Joint.from_counts(random.poisson(base * random.uniform(0.6, 1.6, size=base.shape)) + 1)
        found = sample_reading(joint, WIDE)
        seen.add((frozenset(found.verdicts), found.overall))
        if set(found.verdicts) == {"within"}:
            assert found.overall == "within"
        if "outside" in found.verdicts:
            assert found.overall == "outside"
            assert found.p_table > 0.25
        assert (found.overall == "within") == (found.p_table <= 0.05)
    assert {overall for _, overall in seen} >= {"within", "unknown"}
    assert any(overall == "within" and "unknown" in words for words, overall in seen)  # one claim costs less


@pytest.mark.parametrize("alpha", ["1/20", "1/4"])
def test_never_contradicts_the_rows_themselves(alpha: str) -> None:
    """A value whose own rows break the budget is never within, one whose rows keep it never outside."""
    random = np.random.default_rng(25)
    counted = {"within": 0, "outside": 0, "unknown": 0}
    for _ in range(250):
        joint = random_joint(random, most=3000)
        lifts = joint.lift.ravel()
        low = Fraction(min(1.0, float(random.choice(lifts)))).limit_denominator(1000)
        up = Fraction(max(1.0, float(random.choice(lifts)))).limit_denominator(1000)
        budget = Budget.between(min(low, Fraction(1)), max(up, Fraction(1)))
        found = sample_reading(joint, budget, alpha)
        broken = budget.cells_outside(joint).any(axis=0)
        for word, out in zip(found.verdicts, broken, strict=True):
            counted[word] += 1
            assert word != ("within" if out else "outside")
        assert found.overall != ("within" if broken.any() else "outside")
    assert counted["outside"] > 100
    assert counted["within"] > 5


def test_order_and_names_do_not_matter() -> None:
    """Permuting values permutes the verdicts; permuting or renaming sensitive values changes nothing."""
    random = np.random.default_rng(26)
    for _ in range(10):
        joint = random_joint(random)
        found = sample_reading(joint, WIDE)
        rows, columns = random.permutation(len(joint.sensitive)), random.permutation(len(joint.public))
        moved = sample_reading(Joint.from_counts(joint.counts[np.ix_(rows, columns)]), WIDE)
        assert moved.p_within == pytest.approx(found.p_within[columns], rel=1e-9)
        assert moved.p_outside == pytest.approx(found.p_outside[columns], rel=1e-9)
        assert moved.verdicts == tuple(found.verdicts[i] for i in columns)
        named = Joint.from_counts(joint.counts, sensitive=[f"s{i}" for i in range(len(joint.sensitive))])
        assert sample_reading(named, WIDE).p_within.tolist() == found.p_within.tolist()


def test_more_of_the_same_rows_say_more() -> None:
    """The same shares with more rows: no word is taken back, and in the end every word is known."""
    counts = np.array([[30, 20, 6, 4], [20, 20, 12, 8], [10, 10, 2, 28]])
    budget = Budget.between("1/2", "3/2")
    readings = [sample_reading(Joint.from_counts(counts * k), budget) for k in (1, 4, 40, 4000)]
    for before, after in pairwise(readings):
        assert all(a in ("unknown", b) for a, b in zip(before.verdicts, after.verdicts, strict=True))
    assert "unknown" in readings[0].verdicts
    assert readings[-1].verdicts == ("within", "within", "outside", "outside")


def test_larger_budget_and_larger_alpha_only_help_within() -> None:
    """p-values for within fall as the budget grows; words for within stay as alpha grows."""
    random = np.random.default_rng(27)
    for _ in range(10):
        joint = random_joint(random)
        p = [sample_reading(joint, Budget.lip(eps)).p_within for eps in ("1/2", "1", "2")]
        assert (p[1] <= p[0] * (1 + 1e-9)).all()
        assert (p[2] <= p[1] * (1 + 1e-9)).all()
        words = [sample_reading(joint, Budget.lip(2), alpha).verdicts for alpha in ("0.01", "0.2")]
        assert all(b == "within" for a, b in zip(*words, strict=True) if a == "within")


# ---- edges -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [[[4], [9]], [[4, 9, 1]], [[5]]])
def test_one_value_on_a_side_has_lift_one(counts: list[list[int]]) -> None:
    """A public value that is everything, or a single sensitive value: within, and nothing was tested."""
    found = sample_reading(Joint.from_counts(counts), Budget.between(1, 1))
    assert set(found.verdicts) == {"within"}
    assert found.overall == "within"
    assert found.p_within.tolist() == [0.0] * len(counts[0])
    assert any("nothing had to be tested" in note for note in found.notes)


def test_zero_cells_are_never_within_a_positive_lower_bound() -> None:
    """No row of s at x: without a lower bound it can be within, with one it cannot, and the reading says why."""
    joint = Joint.from_counts([[0, 4000], [4000, 8000]])
    assert sample_reading(joint, Budget.between(0, 3)).verdicts[0] == "within"
    found = sample_reading(joint, Budget.between("1/10", 3))
    assert found.verdicts[0] == "outside"
    assert any("no row of some sensitive value" in note for note in found.notes)
    few = sample_reading(Joint.from_counts([[0, 40], [4, 80]]), Budget.between("1/10", 3))
    assert few.verdicts[0] == "unknown"


def test_values_listed_but_never_seen_stay_unknown_and_count() -> None:
    """An empty column of a list fixed beforehand: unknown, and the family is one larger."""
    counts = np.array([[600, 200], [400, 200]])
    listed = sample_reading(Joint.from_counts(np.hstack([counts, [[0], [0]]])), Budget.between("2/3", "3/2"))
    seen = sample_reading(Joint.from_counts(counts), Budget.between("2/3", "3/2"))
    assert listed.verdicts == (*seen.verdicts, "unknown")
    assert listed.overall == "unknown"
    assert seen.overall == "within"


def test_budget_of_nothing_is_never_certified() -> None:
    """Lift exactly 1 cannot be shown by a sample, also not by one where it holds."""
    found = sample_reading(Joint.from_counts(np.outer([30, 20], [10, 20]) * 50), Budget.between(1, 1))
    assert found.verdicts == ("unknown", "unknown")


def test_shares_are_refused() -> None:
    """Probabilities and counts beyond 2^62 are no sample; the error names the way out."""
    joint = Joint.from_probabilities([[0.3, 0.2], [0.1, 0.4]])
    with pytest.raises(UsageError, match="shares and not rows") as caught:
        sample_reading(joint, WIDE)
    assert "Joint.from_counts" in caught.value.fix
    huge = Joint.from_counts([[2**70, 1], [1, 2**70]])
    assert huge.counts.dtype == object
    with pytest.raises(UsageError, match="shares and not rows"):
        sample_reading(huge, WIDE)


@pytest.mark.parametrize("budget", [Budget.ldp(1), Budget.l1(1, None), Budget.chi2(1, 1), Budget.alpha(2, 1, 1)])
def test_other_budgets_are_refused(budget: Budget) -> None:
    """Exact tests exist for bounds on lift only; the error says which budgets those are."""
    with pytest.raises(BudgetError, match="bounds on lift only") as caught:
        sample_reading(Joint.from_counts([[3, 1], [1, 3]]), budget)
    assert caught.value.fix == "use alip, lip, split, breach or between"


@pytest.mark.parametrize("alpha", [0, -0.1, 0.5, 1, "1e-9"])
def test_unusable_error_rates_are_refused(alpha: float | str) -> None:
    """alpha must be an error rate that one would accept."""
    with pytest.raises(UsageError, match="alpha"):
        sample_reading(Joint.from_counts([[3, 1], [1, 3]]), WIDE, alpha)


def test_record_is_frozen_and_prints_as_json() -> None:
    """Arrays cannot be changed, and the dictionary is plain JSON with an exact alpha."""
    found = sample_reading(Joint.from_counts([[600, 200, 10], [400, 200, 30]]), WIDE, 0.1)
    assert isinstance(found, SampleReading)
    with pytest.raises(ValueError, match="read-only"):
        found.p_within[0] = 0
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["alpha"] == "1/10"
    assert data["verdicts"] == list(found.verdicts)
    assert data["p_within"] == found.p_within.tolist()
    assert any("at most 1/20 of samples" in note for note in data["notes"])


def test_many_cells_at_once_agree_with_few() -> None:
    """5 x 300 values in one call: each p-value of the table is that of its own 2 x 2 question."""
    random = np.random.default_rng(28)
    counts: NDArray[np.int64] = random.poisson(20, size=(5, 300)) + 1
    joint = Joint.from_counts(counts)
    found = sample_reading(joint, Budget.lip(1))
    at = [int(i) for i in random.choice(300, size=8, replace=False)]
    for x in at:
        rest = np.delete(counts, x, axis=1).sum(axis=1)
        alone = sample_reading(Joint.from_counts(np.column_stack([counts[:, x], rest])), Budget.lip(1))
        assert alone.p_within[0] <= found.p_within[x]
    assert len(found.verdicts) == 300
