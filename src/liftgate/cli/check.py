"""liftgate check: decide whether certificates hold."""

from __future__ import annotations

from typing import Any

import click

from liftgate.cli.options import Command


@click.command("check", cls=Command)
@click.argument("certificates", metavar="CERT...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--allow", multiple=True, metavar="ASSUMPTION", help="Accept this assumption and no other; repeat for more."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
@click.option("--policy", type=click.Path(dir_okay=False), help="Options from a file.")
@click.pass_context
def command(
    ctx: click.Context, /, certificates: tuple[str, ...], allow: tuple[str, ...], as_json: bool, **_: Any
) -> int:
    """Decide whether certificates hold, in whole numbers, without trusting who wrote them.

    Without --allow the assumptions are listed; with it each of them has to be allowed. The same answer without
    Liftgate: python -I -S checker.py CERT
    """
    from liftgate.checker import check
    from liftgate.cli.show import show_verdicts

    verdicts = [(path, check(path, list(allow) or None)) for path in certificates]
    if as_json:
        from liftgate.cli.output import print_json

        records = [
            {"file": path, "accepted": v.holds, "reason": v.reason, "kind": v.kind, "claim": v.claim,
             "assumptions": list(v.assumptions), "readable": v.readable}
            for path, v in verdicts
        ]  # fmt: skip
        every = tuple(sorted({a for _, v in verdicts for a in v.assumptions}))
        word = ("accepted", "refused", "unreadable")[max(v.exit_code for _, v in verdicts)]
        print_json(ctx, data={"files": list(certificates)}, assumptions=every, verdict=word, result=records)
    else:
        show_verdicts(verdicts)
    return max(v.exit_code for _, v in verdicts)
