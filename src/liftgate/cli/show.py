"""What people read on a terminal: verdict first, plain words, no colour where nobody can see it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from liftgate.policy import without_password

if TYPE_CHECKING:
    import click
    from rich.console import Console

    from liftgate.checker import Verdict

MARK = {"within": "✓", "accepted": "✓", "outside": "✗", "REFUSED": "✗", "unknown": "?", "unreadable": "?"}
COLOUR = {"within": "green", "accepted": "green", "outside": "red", "REFUSED": "red"}


def console() -> Console:
    """Standard output; rich decides about colour and width, and never about what labels mean."""
    from rich.console import Console

    from liftgate.report.words import pictured

    class Patient(Console):
        """A reader that stops reading (`| head`) changes neither the answer nor the exit code."""

        def on_broken_pipe(self) -> None:
            self.quiet = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

        def print(self, *objects: Any, **options: Any) -> None:
            """A label may hold line ends and control sequences: they are shown, not obeyed."""
            super().print(*(pictured(o) if isinstance(o, str) else o for o in objects), **options)

    return Patient(highlight=False, markup=False, emoji=False)


def verdict_line(word: str, text: str) -> Any:
    """A mark, a word and a sentence, coloured by the word."""
    from rich.text import Text

    from liftgate.report.words import pictured

    line = Text(f"{MARK.get(word, '·')} ", style=f"bold {COLOUR.get(word, 'yellow')}")
    return line.append(pictured(text), style="bold")


def command_line(ctx: click.Context) -> str:
    """The command that makes the same result again."""
    parts = [ctx.command_path]
    for parameter in ctx.command.params:
        value = ctx.params.get(str(parameter.name))
        if value is None or value is False or value == () or value == parameter.get_default(ctx, call=False):
            continue
        if parameter.param_type_name == "argument":
            parts += [shlex.quote(str(without_password(v))) for v in (value if isinstance(value, tuple) else [value])]
        elif parameter.opts[0] not in ("--policy", "--force"):
            for v in value if isinstance(value, tuple) else [value]:
                parts += [parameter.opts[0]] if v is True else [parameter.opts[0], shlex.quote(str(v))]
    return " ".join(parts)


def show_verdicts(verdicts: Sequence[tuple[str, Verdict]]) -> None:
    """Each certificate: its verdict, what it claims and what that rests on."""
    out = console()
    for path, verdict in verdicts:
        word = ("accepted", "REFUSED", "unreadable")[verdict.exit_code]
        out.print(verdict_line(word, f"{path}: {word}"), soft_wrap=True)
        out.print(f"  {verdict.reason}", soft_wrap=True)
        if verdict.claim is not None:
            out.print(f"  {'Claim' if verdict.holds else 'Claimed, not shown'}: {verdict.claim}", soft_wrap=True)
        if verdict.kind is not None:
            out.print(f"  True only if: {', '.join(verdict.assumptions) or 'nothing assumed'}", soft_wrap=True)
