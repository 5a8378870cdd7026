"""CSV files: every field is text exactly as written, and what was found out is told."""

from __future__ import annotations

import gzip
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate import Joint
from liftgate.errors import DataError, LiftgateError, UsageError
from liftgate.tables import columns_of, csv, read_joint


def put(folder: Path, data: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return path


def read(folder: Path, data: str | bytes, sensitive: str = "s", public: str = "x", **options: Any) -> Joint:
    return read_joint(put(folder, data), sensitive, public, **options)


def test_nothing_is_guessed(tmp_path: Path) -> None:
    values = [
        "01",
        "1",
        "1.0",
        "true",
        "True",
        "NA",
        "null",
        "None",
        "nan",
        "2020-01-01",
        "#1",
        " 1",
        "1 ",
        "\\N",
        "1e3",
    ]
    joint = read(tmp_path, "s,x\n" + "".join(f"{'ab'[i % 2]},{v}\n" for i, v in enumerate(values)))
    assert set(joint.public) == set(values)
    assert joint.counts.sum() == len(values)


def test_an_empty_field_is_missing_and_an_empty_quoted_field_is_text(tmp_path: Path) -> None:
    joint = read(tmp_path, 's,x\na,""\nb,\n"",u\n,u\n')
    assert joint.sensitive == ("", "a", "b", None)
    assert joint.public == ("", "u", None)
    assert joint.source.missing == (("s", 1), ("x", 1))
    assert joint.counts.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8 with byte order mark"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-16-be", "UTF-16-BE"),
        ("latin-1", "Latin-1"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings_are_detected_and_told(tmp_path: Path, encoding: str, told: str) -> None:
    word = "Zoé €" if encoding != "latin-1" else "Zoé"
    joint = read(tmp_path, f"s,x\na,{word}\nb,u\n".encode(encoding))
    assert joint.public == (word, "u") if word < "u" else ("u", word)
    assert joint.source.notes == (f"t.csv: encoding {told} detected", "t.csv: delimiter comma detected")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_never_part_of_the_first_value(tmp_path: Path, encoding: str) -> None:
    joint = read(tmp_path, "a,é\nb,u\n".encode(encoding), columns=["s", "x"])
    assert joint.sensitive == ("a", "b")


def test_a_late_byte_decides_the_encoding(tmp_path: Path) -> None:
    data = b"s,x\n" + b"a,u\nb,v\n" * 600_000 + "a,ö\n".encode("cp1252")
    assert "ö" in read(tmp_path, data).public


def test_a_given_encoding_is_used_or_refused(tmp_path: Path) -> None:
    data = "s,x\na,ö\nb,u\n".encode("cp1252")
    assert read(tmp_path, data, encoding="cp1250").public == ("u", "ö")
    with pytest.raises(DataError, match=r"t.csv, line 2: byte 0xf6 is not UTF-8. Fix: leave the encoding out"):
        read(tmp_path, data, encoding="utf-8")
    with pytest.raises(UsageError, match=r"t.csv, encoding: 'klingon' is not known. Fix: use utf-8"):
        read(tmp_path, data, encoding="klingon")
    with pytest.raises(DataError, match=r"t.csv, line 3: byte 0xf6 is not SHIFT_JIS. Fix: name the right encoding"):
        read(tmp_path, b"s,x\na,u\nb,\xf6\n", encoding="shift_jis")
    with pytest.raises(DataError, match=r"t.csv, line 2: byte 0x81 is not UTF-8. Fix: name the encoding"):
        read(tmp_path, b"s,x\na,\x81\nb,u\n")


@pytest.mark.parametrize(("mark", "told"), [(",", "comma"), ("\t", "tab"), (";", "semicolon"), ("|", "bar")])
def test_delimiters_are_detected_and_told(tmp_path: Path, mark: str, told: str) -> None:
    joint = read(tmp_path, "".join(mark.join(row) + "\n" for row in [("s", "x"), ("a", '"1,5;2|3\t4"'), ("b", "2")]))
    assert joint.public == ("1,5;2|3\t4", "2")
    assert f"t.csv: delimiter {told} detected" in joint.source.notes


def test_a_given_delimiter_is_used(tmp_path: Path) -> None:
    joint = read(tmp_path, "s:x\na:1\nb:2\n", delimiter=":")
    assert joint.public == ("1", "2")
    assert "t.csv: delimiter ':' as given" in joint.source.notes
    with pytest.raises(UsageError, match=r"t.csv, delimiter: '::' is not one character"):
        read(tmp_path, "s:x\na:1\nb:2\n", delimiter="::")


def test_files_without_a_header_take_their_names_from_columns(tmp_path: Path) -> None:
    path = put(tmp_path, "a 1 u\nb 2 v\n")
    joint = read_joint(path, "s", "x", columns=["s", "n", "x"])
    assert (joint.public, joint.source.rows) == (("u", "v"), 2)
    assert columns_of(path, columns=["s", "n", "x"]) == ["s", "n", "x"]
    assert columns_of(path, columns="s, n,x") == ["s", "n", "x"]
    with pytest.raises(DataError, match=r"t.csv, line 1: 3 fields where there should be 2"):
        read_joint(path, "s", "x", columns=["s", "x"], delimiter=" ")
    with pytest.raises(DataError, match=r"columns, column 's': two columns have this name"):
        read_joint(path, "s", "x", columns=["s", "s", "x"])


def test_trim_cuts_blanks_on_request_only(tmp_path: Path) -> None:
    data = "s, x\na, u\nb,\t?\na,  \nb, u \n"
    plain = read(tmp_path, data, public=" x")
    assert plain.public == ("\t?", "  ", " u", " u ")
    assert plain.source.notes[-1] == "column ' x': every value starts with a blank; trim (--trim) cuts them"
    cut = read(tmp_path, data, trim=True)
    assert (cut.public, cut.source.missing) == (("?", "u", None), (("s", 0), ("x", 1)))
    assert not any("--trim" in note for note in cut.source.notes)
    words = read(tmp_path, data, trim=True, missing_tokens=["?"])
    assert (words.public, words.source.missing) == (("u", None), (("s", 0), ("x", 2)))
    with pytest.raises(DataError, match=r"column 'x': no such column. Fix: did you mean ' x'\? Its name has blanks"):
        read(tmp_path, data)


def test_a_token_that_has_blanks_is_not_met_without_trim(tmp_path: Path) -> None:
    joint = read(tmp_path, "s,x\na, ?\nb,?\n", missing_tokens="?")
    assert joint.public == (" ?", None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("s,x\na,u\nb\n", "t.csv, line 3: 1 field where there should be 2"),
        ("s,x\na,u\nb,v,w\n", "t.csv, line 3: 3 fields where there should be 2"),
        ("s,x\na,u\nb,v,\n", "t.csv, line 3: 3 fields where there should be 2"),
        ('s,x\na,"u\nv"\nb,"v",\n', "t.csv, line 4: 3 fields where there should be 2"),
        ("s,x\r\na,u\r\nb,v,w\r\n", "t.csv, line 3: 3 fields where there should be 2"),
        ("s\na,u\n", "t.csv, column 'x': no such column"),
        ('s,x\na,"u\nb,v\n', "t.csv, line 2: a quote is opened and not closed"),
        ("s,x,s\na,u,b\n", r"t.csv, column 's': two columns have this name \(columns 1 and 3\)"),
        ("", "t.csv: the file is empty"),
        ("\n\n", "t.csv: the file holds only empty lines"),
        ("\ufeff", "t.csv: the file holds only empty lines"),
        ("s,x\n", "t.csv: no row, only column names"),
        ("s,x", "t.csv: no row, only column names"),
    ],
)
def test_broken_files_are_refused_with_the_line(tmp_path: Path, data: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, data)


@pytest.mark.parametrize(
    ("data", "columns", "fix"),
    [
        ("39,Male,x\n50,Male,y\n", None, "where the first line is a row and no header, name the columns"),
        ("A11 6 A34 x\nA12 48 A32 y\n", None, "where it is several, name the delimiter"),
        ("a,b,c,d,e\n", ["s", "x"], "line 1: 5 fields where there should be 2. Fix: name every column"),
    ],
)
def test_a_file_without_a_header_is_met_with_the_right_option(
    tmp_path: Path, data: str, columns: list[str] | None, fix: str
) -> None:
    with pytest.raises(DataError, match=fix):
        read_joint(put(tmp_path, data), "s", "x", columns=columns)


def test_a_ragged_line_far_down_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"t.csv, line 400002: 3 fields where there should be 2"):
        read(tmp_path, "s,x\n" + "a,u\nb,v\n" * 200_000 + "a,u,w\n")


def test_empty_last_fields_are_missing_and_not_ragged(tmp_path: Path) -> None:
    assert read(tmp_path, 's,x\na,\nb,"u,v"\nb,\n').source.missing == (("s", 0), ("x", 2))
    assert read(tmp_path, "s,x\na,\nb,u").source.missing == (("s", 0), ("x", 1))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_empty_lines_around_the_rows_do_not_matter(tmp_path: Path, end: str) -> None:
    joint = read(tmp_path, end.join(["", "", '"s",x', "a,u", "", "b,v", "", ""]))
    assert (joint.sensitive, joint.public, joint.total) == (("a", "b"), ("u", "v"), 2)


def test_mixed_line_ends_are_read_and_line_ends_between_quotes_kept(tmp_path: Path) -> None:
    joint = read(tmp_path, 's,x\r\na,"u\nv"\nb,"u\r\nv"\r\na,w\n')
    assert joint.public == ("u\r\nv", "u\nv", "w") if "\r" < "\n" else ("u\nv", "u\r\nv", "w")
    plain = read(tmp_path, "s,x\r\na,u\nb,v\r\n")
    assert plain.public == ("u", "v")
    assert "t.csv: the line ends are mixed; each was taken as a line end" in plain.source.notes


def test_names_with_line_ends_and_quotes_are_columns_like_any_other(tmp_path: Path) -> None:
    joint = read(tmp_path, '"s\n;""DROP",x\na,u\nb,v\n', sensitive='s\n;"DROP')
    assert joint.sensitive == ("a", "b")


def test_blanks_outside_quotes_are_told(tmp_path: Path) -> None:
    joint = read(tmp_path, 's,x\na, "u,v"\nb,"w"\n')
    assert joint.public == ("u,v", "w")
    assert "t.csv: blanks between a delimiter and a quoted field were ignored" in joint.source.notes


def test_quotes_inside_a_field_are_text(tmp_path: Path) -> None:
    assert read(tmp_path, "s,x\na,5\" pipe\nb,it's\n").public == ('5" pipe', "it's")


def test_a_zipped_file_is_read_whatever_its_name(tmp_path: Path) -> None:
    assert read(tmp_path, gzip.compress("s,x\na,é\nb,v\n".encode("utf-16"))).public == ("v", "é")
    with pytest.raises(DataError, match=r"t.csv: the compressed file is damaged"):
        read(tmp_path, gzip.compress(b"s,x\n" + b"a,u\nb,v\n" * 1000)[:-20])


def test_paths_are_never_patterns_or_code(tmp_path: Path) -> None:
    put(tmp_path, "s,x\nwrong,u\nwrong2,v\n", "t1.csv")
    for name in ("t[1].csv", "t';DROP.csv", "*.csv", "{a,b}.csv"):
        assert read_joint(put(tmp_path, "s,x\na,u\nb,v\n", name), "s", "x").sensitive == ("a", "b")


def test_several_files_are_one_table_when_their_columns_agree(tmp_path: Path) -> None:
    first, second = put(tmp_path, "s,x\na,u\n", "1.csv"), put(tmp_path, "s;x\r\nb;é\r\n".encode("latin-1"), "2.csv")
    joint = read_joint([first, second], "s", "x")
    assert (joint.sensitive, joint.public, joint.source.name) == (("a", "b"), ("u", "é"), "1.csv and 1 more")
    assert joint.source.notes[0] == "2 files were read as one table"
    third = put(tmp_path, "x,s\nu,a\n", "3.csv")
    with pytest.raises(DataError, match=r"3.csv: its columns are not those of 1.csv"):
        read_joint([first, third], "s", "x")
    put(tmp_path, "s,x\nb,u\na\n", "4.csv")
    with pytest.raises(DataError, match=r"4.csv, line 3: 1 field where there should be 2"):
        read_joint([first, tmp_path / "4.csv"], "s", "x")


def test_no_rewritten_copy_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    read(tmp_path, "s,x\na,é\nb,u\n".encode("utf-16"))
    with pytest.raises(LiftgateError):
        read(tmp_path, "s,x\na,é\nb\n".encode("utf-16"))
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_line_of_megabytes_is_read(tmp_path: Path) -> None:
    """Without a quote in the file, and longer than what the engine expects of a line."""
    path = tmp_path / "long.csv"
    path.write_text("ill,job,text\n" + f"y,a,{'x' * 3_000_000}\n" + "n,b,short\n" * 3)
    assert read_joint(path, "ill", "job").counts.tolist() == [[0, 3], [1, 0]]


PIECES = st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b",", b";", b'"', b" ", b"a", "é".encode(), b"\xe9", "€".encode()]))  # fmt: skip


@given(PIECES, st.integers(1, 9))
def test_what_a_look_over_the_bytes_tells_depends_on_no_buffer(pieces: list[bytes], size: int) -> None:
    """Line ends, quotes, delimiters at line ends and the first byte that is not UTF-8, against plain words."""
    data = b"".join(pieces)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "x.csv"
        path.write_bytes(data)
        patch.setattr(csv, "LOOK", size)
        found = csv._look(path, False, ",")
    assert found.size == len(data)
    assert found.quotes == (b'"' in data)
    alone = (b"\r\n" in data, re.search(rb"(?<!\r)\n", data) is not None, re.search(rb"\r(?!\n)", data) is not None)
    assert found.line_ends == alone
    assert found.trailing == (re.search(rb",(\r|\n|$)", data) is not None)
    assert found.high_bytes == bytes(sorted({b for b in data if b > 127}))
    wrong = None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        wrong = error.start
    assert found.bad_byte == wrong
