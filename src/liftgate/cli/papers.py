"""liftgate papers: the figures and printed numbers of a paper, recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from liftgate.cli.options import Command

if TYPE_CHECKING:
    from liftgate.jobs.recomputed import Recomputed
    from liftgate.papers.clock import Progress


@click.command("papers", cls=Command)
@click.argument("name", metavar="NAME")
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Random tables for each figure, or splits of a real one.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random tables.")
@click.option(
    "--seconds", type=float, default=600.0, show_default=True, help="Time limit; what it does not reach is told."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the page here.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--policy", type=click.Path(dir_okay=False), help="Options from a file.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Recompute the figures and printed numbers of the paper NAME (lift, transparency or watchdog) and put them beside the printed ones.

    What is computed on real tables needs their files: LIFTGATE_DATA names the folder that holds adult/adult.data,
    credit_approval/crx.data and compas/compas_slim.csv. Exit code 0: computed, whatever comes out; 2: could not ask.
    """
    from liftgate.cli.output import print_json, refuse_existing, write_whole
    from liftgate.papers import recompute

    refuse_existing(options["html"], force=options["force"])
    with _told() as progress:
        found = recompute(
            options["name"], draws=options["draws"], seconds=options["seconds"], seed=options["seed"], progress=progress
        )
    if options["html"]:
        from liftgate.cli.show import command_line
        from liftgate.report import to_html

        write_whole(options["html"], to_html(found, command=command_line(ctx)))
    if options["as_json"]:
        print_json(ctx, data=found.data, assumptions=found.assumptions, verdict=None, result=found.to_dict())
    else:
        _show(found, options["html"])
    return 0


@contextmanager
def _told() -> Iterator[Progress | None]:
    """Progress on standard error where a person is watching."""
    import sys

    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        yield lambda what, done, of: status.update(f"{what}: {done} of {of}")


def _show(found: Recomputed, html: Path | None) -> None:
    """The result for people: what comes out, what does not, and what is missing."""
    from rich.table import Table

    from liftgate.cli.show import console, verdict_line
    from liftgate.report.papers import number_row, summary

    out = console()
    out.print(verdict_line("recomputed", f"{found.paper.upper()}: {summary(found)}"), soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for head in ("", "printed", "here", "comes out", "in"):
        table.add_column(head, justify="right" if head in ("printed", "here") else "left")
    for number in found.compared:
        row = number_row(number)
        table.add_row(
            row.quantity, row.printed, f"{row.here} {row.error}".strip(), "yes" if number.agrees else "no", row.place
        )
    out.print(table)
    for claim in found.claims:
        errata = f" ({', '.join(claim.errata)})" if claim.errata else ""
        out.print(
            f"  {'✓ holds' if claim.holds else '✗ fails'}: {claim.text} {claim.evidence}{errata}.", soft_wrap=True
        )
    for m in found.missing:
        out.print(f"  Missing: {m.what}: {m.why}. To change that: {m.fix}.", soft_wrap=True)
    out.print(
        f"  Figures computed: {len(found.figures)}. --html FILE draws them, --json prints every point.", soft_wrap=True
    )
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
    if html is not None:
        out.print(f"  Page: {html}", soft_wrap=True)
