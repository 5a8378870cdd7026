"""The gate: a range of lifts against the allowed band, and single measures against their bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from liftgate.report import numbers
from liftgate.report.figures import svg
from liftgate.report.figures.scale import LogScale, MeasureScale, around_one

_WIDTH, _RIGHT, _ROW, _TOP, _NAME = 460.0, 404.0, 34.0, 18.0, 90.0


@dataclass(frozen=True)
class Span:
    """The smallest and the largest lift of one thing, and whether they leave the budget."""

    name: str
    smallest: Fraction
    largest: Fraction
    below: bool = False
    above: bool = False


@dataclass(frozen=True)
class Reading:
    """One measure of one thing against a bound; ``least`` is what silence measures, ``beside`` shares its axis."""

    name: str
    value: float
    bound: Fraction | None
    outside: bool
    least: float = 0.0
    beside: tuple[float, ...] = ()


def gate(spans: Sequence[Span], low: Fraction | None, up: Fraction | None, title: str) -> Markup:
    """Ranges of lift on a log axis around 1, one row each, over the allowed band."""
    values = [float(v) for s in spans for v in (s.smallest, s.largest)]
    left = 58 + min(_NAME, max(svg.width_of(s.name) for s in spans))
    scale = around_one([*values, *bounds_on_axis(low, up)], left, _RIGHT)
    bottom = _TOP + _ROW * len(spans) + 12
    parts = [*band(scale, low, up, _TOP, bottom)]
    said = []
    for i, span in enumerate(spans):
        y = _TOP + _ROW * i + 22
        parts.append(svg.text(0, y + 4.5, svg.shortened(span.name, _NAME), "lab"))
        x1, x2 = scale.at(float(span.smallest)), scale.at(float(span.largest))
        parts.append(svg.line(x1, y, x2, y, "", stroke="var(--ink)", stroke_width="3"))
        for x, value, outside, anchor in (
            (x1, span.smallest, span.below, "e "),
            (x2, span.largest, span.above, ""),
        ):
            text = numbers.lift(value, low, up, 3)
            parts.append(svg.mark(x, y, 5.6, outside, low is not None))
            parts.append(
                svg.text(
                    x + (-11 if anchor else 11), y + 4.5, text, anchor + ("outlab" if outside else "lab") + " halo"
                )
            )
        said.append(
            f"{span.name} {numbers.lift(span.smallest, low, up, 3)} to {numbers.lift(span.largest, low, up, 3)}"
        )
    parts += axis(scale, bottom, left - 12, _RIGHT + 12)
    allowed = f" Allowed {allowed_words(low, up)}." if low is not None and up is not None else ""
    return svg.figure(_WIDTH, bottom + 20, f"{title}: {'; '.join(said)}.{allowed}", parts, "plot gauge")


def readings(rows: Sequence[Reading], title: str) -> Markup:
    """Measures against their bounds, each on an axis of its own that starts at silence."""
    parts: list[Markup] = []
    said = []
    y = 0.0
    for row in rows:
        limit = None if row.bound is None else float(row.bound)
        scale = measure_scale([row.value, *row.beside], limit, row.least, 10, _RIGHT)
        top, bottom = y + 36, y + 64
        x = scale.at(row.value)
        parts.append(svg.text(0, y + 12, row.name, "lab"))
        if limit is not None:
            edge = scale.at(limit)
            parts.append(svg.rect(10, top, edge - 10, bottom - top, "band"))
            parts.append(svg.line(edge, top - 6, edge, bottom, "edge"))
            parts.append(svg.text(edge, top - 9, f"allowed {_bound_text(row.bound)}", _anchor(edge) + "edgelab"))
        middle = (top + bottom) / 2
        parts.append(svg.line(10, middle, x, middle, "", stroke="var(--ink)", stroke_width="3"))
        parts.append(svg.mark(x, middle, 5.6, row.outside, limit is not None))
        text = near(row.value, row.bound, row.outside)
        parts.append(svg.text(x + 11, middle + 4.5, text, ("outlab" if row.outside else "lab") + " halo"))
        parts.append(svg.line(4, bottom, _RIGHT + 12, bottom, "axis"))
        parts += [svg.text(scale.at(v), bottom + 15, name, "m tick") for v, name in scale.ticks()]
        said.append(f"{row.name} {text}" + ("" if row.bound is None else f", allowed {_bound_text(row.bound)}"))
        y = bottom + 34
    return svg.figure(_WIDTH, y - 12, f"{title}: {'; '.join(said)}.", parts, "plot gauge")


def band(scale: LogScale, low: Fraction | None, up: Fraction | None, top: float, bottom: float) -> list[Markup]:
    """The allowed band with its two edges, its name, and the line of silence at 1."""
    parts = []
    if low is not None and up is not None:
        x1, x2 = scale.at(float(low)), scale.at(float(up))
        parts.append(svg.rect(x1, top, x2 - x1, bottom - top, "band"))
        parts += [svg.line(x, top - 6, x, bottom, "edge") for x in (x1, x2)]
        parts.append(svg.text((x1 + x2) / 2, top - 7, "allowed by the budget", "m edgelab halo"))
    one = scale.at(1)
    return [*parts, svg.line(one, top, one, bottom, "one")]


def axis(scale: LogScale, y: float, start: float, end: float) -> list[Markup]:
    """The axis of lift with its ticks."""
    parts = [svg.line(start, y, end, y, "axis")]
    parts += [svg.text(scale.at(v), y + 15, f"{name}×", "m tick") for v, name in scale.ticks()]
    if scale.zero is not None:
        parts.append(svg.text(scale.zero, y + 15, "0", "m tick"))
    if scale.infinite is not None:
        parts.append(svg.text(scale.infinite, y + 15, "∞", "m tick"))
    return parts


def bounds_on_axis(low: Fraction | None, up: Fraction | None) -> list[float]:
    """The bounds that an axis has to hold; a budget as wide as 1:1000 does not squeeze the data."""
    return [min(max(float(b), 1 / 32), 32.0) for b in (low, up) if b is not None]


def allowed_words(low: Fraction, up: Fraction) -> str:
    """The band in words."""
    return f"{numbers.bound(low, 'low')} to {numbers.bound(up, 'up')}"


def measure_scale(values: Sequence[float], bound: float | None, least: float, start: float, end: float) -> MeasureScale:
    """A scale that holds finite values and their bound, with a place for infinity where it occurs."""
    finite = [v for v in values if v != float("inf")] + ([] if bound is None else [bound])
    most = max([*finite, least])
    unit = max((bound - least) if bound is not None else most - least, 1e-9) or 1.0
    infinite = any(v == float("inf") for v in values)
    return MeasureScale(
        least, unit, max(most, least + unit * 1.02), start, end - (36 if infinite else 0), end if infinite else None
    )


def near(value: float, bound: Fraction | None, outside: bool) -> str:
    """A measure as text that reads as inside its bound or outside, as the exact decision says."""
    if value == float("inf"):
        return "infinite"
    if bound is None:
        return numbers.measured(value)
    limit = float(bound)
    if outside and value <= limit:
        return f"just over {_bound_text(bound)}"
    if not outside and value > limit:
        value = limit
    return numbers.lift(value, up=bound, digits=3)


def _bound_text(bound: Fraction | None) -> str:
    return "" if bound is None else numbers.bound(bound, "up")


def _anchor(x: float) -> str:
    return "" if x < 70 else "e " if x > _WIDTH - 70 else "m "
