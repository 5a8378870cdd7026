"""quadratic: softmax regression on features, their squares and their products."""

from __future__ import annotations

from liftgate.estimators.rows import Sample
from liftgate.estimators.softmax import Softmax, fit_softmax


def quadratic(sample: Sample, seed: int = 0) -> Softmax:
    """log P(s | x) quadratic in the features. Exact where each sensitive value has a Gaussian law of its own."""
    return fit_softmax(sample, seed, quadratic=True, name="quadratic")
