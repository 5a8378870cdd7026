"""Small drawings beside a table: the range of each value, and shares of people by verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from liftgate.report import numbers
from liftgate.report.figures import svg
from liftgate.report.figures.scale import LogScale, MeasureScale
from liftgate.report.icons import VERDICT_SHAPE

WIDTH, _HEIGHT = 210.0, 26.0
_ORDER = ("within", "unknown", "outside")


def range_head(scale: LogScale) -> Markup:
    """The axis over the column of ranges."""
    ticks = [svg.text(scale.at(v), 16, name, "m tick") for v, name in scale.ticks(7)]
    if scale.zero is not None:
        ticks.append(svg.text(scale.zero, 16, "0", "m tick"))
    return _small(ticks, 20)


def range_row(
    scale: LogScale, smallest: float, largest: float, low: float | None, up: float | None, below: bool, above: bool
) -> Markup:
    """One value: its smallest and largest lift over the allowed band."""
    parts = []
    if low is not None and up is not None:
        x1, x2 = scale.at(low), scale.at(up)
        parts.append(svg.rect(x1, 0, x2 - x1, _HEIGHT, "band"))
        parts += [svg.line(x, 0, x, _HEIGHT, "edge") for x in (x1, x2)]
    parts.append(svg.line(scale.at(1), 0, scale.at(1), _HEIGHT, "one"))
    a, b, y = scale.at(smallest), scale.at(largest), _HEIGHT / 2
    parts.append(svg.line(a, y, b, y, "", stroke="var(--ink)", stroke_width="2"))
    parts += [svg.mark(x, y, 4.6, bad, low is not None) for x, bad in ((a, below), (b, above))]
    return _small(parts, _HEIGHT)


def measure_head(scale: MeasureScale) -> Markup:
    """The axis over a column of measures."""
    return _small([svg.text(scale.at(v), 16, name, "m tick") for v, name in scale.ticks(34)], 20)


def measure_row(scale: MeasureScale, value: float, bound: float | None, outside: bool) -> Markup:
    """One value: a measure over the allowed band."""
    parts = []
    if bound is not None:
        x = scale.at(bound)
        parts += [svg.rect(scale.start, 0, x - scale.start, _HEIGHT, "band"), svg.line(x, 0, x, _HEIGHT, "edge")]
    x, y = scale.at(value), _HEIGHT / 2
    parts.append(svg.line(scale.start, y, x, y, "", stroke="var(--ink)", stroke_width="2"))
    parts.append(svg.mark(x, y, 4.6, outside, bound is not None))
    return _small(parts, _HEIGHT)


@dataclass(frozen=True)
class Part:
    """One stretch of a bar."""

    word: str
    share: str
    flex: str
    inside: str

    @property
    def shape(self) -> str:
        """The class that draws it."""
        return VERDICT_SHAPE[self.word]


@dataclass(frozen=True)
class Bar:
    """One reading of the table: shares by verdict."""

    name: str
    how: str
    parts: tuple[Part, ...]

    @property
    def label(self) -> str:
        """The bar in words."""
        return ", ".join(f"{p.word} {p.share}" for p in self.parts)


def bar(name: str, how: str, shares: Mapping[str, Fraction]) -> Bar:
    """A bar of the verdicts that occur; a stretch too short for its number leaves it to the words below."""
    parts = [
        Part(word, text, f"{max(float(shares[word]), 0.004):.4f}", text if shares[word] >= Fraction(1, 12) else "")
        for word in _ORDER
        if shares.get(word)
        for text in [numbers.percent(shares[word])]
    ]
    return Bar(name, how, tuple(parts))


def _small(parts: list[Markup], height: float) -> Markup:
    return svg.figure(WIDTH, height, None, parts, "plot small")
