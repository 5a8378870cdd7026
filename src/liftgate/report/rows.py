"""The page of a release of rows: what single rows tell, which are flagged and why, what counted groups say, attacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.estimators.reliability import Point, calibration_error
from liftgate.labels import Label, label_text
from liftgate.report import numbers, phrases, row_funnel, words
from liftgate.report.drawings import Figure, heat_section
from liftgate.report.figures import gate, histogram
from liftgate.report.figures.curves import Line, curves
from liftgate.report.icons import chip
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict
from liftgate.report.tradeoff import Grid
from liftgate.report.view import View

if TYPE_CHECKING:
    from liftgate.estimators.attacker import Guess
    from liftgate.jobs.rows import RowRelease

_VERBS = {"blocks": "permuted inside blocks", "shuffle": "permuted", "suppress": "left out"}
_BARS, _LINES, _LONGEST = 400, 3, 320


@dataclass(frozen=True)
class Section:
    """A section with figures, or with one table and notes."""

    title: str
    text: str
    figures: Sequence[Figure] = ()
    table: Grid | None = None
    note: str = ""
    notes: Sequence[str] = ()


def page(found: RowRelease, context: Context) -> Page:
    """The page of one release of rows."""
    after = found.plan.after
    view = View(after, found.budget, np.zeros(after.counts.shape, dtype=np.bool_))
    source = found.scores.table
    n, hidden = len(source), int(found.plan.moved.sum())
    verb = _VERBS[found.plan.mode]
    return Page(
        template="rows.html",
        kind="Rows",
        title=f"Rows: {words.cut(', '.join(source.public))} about {words.cut(view.sensitive)}",
        subject=words.visible(words.cut(source.name, 80)),
        verdict=Verdict(
            shape="in",
            word="Counted groups certified, single rows unknown",
            headline=f"{_people(hidden, n)} are {verb}, and every counted group of rows keeps the budget.",
            lede=_lede(found),
            paragraphs=_paragraphs(found),
            figure=_gate(found, view),
        ),
        facts=_facts(found),
        true_only_if=[Condition(explain(a), a) for a in found.assumptions],
        not_said=_not_said(found),
        proof_title="Proof, and what it rests on",
        body={
            "single": Section(
                "What single rows tell, as far as it can be estimated", _single(found), _figures(found, view)
            ),
            "rules": _rules(found),
            "told": [
                words.capital(words.cut(words.visible(_why(found, k)), _LONGEST)) + "." for k in range(len(found.told))
            ],
            "groups": _groups(found),
            "attacked": _attacked(found),
            "funnel": Section(row_funnel.TITLE, row_funnel.TEXT, row_funnel.figures(found.funnel)),
            "table": heat_section(view, (), ("within",) * len(after.public)),
            "check": "\n".join(
                (
                    "python -I -S checker.py release.cert.json",
                    f"accepted: {found.certificate.kind}",
                    f"assumes {', '.join(found.assumptions)}",
                )
            ),
        },
        made=_made(found),
        certificate=found.certificate.hash,
        context=context,
    )


def _people(some: int, of: int) -> str:
    return f"{numbers.count(some)} of {numbers.count(of)} rows"


def _lede(found: RowRelease) -> str:
    n, flagged = len(found.scores.log_lift), int(found.plan.flagged.sum())
    return (
        f"Of 1,000 rows, {round(1000 * flagged / n):,} are estimated to say more than the budget allows. Whole records "
        "change places with others, so that a record is at its own place only by chance."
        if found.plan.mode != "suppress"
        else f"Of 1,000 rows, {round(1000 * flagged / n):,} are estimated to say more than the budget allows. They are not released."
    )


def _paragraphs(found: RowRelease) -> list[str]:
    out = [
        (
            "No method certifies a single row whose columns are numbers, so every single row stays unknown: its score is an "
            "estimate by a model that has not seen it."
        )
    ]
    if found.reading.at_least:
        out.append(
            "The table as it is was outside budgets up to "
            f"ε {found.reading.at_least:.2f} per side: held-out groups of rows show it at 95{numbers.NBSP}%."
        )
    return out


def _gate(found: RowRelease, view: View) -> Markup | str:
    """Estimated range of single rows, and the exact range of counted groups, over the gate."""
    if not view.by_cell:
        return ""
    return gate.gate([view.span("Groups")], view.low, view.up, "Smallest and largest lift of counted groups")


def _facts(found: RowRelease) -> Facts:
    scores, plan = found.scores, found.plan
    n = len(scores.log_lift)
    low, up = scores.interval
    lines = [
        Fact("Rows hidden", numbers.percent_at_most(int(plan.moved.sum()) / n), f"{numbers.count(int(plan.moved.sum()))} of {numbers.count(n)}"),
        Fact("Flagged by estimate", numbers.percent(int(plan.flagged.sum()) / n)),
        Fact("Blocks of hidden rows", numbers.count(sum(plan.hidden))),
        Fact("Attacker", f"{found.after.attacker.auc:.3f}", f"was {found.before.attacker.auc:.3f}; 0.5 is a coin"),
    ]  # fmt: skip
    if found.before.task is not None and found.after.task is not None:
        lines.append(Fact("Task", f"{found.after.task.auc:.3f}", f"was {found.before.task.auc:.3f}"))
    lines += [
        Fact("Budget", words.budget_words(found.budget)),
        Fact("Told by single rows", f"{scores.mutual_information:.4f} nats", f"({low:.4f} to {up:.4f})"),
        Fact("Estimator", scores.estimator, "" if scores.estimator != "auto" else f"({_chosen(scores.chosen)})"),
        Fact("Learned from", f"{numbers.count(scores.trained_on)} rows, {scores.folds} folds"),
        Fact("Certificate", found.certificate.kind, "for counted groups"),
    ]
    note = (
        "Attacker and task are areas under the curve, learned on half of the people and asked about the rest; nobody is "
        "attacked by a model that has seen them."
    )
    return Facts("Release facts", lines, note)


def _chosen(names: Sequence[str]) -> str:
    """What auto took, fold by fold, each once."""
    return "; ".join(dict.fromkeys(names))


def _single(found: RowRelease) -> str:
    return (
        "Left: the smallest and largest estimated lift of every row. Right: whether rows that are said to have a value "
        "with some probability really have it that often. Both are estimates and certify nothing."
    )


def _figures(found: RowRelease, view: View) -> list[Figure]:
    lift = np.exp(found.scores.log_lift)
    smallest, largest = lift.min(axis=1), lift.max(axis=1)
    order = np.argsort(largest, kind="stable")
    items = []
    low, up = (None if b is None else float(b) for b in (view.low, view.up))
    for part in np.array_split(order, min(_BARS, order.size)):
        a, b = float(np.median(smallest[part])), float(np.median(largest[part]))
        items.append(
            histogram.Item(part.size / order.size, a, b, low is not None and a < low, up is not None and b > up)
        )
    spread = histogram.two_sided(items, view.low, view.up, "rows")
    error = calibration_error(found.reliability)
    return [
        Figure("How far a single row moves belief", spread, "Estimated, by models that have not seen the row.", "Rows in groups of equal size, by their largest lift."),
        Figure("Whether the scores are right on average", _reliability(found.reliability, found.scores.labels), "Said against seen, in ten parts of equal size.", f"Said and seen differ by {error:.3f} on average. On the line they agree."),
    ]  # fmt: skip


def _reliability(points: Sequence[Point], labels: Sequence[Label]) -> Markup:
    lines = []
    rows = {label: sum(p.rows * p.seen for p in points if p.label == label) for label in labels}
    for look, label in enumerate(sorted(labels, key=lambda v: -rows[v])[:_LINES]):
        own = [(p.said, p.seen) for p in points if p.label == label]
        lines.append(Line(words.visible(words.cut(label_text(label), 24)), own, look))
    ends = [v for line in lines for point in line.points for v in point]
    lines.append(Line("agree", [(min(ends), min(ends)), (max(ends), max(ends))], 3))
    said = "; ".join(
        f"{line.name}: "
        + ", ".join(f"said {a:.2f} seen {b:.2f}" for a, b in line.points[:: max(1, len(line.points) - 1)])
        for line in lines[:-1]
    )
    return curves(lines, (), "probability said", "share seen", f"Reliability. {said}.")


def _rules(found: RowRelease) -> Grid | None:
    if not found.rules:
        return None
    rows = [
        [words.visible(words.cut(r.text, 160)), f"{numbers.count(r.flagged)} of {numbers.count(r.rows)}", numbers.percent(r.share_of_flagged)]
        for r in found.rules
    ]  # fmt: skip
    return Grid("Rules that describe flagged rows", ["Rows where", "Flagged", "Of all flagged"], rows)


def _why(found: RowRelease, at: int) -> str:
    told = found.told[at]
    return f"row {told.row:,}: {told.why.sentence}"


def _groups(found: RowRelease) -> Section:
    reading = found.reading
    word = words.visible(words.cut(label_text(reading.label), 24))
    rows = []
    for group in reading.groups:
        cell = next((c for c in group.cells if c.label == reading.label), None)
        read = ["–", "–"] if cell is None else [f"{cell.lift:.2f}", f"{cell.low:.2f} to {cell.up:.2f}"]
        rows.append([words.visible(words.cut(group.name, 80)), numbers.count(group.rows), *read, chip(group.verdict)])
    heads = ["Held-out rows with similar scores", "Rows", f"Average lift of {word}", "95 % interval", "Verdict"]
    title = "What held-out groups of the table as it is show"
    text = (
        "Half of the people were held out; the model and the cuts come from the other half. Exact tests over all groups "
        "together; open is not a yes."
    )
    return Section(
        title, text, table=Grid("Held-out groups", heads, rows), notes=[words.capital(n) + "." for n in reading.notes]
    )


def _attacked(found: RowRelease) -> Section:
    def line(name: str, before: Guess | None, after: Guess | None) -> list[str]:
        if before is None or after is None:
            return [name, "not asked", "not asked"]
        return [name, f"{before.auc:.3f}", f"{after.auc:.3f}"]

    used, n = found.utility, len(found.scores.log_lift)
    rows = [
        line("Attacker, area under the curve", found.before.attacker, found.after.attacker),
        ["Attacker, nats told", f"{found.before.attacker.information:.4f}", f"{found.after.attacker.information:.4f}"],
        line(f"Task {words.visible(words.cut(found.task, 40))}, area" if found.task else "Task (--task)", found.before.task, found.after.task),
        ["Rows released", numbers.count(n), numbers.count(used.rows)],
        ["Largest change of a marginal", "0", numbers.measured(used.marginals)],
        ["Largest change of a correlation", "0", numbers.measured(used.correlations)],
    ]  # fmt: skip
    note = (
        "Permuting whole records leaves every column and every correlation of the released table as it was; what is lost "
        "is the link to the person. Nats below 0 mean that the attacker does worse than knowing nothing."
    )
    if found.plan.mode == "suppress":
        note = "Leaving rows out distorts the table: the figures compare what is left with all rows."
    text = (
        f"Trees learn from the released records of half of the people and guess the rest ({numbers.count(found.attacked_on)} "
        "rows). The task is learned from released records and applied to true rows."
    )
    return Section("", text, table=Grid("Before and after", ["Figure", "Table as it is", "Release"], rows), note=note)


def _not_said(found: RowRelease) -> list[Markup]:
    sensitive = phrases.name_in(words.column_name(found.scores.table.sensitive, "sensitive"))
    out = [
        Markup("Not that any single row is within the budget: rows are estimated, groups are counted."),
        Markup(
            "Not that a record is hidden: it stands in the release as it is, at another place. Whoever recognises a person "
            "by the content of a record learns what it says."
        )
        if found.plan.mode != "suppress"
        else Markup(
            "Not that being left out is silent: who is missing is known to whoever knows who was in the table."
        ),
        Markup("Not what other columns say about {} beside these, or a second release of the same rows.").format(
            sensitive
        ),
        Markup("Not that a better attacker would learn no more: this one is a lower bound."),
    ]
    if found.scores.table.kept is not None:
        names = ", ".join(found.scores.table.kept.column_names)
        out.append(
            Markup("Not what {} tell: kept columns stay with the person and are not counted.").format(words.cut(names))
        )
    return out


def _made(found: RowRelease) -> list[str]:
    table = found.scores.table
    first = (
        f"Sensitive: {', '.join(table.sensitive)}. Public: {', '.join(table.public)}. {numbers.count(len(table))} rows."
    )
    budget = (
        f"Budget {found.budget.text}: {words.budget_sentence(found.budget)}. Counted groups decided in whole numbers."
    )
    return [words.visible(first), budget, *(words.capital(words.visible(note)) + "." for note in found.notes)]
