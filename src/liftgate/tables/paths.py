"""Files as relations: CSV, Parquet and Arrow, told apart by their first bytes."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from liftgate.errors import DataError
from liftgate.tables.csv import CsvFile, inspect, no_duplicates
from liftgate.tables.found import Found, partition_columns
from liftgate.tables.sources import Bound, Opened, Options, connect, first_line, literal, numbered, only_for_files


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


def from_files(files: list[Found], options: Options, stack: contextlib.ExitStack) -> Opened:
    """Files of one kind and the same columns as one table; what their folders are named after becomes columns of text."""
    paths = [f.path for f in files]
    kinds = {p: _format(p) for p in paths}
    kind = kinds[paths[0]]
    for path in paths:
        if kinds[path] != kind:
            raise DataError(path.name, f"{kinds[path]} among {kind} files", "give files of one kind")
    name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    if kind != "csv":
        only_for_files(options)
    opened = {"csv": _from_csv, "parquet": _from_parquet, "arrow": _from_arrow}[kind](files, options, stack)
    notes = opened.notes if len(paths) == 1 else (f"{len(paths)} files were read as one table", *opened.notes)
    return replace(opened, name=name, notes=notes)


def _with_partitions(files: list[Found], columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that folder names add; one that the files hold as well is that of the files."""
    return tuple(name for name in partition_columns(files) if name not in columns)


def _from_csv(found: list[Found], options: Options, stack: contextlib.ExitStack) -> Opened:
    paths = [f.path for f in found]
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="liftgate-")))
    files = [inspect(p, folder, options.delimiter, options.encoding, options.columns, options.trim) for p in paths]
    columns = options.columns if options.columns is not None else files[0].header or ()
    no_duplicates(columns, "columns" if options.columns is not None else files[0].place)
    for file in files[1:]:
        _same_columns(file.place, file.header or columns, files[0].place, columns)
    added = _with_partitions(found, tuple(columns))
    values = [[dict(f.parts)[name] for name in added] for f in found]

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        plain_paths = [_plain_path(f.path, folder) for f in files]
        parts = [
            _csv_sql(f, p, len(columns)) if not v else _beside(_csv_sql(f, p, len(columns)), v, len(columns))
            for f, p, v in zip(files, plain_paths, values, strict=True)
        ]
        con = connect(stack, plain_paths, options.memory)
        return Bound(con, parts[0] if len(parts) == 1 else "(" + " UNION ALL ".join(f"FROM {p}" for p in parts) + ")")

    notes = tuple(n for f in files for n in f.notes)
    return Opened("", (*columns, *added), bind, notes, tuple(files), partitions=added)


def _beside(relation: str, values: Sequence[str | None], width: int) -> str:
    """A relation with more columns, each of one value."""
    more = ", ".join(
        f"CAST({'NULL' if v is None else literal(v)} AS VARCHAR) AS c{width + n}" for n, v in enumerate(values)
    )
    return f"(SELECT *, {more} FROM {relation})"


def _csv_sql(file: CsvFile, path: Path, width: int) -> str:
    """The engine's reader with nothing left to its own detection: every field is text as written."""
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    quoting = "quote='\"', escape='\"'" if file.quoted else "quote='', escape=''"
    return (
        f"read_csv({literal(str(path))}, auto_detect=false, columns={{{types}}}, delim={literal(file.delimiter)}, "
        f"{quoting}, comment='', header={str(file.header is not None).lower()}, skip={file.blank_lines}, nullstr='', "
        f"allow_quoted_nulls=false, compression='{'gzip' if file.compressed else 'none'}'{', max_line_size=16777216' if file.long else ''})"
    )


def _from_parquet(files: list[Found], options: Options, stack: contextlib.ExitStack) -> Opened:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="liftgate-")))
    paths = [f.path for f in files]
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
    added = _with_partitions(files, names[0])
    no_duplicates(added, f"the folders of {paths[0].name}")
    columns = (*names[0], *sorted(added))  # the order in which the engine adds them

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        plain_paths = [
            _hive_path(f, added, folder, n) if added else _plain_path(f.path, folder) for n, f in enumerate(files)
        ]
        every = ", ".join(literal(str(p)) for p in plain_paths)
        hive = f"hive_partitioning={str(bool(added)).lower()}, hive_types_autocast=false"
        reader = f"read_parquet([{every}], {hive}, union_by_name=false)"
        con = connect(stack, plain_paths, options.memory)
        return Bound(con, f"(SELECT * FROM {reader}) AS t({numbered(columns)})")

    return Opened("", columns, bind, partitions=added)


def _hive_path(file: Found, added: Sequence[str], folder: Path, number: int) -> Path:
    """A path whose only folders ``column=value`` are those of the added columns."""
    parts = Found(file.path, tuple((name, value) for name, value in file.parts if name in added))
    inside = folder.joinpath(f"h{number}", *parts.folders)
    inside.mkdir(parents=True)
    link = inside / "rows.parquet"
    link.symlink_to(file.path.absolute())
    return link


def _from_arrow(files: list[Found], options: Options, stack: contextlib.ExitStack) -> Opened:
    import pyarrow as pa
    import pyarrow.feather as feather

    paths = [f.path for f in files]

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
            ordered = sorted(columns)  # it loses itself where the columns are in another order
            return feather.read_table(path, columns=ordered).select([ordered.index(c) for c in columns])
        except (pa.ArrowException, OSError) as e:
            raise DataError(path.name, f"it cannot be read as Arrow ({first_line(e)})", "make the file again") from None

    names = [tuple(read(p, None).schema.names) for p in paths]
    for path, found in zip(paths, names, strict=True):
        no_duplicates(found, path.name)
        _same_columns(path.name, found, paths[0].name, names[0])
    added = _with_partitions(files, names[0])
    values = [[dict(f.parts)[name] for name in added] for f in files]

    def bind(wanted: Sequence[int], binned: Sequence[int]) -> Bound:
        con = connect(stack, memory=options.memory)
        inside = [i for i in wanted if i < len(names[0])] or [0]
        for n, path in enumerate(paths):
            con.register(f"t{n}", read(path, inside).rename_columns([f"c{i}" for i in inside]))
        parts = [_beside(f"t{n}", v, len(names[0])) if v else f"t{n}" for n, v in enumerate(values)]
        return Bound(con, f"({' UNION ALL '.join(f'FROM {part}' for part in parts)})")

    return Opened("", (*names[0], *added), bind, partitions=added)


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
