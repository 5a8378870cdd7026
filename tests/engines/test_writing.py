"""Releases of servers and clusters appear whole: tables in one transaction, folders with their partitions."""

from __future__ import annotations

import datetime
import hashlib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from tests.engines.conftest import People, fill, rows_of, spread

import liftgate as lg
from liftgate.errors import DataError, LiftgateError, UsageError

KEY = b"0123456789abcdef0123456789abcdef"
KILLS = int(os.environ.get("LIFTGATE_KILLS", "3"))


def exists(database: Any, name: str) -> bool:
    """Whether the server has this table."""
    return bool(database.execute("SELECT to_regclass(%s) IS NOT NULL", [name]).fetchone()[0])


def test_a_release_as_a_table(people: People, server: str, database: Any, tmp_path: Path) -> None:
    """The rows of the file, kept columns with their types, and the manifest as the comment of the table."""
    release = spread(lg.read_joint(server, "ill", ["word", "flag"], table="people"))
    keep = ["id", "num", "dec", "day", "tz"]
    ask: dict[str, Any] = {"table": "people", "keep": keep, "draw": "keyed", "key": KEY, "id": "id"}
    written = release.apply(server, tmp_path / "stem", into="public.released", **ask)
    assert written.rows == "public.released"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["stem-release.cert.json", "stem-release.manifest.json"]
    types = database.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = 'released'::regclass AND attnum > 0 ORDER BY attnum"
    ).fetchall()
    assert types == [
        ("word", "text"), ("flag", "boolean"), ("id", "text"), ("num", "integer"), ("dec", "numeric(10,2)"),
        ("day", "date"), ("tz", "timestamp with time zone"),
    ]  # fmt: skip
    comment = database.execute("SELECT obj_description('released'::regclass)").fetchone()[0]
    assert comment == written.manifest.read_text()
    assert json.loads(comment)["certificate_sha256"] == hashlib.sha256(written.certificate.read_bytes()).hexdigest()
    file = rows_of(release.apply(server, tmp_path / "file.parquet", **ask)).to_pylist()
    table = database.execute("SELECT * FROM released").fetchall()
    assert sorted(repr(utc(row)) for row in table) == sorted(repr(utc(list(row.values()))) for row in file)
    assert written.number == len(table) == len(people.table)
    plain = dict(database.execute("SELECT id, row_to_json(p)::text FROM people p").fetchall())
    for row in database.execute("SELECT id, num, dec, day, tz FROM released LIMIT 50").fetchall():
        now = dict(zip(("id", "num", "dec", "day", "tz"), row, strict=True))
        assert json.loads(plain[now["id"]])["num"] == now["num"]


def utc(row: Sequence[Any]) -> list[Any]:
    """Moments in one zone, for the driver of the server has a name of its own for it."""
    return [v.astimezone(datetime.UTC) if isinstance(v, datetime.datetime) else v for v in row]


def test_a_table_is_never_replaced_and_nothing_half_is_seen(
    server: str, database: Any, people: People, tmp_path: Path
) -> None:
    """An existing table, a value the design never saw, and a table that is not a server's."""
    release = spread(lg.read_joint(server, "ill", "flag", table="people"))
    database.execute("CREATE TABLE there (x int)")
    for force in (False, True):
        with pytest.raises(DataError, match="the table exists"):
            release.apply(server, tmp_path / "a", into="there", table="people", force=force)
    assert database.execute("SELECT count(*) FROM there").fetchone() == (0,)
    fewer = spread(lg.read_joint(people.table, "ill", "num"))
    with pytest.raises(DataError, match="not seen at design time: '99'"):
        fewer.apply(server, tmp_path / "a", into="half", query="SELECT ill, 99 AS num FROM people")
    assert not exists(database, "half")
    with pytest.raises(UsageError, match="only a PostgreSQL source"):
        release.apply(people.table, tmp_path / "a", into="half")
    with pytest.raises(UsageError, match="not the name of a table"):
        release.apply(server, tmp_path / "a", into="a.b.c", table="people")
    assert list(tmp_path.iterdir()) == []


def test_a_release_through_a_lent_connection(server: str, database: Any, tmp_path: Path) -> None:
    """Rows are written by a connection beside the lent one, to the same server, sorted where asked."""
    import psycopg

    with psycopg.connect(server) as con:
        release = spread(lg.read_joint(con, "ill", "flag", table="people"))
        written = release.apply(con, tmp_path / "a", into="lent", table="people", order="sorted", keep=["id"])
    rows = database.execute("SELECT flag, id FROM lent").fetchall()
    assert written.number == len(rows)
    order = [(value is None, value) for value, _ in rows]
    falls = sum(a > b for a, b in itertools.pairwise(order))
    assert falls < len(rows) / 100  # a table has no order, but rows went in sorted and lie almost so


def test_counted_and_dropped_rows(server: str, database: Any, spark: Any, tmp_path: Path) -> None:
    """A row stands for as many people as its count says; rows with missing entries are left out where the design said so."""
    table = pa.table({"s": ["x", "y", "x", "y", "x"], "v": ["a", "b", "b", "a", None], "n": [30, 20, 10, 40, 5]})
    fill(database, "few", "s text, v text, n int", table)
    sources: list[tuple[Any, dict[str, Any]]] = [
        (table, {}),
        (server, {"table": "few"}),
        (spark.createDataFrame(table.to_pylist()), {}),
    ]
    for n, (source, options) in enumerate(sources):
        release = spread(lg.read_joint(source, "s", "v", count="n", missing="drop", **options))
        written = release.apply(source, tmp_path / f"{n}.parquet", count="n", **options)
        assert (written.number, written.left_out) == (100, 1)
        values = rows_of(written)["v"].to_pylist()
        assert values == sorted(values)
        assert set(values) == {"a", "b"}


def test_partitioned_input_keeps_its_partitions(people: People, spark: Any, tmp_path: Path) -> None:
    """Folders ``flag=true/`` of the source are folders of the release where the column is kept."""
    frame, _ = people.sources["Spark"]
    frame.select("id", "ill", "word", "num", "flag").write.partitionBy("num", "flag").parquet(str(tmp_path / "in"))
    source = spark.read.parquet(str(tmp_path / "in"))
    release = spread(lg.read_joint(source, "ill", "word"))
    ask: dict[str, Any] = {"draw": "keyed", "key": KEY, "id": "id"}
    written = release.apply(source, tmp_path / "out.parquet", keep=["id", "flag", "num"], **ask)
    parts = {p.parent.relative_to(written.rows).as_posix() for p in written.rows.rglob("*.parquet")}  # type: ignore[union-attr,arg-type]
    assert len(parts) == 18
    assert "num=7/flag=true" in parts
    back = ds.dataset(written.rows, partitioning="hive").to_table().sort_by("id")
    plain = release.apply(people.table, tmp_path / "plain.parquet", keep=["id"], **ask)
    assert back.select(["word", "id"]).to_pylist() == rows_of(plain).sort_by("id").to_pylist()
    without = release.apply(source, tmp_path / "flat.parquet", keep=["id"], **ask)
    assert [p for p in without.rows.iterdir() if p.is_dir()] == []  # type: ignore[union-attr]


# ---- interrupted -------------------------------------------------------------------------------

KILLED = """
import contextlib, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
import liftgate as lg
from tests.engines.conftest import spread
engine, source, options, out = sys.argv[2], sys.argv[3], eval(sys.argv[4]), sys.argv[5]
joint = lg.Joint.from_counts([[5] * 9, [5] * 9], sensitive=[0, 1], public=[f"v{i}" for i in range(9)])
release = spread(joint)
if engine == "Spark":
    from liftgate.tables.spark import _connected
    source = _connected("spark://local[2]", contextlib.ExitStack())
    source.sql("SELECT 1").collect()
else:
    import psycopg, pyarrow.csv
print("ready", flush=True)
release.apply(source, out, keep=["id"], sensitive="s", public="v", **options)
"""
ROOT = Path(__file__).resolve().parents[2]


def kill_once(engine: str, source: str, options: dict[str, Any], out: Path, seconds: float) -> None:
    """Start a release in a process of its own and kill it after some seconds."""
    command = [sys.executable, "-c", KILLED, str(ROOT), engine, source, repr(options), str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def whole(out: Path, rows: int) -> bool:
    """Whether there is a manifest; then the certificate and every row are there too."""
    proof, manifest = (out.with_name(f"{out.name}-release.{e}.json") for e in ("cert", "manifest"))
    if not manifest.exists():
        return False
    assert lg.read_manifest(manifest).certificate_sha256 == hashlib.sha256(proof.read_bytes()).hexdigest()
    if (out.with_name(f"{out.name}-release.parquet")).exists():
        assert ds.dataset(out.with_name(f"{out.name}-release.parquet")).count_rows() == rows
    return True


@pytest.mark.parametrize("into", ["-", "killed"])
def test_kills_of_a_server_release(server: str, database: Any, tmp_path: Path, into: str) -> None:
    """Files, or a table: at any moment the whole release or none (LIFTGATE_KILLS sets how many)."""
    rows = 60_000
    database.execute("DROP TABLE IF EXISTS slow_rows")
    database.execute(
        f"CREATE TABLE slow_rows AS SELECT i AS id, 'v' || i % 9 AS v, i % 2 AS s FROM generate_series(1, {rows}) AS g(i)"
    )
    chance = random.Random(5)
    for n in range(KILLS):
        out, name = tmp_path / str(n), f"killed{n}"
        database.execute(f"DROP TABLE IF EXISTS {name}")
        options = {"table": "slow_rows", **({} if into == "-" else {"into": name})}
        kill_once("PostgreSQL", server, options, out, chance.uniform(0.01, 1.2))
        for _ in range(200):  # the server needs a moment to see that its client is gone
            busy = database.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'liftgate'"
            ).fetchone()
            if busy == (0,):
                break
            time.sleep(0.1)
        there = whole(out, rows)
        if into != "-" and exists(database, name):
            assert database.execute(f"SELECT count(*) FROM {name}").fetchone() == (rows,)
            comment = database.execute("SELECT obj_description(to_regclass(%s))", [name]).fetchone()[0]
            proof = out.with_name(f"{n}-release.cert.json").read_bytes()
            assert json.loads(comment)["certificate_sha256"] == hashlib.sha256(proof).hexdigest()
        elif into != "-":
            assert not there


def test_kills_of_a_cluster_release(people: People, spark: Any, tmp_path: Path) -> None:
    """The process that steers the cluster is killed: a manifest stands beside a whole folder, or there is none."""
    rows = 300_000
    spark.range(0, rows, 1, 4).selectExpr(
        "id", "concat('v', CAST(id % 9 AS STRING)) AS v", "CAST(id % 2 AS INT) AS s"
    ).write.parquet(str(tmp_path / "in"))
    options = {"query": f"SELECT * FROM parquet.`{tmp_path / 'in'}`"}
    chance = random.Random(6)
    for n in range(KILLS):
        out = tmp_path / str(n)
        kill_once("Spark", "", options, out, chance.uniform(0.1, 8))
        whole(out, rows)
        shown = out.with_name(f"{n}-release.parquet")
        assert not shown.exists() or ds.dataset(shown).count_rows() == rows


def test_an_interruption_between_two_renames(people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after the folder of rows stands under its name takes it back."""
    frame, _ = people.sources["Spark"]
    release = spread(lg.read_joint(frame, "ill", "flag"))
    real, renamed = os.replace, []

    def interrupted(a: Path, b: Path) -> None:
        if renamed:
            raise KeyboardInterrupt
        renamed.append(b)
        real(a, b)

    monkeypatch.setattr("liftgate.tables.files.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release.apply(frame, tmp_path / "x.parquet")
    assert len(renamed) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_cannot_be_committed_leaves_no_file(
    server: str, database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate that was renamed already goes when the server does not commit."""
    release = spread(lg.read_joint(server, "ill", "flag", table="people"))

    def refuse(self: Any) -> None:
        raise DataError("PostgreSQL", "refused", "")

    monkeypatch.setattr("liftgate.tables.postgres_rows.NewTable.commit", refuse)
    with pytest.raises(LiftgateError, match="refused"):
        release.apply(server, tmp_path / "x", into="uncommitted", table="people")
    assert list(tmp_path.iterdir()) == []
    assert not exists(database, "uncommitted")
