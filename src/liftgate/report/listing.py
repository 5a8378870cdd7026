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


@dataclass(frozen=True)
class Group:
    """The measures of one family."""

    title: str
    rows: Sequence[MeasureRow]


def measure_groups(measures: Mapping[str, float], view: View | None = None) -> list[Group]:
    """The measures as tables, one for each family, in the order of the registry."""
    groups: dict[str, list[MeasureRow]] = {}
    for name, value in measures.items():
        measure = MEASURES[name]
        row = MeasureRow(name, measure.sentence, [shown(name, value, measure.unit, view)], measure.citation)
        groups.setdefault(measure.family, []).append(row)
    return [Group(family[:1].upper() + family[1:], rows) for family, rows in groups.items()]


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
