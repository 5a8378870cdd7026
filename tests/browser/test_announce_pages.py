"""The pages of announcements and attacks in a browser: accessible, quiet, never wider than a phone, printable.

Screenshots are compared with small references in blocks, as those of audits are (see test_screenshots.py): letters differ
between machines, a missing figure or a lost style does not go unnoticed.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from liftgate.jobs.announce import publish
from liftgate.report import to_html
from liftgate.transparency import DecisionRules, announce, attack

pytestmark = pytest.mark.browser

VIEWS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 360, "height": 740}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "print": {"viewport": {"width": 688, "height": 1000}},
}
REFERENCES = Path(__file__).resolve().parent / "references"
SCALE = {"desktop": 8, "dark": 8, "phone": 4, "print": 6}
MEAN_DIFFERENCE = 6.0  # of 255, over all blocks and channels
HEIGHT = 0.06
UPDATE = os.environ.get("LIFTGATE_UPDATE_SCREENSHOTS") == "1"
WIDER = """() => {
  const wide = [];
  for (const e of document.body.querySelectorAll('*')) {
    if (e.closest('.scroll, .cmd, .vh, .skip, defs')) continue;
    const box = e.getBoundingClientRect();
    if (box.width && (box.right > innerWidth + 1 || box.left < -1)) wide.push(e.tagName + ' ' + e.textContent.slice(0, 40));
  }
  return wide;
}"""


def credit() -> DecisionRules:
    bands = ["under 100k", "100k to 200k", "over 200k"] * 2
    return DecisionRules.from_arrays(
        [12, 5, 3, 9, 7, 4],
        [0, 0, 1, 0, 0.5, 1],
        ["Female"] * 3 + ["Male"] * 3,
        {"income": bands},
        ["refused", "approved"],
    )


def three() -> DecisionRules:
    rng = np.random.default_rng(1)
    labels = [f"a rather long private value number {i}" for i in range(6)]
    return DecisionRules.from_arrays(
        rng.integers(1, 90, 12),
        rng.dirichlet(np.ones(3), 12),
        ["north"] * 6 + ["south"] * 6,
        labels * 2,
        ["no", "later", "yes"],
    )


PEOPLE = {
    "people": {
        "Female": {"under 100k": 12, "100k to 200k": 5, "over 200k": 3},
        "Male": {"under 100k": 9, "100k to 200k": 7, "over 200k": 4},
    },
    "slack": 0,
}
KINDS: dict[str, Callable[[], Any]] = {
    "private": lambda: announce(credit(), delta=0.9),
    "private-refuted": lambda: announce(credit(), delta=0.9, values=[0, 0.5, 1], digits=2),
    "private-three": lambda: announce(three(), delta=0.9),
    "public": lambda: publish(announce(credit(), delta=0.9), "a bank", fairness=True),
    "public-three": lambda: publish(announce(three(), delta=0.9, digits=3)),
    "attack": lambda: attack(announce(credit(), delta=0.9).manifest(), PEOPLE),
    "attack-contradiction": lambda: attack(
        {"figures": [{"kind": "rate", "group": "Male", "value": v} for v in ("0.50", "0.40")]}, PEOPLE
    ),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of one kind of page."""
    folder = tmp_path_factory.mktemp("announcements")

    def file(kind: str) -> Path:
        path = folder / f"{kind}.html"
        if not path.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
                path.write_text(to_html(KINDS[kind]()), "utf-8")
        return path

    return file


@pytest.mark.parametrize("view", list(VIEWS))
@pytest.mark.parametrize("kind", list(KINDS))
def test_accessible_and_narrow(kind: str, view: str, chromium: Any, pages: Callable[[str], Path]) -> None:
    """axe-core finds nothing, nothing is loaded, nothing sticks out, in light, dark, on a phone and printed."""
    context = chromium.new_context(**VIEWS[view])
    page = context.new_page()
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.goto(pages(kind).as_uri())
    if view == "print":
        page.emulate_media(media="print")
    assert [url for url in loaded if not url.startswith("file:")] == []
    assert page.evaluate(WIDER) == []
    wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    if view != "print":
        page.evaluate((resources("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
        found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        assert [f"{v['id']}: {n['html'][:120]}" for v in found["violations"] for n in v["nodes"]] == []
    context.close()


def reduced(page: Any, view: str) -> Any:
    """The whole page as a small picture."""
    from PIL import Image

    image = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    return image.resize((image.width // SCALE[view], image.height // SCALE[view]), Image.Resampling.BOX)


def difference(a: Any, b: Any) -> float:
    """The mean difference of the colours of two pictures, after the second is fitted to the first in blocks."""
    size = (max(1, a.width // 4), max(1, a.height // 4))
    return float(np.abs(np.asarray(a.resize(size), np.float64) - np.asarray(b.resize(size), np.float64)).mean())


@pytest.mark.parametrize("view", list(VIEWS))
@pytest.mark.parametrize("kind", ["private", "public"])
def test_looks_as_before(kind: str, view: str, chromium: Any, pages: Callable[[str], Path]) -> None:
    """Both pages have the height and the colours of their references, in light, dark, on a phone and printed."""
    from PIL import Image

    context = chromium.new_context(**VIEWS[view])
    page = context.new_page()
    if view == "print":
        page.emulate_media(media="print")
    page.goto(pages(kind).as_uri())
    now = reduced(page, view)
    if view == "desktop":  # the comparison has to notice a lost table
        page.add_style_tag(content="table, svg.plot { visibility: hidden }")
        assert difference(now, reduced(page, view)) > 0.5
        page.add_style_tag(content=".facts, section:first-of-type { display: none !important }")
        assert abs(reduced(page, view).height - now.height) > HEIGHT * now.height
    context.close()
    path = REFERENCES / f"announce-{kind}-{view}.png"
    if UPDATE:
        now.quantize(64).save(path, optimize=True)
    with Image.open(path) as file:
        before = file.convert("RGB")
    assert now.width == before.width
    assert abs(now.height - before.height) <= HEIGHT * before.height
    assert difference(before, now) <= MEAN_DIFFERENCE
