"""Folds and cross-fitting: who may be learned from, and what is asked before the work."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.estimators.problems import mixed

import liftgate as lg
from liftgate.errors import DataError, UsageError
from liftgate.estimators import ESTIMATORS, crossfit
from liftgate.estimators.counting import counting
from liftgate.estimators.folds import fold_of, held_out
from liftgate.estimators.rows import Rows, Sample


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30)), min_size=12, max_size=80),
    st.integers(2, 6),
    st.integers(0, 9),
)
def test_people_stay_together_and_values_are_spread(rows: list[tuple[int, int]], folds: int, seed: int) -> None:
    """Rows of one person share a fold; without persons every sensitive value is spread to within one row."""
    s = np.array([r[0] for r in rows], dtype=np.int64)
    person = np.array([r[1] for r in rows], dtype=np.int64)
    x = Rows.from_matrix(np.zeros((s.size, 1)))
    fold = fold_of(Sample(x, s, 3, person), folds, seed)
    for p in np.unique(person):
        assert np.unique(fold[person == p]).size == 1
    alone = fold_of(Sample(x, s, 3), folds, seed)
    for k in range(3):
        sizes = np.bincount(alone[s == k], minlength=folds)
        assert sizes.max() - sizes.min() <= 1
    assert (alone == fold_of(Sample(x, s, 3), folds, seed)).all()


def test_every_row_is_scored_by_a_model_that_has_not_seen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor any other row of the same person; every model is asked about its own fold only."""
    n = 300
    rng = np.random.default_rng(0)
    person = rng.integers(60, size=n)
    sample = Sample(Rows.from_matrix(np.arange(n, dtype=float)[:, None]), rng.integers(2, size=n), 2, person)
    seen: list[set[int]] = []

    def spy(part: Sample, seed: int) -> object:
        seen.append(set(part.person.tolist()) if part.person is not None else set())
        return counting(part, seed)

    monkeypatch.setattr(crossfit, "estimator_named", lambda name: spy)
    _, fold, fitted = crossfit.cross_fit(sample, "counting", 0, 4)
    assert len(seen) == len(fitted.models) == 4
    for k in range(4):
        assert not seen[k] & set(person[fold == k].tolist())
        assert seen[k] == set(person[fold != k].tolist())


@settings(max_examples=40)
@given(st.lists(st.integers(0, 3), min_size=8, max_size=60), st.integers(0, 5))
def test_early_stopping_rows_are_apart_and_leave_no_value_unlearned(values: list[int], seed: int) -> None:
    """What is held out never holds a sensitive value that the training rows do not have."""
    s = np.array(values, dtype=np.int64)
    if np.unique(s).size < 2 or np.bincount(s).max() < 2:
        return
    sample = Sample(Rows.from_matrix(np.arange(s.size, dtype=float)[:, None]), s, 4)
    inner, held = held_out(sample, 0.2, seed)
    assert len(inner) + len(held) == s.size
    assert not set(inner.rows.columns[0].values) & set(held.rows.columns[0].values)
    assert set(held.s) <= set(inner.s)


def test_rows_beyond_the_training_sample_are_scored_too() -> None:
    """Above train_rows the models learn from a stated sample, and every row has a score."""
    sample = mixed(1200, 1).sample
    frame = pd.DataFrame({c.name: c.values for c in sample.rows.columns[:3]} | {"s": sample.s})
    found = lg.estimate(frame, "s", ["n0", "n1", "n2"], "logistic", train_rows=400)
    assert found.trained_on == 400
    assert np.isfinite(found.log_lift).all()
    assert len(found.log_lift) == 1200
    assert any("400 of 1,200 rows" in note for note in found.notes)
    assert (found.fold >= 0).sum() == 400
    with pytest.raises(UsageError, match="at least 100"):
        lg.estimate(frame, "s", ["n0"], "logistic", train_rows=10)


def test_training_sample_takes_whole_persons() -> None:
    """A person is learned from whole or not at all."""
    sample = mixed(1200, 1).sample
    person = np.repeat(np.arange(300), 4)
    frame = pd.DataFrame({"x": sample.rows.columns[0].values, "s": sample.s, "who": person})
    found = lg.estimate(frame, "s", ["x"], "logistic", train_rows=400, person="who")
    for p in range(300):
        assert np.unique(found.fold[person == p]).size == 1


def test_intervals_count_people_not_rows() -> None:
    """The same rows ten times over tell no more when they are the same persons; the interval stays as wide."""
    sample = mixed(400, 6).sample
    frame = pd.DataFrame({"x": sample.rows.columns[0].values, "s": sample.s, "who": np.arange(400)})
    many = pd.concat([frame] * 10, ignore_index=True)
    one = lg.estimate(frame, "s", ["x"], "logistic")
    ten = lg.estimate(many, "s", ["x"], "logistic", person="who")
    naive = lg.estimate(many, "s", ["x"], "logistic")

    def width(found: lg.Scores) -> float:
        return found.interval[1] - found.interval[0]

    assert width(ten) == pytest.approx(width(one), rel=0.2)
    assert width(naive) < 0.5 * width(ten)


def test_a_value_with_fewer_rows_than_folds_is_refused() -> None:
    """The message names the column, the value, its rows and the folds."""
    frame = pd.DataFrame({"x": np.arange(50.0), "s": ["a"] * 46 + ["rare"] * 4})
    with pytest.raises(DataError, match=r"column 's': the value 'rare' has 4 rows, fewer than the 5 folds"):
        lg.estimate(frame, "s", ["x"], "logistic")
    assert lg.estimate(frame, "s", ["x"], "logistic", folds=4).folds == 4
    with pytest.raises(UsageError, match="2 to 20"):
        lg.estimate(frame, "s", ["x"], "logistic", folds=1)


def test_flags_are_load_above_one_for_every_kind_of_budget() -> None:
    """A row is flagged exactly where one of the bounded numbers is beyond its bound."""
    sample = mixed(500, 1).sample
    frame = pd.DataFrame({"x": sample.rows.columns[0].values, "y": sample.rows.columns[1].values, "s": sample.s})
    found = lg.estimate(frame, "s", ["x", "y"], "quadratic")
    lift, p = np.exp(found.log_lift), found.prior
    budget = lg.Budget.alip("0.3", "0.2")
    outside = (lift.max(axis=1) > float(budget.up)) | (lift.min(axis=1) < float(budget.low))  # type: ignore[arg-type]
    assert (found.flag(budget) == outside).all()
    assert (found.flag(lg.Budget.ldp("0.4")) == (lift.max(axis=1) / lift.min(axis=1) > np.exp(0.4))).all()
    l1, chi2 = lg.Budget.l1(None, "0.1"), lg.Budget.chi2("0.02", None)
    assert (found.flag(l1) == (np.abs(lift - 1) @ p > float(l1.up))).all()  # type: ignore[arg-type]
    assert (found.flag(chi2) == ((1 / lift - 1) ** 2 @ p > float(chi2.low))).all()  # type: ignore[arg-type]
    alpha = (lift**2 @ p) ** 0.5
    assert (found.flag(lg.Budget.alpha(2, None, "0.05")) == (alpha > np.exp(0.05))).all()
    assert not found.flag(lg.Budget.alip(50, 50)).any()
    assert found.flag(lg.Budget.alip(0, 0)).all()


def test_all_estimators_are_there() -> None:
    """The names of the contract."""
    assert set(ESTIMATORS) == {"counting", "logistic", "quadratic", "trees", "network", "dv", "dv-exact", "auto"}
