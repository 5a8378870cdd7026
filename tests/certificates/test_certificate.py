"""The envelope: round trips, deterministic bytes, private copies, files that are never overwritten by accident."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import Certificate, certify
from liftgate.channel import Channel
from liftgate.errors import CertificateError
from liftgate.joint import Joint

JOINT = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
ASSUMED = ["counts-are-population", "missing=value"]


def example(salt: str | None = None) -> Certificate:
    """A true certificate."""
    made = certify(JOINT, Channel.merge(3, [[0, 1], [2]]), Budget.between(1, 1), ASSUMED)
    return made if salt is None else Certificate(made.kind, 1, made.claim, made.evidence, made.assumptions, salt)


def test_round_trips(tmp_path: Path) -> None:
    """Through a dictionary, JSON, a file, a pickle and a copy a certificate stays equal and true."""
    made = example()
    back = [
        Certificate.from_dict(made.to_dict()),
        Certificate.from_dict(json.loads(made.to_json())),
        Certificate.read(made.save(tmp_path / "c.json")),
        pickle.loads(pickle.dumps(made)),
        copy.deepcopy(made),
    ]
    for other in back:
        assert other == made
        assert other.hash == made.hash
        assert hash(other) == hash(made)
        assert checker.check(other).holds


def test_salts_are_random_and_change_the_hash() -> None:
    """Two certificates of one claim differ in 32 random bytes, so the hash tells nothing about the counts."""
    one, two = example(), example()
    assert one.salt != two.salt
    assert len(bytes.fromhex(one.salt)) == 32
    assert one.hash != two.hash
    assert one != two


def test_bytes_are_deterministic_and_hashed_as_written(tmp_path: Path) -> None:
    """The same certificate gives the same bytes, the hash is theirs, and the text is pinned."""
    made = example("00" * 32)
    path = made.save(tmp_path / "c.json")
    assert path.read_bytes() == made.to_json().encode()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == made.hash == example("00" * 32).hash
    assert made.to_json() == (
        "{\n"
        '  "liftgate-certificate": 1,\n'
        '  "kind": "lift-bounds",\n'
        '  "version": 1,\n'
        '  "claim": {\n'
        '    "counts": [[3, 1, 2], [1, 3, 2]],\n'
        '    "channel": {"total": 1, "outputs": [[0, 1, 1, 1], [2, 1]]},\n'
        '    "budget": {"kind": "alip", "low": "1", "up": "1"}\n'
        "  },\n"
        '  "evidence": {},\n'
        '  "assumptions": ["counts-are-population", "missing=value"],\n'
        f'  "salt": "{"00" * 32}"\n'
        "}\n"
    )


json_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=30)
@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_layout_says_what_the_dictionary_says(claim: dict[str, Any]) -> None:
    """However it is broken into lines, the JSON reads back as the same values."""
    made = Certificate("ratio-bound", 1, claim, {"hint": [list(range(80))] * 3})
    assert json.loads(made.to_json()) == made.to_dict()
    assert made.to_json().isascii()


def test_what_it_holds_is_its_own() -> None:
    """Neither what was given nor what was handed out changes a certificate."""
    counts = [[3, 1], [1, 3]]
    claim = {"counts": counts, "channel": {"total": 1, "outputs": [[0, 1], [1, 1]]}, "exp_eps": Fraction(3)}
    made = Certificate("ratio-bound", 1, claim)
    before = made.hash
    counts[0][0] = 99
    made.to_dict()["claim"]["counts"][0][0] = 98
    assert made.claim["counts"] == [[3, 1], [1, 3]]
    assert made.claim["exp_eps"] == "3"
    assert Certificate.from_dict(made.to_dict()).hash == before


@pytest.mark.parametrize(
    "value", [1.0, True, np.float64(1), b"x", {1, 2}, object(), 10**4000, [float("nan")], Fraction(1, 10**4000)]
)
def test_what_a_certificate_cannot_hold(value: object) -> None:
    """Floats, booleans and numbers beyond the checker's limit are refused when they are written."""
    with pytest.raises(CertificateError, match=r"claim: .*\. Fix: "):
        Certificate("ratio-bound", 1, {"exp_eps": value})


def test_whole_numbers_of_numpy_become_plain(tmp_path: Path) -> None:
    """Counts from arrays, also beyond int64, are written as whole numbers."""
    made = Certificate("ratio-bound", 1, {"a": np.int64(3), "b": (np.uint8(1), 2**70)})
    assert made.claim == {"a": 3, "b": [1, 2**70]}
    assert [type(made.claim["a"]), type(made.claim["b"][0])] == [int, int]


def test_files_are_private_complete_and_never_overwritten(tmp_path: Path) -> None:
    """Mode 0600 whatever the umask, an existing file only with force, no temporary file left."""
    old = os.umask(0)
    try:
        path = example().save(tmp_path / "c.json")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    first = path.read_bytes()
    with pytest.raises(CertificateError, match=r"the file exists\. Fix: choose another name, or force it"):
        example().save(path)
    assert path.read_bytes() == first
    other = example()
    path.chmod(0o644)
    assert other.save(path, force=True) == path
    assert path.read_bytes() == other.to_json().encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.json"]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder by that name, a folder that is missing: an error with the fix, nothing left behind."""
    with pytest.raises(CertificateError, match=r"a folder has this name\. Fix: give the name of a file"):
        example().save(tmp_path, force=True)
    with pytest.raises(CertificateError, match=r"No such file or directory\. Fix: choose a folder"):
        example().save(tmp_path / "no" / "c.json")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full the old file is untouched and no temporary file stays."""
    path = example().save(tmp_path / "c.json")
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CertificateError, match="No space left on device"):
        example().save(path, force=True)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.json"]


def test_reading_is_as_strict_as_checking(tmp_path: Path) -> None:
    """Whatever the checker cannot read or whose envelope is wrong is an error that names the file."""
    path = tmp_path / "c.json"
    good = example().to_dict()
    for text, words in (
        ("", "not whole JSON"),
        (json.dumps(good).replace('"total": 1', '"total": 1.0'), "'total' holds 1.0"),
        (json.dumps({**good, "kind": "lift-limits"}), "unknown kind 'lift-limits': a certificate from the future"),
        (json.dumps({**good, "version": 2}), "this checker reads 1"),
        (json.dumps({**good, "salt": "0"}), "salt is not a text of 64"),
        (json.dumps({**good, "extra": 0}), "the unknown key 'extra'"),
        (json.dumps({**good, "claim": []}), "the claim or the evidence is not an object"),
    ):
        path.write_text(text)
        with pytest.raises(CertificateError, match=r"c\.json: ") as error:
            Certificate.read(path)
        assert words in str(error.value)
    with pytest.raises(CertificateError, match="No such file"):
        Certificate.read(tmp_path / "no.json")
    with pytest.raises(CertificateError, match="no key 'salt'"):
        Certificate.from_dict({name: value for name, value in good.items() if name != "salt"})


def test_a_certificate_does_not_vouch_for_itself() -> None:
    """A false claim can be written and read; only the checker decides."""
    false = certify(JOINT, None, Budget.between(1, 1), ASSUMED)
    again = Certificate.from_dict(false.to_dict())
    assert not checker.check(again)
    assert again.text.startswith("lift-bounds: refused (released value 0, sensitive value 0: lift 3/2 is above 1)")


def test_telling() -> None:
    """Sentence, text and notebook form say claim, assumptions and hash; a malformed claim says so."""
    made = example()
    assert made.sentence.endswith("every lift P(s|y)/P(s) is at least 1 and at most 1.")
    assert "counts-are-population: The counts describe everybody" in made.text
    assert made.text.endswith(f"sha256 {made.hash}")
    assert made.hash in made._repr_html_()
    broken = Certificate("ratio-bound", 1, {"counts": 1})
    assert broken.sentence == "A malformed certificate: claim has no key 'channel'."
    assert "Certified under these assumptions:\n  none" in broken.text


def test_notebook_form_is_escaped() -> None:
    """Text of a hostile certificate cannot leave its cell."""
    hostile = Certificate("<script>", 1, {}, {}, ("<img>",))
    html = hostile._repr_html_()
    assert "<script>" not in html
    assert "<img>" not in html
