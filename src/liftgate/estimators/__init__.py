"""Estimators: what a row says about the sensitive value where rows are too rich to be counted."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from liftgate.errors import UsageError
from liftgate.estimators.auto import Model, auto
from liftgate.estimators.counting import counting
from liftgate.estimators.dv import dv, dv_exact
from liftgate.estimators.logistic import logistic
from liftgate.estimators.network import network
from liftgate.estimators.quadratic import quadratic
from liftgate.estimators.trees import trees

_ALL: tuple[tuple[str, Callable[..., Model]], ...] = (
    ("counting", counting),
    ("logistic", logistic),
    ("quadratic", quadratic),
    ("trees", trees),
    ("network", network),
    ("dv", dv),
    ("dv-exact", dv_exact),
    ("auto", auto),
)

ESTIMATORS: Mapping[str, Callable[..., Any]] = MappingProxyType(dict(_ALL))
"""Every estimator: ``(Sample, seed) -> Model``, whose scores are log P(s | x) up to a constant per row."""


def estimator_named(name: str) -> Callable[..., Model]:
    """The estimator with this name, or an error that lists the names."""
    if name not in ESTIMATORS:
        near = difflib.get_close_matches(str(name), ESTIMATORS, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError("estimator", f"{name!r} is not known", f"{hint}use one of {', '.join(ESTIMATORS)}")
    return ESTIMATORS[name]


__all__ = ["ESTIMATORS", "Model", "estimator_named"]
