"""The inversion check: what a reader who knows the scheme finds out."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from liftgate.transparency import DecisionRules, after_prior, announce, invert
from liftgate.transparency.fitting import confidence_of

HALVES = (F(0), F(1, 2), F(1))


def readings(credit, **asked):
    return announce(credit, delta=0.9, **asked).inversion


def test_six_cases(credit):
    """The six cases: two groups read with {0, 1}, {0, 1/2, 1} and any value."""
    check = readings(credit)
    female, male = check.family("0 or 1").readings
    assert (female.fits, female.pinned, female.lowest, female.verdict) == (1, 3, 1.0, "refuted")
    assert (male.fits, male.verdict) == (0, "no rule fits")
    female, male = check.family("0, 1/2 or 1").readings
    assert (female.fits, female.lowest, female.highest, female.verdict) == (1, 1.0, 1.0, "refuted")
    assert (male.fits, male.pinned, male.verdict) == (1, 3, "refuted")
    assert male.lowest == pytest.approx(0.72)
    assert male.promised == pytest.approx(0.637795, abs=1e-6)
    female, male = check.family("any value").readings
    assert female.lowest == pytest.approx(0.6315789)
    assert female.highest == 1.0
    assert female.verdict == "depends on what the reader believes"
    assert male.highest == pytest.approx(0.72)
    assert male.verdict == "depends on what the reader believes"


@pytest.mark.parametrize(
    ("steps", "rules", "least"), [(10, 2, 6 / 7), (20, 3, 6 / 7), (50, 7, 5 / 6), (100, 13, 5 / 6)]
)
def test_knowing_the_method(credit, steps, rules, least):
    """Rules in steps of .1 / .05 / .02 / .01: 2 / 3 / 7 / 13 of them lead to the female announcement, all above .675."""
    grid = tuple(F(i, steps) for i in range(steps + 1))
    check = invert(announce(credit, delta=0.9), {"steps": grid})
    female, male = check.family("steps", algorithm_known=True).readings
    assert female.fits == rules
    assert female.lowest == pytest.approx(least)
    assert female.highest == 1.0
    assert female.verdict == "refuted"
    assert (male.fits, male.verdict) == (1, "refuted")
    assert check.family("steps").readings[0].verdict == "depends on what the reader believes"


def test_declared_values_decide_the_verdict(credit):
    """The verdict is the one for the values that were declared; none declared means any value."""
    assert readings(credit).verdict == "depends on what the reader believes"
    refuted = announce(credit, delta=0.9, values=HALVES)
    assert refuted.inversion.verdict == "refuted"
    assert refuted.refuted
    assert announce(credit, delta=0.9, values=[F(i, 20) for i in range(21)]).inversion.verdict == "refuted"


def test_holds_for_every_rule_that_fits():
    """Nearly equal rules: whatever rule fits, the promise holds."""
    rules = DecisionRules.from_arrays([1] * 4, [0.5] * 4, ["g"] * 4)
    a = announce(rules, delta=0.9, beta=0.45)
    family = a.inversion.family("any value")
    assert family.verdict == "holds for every rule that fits"
    assert family.readings[0].highest <= 0.45


def test_every_rule_that_fits_is_within_lowest_and_highest():
    """Lowest and highest bound the confidence of every rule of the family near the announcement (all listed)."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        m = int(rng.integers(2, 5))
        mass = rng.random(m) + 0.05
        rules = DecisionRules.from_arrays(mass, rng.integers(0, 5, m) / 4, [0] * m)
        delta = float(rng.choice([0.9, 0.7, 0.5]))
        a = announce(rules, delta=delta)
        grid = tuple(F(i, 4) for i in range(5))
        family = invert(a, {"quarters": grid, "any value": None})
        near = [
            rule
            for rule in product(*[[float(v) for v in grid]] * m)
            if (np.abs(np.array(rule) - a.rules) <= 1 - delta + 1e-9).all()
        ]
        reading = family.family("quarters").readings[0]
        assert reading.fits == len(near) > 0
        seen = confidence_of(mass, np.array(near))
        assert reading.lowest == pytest.approx(seen.min())
        assert reading.highest == pytest.approx(seen.max())
        wide = family.family("any value").readings[0]
        assert wide.lowest <= seen.min() + 1e-9
        assert wide.highest >= seen.max() - 1e-9
        known = family.family("quarters", algorithm_known=True).readings[0]
        assert 1 <= known.fits <= reading.fits


def test_only_the_mean_rule_matters():
    """P(k | announcement, outcome) from the full joint equals the confidence of the posterior mean rule."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        m, size = 4, 6
        mass = rng.dirichlet(np.ones(m))
        rules, weights = rng.random((size, m)), rng.dirichlet(np.ones(size))
        joint = np.einsum("r,k,rk->k", weights, mass, rules)
        joint_negative = np.einsum("r,k,rk->k", weights, mass, 1 - rules)
        direct = max((joint / joint.sum()).max(), (joint_negative / joint_negative.sum()).max())
        assert after_prior(mass, rules, weights) == pytest.approx(direct)


def test_slack_covers_every_prior_within_the_odds():
    """With odds slack r the bound is at least that of every prior within r of the weights, and some prior attains it."""
    rng = np.random.default_rng(5)
    mass, rules, weights, slack = rng.dirichlet(np.ones(3)), rng.random((5, 3)), np.full(5, 0.2), 3.0
    bound = after_prior(mass, rules, weights, slack)
    best = 0.0
    for tilt in product([1.0, slack], repeat=5):
        found = after_prior(mass, rules, weights * np.array(tilt))
        assert found <= bound + 1e-9
        best = max(best, found)
    assert best == pytest.approx(bound, abs=1e-9)
    assert bound > after_prior(mass, rules, weights)


def test_naive_announcements_always_break():
    """Theorem: where the least-squares announcement moved the rule, the reader's mean rule has a confidence above beta.

    All rules sent to one announcement lie in a normal cone at it; a mixture of rules that are announced alike projects
    to the same point, so unless it is that point it lies outside the rules of confidence at most beta. Any prior.
    """
    rng = np.random.default_rng(6)
    changed = 0
    for _ in range(25):
        m = int(rng.integers(2, 4))
        mass = rng.dirichlet(np.ones(m))
        beta = float(mass.max() + (1 - mass.max()) / 4)
        grid = np.array(list(product([0.0, 0.5, 1.0], repeat=m)))
        tiled = DecisionRules.from_arrays(np.tile(mass, len(grid)), grid.ravel(), np.repeat(np.arange(len(grid)), m))
        shown = announce(tiled, beta=beta, distance="l2").rules.reshape(-1, m)
        labels = np.unique(np.round(shown, 5), axis=0, return_inverse=True)[1].ravel()
        weights = rng.dirichlet(np.ones(len(grid)))
        for label in range(labels.max() + 1):
            alike = labels == label
            if np.abs(grid[alike] - shown[alike]).max() < 1e-4:
                continue
            changed += 1
            assert after_prior(mass, grid[alike], weights[alike]) > beta + 1e-6
    assert changed > 50


def test_never_beta_without_inversion(credit):
    """The record for JSON and every text form carry the verdict beside the confidence."""
    a = announce(credit, delta=0.9)
    record = a.to_dict()
    assert record["inversion"]["verdict"] == a.inversion.verdict
    assert a.inversion.verdict in a._repr_html_()
    assert "reader" in a.manifest()["readers_who_know_the_method"]


def test_several_outcomes_by_listing_every_rule():
    """Three outcomes: rules that fit, lowest and highest confidence, and the mean, against listing all rules."""
    rng = np.random.default_rng(10)
    halves = [v for v in product([0.0, 0.5, 1.0], repeat=3) if sum(v) == 1]
    listed = 0
    for _ in range(12):
        m = int(rng.integers(2, 4))
        mass = rng.random(m) + 0.05
        given = np.array([halves[k] for k in rng.integers(0, len(halves), m)])
        delta = float(rng.choice([0.9, 0.6, 0.4]))
        a = announce(DecisionRules.from_arrays(mass, given, [0] * m), delta=delta)
        near = [
            rule for rule in product(halves, repeat=m) if (np.abs(np.array(rule) - a.rules) <= 1 - delta + 1e-9).all()
        ]
        reading = a.inversion.family("0, 1/2 or 1").readings[0]
        assert reading.fits == len(near) > 0
        seen = []
        for rule in near:
            masses = mass[:, None] * np.array(rule)
            total = masses.sum(axis=0)
            seen.append(max(masses[:, k].max() / total[k] for k in range(3) if total[k] > 0))
        assert reading.lowest == pytest.approx(min(seen))
        assert reading.highest == pytest.approx(max(seen))
        masses = mass[:, None] * np.mean(near, axis=0)
        happens = masses.sum(axis=0) > 0
        assert reading.after_prior == pytest.approx(
            (masses[:, happens].max(axis=0) / masses[:, happens].sum(axis=0)).max()
        )
        wide = a.inversion.family("any value").readings[0]
        assert wide.lowest <= min(seen) + 1e-9
        assert wide.highest >= max(seen) - 1e-9
        if len(near) <= 300:
            known = a.inversion.family("0, 1/2 or 1", algorithm_known=True).readings[0]
            assert 1 <= known.fits <= reading.fits
            listed += 1
    assert listed > 5


def test_several_outcomes_rounded_stay_in_their_band():
    """Rounding several rates moves one by up to a whole unit: the real rule is still among those that fit."""
    rng = np.random.default_rng(11)
    halves = [v for v in product([0.0, 0.5, 1.0], repeat=3) if sum(v) == 1]
    for _ in range(20):
        given = np.array([halves[k] for k in rng.integers(0, len(halves), 3)])
        rules = DecisionRules.from_arrays(rng.random(3) + 0.05, given, [0] * 3)
        a = announce(rules, delta=0.87, digits=1)
        assert a.inversion.family("0, 1/2 or 1").readings[0].fits >= 1
