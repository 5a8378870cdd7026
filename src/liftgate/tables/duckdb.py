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
from liftgate.tables.dialects import DUCKDB, POSTGRES
from liftgate.tables.keys import TEXT, WHOLE, Key, Words, labelled, type_name
from liftgate.tables.sources import Bound, Opened, first_line

PROBE_ROWS = 100_000
CELL_BYTES = 250  # what a group costs the engine, measured at 100 (numbers) to 200 (text), and some room
MOST_PASSES = 4096


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
    """About how many values each side and both together have; None where the first rows show that there are few."""
    if bound.dialect is POSTGRES:  # it has no estimate of its own; its group-by goes to disk where it must
        return None
    keys = [side[0].inner if len(side) == 1 else f"hash({', '.join(k.inner for k in side)})" for side in sides]
    keys.append(f"hash({', '.join(k.inner for side in sides for k in side)})")
    parts = ", ".join(f"{k} AS k{n}" for n, k in enumerate(keys))
    sizes = ", ".join(f"approx_count_distinct(k{n})" for n in range(len(keys)))
    few = f"SELECT {sizes}, count(*) FROM (SELECT {parts} FROM {bound.relation} LIMIT {PROBE_ROWS})"
    *first, rows = bound.con.sql(few).fetchall()[0]
    if rows < PROBE_ROWS or (max(first[:2]) < PROBE_ROWS // 8 and first[2] < PROBE_ROWS // 2):
        return None
    return [int(n) for n in bound.con.sql(f"SELECT {sizes} FROM (SELECT {parts} FROM {bound.relation})").fetchall()[0]]


def passes_for(bound: Bound, cells: int) -> int:
    """In how many passes the engine's memory holds so many cells; a server or a cluster goes to its own disks."""
    if bound.dialect is not DUCKDB:
        return 1
    return max(1, -(-cells * CELL_BYTES // memory_of(bound)))


def memory_of(bound: Bound) -> int:
    """The bytes that the engine may use.

    >>> import duckdb
    >>> con = duckdb.connect(config={"memory_limit": "300MB"})
    >>> memory_of(Bound(con, "t")) // 10**6
    299
    """
    shown = str(bound.con.sql("SELECT current_setting('memory_limit')").fetchall()[0][0])
    number, unit = shown.split()
    return int(float(number) * 1024 ** ("bytes", "KiB", "MiB", "GiB", "TiB").index(unit))


def count_cells(
    bound: Bound,
    sides: Sequence[Sequence[Key]],
    weight: str,
    words: Words,
    place: str,
    most: int,
    check: Callable[[list[int]], None],
    passes: int = 1,
    tell: Callable[[int], None] = lambda passes: None,
) -> Cells:
    """One group-by; NULL is a group of its own. `check` sees about how many values each side has, before labels are made.

    With several passes each takes the cells whose hash falls to it, so that only these have to fit into memory; where
    they do not fit, the number of passes is doubled and `tell` hears of it.
    """
    import duckdb
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = [key for side in sides for key in side]
    while True:
        try:
            table = _grouped(bound, keys, weight, place, most, passes)
            break
        except duckdb.OutOfMemoryException:
            if passes >= MOST_PASSES:
                raise
        passes *= 2
        tell(passes)
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


def _grouped(bound: Bound, keys: Sequence[Key], weight: str, place: str, most: int, passes: int) -> Any:
    """The cells as one Arrow table, counted pass by pass."""
    import pyarrow as pa

    inner = ", ".join(f"{k.inner} AS k{n}" for n, k in enumerate(keys))
    outer = ", ".join(f"{k.outer.format(f'k{n}')} AS k{n}" for n, k in enumerate(keys))
    names = ", ".join(f"k{n}" for n in range(len(keys)))
    places = ", ".join(str(n + 1) for n in range(len(keys)))
    found: list[Any] = []
    for turn in range(passes):
        mine = f"WHERE hash({', '.join(k.inner for k in keys)}) % {passes} = {turn}" if passes > 1 else ""
        grouped = f"SELECT {inner}, {weight} AS n FROM {bound.relation} {mine} GROUP BY {places}"
        query = f"SELECT {outer}, n FROM ({grouped}) AS g({names}, n) LIMIT {most + 1}"
        found.append(bound.con.sql(query).to_arrow_table())
        if sum(len(part) for part in found) > most:
            raise DataError(
                place,
                f"more than {most:,} combinations of values occur",
                "name fewer columns, bin numbers, or allow more cells (--max-cells)",
            )
    return pa.concat_tables(found).combine_chunks()


def check_counts(bound: Bound, index: int, kind: str, opened: Opened, name: str) -> str:
    """The SQL of the count of a row in a pre-counted table, after every count was found whole and not negative."""
    raw, place = f"c{index}", f"{opened.name}, column {name!r}"
    sql = bound.dialect
    if TEXT.fullmatch(kind):
        value = sql.trimmed(raw)
        good = sql.matches(value, "[0-9]{1,36}")
    elif WHOLE.fullmatch(kind):
        good, value = f"{raw} >= 0", raw
    elif kind in ("FLOAT", "DOUBLE"):
        good, value = f"{raw} >= 0 AND {raw} < 9007199254740993 AND {raw} = floor({raw})", raw
    elif kind.startswith("DECIMAL"):
        good, value = f"{raw} >= 0 AND {raw} = floor({raw})", raw
    else:
        raise DataError(place, f"it holds {type_name(kind)} values", "name a column of whole numbers")
    row = "row_number() OVER ()" if sql is DUCKDB else "0"  # rows of the others have no order
    wrong = bound.con.sql(
        f"SELECT r, v FROM (SELECT {row} AS r, {raw} AS v, {good} AS good FROM {bound.relation}) AS w "
        "WHERE good IS NOT TRUE ORDER BY r LIMIT 1"
    ).fetchall()
    if wrong:
        row, found = wrong[0]
        at = f", row {row}" if row else ""
        if len(opened.files) == 1:
            at = f", line {line_of_row(opened.files[0], row - 1)}"
        shown = "a missing count" if found is None or found != found else f"{found} is not a count"
        raise DataError(place + at, shown, "counts are whole numbers, 0 or more")
    return f"sum(CAST({value} AS {sql.huge}))"


def engine_error(error: Exception, opened: Opened) -> LiftgateError:
    """What the engine could not read, in our words and with the line."""
    text = str(error)
    if opened.files:
        for file in opened.files:
            if (found := _csv_error(text, file, opened)) is not None:
                return found
    if "Out of Memory" in text:
        fix = "name fewer public columns, bin numbers, or allow more memory (--memory)"
        return DataError(opened.name, "the values do not fit into memory", fix)
    return DataError(opened.name, f"it could not be read ({first_line(error)})", "check the table")


def _csv_error(text: str, file: CsvFile, opened: Opened) -> DataError | None:
    line = re.search(r"CSV Error on Line: (\d+)", text)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if (found := ragged(file, opened.width)) is not None:  # first: the engine stops counting at one field too many
        return found
    if len(opened.files) == 1 and line and fields:
        return ragged_error(file, int(line[1]), int(fields[2]), int(fields[1]))
    if len(opened.files) == 1 and line:
        problem = "a quote is opened and not closed, or text follows a closing quote" if "quote" in text else "not CSV"
        return DataError(f"{file.place}, line {line[1]}", problem, "repair the line")
    return None
