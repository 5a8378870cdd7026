"""f-divergences of two finite mass functions, exactly or as an enclosure (STAR Def. 42, erratum E45: weight mu2)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, get_args

from liftgate.errors import UsageError
from liftgate.exact import Enclosure, log_enclosure, root_enclosure

Divergence = Literal["tv", "kl", "hellinger", "chi2"]
DIVERGENCES: tuple[str, ...] = get_args(Divergence)


def f_divergence(
    masses: Iterable[tuple[Fraction, Fraction]], name: str, bits: int = 64
) -> Fraction | Enclosure | float:
    """``sum q f(p/q)`` over pairs of masses, with ``L_f p`` where q = 0 (``math.inf`` for kl and chi2) and ``f(0) q`` where p = 0.

    f has to be convex (erratum E46). tv: |t - 1| / 2, kl: t ln t - t + 1 (nats), hellinger: (sqrt(t) - 1)^2 / 2, chi2: (t - 1)^2. The printed weight mu1
    is wrong (erratum E45); an :class:`Enclosure` is at most 2^-bits wide.

    >>> f_divergence([(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))], "tv")
    Fraction(1, 2)
    """
    pairs = [(p, q) for p, q in masses if p or q]
    if name == "tv":
        unit = math.lcm(*(m.denominator for pair in pairs for m in pair))
        return Fraction(sum(abs(int(p * unit) - int(q * unit)) for p, q in pairs), 2 * unit)
    if name == "hellinger":
        return _hellinger(pairs, bits)
    if name not in DIVERGENCES:
        raise UsageError("f-divergence", f"{name!r} is not known", "use one of " + ", ".join(DIVERGENCES))
    if any(q == 0 for _, q in pairs):
        return math.inf
    if name == "chi2":
        return sum(((p - q) ** 2 / q for p, q in pairs), Fraction(0))
    return _kl(pairs, bits)


def _kl(pairs: list[tuple[Fraction, Fraction]], bits: int) -> Enclosure:
    low = up = sum((q - p for p, q in pairs), Fraction(0))
    work = bits + len(pairs).bit_length() + 1
    for p, q in pairs:
        if p and p != q:
            a, b = log_enclosure(p / q, work)
            low, up = low + p * a, up + p * b
    return Enclosure(max(low, Fraction(0)), up)


def _hellinger(pairs: list[tuple[Fraction, Fraction]], bits: int) -> Enclosure:
    whole = sum((p + q for p, q in pairs), Fraction(0)) / 2
    work = bits + len(pairs).bit_length() + 1
    low = up = Fraction(0)
    for p, q in pairs:
        a, b = _root(p * q, work)
        low, up = low + a, up + b
    return Enclosure(max(whole - up, Fraction(0)), whole - low)


def _root(value: Fraction, bits: int) -> Enclosure:
    over, under = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if over * over == value.numerator and under * under == value.denominator:
        return Enclosure(Fraction(over, under), Fraction(over, under))
    return root_enclosure(value, 2, bits)
