"""Progress on standard error, only where a person is watching."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def counting(what: str) -> Iterator[None]:
    """A line that says what is being counted while it takes time."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"counting {what}"):
        yield
