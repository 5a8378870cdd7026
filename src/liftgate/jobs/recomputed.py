"""Recomputed: the figures, numbers and claims of a paper beside what comes out here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Shape = Literal["line", "steps", "points", "marks"]
"""A line, a histogram (left edges and heights), a cloud, or a mark wherever the value is not 0."""


@dataclass(frozen=True)
class Curve:
    """One line of a panel; ``look`` is its place in the order of line styles, so that a name keeps its style."""

    name: str
    points: tuple[tuple[float, float], ...]
    look: int = 0
    shape: Shape = "line"


@dataclass(frozen=True)
class PrintedMark:
    """A value that the paper prints, as a mark in a panel."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Panel:
    """One drawing of a figure; with ``log`` the heights stand on a logarithmic axis."""

    letter: str
    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    printed: tuple[PrintedMark, ...] = ()
    log: bool = False


@dataclass(frozen=True)
class Figure:
    """One figure of the paper: its place, what is seen in it, what it was computed on, and why it differs."""

    number: int
    place: str
    finding: str
    setting: str
    draws: int
    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Compared:
    """A printed number beside ours. ``alternative`` marks another reading of a number that is compared already.

    ``agrees`` means: no further apart than the printed digits and three standard errors of our mean allow. ``shown`` is
    our number as text, where three decimals do not do.
    """

    quantity: str
    place: str
    printed: str
    here: tuple[float, ...]
    error: float | None
    agrees: bool
    why: str = ""
    errata: tuple[str, ...] = ()
    alternative: bool = False
    shown: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper that can be counted: whether it held wherever it was tried, and how often not."""

    text: str
    place: str
    holds: bool
    evidence: str
    errata: tuple[str, ...] = ()


@dataclass(frozen=True)
class Missing:
    """A part that could not be computed, why, and what to do about it."""

    what: str
    why: str
    fix: str


@dataclass(frozen=True)
class Recomputed:
    """A paper recomputed: ``settings`` say on what, ``totals`` how much was done.

    ``reading`` explains the numbers, ``conditions`` are what they rest on besides assumptions, ``limits`` what they do
    not say.
    """

    paper: str
    title: str
    settings: Mapping[str, Any]
    totals: Mapping[str, int]
    figures: tuple[Figure, ...]
    numbers: tuple[Compared, ...]
    claims: tuple[Claim, ...]
    missing: tuple[Missing, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    reading: str = ""
    conditions: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()

    @property
    def compared(self) -> tuple[Compared, ...]:
        """The printed numbers, each under the reading that was chosen."""
        return tuple(n for n in self.numbers if not n.alternative)

    @property
    def agreeing(self) -> int:
        """How many printed numbers come out."""
        return sum(n.agrees for n in self.compared)

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it."""
        return {
            "paper": self.paper,
            "title": self.title,
            "settings": dict(self.settings),
            "totals": dict(self.totals),
            "figures": [_figure(f) for f in self.figures],
            "numbers": [{**vars(n), "here": list(n.here), "errata": list(n.errata)} for n in self.numbers],
            "claims": [{**vars(c), "errata": list(c.errata)} for c in self.claims],
            "missing": [dict(vars(m)) for m in self.missing],
        }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        **vars(figure),
        "notes": list(figure.notes),
        "panels": [
            {
                **vars(p),
                "curves": [{"name": c.name, "shape": c.shape, "points": [list(q) for q in c.points]} for c in p.curves],
                "printed": [dict(vars(m)) for m in p.printed],
            }
            for p in figure.panels
        ],
    }
