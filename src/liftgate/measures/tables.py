"""The numbers of table anonymity, by their definitions: a released value is a class, and infinite stays infinite."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from liftgate.errors import UsageError
from liftgate.exact import log_enclosure
from liftgate.measures.definition import Measure
from liftgate.measures.view import Floats, View, quotient, weighted
from liftgate.measures.worst_case import CONFIDENCE


def _entropy_l(view: View) -> Floats:
    q = view.posterior
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(q > 0, -q * np.log(q), 0.0)
    return np.asarray(np.exp(terms.sum(axis=0)), dtype=np.float64)


def _ordered(view: View) -> Floats:
    steps = view.prior[:, None] * view.change
    gaps = np.abs(np.cumsum(steps, axis=0))[:-1]
    return np.asarray(gaps.sum(axis=0) / max(len(view.prior) - 1, 1), dtype=np.float64)


def _delta(view: View) -> Floats:
    return np.asarray(np.abs(view.log_lift).max(axis=0), dtype=np.float64)


def _beta(view: View) -> Floats:
    return np.asarray(view.change.max(axis=0), dtype=np.float64)


def _enhanced_beta(view: View) -> Floats:
    """Infinite where a gain (q - p)/p is above its cap -log p: no beta satisfies min(beta, -log p) then."""
    caps = -np.log(view.prior)[:, None]
    over = (view.change > 0) & (view.change > caps)
    close = (view.change > 0) & (np.abs(view.change - caps) <= 1e-12 * np.maximum(caps, view.change))
    for s, y in np.argwhere(close):
        over[s, y] = _above_cap(view, int(s), int(y))
    return np.where(over.any(axis=0), np.inf, view.change.max(axis=0))


def _above_cap(view: View, s: int, y: int) -> bool:
    """Whether lift - 1 > -log P(s), decided with as many bits as it takes; both are equal only at P(s) = 1."""
    n, n_s, n_y = view.joint.total, int(view.joint.sensitive_counts[s]), int(view.sizes[y])
    gain, prior = Fraction(int(view.counts[s, y]) * n, n_s * n_y) - 1, Fraction(n_s, n)
    bits = 64
    while True:
        low, up = log_enclosure(1 / prior, bits)
        if gain > up or gain < low or low == up:
            return gain > up
        bits *= 2


K = Measure(
    name="k",
    sentence="The number of people in the smallest class.",
    formula="min_y N(y)",
    citation="Sweeney 2002, k-anonymity",
    unit="rows",
    family="table",
    survives_merging=True,
    fold="min",
    value=lambda view: np.asarray(view.sizes, dtype=np.float64),
    worse="smaller",
)

DISTINCT_L = Measure(
    name="distinct-l",
    sentence="The number of different sensitive values in the least diverse class.",
    formula="min_y #{s: N(s,y) > 0}",
    citation="Machanavajjhala et al. 2007, distinct l-diversity",
    unit="values",
    family="table",
    survives_merging=True,
    fold="min",
    value=lambda view: np.asarray((view.counts != 0).sum(axis=0), dtype=np.float64),
    worse="smaller",
)

ENTROPY_L = Measure(
    name="entropy-l",
    sentence="How many equally common sensitive values would be as uncertain as those of the least uncertain class.",
    formula="min_y exp(-sum_s P(s|y) log P(s|y))",
    citation="Machanavajjhala et al. 2007, Def. 4.1",
    unit="values",
    family="table",
    survives_merging=True,
    fold="min",
    value=_entropy_l,
    worse="smaller",
)


def recursive_c(length: int) -> Measure:
    """The ratio that every c of recursive (c, l)-diversity has to exceed, for l = ``length``.

    ``max_y r_1 / (r_l + ... + r_m)`` with the counts of a class sorted decreasingly; infinite where a class has fewer
    than l values (Machanavajjhala et al. 2007, Def. 4.2: r_1 < c (r_l + ... + r_m)).

    >>> from liftgate.joint import Joint
    >>> recursive_c(2).of(Joint.from_counts([[3, 1], [2, 1], [1, 1]])), recursive_c(3).of(Joint.from_counts([[3], [2]]))
    (1.0, inf)
    """
    if isinstance(length, bool) or not isinstance(length, int) or length < 1:
        raise UsageError("recursive-c", f"l is {length!r}", "give a whole number of at least 1")

    def value(view: View) -> Floats:
        rows = view.counts.shape[0]
        if length > rows:
            return np.full(len(view.sizes), np.inf)
        if length <= 2:
            top = view.counts.max(axis=0)
            return quotient(top, view.sizes - top if length == 2 else view.sizes)
        ordered = np.sort(view.counts, axis=0)
        return quotient(ordered[-1], ordered[: rows - length + 1].sum(axis=0))

    return Measure(
        name=f"recursive-c-{length}",
        sentence=f"How many times more common the most common sensitive value of a class is than its {length}th and rarer ones together.",
        formula=f"max_y r_1 / (r_{length} + ... + r_m), counts of a class in decreasing order",
        citation="Machanavajjhala et al. 2007, Def. 4.2",
        unit="factor",
        family="table",
        survives_merging=True,
        fold="max",
        value=value,
    )


ALPHA_K = replace(
    CONFIDENCE,
    name="alpha-k",
    sentence="The largest share of one sensitive value in a class, which with k makes (alpha, k)-anonymity.",
    citation="Wong et al. 2006, Def. 2",
    family="table",
)

T_CLOSENESS = Measure(
    name="t-closeness",
    sentence="The share of a class that would have to change its sensitive value to look like the whole table, at most.",
    formula="max_y sum_s |P(s|y) - P(s)| / 2",
    citation="Li et al. 2007, section 4.1, equal distance",
    unit="probability",
    family="table",
    survives_merging=True,
    fold="max",
    value=lambda view: weighted(view.prior, np.abs(view.change)) / 2,
)

T_CLOSENESS_ORDERED = Measure(
    name="t-closeness-ordered",
    sentence="How far sensitive values of a class have to be moved along their order to look like the whole table, at most.",
    formula="max_y sum_i |sum_{j<=i} P(s_j|y) - P(s_j)| / (m - 1), in the order of joint.sensitive",
    citation="Li et al. 2007, section 4.1, ordered distance",
    unit="share of the order's length",
    family="table",
    survives_merging=True,
    fold="max",
    value=_ordered,
)

BETA_LIKENESS = Measure(
    name="beta-likeness",
    sentence="By how much, relative to the whole table, a sensitive value is more common in a class, at most.",
    formula="max_y max_s (P(s|y) - P(s)) / P(s)",
    citation="Cao and Karras 2012, Def. 2, basic beta-likeness: max-lift - 1",
    unit="factor",
    family="table",
    survives_merging=True,
    fold="max",
    value=_beta,
)

BETA_LIKENESS_ENHANCED = Measure(
    name="beta-likeness-enhanced",
    sentence="The same when each gain must also stay below -log P(s); infinite where no beta satisfies that.",
    formula="max_y max_s (P(s|y) - P(s)) / P(s), infinite where it is above -log P(s)",
    citation="Cao and Karras 2012, Def. 3, enhanced beta-likeness",
    unit="factor",
    family="table",
    survives_merging=True,
    fold="max",
    value=_enhanced_beta,
)

DELTA_DISCLOSURE = Measure(
    name="delta-disclosure",
    sentence="The largest absolute logarithm of a lift; infinite where a class lacks a sensitive value.",
    formula="max_y max_s |log P(s|y) / P(s)|",
    citation="Brickell and Shmatikov 2008, Def. 1; DOG Def. 1",
    unit="nats",
    family="table",
    survives_merging=True,
    fold="max",
    value=_delta,
)
