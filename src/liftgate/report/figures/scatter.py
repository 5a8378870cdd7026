"""Largest against smallest lift: one mark for each released value, its area the number of people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from liftgate.report.figures import svg
from liftgate.report.figures.gate import bounds_on_axis
from liftgate.report.figures.scale import LogScale, around_one

_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 448.0, 26.0, 282.0
_MARKS, _LABELS, _BIGGEST = 400, 8, 11.5
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Mark:
    """One released value."""

    name: str
    share: float
    smallest: float
    largest: float
    outside: bool = False


def scatter(marks: Sequence[Mark], low: Fraction | None, up: Fraction | None, boxed: bool = True) -> Markup:
    """All values at once; ``boxed`` draws the allowed corner of a budget on lift."""
    down = around_one([*(m.smallest for m in marks), *bounds_on_axis(low, None)], 0, 1)
    rise = around_one([*(m.largest for m in marks), *bounds_on_axis(None, up)], 0, 1)
    zero = any(m.smallest <= 0 for m in marks)
    across = LogScale(down.low, 1.0, _LEFT + (34 if zero else 10), _RIGHT, _LEFT + 10 if zero else None)
    upward = LogScale(1.0, rise.up, _BOTTOM, _TOP)
    parts: list[Markup] = []
    if boxed and low is not None and up is not None:
        x, y = across.at(float(low)), upward.at(float(up))
        parts.append(svg.rect(x, y, _RIGHT - x, _BOTTOM - y, "band"))
        parts.append(svg.element("path", cls="edge", d=f"M{x:.1f} {_BOTTOM}V{y:.1f}H{_RIGHT}"))
        wide = _RIGHT - x > 150
        parts.append(
            svg.text(x + 8 if wide else _RIGHT, y - 7, "allowed by the budget", ("" if wide else "e ") + "edgelab halo")
        )
    parts += _axes(across, upward)
    placed = _places(_together(marks, across, upward), across, upward)
    parts += [_draw(*p) for p in placed]
    parts += _labels(placed)
    parts.append(svg.text(_RIGHT, 318, "smallest lift of the value →", "e"))
    parts.append(svg.text(8, 14, "↑ largest lift of the value"))
    names = [m.name for m in marks if m.outside]
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    label = "Largest against smallest lift of each value."
    if low is not None or not boxed:
        label += f" Outside the budget: {shown}." if names else " None is outside the budget."
    return svg.figure(460, 330, label, parts)


def merged_marks(marks: Sequence[Mark]) -> bool:
    """Whether values that lie together share a mark."""
    return len(marks) > _MARKS


def _axes(across: LogScale, upward: LogScale) -> list[Markup]:
    parts = []
    for value, name in upward.ticks(6):
        if value >= 1:
            y = upward.at(value)
            parts += [svg.line(_LEFT, y, _RIGHT, y, "grid"), svg.text(_LEFT - 6, y + 4, f"{name}×", "e tick")]
    for value, name in across.ticks(7):
        if value <= 1:
            parts.append(svg.text(across.at(value), _BOTTOM + 17, f"{name}×", "m tick"))
    if across.zero is not None:
        parts.append(svg.text(across.zero, _BOTTOM + 17, "0", "m tick"))
        middle = (across.zero + across.start) / 2
        parts.append(svg.line(middle, _TOP, middle, _BOTTOM, "grid"))
    return [*parts, svg.line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "axis")]


def _together(marks: Sequence[Mark], across: LogScale, upward: LogScale) -> list[Mark]:
    """The marks, or one for each small square of the plot where there are too many to tell apart."""
    if not merged_marks(marks):
        return list(marks)
    groups: dict[tuple[int, int, bool], list[Mark]] = {}
    for m in marks:
        key = (int(across.at(m.smallest) // 8), int(upward.at(m.largest) // 8), m.outside)
        groups.setdefault(key, []).append(m)
    out = []
    for group in groups.values():
        head = max(group, key=lambda m: m.share)
        name = head.name if len(group) == 1 else ""
        out.append(Mark(name, sum(m.share for m in group), head.smallest, head.largest, head.outside))
    return out


def _places(marks: Sequence[Mark], across: LogScale, upward: LogScale) -> list[tuple[Mark, float, float, float]]:
    most = max((m.share for m in marks), default=1.0) or 1.0
    placed = [
        (m, across.at(m.smallest), upward.at(m.largest), max(3.2, _BIGGEST * math.sqrt(m.share / most))) for m in marks
    ]
    return sorted(placed, key=lambda p: -p[3])


def _draw(mark: Mark, x: float, y: float, radius: float) -> Markup:
    if mark.outside:
        return svg.square(x, y, radius * 1.77, style="fill-opacity:.85")
    return svg.ring(x, y, radius, style="fill-opacity:.55")


def _labels(placed: Sequence[tuple[Mark, float, float, float]]) -> list[Markup]:
    """Names of what is outside, worst first, where they fit beside their mark without covering another."""
    taken: list[Box] = [(x - r, y - r, x + r, y + r) for _, x, y, r in placed]
    parts: list[Markup] = []
    wanted = sorted((p for p in placed if p[0].outside and p[0].name), key=lambda p: (p[1] - _LEFT) - (_BOTTOM - p[2]))
    for mark, x, y, r in wanted:
        if len(parts) >= _LABELS:
            break
        name = svg.shortened(mark.name, 170)
        width = svg.width_of(name)
        for anchor, dx, dy in (
            ("", r + 5, 4.5),
            ("e ", -r - 5, 4.5),
            ("m ", 0, -r - 6),
            ("m ", 0, r + 14),
            ("", r + 2, -r - 4),
            ("e ", -r - 2, r + 12),
        ):
            start = x + dx - (width if anchor == "e " else width / 2 if anchor == "m " else 0)
            box = (start, y + dy - 11, start + width, y + dy + 3)
            fits = box[0] >= 0 and box[2] <= 460 and box[1] >= _TOP - 8 and box[3] <= _BOTTOM
            if fits and not any(_overlap(box, other) for other in taken if other != (x - r, y - r, x + r, y + r)):
                taken.append(box)
                parts.append(svg.text(x + dx, y + dy, name, anchor + "outlab halo"))
                break
    return parts


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
