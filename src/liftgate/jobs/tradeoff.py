"""Trade-off: what mechanisms keep of the public values at one budget after another."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from liftgate.budget import Budget, eps_of
from liftgate.errors import UsageError
from liftgate.exact import exp_rounded, fraction
from liftgate.jobs.audit import assumptions
from liftgate.joint import Joint
from liftgate.mechanisms import MECHANISMS, mechanism_named, utility
from liftgate.mechanisms._solver import ready
from liftgate.mechanisms.as_printed import subset_merging, watchdog
from liftgate.mechanisms.merge_best import EXACT_UP_TO

if TYPE_CHECKING:
    from liftgate.jobs.protect import Release

AS_PRINTED = {"merge-all-as-printed": watchdog, "merge-subsets-as-printed": subset_merging}
"""The papers' mechanisms without repair; they may break their own budget, and no release is ever made of them."""
DEFAULT = ("optimal", "merge-best", "merge-all")
MOST_BUDGETS = 200
MOST_VALUES_BESIDE = 1000


@dataclass(frozen=True)
class Point:
    """One mechanism at one budget. ``inside`` is decided in whole numbers; ``bound`` is proven, or None."""

    budget: Budget
    mechanism: str
    utility: float
    bound: float | None
    search_bound: float | None
    inside: bool
    released: int
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The point as ``--json`` prints it."""
        return {
            "budget": {**self.budget.to_dict(), "asked": self.budget.text},
            "mechanism": self.mechanism,
            "utility": self.utility,
            "bound": self.bound,
            "search_bound": self.search_bound,
            "inside": self.inside,
            "released": self.released,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False)
class Tradeoff:
    """Utility (NMI) against budget: one curve for each mechanism, in the order of the budgets."""

    joint: Joint
    budgets: tuple[Budget, ...]
    mechanisms: tuple[str, ...]
    points: tuple[Point, ...]
    assumptions: tuple[str, ...]

    @property
    def verdict(self) -> None:
        """A trade-off judges nothing."""
        return

    def curve(self, mechanism: str) -> tuple[Point, ...]:
        """The points of one mechanism, in the order of the budgets."""
        return tuple(p for p in self.points if p.mechanism == mechanism)

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it."""
        return {
            "budgets": [{**b.to_dict(), "asked": b.text, "eps": eps_per_side(b)} for b in self.budgets],
            "mechanisms": list(self.mechanisms),
            "points": [p.to_dict() for p in self.points],
        }

    def _repr_html_(self) -> str:
        from liftgate.notebook import small_table

        rows = []
        for b in self.budgets:
            found = {p.mechanism: p for p in self.points if p.budget is b}
            cells = [f"{100 * found[m].utility:.1f} %{'' if found[m].inside else ' ✗'}" for m in self.mechanisms]
            rows.append([b.text, *cells])
        return small_table("Information kept, by budget", ["budget", *self.mechanisms], rows)


def tradeoff(
    joint: Joint,
    budgets: Iterable[Budget | str] | str,
    mechanisms: str | Sequence[str] = DEFAULT,
    gap: float = 1e-3,
    seconds: float = 60,
    progress: Callable[[int, int], object] | None = None,
) -> Tradeoff:
    """What each mechanism keeps at each budget, within ``seconds`` for all of it together.

    ``budgets`` are budgets, their short forms, or one range such as ``"0.25:4:16"`` (see :func:`budget_range`).
    ``progress(done, of)`` is called after every point; returning False stops with the points there are.

    >>> joint = Joint.from_counts([[9, 1, 8, 2], [1, 9, 2, 8]])
    >>> found = tradeoff(joint, ["lip:0.1", "lip:3"], ["merge-best", "merge-all"])
    >>> [(p.mechanism, p.budget.text, round(p.utility, 2)) for p in found.points]
    [('merge-best', 'lip:0.1', 0.5), ('merge-all', 'lip:0.1', 0.0), ('merge-best', 'lip:3', 1.0), ('merge-all', 'lip:3', 1.0)]
    """
    given = budget_range(budgets) if isinstance(budgets, str) else list(budgets)
    asked = tuple(Budget.parse(b) if isinstance(b, str) else b for b in given)
    names = (mechanisms,) if isinstance(mechanisms, str) else tuple(mechanisms)
    if not asked or not names:
        raise UsageError("tradeoff", "no budget or no mechanism is named", "give at least one of each")
    if len(asked) > MOST_BUDGETS:
        raise UsageError("tradeoff", f"{len(asked):,} budgets", f"give at most {MOST_BUDGETS}")
    for name in names:
        if name not in AS_PRINTED:
            mechanism_named(name)
    if {"optimal", "subset-response", "auto"}.intersection(names):
        ready()
    end, number = time.monotonic() + float(seconds), len(asked) * len(names)
    points: list[Point] = []
    for budget in asked:
        for name in names:
            left = max(0.05, (end - time.monotonic()) / (number - len(points)))
            points.append(_point(joint, budget, name, gap, left if seconds > 0 else seconds))
            if progress is not None and progress(len(points), number) is False:
                return Tradeoff(joint, asked, names, tuple(points), assumptions(joint))
    return Tradeoff(joint, asked, names, tuple(points), assumptions(joint))


def _point(joint: Joint, budget: Budget, name: str, gap: float, seconds: float) -> Point:
    if name in AS_PRINTED:
        table = joint.drop_empty()
        channel = AS_PRINTED[name](table, budget)
        inside = bool(budget.holds(table.through(channel)).all())
        return Point(budget, name, utility(table, channel), None, None, inside, len(channel.released), ())
    design = MECHANISMS[name](joint, budget, gap=gap, seconds=seconds, progress=None)
    inside = bool(budget.holds(joint.through(design.channel)).all())
    kept = utility(joint, design.channel)
    bound = None if design.bound is None else float(design.bound)
    return Point(budget, name, kept, bound, design.search_bound, inside, len(design.channel.released), design.notes)


def budget_range(text: str) -> list[Budget]:
    """Evenly spaced budgets: ``START:STOP:NUMBER`` is ``lip`` with these epsilons per side; ``ldp:START:STOP:NUMBER`` too.

    >>> [b.text for b in budget_range("0.25:1:4")], budget_range("ldp:1:2:2")[1].text
    (['lip:0.25', 'lip:0.5', 'lip:0.75', 'lip:1'], 'ldp:2')
    """
    parts = [p.strip() for p in text.split(":")]
    form = parts.pop(0) if len(parts) == 4 else "lip"
    fix = "write START:STOP:NUMBER, for example 0.25:4:16, or ldp:0.25:4:16"
    if len(parts) != 3 or form not in ("lip", "ldp"):
        raise UsageError(f"budgets {text!r}", "this is not a range of budgets", fix)
    start, stop = fraction(parts[0], f"budgets {text!r}"), fraction(parts[1], f"budgets {text!r}")
    if not parts[2].isdigit() or not 1 <= int(parts[2]) <= MOST_BUDGETS or stop < start or start < 0:
        raise UsageError(f"budgets {text!r}", f"{parts[0]} to {parts[1]} in {parts[2]} steps", fix)
    number = int(parts[2])
    step = (stop - start) / max(1, number - 1)
    return [Budget.parse(f"{form}:{_short(start + n * step)}") for n in range(number)]


def beside(found: Release, seconds: float = 10) -> Tradeoff | None:
    """The trade-off that a page draws a release in: eight budgets of its form, from a quarter of its epsilons to twice.

    >>> from liftgate.jobs.protect import protect
    >>> release = protect(Joint.from_counts([[9, 1, 8], [1, 9, 2]]), "alip:1,0.5", mechanism="merge-best")
    >>> curve = beside(release)
    >>> [b.text for b in curve.budgets][2:5], curve.mechanisms
    (['alip:0.75,0.375', 'alip:1,0.5', 'alip:1.25,0.625'], ('merge-best', 'merge-all-as-printed'))
    """
    budgets = [_scaled(found.budget, Fraction(n, 4)) for n in range(1, 9)]
    if eps_per_side(found.budget) in (0.0, math.inf) or len(found.before.public) > MOST_VALUES_BESIDE:
        return None
    merging = "merge-best" if len(found.before.public) <= EXACT_UP_TO else "merge-subsets"
    names = (found.mechanism, merging, "merge-all-as-printed")
    return tradeoff(found.before, budgets, tuple(dict.fromkeys(names)), gap=1e-3, seconds=seconds)


def _scaled(budget: Budget, factor: Fraction) -> Budget:
    """The same form of budget with every epsilon times a factor."""
    if factor == 1:
        return budget
    if budget.kind == "alip" and budget.low == 0:
        up = exp_rounded(fraction(_short(factor * fraction(eps_of(budget.up)))), "down")
        return Budget.between(0, up)
    if budget.kind == "ldp":
        return Budget.ldp(_times(factor, eps_of(budget.up)))
    sides = [None if side is None else _times(factor, _eps(budget.kind, side)) for side in (budget.low, budget.up)]
    if budget.kind == "alpha":
        assert budget.order is not None
        return Budget.alpha(budget.order, *sides)
    if budget.kind == "alip":
        assert sides[0] is not None
        assert sides[1] is not None
        return Budget.alip(sides[0], sides[1])
    return (Budget.l1 if budget.kind == "l1" else Budget.chi2)(*sides)


def _times(factor: Fraction, eps: float) -> str:
    return _short(factor * fraction(_short(fraction(eps))))


def _short(value: Fraction) -> str:
    return f"{float(value):.6g}"


def eps_per_side(budget: Budget) -> float:
    """Where a budget stands on an axis: the largest finite epsilon of its sides."""
    sides = [_eps(budget.kind, side) for side in (budget.low, budget.up) if side is not None]
    return max((eps for eps in sides if math.isfinite(eps)), default=math.inf)


def _eps(kind: str, side: Fraction) -> float:
    """The epsilon that a bound was made of; infinite for a lower bound of 0."""
    if kind in ("l1", "chi2"):
        return math.log1p(float(side) if kind == "l1" else math.sqrt(side))
    return eps_of(side)
