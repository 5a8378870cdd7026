"""logistic: softmax regression on scaled numbers and one-hot categories."""

from __future__ import annotations

from liftgate.estimators.rows import Sample
from liftgate.estimators.softmax import Softmax, fit_softmax


def logistic(sample: Sample, seed: int = 0) -> Softmax:
    """log P(s | x) linear in the features. Assumes that columns act on the log-odds one by one."""
    return fit_softmax(sample, seed, quadratic=False, name="logistic")
