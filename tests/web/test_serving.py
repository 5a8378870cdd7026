"""``liftgate serve``: one line with the address, the next free port, and exit code 2 where it cannot."""

from __future__ import annotations

import builtins
import socket
from pathlib import Path
from typing import Any

import pytest

from liftgate.cli import main
from liftgate.errors import UsageError
from liftgate.web import serving


def test_a_port_in_use_gives_the_next_free_one() -> None:
    """And says so; 0 is any port, and no news."""
    first, note = serving.listen(0)
    port = first.getsockname()[1]
    assert note == ""
    second, note = serving.listen(port)
    assert second.getsockname()[1] != port
    assert note == f" (port {port} is in use)"
    for one in (first, second):
        assert one.getsockname()[0] == "127.0.0.1"
        one.close()


@pytest.mark.parametrize("port", [-1, 65536, 10**9])
def test_ports_that_are_none(port: int) -> None:
    """The number and the fix."""
    with pytest.raises(UsageError, match="no such port"):
        serving.listen(port)


def test_when_no_port_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that names another way."""
    monkeypatch.setattr(serving, "TRIES", 1)
    taken = socket.create_server(("127.0.0.1", 0))
    with taken, pytest.raises(UsageError, match="in use"):
        serving.listen(taken.getsockname()[1])


def test_one_line_with_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The address has a token that is new each time; a browser is opened only if asked."""
    import uvicorn

    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: sockets[0].close())
    lines = []
    for more in ([], ["--no-open"]):
        assert main(["serve", "--port", "0", "--folder", str(tmp_path), *more]) == 0
        lines += capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("Liftgate is at http://127.0.0.1:")
    tokens = [line.rsplit("/", 2)[1] for line in lines]
    assert tokens[0] != tokens[1]
    assert min(map(len, tokens)) >= 32
    assert len(opened) == 1


@pytest.mark.parametrize("words", [["--port", "70000"], ["--port", "x"], ["--folder", "nowhere"], ["--no-such"]])
def test_what_cannot_be_served(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, the place and the fix."""
    assert main(["serve", "--no-open", *words]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With the words that install it."""
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "fastapi":
            raise ImportError("No module named 'fastapi'", name="fastapi")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["serve", "--no-open", "--port", "0"]) == 2
    assert 'pip install "liftgate[web]"' in capsys.readouterr().err
