"""Random groups of thirteen kinds, a linear program and an exact simplex that share no code with the product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from liftgate.transparency import DecisionRules

KINDS = 13
F = Fraction


@dataclass
class Case:
    """One random question: rules of one group and the keywords of announce."""

    rules: DecisionRules
    asked: dict[str, Any]
    low: np.ndarray
    high: np.ndarray


def draw_case(kind: int, outcomes: int, rng: np.random.Generator) -> Case:
    """A random group: plain, deterministic, nearly constant, all refused, empty rows, tiny and equal masses, boxes."""
    m = int(rng.integers(1, 8))
    mass = rng.dirichlet(np.ones(m))
    chance = rng.dirichlet(np.ones(outcomes), size=m)
    asked: dict[str, Any] = {"delta": float(rng.choice([0.99, 0.9, 0.8, 0.5, 0.2]))}
    if kind in (1, 9):
        chance = np.eye(outcomes)[rng.integers(0, outcomes, m)]
    if kind == 2:
        half = (np.eye(outcomes)[rng.integers(0, outcomes, m)] + np.eye(outcomes)[rng.integers(0, outcomes, m)]) / 2
        chance = half
    if kind == 3:
        chance = np.tile(chance[:1], (m, 1))
    if kind == 4:
        chance = np.tile(np.eye(outcomes)[rng.integers(0, outcomes)], (m, 1))
    if kind == 5:
        mass = np.where(rng.random(m) < 0.4, 0.0, mass)
        mass[0] = max(mass[0], 0.1)
    if kind == 6:
        mass = mass**6
        mass = np.maximum(mass / mass.sum(), 0)
    if kind == 7:
        mass[0] = 20.0
    if kind == 8:
        mass = np.full(m, 1.0)
    if kind == 9:
        asked = {"alpha": float(rng.choice([0.9, 0.5, 0.1]))}
    if kind == 10:
        asked = {"alpha": float(rng.choice([0.95, 0.7, 0.3]))}
    if kind in (11, 12):
        side = np.sort(rng.random((2, m, outcomes)), axis=0)
        low, high = np.minimum(side[0], chance), np.maximum(side[1], chance)
        if kind == 12:
            low[0] = high[0] = chance[0]
        asked = {"bounds": (low[:, 1], high[:, 1]) if outcomes == 2 else (low, high)}
    rule = chance[:, 1] if outcomes == 2 else chance
    if outcomes == 2:
        rule = np.clip(rule, 0, 1)
    rules = DecisionRules.from_arrays(mass, rule, [0] * m)
    low, high = box_of(chance, asked)
    return Case(rules, asked, low, high)


def box_of(chance: np.ndarray, asked: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The allowed chances straight from the definitions (ATR (11)-(13)); the program itself makes rows add up."""
    if "delta" in asked:
        room = 1 - asked["delta"]
        return np.maximum(chance - room, 0), np.minimum(chance + room, 1)
    if "alpha" in asked:
        return chance * asked["alpha"], np.minimum(chance / asked["alpha"], 1)
    low, high = asked["bounds"]
    if low.ndim == 1:
        return np.stack([1 - high, low], 1), np.stack([1 - low, high], 1)
    return low, high


def program_beta(mass: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """The least confidence by linear programs on dense matrices, from above (each step is a real rule's confidence)."""
    from scipy.optimize import linprog

    m, size = low.shape
    scale = mass.sum()
    mass = mass / scale
    lower, upper = low * mass[:, None], high * mass[:, None]
    rows = np.kron(np.eye(m), np.ones((1, size)))
    total = np.kron(np.ones((m, m)), np.eye(size))
    bounds = [*zip(lower.ravel(), upper.ravel(), strict=True), (None, None)]

    def program(beta: float) -> tuple[float, float]:
        matrix = np.hstack([np.eye(m * size) - beta * total, -np.ones((m * size, 1))])
        cost = np.zeros(m * size + 1)
        cost[-1] = 1
        for tolerance in (1e-10, 1e-9, 1e-8, 1e-7):  # bounds of floats may miss a row by their last digit
            found = linprog(
                cost,
                matrix,
                np.zeros(m * size),
                np.hstack([rows, np.zeros((m, 1))]),
                mass,
                bounds,
                method="highs",
                options={"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance},
            )
            if found.status == 0:
                break
        assert found.status == 0, found.message
        u = found.x[:-1].reshape(m, size)
        sums = u.sum(axis=0)
        return found.x[-1], float(np.divide(u.max(axis=0), sums, out=np.zeros(size), where=sums > 1e-9).max())

    beta, least = 1.0, float(mass.max())
    for _ in range(12):
        excess, reached = program(beta)
        if excess > -1e-13 or reached >= beta - 1e-13:
            return min(beta, max(least, reached))
        beta = max(reached, least)
    while beta - least > 1e-9:
        middle = (beta + least) / 2
        if program(middle)[0] <= 1e-12:
            beta = middle
        else:
            least = middle
    return beta


def possible(people: list[Fraction], low: list[Fraction], high: list[Fraction], beta: Fraction) -> bool:
    """Whether two-outcome masses with confidence at most beta exist, by an exact simplex (Bland's rule).

    Variables x = u - low >= 0; every condition is  c . x <= b.
    """
    m, s, base = len(people), sum(people), sum(low)
    conditions: list[tuple[list[Fraction], Fraction]] = []
    for k in range(m):
        unit = [F(int(j == k)) for j in range(m)]
        conditions.append((unit, high[k] - low[k]))
        conditions.append(([a - beta for a in unit], beta * base - low[k]))
        conditions.append(([beta - a for a in unit], beta * (s - base) - (people[k] - low[k])))
    return _feasible(conditions, m)


def _feasible(conditions: list[tuple[list[Fraction], Fraction]], n: int) -> bool:
    """Phase one of the simplex on c . x + slack = b, x, slack >= 0, with one artificial variable for each b < 0."""
    size = len(conditions)
    table, basis = [], []
    artificial = n + size
    width = n + size + sum(1 for _, b in conditions if b < 0)
    for i, (c, b) in enumerate(conditions):
        row = [*c, *[F(int(j == i)) for j in range(size)], *[F(0)] * (width - n - size), b]
        if b < 0:
            row = [-v for v in row]
            row[artificial] = F(1)
            basis.append(artificial)
            artificial += 1
        else:
            basis.append(n + i)
        table.append(row)
    cost = [F(0)] * (width + 1)
    for i, b in enumerate(basis):
        if b >= n + size:
            cost = [c - v for c, v in zip(cost, table[i], strict=True)]
    while True:
        enter = next((j for j in range(n + size) if cost[j] < 0), None)
        if enter is None:
            return cost[-1] == 0
        ratios = [(row[-1] / row[enter], basis[i], i) for i, row in enumerate(table) if row[enter] > 0]
        assert ratios, "phase one is bounded"
        _, _, leave = min(ratios)
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for i, row in enumerate(table):
            if i != leave and row[enter]:
                factor = row[enter]
                table[i] = [v - factor * w for v, w in zip(row, table[leave], strict=True)]
        factor = cost[enter]
        cost = [v - factor * w for v, w in zip(cost, table[leave], strict=True)]
        basis[leave] = enter


@pytest.fixture(scope="session")
def drawn() -> Callable[[int, int, np.random.Generator], Case]:
    """Random cases by kind and number of outcomes."""
    return draw_case


@pytest.fixture(scope="session")
def lp_beta() -> Callable[[np.ndarray, np.ndarray, np.ndarray], float]:
    """The least confidence by linear programs."""
    return program_beta


@pytest.fixture(scope="session")
def exact_possible() -> Callable[..., bool]:
    """Exact feasibility of one confidence."""
    return possible


@pytest.fixture
def credit() -> DecisionRules:
    """The credit card example of ATR section 8 (12, 5, 3, 9, 7, 4 people)."""
    bands = ["under 100k", "100k to 200k", "over 200k"] * 2
    return DecisionRules.from_arrays(
        [12, 5, 3, 9, 7, 4], [0, 0, 1, 0, 0.5, 1], ["Female"] * 3 + ["Male"] * 3, {"income": bands}
    )
