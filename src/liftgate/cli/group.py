"""The group of commands: it knows their names and sentences, and imports only the one that is asked for."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any

import click

from liftgate import __version__
from liftgate.cli import COMMANDS


class Group(click.Group):
    """Commands by name, imported when used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(COMMANDS)}"
            raise click.UsageError(f"no such command {name!r}; {hint}", ctx)
        return command_named(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def command_named(name: str) -> click.Command:
    """The command in the file of that name."""
    command: click.Command = import_module(f"liftgate.cli.{name}").command
    return command


def options_of(command: click.Command) -> tuple[str, ...]:
    """The names that a policy file may give for a command: its argument and its long options."""
    names = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            names.append(str(parameter.name))
        else:
            names += [o[2:] for o in parameter.opts if o.startswith("--") and o not in ("--help", "--policy")]
    return tuple(names)


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 yes or within the budget, 1 no, 2 could not ask. "
    'Completion: eval "$(_LIFTGATE_COMPLETE=bash_source liftgate)" (or zsh_source, fish_source).',
)
@click.version_option(__version__, prog_name="liftgate", message="%(prog)s %(version)s")
def group(**_: Any) -> None:
    """Know what a release reveals before you release it, and be able to prove it."""
