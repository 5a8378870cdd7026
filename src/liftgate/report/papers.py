"""The page of a recomputed paper: its printed numbers, its claims and its figures beside what comes out here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.report import numbers
from liftgate.report.figures.curves import Line, Note, curves, strips
from liftgate.report.icons import icon
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict

if TYPE_CHECKING:
    from liftgate.jobs.recomputed import Claim, Compared, Figure, Panel, Recomputed


@dataclass(frozen=True)
class Drawing:
    """One panel as a template shows it."""

    title: str
    svg: Markup
    caption: str = ""
    note: str = ""


@dataclass(frozen=True)
class Section:
    """One figure of the paper: what is seen in it, what it was computed on, its panels, and why it differs."""

    title: str
    text: str
    panels: Sequence[Drawing]
    notes: Sequence[str]


@dataclass(frozen=True)
class Row:
    """One printed number or claim."""

    quantity: str
    place: str
    printed: str
    here: str
    error: str
    chip: Markup
    why: str
    errata: str


def page(found: Recomputed, context: Context) -> Page:
    """The page of one paper."""
    body: dict[str, Any] = {
        "missing": _missing(found),
        "numbers": {
            "title": "The printed numbers beside ours",
            "text": "A number comes out when it is no further from ours than one unit of its last printed digit and three "
            "standard errors of our mean.",
            "rows": [number_row(n) for n in found.compared],
            "others": [number_row(n) for n in found.numbers if n.alternative],
            "others_title": "The same numbers under other readings of the text",
        },
        "claims": _claims(found),
        "figures": [_section(f) for f in found.figures],
    }
    return Page(
        template="papers.html",
        kind="Paper",
        title=f"{found.paper.upper()} recomputed",
        subject=found.paper.upper(),
        stamp="public",
        verdict=_verdict(found),
        facts=_facts(found),
        true_only_if=_conditions(found),
        not_said=found.limits,
        body=body,
        made=_made(found),
        context=context,
        proof_title="Read this before you quote a figure",
    )


def summary(found: Recomputed) -> str:
    """The finding in one sentence.

    >>> from liftgate.jobs.recomputed import Recomputed
    >>> summary(Recomputed("lift", "", {}, {}, (), (), ()))
    'No printed number could be compared'
    """
    n = len(found.compared)
    if not n:
        return "No printed number could be compared"
    text = f"{found.agreeing} of {n} printed numbers come out"
    failed = sum(not c.holds for c in found.claims)
    if not found.claims:
        return text
    if not failed:
        return f"{text}, and all {len(found.claims)} claims hold"
    return f"{text}, and {failed} of {len(found.claims)} claims {'fails' if failed == 1 else 'fail'}"


def _verdict(found: Recomputed) -> Verdict:
    every = found.compared and found.agreeing == len(found.compared) and all(c.holds for c in found.claims)
    failed = [c for c in found.claims if not c.holds]
    said = []
    outside = found.totals.get("outside", 0)
    if outside:
        said.append(
            f"{numbers.count(outside)} of {numbers.count(found.totals['releases'])} releases designed as printed break the "
            "budget they were designed for. None of them is ever released here: the mechanisms repair them."
        )
    if failed:
        said.append("What fails: " + " ".join(f"“{c.text.replace('“', '‘').replace('”', '’')}”" for c in failed))
    return Verdict(
        shape="in" if every else "if",
        word="Recomputed" if every else "Recomputed, with differences named",
        headline=f"{summary(found)}.",
        lede=f"{found.title}: every figure is computed on this machine; only the crosses are typed from the paper.",
        paragraphs=said,
    )


def _facts(found: Recomputed) -> Facts:
    totals, settings = found.totals, found.settings
    lines = [Fact("Numbers that come out", f"{found.agreeing} of {len(found.compared)}")]
    lines.append(Fact("Claims that hold", f"{sum(c.holds for c in found.claims)} of {len(found.claims)}"))
    lines.append(Fact("Figures", f"{len(found.figures)}"))
    if "draws" in settings:
        what = settings.get("drawn", "Random tables")
        lines.append(Fact(what, numbers.count(settings["draws"]), f"(seed {settings.get('seed', 0)})"))
    names = (
        ("releases", "Releases designed"), ("optimal", "Optimal responses"), ("proven", "of them proven best"),
        ("outside", "Outside, as printed"),
    )  # fmt: skip
    lines += [Fact(text, numbers.count(totals[key])) for key, text in names if key in totals]
    real = found.data.get("adult")
    if real:
        lines.append(Fact("Adult", f"{numbers.count(real['people'])} people"))
    return Facts("Recomputation", lines, found.reading)


def _missing(found: Recomputed) -> dict[str, Any] | None:
    if not found.missing:
        return None
    return {
        "title": "Not everything could be computed",
        "lines": [f"{m.what}: {m.why}. To change that: {m.fix}." for m in found.missing],
    }  # fmt: skip


def _chip(yes: bool, good: str, bad: str) -> Markup:
    shape = icon("in") if yes else icon("out")
    return Markup('<span class="chip">{}<span class="t">{}</span></span>').format(shape, good if yes else bad)


def number_row(number: Compared) -> Row:
    """A printed number and ours as they are shown."""
    percent = "%" in number.printed
    return Row(
        number.quantity,
        number.place,
        number.printed,
        number.shown or " to ".join(f"{v:,.0f} %" if percent else f"{v:.3f}" for v in number.here),
        "" if number.error is None else f"± {number.error:,.0f}" if percent else f"± {number.error:.3f}",
        _chip(number.agrees, "yes", "no"),
        number.why,
        ", ".join(number.errata),
    )


def _claims(found: Recomputed) -> dict[str, Any] | None:
    if not found.claims:
        return None
    return {
        "title": "What the paper claims, counted",
        "text": "A claim about single releases is counted release by release; one about curves by the means, with three "
        "standard errors of the difference allowed.",
        "rows": [_claim(c) for c in found.claims],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "text": claim.text,
        "place": claim.place,
        "chip": _chip(claim.holds, "holds", "fails"),
        "evidence": claim.evidence,
        "errata": ", ".join(claim.errata),
    }


def _section(figure: Figure) -> Section:
    return Section(
        f"Figure {figure.number}. {figure.finding}",
        f"{figure.place}; {figure.setting}.",
        [_drawing(figure, p) for p in figure.panels],
        figure.notes,
    )


def _drawing(figure: Figure, panel: Panel) -> Drawing:
    lines = [Line(c.name, c.points, c.look, c.shape == "steps", c.shape == "points") for c in panel.curves]
    notes = [Note(p.x, p.y, p.text) for p in panel.printed]
    title = f"{panel.letter}. {panel.title}" if panel.letter else panel.title
    if any(c.shape == "marks" for c in panel.curves):
        told = [f"{c.name} at {', '.join(f'{x:g}' for x, v in c.points if v) or 'none'}" for c in panel.curves]
        return Drawing(title, strips(lines, panel.x, f"Figure {figure.number}: {panel.title}: {'; '.join(told)}."))
    ends = [f"{c.name} from {c.points[0][1]:.2f} to {c.points[-1][1]:.2f}" for c in panel.curves if c.points]
    label = f"Figure {figure.number}{panel.letter}: {panel.title} against {panel.x}: {'; '.join(ends)}."
    if panel.printed:
        label += " " + "; ".join(f"{p.text} at {p.x:g}" for p in panel.printed) + "."
    return Drawing(title, curves(lines, notes, panel.x, panel.y, label, panel.log))


def _conditions(found: Recomputed) -> list[Condition]:
    out = [Condition(explain(a), a) for a in found.assumptions]
    return out + [Condition(text) for text in found.conditions]


def _made(found: Recomputed) -> list[str]:
    settings = found.settings
    out = [f"Budgets: eps {', '.join(settings['eps'])}"] if "eps" in settings else []
    if "lambda" in settings:
        out.append(f"Splits: λ {', '.join(settings['lambda'])}; eps_l = λ eps, eps_u = (1 − λ) eps")
    if found.data.get("adult"):
        real = found.data["adult"]
        out.append(f"Adult: {real['name']}, {numbers.count(real['rows'])} rows, {real['size']} {real['variant']}")
    if found.data.get("compas"):
        real = found.data["compas"]
        out.append(f"COMPAS: {real['name']}, {numbers.count(real['rows'])} rows")
    if found.data.get("credit"):
        real = found.data["credit"]
        out.append(f"Credit Approval: {real['name']}, {numbers.count(real['rows'])} rows")
    return out
