"""The page of a couple in a browser: accessible in light, dark and on a phone, and never wider than the window."""

from __future__ import annotations

import importlib.util
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

KINDS = ("refuted", "proved", "distance", "wide", "composed", "search", "chain", "hostile")
VIEWS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 360, "height": 740}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}


def page_of(kind: str) -> str:
    """The page of one of the made-up couples of tests/report."""
    path = Path(__file__).resolve().parent.parent / "report" / "test_couple_page.py"
    spec = importlib.util.spec_from_file_location("made_up_couples", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from liftgate.report import to_html

    return to_html(module.KINDS[kind](), command="liftgate couple left.json right.json")


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
