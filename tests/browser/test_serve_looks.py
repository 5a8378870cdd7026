"""The rooms look as they did: reduced screenshots against references, as in test_screenshots.py.

With LIFTGATE_UPDATE_SCREENSHOTS=1 the references and the pictures of docs/how-to/page.md are taken anew.
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
PICTURES = Path(__file__).resolve().parents[2] / "docs" / "images"
SCALE = {"desktop": 8, "dark": 8, "phone": 4}
ROOMS = ("audit", "protect", "announce", "couple", "check")
MEAN_DIFFERENCE = 6.0  # of 255, over all blocks and channels
HEIGHT = 0.06
TALLEST = 2400  # further down are the sections of the reports, which have references of their own
UPDATE = os.environ.get("LIFTGATE_UPDATE_SCREENSHOTS") == "1"


def difference(a: Any, b: Any) -> float:
    """The mean difference of the colours of two pictures, in blocks."""
    size = (max(1, a.width // 4), max(1, a.height // 4))
    return float(np.abs(np.asarray(a.resize(size), np.float64) - np.asarray(b.resize(size), np.float64)).mean())


def reduced(page: Any, view: str) -> Any:
    """The page from its top, as a small picture."""
    from PIL import Image

    width, height = page.evaluate("[innerWidth, document.documentElement.scrollHeight]")
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, TALLEST)}
    image = Image.open(io.BytesIO(page.screenshot(full_page=True, clip=clip))).convert("RGB")
    return image.resize((image.width // SCALE[view], image.height // SCALE[view]), Image.Resampling.BOX)


def compare(page: Any, name: str, view: str) -> None:
    """The page has the height and the colours of its reference."""
    from PIL import Image

    now, path = reduced(page, view), REFERENCES / f"serve-{name}-{view}.png"
    if UPDATE:
        now.quantize(64).save(path, optimize=True)
    with Image.open(path) as file:
        before = file.convert("RGB")
    assert now.width == before.width
    assert abs(now.height - before.height) <= HEIGHT * before.height
    assert difference(before, now) <= MEAN_DIFFERENCE


@pytest.mark.parametrize("view", list(SCALE))
@pytest.mark.parametrize("room", ROOMS)
def test_looks_as_before(room: str, view: str, tab: Any) -> None:
    """The empty room and the answer to its example."""
    page = tab(view, f"#{room}").page
    page.wait_for_selector(f"#room-{room} [data-empty]:not([hidden])")
    compare(page, f"{room}-empty", view)
    page.locator(f"#room-{room} [data-do=example]").click()
    page.wait_for_selector(f"#room-{room} .keep:not([hidden])", timeout=240_000)
    if room == "announce":
        for frame in page.frames[1:]:
            frame.wait_for_selector("h1")
        page.locator("[data-beside]").scroll_into_view_if_needed()
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    if UPDATE and view == "desktop":
        page.screenshot(path=PICTURES / f"page-{room}.png")
        shrink(PICTURES / f"page-{room}.png")
    page.evaluate("document.querySelectorAll('iframe, .cmd').forEach(e => e.style.visibility = 'hidden')")
    compare(page, room, view)


def shrink(path: Path) -> None:
    """Fewer colours: a picture for the documentation, not for a printer."""
    from PIL import Image

    with Image.open(path) as file:
        file.convert("RGB").quantize(96).save(path, optimize=True)


def test_the_comparison_notices_changes(tab: Any) -> None:
    """A page without its form, or in the other theme, is not taken for the same."""
    page = tab(at="#check").page
    before = reduced(page, "desktop")
    assert difference(before, reduced(tab("dark", "#check").page, "dark")) > 5 * MEAN_DIFFERENCE
    page.evaluate("document.querySelector('#room-check .empty').style.display = 'none'")
    after = reduced(page, "desktop")
    assert after.height != before.height or difference(before, after) > 1


@pytest.mark.parametrize("room", ROOMS)
def test_the_how_to_shows_it(room: str) -> None:
    """The page of the documentation has the picture that these tests take."""
    text = (PICTURES.parent / "how-to" / "page.md").read_text()
    assert f"../images/page-{room}.png" in text
    assert (PICTURES / f"page-{room}.png").stat().st_size > 10_000
