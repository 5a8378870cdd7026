"""One PostgreSQL server (scripts/test_engines.sh starts it) and one Spark session for all tests of this folder."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import io
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import liftgate as lg

ROWS = 12_000
WORDS = [
    "café", "cafe\u0301", "日本", "😀", "Ünïcode", "a b", "", None, "A", "a", "  x", "tab\t", 'q"uote', "back\\slash",
    "new\nline", "comma,", "ß", "ss", "Ａ", "\\.", "null", "NULL",
]  # fmt: skip
COLUMNS = (
    "id text, ill text, word text, flag boolean, day date, num int, x double precision, dec numeric(10,2), "
    "ts timestamp, tz timestamptz, cls text"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs the engines; what pyspark itself warns about is not ours."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.engines)
            for what in ("ignore:PySpark does not yet:FutureWarning", "ignore::ResourceWarning"):
                item.add_marker(pytest.mark.filterwarnings(what))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@pytest.fixture(scope="session")
def server() -> str:
    """The address of the server; without it these tests fail, they are never skipped."""
    address = os.environ.get("LIFTGATE_POSTGRES")
    if address is None:
        pytest.fail("no server: run make test-engines, which starts one")
    return address


@pytest.fixture(scope="session")
def server_log() -> Path:
    """The log of the server, which holds every statement and its parameters."""
    return Path(os.environ["LIFTGATE_POSTGRES_LOG"])


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Spark writes its event log."""
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="session")
def spark(events: Path) -> Iterator[Any]:
    """A session on two cores whose tasks may fail twice, with an event log."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF",
            "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": "2", "spark.sql.files.minPartitionNum": "3", "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
            "spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri(),
            "spark.eventLog.compress": "false", "spark.sql.maxPlanStringLength": "100000000",
        }  # fmt: skip
        builder = SparkSession.builder.master("local[2,3]")
        for key, value in settings.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def database(server: str) -> Iterator[Any]:
    """A connection of the tests, which sees what is committed."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as con:
        yield con


def fill(con: Any, name: str, columns: str, table: pa.Table) -> None:
    """A new table of the server with these rows."""
    con.execute(f"CREATE TABLE {name} ({columns})")
    out = io.BytesIO()
    pc.write_csv(table, out, pc.WriteOptions(include_header=False, quoting_style="needed"))
    with con.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN (FORMAT csv)") as copy:
        copy.write(out.getvalue())


def make_people() -> pa.Table:
    """Rows with NULLs, accents, emoji, booleans, dates, numbers, moments and 5,000 classes."""
    rng = np.random.default_rng(3)

    def some(values: list[Any]) -> list[Any]:
        return [values[i] for i in rng.integers(0, len(values), ROWS)]

    day = datetime.date(2019, 12, 25)
    moments = [None, *(int(v) for v in (0, 1_500_000, 1_600_000_000_123_456, -1, 60_000_000))]
    return pa.table(
        {
            "id": pa.array([f"ré{i}" for i in rng.permutation(ROWS)]),
            "ill": pa.array(some(["yes", "no", "no", None, "peut-être"])),
            "word": pa.array(some(WORDS)),
            "flag": pa.array(some([True, False, None])),
            "day": pa.array(some([None, *(day + datetime.timedelta(3 * i) for i in range(9))])),
            "num": pa.array(some([None, -3, 0, 7, 12, 2_000_000_000]), pa.int32()),
            "x": pa.array(some([None, 0.1, -2.5, 3.0, 1e17, 1e-7])),
            "dec": pa.array(
                some([None, *(decimal.Decimal(v) for v in ("0.25", "1.00", "-7.50"))]), pa.decimal128(10, 2)
            ),
            "ts": pa.array(some(moments), pa.timestamp("us")),
            "tz": pa.array(some(moments), pa.timestamp("us", tz="UTC")),
            "cls": pa.array([f"classe {i % 5000:04d} é" for i in rng.permutation(ROWS)]),
        }
    )


@dataclasses.dataclass(frozen=True)
class People:
    """The same rows in the three engines: what ``read_joint`` and ``apply`` take, by the engine's name."""

    table: pa.Table
    sources: dict[str, tuple[Any, dict[str, Any]]]


@pytest.fixture(scope="session")
def people(server: str, database: Any, spark: Any, tmp_path_factory: pytest.TempPathFactory) -> People:
    """Parquet files, a table of the server, a frame of three partitions."""
    table, folder = make_people(), tmp_path_factory.mktemp("people")
    for n in range(3):
        pq.write_table(table.slice(n * ROWS // 3, ROWS // 3), folder / f"{n}.parquet")
    fill(database, "people", COLUMNS, table)
    frame = spark.read.parquet(*[str(folder / f"{n}.parquet") for n in range(3)])
    sources = {
        "DuckDB": ([folder / f"{n}.parquet" for n in range(3)], {}),
        "PostgreSQL": (server, {"table": "people"}),
        "Spark": (frame, {}),
    }
    return People(table, sources)


def spread(joint: lg.Joint) -> lg.Release:
    """A release whose channel is known and random: three quarters stay, one quarter becomes the next value."""
    n, total = len(joint.public), 1 << 40
    at = np.arange(n)
    channel = lg.Channel(
        joint.public,
        joint.public,
        total,
        2 * np.arange(n + 1),
        np.column_stack([at, (at + 1) % n]).ravel(),
        np.tile([3 * total // 4, total // 4], n),
    )
    merged = lg.protect(joint, "alip:60,60", mechanism="merge-all")
    return dataclasses.replace(merged, channel=channel)


def rows_of(written: Any) -> pa.Table:
    """The released rows of a file or of a folder."""
    return pq.read_table(written.rows)
