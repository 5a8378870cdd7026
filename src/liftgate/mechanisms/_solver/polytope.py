"""The posteriors a budget allows, as a polytope ``A u = b, lo <= u <= hi`` that the kernels understand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.mechanisms._solver.convex import Convex, Pieces

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Limits:
    """A budget in floats: lift bounds, a ratio bound (LDP), and convex budgets; any of them together."""

    low: float = 0.0
    up: float = math.inf
    ratio: float = math.inf
    convex: tuple[Convex, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """Rows with the right side as last column, bounds, rows ``G v >= 0`` that follow, and a feasible start."""

    rows: Floats
    low: Floats
    high: Floats
    follow: Floats
    symbols: int
    start: Floats
    basis: Whole

    @property
    def width(self) -> int:
        """Number of variables."""
        return int(self.rows.shape[1]) - 1


def lifts(joint: Floats) -> tuple[Floats, Floats, Floats]:
    """Lift matrix, prior of the sensitive value and prior of the public value of a table of masses."""
    total = float(joint.sum())
    sensitive = joint.sum(axis=1) / total
    public = joint.sum(axis=0) / total
    return joint / total / sensitive[:, None] / public[None, :], sensitive, public


def build(
    lift: Floats,
    sensitive: Floats,
    public: Floats,
    limits: Limits,
    pieces: Sequence[Pieces] = (),
    room: float = 0.0,
) -> Polytope:
    """Posteriors ``v`` with ``low <= L v <= up``, ``max L v <= ratio min L v`` and piecewise linear convex budgets.

    ``public`` is the mean to be mixed and has to be inside. ``pieces`` has one entry per sensitive value: the kinks
    of its lift, and per budget the slope of every piece. With ``room`` bounds that follow from others are moved away,
    so that no multiplier can lean on them.
    """
    m, n = lift.shape
    mean = lift @ public
    low = np.full(m, max(limits.low, 0.0))
    top = np.minimum(limits.up, np.maximum(lift.max(axis=1), 1.0) * (1.0 + room) + room)
    use_ratio = math.isfinite(limits.ratio)
    if use_ratio and not room:
        low = np.maximum(low, 1.0 / limits.ratio)
        top = np.minimum(top, limits.ratio)
    if pieces:
        low = np.maximum(low, [p.kinks[0] for p in pieces])
        top = np.minimum(top, [p.kinks[-1] for p in pieces])
    follow = [lift - low[:, None]] if np.any(low > 0) else []
    tight = top < lift.max(axis=1) * (1 - 1e-12)
    if np.any(tight):
        follow.append((top[:, None] - lift)[tight])
    if use_ratio:
        follow += [limits.ratio * np.delete(lift, s, axis=0) - lift[s] for s in range(m)]
    kinds = [n]
    extra_low: list[float] = []
    extra_high: list[float] = []
    extra_start: list[float] = []
    entries: list[tuple[int, int, float]] = []
    right = [1.0]
    basis = [int(np.argmax(public))]
    if use_ratio:
        t = n
        extra_low.append(1.0 / limits.ratio)
        extra_high.append(1.0)
        extra_start.append(float(mean.min() + mean.max() / limits.ratio) / 2)
        rows_lift = np.vstack([lift, -lift])
        for s in range(2 * m):
            entries += [(1 + s, t, -1.0 if s < m else limits.ratio), (1 + s, n + 1 + s, -1.0)]
            extra_low.append(0.0)
            extra_high.append((limits.ratio - 1.0) * (1.0 + room) + room)
            extra_start.append(0.0)
            basis.append(n + 1 + s)
            right.append(0.0)
    elif not pieces:
        rows_lift = lift
        for s in range(m):
            entries.append((1 + s, n + s, -1.0))
            extra_low.append(float(low[s]))
            extra_high.append(float(top[s]))
            extra_start.append(1.0)
            basis.append(n + s)
            right.append(0.0)
    else:
        rows_lift = lift
    if pieces:
        shift = len(right) if use_ratio else 1
        if use_ratio:
            rows_lift = np.vstack([rows_lift, lift])
        budgets = len(limits.convex)
        spent = np.zeros(budgets)
        least = np.zeros(budgets)
        budget_row = shift + m
        for s, piece in enumerate(pieces):
            kinks = np.clip(piece.kinks, low[s], top[s])
            right.append(float(kinks[0]))
            home = -1
            running = np.array(piece.start, dtype=float)
            lowest = running.copy()
            for i in range(len(kinks) - 1):
                a, b = float(kinks[i]), float(kinks[i + 1])
                if b <= a:
                    continue
                j = n + len(extra_low)
                entries.append((shift + s, j, -1.0))
                for k in range(budgets):
                    entries.append((budget_row + k, j, sensitive[s] * piece.slopes[k][i] / limits.convex[k].limit))
                running = running + np.array([piece.slopes[k][i] for k in range(budgets)]) * (b - a)
                lowest = np.minimum(lowest, running)
                extra_low.append(0.0)
                extra_high.append(b - a)
                extra_start.append(min(max(float(mean[s]) - a, 0.0), b - a))
                if home < 0 or a < mean[s]:
                    home = j
            basis.append(home)
            spent += sensitive[s] * np.array(piece.start)
            least += sensitive[s] * lowest
        for k, budget in enumerate(limits.convex):
            j = n + len(extra_low)
            entries.append((budget_row + k, j, 1.0))
            extra_low.append(0.0)
            extra_high.append(max(1.0 - least[k] / budget.limit, 0.0))
            extra_start.append(0.0)
            right.append(1.0 - spent[k] / budget.limit)
            basis.append(j)
    kinds.append(len(extra_low))
    rows = np.zeros((len(right), n + len(extra_low) + 1))
    rows[0, :n] = 1.0
    rows[1 : 1 + len(rows_lift), :n] = rows_lift
    for r, j, a in entries:
        rows[r, j] = a
    rows[:, -1] = right
    follow_rows = np.vstack(follow) if follow else np.zeros((0, n))
    return Polytope(
        rows=rows,
        low=np.concatenate([np.zeros(n), extra_low]),
        high=np.concatenate([np.ones(n), extra_high]),
        follow=np.ascontiguousarray(follow_rows),
        symbols=n,
        start=np.concatenate([public, extra_start]),
        basis=np.array(basis, dtype=np.int64),
    )


def part(whole: Polytope, chosen: Whole) -> Polytope:
    """The face of a polytope on which only the chosen symbols appear (its start is not kept)."""
    keep = np.concatenate([chosen, np.arange(whole.symbols, whole.width)])
    return Polytope(
        rows=np.ascontiguousarray(whole.rows[:, np.append(keep, whole.width)]),
        low=whole.low[keep].copy(),
        high=whole.high[keep].copy(),
        follow=np.ascontiguousarray(whole.follow[:, chosen]),
        symbols=len(chosen),
        start=whole.start[keep].copy(),
        basis=whole.basis.copy(),
    )
