"""Placing labels: beside their curve, where they cover the least of everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from liftgate.report.figures import svg

_HEIGHT = 13.0

Polyline = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Box:
    """A rectangle on the drawing."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """The area two rectangles share."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0.0


@dataclass(frozen=True)
class Label:
    """A text at its baseline, with its anchor: start, middle or end."""

    text: str
    x: float
    y: float
    anchor: str
    box: Box


def place(
    text: str, curve: Polyline, others: Sequence[Polyline], taken: Sequence[Box], frame: Box, size: float = 13
) -> Label:
    """The place near a curve, inside the frame, where a text covers least of curves and labels."""
    width = svg.width_of(text, size)
    best: tuple[float, Label] | None = None
    for x, y in _stations(curve):
        for dx, dy, anchor in ((8, 20, "start"), (-8, -9, "end"), (8, -9, "start"), (-8, 20, "end"), (0, -12, "middle"), (0, 24, "middle"), (8, 38, "start"), (8, -26, "start"), (-8, -26, "end")):  # fmt: skip
            left = x + dx - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
            box = Box(left, y + dy - _HEIGHT, left + width, y + dy + 3)
            label = Label(text, x + dx, y + dy, anchor, box)
            outside = max(0, frame.left - box.left) + max(0, box.right - frame.right)
            outside += max(0, frame.top - box.top) + max(0, box.bottom - frame.bottom)
            cost = 40 * outside + sum(box.overlap(t) for t in taken)
            cost += 12 * sum(_covered(line, box) for line in (curve, *others))
            if best is None or cost < best[0] - 1e-9:
                best = (cost, label)
    assert best is not None
    return best[1]


def _stations(curve: Polyline) -> list[tuple[float, float]]:
    """The points of a curve and the middles between them."""
    middles = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in pairwise(curve)]
    return [*curve, *middles]


def _covered(line: Polyline, box: Box) -> int:
    """How many of the points along a line lie in a rectangle, one every few pixels."""
    if len(line) == 1:
        return int(_inside(*line[0], box))
    hits = 0
    for (x1, y1), (x2, y2) in pairwise(line):
        if max(x1, x2) < box.left or min(x1, x2) > box.right or max(y1, y2) < box.top or min(y1, y2) > box.bottom:
            continue
        steps = max(2, int((abs(x2 - x1) + abs(y2 - y1)) / 3))
        hits += sum(_inside(x1 + (x2 - x1) * k / steps, y1 + (y2 - y1) * k / steps, box) for k in range(steps + 1))
    return hits


def _inside(x: float, y: float, box: Box) -> bool:
    return box.left <= x <= box.right and box.top <= y <= box.bottom
