"""Any source as a relation of the embedded engine with columns c0, c1, …: names of the source never become SQL names."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from liftgate.errors import DataError, UsageError
from liftgate.labels import Label
from liftgate.tables import frames
from liftgate.tables.csv import CsvFile, inspect, no_duplicates


@dataclass(frozen=True)
class Options:
    """How to read a source."""

    table: str | None = None
    query: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    columns: tuple[str, ...] | None = None
    trim: bool = False


@dataclass(frozen=True)
class Bound:
    """A relation that the engine can read: FROM text with columns c<position>, and labels of columns that hold codes."""

    con: Any
    relation: str
    labels: dict[int, list[Label]] = field(default_factory=dict)


@dataclass(frozen=True)
class Opened:
    """A source whose columns are known; `bind(wanted, binned)` makes its relation."""

    name: str
    columns: tuple[str, ...]
    bind: Callable[[Sequence[int], Sequence[int]], Bound]
    notes: tuple[str, ...] = ()
    files: tuple[CsvFile, ...] = ()


@contextlib.contextmanager
def open_source(source: Any, options: Options) -> Iterator[Opened]:
    """Open a path, several paths, a frame, or a DuckDB connection or relation; everything of ours is closed after."""
    with contextlib.ExitStack() as stack:
        yield _open(source, options, stack)


def _open(source: Any, options: Options, stack: contextlib.ExitStack) -> Opened:
    kind = frames.kind_of(source)
    module, name = type(source).__module__.split(".")[0], type(source).__name__
    database = module in ("duckdb", "_duckdb") and name == "DuckDBPyConnection"
    if database:
        _only_for_files(options)
        return _from_connection(source, options, "DuckDB")
    if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in (".duckdb", ".ddb", ".db"):
        _only_for_files(options)
        return _from_database(Path(source), options, stack)
    if options.table is not None or options.query is not None:
        raise UsageError("table, query", "they belong to a database", "give a DuckDB connection as the source")
    if kind is not None:
        _only_for_files(options)
        return _from_frame(source, kind, stack)
    if module in ("duckdb", "_duckdb") and name == "DuckDBPyRelation":
        _only_for_files(options)
        return _from_relation(source, stack)
    return _from_files(_paths(source), options, stack)


def _only_for_files(options: Options) -> None:
    for name in ("delimiter", "encoding", "columns"):
        if getattr(options, name) is not None:
            raise UsageError(name, "it belongs to CSV files", f"leave {name} out for this source")


def quote(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def connect(stack: contextlib.ExitStack, paths: Sequence[Path] = ()) -> Any:
    """A private engine that can read the given files and nothing else, and installs nothing."""
    import duckdb

    con = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    stack.callback(con.close)
    con.execute(f"SET threads = {max(1, len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else 1)}")
    con.execute("SET enable_progress_bar = false")
    con.execute("SET python_enable_replacements = false")
    if paths:
        con.execute(f"SET allowed_paths = [{', '.join(literal(str(p)) for p in paths)}]")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")
    return con


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
    relation = f"(SELECT * FROM ({inner}) AS s) AS t({_numbered(columns)})"
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

    _readable(path)
    try:
        con = duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false"})
    except duckdb.Error as e:
        raise DataError(path.name, first_line(e), "give a DuckDB database file") from None
    stack.callback(con.close)
    opened = _from_connection(con, options, path.name)
    return Opened(f"{path.name}, {opened.name}", opened.columns, opened.bind)


def _from_relation(relation: Any, stack: contextlib.ExitStack) -> Opened:
    columns = tuple(relation.columns)
    no_duplicates(columns, "relation")

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        # A relation keeps no result and runs anew on every call, so it is read once, and only what is needed of it.
        types = [str(t) for t in relation.types]
        chosen = ", ".join(f"{_for_arrow(quote(columns[i]), types[i], i in binned)} AS c{i}" for i in wanted)
        con = connect(stack)
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


def _from_frame(source: Any, kind: str, stack: contextlib.ExitStack) -> Opened:
    if kind == "arrow-stream":
        import pyarrow as pa

        source, kind = pa.RecordBatchReader.from_stream(source), "arrow"
    name = {"pandas": "pandas frame", "polars": "polars frame", "arrow": "Arrow table"}[kind]
    columns = frames.column_names(source, kind)
    no_duplicates(columns, name)

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        table, labels = frames.as_table(source, kind, columns, wanted, binned, name)
        con = connect(stack)
        con.register("t", table)
        return Bound(con, "t", labels)

    return Opened(name, columns, bind)


# ---- files -------------------------------------------------------------------------------------


def _paths(source: Any) -> list[Path]:
    if isinstance(source, (str, os.PathLike)):
        given: Iterable[Any] = [source]
    elif isinstance(source, Iterable) and not isinstance(source, (bytes, dict)):
        given = list(source)
    else:
        given = [source]
    out: list[Path] = []
    for item in given:
        if not isinstance(item, (str, os.PathLike)):
            raise UsageError(
                "source",
                f"{type(item).__name__} is not a table",
                "give a path, a pandas or polars frame, an Arrow table, or a DuckDB connection",
            )
        text = os.fspath(item)
        if not os.path.exists(text) and glob.has_magic(text):
            found = sorted(glob.glob(text, recursive=True))
            if not found:
                raise DataError(Path(text).name, "no file matches", "check the folder and the pattern")
            out += [Path(f) for f in found]
        else:
            out.append(Path(text))
    if not out:
        raise UsageError("source", "no file is named", "give at least one file")
    return out


def _readable(path: Path) -> None:
    if not path.exists():
        near = ""
        if path.parent.is_dir():
            from difflib import get_close_matches

            close = get_close_matches(path.name, os.listdir(path.parent), n=1)
            near = f"did you mean {close[0]!r}?" if close else ""
        raise DataError(path.name, "no such file", near or "check the path")
    if path.is_dir():
        raise DataError(path.name, "this is a folder", f"name a file, or a pattern such as {path.name}/*.parquet")
    if not path.is_file():
        raise DataError(path.name, "this is not a regular file", "save the table as a file first")
    if not os.access(path, os.R_OK):
        raise DataError(path.name, "the file may not be read", "check its permissions")


def _format(path: Path) -> str:
    _readable(path)
    with path.open("rb") as f:
        head = f.read(8)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")):
        return "arrow"
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise DataError(path.name, "this is a spreadsheet or a zip archive", "save the table as CSV or Parquet")
    if path.suffix.lower() in (".parquet", ".arrow", ".feather", ".ipc") and head:
        raise DataError(path.name, f"this is not a {path.suffix[1:]} file", "give the file its true ending")
    return "csv"


def _from_files(paths: list[Path], options: Options, stack: contextlib.ExitStack) -> Opened:
    kinds = {p: _format(p) for p in paths}
    kind = kinds[paths[0]]
    for path in paths:
        if kinds[path] != kind:
            raise DataError(path.name, f"{kinds[path]} among {kind} files", "give files of one kind")
    name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    if kind != "csv":
        _only_for_files(options)
    opened = {"csv": _from_csv, "parquet": _from_parquet, "arrow": _from_arrow}[kind](paths, options, stack)
    notes = opened.notes if len(paths) == 1 else (f"{len(paths)} files were read as one table", *opened.notes)
    return Opened(name, opened.columns, opened.bind, notes, opened.files)


def _from_csv(paths: list[Path], options: Options, stack: contextlib.ExitStack) -> Opened:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="liftgate-")))
    files = [inspect(p, folder, options.delimiter, options.encoding, options.columns, options.trim) for p in paths]
    columns = options.columns if options.columns is not None else files[0].header or ()
    no_duplicates(columns, "columns" if options.columns is not None else files[0].place)
    for file in files[1:]:
        _same_columns(file.place, file.header or columns, files[0].place, columns)

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        plain_paths = [_plain_path(f.path, folder) for f in files]
        parts = [_csv_sql(f, p, len(columns)) for f, p in zip(files, plain_paths, strict=True)]
        con = connect(stack, plain_paths)
        return Bound(con, parts[0] if len(parts) == 1 else "(" + " UNION ALL ".join(f"FROM {p}" for p in parts) + ")")

    return Opened("", tuple(columns), bind, tuple(n for f in files for n in f.notes), tuple(files))


def _csv_sql(file: CsvFile, path: Path, width: int) -> str:
    """The engine's reader with nothing left to its own detection: every field is text as written."""
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    quoting = "quote='\"', escape='\"'" if file.quoted else "quote='', escape=''"
    return (
        f"read_csv({literal(str(path))}, auto_detect=false, columns={{{types}}}, delim={literal(file.delimiter)}, "
        f"{quoting}, comment='', header={str(file.header is not None).lower()}, skip={file.blank_lines}, nullstr='', "
        f"allow_quoted_nulls=false, compression='{'gzip' if file.compressed else 'none'}', max_line_size=16777216)"
    )


def _from_parquet(paths: list[Path], options: Options, stack: contextlib.ExitStack) -> Opened:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="liftgate-")))
    names: list[tuple[str, ...]] = []
    for path in paths:
        try:
            names.append(tuple(pq.read_schema(path).names))
        except (pa.ArrowException, OSError) as e:
            raise DataError(
                path.name, f"it cannot be read as Parquet ({first_line(e)})", "make the file again"
            ) from None
        no_duplicates(names[-1], path.name)
        _same_columns(path.name, names[-1], paths[0].name, names[0])

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        plain_paths = [_plain_path(p, folder) for p in paths]
        listed = ", ".join(literal(str(p)) for p in plain_paths)
        reader = f"read_parquet([{listed}], hive_partitioning=false, union_by_name=false)"
        return Bound(connect(stack, plain_paths), f"(SELECT * FROM {reader}) AS t({_numbered(names[0])})")

    return Opened("", names[0], bind)


def _from_arrow(paths: list[Path], options: Options, stack: contextlib.ExitStack) -> Opened:
    import pyarrow as pa
    import pyarrow.feather as feather

    def read(path: Path, columns: list[int] | None) -> Any:
        try:
            with path.open("rb") as f:
                streamed = f.read(4) == b"\xff\xff\xff\xff"
            if streamed:
                with pa.memory_map(str(path)) as mapped:
                    table = pa.ipc.open_stream(mapped).read_all()
                return table if columns is None else table.select(columns)
            if columns is None:
                with pa.memory_map(str(path)) as mapped:
                    return pa.ipc.open_file(mapped).schema.empty_table()
            return feather.read_table(path, columns=columns)
        except (pa.ArrowException, OSError) as e:
            raise DataError(path.name, f"it cannot be read as Arrow ({first_line(e)})", "make the file again") from None

    names = [tuple(read(p, None).schema.names) for p in paths]
    for path, found in zip(paths, names, strict=True):
        no_duplicates(found, path.name)
        _same_columns(path.name, found, paths[0].name, names[0])

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        con = connect(stack)
        for n, path in enumerate(paths):
            con.register(f"t{n}", read(path, list(wanted)).rename_columns([f"c{i}" for i in wanted]))
        joined = " UNION ALL ".join(f"FROM t{n}" for n in range(len(paths)))
        return Bound(con, f"({joined})")

    return Opened("", names[0], bind)


def _same_columns(place: str, found: Sequence[str], first: str, columns: Sequence[str]) -> None:
    if tuple(found) != tuple(columns):
        raise DataError(
            place, f"its columns are not those of {first}", "give files with the same columns in the same order"
        )


def _plain_path(path: Path, folder: Path) -> Path:
    """A path that the engine cannot take for a pattern or an address."""
    path = path.absolute()
    if not re.search(r"[*?\[\]{}]|://", str(path)):
        return path
    link = folder / f"link{len(os.listdir(folder))}"
    link.symlink_to(path)
    return link


def _numbered(columns: Sequence[str]) -> str:
    return ", ".join(f"c{i}" for i in range(len(columns)))
