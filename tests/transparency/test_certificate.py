"""The announcement certificate: truth accepted, at least one lie for each key refused."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path

import pytest

from liftgate import checker
from liftgate.transparency import DecisionRules, announce


@pytest.fixture
def truth(credit):
    """The paper's example, as a certificate."""
    return announce(credit, delta=0.9).certificate.to_dict()


def three_outcomes():
    rules = DecisionRules.from_arrays([3, 2, 1], [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0, 0, 1]], [0, 0, 0])
    return announce(rules, delta=0.9).certificate.to_dict()


def test_the_truth_is_accepted(truth):
    """The paper's announcement: beta 27/40 and 81/127, and none inside the bounds stays below."""
    verdict = checker.check(truth)
    assert verdict.holds, verdict.reason
    assert "27/40, 81/127" in verdict.claim
    assert "no rule inside the bounds stays below it" in verdict.claim
    assert checker.check(three_outcomes()).holds
    assert not checker.check(truth, allow=["counts-are-population"]).holds
    assert checker.check(truth, allow=truth["assumptions"]).holds


LIES = {
    "mass": [
        ("claim.mass.0", "30", "row 0 has"),
        ("claim.mass.0", "-12", "negative"),
        ("claim.mass", ["12"], "different sizes"),
        ("claim.mass", ["0"] * 6, "no mass"),
    ],
    "group": [
        ("claim.group.2", 1, "row 0 has"),
        ("claim.group.0", 7, "beta has only 2"),
        ("claim.group", [0] * 6, "does not prove"),
    ],
    "lower": [
        ("claim.lower.0", ["1", "0"], "outside its bounds"),
        ("claim.lower.0", ["-1", "0"], "outside its bounds"),
    ],
    "upper": [
        ("claim.upper.0", ["1", "1/20"], "outside its bounds"),
        ("claim.upper.5", ["1/10", "2"], "outside its bounds"),
        ("claim.upper", [["1", "1"]] * 5, "different sizes"),
    ],
    "rules": [
        ("claim.rules.1", ["1", "1/50"], "adds up to 51/50"),
        ("claim.rules.1", ["1", "0"], "above 27/40"),
        ("claim.rules.0", ["1", "0"], "above 27/40"),
        ("claim.rules.0", ["4/5", "1/5"], "outside its bounds"),
        ("claim.rules.0", ["1"], "different sizes"),
    ],
    "beta": [
        ("claim.beta.0", "67/100", "above 67/100"),
        ("claim.beta", ["27/40"], "different sizes"),
        ("claim.beta.1", "1/3", "above 1/3"),
    ],
    "floor": [
        ("evidence.floor.1", "82/127", "not between 0 and beta"),
        ("evidence.floor.0", "-1", "not between"),
        ("evidence.floor", ["27/40"], "different sizes"),
    ],
    "dual": [
        ("evidence.dual.0", [], "does not prove"),
        ("evidence.dual.0.0", [0, 0, 5], "does not prove"),
        ("evidence.dual.0.0", [0, 1, 1], "does not prove"),
        ("evidence.dual.0.0", [3, 0, 1], "not of the group"),
        ("evidence.dual.0.0", [0, 0], "rows with 3 entries"),
        ("evidence.dual.0.0", [0, 9, 1], "not of the group"),
        ("evidence.dual.0.0", [0, 0, -1], "less than 0"),
        ("evidence.dual.0.1", [0, 0, 1], "named twice"),
    ],
}


@pytest.mark.parametrize(("key", "path", "lie", "reason"), [(k, *entry) for k, lies in LIES.items() for entry in lies])
def test_every_lie_is_refused(truth, key, path, lie, reason):
    """Each key of the claim and the evidence, changed: refused with a reason."""
    import re

    told = copy.deepcopy(truth)
    place = told
    *way, last = [int(s) if s.isdigit() else s for s in path.split(".")]
    for step in way:
        place = place[step]
    assert place[last] != lie
    place[last] = lie
    verdict = checker.check(told)
    assert not verdict.holds
    assert re.search(reason, verdict.reason), verdict.reason


def test_wider_bounds_make_the_proof_fail(truth):
    """With every bound opened the claimed optimum is no longer one, and the dual proves nothing."""
    told = copy.deepcopy(truth)
    told["claim"]["lower"] = [["0", "0"]] * 6
    told["claim"]["upper"] = [["1", "1"]] * 6
    verdict = checker.check(told)
    assert not verdict.holds
    assert "does not prove" in verdict.reason


def test_a_lower_floor_is_a_weaker_claim(truth):
    """A floor below beta is accepted, and then the claim does not say that it is the least."""
    told = copy.deepcopy(truth)
    told["evidence"]["floor"] = ["0", "0"]
    told["evidence"]["dual"] = [[], []]
    verdict = checker.check(told)
    assert verdict.holds
    assert "stays below" not in verdict.claim


def test_dual_that_proves_nothing_at_zero():
    """A rule that gives an outcome to nobody: weights on that outcome alone prove no positive floor."""
    one = {"mass": [1, 1], "group": [0, 0], "lower": [["1", "0"]] * 2, "upper": [["1", "0"]] * 2}
    claim = {**one, "rules": [["1", "0"]] * 2, "beta": ["1/2"]}
    told = {
        "liftgate-certificate": 1,
        "kind": "announcement",
        "version": 1,
        "claim": claim,
        "evidence": {"dual": [[[0, 1, 1]]], "floor": ["1/2"]},
        "assumptions": [],
        "salt": "0" * 64,
    }
    assert not checker.check(told).holds
    told["evidence"] = {"dual": [[[0, 0, 1], [0, 1, 1]]], "floor": ["1/2"]}
    assert checker.check(told).holds


def test_the_checker_alone(truth, tmp_path):
    """The file, copied out and run by a bare interpreter, accepts it."""
    file = tmp_path / "cert.json"
    file.write_text(json.dumps(truth))
    copied = tmp_path / "checker.py"
    copied.write_text(Path(checker.__file__).read_text())
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(copied), str(file)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "accepted" in done.stdout


def test_floor_and_beta_meet_for_many_outcomes():
    """Three outcomes: floor and beta are one fraction where the bound from merged outcomes is attained."""
    told = three_outcomes()
    assert F(told["evidence"]["floor"][0]) == F(told["claim"]["beta"][0]) == F(12, 17)
