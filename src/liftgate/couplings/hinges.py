"""Hinge lists: what is left of two laws when only their closeness matters, and how closeness is read off exactly.

A list of masses ``(p_i, q_i)`` with falling ratios gives the least delta ``sum_i max(0, p_i - t q_i)`` at every
``t = e^eps``; it is a discrete privacy loss distribution with nothing rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from liftgate.errors import UsageError
from liftgate.exact import Enclosure, exp_enclosure, fraction, log_enclosure

MOST_EPS = 5000


@dataclass(frozen=True)
class Hinges:
    """Masses ``p / left_scale`` and ``q / right_scale`` of blocks ``(p, q)``, whole numbers, ratios p/q falling."""

    masses: tuple[tuple[int, int], ...]
    left_scale: int
    right_scale: int

    @classmethod
    def of(cls, blocks: Iterable[tuple[object, object]]) -> Hinges:
        """A hinge list from pairs of masses in any order.

        >>> Hinges.of([("1/4", "3/4"), ("3/4", "1/4")]).exp_epsilon()
        Fraction(3, 1)
        """
        pairs = [(fraction(p, "left mass"), fraction(q, "right mass")) for p, q in blocks]
        left = math.lcm(*(p.denominator for p, _ in pairs))
        right = math.lcm(*(q.denominator for _, q in pairs))
        return cls(ordered((int(p * left), int(q * right)) for p, q in pairs), left, right)

    @property
    def blocks(self) -> list[tuple[Fraction, Fraction]]:
        """The masses as fractions."""
        return [(Fraction(p, self.left_scale), Fraction(q, self.right_scale)) for p, q in self.masses]

    @property
    def proper(self) -> bool:
        """Whether both sides add up to 1."""
        left, right = sum(p for p, _ in self.masses), sum(q for _, q in self.masses)
        return left == self.left_scale and right == self.right_scale

    @property
    def reverse(self) -> Hinges:
        """The other direction: right against left."""
        return Hinges(tuple((q, p) for p, q in reversed(self.masses)), self.right_scale, self.left_scale)

    def delta(self, eps: object = None, *, exp_eps: object = None, bits: int = 128) -> Any:
        """The least delta: a Fraction for ``exp_eps``, an Enclosure for a rational ``eps``."""
        if (eps is None) == (exp_eps is None):
            raise UsageError("delta", "give either eps or exp_eps", "for example delta(exp_eps=3) or delta(eps='1/2')")
        if eps is None:
            return self.at(exp_factor(exp_eps))
        low, up = exp_enclosure(rational_eps(eps), bits)
        return Enclosure(self.at(max(up, Fraction(1))), self.at(max(low, Fraction(1))))

    def at(self, t: Fraction) -> Fraction:
        """``sum_i max(0, p_i - t q_i)`` in whole numbers."""
        up, down = t.numerator * self.left_scale, t.denominator * self.right_scale
        total = 0
        for p, q in self.masses:
            over = p * down - q * up
            if over <= 0:
                break
            total += over
        return Fraction(total, self.left_scale * down)

    def exp_epsilon(self, delta: object = 0) -> Fraction | None:
        """The least e^eps >= 1 at which this delta is enough; None when none is."""
        allowed = small_delta(delta)
        p_sum = q_sum = 0
        unit, top = allowed.denominator, allowed.numerator * self.left_scale
        over, under = 1, 1  # the answer so far = over / under
        for p, q in self.masses:
            p_sum, q_sum = p_sum + p, q_sum + q
            excess = p_sum * unit - top  # the first blocks need (excess / unit) / left_scale from t q_sum / right_scale
            if excess <= 0:
                continue
            if q_sum == 0:
                return None
            a, b = excess * self.right_scale, q_sum * unit * self.left_scale
            if a * under > over * b:
                over, under = a, b
        return Fraction(over, under)

    def epsilon(self, delta: object = 0) -> float | None:
        """The least eps at which this delta is enough, as a float rounded up; None when none is."""
        t = self.exp_epsilon(delta)
        return None if t is None else log_up(t)

    def decide(self, eps: object = None, delta: object = 0, *, exp_eps: object = None) -> bool:
        """Whether (eps, delta) holds, exactly, also for a rational eps next to the threshold.

        e^eps is irrational for rational eps other than 0, so enclosures of it end up on one side of the threshold.
        """
        if (eps is None) == (exp_eps is None):
            raise UsageError("decide", "give either eps or exp_eps", "for example decide(eps='1/2', delta='1/100')")
        least = self.exp_epsilon(delta)
        if eps is None:
            t = exp_factor(exp_eps)
            return least is not None and t >= least
        asked = rational_eps(eps)
        return least is not None and exp_at_least(asked, least)


def ordered(masses: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Blocks by falling ratio, equal ratios as one block, empty ones left out."""

    def falling(x: tuple[int, int], y: tuple[int, int]) -> int:
        return y[0] * x[1] - x[0] * y[1]

    out: list[tuple[int, int]] = []
    for p, q in sorted((m for m in masses if m != (0, 0)), key=cmp_to_key(falling)):
        if out and out[-1][0] * q == p * out[-1][1]:
            out[-1] = (out[-1][0] + p, out[-1][1] + q)
        else:
            out.append((p, q))
    return tuple(out)


def log_up(t: Fraction) -> float:
    """ln t for t >= 1 as a float that is not below it."""
    if t == 1:
        return 0.0
    upper = log_enclosure(t, 80).upper
    value = float(upper)
    return value if Fraction(value) >= upper else math.nextafter(value, math.inf)


# --- reading parameters ------------------------------------------------------------------------------------------------


def exp_factor(value: object) -> Fraction:
    """e^eps given as a number that is at least 1."""
    t = fraction(value, "exp_eps")
    if t < 1:
        raise UsageError("exp_eps", f"{t} is below 1, so eps would be negative", "use a factor of at least 1")
    return t


def rational_eps(value: object) -> Fraction:
    """eps given as a number that is at least 0."""
    eps = fraction(value, "eps")
    if eps < 0:
        raise UsageError("eps", f"{eps} is negative", "use an eps of at least 0")
    if eps > MOST_EPS:
        raise UsageError("eps", f"it is above {MOST_EPS}, so e^eps has thousands of digits", "use a smaller eps")
    return eps


def small_delta(value: object) -> Fraction:
    """delta given as a number from 0 to 1."""
    delta = fraction(value, "delta")
    if not 0 <= delta <= 1:
        raise UsageError("delta", f"{delta} is not between 0 and 1", "use a delta from 0 to 1")
    return delta


def exp_at_least(eps: Fraction, t: Fraction) -> bool:
    """Whether e^eps >= t for a rational eps >= 0, decided by enclosures of e^eps that close in on it."""
    if t <= 1 or eps.numerator // eps.denominator >= math.ceil(t).bit_length():  # e^eps >= 2^floor(eps) > t
        return True
    if eps == 0:
        return False
    bits = 64
    while True:
        low, up = exp_enclosure(eps, bits)
        if low >= t:
            return True
        if up < t:
            return False
        bits *= 2
