"""liftgate attack: what published figures give away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from liftgate.cli.options import Command

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("attack", cls=Command)
@click.argument("published", metavar="PUBLISHED")
@click.option(
    "--knows",
    metavar="FILE",
    help="Side information: shares of private values with their slack, own records, values of rules.",
)
@click.option(
    "--seconds",
    type=float,
    default=60,
    show_default=True,
    help="Time for the search; what is not solved then is unknown.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
@click.option("--html", type=_FILE, help="Write the report page here.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--policy", type=click.Path(dir_okay=False), help="Options from a file.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Find what PUBLISHED gives away: the tightest interval of every hidden rule and of every guess.

    PUBLISHED is the manifest of an announcement or a JSON file of figures (rates, fairness, influence). Exit code 0:
    nothing is certain beyond what was promised; 1: a rule is pinned, a promise is refuted, the figures contradict each
    other, or unknown; 2: could not ask.
    """
    from liftgate.cli.output import print_json, refuse_existing, write_whole
    from liftgate.jobs.announce import read_published
    from liftgate.jobs.attack import attack_published

    refuse_existing(options["html"], force=options["force"])
    side = None if options["knows"] is None else read_published(options["knows"])
    found = attack_published(read_published(options["published"]), side, options["seconds"])
    if options["html"]:
        from liftgate.cli.show import command_line
        from liftgate.report import to_html

        write_whole(options["html"], to_html(found, command=command_line(ctx)), mode=0o600)
    if options["as_json"]:
        data = {"published": options["published"], "knows": options["knows"]}
        print_json(ctx, data=data, assumptions=found.assumptions, verdict=found.verdict, result=found.to_dict())
    else:
        from liftgate.cli.show_announce import show_attack

        show_attack(found, options["html"])
    return 0 if found.verdict == "open" else 1
