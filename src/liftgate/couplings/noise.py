"""Two-sided geometric noise, exactly: sums over all whole numbers of products of its chances, tails in closed form.

The noise is ``P(k) = (1 - r) / (1 + r) r^|k|``. A :class:`Sum` holds one whole number per place of a window and, for the
places beyond it, the product as a combination of powers ``base^|z|``, whose sums are geometric series.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import Literal

from liftgate.errors import UsageError
from liftgate.exact import fraction

Kind = Literal["at", "from", "below"]
Tail = dict[Fraction, int]
ONE = Fraction(1)


def noise_ratio(value: object) -> Fraction:
    """The factor per step of geometric noise, between 0 and 1."""
    r = fraction(value, "ratio")
    if not 0 < r < 1:
        raise UsageError("ratio", f"{r} is not between 0 and 1", "use a factor per step such as 1/2")
    return r


def mass(ratio: Fraction, k: int) -> Fraction:
    """P(noise = k)."""
    return (1 - ratio) / (1 + ratio) * ratio ** abs(k)


def at_least(ratio: Fraction, k: int) -> Fraction:
    """P(noise >= k).

    >>> at_least(Fraction(1, 2), 1), at_least(Fraction(1, 2), 0)
    (Fraction(1, 3), Fraction(2, 3))
    """
    return ratio**k / (1 + ratio) if k > 0 else 1 - ratio ** (1 - k) / (1 + ratio)


@dataclass(frozen=True)
class Factor:
    """A chance as a function of z: that noise is at z - shift, from there on, or below it."""

    kind: Kind
    shift: int
    ratio: Fraction

    def value(self, z: int) -> Fraction:
        """The chance at z."""
        k = z - self.shift
        if self.kind == "at":
            return mass(self.ratio, k)
        return at_least(self.ratio, k) if self.kind == "from" else 1 - at_least(self.ratio, k)

    def above(self) -> dict[Fraction, Fraction]:
        """Right of the shift: coefficients of base^z."""
        r, s = self.ratio, self.shift
        if self.kind == "at":
            return {r: (1 - r) / (1 + r) * r**-s}
        over = r**-s / (1 + r)
        return {r: over} if self.kind == "from" else {ONE: ONE, r: -over}

    def under(self) -> dict[Fraction, Fraction]:
        """Left of the shift: coefficients of base^-z."""
        r, s = self.ratio, self.shift
        if self.kind == "at":
            return {r: (1 - r) / (1 + r) * r**s}
        over = r ** (1 + s) / (1 + r)
        return {ONE: ONE, r: -over} if self.kind == "from" else {r: over}


@lru_cache(maxsize=4096)
def _scaled(factor: Factor, low: int, high: int) -> tuple[int, tuple[int, ...], Tail, Tail]:
    values = [factor.value(z) for z in range(low, high + 1)]
    tails = factor.under(), factor.above()
    scale = math.lcm(*(v.denominator for v in (*values, *tails[0].values(), *tails[1].values())))
    under, above = ({base: int(c * scale) for base, c in tail.items()} for tail in tails)
    return scale, tuple(int(v * scale) for v in values), under, above


@dataclass(frozen=True)
class Sum:
    """A product of factors on the window ``low .. high`` and both tails, in units of ``1 / scale``.

    The window has to hold every shift and 0.

    >>> one = Sum.start(-3, 3).times(Factor("at", 1, Fraction(1, 2)))
    >>> one.total(), one.times(Factor("from", 0, Fraction(1, 2))).total()
    (Fraction(1, 1), Fraction(11, 27))
    """

    low: int
    high: int
    scale: int
    window: tuple[int, ...]
    under: tuple[tuple[Fraction, int], ...]
    above: tuple[tuple[Fraction, int], ...]

    @classmethod
    def start(cls, low: int, high: int) -> Sum:
        """The empty product."""
        return cls(low, high, 1, (1,) * (high - low + 1), ((ONE, 1),), ((ONE, 1),))

    def times(self, factor: Factor) -> Sum:
        """The product with one more factor."""
        scale, values, under, above = _scaled(factor, self.low, self.high)
        window = tuple(map(mul, self.window, values))
        return Sum(
            self.low, self.high, self.scale * scale, window, _expand(self.under, under), _expand(self.above, above)
        )

    def total(self) -> Fraction:
        """The sum over all whole numbers z."""
        return (
            Fraction(sum(self.window), self.scale)
            + self._tail(self.under, 1 - self.low)
            + self._tail(self.above, self.high + 1)
        )

    def cut(self, end: int) -> Sum:
        """Only the places z <= end; the end is in the window."""
        kept = self.window[: end - self.low + 1] + (0,) * (self.high - end)
        return Sum(self.low, self.high, self.scale, kept, self.under, ())

    def _tail(self, terms: tuple[tuple[Fraction, int], ...], start: int) -> Fraction:
        if any(base == 1 and c for base, c in terms):
            raise UsageError("sum", "it is infinite: no factor falls off", "include the chance of one exact value")
        whole = sum((c * _series(base, start) for base, c in terms), Fraction(0))
        return whole / self.scale


@lru_cache(maxsize=4096)
def _series(base: Fraction, start: int) -> Fraction:
    """base^start + base^(start + 1) + ..."""
    return base**start / (1 - base)


def _expand(left: tuple[tuple[Fraction, int], ...], right: Tail) -> tuple[tuple[Fraction, int], ...]:
    out: Tail = {}
    for base, c in left:
        for other, d in right.items():
            key = base * other
            out[key] = out.get(key, 0) + c * d
    return tuple((base, c) for base, c in out.items() if c)
