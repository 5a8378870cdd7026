"""The page of a trade-off: what is kept at each budget, what is proven out of reach, and what breaks its budget."""

from __future__ import annotations

import re
from dataclasses import replace

from liftgate.jobs.tradeoff import tradeoff
from liftgate.joint import Joint
from liftgate.report import to_html


def plain(text: str) -> str:
    """Text without the blanks that do not break."""
    return text.replace("\u00a0", " ")


def test_the_finding_names_both_ends(page) -> None:
    """What the tightest and the loosest budget keep, from which budget on enough is kept, and what merging costs."""
    found, read, _ = page("tradeoff")
    text = plain(read.text)
    assert "Inside lip:0.1, street can keep 81.4 % of its information; inside lip:0.7, 94.4 %." in text
    assert "The tightest budget asked for that keeps at least 90 % is lip:0.5, with the mechanism optimal." in text
    assert "Doing without randomness costs at most 26 points among these budgets, at lip:0.1." in text
    assert "merge-all-as-printed breaks the budget it was given at three points" in text
    assert "Points 12 of 12 Inside their budget 9 Proven best 4 of 4 (to 0.2 points)" in text
    assert [p.inside for p in found.points].count(False) == 3


def test_every_point_stands_in_the_table(page) -> None:
    """One row for each budget; what breaks its budget says so in words; bounds are purple only where proven."""
    found, _, html = page("tradeoff")
    table = html[html.index('<table class="data">') :]
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", table[: table.index("</table>")])
    assert len(rows) == len(found.budgets)
    assert sum(row.count("breaks its budget") for row in rows) == 3
    assert all(row.count('class="is-bound"') == 1 for row in rows)


def test_crosses_for_broken_budgets(page) -> None:
    """As many crosses as points outside their budget."""
    _, _, html = page("tradeoff")
    assert html.split("</style>")[1].count('class="cross"') == 3
    assert "breaks its own budget" in html


def test_what_is_not_proven_is_not_purple(page) -> None:
    """A search that did not close: the belief is grey and labelled; the table says not proven, or not reached."""
    _, read, html = page("tradeoff-open")
    text = plain(read.text)
    assert "search bound, not yet proven" in text
    assert "best found" in text
    assert "best release there is" not in text
    assert "Proven best 2 of 4 (to 0.2 points)" in text
    assert "At two budgets nothing was proven within the time." in text
    assert "not reached" in text
    assert text.count("not proven") >= 2
    assert "Stopped after 11 of 12 points." in text
    body = html.split("</style>")[1]
    assert body.count('class="sb"') == 1
    assert "best release there is" in page("tradeoff")[1].text


def test_kinds_of_budgets_have_charts_of_their_own(page) -> None:
    """Bounds on lift, odds, alpha-lift and l1-lift are not on one axis; a side without a bound takes no place on it."""
    _, read, _ = page("tradeoff-kinds")
    text = plain(read.text)
    charts = [a["aria-label"] for a in read.all("svg") if a.get("role") == "img"]
    assert len(charts) == 4
    for what in ("bounds on lift", "local differential privacy", "alpha-lift of order 2", "l1-lift"):
        assert any(what in label for label in charts)
    assert "Inside the budgets asked for, street can keep 80.6 % to 96.1 % of its information." in text
    assert "∞" not in text
    assert "No mechanism here proves how much any release can keep; optimal does." in text
    assert "Proven best not asked" in text


def test_nothing_proven_at_all_says_so(page, read) -> None:
    """Every search stopped at once: no hatching, no bound, the reader is told to give more time."""
    found, _, _ = page("tradeoff")
    points = [replace(p, bound=None if p.bound is None else 1.0, search_bound=None) for p in found.points]
    html = to_html(replace(found, points=tuple(points)))
    assert "How much any release can keep was not proven within the time: give more seconds." in read(html).text
    assert 'class="bdf"' not in html.split("</style>")[1]
    assert "Proven best 0 of 4" in read(html).text


def test_one_budget_and_tables_that_keep_everything(read) -> None:
    """A single point is a dot; where nothing has to change 100 % is told and nothing is hatched."""
    joint = Joint.from_counts([[3, 6], [5, 10]], public=["a", "b"])
    page = read(to_html(tradeoff(joint, ["lip:1"], ["merge-best", "merge-all-as-printed"])))
    assert page.wrong == []
    assert "Inside lip:1, the public value can keep 100 % of its information." in plain(page.text)
    assert any(a.get("class") == "dot" for a in page.all("circle"))


def test_a_trade_off_in_which_everything_breaks_its_budget(read) -> None:
    """Only mechanisms as printed, none inside: the finding says so instead of praising one."""
    joint = Joint.from_counts([[30, 1, 10], [1, 30, 10]], public=["a", "b", "c"])
    found = tradeoff(joint, ["lip:0.01"], ["merge-all-as-printed"])
    broken = replace(found, points=tuple(replace(p, inside=False) for p in found.points))
    text = plain(read(to_html(broken)).text)
    assert "No mechanism here stays inside its budget for the public value" in text
    assert "Most kept none" in text


def test_names_are_data(read) -> None:
    """Columns and file names never become markup."""
    from liftgate.joint import Source

    joint = Joint.from_counts([[3, 6], [5, 1]], source=Source("<b>f</b>", ("<i>s</i>",), ("<script>x</script>",), 15))
    html = to_html(tradeoff(joint, ["lip:1", "lip:2"], "merge-best"), command="<u>c</u>")
    page = read(html)
    assert page.wrong == []
    assert {"script", "i", "u"}.isdisjoint(tag for tag, _ in page.tags)
    assert "<script>x</script>" in page.text
