"""Sentences about a table: the finding, the same in people, and the clearest case in natural frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from liftgate.report import numbers, phrases, words
from liftgate.report.figures.gate import near
from liftgate.report.view import Flags, Floats, View

if TYPE_CHECKING:
    from liftgate.jobs.audit import Audit

_ENOUGH = 30


def headline(audit: Audit) -> str:
    """The finding of an audit in one sentence, as plain text."""
    view = View(audit.joint, audit.budget, audit.outside)
    return headline_of(view, audit.verdict, int(bad_values(audit).sum()), audit.rows == "sample").striptags()


def clearest_case(audit: Audit) -> str | None:
    """The clearest case of an audit in natural frequencies, as plain text; None where nothing is learned."""
    view = View(audit.joint, audit.budget, audit.outside)
    cell = clearest_cell(view)
    return None if cell is None else case_text(view, cell).striptags()


def bad_values(audit: Audit) -> Flags:
    """Which public values are outside, under the reading asked for."""
    if audit.rows == "sample" and audit.sample is not None:
        return np.array([word == "outside" for word in audit.sample.verdicts])
    return np.asarray(audit.outside.any(axis=0))


def headline_of(view: View, word: str | None, count: int, sample: bool) -> Markup:
    """The finding in one sentence that names the columns and the count."""
    public, sensitive = phrases.name_in(view.public), phrases.name_in(view.sensitive)
    n = len(view.joint.public)
    noun = phrases.values_noun(view, n)
    if word is None:
        return _measured_headline(view)
    if word == "outside":
        which = f"for {numbers.count(count)} of {numbers.count(n)} {noun}" if n > 1 else "with its only value"
        tail = ", even if the rows are only a sample" if sample else ""
        return Markup("Releasing {} says too much about {} {}{}.").format(public, sensitive, which, tail)
    if word == "within":
        which = {1: "with its only value", 2: f"for both {noun}"}.get(n, f"for all {numbers.count(n)} {noun}")
        tail = ", even if the rows are only a sample" if sample else ""
        return Markup("Releasing {} stays within the budget on {} {}{}.").format(public, sensitive, which, tail)
    return Markup("These rows are too few to say whether releasing {} keeps the budget on {}.").format(
        public, sensitive
    )


def _measured_headline(view: View) -> Markup:
    public, sensitive = phrases.name_in(view.public), phrases.name_in(view.sensitive)
    most, least = view.lift_at(*view.most), view.lift_at(*view.least)
    if most == 1 and least == 1:
        return Markup("Learning {} says nothing about {}.").format(public, sensitive)
    value = phrases.a_value(view)
    if least == 0:
        return Markup("Learning {} can make {} {} times as likely, or rule one out.").format(
            public, value, numbers.lift(most)
        )
    return Markup("Learning {} can make {} {} times as likely, or only {} times as likely.").format(
        public, value, numbers.lift(most), numbers.lift(least)
    )


def lede(view: View, word: str | None, bad: Flags, sample: bool) -> Markup:
    """The finding in people."""
    who = phrases.nouns(view)
    public, sensitive = phrases.the(view.public), phrases.the(view.sensitive)
    n = int(bad.sum())
    if word is None:
        return Markup("No budget was given, so this page gives no verdict: it says what the table says.")
    if word == "within" and not sample:
        return Markup(
            "Whoever learns {} of a {} may change their belief about {}, but never by more than the budget allows."
        ).format(public, who.one, sensitive)
    if word == "within":
        return Markup(
            "The budget holds in the population the rows were drawn from, unless the draw was an unlucky one; "
            "how unlucky is said below."
        )
    if word == "unknown":
        return Markup(
            "Read as a sample, the rows neither show that the budget is kept nor that it is broken. "
            "Unknown is not a yes."
        )
    noun = phrases.values_noun(view, n)
    share = who.swap(numbers.in_people(view.share(bad)))
    have = "has" if share.startswith(("nobody", "everyone", "no ", "every ", "1 in")) else "have"
    which = f"one of these {numbers.count(n)} {noun}" if n > 1 else f"this {noun}"
    return Markup(
        "{} {} {}. For them, someone who learns {} may change their belief about {} by more than the budget allows."
    ).format(words.capital(share), have, which, public, sensitive)


def clearest_cell(view: View) -> tuple[int, int] | None:
    """The cell that makes the finding clearest, among values with at least 30 rows where there are any.

    Outside a budget the largest excess over it in people; else the largest change of a probability; None where
    nothing is learned.
    """
    big = _big(view)
    if view.bad.any():
        columns = view.bad & big if (view.bad & big).any() else view.bad
        table = np.where(view.outside, np.maximum(view.excess(), 1e-12), 0.0)
        if view.sides:
            columns = np.arange(len(columns)) == int(np.argmax(np.where(columns, view.stray, -1)))
            table = np.where(_side_cells(view), table, 0.0)
    else:
        columns, table = big, np.abs(view.lift - 1) * view.prior[:, None]
    table = np.where(columns[None, :], table, 0.0)
    if not (table > 1e-15).any():
        return None
    s, x = np.unravel_index(int(np.argmax(table)), table.shape)
    return int(s), int(x)


def _side_cells(view: View) -> Flags:
    """The cells that a bounded measure is made of, mostly: its extreme, rises, or falls."""
    lift, side = view.lift, view.worst_side
    if side is None or side.name in ("l1-lift", "chi2-lift"):
        return np.ones(lift.shape, dtype=np.bool_)
    if side.name.endswith("-inverse"):
        return np.asarray(lift == lift.min(axis=0))
    if side.name.startswith("alpha"):
        return np.asarray(lift == lift.max(axis=0))
    falls = view.smallest * view.largest < 1
    return np.asarray(lift == np.where(falls, view.smallest, view.largest))


def _big(view: View) -> Flags:
    counts = view.public_counts
    big = np.array([n >= _ENOUGH for n in counts])
    return big if big.any() and words.is_count(view.joint) else np.ones(len(counts), dtype=np.bool_)


def case_text(view: View, cell: tuple[int, int]) -> Markup:
    """One cell in natural frequencies, with its lift and what the budget allows."""
    s, x = cell
    lead = "Clearest case" if view.bad.any() else "Largest change"
    who = phrases.nouns(view)
    joint = view.joint
    before = Fraction(view.sensitive_counts[s], view.total)
    after = Fraction(int(joint.counts[s, x]), view.public_counts[x])
    lift = view.lift_at(s, x)
    base = numbers.frequency_base([v for v in (before, after) if v], least=5)
    a, b = _hits(before, base), _hits(after, base)
    turn = "but only" if after < before and not b.startswith("fewer") else "but"
    second = (
        "none" if after == 0 else "all" if after == 1 else Markup("{} {} in {}").format(turn, b, numbers.count(base))
    )
    if after in (0, 1):
        second = f"but {second}"
    text = Markup("{}: {} in {} {} in the table have {} {}, {} of those with {} {}.").format(
        lead,
        a,
        numbers.count(base),
        who.many,
        phrases.name_in(view.sensitive),
        phrases.quoted(view.sensitive_texts[s]),
        second,
        phrases.name_in(view.public),
        phrases.quoted(view.public_texts[x]),
    )
    return text + " " + _case_tail(view, x, lift)


def _case_tail(view: View, x: int, lift: Fraction) -> Markup:
    shown = numbers.lift(lift, view.low, view.up, 2)
    if view.by_cell and view.low is not None and view.up is not None:
        if lift < 1:
            allowed = f"the budget allows no less than {numbers.bound(view.low, 'low')}"
        else:
            allowed = f"the budget allows up to {numbers.bound(view.up, 'up')}"
        return Markup("The lift is {}; {}.").format(shown, allowed)
    side = view.worst_side
    if side is None:
        return (
            Markup("The lift is 0.")
            if lift == 0
            else Markup("The lift is {}: that many times as common.").format(shown)
        )
    value = near(float(side.values[x]), side.bound, bool(view.bad[x]))
    return Markup("The {} of this value is {}; the budget allows up to {}.").format(
        side.name, value, numbers.bound(side.bound, "up")
    )


def ruled_out(view: View, but: tuple[int, int] | None) -> Markup | None:
    """The largest group in which a sensitive value never occurs although it should: zero said in people."""
    if not words.is_count(view.joint):
        return None
    joint = view.joint
    expected = np.multiply.outer(view.prior, np.array(view.public_counts, dtype=np.float64))
    zero = (joint.counts == 0) & (expected >= 5)
    if view.by_cell:
        zero &= view.outside
    if but is not None:
        zero[but] = False
    if not zero.any():
        return None
    s, x = np.unravel_index(int(np.argmax(np.where(zero, expected, -1))), zero.shape)
    return Markup("Among the {} people with {} {}, none has {} {}.").format(
        numbers.count(view.public_counts[x]),
        phrases.name_in(view.public),
        phrases.quoted(view.public_texts[x]),
        phrases.name_in(view.sensitive),
        phrases.quoted(view.sensitive_texts[s]),
    )


def table_title(view: View, sample: bool = False) -> str:
    """What the heat map shows: the sensitive value that leaves the gate most, by people."""
    title = _table_title(view)
    return f"In these rows, {_lower(title)}" if sample and view.budget is not None else words.capital(title)


def _lower(title: str) -> str:
    """A title inside a sentence; a name keeps its capital."""
    first = title.split(" ", 1)[0]
    return title[:1].lower() + title[1:] if first in _PLAIN else title


_PLAIN = ("Every", "The", "No", "Nobody", "Everyone", *(words.capital(numbers.spelled(k)) for k in range(13)))


def _table_title(view: View) -> str:
    n = len(view.joint.public)
    noun = phrases.values_noun(view, n)
    if view.budget is None:
        return "What each value says"
    if not view.bad.any():
        return "Every value stays inside the gate" if n > 1 else "The only value stays inside the gate"
    if not view.by_cell:
        k = int(view.bad.sum())
        return f"{words.capital(numbers.spelled(k))} of {numbers.count(n)} {noun} {'leaves' if k == 1 else 'leave'} the gate"
    s = int(np.argmax((view.excess() * view.outside).sum(axis=1)))
    k = int(view.outside[s].sum())
    rows = int(view.outside.any(axis=1).sum())
    most = " most" if rows > 1 else ""
    return f"{_subject(view, s)} leaves the gate{most}: in {numbers.spelled(k)} of {numbers.count(n)} {noun}"


def _subject(view: View, s: int) -> str:
    """A sensitive value that opens a title; with its column where it is a number or a sign."""
    text = words.cut(view.sensitive_texts[s], 40)
    return text if text[:1].isalpha() else f"{words.cut(view.sensitive, 40)} {text}"


def carriers_title(view: View, sample: bool = False) -> str:
    """How many people carry a value that leaves the gate."""
    if view.budget is None:
        return "How far belief can move"
    who = phrases.nouns(view)
    share = view.share(view.bad)
    text = f"no {who.one}" if share == 0 else who.swap(numbers.in_people(share))
    carries = "carries" if text.startswith(("no ", "every", "1 in")) else "carry"
    title = f"{text} {carries} a value that leaves the gate"
    return f"In these rows, {title}" if sample else words.capital(title)


def crossing_title(view: View) -> str:
    """How many values cross which edge of the gate."""
    low, up = view.below.any(axis=0), view.above.any(axis=0)
    parts: list[str] = []
    counts: Sequence[tuple[int, str]] = (
        (int((low & ~up).sum()), "the lower edge"),
        (int((up & ~low).sum()), "the upper edge"),
        (int((low & up).sum()), "both"),
    )
    for k, edge in counts:
        if k:
            noun = f" {phrases.values_noun(view, k)}" if not parts else ""
            parts.append(f"{numbers.spelled(k)}{noun} {'crosses' if k == 1 else 'cross'} {edge}")
    return words.capital(numbers.joined(parts)) if parts else "No value crosses an edge"


def movement_title(view: View) -> str:
    """Whether belief falls further than it rises, for the person in the middle."""
    fall, rise = -np.log(np.maximum(view.smallest, 1e-300)), np.log(np.maximum(view.largest, 1.0))
    weights = view.joint.public_share
    a, b = _median(fall, weights), _median(rise, weights)
    if max(a, b) < 1e-9:
        return "Belief hardly moves"
    if a > 1.1 * b:
        return "Belief falls further than it rises"
    return "Belief rises further than it falls" if b > 1.1 * a else "Belief falls about as far as it rises"


def small_group(view: View, sample: Sequence[str]) -> Markup | None:
    """A value outside with few rows: how few people its largest lift comes from."""
    if not words.is_count(view.joint) or not view.by_cell:
        return None
    counts = view.public_counts
    small = [x for x in view.order if view.bad[x] and int(counts[x]) < _ENOUGH]
    if not small:
        return None
    x = max(small, key=lambda v: float(view.largest[v]))
    s = int(np.argmax(view.lift[:, x]))
    tail = ", so as a sample it stays unknown" if sample and sample[x] == "unknown" else ""
    lift = numbers.lift(view.lift_at(s, x), view.low, view.up)
    n, k = int(counts[x]), int(view.joint.counts[s, x])
    return Markup("{} has {} {}: its lift of {} comes from {} of them{}.").format(
        phrases.quoted(view.public_texts[x]),
        numbers.count(n),
        "person" if n == 1 else "people",
        lift,
        numbers.count(k),
        tail,
    )


def _hits(share: Fraction, base: int) -> str:
    k = round(share * base)
    if share > 0 and k == 0:
        return "fewer than 1"
    if share < 1 and k == base:
        return f"more than {numbers.count(base - 1)}"
    return numbers.count(k)


def _median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    k = int(np.searchsorted(np.cumsum(weights[order]), 0.5))
    return float(values[order[min(k, len(order) - 1)]])
