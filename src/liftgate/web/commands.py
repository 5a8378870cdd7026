"""The command that asks the same question on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any


def command_line(command: str, arguments: Sequence[str], options: Mapping[str, Any]) -> str:
    """The words of a command; options that are None, False or empty are left out, lists are repeated.

    >>> command_line("audit", ["my table.csv"], {"public": ["a", "b"], "trim": False, "missing": None, "sample": True})
    "liftgate audit 'my table.csv' --public a --public b --sample"
    """
    parts = ["liftgate", command, *(shlex.quote(a) for a in arguments)]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            parts.append(option)
        elif value not in (None, False, [], ()):
            parts += [
                p
                for v in (value if isinstance(value, list | tuple) else [value])
                for p in (option, shlex.quote(str(v)))
            ]
    return " ".join(parts)
