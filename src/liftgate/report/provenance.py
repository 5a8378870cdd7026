"""How a page was made: the table, its columns and sizes, the budget, and what was noted while reading."""

from __future__ import annotations

from collections.abc import Sequence

from liftgate.budget import Budget
from liftgate.joint import Joint
from liftgate.report import numbers, words


def provenance(joint: Joint, budget: Budget | None, more: Sequence[str] = ()) -> list[str]:
    """The lines of *How this page was made*."""
    source = joint.source
    rows = (
        f"{numbers.count(joint.total)} rows"
        if words.is_count(joint)
        else "probabilities, rounded once to shares of 2^40"
    )
    columns = (words.visible(", ".join(side)) for side in (source.sensitive, source.public))
    size = f"{numbers.count(len(joint.sensitive))} x {numbers.count(len(joint.public))} values"
    lines = ["Sensitive: {}. Public: {}. {}, {}.".format(*columns, rows, size)]
    if budget is not None:
        lines.append(f"Budget {budget.text}: {words.budget_sentence(budget)}. Decided in whole numbers.")
    lines += [words.capital(words.visible(note)) + "." for note in more]
    if source.dropped_rows:
        lines.append(f"{numbers.count(source.dropped_rows)} rows were left out before counting.")
    return [*lines, *(words.capital(words.visible(note)) + "." for note in source.notes)]
