"""From an open source to a joint: which columns, what is missing, how many cells, and what is told about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from liftgate.errors import DataError, UsageError
from liftgate.joint import Joint, Source
from liftgate.labels import Label, label_text
from liftgate.tables.columns import Spec, combine, find_columns
from liftgate.tables.keys import Words, make_key
from liftgate.tables.resolved import resolved
from liftgate.tables.sources import Opened

MAX_CELLS = 20_000_000
CELLS_PER_VALUE = 40
MISSING_RULES = ("value", "drop", "refuse")
ZERO_RULES = ("report", "refuse")


@dataclass(frozen=True)
class Rules:
    """What to do with missing entries, blanks, empty cells and too many values."""

    missing: str = "value"
    tokens: tuple[str, ...] = ()
    trim: bool = False
    max_cells: int = MAX_CELLS
    zeros: str = "report"

    def __post_init__(self) -> None:
        _known(self.missing, MISSING_RULES, "missing")
        _known(self.zeros, ZERO_RULES, "zeros")
        if isinstance(self.max_cells, bool) or not isinstance(self.max_cells, int) or self.max_cells < 1:
            raise UsageError(
                "max_cells", f"{self.max_cells!r} is not a number of cells", "give a whole number, 1 or more"
            )


def _known(value: str, allowed: Sequence[str], place: str) -> None:
    if value not in allowed:
        raise UsageError(place, f"{value!r} is not known", f"use {', '.join(allowed[:-1])} or {allowed[-1]}")


def count_joint(
    opened: Opened,
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    count: str | None,
    rules: Rules,
    tell: Callable[[str], None],
    designed: Sequence[Label] = (),
) -> Joint:
    """The joint of an open source."""
    import duckdb

    from liftgate.tables import duckdb as engine

    place = opened.name
    hidden = find_columns(sensitive, opened.columns, place, "sensitive")
    shown = resolved(find_columns(public, opened.columns, place, "public"), designed)
    specs = (*hidden, *shown)
    weigher = find_columns(count, (*opened.columns,), place, "count")[0] if count is not None else None
    _apart(hidden, shown, weigher, place)
    wanted = tuple(dict.fromkeys([s.index for s in specs] + ([weigher.index] if weigher else [])))
    words = Words(rules.tokens, rules.trim)
    notes = list(opened.notes)
    tell(f"reading {place}")
    try:
        bound = opened.bind(
            wanted, [s.index for s in (*specs, *([weigher] if weigher else [])) if s.binning or s is weigher]
        )
        types = engine.column_types(bound, [*specs, *([weigher] if weigher else [])])
        weight = "count(*)"
        if weigher is not None:
            weight = engine.check_counts(bound, weigher.index, types[-1], opened, weigher.name)
        keys = [make_key(bound, s, t, words, weight, place, notes) for s, t in zip(specs, types, strict=False)]
        sides = [keys[: len(hidden)], keys[len(hidden) :]]
        started = time.monotonic()
        sizes = engine.approximate_sizes(bound, sides)

        def again(number: int) -> None:
            tell(f"the memory did not suffice: counting anew in {number} passes")
            if passes > 1:
                notes.pop()
            notes.append(_passes(number, sizes))

        passes = 1
        if sizes is not None:
            _not_too_many(place, sizes[:2], hidden, shown, rules.max_cells, "about ")
            passes = engine.passes_for(bound, sizes[2])
        tell(f"counting {place}")
        if passes > 1:
            one = time.monotonic() - started
            notes.append(_passes(passes, sizes))
            tell(f"{notes[-1]}, {passes * one:,.0f} s or so")
        cells = engine.count_cells(
            bound,
            sides,
            weight,
            words,
            place,
            rules.max_cells,
            lambda sizes: _not_too_many(place, sizes, hidden, shown, rules.max_cells, "about "),
            passes,
            again,
        )
        all_fields(opened, bound, None if weigher is not None else sum(cells.counts.tolist()))
    except duckdb.Error as e:
        raise engine.engine_error(e, opened) from None
    return _joint(place, cells, hidden, shown, rules, notes)


def _passes(number: int, sizes: Sequence[int] | None) -> str:
    about = "" if sizes is None else f"about {sizes[2]:,} different cells, "
    return f"{about}counted in {number} passes because they do not fit into memory together"


def _apart(hidden: Sequence[Spec], shown: Sequence[Spec], weigher: Spec | None, place: str) -> None:
    both = {s.index for s in hidden} & {s.index for s in shown}
    for spec in shown:
        if spec.index in both:
            raise UsageError(
                f"{place}, column {spec.name!r}", "it is both sensitive and public", "name it on one side only"
            )
    for spec in (*hidden, *shown):
        if weigher is not None and spec.index == weigher.index:
            raise UsageError(
                f"{place}, column {spec.name!r}", "it is the count and a value", "name another count column"
            )
    if weigher is not None and weigher.binning is not None:
        raise UsageError(f"{place}, column {weigher.name!r}", "counts are not binned", "name the count column alone")


def _not_too_many(
    place: str, sizes: Sequence[int], hidden: Sequence[Spec], shown: Sequence[Spec], max_cells: int, word: str
) -> None:
    slack = 1.25 if word == "about " else 1
    cells = max(1, sizes[0]) * max(1, sizes[1])
    side = 0 if sizes[0] > sizes[1] else 1
    named = ", ".join(repr(s.text) for s in (hidden, shown)[side])
    if cells <= max_cells * slack and max(sizes) * CELLS_PER_VALUE <= max_cells * slack:
        return
    need = max(cells, max(sizes) * CELLS_PER_VALUE)
    raise DataError(
        f"{place}, column{'s' * (',' in named)} {named}",
        f"{word}{max(sizes):,} different values ({word}{sizes[0]:,} sensitive x {sizes[1]:,} public = {cells:,} cells), "
        f"more than the {max_cells:,} cells allowed",
        f"leave out identifiers, bin numbers (such as {(hidden, shown)[side][0].name}:10), "
        f"or allow more (--max-cells {int(need * slack)})",
    )


def _joint(
    place: str, cells: Any, hidden: tuple[Spec, ...], shown: tuple[Spec, ...], rules: Rules, notes: list[str]
) -> Joint:
    specs = (*hidden, *shown)
    rows = sum(cells.counts.tolist())
    if len(cells.counts) == 0 or rows == 0:
        what = "no row, only column names" if len(cells.counts) == 0 else "every count is 0"
        raise DataError(place, what, "give a table with at least one row")
    absent, lost = [], np.zeros(len(cells.counts), dtype=bool)
    for spec, codes, labels in zip(specs, cells.codes, cells.labels, strict=True):
        gone = codes == labels.index(None) if None in labels else np.zeros(len(codes), dtype=bool)
        absent.append((spec.text, sum(cells.counts[gone].tolist())))
        lost |= gone
    if rules.missing == "refuse":
        for spec, (_, number) in zip(specs, absent, strict=True):
            if number:
                fix = "repair the table, or choose missing = value or drop"
                raise DataError(f"{place}, column {spec.name!r}", f"{number:,} missing entries", fix)
    dropped = 0
    if rules.missing == "drop" and lost.any():
        dropped = sum(cells.counts[lost].tolist())
        cells.counts, cells.codes = cells.counts[~lost], [c[~lost] for c in cells.codes]
        if dropped == rows:
            raise DataError(place, "every row has a missing entry", "choose missing = value, or fewer columns")
    if not rules.trim:
        for spec, blank in zip(specs, cells.blank, strict=True):
            if blank:
                notes.append(f"column {spec.name!r}: every value starts with a blank; trim (--trim) cuts them")
    s_codes, s_labels = combine(cells.codes[: len(hidden)], cells.labels[: len(hidden)])
    x_codes, x_labels = combine(cells.codes[len(hidden) :], cells.labels[len(hidden) :])
    _not_too_many(place, [len(s_labels), len(x_labels)], hidden, shown, rules.max_cells, "")
    counts = np.zeros((len(s_labels), len(x_labels)), dtype=cells.counts.dtype)
    np.add.at(counts, (s_codes, x_codes), cells.counts)
    told = Source(
        name=place,
        sensitive=tuple(s.text for s in hidden),
        public=tuple(s.text for s in shown),
        rows=rows,
        missing=tuple(absent),
        missing_rule=rules.missing,
        dropped_rows=dropped,
        notes=tuple(notes),
    )
    joint = Joint(counts, s_labels, x_labels, told).drop_empty()
    named = " and ".join(repr(s.text) for s in hidden)
    if len(joint.sensitive) == 1:
        raise DataError(
            f"{place}, sensitive {named}",
            f"only one value ({label_text(joint.sensitive[0])}), so nothing can be learned",
            "name a column with at least two values",
        )
    if rules.zeros == "refuse" and (empty := np.argwhere(joint.counts == 0)).size:
        s, x = joint.sensitive[empty[0][0]], joint.public[empty[0][1]]
        raise DataError(
            place,
            f"{len(empty):,} empty cells, such as {label_text(s)!r} with {label_text(x)!r}",
            "merge values, or choose zeros = report",
        )
    return joint


def all_fields(opened: Opened, bound: Any, rows: int | None) -> None:
    """Refuse lines with an empty field too many, which the engine would let pass (`1,2,` under two columns)."""
    from liftgate.tables.csv import delimiters, ragged

    if not any(file.trailing for file in opened.files):
        return
    if rows is None:
        rows = int(bound.con.sql(f"SELECT count(*) FROM {bound.relation}").fetchall()[0][0])
    headers = sum(file.header is not None for file in opened.files)
    if sum(delimiters(file) for file in opened.files) == (rows + headers) * (opened.width - 1):
        return
    for file in opened.files:  # there may be delimiters between quotes: look at every line
        if (found := ragged(file, opened.width)) is not None:
            raise found
