"""Files as relations: paths and patterns, CSV, Parquet and Arrow, told apart by their first bytes."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from liftgate.errors import DataError, UsageError
from liftgate.tables.csv import CsvFile, inspect, no_duplicates
from liftgate.tables.sources import Bound, Opened, Options, connect, first_line, literal, numbered, only_for_files


def listed(source: Any) -> list[Path]:
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


def readable(path: Path) -> None:
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
    readable(path)
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


def from_files(paths: list[Path], options: Options, stack: contextlib.ExitStack) -> Opened:
    kinds = {p: _format(p) for p in paths}
    kind = kinds[paths[0]]
    for path in paths:
        if kinds[path] != kind:
            raise DataError(path.name, f"{kinds[path]} among {kind} files", "give files of one kind")
    name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    if kind != "csv":
        only_for_files(options)
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
        every = ", ".join(literal(str(p)) for p in plain_paths)
        reader = f"read_parquet([{every}], hive_partitioning=false, union_by_name=false)"
        return Bound(connect(stack, plain_paths), f"(SELECT * FROM {reader}) AS t({numbered(names[0])})")

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
