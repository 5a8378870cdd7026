"""The trade-off curve: information kept against the budget, with what is proven out of reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from liftgate.report import numbers
from liftgate.report.figures import svg
from liftgate.report.figures.placing import Box, place

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 460.0, 330.0, 52.0, 446.0, 28.0, 276.0
_STYLES = ("ln", "ln2", "ln3")


@dataclass(frozen=True)
class Line:
    """One mechanism: its name and, for each budget, epsilon, what is kept, and whether that is inside the budget."""

    name: str
    points: Sequence[tuple[float, float, bool]]


@dataclass(frozen=True)
class Here:
    """The release the page is about."""

    eps: float
    kept: float
    text: str


def curve(
    lines: Sequence[Line],
    bound: Sequence[tuple[float, float]],
    search: Sequence[tuple[float, float]],
    label: str,
    factors: bool,
    here: Here | None = None,
) -> Markup:
    """Lines of what is kept; ``bound`` is proven and hatched above, ``search`` is believed and drawn grey.

    ``factors`` writes under each epsilon the factor it stands for.
    """
    values = [y for line in lines for _, y, _ in line.points] + ([here.kept] if here else [])
    everything = [e for line in lines for e, _, _ in line.points] + ([here.eps] if here else [])
    axis = _Axis(everything, _floor(min(values)))
    parts = axis.frame(factors)
    if len(bound) > 1:
        edge = [axis.at(e, v) for e, v in bound]
        area = [(edge[0][0], _TOP), (edge[-1][0], _TOP), *reversed(edge)]
        parts.append(svg.element("path", d=_path(area) + "Z", cls="bdf"))
    if here is not None:
        x, _ = axis.at(here.eps, here.kept)
        parts.append(svg.line(x, _TOP - 8, x, _BOTTOM, "edge"))
    drawn = [[axis.at(e, v) for e, v, _ in line.points] for line in lines]
    for k, line in enumerate(drawn):
        parts.append(svg.element("path", d=_path(line), cls=_STYLES[min(k, len(_STYLES) - 1)]))
        if len(line) == 1:
            parts.append(svg.element("circle", cx=line[0][0], cy=line[0][1], r=3.5, cls="dot"))
    believed = [axis.at(e, v) for e, v in search]
    if len(believed) > 1:
        parts.append(svg.element("path", d=_path(believed), cls="sb"))
    proven = [axis.at(e, v) for e, v in bound]
    if len(proven) > 1:
        parts.append(svg.element("path", d=_path(proven), cls="bd"))
    broken = [axis.at(e, v) for line in lines for e, v, inside in line.points if not inside]
    parts += [svg.element("path", d=f"M{x - 4.5:.1f} {y - 4.5:.1f}l9 9m0-9l-9 9", cls="cross") for x, y in broken]
    return svg.figure(
        _WIDTH, _HEIGHT, label, [*parts, *_words(axis, lines, drawn, proven, believed, broken, here)], "plot"
    )


def _words(
    axis: _Axis,
    lines: Sequence[Line],
    drawn: Sequence[list[tuple[float, float]]],
    proven: Sequence[tuple[float, float]],
    believed: Sequence[tuple[float, float]],
    broken: Sequence[tuple[float, float]],
    here: Here | None,
) -> list[Markup]:
    """Every label at its curve, the mark of the release, and above them what crosses mean."""
    frame = Box(_LEFT + 2, _TOP, _RIGHT + 10, _BOTTOM - 4)
    parts: list[Markup] = []
    taken = [Box(x - 6, y - 6, x + 6, y + 6) for x, y in broken]
    every = [*drawn, *([proven] if proven else []), *([believed] if believed else [])]
    if here is not None:
        x, y = axis.at(here.eps, here.kept)
        parts += [
            svg.element("circle", cx=x, cy=y, r=7, cls="here"),
            svg.element("circle", cx=x, cy=y, r=2.5, cls="dot"),
        ]
        taken.append(Box(x - 9, y - 9, x + 9, y + 9))
        taken.append(Box(x - 3, _TOP, x + 3, _BOTTOM))
        left = x > (_LEFT + _RIGHT) / 2 + 60
        parts.append(
            svg.text(x + (-6 if left else 6), _BOTTOM - 7, "your budget", ("e " if left else "") + "edgelab halo")
        )
        taken.append(Box(x - 90 if left else x, _BOTTOM - 22, x if left else x + 90, _BOTTOM))

    def put(text: str, curve: Sequence[tuple[float, float]], cls: str) -> None:
        others = [line for line in every if line is not curve]
        found = place(text, curve, others, taken, frame)
        taken.append(found.box)
        anchor = {"start": "", "middle": "m ", "end": "e "}[found.anchor]
        parts.append(svg.text(found.x, found.y, text, f"{anchor}{cls} halo".strip()))

    if here is not None:
        put(here.text, [axis.at(here.eps, here.kept)], "lab")
    for line, places in zip(lines, drawn, strict=True):
        put(line.name, places, "")
    if len(proven) > 1:
        put("proven out of reach", [(x, (y + _TOP) / 2 - 4) for x, y in proven], "bdlab")
    if len(believed) > 1:
        put("search bound, not yet proven", list(believed), "")
    if broken:
        parts.append(svg.text(_RIGHT, 12, "✕ breaks its own budget", "e outlab"))
    return parts


class _Axis:
    """Places of epsilons and shares; an infinite epsilon has a place of its own at the right."""

    def __init__(self, eps: Sequence[float], floor: float) -> None:
        finite = [e for e in eps if math.isfinite(e)]
        self.infinite = len(finite) < len(eps)
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        if low <= 0.35 * high:
            low = 0.0
        elif high - low < 1e-12:
            low, high = low - 0.5 * (low or 1), high + 0.5 * (high or 1)
        if high - low < 1e-9:  # nothing to divide into ticks
            high = low + 1
        self.low, self.high, self.floor = low, high, floor
        self.end = _RIGHT - (40 if self.infinite else 0)

    def at(self, eps: float, kept: float) -> tuple[float, float]:
        share = (min(max(eps, self.low), self.high) - self.low) / (self.high - self.low)
        x = _RIGHT if math.isinf(eps) else _LEFT + 8 + share * (self.end - _LEFT - 8)
        y = _BOTTOM - (min(max(kept, self.floor), 1.0) - self.floor) / (1 - self.floor) * (_BOTTOM - _TOP)
        return x, y

    def frame(self, factors: bool) -> list[Markup]:
        """Grid, ticks and the names of the axes."""
        parts = []
        for k in range(5):
            value = self.floor + (1 - self.floor) * k / 4
            _, y = self.at(self.low, value)
            parts.append(svg.line(_LEFT, y, _RIGHT, y, "axis" if k == 0 else "grid"))
            parts.append(svg.text(_LEFT - 6, y + 4, f"{100 * value:.4g}{numbers.NBSP}%", "e tick"))
        step = _step((self.high - self.low) / 5)
        k = math.ceil(self.low / step - 1e-9)
        while k * step <= self.high + 1e-9:
            eps = k * step
            x, _ = self.at(eps, 0)
            parts.append(svg.text(x, _BOTTOM + 16, f"{eps:.4g}", "m tick"))
            if factors:
                parts.append(svg.text(x, _BOTTOM + 31, f"{_factor(eps)}×", "m tick"))
            k += 1
        if self.infinite:
            parts.append(svg.text(_RIGHT, _BOTTOM + 16, "∞", "m tick"))
        text = "ε per side; below it, the factor belief may move by" if factors else "ε as asked"
        parts.append(svg.text(_LEFT, _BOTTOM + (50 if factors else 36), text))
        parts.append(svg.text(0, 12, "↑ information kept"))
        return parts


def _floor(least: float) -> float:
    """Where the axis of shares starts: at 0 unless everything is far above it; the ticks say so."""
    return next((f for f in (0.99, 0.9, 0.8, 0.5) if least > f + (1 - f) / 8), 0.0)


def _step(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= value * (1 - 1e-9))


def _factor(eps: float) -> str:
    value = math.exp(min(eps, 600.0))
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}" if value < 1e5 else f"e^{eps:.3g}"


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
