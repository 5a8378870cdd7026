"""Files that appear together and whole: written under temporary names, renamed at the end, the last one last."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from liftgate.errors import DataError, UsageError


def refuse(targets: Sequence[Path], force: bool) -> None:
    """Stop before the work where a file would be replaced or cannot be made."""
    for target in targets:
        if target.is_dir():
            raise UsageError(str(target), "a folder has this name", "give the name of a file")
        if target.exists() and not force:
            raise UsageError(str(target), "the file exists", "choose another name, or force it (--force)")
        if not target.parent.is_dir():
            raise UsageError(str(target), f"there is no folder {target.parent}", "make the folder first")
        if not os.access(target.parent, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            raise UsageError(str(target), "the folder may not be written to", "choose another folder")


@contextlib.contextmanager
def staged(targets: Sequence[Path], before_last: Callable[[], None] | None = None) -> Iterator[list[Path]]:
    """Temporary names for the targets; when all are written they are renamed in order, otherwise nothing is left.

    The last target is the sign that the others are whole: an old one goes first, the new one comes last. A target may be
    a folder. ``before_last`` is what has to happen elsewhere (a database that commits) before the sign appears.
    """
    token = secrets.token_hex(8)
    temporary = [t.with_name(f".{t.name}.{token}.tmp") for t in targets]
    done: list[Path] = []
    try:
        yield temporary
        for path in temporary:
            _to_disk(path)
        targets[-1].unlink(missing_ok=True)
        for path, target in zip(temporary, targets, strict=True):
            if target == targets[-1] and before_last is not None:
                before_last()
            if path.is_dir():
                target.unlink(missing_ok=True)
            os.replace(path, target)
            done.append(target)
        _one_to_disk(targets[-1].parent)
    except OSError as error:
        _remove(done)
        raise unwritten(targets[0], error.strerror or type(error).__name__) from None
    except BaseException:
        _remove(done)
        raise
    finally:
        _remove(temporary)


def unwritten(target: Path, why: str) -> DataError:
    """A release that could not be written."""
    return DataError(
        str(target), f"it cannot be written ({why}); nothing was left behind", "free space, or choose another folder"
    )


def write_private(path: Path, text: str) -> None:
    """A new file that only its owner can read, from the first byte on."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _to_disk(path: Path) -> None:
    for inside in path.rglob("*") if path.is_dir() and not path.is_symlink() else ():
        _one_to_disk(inside)
    _one_to_disk(path)


def _one_to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
