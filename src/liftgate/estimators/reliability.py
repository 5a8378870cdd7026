"""Reliability: whether rows that are scored 2x really have the sensitive value twice as often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.verdicts import share_at_least, share_at_most
from liftgate.labels import Label

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """Rows with similar scores of one sensitive value: the mean probability said, and the share seen with its interval."""

    label: Label
    rows: int
    said: float
    seen: float
    low: float
    up: float


def reliability(
    log_lift: Floats, s: NDArray[np.int64], prior: Floats, labels: Sequence[Label], parts: int = 10
) -> tuple[Point, ...]:
    """For every sensitive value, held-out rows in equal parts by their score (95 % Clopper-Pearson intervals)."""
    said = np.exp(log_lift) * prior
    points = []
    for k, label in enumerate(labels):
        order = np.argsort(said[:, k], kind="stable")
        for part in np.array_split(order, min(parts, max(1, order.size // 20))):
            hits, size = int((s[part] == k).sum()), int(part.size)
            low, up = float(share_at_least(hits, size, 0.025)), float(share_at_most(hits, size, 0.025))
            points.append(Point(label, size, float(said[part, k].mean()), hits / size, low, up))
    return tuple(points)


def calibration_error(points: Sequence[Point]) -> float:
    """The mean distance between said and seen, weighted by rows."""
    rows = sum(p.rows for p in points)
    return float(sum(p.rows * abs(p.said - p.seen) for p in points) / rows)
