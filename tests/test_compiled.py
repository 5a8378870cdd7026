"""Compiled loops: kept where a folder can be written, told once, and never a reason to fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

LOOP = """
from liftgate.compiled import compiled


@compiled("f8(f8)")
def twice(x):
    return 2 * x


@compiled("f8(f8)")
def thrice(x):
    return 3 * x


print(twice(2.0) + thrice(1.0))
"""
SAID = "compiling the search loops, once for this machine"


def run(folder: Path, package: Path, **more: str) -> tuple[str, str]:
    """Standard output and error of a fresh process that imports the loops from ``package``."""
    env = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | {"HOME": str(folder), **more}
    env["XDG_CACHE_HOME"] = str(folder / "cache")
    done = subprocess.run(
        [sys.executable, str(package / "loops.py")], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def test_the_one_compilation_is_told_once_and_kept(tmp_path: Path) -> None:
    (tmp_path / "loops.py").write_text(LOOP)
    first, second = run(tmp_path, tmp_path), run(tmp_path, tmp_path)
    assert first[0] == second[0] == "7.0\n"
    assert first[1].count(SAID) == 1
    assert second[1] == ""
    assert list((tmp_path / "__pycache__").glob("*.nbi"))


def test_a_chosen_folder_is_used(tmp_path: Path) -> None:
    package, chosen = tmp_path / "package", tmp_path / "chosen"
    package.mkdir()
    (package / "loops.py").write_text(LOOP)
    for expected in (1, 0):
        _, said = run(tmp_path, package, NUMBA_CACHE_DIR=str(chosen))
        assert said.count(SAID) == expected
    assert list(chosen.rglob("*.nbi"))
    assert not list(package.rglob("*.nbi"))


def test_a_package_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    """A plain file stands where the folder for compiled loops would be: the person's cache is used instead."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "loops.py").write_text(LOOP)
    (package / "__pycache__").write_text("")
    for expected in (1, 0):
        out, said = run(tmp_path, package)
        assert out == "7.0\n"
        assert said.count(SAID) == expected
    assert list((tmp_path / "cache").rglob("*.nbi"))


def test_where_nothing_can_be_kept_it_is_compiled_every_time_and_says_so(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "loops.py").write_text(LOOP)
    (package / "__pycache__").write_text("")
    (tmp_path / "cache").write_text("")
    for _ in range(2):
        out, said = run(tmp_path, package)
        assert out == "7.0\n"
        assert said.count("no folder can be written to keep them") == 1
