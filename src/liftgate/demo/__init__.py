"""The table of the demo: people of the Adult census extract, counted by six columns."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["demo_table"]


def demo_table() -> Path:
    """The CSV file that comes with Liftgate: six columns and ``people``, how many rows have these six values.

    >>> with demo_table().open() as lines:
    ...     print(next(lines).strip())
    occupation,relationship,sex,race,income,education,people
    """
    return Path(str(files("liftgate.demo") / "adult_counts.csv"))
