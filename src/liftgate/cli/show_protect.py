"""The terminal summary of a release and of a trade-off."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liftgate.cli.show import console, verdict_line

if TYPE_CHECKING:
    from liftgate.jobs.protect import Release
    from liftgate.jobs.tradeoff import Tradeoff
    from liftgate.jobs.writing import Written

MOST_SENTENCES = 8


def share_down(value: float, digits: int = 1) -> str:
    """A share in percent, rounded down: what a release keeps is never flattered."""
    return f"{math.floor(value * 100 * 10**digits + 1e-9) / 10**digits:.{digits}f} %"


def share_up(value: float, digits: int = 4) -> str:
    """A share in percent, rounded up: a promised bound is never too small.

    >>> share_up(0.95926209), share_down(0.95926)
    ('95.9263 %', '95.9 %')
    """
    return f"{math.ceil(value * 100 * 10**digits) / 10**digits:.{digits}f} %"


def show_release(
    found: Release, written: Written | None, assumed: tuple[str, ...], html: Path | None, certificate: Path | None
) -> None:
    """The result of ``liftgate protect`` for people."""
    from liftgate.report import words

    out = console()
    name = words.column_name(found.before.source.public, "public")
    head = (
        f"Released this way, {name} stays within the budget and keeps {share_down(found.utility)} of its information."
    )
    out.print(verdict_line("within", head), soft_wrap=True)
    said = [f"Budget: {found.budget.text}: {found.budget.sentence}.", _best(found), _extremes(found)]
    said += [f"{share_up(float(found.changed), 1)} of the rows are released under another name than their own."]
    for sentence in said:
        out.print(f"  {sentence}", soft_wrap=True)
    out.print()
    for sentence in found.sentences[:MOST_SENTENCES]:
        out.print(f"  - {sentence}", soft_wrap=True)
    if (more := len(found.sentences) - MOST_SENTENCES) > 0:
        out.print(f"  - and {more:,} more, all of them with --json", soft_wrap=True)
    out.print()
    for note in found.notes:
        out.print(f"  {note}", soft_wrap=True)
    out.print(f"  Checked: {found.certificate.kind}, accepted by the exact checker.", soft_wrap=True)
    out.print(f"  True only if: {', '.join(assumed)}", soft_wrap=True)
    for line in written_lines(written):
        out.print(f"  {line}", soft_wrap=True)
    for title, path in (("Report", html), ("Certificate (contains your counts)", certificate)):
        if path is not None:
            out.print(f"  {title}: {path}", soft_wrap=True)


def written_lines(written: Written | None) -> list[str]:
    """Where the three files of a release are, and which of them is private."""
    if written is None:
        return []
    left = f", {written.left_out:,} rows with a missing entry left out" if written.left_out else ""
    return [
        f"Rows: {written.rows} ({written.number:,} rows{left})",
        f"Keep private: {written.certificate} (contains your counts)",
        f"Publish with the rows: {written.manifest}",
    ]


def _best(found: Release) -> str:
    if found.bound is not None and found.bound < 1:
        return f"No release within this budget can keep more than {share_up(found.bound)}: proven, in the certificate."
    if found.bound == 1 and found.utility == 1:
        return "Nothing had to be changed."
    if found.search_bound is not None:
        return f"None can keep more than about {share_up(found.search_bound)}: what the search found, not proven."
    return f"Mechanism {found.mechanism}: how much another release could keep was not asked (--mechanism optimal does)."


def _extremes(found: Release) -> str:
    from liftgate.report import numbers

    before, after = found.measures_before, found.measures_after
    low, up = (found.budget.low, found.budget.up) if found.budget.kind == "alip" else (None, None)
    most, least = Fraction(after["max-lift"]), Fraction(after["min-lift"])  # floats of lifts that were proven inside
    most, least = most if up is None else min(most, up), least if low is None else max(least, low)

    def lift(value: Fraction | float) -> str:
        return numbers.lift(value, low, up, digits=3)

    return (
        f"Belief rises to at most {lift(most)} times (was {lift(before['max-lift'])}) "
        f"and falls to no less than {lift(least)} times (was {lift(before['min-lift'])}) what it was before."
    )


def show_tradeoff(found: Tradeoff, html: Path | None = None) -> None:
    """The result of ``liftgate tradeoff`` for people."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for head in ("budget", *found.mechanisms):
        table.add_column(Text(head), justify="left" if head == "budget" else "right", no_wrap=True)
    broken = False
    for budget in found.budgets:
        row: list[Any] = [Text(budget.text)]
        for name in found.mechanisms:
            point = next((p for p in found.curve(name) if p.budget is budget), None)
            if point is None:
                row.append(Text("-"))
                continue
            broken |= not point.inside
            row.append(
                Text(share_down(point.utility) + ("" if point.inside else " ✗"), style="" if point.inside else "red")
            )
        table.add_row(*row)
    out.print("Information kept, I(X;Y) / H(X):")
    out.print(table)
    if broken:
        out.print("  ✗ breaks its own budget: shown for comparison, never released.", soft_wrap=True)
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
    if html is not None:
        out.print(f"  Report: {html}", soft_wrap=True)
