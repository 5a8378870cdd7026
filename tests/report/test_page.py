"""The shell: every page is one self-contained, readable, accessible file."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from liftgate.budget import Budget
from liftgate.errors import UsageError
from liftgate.jobs.audit import audit
from liftgate.joint import Joint
from liftgate.report import to_html


def test_every_element_closes_and_there_is_one_finding(any_page) -> None:
    """The markup is well formed; one main heading; headings never skip a level."""
    _, read, _ = any_page
    assert read.wrong == []
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_nothing_is_loaded_from_anywhere(any_page) -> None:
    """No script, no image, no link out; what is referenced is on the page itself."""
    _, read, html = any_page
    assert {"script", "link", "img", "iframe", "object", "embed", "base", "form"}.isdisjoint(t for t, _ in read.tags)
    for _, attrs in read.tags:
        assert not any(name.startswith("on") for name in attrs)
        assert (attrs.get("href") or "#").startswith("#")
        assert "src" not in attrs
    assert re.findall(r"url\((?!#)", html) == []
    assert "@import" not in html
    policy = [a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy
    assert policy[0].startswith("default-src 'none'")


def test_ids_are_unique_and_references_point_to_one(any_page) -> None:
    """The skip link reaches the main part; every pattern used is defined."""
    _, read, html = any_page
    ids = [a["id"] for _, a in read.tags if "id" in a]
    assert len(set(ids)) == len(ids)
    targets = [str(a["href"])[1:] for a in read.all("a")] + re.findall(r"url\(#(\w+)\)", html)
    assert "main" in targets
    assert set(targets) <= set(ids)


def test_every_drawing_is_labelled_or_hidden(any_page) -> None:
    """A plot says what it shows; decoration is hidden from screen readers; scrolling frames are reachable."""
    _, read, _ = any_page
    drawings = read.all("svg")
    assert any(a.get("role") == "img" for a in drawings)
    for a in drawings:
        assert a.get("aria-hidden") == "true" or len(a.get("aria-label") or "") > 20
    for a in (a for _, a in read.tags if (a.get("class") or "") in ("scroll", "cmd")):
        assert a["tabindex"] == "0"
        assert a["aria-label"]
    assert read.all("html")[0]["lang"] == "en"


def test_heat_maps_are_tables_with_headers(any_page) -> None:
    """As many cells as headings in every row, a caption, and a header cell first; only curves have no heat map."""
    found, read, html = any_page
    heats = html.split('<table class="heat')[1:]
    assert bool(heats) != hasattr(found, "points")
    for heat in heats:
        head, body = heat[: heat.index("</table>")].split("</thead>")
        assert "<caption" in head
        columns = head.count('<th scope="col"')
        rows = body.split("<tr>")[1:]
        assert rows
        for row in rows:
            assert row.count('<th scope="row"') == 1
            assert row.count("<td") == columns - 1
    assert not read.wrong


def test_the_page_ends_with_its_conditions(any_page) -> None:
    """Assumptions by their identifiers, what a hurried reader might take away, and how to make the page again."""
    found, read, _ = any_page
    assert "True only if" in read.text
    assert "What this does not say" in read.text
    identifiers = [text for path, text in read.texts if path[-1] == "code"]
    assert [i for i in identifiers if i in found.assumptions] == list(found.assumptions)
    assert "liftgate audit town.csv" in read.text
    assert "liftgate protect town.csv" in read.text
    assert hasattr(found, "points") or found.certificate.hash in read.text or "0" * 64 in read.text
    assert "Private: contains your counts" in read.text


def test_no_number_is_called_inf_or_nan(any_page) -> None:
    """Infinite is a word in prose."""
    _, read, _ = any_page
    words = read.text
    assert not re.search(r"(?<![\w-])(inf|nan|NaN|None)(?![\w-])", words)


def test_dates_honour_the_epoch(page, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same result makes the same page, byte for byte, on any day that SOURCE_DATE_EPOCH names."""
    found, _, _ = page("outside")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    first = to_html(found)
    assert "2 Jan 1970" in first
    assert to_html(found) == first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(86400 * 366))
    assert "2 Jan 1971" in to_html(found)


def test_the_caller_tells_only_what_has_a_place(page) -> None:
    """Context comes as a mapping or as keywords; anything else is an error that names what is known."""
    found, _, _ = page("outside")
    assert "the-policy" in to_html(found, context={"policy": "the-policy"})
    assert "the-data" in to_html(found, context={"command": "x"}, data="the-data")
    assert "How this page was made" in to_html(found)
    with pytest.raises(
        UsageError, match=r"colour has no place on a page. Fix: use command, data, next, policy, tradeoff, written"
    ):
        to_html(found, colour="red")


def test_only_results_have_pages() -> None:
    """Anything else is refused by name."""
    with pytest.raises(UsageError, match=r"a dict has no page. Fix: give one of .*Audit.*Release.*Tradeoff"):
        to_html({})


def test_a_notebook_and_a_page_agree(page) -> None:
    """The verdict word of the record is the verdict word of the page."""
    for kind, word in (("outside", "Outside the budget"), ("within", "Within the budget"),
                       ("none", "Measured, not judged"), ("sample-unknown", "Unknown: the rows cannot decide")):  # fmt: skip
        _, read, _ = page(kind)
        assert word in read.text


@pytest.mark.parametrize(
    "budget",
    ["alip:0,0", "alip:600,600", "ldp:0", "l1:0,0", "chi2:0,none", "alpha:3,0,0", "between:0,1", "between:1,5"],
)
@pytest.mark.parametrize("counts", [[[3, 1], [1, 3]], [[3, 6], [1, 2]], [[1, 0], [0, 1]], [[1]], [[3, 6, 1]]], ids=str)
def test_extreme_budgets_and_tiny_tables(budget: str, counts: list[list[int]], read) -> None:
    """Budgets that allow nothing or everything, tables that say everything or nothing: a page all the same."""
    found = audit(Joint.from_counts(counts), Budget.parse(budget), certify=False)
    html = to_html(found)
    page = read(html)
    assert page.wrong == []
    assert not re.search(r'="-?(nan|inf)', html)
    assert f"Values outside {found.verdicts.count('outside')} of {len(counts[0])}" in page.text


def test_numbers_beyond_every_machine_word(read) -> None:
    """Counts of any size: decided and printed exactly."""
    counts = np.array([[2**70, 3], [1, 2**71]], dtype=object)
    page = read(to_html(audit(Joint.from_counts(counts), Budget.between("1/2", 2), certify=False)))
    assert "Values outside 2 of 2" in page.text


def test_the_exact_decision_is_what_is_drawn(read) -> None:
    """A lift of 3/2 against a bound less than 3/2 by 10^-30: equal as floats, outside on the page."""
    bound = Fraction(3, 2) - Fraction(1, 10**30)
    html = to_html(audit(Joint.from_counts([[3, 1], [1, 3]]), Budget.between(Fraction(1, 2), bound), certify=False))
    assert html.count('<td class="h l6 x">1.5<span class="vh"> outside</span></td>') == 2
    assert "(allowed 1.49)" in html
    exact = to_html(audit(Joint.from_counts([[3, 1], [1, 3]]), Budget.between(Fraction(1, 2), Fraction(3, 2))))
    assert "Within the budget" in exact
    assert '<td class="h l6">1.5</td>' in exact
