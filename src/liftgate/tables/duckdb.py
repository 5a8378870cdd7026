"""Counting in the embedded engine: one group-by over the columns asked for, its cells as labels and whole numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError, LiftgateError
from liftgate.labels import Label
from liftgate.tables.columns import Spec
from liftgate.tables.csv import CsvFile, line_of_row, ragged, ragged_error
from liftgate.tables.keys import WHOLE, Key, Words, labelled, type_name
from liftgate.tables.sources import Bound, Opened, first_line

PROBE_ROWS = 100_000


@dataclass
class Cells:
    """The distinct combinations of values: a code per column and cell, labels in order per column, counts."""

    codes: list[NDArray[np.int64]]
    labels: list[list[Label]]
    counts: NDArray[Any]
    blank: list[bool]


def column_types(bound: Bound, specs: Sequence[Spec]) -> list[str]:
    """The engine's types of the columns."""
    names = ", ".join(f"c{s.index}" for s in specs)
    return [str(t) for t in bound.con.sql(f"SELECT {names} FROM {bound.relation} LIMIT 0").types]


def approximate_sizes(bound: Bound, sides: Sequence[Sequence[Key]]) -> list[int] | None:
    """About how many values each side has; None where a look at the first rows shows that there are few."""
    keys = [side[0].inner if len(side) == 1 else f"hash({', '.join(k.inner for k in side)})" for side in sides]
    parts = ", ".join(f"{k} AS k{n}" for n, k in enumerate(keys))
    sizes = ", ".join(f"approx_count_distinct(k{n})" for n in range(len(keys)))
    few = f"SELECT {sizes}, count(*) FROM (SELECT {parts} FROM {bound.relation} LIMIT {PROBE_ROWS})"
    *first, rows = bound.con.sql(few).fetchall()[0]
    if rows < PROBE_ROWS or max(first) < PROBE_ROWS // 8:
        return None
    return [int(n) for n in bound.con.sql(f"SELECT {sizes} FROM (SELECT {parts} FROM {bound.relation})").fetchall()[0]]


def count_cells(
    bound: Bound,
    sides: Sequence[Sequence[Key]],
    weight: str,
    words: Words,
    place: str,
    most: int,
    check: Callable[[list[int]], None],
) -> Cells:
    """One group-by; NULL is a group of its own. `check` sees about how many values each side has, before labels are made."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = [key for side in sides for key in side]
    inner = ", ".join(f"{k.inner} AS k{n}" for n, k in enumerate(keys))
    outer = ", ".join(f"{k.outer.format(f'k{n}')} AS k{n}" for n, k in enumerate(keys))
    names = ", ".join(f"k{n}" for n in range(len(keys)))
    places = ", ".join(str(n + 1) for n in range(len(keys)))
    grouped = f"SELECT {inner}, {weight} AS n FROM {bound.relation} GROUP BY {places}"
    query = f"SELECT {outer}, n FROM ({grouped}) AS g({names}, n) LIMIT {most + 1}"
    table = bound.con.sql(query).to_arrow_table().combine_chunks()
    if len(table) > most:
        raise DataError(
            place,
            f"more than {most:,} combinations of values occur",
            "name fewer columns, bin numbers, or allow more cells (--max-cells)",
        )
    counts = table.column(len(keys))
    if pa.types.is_integer(counts.type):
        numbers = counts.to_numpy()
    else:
        whole = [int(v) for v in counts.to_pylist()]
        numbers = np.array(whole, dtype=np.int64 if sum(whole) < 1 << 62 else object)
    if len(table) == 0:
        return Cells([np.zeros(0, np.int64) for _ in keys], [[] for _ in keys], numbers, [False] * len(keys))
    coded = [pc.dictionary_encode(table.column(n), null_encoding="encode").chunk(0) for n in range(len(keys))]
    sizes = [len(c.dictionary) for c in coded]
    check([max(sizes[: len(sides[0])]), max(sizes[len(sides[0]) :])])
    found = [labelled(c.dictionary.to_pylist(), key, words) for c, key in zip(coded, keys, strict=True)]
    codes = [f[0][c.indices.to_numpy()] for f, c in zip(found, coded, strict=True)]
    return Cells(codes, [f[1] for f in found], numbers, [f[2] for f in found])


def check_counts(bound: Bound, index: int, kind: str, opened: Opened, name: str) -> str:
    """The SQL of the count of a row in a pre-counted table, after every count was found whole and not negative."""
    raw, place = f"c{index}", f"{opened.name}, column {name!r}"
    if kind == "VARCHAR":
        good, value = f"regexp_full_match(trim({raw}, ' ' || chr(9)), '[0-9]{{1,36}}')", f"trim({raw}, ' ' || chr(9))"
    elif WHOLE.fullmatch(kind):
        good, value = f"{raw} >= 0", raw
    elif kind in ("FLOAT", "DOUBLE"):
        good, value = f"{raw} >= 0 AND {raw} < 9007199254740993 AND {raw} = floor({raw})", raw
    elif kind.startswith("DECIMAL"):
        good, value = f"{raw} >= 0 AND {raw} = floor({raw})", raw
    else:
        raise DataError(place, f"it holds {type_name(kind)} values", "name a column of whole numbers")
    wrong = bound.con.sql(
        f"SELECT r, v FROM (SELECT row_number() OVER () AS r, {raw} AS v, {good} AS good FROM {bound.relation}) "
        "WHERE good IS NOT TRUE ORDER BY r LIMIT 1"
    ).fetchall()
    if wrong:
        row, found = wrong[0]
        at = f"line {line_of_row(opened.files[0], row - 1)}" if len(opened.files) == 1 else f"row {row}"
        shown = "a missing count" if found is None or found != found else f"{found} is not a count"
        raise DataError(f"{place}, {at}", shown, "counts are whole numbers, 0 or more")
    return f"sum(CAST({value} AS HUGEINT))"


def engine_error(error: Exception, opened: Opened) -> LiftgateError:
    """What the engine could not read, in our words and with the line."""
    text = str(error)
    if opened.files:
        for file in opened.files:
            if (found := _csv_error(text, file, opened)) is not None:
                return found
    if "Out of Memory" in text:
        return DataError(opened.name, "the values do not fit into memory", "name fewer public columns, or bin numbers")
    return DataError(opened.name, f"it could not be read ({first_line(error)})", "check the table")


def _csv_error(text: str, file: CsvFile, opened: Opened) -> DataError | None:
    line = re.search(r"CSV Error on Line: (\d+)", text)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if len(opened.files) == 1 and line and fields:
        return ragged_error(file.place, int(line[1]), int(fields[2]), int(fields[1]))
    if (found := ragged(file, len(opened.columns))) is not None:
        return found
    if len(opened.files) == 1 and line:
        problem = "a quote is opened and not closed, or text follows a closing quote" if "quote" in text else "not CSV"
        return DataError(f"{file.place}, line {line[1]}", problem, "repair the line")
    return None
