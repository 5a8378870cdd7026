"""What a CSV file is written like: encoding, delimiter, line ends and header, found by looking and never by guessing types."""

from __future__ import annotations

import codecs
import contextlib
import csv as _csv
import gzip
import io
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from liftgate.errors import DataError, UsageError

CHUNK = 1 << 22
LOOK = 1 << 18  # small enough to stay in the cache of a core while several things are looked for
SAMPLE_ROWS = 200
DELIMITERS = (",", "\t", ";", "|")
_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "blank"}
_ENCODINGS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8 with byte order mark", "cp1252": "cp1252", "latin-1": "Latin-1"}


@dataclass(frozen=True)
class CsvFile:
    """A CSV file ready for the engine: UTF-8 text at `path`, and what was found out about it."""

    path: Path
    place: str
    delimiter: str
    encoding: str
    header: tuple[str, ...] | None
    compressed: bool
    blank_lines: int
    quoted: bool
    trailing: bool
    long: bool
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Look:
    """One pass over the bytes: what occurs in them. A line is `trailing` that ends with the delimiter, a quote is
    `spaced` that has a blank between itself and a delimiter, and a record may be `long` that fills the buffer."""

    size: int = 0
    quotes: bool = False
    line_ends: tuple[bool, bool, bool] = (False, False, False)  # \r\n, bare \n, bare \r
    bad_byte: int | None = None
    high_bytes: bytes = b""
    trailing: bool = False
    spaced: bool = False
    long: bool = False


def inspect(
    path: Path, folder: Path, delimiter: str | None, encoding: str | None, columns: Sequence[str] | None, trim: bool
) -> CsvFile:
    """Find encoding, delimiter and header of a file; what the engine cannot read is rewritten into `folder`."""
    place = path.name
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise UsageError(
            f"{place}, delimiter", f"{delimiter!r} is not one character", "give one character, such as ';'"
        )
    zipped, width = _is_gzip(path), None if columns is None else len(columns)
    guess = delimiter or _delimiter(*_sample(path, zipped), path, width)
    look = _look(path, zipped, guess)
    if look.size == 0:
        raise DataError(place, "the file is empty", "give a file with a header line and at least one row")
    found = _encoding(path, zipped, look, encoding)
    notes = [f"{place}: encoding {_ENCODINGS.get(found, found.upper())} {'as given' if encoding else 'detected'}"]
    kept = path
    if found not in ("utf-8", "utf-8-sig"):
        kept = _rewrite(path, zipped, found, folder, place)
        zipped, look = False, _look(kept, False, guess)
    if sum(n > 0 for n in look.line_ends) > 1:
        kept, zipped = _one_line_end(kept, zipped, folder), False
        if not look.quotes:
            notes.append(f"{place}: the line ends are mixed; each was taken as a line end")
    sample, whole = _sample(kept, zipped)
    if not sample.strip("\r\n\ufeff"):
        raise DataError(place, "the file holds only empty lines", "give a file with a header line and at least one row")
    mark = delimiter or _delimiter(sample, whole, path, width)
    if mark != guess:
        look = _look(kept, zipped, mark)
    notes.append(f"{place}: delimiter {_NAMES.get(mark, repr(mark))} {'as given' if delimiter else 'detected'}")
    if look.spaced:
        notes.append(f"{place}: blanks between a delimiter and a quoted field were ignored")
    header = _header(sample, mark, place, trim) if columns is None else None
    blank = len(re.match(r"(?:\r\n|\n|\r)*", sample)[0].replace("\r\n", "\n")) if columns is None else 0  # type: ignore[index]
    return CsvFile(kept, place, mark, found, header, zipped, blank, look.quotes, look.trailing, look.long, tuple(notes))


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as f:
        return f.read(2) == b"\x1f\x8b"


@contextlib.contextmanager
def _bytes(path: Path, zipped: bool) -> Iterator[IO[bytes]]:
    with path.open("rb") as raw:
        if not zipped:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as f:
            try:
                yield f  # type: ignore[misc]
            except (EOFError, gzip.BadGzipFile) as e:
                raise DataError(path.name, f"the compressed file is damaged ({e})", "make the file again") from None


def _chunks(f: IO[bytes]) -> Iterator[bytes]:
    """Pieces that end at a line end (or at the end of the file)."""
    while piece := f.read(CHUNK):
        yield piece + f.readline()


def _look(path: Path, zipped: bool, mark: str) -> _Look:
    """One buffer that stays in the cache, with the byte before it in front; nothing is copied and no line is cut out."""
    size, quotes, both, bare_n, bare_r, trailing, long = 0, False, False, False, False, False, False
    bad: int | None = None
    high: set[int] = set()
    decoder = codecs.getincrementaldecoder("utf-8")()
    code = mark.encode()[-1]
    buffer = bytearray(LOOK + 1)
    buffer[0] = 10
    every, ended, marked = np.frombuffer(buffer, np.uint8), np.empty(LOOK, np.bool_), np.empty(LOOK, np.bool_)
    with _bytes(path, zipped) as f:
        while n := f.readinto(memoryview(buffer)[1:]):  # type: ignore[attr-defined]
            before, now, end = every[:n], every[1 : n + 1], ended[:n]
            quotes = quotes or buffer.find(b'"', 1, n + 1) >= 0
            np.equal(now, 10, out=end)
            if buffer[0] == 13 or buffer.find(b"\r", 1, n + 1) >= 0:
                returned = before == 13
                both = both or bool((returned & end).any())
                bare_n = bare_n or bool((end & ~returned).any())
                bare_r = bare_r or bool((returned & ~end).any())
                end |= now == 13
            else:
                bare_n = bare_n or buffer.find(b"\n", 1, n + 1) >= 0
            long = long or (n == LOOK and not end.any())
            if not trailing:
                np.equal(before, code, out=marked[:n])
                trailing = bool(np.logical_and(marked[:n], end, out=end).any())
            held = len(decoder.getstate()[0])
            if held or now.max() > 127:
                high.update((np.flatnonzero(np.bincount(now, minlength=256)[128:]) + 128).tolist())
                if bad is None:
                    try:
                        decoder.decode(bytes(now))
                    except UnicodeDecodeError as e:
                        bad = size - held + e.start
            size += n
            buffer[0] = buffer[n]
    if bad is None and (held := len(decoder.getstate()[0])):
        bad = size - held
    bare_r, trailing = bare_r or (size > 0 and buffer[0] == 13), trailing or (size > 0 and buffer[0] == code)
    spaced = quotes and _spaced(path, zipped, mark)
    return _Look(size, quotes, (both, bare_n, bare_r), bad, bytes(sorted(high)), trailing, spaced, long or quotes)


def _spaced(path: Path, zipped: bool, mark: str) -> bool:
    """Whether a blank stands between a delimiter and a quote somewhere."""
    code = re.escape(mark.encode())
    pattern = re.compile(b"(?:" + code + rb'|^)[ \t]+"|"[ \t]+(?:' + code + rb"|\r|\n)", re.M)
    with _bytes(path, zipped) as f:
        return mark not in " \t" and any(b'"' in chunk and pattern.search(chunk) for chunk in _chunks(f))


def _encoding(path: Path, zipped: bool, look: _Look, given: str | None) -> str:
    with _bytes(path, zipped) as f:
        head = f.read(4096)
    if given is not None:
        try:
            name = codecs.lookup(given).name
            io.TextIOWrapper(io.BytesIO(), given)  # unlike a lookup, it refuses codecs that make no text
        except (LookupError, ValueError):
            raise UsageError(
                f"{path.name}, encoding", f"{given!r} is not known", "use utf-8, utf-16, cp1252 or latin-1"
            ) from None
        if name in ("utf-8", "utf-8-sig", "ascii"):
            if look.bad_byte is not None:
                raise _wrong_encoding(path, zipped, look.bad_byte, name, "leave the encoding out, or try cp1252")
            return "utf-8-sig" if head.startswith(codecs.BOM_UTF8) else "utf-8"
        return name
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    zeros = (head[0::2].count(0), head[1::2].count(0))
    if max(zeros) > len(head) // 5 and min(zeros) <= max(zeros) // 8:
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    if look.bad_byte is None:
        return "utf-8-sig" if head.startswith(codecs.BOM_UTF8) else "utf-8"
    if set(look.high_bytes) & {0x81, 0x8D, 0x8F, 0x90, 0x9D}:
        fix = "name the encoding it was written in (--encoding)"
        raise _wrong_encoding(path, zipped, look.bad_byte, "utf-8", fix)
    return "latin-1" if all(b >= 0xA0 for b in look.high_bytes) else "cp1252"


def _wrong_encoding(path: Path, zipped: bool, at: int, name: str, fix: str) -> DataError:
    with _bytes(path, zipped) as f:
        before = f.read(at)
        byte = f.read(1)
    line = before.count(b"\n") + 1
    return DataError(f"{path.name}, line {line}", f"byte 0x{byte.hex()} is not {name.upper()}", fix)


def _rewrite(path: Path, zipped: bool, encoding: str, folder: Path, place: str) -> Path:
    """The same text as UTF-8, readable by its owner only."""
    out = folder / f"{len(os.listdir(folder))}.csv"
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 1
    with _bytes(path, zipped) as f, _private(out) as to:
        while True:
            piece = f.read(CHUNK)
            try:
                text = decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as e:
                line = lines + e.object[: e.start].count(b"\n")
                problem = f"byte 0x{e.object[e.start : e.start + 1].hex()} is not {encoding.upper()}"
                raise DataError(f"{place}, line {line}", problem, "name the right encoding (--encoding)") from None
            except UnicodeError as e:  # such as UTF-16 without the mark that tells the order of its bytes
                fix = "leave the encoding out, or name the right one (--encoding)"
                raise DataError(place, f"it is not {encoding.upper()} ({e})", fix) from None
            lines += text.count("\n")
            to.write(text.encode("utf-8", "surrogatepass"))
            if not piece:
                return out


def _one_line_end(path: Path, zipped: bool, folder: Path) -> Path:
    """The same text with one kind of line end; what stands between quotes stays as it is."""
    out = folder / f"{len(os.listdir(folder))}.csv"
    inside = False
    with _bytes(path, zipped) as f, _private(out) as to:
        for chunk in _chunks(f):
            parts = chunk.split(b'"')
            for i in range(len(parts)):
                if inside == bool(i % 2):
                    parts[i] = parts[i].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            inside ^= len(parts) % 2 == 0
            to.write(b'"'.join(parts))
    return out


def _private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _sample(path: Path, zipped: bool) -> tuple[str, bool]:
    with _bytes(path, zipped) as f:
        piece = f.read(CHUNK)
        whole = not f.read(1)
    return piece.decode("utf-8-sig", "ignore"), whole


def _rows(text: str, delimiter: str, whole: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    with contextlib.suppress(_csv.Error):  # only a sample: the engine reports what is wrong, with its line
        for row in _csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if row:
                rows.append(row)
            if len(rows) > SAMPLE_ROWS:
                return rows[:-1]
    return rows if whole or len(rows) < 2 else rows[:-1]


def _delimiter(text: str, whole: bool, path: Path, width: int | None) -> str:
    """The mark that cuts most lines into as many fields as there are names; then the one that gives most fields."""
    marks = ("\t", *(d for d in DELIMITERS if d != "\t")) if ".tsv" in path.suffixes else DELIMITERS
    best, score = marks[0], (0.0, 0)
    for mark in marks if width is None else (*marks, " "):
        rows = _rows(text, mark, whole)
        fields = width or (len(rows[0]) if rows else 0)
        alike = sum(len(r) == fields for r in rows) / max(1, len(rows))
        if fields > 1 and (alike, fields) > score:
            best, score = mark, (alike, fields)
    return best


def delimiters(file: CsvFile) -> int:
    """How many delimiters a file has."""
    with _bytes(file.path, file.compressed) as f:
        return sum(chunk.count(file.delimiter.encode()) for chunk in _chunks(f))


def _header(text: str, mark: str, place: str, trim: bool) -> tuple[str, ...]:
    names = next((row for row in _rows(text, mark, True)), [])
    names = [n.strip(" \t") if trim or n.strip(" ").startswith('"') else n for n in names]
    names = [n[1:-1].replace('""', '"') if len(n) > 1 and n[0] == n[-1] == '"' else n for n in names]
    no_duplicates(names, place)
    return tuple(names)


def no_duplicates(names: Sequence[str], place: str) -> None:
    """Refuse two columns of the same name."""
    for i, name in enumerate(names):
        if name in names[:i]:
            raise DataError(
                f"{place}, column {name!r}",
                f"two columns have this name (columns {names.index(name) + 1} and {i + 1})",
                "give each column its own name",
            )


def ragged(file: CsvFile, fields: int) -> DataError | None:
    """The error for the first line with another number of fields, or None."""
    with _bytes(file.path, file.compressed) as raw:
        reader = _csv.reader(io.TextIOWrapper(raw, "utf-8-sig", newline=""), delimiter=file.delimiter)
        try:
            for row in reader:
                if len(row) != fields and row:
                    return ragged_error(file, reader.line_num, len(row), fields)
        except _csv.Error as e:
            return DataError(f"{file.place}, line {reader.line_num}", str(e), "repair this line")
    return None


def ragged_error(file: CsvFile, line: int, found: int, fields: int) -> DataError:
    """A line with too many or too few fields."""
    named = "name every column (--columns), " if file.header is None else ""
    return DataError(
        f"{file.place}, line {line}",
        f"{found} field{'s' * (found != 1)} where there should be {fields}",
        f"{named}repair the line, or name the right delimiter (--delimiter)",
    )


def line_of_row(file: CsvFile, row: int) -> int:
    """The line on which a data row (0 for the first) ends."""
    with _bytes(file.path, file.compressed) as raw:
        reader = _csv.reader(io.TextIOWrapper(raw, "utf-8-sig", newline=""), delimiter=file.delimiter)
        at = -1 if file.header is not None else 0
        for fields in reader:
            if fields:
                if at == row:
                    return reader.line_num
                at += 1
    return reader.line_num
