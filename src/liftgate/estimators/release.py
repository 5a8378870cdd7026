"""Releases of rows: flagged rows are suppressed, or permuted as whole records inside counted blocks (DOG Prop. 2)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.errors import BudgetError, UsageError
from liftgate.estimators.bins import halves
from liftgate.estimators.clusters import centres_of, nearest_in_batches
from liftgate.estimators.encoding import Encoder
from liftgate.estimators.scores import Scores
from liftgate.estimators.watchdog import Leak, leakage
from liftgate.joint import Joint, Source
from liftgate.mechanisms.merge_subsets import merge_subsets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
MODES = ("blocks", "shuffle", "suppress")
ROWS_PER_CLUSTER, MOST_CLUSTERS = 4, 500
AIMS, MOST_MORE = (Fraction(1, 4), Fraction(1, 2), Fraction(1)), 0.1
MARGINS = (Fraction(5, 8), Fraction(1))
WITHIN = "released as they are"


@dataclass(frozen=True, eq=False)
class RowPlan:
    """Which rows are hidden, in which block, and what the counted groups of rows say.

    ``joint`` counts sensitive values x groups over all rows (``group`` is that of each row), ``channel`` merges groups
    into released blocks, and ``hidden`` says which blocks are permuted or suppressed. ``mapping`` is the exact leak of
    DOG (9) with all hidden rows released as one, ``leak`` that of the blocks; both are about counted groups.
    ``threshold`` is how full of the budget a row has to be to be hidden: 1 where flagged rows alone are enough.
    """

    mode: str
    budget: Budget
    flagged: Flags
    group: Ints
    joint: Joint
    channel: Channel
    hidden: tuple[bool, ...]
    threshold: float
    mapping: Leak
    leak: Leak

    @property
    def block(self) -> Ints:
        """The released block of every row."""
        return np.asarray(self.channel.targets[self.group], dtype=np.int64)

    @property
    def moved(self) -> Flags:
        """The rows that are permuted or suppressed."""
        return np.asarray(np.array(self.hidden)[self.block])

    @property
    def after(self) -> Joint:
        """Sensitive values x released blocks, counted over all rows."""
        return self.joint.through(self.channel)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done, where it is more than hiding the flagged rows."""
        more = int((self.moved & ~self.flagged).sum())
        if not more:
            return ()
        said = (
            f"{more:,} rows that were not flagged are hidden too, so that the hidden rows as one block keep the budget"
        )
        return (said,)


def plan_rows(scores: Scores, budget: Budget, mode: str = "blocks", seed: int = 0) -> RowPlan:
    """Which rows to hide so that every counted group keeps the budget, decided in whole numbers.

    The flagged rows are one block, and so are the others. The block takes in the rows that fill the budget most until
    both keep the budget on held-out rows and on all rows: mapping (9) alone does not give it (DOG Prop. 2, errata E20,
    E21), and everything in one block always does. Mode ``blocks`` then cuts the hidden rows into micro-clusters by
    their public columns and merges these by Algorithm 1 (LIFT), aiming at five eighths of the budget where that is possible.
    """
    if mode not in MODES:
        raise UsageError("mode", f"{mode!r} is not known", f"use one of {', '.join(MODES)}")
    flagged = scores.flag(budget)
    moved, threshold = _enlarged(scores, budget, seed)
    if mode == "suppress" and moved.all():
        fix = "give a larger budget, or use the mode blocks"
        raise BudgetError(f"budget {budget.text}", "every row would have to be suppressed", fix)
    if mode == "blocks" and moved.any():
        group, names = _clusters(scores, moved, seed)
    else:
        group, names = (~moved).astype(np.int64), ["hidden rows", WITHIN]
        if moved.all() or not moved.any():
            group, names = np.zeros(moved.size, dtype=np.int64), [names[0] if moved.all() else names[1]]
    joint = _counted(scores, group, names)
    channel = _merged(joint, budget, seed)
    within = np.array([name == WITHIN for name in names])
    alone = np.bincount(channel.targets, minlength=len(channel.released)) == 1
    as_they_are = np.bincount(channel.targets, weights=within, minlength=alone.size) > 0
    hidden = ~(alone & as_they_are)
    return RowPlan(
        mode=mode,
        budget=budget,
        flagged=flagged,
        group=group,
        joint=joint,
        channel=channel,
        hidden=tuple(hidden.tolist()),
        threshold=threshold,
        mapping=leakage(joint, hidden[channel.targets]),
        leak=leakage(joint.through(channel), np.zeros(hidden.size, dtype=np.bool_)),
    )


def released_rows(plan: RowPlan, entropy: Callable[[int], bytes] = os.urandom) -> Ints:
    """For every place of the table the row whose record is released there; -1 where none is.

    Whole records change places inside their block, every permutation being equally likely. The randomness comes from
    the operating system and is kept nowhere; the seed that models learn with has no part in it.
    """
    rows = np.arange(plan.group.size, dtype=np.int64)
    if plan.mode == "suppress":
        return np.where(plan.moved, -1, rows)
    words = np.frombuffer(entropy(16 * rows.size), dtype=np.uint64).reshape(-1, 2)
    block, out = plan.block, rows.copy()
    by_block = np.argsort(block, kind="stable")
    ends = np.cumsum(np.bincount(block, minlength=len(plan.hidden)))
    for b in np.flatnonzero(plan.hidden).tolist():
        members = by_block[0 if b == 0 else ends[b - 1] : ends[b]]
        out[members] = members[np.lexsort(words[members].T)]
    return out


def _enlarged(scores: Scores, budget: Budget, seed: int) -> tuple[Flags, float]:
    """The flagged rows with as many of the fullest others as it takes, and how full those are at least.

    Aimed at is a quarter of the budget, then a half, as long as that hides at most a tenth of the rows more.
    """
    full = scores.load(budget)
    held = halves(scores.table.sample, seed)
    below = full[full <= 1]
    cuts = [1.0, *(np.unique(np.quantile(below, np.linspace(0, 1, 41)))[::-1].tolist() if below.size else ())]
    for aim in AIMS:
        bounds = _part_of(budget, aim)
        for cut in cuts:
            moved = full > cut
            if aim < 1 and moved.mean() > (full > 1).mean() + MOST_MORE:
                break
            if all(_two_hold(scores, moved, bounds, part) for part in (held, np.ones_like(held))):
                return moved, cut
    return np.ones(full.size, dtype=np.bool_), 0.0


def _two_hold(scores: Scores, moved: Flags, budget: Budget, part: Flags) -> bool:
    """Whether the hidden block and the rest keep the budget as they are counted in a part of the rows."""
    sides = [k for k in (0, 1) if (moved[part] == bool(k)).any()]
    group = np.searchsorted(sides, moved.astype(np.int64))
    return bool(budget.holds(_counted(scores, group, [str(k) for k in sides], part)).all())


def _clusters(scores: Scores, moved: Flags, seed: int) -> tuple[Ints, list[str]]:
    """Micro-clusters of the hidden rows by their public columns; the other rows are one group."""
    rows = scores.table.sample.rows
    places = np.flatnonzero(moved)
    encoder = Encoder.of(rows.take(places))
    parts = int(np.clip(places.size // ROWS_PER_CLUSTER, 1, MOST_CLUSTERS))
    learn = np.sort(np.random.default_rng([seed, 31]).permutation(places)[:20_000])
    centres = centres_of(encoder.matrix(rows.take(learn)), parts, seed)
    found = nearest_in_batches(places.size, lambda part: encoder.matrix(rows.take(places[part])), centres)
    used, member = np.unique(found, return_inverse=True)
    group = np.full(moved.size, used.size, dtype=np.int64)
    group[places] = member.ravel()
    return group, [f"cluster {k + 1}" for k in range(used.size)] + [WITHIN] * (not moved.all())


def _counted(scores: Scores, group: Ints, names: list[str], part: Flags | None = None) -> Joint:
    """Sensitive values x groups over some of the rows; a sensitive value that is not among them is left out."""
    sample = scores.table.sample
    s, g = (sample.s, group) if part is None else (sample.s[part], group[part])
    cells = np.bincount(s * len(names) + g, minlength=sample.classes * len(names))
    counts = cells.reshape(sample.classes, len(names))
    there = np.flatnonzero(counts.sum(axis=1))
    source = Source("groups of rows", scores.table.sensitive, ("group of rows",), int(g.size))
    return Joint.from_counts(counts[there], [scores.labels[k] for k in there], names, source)


def _merged(joint: Joint, budget: Budget, seed: int) -> Channel:
    """Algorithm 1 on the groups, with the largest margin that lets the rows within stay as they are."""
    kept = WITHIN in joint.public
    channel = Channel.identity(joint.public)
    for margin in MARGINS:
        block = merge_subsets(joint, _part_of(budget, margin), seed=seed).channel.targets
        members = [[joint.public[x] for x in np.flatnonzero(block == b)] for b in np.unique(block).tolist()]
        names = [WITHIN if m == [WITHIN] else f"block {k + 1}" for k, m in enumerate(members)]
        channel = Channel.merge(joint.public, members, names)
        if not kept or WITHIN in names:
            break
    return channel


def _part_of(budget: Budget, share: Fraction) -> Budget:
    """A tighter budget: each side bounded to a share of what it may be (of the logarithm, for ratios and lifts)."""
    if share == 1:
        return budget

    def tighter(bound: Fraction | None, up: bool) -> Fraction | None:
        if bound is None or bound == 0:
            return bound
        if budget.kind in ("l1", "chi2"):
            return bound * share
        part = Fraction(math.floor(math.exp(float(share) * math.log(bound)) * 2**40), 2**40)
        return min(max(part, Fraction(1)), bound) if up else min(max(part, bound), Fraction(1))

    return replace(budget, low=tighter(budget.low, budget.kind == "alpha"), up=tighter(budget.up, True), asked="")
