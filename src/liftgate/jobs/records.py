"""The one JSON object that every answer is, on the command line and on the local page."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any


def record(
    command: str, policy: Any, data: Any, assumptions: Sequence[str], verdict: str | None, result: Any
) -> dict[str, Any]:
    """What was asked, of what, under which assumptions, and what was found, in plain JSON values."""
    made: dict[str, Any] = plain(
        {
            "liftgate": metadata.version("liftgate"),
            "command": command,
            "policy": policy,
            "data": data,
            "assumptions": list(assumptions),
            "verdict": verdict,
            "result": result,
        }
    )
    return made


def as_text(value: Any) -> str:
    """One line of JSON; floats at full precision."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def whole_text(number: int) -> str:
    """A whole number in decimal, whatever limit the interpreter has set for its digits.

    >>> len(whole_text(3**20000)), whole_text(-(10**5000))[:3], whole_text(7)
    (9543, '-10', '7')
    """
    if number.bit_length() < 10_000:
        return str(number)
    low_digits = number.bit_length() * 3 // 20  # about half of them
    high, low = divmod(abs(number), 10**low_digits)
    return "-" * (number < 0) + whole_text(high) + whole_text(low).zfill(low_digits)


def plain(value: Any) -> Any:
    """A value as JSON has it: infinity as ``"inf"``, fractions as ``"p/q"``, arrays as lists.

    >>> plain({"a": (math.inf, Fraction(1, 3))})
    {'a': ['inf', '1/3']}
    """
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, Fraction):
        over, under = whole_text(value.numerator), whole_text(value.denominator)
        return over if value.denominator == 1 else f"{over}/{under}"
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
