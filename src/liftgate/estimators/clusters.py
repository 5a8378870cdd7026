"""k-means in plain NumPy: seeded, the same bits every time, in batches where there are many rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MOST_TO_LEARN = 20_000
_ROUNDS = 30


def centres_of(points: Floats, parts: int, seed: int) -> Floats:
    """Up to ``parts`` centres: k-means++ starts, then means of the nearest points until nothing moves.

    >>> centres_of(np.array([[0.0], [0.2], [9.0], [9.2]]), 2, seed=0).ravel().round(3).tolist()
    [0.1, 9.1]
    """
    rng = np.random.default_rng([seed, 23])
    if len(points) > MOST_TO_LEARN:
        points = points[np.sort(rng.permutation(len(points))[:MOST_TO_LEARN])]
    centres = _starts(points, parts, rng)
    member = nearest(points, centres)
    for _ in range(_ROUNDS):
        size = np.bincount(member, minlength=len(centres))
        sums = np.column_stack([np.bincount(member, weights=c, minlength=len(centres)) for c in points.T])
        centres = np.where(size[:, None] > 0, sums / np.maximum(size, 1)[:, None], centres)
        moved = nearest(points, centres)
        if (moved == member).all():
            break
        member = moved
    kept = np.unique(member)
    found = centres[kept]
    return np.asarray(found[np.lexsort(found.T[::-1])])


def nearest(points: Floats, centres: Floats) -> Ints:
    """The nearest centre of every point; of equally near ones the first."""
    return np.asarray((-2 * points @ centres.T + (centres * centres).sum(axis=1)).argmin(axis=1), dtype=np.int64)


def nearest_in_batches(size: int, part: Callable[[slice], Floats], centres: Floats, batch: int = 65_536) -> Ints:
    """The same for points that are made a batch at a time."""
    out = np.empty(size, dtype=np.int64)
    for start in range(0, size, batch):
        where = slice(start, min(start + batch, size))
        out[where] = nearest(part(where), centres)
    return out


def _starts(points: Floats, parts: int, rng: np.random.Generator) -> Floats:
    """k-means++: each start is drawn in proportion to its squared distance from those before it."""
    chosen = [int(rng.integers(len(points)))]
    away = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < parts and away.max() > 0:
        chosen.append(
            int(np.searchsorted(np.cumsum(away), rng.random() * away.sum(), side="right").clip(0, len(points) - 1))
        )
        away = np.minimum(away, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()
