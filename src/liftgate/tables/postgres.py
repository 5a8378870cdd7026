"""PostgreSQL as a door: one read-only transaction on one snapshot, whose answers come as Arrow; nothing of ours stays.

Counting happens in the server. Rows that are released pass through this process in bounded batches and are drawn here,
because a key would have to travel to the server to be used there, where statements and their parameters are logged, and
because there is then one definition of a draw for every engine.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from liftgate.errors import DataError, LiftgateError, MissingExtra, UsageError
from liftgate.tables.csv import no_duplicates
from liftgate.tables.dialects import POSTGRES
from liftgate.tables.sources import Bound, Opened, Options, no_memory, numbered, only_for_files

ENGINE = "PostgreSQL"
BLOCK = 1 << 24
ADDRESS = re.compile(r"postgres(ql)?://", re.IGNORECASE)
_TYPES = {
    "bool": "BOOLEAN", "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "float4": "FLOAT", "float8": "DOUBLE",
    "text": "VARCHAR", "varchar": "VARCHAR", "bpchar": "VARCHAR", "name": "VARCHAR", "citext": "VARCHAR", "json": "JSON",
    "jsonb": "JSON", "date": "DATE", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP WITH TIME ZONE", "time": "TIME",
    "uuid": "UUID", "unknown": "VARCHAR",
}  # fmt: skip
_SESSION = (
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL standard_conforming_strings = on",
    "SET LOCAL client_encoding = 'UTF8'",
)


@dataclass(frozen=True)
class Answer:
    """A query with the shape the embedded engine gives its own: types first, rows when asked for."""

    server: Server
    query: str

    @property
    def types(self) -> list[str]:
        """The types of the columns in the words of the embedded engine; others keep their own name."""
        return [kind for _, kind in self.server.described(self.query)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows of a short answer."""
        return list(self.server.run(self.query).fetchall())

    def to_arrow_table(self) -> Any:
        """All rows as an Arrow table, for answers that are known to be short."""
        return self.to_arrow_reader().read_all()

    def to_arrow_reader(self, rows: int = 0) -> Any:
        """The rows as a stream of batches, sent by the server as it makes them; their size is the reader's own."""
        return self.server.stream(self.query)


@dataclass
class Server:
    """A connection inside one transaction; every error of the server names engine, table and fix."""

    con: Any
    place: str = ENGINE

    def run(self, query: str) -> Any:
        """One statement, never two: the extended protocol takes no more."""
        with self.telling():
            return self.con.execute(query, binary=True)

    def sql(self, query: str) -> Answer:
        """A query to be answered."""
        return Answer(self, query)

    def described(self, query: str) -> list[tuple[str, str]]:
        """Names and types of the columns of a query, which is not run."""
        columns = self.run(f"SELECT * FROM ({query}) AS described LIMIT 0").description or ()
        oids = sorted({c.type_code for c in columns})
        kinds = {
            oid: (name, kind, full)
            for oid, name, kind, full in self.con.execute(
                "SELECT oid, typname, typtype, format_type(oid, NULL) FROM pg_type WHERE oid = ANY(%s)", [oids]
            )
        }
        return [(c.name, _type(c, *kinds[c.type_code])) for c in columns]

    def stream(self, query: str) -> Any:
        """The rows of a query as an Arrow stream."""
        import pyarrow as pa

        fields = self.described(query)
        schema = pa.schema([pa.field(name, _arrow(kind)) for name, kind in fields])
        return pa.RecordBatchReader.from_batches(schema, self._batches(query, schema))

    def _batches(self, query: str, schema: Any) -> Iterator[Any]:
        """COPY as CSV, the one form of the server that is quick, streams and keeps NULL and '' apart."""
        import pyarrow as pa
        import pyarrow.csv as pc

        names = [f"f{n}" for n in range(len(schema))]
        how = f"COPY ({query}) TO STDOUT (FORMAT csv, ENCODING 'UTF8')"
        with self.telling(), self.con.cursor() as cursor, cursor.copy(how) as copy:
            pipe = _Pipe(copy)
            if pipe.at_end():
                return
            try:
                reader = pc.open_csv(
                    pa.PythonFile(pipe, mode="r"),
                    pc.ReadOptions(column_names=names, block_size=BLOCK, use_threads=False),
                    pc.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
                    pc.ConvertOptions(
                        column_types=dict(zip(names, schema.types, strict=True)),
                        null_values=[""],
                        strings_can_be_null=True,
                        quoted_strings_can_be_null=False,
                        true_values=["t"],
                        false_values=["f"],
                    ),
                )
                for batch in reader:
                    yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)
            except pa.ArrowInvalid as error:
                problem = f"a value cannot be read ({_first_line(error)})"
                raise DataError(self.place, problem, "cast the column to text in a query") from None

    @contextlib.contextmanager
    def telling(self) -> Iterator[None]:
        """Errors of the server in our words."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise told(error, self.place) from None


class _Pipe:
    """The bytes of a COPY as a file."""

    closed = False

    def __init__(self, copy: Any) -> None:
        self.copy, self.rest = copy, b""

    def at_end(self) -> bool:
        """Whether there is nothing more."""
        self.rest = self.rest or bytes(self.copy.read())
        return not self.rest

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes; all that there are where no size is named."""
        parts, have = [self.rest], len(self.rest)
        while size < 0 or have < size:
            piece = bytes(self.copy.read())
            if not piece:
                break
            parts.append(piece)
            have += len(piece)
        everything = b"".join(parts)
        size = len(everything) if size < 0 else size
        self.rest = everything[size:]
        return everything[:size]

    def readable(self) -> bool:
        """It is."""
        return True

    def close(self) -> None:
        """The COPY is closed by its own context."""
        self.closed = True


def _type(column: Any, name: str, kind: str, full: str) -> str:
    if kind == "e":
        return "VARCHAR"
    if name == "numeric":
        known = column.precision is not None and column.precision <= 38 and 0 <= column.scale <= column.precision
        return f"DECIMAL({column.precision}, {column.scale})" if known else "DECIMAL()"
    return _TYPES.get(name, full)


def _arrow(kind: str) -> Any:
    """The type in which a column travels; what Arrow has no type for travels as text."""
    import pyarrow as pa

    simple = {
        "BOOLEAN": pa.bool_(), "SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64(),
        "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us"),
        "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", tz="UTC"),
    }  # fmt: skip
    if found := re.fullmatch(r"DECIMAL\((\d+), (\d+)\)", kind):
        return pa.decimal128(int(found[1]), int(found[2]))
    return simple.get(kind, pa.string())


# ---- opening -----------------------------------------------------------------------------------


def is_address(source: Any) -> bool:
    """Whether a source is the address of a server."""
    return isinstance(source, str) and ADDRESS.match(source) is not None


def is_connection(source: Any) -> bool:
    """Whether a source is an open connection (psycopg 3), without importing psycopg."""
    return type(source).__module__.split(".")[0] == "psycopg" and type(source).__name__ == "Connection"


def open_postgres(source: Any, options: Options, stack: contextlib.ExitStack) -> Opened:
    """A table or a query of a server; the transaction ends, and what is ours closes, with the stack."""
    only_for_files(options)
    no_memory(options, "SET work_mem on the server")
    if (options.table is None) == (options.query is None):
        problem = "no table is named" if options.table is None else "both a table and a query are named"
        raise UsageError(ENGINE, problem, "give table= or query= (--table or --query)")
    name = f"{ENGINE}, {'query' if options.table is None else f'table {options.table!r}'}"
    con = connected(source, stack) if isinstance(source, str) else _borrowed(source, stack)
    server = Server(con, name)
    with server.telling():
        con.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        stack.callback(_ended, con)
        for setting in _SESSION:
            con.execute(setting)
        _notice_a_lost_client(con)
    inner, columns = _inner(server, options)
    no_duplicates(columns, name)
    relation = f"(SELECT * FROM ({inner}) AS s) AS t({numbered(columns)})"
    return Opened(name, columns, lambda wanted, binned: Bound(server, relation, {}, POSTGRES), engine=ENGINE)


def connected(address: str, stack: contextlib.ExitStack, password: str | None = None) -> Any:
    """A connection of our own, closed with the stack."""
    try:
        import psycopg
    except ImportError:
        raise MissingExtra(ENGINE, "its driver is not installed", 'pip install "liftgate[postgres]"') from None
    secret = {} if password is None else {"password": password}
    try:
        con = psycopg.connect(address, connect_timeout=10, application_name="liftgate", autocommit=True, **secret)
    except psycopg.OperationalError as error:
        text = _first_line(error)
        if "password" in text or "fe_sendauth" in text:
            fix = "check user and password; PGPASSWORD or ~/.pgpass keeps the password out of the command"
            raise DataError(ENGINE, "the server refused the user or the password", fix) from None
        raise DataError(ENGINE, f"the server cannot be reached ({_no_secret(text, address)})", "check host, port and database name") from None  # fmt: skip
    except psycopg.Error:
        raise UsageError(ENGINE, "the address cannot be read", "write postgresql://USER@HOST:PORT/DATABASE") from None
    stack.callback(con.close)
    return con


def _borrowed(con: Any, stack: contextlib.ExitStack) -> Any:
    """A connection of the caller, in the state in which it was lent when we are done."""
    import psycopg

    if con.closed or con.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        problem = "the connection is closed" if con.closed else "a transaction is open on this connection"
        raise UsageError(ENGINE, problem, "commit or roll back, or give another connection")
    was, rows = con.autocommit, con.row_factory
    con.autocommit, con.row_factory = True, psycopg.rows.tuple_row
    stack.callback(_given_back, con, was, rows)
    return con


def _given_back(con: Any, autocommit: bool, rows: Any) -> None:
    con.row_factory = rows
    if not con.closed:
        con.autocommit = autocommit


def _ended(con: Any) -> None:
    """Undo what was not committed; a connection that is gone has done so."""
    import psycopg

    if not con.closed and con.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        with contextlib.suppress(psycopg.OperationalError):
            con.execute("ROLLBACK")


def _notice_a_lost_client(con: Any) -> None:
    """Where the server can (14 and newer), it stops when nobody waits for its answer any more."""
    if con.info.server_version >= 140000:
        con.execute("SET LOCAL client_connection_check_interval = '2s'")


def _inner(server: Server, options: Options) -> tuple[str, tuple[str, ...]]:
    if options.query is not None:
        text = re.sub(r"[\s;]+\Z", "", options.query)
        tries = [f"\n{text}\n"]
    else:
        table = str(options.table)
        tries = [f"SELECT * FROM {POSTGRES.quoted(table)}"]
        if "." in table:
            tries.append(f"SELECT * FROM {'.'.join(POSTGRES.quoted(part) for part in table.split('.'))}")
    failed: LiftgateError | None = None
    for inner in tries:
        server.con.execute("SAVEPOINT liftgate_try")
        try:
            return inner, tuple(c.name for c in server.run(f"SELECT * FROM ({inner}) AS t LIMIT 0").description or ())
        except LiftgateError as error:
            failed = failed or error
            if server.con.closed:
                break
            server.con.execute("ROLLBACK TO SAVEPOINT liftgate_try")
    raise failed or DataError(server.place, "it cannot be read", "name a table or a query")


# ---- errors ------------------------------------------------------------------------------------


def told(error: Exception, place: str) -> LiftgateError:
    """What the server refused, in our words; values that stood in a statement are not repeated."""
    import psycopg.errors as e

    text = _first_line(error)
    kinds: tuple[tuple[Any, str, str], ...] = (
        (e.InsufficientPrivilege, "permission refused", "ask its owner for the right to SELECT (and to CREATE, for a release)"),
        (e.UndefinedTable, "no such table", "name a table or a view of this database, with its schema: schema.table"),
        (e.InvalidSchemaName, "no such schema", "name a schema of this database"),
        (e.DuplicateTable, "the table exists", "choose another name; a table is never replaced"),
        (e.DiskFull, "the server's disk is full; nothing was left behind", "free space on the server"),
        (e.OutOfMemory, "the server ran out of memory", "name fewer columns, or bin numbers"),
        (e.QueryCanceled, "the server stopped the query", "raise its time limit, or try again"),
        (e.SyntaxError, f"the query is not one SELECT ({text})", "give one SELECT statement"),
        (e.ReadOnlySqlTransaction, "the query would change the database", "give one SELECT statement"),
    )  # fmt: skip
    for kind, problem, fix in kinds:
        if isinstance(error, kind):
            return DataError(place, problem, fix)
    if isinstance(error, e.OperationalError | e.InterfaceError):
        return DataError(place, f"the connection was lost ({text}); nothing was left behind", "try again")
    return DataError(place, f"the server refused it ({text})", "check the table or the query")


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _no_secret(text: str, address: str) -> str:
    """A message without the password of the address."""
    found = re.match(r"[^:]+://[^:/@]*:(.*)@", address)
    secrets = [found[1]] if found else []
    secrets += re.findall(r"(?i)password=([^&\s]+)", address)
    for secret in secrets:
        text = text.replace(secret, "(redacted)") if secret else text
    return text
