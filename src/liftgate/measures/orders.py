"""Sibson and Arimoto mutual information of any order, accurate near 0 and near the orders 1 and infinity."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from liftgate.errors import UsageError
from liftgate.exact import largest, sum_whole
from liftgate.measures.averages import MUTUAL_INFORMATION
from liftgate.measures.definition import Measure
from liftgate.measures.view import Floats, View, bend, log_sum, weighted
from liftgate.measures.worst_case import order_text

_SMALL = 0.1
_HUGE = 500.0


def sibson(order: float) -> Measure:
    """Sibson mutual information of an order in (0, inf]; order 1 is mutual information, infinity maximal leakage.

    ``a/(a-1) log sum_y P(y) (sum_s P(s) lift(s,y)^a)^(1/a)`` (LIFT Def. 5, after eq. (33)).

    >>> from liftgate.joint import Joint
    >>> sibson(float("inf")).of(Joint.from_counts([[3, 1], [1, 3]])) == math.log(1.5)
    True
    """
    a = _order("sibson", order)
    if a == 1:
        whole, value, formula = _information, MUTUAL_INFORMATION.value, MUTUAL_INFORMATION.formula
    elif a == math.inf:
        whole, formula = _sibson_inf, "log sum_y P(y) max_s lift(s,y)"

        def value(view: View) -> Floats:
            return np.asarray(view.lift.max(axis=0), dtype=np.float64)
    else:
        t = order_text(a)
        formula = f"{t}/({t}-1) log sum_y P(y) (sum_s P(s) lift(s,y)^{t})^(1/{t})"

        def value(view: View) -> Floats:
            return np.asarray(np.exp(view.log_sum(a) / a), dtype=np.float64)

        def whole(view: View) -> float:
            return _finished(a, view, view.log_sum(a) / a, np.log(view.prior), centred=True)

    return _measure("sibson", a, formula, "LIFT Def. 5, after eq. (33); DOG eq. (7), (8)", value, whole)


def arimoto(order: float) -> Measure:
    """Arimoto mutual information of an order in (0, inf]; order 1 is mutual information, infinity min-entropy leakage.

    ``a/(a-1) log sum_y P(y) (sum_s P(s|y)^a)^(1/a) / (sum_s P(s)^a)^(1/a)`` (DOG eq. (6); LIFT Appendix B).

    >>> from liftgate.joint import Joint
    >>> arimoto(float("inf")).of(Joint.from_counts([[3, 1], [1, 3]])) == math.log(1.5)
    True
    """
    a = _order("arimoto", order)
    if a == 1:
        whole, value, formula = _information, MUTUAL_INFORMATION.value, MUTUAL_INFORMATION.formula
    elif a == math.inf:
        whole, formula = _arimoto_inf, "log (sum_y P(y) max_s P(s|y) / max_s P(s))"

        def value(view: View) -> Floats:
            return np.asarray(view.posterior.max(axis=0) / view.prior.max(), dtype=np.float64)
    else:
        t = order_text(a)
        formula = f"{t}/({t}-1) log sum_y P(y) (sum_s P(s|y)^{t})^(1/{t}) / (sum_s P(s)^{t})^(1/{t})"

        def value(view: View) -> Floats:
            return np.asarray(np.exp(_log_norms(view, a)), dtype=np.float64)

        def whole(view: View) -> float:
            return _finished(a, view, _log_norms(view, a), _log_tilted(view, a), centred=False)

    return _measure("arimoto", a, formula, "DOG eq. (6); LIFT Prop. 1-3 and Appendix B", value, whole)


def _order(name: str, order: float) -> float:
    a = float(order)
    if not a > 0:
        raise UsageError(name, f"order {order} is not above 0", "give an order above 0, or infinity")
    return a


def _measure(
    name: str,
    a: float,
    formula: str,
    citation: str,
    value: Callable[[View], Floats] | None,
    whole: Callable[[View], float],
) -> Measure:
    order = "infinity" if a == math.inf else order_text(a)
    return Measure(
        name=f"{name}-{order_text(a)}",
        sentence=f"How much a release tells about the sensitive value, by {name.capitalize()}'s mutual information of order {order}.",
        formula=formula,
        citation=citation,
        unit="nats",
        family="average",
        survives_merging=True,
        fold="mean",
        value=value,
        finish=_finish(a),
        whole=whole,
    )


def _finish(a: float) -> Callable[[float], float]:
    """From the mean over released values to nats."""
    if a == 1:
        return float
    factor = 1.0 if a == math.inf else a / (a - 1)
    return lambda mean: factor * math.log(mean)


def _information(view: View) -> float:
    return float((view.share * view.gain).sum())


def _sibson_inf(view: View) -> float:
    return math.log1p(float((view.share * view.change.max(axis=0)).sum()))


def _arimoto_inf(view: View) -> float:
    hits, best = whole_hits(view)
    return math.log1p((hits - best) / best)


def whole_hits(view: View) -> tuple[int, int]:
    """How many of all rows the best guess gets right: with the released value, and without."""
    return sum_whole(view.counts.max(axis=0)), largest(view.joint.sensitive_counts)


def _log_tilted(view: View, a: float) -> Floats:
    """log P_a(s), where P_a(s) is proportional to P(s)^a."""
    powers: Floats = a * np.log(view.prior)
    top = float(powers.max())
    return np.asarray(powers - top - math.log(float(np.exp(powers - top).sum())), dtype=np.float64)


def _log_norms(view: View, a: float) -> Floats:
    """log of (sum_s P_a(s) lift(s,y)^a)^(1/a), which is the a-norm of P(.|y) over that of P."""
    return log_sum(view.log_lift, _log_tilted(view, a), a) / a


def _finished(a: float, view: View, log_norms: Floats, log_weights: Floats, centred: bool) -> float:
    """a/(a-1) log sum_y P(y) n(y), n(y) the norms.

    Near 1 the mean of n(y) - 1 is summed from terms of second order: the first-order part, sum_s w(s) (l(s,y) - 1),
    has mean 0 over y and is left out.
    """
    terms = np.log(view.share) + log_norms
    top = float(terms.max())
    direct = top + math.log(float(np.exp(terms - top).sum()))
    if abs(direct) >= _SMALL:
        return a / (a - 1) * direct
    near = np.abs(a * log_norms) < 1
    weights = np.exp(log_weights)
    first = np.zeros_like(view.share) if centred else weighted(weights, view.change)
    second = np.where(near, _second(a, view, weights, log_weights), 0.0)
    grown = np.where(near, a * first + second, 0.0)  # n(y)^a - 1
    excess = np.where(near, second / a + bend(grown, 1 + grown, np.log1p(grown), 1 / a), np.expm1(log_norms) - first)
    return a / (a - 1) * math.log1p(float((view.share * excess).sum())) + 0.0


def _second(a: float, view: View, weights: Floats, log_weights: Floats) -> Floats:
    """sum_s w(s) (l^a - 1 - a (l - 1)); where l^a is huge, w(s) l^a in one exponent, since w(s) is tiny there."""
    powers = a * view.log_lift
    if powers.max() < _HUGE:
        return weighted(weights, view.bend(a))
    huge = powers >= _HUGE
    with np.errstate(over="ignore"):
        parts = np.where(huge, np.exp(np.where(huge, powers + log_weights[:, None], 0.0)), 0.0)
        parts += weights[:, None] * np.where(huge, 0.0, view.bend(a))
    return np.asarray(parts.sum(axis=0), dtype=np.float64)
