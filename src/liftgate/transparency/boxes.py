"""How far an announced rule may be from the true one: fidelity as an interval for every chance (ATR Defs. 5 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError, UsageError
from liftgate.exact import fraction
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.rules import DecisionRules, both, numbers

Box = tuple[FloatArray, FloatArray]
SLIP = Fraction(1, 10**9)


@dataclass(frozen=True, eq=False)
class Fidelity:
    """The intervals that were asked for: ``delta`` (add at most 1 - delta), ``alpha`` (factor), ``bounds`` or ``free``.

    delta: |announced - true| <= 1 - delta; alpha: alpha <= announced / true <= 1 / alpha, for every outcome; no alpha
    above 0 moves a rule of 0 or 1 (E77).
    """

    kind: str
    value: Fraction | None = None
    lower: NDArray[Any] | None = None
    upper: NDArray[Any] | None = None

    @property
    def words(self) -> str:
        """The fidelity in one short phrase."""
        if self.kind == "delta":
            assert self.value is not None
            return f"every rate within {float(1 - self.value):.6g} of the real one"
        if self.kind == "alpha":
            assert self.value is not None
            return f"every rate between {float(self.value):.6g} and {float(1 / self.value):.6g} times the real one"
        return "every rate inside the bounds given" if self.kind == "bounds" else "any rate"

    def box(self, rules: DecisionRules) -> Box:
        """Lowest and highest announced chance of every outcome, (n, outcomes) each, tightened so that rows add up."""
        chances = rules.chances
        if self.kind == "free":
            return np.zeros_like(chances), np.ones_like(chances)
        if self.kind == "delta":
            assert self.value is not None
            room = float(1 - self.value)
            return tightened(np.maximum(chances - room, 0.0), np.minimum(chances + room, 1.0))
        if self.kind == "alpha":
            assert self.value is not None
            factor = float(self.value)
            return tightened(chances * factor, np.minimum(chances / factor, 1.0))
        assert self.lower is not None
        assert self.upper is not None
        low, high = self.lower.astype(np.float64), self.upper.astype(np.float64)
        if rules.two_outcomes:
            return np.stack([1 - high, low], axis=1), np.stack([1 - low, high], axis=1)
        return tightened(low, high)

    def exact_row(self, rules: DecisionRules, row: int) -> tuple[list[Fraction], list[Fraction]]:
        """The interval of every outcome of one row, as fractions."""
        size = len(rules.outcomes)
        if self.kind == "free":
            return [Fraction(0)] * size, [Fraction(1)] * size
        if self.kind == "bounds":
            assert self.lower is not None
            assert self.upper is not None
            if size == 2:
                low, high = fraction(self.lower[row]), fraction(self.upper[row])
                return [1 - high, low], [1 - low, high]
            lows = [fraction(v) for v in self.lower[row]]
            highs = [fraction(v) for v in self.upper[row]]
            all_low, all_high = sum(lows), sum(highs)
            if 1 < all_low <= 1 + SLIP:  # floats that add up to 1 only as floats, as rules may
                lows = [v / all_low for v in lows]
            if 1 - SLIP <= all_high < 1:
                highs = [v / all_high for v in highs]
            return exactly_tightened(lows, [max(a, b) for a, b in zip(lows, highs, strict=True)])
        assert self.value is not None
        chances = rules.exact_rule(row)
        if self.kind == "delta":
            room = 1 - self.value
            lows = [max(c - room, Fraction(0)) for c in chances]
            highs = [min(c + room, Fraction(1)) for c in chances]
        else:
            lows = [c * self.value for c in chances]
            highs = [min(c / self.value, Fraction(1)) for c in chances]
        return exactly_tightened(lows, highs)


def asked(rules: DecisionRules, delta: Any = None, alpha: Any = None, bounds: Any = None) -> Fidelity:
    """The fidelity that was asked for; none at all leaves every announced rate free."""
    named = [name for name, v in (("delta", delta), ("alpha", alpha), ("bounds", bounds)) if v is not None]
    if len(named) > 1:
        raise UsageError("fidelity", f"both {named[0]} and {named[1]} were given", "give one of them")
    if bounds is not None:
        return _bounds(rules, bounds)
    if not named:
        return Fidelity("free")
    name, given = named[0], delta if delta is not None else alpha
    if np.ndim(given) == 0:
        value = fraction(given.item() if isinstance(given, np.generic) else given, name)
        if not 0 < value <= 1:
            raise UsageError(
                name, f"{given} is not above 0 and at most 1", "give a fidelity such as 0.9, or bounds=(0, 1) for none"
            )
        return Fidelity(name, value)
    values = np.array([fraction(v, name) for v in np.asarray(given).ravel()], dtype=object)
    if values.size != rules.size:
        raise DataError(name, f"{values.size} numbers for {rules.size} rows", "give one fidelity, or one for each row")
    if not all(0 < v <= 1 for v in values):
        raise UsageError(name, "a fidelity is not above 0 and at most 1", "give fidelities such as 0.9")
    rows = [Fidelity(name, v).exact_row(rules, i) for i, v in enumerate(values)]
    low, high = (np.array([r[side] for r in rows], dtype=object) for side in (0, 1))
    return (
        Fidelity("bounds", None, low[:, 1], high[:, 1]) if rules.two_outcomes else Fidelity("bounds", None, low, high)
    )


def _bounds(rules: DecisionRules, bounds: Any) -> Fidelity:
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise UsageError("bounds", "not a pair", "give bounds=(lower, upper)")
    shape = (rules.size,) if rules.two_outcomes else (rules.size, len(rules.outcomes))
    sides = []
    for name, side in zip(("lower bounds", "upper bounds"), bounds, strict=True):
        exact, floats = numbers([side] if np.ndim(side) == 0 else side, name, 2)
        if exact.ndim == 2 and rules.two_outcomes:
            raise UsageError(name, "two columns", "give bounds on the positive outcome only")
        if np.ndim(side) == 0:
            exact, floats = np.broadcast_to(exact[0], shape), np.broadcast_to(floats[0], shape)
        elif exact.ndim == 1 and len(shape) == 2:
            exact, floats = np.broadcast_to(exact[:, None], shape), np.broadcast_to(floats[:, None], shape)
        if exact.shape != shape:
            raise DataError(name, f"shape {exact.shape} for rules of shape {shape}", "give one bound for each rule")
        if not (floats.min() >= 0 and floats.max() <= 1):
            raise DataError(name, "not between 0 and 1", "give chances")
        sides.append(exact)
    low, high = sides
    if (low > high).any():
        i = int(np.argwhere(low > high)[0][0])
        raise UsageError(f"bounds, row {i}", "the lower bound is above the upper one", "no rule fits: widen the bounds")
    if low.ndim == 2:
        for side, wrong in ((low, low.astype(float).sum(1) > 1 + 1e-12), (high, high.astype(float).sum(1) < 1 - 1e-12)):
            if wrong.any():
                i = int(np.flatnonzero(wrong)[0])
                total = float(side[i].astype(float).sum())
                raise UsageError(f"bounds, row {i}", f"they add up to {total:.6g}", "no rule fits: widen the bounds")
    return Fidelity("bounds", None, low, high)


def rounding_slack(digits: int | None, outcomes: int) -> Fraction:
    """How far rounding may move a rate: half a unit for two outcomes; several are cut and topped up, by a whole unit."""
    if digits is None:
        return Fraction(0)
    return Fraction(1, (2 if outcomes == 2 else 1) * 10**digits)


def tightened(low: FloatArray, high: FloatArray) -> Box:
    """Intervals of chances that add up to 1, cut to what the other outcomes leave (needed for alpha-fidelity: E75)."""
    left = np.maximum(low, 1.0 - (high.sum(axis=1, keepdims=True) - high))
    right = np.minimum(high, 1.0 - (low.sum(axis=1, keepdims=True) - low))
    return np.clip(left, 0.0, 1.0), np.clip(np.maximum(left, right), 0.0, 1.0)


def exactly_tightened(low: list[Fraction], high: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """The same for one row in fractions; an empty interval means that no rule fits."""
    all_low, all_high = sum(low), sum(high)
    left = [max(a, 1 - (all_high - b)) for a, b in zip(low, high, strict=True)]
    right = [min(b, 1 - (all_low - a)) for a, b in zip(low, high, strict=True)]
    if all_low > 1 or all_high < 1:
        raise UsageError("bounds", "no rule of a row fits", "widen the bounds")
    return left, right


def inside(rule: FloatArray, box: Box) -> FloatArray:
    """The rule cut to its box, (n, outcomes)."""
    return np.clip(both(rule), box[0], box[1])
