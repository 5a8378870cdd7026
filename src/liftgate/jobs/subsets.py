"""Every subset: which sets of public columns say most about the sensitive ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from liftgate.budget import Budget
from liftgate.errors import UsageError
from liftgate.jobs.audit import Word, assumptions
from liftgate.joint import Joint, Source
from liftgate.measures import MEASURES

SHOWN = ("max-lift", "min-lift", "mutual-information", "maximal-leakage")
MOST_SETS = 2000


@dataclass(frozen=True)
class ColumnSet:
    """One set of public columns: its number of values and cells, and what it says."""

    columns: tuple[str, ...]
    values: int
    measures: dict[str, float]
    verdict: Word | None
    values_outside: int
    share_outside: float


@dataclass(frozen=True)
class Subsets:
    """All sets of public columns, those that say most first."""

    budget: Budget | None
    source: Source
    sets: tuple[ColumnSet, ...]
    assumptions: tuple[str, ...]

    @property
    def verdict(self) -> Word | None:
        """Outside when any set is; None without a budget."""
        if self.budget is None:
            return None
        return "outside" if any(s.verdict == "outside" for s in self.sets) else "within"

    def to_dict(self) -> dict[str, Any]:
        """The ranking as ``--json`` prints it."""
        return {
            "budget": None if self.budget is None else {**self.budget.to_dict(), "asked": self.budget.text},
            "sets": [
                {
                    "columns": list(s.columns),
                    "values": s.values,
                    "verdict": s.verdict,
                    "values_outside": s.values_outside,
                    "share_outside": s.share_outside,
                    "measures": s.measures,
                }
                for s in self.sets
            ],
        }


def every_subset(
    joint_of: Callable[[list[str]], Joint], columns: Sequence[str], most: int, budget: Budget | None
) -> Subsets:
    """Audit all sets of up to ``most`` public columns; ranked by people outside the budget, then by information.

    ``joint_of`` counts one set of columns. Supersets never say less: a set's information is a lower bound on theirs.
    """
    names = list(dict.fromkeys(columns))
    number = sum(math.comb(len(names), k) for k in range(1, min(most, len(names)) + 1))
    if number > MOST_SETS:
        raise UsageError(
            "--every-subset",
            f"{number:,} sets of columns",
            f"name fewer columns or a smaller K; at most {MOST_SETS:,} sets",
        )
    found: list[ColumnSet] = []
    source = Source()
    missing: dict[str, int] = {}
    notes: dict[str, None] = {}
    rule: tuple[str, ...] = ()
    for k in range(1, min(most, len(names)) + 1):
        for chosen in combinations(names, k):
            joint = joint_of(list(chosen)).drop_empty()
            source, rule = joint.source, assumptions(joint)
            missing |= dict(source.missing)
            notes |= dict.fromkeys(source.notes if k == 1 else ())
            found.append(_set(chosen, joint, budget))
    found.sort(key=lambda s: (-s.share_outside, -s.measures["mutual-information"], s.columns))
    every = Source(**{**vars(source), "public": tuple(names), "missing": tuple(missing.items()), "notes": tuple(notes)})
    return Subsets(budget, every, tuple(found), rule)


def _set(columns: tuple[str, ...], joint: Joint, budget: Budget | None) -> ColumnSet:
    measures = {name: MEASURES[name].of(joint) for name in SHOWN}
    if budget is None:
        return ColumnSet(columns, len(joint.public), measures, None, 0, 0.0)
    kept = budget.holds(joint)
    outside = int((~kept).sum())
    people = sum(int(n) for n in joint.public_counts[~kept])
    word: Word = "outside" if outside else "within"
    return ColumnSet(columns, len(joint.public), measures, word, outside, people / joint.total)
