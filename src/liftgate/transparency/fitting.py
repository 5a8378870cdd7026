"""Rules that fit an announcement: by its band, or by replaying its method; how sure each of them makes.

A candidate is the chance of every outcome for every row of a group; only values that were named, unless any may occur.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from liftgate.transparency.boxes import Fidelity, rounding_slack
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.rules import DecisionRules
from liftgate.transparency.vectors import Masses

if TYPE_CHECKING:
    from liftgate.transparency.announcements import Announcement

MOST_ENUMERATED = 100_000
MOST_REPLAYED = 20_000
MOST_REPLAYED_EXACTLY = 300
MOST_MIXTURES = 5_000
MOST_CELLS = 50_000_000
EDGE = 1e-9
Prior = Callable[[FloatArray], FloatArray]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Found:
    """One group: how many rules fit (None: a continuum), rows with one rule left, and the confidences these rules give."""

    fits: int | None
    pinned: int
    rows: int
    lowest: float
    highest: float
    after_prior: float | None


def band(fidelity: Fidelity, chances: FloatArray, digits: int | None) -> tuple[FloatArray, FloatArray]:
    """Where the real chance of every outcome can be, seen from the announced one (rounding included)."""
    slack = float(rounding_slack(digits, chances.shape[1]))
    if fidelity.kind == "delta":
        assert fidelity.value is not None
        room = float(1 - fidelity.value) + slack
        return np.maximum(chances - room, 0.0), np.minimum(chances + room, 1.0)
    if fidelity.kind == "alpha":
        assert fidelity.value is not None
        factor = float(fidelity.value)
        low = np.maximum((chances - slack) * factor, 0.0)
        high = np.minimum((chances + slack) / factor, 1.0)
        return np.maximum(low, 1 - (high.sum(1, keepdims=True) - high)), high
    return np.zeros_like(chances), np.ones_like(chances)


def mixtures(values: Sequence[Fraction], outcomes: int) -> FloatArray | None:
    """All chances of so many outcomes that take these values and add up to 1; None where there are too many.

    >>> mixtures([Fraction(0), Fraction(1, 2), Fraction(1)], 2).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    """
    if outcomes == 2:
        return np.array([[1 - float(v), float(v)] for v in values])
    partial: list[tuple[Fraction, ...]] = [()]
    for _ in range(outcomes - 1):
        partial = [(*row, v) for row in partial for v in values if sum(row) + v <= 1]
        if len(partial) > MOST_MIXTURES:
            return None
    whole = [(*row, 1 - sum(row)) for row in partial if 1 - sum(row) in values]
    return np.array([[float(v) for v in row] for row in whole]).reshape(-1, outcomes)


def by_band(a: Announcement, values: Sequence[Fraction] | None, prior: Prior | None, slack: float) -> tuple[Found, ...]:
    """The rules inside the band of the announcement, group by group."""
    rules, groups = a.given, a.given.groups
    low, high = band(a.fidelity, a.chances, a.digits)
    fitting = _fitting(a, values, low, high)
    has_people = rules.mass > 0
    if fitting is not None:
        options, mask = fitting
        number = np.where(has_people, mask.sum(axis=1), 1)
        low, high = _ends(options, mask, low, high)
    else:
        number = np.where(has_people & ((high - low).max(axis=1) > 4 * EDGE), 2, 1)
    lowest, highest = _range_of(rules, low, high)
    pinned = np.add.reduceat(groups.gather(((number == 1) & has_people).astype(np.int64)), groups.starts[:-1])
    out = []
    for g in range(groups.size):
        rows = groups.rows_of(g)
        peopled = int(has_people[rows].sum())
        fits: int | None = 1 if int(pinned[g]) == peopled else None
        ends, mean = (float(lowest[g]), float(highest[g])), None
        if fitting is not None:
            fits = math.prod(int(v) for v in number[rows])
            if 0 < fits <= MOST_ENUMERATED and rules.blocks is None:
                listed = _listed(options, mask[rows], has_people[rows])
                *ends_found, mean = _judged(rules.mass[rows], listed, prior, slack)
                ends = (ends_found[0], ends_found[1])
        out.append(Found(fits, int(pinned[g]), peopled, *ends, mean))
    return tuple(out)


def by_method(
    a: Announcement, values: Sequence[Fraction], prior: Prior | None, slack: float
) -> tuple[Found, ...] | None:
    """Only those rules of the band that the method really turns into this announcement; None where too many."""
    rules, has_people = a.given, a.given.mass > 0
    fitting = _fitting(a, values, *band(a.fidelity, a.chances, a.digits))
    if rules.blocks is not None or fitting is None:
        return None
    options, mask = fitting
    number = np.where(has_people, mask.sum(axis=1), 1)
    sizes = [math.prod(int(v) for v in number[rules.groups.rows_of(g)]) for g in range(rules.groups.size)]
    if max(sizes) > MOST_REPLAYED or (not rules.two_outcomes and sum(sizes) > MOST_REPLAYED_EXACTLY):
        return None
    out = []
    for g, size in enumerate(sizes):
        rows = rules.groups.rows_of(g)
        mass = rules.mass[rows]
        ends, mean, pinned, kept = (0.0, 0.0), None, 0, np.zeros((0, rows.size, len(rules.outcomes)))
        if size:
            kept = _replayed(a, rows, _listed(options, mask[rows], has_people[rows]))
        if kept.shape[0]:
            *ends_found, mean = _judged(mass, kept, prior, slack)
            ends = (ends_found[0], ends_found[1])
            pinned = int(((kept == kept[:1]).all(axis=(0, 2)) & (mass > 0)).sum())
        out.append(Found(kept.shape[0], pinned, int((mass > 0).sum()), *ends, mean))
    return tuple(out)


def _fitting(
    a: Announcement, values: Sequence[Fraction] | None, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, Mask] | None:
    """The chances that a row may take, one per line, and which rows they fit; None where there are too many."""
    options = None if values is None else mixtures(values, len(a.given.outcomes))
    if options is None or options.size * low.shape[0] > MOST_CELLS:
        return None
    mask = np.ones((low.shape[0], options.shape[0]), dtype=bool)
    for k in range(options.shape[1]):
        chance = options[None, :, k]
        mask &= (chance >= low[:, [k]] - EDGE) & (chance <= high[:, [k]] + EDGE)
    return options, mask


def _ends(options: FloatArray, mask: Mask, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest chance of every outcome among the options that fit; the band where none does."""
    some = mask.any(axis=1)
    lows, highs = low.copy(), high.copy()
    for k in range(options.shape[1]):
        chance = np.where(mask, options[None, :, k], np.nan)[some]
        lows[some, k], highs[some, k] = np.nanmin(chance, axis=1), np.nanmax(chance, axis=1)
    return lows, highs


def _listed(options: FloatArray, mask: Mask, has_people: Mask) -> FloatArray:
    """All combinations of fitting chances: (candidates, rows, outcomes); rows without people take the first option."""
    choices = [np.flatnonzero(m) if some else np.array([0]) for m, some in zip(mask, has_people, strict=True)]
    return np.asarray(options[np.array(list(product(*choices)))])


def _judged(mass: FloatArray, rules: FloatArray, prior: Prior | None, slack: float) -> tuple[float, float, float]:
    """Lowest and highest confidence among listed rules, and the confidence of their mean under the prior."""
    found = confidence_of(mass, rules)
    plain = rules[:, :, 1] if rules.shape[2] == 2 else rules
    weights = np.ones(rules.shape[0]) if prior is None else np.asarray(prior(plain), dtype=np.float64)
    return float(found.min()), float(found.max()), after_prior(mass, rules, weights, slack)


def _every(rules: FloatArray) -> FloatArray:
    """Chances of every outcome (rules, rows, outcomes) from those of the positive one (rules, rows)."""
    return rules if rules.ndim == 3 else np.stack([1 - rules, rules], axis=2)


def confidence_of(mass: FloatArray, rules: FloatArray) -> FloatArray:
    """The confidence of each rule of one group; an outcome that never happens counts 0.

    ``rules`` holds chances of the positive outcome (rules, rows), or of every outcome (rules, rows, outcomes).
    """
    masses = mass[None, :, None] * _every(rules)
    total = masses.sum(axis=1)
    share = np.divide(masses.max(axis=1), total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(share.max(axis=1))


def _range_of(rules: DecisionRules, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lowest confidence (the closed bound on the box) and highest: max of h / (h + the others' l), for each group."""
    groups = rules.groups
    people = groups.gather(rules.mass)
    lows, highs = (groups.gather(v * rules.mass[:, None]) for v in (low, high))
    m = Masses(people, lows, lows, highs, groups.starts)
    least, total = m.tops(lows), m.sums(people)
    reach = m.sums(np.minimum(highs, m.spread(least)))
    own = np.divide(least, reach, out=np.zeros_like(least), where=least > 0).max(axis=1)
    lowest = np.maximum(own, np.maximum(least.sum(axis=1), m.tops(people)) / total)
    rest = m.spread(m.sums(lows)) - lows
    whole = highs + np.maximum(rest, 0.0)
    share = np.divide(highs, whole, out=np.zeros_like(whole), where=highs > 0)
    return lowest, np.asarray(m.tops(share).max(axis=1))


def _replayed(a: Announcement, rows: NDArray[Any], tried: FloatArray) -> FloatArray:
    """The candidates that lead to what is announced."""
    from liftgate.transparency.announcements import exact_groups
    from liftgate.transparency.exactly import as_chances
    from liftgate.transparency.floats import solve

    rules, m, size = a.given, len(rows), tried.shape[2]
    if a.fidelity.kind == "bounds":
        return tried[:0]
    flat = tried.reshape(-1, size)
    built = DecisionRules.from_arrays(
        np.tile(rules.mass[rows], len(tried)),
        flat[:, 1] if size == 2 else flat,
        np.repeat(np.arange(len(tried)), m),
    )
    found = solve(built, a.fidelity, a.target, a.distance, a.digits).chances
    if size > 2:
        groups = exact_groups(built, a.fidelity, found, a.target, a.digits, a.distance)
        found = as_chances(list(groups), built.size, size).astype(np.float64)
    same = (np.abs(found.reshape(-1, m, size) - a.chances[rows]) <= (1e-7 if size == 2 else 1e-6)).all(axis=2)
    return np.asarray(tried[(same | (rules.mass[rows] == 0)).all(axis=1)])


def after_prior(mass: FloatArray, rules: FloatArray, weights: FloatArray, slack: float = 1.0) -> float:
    """The confidence in one group after listed rules with these weights: the confidence of their mean rule.

    Only the mean matters: P(k | y, a) = p_k E[d_a(k)] / sum_j p_j E[d_a(j)]. With ``slack`` r the largest over all
    priors within odds r of the weights: the b at which sum w (r g+ - g-) = 0 for g = p_k d_a(k) - b sum p d_a.
    """
    every = _every(rules)
    if slack == 1.0:
        mean = np.tensordot(weights / weights.sum(), every, 1)
        return float(confidence_of(mass, mean[None])[0])
    worst_case = 0.0
    for outcome in range(every.shape[2]):
        masses = mass * every[:, :, outcome]
        total = masses.sum(axis=1)
        for k in range(mass.size):
            low, high = 0.0, 1.0
            for _ in range(60):
                middle = (low + high) / 2
                gain = masses[:, k] - middle * total
                exceeds = float((weights * (slack * np.maximum(gain, 0) - np.maximum(-gain, 0))).sum()) > 0
                low, high = (middle, high) if exceeds else (low, middle)
            worst_case = max(worst_case, low)
    return worst_case
