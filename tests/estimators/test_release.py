"""Releases of rows: counted groups keep the budget, records stay whole, and randomness is not the seed's."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import liftgate as lg
from liftgate.checker import check
from liftgate.errors import BudgetError, UsageError
from liftgate.estimators.bins import halves
from liftgate.estimators.clusters import centres_of, nearest, nearest_in_batches
from liftgate.estimators.release import MODES, WITHIN, plan_rows, released_rows
from liftgate.jobs.rows import release_rows

BUDGETS = ("lip:0.3", "alip:0.6,0.3", "ldp:0.8", "l1:none,0.25", "chi2:0.2,0.2", "alpha:2,none,0.1", "between:1/2,2")


def people(n: int = 900, seed: int = 0) -> pd.DataFrame:
    """Two numbers and a category that tell on three values."""
    rng = np.random.default_rng(seed)
    x, y, job = rng.normal(size=n), rng.normal(size=n), rng.integers(4, size=n)
    score = np.column_stack([np.zeros(n), 0.9 * x, 0.9 * y - 0.6 * (job == 1)])
    s = (score + rng.gumbel(size=(n, 3))).argmax(axis=1)
    task = (x + y + rng.normal(size=n) > 0).astype(int)
    return pd.DataFrame({"x": x, "y": y, "job": [f"j{v}" for v in job], "s": s, "task": task})


@pytest.fixture(scope="module")
def scores() -> lg.Scores:
    """Scores of the people above."""
    return lg.estimate(people(), "s", ["x", "y", "job"], "logistic")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", BUDGETS)
def test_every_counted_group_keeps_the_budget(scores: lg.Scores, mode: str, text: str) -> None:
    """Decided in whole numbers on all rows; the hidden rows as one block keep it on held-out rows too."""
    budget = lg.Budget.parse(text)
    plan = plan_rows(scores, budget, mode)
    assert budget.holds(plan.after).all()
    sample = scores.table.sample
    recount = np.zeros((3, len(plan.hidden)), dtype=int)
    np.add.at(recount, (sample.s, plan.block), 1)
    assert (recount == plan.after.counts).all()
    assert plan.moved[plan.flagged].all()
    held = halves(sample, 0)
    for part in (held, np.ones_like(held)):
        two = np.array([[((sample.s == s) & (plan.moved == m) & part).sum() for m in (True, False)] for s in range(3)])
        assert budget.holds(lg.Joint.from_counts(two).drop_empty()).all()
    assert plan.hidden.count(False) <= 1
    lifts = plan.after.lift
    assert float(plan.leak.most) == pytest.approx(lifts.max())
    assert float(plan.leak.least) == pytest.approx(lifts.min())


def test_the_flagged_block_is_enlarged_where_it_breaks_the_budget() -> None:
    """Rows flagged on one side only: as one block they break the budget (DOG Prop. 2), so others are taken in."""
    rng = np.random.default_rng(2)
    x = (rng.random(2000) < 0.1).astype(float) + rng.normal(size=2000) * 0.01
    s = np.where(rng.random(2000) < np.where(x > 0.5, 0.9, 0.45), "ill", "well")
    found = lg.estimate(pd.DataFrame({"x": x, "s": s}), "s", "x", "trees")
    budget = lg.Budget.lip("0.3")
    flagged = found.flag(budget)
    share = (s[flagged] == "ill").mean() / (s == "ill").mean()
    assert share > np.exp(0.3)
    for mode in ("blocks", "shuffle"):
        plan = plan_rows(found, budget, mode)
        assert plan.moved.sum() > flagged.sum()
        assert plan.threshold < 1
        assert budget.holds(plan.after).all()
        assert any("were not flagged are hidden too" in note for note in plan.notes)
    assert check(lg.Certificate.from_dict(release_rows(pd.DataFrame({"x": x, "s": s}), "s", "x", budget, estimator="logistic").certificate.to_dict())).holds  # fmt: skip


def test_records_change_places_inside_their_block_only(scores: lg.Scores) -> None:
    """A permutation: every record is released once, in its own block; rows within stay where they are."""
    plan = plan_rows(scores, lg.Budget.lip("0.3"), "blocks")
    out = released_rows(plan)
    assert (np.sort(out) == np.arange(out.size)).all()
    assert (plan.block[out] == plan.block).all()
    assert (out[~plan.moved] == np.flatnonzero(~plan.moved)).all()
    assert (out != np.arange(out.size))[plan.moved].mean() > 0.5
    gone = released_rows(plan_rows(scores, lg.Budget.lip("0.3"), "suppress"))
    assert set(gone[gone >= 0].tolist()) == set(np.flatnonzero(gone >= 0).tolist())
    assert (gone < 0).sum() >= scores.flag(lg.Budget.lip("0.3")).sum()


def test_plans_repeat_and_permutations_do_not(scores: lg.Scores) -> None:
    """The seed fixes the blocks, never the order: whoever knows the seed cannot undo the release."""
    one, two = (plan_rows(scores, lg.Budget.lip("0.3"), "blocks", seed=4) for _ in range(2))
    assert (one.block == two.block).all()
    assert one.channel.to_dict() == two.channel.to_dict()
    assert (released_rows(one) != released_rows(two)).any()
    fixed = np.random.default_rng(0).bytes
    assert released_rows(one, fixed).size == released_rows(two, fixed).size


def test_every_permutation_of_a_block_is_equally_likely() -> None:
    """Three rows in one block: each of the six orders comes about as often (chi-square, wide bounds)."""
    found = lg.estimate(people(300), "s", ["x", "y"], "logistic")
    plan = plan_rows(found, lg.Budget.lip("0.2"), "shuffle")
    places = np.flatnonzero(plan.moved)
    firsts = np.array([released_rows(plan, os.urandom)[places[0]] for _ in range(3000)])
    counts = np.bincount(np.searchsorted(places, firsts), minlength=places.size)
    expected = 3000 / places.size
    assert (((counts - expected) ** 2) / expected).sum() < places.size + 6 * np.sqrt(2 * places.size)


def test_generous_and_empty_budgets() -> None:
    """A generous budget hides nobody; eps 0 hides everybody in one block; suppressing everybody is refused."""
    found = lg.estimate(people(400), "s", ["x", "y"], "logistic")
    plan = plan_rows(found, lg.Budget.lip(9), "blocks")
    assert not plan.moved.any()
    assert (released_rows(plan) == np.arange(400)).all()
    assert plan.after.public == (WITHIN,)
    nothing = plan_rows(found, lg.Budget.lip(0), "blocks")
    assert nothing.moved.all()
    assert nothing.leak.gamma == 0
    with pytest.raises(BudgetError, match="every row would have to be suppressed"):
        plan_rows(found, lg.Budget.lip(0), "suppress")
    with pytest.raises(UsageError, match="blocks, shuffle, suppress"):
        plan_rows(found, lg.Budget.lip(1), "hide")


def test_clusters_repeat_and_are_nearest() -> None:
    """The same seed gives the same bits; batches change nothing; repeated points make no empty cluster."""
    x = np.random.default_rng(1).normal(size=(500, 3))
    centres = centres_of(x, 12, 3)
    assert (centres == centres_of(x, 12, 3)).all()
    assert len(centres) == 12
    direct = ((x[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest(x, centres) == direct).all()
    assert (nearest_in_batches(500, lambda part: x[part], centres, batch=33) == direct).all()
    assert len(centres_of(np.repeat([[0.0], [1.0]], 30, axis=0), 10, 0)) == 2


DATA = Path(os.environ.get("LIFTGATE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
ADULT = ("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income")  # fmt: skip


def compas() -> pd.DataFrame:
    """The 5,278 rows of DOG section IV."""
    data = pd.read_csv(DATA / "compas" / "compas_slim.csv")
    kept = (data.days_b_screening_arrest.abs() <= 30) & (data.is_recid != -1) & (data.c_charge_degree != "O")
    return data[kept & data.score_text.notna() & data.race.isin(["African-American", "Caucasian"])]


SETTINGS = {
    "compas": (
        compas, "race", ("sex", "age", "priors_count", "length_of_stay_days", "decile_score", "c_charge_degree"),
        "two_year_recid", "lip:0.3", "auto", 0.523, 0.680,
    ),
    "adult": (
        lambda: pd.read_csv(DATA / "adult" / "adult.data", names=ADULT, skipinitialspace=True).iloc[:20_000],
        "sex", tuple(c for c in ADULT if c not in ("sex", "relationship", "income", "fnlwgt")),
        "income", "lip:0.5", "trees", 0.517, 0.813,
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="real data not present")
@pytest.mark.parametrize("name", SETTINGS)
def test_real_releases_are_as_good_as_measured(name: str) -> None:
    """Attacker at most, task at least, the figures of the study of blocks; no column changes; (mean of 8 draws)."""
    from liftgate.estimators.attacker import guess, target_of, utility

    make, sensitive, public, task, text, estimator, attacker, worth = SETTINGS[name]
    found = lg.estimate(make().reset_index(drop=True), sensitive, public, estimator, task=task)
    plan = plan_rows(found, lg.Budget.parse(text), "blocks")
    rows, s = found.table.sample.rows, found.table.sample.s
    assert found.table.task is not None
    y, classes = target_of(found.table.task, name)
    figures = []
    for seed in range(8):
        out = released_rows(plan)
        used = utility(rows, out)
        assert used.marginals == 0
        assert used.correlations == 0
        everywhere = np.ones(out.size, dtype=bool)
        told = guess(rows.take(out), s, 2, seed=seed)
        kept = guess(rows, y, classes, seed=seed, learn_from=rows.take(out), there=everywhere)
        figures.append((told.auc, kept.auc))
    auc, kept_auc = np.mean(figures, axis=0)
    assert auc <= attacker
    assert kept_auc >= worth
