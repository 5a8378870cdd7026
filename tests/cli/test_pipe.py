"""A reader that stops reading is nobody's "no"."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("more", "code"), [([], 0), (["--json"], 2)])
def test_a_reader_that_goes_away_is_no_no(more: list[str], code: int, tmp_path: Path) -> None:
    """`liftgate audit … | head` has the code of the answer; JSON that nobody could read is no answer."""
    table = tmp_path / "people.csv"
    table.write_text("illness,town\n" + "flu,A\ncold,B\nflu,B\ncold,A\n" * 9)
    reads, writes = os.pipe()
    os.close(reads)
    script = "from liftgate.cli import run; run()"
    asked = ["audit", str(table), "--sensitive", "illness", "--public", "town", *more]
    done = subprocess.run(
        [sys.executable, "-c", script, *asked], stdout=writes, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writes)
    assert (done.returncode, done.stderr) == (code, "")
