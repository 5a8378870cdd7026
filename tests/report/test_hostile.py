"""Labels, columns and file names are data: nothing in them reaches the page as markup, or hides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liftgate.budget import Budget
from liftgate.jobs.audit import audit
from liftgate.joint import Joint, Source
from liftgate.report import to_html
from liftgate.report.words import visible

NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='x",
    "</style></svg></title>",
    "{{7*7}}{% raw %}",
    "x" * 500,
    "שלום עולם",
    "\u202eevil\u2066",
    "👩‍👩‍👧",
    "",
    "   ",
    "a\x00b\nc\ud800",
    "&lt;b&gt;",
    "]]>--><!--",
]


def nasty_joint() -> Joint:
    counts = np.random.default_rng(5).integers(0, 40, (4, len(NASTY)))
    source = Source(NASTY[1], (NASTY[0],), (NASTY[3], NASTY[4]), None, ((NASTY[2], 3),), notes=(NASTY[0],))
    return Joint.from_counts(counts, NASTY[:4], NASTY, source)


@pytest.mark.parametrize("budget", [None, Budget.alip(1, 1), Budget.ldp(1)], ids=["none", "alip", "ldp"])
def test_nothing_from_the_table_becomes_markup(budget: Budget | None, read) -> None:
    """The page has the tags of a harmless page and no others, and every label is still there to be read."""
    html = to_html(audit(nasty_joint(), budget), command=NASTY[0], next=NASTY[1], policy=NASTY[3], data=NASTY[2])
    page = read(html)
    assert page.wrong == []
    assert {"script", "img", "b0"}.isdisjoint(tag for tag, _ in page.tags)
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert len(page.within("title")) == 1
    assert "<script>alert(1)</script>" in page.text
    assert "{{7*7}}{% raw %}" in page.text
    assert "&lt;b&gt;" in page.text
    assert html.encode("utf-8")
    assert not set(html) & {"\x00", "\u202e", "\u2066", "\ud800"}


def test_long_names_are_cut_where_they_are_read_and_whole_where_they_are_looked_up(read) -> None:
    """A row heading of 500 letters shows 60 and keeps the rest in its title."""
    html = to_html(audit(nasty_joint(), Budget.alip(1, 1)))
    page = read(html)
    assert max(len(text) for text in page.within("th")) <= 60
    assert any((attrs.get("title") or "") == "x" * 500 for attrs in page.all("th"))
    assert all(len(text) < 200 for text in page.within("text"))


@given(st.text(max_size=8))
@settings(max_examples=60)
def test_a_label_is_never_invisible(label: str) -> None:
    """Whatever the label, something is seen, and no control or direction mark is left."""
    shown = visible(label)
    assert shown.strip()
    assert not any(ord(c) < 32 or 0x202A <= ord(c) <= 0x202E or 0xD800 <= ord(c) < 0xE000 for c in shown)
