"""Measures: functionals of the lift matrix and the prior, one explicit list.

>>> from liftgate.joint import Joint
>>> measure(Joint.from_counts([[3, 1], [1, 3]]))["max-lift"]
1.5
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from liftgate.joint import Joint
from liftgate.measures.averages import (
    CHI2,
    HELLINGER,
    MUTUAL_INFORMATION,
    REVERSE_KL,
    TOTAL_VARIATION,
    f_information,
    normalised_mutual_information,
)
from liftgate.measures.breach import Breach, breaches
from liftgate.measures.definition import Measure
from liftgate.measures.guessing import GUESSING_AFTER, GUESSING_BEFORE, MAXIMAL_LEAKAGE, MIN_ENTROPY_LEAKAGE
from liftgate.measures.implied import implied_by
from liftgate.measures.orders import arimoto, sibson
from liftgate.measures.tables import (
    ALPHA_K,
    BETA_LIKENESS,
    BETA_LIKENESS_ENHANCED,
    DELTA_DISCLOSURE,
    DISTINCT_L,
    ENTROPY_L,
    T_CLOSENESS,
    T_CLOSENESS_ORDERED,
    K,
    recursive_c,
)
from liftgate.measures.view import View
from liftgate.measures.worst_case import (
    CHI2_LIFT,
    CHI2_LIFT_INVERSE,
    CONFIDENCE,
    L1_LIFT,
    L1_LIFT_INVERSE,
    LDP_EPSILON,
    LOG_LIFT_RANGE,
    MAX_LIFT,
    MIN_LIFT,
    POINTWISE_MAXIMAL_LEAKAGE,
    alpha_lift,
)

_ALL: tuple[Measure, ...] = (
    MAX_LIFT,
    MIN_LIFT,
    LOG_LIFT_RANGE,
    LDP_EPSILON,
    POINTWISE_MAXIMAL_LEAKAGE,
    CONFIDENCE,
    L1_LIFT,
    L1_LIFT_INVERSE,
    CHI2_LIFT,
    CHI2_LIFT_INVERSE,
    alpha_lift(2),
    alpha_lift(2, inverse=True),
    alpha_lift(10),
    alpha_lift(10, inverse=True),
    alpha_lift(100),
    alpha_lift(100, inverse=True),
    MUTUAL_INFORMATION,
    REVERSE_KL,
    TOTAL_VARIATION,
    CHI2,
    HELLINGER,
    sibson(0.5),
    sibson(2),
    sibson(math.inf),
    arimoto(0.5),
    arimoto(2),
    arimoto(math.inf),
    MAXIMAL_LEAKAGE,
    MIN_ENTROPY_LEAKAGE,
    GUESSING_BEFORE,
    GUESSING_AFTER,
    K,
    DISTINCT_L,
    ENTROPY_L,
    recursive_c(2),
    ALPHA_K,
    T_CLOSENESS,
    T_CLOSENESS_ORDERED,
    BETA_LIKENESS,
    BETA_LIKENESS_ENHANCED,
    DELTA_DISCLOSURE,
)

MEASURES: Mapping[str, Measure] = MappingProxyType({m.name: m for m in _ALL})


def measure(joint: Joint) -> dict[str, float]:
    """Every measure of a joint in one pass; infinite stays infinite, and rows and columns that never occur count for nothing."""
    view = View.of(joint)
    return {name: m.of_view(view) for name, m in MEASURES.items()}


__all__ = [
    "MEASURES",
    "Breach",
    "Measure",
    "View",
    "alpha_lift",
    "arimoto",
    "breaches",
    "f_information",
    "implied_by",
    "measure",
    "normalised_mutual_information",
    "recursive_c",
    "sibson",
]
