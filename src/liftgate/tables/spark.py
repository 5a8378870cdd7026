"""Spark as a door: queries run on the cluster, counted cells come back as Arrow, rows stay where they are."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import shutil
import socket
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from liftgate.errors import DataError, LiftgateError, MissingExtra, UsageError
from liftgate.tables.csv import no_duplicates
from liftgate.tables.dialects import SPARK
from liftgate.tables.sources import Bound, Opened, Options, no_memory, only_for_files

ENGINE = "Spark"
ADDRESS = re.compile(r"spark://(.*)", re.IGNORECASE | re.DOTALL)
_TYPES = {
    "boolean": "BOOLEAN", "tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER", "bigint": "BIGINT",
    "float": "FLOAT", "double": "DOUBLE", "date": "DATE", "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP", "void": "NULL",
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """A query with the shape the embedded engine gives its own; nothing runs before rows are asked for."""

    cluster: Cluster
    query: str

    @property
    def frame(self) -> Any:
        """The query as a frame of the cluster."""
        return self.cluster.frame(self.query)

    @property
    def types(self) -> list[str]:
        """The types of the columns in the words of the embedded engine; others keep their own name."""
        return [_type(field.dataType) for field in self.frame.schema.fields]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows of a short answer."""
        with self.cluster.telling():
            return [tuple(row) for row in self.frame.collect()]

    def to_arrow_table(self) -> Any:
        """A short answer as an Arrow table."""
        with self.cluster.telling():
            return self.frame.toArrow()


@dataclass(frozen=True)
class Cluster:
    """A session; every error of Spark names engine, table and fix."""

    session: Any
    place: str = ENGINE

    def frame(self, query: str) -> Any:
        """A query as a frame."""
        with self.telling():
            return self.session.sql(query)

    def sql(self, query: str) -> Answer:
        """A query to be answered."""
        return Answer(self, query)

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Errors of Spark in our words, and not in its log as well."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        log = logging.getLogger("SQLQueryContextLogger")
        was, log.disabled = log.disabled, True
        try:
            yield
        except (PySparkException, Py4JError, ConnectionError) as error:
            raise told(error, self.place) from None
        finally:
            log.disabled = was


def _type(kind: Any) -> str:
    name = str(kind.simpleString())
    if name.startswith(("string", "char(", "varchar(")):
        return "VARCHAR"
    if name.startswith("decimal("):
        return "DECIMAL" + name[7:].replace(",", ", ")
    return "TIME" if re.fullmatch(r"time\(\d\)", name) else _TYPES.get(name, name.partition("<")[0].upper())


# ---- opening -----------------------------------------------------------------------------------


def is_address(source: Any) -> bool:
    """Whether a source is the address of a cluster."""
    return isinstance(source, str) and ADDRESS.match(source) is not None


def is_session(source: Any) -> bool:
    """Whether a source is a running session, without importing pyspark."""
    return _of_spark(source, "SparkSession")


def is_frame(source: Any) -> bool:
    """Whether a source is a frame of a running session."""
    return _of_spark(source, "DataFrame")


def _of_spark(source: Any, name: str) -> bool:
    return any(k.__name__ == name and k.__module__.startswith("pyspark.sql.") for k in type(source).__mro__)


def open_spark(source: Any, options: Options, stack: contextlib.ExitStack) -> Opened:
    """A frame, or a table or a query of a session; what is ours (views, a session made here) ends with the stack."""
    only_for_files(options)
    no_memory(options, "set spark.executor.memory and spark.driver.memory")
    if is_frame(source):
        if options.table is not None or options.query is not None:
            raise UsageError("table, query", "a Spark frame is a table already", "leave them out, or give its session")
        name, frame = f"{ENGINE} frame", source
    else:
        if (options.table is None) == (options.query is None):
            problem = "no table is named" if options.table is None else "both a table and a query are named"
            raise UsageError(ENGINE, problem, "give table= or query= (--table or --query)")
        name = f"{ENGINE}, {'query' if options.table is None else f'table {options.table!r}'}"
        session = _connected(source, stack) if isinstance(source, str) else source
        frame = _named(Cluster(session, name), options)
    columns = tuple(frame.columns)
    no_duplicates(columns, name)
    cluster = Cluster(frame.sparkSession, name)

    def bind(wanted: object, binned: object) -> Bound:
        from pyspark.sql import functions

        view = f"liftgate_{secrets.token_hex(8)}"
        with cluster.telling():
            plain = frame.toDF(*[f"c{i}" for i in range(len(columns))])
            for field in plain.schema.fields:  # values that a collation calls equal are different labels
                if " collate " in field.dataType.simpleString():
                    plain = plain.withColumn(field.name, functions.collate(field.name, "UTF8_BINARY"))
            plain.createOrReplaceTempView(view)
        stack.callback(_dropped, cluster, view)
        return Bound(cluster, view, {}, SPARK)

    return Opened(name, columns, bind, engine=ENGINE)


def _dropped(cluster: Cluster, view: str) -> None:
    """A view of ours goes; a session that is gone has taken it along."""
    with contextlib.suppress(LiftgateError), cluster.telling():
        cluster.session.catalog.dropTempView(view)


def _named(cluster: Cluster, options: Options) -> Any:
    """A table or a query; a query stands in brackets, where nothing but a SELECT can stand."""
    if options.query is not None:
        text = re.sub(r"[\s;]+\Z", "", options.query)
        return cluster.frame(f"SELECT * FROM (\n{text}\n) AS q")
    table = str(options.table)
    tries = [SPARK.quoted(table)]
    if "." in table:
        tries.append(".".join(SPARK.quoted(part) for part in table.split(".")))
    failed: LiftgateError | None = None
    for name in tries:
        try:
            return cluster.frame(f"SELECT * FROM {name}")
        except LiftgateError as error:
            failed = failed or error
    raise failed or DataError(cluster.place, "no such table", "name a table or a view of this session")


def _connected(address: str, stack: contextlib.ExitStack) -> Any:
    """A session of our own: ``spark://HOST:PORT`` is a cluster, ``spark://local[2]`` this machine."""
    try:
        from pyspark import SparkContext
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra(ENGINE, "it is not installed", 'pip install "liftgate[spark]"') from None
    found = ADDRESS.match(address)
    where = found[1].rstrip("/") if found else ""
    if not re.fullmatch(r"local(\[[\d,*]+\])?|[^:/@\s]+:\d+(,[^:/@\s]+:\d+)*", where):
        raise UsageError(ENGINE, "the address cannot be read", "write spark://HOST:PORT, or spark://local[2] for this machine")  # fmt: skip
    _java()
    local = where.startswith("local")
    if not local:
        _reachable(where)
    if SparkContext._active_spark_context is not None:
        raise UsageError(ENGINE, "a session is running in this process", "give this session itself as the source")
    builder = SparkSession.builder.master(where if local else f"spark://{where}").appName("liftgate")
    for key, value in _SETTINGS.items():
        builder = builder.config(key, value)
    for key, value in _LOCAL.items() if local else ():
        builder = builder.config(key, value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            session = builder.getOrCreate()
    except (PySparkException, OSError) as error:
        raise DataError(ENGINE, f"no session could be started ({_first_line(error)})", "check the cluster and Java") from None  # fmt: skip
    stack.callback(session.stop)
    return session


_SETTINGS = {
    "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
}  # fmt: skip
_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "8",
    "spark.pyspark.python": sys.executable,
}  # fmt: skip


def _java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which(os.path.join(home, "bin", "java") if home else "java") is None:
        where = f"there is no Java in JAVA_HOME ({home})" if home else "Java is missing"
        raise MissingExtra(ENGINE, where, "install Java 17 (Debian: apt-get install default-jre-headless), or set JAVA_HOME")  # fmt: skip


def _reachable(where: str) -> None:
    """One of the masters answers; Spark itself would try for a minute."""
    for master in where.split(","):
        host, _, port = master.rpartition(":")
        with contextlib.suppress(OSError, OverflowError), socket.create_connection((host, int(port)), timeout=10):
            return
    raise DataError(ENGINE, f"the cluster at {where} cannot be reached", "check host and port of its master")


# ---- errors ------------------------------------------------------------------------------------

_CONDITIONS = (
    ("TABLE_OR_VIEW_NOT_FOUND", "no such table", "name a table or a view of this session, with its schema: schema.table"),
    ("SCHEMA_NOT_FOUND", "no such schema", "name a schema of this session"),
    ("PATH_NOT_FOUND", "a path of the query does not exist", "check the path"),
    ("PARSE_", "the query is not one SELECT", "give one SELECT statement"),
    ("INSUFFICIENT_PERMISSIONS", "permission refused", "ask its owner for the right to read"),
)  # fmt: skip
_TEXTS = (
    (r"No space left on device|Disk quota exceeded|File too large", "the disk is full", "free space, or choose another folder"),
    (r"AccessControlException|AccessDenied|Permission denied|Mkdirs failed", "permission refused", "ask for the right to read the table, and to write where the release goes"),
    (r"No module named 'liftgate", "its workers do not have Liftgate", "install it on them and name their Python (PYSPARK_PYTHON), or ship both (venv-pack, spark.archives)"),
    (r"OutOfMemoryError|GC overhead|maxResultSize", "the cells do not fit into memory", "name fewer columns, bin numbers, or give the driver more memory"),
    (r"Connection refused|while sending|network|SparkContext was shut down|stopped SparkContext|Broken pipe|Answer from Java side is empty", "the cluster was lost", "try again"),
)  # fmt: skip


def told(error: Exception, place: str) -> LiftgateError:
    """What Spark refused, in our words: by its condition where it has one, else by the cause at the bottom of its text."""
    text = str(error)
    get = getattr(error, "getCondition", None)
    condition = (get() if get is not None else None) or ""
    for start, problem, fix in _CONDITIONS:
        if condition.startswith(start):
            return DataError(place, problem, fix)
    if ours := re.search(r"liftgate\.errors\.DataError: \('(.*?)', [\"'](.*)[\"'], [\"'](.*)[\"']\)", text):
        return DataError(ours[1], ours[2], ours[3])
    for pattern, problem, fix in _TEXTS:
        if re.search(pattern, text):
            return DataError(place, problem, fix)
    return DataError(place, f"Spark refused it ({_first_line(error)})", "check the table or the query")


def _first_line(error: Exception) -> str:
    """The line that says most: the deepest cause of a failed task, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    causes = [line for line in lines if re.match(r"(Caused by: )?[\w.$]*(Error|Exception): \S", line)]
    return re.sub(r"^(Caused by: )?[\w.$]*(Error|Exception): ", "", causes[-1] if causes else lines[0])[:300]
