"""Verdicts from a sample: which public values keep a lift budget in the population the rows were drawn from.

The rows are read as independent draws from one population. Write w = P(x), p = P(s), l = lift(s, x). Given how
many of the n rows have x and how many have s, the number A with both follows Fisher's non-central hypergeometric
law at the odds of :func:`lift_odds`, so a bound on lift is tested directly and exactly, whatever n.

The odds grow with l. They also grow with w and with p where l > 1 and fall with both where l < 1: at a fixed p,
P(s | x) = l p stays and P(s | not x) = p (1 - l w) / (1 - w) falls in w for l > 1 and grows for l < 1; w and p are
interchangeable. So with confidence bounds on both margins (Clopper-Pearson, which depend on the margins alone):

=====================  ==========================================  ============================================
to be refuted          then the true odds are                      p-value (gamma: the bounds may miss)
=====================  ==========================================  ============================================
l >= U  (not within)   >= theta(U, w, p) >= theta(U, w_lo, p_lo)   P(A <= seen; theta(U, w_lo, p_lo)) + gamma
l <= L  (not within)   <= theta(L, w, p) <= theta(L, w_lo, p_lo)   P(A >= seen; theta(L, w_lo, p_lo)) + gamma
l <= U  (not outside)  <= theta(U, w, p) <= theta(U, w_up, p_up)   P(A >= seen; theta(U, w_up, p_up)) + gamma
l >= L  (not outside)  >= theta(L, w, p) >= theta(L, w_up, p_up)   P(A <= seen; theta(L, w_up, p_up)) + gamma
=====================  ==========================================  ============================================

Floats are used here, as in every statistical test, and each tail is enlarged by one part in 10,000, far more than
their error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.errors import BudgetError, UsageError
from liftgate.estimators.tails import lower_tail, upper_tail
from liftgate.exact import SHARE_TOTAL, fraction, read_only
from liftgate.joint import Joint

Word = Literal["within", "outside", "unknown"]
Floats = NDArray[np.float64]

_LARGER = 1 + 1e-4  # every tail is enlarged by this factor: more than all rounding on the way to it
_WIDER = 1e-9  # and every confidence bound moved outwards by this share of itself
_MISS = 20  # one part in 20 of each level pays for the confidence bounds of the margins


@dataclass(frozen=True, eq=False)
class SampleReading:
    """What a sample says about every public value, and about the table as a whole.

    ``p_within[x]`` and ``p_outside[x]`` are adjusted for the whole list (Holm): a value is ``within`` or ``outside``
    where they are at most ``alpha / 2``, so that a list with any wrong word comes from at most ``alpha`` of samples.
    ``p_table`` belongs to the one claim "every value is within" and is compared with ``alpha`` itself.
    """

    alpha: Fraction
    verdicts: tuple[Word, ...]
    overall: Word
    p_within: Floats
    p_outside: Floats
    p_table: float
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The reading as ``--json`` prints it, values in the order of the joint."""
        return {
            "alpha": str(self.alpha),
            "overall": self.overall,
            "verdicts": list(self.verdicts),
            "p_within": self.p_within.tolist(),
            "p_outside": self.p_outside.tolist(),
            "p_table": self.p_table,
            "notes": list(self.notes),
        }


def sample_reading(joint: Joint, budget: Budget, alpha: Fraction | float | str = Fraction(1, 20)) -> SampleReading:
    """Within, outside or unknown for every public value, and for the table, from rows that are only a sample.

    *Values.* ``within`` where every (s, side) is refuted to break the budget: the largest p-value of the cells, Holm
    over the values at alpha / 2. ``outside`` where some (s, side) is shown to break it: 2 |S| times the smallest
    p-value, Holm over the values at the other alpha / 2.

    *Table.* ``outside`` when a value is. ``within`` when no p-value of any (s, value, side) exceeds the full alpha:
    if the table breaks the budget, it does so in some fixed cell, and that one test already errs in at most alpha
    of samples. The two halves need not share alpha here, because only one of the two words can be wrong: a table
    that breaks the budget is called within in at most alpha of samples, one that keeps it outside in at most
    alpha / 2.

    >>> joint = Joint.from_counts([[600, 200, 10], [400, 200, 30]])
    >>> found = sample_reading(joint, Budget.between("2/3", "3/2"))
    >>> found.verdicts, found.overall
    (('within', 'within', 'unknown'), 'unknown')
    """
    level = _level(alpha)
    if budget.kind != "alip" or budget.low is None or budget.up is None:
        raise BudgetError(
            f"budget {budget.text}",
            "exact tests for samples exist for bounds on lift only",
            "use alip, lip, split, breach or between",
        )
    if joint.total >= SHARE_TOTAL:
        raise UsageError(
            "sample",
            f"the counts add up to {joint.total}, which are shares and not rows",
            "count the rows themselves (Joint.from_counts or read_joint), or read the rows as the population",
        )
    size, groups = len(joint.public), len(joint.sensitive)
    notes = _notes(joint, budget, level)
    if size == 1 or groups == 1:
        sure: list[Word] = ["within"] * size
        zeros, ones = read_only(np.zeros(size)), read_only(np.ones(size))
        return SampleReading(level, tuple(sure), "within", zeros, ones, 0.0, notes)
    cells = _Cells.of(joint)
    low, up = float(budget.low), float(budget.up)
    half = float(level / 2)
    p_within = holm(_not_within(cells, low, up, half / (_MISS * size)).max(axis=0))
    miss = half / (_MISS * size * 2 * groups)
    p_outside = holm(np.minimum(1.0, 2 * groups * _not_outside(cells, low, up, miss).min(axis=0)))
    p_table = float(_not_within(cells, low, up, float(level) / _MISS).max())
    verdicts: tuple[Word, ...] = tuple(
        "outside" if out <= half else "within" if inside <= half else "unknown"
        for inside, out in zip(p_within.tolist(), p_outside.tolist(), strict=True)
    )
    overall: Word = "outside" if "outside" in verdicts else "within" if p_table <= float(level) else "unknown"
    return SampleReading(level, verdicts, overall, read_only(p_within), read_only(p_outside), p_table, notes)


def lift_odds(lift: Any, w: Any, p: Any) -> Floats:
    """``theta = l (1 - w - p + l w p) / ((1 - l w)(1 - l p))``: the odds ratio of a 2 x 2 law with this lift.

    Infinite where ``l w`` or ``l p`` reaches 1 and 0 where ``1 - w - p + l w p`` does: no law has a lift beyond.

    >>> float(lift_odds(2, 0.25, 0.25))  # P = [[2, 2], [2, 10]] / 16
    5.0
    """
    lift, w, p = (np.asarray(v, dtype=np.float64) for v in (lift, w, p))
    corner = np.maximum(1 - w - p + lift * w * p, 0.0)
    bottom = np.maximum(1 - lift * w, 0.0) * np.maximum(1 - lift * p, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(bottom > 0, lift * corner / bottom, np.inf))


def share_at_least(count: Any, total: int, miss: float) -> Floats:
    """A share below which the true one lies in at most ``miss`` of samples (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv

    k = np.asarray(count, dtype=np.float64)
    found = betaincinv(np.maximum(k, 1.0), total - np.maximum(k, 1.0) + 1, miss)
    return np.asarray(np.where(k > 0, found * (1 - _WIDER), 0.0))


def share_at_most(count: Any, total: int, miss: float) -> Floats:
    """A share above which the true one lies in at most ``miss`` of samples (Clopper and Pearson 1934)."""
    from scipy.special import betainccinv

    k = np.asarray(count, dtype=np.float64)
    found = betainccinv(np.minimum(k, total - 1.0) + 1, total - np.minimum(k, total - 1.0), miss)
    return np.asarray(np.where(k < total, np.minimum(found * (1 + _WIDER), 1.0), 1.0))


def holm(p: Iterable[float] | Floats) -> Floats:
    """Holm's step-down adjustment: refute what is at most the level, and any error at all stays below the level.

    >>> holm([0.01, 0.04, 0.02]).tolist()
    [0.03, 0.04, 0.04]
    """
    raw = np.asarray(p, dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    stepped = np.maximum.accumulate(raw[order] * np.arange(raw.size, 0, -1))
    out = np.empty(raw.size)
    out[order] = np.minimum(stepped, 1.0)
    return out


@dataclass(frozen=True)
class _Cells:
    """The counts as floats (exact below 2^40), shaped to be broadcast over |S| x |X|."""

    seen: Floats
    group: Floats
    block: Floats
    total: int

    @classmethod
    def of(cls, joint: Joint) -> _Cells:
        return cls(
            joint.counts.astype(np.float64),
            joint.sensitive_counts.astype(np.float64)[:, None],
            joint.public_counts.astype(np.float64)[None, :],
            joint.total,
        )


def _not_within(cells: _Cells, low: float, up: float, miss: float) -> Floats:
    """Per cell the p-value of "the lift is below ``low`` or above ``up``": the larger of the two sides.

    Where no law with margins this large reaches a bound, its odds are infinite or 0, the side holds without a test
    and costs only the miss of the margins. A lower bound of 0 holds always.
    """
    w, p = share_at_least(cells.block, cells.total, miss / 2), share_at_least(cells.group, cells.total, miss / 2)
    odds = lift_odds(up, w, p)
    above = _LARGER * _tail(lower_tail, cells, odds, np.isinf(odds), 0.0) + miss
    if low == 0:
        return np.minimum(above, 1.0)
    odds = lift_odds(low, w, p)
    below = _LARGER * _tail(upper_tail, cells, odds, odds == 0, 0.0) + miss
    return np.minimum(np.maximum(above, below), 1.0)


def _not_outside(cells: _Cells, low: float, up: float, miss: float) -> Floats:
    """Per cell the p-value of "the lift keeps this side of the budget": the smaller of the two sides.

    Where margins this large leave no law beyond a bound, nothing can be shown on that side.
    """
    w, p = share_at_most(cells.block, cells.total, miss / 2), share_at_most(cells.group, cells.total, miss / 2)
    odds = lift_odds(up, w, p)
    inside_up = _LARGER * _tail(upper_tail, cells, odds, np.isinf(odds), 1.0) + miss
    if low == 0:
        return np.minimum(inside_up, 1.0)
    odds = lift_odds(low, w, p)
    inside_low = _LARGER * _tail(lower_tail, cells, odds, odds == 0, 1.0) + miss
    return np.minimum(np.minimum(inside_up, inside_low), 1.0)


def _tail(tail: Any, cells: _Cells, odds: Floats, decided: NDArray[np.bool_], value: float) -> Floats:
    """A tail of the law at these odds, and ``value`` where no test is needed."""
    found = tail(cells.seen, cells.block, cells.group, cells.total, np.where(decided, 1.0, odds))
    return np.where(decided, value, found)


def _level(alpha: Fraction | float | str) -> Fraction:
    level = fraction(alpha, "alpha")
    if not Fraction(1, 10**6) <= level <= Fraction(1, 4):
        raise UsageError("alpha", f"{alpha} is not a usable error rate", "give a number up to 1/4, for example 0.05")
    return level


def _notes(joint: Joint, budget: Budget, level: Fraction) -> tuple[str, ...]:
    """What the words rest on and what no sample of this kind could have shown."""
    notes = [
        "the rows are independent draws from one population",
        "the list of values, the budget and alpha were fixed without looking at the rows",
        f"values: a wrong 'within' anywhere in at most {level / 2} of samples, and a wrong 'outside' in as many",
        f"table: one claim, wrong in at most {level} of samples",
    ]
    if len(joint.public) == 1 or len(joint.sensitive) == 1:
        return (*notes, "with a single value on one side every lift is 1: nothing had to be tested")
    bare = int((joint.counts == 0).any(axis=0).sum())
    if bare and budget.low:
        who = "1 public value has" if bare == 1 else f"{bare} public values have"
        notes.append(
            f"{who} no row of some sensitive value: the lower bound can hardly be shown there, merging values can help"
        )
    return tuple(notes)
