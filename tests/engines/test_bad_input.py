"""What cannot be read or written is told with engine, table, column and a fix, and exit code 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.engines.conftest import People, fill, spread

import liftgate as lg
from liftgate.cli import main
from liftgate.errors import LiftgateError

KEY = b"0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def odd(database: Any, people: People) -> None:
    """Tables with what cannot be a label or an id."""
    database.execute("CREATE TABLE odd (s text, a int[], b bytea, p point, id text, f float, n text)")
    row = "'x', '{1}', '\\x00', '(1,2)', 'twice', 1.5, NULL"
    database.execute(f"INSERT INTO odd VALUES ({row}), ({row}), ('y', '{{2}}', '\\x01', '(1,2)', 'once', 2.5, 'n')")
    database.execute("CREATE TABLE nothing (s text, v text)")
    database.execute("CREATE ROLE stranger LOGIN PASSWORD 'stranger'")


SERVER = [
    ({"table": "nope"}, "flag", "PostgreSQL, table 'nope': no such table"),
    ({"table": "no.such"}, "flag", "PostgreSQL, table 'no.such': no such table"),
    ({}, "flag", "PostgreSQL: no table is named"),
    ({"table": "people", "query": "SELECT 1"}, "flag", "both a table and a query"),
    ({"table": "people"}, "flagg", "PostgreSQL, table 'people', column 'flagg': no such column"),
    ({"table": "odd"}, "a", "PostgreSQL, table 'odd', column 'a': it holds LIST values|INTEGER"),
    ({"table": "odd"}, "b", "column 'b': it holds bytea values"),
    ({"table": "odd"}, "p", "column 'p': it holds point values"),
    ({"table": "nothing"}, "v", "no row, only column names"),
    ({"query": "SELEC 1"}, "v", "not one SELECT"),
    ({"query": "SELECT 1; DROP TABLE people"}, "v", "not one SELECT|refused it"),
    ({"query": "DELETE FROM people RETURNING *"}, "v", "not one SELECT|refused it"),
    ({"query": "SELECT set_config('a.b', 'c', false) AS s, nextval('q') AS v"}, "v", "refused|no such"),
    ({"query": "SELECT 1 / 0 AS v, 'a' AS ill"}, "v", "division by zero"),
    ({"table": "people", "delimiter": ";"}, "flag", "it belongs to CSV files"),
    ({"table": "people", "memory": "1GB"}, "flag", "not ours to set"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "public", "told"), SERVER, ids=[t for _, _, t in SERVER])
def test_what_a_server_cannot_answer(odd: None, server: str, options: dict[str, Any], public: str, told: str) -> None:
    sensitive = "ill" if options.get("table") == "people" else "s"
    with pytest.raises(LiftgateError, match=told):
        lg.read_joint(server, sensitive, public, **options)


def test_what_is_no_server(server: str, people: People, capsys: pytest.CaptureFixture[str]) -> None:
    """Unreachable, wrong password, unknown database, refused permission: exit code 2, and JSON says where."""
    asked = ["--table", "people", "--sensitive", "ill", "--public", "flag", "--json"]
    place = server.split("@")[1]
    told = {
        "postgresql://liftgate:x@127.0.0.1:1/postgres": "cannot be reached",
        server.replace("liftgate:", "liftgate:not"): "refused the user or the password",
        server.replace("/postgres", "/nowhere").replace("postgresql:/nowhere", "postgresql:/"): "cannot be reached",
        f"postgresql://stranger:stranger@{place}": "permission refused",
        "postgresql://[": "the address cannot be read",
    }
    for address, problem in told.items():
        assert main(["audit", address, *asked]) == 2, address
        error = json.loads(capsys.readouterr().out)["error"]
        assert error["place"].startswith("PostgreSQL"), address
        assert problem in error["value"]
        assert error["fix"]


def test_row_ids(odd: None, server: str, spark: Any, tmp_path: Path) -> None:
    """Without repeats, none missing, of a type that every engine writes alike; a duplicate is shown."""
    frame = spark.createDataFrame([("x", "twice", 1.5, None), ("x", "twice", 1.5, None), ("y", "a", 2.5, "n")], "s string, id string, f double, n string")  # fmt: skip
    release = spread(lg.read_joint(server, "s", "n", table="odd"))
    for source, options in ((server, {"table": "odd"}), (frame, {})):
        for column, told in (("id", "'twice' occurs 2 times"), ("n", "a row id is missing"), ("f", "different ways")):
            target = tmp_path / "x.parquet"
            with pytest.raises(LiftgateError, match=told):
                release.apply(source, target, public="s", sensitive="n", draw="keyed", key=KEY, id=column, **options)
    assert list(tmp_path.iterdir()) == []


def test_who_may_not_write_is_told(odd: None, server: str, database: Any, tmp_path: Path) -> None:
    """The right to read is not the right to create."""
    database.execute("GRANT SELECT ON people TO stranger; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    address = f"postgresql://stranger:stranger@{server.split('@')[1]}"
    release = spread(lg.read_joint(address, "ill", "flag", table="people"))
    with pytest.raises(LiftgateError, match="table 'mine': permission refused"):
        release.apply(address, tmp_path / "x", table="people", into="mine")
    assert list(tmp_path.iterdir()) == []


def test_errors_of_the_server_in_our_words() -> None:
    """A full disk and a lost connection, which a test cannot make on a healthy machine."""
    import psycopg.errors as e

    from liftgate.tables.postgres import told

    assert "the server's disk is full; nothing was left behind" in str(told(e.DiskFull("no space"), "PostgreSQL"))
    assert "the connection was lost" in str(told(e.AdminShutdown("terminating connection"), "PostgreSQL"))
    assert "ran out of memory" in str(told(e.OutOfMemory("out of memory"), "PostgreSQL"))


SPARK = [
    ({"table": "nope"}, "flag", "Spark, table 'nope': no such table"),
    ({"query": "SELECT 1 AS v; DROP TABLE x"}, "v", "Spark, query: the query is not one SELECT"),
    ({"query": "DROP TABLE x"}, "v", "not one SELECT"),
    ({"query": "SELECT * FROM parquet.`/no/such/folder`"}, "v", "a path of the query does not exist"),
    ({"query": "SELECT 'a' AS s, array(1) AS v"}, "v", "column 'v': it holds ARRAY values"),
    ({"query": "SELECT 'a' AS s, X'00' AS v"}, "v", "column 'v': it holds BINARY values"),
    ({"query": "SELECT 'a' AS s, map(1, 2) AS v"}, "v", "column 'v': it holds MAP values"),
    ({"query": "SELECT 'a' AS s, 1 AS v WHERE 1 = 2"}, "v", "no row"),
    ({"query": "SELECT 'a' AS s, 1 AS w"}, "v", "Spark, query, column 'v': no such column"),
    ({"query": "SELECT 'a' AS s, CAST('x' AS INT) AS v"}, "v", "cannot be cast|CAST_INVALID_INPUT"),
    ({}, "v", "Spark: no table is named"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "public", "told"), SPARK, ids=[t for _, _, t in SPARK])
def test_what_a_cluster_cannot_answer(spark: Any, options: dict[str, Any], public: str, told: str) -> None:
    with pytest.raises(LiftgateError, match=told):
        lg.read_joint(spark, "s", public, **options)


def test_frames_of_a_cluster(spark: Any, people: People, tmp_path: Path) -> None:
    """A frame takes no table; unseen values are all named; an existing folder is never replaced."""
    frame, _ = people.sources["Spark"]
    with pytest.raises(LiftgateError, match="a Spark frame is a table already"):
        lg.read_joint(frame, "ill", "flag", table="people")
    release = spread(
        lg.read_joint(people.table.filter(pa.compute.equal(people.table["num"], 7)), "ill", ["num", "flag"])
    )
    with pytest.raises(LiftgateError, match=r"columns 'num', 'flag': \d+ values were not seen at design time"):
        release.apply(frame, tmp_path / "x.parquet")
    with pytest.raises(LiftgateError, match="only a PostgreSQL source"):
        release.apply(frame, tmp_path / "x", into="t")
    (tmp_path / "x.parquet").mkdir()
    with pytest.raises(LiftgateError, match="a folder has this name"):
        release.apply(frame, tmp_path / "x.parquet", force=True)


ABSENT = """
import sys
for name in {absent!r}:
    sys.modules[name] = None
from liftgate.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("address", "absent", "environment", "told"),
    [
        ("postgresql://a@b/c", ["psycopg"], {}, 'pip install "liftgate[postgres]"'),
        ("spark://local[1]", ["pyspark"], {}, 'pip install "liftgate[spark]"'),
        ("spark://local[1]", [], {"PATH": "/nowhere", "JAVA_HOME": ""}, "Java is missing"),
        ("spark://local[1]", [], {"JAVA_HOME": "/nowhere"}, "there is no Java in JAVA_HOME"),
        ("spark://127.0.0.1:1", [], {}, "the cluster at 127.0.0.1:1 cannot be reached"),
        ("spark://who knows", [], {}, "the address cannot be read"),
    ],
)
def test_what_is_not_installed_or_not_there(
    address: str, absent: list[str], environment: dict[str, str], told: str
) -> None:
    """Exit code 2, and how to install it."""
    command = [sys.executable, "-c", ABSENT.format(absent=absent), "audit", address, "--table", "t"]
    done = subprocess.run(
        [*command, "--sensitive", "s", "--public", "v"],
        capture_output=True, text=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr


FULL = """
import contextlib, json, os, resource, signal, sys, warnings
warnings.simplefilter("ignore")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.path.insert(0, sys.argv[1])
import liftgate as lg
from tests.engines.conftest import spread
engine, source, folder = sys.argv[2:5]
stack, options, process = contextlib.ExitStack(), {"table": "large"}, 0
if engine == "Spark":
    from liftgate.tables.spark import _connected
    session = _connected("spark://local[2]", stack)
    source = session.range(0, 200000).selectExpr("CAST(id AS STRING) AS id", "concat('v', id % 5) AS v", "id % 2 AS s")
    options, process = {}, session._jvm.java.lang.ProcessHandle.current().pid()
release = spread(lg.read_joint(source, "s", "v", **options))
soft, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
resource.prlimit(process, resource.RLIMIT_FSIZE, (100_000, hard))
try:
    release.apply(source, os.path.join(folder, "x.parquet"), keep=["id"], **options)
    told = "written"
except lg.LiftgateError as error:
    told = str(error)
resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))
print(json.dumps([told, os.listdir(folder)]))
stack.close()
"""


@pytest.mark.parametrize("engine", ["PostgreSQL", "Spark"])
def test_a_full_disk_leaves_nothing_behind(engine: str, server: str, database: Any, tmp_path: Path) -> None:
    """No file may grow beyond 100 kB: an error that says so, and an empty folder."""
    if engine == "PostgreSQL":
        table = pa.table({"id": [str(i) for i in range(200_000)]})
        fill(database, "ids_only", "id text", table)
        database.execute(
            "CREATE TABLE large AS SELECT id, 'v' || CAST(id AS int) % 5 AS v, CAST(id AS int) % 2 AS s FROM ids_only"
        )
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", FULL, root, engine, server, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told, left = json.loads(done.stdout.strip().splitlines()[-1])
    assert "cannot be written" in told
    assert "nothing was left behind" in told
    assert left == []
