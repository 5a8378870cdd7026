"""Ratios as powers: exponents over coprime numbers, places on a line, and powers of polynomials in whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

FEW = 24  # numbers of which a coprime base is looked for


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Numbers above 1 without common factors of which all the given ones are products of powers.

    >>> sorted(coprime_base([12, 18]))
    [2, 3]
    """
    base: list[int] = []
    todo = [n for n in numbers if n > 1]
    while todo:
        x = todo.pop()
        for i, b in enumerate(base):
            g = math.gcd(x, b)
            if g > 1:
                if x != b:
                    base.pop(i)
                    todo += [v for v in (b // g, x // g, g) if v > 1]
                break
        else:
            base.append(x)
    return base


def powers_in(ratio: Fraction, base: list[int]) -> Iterable[int]:
    """The exponents of a fraction over a coprime base of which it is a product."""
    over, under = ratio.numerator, ratio.denominator
    for b in base:
        k = 0
        while over % b == 0:
            over, k = over // b, k + 1
        while under % b == 0:
            under, k = under // b, k - 1
        yield k


def on_a_line(ratios: Sequence[Fraction]) -> list[int] | None:
    """Whole numbers k_i from 0 on with ``ratio_i = ratio_0 s^k_i`` for one s; None where there are none.

    >>> on_a_line([Fraction(8), Fraction(2), Fraction(1, 4)]), on_a_line([Fraction(3), Fraction(2), Fraction(1)])
    ([0, 2, 5], None)
    """
    if len(ratios) < 3:
        return list(range(len(ratios)))
    parts = {n for r in ratios for n in (r.numerator, r.denominator)}
    if len(parts) > FEW:
        return None
    base = coprime_base(parts)
    exponents = [list(powers_in(r / ratios[0], base)) for r in ratios]
    way = exponents[-1]
    pivot = next(k for k, v in enumerate(way) if v)
    if any(v * way[pivot] != w * power[pivot] for power in exponents for v, w in zip(power, way, strict=True)):
        return None
    along = [Fraction(power[pivot], way[pivot]) for power in exponents]
    whole = [int(v * math.lcm(*(w.denominator for w in along))) for v in along]
    return [v // math.gcd(*whole) for v in whole]


def polynomial_power(coefficients: Mapping[int, int], times: int) -> list[int]:
    """The coefficients of a polynomial to a power, from ``m c_0 g_m = sum_i (i (times + 1) - m) c_i g_(m - i)``.

    >>> polynomial_power({0: 1, 1: 1}, 4)
    [1, 4, 6, 4, 1]
    """
    if not coefficients:
        return []
    first, others = coefficients[0], [(i, c) for i, c in coefficients.items() if i]
    out = [first**times]
    for m in range(1, times * max(coefficients) + 1):
        total = sum((i * (times + 1) - m) * c * out[m - i] for i, c in others if i <= m)
        out.append(total // (m * first))
    return out
