"""The local page in a browser: every room from its example to the saved report, by mouse and by keyboard alone."""

from __future__ import annotations

import os
import re
import signal
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.browser

ROOMS = ("audit", "protect", "announce", "couple", "check")
FINDINGS = {
    "audit": "Releasing occupation says too much about relationship for 7 of 15 occupations.",
    "protect": "Released this way, occupation stays within the budget",
    "announce": "No private value can be told with more than 93.2",
    "couple": "The promise holds",
    "check": "The proof is correct.",
}
WIDER = """() => [...document.body.querySelectorAll('*')].filter(e => !e.closest('.scroll, .cmd, .vh, .skip, defs, iframe, .drop') && e.checkVisibility())
  .filter(e => { const box = e.getBoundingClientRect(); return box.width && (box.right > innerWidth + 1 || box.left < -1); })
  .map(e => `${e.tagName} ${e.className} ${e.textContent.slice(0, 40)}`)"""
HEADING = "[data-room]:not([hidden]) [data-found] h1"


def axe(page: Any) -> list[str]:
    """What axe-core finds wrong; reports in frames run nothing, and are tested as pages of their own."""
    page.evaluate((resources("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations'], iframes: false})")
    return [
        f"{v['impact']} {v['id']}: {n['html'][:140]} {n.get('failureSummary', '')[:200]}"
        for v in found["violations"]
        for n in v["nodes"]
    ]


def room_of(page: Any, room: str) -> Any:
    return page.locator(f"#room-{room}")


def example(page: Any, room: str) -> Any:
    """Click the example of a room and wait for its finding."""
    room_of(page, room).locator("[data-do=example]").click()
    return answered(page, room)


def answered(page: Any, room: str) -> Any:
    page.wait_for_selector(f"#room-{room} .keep:not([hidden])", timeout=240_000)
    return room_of(page, room)


def quiet(opened: Any, served: Any) -> None:
    """Nothing on the console, no request but to this server."""
    assert opened.complaints == []
    assert opened.requests
    assert [url for url in opened.requests if not url.startswith(served.address)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_from_the_example_to_the_saved_report(room: str, tab: Any, served: Any, tmp_path: Path) -> None:
    """One click, a finding, a report that is whole; reload shows it again, back leads to the start of the room."""
    opened = tab(at=f"#{room}")
    page = opened.page
    assert room_of(page, room).locator("[data-empty] h1").is_visible()
    place = example(page, room)
    assert FINDINGS[room] in place.locator("[data-found] h1").first.inner_text().replace("\n", " ")
    for words in ("True only if", "What this does not say"):
        assert place.get_by_text(words).first.is_visible()
    with page.expect_download() as saved:
        if room == "audit":
            place.locator("[data-do=save]").click()
        else:
            place.locator('[data-file="report.html"]').click()
    report = tmp_path / "report.html"
    saved.value.save_as(report)
    text = report.read_text()
    assert text.startswith("<!doctype html>")
    assert "True only if" in text
    assert 'class="stamp private"' in text
    assert page.evaluate("document.activeElement !== document.body")
    heading = page.locator(HEADING).first.inner_text()
    page.reload()
    answered(page, room)
    assert page.locator(HEADING).first.inner_text() == heading
    page.go_back()
    page.wait_for_selector(f"#room-{room} [data-empty]:not([hidden])")
    page.go_forward()
    answered(page, room)
    assert page.locator(HEADING).first.inner_text() == heading
    quiet(opened, served)


def until(page: Any, selector: str, most: int = 150) -> None:
    """Press Tab until the focus is there, and see that it shows."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert shown != "none"
            return
    raise AssertionError(f"the keyboard does not reach {selector}")


@pytest.mark.parametrize("room", ROOMS)
def test_with_the_keyboard_alone(room: str, tab: Any, served: Any) -> None:
    """From the address to the saved report without a mouse."""
    opened = tab()
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the room"
    until(page, f'[data-room-link="{room}"]')
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#room-{room}:not([hidden])")
    until(page, f"#room-{room} [data-do=example]")
    page.keyboard.press("Enter")
    answered(page, room)
    assert page.evaluate("document.activeElement.closest('[data-found]') !== null")
    until(page, f"#room-{room} " + ("[data-do=save]" if room == "audit" else '[data-file="report.html"]'))
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    assert saved.value.suggested_filename == "report.html"
    quiet(opened, served)


@pytest.mark.parametrize("view", ["desktop", "phone", "dark"])
@pytest.mark.parametrize("room", ROOMS)
def test_accessible_before_and_after(room: str, view: str, tab: Any) -> None:
    """axe-core finds nothing in the empty room nor in the answer; nothing sticks out of the window."""
    page = tab(view, f"#{room}").page
    page.wait_for_selector(f"#room-{room} [data-empty]:not([hidden])")
    for step in ("empty", "answered"):
        assert axe(page) == [], step
        assert page.evaluate(WIDER) == [], step
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if step == "empty":
            example(page, room)


def test_reduced_motion_and_print(tab: Any) -> None:
    """Nothing moves by itself; on paper there is the finding, not the form."""
    page = tab(at="#audit", reduced_motion="reduce").page
    example(page, "audit")
    assert page.evaluate("document.getAnimations().length") == 0
    page.emulate_media(media="print")
    assert not page.locator("#room-audit form").is_visible()
    assert not page.locator(".rooms").is_visible()
    assert page.locator("#room-audit [data-finding] h1").is_visible()
    assert 1 <= page.pdf(format="A4").count(b"/Type /Page\n") <= 4


def test_every_move_of_a_slider_is_judged(tab: Any, served: Any) -> None:
    """100 x 20 values: the words and the verdict follow every key, in the middle within 100 ms; the form stays in focus."""
    rows = "".join(f"s{i},x{k},{(i * 37 + k * 91 + i * k) % 97 + 1}\n" for i in range(20) for k in range(100))
    (served.folder / "wide.csv").write_text("s,x,n\n" + rows)
    opened = tab(at="#audit?table=folder%3Awide.csv&sensitive=s&public=x&count=n&low=1&up=1")
    page = opened.page
    answered(page, "audit")
    page.locator("#audit-up").focus()
    page.evaluate("""() => {
      window.waits = [];
      const words = document.querySelector('#room-audit [data-rest]');
      document.querySelector('#audit-up').addEventListener('input', () => { window.begun = performance.now(); }, true);
      new MutationObserver(() => { if (window.begun) { window.waits.push(performance.now() - window.begun); window.begun = 0; } }).observe(words, {childList: true});
    }""")
    said = set()
    for _ in range(21):
        before = page.evaluate("waits.length")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("n => waits.length > n", arg=before)
        said.add(page.locator("#room-audit [data-words=up]").inner_text())
    assert len(said) == 21
    assert page.evaluate("document.activeElement.id") == "audit-up"
    waits = sorted(page.evaluate("waits"))
    assert waits[len(waits) // 2] < 100, waits
    page.locator("#audit-up").evaluate("e => { e.value = '3'; e.dispatchEvent(new Event('input', {bubbles: true})); }")
    page.wait_for_function("document.querySelector('#room-audit [data-shown=up]').textContent === '3'")
    quiet(opened, served)


def test_columns_are_clicked(tab: Any, served: Any) -> None:
    """A file from the folder, two clicks, a verdict; a column is not both; the address remembers."""
    (served.folder / "people.csv").write_text(
        "city,job,ill\n" + "north,cook,yes\n" * 6 + "south,nurse,no\n" * 5 + "south,cook,no\n"
    )
    opened = tab(at="#audit")
    page = opened.page
    page.select_option("#audit-table", "folder:people.csv")
    page.get_by_label("ill must not be told").check()
    page.get_by_label("job will be released").check()
    answered(page, "audit")
    assert "job" in page.locator(HEADING).inner_text()
    page.get_by_label("ill will be released").check()
    assert not page.get_by_label("ill must not be told").is_checked()
    assert "public=ill" in page.url
    assert "sensitive" not in page.url
    quiet(opened, served)


def test_a_sample_is_read_by_exact_tests(tab: Any, served: Any) -> None:
    """The other reading shows the three verdicts."""
    opened = tab(at="#audit")
    page = opened.page
    example(page, "audit")
    page.select_option("#audit-sample", "yes")
    page.wait_for_selector("#room-audit [data-rest] .top")
    assert "unknown" in page.locator("#room-audit [data-rest]").inner_text()
    quiet(opened, served)


LONG = "#protect?table=example%3Aadult_counts.csv&sensitive=relationship&public=occupation&public=education&count=people&low=0.3&up=0.3&mechanism=optimal&seconds=600&rows=none"


def searching(tab: Any) -> Any:
    """A search that goes on for long."""
    page = tab(at=LONG).page
    page.get_by_label("occupation will be released").wait_for()
    page.locator("#room-protect button[type=submit]").click()
    page.wait_for_selector("#room-protect .busy:not([hidden])")
    return page


def test_a_search_can_be_stopped_and_used(tab: Any) -> None:
    """The line shows what is found and what is not yet proven; stopped, it is a whole release."""
    page = searching(tab)
    page.wait_for_selector("#room-protect [data-progress] svg", timeout=240_000)
    assert "not yet proven" in page.locator("#room-protect [data-progress]").inner_text()
    page.locator("#room-protect [data-do=stop]").click()
    answered(page, "protect")
    assert page.locator('#room-protect [data-file="certificate.json"]').is_visible()


def test_a_search_can_be_cancelled(tab: Any) -> None:
    """A friendly sentence, and the form is there to ask again."""
    page = searching(tab)
    page.locator("#room-protect [data-do=cancel]").click()
    page.wait_for_selector("#room-protect [data-error]:not([hidden])")
    assert "cancelled" in page.locator("#room-protect [data-error]").inner_text()
    assert page.locator("#room-protect button[type=submit]").is_enabled()


def test_a_killed_worker_shows_in_one_tab_only(tab: Any, served: Any) -> None:
    """kill -9 of the process that works hardest: its tab says what to do, the tab beside it goes on."""
    page = searching(tab)
    page.wait_for_selector("#room-protect [data-progress] svg", timeout=240_000)
    beside = tab(at="#couple").page
    workers = [
        p for p in psutil.Process(served.process.pid).children() if "liftgate.web.worker" in " ".join(p.cmdline())
    ]
    os.kill(max(workers, key=lambda p: sum(p.cpu_times()[:2])).pid, signal.SIGKILL)
    page.wait_for_selector("#room-protect [data-error]:not([hidden])")
    assert "its process ended" in page.locator("#room-protect [data-error]").inner_text()
    example(beside, "couple")
    assert beside.locator("#room-couple [data-error]").is_hidden()


def test_other_budgets_can_be_chosen(tab: Any, served: Any) -> None:
    """The trade-off curve with a button for every budget; a click searches inside it."""
    opened = tab(
        at="#protect?table=example%3Aadult_counts.csv&sensitive=relationship&public=sex&count=people&seconds=5"
    )
    page = opened.page
    page.get_by_label("sex will be released").wait_for()
    page.locator("[data-do=tradeoff]").click()
    page.locator('[data-budget="lip:0.5"]').click(timeout=240_000)
    page.wait_for_selector('#room-protect [data-file$="manifest.json"]', timeout=240_000)
    assert page.locator("#protect-other").input_value() == "lip:0.5"
    for kind in ("release.csv", "release.manifest.json", "release.cert.json"):
        assert page.locator(f'#room-protect [data-file$="{kind}"]').is_visible()
    quiet(opened, served)


def test_announce_side_by_side_and_attack(tab: Any, served: Any) -> None:
    """Pasted rules, both pages in frames, the tab reached by an arrow key, and what a reader works out."""
    opened = tab(at="#announce")
    page = opened.page
    page.fill(
        "#announce-paste", "group,private,people,rule\nyoung,ill,3,0\nyoung,well,9,1\nold,ill,5,1/2\nold,well,5,1\n"
    )
    page.locator("#pane-announce button[type=submit]").click()
    answered(page, "announce")
    frames = [f for f in page.frames if f != page.main_frame]
    assert len(frames) == 2
    for frame, words in zip(frames, ("Private", "Made to be published"), strict=True):
        frame.wait_for_selector("h1")
        assert words.lower() in frame.inner_text(".stamp").lower()
    page.locator("#tab-announce").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#tab-attack").get_attribute("aria-selected") == "true"
    page.locator("[data-do=last]").click()
    assert page.locator("#attack-published").input_value().startswith("{")
    page.locator("#pane-attack button[type=submit]").click()
    page.wait_for_selector("#room-announce [data-beside]", state="hidden")
    answered(page, "announce")
    page.wait_for_selector("#room-announce .busy", state="hidden")
    assert page.locator("#room-announce [data-error]").is_hidden()
    assert "liftgate attack" in page.locator("#room-announce [data-command]").inner_text()
    assert axe(page) == []
    quiet(opened, served)


def test_a_named_mechanism(tab: Any, served: Any) -> None:
    """Its parameters are fields, and all its neighbours are searched."""
    opened = tab(at="#couple")
    page = opened.page
    page.select_option("#couple-family", "randomised-response")
    assert not page.locator("#couple-left").is_visible()
    page.locator('[data-family="randomised-response"] input').first.fill("5")
    page.fill("#couple-exp_eps", "5")
    page.locator("#room-couple button[type=submit]").click()
    answered(page, "couple")
    assert "--all-neighbours" in page.locator("#room-couple [data-command]").inner_text()
    page.reload()
    answered(page, "couple")
    assert page.locator('[data-family="randomised-response"] input').first.input_value() == "5"
    quiet(opened, served)


def test_assumptions_are_ticked(tab: Any, served: Any) -> None:
    """Unknown while one is open, accepted when all are ticked; the focus stays on the tick."""
    opened = tab(at="#check")
    page = opened.page
    example(page, "check")
    for k in range(4):
        box = page.locator("[name=allow]").nth(k)
        box.check()
        page.wait_for_function(
            "n => document.querySelectorAll('[name=allow][checked]').length === n && document.querySelector('#room-check .busy').hidden",
            arg=k + 1,
        )
        words = page.locator("#room-check [data-found] .tag").inner_text()
        assert ("Accepted" in words) == (k == 3)
        assert page.evaluate("document.activeElement.name") == "allow"
    quiet(opened, served)


def test_a_carried_budget(tab: Any) -> None:
    """From Audit to Protect with table, columns and budget; each room keeps its own state."""
    page = tab(at="#audit").page
    example(page, "audit")
    page.locator("[data-carry]").click()
    page.get_by_label("occupation will be released").locator("visible=true").wait_for()
    assert page.locator("#room-protect [name=public][value=occupation]").is_checked()
    page.locator('[data-room-link="audit"]').click()
    answered(page, "audit")
    assert FINDINGS["audit"] in page.locator(HEADING).inner_text().replace("\n", " ")


BAD = {
    "not a table.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
    "<img src=x onerror=alert(1)>.csv": b"",
    "broken.parquet": b"PAR1 and no more",
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_files_get_a_friendly_sentence(name: str, tab: Any) -> None:
    """In place, with the fix, names as text; and the page goes on."""
    opened = tab(at="#audit")
    page = opened.page
    page.locator("#room-audit [data-upload]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": BAD[name]}
    )
    page.wait_for_selector("#room-audit [data-error]:not([hidden])")
    said = page.locator("#room-audit [data-error]").inner_text()
    assert "Could not ask" in said
    assert "What to do: " in said
    assert page.locator("#room-audit img").count() == 0
    assert page.locator("#audit-table").get_attribute("aria-invalid") == "true"
    assert page.locator("#audit-table-error").is_visible()
    assert axe(page) == []
    assert not [c for c in opened.complaints if "status of 4" not in c]
    example(tab(at="#couple").page, "couple")


def test_an_error_names_its_field(tab: Any) -> None:
    """A decimal in a law: the second field is marked, the fix stands beside it."""
    page = tab(at="#couple").page
    page.fill("#couple-left", "6: 1/2, 7: 1/2")
    page.fill("#couple-right", "6: 0.18, 7: 0.82")
    page.locator("#room-couple button[type=submit]").click()
    page.wait_for_selector("#couple-right[aria-invalid=true]")
    assert page.locator("#couple-right-error").is_visible()
    assert page.locator("#couple-left").get_attribute("aria-invalid") is None
    assert page.evaluate("document.activeElement.matches('[data-error]')")
    page.locator("[name=decimals_exact]").check()
    page.locator("#room-couple button[type=submit]").click()
    answered(page, "couple")


def test_labels_with_markup_are_text(tab: Any, served: Any) -> None:
    """A table full of HTML runs nothing and adds nothing."""
    bad = "<img src=x onerror=\"document.title='hit'\">"
    quoted = '"' + bad.replace('"', '""') + '"'
    (served.folder / "odd.csv").write_text(f"ill,{quoted}\n" + f"{quoted},a\n" * 3 + f"no,{quoted}\n" * 3 + "no,a\n")
    opened = tab(
        at="#audit?"
        "table=folder%3Aodd.csv&sensitive=ill&public="
        + bad.replace("<", "%3C").replace(">", "%3E").replace(" ", "+").replace('"', "%22").replace("=", "%3D")
    )
    page = opened.page
    answered(page, "audit")
    assert page.locator("main img").count() == 0
    assert "hit" not in page.title()
    assert "<img src=x" in page.locator("#room-audit [data-rest]").inner_text()
    quiet(opened, served)


def test_an_old_address(tab: Any, served: Any) -> None:
    """A token of an earlier start: a page that says what to do."""
    page = tab().page
    page.goto(re.sub(r"/[^/]+/$", "/old/", served.address))
    assert "open the address that liftgate serve printed" in page.locator("body").inner_text()


def test_the_list_of_questions(tab: Any, served: Any) -> None:
    """The OpenAPI page is a page of ours."""
    opened = tab(at="api.html")
    assert "POST /api/protect" in opened.page.locator("main").inner_text()
    assert axe(opened.page) == []
    quiet(opened, served)


def test_twenty_tabs_at_once(tab: Any) -> None:
    """All finish."""
    pages = [tab(at="#couple").page for _ in range(20)]
    for page in pages:
        room_of(page, "couple").locator("[data-do=example]").click()
    for page in pages:
        answered(page, "couple")
        assert FINDINGS["couple"] in page.locator(HEADING).inner_text()
