"""The two-outcome announcement in whole arrays: the four-term rule and the least distorted optimal announcement.

One group, masses p, allowed masses [l, h] of an outcome and [l', h'] of the other, S = sum p (ATR Thm. 1 lacks the
last term, E70; 0/0 counts as 0, E71):

    beta = max( L / sum min(h, L),  L' / sum min(h', L'),  (L + L') / S,  max p / S ),   L = max l, L' = max l'

For a given beta the announcements u with total U exist exactly where  L / beta <= U <= S - L' / beta,
sum min(h, beta U) >= U  and  sum min(h', beta (S - U)) >= S - U;  that is an interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.transparency.grouping import FloatArray, IntArray

TERMS = ("negative outcome", "positive outcome", "both outcomes together", "largest group share")


@dataclass(frozen=True, eq=False)
class Masses:
    """Rows lined up by group: people, true masses of both outcomes, and the masses allowed to them.

    Column 1 is the positive outcome, column 0 the negative one.
    """

    people: FloatArray
    true: FloatArray
    low: FloatArray
    high: FloatArray
    starts: IntArray

    def sums(self, values: NDArray[Any]) -> FloatArray:
        """Sums over each group."""
        return np.asarray(np.add.reduceat(values, self.starts[:-1], axis=0), dtype=np.float64)

    def tops(self, values: NDArray[Any]) -> FloatArray:
        """Largest value of each group."""
        return np.asarray(np.maximum.reduceat(values, self.starts[:-1], axis=0), dtype=np.float64)

    def spread(self, by_group: NDArray[Any]) -> NDArray[Any]:
        """A value of each group, for every row."""
        return np.repeat(by_group, np.diff(self.starts), axis=0)


def least_confidence(m: Masses) -> tuple[FloatArray, IntArray]:
    """The least confidence of each group and the number of the term that binds (see ``TERMS``)."""
    least = m.tops(m.low)
    reach = m.sums(np.minimum(m.high, m.spread(least)))
    total = m.sums(m.people)
    own = np.divide(least, reach, out=np.zeros_like(least), where=least > 0)
    terms = np.stack([own[:, 0], own[:, 1], least.sum(axis=1) / total, m.tops(m.people) / total], axis=1)
    binding = 3 - np.argmax(terms[:, ::-1], axis=1)
    return terms.max(axis=1), binding.astype(np.int64)


def announce_masses(m: Masses, beta: FloatArray, distance: str) -> FloatArray:
    """Announced masses of both outcomes (n, 2) with confidence at most beta, least changed in the sum of people.

    ``distance`` is "l1" (sum p |announced - true|) or "l2" (sum p (announced - true)^2).
    """
    swap = np.greater(m.sums(m.true[:, 1]), m.sums(m.true[:, 0]))
    flip = m.spread(swap)
    this, low, high = (np.where(flip[:, None], v[:, ::-1], v)[:, ::-1] for v in (m.true, m.low, m.high))
    # Column 0 is now the outcome with fewer people, column 1 the other one.
    s, q = m.sums(m.people), m.sums(this)[:, 0]
    side = _Side(m, this, low, high, s, q, beta)
    start, stop = side.interval()
    u = side.nearest_l1(start, stop) if distance == "l1" else side.nearest_l2(start, stop)
    masses = side.fill(u, 0.0) if distance == "l1" else side.fill(u, side.shift(u))
    other = m.people - masses
    return np.where(flip[:, None], np.stack([masses, other], 1), np.stack([other, masses], 1))


def chances_from(m: Masses, masses: FloatArray, otherwise: FloatArray) -> FloatArray:
    """Chances of the positive outcome from masses of both, computed from the smaller of the two."""
    people = np.where(m.people > 0, m.people, 1.0)
    small = m.spread(np.greater(m.sums(masses[:, 1]), m.sums(masses[:, 0])))
    chance = np.where(small, 1.0 - masses[:, 0] / people, masses[:, 1] / people)
    return np.asarray(np.where(m.people > 0, chance, otherwise))


@dataclass(frozen=True, eq=False)
class _Side:
    m: Masses
    true: FloatArray
    low: FloatArray
    high: FloatArray
    s: FloatArray
    q: FloatArray
    beta: FloatArray

    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Totals of the first outcome for which an announcement exists."""
        floor = self.m.tops(self.low) / self.beta[:, None]
        u_low, v_low = floor[:, 0], floor[:, 1]
        u_high = self._largest(np.maximum(self.s - v_low, u_low), u_low, self.high[:, 0])
        v_high = self._largest(np.maximum(self.s - u_low, v_low), v_low, self.high[:, 1])
        start = np.minimum(np.maximum(u_low, self.s - v_high), u_high)
        return start, np.maximum(np.minimum(u_high, self.s - v_low), start)

    def _largest(self, start: FloatArray, least: FloatArray, high: FloatArray) -> FloatArray:
        u = start.copy()
        active = np.ones(u.size, dtype=bool)
        while active.any():
            cap = self.m.spread(self.beta * u)
            over = high > cap
            n = self.m.sums(over)
            below = self.m.sums(np.where(over, 0.0, high))
            slope = 1.0 - n * self.beta
            active &= (below + n * self.beta * u < u * (1.0 - 1e-15)) & (slope > 0)
            step = np.divide(below, slope, out=u.copy(), where=active)
            ended = (step <= least) | (step >= u)
            u = np.where(active, np.clip(step, least, u), u)
            active &= ~ended
        return u

    def _ends(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest mass of every row when the first outcome's total is u."""
        top = np.minimum(self.high[:, 0], self.m.spread(self.beta * u))
        that = np.minimum(self.high[:, 1], self.m.spread(self.beta * (self.s - u)))
        return np.minimum(np.maximum(self.low[:, 0], self.m.people - that), top), top

    def cost(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Least sum of changes at total u, and its slope to the right."""
        cap, cap_that = self.m.spread(self.beta * u), self.m.spread(self.beta * (self.s - u))
        down = self.true[:, 0] - np.minimum(self.high[:, 0], cap)
        up = self.true[:, 1] - np.minimum(self.high[:, 1], cap_that)
        n_down = self.m.sums((down > 0) & (self.high[:, 0] > cap))
        n_up = self.m.sums((up >= 0) & (self.high[:, 1] >= cap_that))
        c1 = u - self.q + 2 * self.m.sums(np.maximum(down, 0))
        c2 = self.q - u + 2 * self.m.sums(np.maximum(up, 0))
        s1, s2 = 1 - 2 * self.beta * n_down, -1 + 2 * self.beta * n_up
        return np.maximum(c1, c2), np.where(c1 > c2, s1, np.where(c2 > c1, s2, np.maximum(s1, s2)))

    def nearest_l1(self, start: FloatArray, stop: FloatArray) -> FloatArray:
        """Totals of least cost, cut by tangents from both ends; among equals the one nearest the true total."""
        at = np.clip(self.q, start, stop)
        value, slope = self.cost(at)
        done = np.abs(value - np.abs(at - self.q)) <= 1e-15 * self.s
        if done.all():
            return at
        rising = slope >= 0
        left, right = np.where(rising, start, at), np.where(rising, at, stop)
        (lv, ls), (rv, rs) = self.cost(left), self.cost(right)
        best = np.where(rising, at, np.where(lv <= rv, left, right))
        flat = rising & (ls >= 0)
        best = np.where(flat & (lv < rv - 1e-15 * self.s), left, best)
        done |= flat
        falls = ~rising & (rs <= 0)
        whole_way = falls & (left + np.divide(rv - lv, ls, out=np.zeros_like(lv), where=ls < 0) >= right * (1 - 1e-14))
        best = np.where(whole_way & ~done, right, best)
        done |= whole_way
        for _ in range(200):
            turn = rs - ls
            done |= turn <= 0
            if done.all():
                break
            with np.errstate(all="ignore"):
                point = (lv - rv + rs * right - ls * left) / turn
            inside = (point > left) & (point < right) & (right - left > 1e-16 * self.s)
            best = np.where(done | inside, best, np.where(lv <= rv, left, right))
            done |= ~inside
            point = np.where(done, at, point)
            value, slope = self.cost(point)
            met = ~done & (value <= lv + ls * (point - left) + 1e-16 * self.s)
            best = np.where(met, point, best)
            done |= met
            to_left = ~done & (slope < 0)
            left, lv, ls = np.where(to_left, point, left), np.where(to_left, value, lv), np.where(to_left, slope, ls)
            to_right = ~done & (slope >= 0)
            right, rv, rs = (
                np.where(to_right, point, right),
                np.where(to_right, value, rv),
                np.where(to_right, slope, rs),
            )
            best = np.where(done, best, np.where(lv <= rv, left, right))
        return best

    def shift(self, u: FloatArray) -> FloatArray:
        """The common shift of all chances that gives the total u (water-filling)."""
        bottom, top = self._ends(u)
        low, high = -np.ones(u.size), np.ones(u.size)
        for _ in range(60):
            middle = (low + high) / 2
            moved = np.clip(self.true[:, 0] + self.m.spread(middle) * self.m.people, bottom, top)
            below = self.m.sums(moved) < u
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return (low + high) / 2

    def nearest_l2(self, start: FloatArray, stop: FloatArray) -> FloatArray:
        """Totals of least squared change: bisection on the derivative, which the multipliers give."""
        low, high = start.copy(), stop.copy()
        people = np.where(self.m.people > 0, self.m.people, 1.0)
        for _ in range(60):
            u = (low + high) / 2
            shift = self.shift(u)
            bottom, top = self._ends(u)
            wanted = self.true[:, 0] + self.m.spread(shift) * self.m.people
            over = np.where((top < self.high[:, 0]) & (wanted > top), (wanted - top) / people, 0.0)
            under = np.where((bottom > self.low[:, 0]) & (wanted < bottom), (bottom - wanted) / people, 0.0)
            slope = shift - self.beta * self.m.sums(over) + self.beta * self.m.sums(under)
            low, high = np.where(slope < 0, u, low), np.where(slope < 0, high, u)
        return (low + high) / 2

    def fill(self, u: FloatArray, shift: FloatArray | float) -> FloatArray:
        """Masses that add up to u, as near the true ones (shifted) as the bounds allow; what is left is spread."""
        bottom, top = self._ends(u)
        base = self.true[:, 0]
        if not isinstance(shift, float):
            base = base + self.m.spread(shift) * self.m.people
        x = np.clip(base, bottom, top)
        gap = u - self.m.sums(x)
        up, down = self.m.sums(top - x), self.m.sums(x - bottom)
        rise = np.divide(np.maximum(gap, 0), up, out=np.zeros_like(gap), where=up > 0)
        fall = np.divide(np.maximum(-gap, 0), down, out=np.zeros_like(gap), where=down > 0)
        rise, fall = self.m.spread(np.minimum(rise, 1.0)), self.m.spread(np.minimum(fall, 1.0))
        return np.asarray(x + rise * (top - x) - fall * (x - bottom))


def confidences(m: Masses, masses: FloatArray) -> FloatArray:
    """The largest share of one row in an outcome, for each group; masses (n, outcomes), 0/0 counts as 0."""
    total, top = m.sums(masses), m.tops(masses)
    return np.asarray(np.divide(top, total, out=np.zeros_like(total), where=total > 0).max(axis=1))
