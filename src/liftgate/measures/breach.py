"""Privacy breaches, rho1-to-rho2 in both directions, decided exactly with a property as witness."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from liftgate.errors import UsageError
from liftgate.exact import fraction
from liftgate.joint import Joint
from liftgate.labels import Label

Direction = Literal["upward", "downward"]
_MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class Breach:
    """A released value that moves belief in a property too far: the sensitive values are those with the property."""

    released: Label
    sensitive: tuple[Label, ...]
    before: Fraction
    after: Fraction
    direction: Direction


def breaches(
    joint: Joint, rho1: int | float | str | Fraction, rho2: int | float | str | Fraction, direction: Direction
) -> tuple[Breach, ...]:
    """One breach for each released value that has one (LIFT Def. A1), over all properties of the sensitive value.

    Upward: P(Q) <= rho1 and P(Q|y) > rho2. Downward: P(Q) >= rho2 and P(Q|y) < rho1, which is an upward
    (1-rho2)-to-(1-rho1) breach of the complement. The budget that rules both out is ``Budget.breach``.

    >>> found = breaches(Joint.from_counts([[8, 1], [2, 9]], sensitive=["ill", "well"]), "0.45", "0.7", "upward")
    >>> found[0].sensitive, str(found[0].before), str(found[0].after)
    (('ill',), '9/20', '4/5')
    """
    low, up = fraction(rho1, "breach, rho1"), fraction(rho2, "breach, rho2")
    if not 0 < low < up < 1:
        raise UsageError("breach", f"rho1 {rho1}, rho2 {rho2}", "they must satisfy 0 < rho1 < rho2 < 1")
    if direction not in ("upward", "downward"):
        raise UsageError("breach", f"direction {direction!r} is not known", "use upward or downward")
    if direction == "downward":
        low, up = 1 - up, 1 - low
    joint = joint.drop_empty()
    total = joint.total
    weights = [int(v) for v in joint.sensitive_counts]
    most = low.numerator * total // low.denominator  # P(Q) <= rho1
    found = []
    for y, label in enumerate(joint.public):
        column = [int(v) for v in joint.counts[:, y]]
        size = sum(column)
        least = up.numerator * size // up.denominator + 1  # P(Q|y) > rho2
        chosen = _property(weights, column, most, least, f"breach, released value {label!r}")
        if chosen is None:
            continue
        if direction == "downward":
            chosen = sorted(set(range(len(weights))) - set(chosen))
        found.append(
            Breach(
                label,
                tuple(joint.sensitive[s] for s in chosen),
                Fraction(sum(weights[s] for s in chosen), total),
                Fraction(sum(column[s] for s in chosen), size),
                direction,
            )
        )
    return tuple(found)


def _property(weights: list[int], column: list[int], most: int, least: int, place: str) -> list[int] | None:
    """Sensitive values of total weight at most ``most`` with at least ``least`` rows, or None: a knapsack by depth-first
    search in the order of decreasing lift, cut where even a fraction of the next value cannot reach ``least``."""
    order = sorted((s for s in range(len(weights)) if column[s]), key=lambda s: Fraction(column[s], weights[s]))
    order.reverse()
    stack: list[tuple[int, int, int, tuple[int, ...]]] = [(0, most, 0, ())]
    steps = 0
    while stack:
        i, room, rows, chosen = stack.pop()
        if rows >= least:
            return sorted(chosen)
        steps += 1
        if steps > _MOST_STEPS:
            raise UsageError(place, "too many properties to try", "join rare sensitive values, or use Budget.breach")
        if i == len(order) or not _reachable(order, weights, column, i, room, least - rows):
            continue
        s = order[i]
        stack.append((i + 1, room, rows, chosen))
        if weights[s] <= room:
            stack.append((i + 1, room - weights[s], rows + column[s], (*chosen, s)))
    return None


def _reachable(order: list[int], weights: list[int], column: list[int], i: int, room: int, need: int) -> bool:
    """Whether the values from position ``i`` on, the last one in part, could add ``need`` rows within ``room``."""
    for s in order[i:]:
        if weights[s] > room:
            return column[s] * room >= need * weights[s]
        room -= weights[s]
        need -= column[s]
        if need <= 0:
            return True
    return False
