"""Sentences of the page that no report has: how a search stands, what a check found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.labels import label_text
from liftgate.report import numbers
from liftgate.report.figures import svg
from liftgate.report.icons import Shape
from liftgate.report.page import Condition, Fact, Facts, Page
from liftgate.report.page import Verdict as Shown
from liftgate.report.words import counted, cut, visible
from liftgate.web.drawing import fragment

if TYPE_CHECKING:
    from liftgate.checker import Verdict
    from liftgate.jobs.tradeoff import Tradeoff
    from liftgate.transparency import DecisionRules


def searching(found: float, bound: float) -> dict[str, Any]:
    """How a search stands: what was found keeps, and what the search believes none can exceed."""
    best, none = max(0.0, min(1.0, found)), max(0.0, min(1.0, bound))
    kept, most = numbers.percent_kept(best), numbers.percent_at_most(none)
    return {
        "text": "Searching",
        "markup": fragment("searching.html", kept=kept, most=most, figure=_line(best, none, kept, most)),
    }


def _line(best: float, none: float, kept: str, most: str) -> Markup:
    """From what is found to 100 %: the gap between the found and the open bound."""
    start = next((s for s in (0.98, 0.9, 0.8, 0.5) if s <= best), 0.0)

    def at(share: float) -> float:
        return 20 + 420 * (max(start, share) - start) / (1 - start)

    parts = [svg.line(20, 58, 440, 58, "axis")]
    for k in range(6):
        tick = start + (1 - start) * k / 5
        parts += [svg.line(at(tick), 54, at(tick), 62, "axis"), svg.text(at(tick), 78, f"{100 * tick:.3g} %", "m tick")]
    parts.append(svg.rect(at(none), 34, 440 - at(none), 24, style="fill:url(#hat)"))
    parts.append(svg.rect(at(best), 34, at(none) - at(best), 24, style="fill:var(--unk-band)"))
    parts.append(
        svg.line(at(none), 28, at(none), 62, "", stroke="var(--ink-2)", stroke_width="2", stroke_dasharray="4 3")
    )
    parts.append(
        svg.element("circle", cx=at(best), cy=46, r=7, fill="var(--surface)", stroke="var(--ink)", stroke_width="3")
    )
    parts.append(svg.text(max(at(best), 90), 22, f"found: {kept}", "lab e"))
    parts.append(svg.text(min(at(none), 330), 10, f"not yet proven: {most}", "lab"))
    label = f"Best release so far keeps {kept}; the search believes that none can keep more than {most}, not yet proven"
    return svg.figure(460, 92, label, parts)


def budgets_of(found: Tradeoff) -> str:
    """The budgets of a trade-off, each with what is kept, as buttons to choose."""
    told = [
        {
            "budget": budget.text,
            "told": budget.sentence,
            "kept": [
                {"mechanism": p.mechanism, "kept": numbers.percent_kept(p.utility), "inside": p.inside}
                for p in found.points
                if p.budget is budget
            ],
        }
        for budget in found.budgets
    ]
    return fragment("budgets.html", budgets=told)


def known(rules: DecisionRules) -> str | None:
    """What a reader who knows the table knows besides the announcement, as ``liftgate attack --knows`` reads it."""
    if len(rules.private) != 1:
        return None
    [private] = rules.private.values()
    people = {
        label_text(rules.groups.label(g)): {
            label_text(private[row].item() if hasattr(private[row], "item") else private[row]): str(
                Fraction(rules.given_mass.tolist()[row])
            )
            for row in rules.groups.rows_of(g).tolist()
        }
        for g in range(rules.groups.size)
    }
    return json.dumps({"people": people, "slack": 0}, ensure_ascii=False, indent=1)


def checked(verdict: Verdict, name: str, allow: Sequence[str] | None, alone: str) -> Page:
    """What the checker found, as a page in words."""
    assumed = list(verdict.assumptions)
    open_ = [a for a in assumed if a not in (allow or ())]
    shape, word, headline, lede = _finding(verdict, allow, len(open_))
    lines = [
        Fact("Kind", verdict.kind or "not known"),
        Fact("File", cut(visible(name), 40)),
        Fact("Checker says", cut(verdict.reason, 120)),
        Fact("Rests on", counted(len(assumed), "assumption")),
        Fact("Accepted by you", f"{len(assumed) - len(open_)} of {len(assumed)}"),
    ]
    said = "Claimed" if verdict.holds else "Claimed, but not shown"
    return Page(
        template="base.html",
        kind="Check",
        title=f"Check: {cut(name)}",
        verdict=Shown(shape, word, headline, lede, [f"{said}: {verdict.claim}"] if verdict.claim else []),
        facts=Facts(
            "Certificate facts", lines, "Decided by checker.py, one file that trusts nobody and uses no float."
        ),
        true_only_if=[Condition(explain(a), a) for a in assumed],
        not_said=_NOT_SAID,
        made=[f"The same answer without Liftgate: {alone}"],
    )


_NOT_SAID = (
    "Not that the counts in the certificate are those of real people: the checker sees only what stands in the file.",
    "Not that what is allowed is harmless: a certificate is about the budget that its author chose.",
    "Not who wrote the file, or when.",
)


def _finding(verdict: Verdict, allow: Sequence[str] | None, open_: int) -> tuple[Shape, str, str, str]:
    alone = "Checked here in whole numbers, without trusting the program that wrote it."
    if not verdict.readable:
        return "unk", "Could not be read", "This file is no certificate that can be read.", verdict.reason
    if verdict.holds and open_ == 0:
        return "in", "Accepted", "The proof is correct, and you accept everything it rests on.", alone
    if verdict.holds:
        lines = "the line below is" if open_ == 1 else f"all {numbers.spelled(open_)} lines below are"
        return (
            "if",
            "Accepted, if you accept what it rests on",
            f"The proof is correct. It shows its claim only if {lines} true.",
            alone,
        )
    if allow is not None and open_ and verdict.reason.startswith("not allowed"):
        lines = "one assumption is" if open_ == 1 else f"{numbers.spelled(open_)} assumptions are"
        return (
            "unk",
            f"Unknown to you: {lines} not accepted",
            "You have not accepted everything the proof rests on.",
            alone,
        )
    return "out", "Refused", "This certificate does not show what it claims.", verdict.reason
