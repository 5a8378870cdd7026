"""What published figures give away: the tightest interval of every hidden rule and of every posterior.

Figures are intervals of linear quantities of the hidden rules; an absolute difference needs a sign (a whole variable);
a posterior is a ratio of two linear quantities, solved by Dinkelbach's steps. A search that stops early is unknown,
not impossible; figures that no rules satisfy contradict each other, and the smallest contradicting set is named.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgate.labels import Label, encode_label, label_text
from liftgate.transparency.facts import Condition, Knowledge, Row, known
from liftgate.transparency.inversion import Inversion

Status = Literal["solved", "unknown", "contradiction"]
WIDTH = 0.05
OUTWARD = 1e-7
_STEPS = 40


@dataclass(frozen=True)
class Interval:
    """Where one hidden number lies; ``solved`` is false where the search stopped and only a wider bound is known."""

    low: float
    high: float
    solved: bool = True

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.high - self.low


@dataclass(frozen=True)
class Attack:
    """What an auditor finds: intervals of rules, and of P(private | group, outcome); or which figures contradict."""

    status: Status
    rules: Mapping[Row, Interval]
    posteriors: Mapping[tuple[Label, str, Label], Interval]
    contradiction: tuple[str, ...]
    promised: Mapping[Label, float]
    inversion: Inversion | None = None

    @property
    def pinned(self) -> tuple[Row, ...]:
        """Rows whose rule is known to within 5 in 100."""
        return tuple(row for row, i in self.rules.items() if i.solved and i.width < WIDTH)

    @property
    def surest(self) -> tuple[tuple[Label, str, Label], Interval] | None:
        """The posterior that is certain to be the largest: the one with the largest lower end."""
        return max(self.posteriors.items(), key=lambda item: item[1].low, default=None)

    @property
    def broken(self) -> tuple[tuple[Label, str, Label], ...]:
        """Posteriors that are above the promised confidence of their group whatever the hidden rules are."""
        return tuple(
            k for k, i in self.posteriors.items() if k[0] in self.promised and i.low > self.promised[k[0]] + 1e-6
        )

    @property
    def verdict(self) -> str:
        """`contradiction`, `unknown`, `refuted` (a promise), `pinned` (a rule), or `open`."""
        if self.status != "solved":
            return self.status
        if self.broken or (self.inversion is not None and self.inversion.verdict == "refuted"):
            return "refuted"
        return "pinned" if self.pinned else "open"

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if self.status == "contradiction":
            return f"These figures contradict each other: no rules satisfy these {len(self.contradiction)} together"
        if self.status == "unknown":
            return "Unknown: the search stopped before every interval was found"
        if self.verdict == "refuted":
            return "The promise is refuted: the published figures tell more than they promise"
        if self.pinned:
            return f"The published figures pin {len(self.pinned)} of {len(self.rules)} hidden rules to within 5 in 100"
        return "No hidden rule is pinned to within 5 in 100"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the intervals rest on."""
        return ("side-information=group-and-outcome",)

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it."""
        return {
            "verdict": self.verdict,
            "status": self.status,
            "rules": [
                {"group": encode_label(g), "private": encode_label(k), **_ends(i)} for (g, k), i in self.rules.items()
            ],
            "posteriors": [
                {"group": encode_label(g), "outcome": o, "private": encode_label(k), **_ends(i)}
                for (g, o, k), i in self.posteriors.items()
            ],
            "pinned": [[encode_label(g), encode_label(k)] for g, k in self.pinned],
            "contradiction": list(self.contradiction),
            "broken": [[encode_label(g), o, encode_label(k)] for g, o, k in self.broken],
            "inversion": None if self.inversion is None else self.inversion.to_dict(),
        }


def _ends(interval: Interval) -> dict[str, Any]:
    return {"low": interval.low, "high": interval.high, "solved": interval.solved}


def attack(published: Mapping[str, Any], side_information: Mapping[str, Any], seconds: float = 60.0) -> Attack:
    """The tightest interval of each hidden rule and posterior that published figures and side information allow.

    >>> found = attack(
    ...     {
    ...         "figures": [
    ...             {"kind": "rate", "group": "F", "value": "1/4"},
    ...             {"kind": "rule", "group": "F", "private": "low", "value": "0"},
    ...         ]
    ...     },
    ...     {"shares": {"F": {"low": "3/4", "high": "1/4"}}, "slack": 0},
    ... )
    >>> round(found.rules["F", "high"].low, 4), round(found.posteriors["F", "positive", "high"].low, 4)
    (1.0, 1.0)
    """
    from liftgate.transparency.published import promises, read_inversion

    knowledge = known(published, side_information)
    negative, positive = (label_text(o) for o in published.get("outcomes", ["negative", "positive"])[-2:])
    system = System(knowledge, knowledge.conditions, time.monotonic() + seconds)
    promised = promises(published)
    state = system.state()
    if state == "contradiction":
        return Attack("contradiction", {}, {}, contradicting(knowledge, seconds), promised)
    rules = {row: system.interval({("rule", *row): 1.0}) for row in knowledge.rows}
    posteriors = {}
    for group in knowledge.groups:
        rows = knowledge.of_group(group)
        for name, sign in ((negative, -1), (positive, 1)):
            total = _mass(knowledge, rows, sign)
            for row in rows:
                posteriors[group, name, row[1]] = system.ratio(_mass(knowledge, (row,), sign), total)
    solved = all(i.solved for i in [*rules.values(), *posteriors.values()]) and state == "solved"
    inversion = read_inversion(published, knowledge)
    return Attack("solved" if solved else "unknown", rules, posteriors, (), promised, inversion)


Linear = dict[tuple[Any, ...], float]


def _mass(knowledge: Knowledge, rows: Iterable[Row], sign: int) -> Linear:
    """The mass of rows in an outcome, as a linear quantity (the key () is the constant)."""
    out: Linear = {}
    for row in rows:
        share = float(knowledge.shares[row])
        out["rule", *row] = sign * share
        if sign < 0:
            out[()] = out.get((), 0.0) + share
    return out


class System:
    """All conditions as one mixed linear program over rules, rates, redrawn rates and signs."""

    def __init__(self, knowledge: Knowledge, conditions: Iterable[Condition], deadline: float) -> None:
        self.deadline = deadline
        self.place: dict[tuple[Any, ...], int] = {}
        for row in knowledge.rows:
            self.place["rule", *row] = len(self.place)
        for group in knowledge.groups:
            self.place["rate", group] = len(self.place)
            self.place["redrawn", group] = len(self.place)
        self.whole: list[int] = []
        lines: list[tuple[Linear, float, float]] = []
        for group in knowledge.groups:
            line: Linear = {("rule", *row): float(knowledge.shares[row]) for row in knowledge.of_group(group)}
            line["rate", group] = -1.0
            slack = float(knowledge.slack)
            lines.append((line, -slack, slack))
        for i, condition in enumerate(conditions):
            line = {}
            for quantity, weight in condition.terms:
                line[quantity] = line.get(quantity, 0.0) + float(weight)
            low, high = float(condition.low), float(condition.high)
            if condition.over:  # a quotient: two lines, one for each end
                ends = [
                    {**line, **{q: line.get(q, 0.0) - end * float(w) for q, w in condition.over}} for end in (low, high)
                ]
                lines += [(ends[0], 0.0, np.inf), (ends[1], -np.inf, 0.0)]
                continue
            if not condition.absolute:
                lines.append((line, low, high))
                continue
            lines.append((line, -high, high))
            if low > 0:  # at least low, or at most -low: the sign is a whole variable
                sign = self._new("sign", i)
                lines.append(({**line, sign: -(1 + low)}, -1.0, np.inf))
                lines.append(({**line, sign: -(1 + low)}, -np.inf, -low))
        for row in knowledge.rows if knowledge.values is not None else ():
            assert knowledge.values is not None
            picks = [self._new("value", *row, j) for j in range(len(knowledge.values))]
            lines.append((dict.fromkeys(picks, 1.0), 1.0, 1.0))
            tied: Linear = {p: float(v) for p, v in zip(picks, knowledge.values, strict=True)}
            lines.append(({**tied, ("rule", *row): -1.0}, 0.0, 0.0))
        self.matrix = np.zeros((len(lines), len(self.place)))
        for i, (line, _, _) in enumerate(lines):
            for name, factor in line.items():
                self.matrix[i, self.place[name]] = factor
        self.low = np.array([low for _, low, _ in lines])
        self.high = np.array([high for _, _, high in lines])
        self.integrality = np.zeros(len(self.place))
        self.integrality[self.whole] = 1

    def _new(self, *name: Any) -> tuple[Any, ...]:
        self.place[name] = len(self.place)
        self.whole.append(self.place[name])
        return name

    def state(self) -> Status:
        """Whether any rules satisfy the conditions; unknown where the search ended before it knew."""
        return self.least(np.zeros(len(self.place)))[0]

    def least(self, cost: NDArray[Any]) -> tuple[Status, float, NDArray[Any] | None]:
        """The least value of a linear quantity: a bound that is certain, and the point found, if any."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return "unknown", -np.inf, None
        if not self.whole:
            return self._linear(cost)
        from scipy.optimize import Bounds, LinearConstraint, milp

        with _silent():
            found = milp(
                cost,
                integrality=self.integrality,
                bounds=Bounds(0, 1),
                constraints=LinearConstraint(self.matrix, self.low, self.high),
                options={"time_limit": left, "mip_rel_gap": 0.0},
            )
        if found.status == 2:
            return "contradiction", np.inf, None
        bound = getattr(found, "mip_dual_bound", None)
        certain = -np.inf if bound is None else float(bound)
        if found.status == 0:
            return "solved", min(certain, float(found.fun)), found.x
        return "unknown", certain, found.x

    def _linear(self, cost: NDArray[Any]) -> tuple[Status, float, NDArray[Any] | None]:
        from scipy.optimize import linprog

        upper = np.vstack([self.matrix[self.high < np.inf], -self.matrix[self.low > -np.inf]])
        right = np.concatenate([self.high[self.high < np.inf], -self.low[self.low > -np.inf]])
        found = linprog(
            cost,
            upper,
            right + 1e-12,
            bounds=(0, 1),
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status == 2:
            return "contradiction", np.inf, None
        return ("solved", float(found.fun), found.x) if found.status == 0 else ("unknown", -np.inf, None)

    def cost(self, quantity: Linear) -> tuple[NDArray[Any], float]:
        """A linear quantity as a vector and a constant."""
        out = np.zeros(len(self.place))
        for name, weight in quantity.items():
            if name:
                out[self.place[name]] = weight
        return out, quantity.get((), 0.0)

    def interval(self, quantity: Linear) -> Interval:
        """The least and the largest value of a linear quantity between 0 and 1, rounded outwards."""
        cost, constant = self.cost(quantity)
        down, low, _ = self.least(cost)
        up, high, _ = self.least(-cost)
        ends = max(0.0, constant + low - OUTWARD), min(1.0, constant - high + OUTWARD)
        return Interval(*ends, down == up == "solved")

    def ratio(self, over: Linear, under: Linear) -> Interval:
        """The least and the largest value of a ratio of quantities, by Dinkelbach's steps; 0 to 1 if it cannot happen."""
        top, top_constant = self.cost(over)
        whole, whole_constant = self.cost(under)
        ends = []
        for sign in (1.0, -1.0):
            value, solved = self._dinkelbach(sign, (top, top_constant), (whole, whole_constant))
            ends.append((value, solved))
        (low, first), (high, second) = ends
        return Interval(max(0.0, low - OUTWARD), min(1.0, high + OUTWARD), first and second)

    def _dinkelbach(
        self, sign: float, over: tuple[NDArray[Any], float], under: tuple[NDArray[Any], float]
    ) -> tuple[float, bool]:
        worst = 0.0 if sign > 0 else 1.0
        state, _, point = self.least(-under[0])
        if point is None or float(under[0] @ point) + under[1] <= 1e-12:
            return worst, state == "solved"
        value = (float(over[0] @ point) + over[1]) / (float(under[0] @ point) + under[1])
        for _ in range(_STEPS):
            cost = sign * (over[0] - value * under[0])
            state, bound, point = self.least(cost)
            if state != "solved" or point is None:
                return worst, False
            excess = bound + sign * (over[1] - value * under[1])
            below = float(under[0] @ point) + under[1]
            if excess >= -1e-11 or below <= 1e-12:
                return value, True
            better = (float(over[0] @ point) + over[1]) / below
            if sign * (value - better) <= 1e-12:
                return value, True
            value = better
        return worst, False


@contextmanager
def _silent() -> Iterator[None]:
    """Standard output closed to the solver, which writes lines of its own there whatever it is told."""
    sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(nowhere)
        os.close(kept)


def contradicting(knowledge: Knowledge, seconds: float = 60.0) -> tuple[str, ...]:
    """The names of the smallest set of conditions that no rules satisfy, by smallest hitting sets.

    Every set of conditions whose removal makes the rest satisfiable meets every contradicting set; the smallest set
    that meets all those found so far is either contradicting, and then the smallest one, or yields another of them.
    """
    conditions = knowledge.conditions
    deadline = time.monotonic() + seconds
    removals: list[frozenset[int]] = []
    everything = range(len(conditions))

    def contradicts(chosen: Iterable[int]) -> bool:
        return System(knowledge, [conditions[i] for i in chosen], deadline).state() == "contradiction"

    while True:
        smallest = _hitting(removals, len(conditions))
        if contradicts(smallest):
            return tuple(conditions[i].name for i in smallest)
        kept = list(smallest)
        for i in everything:
            if i not in kept and not contradicts([*kept, i]):
                kept.append(i)
        removal = frozenset(everything) - frozenset(kept)
        if not removal or time.monotonic() > deadline:
            return tuple(c.name for c in conditions)
        removals.append(removal)


def _hitting(sets: list[frozenset[int]], size: int) -> list[int]:
    """The smallest set of numbers that meets all these sets, by a whole program."""
    if not sets:
        return []
    from scipy.optimize import Bounds, LinearConstraint, milp

    matrix = np.array([[float(i in s) for i in range(size)] for s in sets])
    found = milp(
        np.ones(size), integrality=np.ones(size), bounds=Bounds(0, 1), constraints=LinearConstraint(matrix, 1, np.inf)
    )
    return [int(i) for i in np.flatnonzero(found.x > 0.5)]
