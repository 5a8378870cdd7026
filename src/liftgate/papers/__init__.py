"""The figures and numbers of the papers, recomputed; one module for each paper and one explicit list."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from liftgate.errors import UsageError
from liftgate.jobs.recomputed import Recomputed
from liftgate.papers.clock import Progress

_ALL: tuple[tuple[str, str], ...] = (
    ("lift", "liftgate.papers.lift"),
    ("transparency", "liftgate.papers.transparency"),
    ("watchdog", "liftgate.papers.watchdog"),
)

PAPERS: Mapping[str, str] = MappingProxyType(dict(_ALL))
"""Name -> module whose function ``recompute(draws, seconds, seed, progress)`` makes the figures."""


def recompute(
    name: str, *, draws: int = 20, seconds: float = 600.0, seed: int = 0, progress: Progress | None = None
) -> Recomputed:
    """The figures of one paper on ``draws`` random tables, in at most about ``seconds``.

    >>> recompute("lif")
    Traceback (most recent call last):
    ...
    liftgate.errors.UsageError: paper: 'lif' is not known. Fix: use one of lift, transparency, watchdog
    """
    if name not in PAPERS:
        raise UsageError("paper", f"{name!r} is not known", f"use one of {', '.join(PAPERS)}")
    if draws < 1:
        raise UsageError("draws", f"{draws} is not a number of tables", "give 1 or more")
    if not 0 < seconds < float("inf"):
        raise UsageError("seconds", f"{seconds} is not positive", "give a positive number of seconds")
    found: Recomputed = import_module(PAPERS[name]).recompute(draws, seconds, seed, progress)
    return found


__all__ = ["PAPERS", "recompute"]
