"""The privacy funnel: counted rows, exact parts of the entropy, and an optimum that is never below the watchdog."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import liftgate as lg
from liftgate.estimators.funnels import counted_rows, funnel, funnel_view
from liftgate.estimators.reading import read_rows
from liftgate.jobs.rows import release_rows
from liftgate.report import to_html


@pytest.fixture(scope="module")
def few() -> pd.DataFrame:
    """Two columns that take few values together, one of them missing now and then."""
    rng = np.random.default_rng(3)
    town = rng.integers(0, 4, 900)
    ill = rng.random(900) < np.array([0.2, 0.4, 0.6, 0.8])[town]
    age = np.where(rng.random(900) < 0.1, np.nan, 20.0 + 10 * rng.integers(0, 3, 900))
    return pd.DataFrame({"town": np.array(["A", "B", "C", "D"])[town], "age": age, "ill": np.where(ill, "yes", "no")})


def test_rows_with_few_values_are_counted_as_a_table_would_be(few: pd.DataFrame) -> None:
    """The same counts as the door for tables gives, missing entries included."""
    counted = counted_rows(read_rows(few, "ill", ["town", "age"]))
    assert counted is not None
    joint = lg.read_joint(few, "ill", ["town", "age"])
    assert sorted(map(tuple, counted.counts.T.tolist())) == sorted(map(tuple, joint.counts.T.tolist()))
    many = few.assign(age=np.arange(900.0))
    assert counted_rows(read_rows(many, "ill", ["town", "age"])) is None


def test_the_optimum_is_never_below_the_watchdog_at_the_same_leak(few: pd.DataFrame) -> None:
    joint = lg.read_joint(few, "ill", ["town"])
    for point in funnel(joint, ["0.2", "0.4", "0.8", "2"], optimum=True):
        assert point.optimum is not None
        assert point.optimum >= point.utility - 1e-6


def test_a_release_shows_both_readings(few: pd.DataFrame) -> None:
    found = release_rows(few, "ill", ["town", "age"], "lip:0.4", estimator="counting")
    assert found.funnel == funnel_view(found.scores.table, found.scores.log_lift, found.scores.prior)
    assert len(found.funnel.counted) == len(found.funnel.rows) > 5
    assert "Counted, not estimated" in to_html(found)
