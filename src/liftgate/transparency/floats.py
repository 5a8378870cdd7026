"""The announcement of all groups in floats: whole arrays for small tables, compiled loops for large ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.transparency.boxes import Box, Fidelity
from liftgate.transparency.grouping import FloatArray, IntArray
from liftgate.transparency.rules import DecisionRules, both
from liftgate.transparency.vectors import TERMS, Masses, announce_masses, chances_from, confidences, least_confidence

COMPILED_ROWS = 20_000
AIMS = 16


@dataclass(frozen=True, eq=False)
class Floats:
    """Announced rules, the confidence they reach, the least confidence of the box, and the condition that binds."""

    rules: FloatArray
    confidence: FloatArray
    least: FloatArray
    terms: IntArray

    @property
    def chances(self) -> FloatArray:
        """Chances of every outcome, (n, outcomes)."""
        return both(self.rules)

    @property
    def binding(self) -> Any:
        """The condition that binds in each group, in words."""
        return Binding(self.terms)


class Binding(tuple):  # type: ignore[type-arg]
    """Names of conditions, one for each group, made when they are read."""

    def __new__(cls, terms: IntArray) -> Binding:
        """Names for the numbers of terms."""
        return super().__new__(cls, (TERMS[t] for t in terms) if terms.size <= COMPILED_ROWS else ())


def solve(
    rules: DecisionRules, fidelity: Fidelity, target: Fraction | None, distance: str, digits: int | None
) -> Floats:
    """The announcement of every group in floats; for more than two outcomes only the real rule cut to its box."""
    if not rules.two_outcomes:
        low, high = fidelity.box(rules)
        nothing = np.zeros(rules.groups.size)
        return Floats(np.clip(rules.chances, low, high), nothing, nothing, np.zeros(rules.groups.size, np.int64))
    compiled = rules.size > COMPILED_ROWS and distance == "l1" and rules.blocks is None

    def at(aim: Fraction | None) -> Floats:
        return _compiled(rules, fidelity, aim) if compiled else _in_arrays(rules, fidelity, aim, distance)

    found = at(target)
    if digits is None:
        return found
    best = _rounded(rules, fidelity, found, digits)
    if target is None:
        return best
    for lower in lower_targets(target, Fraction(float(found.least.min()))):
        missed = best.confidence > float(target) * (1 + 1e-12)
        if not missed.any():
            break
        other = _rounded(rules, fidelity, at(lower), digits)
        better = missed & (other.confidence < best.confidence)
        rows = better[rules.groups.codes()]
        shown = np.where(rows if best.rules.ndim == 1 else rows[:, None], other.rules, best.rules)
        best = Floats(shown, np.where(better, other.confidence, best.confidence), best.least, best.terms)
    return best


def _rounded(rules: DecisionRules, fidelity: Fidelity, found: Floats, digits: int) -> Floats:
    announced = rounded_inside(found.rules, fidelity, rules, digits)
    return Floats(announced, group_confidences(rules, both(announced)), found.least, found.terms)


def lower_targets(target: Fraction, floor: Fraction) -> list[Fraction]:
    """Targets to aim at where rounding breaks the one that was asked for, down to the floor."""
    return [target - (target - floor) * step / AIMS for step in range(1, AIMS + 1)] if floor < target else []


def _compiled(rules: DecisionRules, fidelity: Fidelity, target: Fraction | None) -> Floats:
    from liftgate.transparency import kernels

    groups = rules.groups
    n, size = rules.size, groups.size
    empty = np.zeros(1)
    mode, parameter, low, high = kernels.DELTA, 1.0, empty, empty
    if fidelity.kind == "delta":
        assert fidelity.value is not None
        parameter = float(1 - fidelity.value)
    elif fidelity.kind == "alpha":
        assert fidelity.value is not None
        mode, parameter = kernels.ALPHA, float(fidelity.value)
    elif fidelity.kind == "bounds":
        assert fidelity.lower is not None
        assert fidelity.upper is not None
        mode = kernels.GIVEN
        low, high = (groups.gather(v.astype(np.float64)) for v in (fidelity.lower, fidelity.upper))
    announced, least = np.empty(n), np.empty(size)
    terms, reached = np.empty(size, np.int64), np.empty(size)
    positive = rules.rule if rules.rule.ndim == 1 else np.ascontiguousarray(rules.rule[:, 1])
    kernels.solve(
        mode,
        parameter,
        groups.gather(rules.mass),
        groups.gather(positive),
        low,
        high,
        groups.starts,
        0.0 if target is None else float(target),
        announced,
        least,
        terms,
        reached,
    )
    shaped = groups.scatter(announced)
    return Floats(shaped if rules.rule.ndim == 1 else both(shaped), reached, least, terms)


def _in_arrays(rules: DecisionRules, fidelity: Fidelity, target: Fraction | None, distance: str) -> Floats:
    m, by_row, (low, high) = box_masses(rules, fidelity)
    groups, block_of = rules.groups, _blocks(rules)
    least, terms = least_confidence(m)
    beta = least if target is None else np.maximum(least, float(target))
    masses = announce_masses(m, beta, distance)
    if block_of is not None:
        masses = _apart(by_row, masses, block_of)
    chance = groups.scatter(chances_from(by_row, masses, groups.gather(np.clip(rules.chances, low, high)[:, 1])))
    chance = np.clip(chance, low[:, 1], high[:, 1])
    reached = group_confidences(rules, both(chance))
    return Floats(chance if rules.rule.ndim == 1 else both(chance), reached, least, terms)


def box_masses(rules: DecisionRules, fidelity: Fidelity) -> tuple[Masses, Masses, Box]:
    """Allowed masses by block and by row (rows put together by group), and the box of chances they come from."""
    low, high = fidelity.box(rules)
    groups, weight = rules.groups, rules.mass[:, None]
    true, lows, highs = (groups.gather(v * weight) for v in (np.clip(rules.chances, low, high), low, high))
    by_row = Masses(groups.gather(rules.mass), true, lows, highs, groups.starts)
    block_of = _blocks(rules)
    return (by_row if block_of is None else _merged(by_row, block_of, groups)), by_row, (low, high)


def _blocks(rules: DecisionRules) -> IntArray | None:
    """The number of the block of every row, rows put together by group."""
    return None if rules.blocks is None else np.asarray(rules.groups.gather(rules.blocks))


def _merged(m: Masses, block_of: IntArray, groups: Any) -> Masses:
    size = int(block_of.max()) + 1

    def add(values: NDArray[Any]) -> FloatArray:
        if values.ndim == 1:
            return np.asarray(np.bincount(block_of, values, size), dtype=np.float64)
        return np.stack([np.bincount(block_of, values[:, a], size) for a in range(values.shape[1])], axis=1)

    group_of = np.empty(size, dtype=np.int64)
    group_of[block_of] = np.repeat(np.arange(groups.size), np.diff(groups.starts))
    starts = np.searchsorted(group_of, np.arange(groups.size + 1))
    return Masses(add(m.people), add(m.true), add(m.low), add(m.high), starts.astype(np.int64))


def _apart(m: Masses, masses: FloatArray, block_of: IntArray) -> FloatArray:
    """Masses of rows from masses of blocks: every row moves the same part of its room."""
    size = masses.shape[0]
    true, low, high = m.true[:, 1], m.low[:, 1], m.high[:, 1]
    gap = masses[:, 1] - np.bincount(block_of, true, size)
    up = np.bincount(block_of, high - true, size)
    down = np.bincount(block_of, true - low, size)
    rise = np.divide(np.maximum(gap, 0), up, out=np.zeros_like(gap), where=up > 0)
    fall = np.divide(np.maximum(-gap, 0), down, out=np.zeros_like(gap), where=down > 0)
    positive = true + np.minimum(rise, 1)[block_of] * (high - true) - np.minimum(fall, 1)[block_of] * (true - low)
    return np.stack([m.people - positive, positive], axis=1)


def group_confidences(rules: DecisionRules, chances: FloatArray) -> FloatArray:
    """The largest share of one private value in an outcome, for each group; an outcome that never happens counts 0."""
    masses = rules.groups.gather(chances * rules.mass[:, None])
    people = rules.groups.gather(rules.mass)
    m = Masses(people, masses, masses, masses, rules.groups.starts)
    block_of = _blocks(rules)
    m = m if block_of is None else _merged(m, block_of, rules.groups)
    return confidences(m, m.true)


def group_floors(rules: DecisionRules) -> FloatArray:
    """The largest share of one private value in each group: no announcement tells less (ATR Lemma 5)."""
    people = rules.groups.gather(rules.mass)
    m = Masses(people, people[:, None], people[:, None], people[:, None], rules.groups.starts)
    block_of = _blocks(rules)
    m = m if block_of is None else _merged(m, block_of, rules.groups)
    return m.tops(m.people) / m.sums(m.people)


def rounded_inside(announced: FloatArray, fidelity: Fidelity, rules: DecisionRules, digits: int) -> FloatArray:
    """Rules with so many decimals, inside their box where such a number exists (two outcomes)."""
    positive = announced if announced.ndim == 1 else announced[:, 1]
    low, high = (side[:, 1] for side in fidelity.box(rules))
    unit = 10.0**digits
    near = np.round(positive * unit)
    down, up = np.floor(high * unit + 1e-9), np.ceil(low * unit - 1e-9)
    near = np.where((near > down) & (down >= up), down, np.where((near < up) & (up <= down), up, near)) / unit
    return near if announced.ndim == 1 else both(near)
