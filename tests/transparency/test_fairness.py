"""Fairness figures, the paper's Table 2, and the range of the real bias that an announcement allows."""

from __future__ import annotations

from fractions import Fraction as F
from math import inf, log

import numpy as np
import pytest

from liftgate.transparency import DecisionRules, announce
from liftgate.transparency import fairness as f

BANDS = ["<100k", "100k-200k", ">200k"] * 2


@pytest.fixture
def table_1():
    """ATR Table 1."""
    return DecisionRules.from_arrays(
        [139, 9, 2, 117, 18, 5], [0, 0, 1, 0, 0.5, 1], list("FFFMMM"), {"income": np.array(BANDS)}
    )


def test_of_many_classes_the_pairs_furthest_apart_are_told():
    """Twelve classes are told pair by pair; of more only those furthest apart, which is what parity asks for."""
    rng = np.random.default_rng(1)
    for groups, most in ((12, 66 * 2), (13, 2), (400, 2)):
        rule = rng.random(groups * 3)
        rules = DecisionRules.from_arrays(rng.integers(1, 9, groups * 3), rule, np.repeat(np.arange(groups), 3))
        a = announce(rules, delta=0.9)
        told = f.figures(a)
        assert len(told) == most
        parity = max(t.announced for t in told if t.name == "statistical parity")
        assert parity == pytest.approx(f.statistical_parity(rules, chances=a.chances))


def test_table_2(table_1):
    """Rates 1.333 % and 10 %, statistical parity .086667 (printed .0866), conditional parity 0, .5, 0."""
    found = f.rates(table_1)
    assert found["F"][1] == pytest.approx(1 / 75)
    assert found["M"][1] == pytest.approx(0.1)
    assert f.statistical_parity(table_1) == pytest.approx(13 / 150)
    assert list(f.conditional_statistical_parity(table_1, "income").values()) == pytest.approx([0, 0.5, 0])
    assert f.four_fifths_ratio(table_1) == pytest.approx(2 / 15)
    assert f.percent_rule(table_1) == pytest.approx(log(7.5))


def draw_people(rng, outcomes=2):
    n = 12
    rule = rng.dirichlet(np.ones(outcomes), n)
    truth = rng.dirichlet(np.ones(outcomes), n)
    mass = rng.integers(1, 20, n)
    group = [str(v) for v in rng.integers(0, 3, n)]
    return (
        DecisionRules.from_arrays(mass, rule[:, 1] if outcomes == 2 else rule, group),
        truth,
        mass,
        np.array(group),
        rule,
    )


def test_two_outcomes_by_their_definitions():
    """Each figure as a direct formula over people (the definitions that fairlearn uses: largest minus smallest)."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        rules, truth, mass, group, rule = draw_people(rng)
        names = np.unique(group)

        def spread(weight, value, group=group, names=names):
            rate = [(weight * value)[group == g].sum() / weight[group == g].sum() for g in names]
            return max(rate) - min(rate), min(rate) / max(rate)

        positive, deserved = rule[:, 1], truth[:, 1]
        assert f.statistical_parity(rules) == pytest.approx(spread(mass, positive)[0])
        assert f.four_fifths_ratio(rules) == pytest.approx(spread(mass, positive)[1])
        true_rate = spread(mass * deserved, positive)[0]
        false_rate = spread(mass * (1 - deserved), positive)[0]
        assert f.equality_of_opportunity(rules, deserved) == pytest.approx(true_rate)
        assert f.equality_of_odds(rules, deserved) == pytest.approx(max(true_rate, false_rate))
        assert f.predictive_parity(rules, deserved) == pytest.approx(spread(mass * positive, deserved)[0])


@pytest.mark.oracle
def test_equal_to_fairlearn():
    """Equal to fairlearn where both define the figure."""
    from fairlearn.metrics import (
        demographic_parity_difference,
        demographic_parity_ratio,
        equal_opportunity_difference,
        equalized_odds_difference,
    )

    rng = np.random.default_rng(2)
    n = 600
    group, truth, decided = rng.integers(0, 3, n), rng.integers(0, 2, n), rng.integers(0, 2, n)
    rules = DecisionRules.from_arrays(np.ones(n), decided.astype(float), [str(g) for g in group])
    pairs = [
        (f.statistical_parity(rules), demographic_parity_difference),
        (f.four_fifths_ratio(rules), demographic_parity_ratio),
        (f.equality_of_odds(rules, truth), equalized_odds_difference),
        (f.equality_of_opportunity(rules, truth), equal_opportunity_difference),
    ]
    for value, theirs in pairs:
        assert value == pytest.approx(theirs(truth, decided, sensitive_features=group))


def test_many_outcomes():
    """Three outcomes: half the sum of differences, both conventions, and each true outcome in turn."""
    rng = np.random.default_rng(3)
    rules, truth, mass, group, rule = draw_people(rng, 3)
    names = np.unique(group)
    rate = {g: (mass[:, None] * rule)[group == g].sum(0) / mass[group == g].sum() for g in names}
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    direct = max(np.abs(rate[a] - rate[b]).sum() for a, b in pairs)
    assert f.statistical_parity(rules) == pytest.approx(direct / 2)
    assert f.statistical_parity(rules, convention="mean") == pytest.approx(direct / 3)
    odds = []
    for y in range(3):
        w = mass * truth[:, y]
        by = {g: (w[:, None] * rule)[group == g].sum(0) / w[group == g].sum() for g in names}
        odds.append(max(np.abs(by[a] - by[b]).sum() / 2 for a, b in pairs))
    assert f.equality_of_odds(rules, truth) == pytest.approx(max(odds))
    assert f.equality_of_opportunity(rules, truth) == pytest.approx(odds[-1])
    assert 0 <= f.predictive_parity(rules, truth) <= 1


def test_individual_fairness():
    """The least bias over pairs: distance of rules minus distance of people, never below 0."""
    rules = DecisionRules.from_arrays([1, 1, 1], [0.1, 0.2, 0.9], ["a", "b", "c"])
    distance = np.array([[0, 0.5, 0.3], [0.5, 0, 0.9], [0.3, 0.9, 0]])
    assert f.individual_fairness(rules, distance) == pytest.approx(0.5)
    assert f.individual_fairness(rules, np.ones((3, 3))) == 0


def test_zero_rates():
    """0 against 0 counts as equal, a positive rate against 0 as infinite."""
    assert f.relative_distance([0, 1], [0, 1]) == 0
    assert f.relative_distance([0.5, 0.5], [0, 1]) == inf
    assert f.four_fifths_ratio(DecisionRules.from_arrays([1, 1], [0, 0], ["a", "b"])) == 1


@pytest.mark.parametrize("outcomes", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("convention", ["half", "mean"])
def test_real_bias_is_inside_the_interval(outcomes, convention):
    """Lemma 2, corrected: whatever rules are within delta, their bias is inside the interval; the factor is attained."""
    rng = np.random.default_rng(outcomes)
    for _ in range(300):
        real = rng.dirichlet(np.ones(outcomes), 2)
        room = float(rng.choice([0.05, 0.1, 0.3]))
        shown = []
        for row in real:
            step = rng.uniform(-room, room, outcomes)
            step -= step.mean()
            step *= room / max(np.abs(step).max(), room)
            shown.append(np.clip(row + step, 0, None))
        if any(abs(s.sum() - 1) > 1e-12 for s in shown):
            continue
        low, high = f.bias_interval(f.total_variation(*shown, convention), 1 - room, outcomes, convention)
        assert low - 1e-9 <= f.total_variation(*real, convention) <= high + 1e-9
    half = outcomes // 2
    base = np.full(outcomes, 1 / outcomes)
    move = np.array([0.05] * half + [-0.05] * half + [0.0] * (outcomes - 2 * half))
    gap = f.total_variation(base + move, base - move, convention)
    assert f.bias_interval(gap, 0.95, outcomes, convention)[0] == pytest.approx(0, abs=1e-12)


def test_log_ratio_interval():
    """(15) without its cap: the real log-ratio is inside for every alpha."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        alpha = float(rng.uniform(0.2, 1))
        real = rng.uniform(0.01, 1, 2)
        shown = real * np.exp(rng.uniform(log(alpha), -log(alpha), 2))
        low, high = f.ratio_interval(abs(log(shown[0] / shown[1])), alpha)
        assert low - 1e-9 <= abs(log(real[0] / real[1])) <= high + 1e-9


def test_published_with_the_announcement(table_1):
    """Figures to publish come from the announced rules, and their range contains the real figure."""
    a = announce(table_1, delta=0.9, digits=3)
    published = f.figures(a, given="income")
    assert {p.name for p in published} == {"statistical parity", "log ratio", "conditional statistical parity"}
    real = {"statistical parity": 13 / 150, "log ratio": log(7.5)}
    for p in published:
        truth = real.get(p.name, {"100k-200k": 0.5}.get(p.given, 0.0))
        assert p.low - 1e-9 <= truth <= p.high + 1e-9
        assert p.low <= p.announced <= p.high
    by_alpha = f.figures(announce(table_1, alpha=F(9, 10)))
    ratio = next(p for p in by_alpha if p.name == "log ratio")
    assert ratio.low <= log(7.5) <= ratio.high < inf
