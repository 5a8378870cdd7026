"""More than two outcomes: a bound from merged outcomes first, then Dinkelbach's steps on a sparse linear program.

For a confidence beta the conditions on masses u are linear:  u[k, a] <= beta * U[a],  U[a] = sum_k u[k, a].
The bound is the largest of max p / S, L_B / sum min(h_B, L_B) over sets B of outcomes, and sum_B L_B / S over
partitions; it is attained in most groups, and where it is not, the linear program gives the rest (no closed form is
known; ATR Thm. 1 is for two outcomes only).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.proofs import Bound, Dual, Rows, class_bound, partition_bound, prior_bound, whole_weights

MOST_ENUMERATED = 8
CLOSE = 1e-10
NOTHING = 1e-11
QUIET = 1e-8
SMALLEST_SCALE = 1e-4
LOUD = (1e-2, 1e-3, 1e-5)
_PRECISION = 10**9


@dataclass(frozen=True, eq=False)
class Solved:
    """Masses (rows x outcomes) of least confidence, and weights of the conditions that leave no room below it."""

    masses: FloatArray
    beta: float
    dual: Dual
    programs: int


def merged_bound(people: Sequence[Fraction], low: Rows, high: Rows) -> Bound:
    """The largest of all bounds from merged outcomes, exact; the candidates are found in floats and then recomputed.

    >>> from fractions import Fraction as F
    >>> free = [[F(0)] * 3] * 2
    >>> merged_bound([F(3), F(1)], free, [[F(3)] * 3, [F(1)] * 3]).beta
    Fraction(3, 4)
    """
    size = len(low[0])
    if size > MOST_ENUMERATED:
        found = [prior_bound(people, range(size)), partition_bound(people, low, high, [(a,) for a in range(size)])]
        found += [class_bound(people, low, high, (a,)) for a in range(size)]
        return max(found, key=lambda b: b.beta)
    p = np.array([float(v) for v in people])
    lows = np.array([[float(v) for v in row] for row in low])
    highs = np.array([[float(v) for v in row] for row in high])
    least: dict[tuple[int, ...], NDArray[Any]] = {}
    best_block: tuple[int, ...] = (0,)
    best_value = -1.0
    blocks = [b for n in range(1, size) for b in combinations(range(size), n)]
    for block in [*blocks, tuple(range(size))]:
        inside = list(block)
        outside = [a for a in range(size) if a not in block]
        least[block] = np.maximum(lows[:, inside].sum(1), p - highs[:, outside].sum(1))
    for block in blocks:
        rest = tuple(a for a in range(size) if a not in block)
        top = float(least[block].max())
        reach = float(np.minimum(p - least[rest], top).sum())
        value = top / reach if top > 0 and reach > 0 else 0.0
        if value > best_value:
            best_block, best_value = block, value
    best_parts, best_total = None, -1.0
    for parts in _partitions(list(range(size))):
        total = sum(float(least[b].max()) for b in parts)
        if len(parts) > 1 and total > best_total:
            best_parts, best_total = parts, total
    found = [prior_bound(people, range(size)), class_bound(people, low, high, best_block)]
    if best_parts is not None:
        found.append(partition_bound(people, low, high, best_parts))
    return max(found, key=lambda b: b.beta)


def _partitions(items: list[int]) -> Iterator[list[tuple[int, ...]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for smaller in _partitions(rest):
        yield [(first,), *smaller]
        for i, block in enumerate(smaller):
            yield [*smaller[:i], tuple(sorted((first, *block))), *smaller[i + 1 :]]


def solve_group(
    people: FloatArray, low: FloatArray, high: FloatArray, bound: float, members: Sequence[Sequence[int]]
) -> Solved:
    """The least confidence of one group in floats: the program at the bound, then Dinkelbach's steps from above.

    ``members`` are the rows that count as one private value; the weights of the proof are by block.
    """
    scale = people.sum()
    program = _Program(people / scale, low / scale, high / scale, members)
    masses, dual, excess = program.least_excess(bound)
    count = 1
    beta = max(bound, program.confidence(masses))
    if excess > CLOSE:
        dual_at = dual
        for _ in range(60):
            better, dual, excess = program.least_excess(beta, 0.0, masses.sum(axis=0))
            count += 1
            reached = program.confidence(better)
            if reached < beta:
                masses, dual_at = better, dual
            if excess >= -1e-13 or reached >= beta * (1 - 1e-13):
                break
            beta = min(beta, reached)
        dual = dual if excess >= -CLOSE else dual_at
        return Solved(masses * scale, beta, dual, count)
    for least_total in LOUD:  # where the solver's tolerance is all there is of an outcome, ask for more of it
        if program.confidence(masses) <= bound * (1 + CLOSE):
            break
        louder, _, excess = program.least_excess(bound, least_total)
        count += 1
        if excess <= CLOSE and program.confidence(louder) < program.confidence(masses):
            masses = louder
    return Solved(masses * scale, max(bound, program.confidence(masses)), [], count)


def least_changed(
    people: FloatArray,
    low: FloatArray,
    high: FloatArray,
    true: FloatArray,
    beta: float,
    squared: bool,
    members: Sequence[Sequence[int]],
) -> FloatArray | None:
    """Masses nearest the true ones (sum of changes, or of p x squared change of the chance) at confidence beta."""
    scale = people.sum()
    program = _Program(people / scale, low / scale, high / scale, members)
    masses = program.nearest(true / scale, beta)
    if masses is None:
        return None
    if squared:
        masses = program.nearest_squared(true / scale, beta, masses)
    return np.asarray(masses * scale)


class _Program:
    """Variables u (rows x outcomes), totals U, one spare; u - beta U <= spare, rows add up, u inside its box."""

    def __init__(self, people: FloatArray, low: FloatArray, high: FloatArray, members: Sequence[Sequence[int]]) -> None:
        from scipy import sparse

        fewest, most = low.sum(axis=1), high.sum(axis=1)  # floats of a row may miss its people by their last digit
        low = low * np.where(fewest > people, people / np.where(fewest > people, fewest, 1.0), 1.0)[:, None]
        short = (most < people) & (most > 0)
        high = high * np.where(short, people / np.where(short, most, 1.0), 1.0)[:, None]
        self.people, self.low, self.high = people, low, np.maximum(low, high)
        self.m, self.size = low.shape
        rows = sparse.kron(sparse.eye(self.m), np.ones((1, self.size)))
        totals = sparse.kron(np.ones((1, self.m)), sparse.eye(self.size))
        self.same = sparse.hstack(
            [
                sparse.vstack([rows, totals]),
                sparse.vstack([sparse.csr_matrix((self.m, self.size)), -sparse.eye(self.size)]),
            ]
        ).tocsr()
        self.right = np.concatenate([people, np.zeros(self.size)])
        place = np.concatenate([np.asarray(block, dtype=np.int64) for block in members])
        block_of = np.repeat(np.arange(len(members)), [len(block) for block in members])
        pick = sparse.csr_matrix((np.ones(place.size), (block_of, place)), shape=(len(members), self.m))
        self.pick = pick
        self.blocks = len(members)
        self.single = sparse.kron(pick, sparse.eye(self.size)).tocsr()
        self.shared = sparse.kron(np.ones((self.blocks, 1)), sparse.eye(self.size)).tocsr()

    def confidence(self, masses: FloatArray) -> float:
        """The largest share of a block in an outcome."""
        blocks = self.pick @ masses
        total = blocks.sum(axis=0)
        return float(np.divide(blocks.max(axis=0), total, out=np.zeros_like(total), where=total > 0).max())

    def least_excess(
        self, beta: float, least_total: float = 0.0, scale: FloatArray | None = None
    ) -> tuple[FloatArray, Dual, float]:
        """The least t with u - beta U <= t scale for every row and outcome; positive: beta cannot be reached.

        With the totals of the last point as ``scale`` t is about the step that is left in beta.
        """
        from scipy import sparse

        n, conditions = self.m * self.size, self.blocks * self.size
        width = np.ones(self.size) if scale is None else np.maximum(scale, SMALLEST_SCALE)
        upper = sparse.hstack([self.single, -beta * self.shared, -np.tile(width, self.blocks)[:, None]]).tocsr()
        same = sparse.hstack([self.same, sparse.csr_matrix((self.same.shape[0], 1))]).tocsr()
        cost = np.zeros(n + self.size + 1)
        cost[-1] = 1.0
        bounds = [
            *zip(self.low.ravel(), self.high.ravel(), strict=True),
            *[(least_total, None)] * self.size,
            (None, None),
        ]
        found = _solve(cost, upper, np.zeros(conditions), same, self.right, bounds)
        if found is None and least_total:
            return self.low, [], np.inf
        if found is None:
            raise DataError("bounds", "no rule fits", "widen the bounds")
        weights = np.maximum(-found.ineqlin.marginals, 0.0)
        dual = [
            (i // self.size, i % self.size, Fraction(round(w * _PRECISION), _PRECISION)) for i, w in enumerate(weights)
        ]
        return self._inside(found.x[:n]), whole_weights(dual), float(found.x[-1])

    def nearest(self, true: FloatArray, beta: float) -> FloatArray | None:
        """The least sum of |u - true| at confidence beta, or None where the program finds no room."""
        from scipy import sparse

        n, conditions = self.m * self.size, self.blocks * self.size
        nothing = sparse.csr_matrix((conditions, n))
        eye = sparse.eye(n)
        upper = sparse.vstack(
            [
                sparse.hstack([self.single, -beta * self.shared, nothing]),
                sparse.hstack([eye, sparse.csr_matrix((n, self.size)), -eye]),
                sparse.hstack([-eye, sparse.csr_matrix((n, self.size)), -eye]),
            ]
        ).tocsr()
        same = sparse.hstack([self.same, sparse.csr_matrix((self.same.shape[0], n))]).tocsr()
        cost = np.concatenate([np.zeros(n + self.size), np.ones(n)])
        right = np.concatenate([np.zeros(conditions), true.ravel(), -true.ravel()])
        bounds = [*zip(self.low.ravel(), self.high.ravel(), strict=True), *[(0, None)] * (self.size + n)]
        found = _solve(cost, upper, right, same, self.right, bounds)
        return None if found is None else self._inside(found.x[:n])

    def nearest_squared(self, true: FloatArray, beta: float, start: FloatArray) -> FloatArray:
        """The least sum of (u - true)^2 / p at confidence beta, from a point that has it."""
        from scipy.optimize import LinearConstraint, minimize

        people = np.where(self.people > 0, self.people, 1.0)
        weight = np.repeat(1.0 / people, self.size)
        aim = true.ravel()
        total = np.kron(np.ones((self.blocks, self.m)), np.eye(self.size))
        rows = np.kron(np.eye(self.m), np.ones((1, self.size)))
        conditions = [
            LinearConstraint(self.single.toarray() - beta * total, -np.inf, 0.0),
            LinearConstraint(rows, self.people, self.people),
        ]
        found = minimize(
            lambda x: float((weight * (x - aim) ** 2).sum()),
            start.ravel(),
            jac=lambda x: 2 * weight * (x - aim),
            bounds=list(zip(self.low.ravel(), self.high.ravel(), strict=True)),
            constraints=conditions,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-15},
        )
        return self._inside(found.x) if found.success else start

    def _inside(self, values: Any) -> FloatArray:
        """The solver's point, cut to its box, with every row moved inside it until it adds up.

        What is only the solver's tolerance counts as nothing: the shares inside a total of 1e-9 mean nothing.
        """
        u = np.clip(np.asarray(values, dtype=np.float64).reshape(self.m, self.size), self.low, self.high)
        u[(u < NOTHING) & (self.low <= 0)] = 0.0
        quiet = (u.sum(axis=0) < QUIET) & (self.low.max(axis=0) <= 0)
        u[:, quiet] = 0.0
        for used in (u > 0, np.ones_like(u, dtype=bool)):
            gap = self.people - u.sum(axis=1)
            room = np.where(gap[:, None] > 0, self.high - u, u - self.low) * used
            width = room.sum(axis=1)
            share = np.divide(np.abs(gap), width, out=np.zeros_like(gap), where=width > 0)
            u = u + np.sign(gap)[:, None] * np.minimum(share, 1.0)[:, None] * room
            if not (np.abs(self.people - u.sum(axis=1)) > 1e-15).any():
                break
        return np.asarray(u)


def _solve(cost: Any, upper: Any, upper_right: Any, same: Any, right: Any, bounds: Any) -> Any:
    """A linear program by HiGHS with the tightest tolerances it takes; None where it has no solution."""
    from scipy.optimize import linprog

    for tolerance in (1e-10, 1e-9, 1e-7):  # the tightest that it manages
        options = {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance}
        found = linprog(cost, upper, upper_right, same, right, bounds, method="highs", options=options)
        if found.status == 0:
            return found
    return None
