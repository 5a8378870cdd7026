"""The columns of a small table, whatever it is held in."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from liftgate.errors import DataError
from liftgate.labels import Label, clean_label


def columns_of(table: Any) -> dict[str, list[Any]]:
    """Columns by name from a mapping of columns, a list of rows, or a pandas, polars or Arrow table.

    >>> columns_of([{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    {'a': [1, 3], 'b': [2, 4]}
    """
    if isinstance(table, Mapping):
        out = {str(name): list(values) for name, values in table.items()}
    elif hasattr(table, "to_pydict"):
        out = table.to_pydict()
    elif hasattr(table, "to_dict") and hasattr(table, "columns"):
        try:
            out = {str(name): list(table[name]) for name in table.columns}
        except (KeyError, TypeError):
            raise DataError("table", f"cannot read the columns of a {type(table).__name__}", "give columns") from None
    elif isinstance(table, Sequence) and table and all(isinstance(row, Mapping) for row in table):
        names = list(table[0])
        for i, row in enumerate(table):
            if list(row) != names:
                raise DataError(f"table, row {i}", "different columns", "give every row the same columns")
        out = {str(name): [row[name] for row in table] for name in names}
    else:
        raise DataError(
            "table",
            f"a {type(table).__name__} is no table",
            "give a data frame, an Arrow table or a mapping of columns",
        )
    if not out or not len(next(iter(out.values()))):
        raise DataError("table", "no rows", "give at least one row")
    lengths = {len(values) for values in out.values()}
    if len(lengths) > 1:
        raise DataError("table", "columns of different lengths", "give one entry for each row")
    return out


def one_label(columns: Mapping[str, Sequence[Any]], names: str | Sequence[str]) -> list[Label]:
    """The labels of a column, or tuples of labels of several columns."""
    several = [names] if isinstance(names, str) else list(names)
    for name in several:
        if name not in columns:
            close = difflib.get_close_matches(name, list(columns), 1)
            fix = f"did you mean {close[0]!r}?" if close else "the columns are " + ", ".join(columns)
            raise DataError(f"column {name!r}", "no such column", fix)
    if len(several) == 1:
        return [clean_label(v) for v in columns[several[0]]]
    return [clean_label(tuple(v)) for v in zip(*(columns[name] for name in several), strict=True)]
