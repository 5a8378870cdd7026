"""Tables too large to draw whole: the worst rows, the summaries of all, and how many are not shown."""

from __future__ import annotations

import re


def test_more_than_sixty_values(page) -> None:
    """40 of 90 rows are drawn, worst first; the note counts the rest and the outside among them."""
    found, read, html = page("many-values")
    assert html.count('<th scope="row"') - html.count("<code>") >= 40
    assert html.split("</thead>")[1].split("</table>")[0].count("<tr>") == 40
    bad = list(found.verdicts).count("outside")
    hidden_bad = bad - min(bad, 40)
    tail = f", {hidden_bad} of them outside" if hidden_bad else ", none of them outside"
    assert f"The 40 values that stray furthest are drawn; 50 more are not shown{tail}." in read.text
    assert f"{bad} of 90" in read.text


def test_more_than_twelve_sensitive_values(page) -> None:
    """12 of 20 columns and 40 of 50 rows."""
    _, read, html = page("many-secrets")
    assert html.split('<table class="heat many">')[1].split("</thead>")[0].count('<th scope="col" class="s') == 12
    assert "12 of 20 values of the sensitive value are drawn" in read.text
    assert "8 are not shown" in read.text
    assert "10 more are not shown" in read.text


def test_hundreds_of_values_stay_small(page) -> None:
    """The page does not grow with the table: marks are shared, rows are cut."""
    _, read, html = page("huge")
    assert len(html) < 400_000
    assert "One mark for values that lie together" in read.text
    assert "660 more are not shown." in read.text
    assert len(re.findall("<circle", html)) < 1200
