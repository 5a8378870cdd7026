"""The exact side of an announcement: least confidence, its dual proof, and an announcement that reaches it.

Everything is a fraction; one group at a time. A dual is a list of (row, outcome, weight): summing the conditions
"mass of the row in the outcome <= beta x total of the outcome" with these weights leaves no room below beta.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from liftgate.exact import lcm

Rows = Sequence[Sequence[Fraction]]
Dual = list[tuple[int, int, int]]
ZERO = Fraction(0)


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on the confidence of every announcement inside the box, with its dual."""

    beta: Fraction
    dual: Dual
    binding: str


def two_outcome_bound(people: Sequence[Fraction], low: Rows, high: Rows) -> Bound:
    """The least confidence of a group with two outcomes, attained (ATR Thm. 1 repaired, E70): the four-term rule.

    ``low`` and ``high`` are allowed masses, one row for each private value: negative outcome, positive outcome.

    >>> from fractions import Fraction as F
    >>> p = [F(9, 10), F(1, 10)]
    >>> two_outcome_bound(p, [[v * 2 / 5] * 2 for v in p], [[v * 3 / 5] * 2 for v in p]).beta
    Fraction(9, 10)
    """
    bounds = [prior_bound(people, (0, 1)), partition_bound(people, low, high, [(0,), (1,)])]
    bounds += [class_bound(people, low, high, (a,)) for a in (0, 1)]
    return max(bounds, key=lambda b: b.beta)


def prior_bound(people: Sequence[Fraction], outcomes: Sequence[int]) -> Bound:
    """max p / S: no announcement tells less than the group alone (ATR Lemma 5)."""
    k = max(range(len(people)), key=lambda i: people[i])
    return Bound(people[k] / sum(people), [(k, a, 1) for a in outcomes], "largest group share")


def class_low(low: Sequence[Fraction], high: Sequence[Fraction], people: Fraction, block: Sequence[int]) -> Fraction:
    """The least mass of one row in a set of outcomes."""
    rest = sum((high[a] for a in range(len(low)) if a not in block), ZERO)
    return max(sum((low[a] for a in block), ZERO), people - rest)


def class_bound(people: Sequence[Fraction], low: Rows, high: Rows, block: Sequence[int]) -> Bound:
    """L / sum min(h, L) for the outcomes of a block taken as one; 0 where nobody has to get them (E71)."""
    everything = [a for a in range(len(low[0])) if a not in block]
    lows = [class_low(a, b, p, block) for a, b, p in zip(low, high, people, strict=True)]
    highs = [p - class_low(a, b, p, everything) for a, b, p in zip(low, high, people, strict=True)]
    first = max(range(len(lows)), key=lambda i: lows[i])
    least = lows[first]
    name = "outcomes " + ", ".join(str(a) for a in block)
    if least == 0:
        return Bound(ZERO, [], name)
    beta = least / sum((min(h, least) for h in highs), ZERO)
    over = [k for k, h in enumerate(highs) if k != first and h > least]
    dual = [(k, a, beta.numerator) for k in over for a in block]
    dual += [(first, a, beta.denominator - len(over) * beta.numerator) for a in block]
    return Bound(beta, [entry for entry in dual if entry[2] > 0], name)


def partition_bound(people: Sequence[Fraction], low: Rows, high: Rows, blocks: Sequence[Sequence[int]]) -> Bound:
    """sum over blocks of outcomes of the largest least mass, / S."""
    total, dual = ZERO, []
    for block in blocks:
        lows = [class_low(a, b, p, block) for a, b, p in zip(low, high, people, strict=True)]
        first = max(range(len(lows)), key=lambda i: lows[i])
        total += lows[first]
        dual += [(first, a, 1) for a in block]
    return Bound(total / sum(people), dual, "all outcomes together")


def reach(people: Sequence[Fraction], low: Rows, high: Rows, beta: Fraction, aim: Sequence[Fraction]) -> list[Fraction]:
    """Masses of the positive outcome with confidence at most beta, as near ``aim`` as a total and the bounds allow.

    Row bounds max(l, p - beta V) <= u <= min(h, beta U) in masses (E74, E76), the two extreme rows like all others (E72, E73).
    """
    s, wanted = sum(people, ZERO), sum(aim, ZERO)
    floor = [max(row[a] for row in low) / beta for a in (0, 1)]
    ceiling = [_largest_total(s - floor[1 - a], beta, [row[a] for row in high]) for a in (0, 1)]
    start, stop = max(floor[1], s - ceiling[0]), min(ceiling[1], s - floor[0])
    u = min(max(wanted, start), stop)
    top = [min(row[1], beta * u) for row in high]
    bottom = [p - min(row[0], beta * (s - u)) for p, row in zip(people, high, strict=True)]
    x = [min(max(v, b), t) for v, b, t in zip(aim, bottom, top, strict=True)]
    gap = u - sum(x, ZERO)
    ends = top if gap > 0 else bottom
    room = sum((abs(e - v) for e, v in zip(ends, x, strict=True)), ZERO)
    if gap:
        x = [v + (e - v) * abs(gap) / room for e, v in zip(ends, x, strict=True)]
    return x


def _largest_total(start: Fraction, beta: Fraction, high: Sequence[Fraction]) -> Fraction:
    """The largest u <= start with sum min(high, beta u) >= u: Newton's steps, finitely many."""
    u = start
    while True:
        over = sum(1 for h in high if h > beta * u)
        below = sum((h for h in high if h <= beta * u), ZERO)
        if below + over * beta * u >= u:
            return u
        u = below / (1 - over * beta)


def confidence(masses: Rows) -> Fraction:
    """The largest share of one row in an outcome; an outcome that never happens counts as 0."""
    best = ZERO
    for a in range(len(masses[0])):
        column = [row[a] for row in masses]
        total = sum(column, ZERO)
        if total:
            best = max(best, max(column) / total)
    return best


def proven_floor(people: Sequence[Fraction], low: Rows, high: Rows, dual: Dual, upper: Fraction) -> Fraction:
    """The largest beta that a dual proves, by Newton's steps from ``upper`` on its concave value; 0 if it proves none."""
    outcomes = range(len(low[0]))
    weights: dict[int, dict[int, int]] = {}
    totals = [0] * len(low[0])
    for row, a, weight in dual:
        weights.setdefault(row, {})[a] = weight
        totals[a] += weight
    beta = upper
    for _ in range(200):
        value, slope = ZERO, ZERO
        for k, p in enumerate(people):
            given = weights.get(k, {})
            cost = [given.get(a, 0) - beta * totals[a] for a in outcomes]
            left = p - sum(low[k], ZERO)
            for a in sorted(outcomes, key=lambda i: cost[i]):
                more = min(left, high[k][a] - low[k][a])
                left -= more
                value += cost[a] * (low[k][a] + more)
                slope += totals[a] * (low[k][a] + more)
        if value >= 0:
            return beta
        if slope == 0:
            return ZERO
        beta += value / slope
        if beta <= 0:
            return ZERO
    return ZERO


def whole_weights(weights: Sequence[tuple[int, int, Fraction]]) -> Dual:
    """Dual weights as whole numbers."""
    kept = [(k, a, w) for k, a, w in weights if w > 0]
    scale = lcm(w.denominator for _, _, w in kept) if kept else 1
    return [(k, a, int(w * scale)) for k, a, w in kept]
