"""Distributions over people: how far belief can move down and up, or how a measure spreads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from liftgate.report import numbers
from liftgate.report.figures import svg
from liftgate.report.figures.gate import axis, band, bounds_on_axis, measure_scale
from liftgate.report.figures.heat import lift_class
from liftgate.report.figures.scale import LogScale, MeasureScale, around_one

_LEFT, _RIGHT, _TOP, _BOTTOM, _BIN = 44.0, 452.0, 36.0, 214.0, 21.0


@dataclass(frozen=True)
class Item:
    """One released value: its share of people, its smallest and largest lift, and which of them leave the budget."""

    share: float
    smallest: float
    largest: float
    below: bool = False
    above: bool = False


def two_sided(items: Sequence[Item], low: Fraction | None, up: Fraction | None, who: str) -> Markup:
    """Smallest lifts on the left, largest on the right, weighted; bars never straddle an edge of the budget."""
    ends = [v for i in items for v in (i.smallest, i.largest)]
    scale = around_one([*ends, *bounds_on_axis(low, up)], _LEFT + 2, _RIGHT - 2)
    left = _bins(scale, [(i.smallest, i.share, i.below) for i in items], low, -1)
    right = _bins(scale, [(i.largest, i.share, i.above) for i in items], up, 1)
    below, above = sum(i.share for i in items if i.below), sum(i.share for i in items if i.above)
    most = max((share for _, _, share, _, _ in (*left, *right)), default=0.0)
    background = band(scale, low, up, _TOP - 6, _BOTTOM)
    behind = 0 if low is None else 1
    parts = [*background[:behind], *_grid(most)]
    parts += [_bar(x, width, share, most, bad, value) for x, width, share, bad, value in (*left, *right)]
    parts += background[behind:]
    parts += axis(scale, _BOTTOM, _LEFT, _RIGHT)
    if low is not None and up is not None:
        if below > 0:
            parts.append(svg.text(_LEFT + 2, _TOP + 6, f"{numbers.percent(below)} below", "outlab halo"))
        if above > 0:
            parts.append(svg.text(_RIGHT, _TOP + 6, f"{numbers.percent(above)} above", "e outlab halo"))
    parts.append(svg.text(_LEFT, 252, "← smallest lift of the value"))
    parts.append(svg.text(_RIGHT, 252, "largest lift of the value →", "e"))
    parts.append(svg.text((_LEFT + _RIGHT) / 2, 270, f"each half adds up to 100 % of {who}", "m tick"))
    never = sum(i.share for i in items if i.smallest <= 0)
    if never and scale.zero is not None:
        parts.append(svg.text(scale.zero - 8, _height(never, most) - 6, numbers.percent(never), "lab halo"))
    label = f"Distribution of the smallest and largest lift over {who}."
    if low is not None and up is not None:
        label += (
            f" {_percent(below)} have a value whose smallest lift is below the budget, {_percent(above)} one whose"
            " largest lift is above it."
        )
    return svg.figure(460, 276, label, parts)


def one_sided(
    values: Sequence[tuple[float, float, bool]], bound: Fraction | None, least: float, measure: str, who: str
) -> Markup:
    """How a measure spreads: (value, share, outside) for every released value."""
    limit = None if bound is None else float(bound)
    scale = measure_scale([v for v, _, _ in values], limit, least, _LEFT + 2, _RIGHT - 2)
    edge = scale.end if limit is None else scale.at(limit)
    sums: dict[tuple[float, float, bool], float] = {}
    for value, share, bad in values:
        sums_key = _measure_bin(scale, value, bad, edge)
        sums[sums_key] = sums.get(sums_key, 0.0) + share
    most = max(sums.values(), default=0.0)
    parts = [] if limit is None else [svg.rect(scale.start, _TOP - 6, edge - scale.start, _BOTTOM - _TOP + 6, "band")]
    parts += _grid(most)
    parts += [_bar(x, width, share, most, bad, None) for (x, width, bad), share in sums.items()]
    if limit is not None:
        parts.append(svg.line(edge, _TOP - 12, edge, _BOTTOM, "edge"))
        anchor = "e" if edge > 250 else ""
        parts.append(svg.text(edge, _TOP - 16, "allowed by the budget", f"{anchor} edgelab"))
    parts.append(svg.line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "axis"))
    parts += [svg.text(scale.at(v), _BOTTOM + 16, name, "m tick") for v, name in scale.ticks()]
    if scale.infinite is not None:
        parts.append(svg.text(scale.infinite, _BOTTOM + 16, "infinite", "e tick"))
    parts.append(svg.text(_RIGHT, 252, f"{measure} of the value →", "e"))
    outside = sum(share for _, share, bad in values if bad)
    label = f"Distribution of {measure} over {who}. {_percent(outside)} have a value above its bound."
    return svg.figure(460, 262, label, parts)


def _percent(share: float) -> str:
    return numbers.percent(share).replace(numbers.NBSP, " ").replace("%", "percent")


def _bins(
    scale: LogScale, values: Sequence[tuple[float, float, bool]], edge: Fraction | None, side: int
) -> list[tuple[float, float, float, bool, float]]:
    """(x, width, share, outside, lift in the middle) of the bars of one half."""
    one = scale.at(1)
    room = abs((scale.end if side > 0 else scale.start) - one)
    reach = 0.0
    if edge is not None and edge > 0 and edge != 1:
        reach = abs(math.log(edge)) / math.log(scale.up) * room
    inner = max(1, round(reach / _BIN)) if 4 < reach <= room + 1e-6 else 0
    width = reach / inner if inner else _BIN
    sums: dict[int, float] = {}
    bad_bins: dict[int, bool] = {}
    for value, share, bad in values:
        if value <= 0:
            k = -1
        else:
            k = int(abs(math.log(value)) / math.log(scale.up) * room / width + 1e-9)
            k = min(k, int(room / width))
            if inner:
                k = max(k, inner) if bad else min(k, inner - 1)
        k = k * 2 + bad if k >= 0 else -1 - bad
        sums[k] = sums.get(k, 0.0) + share
        bad_bins[k] = bad
    out = []
    for k, share in sums.items():
        bad = bad_bins[k]
        if k < 0:
            place = scale.zero if scale.zero is not None else scale.start
            out.append((place - 10, 20.0, share, bad, 0.0))
            continue
        near = (k // 2) * width
        x = one + near if side > 0 else one - near - width
        middle = math.exp(side * (near + width / 2) / room * math.log(scale.up))
        out.append((x + 1, width - 2, share, bad, middle))
    return out


def _measure_bin(scale: MeasureScale, value: float, bad: bool, edge: float) -> tuple[float, float, bool]:
    if math.isinf(value):
        return ((scale.infinite or scale.end) - 20, 20.0, bad)
    if edge - scale.start < 4:  # only silence is allowed: what keeps the bound stands on it
        k = int((scale.at(value) - scale.start) / _BIN)
        return (scale.start + k * _BIN + 9, _BIN - 2, bad) if bad else (scale.start - 7, 14.0, bad)
    inner = max(1, round((edge - scale.start) / _BIN))
    width = (edge - scale.start) / inner
    k = int((scale.at(value) - scale.start) / width)
    k = max(k, inner) if bad else min(k, inner - 1)
    return (scale.start + k * width + 1, width - 2, bad)


def _step(most: float) -> float:
    return next((s for s in (0.01, 0.02, 0.05, 0.1, 0.2) if most / s <= 5.5), 0.25)


def _grid(most: float) -> list[Markup]:
    step = _step(most)
    parts = []
    for k in range(1, int(most / step + 1e-9) + 1):
        y = _height(k * step, most)
        parts.append(svg.line(_LEFT, y, _RIGHT, y, "grid"))
        parts.append(svg.text(_LEFT - 5, y + 4, f"{round(100 * k * step)} %", "e tick"))
    return parts


def _height(share: float, most: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP - 14) * share / most if most else _BOTTOM


def _bar(x: float, width: float, share: float, most: float, bad: bool, value: float | None) -> Markup:
    fill = "var(--gate-band)" if value is None else "url(#zer)" if value == 0 else f"var(--l{lift_class(value)})"
    if value is None and bad:
        fill = "var(--out-band)"
    frame = "stroke:var(--out);stroke-width:2" if bad else "stroke:var(--ink-3);stroke-width:1"
    top = min(_height(share, most), _BOTTOM - 2)
    return svg.rect(x, top, width, _BOTTOM - top, style=f"fill:{fill};{frame}")
