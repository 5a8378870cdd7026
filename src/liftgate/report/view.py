"""View: what a page needs to know about a joint under a budget, decided once and exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.exact import fits_int64, largest
from liftgate.joint import Joint
from liftgate.labels import label_texts
from liftgate.report import words
from liftgate.report.figures.gate import Span

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
_TIES = 2000


@dataclass(frozen=True)
class Side:
    """A measure that a budget on whole values bounds: its number for each value, the bound, and what silence measures."""

    name: str
    values: Floats
    bound: Fraction
    least: float


@dataclass(frozen=True, eq=False)
class View:
    """A joint, the cells that break the budget, and everything pages say about them.

    ``outside[s, x]`` are the decided cells; for a budget on whole values (all kinds but ``alip``) every cell of a
    value that breaks it.
    """

    joint: Joint
    budget: Budget | None
    outside: Flags

    # ---- names ---------------------------------------------------------------------------------

    @cached_property
    def public(self) -> str:
        """The public columns as a phrase."""
        return words.column_name(self.joint.source.public, "public")

    @cached_property
    def sensitive(self) -> str:
        """The sensitive columns as a phrase."""
        return words.column_name(self.joint.source.sensitive, "sensitive")

    @cached_property
    def public_texts(self) -> list[str]:
        """The public values as people read them."""
        return [words.visible(t) for t in label_texts(self.joint.public)]

    @cached_property
    def sensitive_texts(self) -> list[str]:
        """The sensitive values as people read them."""
        return [words.visible(t) for t in label_texts(self.joint.sensitive)]

    # ---- the budget ----------------------------------------------------------------------------

    @property
    def by_cell(self) -> bool:
        """Whether the budget bounds every lift, so that single cells can break it."""
        return self.budget is not None and self.budget.kind == "alip"

    @property
    def low(self) -> Fraction | None:
        """The lower bound on lift, where the budget has one."""
        return self.budget.low if self.budget is not None and self.by_cell else None

    @property
    def up(self) -> Fraction | None:
        """The upper bound on lift, where the budget has one."""
        return self.budget.up if self.budget is not None and self.by_cell else None

    @cached_property
    def bad(self) -> Flags:
        """Which public values break the budget."""
        return np.asarray(self.outside.any(axis=0))

    @cached_property
    def below(self) -> Flags:
        """Cells under the lower bound."""
        return np.asarray(self.outside & self._rarer) if self.by_cell else np.zeros_like(self.outside)

    @cached_property
    def above(self) -> Flags:
        """Cells over the upper bound."""
        return np.asarray(self.outside & ~self._rarer) if self.by_cell else np.zeros_like(self.outside)

    @cached_property
    def _rarer(self) -> Flags:
        """Cells with a lift below 1, exactly."""
        j = self.joint
        a, b = j.sensitive_counts, j.public_counts
        if fits_int64(largest(a), largest(b)) and fits_int64(largest(j.counts), j.total):
            return np.asarray(j.counts * j.total < np.multiply.outer(a, b))
        wide = np.multiply.outer(a.astype(object), b.astype(object))
        return np.asarray(j.counts.astype(object) * j.total < wide, dtype=np.bool_)

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """What a budget on whole values bounds, as floats to draw; the decisions are in ``bad``."""
        budget = self.budget
        if budget is None or self.by_cell:
            return ()
        lift, prior = self.lift, self.prior[:, None]
        if budget.kind == "ldp":
            assert budget.up is not None
            odds = np.full(lift.shape[1], math.inf)
            np.divide(lift.max(axis=0), lift.min(axis=0), out=odds, where=lift.min(axis=0) > 0)
            return (Side("largest over smallest lift", odds, budget.up, 1.0),)
        inverse = np.full(lift.shape, math.inf)
        np.divide(1.0, lift, out=inverse, where=lift > 0)
        name = f"alpha-lift-{budget.order}" if budget.kind == "alpha" else f"{budget.kind}-lift"
        least = 1.0 if budget.kind == "alpha" else 0.0
        out = []
        for ratio, bound, word in ((lift, budget.up, name), (inverse, budget.low, f"{name}-inverse")):
            if bound is not None:
                out.append(Side(word, _mean(budget, ratio, prior), bound, least))
        return tuple(out)

    @cached_property
    def worst_side(self) -> Side | None:
        """The bounded measure that is used up most."""
        return max(self.sides, key=lambda s: float(_used(s).max())) if self.sides else None

    # ---- lifts ---------------------------------------------------------------------------------

    @cached_property
    def lift(self) -> Floats:
        """Every lift, to look at."""
        return self.joint.lift

    @cached_property
    def prior(self) -> Floats:
        """The share of each sensitive value, to look at."""
        return self.joint.prior

    @cached_property
    def total(self) -> int:
        """All rows, or shares."""
        return self.joint.total

    @cached_property
    def sensitive_counts(self) -> list[int]:
        """How often each sensitive value occurs."""
        return [int(n) for n in self.joint.sensitive_counts]

    @cached_property
    def public_counts(self) -> list[int]:
        """How often each public value occurs."""
        return [int(n) for n in self.joint.public_counts]

    def lift_at(self, s: int, x: int) -> Fraction:
        """One lift, exactly."""
        return Fraction(int(self.joint.counts[s, x]) * self.total, self.sensitive_counts[s] * self.public_counts[x])

    @cached_property
    def smallest(self) -> Floats:
        """The smallest lift of every public value."""
        return np.asarray(self.lift.min(axis=0))

    @cached_property
    def largest(self) -> Floats:
        """The largest lift of every public value."""
        return np.asarray(self.lift.max(axis=0))

    @cached_property
    def least(self) -> tuple[int, int]:
        """The cell with the smallest lift."""
        return self._extreme(-1)

    @cached_property
    def most(self) -> tuple[int, int]:
        """The cell with the largest lift."""
        return self._extreme(1)

    def span(self, name: str) -> Span:
        """The range of all lifts as a row of the gate."""
        return Span(
            name, self.lift_at(*self.least), self.lift_at(*self.most), bool(self.below.any()), bool(self.above.any())
        )

    @cached_property
    def stray(self) -> Floats:
        """How far every public value strays: over 1 outside the budget; without one, the largest factor of belief."""
        if self.sides:
            return np.asarray(np.max([_used(s) for s in self.sides], axis=0))
        low = 1.0 if self.low is None else float(self.low)
        up = 1.0 if self.up is None else float(self.up)
        down = np.zeros(len(self.smallest))
        if low > 0:
            down = np.full(len(self.smallest), math.inf)
            np.divide(low, self.smallest, out=down, where=self.smallest > 0)
        return np.maximum(down, self.largest / up)

    @cached_property
    def order(self) -> list[int]:
        """Public values, those outside first, then by how far they stray, then by people."""
        counts = self.public_counts
        return sorted(range(len(counts)), key=lambda x: (not self.bad[x], -self.stray[x], -counts[x], x))

    def excess(self) -> Floats:
        """People too many or too few in each cell: n(x) |P(s | x) - b P(s)| at the bound b that is nearer, 0 inside."""
        n_x = np.array(self.public_counts, dtype=np.float64)[None, :]
        prior, lift = self.prior[:, None], self.lift
        low = 1.0 if self.low is None else float(self.low)
        up = 1.0 if self.up is None else float(self.up)
        return np.asarray(np.maximum(np.maximum(low - lift, lift - up), 0.0) * prior * n_x)

    def share(self, values: Flags) -> Fraction:
        """The share of people with one of these public values, exactly."""
        return Fraction(sum(self.public_counts[x] for x in np.flatnonzero(values)), self.total)

    def _extreme(self, way: int) -> tuple[int, int]:
        """The exact extreme among the cells that are extreme as floats."""
        lift = self.lift
        best = lift.max() if way > 0 else lift.min()
        cells = np.argwhere(lift >= best * (1 - 1e-12) if way > 0 else lift <= best * (1 + 1e-12))[:_TIES]
        s, x = max(cells.tolist(), key=lambda c: way * self.lift_at(*c))
        return int(s), int(x)


def _mean(budget: Budget, ratio: Floats, prior: Any) -> Floats:
    if budget.kind == "l1":
        return np.asarray((prior * np.abs(ratio - 1)).sum(axis=0))
    if budget.kind == "chi2":
        return np.asarray((prior * (ratio - 1) ** 2).sum(axis=0))
    assert budget.order is not None
    order = float(budget.order)
    top = ratio.max(axis=0)
    scaled = np.divide(ratio, top, out=np.ones_like(ratio), where=np.isfinite(top) & (top > 0))
    return np.asarray(top * (prior * scaled**order).sum(axis=0) ** (1 / order))


def _used(side: Side) -> Floats:
    """How much of its bound a measure uses."""
    room = float(side.bound) - side.least
    if room <= 0:
        return np.where(side.values > side.least, math.inf, 1.0)
    return np.asarray((side.values - side.least) / room)
