"""checker.py alone: only the standard library, exit codes, --allow, and nothing hostile on the screen."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import lift_bounds, ratio_bound
from liftgate.joint import Joint

JOINT = Joint.from_counts([[3, 1], [1, 3]])
TRUE = ratio_bound(JOINT, None, 3, ["counts-are-population", "missing=value"])
FALSE = lift_bounds(JOINT, None, Budget.between("2/3", 2), ["counts-are-population"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds the checker and certificates, and nothing of the package."""
    (tmp_path / "checker.py").write_bytes(Path(checker.__file__).read_bytes())
    TRUE.save(tmp_path / "true.json")
    FALSE.save(tmp_path / "false.json")
    (tmp_path / "cut.json").write_text(TRUE.to_json()[:-40])
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The checker as its own process, isolated, without site packages, with no environment."""
    command = [sys.executable, "-I", "-S", "checker.py", *arguments]
    return subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True, timeout=60)


def test_runs_alone_and_prints_claim_and_assumptions(folder: Path) -> None:
    """Exit code 0, the claim in words and every assumption."""
    done = run(folder, "true.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "true.json: accepted: recomputed in whole numbers\n"
        "  claim: For the table of 2 sensitive x 2 public values (total 8), released through the channel with 2 released "
        "values: none is more than 3 times as likely under one sensitive value as under another.\n"
        "  assumptions: counts-are-population, missing=value\n"
    )


def test_exit_codes(folder: Path) -> None:
    """0 accepted, 1 refused, 2 unreadable; of several the worst; 2 for a wrong command line."""
    refused = run(folder, "false.json")
    assert refused.returncode == 1
    assert "false.json: REFUSED: released value 0, sensitive value 1: lift 1/2 is below 2/3\n" in refused.stdout
    assert "claimed, not shown: " in refused.stdout
    unreadable = run(folder, "cut.json")
    assert unreadable.returncode == 2
    assert unreadable.stdout.startswith("cut.json: unreadable: not whole JSON")
    assert [run(folder, *names).returncode for names in (["true.json", "false.json"], ["false.json", "cut.json"])] == [
        1,
        2,
    ]
    assert run(folder, "missing.json").returncode == 2
    assert run(folder).returncode == 2
    assert run(folder, "--allow-all", "true.json").returncode == 2


def test_allow_needs_every_assumption(folder: Path) -> None:
    """Without --allow assumptions are listed; with any --allow each of them has to be allowed, by its whole name."""
    both = ["--allow", "counts-are-population", "--allow", "missing=value"]
    assert run(folder, "true.json", *both).returncode == 0
    assert run(folder, "true.json", *both, "--allow", "rows-independent").returncode == 0
    one = run(folder, "true.json", "--allow", "counts-are-population")
    assert one.returncode == 1
    assert "REFUSED: not allowed: missing=value\n" in one.stdout
    assert run(folder, "true.json", "--allow", "missing", "--allow", "counts-are-population").returncode == 1
    for allow, holds in (
        (None, True), ([], False), ("missing=value", False), (["missing=value", "counts-are-population"], True),
        ({"counts-are-population", "missing=value", "more"}, True), ("counts-are-population,missing=value", False),
    ):  # fmt: skip
        assert checker.check(TRUE, allow=allow).holds is holds, allow


def test_allowing_does_not_make_a_lie_true() -> None:
    """A false claim stays refused whatever is allowed, and says the falsehood rather than the assumption."""
    assert "below 2/3" in checker.check(FALSE, allow=["counts-are-population"]).reason
    assert "below 2/3" in checker.check(FALSE, allow=[]).reason


HOSTILE = "\x1b[2J\x1b[31mACCEPTED\u202e\n\r\0\x07</script>\ud800\u2028\U0001f512" + "x" * 200


def test_hostile_text_is_printed_as_harmless_ascii(folder: Path) -> None:
    """Control characters, right-to-left marks and lone surrogates reach the screen only as escapes, and cut short."""
    true = TRUE.to_dict()
    lies = [
        {**true, "kind": HOSTILE}, {**true, HOSTILE: 1}, {**true, "salt": HOSTILE}, {**true, "assumptions": [HOSTILE]},
        {**true, "claim": {**true["claim"], HOSTILE: 1}}, {**true, "claim": {**true["claim"], "exp_eps": HOSTILE}},
        {**true, "evidence": {HOSTILE: HOSTILE}}, {**true, "version": HOSTILE}, {**true, "claim": {HOSTILE: 1.5}},
        {**true, "kind": "measure-bounds", "claim": {"counts": [[1]], "channel": {"total": 1, "outputs": [[0, 1]]},
         "bounds": {HOSTILE: [0, 1]}}},
    ]  # fmt: skip
    names = []
    for i, lie in enumerate(lies):
        verdict = checker.check(lie)
        assert not verdict.holds
        assert verdict.reason.isascii()
        assert verdict.reason.isprintable()
        assert len(verdict.reason) < 600
        names.append(f"lie{i}.json")
        (folder / names[-1]).write_text(json.dumps(lie))
    done = run(folder, *names)
    assert done.stdout.isascii()
    assert all(line.isprintable() for line in done.stdout.splitlines())
    assert "accepted" not in done.stdout
    assert done.stderr == ""


def test_hostile_file_names_are_printed_as_ascii(folder: Path) -> None:
    """A file whose name clears the screen is named with escapes."""
    name = "a\x1b[2J\u202e\n.json"
    os.rename(folder / "true.json", folder / name)
    done = run(folder, name)
    assert done.returncode == 0
    assert done.stdout.startswith("'a\\x1b[2J\\u202e\\n.json': accepted")


def test_large_numbers_are_told_by_their_size() -> None:
    """A count of 4000 digits neither fills the screen nor fails to print."""
    big = 10**3999
    joint = Joint.from_counts([[big, 0], [1, 1]])
    verdict = checker.check(ratio_bound(joint, None, big, ["counts-are-population"]))
    assert not verdict.holds
    assert len(str(verdict.claim)) < 400
    assert "(total (a number of 13285 bits))" in str(verdict.claim)


def test_imports_only_the_standard_library_and_uses_no_float() -> None:
    """Read from the source: imports, no float literal, no call that makes a float, no eval."""
    tree = ast.parse(Path(checker.__file__).read_text("utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    allowed = set(sys.stdlib_module_names)
    assert {name.partition(".")[0] for name in imported} <= allowed
    assert not imported & {"random", "subprocess", "socket", "pickle", "importlib", "ctypes", "decimal", "cmath"}
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert not [value for value in constants if isinstance(value, (float, complex))]
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"float", "eval", "exec", "compile", "__import__", "complex", "round"}


def test_stays_short_enough_to_be_read() -> None:
    """One file in numbered sections that can be read apart, at most 900 lines."""
    lines = Path(checker.__file__).read_text("utf-8").splitlines()
    assert len(lines) <= 900
    sections = [line for line in lines if line.startswith("# --- ")]
    assert [line.split()[2] for line in sections] == sorted(
        (line.split()[2] for line in sections), key=lambda n: n.rstrip(".")
    )
