"""liftgate serve: the local page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from liftgate.cli.options import Command


@click.command("serve", cls=Command)
@click.option("--port", type=int, default=8420, show_default=True, metavar="N", help="Port on this machine; the next free one if it is in use, 0 for any.")  # fmt: skip
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), default=".", metavar="DIR", help="Tables below this folder can be chosen; the current one if none is named.")  # fmt: skip
@click.option("--policy", type=click.Path(dir_okay=False), help="Options from a file.")
def command(port: int, no_open: bool, folder: Path, **_: Any) -> int:
    """Serve a page on this machine for people who would rather look than type; Ctrl-C ends it.

    It prints one line with the address. The page is reachable from this machine only and asks nothing of any other;
    uploads are deleted after an hour and when it ends.
    """
    from liftgate.web.serving import serve

    serve(folder, port, not no_open, click.echo)
    return 0
