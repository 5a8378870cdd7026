"""Compressed tables are measured before they are read: what expands beyond all measure is refused."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from liftgate.errors import DataError
from liftgate.web import limits

_CHUNK = 1 << 20


def measure(path: Path, name: str, most: int = limits.UNPACKED) -> None:
    """Refuse a gzip or Parquet file that holds more than the limit."""
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(b"\x1f\x8b"):
        _gzip(path, name, most)
    elif head == b"PAR1":
        _parquet(path, name, most)


def _gzip(path: Path, name: str, most: int) -> None:
    size = 0
    try:
        with gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise _too_large(name, most)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(name, f"the compressed file is damaged ({error})", "make the file again") from None


def _parquet(path: Path, name: str, most: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        told = pq.read_metadata(path)
        size = sum(told.row_group(k).total_byte_size for k in range(told.num_row_groups))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(
            name, f"it cannot be read as Parquet ({str(error).splitlines()[0][:200]})", "make the file again"
        ) from None
    if size > most:
        raise _too_large(name, most)


def _too_large(name: str, most: int) -> DataError:
    return DataError(name, f"it expands to more than {most // limits.MEGABYTE:,} MB", "give a smaller table")
