"""The block decomposition of a pair of laws under a relation: one list of ratios that answers every question.

Blocks ``(A_i, B_i)`` with masses ``p_i``, ``q_i`` and strictly falling ratios ``p_i / q_i`` such that labels of ``A_i`` are
only related to labels of ``B_1 .. B_i``, and inside a block an exact flow carries all of ``p_i``. Then the least delta at
any ``t = e^eps`` is ``sum_i max(0, p_i - t q_i)`` (STAR Thm. 20 with equality in both directions). The printed network has a negative capacity
where delta is far too small (erratum E52), and the delta_n of its second proof depends on the set (erratum E53).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgate.couplings import interval_kernels, kernels
from liftgate.couplings.laws import Law, whole_array
from liftgate.couplings.relations import Graph, Intervals, Ints, Matching, Relation, Reversed, listable
from liftgate.errors import UsageError

Engine = Literal["auto", "exact", "int64", "guess"]
SMALL = 2_000  # below this many edges or labels the lists of Python are as fast as compiling
_SAFE = 1 << 62
_GUESS_BITS = 30
Segment = tuple[int, int, int, int]
Parts = tuple[list[int], list[int]]  # left and right positions


@dataclass(frozen=True)
class Blocks:
    """Blocks as whole numbers: block ``i`` has mass ``p / left.scale`` and ``q / right.scale`` with ``(p, q) = masses[i]``.

    ``amount`` is the flow from ``source`` to ``target``; in block ``i`` one unit is ``g / (q left.scale)`` of left mass and
    ``g / (p right.scale)`` of right mass, with ``g = gcd(p, q)``. Labels without mass are in block -1.
    """

    masses: tuple[tuple[int, int], ...]
    left_block: Ints
    right_block: Ints
    source: Ints
    target: Ints
    amount: NDArray[Any]


def decompose(left: Law, right: Law, relation: Relation, engine: Engine = "auto") -> Blocks:
    """The block decomposition, exact for rational masses of any size.

    ``engine`` picks the arithmetic: whole numbers of any size, int64 (refused where a product could reach 2^62), or a
    guess in int64 whose every block is then verified, and repaired where needed, in whole numbers of any size.
    """
    if isinstance(relation, Matching):
        return _matching(left.weights, right.weights, relation)
    if isinstance(relation, Reversed):
        listable(relation)
        relation = Graph.of_rows([list(relation.row(i)) for i in range(len(left))], len(right))
    assert isinstance(relation, Graph | Intervals)
    part = Part(left, right, relation)
    segments, flows = part.solve(_pick(engine, part.w1, part.w2, part.size))
    return _assemble(left, right, part, segments, flows)


def _pick(engine: Engine, w1: list[int], w2: list[int], size: int) -> Engine:
    safe = sum(w1) * sum(w2) < _SAFE
    if engine == "int64" and not safe:
        raise UsageError("engine", "the masses are too fine for int64", 'use engine="auto"')
    if engine != "auto":
        return engine
    if size < SMALL:
        return "exact"
    return "int64" if safe else "guess"


def _by_ratio(p: list[int], q: list[int]) -> list[int]:
    """Positions by falling ratio p/q, exactly: the floors of p 2^k / q differ wherever the ratios do."""
    shift = 2 * max(v.bit_length() for v in q)
    keys = [-((a << shift) // b) for a, b in zip(p, q, strict=True)]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _matching(w1: tuple[int, ...], w2: tuple[int, ...], relation: Matching) -> Blocks:
    """Closed form: every matched pair is a block of its own; equal ratios share one."""
    n, m = relation.shape
    pairs = [(i, int(j)) for i, j in enumerate(relation.to.tolist()) if j >= 0 and w1[i] > 0 and w2[j] > 0]
    left_block, right_block = [-1] * n, [-1] * m
    alone = [i for i in range(n) if w1[i] > 0 and not (relation.to[i] >= 0 and w2[relation.to[i]] > 0)]
    masses: list[tuple[int, int]] = []
    if alone:
        masses.append((sum(w1[i] for i in alone), 0))
        for i in alone:
            left_block[i] = 0
    order: list[int] = []
    if pairs:
        order = _by_ratio([w1[i] for i, _ in pairs], [w2[j] for _, j in pairs])
        last: tuple[int, int] | None = None
        for k in order:
            i, j = pairs[k]
            if last is not None and w1[i] * last[1] == w2[j] * last[0]:
                masses[-1] = (masses[-1][0] + w1[i], masses[-1][1] + w2[j])
            else:
                masses.append((w1[i], w2[j]))
                last = (w1[i], w2[j])
            left_block[i] = right_block[j] = len(masses) - 1
    bare = [j for j in range(m) if w2[j] > 0 and right_block[j] < 0]
    if bare:
        for j in bare:
            right_block[j] = len(masses)
        masses.append((0, sum(w2[j] for j in bare)))
    units = [q // gcd(p, q) for p, q in masses]
    amount = [w1[pairs[k][0]] * units[left_block[pairs[k][0]]] for k in order]
    return Blocks(
        tuple(masses),
        np.array(left_block, dtype=np.int64),
        np.array(right_block, dtype=np.int64),
        np.array([pairs[k][0] for k in order], dtype=np.int64),
        np.array([pairs[k][1] for k in order], dtype=np.int64),
        whole_array(amount),
    )


@dataclass
class Cell:
    """A guessed part of the partition; once solved, its blocks and the masses of the first and of the last."""

    left: list[int]
    right: list[int]
    blocks: list[Parts]
    ends: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))


class Part:
    """The labels with mass and at least one partner with mass, numbered anew, and the work on them."""

    def __init__(self, left: Law, right: Law, relation: Graph | Intervals) -> None:
        heavy_l, heavy_r = ((law.units > 0).astype(bool) for law in (left, right))
        if isinstance(relation, Intervals):
            places = heavy_r[relation.order]
            rank = np.concatenate([[0], np.cumsum(places)])
            low, high = rank[relation.low], rank[relation.high]
            order = relation.order[places]
            self.lefts = np.flatnonzero(heavy_l & (low < high))
            low, high = low[self.lefts], high[self.lefts]
            step = np.zeros(len(order) + 1, dtype=np.int64)
            np.add.at(step, low, 1)
            np.add.at(step, high, -1)
            met = np.cumsum(step[:-1]) > 0
            rank = np.concatenate([[0], np.cumsum(met)])
            self.rights = order[met]
            self.low, self.high = rank[low], rank[high]
            self.size = len(self.lefts) + len(self.rights)
        else:
            owner = np.repeat(np.arange(len(left)), np.diff(relation.start))
            keep = heavy_l[owner] & heavy_r[relation.targets]
            owner, to = owner[keep], relation.targets[keep]
            self.lefts, self.rights = np.unique(owner), np.unique(to)
            self.owner = np.searchsorted(self.lefts, owner)
            self.to = np.searchsorted(self.rights, to)
            self.start = np.searchsorted(self.owner, np.arange(len(self.lefts) + 1))
            self.size = len(self.to)
        self.intervals = isinstance(relation, Intervals)
        self.units1, self.units2 = left.units[self.lefts], right.units[self.rights]
        self.w1: list[int] = self.units1.tolist()
        self.w2: list[int] = self.units2.tolist()

    def solve(self, engine: Engine) -> tuple[list[Parts], tuple[Any, Any, Any]]:
        """Blocks as positions of the part, in order, and their flows."""
        n, m = len(self.w1), len(self.w2)
        whole = [(list(range(n)), list(range(m)))]
        if n == 0:
            return [], ([], [], [])
        if engine == "exact":
            return self.run(self.w1, self.w2, whole, fast=False)
        if engine == "int64":
            return self.run(self.w1, self.w2, whole, fast=True)
        guess, _ = self.run(_rounded(self.w1), _rounded(self.w2), whole, fast=True)
        return self.repair(guess)

    def run(
        self, w1: list[int], w2: list[int], seeds: list[Parts], fast: bool
    ) -> tuple[list[Parts], tuple[Any, Any, Any]]:
        """Divide and conquer from seed segments; edges that leave their seed are left out."""
        left = [i for a, _ in seeds for i in a]
        right = [j for _, b in seeds for j in b]
        bounds: list[int] = []
        for a, b in seeds:
            l0, r0 = (bounds[-3], bounds[-1]) if bounds else (0, 0)
            bounds += [l0, l0 + len(a), r0, r0 + len(b)]
        make: Any = (lambda v: np.array(v, dtype=np.int64)) if fast else list
        state = [make(w1), make(w2), make(left), make(right), make(bounds)]
        segments, flows = (self._intervals if self.intervals else self._graph)(state, make, fast)
        left, right = (v.tolist() if fast else v for v in (state[2], state[3]))
        return [(left[a:b], right[c:d]) for a, b, c, d in segments], flows

    def _graph(self, state: list[Any], make: Any, fast: bool) -> tuple[list[Segment], tuple[Any, Any, Any]]:
        n, m, edges = len(self.w1), len(self.w2), len(self.to)
        first, to, owner = self.start[:-1].copy(), self.to.copy(), self.owner
        last = _only_inside(state[2], state[3], state[4], first, self.start[1:].copy(), to, owner, m)

        def zeros(size: int) -> Any:
            return np.zeros(size, dtype=np.int64) if fast else [0] * size

        first, last, to, owner = (v.astype(np.int64) if fast else v.tolist() for v in (first, last, to, owner))
        flow = zeros(edges)
        if fast:
            from liftgate.couplings.compiled import compiled

            solve = compiled()["solve_graph"]
        else:
            solve = kernels.solve_graph
        segments = solve(
            *state, first, last, to, owner, flow, zeros(n), zeros(m), zeros(m), zeros(m), zeros(edges), zeros(edges),
            zeros(n), zeros(m), zeros(n), zeros(m), zeros(n + m + 2), zeros(max(n, m)),
        )  # fmt: skip
        inside = np.zeros(edges + 1, dtype=np.int64)
        np.add.at(inside, np.asarray(first), 1)
        np.add.at(inside, np.asarray(last), -1)
        used = np.flatnonzero((np.cumsum(inside[:-1]) > 0) & (np.asarray(flow, dtype=None if fast else object) > 0))
        amount = flow[used] if fast else [flow[e] for e in used.tolist()]
        return segments, (np.asarray(owner)[used], np.asarray(to)[used], amount)

    def _intervals(self, state: list[Any], make: Any, fast: bool) -> tuple[list[Segment], tuple[Any, Any, Any]]:
        n, m = len(self.w1), len(self.w2)
        low, high = _ranks_inside(state[2], state[3], state[4], self.low.copy(), self.high.copy(), m)

        def zeros(size: int) -> Any:
            return np.zeros(size, dtype=np.int64) if fast else [0] * size

        low, high = (v.astype(np.int64) if fast else v.tolist() for v in (low, high))
        out = [zeros(n + m) for _ in range(3)]
        if fast:
            from liftgate.couplings.compiled import compiled

            solve = compiled()["solve_intervals"]
        else:
            solve = interval_kernels.solve_intervals
        segments, written = solve(
            *state, low, high, zeros(n), zeros(m), zeros(m + 1), zeros(n), zeros(m + 1), zeros(n + m), zeros(n + m),
            zeros(n), zeros(m + 1), zeros(max(n, m)), zeros(m + 1), *out,
        )  # fmt: skip
        return segments, (out[0][:written], out[1][:written], out[2][:written])

    def repair(self, guess: list[Parts]) -> tuple[list[Parts], tuple[Any, Any, Any]]:
        """Verify a guessed partition: solve every guess exactly, merge neighbours whose blocks are out of order, go on.

        The guess respects the edges by construction, so a partition into saturated blocks with strictly falling ratios is
        the decomposition; every round either ends or has fewer guesses than the one before. What is not merged stays
        solved, and guesses whose products fit are solved in int64.
        """
        cells = [Cell(a, b, []) for a, b in guess]
        batches: list[tuple[Any, Any, Any]] = []
        latest = np.full(len(self.w1), -1)  # the batch that solved a left position last
        while True:
            for fast in (True, False):
                todo = [cell for cell in cells if not cell.blocks and self._fits(cell) is fast]
                if todo:
                    blocks, flows = self.run(self.w1, self.w2, [(cell.left, cell.right) for cell in todo], fast)
                    home = {i: cell for cell in todo for i in cell.left}
                    for block in blocks:
                        home[block[0][0]].blocks.append(block)
                    for cell in todo:
                        cell.ends = self._ratio(cell.blocks[0]), self._ratio(cell.blocks[-1])
                    latest[list(home)] = len(batches)
                    batches.append(flows)
            merged = self._merged(cells)
            if len(merged) == len(cells):
                kept = [
                    np.flatnonzero(latest[np.asarray(s, dtype=np.int64)] == k) for k, (s, _, _) in enumerate(batches)
                ]
                source, target = (
                    np.concatenate([np.asarray(batch[side], dtype=np.int64)[at] for batch, at in zip(batches, kept, strict=True)])
                    for side in (0, 1)
                )  # fmt: skip
                amount = [int(b[2][e]) for b, at in zip(batches, kept, strict=True) for e in at.tolist()]
                return [block for cell in cells for block in cell.blocks], (source, target, amount)
            cells = merged

    def _ratio(self, block: Parts) -> tuple[int, int]:
        return sum(self.w1[i] for i in block[0]), sum(self.w2[j] for j in block[1])

    def _fits(self, cell: Cell) -> bool:
        p, q = self._ratio((cell.left, cell.right))
        return p * q < _SAFE

    def _merged(self, cells: list[Cell]) -> list[Cell]:
        """Neighbours put together, unsolved, where the last ratio of one is not above the first of the next."""
        out: list[Cell] = []
        last = (1, 0)
        for cell in cells:
            first = cell.ends[0]
            if last[0] * first[1] <= first[0] * last[1]:
                before, right = out.pop(), cell.right
                right = sorted(before.right + right) if self.intervals else before.right + right
                out.append(Cell(before.left + cell.left, right, []))
            else:
                out.append(cell)
            last = cell.ends[1]
        return out


def _rounded(weights: list[int]) -> list[int]:
    """Weights cut to a total below 2^31, positive staying positive."""
    total = sum(weights)
    room = (1 << _GUESS_BITS) - len(weights)
    return [max(1, w * room // total) for w in weights]


def _seed_of(order: Any, bounds: Any, offset: int, size: int, outside: int) -> NDArray[np.int64]:
    """The seed in which every position lies."""
    out = np.full(size, outside, dtype=np.int64)
    for s in range(len(bounds) // 4):
        out[np.asarray(order[bounds[4 * s + offset] : bounds[4 * s + offset + 1]], dtype=np.int64)] = s
    return out


def _only_inside(left: Any, right: Any, bounds: Any, first: Ints, last: Ints, to: Ints, owner: Ints, m: int) -> Ints:
    """Edges that stay inside their seed come first in each row; the new row ends."""
    if len(bounds) == 4 and len(left) == len(first):
        return last
    inside = _seed_of(left, bounds, 0, len(first), -1)[owner] == _seed_of(right, bounds, 2, m, -2)[to]
    order = np.lexsort((~inside, owner))
    to[:] = to[order]
    counts: Ints = np.bincount(owner[inside], minlength=len(first)).astype(np.int64)
    return first + counts


def _ranks_inside(left: Any, right: Any, bounds: Any, low: Ints, high: Ints, m: int) -> tuple[Ints, Ints]:
    """Intervals counted in the right labels of their own seed."""
    if len(bounds) == 4 and len(left) == len(low):
        return low, high
    for s in range(len(bounds) // 4):
        l0, l1, r0, r1 = (int(v) for v in bounds[4 * s : 4 * s + 4])
        lefts, rights = np.asarray(left[l0:l1], dtype=np.int64), np.asarray(right[r0:r1], dtype=np.int64)
        low[lefts] = np.searchsorted(rights, low[lefts])
        high[lefts] = np.searchsorted(rights, high[lefts])
    return low, high


def _assemble(left: Law, right: Law, part: Part, segments: list[Parts], flows: tuple[Any, Any, Any]) -> Blocks:
    """Blocks in original positions and units, with the labels that have no partner in blocks of their own."""
    left_block, right_block = (np.full(len(law), -1, dtype=np.int64) for law in (left, right))
    alone, bare = (
        np.flatnonzero((law.units > 0).astype(bool) & ~np.isin(np.arange(len(law)), paired))
        for law, paired in ((left, part.lefts), (right, part.rights))
    )
    masses: list[tuple[int, int]] = []
    if alone.size:
        left_block[alone] = 0
        masses.append((sum(left.units[alone].tolist()), 0))
    for a, b in segments:
        lefts, rights = part.lefts[a], part.rights[b]
        left_block[lefts] = len(masses)
        right_block[rights] = len(masses)
        masses.append((sum(left.units[lefts].tolist()), sum(right.units[rights].tolist())))
    if bare.size:
        right_block[bare] = len(masses)
        masses.append((0, sum(right.units[bare].tolist())))
    source, target = (
        side[np.asarray(at, dtype=np.int64)] for side, at in ((part.lefts, flows[0]), (part.rights, flows[1]))
    )
    return Blocks(tuple(masses), left_block, right_block, source, target, whole_array(flows[2]))


def as_fractions(blocks: Blocks, left: Law, right: Law) -> list[tuple[Fraction, Fraction]]:
    """The masses of the blocks as fractions."""
    return [(Fraction(p, left.scale), Fraction(q, right.scale)) for p, q in blocks.masses]
