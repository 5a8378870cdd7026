"""The page of a release of rows says what is counted, what is estimated, and why rows were flagged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from liftgate.report import to_html

Paged = Callable[[str], tuple[Any, Any, str]]
ROWS = ("rows-blocks", "rows-shuffle", "rows-suppress", "rows-generous")


@pytest.mark.parametrize("kind", ROWS)
def test_never_more_sure_than_it_may_be(page: Paged, kind: str) -> None:
    """Groups are certified, rows unknown, scores estimates; assumptions and what is not said are there."""
    found, reader, _ = page(kind)
    text = reader.text
    assert "Counted groups certified, single rows unknown" in text
    assert "Not that any single row is within the budget" in text
    assert "every single row stays unknown" in text
    for name in found.assumptions:
        assert name in text
    assert found.certificate.hash in text
    assert not reader.wrong


def test_everything_a_row_tells_is_on_the_page(page: Paged) -> None:
    """Flags, reasons, rules, groups with intervals, attacker and task before and after, blocks."""
    found, reader, _ = page("rows-blocks")
    text = reader.text
    assert f"{int(found.plan.moved.sum()):,} of 600 rows are permuted inside blocks" in text
    for told in found.told:
        assert f"Row {told.row:,}: {told.why.sentence[:40]}" in text
    for rule in found.rules:
        assert rule.text in text
    for group in found.reading.groups:
        assert group.name in text
        assert any(f"{c.low:.2f} to {c.up:.2f}" in text for c in group.cells)
    for value in (found.before.attacker.auc, found.after.attacker.auc, found.before.task.auc, found.after.task.auc):
        assert f"{value:.3f}" in text
    assert "block 1" in text
    assert "released as they are" in text
    assert "Largest change of a marginal" in text


def test_modes_say_what_was_done(page: Paged) -> None:
    """Suppression is not called a permutation; a generous budget hides nobody and explains nothing."""
    _, suppress, _ = page("rows-suppress")
    assert "rows are left out" in suppress.text
    assert "who is missing" in suppress.text
    assert "distorts the table" in suppress.text
    found, generous, _ = page("rows-generous")
    assert not found.told
    assert "0 of 600 rows are permuted" in generous.text
    assert "Which rows are flagged" not in generous.text
    _, other, _ = page("rows-shuffle")
    assert "bounds on lift only" in other.text


def test_held_out_groups_show_the_lift_of_the_value_they_are_scored_by(page: Paged) -> None:
    """Names, head and numbers of the table speak of one sensitive value."""
    for kind in ("rows-blocks", "rows-suppress"):
        found, read, _ = page(kind)
        reading = found.reading
        assert f"Average lift of {reading.label}" in read.text
        for group in reading.groups:
            assert group.name.startswith(f"{reading.label}: scored ")
            cell = next(c for c in group.cells if c.label == reading.label)
            assert f"{cell.low:.2f} to {cell.up:.2f}" in read.text


def test_the_same_result_makes_the_same_page(page: Paged) -> None:
    """Byte for byte, with the same context."""
    found, _, html = page("rows-blocks")
    assert to_html(found, command="liftgate audit town.csv", next="liftgate protect town.csv") == html


def test_the_funnel_is_drawn_and_the_optimum_only_where_it_can_be_counted(page: Paged) -> None:
    """Three parts of H(X) at every eps add up to it; rows with numbers of their own have no counted funnel."""
    found, reader, _ = page("rows-blocks")
    assert "What a tighter or looser budget would keep and tell" in reader.text
    assert "at most 60 values together" in reader.text
    assert found.funnel.counted == ()
    for p in found.funnel.rows:
        assert p.kept + p.pooled + p.lost == pytest.approx(1)
        assert p.pooled >= 0
    kept = [p.utility for p in found.funnel.rows]
    assert kept == sorted(kept)
