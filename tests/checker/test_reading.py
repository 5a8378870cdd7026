"""Files that are no certificates: refused at once, in one line, with the place and the fix."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from liftgate import checker
from liftgate.certificates import Certificate, ratio_bound
from liftgate.joint import Joint

CERTIFICATE = ratio_bound(Joint.from_counts([[3, 1], [1, 3]]), None, 3, ["counts-are-population"])
TEXT = CERTIFICATE.to_json()
CASES = {
    "empty": (b"", "not whole JSON: expecting value at line 1, column 1; is the file cut short?"),
    "byte order mark": (b"\xef\xbb\xbf" + TEXT.encode(), "starts with a byte order mark"),
    "UTF-16": (TEXT.encode("utf-16"), "not UTF-8: byte 0 cannot be read"),
    "Latin-1": (TEXT.replace("counts-are", "c\xf6unts-are").encode("latin-1"), "not UTF-8: byte "),
    "float": (TEXT.replace(": 3,", ": 3.0,").replace('"3"', "3.5").encode(), "'exp_eps' holds 3.5; write text"),
    "exponent": (TEXT.replace('"3"', "3e999999999").encode(), "'exp_eps' holds inf; write text"),
    "NaN": (TEXT.replace('"3"', "NaN").encode(), "'exp_eps' holds nan; write text"),
    "infinity": (TEXT.replace('"3"', "-Infinity").encode(), "'exp_eps' holds -inf; write text"),
    "boolean": (TEXT.replace('"3"', "true").encode(), "'exp_eps' holds a boolean"),
    "one key twice": (TEXT.replace('"kind"', '"kind": 0, "kind"').encode(), "the key 'kind' stands twice"),
    "an inner key twice": (TEXT.replace('"total"', '"total": 9, "total"').encode(), "the key 'total' stands twice"),
    "one key twice, escaped": (TEXT.replace('"kind"', '"\\u006bind": 0, "kind"').encode(), "the key 'kind' stands twi"),
    "two documents": ((TEXT + TEXT).encode(), "not whole JSON: extra data"),
    "comment": (("// proof\n" + TEXT).encode(), "not whole JSON"),
    "single quotes": (b"{'kind': 1}", "not whole JSON"),
    "comma too many": (b'{"kind": 1,}', "not whole JSON"),
    "leading zero": (b'{"kind": 01}', "not whole JSON"),
    "plus sign": (b'{"kind": +1}', "not whole JSON"),
    "raw control character": (b'{"kind": "\x00"}', "not whole JSON"),
    "deep lists": (b"[" * 10**6 + b"]" * 10**6, "nested more than 32 deep at character 32"),
    "deep objects": (b'{"a":' * 10**5, "nested more than 32 deep"),
    "deep, never closed": (b"[" * 10**7, "nested more than 32 deep"),
    "4001 digits": (b"[" + b"7" * 4001 + b"]", "a number has more than 4000 digits"),
    "4001 digits in a fraction": (TEXT.replace('"3"', '"1/' + "7" * 4001 + '"').encode(), "has more than 4000 digits"),
    "negative 4001 digits": (b"[-" + b"7" * 4001 + b"]", "has more than 4000 digits"),
    "a future envelope": (b'{"liftgate-certificate": 2, "proof": "new"}', "version 2, this checker reads 1: a certif"),
}


@pytest.mark.parametrize("name", CASES)
def test_unreadable_files_say_why(name: str, tmp_path: Path) -> None:
    """Exit code 2 and one line of printable ASCII."""
    data, words = CASES[name]
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    verdict = checker.check(path)
    assert verdict.exit_code == 2, verdict
    assert words in verdict.reason
    assert verdict.reason.isascii()
    assert verdict.reason.isprintable()
    assert checker.check(str(path)) == verdict


def test_truncated_anywhere_is_unreadable() -> None:
    """A certificate cut after any byte but the last line end is not read."""
    whole = TEXT.rstrip().encode()
    for end in range(len(whole)):
        with pytest.raises(checker.Unreadable):
            checker.read_bytes(whole[:end])
    assert checker.check(checker.read_bytes(whole)).holds


def test_other_json_is_read_but_refused() -> None:
    """JSON that is no certificate has exit code 1; it is told what is missing."""
    for data in (b"null", b"7", b"[]", b"{}", b'{"kind": "lift-bounds"}', b"[" * 32 + b"]" * 32):
        verdict = checker.check(checker.read_bytes(data))  # type: ignore[arg-type]
        assert verdict.exit_code == 1
        assert verdict.reason == 'not a Liftgate certificate: no key "liftgate-certificate"'


def test_a_number_of_a_thousand_million_digits_is_refused_without_reading_it(tmp_path: Path) -> None:
    """The size limit stops the reader after 64 MB; counted digits stop the parser: both cost less than one parse."""
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.write(b'{"liftgate-certificate": 1')
        file.truncate(10**9)
    start = time.process_time()
    verdict = checker.check(path)
    refused = time.process_time() - start
    assert verdict.exit_code == 2
    assert verdict.reason == "larger than 64 MB, the most a certificate may have"
    digits = b"[" + b"1" * 10**6 + b"]"
    start = time.process_time()
    with pytest.raises(checker.Unreadable, match="more than 4000 digits"):
        checker.read_bytes(digits)
    by_digits = time.process_time() - start
    start = time.process_time()
    json.loads("[" + ",".join(["1"] * 10**6) + "]")
    ordinary = time.process_time() - start
    assert by_digits < 5 * ordinary
    assert refused < 100 * ordinary


def test_limits_themselves_are_allowed() -> None:
    """4000 digits, 32 levels and exactly these are read; the limits refuse only what is beyond."""
    assert checker.read_bytes(b"[" + b"7" * 4000 + b"]") == [int("7" * 2000) * 10**2000 + int("7" * 2000)]
    assert checker.read_bytes(b"[-" + b"7" * 500 + b"]") == [-int("7" * 500)]
    assert checker.read_bytes(b"[" * 32 + b"1" + b"]" * 32) is not None
    assert checker.read_bytes(b'{"a": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ \\" ]"}') == {"a": "[" * 41 + ' " ]'}


def test_documents_in_memory_are_held_to_the_same_rules() -> None:
    """Python values that JSON would turn into something else are refused, not converted."""
    deep: list[object] = []
    for _ in range(40):
        deep = [deep]
    circle: list[object] = []
    circle.append(circle)
    cases = [(deep, "nested more than 32 deep"), (circle, "nested more than 32 deep"), ({1: 2}, "a key is 1, not text")]
    cases += [([10**4000], "more than 4000 digits"), ([-(10**4000)], "more than 4000 digits")]
    cases += [
        ((1, 2), "holds a tuple"),
        ([1.5], "holds 1.5; write"),
        ([True], "holds a boolean"),
        ([b"x"], "holds a bytes"),
    ]
    for given, words in cases:
        verdict = checker.check(given)
        assert verdict.exit_code == 2, given
        assert words in verdict.reason


def test_paths_that_cannot_be_opened(tmp_path: Path) -> None:
    """A missing file, a folder and an impossible name are told apart, without a traceback."""
    assert checker.check(tmp_path / "no.json").reason == "cannot open the file: No such file or directory"
    assert checker.check(tmp_path).reason == "cannot open the file: Is a directory"
    assert checker.check("a\0b").reason == "cannot open the file: the file name cannot be used"
    assert checker.check("\ud800").reason == "cannot open the file: the file name cannot be used"


def test_certificate_dictionary_and_path_get_the_same_verdict(tmp_path: Path) -> None:
    """What is checked does not depend on how it came."""
    path = CERTIFICATE.save(tmp_path / "c.json")
    assert checker.check(CERTIFICATE) == checker.check(CERTIFICATE.to_dict()) == checker.check(path)
    assert checker.check(Certificate.read(path)).holds
