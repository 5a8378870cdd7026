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


def plain(value: Any) -> Any:
    """A value as JSON has it: infinity as ``"inf"``, fractions as ``"p/q"``, arrays as lists.

    >>> plain({"a": (math.inf, Fraction(1, 3))})
    {'a': ['inf', '1/3']}
    """
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, Fraction | Path):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
