"""LiftEstimator: a scikit-learn estimator whose files hold numbers only."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.estimators.problems import mixed

from liftgate import LiftEstimator
from liftgate.errors import DataError
from liftgate.estimators import ESTIMATORS
from liftgate.estimators.crossfit import cross_fit
from liftgate.estimators.saving import load_model, save_model


@parametrize_with_checks([LiftEstimator("logistic", folds=2)])
def test_scikit_learn_agrees(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn for classifiers."""
    check(estimator)


def some(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Two columns, one of which tells, with gaps."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 2))
    s = np.array(["no", "yes"])[(rng.random(n) < 1 / (1 + np.exp(-2 * x[:, 0]))).astype(int)]
    x[rng.random((n, 2)) < 0.05] = np.nan
    return x, s


def test_scores_are_normalised_and_cross_fitted() -> None:
    """The scores of the training rows are out of fold; those of new rows come from all models."""
    x, s = some()
    found = LiftEstimator("logistic").fit(x, s)
    assert np.abs(np.exp(found.log_lift_) @ found.prior_ - 1).max() < 1e-9
    assert np.abs(np.exp(found.log_lift(x)) @ found.prior_ - 1).max() < 1e-9
    assert not np.allclose(found.log_lift_, found.log_lift(x))
    assert found.predict_proba(x).sum(axis=1) == pytest.approx(1)
    own = found.log_lift(x)[np.arange(400), np.searchsorted(found.classes_, s)]
    assert found.score(x, s) == pytest.approx(own.mean())
    assert make_pipeline(StandardScaler(), LiftEstimator("logistic")).fit(x, s).score(x, s) > 0.1


def test_a_memorising_estimator_does_not_fool_its_own_scores() -> None:
    """Counting learns distinct rows by heart; its cross-fitted scores still tell nothing."""
    rng = np.random.default_rng(1)
    x, s = rng.normal(size=(300, 1)), rng.integers(2, size=300)
    found = LiftEstimator("counting").fit(x, s)
    own = found.log_lift_[np.arange(300), s]
    assert abs(own.mean()) < 0.02


@pytest.mark.parametrize("name", ESTIMATORS)
def test_files_score_as_the_models_they_hold(name: str, tmp_path: Path) -> None:
    """Saved, loaded, and the same bits for new rows; without pickle."""
    x, s = some(300)
    found = LiftEstimator(name, folds=2, seed=4).fit(x, s)
    found.save(tmp_path / "m.npz")
    back = LiftEstimator.load(tmp_path / "m.npz")
    new = np.random.default_rng(9).normal(size=(20, 2))
    assert (back.log_lift(new) == found.log_lift(new)).all()
    assert (back.predict(new) == found.predict(new)).all()
    assert back.get_params() == found.get_params()
    with np.load(tmp_path / "m.npz", allow_pickle=False) as data:
        assert data.files
    assert [p.name for p in tmp_path.iterdir()] == ["m.npz"]


def test_models_of_mixed_columns_are_saved_too(tmp_path: Path) -> None:
    """Encoders, category sets and pools survive the file."""
    sample = mixed(500, 1).sample
    for name in ("auto", "trees", "quadratic", "network"):
        fitted = cross_fit(sample, name, 0, 2)[2]
        save_model(tmp_path / name, fitted, {"a": 1})
        back, facts = load_model(tmp_path / name)
        assert facts == {"a": 1}
        assert (back.log_lift(sample.rows) == fitted.log_lift(sample.rows)).all()


def test_strange_files_are_refused(tmp_path: Path) -> None:
    """Another version, another format, no model at all, no file at all."""
    x, s = some(200)
    path = tmp_path / "m.npz"
    LiftEstimator("logistic", folds=2).fit(x, s).save(path)

    def with_header(**changes: Any) -> Path:
        out = tmp_path / "changed.npz"
        with np.load(path) as data:
            arrays = {k: data[k] for k in data.files}
        header = json.loads(bytes(arrays["header"]).decode())
        arrays["header"] = np.frombuffer(json.dumps({**header, **changes}).encode(), dtype=np.uint8)
        np.savez(out, **arrays)
        return out

    with pytest.raises(DataError, match=r"saved by liftgate 9\.9, this is .* fit and save it again"):
        LiftEstimator.load(with_header(version="9.9"))
    with pytest.raises(DataError, match="format that is known"):
        LiftEstimator.load(with_header(**{"liftgate-model": 7}))
    with pytest.raises(DataError, match="no LiftEstimator"):
        LiftEstimator.load(with_header(facts={}))
    with pytest.raises(DataError, match="cannot be read"):
        LiftEstimator.load(tmp_path / "nothing")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(DataError, match="not a saved model"):
        LiftEstimator.load(tmp_path / "text")
    with zipfile.ZipFile(tmp_path / "zip.npz", "w") as archive:
        archive.writestr("x.npy", b"no array")
    with pytest.raises(DataError, match="not a saved model"):
        LiftEstimator.load(tmp_path / "zip.npz")


def test_what_cannot_be_fitted_is_told() -> None:
    """One class, a class with one row, infinite numbers, unknown classes, scoring before fitting."""
    x, s = some(50)
    with pytest.raises(ValueError, match="one class only"):
        LiftEstimator().fit(x, np.zeros(50))
    with pytest.raises(ValueError, match="class with 1 sample"):
        LiftEstimator("logistic").fit(x, np.r_[np.zeros(49), 1])
    with pytest.raises(ValueError, match="infinit"):
        LiftEstimator("logistic").fit(np.where(np.isnan(x), np.inf, x), s)
    with pytest.raises(ValueError, match="was not there"):
        LiftEstimator("logistic", folds=2).fit(x, s).score(x, np.where(s == "no", "maybe", s))
    with pytest.raises(NotFittedError):
        LiftEstimator().log_lift(x)
