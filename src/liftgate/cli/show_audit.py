"""The terminal summary of an audit: finding, worst values with natural frequencies, measures, assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from liftgate.cli.show import console, verdict_line
from liftgate.labels import label_texts
from liftgate.report import numbers, words

if TYPE_CHECKING:
    from liftgate.jobs.audit import Audit
    from liftgate.jobs.subsets import Subsets

MOST_VALUES = 8
MEASURES_SHOWN = ("max-lift", "min-lift", "ldp-epsilon", "maximal-leakage", "mutual-information", "total-variation")


def show_audit(found: Audit, html: Path | None = None, certificate: Path | None = None) -> None:
    """The result of ``liftgate audit`` for people."""
    from liftgate.report.findings import clearest_case, headline

    out = console()
    word = found.verdict or "measured"
    out.print(verdict_line(word, headline(found)), soft_wrap=True)
    case = clearest_case(found)
    if case:
        out.print(f"  {case}", soft_wrap=True)
    if found.budget is not None:
        out.print(f"  Budget: {found.budget.text}: {found.budget.sentence}.", soft_wrap=True)
    out.print()
    out.print(_values(found))
    out.print(_measures(found))
    for note in _told(found):
        out.print(f"  {note}", soft_wrap=True)
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
    for name, path in (("Report", html), ("Certificate (contains your counts)", certificate)):
        if path is not None:
            out.print(f"  {name}: {path}", soft_wrap=True)


def _values(found: Audit) -> Any:
    """The public values that say most, worst first."""
    from rich.table import Table
    from rich.text import Text

    joint, low, up = found.joint, None, None
    if found.budget is not None and found.budget.kind == "alip":
        low, up = found.budget.low, found.budget.up
    lift = joint.lift
    order = _worst_first(found)
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for name in (words.column_name(joint.source.public, "public"), "rows", "falls to", "for", "rises to", "for"):
        table.add_column(Text(name), justify="right" if name in ("rows", "falls to", "rises to") else "left")
    if found.verdicts:
        table.add_column("verdict")
    if found.sample is not None:
        table.add_column("as a sample")
    publics, sensitives = label_texts(joint.public), label_texts(joint.sensitive)
    for x in order[:MOST_VALUES]:
        least, most = int(np.argmin(lift[:, x])), int(np.argmax(lift[:, x]))
        row = [
            publics[x],
            words.people(joint, int(joint.public_counts[x])),
            numbers.lift(_exact_lift(joint, least, x), low, up) + "×",
            sensitives[least],
            numbers.lift(_exact_lift(joint, most, x), low, up) + "×",
            sensitives[most],
        ]
        if found.verdicts:
            row.append(found.verdicts[x])
        if found.sample is not None:
            row.append(found.sample.verdicts[x])
        table.add_row(*(Text(cell) for cell in row))
    if len(order) > MOST_VALUES:
        table.add_row(Text(f"and {numbers.count(len(order) - MOST_VALUES)} more"))
    return table


def _exact_lift(joint: Any, s: int, x: int) -> Any:
    from fractions import Fraction

    return Fraction(int(joint.counts[s, x]) * joint.total, int(joint.sensitive_counts[s]) * int(joint.public_counts[x]))


def _worst_first(found: Audit) -> list[int]:
    """Outside before within, then by how far a lift strays from 1."""
    logs = np.abs(found.joint.log_lift).max(axis=0)
    outside = found.outside.any(axis=0)
    return [int(x) for x in np.lexsort((-found.joint.public_share, -logs, ~outside))]


def _measures(found: Audit) -> Any:
    from rich.table import Table

    from liftgate.measures import MEASURES

    table = Table(box=None, pad_edge=False, padding=(0, 2), show_header=False)
    table.title = None
    for name in MEASURES_SHOWN:
        table.add_row(name, numbers.measured(found.measures[name]), MEASURES[name].sentence)
    return table


def _told(found: Audit) -> Sequence[str]:
    """What was done to the table on the way."""
    source = found.joint.source
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
                       ("smallest lift", "right"), ("information, nats", "right")):  # fmt: skip
        if head != "people outside" or found.budget is not None:
            table.add_column(head, justify="right" if side == "right" else "left")
    for s in found.sets:
        row = [" + ".join(s.columns), numbers.count(s.values)]
        if found.budget is not None:
            row.append(numbers.percent(s.share_outside) if s.values_outside else "none")
        row += [numbers.measured(s.measures[m]) for m in ("max-lift", "min-lift", "mutual-information")]
        table.add_row(*(Text(cell) for cell in row))
    out.print(table)
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
