"""The flow of a release: which values are drawn, in which order, and what is counted as the rest."""

from __future__ import annotations

from markupsafe import Markup

from liftgate.channel import Channel
from liftgate.report import numbers, phrases, words
from liftgate.report.drawings import Figure
from liftgate.report.figures.flow import Node, Ribbon, flow
from liftgate.report.released import Released

MOST, DRAWN, _LINES = 60, 40, 4


def flow_figure(release: Released, level_title: str = "") -> Figure:
    """How each public value is released, as ribbons of people."""
    view = release.before
    n_x, n_y = len(release.left), len(release.right)
    left, right = _shown(release)
    noun = phrases.values_noun(view, 1)
    title = level_title or f"How each {noun} is released"
    drawn = _draw(release, left, right)
    who = phrases.nouns(view).many
    caption = f"Ribbon width is {who}. Shaded: a released value with more than one origin."
    if view.bad.any():
        caption += " Bold: outside before."
    note = ""
    if len(left) < n_x or len(right) < n_y:
        note = (
            f"{len(left)} of {numbers.count(n_x)} values in the table and {len(right)} of {numbers.count(n_y)} "
            "released values are drawn, those with most change; the rest is one bar."
        )
    return Figure(title, drawn, caption, note)


def merge_figure(release: Released, merge: Channel, kept: float, exact: bool) -> Figure:
    """The release without randomness, beside one that draws."""
    shown = Released(release.table, release.table.through(merge), merge, release.budget)
    n = len(shown.right)
    how = "Best of all partitions (exact)" if exact else "Best found (not all partitions were tried)"
    figure = flow_figure(shown, f"No randomness wanted? Merging keeps {numbers.percent_kept(kept)}")
    return Figure(figure.title, figure.svg, f"{how}: {words.counted(n, 'released value')}.", figure.note)


def _shown(release: Released) -> tuple[list[int], list[int]]:
    """Public and released values to draw, in the order of the drawing."""
    people, moved = release.before.public_counts, release.moved
    many = max(len(release.left), len(release.right)) > MOST
    xs = sorted(range(len(release.left)), key=lambda x: (-people[x], x))
    if many:
        weight = sorted(xs, key=lambda x: (-moved[x], -people[x], x))[:DRAWN]
        xs = [x for x in xs if x in set(weight)]
    members = {y: len(release.origins[y]) for y in range(len(release.right))}
    if release.is_merge:
        to = {x: y for x, y, _ in release.entries}
        size = release.after.public_counts
        xs.sort(key=lambda x: (members[to[x]] > 1, -size[to[x]], to[x], -people[x]))
    place = {x: i for i, x in enumerate(xs)}
    weights: dict[int, float] = {}
    centre: dict[int, float] = {}
    for x, y, w in release.entries:
        if x in place:
            mass = people[x] * w
            weights[y] = weights.get(y, 0) + mass
            centre[y] = centre.get(y, 0) + mass * place[x]
    ys = sorted(weights, key=lambda y: -weights[y])
    if many:
        ys = ys[:DRAWN]
    named = {y: place[x] for x, y in release.own.items() if x in place}
    ys.sort(key=lambda y: (named.get(y, centre[y] / weights[y]), y))
    return xs, ys


def _draw(release: Released, xs: list[int], ys: list[int]) -> Markup:
    view = release.before
    people, total = view.public_counts, release.channel.total
    n_x, n_y = len(release.left), len(release.right)
    left = [Node([release.left[x]], float(people[x]), bool(view.bad[x])) for x in xs]
    after = release.after.public_counts
    right = [Node(_lines(release, y), after[y] / total) for y in ys]
    at_x, at_y = {x: i for i, x in enumerate(xs)}, {y: i for i, y in enumerate(ys)}
    if len(xs) < n_x:
        rest = float(sum(people[x] for x in range(n_x) if x not in at_x))
        left.append(Node([f"{numbers.count(n_x - len(xs))} others"], rest, rest=True))
    if len(ys) < n_y:
        rest = float(sum(after[y] for y in range(n_y) if y not in at_y)) / total
        right.append(Node([f"{numbers.count(n_y - len(ys))} others"], rest, rest=True))
    mass: dict[tuple[int, int], float] = {}
    for x, y, w in release.entries:
        key = (at_x.get(x, len(xs)), at_y.get(y, len(ys)))
        mass[key] = mass.get(key, 0.0) + people[x] * w / total
    ribbons = [Ribbon(i, j, m, j < len(ys) and len(release.origins[ys[j]]) > 1) for (i, j), m in sorted(mass.items())]
    return flow(left, right, ribbons, _label(release))


def _label(release: Released) -> str:
    n_x, n_y = numbers.count(len(release.left)), numbers.count(len(release.right))
    shared = sum(len(o) > 1 for o in release.origins)
    return (
        f"Flow of {phrases.nouns(release.before).many} from {n_x} values in the table to {n_y} released values; "
        f"{numbers.spelled(release.changing)} of {n_x} are not always released as they are, "
        f"and {numbers.spelled(shared)} released {'value has' if shared == 1 else 'values have'} more than one origin."
    )


def _lines(release: Released, y: int) -> list[str]:
    """The name of a released value; a merge is told by its members, one in a line."""
    origins = release.origins[y]
    if not release.is_merge or len(origins) == 1:
        return [release.right[y]]
    people = release.before.public_counts
    members = [release.left[x] for x in sorted(origins, key=lambda x: -people[x])]
    if len(members) > _LINES:
        members = [*members[: _LINES - 1], f"and {len(members) - _LINES + 1:,} more"]
        return [*(f"{m} ·" for m in members[:-2]), *members[-2:]]
    return [*(f"{m} ·" for m in members[:-1]), members[-1]]
