"""Counting costs little more than the bare group-by of the engine, in the same run on the same threads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

MAKE = """COPY (SELECT (hash(i) % 15)::INTEGER AS s, (hash(i + 100000000) % 60)::INTEGER AS a,
(['x', 'y', 'z', 'w'])[1 + (hash(i + 200000000) % 4)::INTEGER]::ENUM('x', 'y', 'z', 'w') AS e
FROM range(10000000) r(i)) TO '{path}' (FORMAT parquet)"""

RUN = """
import json, os, resource, sys, time
import duckdb, pyarrow.parquet
from liftgate.tables import read_joint
path, threads = sys.argv[1], int(sys.argv[2])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
def bare():
    con = duckdb.connect()
    con.execute(f"SET threads = {threads}")
    return con.sql(f"SELECT s, a, e, count(*) FROM read_parquet('{path}') GROUP BY ALL").to_arrow_table()
def ours():
    return read_joint(path, "s", ["a", "e"])
times = {"bare": [], "ours": []}
assert ours().total == 10_000_000 and bare().num_rows == 15 * 240
for _ in range(7):
    for name, run in (("bare", bare), ("ours", ours)):
        start = time.process_time()
        run()
        times[name].append(time.process_time() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"ratio": min(times["ours"]) / min(times["bare"]), "megabytes": peak}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_ten_million_rows_cost_at_most_half_more_than_the_group_by_and_little_memory(
    tmp_path: Path, threads: int
) -> None:
    path = tmp_path / "rows.parquet"
    con = duckdb.connect()
    con.execute(MAKE.format(path=path))
    con.close()
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(path), str(threads)], capture_output=True, text=True, check=True
    )
    found = json.loads(run.stdout)
    print(found)
    assert found["ratio"] < 1.5
    assert found["megabytes"] < 600
