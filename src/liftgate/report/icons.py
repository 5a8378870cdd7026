"""The verdict shapes: square with cross, ring with tick, dashed ring with question mark, diamond, plain ring."""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup

Shape = Literal["in", "out", "unk", "if", "none"]

_DRAWN: dict[Shape, str] = {
    "out": '<rect x="1.5" y="1.5" width="17" height="17" rx="2" fill="var(--out)"/>'
    '<path d="M6 6l8 8M14 6l-8 8" stroke="var(--surface)" stroke-width="2.4"/>',
    "in": '<circle cx="10" cy="10" r="8.5" fill="none" stroke="var(--gate)" stroke-width="2"/>'
    '<path d="M6 10.4l2.8 2.8L14.2 7.4" fill="none" stroke="var(--gate)" stroke-width="2.2"/>',
    "unk": '<circle cx="10" cy="10" r="8.5" fill="none" stroke="var(--unk)" stroke-width="2" stroke-dasharray="3 2.3"/>'
    '<path d="M7.6 8a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .8-1 1.6" fill="none" stroke="var(--unk)" stroke-width="1.9"/>'
    '<circle cx="10" cy="14.4" r="1.2" fill="var(--unk)"/>',
    "if": '<path d="M10 1.2L18.8 10L10 18.8L1.2 10Z" fill="none" stroke="var(--ink)" stroke-width="2"/>'
    '<path d="M10 5.6v5.2" stroke="var(--ink)" stroke-width="2.2"/><circle cx="10" cy="13.6" r="1.3" fill="var(--ink)"/>',
    "none": '<circle cx="10" cy="10" r="8.5" fill="none" stroke="var(--ink-2)" stroke-width="2"/>'
    '<path d="M10 10l4-4" stroke="var(--ink-2)" stroke-width="2.2"/><circle cx="10" cy="10" r="1.8" fill="var(--ink-2)"/>',
}
VERDICT_SHAPE: dict[str, Shape] = {"within": "in", "outside": "out", "unknown": "unk"}


def icon(shape: Shape) -> Markup:
    """One shape as inline SVG; the words beside it carry the meaning for those who do not see it."""
    return Markup(f'<svg viewBox="0 0 20 20" aria-hidden="true">{_DRAWN[shape]}</svg>')


def chip(verdict: str, text: str | None = None) -> Markup:
    """A shape with its word."""
    shape = icon(VERDICT_SHAPE[verdict])
    return Markup('<span class="chip">{}<span class="t">{}</span></span>').format(shape, text or verdict)
