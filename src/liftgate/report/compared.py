"""Before and after: two heat maps of one release, and every measure beside what the budget implies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from markupsafe import Markup

from liftgate.measures import MEASURES
from liftgate.measures.implied import implied_by
from liftgate.report import numbers, phrases, words
from liftgate.report.drawings import chosen
from liftgate.report.figures import gate, heat
from liftgate.report.icons import chip
from liftgate.report.listing import FIRST, Group, MeasureRow, family_title, shown
from liftgate.report.released import Released
from liftgate.report.view import View

if TYPE_CHECKING:
    from liftgate.jobs.protect import Release

_SIDE_BY_SIDE = 7


@dataclass(frozen=True)
class HeatPair:
    """One of the two heat maps: its title, how much is outside, the table, what was left out."""

    title: str
    text: str
    heat: heat.HeatMap
    note: str = ""


def draw_gates(release: Released) -> Markup:
    """The gate of the finding, before and after."""
    before, after = release.before, release.after
    if not before.sides:
        spans = [before.span("Before"), after.span("After")]
        return gate.gate(spans, before.low, before.up, "Smallest and largest lift, before and after")
    rows = []
    for one, two in zip(before.sides, after.sides, strict=True):
        both = tuple(float(side.values.max()) for side in (one, two))
        for name, view, side in (("Before", before, one), ("After", after, two)):
            value = float(side.values.max())
            over = bool(view.bad.any()) and value > float(side.bound)
            rows.append(gate.Reading(f"{name}, worst value: {side.name}", value, side.bound, over, side.least, both))
    return gate.readings(rows, "Worst value of each bounded measure, before and after")


def heat_pair(release: Released) -> tuple[bool, list[HeatPair]]:
    """Both heat maps, rows in the same order, and whether they fit side by side."""
    before, after = release.before, release.after
    xs, columns = chosen(before)
    whole = len(xs) == len(release.left)
    if whole:
        people = before.public_counts
        xs = sorted(xs, key=lambda x: (-people[x], x))
    ys = _released_rows(release, xs, whole)
    public = words.cut(before.public, 40)
    pairs = [
        _heat(before, xs, release.left, columns, f"Before: {public} as it is", words.capital(public)),
        _heat(after, ys, release.right, _same_columns(before, after, columns), f"After: {public} as released", "Released as"),
    ]  # fmt: skip
    return len(columns) <= _SIDE_BY_SIDE and before.by_cell, pairs


def _released_rows(release: Released, xs: Sequence[int], whole: bool) -> list[int]:
    """Released values in the order of the public values they stand for; of many the ones that stray furthest."""
    if not whole or len(release.right) > 60:
        return chosen(release.after)[0][:40] if len(release.right) > 40 else chosen(release.after)[0]
    rank = {x: i for i, x in enumerate(xs)}
    named = {y: rank[x] for x, y in release.own.items()}
    return sorted(
        range(len(release.right)),
        key=lambda y: (named.get(y, min((rank[x] for x in release.origins[y]), default=0)), y),
    )


def _same_columns(before: View, after: View, columns: Sequence[int]) -> list[int]:
    position = {(type(v), v): i for i, v in enumerate(after.joint.sensitive)}
    return [position[(type(v), v)] for v in (before.joint.sensitive[s] for s in columns)]


def _heat(
    view: View, rows: Sequence[int], names: Sequence[str], columns: Sequence[int], title: str, corner: str
) -> HeatPair:
    lines = [
        heat.Row(
            name=heat.name(names[x]),
            cells=[
                heat.lift_cell(view.lift_at(s, x), view.low, view.up, view.by_cell and bool(view.outside[s, x]))
                for s in columns
            ],
            chip=chip("outside" if view.bad[x] else "within") if not view.by_cell else "",
        )
        for x in rows
    ]
    table = heat.HeatMap(
        caption=f"{title}: lift of each value of {words.cut(view.sensitive, 60)}",
        corner=corner,
        columns=[heat.name(view.sensitive_texts[s], 28) for s in columns],
        rows=lines,
        verdict_head="" if view.by_cell else "Verdict",
    )
    n = len(names)
    text = f"{numbers.count(int(view.bad.sum()))} of {numbers.count(n)} rows outside"
    notes = []
    if len(rows) < n:
        bad = int(view.bad.sum()) - sum(bool(view.bad[x]) for x in rows)
        tail = f", {numbers.count(bad)} of them outside" if bad else ", none of them outside"
        notes.append(f"The {len(rows)} rows that stray furthest are drawn; {numbers.count(n - len(rows))} more are not shown{tail}.")  # fmt: skip
    if len(columns) < len(view.joint.sensitive):
        notes.append(
            f"{len(columns)} of {numbers.count(len(view.joint.sensitive))} values of {words.cut(view.sensitive)} are drawn."
        )
    return HeatPair(title, text, table, " ".join(notes))


def compared(found: Release, release: Released) -> list[Group]:
    """Every measure before, after, and what the budget implies for it; averages and counts of rows as expected."""
    implied = implied_by(found.budget, release.before.joint.prior.tolist())
    before, after = found.measures_before, found.measures_after
    rows = {
        name: MeasureRow(
            name,
            MEASURES[name].sentence,
            [
                shown(name, before[name], view=release.before),
                Markup("<b>{}</b>").format(_after(name, after, release)),
                implied_text(name, implied.get(name), release.before),
            ],
            MEASURES[name].citation,
        )
        for name in before
    }
    out = [Group("The most asked for", [rows[name] for name in FIRST if name in rows], folded=False)]
    for family in dict.fromkeys(MEASURES[name].family for name in rows if name not in FIRST):
        members = [row for name, row in rows.items() if name not in FIRST and MEASURES[name].family == family]
        out.append(Group(family_title(family, len(members)), members))
    return out


def _after(name: str, after: Mapping[str, float], release: Released) -> str:
    if name == "k":  # the counts of a release are whole shares; k is told in expected rows
        return numbers.measured(after[name] / release.channel.total)
    return shown(name, after[name], view=release.after)


def implied_text(name: str, value: float | None, view: View) -> str:
    """What a budget implies for a measure, rounded so that it is still implied.

    >>> import numpy as np
    >>> from liftgate.joint import Joint
    >>> view = View(Joint.from_counts([[1, 2], [2, 1]]), None, np.zeros((2, 2), dtype=bool))
    >>> implied_text("chi2", 1.08616, view), implied_text("min-lift", 0.0, view), implied_text("chi2", math.inf, view)
    ('≤ 1.087', '≥ 0', 'no bound')
    """
    larger = MEASURES[name].worse == "larger"
    if name == "max-lift" and view.up is not None:
        return f"≤ {numbers.bound(view.up, 'up')}"
    if name == "min-lift" and view.low is not None:
        return f"≥ {numbers.bound(view.low, 'low')}"
    if value is None or math.isinf(value) or math.isnan(value):
        return "no bound"
    exact = Fraction(value)
    if exact <= 0:
        return f"{'≤' if larger else '≥'} {0 if exact == 0 else numbers.measured(value)}"
    text = numbers.digits_text(numbers.significant(exact, 4, "up" if larger else "down"), 4)
    if "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    return f"{'≤' if larger else '≥'} {text}"


def columns_note(release: Released) -> str:
    """What the numbers of the two tables are."""
    view = release.before
    if view.by_cell:
        return "Each number is a lift. Framed with a corner mark: outside the budget."
    noun = phrases.values_noun(view, 2)
    return f"Each number is a lift. The budget is on whole {noun}: see the verdict of each row."
