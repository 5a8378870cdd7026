"""Compile loops once, keep the result beside the package or in the person's cache, and say so the first time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

_log = logging.getLogger("liftgate")
_told: set[str] = set()

ONCE = "compiling the search loops, once for this machine and version (about ten seconds)"
EVERY = (
    "compiling the search loops; no folder can be written to keep them, so this happens at every start "
    "(set NUMBA_CACHE_DIR to a folder that can be written)"
)


def compiled(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile now for one explicit signature: one specialisation, at a moment that is known.

    Kept in ``NUMBA_CACHE_DIR`` if set, else beside the source file, else (where the package folder is read-only) in
    the person's cache folder; where none can be written the loops are compiled at every start, which is told.
    """
    import numba

    def wrap(function: Callable[..., Any]) -> Any:
        try:
            made = numba.njit(signature, cache=True, nogil=True, error_model="numpy")(function)
        except RuntimeError as problem:
            if "no locator" not in str(problem):
                raise
            _tell(EVERY)
            return numba.njit(signature, nogil=True, error_model="numpy")(function)
        if made.stats.cache_misses:
            _tell(ONCE)
        return made

    return wrap


def _tell(text: str) -> None:
    """Say it once in this process, on the log."""
    if not _told:
        _told.add(text)
        _log.warning(text)
