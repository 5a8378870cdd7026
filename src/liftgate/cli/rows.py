"""liftgate rows: what every row of a rich table tells, and a release of rows whose counted groups keep a budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from liftgate.cli.options import Command, budget_option, database_options, output_options, together

_reading_options = together(
    click.argument("table", metavar="TABLE"),
    database_options,
    click.option("--sensitive", multiple=True, metavar="COLUMN", help="Sensitive column; repeat for several as one."),
    click.option("--public", multiple=True, metavar="COLUMN", help="Public column, numbers or categories; repeat for more. All of them are released."),
    click.option("--category", "categories", multiple=True, metavar="COLUMN", help="A public column whose numbers are names of categories."),
    click.option("--person", metavar="COLUMN", help="Whose row it is, where people have several: nobody is scored by a model that has seen them."),
    click.option("--missing-token", "missing_tokens", multiple=True, metavar="WORD", help="A word that also means missing, for example ?."),
    click.option("--columns", metavar="A,B,...", help="Column names of a file without a header."),
    click.option("--delimiter", metavar="CHAR", help="Of a CSV file; detected when not given."),
    click.option("--encoding", metavar="NAME", help="Of a CSV file; detected when not given."),
    click.option("--trim", is_flag=True, help="Cut blanks around CSV fields."),
    click.option("--max-classes", type=click.IntRange(2), default=50, show_default=True, help="Refuse more sensitive values."),
)  # fmt: skip


@click.command("rows", cls=Command)
@_reading_options
@budget_option
@click.option("--mode", default="blocks", show_default=True, metavar="NAME", help="What happens to flagged rows: blocks or shuffle permute whole records, suppress leaves them out.")  # fmt: skip
@click.option("--estimator", default="auto", show_default=True, metavar="NAME", help="counting, logistic, quadratic, trees, network, dv, dv-exact or auto.")  # fmt: skip
@click.option("--task", metavar="COLUMN", help="A column to be guessed from the public ones, before and after.")
@click.option("--folds", type=click.IntRange(2, 20), help="Parts for cross-fitting; 5, or 3 from 50,000 rows.")
@click.option("--train-rows", type=click.IntRange(100), default=200_000, show_default=True, help="Learn from at most so many rows, drawn by the seed.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the models. Records never change places by a seed.")  # fmt: skip
@click.option("--out", metavar="FILE|STEM", help="Write the rows: a .parquet or .csv file, or a stem, with the certificate and the manifest beside it.")  # fmt: skip
@click.option("--keep", multiple=True, metavar="COLUMN", help="A column that stays with its person beside the released ones. It is not counted; repeat for more.")  # fmt: skip
@click.option("--scores", type=click.Path(dir_okay=False, path_type=Path), help="Write the scores of every row here, .parquet or .csv (private).")  # fmt: skip
@click.option("--publisher", metavar="NAME", help="Who publishes, for the manifest.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Score every row of a rich table, hide the rows that tell too much, and attack what is left.

    Scores are estimates by models that have not seen the row, and single rows stay unknown. Counted groups of rows are
    certified. Exit code 0: every counted group keeps the budget; 2: could not ask.
    """
    from liftgate.cli.output import exit_code, print_json, refuse_existing, write_whole
    from liftgate.cli.progress import doing
    from liftgate.jobs.rows import release_rows
    from liftgate.policy import without_password

    refuse_existing(options["html"], options["certificate"], options["scores"], force=options["force"])
    budget = _look_ahead(options)
    with doing(f"rows of {without_password(options['table'])}") as tell:
        found = release_rows(
            options["table"],
            list(options["sensitive"]),
            list(options["public"]),
            budget,
            options["mode"],
            options["estimator"],
            options["seed"],
            task=options["task"],
            folds=options["folds"],
            train_rows=options["train_rows"],
            progress=tell,
            person=options["person"],
            keep=options["keep"],
            categories=options["categories"],
            missing_tokens=options["missing_tokens"],
            max_classes=options["max_classes"],
            columns=options["columns"],
            delimiter=options["delimiter"],
            encoding=options["encoding"],
            trim=options["trim"],
            table=options["table_name"],
            query=options["query"],
        )
    written = None
    if options["out"]:
        written = found.write(options["out"], force=options["force"], publisher=options["publisher"])
    if options["scores"]:
        from liftgate.jobs.writing_rows import write_scores

        write_scores(found, options["scores"])
    if options["certificate"]:
        found.certificate.save(options["certificate"], force=options["force"])
    if options["html"]:
        from liftgate.cli.show import command_line
        from liftgate.report import to_html

        write_whole(options["html"], to_html(found, context={"command": command_line(ctx)}), mode=0o600)
    if options["as_json"]:
        result = {**found.to_dict(), "written": None if written is None else written.to_dict()}
        data = found.scores.table.to_dict()
        print_json(ctx, data=data, assumptions=found.assumptions, verdict=found.verdict, result=result)
    else:
        from liftgate.cli.show_rows import show_rows

        show_rows(found, written, options)
    return exit_code(found.verdict)


def _look_ahead(options: dict[str, Any]) -> Any:
    """What can be refused before anything is read."""
    from liftgate.budget import Budget
    from liftgate.errors import UsageError
    from liftgate.estimators import estimator_named
    from liftgate.estimators.release import MODES
    from liftgate.jobs.writing import files_of
    from liftgate.tables.files import refuse

    for side in ("sensitive", "public"):
        if not options[side]:
            raise UsageError(f"--{side}", "no column was named", f"add --{side} COLUMN")
    if not options["budget"]:
        raise UsageError("--budget", "no budget was given", "add --budget, for example --budget lip:0.5")
    if options["mode"] not in MODES:
        raise UsageError("--mode", f"{options['mode']!r} is not known", f"use one of {', '.join(MODES)}")
    estimator_named(options["estimator"])
    scores = options["scores"]
    if scores is not None and scores.suffix.lower() not in (".parquet", ".csv"):
        raise UsageError(f"--scores {scores}", "scores are written as tables", "name a .parquet or .csv file")
    if options["out"]:
        refuse(files_of(options["out"]), options["force"])
    else:
        for name in ("keep", "publisher"):
            if options[name]:
                raise UsageError(f"--{name}", "no rows are written", "add --out, or leave it out")
    return Budget.parse(options["budget"])
