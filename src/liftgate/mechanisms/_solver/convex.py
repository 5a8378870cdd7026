"""Convex budgets ``sum_s P(s) phi(lift_s) <= C`` and their piecewise linear bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Convex:
    """One convex budget: ``l1`` ``|l - 1|``, ``chi2`` ``(l - 1)^2``, ``alpha`` ``l^order``, ``alpha-inverse`` ``l^-order``.

    ``limit`` is the bound on ``sum_s P(s) phi(l_s)`` itself (for alpha: the bound on the measure to the power ``order``).
    """

    kind: str
    limit: float
    order: float = 1.0

    def phi(self, lift: Floats) -> Floats:
        """The function of one lift."""
        if self.kind == "l1":
            return np.abs(lift - 1.0)
        if self.kind == "chi2":
            return np.asarray((lift - 1.0) ** 2)
        power = self.order if self.kind == "alpha" else -self.order
        with np.errstate(divide="ignore"):
            return np.asarray(np.power(lift, power))

    def slope(self, lift: Floats) -> Floats:
        """Its derivative (l1: the sign)."""
        if self.kind == "l1":
            return np.sign(lift - 1.0)
        if self.kind == "chi2":
            return 2.0 * (lift - 1.0)
        power = self.order if self.kind == "alpha" else -self.order
        return np.asarray(power * np.power(lift, power - 1.0))

    def range(self, prior: float) -> tuple[float, float]:
        """The lifts one value of this prior can have inside the budget."""
        if self.kind == "l1":
            # the parts above and below one weigh the same: P(s) |l_s - 1| <= C / 2
            return max(0.0, 1.0 - self.limit / 2 / prior), min(1.0 / prior, 1.0 + self.limit / 2 / prior)
        if self.kind == "chi2":
            # P(s) (l - 1)^2 + (1 - P(s)) (rest)^2 <= C with the rest balancing
            reach = math.sqrt(self.limit * (1.0 - prior) / prior)
            return max(0.0, 1.0 - reach), min(1.0 / prior, 1.0 + reach)
        root = (self.limit / prior) ** (1.0 / self.order)
        if self.kind == "alpha":
            return 0.0, min(1.0 / prior, max(root, 1.0))
        return min(1.0 / root, 1.0), 1.0 / prior


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Kinks of one lift, the value of every budget's function at the first kink, and its slopes between kinks."""

    kinks: Floats
    start: tuple[float, ...]
    slopes: tuple[Floats, ...]


def breakpoints(budget: Convex, low: float, top: float, count: int) -> Floats:
    """Points of tangency in equal steps of the integral of ``sqrt(phi'')``, and one."""
    if budget.kind == "l1" or top - low < 1e-12:
        return np.array([1.0])
    if budget.kind == "chi2":
        points = np.linspace(low, top, count)
    else:
        half = (budget.order if budget.kind == "alpha" else -budget.order) / 2.0
        floor = max(low, 1e-3 * top)
        # sqrt(phi'') ~ l^(half - 1), whose integral is l^half
        ends = np.array([floor, top]) ** half
        points = np.linspace(ends[0], ends[1], count) ** (1.0 / half)
        points = np.clip(points, floor, top)
    return np.unique(np.append(points, 1.0))


def tangents(budgets: Sequence[Convex], prior: float, points: Floats, wide: bool = False) -> Pieces:
    """Outer pieces: the largest tangent of every budget's function at its points, on the common range of the lift.

    ``wide``: on every lift there is, so that no multiplier can lean on the ends of the range.
    """
    ranges = [b.range(prior) for b in budgets]
    low = 0.0 if wide else max(r[0] for r in ranges)
    top = 2.0 / prior + 1.0 if wide else min(r[1] for r in ranges)
    lines: list[tuple[Floats, Floats]] = []
    kinks = [np.array([low, top])]
    for budget in budgets:
        if budget.kind == "l1":
            slopes = np.array([-1.0, 1.0])
            offsets = np.array([1.0, -1.0])
        else:
            g = np.unique(points[points > 0])
            slopes = np.asarray(budget.slope(g))
            offsets = np.asarray(budget.phi(g)) - slopes * g
            keep = np.append(True, np.diff(slopes) > 1e-9 * (1.0 + np.abs(slopes[1:])))
            slopes, offsets = slopes[keep], offsets[keep]
        lines.append((slopes, offsets))
        if len(slopes) > 1:
            kinks.append(-np.diff(offsets) / np.diff(slopes))
    every = np.unique(np.clip(np.concatenate(kinks), low, top))
    keep = np.append(True, np.diff(every) > 1e-11)
    keep[-1] = True
    every = every[keep]
    if len(every) > 2 and every[-1] - every[-2] <= 1e-11:
        every = np.delete(every, -2)
    middle = (every[1:] + every[:-1]) / 2
    start, pieces = [], []
    for slopes, offsets in lines:
        which = np.argmax(slopes[:, None] * middle[None, :] + offsets[:, None], axis=0)
        start.append(float(np.max(slopes * every[0] + offsets)))
        pieces.append(slopes[which])
    return Pieces(every, tuple(start), tuple(pieces))


def chords(budgets: Sequence[Convex], prior: float, points: Floats) -> Pieces:
    """Inner pieces: the chord of every budget's function between neighbouring points of the common range of the lift."""
    ranges = [b.range(prior) for b in budgets]
    low = max(r[0] for r in ranges)
    top = min(r[1] for r in ranges)
    every = np.unique(np.concatenate([np.clip(points, low, top), [low, top, np.clip(1.0, low, top)]]))
    keep = np.append(True, np.diff(every) > 1e-11)
    every = every[keep]
    if len(every) < 2:
        every = np.array([low, top]) if top > low else np.array([low, low + 1e-9])
    values = [np.asarray(b.phi(every)) for b in budgets]
    return Pieces(
        every,
        tuple(float(v[0]) for v in values),
        tuple(np.diff(v) / np.diff(every) for v in values),
    )
