"""What a row tells, in words: explanations, rules, reliability, groups of held-out rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.estimators.problems import mixed

import liftgate as lg
from liftgate.estimators.bins import POINTWISE, group_reading, halves
from liftgate.estimators.crossfit import Fitted
from liftgate.estimators.explain import explain, with_labels
from liftgate.estimators.logistic import logistic
from liftgate.estimators.reliability import calibration_error, reliability
from liftgate.estimators.rows import Column, Rows, Sample
from liftgate.estimators.simple_rules import shortest_rules


def fitted() -> tuple[Fitted, Rows]:
    """A model in which only the first column tells."""
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=800), rng.normal(size=800), rng.integers(3, size=800)
    s = (rng.random(800) < 1 / (1 + np.exp(-2 * a))).astype(np.int64)
    rows = Rows((Column("a", "number", a), Column("b", "number", b), Column("c", "category", c, ("x", "y", "z"))))
    sample = Sample(rows, s, 2)
    return Fitted("logistic", (logistic(sample, 0),), sample.prior), rows


def test_an_explanation_is_exact_rescoring() -> None:
    """Without a category the row is scored under each of its values and averaged by their shares."""
    model, rows = fitted()
    at = int(np.argmax(rows.columns[0].values))
    found = with_labels(explain(model, rows, rows, at), ["no", "yes"])
    assert next(m.column for m in found.moves) == "a"
    lift = np.exp(model.log_lift(rows.take(np.array([at]))))[0]
    s = int(np.abs(np.log(lift)).argmax())
    assert found.lift == pytest.approx(lift[s])
    by_hand = 0.0
    for code in range(3):
        row = rows.take(np.array([at])).with_column(2, Column("c", "category", np.array([code]), ("x", "y", "z")))
        by_hand += (rows.columns[2].values == code).mean() * np.exp(model.log_lift(row))[0, s]
    assert next(m for m in found.moves if m.column == "c").without == pytest.approx(by_hand)
    assert "times as likely as before; what moves it most: a = " in found.sentence


def test_gaps_are_entries_in_explanations() -> None:
    """A missing entry is told, and is one of the values a column could have had."""
    problem = mixed(800, 2)
    sample = problem.sample
    model = Fitted("logistic", (logistic(sample, 0),), sample.prior)
    at = int(np.flatnonzero(sample.rows.columns[2].missing)[0])
    move = next(m for m in explain(model, sample.rows, sample.rows, at).moves if m.column == "n2")
    assert move.entry == "(missing)"
    assert move.without > 0


def test_rules_are_true_of_the_rows_they_describe() -> None:
    """A planted rule comes back in words, and its counts are recounted."""
    rng = np.random.default_rng(4)
    age, job = rng.integers(18, 80, 600).astype(float), rng.integers(3, size=600)
    age[::40] = np.nan
    flagged = (np.nan_to_num(age, nan=0) >= 60) & (job == 2)
    rows = Rows((Column("age", "number", age), Column("job", "category", job, ("cook", "nurse", "diver"))))
    rules = shortest_rules(rows, flagged)
    assert len(rules) == 1
    assert {"age is at least 60", "job is diver"} == set(rules[0].text.split(" and "))
    assert rules[0].rows == rules[0].flagged == int(flagged.sum())
    assert rules[0].share_of_flagged == 1.0
    gaps = shortest_rules(rows, np.isnan(age))
    assert gaps[0].text == "age is missing"
    assert shortest_rules(rows, np.zeros(600, dtype=bool)) == ()
    assert shortest_rules(rows, np.ones(600, dtype=bool)) == ()


def test_reliability_is_said_against_seen() -> None:
    """The true log-lift is reliable, twice as much of it is not; shares and intervals by hand."""
    problem = mixed(6000, 3)
    s, prior = problem.sample.s, problem.prior
    points = reliability(problem.log_lift, s, prior, ("a", "b", "c"))
    assert len(points) == 30
    assert sum(p.rows for p in points) == 18_000
    assert all(p.low <= p.seen <= p.up for p in points)
    inside = np.mean([p.low <= p.said <= p.up for p in points])
    assert inside >= 0.8
    doubled = problem.log_lift * 2
    doubled -= np.log(np.exp(doubled) @ prior)[:, None]
    assert calibration_error(reliability(doubled, s, prior, ("a", "b", "c"))) > 2 * calibration_error(points)


def frame(n: int, seed: int, strength: float) -> pd.DataFrame:
    """One number that tells as much as asked for."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    s = np.where(rng.random(n) < 1 / (1 + np.exp(-strength * x)), "ill", "well")
    return pd.DataFrame({"x": x, "s": s})


def read(n: int, seed: int, strength: float, text: str = "lip:0.3") -> object:
    found = lg.estimate(frame(n, seed, strength), "s", "x", "logistic")
    sample = found.table.sample
    held = halves(sample, seed)
    design = sample.take(~held)
    model = Fitted("logistic", (logistic(design, 0),), design.prior)
    return group_reading(
        model.log_lift(design.rows), model.log_lift(sample.rows.take(held)), sample.s[held], found.labels, lg.Budget.parse(text)
    )  # fmt: skip


def test_groups_are_shown_outside_only_where_they_are() -> None:
    """Strong columns are shown outside, with a lower bound on what an attacker learns; silence never is."""
    strong = read(3000, 1, 2.0)
    assert strong.overall == "outside"
    assert 0.3 < strong.at_least < 2.0
    assert POINTWISE in strong.notes
    for seed in range(12):
        silent = read(600, seed, 0.0)
        assert silent.overall == "unknown"
        assert all(g.verdict != "outside" for g in silent.groups)


def test_rich_rows_are_never_called_within() -> None:
    """However generous the budget, the word for all rows is unknown: averages of groups certify no row."""
    found = read(4000, 3, 0.1, "lip:3")
    assert found.overall == "unknown"
    assert any(g.verdict == "within" for g in found.groups)
    assert all(c.low <= c.lift <= c.up for g in found.groups for c in g.cells)


def test_other_budgets_are_measured_and_not_decided() -> None:
    """Exact tests exist for bounds on lift; others are unknown and the note says why."""
    found = read(800, 2, 1.0, "l1:0.2,0.2")
    assert found.overall == "unknown"
    assert found.sample is None
    assert any("bounds on lift only" in note for note in found.notes)
    assert found.to_dict()["overall"] == "unknown"
