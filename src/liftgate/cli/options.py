"""Options that several commands share, and the command class that reads policy files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from liftgate.policy import FILE_NAME, Policy, read_policy, redacted, without_password

F = TypeVar("F", bound=Callable[..., Any])


class Command(click.Command):
    """A command whose options may come from a policy file; what is typed wins."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        policy = _policy_for(args)
        if policy is not None:
            from liftgate.cli.group import options_of

            by_name = {option: p for p in reversed(self.params) for option in _names(p)}  # table: the argument
            chosen = policy.options_of(str(info_name), options_of(self))
            extra["default_map"] = {str(by_name[key].name): _fitted(by_name[key], v) for key, v in chosen.items()}
        extra["obj"] = policy or Policy()
        return super().make_context(info_name, args, parent, **extra)


def _fitted(parameter: click.Parameter, value: Any) -> Any:
    """One word where an option takes several is a list of one; a list where it takes one is joined by commas."""
    several = parameter.multiple if isinstance(parameter, click.Option) else parameter.nargs != 1
    if several:
        return value if isinstance(value, list) else [value]
    return ",".join(str(v) for v in value) if isinstance(value, list) else value


def _names(parameter: click.Parameter) -> list[str]:
    if isinstance(parameter, click.Argument):
        return [str(parameter.name)]
    return [o[2:] for o in parameter.opts if o.startswith("--")]


def _policy_for(args: Sequence[str]) -> Policy | None:
    """The policy file that was named, or liftgate.toml in the current folder, which is then told."""
    from liftgate.cli import COMMANDS
    from liftgate.cli.group import command_named, options_of

    path: str | None = None
    for i, arg in enumerate(args):
        if arg.startswith("--policy="):
            path = arg.partition("=")[2]
        elif arg == "--policy" and i + 1 < len(args):
            path = args[i + 1]
    if path is None:
        if not Path(FILE_NAME).is_file() or {"--help", "-h"} & set(args):
            return None
        path = FILE_NAME
        click.echo(f"using the policy file {FILE_NAME} of this folder", err=True)
    return read_policy(path, {name: options_of(command_named(name)) for name in COMMANDS})


def echoed(ctx: click.Context) -> dict[str, Any]:
    """The policy a result carries: the file as it stands, and every option as it was used."""
    policy: Policy = ctx.obj
    used = {_names(p)[0]: _plain(ctx.params.get(str(p.name))) for p in ctx.command.params if p.name != "policy"}
    return {**policy.to_dict(), "options": redacted(used)}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else str(value) if isinstance(value, Path) else value


def together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, in the order they are to be shown."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


database_options = together(
    click.option("--table-name", "--table", "table_name", metavar="NAME", help="Table of a database, where TABLE is postgresql://…, spark://… or a DuckDB file."),
    click.option("--query", metavar="SELECT", help="The same by one SELECT statement."),
)  # fmt: skip


def table_options(required: bool = True) -> Callable[[F], F]:
    """The table and how to read it."""
    return together(
        click.argument("table", metavar="TABLE", required=required),
        database_options,
        click.option("--sensitive", multiple=True, metavar="COLUMN", help="Sensitive column; repeat for several as one."),
        click.option("--public", multiple=True, metavar="COLUMN", help="Public column; repeat for several. age:10, age@quantiles=5 and age@edges=18,65 bin numbers."),
        click.option("--count", metavar="COLUMN", help="The table is counted already; this column holds the counts."),
        click.option("--missing", type=click.Choice(["value", "drop", "refuse"]), default="value", show_default=True, help="What a missing entry is."),
        click.option("--missing-token", "missing_tokens", multiple=True, metavar="WORD", help="A word that also means missing, for example ?."),
        click.option("--zeros", type=click.Choice(["report", "refuse"]), default="report", show_default=True, help="What to do with pairs that never occur."),
        click.option("--columns", metavar="A,B,...", help="Column names of a file without a header."),
        click.option("--delimiter", metavar="CHAR", help="Of a CSV file; detected when not given."),
        click.option("--encoding", metavar="NAME", help="Of a CSV file; detected when not given."),
        click.option("--trim", is_flag=True, help="Cut blanks around CSV fields."),
        click.option("--max-cells", type=click.IntRange(1), metavar="N", help="Refuse tables with more sensitive x public cells."),
        click.option("--memory", metavar="SIZE", help="Memory of the engine, such as 300MB; what does not fit is counted in several passes."),
    )  # fmt: skip


budget_option = click.option(
    "--budget", metavar="BUDGET", help="alip:1,1  lip:1  ldp:1  split:2,0.5  breach:0.1,0.5  between:1/2,2  l1:1,1  chi2:1,1  alpha:10,1,1"
)  # fmt: skip

output_options = together(
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output."),
    click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the report page here."),
    click.option("--certificate", type=click.Path(dir_okay=False, path_type=Path), help="Write the certificate here (it contains the counts)."),
    click.option("--force", is_flag=True, help="Replace files that exist."),
    click.option("--policy", type=click.Path(dir_okay=False), help=f"Options from a file; {FILE_NAME} of the current folder is used when there."),
)  # fmt: skip


def search_options(gap: str) -> Callable[[F], F]:
    """How long and how closely to search."""
    return together(
        click.option("--gap", type=float, default=float(gap), show_default=gap, metavar="SHARE", help="Stop when no release can keep more than this share of the information beyond the one found."),
        click.option("--seconds", type=float, default=60, show_default=True, help="Time for the search; the best release so far is taken then."),
    )  # fmt: skip


def joint_from(options: dict[str, Any]) -> Any:
    """The joint that the table options describe."""
    from liftgate.cli.progress import counting
    from liftgate.errors import UsageError
    from liftgate.tables import read_joint

    for side in ("sensitive", "public"):
        if not options[side]:
            raise UsageError(f"--{side}", "no column was named", f"add --{side} COLUMN")
    with counting(without_password(str(options["table"]))) as tell:
        return read_joint(
            options["table"],
            sensitive=list(options["sensitive"]),
            public=list(options["public"]),
            progress=tell,
            **reading_of(options),
        )


def reading_of(options: dict[str, Any]) -> dict[str, Any]:
    """How the table is to be read, in the words of ``read_joint``."""
    rules = ("count", "missing", "missing_tokens", "zeros", "memory", "query")
    file = ("columns", "delimiter", "encoding", "trim")
    return {
        **{name: options[name] for name in (*rules, *file)},
        "table": options["table_name"],
        **({"max_cells": options["max_cells"]} if options["max_cells"] else {}),
    }
