"""One group of an announcement in fractions: its box, the announced rules, the confidence reached and its proof."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from liftgate.transparency.boxes import Fidelity, exactly_tightened
from liftgate.transparency.floats import lower_targets
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.multi import least_changed, merged_bound, solve_group
from liftgate.transparency.proofs import ZERO, Bound, Dual, confidence, proven_floor, reach, two_outcome_bound
from liftgate.transparency.rules import DecisionRules

SNAP = 1e-12
_SIMPLE = 10**6
_FINE = 10**12
Chances = list[list[Fraction]]


@dataclass(frozen=True)
class ExactGroup:
    """What is announced for one group, and what is proven of it: ``floor`` <= every other rule, ``beta`` reached.

    ``members`` are the rows behind each block (one row each, unless only one private attribute is sensitive);
    masses, boxes and announced masses are by block and outcome; ``rows`` and ``chances`` by row.
    """

    members: list[list[int]]
    people: list[Fraction]
    low: Chances
    high: Chances
    announced: Chances
    beta: Fraction
    floor: Fraction
    dual: Dual
    binding: str
    rows: list[int]
    chances: Chances


def simple(value: float) -> Fraction:
    """The plain fraction that a float stands for: one with a small denominator where there is one, else 12 decimals.

    >>> simple(0.1 + 0.2), simple(2 / 3)
    (Fraction(3, 10), Fraction(2, 3))
    """
    near = Fraction(value).limit_denominator(_SIMPLE)
    return near if abs(float(near) - value) <= SNAP else Fraction(round(value * _FINE), _FINE)


def exact_group(
    rules: DecisionRules,
    fidelity: Fidelity,
    group: int,
    aim: FloatArray,
    target: Fraction | None,
    digits: int | None,
    distance: str = "l1",
) -> ExactGroup:
    """The announcement of one group exactly, next to the chances (rows of the group x outcomes) found in floats.

    Rounding may lift the confidence above a target; then a lower one is aimed at, until the rounded rules keep it.
    """
    found = _at_target(rules, fidelity, group, aim, target, digits, distance)
    if target is None or digits is None or found.beta <= target:
        return found
    tried = [found]
    for lower in lower_targets(target, found.floor):
        tried.append(_at_target(rules, fidelity, group, aim, lower, digits, distance))
        if tried[-1].beta <= target:
            return tried[-1]
    return min(tried, key=lambda g: g.beta)


def _at_target(
    rules: DecisionRules,
    fidelity: Fidelity,
    group: int,
    aim: FloatArray,
    target: Fraction | None,
    digits: int | None,
    distance: str,
) -> ExactGroup:
    rows = [int(i) for i in rules.groups.rows_of(group)]
    people, chances = rules.exact_rows(group)
    boxes = [fidelity.exact_row(rules, i) for i in rows]
    low = [[p * v for v in box[0]] for p, box in zip(people, boxes, strict=True)]
    high = [[p * v for v in box[1]] for p, box in zip(people, boxes, strict=True)]
    true = [[p * c for c in row] for p, row in zip(people, chances, strict=True)]
    members = members_of(rules, rows)
    block_people = [sum((people[i] for i in block), ZERO) for block in members]
    block_low, block_high = added(low, members), added(high, members)
    size = len(rules.outcomes)
    if size == 2:
        bound = two_outcome_bound(block_people, block_low, block_high)
        beta = bound.beta if target is None else max(bound.beta, target)
        wanted = [sum((people[i] * simple(float(aim[i, 1])) for i in block), ZERO) for block in members]
        positive = reach(block_people, block_low, block_high, beta, wanted)
        announced = [[p - x, x] for p, x in zip(block_people, positive, strict=True)]
        by_row = spread(announced, members, people, low, high, true)
    else:
        bound = merged_bound(block_people, block_low, block_high)
        by_row, bound = _several(
            (people, low, high, true), (block_people, block_low, block_high), members, bound, target, distance
        )
        announced = added(by_row, members)
    floor, dual, binding = bound.beta, bound.dual, bound.binding
    announced_chances = [
        [v / p for v in row] if p else within(chance, box)
        for p, row, chance, box in zip(people, by_row, chances, boxes, strict=True)
    ]
    if digits is not None:
        announced_chances = [rounded(row, box, digits) for row, box in zip(announced_chances, boxes, strict=True)]
        wide = [widened(box, row) for box, row in zip(boxes, announced_chances, strict=True)]
        block_low = added([[p * v for v in box[0]] for p, box in zip(people, wide, strict=True)], members)
        block_high = added([[p * v for v in box[1]] for p, box in zip(people, wide, strict=True)], members)
        masses = [[p * c for c in row] for p, row in zip(people, announced_chances, strict=True)]
        announced = added(masses, members)
        if wide != boxes:
            floor, dual, binding = best_bound(block_people, block_low, block_high)
    return ExactGroup(
        [[rows[i] for i in block] for block in members],
        block_people,
        block_low,
        block_high,
        announced,
        confidence(announced),
        floor,
        dual,
        binding,
        rows,
        announced_chances,
    )


def best_bound(people: list[Fraction], low: Chances, high: Chances) -> tuple[Fraction, Dual, str]:
    """The proven lower bound of a box: the four-term rule, or the bound from merged outcomes."""
    bound = two_outcome_bound(people, low, high) if len(low[0]) == 2 else merged_bound(people, low, high)
    return bound.beta, bound.dual, bound.binding


Box = tuple[list[Fraction], Chances, Chances]


def _several(
    rows: tuple[list[Fraction], Chances, Chances, Chances],
    blocks: Box,
    members: list[list[int]],
    bound: Bound,
    target: Fraction | None,
    distance: str,
) -> tuple[Chances, Bound]:
    """Masses of every row for more than two outcomes, and the best bound that is proven (over the boxes of blocks)."""
    people, low, high, true = rows
    p, lows, highs, masses = (np.array(v, dtype=np.float64) for v in rows)
    solved = solve_group(p, lows, highs, float(bound.beta), members)
    if solved.dual:
        upper = Fraction(solved.beta) * (1 + Fraction(1, 10**6))
        proven = proven_floor(*blocks, solved.dual, upper)
        if proven > bound.beta:
            bound = Bound(proven, solved.dual, "linear program")
    beta = solved.beta if target is None else max(float(target), solved.beta)
    nearest = None
    for slack in (0.0, 1e-12, 1e-11, 1e-10, 1e-9):
        nearest = least_changed(p, lows, highs, masses, beta * (1 + slack), distance == "l2", members)
        if nearest is not None:
            break
    candidates = [true, _exact_masses(solved.masses, people, low, high)]
    if nearest is not None:
        candidates.append(_exact_masses(nearest, people, low, high))
    allowed = max(Fraction(beta), bound.beta) * (1 + Fraction(1, 10**9))
    fitting = [c for c in candidates if _inside(c, low, high) and confidence(added(c, members)) <= allowed]
    return min(fitting or candidates[1:2], key=lambda c: _change(c, true)), bound


def _inside(masses: Chances, low: Chances, high: Chances) -> bool:
    return all(
        a <= v <= b
        for row, lows, highs in zip(masses, low, high, strict=True)
        for v, a, b in zip(row, lows, highs, strict=True)
    )


def _change(masses: Chances, true: Chances) -> Fraction:
    return sum(
        (abs(a - b) for row, other in zip(masses, true, strict=True) for a, b in zip(row, other, strict=True)), ZERO
    )


def _exact_masses(masses: FloatArray, people: list[Fraction], low: Chances, high: Chances) -> Chances:
    """Floats as chances that add up exactly inside their box."""
    out = []
    for row, p, lows, highs in zip(masses, people, low, high, strict=True):
        if p == 0:
            out.append([ZERO] * len(row))
            continue
        values = [min(max(simple(float(v) / float(p)) * p, a), b) for v, a, b in zip(row, lows, highs, strict=True)]
        out.append(topped_up(values, lows, highs, p))
    return out


def topped_up(values: list[Fraction], low: list[Fraction], high: list[Fraction], total: Fraction) -> list[Fraction]:
    """Values moved inside their box, each by the same part of its room, until they add up; zeros move last."""
    gap = total - sum(values, ZERO)
    if gap == 0:
        return values
    ends = high if gap > 0 else low
    moved = [e if v else v for v, e in zip(values, ends, strict=True)]
    if abs(sum(moved, ZERO) - sum(values, ZERO)) >= abs(gap):
        ends = moved
    room = sum((abs(e - v) for e, v in zip(ends, values, strict=True)), ZERO)
    return [v + (e - v) * abs(gap) / room for v, e in zip(values, ends, strict=True)]


def members_of(rules: DecisionRules, rows: list[int]) -> list[list[int]]:
    """Positions (within the group) of the rows of each block."""
    if rules.blocks is None:
        return [[i] for i in range(len(rows))]
    blocks: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        blocks.setdefault(int(rules.blocks[row]), []).append(i)
    return list(blocks.values())


def added(values: Chances, members: list[list[int]]) -> Chances:
    """Sums over the rows of each block, outcome by outcome."""
    return [[sum(column, ZERO) for column in zip(*(values[i] for i in block), strict=True)] for block in members]


def spread(
    announced: Chances, members: list[list[int]], people: list[Fraction], low: Chances, high: Chances, true: Chances
) -> Chances:
    """Masses of every row from those of its block (two outcomes): each row moves the same part of its room."""
    out: Chances = [[] for _ in people]
    for block, masses in zip(members, announced, strict=True):
        if len(block) == 1:
            out[block[0]] = masses
            continue
        start = [min(max(true[i][1], low[i][1]), high[i][1]) for i in block]
        moved = topped_up(start, [low[i][1] for i in block], [high[i][1] for i in block], masses[1])
        for i, x in zip(block, moved, strict=True):
            out[i] = [people[i] - x, x]
    return out


def within(chance: list[Fraction], box: tuple[list[Fraction], list[Fraction]]) -> list[Fraction]:
    """The chances of a row without people: the true ones, moved into their box."""
    cut = [min(max(c, a), b) for c, a, b in zip(chance, box[0], box[1], strict=True)]
    return topped_up(cut, box[0], box[1], Fraction(1))


def rounded(row: list[Fraction], box: tuple[list[Fraction], list[Fraction]], digits: int) -> list[Fraction]:
    """Chances with so many decimals that add up to 1: inside their box where such numbers exist, else the nearest."""
    unit = Fraction(1, 10**digits)
    if len(row) == 2:
        near = round(row[1] / unit) * unit
        if near > box[1][1] and (box[1][1] // unit) * unit >= box[0][1]:
            near = (box[1][1] // unit) * unit
        elif near < box[0][1] and -(-box[0][1] // unit) * unit <= box[1][1]:
            near = -(-box[0][1] // unit) * unit
        return [1 - near, near]
    whole = [v // unit for v in row]
    rest = sorted(range(len(row)), key=lambda a: row[a] / unit - whole[a], reverse=True)
    missing = 10**digits - sum(whole)
    for a in rest[: int(missing)]:
        whole[a] += 1
    return [w * unit for w in whole]


def widened(box: tuple[list[Fraction], list[Fraction]], row: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """The box, with a rounded rule inside it."""
    low = [min(a, v) for a, v in zip(box[0], row, strict=True)]
    high = [max(b, v) for b, v in zip(box[1], row, strict=True)]
    return (low, high) if (low, high) == box else exactly_tightened(low, high)


def as_chances(groups: list[ExactGroup], size: int, outcomes: int) -> Any:
    """Announced chances of all rows as fractions, (rows, outcomes)."""
    out = np.empty((size, outcomes), dtype=object)
    for group in groups:
        for row, chances in zip(group.rows, group.chances, strict=True):
            for a, value in enumerate(chances):
                out[row, a] = value
    return out
