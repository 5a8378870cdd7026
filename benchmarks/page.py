"""The page of a run: growth plots and figures beside their limits, drawn by hand as SVG; nothing is loaded from outside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

Record = Mapping[str, Any]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 360, 240, 52, 38, 14, 16

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2330; background: #fff; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid #d7dce5; }
.plots { display: flex; flex-wrap: wrap; gap: 1.2rem; } figure { margin: 0; } figcaption { max-width: 360px; font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; } th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #e6e9f0; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } .beyond { color: #a11; font-weight: 600; } .within { color: #15603a; }
svg { background: #f8f9fc; } svg text { font: 11px system-ui, sans-serif; fill: #414a5a; } p.small { font-size: 13px; color: #414a5a; }
"""

INTRODUCTION = (
    "<p>Every figure is a ratio whose two sides were measured in the same run on the same machine, or a quantity beside "
    "the limit set for it. Below 1x we are quicker or smaller than what it is compared with. Growth plots have "
    "logarithmic axes; the dotted line is linear cost.</p>"
)


def beyond(figure: Record) -> bool:
    """Whether a figure is beyond what is allowed for it; one that is not a number always is."""
    value = figure["value"]
    if "limit" in figure and not value <= figure["limit"]:
        return True
    return "least" in figure and not value >= figure["least"]


def page(run: Mapping[str, Any]) -> str:
    """One page for the record that the runner writes."""
    figures: Sequence[Record] = run["figures"]
    names = list(dict.fromkeys(f["bench"] for f in figures))
    wrong = [f for f in figures if beyond(f)]
    promised = sum("limit" in f or "least" in f for f in figures)
    verdict = f"{promised - len(wrong)} of {promised} figures with a limit keep it."
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Liftgate benchmarks</title>",
        f"<style>{STYLE}</style></head><body><h1>Benchmarks</h1>",
        INTRODUCTION,
        f"<p><strong class='{'beyond' if wrong else 'within'}'>{verdict}</strong></p>",
        _machine(run),
    ]
    for name in names:
        mine = [f for f in figures if f["bench"] == name]
        parts.append(f"<h2>{escape(name.capitalize())}</h2>")
        plots = _growths(mine)
        if plots:
            parts.append(f"<div class='plots'>{''.join(plots)}</div>")
        rest = [f for f in mine if "size" not in f]
        if rest:
            parts.append(_table(rest))
    return "\n".join([*parts, "</body></html>\n"])


def _machine(run: Mapping[str, Any]) -> str:
    told = run["machine"]
    libraries = ", ".join(f"{escape(k)} {escape(str(v))}" for k, v in told["versions"].items())
    quick = " Small sizes (--quick): to see that everything runs, not to be quoted." if run["quick"] else ""
    where = f"Python {told['python']}, {told['system']} {told['processor']}, {told['cores']} cores"
    return f"<p class='small'>{escape(where)}; {libraries}.{quick}</p>"


def _table(figures: Sequence[Record]) -> str:
    rows = []
    for f in figures:
        limits = [f"at most {_short(f['limit'])}"] if "limit" in f else []
        limits += [f"at least {_short(f['least'])}"] if "least" in f else []
        mark = ("beyond" if beyond(f) else "within") if limits else ""
        cells = [escape(f["name"]), escape(f["figure"])]
        rows.append(
            f"<tr><td>{'</td><td>'.join(cells)}</td><td class='n {mark}'>{_short(f['value'])} {escape(f['unit'])}</td>"
            f"<td>{escape(f['compared_with'])}</td><td class='{mark}'>{', '.join(limits)}"
            f"{' ✗ beyond it' if mark == 'beyond' else ''}</td></tr>"
        )
    heads = "".join(f"<th>{h}</th>" for h in ("case", "figure", "value", "compared with", "limit"))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _growths(figures: Sequence[Record]) -> list[str]:
    series: dict[tuple[str, str, str], list[Record]] = {}
    for f in figures:
        if "size" in f:
            series.setdefault((f["name"], f["figure"], f["of"]), []).append(f)
    return [_plot(key, sorted(points, key=lambda f: f["size"])) for key, points in series.items() if len(points) > 1]


def _plot(key: tuple[str, str, str], points: Sequence[Record]) -> str:
    """Cost over size, both logarithmic, and the line of linear cost through the largest size."""
    name, figure, of = key
    sizes = [math.log10(p["size"]) for p in points]
    costs = [math.log10(max(p["value"], 1e-12)) for p in points]
    ideal = [costs[-1] - (sizes[-1] - s) for s in sizes]
    x0, x1 = math.floor(sizes[0]), max(math.ceil(sizes[-1]), math.floor(sizes[0]) + 1)
    y0, y1 = math.floor(min(costs)), max(math.ceil(max(costs)), math.floor(min(costs)) + 1)

    def at(x: float, y: float) -> str:
        across = LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - (max(y, y0) - y0) / (y1 - y0) * (HEIGHT - BOTTOM - TOP)
        return f"{across:.1f},{down:.1f}"

    def line(pairs: Sequence[tuple[float, float]], style: str) -> str:
        return f"<polyline fill='none' {style} points='{' '.join(at(x, y) for x, y in pairs)}'/>"

    marks = []
    for x in range(x0, x1 + 1):
        place = at(x, y0).split(",")
        marks.append(f"<text x='{place[0]}' y='{HEIGHT - BOTTOM + 15}' text-anchor='middle'>1e{x}</text>")
        marks.append(line([(x, y0), (x, y1)], "stroke='#e1e5ee'"))
    for y in range(y0, y1 + 1):
        place = at(x0, y).split(",")
        marks.append(f"<text x='{LEFT - 6}' y='{float(place[1]) + 4:.1f}' text-anchor='end'>1e{y}x</text>")
        marks.append(line([(x0, y), (x1, y)], "stroke='#e1e5ee'"))
    measured = line(list(zip(sizes, costs, strict=True)), "stroke='#1f5fa8' stroke-width='2'")
    inside = [(s, i) for s, i in zip(sizes, ideal, strict=True) if i >= y0]
    linear = line(inside, "stroke='#8a93a6' stroke-dasharray='3 4'")
    dots = "".join(
        f"<circle cx='{c.split(',')[0]}' cy='{c.split(',')[1]}' r='3.5' fill='#1f5fa8'/>"
        for c in (at(s, c) for s, c in zip(sizes, costs, strict=True))
    )
    told = ", ".join(f"{_short(p['size'])}: {_short(p['value'])}x" for p in points)
    caption = f"{name}: {figure} over {of}, against {points[0]['compared_with']}"
    return (
        f"<figure><svg role='img' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}'>"
        f"<title>{escape(caption)}</title><desc>{escape(told)}</desc>{''.join(marks)}"
        f"{linear}{measured}{dots}"
        f"<text x='{(LEFT + WIDTH - RIGHT) / 2}' y='{HEIGHT - 6}' text-anchor='middle'>{escape(of)}</text></svg>"
        f"<figcaption><strong>{escape(name)}</strong>, {escape(figure)}<br>{escape(told)}</figcaption></figure>"
    )


def _short(value: float) -> str:
    """A number in three digits, a size in words of ten.

    >>> _short(1234.5), _short(0.01234), _short(1e7)
    ('1,234', '0.0123', '1e7')
    """
    if value >= 1e4 and math.log10(value) == int(math.log10(value)):
        return f"1e{int(math.log10(value))}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
