"""A small escaped table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_ROWS, _COLUMNS = 40, 13


def small_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table of at most 40 rows and 13 columns; says what it leaves out.

    >>> small_table("t", ["a"], [["<b>"]])
    '<table><caption>t</caption><thead><tr><th>a</th></tr></thead><tbody><tr><th>&lt;b&gt;</th></tr></tbody></table>'
    """
    left_out = []
    if len(rows) > _ROWS:
        left_out.append(f"{len(rows) - _ROWS} more rows")
    if len(header) > _COLUMNS:
        left_out.append(f"{len(header) - _COLUMNS} more columns")
    note = f" ({', '.join(left_out)} not shown)" if left_out else ""
    head = "".join(f"<th>{escape(h)}</th>" for h in header[:_COLUMNS])
    body = "".join(
        "<tr>"
        + "".join(f"<{'td' if i else 'th'}>{escape(c)}</{'td' if i else 'th'}>" for i, c in enumerate(row[:_COLUMNS]))
        + "</tr>"
        for row in rows[:_ROWS]
    )
    return (
        f"<table><caption>{escape(caption + note)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
