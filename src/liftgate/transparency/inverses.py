"""The inverse question: how faithful may an announcement be for a confidence that was promised."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from liftgate.errors import UsageError
from liftgate.exact import fraction
from liftgate.labels import label_text
from liftgate.transparency.boxes import Fidelity
from liftgate.transparency.exactly import exact_group
from liftgate.transparency.floats import box_masses, group_floors
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.rules import DecisionRules
from liftgate.transparency.vectors import least_confidence

EXACT_ROWS = 2_000
_SMALLEST = Fraction(1, 10**9)


def fidelity_for(
    rules: DecisionRules, target_beta: Any = None, kind: str = "delta", target_gamma: float | None = None
) -> float:
    """The largest delta (or alpha) at which the least confidence is at most ``target_beta`` (or gamma = -log beta).

    >>> rules = DecisionRules.from_arrays([12, 5, 3, 9, 7, 4], [0, 0, 1, 0, 0.5, 1], group=list("FFFMMM"))
    >>> fidelity_for(rules, target_beta=0.675), fidelity_for(rules, target_beta=1)
    (0.9, 1.0)
    """
    if kind not in ("delta", "alpha"):
        raise UsageError("kind", f"{kind!r} is no fidelity", 'use "delta" or "alpha"')
    if (target_beta is None) == (target_gamma is None):
        raise UsageError("target", "give exactly one of target_beta and target_gamma", "gamma = -log beta")
    target = fraction(float(np.exp(-target_gamma)) if target_gamma is not None else target_beta, "target_beta")
    if not 0 < target <= 1:
        raise UsageError("target_beta", f"{float(target):.6g} is not above 0 and at most 1", "give one such as 0.7")
    _check_floor(rules, target, kind)

    def meets(value: Fraction) -> bool:
        return least_beta(rules, Fidelity(kind, value)) <= target

    if meets(Fraction(1)):
        return 1.0
    low, high = 0.0, 1.0
    steps = 55 if rules.two_outcomes else 34
    for _ in range(steps):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _float_beta(rules, Fidelity(kind, Fraction(middle))) <= float(target):
            low = middle
        else:
            high = middle
    for digits in (2, 3, 6, 9, 12, 14):
        plain = round(low, digits)
        if abs(plain - low) < 1e-12 and plain > 0 and meets(fraction(plain)):
            return plain
    found, step = low, np.spacing(low)
    while not meets(fraction(found)):
        found, step = found - step, step * 2
        if found <= 0:
            raise UsageError("target_beta", "no fidelity above 0 meets it", "promise a little more")
    return float(found)


def least_beta(rules: DecisionRules, fidelity: Fidelity) -> Fraction | float:
    """The least confidence of all groups inside a fidelity: a fraction for small tables, else in floats."""
    if rules.size > EXACT_ROWS or not rules.two_outcomes:
        return _float_beta(rules, fidelity) * (1 - 1e-12)
    nothing = np.zeros((rules.size, 2))
    groups = (
        exact_group(rules, fidelity, g, nothing[rules.groups.rows_of(g)], Fraction(1), None).floor
        for g in range(rules.groups.size)
    )
    return max(groups)


def _float_beta(rules: DecisionRules, fidelity: Fidelity) -> float:
    if rules.two_outcomes:
        return float(least_confidence(box_masses(rules, fidelity)[0])[0].max())
    chances: FloatArray = np.clip(rules.chances, *fidelity.box(rules))
    return max(
        float(exact_group(rules, fidelity, g, chances[rules.groups.rows_of(g)], None, None).beta)
        for g in range(rules.groups.size)
    )


def _check_floor(rules: DecisionRules, target: Fraction, kind: str) -> None:
    """The floor: the largest share of one private value; with alpha also what rules that cannot move leave."""
    floors = group_floors(rules)
    worst = int(np.argmax(floors))
    group = label_text(rules.groups.label(worst))
    place = f"target beta {float(target):.6g}"
    if floors[worst] > float(target) * (1 + 1e-12):
        raise UsageError(
            place,
            f"it is below the floor {floors[worst]:.6g}: one private value makes that share of group {group!r}",
            "promise at least the floor, merge groups, or leave that group out",
        )
    if kind == "alpha":
        least = _float_beta(rules, Fidelity("alpha", _SMALLEST))
        if least > float(target) * (1 + 1e-9):
            raise UsageError(
                place,
                f"it is below the floor {least:.6g} of every alpha: a rule that is 0 or 1 cannot be moved by a factor",
                "promise at least the floor, or use delta",
            )
