"""Progress on standard error, only where a person is watching; the first Ctrl-C ends a search with what it has."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def counting(what: str) -> Iterator[Callable[[str], None]]:
    """A line that says what is being counted while it takes time; passes are told to everyone, before they begin."""
    with doing(f"counting {what}") as tell:

        def heard(step: str) -> None:
            if "passes" in step:
                print(step, file=sys.stderr, flush=True)
            tell(step)

        yield heard


@contextmanager
def doing(what: str) -> Iterator[Callable[[str], None]]:
    """A line that says what takes time, and can be changed."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(what)) as status:
        yield lambda text: status.update(Text(f"{what}: {text}"))


@contextmanager
def searching(what: str) -> Iterator[Callable[[float, float], bool]]:
    """A ``progress(found, bound)`` that shows both and returns False once the person has pressed Ctrl-C."""
    stop = threading.Event()

    def ask_to_stop(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, before)
        stop.set()

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, ask_to_stop) if main else None
    try:
        with doing(f"searching ({what}; Ctrl-C takes the best so far)") as tell:

            def progress(found: float, bound: float) -> bool:
                tell(f"found {100 * found:.3f} %, none can keep more than {100 * bound:.3f} % (not yet proven)")
                return not stop.is_set()

            yield progress
    finally:
        if main:
            signal.signal(signal.SIGINT, before)
