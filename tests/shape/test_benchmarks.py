"""The runner of the benchmarks: every figure has its other side, limits that are broken are marked and end with 1."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.measuring import growth, record
from benchmarks.page import beyond, page

ROOT = Path(__file__).resolve().parents[2]
MACHINE = {"python": "3", "system": "S", "processor": "p", "cores": 2, "versions": {"duckdb": "2 <b>"}}


def a_run(limit: float = 2) -> dict[str, object]:
    """A growth over four decades and two figures with limits."""
    figures = growth("audit <all>", "time", "rows", [10, 1e3, 1e5], [1.0, 90.0, 11000.0], limit=1.1)
    figures += [record("release", "time", 1.6, "a plain copy", limit=limit), record("k", "speed", 300, "x", least=100)]
    return {"machine": MACHINE, "quick": False, "figures": [{"bench": "tables", **f} for f in figures]}


@pytest.mark.parametrize(
    ("value", "limits", "wrong"),
    [
        (1.0, {}, False),
        (1.5, {"limit": 1.5}, False),
        (1.6, {"limit": 1.5}, True),
        (99.0, {"least": 100}, True),
        (100.0, {"least": 100, "limit": 200}, False),
        (math.nan, {"limit": 1.5}, True),
        (math.nan, {"least": 1}, True),
    ],
)
def test_a_figure_beyond_its_limit(value: float, limits: dict[str, float], wrong: bool) -> None:
    """What is not a number keeps no limit."""
    assert beyond(record("a", "time", value, "b", **limits)) == wrong


def test_the_page_needs_nothing_from_outside_and_hides_no_broken_limit() -> None:
    """Escaped, one plot for the growth with its figures in words, and the count of limits kept."""
    text = page(a_run())
    assert "3 of 3 figures with a limit keep it." in text
    assert text.count("<svg") == 1
    assert text.count("<circle") == 3
    assert "1e5: 11,000x" in text
    assert "audit &lt;all&gt;" in text
    assert "2 &lt;b&gt;" in text
    assert "http" not in text
    assert "<script" not in text
    assert "beyond it" not in text
    broken = page(a_run(limit=1.5))
    assert "2 of 3 figures with a limit keep it." in broken
    assert broken.count("beyond it") == 1


@pytest.mark.parametrize(("limit", "code"), [(2, 0), (1.5, 1)])
def test_the_runner_ends_with_1_where_a_limit_is_broken(tmp_path: Path, limit: float, code: int) -> None:
    """Drawing the page of figures measured before."""
    (tmp_path / "bench.json").write_text(json.dumps(a_run(limit)))
    words = [sys.executable, "-m", "benchmarks", "--page", str(tmp_path / "bench.json"), "--out", str(tmp_path / "o")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == code, done.stderr
    assert ("beyond its limit: release" in done.stderr) == (code == 1)
    assert "<svg" in (tmp_path / "o" / "index.html").read_text()


def test_every_bench_says_what_it_measures_and_takes_quick() -> None:
    """``run(quick)``, a docstring, and a name that the runner finds."""
    files = sorted((ROOT / "benchmarks").glob("bench_*.py"))
    assert len(files) >= 7
    for path in files:
        text = path.read_text()
        assert text.startswith('"""'), path.name
        assert "def run(quick: bool" in text, path.name
