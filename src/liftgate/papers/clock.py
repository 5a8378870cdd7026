"""A time limit shared by the parts of a recomputation."""

from __future__ import annotations

import time
from collections.abc import Callable

Progress = Callable[[str, int, int], object]
"""Called as ``progress(what, done, of)`` after each piece of work."""


class Clock:
    """Seconds that are left, and who wants to hear about progress."""

    def __init__(self, seconds: float, progress: Progress | None = None) -> None:
        self.seconds = seconds
        self.began = time.monotonic()
        self._progress = progress

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return self.seconds - (time.monotonic() - self.began)

    def past(self, share: float) -> bool:
        """Whether this share of the time is used up."""
        return time.monotonic() - self.began >= share * self.seconds

    def tell(self, what: str, done: int, of: int) -> None:
        """Report a finished piece of work."""
        if self._progress is not None:
            self._progress(what, done, of)
