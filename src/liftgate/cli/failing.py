"""What a command prints when it could not ask: the place, the value and the fix, and exit code 2."""

from __future__ import annotations

import json
import sys

import click

from liftgate.errors import record_of


def could_not_ask(error: BaseException, as_json: bool) -> int:
    """Two short lines on standard error and, with ``--json``, the same facts on standard output."""
    record = _record(error)
    if record is None:
        raise error
    text = f"{record['place']}: {record['value'].rstrip('.')}" if record["place"] else record["value"].rstrip(".")
    for line in (f"error: {text}{'' if text.endswith('?') else '.'}", f"fix: {record['fix']}" if record["fix"] else ""):
        if line:
            print("".join(c if c.isprintable() or c in "\n\u00a0" else repr(c)[1:-1] for c in line), file=sys.stderr)
    if as_json:
        print(json.dumps({"error": record}, ensure_ascii=False))
    return 2


def _record(error: BaseException) -> dict[str, str] | None:
    """Errors a person can act on; anything else is a fault of ours and keeps its traceback."""
    if isinstance(error, click.exceptions.Abort | KeyboardInterrupt):
        return {"place": "", "value": "stopped on request; nothing was written", "fix": ""}
    if isinstance(error, click.UsageError):
        usage = error.ctx.command_path if error.ctx is not None else "liftgate"
        return {"place": usage, "value": error.format_message().rstrip("."), "fix": f"see {usage} --help"}
    if isinstance(error, click.ClickException):
        return {"place": "liftgate", "value": error.format_message(), "fix": ""}
    return record_of(error)
