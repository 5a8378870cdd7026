"""The examples of README.md and docs/ run as tests: Python blocks, and every `liftgate` line of the shell blocks.

Each page works in an empty folder of its own. A shell line that ends in `# exit 1` has to exit with that code; others
have to answer (0 or 1).
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser


def run_commands(example: Example) -> None:
    """Run the `liftgate` lines of a shell block in this process."""
    from liftgate.cli import main

    text = str(example.parsed).replace("\\\n", " ")
    for line in text.splitlines():
        found = re.fullmatch(r"\s*(?:\$ )?liftgate (.*?)(?:\s+# exit ([012]))?", line)
        if found is None:
            continue
        words, wanted = shlex.split(found[1], comments=True), found[2]
        code = main(words)
        assert code == int(wanted) if wanted else code in (0, 1), f"exit {code}: {line.strip()}"


def enter(namespace: dict[str, Any]) -> None:
    """Work in an empty folder, so that a page may write the files it talks about."""
    namespace["_back"] = os.getcwd()
    namespace["_folder"] = tempfile.TemporaryDirectory()
    os.chdir(namespace["_folder"].name)


def leave(namespace: dict[str, Any]) -> None:
    """Go back and remove the folder."""
    os.chdir(namespace["_back"])
    namespace["_folder"].cleanup()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), CodeBlockParser("sh", run_commands), SkipParser()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
    setup=enter,
    teardown=leave,
).pytest()
