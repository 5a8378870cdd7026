"""What every command prints: one JSON object, files that appear whole, and the exit code of a verdict."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import click

from liftgate.cli.options import echoed
from liftgate.errors import UsageError
from liftgate.jobs.records import as_text, record

NO = ("outside", "unknown", "refused")


def print_json(
    ctx: click.Context, *, data: Any, assumptions: tuple[str, ...], verdict: str | None, result: Any
) -> None:
    """The one object of ``--json``."""
    click.echo(as_text(record(str(ctx.info_name), echoed(ctx), data, assumptions, verdict, result)))


def exit_code(verdict: str | None) -> int:
    """0 yes or nothing asked, 1 no."""
    return 1 if verdict in NO else 0


def refuse_existing(*paths: Path | None, force: bool) -> None:
    """Stop before the work when a file would be replaced, its folder is missing, or it has another part to play."""
    taken = {Path(word).resolve() for word in _given()}
    for path in paths:
        if path is None:
            continue
        if path.exists() and not force:
            raise UsageError(str(path), "exists", "choose another name or add --force")
        if path.resolve() in taken:
            raise UsageError(
                str(path), "is read, or written twice, by this command", "give each file a name of its own"
            )
        taken.add(path.resolve())
        if not path.parent.is_dir():
            raise UsageError(str(path), f"there is no folder {path.parent}", "make the folder first")


def _given() -> list[str]:
    """The files that the command at hand was given to read."""
    ctx = click.get_current_context(silent=True)
    arguments = [] if ctx is None else [p.name for p in ctx.command.params if isinstance(p, click.Argument)]
    values = [ctx.params.get(str(name)) for name in arguments] if ctx is not None else []
    return [str(v) for v in values if isinstance(v, (str, Path)) and "://" not in str(v)]


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
