"""The drawings of a table under a budget: its gate, its heat map, how its values spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from liftgate.report import findings, numbers, phrases, words
from liftgate.report.figures import gate, heat, histogram, readings, scatter
from liftgate.report.figures.scale import LogScale, MeasureScale, around_one
from liftgate.report.icons import chip
from liftgate.report.view import View

MOST_ROWS, MOST_COLUMNS, WORST_ROWS = 60, 12, 40


@dataclass(frozen=True)
class Figure:
    """A figure with the question it answers as its title."""

    title: str
    svg: Markup
    caption: str = ""
    note: str | Markup = ""


@dataclass(frozen=True)
class Table:
    """The section of the heat map."""

    title: str
    text: str
    key: Markup
    heat: heat.HeatMap
    notes: Sequence[str | Markup] = ()


def draw_gate(view: View) -> Markup:
    """The gate of the finding: the range of all lifts, or the bounded measures of the worst value."""
    if not view.sides:
        return gate.gate([view.span("Now")], view.low, view.up, "Smallest and largest lift in the table")
    rows = []
    for side in view.sides:
        x = int(np.argmax(side.values))
        over = bool(view.bad[x]) and float(side.values[x]) > float(side.bound)
        rows.append(gate.Reading(f"Worst value: {side.name}", float(side.values[x]), side.bound, over, side.least))
    return gate.readings(rows, "Worst value of each bounded measure")


def heat_section(view: View, sample: Sequence[str], verdicts: Sequence[str], by_sample: bool = False) -> Table:
    """The heat map with the ranges and the verdicts, worst rows first, and what was left out."""
    rows, columns = chosen(view)
    joint = view.joint
    lines = [
        heat.Row(
            name=heat.name(view.public_texts[x]),
            count=words.people(joint, view.public_counts[x]),
            cells=[_cell(view, s, x) for s in columns],
            range=drawn,
            chip=_chip(x, sample, verdicts),
        )
        for x, drawn in zip(rows, _ranges(view, rows), strict=True)
    ]
    caption = f"Lift of each value of {view.sensitive} for each value of {view.public}"
    table = heat.HeatMap(
        caption=words.cut(caption, 160),
        corner=words.capital(words.cut(view.public, 40)),
        columns=[heat.name(view.sensitive_texts[s], 28) for s in columns],
        rows=lines,
        count_head="People" if words.is_count(joint) else "Share",
        range_title=words.capital(view.worst_side.name) if view.worst_side else "Smallest and largest lift",
        range_head=_range_head(view),
        verdict_head="" if not verdicts else "Verdict, if rows are a sample" if sample else "Verdict",
    )
    if view.budget is None:
        text = "Each number is a lift. Rows are sorted by how far belief can move."
    elif view.by_cell:
        text = "Each number is a lift. Framed with a corner mark: outside the budget. Rows are sorted by how far they stray."
    else:
        text = "Each number is a lift. The budget is on whole values: see the mark and the verdict of each row."
    return Table(
        findings.table_title(view, by_sample),
        text,
        heat.key(view.low, view.up),
        table,
        _notes(view, sample, len(rows), len(columns)),
    )


def chosen(view: View) -> tuple[list[int], list[int]]:
    """Rows and columns of the heat map: all, or the worst of a table too large to draw whole."""
    n_s, n_x = view.joint.counts.shape
    rows = view.order
    if n_x > MOST_ROWS or n_s > MOST_COLUMNS:
        rows = rows[:WORST_ROWS]
    by_people = sorted(range(n_s), key=lambda s: -view.sensitive_counts[s])
    if n_s > MOST_COLUMNS:
        excess = (
            view.excess() if view.outside.any() and view.by_cell else View(view.joint, None, view.outside).excess()
        ).sum(axis=1)
        worst = set(sorted(range(n_s), key=lambda s: -float(excess[s]))[:MOST_COLUMNS])
        by_people = [s for s in by_people if s in worst]
    return rows, by_people


def plots(view: View) -> list[Figure]:
    """How the values spread: over people, and smallest against largest lift."""
    shares = view.joint.public_share
    who = phrases.nouns(view).many
    out: list[Figure] = []
    if view.sides:
        side = view.worst_side
        assert side is not None
        values = list(zip(side.values.tolist(), shares.tolist(), view.bad.tolist(), strict=True))
        drawn = histogram.one_sided(values, side.bound, side.least, side.name, who)
        out.append(Figure(f"How {side.name} spreads", drawn, f"Weighted by {who}. Framed red: outside."))
    else:
        below: list[bool] = np.asarray(view.below.any(axis=0)).tolist()
        above: list[bool] = np.asarray(view.above.any(axis=0)).tolist()
        items = [
            histogram.Item(*row)
            for row in zip(
                shares.tolist(), view.smallest.tolist(), view.largest.tolist(),
                below, above, strict=True,
            )
        ]  # fmt: skip
        drawn = histogram.two_sided(items, view.low, view.up, who)
        caption = f"How far belief can move, weighted by {who}. Left half: down. Right half: up."
        out.append(Figure(findings.movement_title(view), drawn, caption, _by_cell_note(view)))
    marks = [
        scatter.Mark(*row)
        for row in zip(
            view.public_texts,
            shares.tolist(),
            view.smallest.tolist(),
            view.largest.tolist(),
            view.bad.tolist(),
            strict=True,
        )
    ]
    noun = phrases.values_noun(view, 1)
    one = "One mark for values that lie together" if scatter.merged_marks(marks) else f"One mark per {noun}"
    note = "" if view.budget is None else "Square: outside. Circle: within."
    if bool((view.smallest <= 0).any()):
        note = f"{note} Far left gutter: a lift of 0.".strip()
    title = findings.crossing_title(view) if view.by_cell else "Rise against fall of every value"
    out.append(
        Figure(
            title,
            scatter.scatter(marks, view.low, view.up, view.budget is not None),
            f"{one}; area is the number of {who}.",
            note,
        )
    )
    return out


def _by_cell_note(view: View) -> str:
    if not view.by_cell or not view.outside.any():
        return ""
    joint = view.joint
    inside = sum(int(n) for n in joint.counts[view.outside])
    share = numbers.percent(inside / view.total)
    who = phrases.nouns(view).many
    return (
        f"Weighted by the {who} who carry the value, not by the cell: only {share} of {who} are in a cell outside the gate."
        if (inside / view.total < float(view.share(view.bad)))
        else f"Weighted by the {who} who carry the value."
    )


def _cell(view: View, s: int, x: int) -> heat.Cell:
    return heat.lift_cell(view.lift_at(s, x), view.low, view.up, bool(view.outside[s, x]) and view.by_cell)


def _chip(x: int, sample: Sequence[str], verdicts: Sequence[str]) -> Markup:
    word = sample[x] if sample else verdicts[x] if verdicts else None
    return Markup() if word is None else chip(word)


def _ranges(view: View, rows: Sequence[int]) -> list[Markup]:
    if view.worst_side is not None:
        side, scale = view.worst_side, _side_scale(view)
        limit = float(side.bound)
        return [readings.measure_row(scale, float(side.values[x]), limit, bool(view.bad[x])) for x in rows]
    scale_of = _lift_scale(view)
    low, up = (None if b is None else float(b) for b in (view.low, view.up))
    return [
        readings.range_row(
            scale_of, float(view.smallest[x]), float(view.largest[x]), low, up,
            bool(view.below[:, x].any()), bool(view.above[:, x].any()),
        )
        for x in rows
    ]  # fmt: skip


def _range_head(view: View) -> Markup:
    return readings.measure_head(_side_scale(view)) if view.worst_side else readings.range_head(_lift_scale(view))


def _lift_scale(view: View) -> LogScale:
    ends = [float(view.smallest.min()), float(view.largest.max()), *gate.bounds_on_axis(view.low, view.up)]
    return around_one(ends, 12, readings.WIDTH - 12, 20)


def _side_scale(view: View) -> MeasureScale:
    side = view.worst_side
    assert side is not None
    return gate.measure_scale(side.values.tolist(), float(side.bound), side.least, 8, readings.WIDTH - 10)


def _notes(view: View, sample: Sequence[str], rows: int, columns: int) -> list[str | Markup]:
    n_s, n_x = view.joint.counts.shape
    notes: list[str | Markup] = []
    if rows < n_x:
        hidden = n_x - rows
        more = int(view.bad.sum()) - int(view.bad[view.order[:rows]].sum())
        tail = f", {numbers.count(more)} of them outside" if more else ", none of them outside" if view.budget else ""
        notes.append(
            f"The {rows} values that stray furthest are drawn; {numbers.count(hidden)} more are not shown{tail}. "
            "The charts below and the JSON output hold all of them."
        )
    if columns < n_s:
        notes.append(
            f"{columns} of {numbers.count(n_s)} values of {words.cut(view.sensitive)} are drawn, those that weigh most; "
            f"{numbers.count(n_s - columns)} are not shown."
        )
    small = findings.small_group(view, sample)
    if small is not None:
        notes.append(small)
    if view.by_cell:
        notes.append("A lift inside the budget is never rounded to look outside, nor the other way round.")
    return notes
