"""Heat maps: real tables with nine classes of lift, and the key that explains them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from liftgate.report import numbers
from liftgate.report.figures import svg

_EDGES = (0.125, 0.25, 0.5, 0.8, 1.25, 2.0, 4.0, 8.0)
_NAMES = ("⅛", "¼", "½", "0.8", "1.25", "2", "4", "8")
_LONG, _WORD = 26, 14


@dataclass(frozen=True)
class Name:
    """A label as a heading shows it, and whole where that was cut."""

    text: str
    full: str

    @property
    def long(self) -> bool:
        """Whether the heading has to break into lines."""
        return len(self.text) > _LONG

    @property
    def unbroken(self) -> bool:
        """Whether a column heading has to break inside a word."""
        return max(map(len, self.text.replace("-", " ").split()), default=0) > _WORD


@dataclass(frozen=True)
class Cell:
    """One cell: its text, its class of colour, and whether it leaves the budget."""

    text: str
    cls: str
    outside: bool = False
    zero: bool = False


@dataclass(frozen=True)
class Row:
    """One released value."""

    name: Name
    cells: Sequence[Cell]
    count: str = ""
    range: str = ""
    chip: str = ""


@dataclass(frozen=True)
class HeatMap:
    """A whole table; the count, the range and the verdict are columns of their own where they have a heading."""

    caption: str
    corner: str
    columns: Sequence[Name]
    rows: Sequence[Row]
    count_head: str = ""
    range_title: str = ""
    range_head: str = ""
    verdict_head: str = ""


def name(text: str, most: int = 60) -> Name:
    """A heading of at most so many characters."""
    return Name(text if len(text) <= most else text[: most - 1].rstrip() + "…", text)


def lift_class(value: float) -> int:
    """The class of a lift, 1 to 9; 5 holds 0.8 to 1.25.

    >>> [lift_class(v) for v in (0.1, 0.125, 0.79, 0.8, 1.25, 1.26, 8, 8.1)]
    [1, 2, 4, 5, 5, 6, 8, 9]
    """
    return 1 + (bisect_right(_EDGES, value) if value <= 1 else bisect_left(_EDGES, value))


def lift_cell(value: Fraction, low: Fraction | None, up: Fraction | None, outside: bool) -> Cell:
    """One lift; zero is hatched, and what leaves the budget is framed, marked and says so."""
    if value == 0:
        return Cell("0", "zero", outside, zero=True)
    return Cell(numbers.lift(value, low, up), f"l{lift_class(float(value))}", outside)


def key(low: Fraction | None = None, up: Fraction | None = None) -> Markup:
    """The colour scale of lift with the allowed band on it."""
    fill = "fill:url(#zer);stroke:var(--l3)"
    parts = [svg.rect(8, 20, 28, 18, style=fill), svg.rect(16, 21, 12, 16, style="fill:var(--surface)")]
    parts.append(svg.text(22, 34, "0", "m lab"))
    parts += [svg.rect(42 + 46 * i, 20, 44, 18, style=f"fill:var(--l{i + 1})") for i in range(9)]
    parts += [svg.text(87 + 46 * i, 52, text, "m tick") for i, text in enumerate(_NAMES)]
    allowed = ""
    if low is not None and up is not None:
        places = [_place(float(low)), _place(float(up))]
        texts = [numbers.bound(low, "low"), numbers.bound(up, "up")]
        apart = places[1] - places[0]
        parts += [svg.line(x, 14, x, 42, "edge") for x in places]
        if apart > 120:
            room = [(30.0, 460 - svg.width_of(text) / 2) for text in texts]
            spots = [min(max(x, first), last) for x, (first, last) in zip(places, room, strict=True)]
            parts += [svg.text(x, 10, text, "m edgelab") for x, text in zip(spots, texts, strict=True)]
            parts.append(svg.text(sum(places) / 2, 10, "allowed", "m edgelab"))
        else:
            both = texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"
            parts.append(svg.text(sum(places) / 2, 10, f"allowed {both}", "m edgelab"))
        allowed = f" Allowed: {texts[0]} to {texts[1]}."
    parts.append(svg.text(42, 68, "rarer here than in the whole table"))
    parts.append(svg.text(456, 68, "more common here", "e"))
    label = f"Colour scale of lift. Blue: rarer than in the whole table; orange: more common; hatched: never.{allowed}"
    return svg.figure(460, 74, label, parts, "key plot")


def _place(value: float) -> float:
    """Where a lift stands on the key: classes have equal widths, logarithmic inside."""
    from math import log

    if value <= 0:
        return 22
    ends = (1 / 16, *_EDGES, 16.0)
    value = min(max(value, ends[0]), ends[-1])
    k = min(bisect_right(ends, value) - 1, 8)
    share = (log(value) - log(ends[k])) / (log(ends[k + 1]) - log(ends[k]))
    return 41 + 46 * (k + share)
