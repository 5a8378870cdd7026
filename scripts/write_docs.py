"""Writes the pages of docs/ that are made from the lists: measures.md, cli.md and assumptions.md. With --check it only compares."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["COLUMNS"] = "100"
DOCS = Path(__file__).resolve().parent.parent / "docs"


def measures_page() -> str:
    """One table per family of measures."""
    from liftgate.measures import MEASURES

    lines = [
        "# Measures",
        "",
        "Every measure is a functional of the lift matrix and the prior. Nats; lifts are factors, not logarithms. *Survives merging*: merging released values never makes it worse (it obeys data processing).",
        "",
        "This page is written from the list `liftgate.MEASURES` by `make docs`.",
    ]
    families = list(dict.fromkeys(m.family for m in MEASURES.values()))
    for family in families:
        lines += ["", f"## {family.capitalize()}", "", "| name | what it means | formula | unit | survives merging | defined in |", "|---|---|---|---|---|---|"]  # fmt: skip
        for name, m in MEASURES.items():
            if m.family == family:
                cells = (
                    f"`{name}`",
                    m.sentence,
                    f"`{m.formula}`",
                    m.unit or "",
                    "yes" if m.survives_merging else "no",
                    m.citation,
                )
                lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """The help of every command."""
    import click

    from liftgate.cli import COMMANDS
    from liftgate.cli.group import command_named, group

    lines = ["# Commands", "", "This page is written from the commands' own help by `make docs`."]
    top = click.Context(group, info_name="liftgate", max_content_width=100)
    lines += ["", "```text", group.get_help(top), "```"]
    for name in COMMANDS:
        command = command_named(name)
        ctx = click.Context(command, info_name=name, parent=top, max_content_width=100)
        lines += ["", f"## liftgate {name}", "", "```text", command.get_help(ctx), "```"]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def assumptions_page() -> str:
    """Every assumption in two sentences."""
    from liftgate.certificates.assumptions import page

    return page()


PAGES = {"measures.md": measures_page, "cli.md": commands_page, "assumptions.md": assumptions_page}


def main() -> int:
    """Write, or compare."""
    stale = 0
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                print(f"docs/{name} is not what the lists say; run make docs")
                stale = 1
        else:
            path.write_text(text)
            print(f"wrote docs/{name}")
    return stale


if __name__ == "__main__":
    sys.exit(main())
