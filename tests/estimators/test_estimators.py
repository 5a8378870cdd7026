"""Every estimator: normalised, recovers what is known, repeats bit by bit, and reads numbers, categories and gaps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.estimators.problems import gauss, mixed, rmse

from liftgate.errors import UsageError
from liftgate.estimators import ESTIMATORS, estimator_named
from liftgate.estimators.auto import CANDIDATES, auto
from liftgate.estimators.counting import counting
from liftgate.estimators.crossfit import Fitted, cross_fit
from liftgate.estimators.dv import dv_bound
from liftgate.estimators.forest import Forest
from liftgate.estimators.rows import Column, Rows, Sample
from liftgate.estimators.scale import log_softmax, normalisation_error, normalised
from liftgate.estimators.trees import trees

NAMES = tuple(ESTIMATORS)


def two_columns(n: int, seed: int) -> tuple[Sample, NDArray[np.float64]]:
    """Two categories whose joint with s is known, small enough to be counted."""
    rng = np.random.default_rng([n, seed])
    joint = np.array([[8, 1, 3, 2], [1, 6, 3, 4]]) / 28
    cell = rng.choice(8, n, p=joint.ravel())
    s, x = np.divmod(cell, 4)
    columns = (Column("a", "category", x // 2, ("l", "r")), Column("b", "category", x % 2, ("u", "d")))
    truth = np.log(joint / joint.sum(axis=0) / joint.sum(axis=1, keepdims=True)).T[x]
    return Sample(Rows(columns), s.astype(np.int64), 2), truth


@pytest.mark.parametrize("name", NAMES)
def test_recovers_a_known_joint(name: str) -> None:
    """Every estimator finds the lifts of a small joint; silence is off by 0.82, adding columns up (logistic) by less."""
    sample, truth = two_columns(4000, 1)
    found, _, _ = cross_fit(sample, name, seed=3)
    assert rmse(found, truth) < {"logistic": 0.5, "quadratic": 0.2}.get(name, 0.12)


@pytest.mark.parametrize("name", NAMES)
def test_normalised_and_repeated_bit_by_bit(name: str) -> None:
    """sum_s P(s) e^i = 1 in every row, and the same seed gives the same bits; mixed columns, missing entries."""
    sample = mixed(900, 4).sample
    found, fold, model = cross_fit(sample, name, seed=5)
    again, fold_again, model_again = cross_fit(sample, name, seed=5)
    assert normalisation_error(found, sample.prior) < 1e-9
    assert normalisation_error(model.log_lift(sample.rows), sample.prior) < 1e-9
    assert (found == again).all()
    assert (fold == fold_again).all()
    new = mixed(50, 9).sample.rows
    assert (model.log_lift(new) == model_again.log_lift(new)).all()
    assert (model.log_lift(new, batch=7) == model.log_lift(new, batch=50)).all() or name not in ("trees", "counting")


@pytest.mark.parametrize("name", [n for n in NAMES if n != "counting"])
def test_learns_what_missing_entries_and_interactions_tell(name: str) -> None:
    """On mixed columns every estimator is clearly better than silence."""
    problem = mixed(3000, 2)
    found, _, _ = cross_fit(problem.sample, name, seed=1, folds=3)
    assert rmse(found, problem.log_lift) < 0.62 * rmse(np.zeros_like(found), problem.log_lift)


@pytest.mark.parametrize("name", NAMES)
def test_cross_fitted_scores_find_nothing_where_nothing_is(name: str) -> None:
    """Independent columns: held-out rows tell nothing, however well the training rows could be learned by heart."""
    rng = np.random.default_rng(8)
    rows = Rows.from_matrix(rng.normal(size=(800, 6)))
    sample = Sample(rows, rng.integers(3, size=800), 3)
    found, _, _ = cross_fit(sample, name, seed=2)
    assert float(found[np.arange(800), sample.s].mean()) < 0.02


def test_gaussian_problem_is_solved_by_the_quadratic() -> None:
    """Laws with means and spreads of their own: the quadratic is exact up to sampling."""
    problem = gauss(2, 4000, 1)
    assert rmse(cross_fit(problem.sample, "quadratic", 1)[0], problem.log_lift) < 0.2
    assert rmse(cross_fit(problem.sample, "logistic", 1)[0], problem.log_lift) > 0.5


BARS = (("gauss2", 2, 10_000, 0.12), ("gauss10", 10, 10_000, 0.25), ("mixed", 0, 10_000, 0.30), ("gauss50", 50, 100_000, 0.35))  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101, 202, 303])
@pytest.mark.parametrize(("name", "d", "n", "bar"), BARS)
def test_auto_keeps_the_bars(name: str, d: int, n: int, bar: float, seed: int) -> None:
    """Root mean squared error of auto over all rows and sensitive values, against the measured bars."""
    problem = gauss(d, n, seed) if d else mixed(n, seed)
    found, _, _ = cross_fit(problem.sample, "auto", seed)
    assert rmse(found, problem.log_lift) <= bar
    assert normalisation_error(found, problem.sample.prior) < 1e-9


def test_auto_keeps_the_bar_on_a_small_gaussian_problem() -> None:
    """One cell of the study that is quick enough for every day."""
    problem = gauss(2, 10_000, 303)
    assert rmse(cross_fit(problem.sample, "auto", 303, folds=3)[0], problem.log_lift) <= 0.12


def test_auto_is_not_one_estimator() -> None:
    """It takes what held-out rows like: counting where values repeat, the quadratic on Gaussian laws, others elsewhere."""
    assert len(CANDIDATES) >= 4
    assert [m.name for m in auto(gauss(2, 3000, 2).sample, 0).models] == ["quadratic"]
    taken = {m.name for m in auto(mixed(4000, 1).sample, 0).models}
    assert taken & {"trees", "network", "logistic"}
    pool = auto(mixed(4000, 1).sample, 0)
    assert sum(pool.weights) == pytest.approx(1.0)
    assert all(m.name in pool.told for m in pool.models)


@pytest.mark.parametrize("name", ["dv", "dv-exact"])
def test_donsker_varadhan_knows_its_output_up_to_a_constant_only(name: str) -> None:
    """DOG (13) scores g and g + c alike, so what is reported is normalised per row (E22)."""
    sample = mixed(800, 1).sample
    model = ESTIMATORS[name](sample, 0)
    raw = model.scores(sample.rows)
    assert np.allclose(normalised(raw + 7.5, sample.prior), normalised(raw, sample.prior), atol=1e-9)
    g = raw - np.log(sample.prior)
    assert dv_bound(g + 7.5, sample.s, sample.prior) == pytest.approx(dv_bound(g, sample.s, sample.prior))


def test_a_row_without_a_known_category_still_has_a_score() -> None:
    """Categories that were never seen, and missing entries, are scored by every estimator."""
    sample = mixed(600, 1).sample
    rows = sample.rows.take(np.arange(3))
    strange = rows.with_column(4, Column("c1", "category", np.array([-1, 6, 3]), (*"abcd", "x", "y", "z")))
    for name in NAMES:
        model = Fitted(name, (ESTIMATORS[name](sample, 0),), sample.prior)
        assert np.isfinite(model.log_lift(strange)).all(), name
        assert normalisation_error(model.log_lift(strange), sample.prior) < 1e-9


def test_counting_in_three_ways() -> None:
    """Counts as they are, half a row more in every cell, and shrunk as far as the data ask for it."""
    rows = Rows((Column("x", "category", np.repeat([0, 1, 2], [60, 30, 1]), ("a", "b", "c")),))
    s = np.array([0] * 40 + [1] * 20 + [0] * 10 + [1] * 20 + [1], dtype=np.int64)
    sample = Sample(rows, s, 2)
    one = rows.take(np.array([0, 60, 90]))
    plain = np.exp(counting(sample, smoothing="plug-in").scores(one))
    assert plain == pytest.approx(np.array([[2 / 3, 1 / 3], [1 / 3, 2 / 3], [0, 1]]))
    joint = np.exp(counting(sample, smoothing="joint").scores(one))
    assert joint[2] == pytest.approx([0.25, 0.75])
    shrunk = np.exp(counting(sample, smoothing="bayes").scores(one))
    assert plain[0, 0] > shrunk[0, 0] > sample.prior[0]
    assert shrunk[2] == pytest.approx(sample.prior, abs=0.06)
    unseen = Rows((Column("x", "category", np.array([3]), ("a", "b", "c", "d")),))
    assert np.exp(counting(sample).scores(unseen))[0] == pytest.approx(sample.prior)


@pytest.mark.parametrize("classes", [2, 3])
def test_trees_score_as_the_library_that_grew_them(classes: int) -> None:
    """The arrays give the library's own raw predictions, categories and missing entries included."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    rng = np.random.default_rng(classes)
    x = rng.normal(size=(800, 4))
    x[:, 0] = rng.integers(12, size=800)
    x[rng.random((800, 4)) < 0.1] = np.nan
    s = (rng.random(800) * classes * (0.5 + 0.5 * (np.nan_to_num(x[:, 0]) % 2))).astype(int)
    grown = HistGradientBoostingClassifier(max_iter=20, categorical_features=[0], early_stopping=False).fit(x, s)
    raw = Forest.of(grown).raw(x)
    assert np.allclose(log_softmax(np.column_stack([np.zeros(800), raw]) if classes == 2 else raw), np.log(grown.predict_proba(x)), atol=1e-9)  # fmt: skip


def test_trees_may_be_calibrated() -> None:
    """The factor on the scores is the one that held-out rows like best, among others 1."""
    sample = mixed(1500, 3).sample
    plain, heated = trees(sample, 0), trees(sample, 0, calibrated=True)
    assert plain.heat == 1.0
    assert 0.3 <= heated.heat <= 2.02
    assert np.allclose(heated.scores(sample.rows), heated.heat * plain.scores(sample.rows))


def test_unknown_names_are_told() -> None:
    """A misspelt estimator gets a suggestion."""
    with pytest.raises(UsageError, match="did you mean trees"):
        estimator_named("tree")
