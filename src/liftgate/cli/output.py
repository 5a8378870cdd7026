"""What every command prints: one JSON object, files that appear whole, and the exit code of a verdict."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from liftgate import __version__
from liftgate.cli.options import echoed
from liftgate.errors import UsageError

NO = ("outside", "unknown", "refused")


def print_json(
    ctx: click.Context, *, data: Any, assumptions: tuple[str, ...], verdict: str | None, result: Any
) -> None:
    """The one object of ``--json``."""
    record = {
        "liftgate": __version__,
        "command": ctx.info_name,
        "policy": echoed(ctx),
        "data": data,
        "assumptions": list(assumptions),
        "verdict": verdict,
        "result": result,
    }
    click.echo(json.dumps(plain(record), ensure_ascii=False, allow_nan=False))


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


def exit_code(verdict: str | None) -> int:
    """0 yes or nothing asked, 1 no."""
    return 1 if verdict in NO else 0


def refuse_existing(*paths: Path | None, force: bool) -> None:
    """Stop before the work when a file would be replaced or its folder is missing."""
    for path in paths:
        if path is None:
            continue
        if path.exists() and not force:
            raise UsageError(str(path), "exists", "choose another name or add --force")
        if not path.parent.is_dir():
            raise UsageError(str(path), f"there is no folder {path.parent}", "make the folder first")


def write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """A file that appears whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
