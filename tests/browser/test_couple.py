"""The page of a couple in a browser: accessible in light, dark and on a phone, and never wider than the window."""

from __future__ import annotations

import importlib.util
import io
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

HERE = Path(__file__).resolve().parent
KINDS = ("refuted", "proved", "distance", "wide", "composed", "search", "chain", "hostile")
VIEWS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 360, "height": 740}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}


def module_at(path: Path) -> Any:
    """A test module, loaded by its path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page_of(kind: str) -> str:
    """The page of one of the made-up couples of tests/report, dated always the same."""
    from liftgate.report import to_html

    made_up = module_at(HERE.parent / "report" / "test_couple_page.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        return to_html(made_up.KINDS[kind](), command="liftgate couple left.json right.json")


@pytest.mark.parametrize("view", list(VIEWS))
@pytest.mark.parametrize("kind", KINDS)
def test_accessible_and_inside_the_window(kind: str, view: str, chromium: Any, tmp_path: Path) -> None:
    """axe-core finds nothing, nothing sticks out, one request, a quiet console; a screenshot that is not empty."""
    file = tmp_path / f"{kind}.html"
    file.write_text(page_of(kind))
    page = chromium.new_page(**VIEWS[view])
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture = page.screenshot(full_page=True)
    assert len(requests) == 1
    assert complaints == []
    page.evaluate((resources("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
    page.close()
    assert [f"{v['id']}: {v['nodes'][0]['html'][:200]} {v['nodes'][0].get('failureSummary')}" for v in found] == []
    assert len(picture) > 20_000


@pytest.mark.parametrize("view", list(VIEWS))
@pytest.mark.parametrize("kind", ["refuted", "search", "chain"])
def test_looks_as_before(kind: str, view: str, chromium: Any, tmp_path: Path) -> None:
    """The whole page has the height and the colours of its reference (reduced, as in test_screenshots.py)."""
    from PIL import Image

    looks = module_at(HERE / "test_screenshots.py")
    file = tmp_path / f"{kind}.html"
    file.write_text(page_of(kind))
    page = chromium.new_page(**VIEWS[view])
    page.goto(file.as_uri())
    picture = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    page.close()
    scale = looks.SCALE[view]
    now = picture.resize((picture.width // scale, picture.height // scale), Image.Resampling.BOX)
    path = looks.REFERENCES / f"couple-{kind}-{view}.png"
    if looks.UPDATE:
        now.quantize(64).save(path, optimize=True)
    with Image.open(path) as reference:
        before = reference.convert("RGB")
    assert now.width == before.width
    assert abs(now.height - before.height) <= looks.HEIGHT * before.height
    assert looks.difference(before, now) <= looks.MEAN_DIFFERENCE
