"""liftgate announce: publish decision rules so that an outcome tells little."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from liftgate.cli.options import Command, together

_FILE = click.Path(dir_okay=False, path_type=Path)
_reading = together(
    click.argument("table", metavar="TABLE"),
    click.option("--group", multiple=True, default=("group",), show_default=True, metavar="COLUMN", help="What readers know of a person; repeat for several."),
    click.option("--private", multiple=True, default=("private",), show_default=True, metavar="COLUMN", help="What they must not learn; repeat for several."),
    click.option("--sensitive", metavar="COLUMN", help="Only this one of several private columns is to be kept."),
    click.option("--people", default="people", show_default=True, metavar="COLUMN", help="Of a rules table: how many people."),
    click.option("--rule", multiple=True, default=("rule",), show_default=True, metavar="COLUMN", help="Of a rules table: the chance of the positive outcome, or of each, the positive last."),
    click.option("--decision", metavar="COLUMN", help="TABLE has one row per person, and this is what was decided."),
    click.option("--positive", metavar="OUTCOME", help="The outcome that counts as positive (with --decision)."),
    click.option("--count", metavar="COLUMN", help="With --decision: how many people each row stands for."),
    click.option("--missing", type=click.Choice(["value", "drop", "refuse"]), default="value", show_default=True, help="What a missing entry is."),
    click.option("--missing-token", "missing_tokens", multiple=True, metavar="WORD", help="A word that also means missing, for example ?."),
    click.option("--columns", metavar="A,B,...", help="Column names of a file without a header."),
    click.option("--delimiter", metavar="CHAR", help="Of a CSV file; detected when not given."),
    click.option("--encoding", metavar="NAME", help="Of a CSV file; detected when not given."),
    click.option("--trim", is_flag=True, help="Cut blanks around CSV fields."),
)  # fmt: skip
_asked = together(
    click.option("--delta", metavar="D", help="Every announced rate within 1 - D of the real one."),
    click.option("--alpha", metavar="A", help="Every announced rate within a factor A of the real one."),
    click.option("--beta", metavar="B", help="Least distorted rules with a confidence of at most B."),
    click.option("--gamma", type=float, metavar="G", help="The same as a minimum uncertainty, G = -log B."),
    click.option("--digits", type=click.IntRange(1, 12), metavar="N", help="Round the announced rates and verify them again."),
    click.option("--values", metavar="V,V,...", help="Values a reader may believe real rates take, for example 0,1/2,1."),
    click.option("--distance", type=click.Choice(["l1", "l2"]), default="l1", show_default=True, help="What least distorted means."),
)  # fmt: skip
_files = together(
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output (it contains the real rules)."),
    click.option("--certificate", type=_FILE, help="Write the private certificate here (it contains the counts)."),
    click.option("--manifest", type=_FILE, help="Write the public manifest here."),
    click.option("--html-private", type=_FILE, help="Write the page for the publisher here."),
    click.option("--html-public", type=_FILE, help="Write the page for the public here; it shows the manifest and nothing else."),
    click.option("--fairness", is_flag=True, help="Put fairness figures of the announced rules into the manifest."),
    click.option("--publisher", metavar="NAME", help="Who publishes."),
    click.option("--force", is_flag=True, help="Replace files that exist."),
    click.option("--policy", type=click.Path(dir_okay=False), help="Options from a file."),
)  # fmt: skip


@click.command("announce", cls=Command)
@_reading
@_asked
@_files
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Announce the decision rules in TABLE so that an outcome says as little as possible about a private value.

    TABLE has columns group, private, people and rule, one row for each group and private value; with --decision it has
    one row for each person. Exit code 0: announced; 1: a reader who knows the method refutes the promise for the
    declared values; 2: could not ask, for example a target below the floor.
    """
    from liftgate.cli.output import print_json, refuse_existing, write_whole
    from liftgate.jobs.announce import publish, read_rules
    from liftgate.transparency import announce

    paths = [options[name] for name in ("certificate", "manifest", "html_private", "html_public")]
    refuse_existing(*paths, force=options["force"])
    rules = read_rules(
        options["table"],
        **{name: options[name] for name in ("group", "private", "decision", "positive", "people", "rule", "sensitive")},
        **_how_to_read(options),
    )
    asked = {name: options[name] for name in ("delta", "alpha", "beta", "gamma", "digits", "distance")}
    values = options["values"].split(",") if options["values"] else None
    found = announce(rules, values=values, **asked)
    published = publish(found, options["publisher"], options["fairness"])
    if options["certificate"]:
        found.certificate.save(options["certificate"], force=options["force"])
    if options["manifest"]:
        write_whole(options["manifest"], published.to_json())
    for name, result in (("html_private", found), ("html_public", published)):
        if options[name]:
            from liftgate.cli.show import command_line
            from liftgate.report import to_html

            told = command_line(ctx) if name == "html_private" else None
            write_whole(options[name], to_html(result, command=told), mode=0o600 if told else 0o644)
    if options["as_json"]:
        data = {"source": str(options["table"]), "rows": rules.size, "groups": rules.groups.size}
        print_json(
            ctx, data=data, assumptions=found.assumptions, verdict=found.inversion.verdict, result=found.to_dict()
        )
    else:
        from liftgate.cli.show_announce import show_announcement

        show_announcement(
            found, [(name, options[name]) for name in ("certificate", "manifest", "html_private", "html_public")]
        )
    return 1 if found.refuted else 0


def _how_to_read(options: dict[str, Any]) -> dict[str, Any]:
    names = ("count", "missing", "missing_tokens", "columns", "delimiter", "encoding", "trim")
    return {name: options[name] for name in names}
