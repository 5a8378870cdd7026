"""Start the server: a port on this machine, a token, one line with the address, nothing left at the end."""

from __future__ import annotations

import errno
import secrets
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from liftgate.errors import MissingExtra, UsageError

PORT = 8420
TRIES = 50
LOOPBACK = "127.0.0.1"


def serve(folder: Path, port: int = PORT, browse: bool = True, say: Callable[[str], None] = print) -> None:
    """Serve the page until Ctrl-C."""
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise MissingExtra(
            "liftgate serve", f"it needs {error.name}, which is not installed", 'pip install "liftgate[web]"'
        ) from None
    from liftgate.web.app import application

    if not folder.is_dir():
        raise UsageError(f"--folder {folder}", "there is no such folder", "name a folder with tables")
    listening, note = listen(port)
    at, token = listening.getsockname()[1], secrets.token_urlsafe(24)
    address = f"http://{LOOPBACK}:{at}/{token}/"
    app = application(folder, at, token)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, date_header=False, timeout_graceful_shutdown=2,
        proxy_headers=False, ws="none", lifespan="on",
    )  # fmt: skip
    signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    say(f"Liftgate is at {address}{note}")
    if browse:
        import webbrowser

        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listening])


def listen(port: int) -> tuple[socket.socket, str]:
    """A socket on this machine only: the port that was asked for, else the next free one, which is told; 0 is any."""
    if not 0 <= port <= 65535:
        raise UsageError(f"--port {port}", "there is no such port", "give a number from 0 to 65535")
    for number in range(port, min(65536, port + (TRIES if port else 1))):
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((LOOPBACK, number))
            one.listen(128)
        except OSError as error:
            one.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            continue
        return one, "" if number == port or port == 0 else f" (port {port} is in use)"
    raise UsageError(f"--port {port}", f"the ports from {port} on are in use", "give another port, or 0 for any")
