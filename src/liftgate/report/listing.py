"""Every measure in words: the rows of the tables of measures, grouped by family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from liftgate.measures import MEASURES
from liftgate.report import numbers
from liftgate.report.view import View


@dataclass(frozen=True)
class MeasureRow:
    """One measure: what it means, what it is here, where it is defined."""

    name: str
    sentence: str
    values: Sequence[str]
    citation: str


FIRST = (
    "max-lift",
    "min-lift",
    "ldp-epsilon",
    "total-variation",
    "chi2-lift",
    "maximal-leakage",
    "mutual-information",
)
_TITLES = {"worst case": "Worst case", "average": "Averages", "table": "Measures of table anonymity"}


@dataclass(frozen=True)
class Group:
    """Measures that stand together; ``folded`` ones open on request."""

    title: str
    rows: Sequence[MeasureRow]
    folded: bool = True


def measure_groups(measures: Mapping[str, float], view: View | None = None) -> list[Group]:
    """The measures as tables: the most asked for, then all others by family, in the order of the registry."""
    rows = {
        name: MeasureRow(name, m.sentence, [shown(name, value, m.unit, view)], m.citation)
        for name, value in measures.items()
        for m in [MEASURES[name]]
    }
    out = [Group("The most asked for", [rows[name] for name in FIRST if name in rows], folded=False)]
    families = dict.fromkeys(MEASURES[name].family for name in rows if name not in FIRST)
    for family in families:
        members = [row for name, row in rows.items() if name not in FIRST and MEASURES[name].family == family]
        out.append(Group(family_title(family, len(members)), members))
    return out


def family_title(family: str, number: int) -> str:
    """The heading of a folded family."""
    return f"{_TITLES.get(family, family.capitalize())}: {number} more"


def shown(name: str, value: float, unit: str = "", view: View | None = None) -> str:
    """A measure with its unit; the lifts never cross a bound of the budget."""
    text = numbers.measured(value)
    if view is not None and name == "max-lift":
        text = _lift(view.lift_at(*view.most), view)
    if view is not None and name == "min-lift":
        text = _lift(view.lift_at(*view.least), view)
    return f"{text} {unit}" if unit == "nats" and value not in (float("inf"), 0.0) else text


def _lift(value: Fraction, view: View) -> str:
    return numbers.lift(value, view.low, view.up, 4)
