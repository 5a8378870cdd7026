"""Sentences: the finding is computed from the data, in words and in people."""

from __future__ import annotations

import pytest

from liftgate.budget import Budget
from liftgate.jobs.audit import audit
from liftgate.joint import Joint, Source
from liftgate.report import findings, to_html
from liftgate.report.view import View


def headings(read, tag: str) -> str:
    return " ".join(" ".join(read.within(tag)).split()).replace(" .", ".")


def test_outside_names_columns_and_counts(page) -> None:
    """Elm (no asthma), Dogwood (flu): two of five streets, 65 of 837 people."""
    found, read, _ = page("outside")
    assert headings(read, "h1") == "Releasing street says too much about illness for 2 of 5 streets."
    assert "8 in 100 people have one of these 2 streets." in read.text
    assert findings.headline(found) == "Releasing street says too much about illness for 2 of 5 streets."
    assert "8 in 100 people carry a value that leaves the gate" in read.text


def test_the_clearest_case_weighs_excess_by_people(page) -> None:
    """Dogwood has the larger lift, but 20 people; Elm's missing asthma concerns 45."""
    found, read, _ = page("outside")
    case = findings.clearest_case(found)
    assert case == (
        "Clearest case: 9 in 100 people in the table have illness asthma, but none of those with street Elm. "
        "The lift is 0; the budget allows no less than 0.5."
    )
    assert "9 in 100 people in the table have illness asthma" in read.text


def test_the_clearest_case_has_thirty_rows_where_any_value_has() -> None:
    """A tiny value with an extreme lift gives way to a large one that breaks the budget less."""
    joint = Joint.from_counts([[29, 60, 400], [0, 30, 600]], ["ill", "well"], ["tiny", "some", "many"])
    view = View(joint, Budget.between("9/10", "11/10"), Budget.between("9/10", "11/10").cells_outside(joint))
    assert findings.clearest_cell(view)[1] == 1
    small = Joint.from_counts([[9, 5], [0, 10]], ["ill", "well"], ["a", "b"])
    view = View(small, Budget.between("9/10", "11/10"), Budget.between("9/10", "11/10").cells_outside(small))
    assert findings.clearest_cell(view) == (1, 0)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (
            "ldp",
            "illness asthma, but none of those with street Elm. The largest over smallest lift of this value is infinite",
        ),
        ("l1", "illness asthma, but none of those with street Elm. The l1-lift-inverse of this value is infinite"),
        (
            "alpha",
            "illness flu, but 60 in 100 of those with street Dogwood. The alpha-lift-5/2 of this value is 1.77; the budget allows up to 1.64",
        ),
        (
            "none",
            "Largest change: 74 in 100 people in the table have illness none, but 89 in 100 of those with street Elm.",
        ),
    ],
)
def test_the_clearest_case_fits_the_budget(page, kind: str, wanted: str) -> None:
    """Budgets on whole values tell the extreme of the worst value; without a budget the largest change counts."""
    found, _, _ = page(kind)
    assert wanted in findings.clearest_case(found)


def test_within(page) -> None:
    """All values inside, nobody carries anything, and the strongest link is still told."""
    _, read, _ = page("within")
    assert headings(read, "h1") == "Releasing street stays within the budget on illness for all 5 streets."
    assert "No person carries a value that leaves the gate" in read.text
    assert "Largest change:" in read.text
    assert "Every value stays inside the gate" in read.text
    assert "No value crosses an edge" in read.text
    assert "Values outside 0 of 5" in read.text


def test_no_budget_gives_no_verdict(page) -> None:
    """The page measures and says that it does not judge."""
    found, read, html = page("none")
    assert headings(read, "h1").startswith("Learning street can make a value of illness 3.5 times as likely")
    assert "No budget was given" in read.text
    assert "Largest lift 3.53" in read.text
    assert "How sure is this" not in read.text
    assert " outside" not in html.split("Read this before")[0].split("</style>")[1]
    assert found.verdict is None


def test_a_table_that_says_nothing(page) -> None:
    """Independent columns: lift 1 everywhere."""
    _, read, _ = page("nothing")
    assert headings(read, "h1") == "Learning the public value says nothing about the sensitive value."
    assert "Belief hardly moves" in read.text


def test_both_readings_stand_side_by_side(page) -> None:
    """Population and sample, each with its bar, its shares and its words."""
    found, read, html = page("outside")
    assert "Two readings of the same table" in read.text
    assert html.count('class="bar"') == 2
    assert "Read as a sample" in read.text
    assert "Verdict, if rows are a sample" in read.text
    words = list(found.sample.verdicts)
    assert html.count('<td class="v"><span class="chip">') == len(words)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("sample-outside", "even if the rows are only a sample"),
        ("sample-within", "even if the rows are only a sample"),
        ("sample-unknown", "These rows are too few to say whether releasing"),
    ],
)
def test_the_sample_reading_decides_when_asked(page, kind: str, wanted: str) -> None:
    """The headline follows the reading asked for, the other titles say that they speak of these rows."""
    found, read, _ = page(kind)
    assert wanted in headings(read, "h1")
    assert f"Values shown outside {found.sample.verdicts.count('outside')} of" in read.text
    assert "In these rows, " in read.text
    assert "rows-independent" in read.text


@pytest.mark.parametrize(
    ("kind", "measure"),
    [
        ("ldp", "largest over smallest lift"),
        ("l1", "l1-lift-inverse"),
        ("chi2", "chi2-lift"),
        ("alpha", "alpha-lift-5/2"),
        ("alpha-inverse", "alpha-lift-2-inverse"),
    ],
)
def test_budgets_on_whole_values(page, kind: str, measure: str) -> None:
    """No single cell is blamed; the bounded measure is drawn with its bound; infinite is said."""
    found, read, html = page(kind)
    assert measure in read.text
    assert 'class="h l1 x"' not in html
    assert '<span class="vh"> outside</span>' not in html
    assert "The budget is on whole values" in read.text
    assert "exact tests for samples exist for bounds on lift only" in read.text
    assert html.count('<td class="v">') == 5
    if "outside" in found.verdicts:
        assert f"{list(found.verdicts).count('outside')} of 5" in read.text
    if kind in ("ldp", "l1", "alpha-inverse"):
        assert "infinite" in read.text


def test_one_public_value(page) -> None:
    """A single value cannot say anything."""
    _, read, _ = page("one-value")
    assert "with its only value" in headings(read, "h1")
    assert "The only value stays inside the gate" in read.text


def test_probabilities_are_no_people(page) -> None:
    """Shares where nobody was counted: cases, never people; no rows counted."""
    _, read, _ = page("probabilities")
    body = read.text.split("Read this before you quote")[0].split("Every measure, in words")[0]
    assert "people" not in body.lower()
    assert "25 in 100 cases have this value" in body
    assert "Given as probabilities" in body
    assert "Rows counted" not in body


def test_several_columns_and_missing_values(page) -> None:
    """Columns are joined by and, parts by a stroke, a missing part is named."""
    _, read, _ = page("columns")
    assert "Releasing sex and age says too much about s" in " ".join(headings(read, "h1").split())
    assert "(missing) / 4" in read.text
    assert "F / 3" in read.text


def test_missing_values_and_notes_are_told() -> None:
    """How many were missing, what was done with them, and what the reader of the table noted."""
    source = Source("t.csv", ("s",), ("x",), 10, (("x", 1843),), "drop", 1843, ("column 'x' had blanks",))
    text = to_html(audit(Joint.from_counts([[3, 2], [1, 4]], source=source)))
    assert "1,843, rows left out" in text
    assert "1,843 rows were left out before counting." in text
    assert "Column &#39;x&#39; had blanks." in text


def test_a_small_group_is_explained() -> None:
    """A lift that comes from a handful of people says so."""
    joint = Joint.from_counts([[500, 1], [500, 8]], ["ill", "well"], ["many", "few"], Source("t", ("s",), ("x",), 1009))
    found = audit(joint, Budget.between("1/2", "3/2"))
    text = to_html(found)
    assert (
        "<b><bdi>few</bdi></b> has 9 people: its lift of 1.8 comes from 8 of them, so as a sample it stays unknown."
        in text
    )


def test_a_group_where_somebody_is_ruled_out() -> None:
    """Zero is said in people where something else was to be expected: 5 or more of the 40 in Elm."""
    counts = [[10, 90, 0], [40, 10, 40]]
    text = to_html(audit(Joint.from_counts(counts, ["ill", "well"], ["a", "b", "Elm"], Source("t", ("s",), ("x",)))))
    assert (
        "Among the 40 people with <bdi>x</bdi> <b><bdi>Elm</bdi></b>, none has <bdi>s</bdi> <b><bdi>ill</bdi></b>."
        in (text)
        or "but none of those with <bdi>x</bdi> <b><bdi>Elm</bdi></b>" in text
    )


def test_titles_are_computed() -> None:
    """Belief rises or falls; edges are counted in words."""
    low = Budget.between("1/2", 2)
    joint = Joint.from_counts([[50, 5, 45], [50, 95, 55]])
    view = View(joint, low, low.cells_outside(joint))
    assert findings.crossing_title(view) == "One value crosses the lower edge"
    assert findings.table_title(view) == "The sensitive value 0 leaves the gate: in one of 3 values"
    both = Joint.from_counts([[900, 0], [0, 1]])
    view = View(both, low, low.cells_outside(both))
    assert findings.crossing_title(view).endswith("crosses both")
    assert findings.movement_title(view).startswith("Belief falls")


def test_rare_things_keep_their_size() -> None:
    """Among 1,000,000 people, what happens to fewer than one is neither zero nor one."""
    joint = Joint.from_counts([[3, 3 * 10**9], [10**9, 10**9]], ["rare", "common"], ["a", "b"])
    rise = audit(joint, Budget.between("1/2", "3/2"), certify=False)
    assert "but more than 99 in 100 of those with" in findings.clearest_case(rise)
    fall = audit(joint, Budget.between("1/2", 5), certify=False)
    assert "but fewer than 1 in 1,000,000 of those with" in findings.clearest_case(fall)


@pytest.mark.parametrize("kind", ["outside", "columns", "probabilities", "one-value"])
def test_plain_texts_carry_no_markup(page, kind: str) -> None:
    """What the terminal prints has no tag and no entity."""
    found, _, _ = page(kind)
    for text in (findings.headline(found), findings.clearest_case(found) or ""):
        assert not set("<>&") & set(text)
