"""Counting in PostgreSQL and Spark against the group-by of the engine itself, on the same rows in the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from typing import Any

from benchmarks.measuring import ROOT, Record, in_turns, record, scratch

ROWS = {"whole": (1_000_000, 10_000_000), "quick": (50_000,)}
LIMIT = 1.5
VALUES = "CAST((i * 104729) % 7919 % 10 AS {text}) AS s, concat('v', CAST((i * 7919) % 1000 AS {text})) AS v"


def run(quick: bool) -> list[Record]:
    """The ratios; the script of the engine tests starts the server and stops it."""
    if find_spec("psycopg") is None or find_spec("pyspark") is None:
        print('   no engines: pip install -e ".[postgres,spark]"', file=sys.stderr)
        return []
    sizes = " ".join(str(n) for n in ROWS["quick" if quick else "whole"])
    inner = {**os.environ, "LIFTGATE_ENGINES_RUN": f"{sys.executable} -m benchmarks.bench_engines {sizes}"}
    done = subprocess.run(
        ["sh", str(ROOT / "scripts" / "test_engines.sh"), sys.executable],
        cwd=ROOT, env=inner, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"a measured process failed:\n{done.stderr[-3000:]}")
    found: list[Record] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _measured(engine: str, rows: int, ours: Any, own: Any) -> Record:
    least = in_turns({"own": own, "ours": ours}, times=4)
    name = f"{engine}: count {rows:,} rows, 10,000 cells"
    limit = LIMIT if rows >= 10_000_000 else None
    return record(name, "time", least["ours"] / least["own"], "its own group-by", limit=limit)


def _server(rows: int) -> Record:
    import psycopg

    import liftgate as lg

    address = os.environ["LIFTGATE_POSTGRES"]
    with psycopg.connect(address, autocommit=True) as con:
        con.execute("DROP TABLE IF EXISTS bench")
        text = VALUES.format(text="text")
        con.execute(f"CREATE TABLE bench AS SELECT {text} FROM generate_series(1, {rows}::bigint) AS g(i)")
        con.execute("VACUUM ANALYZE bench")
        return _measured(
            "PostgreSQL",
            rows,
            lambda: lg.read_joint(address, "s", "v", table="bench"),
            lambda: con.execute("SELECT s, v, count(*) FROM bench GROUP BY s, v").fetchall(),
        )


def _cluster(session: Any, rows: int, folder: str) -> Record:
    import liftgate as lg

    path = f"{folder}/{rows}"
    session.range(1, rows + 1).withColumnRenamed("id", "i").createOrReplaceTempView("numbers")
    session.sql(f"SELECT {VALUES.format(text='STRING')} FROM numbers").write.parquet(path)
    frame = session.read.parquet(path)
    return _measured(
        "Spark",
        rows,
        lambda: lg.read_joint(frame, "s", "v"),
        lambda: frame.groupBy("s", "v").count().collect(),
    )


def main(sizes: list[int]) -> None:
    """The figures of one running server and one session, as JSON on the last line."""
    warnings.simplefilter("ignore")
    from pyspark.sql import SparkSession

    figures = [_server(rows) for rows in sizes]
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name in ("spark.driver.bindAddress", "spark.driver.host"):
        builder = builder.config(name, "127.0.0.1")
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    try:
        with scratch() as folder:
            figures += [_cluster(session, rows, folder) for rows in sizes]
    finally:
        session.stop()
    print(json.dumps(figures))


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]])
