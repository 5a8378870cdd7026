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


Placed = tuple[Mark, float, float, float]


def scatter(marks: Sequence[Mark], low: Fraction | None, up: Fraction | None, judged: bool = True) -> Markup:
    """All values at once, with the allowed corner of a budget on lift; ``judged`` says that there is some budget."""
    down = around_one([*(m.smallest for m in marks), *bounds_on_axis(low, None)], 0, 1)
    rise = around_one([*(m.largest for m in marks), *bounds_on_axis(None, up)], 0, 1)
    zero = any(m.smallest <= 0 for m in marks)
    across = LogScale(down.low, 1.0, _LEFT + (34 if zero else 10), _RIGHT, _LEFT + 10 if zero else None)
    upward = LogScale(1.0, rise.up, _BOTTOM, _TOP)
    parts: list[Markup] = []
    if low is not None and up is not None:
        x, y = across.at(float(low)), upward.at(float(up))
        parts.append(svg.rect(x, y, _RIGHT - x, _BOTTOM - y, "band"))
        parts.append(svg.element("path", cls="edge", d=f"M{x:.1f} {_BOTTOM}V{y:.1f}H{_RIGHT}"))
        wide = _RIGHT - x > 150
        parts.append(
            svg.text(x + 8 if wide else _RIGHT, y - 7, "allowed by the budget", ("" if wide else "e ") + "edgelab halo")
        )
    parts += _axes(across, upward)
    placed = _places(_together(marks, across, upward), across, upward)
    parts += [_draw(*p, judged) for p in placed]
    parts += _labels(placed)
    parts.append(svg.text(_RIGHT, 318, "smallest lift of the value →", "e"))
    parts.append(svg.text(8, 14, "↑ largest lift of the value"))
    names = [m.name for m in marks if m.outside]
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    label = "Largest against smallest lift of each value."
    if judged:
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


def _places(marks: Sequence[Mark], across: LogScale, upward: LogScale) -> list[Placed]:
    most = max((m.share for m in marks), default=1.0) or 1.0
    placed = [
        (m, across.at(m.smallest), upward.at(m.largest), max(3.2, _BIGGEST * math.sqrt(m.share / most))) for m in marks
    ]
    return sorted(placed, key=lambda p: -p[3])


def _draw(mark: Mark, x: float, y: float, radius: float, judged: bool) -> Markup:
    opacity = "fill-opacity:.85" if mark.outside else "fill-opacity:.55"
    return svg.mark(x, y, radius * (0.82 if mark.outside else 1), mark.outside, judged, style=opacity)


def _labels(placed: Sequence[Placed]) -> list[Markup]:
    """Names of what is outside, worst first, beside their mark or on a short line, where they cover nothing."""
    marks: list[Box] = [(x - r, y - r, x + r, y + r) for _, x, y, r in placed]
    wanted = sorted(
        (k for k, p in enumerate(placed) if p[0].outside and p[0].name),
        key=lambda k: (placed[k][1] - _LEFT) - (_BOTTOM - placed[k][2]),
    )[:_LABELS]
    taken: list[Box] = []
    parts: list[Markup] = []
    for k in wanted:
        mark, x, y, r = placed[k]
        name = svg.shortened(mark.name, 170)
        width = svg.width_of(name)
        others = marks[:k] + marks[k + 1 :] + taken
        for anchor, dx, dy, lead in _spots(r):
            start = x + dx - (width if anchor == "e " else width / 2 if anchor == "m " else 0)
            box = (start - 1, y + dy - 11, start + width + 1, y + dy + 3)
            inside = box[0] >= 0 and box[2] <= 460 and box[1] >= _TOP - 8 and box[3] <= _BOTTOM
            if inside and not any(_overlap(box, other) for other in others):
                taken.append(box)
                if lead:
                    end = y + dy + (4 if dy < 0 else -11)
                    parts.append(svg.line(x, y, x + dx, end, "", stroke="var(--out)", stroke_width="1"))
                parts.append(svg.text(x + dx, y + dy, name, anchor + "outlab halo"))
                break
    return parts


def _spots(r: float) -> list[tuple[str, float, float, bool]]:
    """Where a name may stand: anchor, offset, and whether a line has to lead to it."""
    beside = [("", r + 5, 4.5), ("e ", -r - 5, 4.5), ("m ", 0.0, -r - 6), ("m ", 0.0, r + 14), ("", r + 2, -r - 4)]
    far = [
        (anchor, dx, dy)
        for reach in (26.0, 40.0, 56.0)
        for dy in (-reach, reach + 6)
        for anchor, dx in (("m ", 0.0), ("e ", -14.0), ("", 14.0), ("e ", -44.0), ("", 44.0))
    ]
    return [(*b, False) for b in beside] + [(*f, True) for f in far]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
