"""Sentences of the page that no report has: how a search stands, what a check found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from liftgate.certificates.assumptions import explain
from liftgate.report import numbers

if TYPE_CHECKING:
    from liftgate.checker import Verdict
    from liftgate.jobs.tradeoff import Tradeoff


def searching(found: float, bound: float) -> dict[str, Any]:
    """How a search stands: what was found keeps, and what the search believes none can exceed."""
    kept, most = numbers.percent_kept(max(0.0, found)), numbers.percent_at_most(min(1.0, bound))
    return {
        "text": f"The best release so far keeps {kept}. None can keep more than {most} (not yet proven).",
        "found": kept,
        "bound": most,
        "places": {"found": max(0.0, min(1.0, found)), "bound": max(0.0, min(1.0, bound))},
    }


def budgets_of(found: Tradeoff) -> list[dict[str, Any]]:
    """The budgets of a trade-off, each with what is kept, so that they can be chosen."""
    return [
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


def checked(verdict: Verdict, name: str, allow: Sequence[str] | None) -> dict[str, Any]:
    """What the checker found, in words, with every assumption to accept."""
    assumed = list(verdict.assumptions)
    open_ = [a for a in assumed if a not in (allow or ())]
    shape, word, headline, lede = _finding(verdict, allow, len(open_))
    return {
        "shape": shape,
        "word": word,
        "headline": headline,
        "lede": lede,
        "assumptions": [{"name": a, "told": explain(a), "accepted": a in (allow or ())} for a in assumed],
        "facts": [
            {"name": "File", "value": name},
            {"name": "Claims" if verdict.holds else "Claimed, not shown", "value": verdict.claim or "nothing that can be read"},
            {"name": "Kind", "value": verdict.kind or "not known"},
            {"name": "Checker says", "value": verdict.reason},
        ],
    }  # fmt: skip


def _finding(verdict: Verdict, allow: Sequence[str] | None, open_: int) -> tuple[str, str, str, str]:
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
    if verdict.claim is not None and allow is not None and open_ and "assum" in verdict.reason:
        lines = "one assumption is" if open_ == 1 else f"{numbers.spelled(open_)} assumptions are"
        return (
            "unk",
            f"Unknown to you: {lines} not accepted",
            "You have not accepted everything the proof rests on.",
            alone,
        )
    return "out", "Refused", "This certificate does not show what it claims.", verdict.reason
