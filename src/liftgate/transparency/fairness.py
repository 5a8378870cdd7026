"""Fairness figures of decision rules, and what an announced figure says about the real one (ATR Appendix A, Lemma 2).

Two conventions of total variation are in use: ``half`` is half the sum of differences (the usual one, 0 to 1),
``mean`` divides by the number of outcomes (ATR (26), at most 2 / |A|). They agree for two outcomes only (E79).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import inf, log
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import UsageError
from liftgate.exact import fraction
from liftgate.labels import Label, sort_key
from liftgate.transparency.boxes import rounding_slack
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.rules import DecisionRules

if TYPE_CHECKING:
    from liftgate.transparency.announcements import Announcement

Convention = Literal["half", "mean"]
MOST_CLASSES = 12


@dataclass(frozen=True)
class Figure:
    """One published fairness figure: computed from the announced rules, and where the real one lies."""

    name: str
    between: tuple[Label, Label]
    given: Label
    announced: float
    low: float
    high: float


def total_variation(left: Any, right: Any, convention: Convention = "half") -> float:
    """The distance of two distributions over outcomes.

    >>> total_variation([1, 0, 0, 0], [0, 1, 0, 0]), total_variation([1, 0, 0, 0], [0, 1, 0, 0], "mean")
    (1.0, 0.5)
    """
    p, q = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    return float(np.abs(p - q).sum() / _divisor(p.size, convention))


def _divisor(outcomes: int, convention: str) -> int:
    if convention not in ("half", "mean"):
        raise UsageError("convention", f"{convention!r} is unknown", 'use "half" or "mean"')
    return 2 if convention == "half" else outcomes


def relative_distance(left: Any, right: Any) -> float:
    """The largest |log ratio| over outcomes (ATR (25)); 0/0 counts as equal, a positive chance against 0 as infinite."""
    worst = 0.0
    for p, q in zip(np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64), strict=True):
        if p != q:
            worst = max(worst, abs(log(p / q)) if p > 0 and q > 0 else inf)
    return worst


def rates(
    rules: DecisionRules, by: Any = None, chances: FloatArray | None = None, weight: FloatArray | None = None
) -> dict[Label, FloatArray]:
    """The chance of every outcome in each class of people: classes are the groups, or given row by row."""
    labels = class_labels(rules, by)
    shown = rules.chances if chances is None else chances
    people = rules.mass if weight is None else rules.mass * weight
    names = sorted(set(labels), key=sort_key)
    place = {label: i for i, label in enumerate(names)}
    codes = np.array([place[v] for v in labels])
    total = np.bincount(codes, people, len(names))
    sums = np.stack([np.bincount(codes, people * shown[:, a], len(names)) for a in range(shown.shape[1])], axis=1)
    return {label: sums[i] / total[i] for i, label in enumerate(names) if total[i] > 0}


def class_labels(rules: DecisionRules, by: Any = None) -> list[Label]:
    """The class of every row: what was given, the part of the group label at a position, or the group."""
    groups = [rules.groups.label(int(g)) for g in rules.groups.codes()]
    if by is None:
        return groups
    if isinstance(by, int):
        return [g[by] for g in groups]
    labels = list(by)
    if len(labels) != rules.size:
        raise UsageError("by", f"{len(labels)} classes for {rules.size} rows", "give one class for each row")
    return labels


def largest(pairs: Mapping[Label, FloatArray], distance: Callable[[FloatArray, FloatArray], float]) -> float:
    """The largest distance between any two classes; 0 where there is one."""
    return max((distance(a, b) for a, b in combinations(pairs.values(), 2)), default=0.0)


def statistical_parity(
    rules: DecisionRules, by: Any = None, chances: FloatArray | None = None, convention: Convention = "half"
) -> float:
    """The largest distance between the outcomes of two classes (ATR Def. 9); for two outcomes a difference of rates.

    >>> rules = DecisionRules.from_arrays([139, 9, 2, 117, 18, 5], [0, 0, 1, 0, 0.5, 1], group=list("FFFMMM"))
    >>> round(statistical_parity(rules), 6)
    0.086667
    """
    return largest(rates(rules, by, chances), lambda a, b: total_variation(a, b, convention))


def conditional_statistical_parity(
    rules: DecisionRules,
    given: Any,
    by: Any = None,
    chances: FloatArray | None = None,
    convention: Convention = "half",
) -> dict[Label, float]:
    """The same among people with the same condition, row by row or a private attribute by name (ATR Def. 10)."""
    conditions = (
        [v.item() if hasattr(v, "item") else v for v in rules.private[given]] if isinstance(given, str) else list(given)
    )
    out = {}
    for condition in dict.fromkeys(conditions):
        weight = np.array([float(c == condition) for c in conditions])
        out[condition] = largest(rates(rules, by, chances, weight), lambda a, b: total_variation(a, b, convention))
    return out


def four_fifths_ratio(
    rules: DecisionRules, by: Any = None, chances: FloatArray | None = None, outcome: int = -1
) -> float:
    """The smallest rate of an outcome over the largest (the 80 % rule asks for 0.8); 1 where nobody gets it."""
    found = [float(r[outcome]) for r in rates(rules, by, chances).values()]
    return min(found) / max(found) if max(found) > 0 else 1.0


def percent_rule(rules: DecisionRules, by: Any = None, chances: FloatArray | None = None) -> float:
    """The largest |log ratio| of rates over classes and outcomes; the rule holds for p where it is at most -log p."""
    return largest(rates(rules, by, chances), relative_distance)


def equality_of_odds(
    rules: DecisionRules, truth: Any, by: Any = None, chances: FloatArray | None = None, convention: Convention = "half"
) -> float:
    """The largest distance between classes among people of the same true outcome, over all true outcomes.

    ``truth`` is the share of each row's people that deserve the positive outcome, or the share of every outcome.
    """
    return max(_by_truth(rules, truth, by, chances, convention))


def equality_of_opportunity(
    rules: DecisionRules, truth: Any, by: Any = None, chances: FloatArray | None = None, convention: Convention = "half"
) -> float:
    """The same among those who deserve the positive (last) outcome only."""
    return _by_truth(rules, truth, by, chances, convention)[-1]


def _by_truth(
    rules: DecisionRules, truth: Any, by: Any, chances: FloatArray | None, convention: Convention
) -> list[float]:
    shares = _truth(rules, truth)
    return [
        largest(rates(rules, by, chances, shares[:, y]), lambda a, b: total_variation(a, b, convention))
        for y in range(shares.shape[1])
    ]


def predictive_parity(rules: DecisionRules, truth: Any, by: Any = None, chances: FloatArray | None = None) -> float:
    """The largest difference between classes of how often a decided outcome is the true one, over all outcomes.

    A class in which nobody gets an outcome is left out for that outcome.
    """
    shares = _truth(rules, truth)
    shown = rules.chances if chances is None else chances
    outcomes = [shown.shape[1] - 1] if shown.shape[1] == 2 else range(shown.shape[1])
    worst = 0.0
    for a in outcomes:
        right = rates(rules, by, shares, shown[:, a])
        found = [float(r[a]) for r in right.values()]
        worst = max(worst, max(found) - min(found) if found else 0.0)
    return worst


def _truth(rules: DecisionRules, truth: Any) -> FloatArray:
    shares = np.asarray(truth, dtype=np.float64)
    shares = np.stack([1 - shares, shares], axis=1) if shares.ndim == 1 else shares
    if shares.shape != (rules.size, len(rules.outcomes)) or shares.min() < 0 or np.abs(shares.sum(1) - 1).max() > 1e-9:
        raise UsageError("truth", "not a share of every outcome for each row", "give one share for each row")
    return shares


def individual_fairness(
    rules: DecisionRules,
    distance: NDArray[Any],
    chances: FloatArray | None = None,
    metric: Callable[[Any, Any], float] = total_variation,
) -> float:
    """The least bias with which alike people are treated alike: max D(rule i, rule j) - distance(i, j) (ATR Def. 8)."""
    shown = rules.chances if chances is None else chances
    worst = 0.0
    for i, j in combinations(range(rules.size), 2):
        worst = max(worst, metric(shown[i], shown[j]) - float(distance[i, j]))
    return worst


def bias_interval(
    announced: float, delta: Any, outcomes: int = 2, convention: Convention = "half"
) -> tuple[float, float]:
    """Where the real bias in total variation lies, given the announced one and delta (ATR Lemma 2, corrected: E80).

    Each of two distributions moves by at most floor(|A| / 2) (1 - delta) in ``half``, and by 2 / |A| times that in
    ``mean`` (at most 1 - delta, as printed); the largest possible value is 1 in ``half`` and 2 / |A| in ``mean``.

    >>> [round(v, 6) for v in bias_interval(0.1, 0.9)]
    [0.0, 0.3]
    """
    room = 1 - fraction(delta, "delta")
    most = Fraction(2, _divisor(outcomes, convention))
    moved = 2 * (outcomes // 2) * room * most
    return max(0.0, announced - float(moved)), min(float(most), announced + float(moved))


def ratio_interval(announced: float, alpha: Any) -> tuple[float, float]:
    """Where the real |log ratio| lies, given the announced one and alpha (ATR (15) without its false cap: E81)."""
    moved = -2 * log(fraction(alpha, "alpha"))
    return max(0.0, announced - moved), announced + moved


def compared(pairs: Mapping[Label, FloatArray]) -> list[tuple[Label, Label]]:
    """The pairs of classes to tell: all of them, or of many classes those furthest apart in some outcome."""
    if len(pairs) <= MOST_CLASSES:
        return list(combinations(pairs, 2))
    labels, shown = list(pairs), np.array(list(pairs.values()))
    ends = [(int(column.argmin()), int(column.argmax())) for column in shown.T]
    return list(dict.fromkeys((labels[min(a, b)], labels[max(a, b)]) for a, b in ends if a != b))


def figures(announcement: Announcement, by: Any = None, given: str | None = None) -> tuple[Figure, ...]:
    """Fairness figures to publish with an announcement: computed from the announced rules, with the real range.

    The range needs the fidelity: delta bounds the parities, alpha the log-ratio; without one it is all that can be.
    """
    rules, fidelity = announcement.given, announcement.fidelity
    size = len(rules.outcomes)
    delta = fidelity.value if fidelity.kind == "delta" else None
    slack = rounding_slack(announcement.digits, size)

    def range_of(value: float) -> tuple[float, float]:
        return (0.0, 1.0) if delta is None else bias_interval(value, delta - slack, size)

    out = []
    shown = rates(rules, by, announcement.chances)
    for a, b in compared(shown):
        value = total_variation(shown[a], shown[b])
        out.append(Figure("statistical parity", (a, b), None, value, *range_of(value)))
        ratio = relative_distance(shown[a], shown[b])
        alpha = fidelity.value if fidelity.kind == "alpha" and not slack else None
        out.append(
            Figure("log ratio", (a, b), None, ratio, *((0.0, inf) if alpha is None else ratio_interval(ratio, alpha)))
        )
    if given is not None:
        conditions: Sequence[Any] = list(rules.private[given])
        for condition in dict.fromkeys(conditions):
            weight = np.array([float(c == condition) for c in conditions])
            inside = rates(rules, by, announcement.chances, weight)
            for a, b in compared(inside):
                value = total_variation(inside[a], inside[b])
                label = condition.item() if hasattr(condition, "item") else condition
                out.append(Figure("conditional statistical parity", (a, b), label, value, *range_of(value)))
    return tuple(out)
