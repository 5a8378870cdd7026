"""The page of a release of rows looks as it did: light, dark, on a phone (see test_screenshots.py for how they are compared)."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.browser

REFERENCES = Path(__file__).resolve().parent / "references"
SCALE = {"desktop": 8, "dark": 8, "phone": 4}
MEAN_DIFFERENCE, HEIGHT = 6.0, 0.06


@pytest.mark.parametrize("view", list(SCALE))
def test_looks_as_before(view: str, show: Any) -> None:
    """The page down to its table of blocks, whose number depends on no draw, has the height and colours it had."""
    from PIL import Image

    page = show("rows-blocks", view).page
    width = page.evaluate("innerWidth")
    height = int(page.evaluate("[...document.querySelectorAll('h2')].at(-2).getBoundingClientRect().top + scrollY"))
    shot = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height})
    image = Image.open(io.BytesIO(shot)).convert("RGB")
    now = image.resize((image.width // SCALE[view], image.height // SCALE[view]), Image.Resampling.BOX)
    path = REFERENCES / f"rows-blocks-{view}.png"
    if os.environ.get("LIFTGATE_UPDATE_SCREENSHOTS") == "1":
        now.quantize(64).save(path, optimize=True)
    with Image.open(path) as file:
        before = file.convert("RGB")
    assert abs(now.height - before.height) <= HEIGHT * before.height
    size = (before.width // 4, before.height // 4)
    a, b = (np.asarray(p.resize(size), np.float64) for p in (now, before))
    assert np.abs(a - b).mean() <= MEAN_DIFFERENCE
