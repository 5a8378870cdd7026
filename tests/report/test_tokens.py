"""The style sheet: enough contrast for every pair of text and ground, in light and dark; nothing but what is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import liftgate.report

CSS = (Path(liftgate.report.__file__).parent / "templates" / "tokens.css").read_text("utf-8")


def tokens(dark: bool) -> dict[str, str]:
    """The colours of one theme."""
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", CSS)
    found: dict[str, str] = {}
    for block in blocks[:2] if dark else blocks[:1]:
        found.update(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block))
    return found


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    r, g, b = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


PAIRS = [
    *(
        (ink, ground)
        for ink in ("ink", "ink-2", "ink-3", "link", "gate-ink", "out-ink")
        for ground in ("paper", "surface")
    ),
    *((f"{scale}{k}i", f"{scale}{k}") for scale, last in (("l", 9), ("c", 7)) for k in range(1, last + 1)),
    ("gate-ink", "gate-band"),
    ("out-ink", "out-band"),
    ("ink", "unk-band"),
    ("paper", "out"),
    ("paper", "ink"),
    ("ink", "sunk"),
]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_contrast(ink: str, ground: str, dark: bool) -> None:
    """4.5 to 1 at least for everything that is read."""
    colours = tokens(dark)
    assert contrast(colours[ink], colours[ground]) >= 4.5


def test_both_dark_themes_are_the_same() -> None:
    """The reader's scheme and the explicit switch give the same colours."""
    blocks = [re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", b) for b in re.findall(r":root[^{]*\{([^}]*)\}", CSS)]
    assert len(blocks) == 3
    assert blocks[1] == blocks[2]
    assert len(blocks[1]) > 40


def test_the_sheet_cannot_end_early() -> None:
    """Inlined into a page, the sheet loads nothing and does not close its own element."""
    assert "</" not in CSS
    assert "@import" not in CSS
    assert not re.search(r"url\((?!#)", CSS)
