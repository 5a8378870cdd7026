"""The public page of an announcement, drawn from its manifest and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from liftgate.certificates.assumptions import explain
from liftgate.report.announce_words import MOST_GROUPS, in_hundred, name, rates_in_hundred
from liftgate.report.drawings import Figure
from liftgate.report.figures import dots
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict
from liftgate.transparency.boxes import rounding_slack

if TYPE_CHECKING:
    from liftgate.jobs.announce import PublicAnnouncement

MOST_DRAWN = 60
_ROUNDED = "Rates are shown with two decimals; the manifest holds all digits, and what is promised is about those."


def page(result: PublicAnnouncement, context: Context) -> Page:
    """The page of one manifest; the caller's context does not go onto it."""
    told = result.manifest
    positive = name(told["outcomes"][-1])
    groups = told["groups"][:MOST_DRAWN]
    several = len(told["outcomes"]) > 2
    head = " / ".join(name(o) for o in told["outcomes"]) if several else positive
    hidden = len(told["groups"]) - len(groups)
    return Page(
        template="announce_public.html",
        kind="Announcement",
        title="Announced decision rules",
        verdict=Verdict(
            shape="if",
            word="Announced rules, adjusted to protect people",
            headline="How often each outcome is decided" if several else f"How often the outcome is {positive}",
            lede=_lede(told),
            paragraphs=[told["readers_who_know_the_method"]],
        ),
        facts=_facts(told),
        true_only_if=[Condition(explain(a), a) for a in told["assumptions"]],
        not_said=_not_said(told),
        stamp="public",
        body={
            "rates": {
                "title": "Announced rates"
                + (f" of {len(groups)} groups; {hidden} more are in the manifest" if hidden else ""),
                "private": name(" and ".join(told["private"]) or "private value").capitalize(),
                "head": head.capitalize(),
                "bars": not several,
                "groups": [
                    {"name": name(g["group"]), "rows": [_row(r, several) for r in g["rows"][:MOST_DRAWN]]}
                    for g in groups
                ],
                "note": "" if _shown_whole(groups) else _ROUNDED,
            },
            "guesses": [_guess(g) for g in groups[:MOST_GROUPS]],
            "fairness": [fairness_row(f) for f in told.get("fairness", ())],
        },
        made=[
            "Everything on this page is in the public manifest. The manifest names the sha256 of the private certificate.",
            f"The promises as minimum uncertainty, −log of the confidence: {_gammas(told)}.",
        ],
        certificate=told["certificate_sha256"],
        context=Context(),
        proof_title="Please read",
    )


def _row(row: Mapping[str, Any], several: bool) -> dict[str, Any]:
    rate = row["announced"]
    bar = "" if several else dots.rate_bar(_share(rate))
    shown = [_share(v) for v in rate] if several else _share(rate)
    return {"private": name(row["private"]), "rate": rates_in_hundred(shown), "bar": bar}


def _shown_whole(groups: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every rate has at most two decimals in 100."""
    rates = [r["announced"] for g in groups for r in g["rows"]]
    each = [v for rate in rates for v in (rate if isinstance(rate, list) else [rate])]
    return all((Fraction(str(v)) * 10**4).denominator == 1 for v in each)


def _gammas(told: Mapping[str, Any]) -> str:
    shown = [f"{name(g['group'], 24)} {g['gamma']:g}" for g in told["groups"][:MOST_GROUPS]]
    left = len(told["groups"]) - len(shown)
    return ", ".join(shown) + (f" and {left} more groups in the manifest" if left else "")


def _share(value: Any) -> float:
    return float(Fraction(str(value)))


def _guess(group: Mapping[str, Any]) -> Figure:
    most = _of_hundred(group)
    title = f"{name(group['group'])}: right at most {most} times in 100"
    return Figure(title, dots.hundred(most, f"{most} of 100 filled"))


def _of_hundred(group: Mapping[str, Any]) -> int:
    """A promise in whole times of 100, rounded up."""
    return min(100, ceil(Fraction(str(group["promised"])) * 100))


def _lede(told: Mapping[str, Any]) -> str:
    return (
        f"{_fidelity(told)} The difference is deliberate: it makes an outcome say less about a private value."
        if told["fidelity"]["kind"] != "free"
        else "The rates below are changed as little as the promise allows. The difference is deliberate: it makes an "
        "outcome say less about a private value."
    )


def _fidelity(told: Mapping[str, Any]) -> str:
    kind, value = told["fidelity"]["kind"], told["fidelity"].get("value")
    if kind == "delta":
        return f"Each rate below may differ from the real one by up to {_room(told)} in 100."
    if kind == "alpha":
        return f"Each rate below is between {float(Fraction(value)):.4g} and {float(1 / Fraction(value)):.4g} times the real one."
    return "Each rate below may differ from the real one."


def _room(told: Mapping[str, Any]) -> str:
    room = 1 - Fraction(told["fidelity"]["value"]) + rounding_slack(told["digits"], len(told["outcomes"]))
    return in_hundred(room, 4)


def _facts(told: Mapping[str, Any]) -> Facts:
    kind = told["fidelity"]["kind"]
    most = max(_of_hundred(g) for g in told["groups"])
    lines = [Fact("Each rate is right within", f"±{_room(told)} in 100")] if kind == "delta" else []
    lines.append(Fact("Best guess right, any group", f"at most {most} in 100"))
    lines += [
        Fact(f"Best guess right, {name(g['group'], 24)}", f"at most {_of_hundred(g)} in 100")
        for g in told["groups"][:MOST_GROUPS]
    ]
    lines.append(Fact("Outcomes", ", ".join(name(o, 20) for o in told["outcomes"])))
    if told["digits"] is not None:
        lines.append(Fact("Rates published with", f"{told['digits']} decimals"))
    lines.append(Fact("If the reader knows the method", "not covered"))
    if told["publisher"]:
        lines.append(Fact("Publisher", name(told["publisher"])))
    return Facts("Announcement facts", lines, "Everything on this page is in the public manifest.")


def _not_said(told: Mapping[str, Any]) -> Sequence[str]:
    out = ["Not the exact decision rules: the announced rates are deliberately moved."]
    if not told.get("fairness"):
        out.append("Not that the decision is fair. Fairness figures are a separate announcement.")
    else:
        out.append("Not that the decision is fair: the figures above are about the announced rates.")
    out.append("Not a limit for a reader who knows how the rates were adjusted: they may find the real rates.")
    return out


def fairness_row(figure: Mapping[str, Any]) -> dict[str, str]:
    """One published fairness figure."""
    low, high = figure["real"]
    given = figure["given"]
    return {
        "name": figure["name"],
        "between": " and ".join(name(v, 30) for v in figure["between"]),
        "given": "everyone" if given is None else name(given, 30),
        "announced": _figure(figure["announced"]),
        "range": f"{_figure(low)} and {_figure(high)}",
    }


def _figure(value: Any) -> str:
    return "infinite" if value == "inf" else f"{float(value):.3f}"
