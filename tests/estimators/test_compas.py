"""DOG section IV on the real table: group statistics and the trade-off; single rows of its Table I are no target."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import liftgate as lg
from liftgate.estimators.scores import Scores

DATA = Path(os.environ.get("LIFTGATE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="real data not present")
PUBLIC = ["sex", "age", "priors_count", "length_of_stay_days", "decile_score", "c_charge_degree"]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """ProPublica's own filter, then two races."""
    data = pd.read_csv(DATA / "compas" / "compas_slim.csv")
    kept = (data.days_b_screening_arrest.abs() <= 30) & (data.is_recid != -1) & (data.c_charge_degree != "O")
    both = data.race.isin(["African-American", "Caucasian"])
    return data[kept & data.score_text.notna() & both].reset_index(drop=True)


@pytest.fixture(scope="module")
def scores(people: pd.DataFrame) -> Scores:
    """The network of the paper, by cross-entropy, normalised and cross-fitted."""
    return lg.estimate(people, "race", PUBLIC, "network", seed=1)


def test_rows_are_those_of_the_paper(people: pd.DataFrame) -> None:
    """5,278 people: 3,175 African-American, 2,103 Caucasian."""
    assert people.race.value_counts().to_dict() == {"African-American": 3175, "Caucasian": 2103}


def test_the_most_extreme_rows_are_men_with_many_priors(people: pd.DataFrame, scores: Scores) -> None:
    """Of the 150 rows that say most for African-American at least 95 % are male, with a median of 14 priors or more."""
    own = scores.log_lift[:, scores.labels.index("African-American")]
    extreme = people.iloc[np.argsort(-own, kind="stable")[:150]]
    assert (extreme.sex == "Male").mean() >= 0.95
    assert extreme.priors_count.median() >= 14
    assert people.priors_count.median() == 2


def test_row_four_of_table_one_is_outside(people: pd.DataFrame, scores: Scores) -> None:
    """27 years, 13 priors, score 10: outside eps = .85 with a log-lift of Caucasian below -1."""
    there = (people.age == 27) & (people.priors_count == 13) & (people.decile_score == 10)
    assert there.any()
    at = np.flatnonzero(there)
    assert scores.flag(lg.Budget.lip("0.85"))[at].all()
    assert (scores.log_lift[at, scores.labels.index("Caucasian")] < -0.85).all()


TRADE_OFF = {"0.1": 0.22, "0.2": 0.42, "0.3": 0.55, "0.4": 0.67, "0.5": 0.75, "0.85": 0.91}


def test_trade_off_of_section_four(people: pd.DataFrame) -> None:
    """Eq. (11) over distinct rows for the network's flags: within .02 of the figures that were measured (NMI)."""
    public = PUBLIC[:-1]
    scores = lg.estimate(people, "race", public, "network", seed=1)
    symbol = people.groupby(public, sort=False).ngroup().to_numpy()
    share = np.bincount(symbol) / symbol.size
    whole = -(share * np.log(share)).sum()
    for eps, expected in TRADE_OFF.items():
        flagged = np.bincount(symbol, weights=scores.flag(lg.Budget.lip(eps))) / np.bincount(symbol) >= 0.5
        within, out = share[~flagged], share[flagged].sum()
        kept = (-(within * np.log(within)).sum() - out * np.log(out)) / whole
        assert kept == pytest.approx(expected, abs=0.02), eps
