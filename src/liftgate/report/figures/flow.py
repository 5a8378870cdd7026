"""Flow: how people move from the values in the table to the values that are released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from liftgate.report.figures import svg

_WIDTH, _LEFT, _RIGHT, _BAR = 460.0, 142.0, 302.0, 6.0
_TOP, _LINE, _GAP, _THIN = 22.0, 15.0, 4.0, 2.0


@dataclass(frozen=True)
class Node:
    """One value, or the rest of them: its name in lines, its people, and whether it was outside the budget."""

    lines: Sequence[str]
    people: float
    outside: bool = False
    rest: bool = False


@dataclass(frozen=True)
class Ribbon:
    """People who go from one value to another; ``shared`` where others go to the same one."""

    left: int
    right: int
    people: float
    shared: bool


def flow(left: Sequence[Node], right: Sequence[Node], ribbons: Sequence[Ribbon], label: str) -> Markup:
    """Two columns of bars, heights by people, with ribbons between them."""
    total = max(sum(n.people for n in left), 1e-300)
    unit = max(190.0, 13.0 * max(len(left), len(right))) / total
    places = _places(left, right, unit)
    widths = _widths(left, right, ribbons, places)
    parts = [svg.text(_LEFT + _BAR, 12, "in the table", "e lab"), svg.text(_RIGHT, 12, "as released", "lab")]
    for ribbon, (a1, a2, b1, b2) in sorted(
        zip(ribbons, widths, strict=True), key=lambda p: (p[0].shared, -p[0].people)
    ):
        start, end, middle = _LEFT + _BAR, _RIGHT, (_LEFT + _BAR + _RIGHT) / 2
        path = (
            f"M{start:.1f} {a1:.1f}C{middle:.1f} {a1:.1f} {middle:.1f} {b1:.1f} {end:.1f} {b1:.1f}"
            f"V{b2:.1f}C{middle:.1f} {b2:.1f} {middle:.1f} {a2:.1f} {start:.1f} {a2:.1f}Z"
        )
        parts.append(svg.element("path", d=path, cls="rib on" if ribbon.shared else "rib"))
    bottom = _TOP
    for side, nodes in enumerate((left, right)):
        x = _RIGHT if side else _LEFT
        for node, (y, height) in zip(nodes, places[side], strict=True):
            fill = "--hatch" if node.rest else "--gate" if side else "--out" if node.outside else "--ink-3"
            parts.append(svg.rect(x, y, _BAR, height, style=f"fill:var({fill})"))
            first = y + height / 2 + 4.5 - _LINE * (len(node.lines) - 1) / 2
            for i, line in enumerate(node.lines):
                cls = ("" if side else "e ") + ("outlab" if node.outside else "")
                at = x + _BAR + 8 if side else x - 8
                parts.append(svg.text(at, first + _LINE * i, svg.shortened(line, 146 if side else 134), cls.strip()))
            bottom = max(bottom, y + max(height, _LINE * len(node.lines)) / 2 + height / 2)
    return svg.figure(_WIDTH, bottom + 6, label, parts)


def _places(left: Sequence[Node], right: Sequence[Node], unit: float) -> list[list[tuple[float, float]]]:
    """Top and height of every bar; a bar has at least the room of its name."""
    heights = [[max(n.people * unit, _THIN) for n in side] for side in (left, right)]
    slots = [
        [max(h, _LINE * len(n.lines)) + _GAP for n, h in zip(side, hs, strict=True)]
        for side, hs in zip((left, right), heights, strict=True)
    ]
    most = max(sum(s) for s in slots)
    out = []
    for hs, ss in zip(heights, slots, strict=True):
        more = min(14.0, (most - sum(ss)) / max(1, len(ss)))
        y, row = _TOP, []
        for h, s in zip(hs, ss, strict=True):
            row.append((y + (s + more - h) / 2, h))
            y += s + more
        out.append(row)
    return out


def _widths(
    left: Sequence[Node], right: Sequence[Node], ribbons: Sequence[Ribbon], places: list[list[tuple[float, float]]]
) -> list[tuple[float, float, float, float]]:
    """Both ends of every ribbon, stacked on their bars in the order of the other side."""
    ends: list[list[tuple[float, float]]] = [[(0.0, 0.0)] * len(ribbons), [(0.0, 0.0)] * len(ribbons)]
    for side, nodes in enumerate((left, right)):
        used = [y for y, _ in places[side]]
        order = sorted(
            range(len(ribbons)),
            key=lambda k: (ribbons[k].right, ribbons[k].left) if side == 0 else (ribbons[k].left, ribbons[k].right),
        )
        for k in order:
            at = ribbons[k].right if side else ribbons[k].left
            people = nodes[at].people
            width = places[side][at][1] * (ribbons[k].people / people if people > 0 else 0.0)
            ends[side][k] = (used[at], used[at] + width)
            used[at] += width
    return [(*a, *b) for a, b in zip(*ends, strict=True)]
