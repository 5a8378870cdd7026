"""SVG elements as escaped text, and the one frame every figure has."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

_CHARACTER = 0.57  # of the type size, a little more than the mean width of a sans serif letter


def number(value: float) -> str:
    """A coordinate."""
    return f"{value:.1f}"


def element(name: str, content: str | Markup | None = None, **attributes: str | float | None) -> Markup:
    """One element; attribute values and text are escaped, ``cls`` is the class and ``_`` becomes ``-``."""
    parts = [name]
    for key, value in attributes.items():
        if value is None:
            continue
        key = "class" if key == "cls" else key.replace("_", "-")
        parts.append(f'{key}="{escape(number(value) if isinstance(value, (int, float)) else value)}"')
    head = " ".join(parts)
    return Markup(f"<{head}/>" if content is None else f"<{head}>{escape(content)}</{name}>")


def text(x: float, y: float, content: str, cls: str = "") -> Markup:
    """A piece of text."""
    return element("text", content, x=x, y=y, cls=cls or None)


def line(x1: float, y1: float, x2: float, y2: float, cls: str, **more: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, cls=cls or None, **more)


def rect(x: float, y: float, width: float, height: float, cls: str = "", **more: str) -> Markup:
    """A rectangle; what has no width or height is not drawn."""
    if width <= 0 or height <= 0:
        return Markup()
    return element("rect", x=x, y=y, width=width, height=height, cls=cls or None, **more)


def square(x: float, y: float, side: float, **more: str) -> Markup:
    """The mark of what is outside: a filled square around a point."""
    return rect(x - side / 2, y - side / 2, side, side, "outm", **more)


def ring(x: float, y: float, radius: float, **more: str) -> Markup:
    """The mark of what is inside: an open circle."""
    return element("circle", cx=x, cy=y, r=radius, cls="in", **more)


def mark(x: float, y: float, radius: float, outside: bool, judged: bool = True, **more: str) -> Markup:
    """A square outside, an open circle inside, and a plain one where nothing was judged."""
    if outside:
        return square(x, y, radius * 2.15, **more)
    return ring(x, y, radius, **more) if judged else element("circle", cx=x, cy=y, r=radius, cls="plain", **more)


def figure(width: float, height: float, label: str | None, parts: Iterable[Markup], cls: str = "plot") -> Markup:
    """A whole drawing; without a label it is hidden from screen readers, because a table beside it says the same."""
    body = Markup().join(parts)
    if label is None:
        return Markup('<svg class="{}" viewBox="0 0 {} {}" aria-hidden="true">{}</svg>').format(
            cls, number(width), number(height), body
        )
    return Markup('<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        cls, number(width), number(height), label, body
    )


def width_of(content: str, size: float = 13) -> float:
    """About how wide a text will be."""
    return len(content) * size * _CHARACTER


def shortened(content: str, room: float, size: float = 13) -> str:
    """A text cut to the room it has, with an ellipsis."""
    most = max(3, int(room / (size * _CHARACTER)))
    return content if len(content) <= most else content[: most - 1].rstrip() + "…"
