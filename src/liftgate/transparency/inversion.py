"""What a reader who knows the scheme finds out: which rules fit an announcement, and how sure they make.

Every announcement is close to invertible: its fidelity says how far the real rule can be, and often few rules of the
kind a reader believes in are that near. Inputs are public: the shares of the private values, the announced rules and
the fidelity; so any reader can run this check.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from liftgate.labels import Label
from liftgate.transparency.boxes import Fidelity
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.rules import DecisionRules
from liftgate.transparency.vectors import Masses, least_confidence

if TYPE_CHECKING:
    from liftgate.transparency.announcements import Announcement

REFUTED = "refuted"
HOLDS = "holds for every rule that fits"
DEPENDS = "depends on what the reader believes"
NONE_FITS = "no rule fits"
MOST_ENUMERATED = 100_000
MOST_REPLAYED = 20_000
EDGE = 1e-9
Prior = Callable[[FloatArray], FloatArray]
FAMILIES: Mapping[str, tuple[Fraction, ...] | None] = {
    "0 or 1": (Fraction(0), Fraction(1)),
    "0, 1/2 or 1": (Fraction(0), Fraction(1, 2), Fraction(1)),
    "any value": None,
}


@dataclass(frozen=True)
class Reading:
    """One group read by somebody who believes that rules take certain values.

    ``fits`` rules lie within the fidelity (None: a continuum); ``pinned`` rows have one value left; every one of these
    rules gives a confidence from ``lowest`` to ``highest``; ``after_prior`` is the one of their mean.
    """

    group: Label
    fits: int | None
    pinned: int
    rows: int
    lowest: float
    highest: float
    promised: float
    after_prior: float | None
    how: str

    @property
    def verdict(self) -> str:
        """`refuted`, `holds for every rule that fits`, `depends on what the reader believes`, or `no rule fits`."""
        if self.fits == 0:
            return NONE_FITS
        if self.lowest > self.promised + EDGE:
            return REFUTED
        return HOLDS if self.highest <= self.promised + EDGE else DEPENDS


@dataclass(frozen=True)
class Family:
    """All groups, read by somebody with one belief about the values a rule may take."""

    name: str
    values: tuple[Fraction, ...] | None
    algorithm_known: bool
    readings: tuple[Reading, ...]

    @property
    def verdict(self) -> str:
        """Refuted where one group is; holds where every group with rules that fit does."""
        words = {r.verdict for r in self.readings}
        if REFUTED in words:
            return REFUTED
        if words == {NONE_FITS}:
            return NONE_FITS
        return HOLDS if words <= {HOLDS} else DEPENDS


@dataclass(frozen=True)
class Inversion:
    """The readings for several beliefs; ``verdict`` is the one for the values that were declared (any, if none were)."""

    families: tuple[Family, ...]
    declared: str

    @property
    def verdict(self) -> str:
        """The verdict for the declared values, with and without knowledge of the method."""
        return worst(f.verdict for f in self.families if f.name == self.declared)

    def family(self, name: str, algorithm_known: bool = False) -> Family:
        """The readings under one belief."""
        return next(f for f in self.families if f.name == name and f.algorithm_known == algorithm_known)

    def to_dict(self) -> dict[str, Any]:
        """The check as ``--json`` prints it."""
        from liftgate.labels import encode_label

        return {
            "verdict": self.verdict,
            "declared": self.declared,
            "families": [
                {
                    "values": f.name,
                    "method_known": f.algorithm_known,
                    "verdict": f.verdict,
                    "groups": [
                        {
                            "group": encode_label(r.group),
                            "rules_that_fit": "any number" if r.fits is None else r.fits,
                            "rows_pinned": r.pinned,
                            "rows": r.rows,
                            "lowest": None if r.fits == 0 else r.lowest,
                            "highest": None if r.fits == 0 else r.highest,
                            "after_prior": r.after_prior,
                            "promised": r.promised,
                            "verdict": r.verdict,
                        }
                        for r in f.readings
                    ],
                }
                for f in self.families
            ],
        }


def worst(words: Any) -> str:
    """The strongest statement among several: refuted beats depends beats holds."""
    found = set(words)
    for word in (REFUTED, DEPENDS, HOLDS):
        if word in found:
            return word
    return NONE_FITS


def invert(
    announcement: Announcement,
    families: Mapping[str, Any] | None = None,
    prior: Prior | None = None,
    slack: float = 1.0,
) -> Inversion:
    """The inversion check of an announcement: by its band, and by its method where the rules can be listed.

    ``families`` names beliefs about the values a rule may take (None: any). ``prior`` gives every listed rule of a
    group (one per line) its weight, equal ones by default; ``slack`` r covers all priors within odds r of it.
    """
    named = dict(FAMILIES if families is None else families)
    name = "any value"
    if announcement.values is not None:
        name = family_name(announcement.values)
        named.setdefault(name, announcement.values)
    out = []
    for title, values in named.items():
        out.append(Family(title, values, False, _by_band(announcement, values, prior, slack)))
        if values is not None and announcement.given.two_outcomes:
            known = _by_method(announcement, values, prior, slack)
            if known is not None:
                out.append(Family(title, values, True, known))
    return Inversion(tuple(out), name)


def family_name(values: Sequence[Fraction]) -> str:
    """The name of a list of values."""
    for name, known in FAMILIES.items():
        if known == tuple(values):
            return name
    if len(values) > 6:
        step = values[1] - values[0]
        if all(b - a == step for a, b in pairwise(values)):
            return f"steps of {step} from {values[0]} to {values[-1]}"
    return " or ".join([", ".join(str(v) for v in values[:-1]), str(values[-1])]) if len(values) > 1 else str(values[0])


def band(fidelity: Fidelity, chances: FloatArray, digits: int | None) -> tuple[FloatArray, FloatArray]:
    """Where the real chance of every outcome can be, seen from the announced one (rounding included)."""
    slack = 0.5 * 10.0**-digits if digits is not None else 0.0
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


def _by_band(
    announcement: Announcement, values: tuple[Fraction, ...] | None, prior: Prior | None, slack: float
) -> tuple[Reading, ...]:
    rules, chances = announcement.given, announcement.chances
    low, high = band(announcement.fidelity, chances, announcement.digits)
    grid = values is not None and rules.two_outcomes
    if grid:
        assert values is not None
        steps = np.array([float(v) for v in values])
        first = np.searchsorted(steps, low[:, 1] - EDGE, side="left")
        last = np.searchsorted(steps, high[:, 1] + EDGE, side="right")
        number = np.maximum(last - first, 0)
        lower = steps[np.minimum(first, steps.size - 1)]
        upper = steps[np.maximum(last - 1, 0)]
        low, high = np.stack([1 - upper, lower], 1), np.stack([1 - lower, upper], 1)
        low, high = np.minimum(low, high), np.maximum(low, high)
    else:
        number = np.where((high - low).max(axis=1) <= 4 * EDGE, 1, 2)
    number = np.where(rules.mass > 0, number, 1)
    groups = rules.groups
    lowest, highest = _range_of(rules, low, high)
    pinned = np.add.reduceat(groups.gather(((number == 1) & (rules.mass > 0)).astype(np.int64)), groups.starts[:-1])
    out = []
    for g in range(groups.size):
        rows = groups.rows_of(g)
        fits: int | None = None
        lo, hi, mean, how = float(lowest[g]), float(highest[g]), None, "band"
        if grid:
            assert values is not None
            fits = math.prod(int(v) for v in number[rows])
            if 0 < fits <= MOST_ENUMERATED and rules.blocks is None:
                options = [_options(values, low[i, 1], high[i, 1], bool(rules.mass[i] > 0)) for i in rows]
                lo, hi, mean = _judged(rules.mass[rows], np.array(list(product(*options))), prior, slack)
        elif int(pinned[g]) == int((rules.mass[rows] > 0).sum()):
            fits = 1
        out.append(
            Reading(
                groups.label(g),
                fits,
                int(pinned[g]),
                int((rules.mass[rows] > 0).sum()),
                lo,
                hi,
                float(announcement.promised[g]),
                mean,
                how,
            )
        )
    return tuple(out)


def _options(values: tuple[Fraction, ...], low: float, high: float, has_people: bool) -> list[float]:
    if not has_people:
        return [0.0]
    return [float(v) for v in values if low - EDGE <= float(v) <= high + EDGE]


def _judged(mass: FloatArray, rules: FloatArray, prior: Prior | None, slack: float) -> tuple[float, float, float]:
    """Lowest and highest confidence among listed rules, and the confidence of their mean under the prior."""
    found = confidence_of(mass, rules)
    weights = np.ones(rules.shape[0]) if prior is None else np.asarray(prior(rules), dtype=np.float64)
    return float(found.min()), float(found.max()), after_prior(mass, rules, weights, slack)


def confidence_of(mass: FloatArray, positive: FloatArray) -> FloatArray:
    """The confidence of each rule (one per line) for one group; an outcome that never happens counts 0."""
    best = np.zeros(positive.shape[0])
    for chance in (positive, 1 - positive):
        masses = mass * chance
        total = masses.sum(axis=1)
        best = np.maximum(best, np.divide(masses.max(axis=1), total, out=np.zeros_like(total), where=total > 0))
    return best


def _range_of(rules: DecisionRules, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lowest confidence (four-term rule on the box) and highest: max of h / (h + the others' l), for each group."""
    groups = rules.groups
    people = groups.gather(rules.mass)
    lows, highs = (groups.gather(v * rules.mass[:, None]) for v in (low, high))
    m = Masses(people, lows, lows, highs, groups.starts)
    lowest, _ = least_confidence(m)
    rest = m.spread(m.sums(lows)) - lows
    total = highs + np.maximum(rest, 0.0)
    share = np.divide(highs, total, out=np.zeros_like(total), where=highs > 0)
    return lowest, np.asarray(m.tops(share).max(axis=1))


def _by_method(
    announcement: Announcement, values: tuple[Fraction, ...], prior: Prior | None, slack: float
) -> tuple[Reading, ...] | None:
    """Only those rules of the band that the method really turns into this announcement; None where too many."""
    rules = announcement.given
    if rules.blocks is not None:
        return None
    low, high = band(announcement.fidelity, announcement.chances, announcement.digits)
    out = []
    for g in range(rules.groups.size):
        rows = rules.groups.rows_of(g)
        options = [_options(values, low[i, 1], high[i, 1], bool(rules.mass[i] > 0)) for i in rows]
        if math.prod(len(o) for o in options) > MOST_REPLAYED:
            return None
        kept = _replayed(announcement, rows, list(product(*options)))
        mass = rules.mass[rows]
        lo, hi, mean = 0.0, 0.0, None
        if kept.shape[0]:
            lo, hi, mean = _judged(mass, kept, prior, slack)
        pinned = int(((kept == kept[:1]).all(axis=0) & (mass > 0)).sum()) if kept.shape[0] else 0
        promised = float(announcement.promised[g])
        label = rules.groups.label(g)
        n = int((mass > 0).sum())
        out.append(Reading(label, kept.shape[0], pinned, n, lo, hi, promised, mean, "method"))
    return tuple(out)


def _replayed(announcement: Announcement, rows: Any, candidates: list[tuple[float, ...]]) -> FloatArray:
    """The candidate rules that lead to what is announced."""
    from liftgate.transparency.floats import solve

    if not candidates:
        return np.zeros((0, len(rows)))
    rules, m = announcement.given, len(rows)
    tried = np.array(candidates)
    if announcement.fidelity.kind == "bounds":
        return tried[:0]
    built = DecisionRules.from_arrays(
        np.tile(rules.mass[rows], len(candidates)), tried.ravel(), np.repeat(np.arange(len(candidates)), m)
    )
    found = solve(built, announcement.fidelity, announcement.target, announcement.distance, announcement.digits)
    shown = announcement.chances[rows, 1]
    same = np.abs(found.rules.reshape(-1, m) - shown) <= 1e-7
    return np.asarray(tried[(same | (rules.mass[rows] == 0)).all(axis=1)])


def after_prior(mass: FloatArray, rules: FloatArray, weights: FloatArray, slack: float = 1.0) -> float:
    """The confidence in one group after listed rules with these weights: the confidence of their mean rule.

    Only the mean matters: P(k | y, a) = p_k E[d_a(k)] / sum_j p_j E[d_a(j)]. With ``slack`` r the largest over all
    priors within odds r of the weights: the b at which sum w (r g+ - g-) = 0 for g = p_k d_a(k) - b sum p d_a.
    """
    if slack == 1.0:
        return float(confidence_of(mass, (weights @ rules / weights.sum())[None, :])[0])
    worst_case = 0.0
    for chance in (rules, 1 - rules):
        masses = mass * chance
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
