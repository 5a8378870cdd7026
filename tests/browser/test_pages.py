"""Every kind of page in a browser: quiet, self-contained, accessible, never wider than a phone."""

from __future__ import annotations

from importlib.resources import files as resources
from typing import Any

import pytest

pytestmark = pytest.mark.browser

# What sticks out of the window and does not lie in a frame that scrolls by itself.
WIDER = """() => {
  const frames = '.scroll, .cmd, .vh, .skip, defs';
  const wide = [];
  for (const e of document.body.querySelectorAll('*')) {
    if (e.closest(frames)) continue;
    const box = e.getBoundingClientRect();
    if (box.width && (box.right > innerWidth + 1 || box.left < -1)) {
      wide.push(`${e.tagName} ${e.textContent.slice(0, 40)} ${Math.round(box.left)}..${Math.round(box.right)}`);
    }
  }
  return wide;
}"""

# Text of drawings that leaves its drawing sideways by more than a few pixels.
SPILLED = """() => [...document.querySelectorAll('svg[role=img]')].flatMap(svg => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(t => {
    const box = t.getBoundingClientRect();
    return box.right > frame.right + 12 || box.left < frame.left - 12;
  }).map(t => t.textContent);
})"""


def axe(page: Any) -> list[str]:
    """What axe-core finds wrong, as rule, impact and place."""
    page.evaluate((resources("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{v['impact']} {v['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
        for v in found["violations"]
        for node in v["nodes"]
    ]


def test_axe_would_notice(chromium: Any) -> None:
    """A page without a language, with a picture without words and grey on grey, is found wanting."""
    page = chromium.new_page()
    page.set_content("<html><body><img src='data:,'><p style='color:#aaa;background:#bbb'>text</p></body></html>")
    found = " ".join(axe(page))
    page.close()
    assert {"image-alt", "color-contrast", "html-has-lang"} <= {w.rstrip(":") for w in found.split()}


@pytest.mark.parametrize("view", ["desktop", "phone", "dark"])
def test_accessible(every_kind: str, view: str, show: Any) -> None:
    """axe-core finds nothing: not serious, not minor."""
    assert axe(show(every_kind, view).page) == []


def test_quiet_and_self_contained(every_kind: str, show: Any) -> None:
    """One request, the page itself; nothing on the console."""
    opened = show(every_kind, "desktop")
    assert [url.rsplit("/", 1)[-1] for url in opened.requests] == [f"{every_kind}.html"]
    assert opened.complaints == []


@pytest.mark.parametrize("view", ["desktop", "phone", "print"])
def test_nothing_sticks_out(every_kind: str, view: str, show: Any) -> None:
    """No horizontal scroll but inside a frame of its own, and drawings keep their text to themselves."""
    page = show(every_kind, view).page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(WIDER) == []
    if view != "phone":
        assert page.evaluate(SPILLED) == []


def test_the_keyboard_reaches_everything(show: Any) -> None:
    """The first stop is the skip link, which leads to the finding; every scrolling frame is a stop with an outline."""
    page = show("outside", "phone").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the finding"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    stops = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        stops.add(
            page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent")
        )
    frames = set(
        page.evaluate(
            "[...document.querySelectorAll('[tabindex]')].filter(e => e.checkVisibility()).map(e => e.getAttribute('aria-label'))"
        )
    )
    assert len(frames) >= 4
    assert frames <= stops


def test_dark_is_dark(show: Any) -> None:
    """Colours follow the reader's scheme; print is light whatever the scheme."""
    shade = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    assert sum(show("outside", "desktop").page.evaluate(shade)) > 700
    dark = show("outside", "dark").page
    assert sum(dark.evaluate(shade)) < 120
    dark.emulate_media(media="print", color_scheme="dark")
    assert sum(dark.evaluate(shade)) > 700


def test_print_fits_on_a_few_sheets(show: Any) -> None:
    """The page of a small table prints on at most six A4 sheets."""
    sheets = show("outside", "desktop").page.pdf(format="A4").count(b"/Type /Page\n")
    assert 2 <= sheets <= 6


def test_meaning_never_rests_on_colour_alone(show: Any) -> None:
    """Framed cells are bold, have a corner mark and a hidden word; zero is hatched."""
    page = show("outside", "desktop").page
    cell = page.locator("td.h.x").first
    assert int(cell.evaluate("e => getComputedStyle(e).fontWeight")) >= 700
    assert "inset" in cell.evaluate("e => getComputedStyle(e).boxShadow")
    assert cell.evaluate("e => getComputedStyle(e, '::after').borderTopWidth") == "5px"
    assert "outside" in cell.inner_text()
    assert "repeating-linear-gradient" in page.locator("td.zero").first.evaluate(
        "e => getComputedStyle(e).backgroundImage"
    )
