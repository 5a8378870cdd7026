"""Any source as a relation of the embedded engine with columns c0, c1, …: names of the source never become SQL names."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from liftgate.errors import DataError, UsageError
from liftgate.labels import Label
from liftgate.tables import frames
from liftgate.tables.csv import CsvFile, no_duplicates
from liftgate.tables.dialects import DUCKDB, Dialect

LEAST_MEMORY = 100_000  # in kB


def header_names(columns: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """The column names of a file without a header: a sequence, or one text with commas between them."""
    if isinstance(columns, str):
        return tuple(name.strip() for name in columns.split(","))
    return None if columns is None else tuple(columns)


@dataclass(frozen=True)
class Options:
    """How to read a source."""

    table: str | None = None
    query: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    columns: tuple[str, ...] | None = None
    trim: bool = False
    memory: str | None = None


@dataclass(frozen=True)
class Bound:
    """A relation that the engine can read: FROM text with columns c<position>, and labels of columns that hold codes."""

    con: Any
    relation: str
    labels: dict[int, list[Label]] = field(default_factory=dict)
    dialect: Dialect = DUCKDB


@dataclass(frozen=True)
class Opened:
    """A source whose columns are known; `bind(wanted, binned)` makes its relation."""

    name: str
    columns: tuple[str, ...]
    bind: Callable[[Sequence[int], Sequence[int]], Bound]
    notes: tuple[str, ...] = ()
    files: tuple[CsvFile, ...] = ()
    partitions: tuple[str, ...] = ()  # columns that the names of folders stand for, behind those of the files
    engine: str = "DuckDB"

    @property
    def width(self) -> int:
        """How many columns the files themselves hold."""
        return len(self.columns) - len(self.partitions)


@contextlib.contextmanager
def open_source(source: Any, options: Options) -> Iterator[Opened]:
    """Open a path, several paths, a frame, or a DuckDB connection or relation; everything of ours is closed after."""
    with contextlib.ExitStack() as stack:
        yield _open(source, options, stack)


def _open(source: Any, options: Options, stack: contextlib.ExitStack) -> Opened:
    from liftgate.tables import postgres, spark

    kind = frames.kind_of(source)
    module, name = type(source).__module__.split(".")[0], type(source).__name__
    database = module in ("duckdb", "_duckdb") and name == "DuckDBPyConnection"
    if database:
        only_for_files(options)
        no_memory(options, "SET memory_limit on the connection")
        return _from_connection(source, options, "DuckDB")
    if postgres.is_address(source) or postgres.is_connection(source):
        return postgres.open_postgres(source, options, stack)
    if spark.is_address(source) or spark.is_session(source) or spark.is_frame(source):
        return spark.open_spark(source, options, stack)
    if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in (".duckdb", ".ddb", ".db"):
        only_for_files(options)
        return _from_database(Path(source), options, stack)
    if options.table is not None or options.query is not None:
        raise UsageError(
            "table, query",
            "they belong to a database",
            "give a DuckDB database, postgresql://… or spark://… as the source",
        )
    if kind is not None:
        only_for_files(options)
        return _from_frame(source, kind, options, stack)
    if module in ("duckdb", "_duckdb") and name == "DuckDBPyRelation":
        only_for_files(options)
        return _from_relation(source, options, stack)
    from liftgate.tables.addresses import from_address, is_address
    from liftgate.tables.found import listed
    from liftgate.tables.paths import from_files

    return from_address(source, options, stack) if is_address(source) else from_files(listed(source), options, stack)


def only_for_files(options: Options) -> None:
    for name in ("delimiter", "encoding", "columns"):
        if getattr(options, name) is not None:
            raise UsageError(name, "it belongs to CSV files", f"leave {name} out for this source")


def no_memory(options: Options, fix: str) -> None:
    """Refuse a limit that only the embedded engine would keep."""
    if options.memory is not None:
        raise UsageError("memory", "the memory of another engine is not ours to set", fix)


def quote(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def connect(stack: contextlib.ExitStack, paths: Sequence[Path] = (), memory: str | None = None) -> Any:
    """A private engine that can read the given files and nothing else, installs nothing and spills nothing to a disk."""
    con = private_engine(stack, memory)
    if paths:
        con.execute(f"SET allowed_paths = [{', '.join(literal(str(p)) for p in paths)}]")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")
    return con


def private_engine(stack: contextlib.ExitStack, memory: str | None) -> Any:
    """An engine of our own with our settings, not yet locked."""
    import duckdb

    con = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    stack.callback(con.close)
    con.execute(f"SET threads = {max(1, len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else 1)}")
    con.execute("SET enable_progress_bar = false")
    con.execute("SET python_enable_replacements = false")
    con.execute("SET temp_directory = ''")
    if memory is not None:
        con.execute(f"SET memory_limit = {literal(memory_size(memory))}")
    return con


def memory_size(text: str) -> str:
    """A size of memory in the words of the engine.

    >>> memory_size("300 mb"), memory_size("1.5GB")
    ('300MB', '1.5GB')
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([KMGT]i?B)", text.strip(), re.I)
    if found is None:
        raise UsageError("memory", f"{text!r} is not a size", "write 300MB or 2GB")
    unit = found[2].upper().replace("I", "i")
    if float(found[1]) * 1000.0 ** "KMGT".index(unit[0]) < LEAST_MEMORY:
        raise UsageError("memory", f"{text} is too little for the engine", "give 100MB or more")
    return f"{found[1]}{unit}"


# ---- databases ---------------------------------------------------------------------------------


def _from_connection(con: Any, options: Options, name: str) -> Opened:
    import duckdb

    if (options.table is None) == (options.query is None):
        raise UsageError(
            name,
            "no table is named" if options.table is None else "both a table and a query are named",
            "give table= or query=",
        )
    if options.query is not None:
        name, inner = "query", f"\n{_one_select(con, options.query)}\n"
        tries = [inner]
    else:
        name = str(options.table)
        tries = [f"SELECT * FROM {quote(name)}"]
        if "." in name:
            tries.append(f"SELECT * FROM {'.'.join(quote(part) for part in name.split('.'))}")
    problem = ""
    for inner in tries:
        try:
            columns = tuple(con.sql(f"SELECT * FROM ({inner}) AS t LIMIT 0").columns)
            break
        except duckdb.Error as e:
            problem = problem or first_line(e)
    else:
        raise DataError(name, problem, "name a table or a query of this connection that can be read")
    no_duplicates(columns, name)
    relation = f"(SELECT * FROM ({inner}) AS s) AS t({numbered(columns)})"
    return Opened(name, columns, lambda wanted, binned: Bound(con, relation))


def _one_select(con: Any, query: str) -> str:
    """The text of a query that is one SELECT, so that it cannot leave the brackets it will stand in."""
    import duckdb

    try:
        statements = con.extract_statements(query)
    except duckdb.Error as e:
        raise DataError("query", first_line(e), "give one SELECT statement") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError("query", "it is not one SELECT statement", "give one SELECT statement")
    text = query.encode()
    for at, kind in reversed(duckdb.tokenize(query)):  # a semicolon at the end, and what is only remarked after it
        if text[at : at + 1] == b";":
            text = text[:at]
        elif kind != duckdb.token_type.comment:
            break
    return text.decode()


def _from_database(path: Path, options: Options, stack: contextlib.ExitStack) -> Opened:
    import duckdb

    from liftgate.tables.paths import readable

    readable(path)
    try:
        con = duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false"})
    except duckdb.Error as e:
        raise DataError(path.name, first_line(e), "give a DuckDB database file") from None
    stack.callback(con.close)
    if options.memory is not None:
        con.execute(f"SET memory_limit = {literal(memory_size(options.memory))}")
    opened = _from_connection(con, options, path.name)
    return Opened(f"{path.name}, {opened.name}", opened.columns, opened.bind)


def _from_relation(relation: Any, options: Options, stack: contextlib.ExitStack) -> Opened:
    columns = tuple(relation.columns)
    no_duplicates(columns, "relation")

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        # A relation keeps no result and runs anew on every call, so it is read once, and only what is needed of it.
        types = [str(t) for t in relation.types]
        chosen = ", ".join(f"{_for_arrow(quote(columns[i]), types[i], i in binned)} AS c{i}" for i in wanted)
        con = connect(stack, memory=options.memory)
        con.register("t", relation.project(chosen).to_arrow_table())
        return Bound(con, "t")

    return Opened("relation", columns, bind)


def _for_arrow(column: str, kind: str, as_number: bool) -> str:
    """A column in a type that Arrow carries without loss (it wraps unsigned 128-bit numbers, and drops time zones)."""
    if kind in ("HUGEINT", "UHUGEINT"):
        return f"CAST({column} AS {'HUGEINT' if as_number else 'BIGNUM'})"
    return f"CAST({column} AS VARCHAR)" if kind == "TIME WITH TIME ZONE" else column


def first_line(error: Exception) -> str:
    """The first line of an engine's message, without its class."""
    return re.sub(r"^\w+( \w+)* Error: ", "", str(error).strip().splitlines()[0])


# ---- frames ------------------------------------------------------------------------------------


def _from_frame(source: Any, kind: str, options: Options, stack: contextlib.ExitStack) -> Opened:
    if kind == "arrow-stream":
        import pyarrow as pa

        source, kind = pa.RecordBatchReader.from_stream(source), "arrow"
    name = {"pandas": "pandas frame", "polars": "polars frame", "arrow": "Arrow table"}[kind]
    columns = frames.column_names(source, kind)
    no_duplicates(columns, name)

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        table, labels = frames.as_table(source, kind, columns, wanted, binned, name)
        con = connect(stack, memory=options.memory)
        con.register("t", table)
        return Bound(con, "t", labels)

    return Opened(name, columns, bind)


def numbered(columns: Sequence[str]) -> str:
    """The names c0, c1, … for all columns of a table."""
    return ", ".join(f"c{i}" for i in range(len(columns)))
