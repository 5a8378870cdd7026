"""Addresses such as s3://bucket/data/*.parquet: handed to the embedded engine's own readers, with its own credentials."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import Any

from liftgate.errors import DataError, UsageError
from liftgate.tables.csv import no_duplicates
from liftgate.tables.found import ADDRESS
from liftgate.tables.sources import (
    Bound,
    Opened,
    Options,
    first_line,
    literal,
    numbered,
    only_for_files,
    private_engine,
)

_REMOTE = ("s3", "s3a", "s3n", "gs", "gcs", "r2", "http", "https", "hf")
_CSV = re.compile(r"\.(csv|tsv|txt)(\.gz|\.zst)?$", re.I)


def is_address(source: Any) -> bool:
    """Whether a source is one text such as ``s3://bucket/rows.parquet`` or ``file:///data/*.parquet``."""
    return isinstance(source, str) and ADDRESS.match(source) is not None


def from_address(address: str, options: Options, stack: contextlib.ExitStack) -> Opened:
    """A relation over an address or a pattern of them; folders ``column=value`` become columns of text."""
    import duckdb

    scheme, _, rest = address.partition("://")
    name = rest.partition("?")[0].rstrip("/").rpartition("/")[2] or address
    if scheme.lower() not in (*_REMOTE, "file"):
        known = ", ".join((*_REMOTE, "file"))
        raise UsageError("source", f"addresses {scheme}:// are not known", f"use one of {known}, or save a file first")
    if options.encoding is not None:
        raise UsageError("encoding", "it cannot be chosen for an address", "save the file first")
    con = private_engine(stack, options.memory)
    if scheme.lower() in _REMOTE:
        try:
            con.execute("LOAD httpfs")
        except duckdb.Error as error:
            fix = """install it once: python -c "import duckdb; duckdb.sql('INSTALL httpfs')\""""
            raise DataError(address, f"the engine's extension httpfs is not there ({first_line(error)})", fix) from None
    con.execute("SET lock_configuration = true")
    csv = _CSV.search(rest.partition("?")[0]) is not None
    reader = _csv_reader(address, options) if csv else _parquet_reader(address, options)
    try:
        columns = tuple(con.sql(f"SELECT * FROM {reader} LIMIT 0").columns)
    except duckdb.Error as error:
        fix = "check the address, and the credentials that DuckDB has stored (CREATE PERSISTENT SECRET)"
        raise DataError(address, f"it cannot be read ({first_line(error)})", fix) from None
    if options.trim:
        columns = tuple(c.strip(" \t") for c in columns)
    no_duplicates(columns, name)
    relation = f"(SELECT * FROM {reader}) AS t({numbered(columns)})"
    notes = ["read by DuckDB's own readers"] + (["delimiter and quotes were detected by DuckDB"] if csv else [])
    return Opened(name, columns, lambda wanted, binned: Bound(con, relation), tuple(f"{name}: {n}" for n in notes))


def _parquet_reader(address: str, options: Options) -> str:
    only_for_files(options)
    return f"read_parquet({literal(address)}, hive_partitioning=true, hive_types_autocast=false, union_by_name=false)"


def _csv_reader(address: str, options: Options) -> str:
    """Every field is text as written; a header is there unless columns are named."""
    how = "all_varchar=true, nullstr='', allow_quoted_nulls=false, hive_partitioning=true, hive_types_autocast=false"
    if options.delimiter is not None:
        how += f", delim={literal(options.delimiter)}"
    names: Sequence[str] | None = options.columns
    if names is not None:
        return f"read_csv({literal(address)}, header=false, names=[{', '.join(literal(n) for n in names)}], {how})"
    return f"read_csv({literal(address)}, header=true, {how})"
