"""The terminal summary of an audit: finding, worst values with natural frequencies, measures, assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from liftgate.cli.show import COLOUR, console, verdict_line
from liftgate.report import numbers, words

if TYPE_CHECKING:
    from liftgate.jobs.audit import Audit
    from liftgate.jobs.subsets import Subsets
    from liftgate.joint import Source
    from liftgate.report.view import View

MOST_VALUES = 8
_NAME = 18
MEASURES_SHOWN = ("max-lift", "min-lift", "ldp-epsilon", "maximal-leakage", "mutual-information", "total-variation")


def show_audit(found: Audit, html: Path | None = None, certificate: Path | None = None) -> None:
    """The result of ``liftgate audit`` for people."""
    from liftgate.report import findings
    from liftgate.report.view import View

    out = console()
    view = View(found.joint, found.budget, found.outside)
    by_sample = found.rows == "sample"
    bad = findings.bad_values(found)
    headline = findings.headline_of(view, found.verdict, int(bad.sum()), by_sample)
    out.print(verdict_line(found.verdict or "measured", headline.striptags()), soft_wrap=True)
    cell = findings.clearest_cell(view)
    said = [findings.ruled_out(view, cell)]
    if cell is not None:
        said.insert(0, findings.case_text(view, cell))
    if found.budget is not None:
        said.insert(0, findings.lede(view, found.verdict, bad, by_sample))
    for sentence in said:
        if sentence:
            out.print(f"  {sentence.striptags()}", soft_wrap=True)
    if found.budget is not None:
        out.print(f"  Budget: {found.budget.text}: {found.budget.sentence}.", soft_wrap=True)
    out.print()
    out.print(_values(found, view, out.width))
    out.print()
    out.print(_measures(found))
    out.print()
    for note in _told(found.joint.source):
        out.print(f"  {note}", soft_wrap=True)
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
    for name, path in (("Report", html), ("Certificate (contains your counts)", certificate)):
        if path is not None:
            out.print(f"  {name}: {path}", soft_wrap=True)


def _values(found: Audit, view: View, width: int) -> Any:
    """The public values that say most, worst first."""
    from rich.table import Table
    from rich.text import Text

    joint = found.joint
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    heads = [view.public, "rows", "belief falls to", "rises to"]
    heads += ["verdict"] * bool(found.verdicts) + ["sample"] * (found.sample is not None)
    for head in heads:
        table.add_column(Text(words.cut(head, _NAME)), justify="right" if head == "rows" else "left", no_wrap=True)
    room = max(6, (width - _NAME - len(numbers.count(joint.total)) - 2 * 8 - 9 * (len(heads) - 4) - 8) // 2)
    for x in view.order[:MOST_VALUES]:
        ends = (int(np.argmin(joint.lift[:, x])), int(np.argmax(joint.lift[:, x])))
        row = [words.cut(view.public_texts[x], _NAME), words.people(joint, int(joint.public_counts[x]))]
        row += [
            f"{numbers.lift(view.lift_at(s, x), view.low, view.up):>5}× {words.cut(view.sensitive_texts[s], room)}"
            for s in ends
        ]
        row += [found.verdicts[x]] if found.verdicts else []
        row += [found.sample.verdicts[x]] if found.sample is not None else []
        table.add_row(*(Text(cell, style=COLOUR.get(cell, "")) for cell in row))
    if len(view.order) > MOST_VALUES:
        table.add_row(Text(f"and {numbers.count(len(view.order) - MOST_VALUES)} more", style="dim"))
    return table


def _measures(found: Audit) -> Any:
    """The usual measures on a few lines; all of them are in the page and in ``--json``."""
    from rich.table import Table

    from liftgate.measures import MEASURES

    table = Table(box=None, pad_edge=False, padding=(0, 2), show_header=False)
    cells = [
        (name, f"{numbers.measured(found.measures[name])} {_unit(MEASURES[name].unit)}") for name in MEASURES_SHOWN
    ]
    for left, right in zip(cells[::2], cells[1::2], strict=True):
        table.add_row(*left, *right)
    return table


def _unit(unit: str) -> str:
    return {"factor": "×"}.get(unit, unit if unit == "nats" else "")


def _told(source: Source) -> Sequence[str]:
    """What was done to the table on the way."""
    lines = [
        f"{numbers.count(n)} missing in {column} ({_rule(source.missing_rule)})" for column, n in source.missing if n
    ]
    if source.dropped_rows:
        lines.append(f"{numbers.count(source.dropped_rows)} rows with a missing entry were dropped")
    return [*lines, *source.notes]


def _rule(rule: str) -> str:
    return {"value": "kept as a value of its own", "drop": "those rows were dropped"}.get(rule, rule)


def show_subsets(found: Subsets) -> None:
    """The ranking of ``--every-subset``."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    first = found.sets[0]
    name = " + ".join(first.columns)
    if found.budget is None:
        out.print(verdict_line("measured", f"{name} says most of {len(found.sets)} sets of columns"), soft_wrap=True)
    else:
        bad = sum(s.verdict == "outside" for s in found.sets)
        text = (
            f"{numbers.count(bad)} of {numbers.count(len(found.sets))} sets of columns are outside {found.budget.text}"
        )
        out.print(verdict_line(str(found.verdict), text), soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for head, side in (("columns", "left"), ("values", "right"), ("people outside", "right"), ("largest lift", "right"),
                       ("smallest lift", "right"), ("nats", "right")):  # fmt: skip
        if head != "people outside" or found.budget is not None:
            table.add_column(head, justify="right" if side == "right" else "left")
    for s in found.sets:
        row = [words.visible(" + ".join(s.columns)), numbers.count(s.values)]
        if found.budget is not None:
            row.append(numbers.percent(s.share_outside) if s.values_outside else "none")
        row += [numbers.lift(s.measures[m]) + "×" for m in ("max-lift", "min-lift")]
        row.append(numbers.measured(s.measures["mutual-information"]))
        table.add_row(*(Text(cell) for cell in row))
    out.print(table)
    out.print()
    for note in _told(found.source):
        out.print(f"  {note}", soft_wrap=True)
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
