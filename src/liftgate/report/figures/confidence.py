"""Confidence before and after an announcement: one line for each private value, a limit that none may pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from liftgate.report.figures import svg

_LEFT, _RIGHT, _TOP, _STEP = 158.0, 440.0, 26.0, 27.0


@dataclass(frozen=True)
class Line:
    """One private value under one outcome: its share before, its confidence with the real and the announced rules."""

    name: str
    prior: float
    real: float
    announced: float


def before_after(parts: Sequence[tuple[str, Sequence[Line]]], limit: float, limit_text: str, label: str) -> Markup:
    """All outcomes of one group: a dot or square where the real rules lead, a ring where the announced ones do."""
    rows = sum(len(lines) + 1 for _, lines in parts)
    bottom = _TOP + rows * _STEP - 8
    out: list[Markup] = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        out.append(svg.line(_at(tick), _TOP - 6, _at(tick), bottom, "grid"))
        out.append(svg.text(_at(tick), bottom + 16, f"{tick:.0%}".replace("%", "\u00a0%"), "m tick"))
    out.append(svg.line(_at(limit), _TOP - 14, _at(limit), bottom, "edge"))
    right = limit > 0.7
    out.append(svg.text(_at(limit) + (-6 if right else 6), 14, limit_text, "edgelab halo" + (" e" if right else "")))
    y = _TOP + 14
    for outcome, lines in parts:
        out.append(svg.text(0, y + 4, svg.shortened(outcome, 150), "lab"))
        y += _STEP
        for line in lines:
            out += _row(line, y, limit)
            y += _STEP
    return svg.figure(460, bottom + 26, label, out)


def _at(share: float) -> float:
    return _LEFT + share * (_RIGHT - _LEFT)


def _row(line: Line, y: float, limit: float) -> list[Markup]:
    before, after = _at(line.real), _at(line.announced)
    parts = [svg.text(_LEFT - 12, y + 4, svg.shortened(line.name, _LEFT - 20), "e")]
    parts.append(svg.line(before, y, after, y, "", stroke="var(--ink-3)", stroke_width="2.5"))
    parts.append(
        svg.line(
            _at(line.prior),
            y - 8,
            _at(line.prior),
            y + 8,
            "",
            stroke="var(--ink)",
            stroke_width="1.5",
            stroke_dasharray="2 2",
        )
    )
    if line.real > limit + 1e-9:
        parts.append(svg.square(before, y, 10))
    else:
        parts.append(svg.element("circle", cx=before, cy=y, r=4, fill="var(--ink-3)"))
    parts.append(svg.ring(after, y, 6))
    return parts
