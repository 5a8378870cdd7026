"""What a budget implies for every other measure: the least bounds that hold for every joint inside it.

Inside ``low <= lift <= up`` the mean over s of a convex f(lift) is largest for a lift with the two values low and up
(the chord bound): ``w f(up) + (1 - w) f(low)`` with ``w = (1 - low) / (up - low)``. A uniform joint whose columns are
shifts of such a lift attains it for every released value at once. Propositions that bound l1, chi2 and total variation
by ``up`` alone, or their inverses by ``low`` alone, are false (errata E1, E2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from liftgate.budget import Budget
from liftgate.errors import UsageError
from liftgate.measures.ratio_bounds import ratio_bounds


def implied_by(budget: Budget, prior: Sequence[float] | None = None) -> dict[str, float]:
    """For each measure the bound that a budget implies: an upper one, or a lower one where smaller is worse.

    Without ``prior`` the bounds of alip and ldp budgets hold, and are least, over all priors; a prior sharpens
    confidence, guessing and diversity. Budgets of kind l1, chi2 and alpha bound single lifts only through the smallest
    P(s) (LIFT Prop. 4, 6), so without a prior those stay infinite. Numbers are floats, to look at; certificates prove.

    >>> bounds = implied_by(Budget.between("1/2", "3/2"))
    >>> bounds["l1-lift"], bounds["total-variation"], bounds["chi2-lift"]
    (0.5, 0.25, 0.25)
    """
    p = _prior(prior)
    if budget.kind == "ldp":
        assert budget.up is not None
        return _finished(*ratio_bounds(math.log(budget.up)), p)
    if budget.kind == "alip":
        assert budget.low is not None
        assert budget.up is not None
        return _finished(*_lift_bounds(float(budget.low), float(budget.up)), p)
    low = None if budget.low is None else float(budget.low)
    up = None if budget.up is None else float(budget.up)
    order = None if budget.order is None else float(budget.order)
    least = 0.0 if p is None else min(p)
    m = 0.0 if low is None else least_lift(budget.kind, low, least, order)
    most = (1 / least if least else math.inf) if up is None else largest_lift(budget.kind, up, least, order)
    return _with_own(budget.kind, low, up, order, _finished(*_lift_bounds(m, max(1.0, most)), p))


Bounds = dict[str, float]
Orders = Callable[[float], float]


def chord(f: Callable[[float], float], low: float, up: float) -> float:
    """The largest mean of a convex f over lifts in [low, up] with mean 1: w f(up) + (1 - w) f(low).

    >>> round(chord(lambda t: t * math.log(t), math.exp(-1), math.e), 12) == round(math.tanh(0.5), 12)
    True
    """
    if low == 1 or up == 1:
        return f(1.0)
    if up == math.inf:
        raise UsageError("chord bound", "the upper bound on lift is infinite", "bound lift from above")
    w = (1 - low) / (up - low)
    return w * f(up) + (1 - w) * f(low)


def _lift_bounds(m: float, up: float) -> tuple[Bounds, Orders]:
    """Every bound inside m <= lift <= up, and log (largest sum_s P(s) lift^a) (smallest for 0 < a < 1) as a function."""
    log_m, log_up = _log(m), _log(up)

    def log_power(a: float) -> float:
        if m == 1 or up == 1:
            return 0.0
        if up == math.inf:
            return math.inf if a > 1 else (_log(m) * a if 0 < a < 1 else (-a) * -log_m)
        if a < 0 and m == 0:
            return math.inf
        w = (1 - m) / (up - m)
        parts = [math.log(w) + a * log_up] + ([math.log1p(-w) + a * log_m] if m > 0 else [])
        top = max(parts)
        return top + math.log(sum(math.exp(part - top) for part in parts))

    flat = m == 1 or up == 1
    wide = up == math.inf
    l1 = 0.0 if flat else 2 * (1 - m) if wide else 2 * (up - 1) * (1 - m) / (up - m)
    chi2 = 0.0 if flat else (up - 1) * (1 - m)
    if flat:
        kl = reverse = hellinger = 0.0
    elif wide:
        kl, reverse = math.inf, math.inf if m == 0 else -log_m
        hellinger = 1 - math.sqrt(m)
    else:
        kl = chord(lambda t: t * _log(t) if t > 0 else 0.0, m, up)
        reverse = math.inf if m == 0 else chord(lambda t: -math.log(t), m, up)
        hellinger = chord(lambda t: (math.sqrt(t) - 1) ** 2 / 2, m, up)
    out = {
        "max-lift": 1.0 if flat else up,
        "min-lift": 1.0 if flat else m,
        "ldp-epsilon": 0.0 if flat else log_up - log_m,
        "l1-lift": l1,
        "l1-lift-inverse": 0.0 if flat else _l1_inverse(m, up),
        "chi2-lift": chi2,
        "chi2-lift-inverse": 0.0 if flat else _chi2_inverse(m, up),
        "mutual-information": kl,
        "reverse-kl": reverse,
        "hellinger": hellinger,
        "delta-disclosure": 0.0 if flat else max(log_up, -log_m),
        "beta-likeness-enhanced": _enhanced(m, up),
    }
    return out, log_power


def _l1_inverse(m: float, up: float) -> float:
    """The largest mean of |1/t - 1|: f is not convex above 1, so the upper value may lie below ``up`` (erratum E2)."""
    if m == 0:
        return math.inf
    best = m * (1 + math.sqrt(2 - 2 * m)) / (2 * m - 1) if m > 0.5 else math.inf
    b = min(up, best)
    return (1 - m) / m if b == math.inf else (1 - m) * (b - 1) * (m + b) / (m * b * (b - m))


def _chi2_inverse(m: float, up: float) -> float:
    """The largest mean of (1/t - 1)^2, with the upper value at most 2m / (2m - 1) (erratum E2)."""
    if m == 0:
        return math.inf
    b = min(up, 2 * m / (2 * m - 1) if m > 0.5 else math.inf)
    r = 0.0 if b == math.inf else 1 / b
    return (1 - m) * (1 - r) * (m * r + 1 - m) / m**2


def _enhanced(m: float, up: float) -> float:
    """up - 1 when no lift inside the bounds can pass its cap -log P(s), whatever the prior; else infinite."""
    if m == 1 or up == 1:
        return 0.0
    return up - 1 if up < math.inf and m > 0 and up - 1 <= math.log((up - m) / (1 - m)) else math.inf


def _finished(base: Bounds, log_power: Orders, prior: list[float] | None) -> Bounds:
    """Every measure from the bounds that differ between kinds of budgets."""
    up, m = base["max-lift"], base["min-lift"]
    out = dict(base)
    out["log-lift-range"] = base["ldp-epsilon"]
    out["pointwise-maximal-leakage"] = out["maximal-leakage"] = out["min-entropy-leakage"] = _log(up)
    out["sibson-inf"] = out["arimoto-inf"] = _log(up)
    for order in (2, 10, 100):
        out[f"alpha-lift-{order}"] = _exp(log_power(order) / order)
        out[f"alpha-lift-{order}-inverse"] = _exp(log_power(-order) / order)
    for order_name, a in (("0.5", 0.5), ("2", 2.0)):
        out[f"sibson-{order_name}"] = out[f"arimoto-{order_name}"] = log_power(a) / (a - 1)
    out["chi2"] = base["chi2-lift"]
    out["total-variation"] = out["t-closeness"] = out["t-closeness-ordered"] = base["l1-lift"] / 2
    out["beta-likeness"] = up - 1
    top = 1.0 if prior is None else max(prior)
    sure = min(1.0, up * top, 1 - m * (1 - top)) if up < math.inf else 1 - m * (1 - top)
    out["confidence"] = out["alpha-k"] = out["guessing-after"] = sure
    out["guessing-before"] = top
    out["k"] = 1.0
    out["distinct-l"] = 1.0 if prior is None else float(_fewest(prior, up, m))
    out["entropy-l"] = 1.0 if prior is None else math.exp(-_log(sure))
    out["recursive-c-2"] = math.inf if sure >= 1 else sure / (1 - sure)
    return out


def _with_own(kind: str, low: float | None, up: float | None, order: float | None, out: Bounds) -> Bounds:
    """What an l1, chi2 or alpha budget says about its own measure and about the averages of it."""

    def at_most(name: str, bound: float) -> None:
        out[name] = min(out[name], bound)

    if up is not None and kind == "l1":
        at_most("l1-lift", up)
        for name in ("total-variation", "t-closeness", "t-closeness-ordered"):
            at_most(name, up / 2)
    if up is not None and kind == "chi2":
        at_most("chi2-lift", up)
        at_most("chi2", up)
        at_most("l1-lift", math.sqrt(up))
        at_most("mutual-information", math.log1p(up))
        at_most("sibson-2", math.log1p(up))
        at_most("alpha-lift-2", math.sqrt(1 + up))
        for name in ("total-variation", "t-closeness", "t-closeness-ordered"):
            at_most(name, math.sqrt(up) / 2)
    if up is not None and kind == "alpha":
        assert order is not None
        for a in (2, 10, 100):
            if a <= order:
                at_most(f"alpha-lift-{a}", up)
        at_most("mutual-information", order / (order - 1) * math.log(up))
        if order >= 2:
            at_most("sibson-2", 2 * math.log(up))
            at_most("chi2-lift", up**2 - 1)
            at_most("chi2", up**2 - 1)
    if low is not None and kind in ("l1", "chi2"):
        at_most(f"{kind}-lift-inverse", low)
    if low is not None and kind == "alpha":
        assert order is not None
        for a in (2, 10, 100):
            if a <= order:
                at_most(f"alpha-lift-{a}-inverse", low)
    return out


def largest_lift(kind: str, bound: float, p: float, order: float | None = None) -> float:
    """The largest lift of a sensitive value of probability p inside an l1, chi2 or alpha bound (LIFT Prop. 4).

    l1: 1 + bound / (2 p) and chi2: 1 + sqrt(bound (1-p) / p), both tighter than printed and attained; alpha:
    bound p^(-1/order), as printed. Never above 1/p.
    """
    if p <= 0:
        return math.inf
    if kind == "l1":
        value = 1 + bound / (2 * p)
    elif kind == "chi2":
        value = 1 + math.sqrt(bound * (1 - p) / p)
    else:
        assert order is not None
        value = bound * p ** (-1 / order)
    return min(value, 1 / p)


def least_lift(kind: str, bound: float, p: float, order: float | None = None) -> float:
    """The smallest lift of a sensitive value of probability p inside a bound on an inverse measure (LIFT Prop. 6)."""
    if p <= 0:
        return 0.0
    if kind == "l1":
        return p / (bound + p)
    if kind == "chi2":
        return math.sqrt(p) / (math.sqrt(bound) + math.sqrt(p))
    assert order is not None
    return float(p ** (1 / order) / bound)


def _fewest(prior: list[float], up: float, m: float) -> int:
    """With m > 0 every sensitive value occurs; otherwise enough of the common ones that up times their share is 1."""
    if m > 0:
        return sum(p > 0 for p in prior)
    mass, n = 0.0, 0
    for p in sorted(prior, reverse=True):
        mass += p
        n += 1
        if up * mass >= 1 - 1e-9:
            return n
    return n


def _prior(prior: Sequence[float] | None) -> list[float] | None:
    if prior is None:
        return None
    p = [float(v) for v in prior if v != 0]
    if not p or min(p) < 0 or abs(math.fsum(p) - 1) > 1e-9:
        raise UsageError("prior", "it is not a probability distribution", "give probabilities that add up to 1")
    return p


def _log(value: float) -> float:
    return -math.inf if value == 0 else math.log(value)


def _exp(value: float) -> float:
    return math.inf if value > 709 else math.exp(value)
