"""Sentences about a release: what was released, what is proven about it, and one case before and after."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from markupsafe import Markup

from liftgate.report import findings, numbers, phrases, words
from liftgate.report.released import Released
from liftgate.report.view import View

if TYPE_CHECKING:
    from liftgate.jobs.protect import Release


def headline(found: Release, shown: Released) -> Markup:
    """What was released, that it keeps the budget, and how much it keeps."""
    public = phrases.name_in(shown.before.public)
    if shown.identity:
        return Markup("Released as it is, {} stays within the budget: nothing had to change.").format(public)
    if shown.constant:
        return Markup("Released this way, {} stays within the budget, but says nothing any more.").format(public)
    return Markup("Released this way, {} stays within the budget and keeps {} of its information.").format(
        public, numbers.percent_kept(found.utility)
    )


def lede(shown: Released) -> Markup:
    """What happened to the values."""
    view = shown.before
    n, k = len(shown.left), shown.changing
    nouns = phrases.values_noun(view, n)
    if shown.identity:
        all_of = {1: f"The only {phrases.values_noun(view, 1)} is", 2: f"Both {nouns} are"}
        return Markup("{} released under {} own name, always.").format(
            all_of.get(n, f"All {numbers.count(n)} {nouns} are"), "its" if n == 1 else "their"
        )
    if shown.constant:
        return Markup("All {} {} are released as one and the same value, so nobody learns anything from it.").format(
            numbers.count(n), nouns
        )
    if shown.is_merge:
        return Markup(
            "{} of {} {} share their released name with others, so that no name gives too much away. "
            "Nothing is random: {} are released."
        ).format(words.capital(numbers.spelled(k)), numbers.count(n), nouns, words.counted(len(shown.right), "value"))
    rest = n - k
    how = "is sometimes" if k == 1 else "are sometimes"
    if rest == 0:
        return Markup(
            "Each of the {} {} is sometimes released under another name, so that no answer gives too much away."
        ).format(numbers.count(n), nouns)
    return Markup(
        "{} of {} {} {} always released as {}. {} {} released under another name, "
        "so that no answer gives too much away."
    ).format(
        words.capital(numbers.spelled(rest)) if rest < 10 else numbers.count(rest),
        numbers.count(n),
        nouns,
        "is" if rest == 1 else "are",
        "it is" if rest == 1 else "they are",
        words.capital(numbers.spelled(k)),
        how,
    )


def proven(found: Release) -> Markup:
    """What the certificate proves about belief."""
    return Markup("<b>Proven in whole numbers</b>, for every released value: {}.").format(
        words.budget_sentence(found.budget)
    )


def best(found: Release, shown: Released) -> Markup:
    """How much another release could keep: proven, believed, or not asked."""
    public = phrases.name_in(shown.before.public)
    if found.bound is not None and found.bound < 1:
        return Markup(
            "No release of {} within this budget, with any number of released values, can keep more than "
            '<b class="is-bound">{}</b>: that bound is proven too, and part of the certificate.'
        ).format(public, most(found.bound))
    if shown.identity or found.utility >= 1:
        return Markup("No other release can keep more: everything is kept.")
    if found.search_bound is not None and found.search_bound < 1:
        return Markup(
            "The search believes that no release of {} within this budget can keep more than {}: <b>not yet proven</b>."
        ).format(public, most(found.search_bound))
    if found.bound is not None:
        return Markup("How much the best release of {} within this budget can keep is <b>not yet proven</b>.").format(
            public
        )
    return Markup(
        "Whether another release of {} within this budget keeps more was not asked: the mechanism "
        "<code>optimal</code> proves how much any can keep."
    ).format(public)


def most(bound: float) -> str:
    """A bound on what is kept, rounded up, at least a step of the float above it."""
    from math import inf, nextafter

    return numbers.percent_at_most(nextafter(bound, inf) if bound > 0 else 0, 4)


def case(shown: Released) -> Markup | None:
    """The clearest case of the table, before and after, in natural frequencies."""
    view = shown.before
    cell = findings.clearest_cell(view)
    if cell is None:
        return None
    if not view.bad.any():
        return findings.case_text(view, cell)
    s, x = cell
    y = shown.mostly(x)
    table, sent = view.joint, shown.after.joint
    overall = Fraction(view.sensitive_counts[s], view.total)
    was = Fraction(int(table.counts[s, x]), view.public_counts[x])
    position = {(type(v), v): i for i, v in enumerate(sent.sensitive)}
    label = table.sensitive[s]
    now = Fraction(int(sent.counts[position[(type(label), label)], y]), shown.after.public_counts[y])
    base = numbers.frequency_base([v for v in (overall, was, now) if v], least=5)
    return Markup(
        "Clearest case: {} in {} {} in the table have {} {}. Among those with {} {} it was {}; "
        "among those released as {} it is {}."
    ).format(
        hits(overall, base),
        numbers.count(base),
        phrases.nouns(view).many,
        phrases.name_in(view.sensitive),
        phrases.quoted(view.sensitive_texts[s]),
        phrases.name_in(view.public),
        phrases.quoted(view.public_texts[x]),
        "none" if was == 0 else "all" if was == 1 else hits(was, base),
        phrases.quoted(shown.right[y]),
        "none" if now == 0 else "all" if now == 1 else hits(now, base),
    )


def hits(share: Fraction, base: int) -> str:
    """So many of a round number of people."""
    k = round(share * base)
    if share > 0 and k == 0:
        return "fewer than 1"
    return f"more than {numbers.count(base - 1)}" if share < 1 and k == base else numbers.count(k)


def heat_title(shown: Released) -> str:
    """How many cells, or values, leave the gate before and after."""
    before, after = shown.before, shown.after
    cells, left = int(before.outside.sum()), int(after.outside.sum())
    what, one = (
        ("cells", "cell") if before.by_cell else (phrases.values_noun(before, 2), phrases.values_noun(before, 1))
    )
    if not before.by_cell:
        cells, left = int(before.bad.sum()), int(after.bad.sum())
    if not cells and not left:
        return "Nothing leaves the gate, before or after"
    noun = f"{one} leaves" if cells == 1 else f"{what} leave"
    tail = "none does" if not left else f"{numbers.count(left)} do"
    return f"Before, {numbers.count(cells)} {noun} the gate. After, {tail}."


def flow_title(shown: Released) -> str:
    """Who changes name, in one line."""
    view = shown.before
    n, k = len(shown.left), shown.changing
    noun = phrases.values_noun(view, n)
    one = phrases.values_noun(view, 1)
    if shown.identity:
        return f"Every {one} is released as it is"
    if shown.constant:
        return f"Every {one} is released as the same value"
    if shown.is_merge:
        return f"{words.capital(numbers.spelled(k))} of {numbers.count(n)} {noun} share a released name"
    covered = _covered(shown)
    if covered:
        kinds = f"common {phrases.values_noun(view, k)}" if k > 1 else f"common {one}"
        lend = "lend" if k > 1 else "lends"
        return f"{words.capital(numbers.spelled(k))} {kinds} {lend} cover to the rare ones"
    return f"{words.capital(numbers.spelled(k))} of {numbers.count(n)} {noun} {'is' if k == 1 else 'are'} sometimes released under another name"


def _covered(shown: Released) -> bool:
    """Whether every value that changes is more common than every value that only receives, of which there are some."""
    people = shown.before.public_counts
    givers = [x for x, always in enumerate(shown.always) if not always]
    named = {y: x for x, y in shown.own.items()}
    receivers = {named[y] for x, y, _ in shown.entries if shown.own.get(x) != y and y in named} - set(givers)
    return len(receivers) > 1 and bool(givers) and min(people[x] for x in givers) > max(people[x] for x in receivers)


def largest_after(view: View) -> str:
    """The largest lift of a release, as printed against its budget."""
    return numbers.lift(view.lift_at(*view.most), view.low, view.up, 3)
