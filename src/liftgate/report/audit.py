"""The page of an audit: what the public columns say about the sensitive ones, and whether a budget allows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.exact import SHARE_TOTAL
from liftgate.report import findings, numbers, phrases, words
from liftgate.report.drawings import draw_gate, heat_section, plots
from liftgate.report.figures import readings
from liftgate.report.icons import VERDICT_SHAPE
from liftgate.report.listing import measure_groups
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict
from liftgate.report.provenance import provenance
from liftgate.report.view import View

if TYPE_CHECKING:
    from liftgate.jobs.audit import Audit

_WORDS = {
    None: "Measured, not judged",
    "within": "Within the budget",
    "outside": "Outside the budget",
    "unknown": "Unknown: the rows cannot decide",
}


@dataclass(frozen=True)
class Readings:
    """The section that holds the two readings of the same rows side by side."""

    title: str
    text: str
    rows: Sequence[readings.Bar]
    note: str = ""


def page(audit: Audit, context: Context) -> Page:
    """The page of one audit."""
    view = View(audit.joint, audit.budget, audit.outside)
    name = audit.joint.source.name
    return Page(
        template="audit.html",
        kind="Audit",
        title=f"Audit: {words.cut(view.public)} about {words.cut(view.sensitive)}",
        subject="" if name == "counts" else words.visible(words.cut(name, 80)),
        verdict=_verdict(audit, view),
        facts=_facts(audit, view),
        true_only_if=[Condition(explain(a), a) for a in audit.assumptions],
        not_said=_not_said(audit, view),
        body={
            "readings": _readings(audit, view),
            "table": heat_section(
                view, audit.sample.verdicts if audit.sample else (), audit.verdicts, audit.rows == "sample"
            ),
            "plots": {"title": findings.carriers_title(view, audit.rows == "sample"), "figures": plots(view)},
            "measures": measure_groups(audit.measures, view),
        },
        made=provenance(audit.joint, audit.budget, audit.sample.notes if audit.sample else ()),
        certificate=None if audit.certificate is None else audit.certificate.hash,
        context=context,
    )


def _verdict(audit: Audit, view: View) -> Verdict:
    word = audit.verdict
    by_sample = audit.rows == "sample"
    bad = findings.bad_values(audit)
    cell = findings.clearest_cell(view)
    said: list[Markup] = []
    if cell is not None:
        said.append(findings.case_text(view, cell))
    nothing = findings.ruled_out(view, cell)
    if nothing is not None:
        if said:
            said[0] = said[0] + " " + nothing
        else:
            said.append(nothing)
    return Verdict(
        shape="none" if word is None else VERDICT_SHAPE[word],
        word=_WORDS[word],
        headline=findings.headline_of(view, word, int(bad.sum()), by_sample),
        lede=findings.lede(view, word, bad, by_sample),
        paragraphs=said,
        figure=draw_gate(view),
    )


def _facts(audit: Audit, view: View) -> Facts:
    joint, budget = audit.joint, audit.budget
    cells = joint.counts.size
    most, least = view.lift_at(*view.most), view.lift_at(*view.least)
    largest = numbers.lift(most, view.low, view.up, 3)
    smallest = numbers.lift(least, view.low, view.up, 3)
    lines: list[Fact] = []
    if budget is None:
        lines.append(Fact("Largest lift", largest))
        lines.append(Fact("Smallest lift", smallest))
    else:
        lines += _counted(audit, view)
        if view.by_cell and view.low is not None and view.up is not None:
            lines.append(Fact("Cells outside", f"{numbers.count(int(audit.outside.sum()))} of {numbers.count(cells)}"))
            lines.append(Fact("Largest lift", largest, f"(allowed {numbers.bound(view.up, 'up')})"))
            lines.append(Fact("Smallest lift", smallest, f"(allowed {numbers.bound(view.low, 'low')})"))
        else:
            lines += [Fact("Largest lift", largest), Fact("Smallest lift", smallest)]
        lines.append(Fact("Budget", words.budget_words(budget)))
    if words.is_count(joint):
        lines.append(Fact("Rows counted", numbers.count(joint.total)))
    else:
        lines.append(Fact("Given as", "probabilities"))
    lines.append(Fact("Empty cells", numbers.count(int((joint.counts == 0).sum()))))
    lines.append(Fact("Missing values", _missing(audit)))
    kind = "not asked" if audit.certificate is None else audit.certificate.kind
    lines.append(Fact("Certificate", kind))
    note = Markup(
        "Lift = how common a value of {} is among {} with one value of {}, divided by how common it is in the whole "
        "table. 1 means nothing is learned."
    ).format(phrases.name_in(view.sensitive), phrases.nouns(view).many, phrases.name_in(view.public))
    return Facts("Release facts", lines, note)


def _counted(audit: Audit, view: View) -> list[Fact]:
    """How many values are outside, under the reading asked for first."""
    n = numbers.count(len(view.joint.public))
    whose = "People with these values" if words.is_count(view.joint) else "Share of these values"
    share = Fact(whose, numbers.percent(view.share(view.bad), 1))
    counted = f"{numbers.count(int(view.bad.sum()))} of {n}"
    if audit.rows == "population" or audit.sample is None:
        return [Fact("Values outside", counted), share]
    out, unknown = (numbers.count(audit.sample.verdicts.count(word)) for word in ("outside", "unknown"))
    return [
        Fact("Values shown outside", f"{out} of {n}"),
        Fact("Values unknown", f"{unknown} of {n}"),
        Fact("Outside in these rows", counted),
    ]


def _missing(audit: Audit) -> str:
    source = audit.joint.source
    n = sum(k for _, k in source.missing)
    if not n:
        return "none"
    if source.missing_rule == "drop":
        return f"{numbers.count(n)}, rows left out"
    return f"{numbers.count(n)}, kept as a value"


def _readings(audit: Audit, view: View) -> Readings | None:
    if audit.budget is None:
        return None
    who = phrases.nouns(view).many
    rows = [readings.bar("The rows are the population", f"exact count, share of {who}", _shares(view, audit.verdicts))]
    if audit.sample is None:
        why = (
            "exact tests for samples exist for bounds on lift only"
            if not view.by_cell
            else "counts of 2^40 or more are shares of a law, not rows that could be a sample"
            if audit.joint.total >= SHARE_TOTAL
            else "only rows, not counts given by hand, are read as a sample unless that is asked for"
        )
        return Readings("How sure is this?", f"The counts are read as everyone the release is about; {why}.", rows)
    level = numbers.percent(1 - audit.sample.alpha)
    how = f"exact tests, {level} over all values"
    rows.append(readings.bar("The rows are a sample", how, _shares(view, audit.sample.verdicts)))
    overall = {
        "within": f"Read as a sample, the whole table is within the budget at {level}: a claim about all values at "
        "once, which can hold where single values stay unknown.",
        "outside": f"Read as a sample, the table is outside the budget at {level}.",
        "unknown": f"Read as a sample, the whole table stays unknown at {level}.",
    }[audit.sample.overall]
    return Readings(
        "How sure is this? Two readings of the same table",
        "If these rows are everyone, the counts decide. If they are a sample, small groups leave the answer open, and "
        "open is not a yes.",
        rows,
        overall,
    )


def _shares(view: View, verdicts: Sequence[str]) -> dict[str, Fraction]:
    return {word: view.share(np.array([v == word for v in verdicts])) for word in ("within", "unknown", "outside")}


def _not_said(audit: Audit, view: View) -> list[Markup]:
    public, sensitive = phrases.name_in(view.public), phrases.name_in(view.sensitive)
    good = int((~view.bad).sum())
    out: list[Markup] = []
    if audit.budget is None:
        out.append(Markup("Not that this is much or little: without a budget nothing is judged."))
    elif good:
        noun = phrases.values_noun(view, good)
        rest = f"{numbers.count(good)} other {noun}" if view.bad.any() else f"{numbers.count(good)} {noun}"
        verb = "is" if good == 1 else "are"
        out.append(
            Markup("Not that the {} {} harmless: inside means inside the budget <em>you</em> chose.").format(rest, verb)
        )
    else:
        out.append(Markup("Not that every budget is broken: it is the one <em>you</em> chose."))
    out.append(
        Markup("Not who can be recognised in the table. This page is about what a value reveals, not whose row it is.")
    )
    out.append(
        Markup(
            "Not what happens when {} is combined with another column, or released again. Audit the columns together."
        ).format(public)
    )
    out.append(
        Markup("Not whether {} follows from {} by nature or by chance: lift counts how often they go together.").format(
            sensitive, public
        )
    )
    if audit.sample is not None and "unknown" in audit.sample.verdicts:
        share = view.share(np.array([v == "unknown" for v in audit.sample.verdicts]))
        out.append(
            Markup("Not a verdict for the {} marked unknown. More rows, or merging values, can decide them.").format(
                numbers.percent(share)
            )
        )
    return out
