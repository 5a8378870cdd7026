"""Proofs of optimality: prices and a tree of boxes that the checker can follow without solving anything."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates.optimality import optimal_utility
from liftgate.channel import Channel
from liftgate.joint import Joint
from liftgate.mechanisms.grouped import Grouped, limits_of

if TYPE_CHECKING:
    from liftgate.mechanisms._solver.polytope import Polytope

Floats = NDArray[np.float64]
GRIDS = (12, 16, 20, 26, 32)
MOST_LEAVES = 200_000
_PLACES = 10**12


@dataclass(frozen=True, eq=False)
class Proof:
    """No channel inside the budget keeps more than ``bound`` nats; the channel given keeps at least ``utility``.

    ``share`` is the bound as a share of H(X), rounded up.
    """

    utility: Fraction
    bound: Fraction
    share: Fraction
    evidence: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """What :func:`liftgate.certificates.optimality.optimal_utility` writes into a certificate."""
        return {"utility": self.utility, "bound": self.bound, "evidence": dict(self.evidence)}


def can_be_proven(budget: Budget) -> bool:
    """Whether the checker has a rule for this budget: alpha-lift only of whole order."""
    return budget.order is None or budget.order.denominator == 1


def prove(
    joint: Joint,
    budget: Budget,
    channel: Channel,
    grouped: Grouped,
    prices: Floats,
    points: tuple[Floats, ...],
    gap: float,
    seconds: float,
    crowding: float = 1.0,
) -> Proof | str:
    """A proof that ``channel`` is within ``gap`` (NMI) of the best, accepted by the checker; else why there is none.

    ``prices`` are those of the search; they are shifted so that the bound lies ``gap`` above what the channel keeps.
    ``crowding`` is how much longer than its own work anything takes on this machine now: the checker cannot be stopped,
    so a proof that it could not decide within ``seconds``, here and once more for the release, is given up before.
    """
    begin = time.perf_counter()
    table = checker.counts_of(joint.counts.tolist())
    kept = Fraction(checker.information(table, channel_shares(channel)), 1 << checker.UNIT)
    utility = Fraction(math.floor(kept * _PLACES), _PLACES)
    h_low, h_up = (
        Fraction(sum(c * checker.ln(table.total, c)[end] for c in table.columns), table.total << checker.UNIT)
        for end in (0, 1)
    )
    aimed = float(h_up - utility) - 0.98 * gap * float(h_up)
    pi = prices + (aimed - float(prices @ grouped.public))
    pi_bits = min(60, max(8, math.ceil(-math.log2(gap * float(h_up) / 64))))
    whole = [math.floor(p * 2.0**pi_bits) for p in pi]
    masses = [sum(int(joint.public_counts[x]) for x in g) for g in grouped.groups]
    credit = Fraction(sum(p * c for p, c in zip(whole, masses, strict=True)), table.total << pi_bits)
    bound = Fraction(math.ceil((h_up - credit) * _PLACES), _PLACES)
    exact = np.array([p / 2.0**pi_bits for p in whole])
    work = 2 * len(masses) * _pace(len(table.rows)) * crowding
    for bits in GRIDS:
        left = seconds - (time.perf_counter() - begin)
        grown = _tree(budget, grouped, points, exact, bits, left, min(MOST_LEAVES, int(0.7 * left / work)))
        if isinstance(grown, str):
            return grown
        if grown is None:
            continue
        if len(grown) / 2 * work > seconds - (time.perf_counter() - begin):
            return f"no time is left for the checker to decide {len(grown):,} boxes"
        evidence = {"bits": bits, "pi_bits": pi_bits, "pi": whole, "tree": grown}
        proof = Proof(utility, bound, min(Fraction(1), _above(bound / h_low)), evidence)
        verdict = checker.check(optimal_utility(joint, channel, budget, proof.to_dict(), ()))
        return proof if verdict.holds else f"the checker refused the proof: {verdict.reason}"
    return "no grid is fine enough: the search has not converged to this gap"


def _pace(m: int) -> float:
    """Seconds of work of the checker for one column of one leaf."""
    y, column, h = [3] * m, list(range(1, m + 1)), 1 << 120
    begin, rounds = time.thread_time(), 200
    for _ in range(rounds):
        slope = (sum(a * b for a, b in zip(y, column, strict=True)) << 100) // 77
        min(h - slope * 3, h - slope * 5)
    return (time.thread_time() - begin) / rounds


def channel_shares(channel: Channel) -> list[dict[int, int]]:
    """The channel in the form the checker computes with."""
    return [dict(output) for output in channel.outputs()]


def _above(value: Fraction) -> Fraction:
    return Fraction(math.ceil(value * _PLACES), _PLACES)


def _tree(
    budget: Budget, grouped: Grouped, points: tuple[Floats, ...], pi: Floats, bits: int, seconds: float, leaves: int
) -> list[list[int]] | str | None:
    """The tree on one grid; None when the grid is too coarse, or why it was given up."""
    from liftgate.mechanisms._solver import tree
    from liftgate.mechanisms._solver.convex import tangents
    from liftgate.mechanisms._solver.polytope import build

    limits = limits_of(budget)
    m, n = grouped.lift.shape
    pieces = [tangents(limits.convex, float(grouped.sensitive[s]), points[s], True) for s in range(m) if limits.convex]
    polytope = build(grouped.lift, grouped.sensitive, grouped.public, limits, pieces, room=1.0)
    kind = {"alip": tree.LIFTS, "ldp": tree.RATIO, "l1": tree.L1}.get(budget.kind, tree.TANGENTS)
    names = {"chi2": tree.CHI2, "alpha": tree.ALPHA, "alpha-inverse": tree.INVERSE}
    shapes = [names[b.kind] for b in limits.convex] if kind == tree.TANGENTS else []
    caps = {"alip": [limits.low, limits.up], "ldp": [limits.ratio]}.get(budget.kind, [b.limit for b in limits.convex])
    order = float(budget.order) if budget.order is not None else 2.0
    width = m + 3 + len(shapes)
    state = _State(polytope, width, leaves)
    begin = time.perf_counter()
    batch = 10
    while True:
        started, before = time.perf_counter(), int(state.count[1])
        code = tree.grow(
            polytope.rows, n, m, kind, pi, grouped.lift * grouped.sensitive[:, None], grouped.sensitive,
            np.array(shapes, dtype=np.int64), order, np.array(caps), bits, *state.slots, state.count, state.out, batch,
        )  # fmt: skip
        if code == 0:
            return _nodes(state.out[: state.count[1]], width)
        if code == 3:
            return None
        if time.perf_counter() - begin > seconds:
            return f"no proof within the time limit ({int(state.count[1]):,} boxes)"
        if state.count[1] > 2 * leaves:
            return f"the proof needs more than {leaves:,} boxes"
        if code == 2:
            state.widen()
        took = time.perf_counter() - started
        batch = int(min(max(5, (state.count[1] - before) * 0.05 / max(took, 1e-6)), 4 * batch, 50_000))


class _State:
    """The open boxes and the nodes written so far."""

    def __init__(self, polytope: Polytope, width: int, leaves: int) -> None:
        rows, columns = polytope.rows.shape
        n = columns - 1
        self.slots = [
            np.zeros((64, rows, columns)), np.zeros((64, n)), np.zeros((64, rows), dtype=np.int64), np.zeros((64, n)),
            np.zeros((64, n)), np.zeros((64, columns)), np.zeros(64, dtype=np.int64),
        ]  # fmt: skip
        _, points, heads, lows, highs, _, ages = self.slots
        points[0], heads[0], lows[0], highs[0], ages[0] = (
            polytope.start,
            polytope.basis,
            polytope.low,
            polytope.high,
            99,
        )
        self.count = np.array([1, 0], dtype=np.int64)
        self.out = np.zeros((1024, width))

    def widen(self) -> None:
        """Twice the room."""
        if self.count[0] >= len(self.slots[0]):
            self.slots = [np.concatenate([a, np.zeros_like(a)]) for a in self.slots]
        if self.count[1] >= len(self.out):
            self.out = np.concatenate([self.out, np.zeros_like(self.out)])


def _nodes(out: Floats, width: int) -> list[list[int]]:
    """The rows of whole numbers as the evidence writes them."""
    return [[int(v) for v in (row[1:3] if row[0] == 0 else row[1:width])] for row in out.tolist()]
