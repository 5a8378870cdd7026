"""The page of an attack: what published figures give away, rule by rule and guess by guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.report.announce_words import at_least, name, promise
from liftgate.report.figures import svg
from liftgate.report.numbers import count, joined
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict

if TYPE_CHECKING:
    from liftgate.report.icons import Shape
    from liftgate.transparency.attacks import Attack, Interval
    from liftgate.transparency.inversion import Family

MOST_ROWS = 40
_WORDS = {
    "open": "Nothing is certain beyond what was promised",
    "pinned": "Hidden rules are pinned",
    "refuted": "A promise is refuted",
    "unknown": "Unknown: the search stopped early",
    "contradiction": "The figures contradict each other",
}


def page(found: Attack, context: Context) -> Page:
    """The page of one attack."""
    shapes: dict[str, Shape] = {"open": "in", "unknown": "unk"}
    shape = shapes.get(found.verdict, "out")
    return Page(
        template="announce_attack.html",
        kind="Attack",
        title="Attack on published figures",
        verdict=Verdict(shape, _WORDS[found.verdict], found.sentence + ".", _lede(found)),
        facts=_facts(found),
        true_only_if=[
            *[Condition(explain(n), n) for n in found.assumptions],
            Condition("The shares of the private values are right within the slack that was given."),
            Condition("The published figures are right within their digits."),
        ],
        not_said=[
            "Not that the hidden rules are fair, or that they are what the bounds suggest: only where they can be.",
            "Not what a reader with other side information finds.",
        ],
        body={
            "contradiction": [name(n, 120) for n in found.contradiction],
            "rows": [_row(found, group, private, i) for (group, private), i in list(found.rules.items())[:MOST_ROWS]],
            "outcomes": [name(o, 30) for o in _outcomes(found)],
            "hidden": max(0, len(found.rules) - MOST_ROWS),
            "families": [] if found.inversion is None else [_family(f) for f in found.inversion.families],
        },
        context=context,
        proof_title="Before you rely on it",
    )


def _outcomes(found: Attack) -> list[str]:
    return list(dict.fromkeys(o for _, o, _ in found.posteriors))


def _lede(found: Attack) -> str:
    if found.status == "contradiction":
        return "At least one of the figures named below is wrong, or the shares are further off than the slack allows."
    sure = found.surest
    if sure is None:
        return "No posterior was asked about."
    (group, outcome, private), interval = sure
    return (
        f"The surest guess: whoever is in {name(group, 40)} and got {name(outcome, 30)} has {name(private, 40)} with a "
        f"chance of {at_least(interval.low)} at least and {promise(interval.high)} at most."
    )


def _facts(found: Attack) -> Facts:
    sure = found.surest
    lines = [Fact("Rules pinned to within 5 in 100", f"{count(len(found.pinned))} of {count(len(found.rules))}")]
    if sure is not None:
        lines.append(Fact("Surest guess right", f"at least {at_least(sure[1].low)}"))
    lines.append(
        Fact("Search", {"solved": "every interval found", "unknown": "stopped early"}.get(found.status, "no rules fit"))
    )
    for group, value in list(found.promised.items())[:4]:
        lines.append(Fact(f"Promised, {name(group, 24)}", promise(value)))
    if found.promised:
        broken = joined([name(k[0], 20) for k in found.broken[:3]]) or "none"
        lines.append(Fact("Promises broken by figures", broken))
    if found.inversion is not None:
        lines.append(Fact("Readers who know the method", found.inversion.verdict))
    return Facts("Attack facts", lines, "Intervals hold for every rule that fits the published figures.")


def _row(found: Attack, group: object, private: object, interval: Interval) -> dict[str, object]:
    guesses = [found.posteriors[group, o, private] for o in _outcomes(found)]
    return {
        "group": name(group, 30),
        "private": name(private, 30),
        "rule": _ends(interval),
        "bar": _bar(interval),
        "guesses": [_ends(g) for g in guesses],
        "pinned": interval.solved and interval.width < 0.05,
    }


def _ends(interval: Interval) -> str:
    text = f"{at_least(interval.low)} to {promise(interval.high)}"
    return text if interval.solved else f"{text}, not solved"


def _bar(interval: Interval) -> Markup:
    """Where a rule lies between 0 and 1."""
    width = max(2.0, 120 * interval.width)
    parts = [svg.rect(0, 6, 120, 4, "", style="fill:var(--sunk)")]
    parts.append(svg.rect(min(120 - width, 120 * interval.low), 3, width, 10, "", style="fill:var(--ink-2)", rx="2"))
    return Markup(
        '<svg class="plot" style="display:block;margin:0;width:120px" viewBox="0 0 120 16" aria-hidden="true">{}</svg>'
    ).format(Markup().join(parts))


def _family(family: Family) -> dict[str, str]:
    known = ", method known" if family.algorithm_known else ""
    return {"name": f"{family.name}{known}", "verdict": family.verdict}
