"""Which files a source names: paths, folders, patterns and lists of these, with the columns that folder names stand for."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from liftgate.errors import DataError, UsageError

ABSENT = "__HIVE_DEFAULT_PARTITION__"
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.I)


@dataclass(frozen=True)
class Found:
    """A file, and what the folders ``column=value`` say about all of its rows (Hive's way of keeping partitions)."""

    path: Path
    parts: tuple[tuple[str, str | None], ...] = ()

    @property
    def folders(self) -> list[str]:
        """The same as names of folders that every reader understands."""
        return [f"{name}={ABSENT if value is None else quote(value, safe='')}" for name, value in self.parts]


def listed(source: Any) -> list[Found]:
    """The files of a source in order; a folder or a pattern that holds none is refused."""
    out = [found for item in _items(source) for found in _files(os.fspath(item))]
    if not out:
        raise UsageError("source", "no file is named", "give at least one file")
    return out


def _items(source: Any) -> Iterator[Any]:
    given: Iterable[Any] = [source]
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, dict)):
        given = list(source)
    for item in given:
        if not isinstance(item, (str, os.PathLike)):
            raise UsageError(
                "source",
                f"{type(item).__name__} is not a table",
                "give a path, a pandas or polars frame, an Arrow table, or a DuckDB connection",
            )
        yield item


def _files(text: str) -> list[Found]:
    if ADDRESS.match(text):
        raise UsageError("source", f"{text} is one of several", "give an address alone; it may be a pattern")
    path = Path(text)
    if path.is_dir():
        inside = sorted(p for p in path.rglob("*.parquet") if _visible(p.relative_to(path)) and p.is_file())
        if not inside:
            fix = f"name a file, or a pattern such as {path.name or path}/*.csv"
            raise DataError(path.name or str(path), "this is a folder without .parquet files", fix)
        return [Found(p, _parts(p, path)) for p in inside]
    if path.exists() or not glob.has_magic(text):
        return [Found(path)]
    matches = [Path(f) for f in sorted(glob.glob(text, recursive=True))]
    files = [p for p in matches if not p.is_dir()]
    if not files:
        what = "only folders match" if matches else "no file matches"
        raise DataError(path.name, what, "check the folder and the pattern, such as data/**/*.parquet")
    fixed = []
    for part in path.parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    root = Path(*fixed)
    return [Found(p, _parts(p, root)) for p in files]


def _visible(path: Path) -> bool:
    """Not what Hive and Spark hide: names that begin with a point or an underscore."""
    return not any(part.startswith((".", "_")) for part in path.parts)


def _parts(path: Path, root: Path) -> tuple[tuple[str, str | None], ...]:
    """What the folders between root and file say.

    >>> _parts(Path("data/year=2020/town=a%2Fb/rows.parquet"), Path("data"))
    (('year', '2020'), ('town', 'a/b'))
    """
    out = []
    for folder in path.relative_to(root).parts[:-1]:
        name, mark, value = folder.partition("=")
        if mark and name:
            out.append((unquote(name), None if value == ABSENT else unquote(value)))
    return tuple(out)


def partition_columns(files: list[Found]) -> tuple[str, ...]:
    """The columns that the folder names stand for: the same in every file, or refused."""
    names = tuple(name for name, _ in files[0].parts)
    for file in files:
        if tuple(name for name, _ in file.parts) != names:
            raise DataError(
                file.path.name,
                f"its folders name {_told(file)}, those of {files[0].path.name} name {_told(files[0])}",
                "give files from folders column=value of one kind",
            )
    return names


def _told(file: Found) -> str:
    return ", ".join(name for name, _ in file.parts) or "no column"
