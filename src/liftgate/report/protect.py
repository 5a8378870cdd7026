"""The page of a release: what is released, what that proves, before and after, how, and how to check it alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.report import compared, numbers, phrases, releasing, words
from liftgate.report.figures import gate, heat
from liftgate.report.flows import flow_figure, merge_figure
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict
from liftgate.report.provenance import provenance
from liftgate.report.released import Released

if TYPE_CHECKING:
    from liftgate.jobs.protect import Release
    from liftgate.jobs.writing import Written

_SENTENCES, _FOLDED, _LONGEST = 12, 60, 360
_MERGES_UP_TO = 400
_DRAWS = {"fresh": "draws-are-fresh", "keyed": "draws-repeat-by-key"}


def page(found: Release, context: Context) -> Page:
    """The page of one release."""
    shown = Released.of(found)
    view, written = shown.before, context.written
    name = view.joint.source.name
    assumed = found.assumptions if written is None else (*found.assumptions, _DRAWS[written.draw])
    beside, heats = compared.heat_pair(shown)
    said = [releasing.proven(found), releasing.best(found, shown), releasing.case(shown)]
    return Page(
        template="protect.html",
        kind="Protect",
        title=f"Release: {words.cut(view.public)} within a budget on {words.cut(view.sensitive)}",
        subject="" if name == "counts" else words.visible(words.cut(name, 80)),
        verdict=Verdict(
            shape="in",
            word="Certified, under the assumptions below",
            headline=releasing.headline(found, shown),
            lede=releasing.lede(shown),
            paragraphs=[text for text in said if text is not None],
            figure=compared.draw_gates(shown),
        ),
        facts=_facts(found, shown, written),
        true_only_if=[Condition(explain(a), a) for a in assumed],
        not_said=_not_said(found, shown),
        proof_title="Proof, and what it rests on",
        body={
            "heat_title": releasing.heat_title(shown),
            "heat_text": compared.columns_note(shown),
            "key": heat.key(view.low, view.up),
            "beside": beside,
            "heats": heats,
            "flow_title": releasing.flow_title(shown),
            "flow": flow_figure(shown),
            "sentences": _sentences(shown),
            "shares_note": _shares_note(shown),
            "merge": _merging(found, shown),
            "curve": _curve(found, context),
            "measures": compared.compared(found, shown),
            "measures_note": "Logarithms are natural. What a budget implies is rounded so that it is still implied"
            + ("." if shown.is_merge else "; k after a release is in expected rows."),
            "proof": _proof(found, shown),
            "proof_note": "The checker is one file of plain Python. It needs nothing but the standard library, computes "
            "in whole numbers, never searches, and never takes this page's word.",
            "check_note": _check_note(written),
            "check": _check(found, written, assumed),
        },
        made=provenance(view.joint, found.budget, found.notes),
        certificate=found.certificate.hash if written is None else written.sha256,
        context=context,
    )


def _facts(found: Release, shown: Released, written: Written | None) -> Facts:
    before, after = shown.before, shown.after
    lines = [Fact("Information kept", numbers.percent_kept(found.utility)), _best(found)]
    if before.sides:
        for one, two in zip(before.sides, after.sides, strict=True):
            was, now = float(one.values.max()), float(two.values.max())
            over = bool(before.bad.any()) and was > float(one.bound)
            name = words.capital(one.name) if one.name.startswith("largest") else f"Worst {one.name}"
            lines.append(Fact(name, gate.near(now, two.bound, False), f"was {gate.near(was, one.bound, over)}"))
    else:
        for name, cell in (("Largest lift", "most"), ("Smallest lift", "least")):
            old, new = (numbers.lift(v.lift_at(*getattr(v, cell)), v.low, v.up, 3) for v in (before, after))
            lines.append(Fact(name, new, f"was {old}"))
    lines.append(Fact("Budget", words.budget_words(found.budget)))
    chosen = " (chosen by auto)" if found.asked == "auto" else ""
    lines.append(Fact("Mechanism", found.mechanism, chosen.strip()))
    lines.append(Fact("Released values", f"{numbers.count(len(shown.right))} of {numbers.count(len(shown.left))}"))
    changed = "Rows whose value changes" if words.is_count(before.joint) else "Share whose value changes"
    expected = "" if shown.is_merge else "(expected)"
    lines.append(Fact(changed, numbers.percent_at_most(found.changed), expected))
    lines.append(Fact("Draws", _draws(shown, written)))
    lines.append(Fact("Checked by", "checker.py, exact"))
    note = (
        "Information kept = I(X;Y) / H(X): 100\u00a0% would be releasing the column unchanged, 0\u00a0% a constant. "
        "Rounded down; bounds are rounded up."
    )
    return Facts("Release facts", lines, note)


def _best(found: Release) -> Fact:
    if found.utility >= 1:
        return Fact("Best possible", f"100{numbers.NBSP}%")
    if found.bound is not None and found.bound < 1:
        return Fact(
            "Best possible (proven)", Markup('<span class="is-bound">≤ {}</span>').format(releasing.most(found.bound))
        )
    if found.search_bound is not None and found.search_bound < 1:
        return Fact("Best possible", f"about {releasing.most(found.search_bound)}", "(not yet proven)")
    return Fact("Best possible", "not yet proven" if found.bound is not None else "not asked")


def _draws(shown: Released, written: Written | None) -> str:
    if shown.is_merge:
        return "none: nothing is random"
    if written is None:
        return "no rows drawn yet"
    return {"fresh": "OS entropy, whole shares", "keyed": "by key and row id, whole shares"}[written.draw]


def _sentences(shown: Released) -> tuple[list[str], list[str], str]:
    """The sentences to read, those folded away, and what is said about the rest."""
    told = [words.capital(words.cut(words.visible(s), _LONGEST)) + "." for s in shown.sentences]
    more = len(told) - _SENTENCES - _FOLDED
    rest = f"{numbers.count(more)} more are in the JSON output." if more > 0 else ""
    return told[:_SENTENCES], told[_SENTENCES : _SENTENCES + _FOLDED], rest


def _merging(found: Release, shown: Released) -> object | None:
    """The release without randomness, where this one draws and the table is small enough to look."""
    if shown.is_merge or len(shown.left) > _MERGES_UP_TO:
        return None
    merge, kept, exact = found.merging
    return merge_figure(shown, merge, kept, exact)


def _curve(found: Release, context: Context) -> object | None:
    if context.tradeoff is None:
        return None
    from liftgate.report.tradeoff import curve_beside

    return curve_beside(context.tradeoff, found)


def _proof(found: Release, shown: Released) -> list[str | Markup]:
    """What the certificate claims, line by line."""
    public = phrases.name_in(shown.before.public)
    claims: list[str | Markup] = [
        Markup("The table, sent through this channel, keeps the budget: {}.").format(
            words.budget_sentence(found.budget)
        )
    ]
    if found.certificate.kind == "optimal-utility" and found.bound is not None:
        claims.append(
            Markup(
                "The channel keeps at least what is told here, and no channel from {} inside the budget, with any number of "
                "released values, keeps more than {}. The certificate says both in nats, as fractions."
            ).format(public, releasing.most(found.bound))
        )
    return claims


def _shares_note(shown: Released) -> str | Markup:
    if shown.is_merge:
        return "A value is always released the same way, so the same row always gives the same answer."
    total = shown.channel.total
    shares = (
        Markup("2<sup>{}</sup>").format(total.bit_length() - 1) if total & (total - 1) == 0 else numbers.count(total)
    )
    return Markup(
        "Shares are whole numbers out of {}; these are rounded for reading. What is certified is what is drawn."
    ).format(shares)


def _check_note(written: Written | None) -> str:
    if written is None:
        return "The certificate is written with --certificate, or with --out beside the rows that are drawn."
    rows = f"{numbers.count(written.number)} rows were written to {words.visible(words.cut(os.path.basename(written.rows), 80))}"
    left = f"; {numbers.count(written.left_out)} with a missing entry were left out" if written.left_out else ""
    return f"{rows}{left}."


def _check(found: Release, written: Written | None, assumed: tuple[str, ...]) -> str:
    """The commands that decide the certificate without Liftgate, and what to keep and to publish."""
    name = "release.cert.json" if written is None else words.visible(written.certificate.name)
    manifest = "release.manifest.json" if written is None else words.visible(written.manifest.name)
    width = max(len(name), len(manifest)) + 2
    return "\n".join(
        (
            f"python -I -S checker.py {name}",
            f"accepted: {found.certificate.kind}",
            f"assumes {', '.join(assumed)}",
            "",
            f"keep     {name:<{width}}private: contains the counts",
            f"publish  {manifest:<{width}}channel, budget, sha256 of the certificate",
        )
    )


def _not_said(found: Release, shown: Released) -> list[Markup]:
    view = shown.after
    sensitive, public = phrases.name_in(view.sensitive), phrases.name_in(view.public)
    if view.lift_at(*view.most) > 1:
        moved = Markup("Belief in a value of {} may still become {} times what it was.").format(
            sensitive, releasing.largest_after(view)
        )
    else:
        moved = Markup("It says nothing about {}; what else is known is another matter.").format(sensitive)
    out = [
        Markup("Not that the release is harmless. {}").format(moved),
        Markup(
            "Not that other columns may be released beside {}, or {} a second time. Their joint effect was not counted."
        ).format(public, public),
        Markup(
            "Not that the counts may be published: the certificate and this page contain them. Publish the manifest."
        ),
        Markup(
            "Not that {} stays useful for every purpose: information kept is one number about the whole column."
        ).format(public),
    ]
    if found.bound is None and not shown.identity:
        out.append(
            Markup("Not that no other release keeps more: {} does not look for a proof.").format(found.mechanism)
        )
    elif found.bound is not None and found.bound >= 1 and found.utility < 1:
        out.append(Markup("Not that no other release keeps more: the search ended before it was proven."))
    return out
