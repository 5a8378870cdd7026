"""Pages look as they did: reduced screenshots against references, with room for other fonts.

The references are small on purpose (a quarter or an eighth of the size, the made-up town, down to the list of
measures, whose words change more often than the looks). Letters differ between machines, so single pixels say nothing: both pictures
are reduced to blocks, and the mean difference of their colours and the height of the page are compared. A missing
figure, a lost style, a theme that does not switch or a column that wraps moves these by a multiple of the tolerance,
another sans serif does not. What must hold exactly on every machine (no scroll sideways, no spilled text, contrast)
is asserted on boxes and styles in test_pages.py.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.browser

REFERENCES = Path(__file__).resolve().parent / "references"
SCALE = {"desktop": 8, "dark": 8, "phone": 4, "print": 6}
MEAN_DIFFERENCE = 6.0  # of 255, over all blocks and channels
HEIGHT = 0.06
UPDATE = os.environ.get("LIFTGATE_UPDATE_SCREENSHOTS") == "1"


def reduced(page: Any, view: str) -> Any:
    """The page above its measures, as a small picture."""
    from PIL import Image

    width = page.evaluate("innerWidth")
    top = "[...document.querySelectorAll('h2')].find(h => h.textContent.startsWith('Every measure'))"
    height = int(page.evaluate(f"{top}.getBoundingClientRect().top + scrollY"))
    picture = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height})
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    return image.resize((image.width // SCALE[view], image.height // SCALE[view]), Image.Resampling.BOX)


def difference(a: Any, b: Any) -> float:
    """The mean difference of the colours of two pictures, after the second is fitted to the first in blocks."""
    size = (max(1, a.width // 4), max(1, a.height // 4))
    return float(np.abs(np.asarray(a.resize(size), np.float64) - np.asarray(b.resize(size), np.float64)).mean())


@pytest.mark.parametrize("view", list(SCALE))
@pytest.mark.parametrize("kind", ["outside", "none", "ldp"])
def test_looks_as_before(kind: str, view: str, show: Any) -> None:
    """The page has the height and the colours of its reference."""
    from PIL import Image

    now = reduced(show(kind, view).page, view)
    path = REFERENCES / f"audit-{kind}-{view}.png"
    if UPDATE:
        REFERENCES.mkdir(exist_ok=True)
        now.quantize(64).save(path, optimize=True)
    with Image.open(path) as file:
        before = file.convert("RGB")
    assert abs(now.height - before.height) <= HEIGHT * before.height
    assert now.width == before.width
    assert difference(before, now) <= MEAN_DIFFERENCE


def test_the_comparison_notices_changes(show: Any) -> None:
    """A page without its figure column, or in the other theme, or with unstyled tables, is not taken for the same."""
    light = show("outside", "desktop").page
    before = reduced(light, "desktop")
    assert difference(before, reduced(show("outside", "dark").page, "dark")) > 5 * MEAN_DIFFERENCE
    light.add_style_tag(content=".heat td.h { background: none !important }")
    assert difference(before, reduced(light, "desktop")) > 0.2
    light.add_style_tag(content=".facts, .heat { display: none !important }")
    bare = reduced(light, "desktop")
    assert abs(bare.height - before.height) > HEIGHT * before.height
