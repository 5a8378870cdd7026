"""Where tables may come from: the folder named at the start, uploads, and the shipped examples; nothing else."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from liftgate.demo import demo_table
from liftgate.errors import DataError, UsageError
from liftgate.web import limits

_PREFIX = "liftgate-page-"
_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".arrow", ".feather", ".json")
_MOST_LISTED = 500
_PICK = "choose a table from the list, upload one, or start with --folder DIR"


@dataclass(frozen=True)
class Place:
    """A file that may be read: where it is, what it is called, and what it was when it was last looked at."""

    ref: str
    path: Path
    name: str
    mark: tuple[int, int, int]

    def unchanged(self) -> None:
        """Refuse a file that is no longer the one that was looked at."""
        if _mark(self.path, self.name) != self.mark:
            raise DataError(self.name, "the file changed while it was in use", "choose it again to count it anew")


@dataclass
class Upload:
    """One uploaded file in a folder of its own."""

    folder: Path
    path: Path
    size: int
    made: float = field(default_factory=time.monotonic)


class Places:
    """The tables of one server; uploads are in a private folder that goes when the server goes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        sweep()
        self.private = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        self.uploads: dict[str, Upload] = {}

    # ---- finding -------------------------------------------------------------------------------

    def find(self, ref: str) -> Place:
        """A table by what the page calls it: ``example:NAME``, ``upload:ID`` or ``folder:PATH``."""
        kind, _, rest = ref.partition(":")
        if kind == "example" and rest in examples():
            path = examples()[rest]
        elif kind == "upload":
            if rest not in self.uploads:
                raise DataError("upload", "it is not here any more", "choose the file again")
            path = self.uploads[rest].path
        elif kind == "folder":
            path = self._below(rest)
        else:
            raise UsageError("table", f"{ref[:80]!r} is not a table of this page", _PICK)
        return Place(ref, path, path.name, _mark(path, path.name))

    def _below(self, given: str) -> Path:
        """A path below the folder, through no symbolic link."""
        parts = given.split("/")
        outside = "\0" in given or "\\" in given or os.path.isabs(given) or any(p in ("", ".", "..") for p in parts)
        if outside or len(given) > 1000:
            raise UsageError("table", f"{given[:80]!r} is not a path below {self.folder}", _PICK)
        path = self.folder
        for part in parts:
            path = path / part
            try:
                linked = stat.S_ISLNK(path.lstat().st_mode)
            except (OSError, ValueError):
                raise DataError(given[:200], "there is no such file", _PICK) from None
            if linked:
                raise UsageError("table", f"{given[:200]!r} is reached through a symbolic link", "name the file itself")
        return path

    def listed(self) -> list[dict[str, Any]]:
        """The tables in the folder and one folder below it."""
        found = []
        for path in sorted(
            [*_inside(self.folder), *(p for d in _inside(self.folder) if _real_dir(d) for p in _inside(d))]
        ):
            if path.name.lower().endswith(_ENDINGS) and not path.is_symlink() and path.is_file():
                relative = path.relative_to(self.folder).as_posix()
                found.append({"ref": f"folder:{relative}", "name": relative, "size": path.stat().st_size})
        return found[:_MOST_LISTED]

    # ---- uploads -------------------------------------------------------------------------------

    def room_for(self, name: str, size: int | None) -> Upload:
        """A new place for an upload, or a refusal before the first byte."""
        clean = self.may_take(name, size)
        folder = Path(tempfile.mkdtemp(prefix="upload-", dir=self.private))
        return Upload(folder, folder / clean, 0)

    def may_take(self, name: str, size: int | None) -> str:
        """The name an upload of this size will have, or a refusal."""
        clean = file_name(name)
        if size is not None and size > limits.UPLOAD:
            raise UsageError(
                clean, f"the file has {size:,} bytes", f"upload {limits.told()['upload']}, or use --folder"
            )
        if sum(u.size for u in self.uploads.values()) + (size or 0) > limits.ALL_UPLOADS:
            raise UsageError(clean, "the uploads together are too large", "remove some, or start with --folder DIR")
        return clean

    def keep(self, upload: Upload) -> str:
        """An upload that is whole gets its name."""
        key = secrets.token_urlsafe(12)
        self.uploads[key] = upload
        return key

    def remove(self, key: str) -> None:
        """Delete an upload now."""
        upload = self.uploads.pop(key, None)
        if upload is None:
            raise DataError("upload", "it is not here any more", "nothing is left to remove")
        shutil.rmtree(upload.folder, ignore_errors=True)

    def expire(self, now: Callable[[], float] = time.monotonic) -> None:
        """Delete what is older than its time."""
        for key in [k for k, u in self.uploads.items() if now() - u.made > limits.KEPT_SECONDS]:
            self.remove(key)

    def close(self) -> None:
        """Delete everything."""
        self.uploads.clear()
        shutil.rmtree(self.private, ignore_errors=True)


def examples() -> dict[str, Path]:
    """The shipped tables and certificates by name."""
    shipped = Path(str(files("liftgate.web") / "examples"))
    return {p.name: p for p in sorted(shipped.iterdir()) if p.is_file()} | {"adult_counts.csv": demo_table()}


def file_name(name: str) -> str:
    """A file name that stays in its folder; its characters are kept, control characters are not.

    >>> file_name("../../etc/pass\\x00wd"), file_name("<b>.csv"), file_name("..")
    ('passwd', '<b>.csv', 'table')
    """
    last = re.split(r"[/\\]", name)[-1]
    clean = "".join(c for c in last if c.isprintable()).strip()
    while len(clean.encode("utf-8", "replace")) > 200:
        clean = clean[1:]
    clean = clean.encode("utf-8", "replace").decode()
    return clean if clean.strip(".") else "table"


def sweep() -> None:
    """Remove private folders whose server was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError, ValueError):
            if folder.lstat().st_uid == os.getuid() and not folder.is_symlink() and not _alive(int(pid)):
                shutil.rmtree(folder, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _mark(path: Path, name: str) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise DataError(name, f"it cannot be read ({error.strerror})", _PICK) from None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _inside(folder: Path) -> list[Path]:
    try:
        return [p for p in folder.iterdir() if not p.name.startswith(".")]
    except OSError:
        return []


def _real_dir(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
