"""The command line: one file per command; each reads, calls one job and prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence

COMMANDS = {
    "announce": "Announce decision rules so that an outcome tells little.",
    "attack": "Find what published rules and figures give away.",
    "audit": "Measure what public columns reveal about sensitive ones.",
    "check": "Decide whether certificates hold.",
    "couple": "Prove or refute that two output laws are close, exactly.",
    "demo": "Audit and protect a small real table and keep everything it made.",
    "protect": "Release public columns inside a budget, proven, and write the rows.",
    "tradeoff": "Show what a tighter or looser budget would keep.",
    "rows": "Score the rows of a rich table and release them in counted groups.",
    "serve": "Serve a page on this machine for people who would rather look.",
    "papers": "Recompute the figures and printed numbers of a paper.",
}
"""Every command with its one sentence; the file of the same name holds it as ``command``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 yes, 1 no, 2 could not ask."""
    import click

    from liftgate.cli.failing import could_not_ask
    from liftgate.cli.group import group

    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return int(group.main(given, prog_name="liftgate", standalone_mode=False) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except SystemExit:  # click's own word for a reader that went away: nobody has the answer
        return 2
    except (Exception, KeyboardInterrupt) as error:
        return could_not_ask(error, as_json="--json" in given)


def run() -> None:
    """The installed command; a fault of ours shows its traceback and exits with 2, since nothing was answered."""
    try:
        code = main()
    except Exception:
        sys.excepthook(*sys.exc_info())
        code = 2
    sys.exit(code)
