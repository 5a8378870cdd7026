"""More cells than fit into memory are counted in passes, told first; row ids are compared in passes as well."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import liftgate as lg
from liftgate.errors import DataError, UsageError
from liftgate.tables import duckdb as engine
from liftgate.tables import read_joint


def many(path: Path, rows: int, values: int) -> Path:
    """About 15 x ``values`` distinct cells."""
    con = duckdb.connect()
    con.execute(
        f"""COPY (SELECT (hash(i) % 15)::INTEGER AS s, 'a value of some length, number ' || (hash(i + 100000000) % {values})::VARCHAR AS x
        FROM range({rows}) r(i)) TO '{path}' (FORMAT parquet)"""
    )
    con.close()
    return path


@pytest.mark.parametrize("passes", [2, 3, 7])
def test_passes_change_nothing(monkeypatch: pytest.MonkeyPatch, passes: int) -> None:
    """The same joint as one group-by, missing entries, booleans and floats included, and the number is in the notes."""
    rng = np.random.default_rng(1)
    n = 120_000
    x = rng.integers(0, 30_000, n)
    table = pa.table(
        {
            "s": pa.array(rng.integers(0, 3, n), mask=rng.random(n) < 0.1),
            "x": pa.array([f"é{v}" for v in x.tolist()], mask=x % 100 == 0),
            "f": pa.array(np.where(x % 2 == 0, -0.0, 0.0)),
            "b": pa.array((x % 3 == 0).tolist()),
        }
    )
    ask = {"sensitive": ["s"], "public": ["x", "f", "b"], "max_cells": 10**9}
    one = read_joint(table, **ask)
    assert not any("passes" in note for note in one.source.notes)
    monkeypatch.setattr(engine, "passes_for", lambda bound, cells: passes)
    told: list[str] = []
    several = read_joint(table, progress=told.append, **ask)
    assert (one.sensitive, one.public) == (several.sensitive, several.public)
    assert np.array_equal(one.counts, several.counts)
    assert any(f"counted in {passes} passes" in note for note in several.source.notes)
    step = next(t for t in told if "passes" in t)
    assert step.startswith("about ")
    assert step.endswith("s or so")
    assert told.index(step) == len(told) - 1  # before the counting, not after it


def test_a_wrong_guess_of_the_passes_is_made_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the memory does not suffice after all, the passes are doubled until it does."""
    path = many(tmp_path / "m.parquet", 1_500_000, 100_000)
    monkeypatch.setattr(engine, "passes_for", lambda bound, cells: 1)
    told: list[str] = []
    joint = read_joint(path, "s", "x", memory="100MB", progress=told.append)
    assert joint.total == 1_500_000
    assert any("counting anew in 2 passes" in t for t in told)
    assert sum("passes" in note for note in joint.source.notes) == 1


def test_what_fits_in_no_number_of_passes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told in our words, with the option that gives more."""
    path = many(tmp_path / "m.parquet", 1_500_000, 100_000)
    monkeypatch.setattr(engine, "passes_for", lambda bound, cells: 1)
    monkeypatch.setattr(engine, "MOST_PASSES", 1)
    with pytest.raises(DataError, match=r"do not fit into memory.*--memory"):
        read_joint(path, "s", "x", memory="100MB")


def test_the_cap_of_cells_comes_before_any_pass(tmp_path: Path) -> None:
    path = many(tmp_path / "m.parquet", 400_000, 100_000)
    with pytest.raises(DataError, match=r"more than the 1,000,000 cells allowed.*--max-cells"):
        read_joint(path, "s", "x", memory="100MB", max_cells=1_000_000)


@pytest.mark.parametrize(
    ("memory", "told"), [("much", "'much' is not a size"), ("300", "not a size"), ("10MB", "too little")]
)
def test_sizes_that_are_none_are_refused(memory: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_joint(pa.table({"s": [1, 2], "x": [1, 2]}), "s", "x", memory=memory)


def test_the_memory_of_a_connection_is_not_ours() -> None:
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT 1 AS s, 2 AS x")
    with pytest.raises(UsageError, match="not ours to set"):
        read_joint(con, "s", "x", table="t", memory="300MB")


def test_row_ids_are_compared_in_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeated id is found in whichever pass it falls; without one the release is that of a single pass."""
    monkeypatch.setattr(engine, "passes_for", lambda bound, cells: 5)
    good = pa.table({"id": list(range(60)), "s": ["a", "b"] * 30, "x": ["u", "v", "w"] * 20})
    release = lg.protect(read_joint(good, "s", "x"), "lip:0.1")
    assert release.apply(good, tmp_path / "a.parquet", draw="keyed", key=bytes(16), id="id").number == 60
    for twice in range(0, 60, 7):
        ids = [v if v != twice else 59 - twice for v in range(60)]
        bad = good.set_column(0, "id", pa.array(ids))
        with pytest.raises(DataError, match=f"'{59 - twice}' occurs 2 times"):
            release.apply(bad, tmp_path / "b.parquet", draw="keyed", key=bytes(16), id="id")


LIMITED = """
import json, sys
import liftgate as lg
told = []
joint = lg.read_joint(sys.argv[1], "s", "x", memory="300MB", progress=told.append)
print(json.dumps([joint.total, int((joint.counts > 0).sum()), told, list(joint.source.notes)]))
"""


@pytest.mark.slow
def test_2_4_million_cells_in_300_mb(tmp_path: Path) -> None:
    """A single group-by runs out of memory there on two threads; passes do not, and count every row."""
    path = many(tmp_path / "m.parquet", 10_000_000, 162_000)
    run = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True)
    total, cells, told, notes = json.loads(run.stdout)
    bare = duckdb.sql(f"SELECT count(*) FROM (SELECT DISTINCT s, x FROM '{path}')").fetchall()[0][0]
    assert total == 10_000_000
    assert cells == bare > 2_380_000
    assert any("different cells, counted in" in t for t in told)
    assert any("passes" in note for note in notes)


def test_the_command_tells_the_passes_before_they_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, also where nobody watches; what is printed with --json stays one object."""
    from liftgate.cli import main

    path = many(tmp_path / "m.parquet", 5000, 20)
    order: list[str] = []
    real = engine.count_cells

    def counting(*given: object) -> object:
        order.append(capsys.readouterr().err)
        return real(*given)

    monkeypatch.setattr(engine, "approximate_sizes", lambda bound, sides: [15, 20, 300])
    monkeypatch.setattr(engine, "passes_for", lambda bound, cells: 3)
    monkeypatch.setattr(engine, "count_cells", counting)
    words = ["audit", str(path), "--sensitive", "s", "--public", "x", "--memory", "200MB", "--json"]
    assert main(words) == 0
    assert "different cells, counted in 3 passes" in order[0]
    record = json.loads(capsys.readouterr().out)
    assert any("3 passes" in note for note in record["data"]["notes"])
    assert record["policy"]["options"]["memory"] == "200MB"
