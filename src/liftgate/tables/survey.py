"""A first look at a table: how many rows, and of every column how many values and the commonest of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from liftgate.tables.duckdb import engine_error
from liftgate.tables.sources import Options, header_names, open_source

COMMONEST = 5
MOST_COLUMNS = 200
_PART = 20


@dataclass(frozen=True)
class Column:
    """One column: its name, about how many values it has, how many entries are missing, and the commonest values."""

    name: str
    values: int
    missing: int
    commonest: tuple[str, ...]


@dataclass(frozen=True)
class Survey:
    """The rows and the columns of a table; of a very wide one only the first columns are looked at."""

    rows: int
    columns: tuple[Column, ...]
    width: int
    notes: tuple[str, ...]


def survey(
    source: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: str | Sequence[str] | None = None,
    trim: bool = False,
) -> Survey:
    """Look at a table once; numbers of values are exact up to a thousand and estimates beyond.

    >>> from liftgate.demo import demo_table
    >>> seen = survey(demo_table())
    >>> seen.rows, [(c.name, c.values) for c in seen.columns][:2]
    (3432, [('occupation', 15), ('relationship', 6)])
    """
    import duckdb

    found: list[Column] = []
    with open_source(source, Options(None, None, delimiter, encoding, header_names(columns), trim)) as opened:
        wanted = list(range(min(len(opened.columns), MOST_COLUMNS)))
        bound = opened.bind(wanted, [])
        try:
            rows = int(bound.con.execute(f"SELECT count(*) FROM {bound.relation}").fetchone()[0])
            for start in range(0, len(wanted), _PART):
                found += _look(bound, opened.columns, wanted[start : start + _PART])
        except duckdb.Error as error:
            raise engine_error(error, opened) from None
        return Survey(rows, tuple(found), len(opened.columns), opened.notes)


def _look(bound: Any, names: Sequence[str], part: Sequence[int]) -> list[Column]:
    asked = ", ".join(
        f"approx_count_distinct(c{i}), count(*) - count(c{i}), approx_top_k(CAST(c{i} AS VARCHAR), {COMMONEST})"
        for i in part
    )
    told = bound.con.execute(f"SELECT {asked} FROM {bound.relation}").fetchone()
    sizes = {i: int(told[3 * k]) for k, i in enumerate(part)}
    few = [i for i in part if sizes[i] <= 1000]
    if few:
        counted = ", ".join(f"count(DISTINCT c{i})" for i in few)
        exact = bound.con.execute(f"SELECT {counted} FROM {bound.relation}").fetchone()
        sizes |= {i: int(n) for i, n in zip(few, exact, strict=True)}
    return [
        Column(names[i], sizes[i], int(told[3 * k + 1]), tuple(str(v) for v in told[3 * k + 2] or ()))
        for k, i in enumerate(part)
    ]
