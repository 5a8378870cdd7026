"""Verdicts for rich rows: only groups of rows can be tested, on rows that were not used to make the groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.estimators.folds import fold_of
from liftgate.estimators.rows import Sample
from liftgate.estimators.verdicts import SampleReading, Word, sample_reading, share_at_least, share_at_most
from liftgate.joint import Joint, Source
from liftgate.labels import Label, label_text

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
POINTWISE = (
    "verdicts are about averages over groups of rows; a certificate for single rows whose columns are continuous "
    "does not exist, whatever the method, and every single row stays unknown"
)
LEAST_ROWS = 100
MOST_BINS = 10


@dataclass(frozen=True)
class Cell:
    """The average lift of one sensitive value in a group, with the ends of a 95 % interval (Bonferroni over both)."""

    label: Label
    lift: float
    low: float
    up: float


@dataclass(frozen=True)
class Group:
    """A group of held-out rows: what moves there, how many rows, its average lifts and its verdict."""

    name: str
    rows: int
    verdict: Word
    cells: tuple[Cell, ...]


@dataclass(frozen=True, eq=False)
class GroupReading:
    """``label`` is the sensitive value whose score made the groups.

    ``at_least``: with 95 % confidence some row of the population has a |log-lift| of at least this.
    """

    label: Label
    groups: tuple[Group, ...]
    overall: Word
    at_least: float
    joint: Joint
    sample: SampleReading | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The reading as ``--json`` prints it."""
        return {
            "overall": self.overall,
            "at_least": self.at_least,
            "groups": [
                {"name": g.name, "rows": g.rows, "verdict": g.verdict, "lift": [[c.lift, c.low, c.up] for c in g.cells]}
                for g in self.groups
            ],
            "notes": list(self.notes),
        }


def halves(sample: Sample, seed: int) -> NDArray[np.bool_]:
    """Which rows are held out from every decision; no person is on both sides."""
    return np.asarray(fold_of(sample, 2, seed + 17) == 1)


def group_edges(design: Floats, rows: int) -> Floats:
    """Cuts of the score, from design rows alone, so that groups of ``rows`` held-out rows are not too small."""
    parts = int(np.clip(rows // LEAST_ROWS, 2, MOST_BINS))
    return np.unique(np.quantile(design, np.arange(1, parts) / parts))


def group_reading(
    design: Floats,
    held: Floats,
    held_s: Ints,
    labels: Sequence[Label],
    budget: Budget,
    alpha: Fraction | float | str = "0.05",
) -> GroupReading:
    """Test groups of held-out rows with similar scores; groups and their cuts come from design rows alone.

    ``design`` and ``held`` are log-lifts (rows x |S|) by one model that saw neither half's held rows. Rows are put
    together by the sensitive value that moves most over the design rows, in quantiles of its score.
    """
    s = int(np.argmax(design.std(axis=0)))
    edges = group_edges(design[:, s], len(held))
    at = np.searchsorted(edges, held[:, s], side="right")
    counts = np.zeros((len(labels), edges.size + 1), dtype=np.int64)
    np.add.at(counts, (held_s, at), 1)
    ends = np.exp(np.concatenate([[-np.inf], edges, [np.inf]]))
    word = label_text(labels[s])
    names = [f"{word}: scored {_range(ends[k], ends[k + 1])}" for k in range(edges.size + 1)]
    joint = Joint.from_counts(counts, list(labels), names, Source(rows=int(counts.sum())))
    joint = joint.drop_empty()
    reading = sample_reading(joint, budget, alpha) if budget.kind == "alip" else None
    intervals = _intervals(joint)
    groups = tuple(
        Group(
            str(name),
            int(joint.public_counts[x]),
            reading.verdicts[x] if reading else "unknown",
            tuple(
                Cell(label, float(joint.lift[k, x]), float(intervals[0][k, x]), float(intervals[1][k, x]))
                for k, label in enumerate(joint.sensitive)
            ),
        )
        for x, name in enumerate(joint.public)
    )
    overall: Word = "outside" if reading is not None and reading.overall == "outside" else "unknown"
    told = [POINTWISE]
    if reading is None:
        told.append("exact tests for groups exist for bounds on lift only, so nothing is decided for this budget")
    return GroupReading(labels[s], groups, overall, _at_least(joint, alpha), joint, reading, tuple(told))


def _range(low: float, up: float) -> str:
    """The scores of a group.

    >>> _range(0.0, 0.5), _range(0.5, 1.25), _range(1.25, math.inf)
    ('below 0.50x', '0.50x to 1.25x', 'from 1.25x')
    """
    if low == 0:
        return "anything" if math.isinf(up) else f"below {up:.2f}x"
    return f"from {low:.2f}x" if math.isinf(up) else f"{low:.2f}x to {up:.2f}x"


def _intervals(joint: Joint) -> tuple[Floats, Floats]:
    """Exact intervals of average lifts: Clopper-Pearson of P(s | group) over that of P(s), a quarter of 5 % each."""
    miss = 0.05 / 4
    seen, size = joint.counts.astype(float), joint.public_counts.astype(float)[None, :]
    whole, n = joint.sensitive_counts.astype(float)[:, None], joint.total
    low = np.empty(seen.shape)
    up = np.empty(seen.shape)
    for x in range(seen.shape[1]):
        low[:, x] = share_at_least(seen[:, x], int(size[0, x]), miss)
        up[:, x] = share_at_most(seen[:, x], int(size[0, x]), miss)
    return low / share_at_most(whole, n, miss), up / np.maximum(share_at_least(whole, n, miss), 1e-300)


def _at_least(joint: Joint, alpha: Fraction | float | str) -> float:
    """The largest eps that these groups show to be broken: what an attacker who reads the scores provably learns."""
    low, up = 0, 400
    while low < up:
        middle = (low + up + 1) // 2
        broken = sample_reading(joint, Budget.lip(Fraction(middle, 100)), alpha).overall == "outside"
        low, up = (middle, up) if broken else (low, middle - 1)
    return low / 100
