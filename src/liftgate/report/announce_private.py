"""The private page of an announcement: floor, promise, who it holds for, what changes, what fidelity buys, the proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.report.announce_public import fairness_row
from liftgate.report.announce_words import (
    MOST_GROUPS,
    MOST_ROWS,
    at_least,
    in_hundred,
    name,
    promise,
    rates_in_hundred,
    shift,
)
from liftgate.report.drawings import Figure
from liftgate.report.figures import confidence, fidelity
from liftgate.report.numbers import count, joined
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict
from liftgate.transparency.records import uncertainty

if TYPE_CHECKING:
    from liftgate.transparency.announcements import Announcement
    from liftgate.transparency.inversion import Reading

MOST_LINES = 8
MOST_CURVE_ROWS = 60
_COVERED = {
    "refuted": "refuted",
    "holds for every rule that fits": "covered",
    "depends on what the reader believes": "not covered",
    "no rule fits": "no rule fits",
}


def page(a: Announcement, context: Context) -> Page:
    """The page of one announcement."""
    rules = a.given
    private = " and ".join(rules.private) or "private value"
    order = [int(g) for g in np.argsort(-np.asarray(a.promised), kind="stable")]
    return Page(
        template="announce_private.html",
        kind="Announce",
        title="Announcement: private page",
        verdict=_verdict(a, private, order),
        facts=_facts(a, order),
        true_only_if=[Condition(explain(n), n) for n in a.assumptions],
        not_said=_not_said(a),
        body={
            "group_word": "Group",
            "private_word": name(private, 30),
            "inversion": _inversion(a, order),
            "changes": [_changes(a, g) for g in order[:MOST_GROUPS]],
            "changes_note": _left_out(len(order), MOST_GROUPS, "groups"),
            "curve": _curve(a, order),
            "rules": _rules(a, order),
            "binding": _binding(a, order),
            "fairness": _fairness(a),
            "proof": _proof(a),
        },
        made=[
            f"{count(rules.size)} rows in {count(rules.groups.size)} groups, read as {rules.source}; {a.fidelity.words}."
        ],
        certificate=a.certificate.hash,
        context=context,
        proof_title="Proof, and what it rests on",
    )


def _left_out(all_of: int, shown: int, noun: str) -> str:
    return f"{count(all_of - shown)} more {noun} are in the JSON output." if all_of > shown else ""


def _verdict(a: Announcement, private: str, order: Sequence[int]) -> Verdict:
    refuted = a.refuted
    worst = order[0]
    promised = promise(a.promised[worst])
    what = "private value" if private in ("private", "private value") else f"value of {name(private, 40)}"
    word = (
        "Refuted for readers who know the method"
        if refuted
        else "Holds only for a reader who believes the announcement"
    )
    headline = (
        f"No {what} can be told with more than {promised} confidence, unless the reader knows the method."
        if not refuted
        else f"The promise of {promised} does not hold against a reader who knows the method."
    )
    floor = at_least(a.floor.max())
    lede = (
        f"Before any announcement a person’s group alone already gives {floor}. With the real rules published, the best "
        f"guess would be right {promise(a.true_confidence.max())} of the time; with the announced rules {promised} at most."
    )
    return Verdict("out" if refuted else "if", word, headline, lede, figure=_warning(a))


def _warning(a: Announcement) -> Markup:
    """What the inversion check found, in the words of the families that are refuted."""
    found = [f for f in a.inversion.families if f.verdict == "refuted"]
    if not found:
        text = f"For readers who believe a rate can be {a.inversion.declared} the verdict is: {a.inversion.verdict}."
        if a.inversion.verdict == "no rule fits":
            text += " The real rules take other values: declare those."
        return Markup(
            '<div class="box" style="margin-top:1.25rem"><h2 style="font-size:var(--t-m)">A reader who knows the method</h2><p>{}</p></div>'
        ).format(text)
    family = found[0]
    reading = next(r for r in family.readings if r.verdict == "refuted")
    fits = (
        "exactly 1 rule fits"
        if reading.fits == 1
        else "every rule that fits"
        if reading.fits is None
        else f"only {count(reading.fits)} rules fit"
    )
    gives = "it gives" if reading.fits == 1 else "they give at least"
    text = (
        f"Promised {promise(reading.promised)} for {name(reading.group, 40)}. If a reader knows that rules are {family.name}, "
        f"{fits} what you publish and {gives} {at_least(reading.lowest)}: the promise does not hold against that reader."
    )
    return Markup(
        '<div class="box warn" style="margin-top:1.25rem"><h2 style="font-size:var(--t-m);color:var(--out-ink)">A reader who knows the method can undo this</h2><p>{}</p>'
        "<p>Next: promise at least {}, or keep the values of rules unknown.</p></div>"
    ).format(text, promise(reading.highest))


def _facts(a: Announcement, order: Sequence[int]) -> Facts:
    lines = [
        Fact("Largest confidence", promise(a.promised.max())),
        Fact("The same as minimum uncertainty", f"{uncertainty(float(a.promised.max())):g}", "−log"),
        Fact("Floor, before any announcement", at_least(a.floor.max())),
        Fact("With the real rules", promise(a.true_confidence.max())),
    ]
    lines += [
        Fact(name(a.given.groups.label(g), 24), promise(a.promised[g])) for g in order[:MOST_GROUPS] if len(order) > 1
    ]
    lines.append(Fact("Each rate within", f"±{in_hundred(a.largest_shift)} in 100"))
    proven = all(g.floor == g.beta for g in a.exact) and a.target is None
    lines.append(
        Fact(
            "Optimal",
            "yes, dual proof"
            if proven
            else "least distorted for the target"
            if a.target is not None
            else "floor proven",
        )
    )
    gone = joined([f"{name(o, 20)} in {name(g, 20)}" for g, o in a.silenced[:3]]) or "none"
    lines.append(Fact("Outcomes silenced", gone))
    lines.append(Fact("Readers who know the method", _COVERED[a.inversion.verdict]))
    lines.append(
        Fact("Rates published with", "all digits" if a.digits is None else f"{a.digits} decimals, checked again")
    )
    note = "Confidence = the largest probability a reader may give to one private value of one person, knowing group and outcome."
    return Facts("Announcement facts", lines, note)


def _inversion(a: Announcement, order: Sequence[int]) -> dict[str, Any]:
    rows = []
    for family in a.inversion.families:
        for g in order[:MOST_GROUPS]:
            belief = family.name + (", method known" if family.algorithm_known else "")
            rows.append(_reading(family.readings[g], belief))
    note = (
        "Lowest and highest: the confidences of all rules that fit. Refuted: even the lowest is above the promise. "
        "All alike likely: the confidence of their mean."
    )
    left = _left_out(len(order), MOST_GROUPS, "groups")
    return {
        "title": "What a reader who knows the method finds",
        "text": f"Floor first: before any announcement the group alone gives up to {at_least(a.floor.max())}. "
        f"Declared values: {a.inversion.declared}. Verdict: {a.inversion.verdict}.",
        "rows": rows,
        "notes": [note, left] if left else [note],
    }


def _reading(r: Reading, belief: str) -> dict[str, str]:
    none = r.fits == 0
    return {
        "belief": belief,
        "group": name(r.group, 30),
        "fits": "any number" if r.fits is None else count(r.fits),
        "pinned": f"{r.pinned} of {r.rows}",
        "lowest": "–" if none else at_least(r.lowest),
        "highest": "–" if none else promise(r.highest),
        "mean": "–" if r.after_prior is None else promise(r.after_prior),
        "promised": promise(r.promised),
        "verdict": r.verdict,
        "tone": {"refuted": "is-out", "holds for every rule that fits": "is-in"}.get(r.verdict, "is-unk"),
    }


def _changes(a: Announcement, g: int) -> Figure:
    rules = a.given
    rows = rules.groups.rows_of(g)
    mass = rules.mass[rows]
    rows = rows[np.argsort(-mass, kind="stable")][:MOST_LINES]
    parts = []
    all_rows = rules.groups.rows_of(g)
    worst: tuple[float, str] = (0.0, "")
    for outcome in reversed(range(len(rules.outcomes))):
        real, shown = (_posterior(rules.mass, chances[:, outcome], all_rows) for chances in (rules.chances, a.chances))
        lines = []
        for i in rows:
            place = int(np.flatnonzero(all_rows == i)[0])
            prior = float(rules.mass[i] / rules.mass[all_rows].sum())
            label = name(rules.row_label(int(i)), 30)
            lines.append(confidence.Line(label, prior, float(real[place]), float(shown[place])))
            drop = float(real[place] - shown[place])
            if drop > worst[0]:
                worst = (drop, f"{name(rules.outcomes[outcome], 20)} no longer says so much of {label}")
        parts.append((name(rules.outcomes[outcome], 24), lines))
    limit = float(a.promised[g])
    title = f"{name(rules.groups.label(g), 30)}: {worst[1] or 'nothing has to move'}"
    drawn = confidence.before_after(
        parts, limit, f"limit {promise(limit)}", f"Confidence before and after, limit {promise(limit)}"
    )
    return Figure(title, drawn, "", _left_out(all_rows.size, MOST_LINES, "private values"))


def _posterior(mass: Any, chance: Any, rows: Any) -> Any:
    masses = mass[rows] * chance[rows]
    total = masses.sum()
    return masses / total if total > 0 else masses


def _curve(a: Announcement, order: Sequence[int]) -> Figure | None:
    from liftgate.transparency.curves import curve

    if not a.given.two_outcomes or a.given.size > MOST_CURVE_ROWS:
        return None
    found = curve(a.given).groups
    tracks = [
        fidelity.Track(
            name(found[g].group, 14),
            lambda e, g=g: float(found[g].at(1 - _plain(e))),  # type: ignore[misc]
            [float(1 - b) for b in found[g].breakpoints],
            float(a.floor[g]),
        )
        for g in order[:MOST_GROUPS]
    ]
    setting = float(1 - a.fidelity.value) if a.fidelity.kind == "delta" and a.fidelity.value is not None else None
    drawn = fidelity.fidelity_curves(
        tracks, setting, "Largest confidence of each group against how far rates may be moved"
    )
    caption = "Diamonds: another condition starts to bind. The curve is exact between them."
    return Figure(
        "Confidence against fidelity",
        drawn,
        caption,
        "Purple dashes: proven floor, the largest share before any announcement.",
    )


def _plain(value: float) -> Any:
    from fractions import Fraction

    return Fraction(value).limit_denominator(10**9)


def _rules(a: Announcement, order: Sequence[int]) -> dict[str, Any]:
    rules = a.given
    rows = []
    for g in order:
        for i in rules.groups.rows_of(g):
            real, shown = rules.rule[i], np.asarray(a.rules, dtype=np.float64)[i]
            rows.append(
                {
                    "group": name(rules.groups.label(g), 30),
                    "private": name(rules.row_label(int(i)), 30),
                    "people": count(int(rules.mass[i]))
                    if float(rules.mass[i]).is_integer()
                    else f"{rules.mass[i]:.4g}",
                    "real": rates_in_hundred(real),
                    "announced": rates_in_hundred(shown),
                    "shift": shift(float(shown - real)) if rules.rule.ndim == 1 else "",
                }
            )
            if len(rows) >= MOST_ROWS:
                break
        if len(rows) >= MOST_ROWS:
            break
    least = "the least sum of changes" if a.distance == "l1" else "the least squared change"
    notes = [
        f"Rates in 100 of {name(rules.outcomes[-1], 30) if rules.rule.ndim == 1 else 'every outcome'}. Among all optimal announcements this one has {least}."
    ]
    left = _left_out(rules.size, MOST_ROWS, "rows")
    return {"rows": rows, "notes": [*notes, left] if left else notes, "shifted": rules.rule.ndim == 1}


def _binding(a: Announcement, order: Sequence[int]) -> list[str]:
    said = {
        "largest group share": "the largest private value alone; no announcement can tell less",
        "all outcomes together": "the surest guesses of all outcomes together",
        "linear program": "several outcomes together (found by a linear program)",
    }
    out = []
    for g in order[:MOST_GROUPS]:
        word = a.binding[g]
        if word.startswith("outcomes "):
            named = joined([name(a.given.outcomes[int(k)], 20) for k in word.removeprefix("outcomes ").split(", ")])
            text = f"the surest guess from {named}"
        else:
            text = said.get(word, word)
        out.append(f"{name(a.given.groups.label(g), 30)}: {text}.")
    return out


def _fairness(a: Announcement) -> list[dict[str, str]]:
    from liftgate.transparency.records import fairness_record

    if a.given.groups.size > MOST_GROUPS * 2:
        return []
    return [fairness_row(f) for f in fairness_record(a)]


def _not_said(a: Announcement) -> list[str]:
    return [
        "Not what a reader who knows fidelity and method can conclude. See the warning above.",
        "Not what other published figures add: run liftgate attack on all of them together.",
        "Not that the decision itself is fair or lawful.",
    ]


def _proof(a: Announcement) -> str:
    allow = " ".join(f"--allow {n}" for n in a.assumptions)
    return f"python checker.py announcement.cert.json {allow}\n{a.certificate.verdict.claim}"
