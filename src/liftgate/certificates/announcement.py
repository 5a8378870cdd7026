"""Writer of certificates about announced decision rules: the bounds, the confidence reached, and why none is lower."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from liftgate.certificates.assumptions import known
from liftgate.certificates.certificate import Certificate

Shares = Sequence[Sequence[Fraction]]
Weights = Sequence[tuple[int, int, int]]


def announcement(
    mass: Sequence[Fraction],
    group: Sequence[int],
    lower: Shares,
    upper: Shares,
    rules: Shares,
    beta: Sequence[Fraction],
    floor: Sequence[Fraction],
    dual: Sequence[Weights],
    assumptions: Iterable[str],
) -> Certificate:
    """Announced rules inside their bounds give no row of a group more than ``beta`` of an outcome (ATR Lemma 1).

    One row for each private value: its mass, its group (0, 1, ...), and for every outcome the least, the largest and
    the announced chance. ``dual`` holds for each group weights (row, outcome, weight) that prove that no rule inside
    the bounds stays below ``floor``.

    >>> half = [[Fraction(1, 2)] * 2] * 2
    >>> c = announcement(
    ...     [3, 1], [0, 0], half, half, half, [Fraction(3, 4)], [Fraction(3, 4)], [[(0, 0, 1), (0, 1, 1)]], []
    ... )
    >>> c.verdict.holds
    True
    """
    claim = {
        "mass": list(mass),
        "group": list(group),
        "lower": [list(row) for row in lower],
        "upper": [list(row) for row in upper],
        "rules": [list(row) for row in rules],
        "beta": list(beta),
    }
    evidence = {"dual": [[list(entry) for entry in weights] for weights in dual], "floor": list(floor)}
    return Certificate("announcement", 1, claim, evidence, known(assumptions))
