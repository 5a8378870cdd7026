"""LiftEstimator: the scores as a scikit-learn estimator, for matrices of numbers."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from liftgate.errors import DataError
from liftgate.estimators.crossfit import Fitted, cross_fit
from liftgate.estimators.folds import folds_for
from liftgate.estimators.rows import Rows, Sample
from liftgate.estimators.saving import load_model, save_model
from liftgate.labels import clean_label

Floats = NDArray[np.float64]


class LiftEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """log P(s | x) / P(s) of rows, learned from rows with known s; NaN in X is information.

    ``log_lift_`` holds the cross-fitted scores of the rows it was fitted on, :meth:`log_lift` scores any others.

    >>> x = np.random.default_rng(0).normal(size=(300, 1))
    >>> found = LiftEstimator("logistic").fit(x, x[:, 0] > 0)
    >>> found.log_lift([[2.0]]).round(1).shape
    (1, 2)
    """

    def __init__(self, estimator: str = "auto", folds: int | None = None, seed: int = 0) -> None:
        self.estimator = estimator
        self.folds = folds
        self.seed = seed

    def fit(self, X: Any, y: Any) -> LiftEstimator:
        """Learn from rows X and their sensitive values y."""
        x, s = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_samples=2)
        if np.isinf(x).any():
            raise ValueError("X holds an infinite number")
        check_classification_targets(s)
        self.classes_, codes = np.unique(s, return_inverse=True)
        counts = np.bincount(codes)
        if self.classes_.size < 2:
            raise ValueError(f"y has one class only, {self.classes_[0]!r}: lift needs at least two")
        folds = folds_for(len(x)) if self.folds is None else self.folds
        folds = max(2, min(folds, int(counts.min()))) if self.folds is None else folds
        sample = Sample(Rows.from_matrix(x), codes.astype(np.int64), self.classes_.size)
        if counts.min() < 2:
            raise ValueError(f"y has a class with 1 sample, {self.classes_[counts.argmin()]!r}: every fold needs one")
        self.log_lift_, self.folds_, self.fitted_ = cross_fit(sample, self.estimator, self.seed, folds)
        self.prior_ = sample.prior
        return self

    def log_lift(self, X: Any) -> Floats:
        """i(s, x), rows x classes, normalised: sum_s P(s) e^i(s, x) = 1."""
        return self._fitted().log_lift(Rows.from_matrix(self._checked(X)))

    def predict_proba(self, X: Any) -> Floats:
        """P(s | x)."""
        return np.asarray(np.exp(self.log_lift(X)) * self.prior_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest sensitive value."""
        found = self.log_lift(X)
        return np.asarray(self.classes_[(found + np.log(self.prior_)).argmax(axis=1)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean of i(s, x) over the rows with their own s, in nats: on new rows a figure for I(S; X)."""
        found = self.log_lift(X)
        s = np.asarray(y)
        place = np.searchsorted(self.classes_, s).clip(0, self.classes_.size - 1)
        if not (self.classes_[place] == s).all():
            raise ValueError("y holds a class that was not there when the model was fitted")
        return float(np.average(found[np.arange(s.size), place], weights=sample_weight))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the models to a file that holds numbers only (no pickle)."""
        facts = {
            "classes": [clean_label(v) for v in self._classes()],
            "dtype": str(self.classes_.dtype),
            "features": int(self.n_features_in_),
            "folds": self.folds,
            "seed": self.seed,
        }
        save_model(path, self._fitted(), facts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LiftEstimator:
        """A saved estimator, ready to score new rows; the scores of the old rows are not in the file."""
        fitted, facts = load_model(path)
        if "features" not in facts:
            raise DataError(f"model {os.fspath(path)}", "this is no LiftEstimator", "name a file that its save wrote")
        out = cls(fitted.estimator, facts["folds"], facts["seed"])
        out.fitted_, out.prior_ = fitted, fitted.prior
        out.classes_ = np.array(facts["classes"], dtype=facts["dtype"])
        out.n_features_in_ = facts["features"]
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _classes(self) -> list[Any]:
        check_is_fitted(self, "fitted_")
        return list(self.classes_)

    def _fitted(self) -> Fitted:
        check_is_fitted(self, "fitted_")
        found: Fitted = self.fitted_
        return found

    def _checked(self, X: Any) -> Floats:
        check_is_fitted(self, "fitted_")
        x = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        if np.isinf(x).any():
            raise ValueError("X holds an infinite number")
        return np.asarray(x)
