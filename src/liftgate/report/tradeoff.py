"""The page of a trade-off: what each mechanism keeps at one budget after another, and what is out of reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.jobs.tradeoff import eps_per_side
from liftgate.report import numbers, phrases, releasing, words
from liftgate.report.drawings import Figure
from liftgate.report.figures.curve import Here, Line, curve
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict
from liftgate.report.provenance import provenance
from liftgate.report.view import View

if TYPE_CHECKING:
    from liftgate.budget import Budget
    from liftgate.jobs.protect import Release
    from liftgate.jobs.tradeoff import Point, Tradeoff

_NAMES = {
    "optimal": "best release there is",
    "merge-best": "best merging",
    "merge-subsets": "merging in subsets",
    "merge-all": "merging all risky values",
    "subset-response": "responses in subsets",
    "auto": "chosen by size",
    "merge-all-as-printed": "merging all, as printed",
    "merge-subsets-as-printed": "subsets, as printed",
}
_CLOSE = 2e-3


@dataclass(frozen=True)
class Grid:
    """A table of numbers: headings, and rows whose first cell is a heading too."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Beside:
    """A curve with its table, for the page of a release."""

    figure: Figure
    table: Grid


def page(found: Tradeoff, context: Context) -> Page:
    """The page of one trade-off."""
    view = _view(found)
    name = found.joint.source.name
    return Page(
        template="tradeoff.html",
        kind="Trade-off",
        title=f"Trade-off: {words.cut(view.public)} against {words.cut(view.sensitive)}",
        subject="" if name == "counts" else words.visible(words.cut(name, 80)),
        verdict=Verdict("none", "Measured, not judged", _headline(found, view), _lede(found), _paragraphs(found)),
        facts=_facts(found, view),
        true_only_if=[Condition(explain(a), a) for a in found.assumptions],
        not_said=_not_said(found, view),
        body={"figures": [_figure(group, found.mechanisms) for group in groups(found)], "table": grid(found)},
        made=provenance(view.joint, None, _notes(found)),
        context=context,
    )


def curve_beside(found: Tradeoff, release: Release) -> Beside | None:
    """The curve of the kind of budget a release was asked for, with the release on it; None where there is none."""
    kind = (release.budget.kind, release.budget.order)
    group = [p for p in found.points if (p.budget.kind, p.budget.order) == kind]
    if not group:
        return None
    here = Here(eps_per_side(release.budget), release.utility, f"this release: {numbers.percent_kept(release.utility)}")
    return Beside(_figure(group, found.mechanisms, here), grid(found, group))


def groups(found: Tradeoff) -> list[list[Point]]:
    """The points by kind of budget, each kind a chart of its own."""
    out: dict[object, list[Point]] = {}
    for p in found.points:
        out.setdefault((p.budget.kind, p.budget.order), []).append(p)
    return list(out.values())


def _figure(points: Sequence[Point], mechanisms: Sequence[str], here: Here | None = None) -> Figure:
    kind = points[0].budget.kind
    lines = []
    for name in mechanisms:
        own = sorted((p for p in points if p.mechanism == name), key=_eps)
        if own:
            lines.append(Line(_label(name, own), [(_eps(p), p.utility, p.inside) for p in own]))
    bound = _bounds(points)
    search = _search(points)
    said = "; ".join(
        f"{line.name}: {numbers.percent_kept(line.points[0][1])} to {numbers.percent_kept(line.points[-1][1])}"
        for line in lines
    )
    what = {"alip": "bounds on lift", "ldp": "local differential privacy"}.get(kind, f"{kind}-lift")
    if points[0].budget.order is not None:
        what = f"alpha-lift of order {points[0].budget.order}"
    label = f"Information kept against the budget, {what}. From the tightest to the loosest budget, {said}."
    if bound:
        label += " Above the hatched edge nothing can be kept: proven."
    caption = f"Budgets: {what}."
    if bound:
        caption += " Hatched in purple: proven out of reach."
    return Figure(
        "Information kept against budget",
        curve(lines, bound, search, label, kind in ("alip",), here),
        caption,
        _gap_note(points),
    )


def _label(name: str, own: Sequence[Point]) -> str:
    """The name of a curve; the best there is only where that is proven, to a fifth of a point."""
    if name == "optimal" and not all(p.bound is not None and p.bound - p.utility <= _CLOSE for p in own):
        return "best found"
    return _NAMES.get(name, name)


def _eps(point: Point) -> float:
    return eps_per_side(point.budget)


def _bounds(points: Sequence[Point]) -> list[tuple[float, float]]:
    """The least proven bound at each budget where something is proven."""
    out: dict[float, float] = {}
    for p in points:
        if _proves(p):
            out[_eps(p)] = min(out.get(_eps(p), 1.0), p.bound or 1.0)
    return sorted(out.items()) if any(v < 1 for v in out.values()) else []


def _proves(point: Point) -> bool:
    """Whether a bound says more than that nothing keeps more than everything."""
    return point.bound is not None and (point.bound < 1 or point.utility >= 1)


def _search(points: Sequence[Point]) -> list[tuple[float, float]]:
    """What a search believes, where less is proven."""
    open_ones = [p for p in points if p.search_bound is not None and not _closed(p)]
    return sorted((_eps(p), min(1.0, p.search_bound)) for p in open_ones if p.search_bound is not None)


def _closed(point: Point) -> bool:
    """Whether what is proven is as good as what the search believes, to a fifth of a point."""
    return point.bound is not None and point.search_bound is not None and point.bound - point.search_bound <= _CLOSE


def _gap_note(points: Sequence[Point]) -> str:
    asked = [p for p in points if p.bound is not None]
    proven = [p for p in asked if _proves(p)]
    if not asked:
        return "No mechanism here proves how much any release can keep; optimal does."
    if not proven:
        return "How much any release can keep was not proven within the time: give more seconds."
    gap = max(0.0, *((p.bound or 0.0) - p.utility for p in proven))
    text = numbers.digits_text(numbers.significant(Fraction(100 * gap), 1, "up"), 1)
    if gap <= _CLOSE:
        note = f"The proven bound and the best release differ by at most {text} points, so they share one line."
    else:
        note = f"Where a search stopped early, the proven bound lies up to {text} points above what was found."
    if len(proven) < len(asked):
        note += f" At {words.counted(len(asked) - len(proven), 'budget')} nothing was proven within the time."
    return note


def grid(found: Tradeoff, points: Sequence[Point] | None = None) -> Grid:
    """What is kept, budget by budget; what breaks its own budget says so."""
    points = found.points if points is None else points
    budgets: list[Budget] = list(dict.fromkeys(p.budget for p in points))
    rows = []
    proves = any(p.bound is not None for p in points)
    for budget in budgets:
        at = {p.mechanism: p for p in points if p.budget is budget or p.budget == budget}
        cells: list[str] = [budget.text]
        for name in found.mechanisms:
            p = at.get(name)
            if p is None:
                cells.append("not reached")
            else:
                kept = numbers.percent_kept(p.utility)
                cells.append(kept if p.inside else Markup('<span class="is-out">✕ {}</span><span class="vh"> breaks its budget</span>').format(kept))  # fmt: skip
        if proves:
            least = min((p.bound for p in at.values() if p.bound is not None and _proves(p)), default=None)
            cells.append(
                "not proven" if least is None
                else Markup('<span class="is-bound">≤ {}</span>').format(releasing.most(least))
            )  # fmt: skip
        rows.append(cells)
    heads = ["Budget", *found.mechanisms, *(["Proven: at most"] if proves else [])]
    return Grid("Information kept, budget by budget", heads, rows)


def _view(found: Tradeoff) -> View:
    import numpy as np

    joint = found.joint.drop_empty()
    return View(joint, None, np.zeros(joint.counts.shape, dtype=np.bool_))


def _best(found: Tradeoff) -> list[tuple[float, Point]]:
    """At each budget the release inside it that keeps most, from tight to loose."""
    out: dict[Budget, Point] = {}
    for p in found.points:
        if p.inside and (p.budget not in out or p.utility > out[p.budget].utility):
            out[p.budget] = p
    return sorted(((_eps(p), p) for p in out.values()), key=lambda pair: pair[0])


def _headline(found: Tradeoff, view: View) -> Markup:
    public = phrases.name_in(view.public)
    best = _best(found)
    if not best:
        return Markup("No mechanism here stays inside its budget for {}.").format(public)
    if len(groups(found)) > 1:
        kept = [numbers.percent_kept(p.utility) for _, p in sorted(best, key=lambda pair: pair[1].utility)]
        return Markup("Inside the budgets asked for, {} can keep {} to {} of its information.").format(
            public, kept[0], kept[-1]
        )
    tight, loose = best[0][1], best[-1][1]
    if len(best) == 1:
        return Markup("Inside {}, {} can keep {} of its information.").format(
            tight.budget.text, public, numbers.percent_kept(tight.utility)
        )
    return Markup("Inside {}, {} can keep {} of its information; inside {}, {}.").format(
        tight.budget.text, public, numbers.percent_kept(tight.utility),
        loose.budget.text, numbers.percent_kept(loose.utility),
    )  # fmt: skip


def _lede(found: Tradeoff) -> str:
    best = _best(found)
    for share in (0.99, 0.95, 0.9, 0.75, 0.5):
        enough = [p for _, p in best if p.utility >= share]
        if enough and len(enough) < len(best) and len(groups(found)) == 1:
            return (
                f"The tightest budget asked for that keeps at least {100 * share:.0f}{numbers.NBSP}% is "
                f"{enough[0].budget.text}, with the mechanism {enough[0].mechanism}."
            )
    return "Every release counted here was decided in whole numbers: it is inside its budget, or it is marked."


def _paragraphs(found: Tradeoff) -> list[str]:
    out = []
    pairs = [
        (best.utility - merge, best.budget.text)
        for _, best in _best(found)
        for merge in [max((p.utility for p in found.points if p.budget == best.budget and p.inside and p.mechanism.startswith("merge")), default=None)]
        if merge is not None and best.mechanism in ("optimal", "subset-response", "auto")
    ]  # fmt: skip
    if pairs and (cost := max(pairs))[0] >= 0.001:
        out.append(
            f"Doing without randomness costs at most {numbers.digits_text(numbers.significant(Fraction(100 * cost[0]), 2, 'up'), 2)} "
            f"points among these budgets, at {cost[1]}."
        )
    broken = [p for p in found.points if not p.inside]
    if broken:
        names = numbers.joined(list(dict.fromkeys(p.mechanism for p in broken)))
        out.append(
            f"{names} {'breaks' if len({p.mechanism for p in broken}) == 1 else 'break'} the budget it was given "
            f"at {words.counted(len(broken), 'point')}: drawn with a cross, never released."
        )
    return out


def _facts(found: Tradeoff, view: View) -> Facts:
    best = _best(found)
    kept = "none" if not best else numbers.percent_kept(max(p.utility for _, p in best))
    asked = [p for p in found.points if p.bound is not None]
    lines = [Fact("Most kept", kept)]
    if best:
        lines.append(Fact("Least kept by the best", numbers.percent_kept(min(p.utility for _, p in best))))
    lines.append(Fact("Budgets", numbers.count(len(found.budgets))))
    lines.append(Fact("Mechanisms", numbers.count(len(found.mechanisms))))
    lines.append(Fact("Points", f"{numbers.count(len(found.points))} of {numbers.count(len(found.budgets) * len(found.mechanisms))}"))  # fmt: skip
    lines.append(Fact("Inside their budget", numbers.count(sum(p.inside for p in found.points))))
    if asked:
        closed = sum(_proves(p) and (p.bound or 1.0) - p.utility <= _CLOSE for p in asked)
        text = f"{numbers.count(closed)} of {numbers.count(len(asked))}"
        lines.append(Fact("Proven best", Markup('<span class="is-bound">{}</span>').format(text), "(to 0.2 points)"))
    else:
        lines.append(Fact("Proven best", "not asked"))
    rows = numbers.count(view.total) if words.is_count(view.joint) else "probabilities"
    lines.append(Fact("Rows counted", rows))
    return Facts(
        "Trade-off facts",
        lines,
        "Information kept = I(X;Y) / H(X), of the best release inside each budget. Rounded down; bounds are rounded up.",
    )


def _not_said(found: Tradeoff, view: View) -> list[Markup]:
    public = phrases.name_in(view.public)
    return [
        Markup("Not which budget is right: that is for <em>you</em> to choose."),
        Markup("Not a release: nothing was drawn and no certificate was written. <code>liftgate protect</code> does both."),
        Markup("Not what happens between two budgets: the lines only join what was computed."),
        Markup("Not that {} stays useful for every purpose: information kept is one number about the whole column.").format(public),
    ]  # fmt: skip


def _notes(found: Tradeoff) -> list[str]:
    wanted = len(found.budgets) * len(found.mechanisms)
    notes = [f"stopped after {len(found.points)} of {wanted} points"] if len(found.points) < wanted else []
    return [*notes, *dict.fromkeys(f"{p.mechanism}: {note}" for p in found.points for note in p.notes)][:12]
