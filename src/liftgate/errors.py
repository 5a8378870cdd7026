"""What went wrong, where, and what to do about it: one base class and a handful of errors."""

from __future__ import annotations

import os


class LiftgateError(Exception):
    """An error a person can act on: the place, the value that is wrong there, and the fix.

    >>> print(DataError("adult.csv, column 'race'", "no such column", "did you mean 'Race'?"))
    adult.csv, column 'race': no such column. Fix: did you mean 'Race'?
    """

    def __init__(self, place: str, problem: str, fix: str = "") -> None:
        super().__init__(place, problem, fix)
        self.place = place
        self.problem = problem
        self.fix = fix

    def __str__(self) -> str:
        text = f"{self.place}: {self.problem.rstrip('.')}."
        return f"{text} Fix: {self.fix}" if self.fix else text

    def record(self) -> dict[str, str]:
        """The same three facts for ``--json``."""
        return {"place": self.place, "value": self.problem, "fix": self.fix}


class UsageError(LiftgateError):
    """A question that cannot be asked in this form."""


class DataError(LiftgateError):
    """A table, a matrix or a law that is not what it has to be."""


class BudgetError(LiftgateError):
    """A budget that does not exist, is empty, or does not apply."""


class CertificateError(LiftgateError):
    """A certificate that cannot be written or read."""


class MissingExtra(LiftgateError):
    """An optional part of Liftgate that is not installed."""


def record_of(error: BaseException) -> dict[str, str] | None:
    """The place, the value and the fix of an error a person can act on; None for a fault of ours."""
    if isinstance(error, LiftgateError):
        return error.record()
    if isinstance(error, OSError) and error.filename is not None:
        reason = error.strerror or os.strerror(error.errno or 0)
        return {"place": str(error.filename), "value": reason, "fix": "name a place that exists and is yours"}
    if isinstance(error, MemoryError):
        return {
            "place": "memory",
            "value": "there is not enough of it",
            "fix": "bin or merge columns, or use --max-cells",
        }
    return None
