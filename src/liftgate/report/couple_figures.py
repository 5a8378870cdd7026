"""The two drawings of a couple page: both laws side by side, and the least delta at every ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from markupsafe import Markup

from liftgate.couplings.hinges import Hinges
from liftgate.report.figures import svg

MOST_BARS = 24
_LEFT, _RIGHT, _TOP, _BOTTOM = 50.0, 440.0, 28.0, 262.0
_MOST_LINEAR = 12.0
_MOST_CORNERS = 24
_FAR = 1e300


@dataclass(frozen=True)
class Bar:
    """One output: its name, both probabilities, and whether it is part of the event that tells the laws apart."""

    name: str
    left: Fraction
    right: Fraction
    marked: bool = False


def bars(rows: Sequence[Bar], left: str, right: str, axis: str) -> Markup:
    """Filled: the left law; outline: the right law; a band behind the event."""
    step, most = _scale(max(float(max(r.left, r.right)) for r in rows))
    width = (448.0 - 44.0) / len(rows)
    bar = max(2.0, width * 0.36)
    parts: list[Markup] = []
    for row, x in zip(rows, (44.0 + k * width for k in range(len(rows))), strict=True):
        if row.marked:
            parts.append(svg.rect(x, 22, width, 248, style="fill:var(--out-band)"))
    for k in range(round(most / step) + 1):
        y = 270 - 242 * k * step / most
        parts.append(svg.line(44, y, 448, y, "grid"))
        parts.append(svg.text(38, y + 4, f"{k * step * 100:.10g} %", "e tick"))
    every = max(1, math.ceil(len(rows) / 12))
    for k, row in enumerate(rows):
        x = 44 + k * width + width / 2
        for value, place, style in (
            (row.left, x - bar - 1, "fill:var(--ink-2)"),
            (row.right, x + 1, "fill:var(--surface);stroke:var(--ink-2);stroke-width:2"),
        ):
            height = 242 * float(value) / most
            parts.append(svg.rect(place, 270 - height, bar, height, style=style))
        if k % every == 0:
            parts.append(svg.text(x, 287, svg.shortened(row.name, max(width * every, 20), 12), "m tick"))
    parts.append(svg.line(44, 270, 448, 270, "axis"))
    parts.append(svg.text(44, 308, axis))
    parts.append(svg.text(448, 14, f"filled: {svg.shortened(left, 150)} · outline: {svg.shortened(right, 150)}", "e"))
    marked = [row.name for row in rows if row.marked]
    label = f"Probabilities of {len(rows)} outputs under {left} and under {right}."
    return svg.figure(460, 316, label + (f" Marked: {', '.join(marked[:6])}." if marked else ""), parts)


def profile_plot(found: Hinges, asked: Fraction | None, delta: Fraction, holds: bool | None) -> Markup:
    """The least delta at every ratio: a thick line; the other direction dashed; the question as a square or a ring."""
    corners = [_real(p / q) for p, q in found.blocks if q and p > q]
    top = max([2.0, *corners, *([_real(asked)] if asked is not None else [])]) if corners or asked else 2.0
    linear = top <= _MOST_LINEAR
    end = 1 + 1.5 * (top - 1) if linear else min(top, _FAR ** (1 / 1.15)) ** 1.15
    step, most = _scale(max(float(found.at(Fraction(1))), float(found.reverse.at(Fraction(1))), float(delta), 0.01))

    def at(t: float) -> float:
        share = (t - 1) / (end - 1) if linear else math.log(t) / math.log(end)
        return _LEFT + (_RIGHT - _LEFT) * share

    def height(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * value / most

    parts: list[Markup] = []
    for k in range(round(most / step) + 1):
        parts.append(svg.line(_LEFT, height(k * step), _RIGHT, height(k * step), "grid"))
        parts.append(svg.text(_LEFT - 6, height(k * step) + 4, f"{k * step:.10g}", "e tick"))
    for t in _ticks(end, linear):
        parts.append(svg.text(at(t), _BOTTOM + 16, f"{t:,.10g}", "m tick"))
        parts.append(svg.text(at(t), _BOTTOM + 31, f"ε {math.log(t):.2f}", "m tick"))
    line = _points(found, end, linear)
    path = "L".join(f"{svg.number(at(t))} {svg.number(height(v))}" for t, v in line)
    area = f"M{path}L{svg.number(_RIGHT)} {svg.number(_BOTTOM)}L{svg.number(_LEFT)} {svg.number(_BOTTOM)}Z"
    parts.append(svg.element("path", d=area, fill="url(#imp)"))
    parts.append(svg.line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "axis"))
    back = "L".join(f"{svg.number(at(t))} {svg.number(height(v))}" for t, v in _points(found.reverse, end, linear))
    parts.append(svg.element("path", cls="ln2", stroke_dasharray="6 3", d=f"M{back}"))
    parts.append(svg.element("path", cls="ln", d=f"M{path}"))
    if len(corners) <= _MOST_CORNERS:
        for t in (corner for corner in corners if corner < end):
            x, y = at(t), height(float(found.at(Fraction(t))))
            diamond = f"M{svg.number(x)} {svg.number(y - 6)}l6 6l-6 6l-6-6Z"
            parts.append(svg.element("path", d=diamond, fill="var(--surface)", stroke="var(--ink)", stroke_width="2"))
    if asked is not None:
        x, y = at(min(_real(asked), end)), height(float(delta))
        parts.append(svg.ring(x, y, 6) if holds else svg.square(x, y, 12))
        side = "e " if x > 300 else ""
        parts.append(svg.text(x + (-12 if side else 12), y - 12, "asked", f"{side}{'lab' if holds else 'outlab'} halo"))
    parts.append(svg.text(_LEFT + 8, _BOTTOM - 10, "no coupling here", "bdlab halo"))
    parts.append(svg.text(_LEFT, 312, "largest allowed ratio, e^ε"))
    parts.append(svg.text(6, 14, "↑ least δ"))
    label = (
        f"Least delta for every ratio: {float(found.at(Fraction(1))):.3g} at ratio 1, "
        f"{float(found.at(Fraction(end))):.3g} at ratio {end:.3g}. Dashed: the other direction."
    )
    return svg.figure(460, 320, label, parts)


def _real(ratio: Fraction) -> float:
    """A ratio as a float; what is too large for one is far to the right."""
    return float(min(ratio, Fraction(_FAR)))


def _points(found: Hinges, end: float, linear: bool) -> list[tuple[float, float]]:
    """Corners, and on a logarithmic axis points between them; the heights are floats, for looking only."""
    corners = [_real(p / q) for p, q in found.blocks if q and 1 < p / q < end]
    places = {1.0, end, *corners[:2000]}
    if not linear:
        places |= {end ** (k / 160) for k in range(161)}
    p, q = (np.array([float(block[side]) for block in found.blocks]) for side in (0, 1))
    with np.errstate(over="ignore"):
        return [(t, float(np.maximum(p - t * q, 0).sum())) for t in sorted(places)]


def _ticks(end: float, linear: bool) -> list[float]:
    if not linear:
        power = max(1, math.ceil(math.log10(end) / 5))
        return [10.0 ** (k * power) for k in range(6) if 10.0 ** (k * power) <= end]
    step = next(s for s in (0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5) if (end - 1) / s <= 5)
    return [1 + k * step for k in range(int((end - 1) / step + 1e-9) + 1)]


def _scale(value: float) -> tuple[float, float]:
    """A round step and the top of an axis that holds the value."""
    power = 10.0 ** math.floor(math.log10(value))
    step = next(power * m for m in (0.2, 0.25, 0.5, 1, 2) if value / (power * m) <= 5)
    return step, step * math.ceil(value / step - 1e-9)
