"""liftgate tradeoff: what a tighter or looser budget would keep."""

from __future__ import annotations

from typing import Any

import click

from liftgate.cli.options import Command, joint_from, output_options, search_options, table_options


@click.command("tradeoff", cls=Command)
@table_options()
@click.option("--budgets", metavar="A:B:N", help="N evenly spaced budgets lip:A to lip:B (epsilons per side); ldp:A:B:N for ldp.")  # fmt: skip
@click.option("--budget", multiple=True, metavar="BUDGET", help="One budget, as protect takes it; repeat for more, from tight to loose.")  # fmt: skip
@click.option("--mechanisms", default="optimal,merge-best,merge-all", show_default=True, metavar="A,B,...", help="Also merge-all-as-printed and merge-subsets-as-printed, which may break their budget.")  # fmt: skip
@search_options("1e-3")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Show how much of the public columns each mechanism keeps, budget by budget.

    Every point is decided in whole numbers; mechanisms as printed in the papers are marked where they break their
    budget. Exit code 0: shown; 2: could not ask.
    """
    from liftgate.budget import Budget
    from liftgate.cli.output import print_json, refuse_existing, write_whole
    from liftgate.cli.progress import doing
    from liftgate.errors import UsageError
    from liftgate.jobs.tradeoff import budget_range, tradeoff

    refuse_existing(options["html"], force=options["force"])
    if options["certificate"]:
        raise UsageError("--certificate", "a trade-off has no certificate", "use liftgate protect for one budget")
    budgets = budget_range(options["budgets"]) if options["budgets"] else []
    budgets += [Budget.parse(text) for text in options["budget"]]
    if not budgets:
        raise UsageError("--budgets", "no budget was given", "add --budgets 0.25:4:16, or --budget, once or more")
    names = [n.strip() for n in options["mechanisms"].split(",") if n.strip()]
    joint = joint_from(options)
    with doing(f"{len(budgets)} budgets x {len(names)} mechanisms") as tell:
        found = tradeoff(
            joint, budgets, names, options["gap"], options["seconds"], lambda n, of: tell(f"{n} of {of} points")
        )
    if options["html"]:
        from liftgate.cli.show import command_line
        from liftgate.report import to_html

        write_whole(options["html"], to_html(found, command=command_line(ctx)), mode=0o600)
    if options["as_json"]:
        data = joint.source.to_dict()
        print_json(ctx, data=data, assumptions=found.assumptions, verdict=None, result=found.to_dict())
    else:
        from liftgate.cli.show_protect import show_tradeoff

        show_tradeoff(found, html=options["html"])
    return 0
