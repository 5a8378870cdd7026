"""Released rows as a new table of the server: one transaction, refused where the table exists, its manifest as its comment."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from typing import Any

from liftgate.errors import UsageError
from liftgate.tables.dialects import POSTGRES
from liftgate.tables.postgres import ENGINE, Server, connected, is_address

_KINDS = {"bool": "boolean", "int64": "bigint", "double": "double precision"}


class NewTable:
    """A table that comes to be with :meth:`commit`, and not before; a second connection writes what the first one reads."""

    def __init__(self, source: Any, name: str, stack: contextlib.ExitStack) -> None:
        parts = name.split(".")
        if not all(parts) or len(parts) > 2:
            raise UsageError("into", f"{name!r} is not the name of a table", "write NAME or SCHEMA.NAME")
        self.name = ".".join(POSTGRES.quoted(part) for part in parts)
        con = connected(source if is_address(source) else _address(source), stack, _password(source))
        self.server = Server(con, f"{ENGINE}, table {name!r}")
        with self.server.telling():
            con.execute("BEGIN")
            con.execute("SET LOCAL datestyle = 'ISO, YMD'")
        self.columns: tuple[str, ...] = ()

    def create(self, released: Sequence[tuple[str, Any]], kept: Sequence[tuple[str, str]], bound: Any) -> None:
        """An empty table: released columns by their values, kept ones with the type they have."""
        self.columns = (*(name for name, _ in released), *(name for name, _ in kept))
        parts = [f"CAST(NULL AS {_KINDS.get(str(kind), 'text')}) AS {POSTGRES.quoted(name)}" for name, kind in released]
        parts += [f"{column} AS {POSTGRES.quoted(name)}" for name, column in kept]
        self.server.run(f"CREATE TABLE {self.name} AS SELECT {', '.join(parts)} FROM {bound.relation} WITH NO DATA")

    def fill(self, stream: Any, sort: bool) -> None:
        """Rows as they come; sorted ones go through a table that is gone with the transaction."""
        where = "pg_temp.liftgate_drawn" if sort else self.name
        if sort:
            self.server.run(f"CREATE TEMP TABLE liftgate_drawn (LIKE {self.name}) ON COMMIT DROP")
        how = f"COPY {where} FROM STDIN (FORMAT csv, ENCODING 'UTF8')"
        with self.server.telling(), self.server.con.cursor() as cursor, cursor.copy(how) as copy:
            for batch in stream:
                copy.write(_csv(batch))
        if sort:
            places = ", ".join(str(n + 1) for n in range(len(self.columns)))
            self.server.run(f"INSERT INTO {self.name} SELECT * FROM {where} ORDER BY {places}")

    def describe(self, manifest: str) -> None:
        """The manifest as the comment of the table, so that both appear at one moment."""
        with self.server.telling():
            quoted = self.server.con.execute("SELECT quote_literal(%s)", [manifest]).fetchone()[0]
            self.server.con.execute(f"COMMENT ON TABLE {self.name} IS {quoted}".encode())

    def commit(self) -> None:
        """From now on the table is there, whole."""
        with self.server.telling():
            self.server.con.execute("COMMIT")


def _csv(batch: Any) -> bytes:
    """A batch as the server reads it: NULL is an empty field, an empty text stands between quotes."""
    import pyarrow as pa
    import pyarrow.csv as pc

    columns = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in batch.columns]
    plain = pa.record_batch(columns, names=[f"c{n}" for n in range(len(columns))])
    out = io.BytesIO()
    pc.write_csv(pa.table(plain), out, pc.WriteOptions(include_header=False, quoting_style="needed"))
    return out.getvalue()


def _address(con: Any) -> str:
    return str(con.info.dsn)


def _password(source: Any) -> str | None:
    """The password of a connection, which its address does not show."""
    return None if is_address(source) else source.info.password or None
