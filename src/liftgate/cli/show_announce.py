"""The terminal summary of an announcement and of an attack."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from liftgate.cli.show import console, verdict_line
from liftgate.exact import fraction
from liftgate.labels import label_text
from liftgate.report.words import visible

if TYPE_CHECKING:
    from liftgate.transparency import Announcement, Attack

MOST_GROUPS = 12
MOST_ROWS = 40
_NAMES = {
    "certificate": "Certificate (contains your counts)",
    "manifest": "Public manifest",
    "html_private": "Page for you",
    "html_public": "Page for the public",
}


def percent_up(value: float) -> str:
    """A promised confidence in percent, rounded up.

    >>> percent_up(0.6377953), percent_up(0.675)
    ('63.8 %', '67.5 %')
    """
    return f"{ceil(fraction(value) * 1000) / 10:.1f} %"


def show_announcement(found: Announcement, files: Sequence[tuple[str, Path | None]]) -> None:
    """Floor first, then the promise and who it holds for, the announced rules, the inversion, what it rests on."""
    from rich.table import Table
    from rich.text import Text

    from liftgate.transparency.records import uncertainty

    out = console()
    rules = found.given
    word = found.inversion.verdict
    out.print(
        verdict_line(
            "outside" if word == "refuted" else "unknown",
            f"No private value can be told with more than {percent_up(float(found.promised.max()))} confidence "
            "by a reader who believes the announcement",
        ),
        soft_wrap=True,
    )
    out.print(
        f"  Floor, before any announcement: {percent_up(float(found.floor.max()))}. With the real rules: {percent_up(float(found.true_confidence.max()))}. "
        f"As minimum uncertainty: {uncertainty(float(found.promised.max())):g}.",
        soft_wrap=True,
    )
    wrong = " The real rules take other values: declare those." if word == "no rule fits" else ""
    out.print(
        f"  A reader who knows the method, if rules take {found.inversion.declared}: {word}.{wrong}", soft_wrap=True
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for head in ("group", "private", "real", "announced", "promise", "floor"):
        table.add_column(head, justify="left" if head in ("group", "private") else "right")
    shown = 0
    for g in range(min(rules.groups.size, MOST_GROUPS)):
        for i in rules.groups.rows_of(g):
            if shown >= MOST_ROWS:
                break
            shown += 1
            chances = [
                ", ".join(f"{v:.4g}" for v in (c[i] if rules.rule.ndim == 2 else [c[i][1]]))
                for c in (rules.chances, found.chances)
            ]
            row = [visible(label_text(label)) for label in (rules.groups.label(g), rules.row_label(int(i)))] + chances
            row += [percent_up(float(found.promised[g])), percent_up(float(found.floor[g]))]
            table.add_row(*(Text(cell) for cell in row))
    out.print(table)
    if shown < rules.size:
        out.print(f"  and {rules.size - shown} more rows (all of them with --json)")
    for group, outcome in found.silenced:
        out.print(
            f"  Silenced: the announcement says that {label_text(outcome)} never happens in {label_text(group)}.",
            soft_wrap=True,
        )
    for family in found.inversion.families:
        known = ", method known" if family.algorithm_known else ""
        counts = ", ".join("any number" if r.fits is None else str(r.fits) for r in family.readings[:6])
        out.print(f"  If rules take {family.name}{known}: {family.verdict} (rules that fit: {counts})", soft_wrap=True)
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
    for name, path in files:
        if path is not None:
            out.print(f"  {_NAMES[name]}: {path}", soft_wrap=True)


def show_attack(found: Attack, html: Path | None) -> None:
    """The verdict, the intervals and what contradicts."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    shape = {"open": "within", "unknown": "unknown"}.get(found.verdict, "outside")
    out.print(verdict_line(shape, found.sentence), soft_wrap=True)
    for name in found.contradiction:
        out.print(f"  contradicts the others: {name}", soft_wrap=True)
    if found.rules:
        table = Table(box=None, pad_edge=False, padding=(0, 2))
        for head in ("group", "private", "hidden rule"):
            table.add_column(head)
        outcomes = list(dict.fromkeys(o for _, o, _ in found.posteriors))
        for outcome in outcomes:
            table.add_column(f"chance given {outcome}")
        for (group, private), interval in list(found.rules.items())[:MOST_ROWS]:
            cells = [interval, *(found.posteriors[group, o, private] for o in outcomes)]
            ends = [f"{i.low:.3f} to {i.high:.3f}" + ("" if i.solved else " ?") for i in cells]
            table.add_row(*(Text(cell) for cell in (visible(label_text(group)), visible(label_text(private)), *ends)))
        out.print(table)
        if len(found.rules) > MOST_ROWS:
            out.print(f"  and {len(found.rules) - MOST_ROWS} more rows (all of them with --json)")
    if found.inversion is not None:
        for family in found.inversion.families:
            known = ", method known" if family.algorithm_known else ""
            out.print(f"  If rules take {family.name}{known}: {family.verdict}", soft_wrap=True)
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
    if html is not None:
        out.print(f"  Report: {html}", soft_wrap=True)
