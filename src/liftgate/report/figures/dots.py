"""A share as a hundred dots, and a rate as a bar."""

from __future__ import annotations

from markupsafe import Markup

from liftgate.report.figures import svg


def hundred(filled: int, label: str) -> Markup:
    """Five rows of twenty dots, so many of them filled."""
    dots = []
    for i in range(100):
        x, y = 10 + 21.0 * (i % 20), 10 + 21.0 * (i // 20)
        if i < filled:
            dots.append(svg.element("circle", cx=x, cy=y, r=7.5, fill="var(--ink-2)"))
        else:
            dots.append(
                svg.element("circle", cx=x, cy=y, r=6.8, fill="none", stroke="var(--line-2)", stroke_width="1.4")
            )
    return svg.figure(424, 106, label, dots)


def rate_bar(share: float) -> Markup:
    """A rate as the filled part of a bar; the number stands beside it."""
    parts = [svg.rect(0, 3, 120, 10, "", style="fill:var(--sunk)", rx="2")]
    parts.append(svg.rect(0, 3, max(120 * share, 1.0 if share > 0 else 0.0), 10, "", style="fill:var(--ink-2)", rx="2"))
    return Markup(
        '<svg class="plot" style="display:block;margin:0;width:120px" viewBox="0 0 120 16" aria-hidden="true">{}</svg>'
    ).format(Markup().join(parts))
