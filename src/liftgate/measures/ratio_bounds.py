"""What local differential privacy implies: the chord bound at the worst place of the interval [m, e^eps m]."""

from __future__ import annotations

import math
from collections.abc import Callable


def ratio_bounds(eps: float) -> tuple[dict[str, float], Callable[[float], float]]:
    """The bounds inside max lift <= e^eps min lift, in the form that :mod:`liftgate.measures.implied` finishes.

    A released value has lifts in [m, e^eps m] for some m in [e^-eps, 1]; with z = 1/m each bound is the maximum over z
    of the two-point value, in closed form. They are attained except where the maximum is at an end of the interval,
    where they are limits.
    """
    if eps == 0:
        names = ("ldp-epsilon", "l1-lift", "l1-lift-inverse", "chi2-lift", "chi2-lift-inverse", "mutual-information")
        more = ("reverse-kl", "hellinger", "delta-disclosure", "beta-likeness-enhanced")
        zero = dict.fromkeys(names + more, 0.0)
        return {"max-lift": 1.0, "min-lift": 1.0, **zero}, lambda a: 0.0
    e = math.exp(eps)

    def log_power(a: float) -> float:
        return _log_power(eps, a)

    z = eps / -math.expm1(-eps)
    z_reverse = math.expm1(eps) / eps
    out = {
        "max-lift": e,
        "min-lift": math.exp(-eps),
        "ldp-epsilon": eps,
        "l1-lift": 2 * math.tanh(eps / 4),
        "l1-lift-inverse": math.sinh(eps) / 2,
        "chi2-lift": math.sinh(eps / 2) ** 2,
        "chi2-lift-inverse": _chi2_inverse(e),
        "mutual-information": z - 1 - math.log(z),
        "reverse-kl": math.log(z_reverse) - 1 + 1 / z_reverse,
        "hellinger": -math.expm1(_log_power(eps, 0.5)),
        "delta-disclosure": eps,
        "beta-likeness-enhanced": _enhanced(e),
    }
    return out, log_power


def _log_power(eps: float, a: float) -> float:
    """log of max over z in [1, e^eps] of (1 + (z-1) A) / z^a, A = (e^(a eps) - 1) / (e^eps - 1); the min for 0 < a < 1.

    It is stationary at z = a (A-1) / (A (a-1)).
    """
    log_a = math.log(abs(math.expm1(a * eps))) if a * eps < 30 else a * eps
    log_a -= math.log(math.expm1(eps)) if eps < 30 else eps
    inverse = math.copysign(math.exp(-log_a), a)  # 1/A
    z = min(max(a * (1 - inverse) / (a - 1), 1.0), math.exp(eps))
    if a > 0:
        return log_a + math.log(inverse + z - 1) - a * math.log(z)
    return math.log1p(-(z - 1) * math.exp(log_a)) - a * math.log(z)


def _chi2_inverse(e: float) -> float:
    """The largest (t-1)(1-kt)((1+k)t-1) over t in [1, e], k = 1/e, at the larger root of its derivative."""
    k = 1 / e
    g = 1 + k
    b = g * g + k
    t = (b + math.sqrt(b * b - 6 * k * g * g)) / (3 * k * g)
    return (t - 1) * (1 - k * t) * (g * t - 1)


def _enhanced(e: float) -> float:
    """e - 1 when no gain x = e m - 1 can pass its cap log((e-1)(1+x) / (e-1-x)) for any m, else infinite.

    Cap minus gain starts at 0, rises, and has its only later minimum at the larger root of x^2 - (e-2) x + 1 = 0.
    """
    if e <= 4:
        return e - 1
    x = ((e - 2) + math.sqrt((e - 2) ** 2 - 4)) / 2
    return e - 1 if x <= math.log((e - 1) * (1 + x) / (e - 1 - x)) else math.inf
