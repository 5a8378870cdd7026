"""liftgate audit: what the public columns say about the sensitive ones."""

from __future__ import annotations

from typing import Any

import click

from liftgate.cli.options import Command, budget_option, joint_from, output_options, table_options


@click.command("audit", cls=Command)
@table_options()
@budget_option
@click.option("--sample", is_flag=True, help="Read the rows as a sample: within, outside or unknown by exact tests.")
@click.option("--alpha", default="0.05", show_default=True, help="Error rate of the sample reading.")
@click.option("--every-subset", type=click.IntRange(1), metavar="K", help="Rank all sets of up to K public columns.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Measure what the public columns of TABLE reveal about the sensitive ones, by value, and compare with a budget.

    TABLE is a CSV, TSV, Parquet or Arrow file. Exit code 0: measured, or every value is within the budget; 1: some
    value is outside, or unknown under the reading asked for; 2: could not ask.
    """
    from liftgate.budget import Budget
    from liftgate.cli.output import exit_code, refuse_existing

    refuse_existing(options["html"], options["certificate"], force=options["force"])
    budget = Budget.parse(options["budget"]) if options["budget"] is not None else None
    answer = _rank if options["every_subset"] else _one
    return exit_code(answer(ctx, options, budget))


def _one(ctx: click.Context, options: dict[str, Any], budget: Any) -> str | None:
    from liftgate.cli.output import print_json, write_whole
    from liftgate.jobs.audit import audit

    joint = joint_from(options)
    found = audit(joint, budget, rows="sample" if options["sample"] else "population", alpha=options["alpha"])
    if options["certificate"] and found.certificate is not None:
        found.certificate.save(options["certificate"], force=options["force"])
    if options["html"]:
        from liftgate.cli.show import command_line
        from liftgate.report import to_html

        write_whole(options["html"], to_html(found, command=command_line(ctx)), mode=0o600)
    if options["as_json"]:
        data = found.joint.source.to_dict()
        print_json(ctx, data=data, assumptions=found.assumptions, verdict=found.verdict, result=found.to_dict())
    else:
        from liftgate.cli.show_audit import show_audit

        show_audit(found, html=options["html"], certificate=options["certificate"])
    return found.verdict


def _rank(ctx: click.Context, options: dict[str, Any], budget: Any) -> str | None:
    from liftgate.cli.output import print_json
    from liftgate.errors import UsageError
    from liftgate.jobs.subsets import every_subset

    for name in ("html", "certificate"):
        if options[name]:
            raise UsageError(f"--{name}", "is for one set of columns", "leave it out, or leave out --every-subset")
    if options["sample"]:
        raise UsageError("--sample", "is for one set of columns", "leave it out, or leave out --every-subset")
    found = every_subset(
        lambda columns: joint_from({**options, "public": columns}), options["public"], options["every_subset"], budget
    )
    if options["as_json"]:
        data, assumed = found.source.to_dict(), found.assumptions
        print_json(ctx, data=data, assumptions=assumed, verdict=found.verdict, result=found.to_dict())
    else:
        from liftgate.cli.show_audit import show_subsets

        show_subsets(found)
    return found.verdict
