"""Worst cases: the most that one released value says."""

from __future__ import annotations

import math

import numpy as np

from liftgate.errors import UsageError
from liftgate.measures.definition import Measure
from liftgate.measures.view import Floats, View, weighted


def _log_ratio(view: View) -> Floats:
    return np.asarray(view.log_lift.max(axis=0) - view.log_lift.min(axis=0), dtype=np.float64)


MAX_LIFT = Measure(
    name="max-lift",
    sentence="How many times more common a sensitive value is among people with a released value than overall, at most.",
    formula="max_y max_s P(s|y) / P(s)",
    citation="LIFT eq. (2), Def. 3",
    unit="factor",
    family="worst case",
    survives_merging=True,
    fold="max",
    value=lambda view: np.asarray(view.lift.max(axis=0), dtype=np.float64),
)

MIN_LIFT = Measure(
    name="min-lift",
    sentence="How rare a sensitive value becomes among people with a released value, as a share of how common it is overall.",
    formula="min_y min_s P(s|y) / P(s)",
    citation="LIFT eq. (2), Def. 3",
    unit="factor",
    family="worst case",
    survives_merging=True,
    fold="min",
    value=lambda view: np.asarray(view.lift.min(axis=0), dtype=np.float64),
    worse="smaller",
)

LOG_LIFT_RANGE = Measure(
    name="log-lift-range",
    sentence="The width of the interval that holds the logarithms of the lifts of one released value, at most.",
    formula="max_y (max_s log lift(s,y) - min_s log lift(s,y))",
    citation="LIFT eq. (2), (4): equal to the LDP epsilon",
    unit="nats",
    family="worst case",
    survives_merging=True,
    fold="max",
    value=_log_ratio,
)

LDP_EPSILON = Measure(
    name="ldp-epsilon",
    sentence="The logarithm of how many times likelier a released value is under one sensitive value than under another.",
    formula="max_y log (max_s P(y|s) / min_s P(y|s))",
    citation="LIFT Def. 2",
    unit="nats",
    family="worst case",
    survives_merging=True,
    fold="max",
    value=_log_ratio,
)

POINTWISE_MAXIMAL_LEAKAGE = Measure(
    name="pointwise-maximal-leakage",
    sentence="The logarithm of how much a released value helps at most in guessing any secret about a person.",
    formula="max_y log max_s P(s|y) / P(s)",
    citation="Saeidian et al. 2023, Thm. 1; the logarithm of LIFT eq. (2)",
    unit="nats",
    family="worst case",
    survives_merging=True,
    fold="max",
    value=lambda view: np.asarray(view.log_lift.max(axis=0), dtype=np.float64),
)

CONFIDENCE = Measure(
    name="confidence",
    sentence="The largest share that one sensitive value has among people with a released value.",
    formula="max_y max_s P(s|y)",
    citation="ATR section 3: confidence is prior times lift",
    unit="probability",
    family="worst case",
    survives_merging=True,
    fold="max",
    value=lambda view: np.asarray(view.posterior.max(axis=0), dtype=np.float64),
)

L1_LIFT = Measure(
    name="l1-lift",
    sentence="How far the shares of the sensitive values among people with a released value are from those overall, added up.",
    formula="max_y sum_s P(s) |lift(s,y) - 1|",
    citation="LIFT Def. 5, eq. (31)",
    unit="factor",
    family="worst case",
    survives_merging=True,
    fold="max",
    value=lambda view: weighted(view.prior, np.abs(view.change)),
)

L1_LIFT_INVERSE = Measure(
    name="l1-lift-inverse",
    sentence="How far the inverse lifts of a released value are from 1 on average, which grows as values become rare.",
    formula="max_y sum_s P(s) |1/lift(s,y) - 1|",
    citation="LIFT Def. 6, eq. (34); erratum E3: merging can raise it",
    unit="factor",
    family="worst case",
    survives_merging=False,
    fold="max",
    value=lambda view: weighted(view.prior, np.abs(view.inverse_change)),
)

CHI2_LIFT = Measure(
    name="chi2-lift",
    sentence="The squared distance of the lifts of a released value from 1, averaged over the sensitive values, at most.",
    formula="max_y sum_s P(s) (lift(s,y) - 1)^2",
    citation="LIFT Def. 5, eq. (32)",
    unit="factor squared",
    family="worst case",
    survives_merging=True,
    fold="max",
    value=lambda view: weighted(view.prior, view.change**2),
)

CHI2_LIFT_INVERSE = Measure(
    name="chi2-lift-inverse",
    sentence="The squared distance of the inverse lifts of a released value from 1, averaged over the sensitive values, at most.",
    formula="max_y sum_s P(s) (1/lift(s,y) - 1)^2",
    citation="LIFT Def. 6, eq. (35); erratum E3: merging can raise it",
    unit="factor squared",
    family="worst case",
    survives_merging=False,
    fold="max",
    value=lambda view: weighted(view.prior, view.inverse_change**2),
)


def alpha_lift(order: float, inverse: bool = False) -> Measure:
    """The alpha-lift of an order above 1, or of its inverse; order infinity is max-lift, or 1 / min-lift.

    ``max_y (sum_s P(s) lift(s,y)^a)^(1/a)``, with 1/lift for the inverse (LIFT Def. 5, eq. (33); Def. 6, eq. (36)).

    >>> from liftgate.joint import Joint
    >>> j = Joint.from_counts([[3, 1], [1, 3]])
    >>> round(alpha_lift(2).of(j), 6), alpha_lift(float("inf"), inverse=True).of(j)
    (1.118034, 2.0)
    """
    if not order > 1:
        raise UsageError("alpha-lift", f"order {order} is not above 1", "give an order above 1, or infinity")
    if order == math.inf:
        value = _inverse_of_least if inverse else MAX_LIFT.value
    else:
        signed = -order if inverse else order

        def value(view: View) -> Floats:
            with np.errstate(over="ignore"):
                return np.asarray(np.exp(view.log_sum(signed) / order), dtype=np.float64)

    text = order_text(order)
    ratio = "1/lift(s,y)" if inverse else "lift(s,y)"
    lead = "The inverse lifts" if inverse else "The lifts"
    return Measure(
        name=f"alpha-lift-{text}{'-inverse' if inverse else ''}",
        sentence=f"{lead} of a released value, averaged over the sensitive values in the power {text}, at most.",
        formula=f"max_y max_s {ratio}" if order == math.inf else f"max_y (sum_s P(s) {ratio}^{text})^(1/{text})",
        citation="LIFT Def. 6, eq. (36)" if inverse else "LIFT Def. 5, eq. (33)",
        unit="factor",
        family="worst case",
        survives_merging=True,
        fold="max",
        value=value,
    )


def order_text(order: float) -> str:
    """An order as names write it: 2, 0.5, inf."""
    return str(int(order)) if order != math.inf and order == int(order) else repr(float(order))


def _inverse_of_least(view: View) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(1 / view.lift.min(axis=0), dtype=np.float64)
