"""The few words in which the engines' SQL differs; everything else is one text for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _doubled(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escaped(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@dataclass(frozen=True)
class Dialect:
    """How an engine names types and writes the expressions that differ.

    >>> POSTGRES.matches("c0", "[0-9]+"), SPARK.quoted("a`b")
    ("c0 ~ '^([0-9]+)$'", '`a``b`')
    """

    name: str
    text: str
    double: str
    huge: str
    nan: Callable[[str], str]
    infinite: Callable[[str], str]
    trimmed: Callable[[str], str]
    quotient: Callable[[str, str], str]
    matches: Callable[[str, str], str]
    mark: str = '"'
    literal: Callable[[str], str] = _doubled

    def quoted(self, name: str) -> str:
        """A name as an identifier."""
        return self.mark + name.replace(self.mark, 2 * self.mark) + self.mark


DUCKDB = Dialect(
    name="DuckDB",
    text="VARCHAR",
    double="DOUBLE",
    huge="HUGEINT",
    nan=lambda v: f"isnan({v})",
    infinite=lambda v: f"isinf({v})",
    trimmed=lambda v: f"trim({v}, ' ' || chr(9))",
    quotient=lambda a, b: f"({a}) // {b}",
    matches=lambda v, pattern: f"regexp_full_match({v}, {_doubled(pattern)})",
)
POSTGRES = Dialect(
    name="PostgreSQL",
    text="text",
    double="double precision",
    huge="numeric",
    nan=lambda v: f"{v} = 'NaN'",
    infinite=lambda v: f"{v} IN ('Infinity', '-Infinity')",
    trimmed=lambda v: f"btrim({v}, ' ' || chr(9))",
    quotient=lambda a, b: f"div({a}, {b})",
    matches=lambda v, pattern: f"{v} ~ {_doubled(f'^({pattern})$')}",
)
SPARK = Dialect(
    name="Spark",
    text="STRING",
    double="DOUBLE",
    huge="DECIMAL(38, 0)",
    nan=lambda v: f"isnan({v})",
    infinite=lambda v: f"abs({v}) = CAST('Infinity' AS DOUBLE)",
    trimmed=lambda v: f"trim(BOTH ' \\t' FROM {v})",
    quotient=lambda a, b: f"({a}) div {b}",
    matches=lambda v, pattern: f"{v} RLIKE {_escaped('^(' + pattern + ')' + chr(92) + 'z')}",
    mark="`",
    literal=_escaped,
)
