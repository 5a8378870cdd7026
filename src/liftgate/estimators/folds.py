"""Folds: which rows a score may learn from. Seeded, even over the sensitive values, a person never on both sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.estimators.rows import Sample

Ints = NDArray[np.int64]
FEWER_FROM = 50_000


def folds_for(size: int) -> int:
    """Five folds, or three where there are so many rows that three lose nothing.

    >>> folds_for(10_000), folds_for(100_000)
    (5, 3)
    """
    return 5 if size < FEWER_FROM else 3


def fold_of(sample: Sample, folds: int, seed: int) -> Ints:
    """A fold for every row: each sensitive value spread evenly, rows of one person together.

    Persons are dealt in random order, by the sensitive value of their first row.
    """
    rng = np.random.default_rng([seed, 7])
    person = np.arange(len(sample), dtype=np.int64) if sample.person is None else sample.person
    _, first, member = np.unique(person, return_index=True, return_inverse=True)
    order = rng.permutation(first.size)
    dealt = order[np.argsort(sample.s[first][order], kind="stable")]
    fold = np.empty(first.size, dtype=np.int64)
    fold[dealt] = (np.arange(first.size) + int(rng.integers(folds))) % folds
    return np.asarray(fold[member])


def held_out(sample: Sample, share: float, seed: int) -> tuple[Sample, Sample]:
    """Rows to learn from and rows to stop by, by the same rules; both hold every sensitive value that can be held."""
    parts = max(2, round(1 / share))
    fold = fold_of(sample, parts, seed + 1)
    inner = fold == 0
    lone = np.setdiff1d(sample.s[inner], sample.s[~inner])
    if lone.size:
        inner &= ~np.isin(sample.s, lone)
    if not inner.any():
        counts = np.bincount(sample.s)
        if counts.max() > 1:
            inner[np.flatnonzero(sample.s == counts.argmax())[-1]] = True
    if not inner.any():
        raise DataError("rows", f"{len(sample)} rows cannot be split", "give more rows")
    return sample.take(~inner), sample.take(inner)
