"""Trade-off: what mechanisms keep of the public values at one budget after another."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from liftgate.budget import Budget, eps_of
from liftgate.errors import UsageError
from liftgate.exact import fraction
from liftgate.jobs.audit import assumptions
from liftgate.joint import Joint
from liftgate.mechanisms import MECHANISMS, mechanism_named, utility
from liftgate.mechanisms.as_printed import subset_merging, watchdog

AS_PRINTED = {"merge-all-as-printed": watchdog, "merge-subsets-as-printed": subset_merging}
"""The papers' mechanisms without repair; they may break their own budget, and no release is ever made of them."""
DEFAULT = ("optimal", "merge-best", "merge-all")
MOST_BUDGETS = 200


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


def _short(value: Fraction) -> str:
    return f"{float(value):.6g}"


def eps_per_side(budget: Budget) -> float:
    """Where a budget stands on an axis: the larger epsilon of its sides, for every kind as it was asked."""
    if budget.kind == "alip":
        return max(eps_of(budget.low), eps_of(budget.up))
    sides = [float(side) for side in (budget.low, budget.up) if side is not None]
    if budget.kind in ("ldp", "alpha"):
        return max(eps_of(fraction(s)) for s in sides)
    return max(math.log1p(s if budget.kind == "l1" else math.sqrt(s)) for s in sides)
