"""Curves over a budget: line styles that differ without colour, and a label on every curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from liftgate.report.figures import svg

_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 448.0, 34.0, 264.0
_LOOKS = (
    "stroke:var(--ink);stroke-width:2.5",
    "stroke:var(--l2);stroke-width:2.25",
    "stroke:var(--l8);stroke-width:2.25;stroke-dasharray:9 4",
    "stroke:var(--ink-2);stroke-width:2;stroke-dasharray:1.5 4.5;stroke-linecap:round",
    "stroke:var(--l2);stroke-width:2.25;stroke-dasharray:9 4",
    "stroke:var(--l8);stroke-width:2.25",
)
"""Full, blue, brown dashes, grey dots, blue dashes, brown; the order of ``look``."""
_STEP = 4.0
Floats = NDArray[np.float64]
Point = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Line:
    """One curve in its own numbers."""

    name: str
    points: Sequence[Point]
    look: int = 0
    steps: bool = False
    cloud: bool = False


@dataclass(frozen=True)
class Note:
    """A single value with a text, drawn as a cross."""

    x: float
    y: float
    text: str


def curves(
    lines: Sequence[Line], notes: Sequence[Note], across: str, unit: str, label: str, log: bool = False
) -> Markup:
    """All lines in one frame; heights on a logarithmic axis where ``log`` says so."""
    points = [p for line in lines for p in line.points]
    if not points:
        return svg.figure(460, 300, label, [svg.text(_LEFT, 60, "nothing to draw")])
    x_ticks = _ticks(min(p[0] for p in points), max(p[0] for p in points))
    heights = [p[1] for p in points] + [n.y for n in notes]
    y_ticks = _log_ticks(heights) if log else _ticks(min(heights), max(heights))
    width, height = x_ticks[-1] - x_ticks[0], _t(y_ticks[-1], log) - _t(y_ticks[0], log)

    def at(x: float, y: float) -> Point:
        return (
            _LEFT + 6 + (x - x_ticks[0]) / width * (_RIGHT - _LEFT - 6),
            _BOTTOM - (_t(y, log) - _t(y_ticks[0], log)) / height * (_BOTTOM - _TOP),
        )

    parts = []
    for tick in y_ticks:
        y = at(x_ticks[0], tick)[1]
        parts += [svg.line(_LEFT, y, _RIGHT, y, "grid"), svg.text(_LEFT - 6, y + 4, _tick_text(tick), "e tick")]
    for tick in x_ticks:
        parts.append(svg.text(at(tick, y_ticks[0])[0], _BOTTOM + 18, _tick_text(tick), "m tick"))
    parts.append(svg.line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "axis"))
    placed = [_polyline(line, at) for line in lines]
    for line, places in zip(lines, placed, strict=True):
        if line.cloud:
            parts += [svg.element("circle", cx=x, cy=y, r=1.8, fill="var(--ink-3)") for x, y in places]
            continue
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(svg.element("path", d=path, fill="none", style=_LOOKS[line.look % len(_LOOKS)]))
    dense = [np.array(p) if line.cloud else _dense(p) for line, p in zip(lines, placed, strict=True)]
    taken: list[Box] = []
    for note in notes:
        parts += _cross(*at(note.x, note.y), note.text, dense, taken)
    named = []
    for k in sorted(range(len(lines)), key=lambda i: -_spread(i, dense)):
        ink = _LOOKS[lines[k].look % len(_LOOKS)].partition(";")[0].partition(":")[2]
        named.append(_label(k, lines[k].name, dense, taken, ink))
    parts += [part for _, leads in named for part in leads] + [text for text, _ in named]
    parts.append(svg.text(_RIGHT, _BOTTOM + 38, f"{across} →", "e"))
    parts.append(svg.text(8, 14, f"↑ {unit}"))
    return svg.figure(460, 310, label, parts)


def strips(lines: Sequence[Line], across: str, label: str) -> Markup:
    """One row for each line: a filled square where its value is positive, an open circle where it is 0."""
    points = [p for line in lines for p in line.points]
    ticks = _ticks(min(p[0] for p in points), max(p[0] for p in points))
    start = 16 + max(svg.width_of(line.name) for line in lines)
    bottom = 24.0 + 34 * len(lines)

    def at(x: float) -> float:
        return start + 6 + (x - ticks[0]) / (ticks[-1] - ticks[0]) * (_RIGHT - start - 12)

    parts = []
    for tick in ticks:
        parts += [svg.line(at(tick), 14, at(tick), bottom, "grid"), svg.text(at(tick), bottom + 18, _tick_text(tick), "m tick")]  # fmt: skip
    for k, line in enumerate(lines):
        y = 28.0 + 34 * k
        parts.append(svg.text(start - 8, y + 4, line.name, "e lab"))
        parts += [svg.mark(at(x), y, 3.4, v > 0, style="stroke-width:1.25") for x, v in line.points]
    parts += [svg.line(start, bottom, _RIGHT, bottom, "axis"), svg.text(_RIGHT, bottom + 38, f"{across} →", "e")]
    return svg.figure(460, bottom + 44, label, parts)


def _t(value: float, log: bool) -> float:
    return math.log(value) if log else value


def _polyline(line: Line, at: Callable[[float, float], Point]) -> list[Point]:
    """Corners in the drawing; steps keep their height until the next point."""
    if not line.steps:
        return [at(*p) for p in line.points]
    out: list[Point] = [at(line.points[0][0], 0.0)]
    height = 0.0
    for x, y in line.points:
        out += [at(x, height), at(x, y)]
        height = y
    return out


def _dense(places: Sequence[Point]) -> Floats:
    """The same line as points a few pixels apart."""
    out = [places[0]]
    for (x0, y0), (x1, y1) in pairwise(places):
        n = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0) / _STEP))
        out += [(x0 + (x1 - x0) * k / n, y0 + (y1 - y0) * k / n) for k in range(1, n + 1)]
    return np.array(out)


def _cross(x: float, y: float, text: str, dense: Sequence[Floats], taken: list[Box]) -> list[Markup]:
    """A printed value: a cross and its text, where the text covers least."""
    cross = f"M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10"
    arms = svg.element("path", d=cross, fill="none", stroke="var(--out)", stroke_width="2.5")
    taken.append((x - 6, y - 6, x + 6, y + 6))
    wide = svg.width_of(text)
    spots = [(a, dx, dy) for dy in (15, -7, 30, -22, 46, 62) for a, dx in (("", 9), ("e ", -9))]
    left = np.array([x + dx - (wide if a else 0) for a, dx, _ in spots])
    down = np.array([y + dy for _, _, dy in spots])
    boxes = np.stack([left, down - 11, left + wide, down + 3], axis=1)
    cost = _covered(boxes, dense, taken) + 1e3 * _off(boxes) + 0.01 * np.arange(len(spots))
    best = int(cost.argmin())
    taken.append(_box(boxes[best]))
    anchor, dx, dy = spots[best]
    return [arms, svg.text(x + dx, y + dy, text, f"{anchor}outlab halo")]


def _label(k: int, name: str, dense: Sequence[Floats], taken: list[Box], ink: str) -> tuple[Markup, list[Markup]]:
    """The name of a curve beside it, where nothing else is near; else away from it with a thin line."""
    wide = svg.width_of(name)
    own = dense[k][::4]
    moves = np.array([(dx, dy) for dy in (-7, 17, -30, 40, -52, 62, -76, 86) for dx in (-wide / 2, 6.0, -wide - 6)])
    places = np.repeat(own, len(moves), axis=0)
    dx, dy = np.tile(moves, (len(own), 1)).T
    left, down = places[:, 0] + dx, places[:, 1] + dy
    boxes = np.stack([left, down - 11, left + wide, down + 3], axis=1)
    apart = np.repeat(_apart(k, own, dense), len(moves))
    lead = np.abs(dy) > 20
    cost = 50 * _covered(boxes, dense, taken) - np.minimum(apart, 40) + 25 * lead + 0.5 * np.abs(dy)
    centre = np.stack([left + wide / 2, down - 4], axis=1)
    mine = np.hypot(*(centre[:, None, :] - dense[k][None, ::2, :]).transpose(2, 0, 1)).min(axis=1)
    cost += 60 * (~lead & (_apart(k, centre, dense) < mine + 5))
    cost += 2.0 * (dx != -wide / 2) + 1e4 * _off(boxes)
    best = int(cost.argmin())
    box = _box(boxes[best])
    taken.append(box)
    middle = (box[0] + box[2]) / 2
    text = svg.element("text", name, x=middle, y=box[3] - 3, cls="m lab halo", style=f"fill:{ink}")
    if not lead[best]:
        return text, []
    x, y = (float(v) for v in places[best])
    start, edge = min(max(x, box[0] + 3), box[2] - 3), box[3] + 1 if y > box[3] else box[1] - 1
    line = svg.line(x, y, start, edge, "", stroke="var(--ink-3)", stroke_width="1")
    return text, [line, svg.element("circle", cx=x, cy=y, r=2.5, fill="var(--ink-2)")]


def _apart(k: int, points: Floats, dense: Sequence[Floats]) -> Floats:
    """How far the other curves are from points of this one."""
    others = [d for j, d in enumerate(dense) if j != k]
    if not others:
        return np.full(len(points), 99.0)
    away = points[:, None, :] - np.concatenate(others)[None, :, :]
    return np.asarray(np.hypot(away[:, :, 0], away[:, :, 1]).min(axis=1))


def _spread(k: int, dense: Sequence[Floats]) -> float:
    """How far a curve gets from the others: those that stay close are named last, where room is left."""
    return float(_apart(k, dense[k][::6], dense).max())


def _covered(boxes: Floats, dense: Sequence[Floats], taken: Sequence[Box]) -> Floats:
    """How much each text would hide: points of curves and other texts."""
    x, y = np.concatenate(dense).T
    left, top, right, bottom = (boxes[:, i : i + 1] for i in range(4))
    hidden = ((left - 3 <= x) & (x <= right + 3) & (top - 1 <= y) & (y <= bottom + 1)).sum(axis=1).astype(np.float64)
    for b in taken:
        crossed = (left < b[2]) & (b[0] < right) & (top < b[3]) & (b[1] < bottom)
        hidden += 8.0 * crossed[:, 0]
    return np.asarray(hidden)


def _off(boxes: Floats) -> NDArray[np.bool_]:
    """Which texts would leave the frame."""
    left, top, right, bottom = boxes.T
    return np.asarray((left < _LEFT) | (right > _RIGHT + 8) | (top < _TOP - 8) | (bottom > _BOTTOM - 2))


def _box(values: Floats) -> Box:
    left, top, right, bottom = (float(v) for v in values)
    return left, top, right, bottom


def _ticks(low: float, high: float) -> list[float]:
    """Four to eight round values around a range.

    >>> _ticks(0.25, 8), _ticks(0.1, 0.97)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span))
    step = next(m * power for m in (0.1, 0.2, 0.5, 1, 2, 5, 10) if span / (m * power) <= 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 10) for k in range(first, max(last, first + 1) + 1)]


def _log_ticks(values: Sequence[float]) -> list[float]:
    """1, 2, 5, 10, 20 … around a range.

    >>> _log_ticks([3, 40])
    [2.0, 5.0, 10.0, 20.0, 50.0]
    """
    low, high = min(v for v in values if v > 0), max(values)
    every = [m * 10.0**k for k in range(-6, 9) for m in (1, 2, 5)]
    first = max(i for i, v in enumerate(every) if v <= low * (1 + 1e-9))
    last = min(i for i, v in enumerate(every) if v >= high * (1 - 1e-9))
    held = every[first : max(last, first + 1) + 1]
    if len(held) <= 7:
        return held
    kept = [v for v in held if math.log10(v).is_integer() or abs(math.log10(v) - round(math.log10(v))) < 1e-9]
    return [*([held[0]] if held[0] < kept[0] else []), *kept, *([held[-1]] if held[-1] > kept[-1] else [])]


def _tick_text(value: float) -> str:
    text = f"{abs(value):,.10g}"
    return f"−{text}" if value < 0 else text
