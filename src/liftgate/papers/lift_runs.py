"""Sweeps: a mechanism at one budget after another, on one table or on many."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.mechanisms import MECHANISMS, utility
from liftgate.mechanisms.as_printed import literal_blocks, subset_merging, watchdog
from liftgate.mechanisms.blocks import block_channel
from liftgate.papers.clock import Clock

Floats = NDArray[np.float64]
GRID = tuple(Fraction(k, 4) for k in range(1, 33))
GAP = 1e-6
NMI, RISE, FALL, BROKE, SECONDS, PROVEN = range(6)
LETTERS = ("printed-omega", "printed-loop")
UNCHECKED = ("alpha",)  # deciding alpha-lift of order 100 in whole numbers takes longer than everything else


@dataclass(frozen=True, order=True)
class Case:
    """A mechanism and a family of budgets: ``ldp``, ``alip 0.5``, ``l1 0.5``, ``chi2 0.65``, ``alpha-10 0.5``."""

    mechanism: str
    family: str

    def budget(self, eps: Fraction) -> Budget:
        """The budget of this family at a total of eps: eps_l = lam eps, eps_u = (1 - lam) eps (LIFT section 3).

        >>> Case("merge", "alip 0.65").budget(Fraction(2)).text
        'alip:13/10,7/10'
        """
        kind, _, lam = self.family.partition(" ")
        if kind == "ldp":
            return Budget.ldp(eps)
        low, up = Fraction(lam) * eps, (1 - Fraction(lam)) * eps
        if kind == "alip":
            return Budget.alip(low, up)
        if kind in ("l1", "chi2"):
            return (Budget.l1 if kind == "l1" else Budget.chi2)(low, up)
        if kind.startswith("alpha-"):
            return Budget.alpha(int(kind[6:]), low, up)
        raise UsageError("budget family", f"{self.family!r} is not known", "use ldp, alip, l1, chi2 or alpha-ORDER")


def _is_lip(budget: Budget) -> bool:
    """Whether both sides allow the same: there Algorithm 1 takes omega = max(log Lambda, |log Psi|) (LIFT 4.1)."""
    both = budget.kind == "alip" and budget.low is not None and budget.up is not None
    return both and math.isclose(float(budget.low or 0) * float(budget.up or 0), 1, rel_tol=1e-9)


def _to_the_letter(name: str, joint: Joint, budget: Budget) -> Channel:
    """Algorithm 1 with one misprint, and its lines 12 to 14: a last block that breaks the budget takes in others."""
    omega = name == "printed-omega"
    block = literal_blocks(joint, budget, printed_omega=omega, printed_loop=not omega)
    n = len(joint.public)
    while True:
        risky = np.unique(block[block >= n])
        if risky.size < 2 or _in_block(joint, budget, block == risky[-1])[0]:
            return block_channel(joint, block)
        joined = [np.where(np.isin(block, (b, risky[-1])), risky[-1], block) for b in risky[:-1]]
        block = min(joined, key=lambda b: _in_block(joint, budget, b == risky[-1])[1 if omega else 2])


def _in_block(joint: Joint, budget: Budget, members: NDArray[np.bool_]) -> tuple[bool, float, float]:
    """Whether a block keeps the budget, Lambda + Psi and Lambda + 1 / Psi of it."""
    cells = joint.counts[:, members].sum(axis=1)
    two = Joint(np.stack([cells, joint.sensitive_counts - cells], axis=1), joint.sensitive, (0, 1)).drop_empty()
    lifts = two.lift[:, 0]
    top, bottom = float(lifts.max()), float(lifts.min())
    return bool(budget.holds(two)[0]), top + bottom, top + (1 / bottom if bottom else math.inf)


def _design(name: str, joint: Joint, budget: Budget, seconds: float) -> tuple[Channel, float]:
    """The channel, and the proven bound on the NMI of every channel inside the budget (NaN where nobody asks)."""
    if name == "watchdog":
        return watchdog(joint, budget), math.nan
    if name in ("merge", "merge-sum"):
        return subset_merging(joint, budget, "max" if name == "merge" and _is_lip(budget) else "sum"), math.nan
    if name in LETTERS:
        return _to_the_letter(name, joint, budget), math.nan
    mechanism = MECHANISMS["optimal" if name == "optimal" else "subset-response"]
    design = mechanism(joint, budget, gap=GAP, seconds=seconds)
    return design.channel, math.nan if design.bound is None else float(design.bound)


def measured(name: str, joint: Joint, budget: Budget, seconds: float = 60.0) -> Floats:
    """NMI, largest and smallest log-lift, whether the budget is broken, CPU seconds, and whether a proof closed."""
    before = time.process_time()
    channel, bound = _design(name, joint, budget, seconds)
    spent = time.process_time() - before
    after = joint.through(channel)
    log_lift = after.log_lift
    kept = utility(joint, channel)
    broke = budget.kind not in UNCHECKED and not budget.holds(after).all()
    return np.array([kept, log_lift.max(), log_lift.min(), broke, spent, bound - kept <= 1.01 * GAP])


@dataclass(eq=False)
class Runs:
    """What every case gave: draws x eps x what ``measured`` returns."""

    eps: tuple[Fraction, ...]
    values: dict[Case, Floats] = field(default_factory=dict)

    def mean(self, case: Case, what: int) -> Floats:
        """The mean over draws, one number for each eps."""
        return np.asarray(self.values[case][:, :, what].mean(axis=0))

    def each(self, case: Case, what: int, eps: Fraction | int) -> Floats:
        """One number for each draw."""
        return np.asarray(self.values[case][:, self.eps.index(Fraction(eps)), what])

    def has(self, *cases: Case, eps: Fraction | int | None = None) -> bool:
        """Whether these cases were run, at this eps where one is named."""
        return all(c in self.values for c in cases) and (eps is None or Fraction(eps) in self.eps)

    def draws(self, case: Case) -> int:
        """On how many tables."""
        return len(self.values[case]) if case in self.values else 0

    def total(self, what: int) -> int:
        """How often something happened, over everything."""
        return int(sum(v[:, :, what].sum() for v in self.values.values()))

    @property
    def releases(self) -> int:
        """How many channels were designed."""
        return sum(v.shape[0] * v.shape[1] for v in self.values.values())


def sweep(
    joints: Iterable[Joint],
    cases: Sequence[Case],
    eps: Sequence[Fraction],
    clock: Clock,
    until: float,
    what: str,
    of: int,
) -> Runs:
    """Every case on every table until the share ``until`` of the time is used up; unfinished tables are left out."""
    done: list[Floats] = []
    for k, joint in enumerate(joints):
        table = np.empty((len(cases), len(eps), 6))
        for e in eps:
            for i, case in enumerate(cases):
                if clock.past(until):
                    return _stacked(cases, eps, done)
                left = max(0.05, until * clock.seconds - (clock.seconds - clock.left))
                table[i, eps.index(e)] = measured(case.mechanism, joint, case.budget(e), min(60.0, left))
        done.append(table)
        clock.tell(what, k + 1, of)
    return _stacked(cases, eps, done)


def _stacked(cases: Sequence[Case], eps: Sequence[Fraction], done: Sequence[Floats]) -> Runs:
    if not done:
        return Runs(tuple(eps))
    every = np.stack(done)
    return Runs(tuple(eps), {case: every[:, i] for i, case in enumerate(cases)})
