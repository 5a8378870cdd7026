"""Errata stand in three places, and the three agree: the register, a test, and a docstring in the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

REGISTER = (ROOT / "docs" / "errata.md").read_text()
IDS = re.findall(r"^\| (E\d+) \|", REGISTER, flags=re.MULTILINE)
TESTS = "\n".join(p.read_text() for p in sorted((ROOT / "tests").rglob("test_*.py")))
CODE = "\n".join(p.read_text() for p in sorted((ROOT / "src").rglob("*.py")))
RANGES = {"LIFT and LIFT0": range(1, 20), "DOG": range(20, 40), "STAR": range(40, 70), "ATR": range(70, 90)}


def test_ids_are_unique() -> None:
    """An id means one erratum."""
    assert len(set(IDS)) == len(IDS) > 0


@pytest.mark.parametrize("erratum", IDS)
def test_every_erratum_has_a_test_and_stands_in_the_code(erratum: str) -> None:
    """A row of the register names a counterexample that runs and code that is repaired."""
    assert re.search(rf"def test_\w*{erratum.lower()}(_|\()", TESTS), "no test carries this id"
    assert re.search(rf"\b{erratum}\b", CODE), "no docstring names this id"


def test_every_id_in_the_code_is_registered() -> None:
    """No docstring names an erratum that the register does not have."""
    named = set(re.findall(r"\b(?:[Ee]rrat(?:um|a) |\()(E\d+)\b", CODE))
    assert named <= set(IDS)


def test_ids_stand_under_their_paper() -> None:
    """LIFT E1-E19, DOG E20-E39, STAR E40-E69, ATR E70-E89."""
    for section in REGISTER.split("\n## ")[1:]:
        title = section.splitlines()[0].strip()
        for number in re.findall(r"^\| E(\d+) \|", section, flags=re.MULTILINE):
            assert int(number) in RANGES[title], f"E{number} under {title}"


STATEMENTS = (ROOT / "docs" / "papers.md").read_text()
ROWS = [line.split(" | ") for line in STATEMENTS.splitlines() if line.startswith("| ") and "`" in line]


def test_every_test_that_a_page_names_is_there() -> None:
    """A file of tests, or one test in it."""
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", REGISTER + STATEMENTS)
    assert len(named) > 100
    for file, test in named:
        assert f"def {test}" in (ROOT / file).read_text(), f"{file}::{test}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("| "))
def test_every_function_that_a_statement_names_is_there(row: list[str]) -> None:
    """A module, an entry of a list, or the last part of a dotted name that the code defines."""
    names = re.findall(r"`([^`]+)`", row[1])
    assert names
    for name in names:
        entry = re.fullmatch(r'[A-Z]+\["(.+)"\]', name)
        if name.endswith(".py"):
            assert (ROOT / "src" / "liftgate" / name).is_file(), name
        elif entry is not None:
            assert f'"{entry[1]}"' in CODE, name
        elif not name.startswith("liftgate "):
            last = name.partition("(")[0].split(".")[-1]
            defined = re.search(rf"(def|class) {last}\b|^\s*{last}(: \w.*)?( = |$)|^\s*{last}: ", CODE, re.MULTILINE)
            assert defined or list((ROOT / "src").rglob(f"{last}.py")), name
