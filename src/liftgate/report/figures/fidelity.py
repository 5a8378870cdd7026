"""Confidence against fidelity: exact curves of a few groups, where another condition binds, and the setting chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from liftgate.report.figures import svg

_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 372.0, 34.0, 270.0
_POINTS = 120


@dataclass(frozen=True)
class Track:
    """One group: its curve as a function of 1 - delta, where its pieces meet, its floor."""

    name: str
    at: Callable[[float], float]
    breaks: Sequence[float]
    floor: float


def fidelity_curves(tracks: Sequence[Track], setting: float | None, label: str) -> Markup:
    """The curves from exact rules (right) to rules within a half (left)."""
    least = min(t.floor for t in tracks)
    bottom = max(0.0, int(least * 10) / 10 - (0.1 if least * 10 - int(least * 10) < 0.3 else 0.0))
    out: list[Markup] = []
    step = 0.1 if 1 - bottom <= 0.65 else 0.2
    tick = bottom
    while tick < 1 + 1e-9:
        out.append(svg.line(_LEFT, _y(tick, bottom), _RIGHT, _y(tick, bottom), "grid"))
        out.append(svg.text(_LEFT - 6, _y(tick, bottom) + 4, f"{tick:.0%}".replace("%", "\u00a0%"), "e tick"))
        tick += step
    for room in (50, 40, 30, 20, 10, 0):
        out.append(svg.text(_x(room / 100), _BOTTOM + 18, str(room), "m tick"))
    out.append(svg.line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "axis"))
    if setting is not None and setting <= 0.5:
        out.append(svg.line(_x(setting), _TOP - 12, _x(setting), _BOTTOM, "edge"))
        anchor = "edgelab halo" + (" e" if setting < 0.25 else "")
        out.append(svg.text(_x(setting) + (-6 if setting < 0.25 else 6), _TOP - 2, "your setting", anchor))
    names: list[tuple[float, str]] = []
    for i, track in enumerate(tracks):
        out.append(svg.line(_LEFT, _y(track.floor, bottom), _RIGHT, _y(track.floor, bottom), "bd"))
        rooms = sorted({k / _POINTS / 2 for k in range(_POINTS + 1)} | {b for b in track.breaks if b <= 0.5})
        points = " L".join(f"{_x(r):.1f} {_y(track.at(r), bottom):.1f}" for r in reversed(rooms))
        out.append(svg.element("path", cls="ln" if i == 0 else "ln2", d=f"M{points}"))
        for b in track.breaks:
            if b <= 0.5:
                x, y = _x(b), _y(track.at(b), bottom)
                out.append(
                    svg.element(
                        "path",
                        d=f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5-5Z",
                        fill="var(--surface)",
                        stroke="var(--ink)",
                        stroke_width="1.6",
                    )
                )
        if setting is not None and setting <= 0.5:
            out.append(svg.ring(_x(setting), _y(track.at(setting), bottom), 6))
        names.append((_y(track.at(0.0), bottom), track.name))
    last = -99.0
    for y, name in sorted(names):
        last = max(y, last + 15)
        out.append(svg.text(_RIGHT + 8, last + 4, svg.shortened(name, 80), "lab"))
    out.append(
        svg.text((_LEFT + _RIGHT) / 2, _BOTTOM + 38, "how far an announced rate may be from the real one, in 100", "m")
    )
    out.append(svg.text(4, 14, "↑ largest confidence"))
    return svg.figure(460, _BOTTOM + 48, label, out)


def _x(room: float) -> float:
    return _RIGHT - room / 0.5 * (_RIGHT - _LEFT)


def _y(share: float, bottom: float) -> float:
    return _BOTTOM - (share - bottom) / (1 - bottom) * (_BOTTOM - _TOP)
