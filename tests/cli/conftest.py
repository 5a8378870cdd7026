"""A command is run as a person runs it: words in, exit code and two streams out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from liftgate.cli import main

TABLE = "city,job,ill\nnorth,cook,yes\nnorth,cook,no\nsouth,cook,no\nsouth,nurse,yes\nsouth,nurse,no\nnorth,nurse,no\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small table in it, which is the current one."""
    (tmp_path / "people.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """``run("audit", "people.csv", ...)`` gives exit code, standard output and standard error."""

    def call(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([str(w) for w in words])
        out, err = capsys.readouterr()
        return code, out, err

    return call
