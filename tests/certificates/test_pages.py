"""The pages about certificates say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from liftgate import checker
from liftgate.certificates import ASSUMPTIONS, KINDS, explain
from liftgate.certificates.assumptions import known, page
from liftgate.errors import CertificateError

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_of_assumptions_is_the_mapping() -> None:
    """docs/assumptions.md is written from the same texts."""
    assert (DOCS / "assumptions.md").read_text("utf-8") == page()


def test_every_assumption_has_two_sentences_and_a_printable_name() -> None:
    """Two plain sentences each, and a name the checker accepts."""
    for name, text in ASSUMPTIONS.items():
        assert len(re.findall(r"[.]( |$)", text)) == 2, name
        assert re.fullmatch("[!-~]{1,200}", name)
        assert "|" not in text


def test_assumptions_are_checked_when_written() -> None:
    """Unknown or doubled names are refused, one name alone is a list of one, and the mapping is read-only."""
    assert known("missing=drop") == ("missing=drop",)
    assert known(()) == ()
    with pytest.raises(CertificateError, match=r"'missing=maybe' is not known\. Fix: use one of counts-are-population"):
        known(["missing=maybe"])
    with pytest.raises(TypeError):
        ASSUMPTIONS["new"] = ""  # type: ignore[index]
    assert explain("new").startswith("This version of Liftgate does not know it.")


def test_the_format_page_has_one_section_and_example_per_kind() -> None:
    """Every kind of the registry has a heading, its sentence, and a certificate that the page checks."""
    text = (DOCS / "certificates.md").read_text("utf-8")
    for name, kind in KINDS.items():
        sections = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert len(sections) == 1, name
        assert kind.sentence in sections[0]
        assert "```python" in sections[0]
        assert "check(" in sections[0]


def test_the_format_page_states_the_limits_of_the_checker() -> None:
    """The numbers on the page are those in the code."""
    text = (DOCS / "certificates.md").read_text("utf-8")
    assert f"at most {checker.MOST_BYTES // 2**20} MB" in text
    assert f"at most {checker.MOST_DIGITS} digits" in text
    assert f"at most {checker.MOST_DEPTH} levels" in text
    assert f"p at most {checker.MOST_ORDER}" in text
    assert checker.MOST_BITS == 2**21
    assert "2^21 bits" in text
