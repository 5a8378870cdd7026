"""Influence of inputs on a decision: QII by enumeration or by seeded draws, Shapley values, and what they give away.

QII of a set S of inputs on the people W (ATR (33), (34)):  I(S) = P(c(X) = 1 | W) - P(c(X_-S U_S) = 1 | W), where U_S
is drawn anew from all people: all of S from one other person (``joint``, a permuted copy of the columns), or every
input from another one (``product``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError, UsageError
from liftgate.transparency.grouping import FloatArray

Draw = Literal["joint", "product"]
Decide = Callable[[NDArray[Any]], Any]
MOST_ENUMERATED = 2_000_000
MOST_SHAPLEY = 16


@dataclass(frozen=True)
class Estimate:
    """A sampled influence with its standard error."""

    value: float
    error: float
    draws: int


@dataclass(frozen=True, eq=False)
class People:
    """Records (one per line, one column per input), how many people each stands for, and who is asked about."""

    records: NDArray[Any]
    weight: FloatArray
    asked: NDArray[np.bool_]

    @classmethod
    def of(cls, records: Any, weight: Any = None, asked: Any = None) -> People:
        """People from records; everybody counts once and everybody is asked about unless said otherwise."""
        table = np.asarray(records)
        if table.ndim != 2 or table.shape[0] == 0:
            raise DataError("records", f"shape {table.shape}", "give one line per record and one column per input")
        weights = np.ones(table.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)
        inside = np.ones(table.shape[0], dtype=bool) if asked is None else np.asarray(asked, dtype=bool)
        if weights.shape != inside.shape or weights.shape[0] != table.shape[0]:
            raise DataError("records", "weights or people asked about of another length", "give one for each record")
        if weights.min() < 0 or not (weights[inside].sum() > 0):
            raise DataError("records", "nobody is asked about", "choose records with people")
        return cls(table, weights, inside)

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return int(self.records.shape[1])


def influence(decide: Decide, people: People, inputs: Iterable[int], draw: Draw = "joint") -> float:
    """The QII of a set of inputs, exactly: every person asked about meets every value that can be drawn.

    >>> people = People.of([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> both = lambda records: records[:, 0] * records[:, 1]
    >>> influence(both, people, [0]), influence(both, people, [0, 1])
    (0.0, 0.0)
    >>> asked = People.of([[0, 0], [0, 1], [1, 0], [1, 1]], asked=[False, False, False, True])
    >>> influence(both, asked, [0]), influence(both, asked, [0, 1]), influence(both, asked, [0, 1], "product")
    (0.5, 0.75, 0.75)
    """
    chosen = _checked(people, inputs)
    share = people.weight * people.asked
    share = share / share.sum()
    before = float(share @ _decided(decide, people.records))
    if not chosen:
        return 0.0
    if draw == "joint":
        drawn, chance = _distinct(people.records[:, chosen], people.weight)
    elif draw == "product":
        drawn, chance = _product(people, chosen)
    else:
        raise UsageError("draw", f"{draw!r} is unknown", 'use "joint" or "product"')
    asked = np.flatnonzero(share > 0)
    if asked.size * len(chance) > MOST_ENUMERATED:
        raise UsageError(
            "influence", f"{asked.size} x {len(chance)} cases to go through", "use sampled_influence for so many"
        )
    after = 0.0
    for values, p in zip(drawn, chance, strict=True):
        changed = people.records[asked].copy()
        changed[:, chosen] = values
        after += p * float(share[asked] @ _decided(decide, changed))
    return before - after


def sampled_influence(
    decide: Decide, people: People, inputs: Iterable[int], draws: int = 1000, seed: int = 0, draw: Draw = "joint"
) -> Estimate:
    """The same by independent draws, with its standard error."""
    chosen = _checked(people, inputs)
    if draws < 2:
        raise UsageError("draws", f"{draws}", "give at least two")
    rng = np.random.default_rng(seed)
    share = people.weight * people.asked
    share = share / share.sum()
    before = float(share @ _decided(decide, people.records))
    changed = people.records[rng.choice(share.size, draws, p=share)].copy()
    everybody = people.weight / people.weight.sum()
    for columns in [chosen] if draw == "joint" else [[c] for c in chosen]:
        changed[:, columns] = people.records[rng.choice(share.size, draws, p=everybody)][:, columns]
    found = _decided(decide, changed)
    return Estimate(before - float(found.mean()), float(found.std(ddof=1)) / sqrt(draws), draws)


def marginal_influence(
    decide: Decide, people: People, added: int, inputs: Iterable[int], draw: Draw = "joint"
) -> float:
    """What one more input adds to the influence of a set: I(S and the input) - I(S)."""
    base = list(inputs)
    return influence(decide, people, [*base, added], draw) - influence(decide, people, base, draw)


def shapley(decide: Decide, people: People, draw: Draw = "joint") -> FloatArray:
    """The Shapley value of every input, exactly: its marginal influence averaged over all orders; they add up to I(all).

    >>> shapley(lambda r: r[:, 0], People.of([[0, 0], [1, 1]], asked=[False, True])).tolist()
    [0.5, 0.0]
    """
    n = people.inputs
    if n > MOST_SHAPLEY:
        raise UsageError("shapley", f"{n} inputs make 2^{n} sets", f"give at most {MOST_SHAPLEY} inputs")
    known: Mapping[tuple[int, ...], float] = {
        s: influence(decide, people, s, draw) for k in range(n + 1) for s in combinations(range(n), k)
    }
    out = np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for k in range(n):
            weight = factorial(k) * factorial(n - k - 1) / factorial(n)
            for s in combinations(others, k):
                out[i] += weight * (known[tuple(sorted((*s, i)))] - known[s])
    return out


def rules_from_two_influences(first: float, second: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where two rules lie, given the influences of all private inputs on two groups with one public record.

    Both influences subtract the same redrawn rate, so rule 1 - rule 2 is their difference (ATR App. B, steps 1-7).
    A difference of 1 pins both; 1 and 0 is the only case that does.

    >>> [[round(v, 6) for v in rule] for rule in rules_from_two_influences(0.66475333, -0.33524666)]
    [[1.0, 1.0], [0.0, 0.0]]
    """
    gap = first - second
    if abs(gap) > 1 + 1e-6:
        raise DataError(
            "influences", f"they differ by {gap:.6g}", "two influences on one public record differ by at most 1"
        )
    gap = min(1.0, max(-1.0, gap))
    return (max(0.0, gap), min(1.0, 1 + gap)), (max(0.0, -gap), min(1.0, 1 - gap))


def rule_from_one_influence(published: float, chance: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where a rule lies, and the rule after one input was changed, given that input's influence (ATR App. B, method 2).

    All people asked about have one value of the input, which another draw changes with this chance:
    I = chance x (rule - changed rule), so a ratio of 1 pins both.

    >>> [[round(v, 5) for v in rule] for rule in rule_from_one_influence(0.45142778, 0.45142857)]
    [[1.0, 1.0], [0.0, 0.0]]
    """
    if not 0 < chance <= 1:
        raise UsageError("chance", f"{chance} is not above 0 and at most 1", "give the chance of another value")
    return rules_from_two_influences(published / chance, 0.0)


def _checked(people: People, inputs: Iterable[int]) -> list[int]:
    chosen = list(dict.fromkeys(int(i) for i in inputs))
    for i in chosen:
        if not 0 <= i < people.inputs:
            raise UsageError("inputs", f"no input {i}", f"there are inputs 0 to {people.inputs - 1}")
    return chosen


def _decided(decide: Decide, records: NDArray[Any]) -> FloatArray:
    found = np.asarray(decide(records), dtype=np.float64)
    if found.shape != (records.shape[0],) or not np.isfinite(found).all() or found.min() < 0 or found.max() > 1:
        raise DataError(
            "decision", "not one chance between 0 and 1 for each record", "give the chance of the positive outcome"
        )
    return found


def _distinct(columns: NDArray[Any], weight: FloatArray) -> tuple[list[Any], list[float]]:
    chance: dict[tuple[Any, ...], float] = {}
    for row, w in zip(columns.tolist(), (weight / weight.sum()).tolist(), strict=True):
        key = tuple(row)
        chance[key] = chance.get(key, 0.0) + w
    return [list(k) for k in chance], list(chance.values())


def _product(people: People, chosen: Sequence[int]) -> tuple[list[Any], list[float]]:
    drawn: list[list[Any]] = [[]]
    chance = [1.0]
    for i in chosen:
        values, p = _distinct(people.records[:, [i]], people.weight)
        drawn = [[*d, *v] for d in drawn for v in values]
        chance = [c * q for c in chance for q in p]
        if len(chance) > MOST_ENUMERATED:
            raise UsageError("influence", f"{len(chance)} combinations to go through", "use sampled_influence")
    return drawn, chance
