"""Proofs of optimality: the truth is accepted, lies are refused, and every mutant of the rule is noticed."""

from __future__ import annotations

import copy
import importlib.util
import json
import random
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import optimal_utility
from liftgate.joint import Joint
from liftgate.mechanisms import utility
from liftgate.mechanisms.optimal import optimal

TEXTS = ("between:3/4,5/4", "ldp:0.4", "l1:none,0.15", "chi2:none,0.2", "alpha:2,none,0.02", "alpha:3,0.05,0.03")
BY_HAND: dict[str, Any] = {
    "liftgate-certificate": 1,
    "kind": "optimal-utility",
    "version": 1,
    "claim": {
        "counts": [[3, 1, 2], [1, 3, 2]],
        "budget": {"kind": "alip", "low": "3/4", "up": "5/4"},
        "channel": {"total": 4, "outputs": [[0, 3, 1, 1], [0, 1, 1, 3], [2, 4]]},
        "utility": "7237/10000",
        "bound": "7653/10000",
    },
    "evidence": {
        "bits": 2,
        "pi_bits": 1,
        "pi": [1, 1, 0],
        "tree": [
            [1, 2], [0, 2], [0, 0, 0, 0], [1, 1], [2, 0, 17, -9], [3, 0, 11, -12],
            [0, 2], [0, 1], [2, 17, 0, -9], [3, 11, 0, -12], [0, 0, 0, -1],
        ],
    },
    "assumptions": [],
    "salt": "0" * 64,
}  # fmt: skip


@cache
def certificate(text: str, rows: int = 3, columns: int = 4, seed: int = 0, gap: float = 1e-4) -> dict[str, Any]:
    """An accepted certificate for a random table."""
    joint = Joint.from_counts(np.random.default_rng(seed).integers(1, 50, (rows, columns)))
    design = optimal(joint, Budget.parse(text), gap=gap, seconds=60)
    assert design.proof is not None, design.notes
    return optimal_utility(joint, design.channel, Budget.parse(text), design.proof, ()).to_dict()


def refused(document: dict[str, Any], judge: Any = checker) -> bool:
    return not judge.check(document).holds


@pytest.mark.parametrize("text", TEXTS)
def test_the_truth_is_accepted_and_the_gap_is_the_one_asked_for(text: str) -> None:
    document = certificate(text)
    assert checker.check(document).holds
    claim = document["claim"]
    counts = np.array(claim["counts"])
    p = counts.sum(axis=0) / counts.sum()
    proven = Fraction(claim["bound"]) - Fraction(claim["utility"])
    assert 0 <= proven <= Fraction(1e-4 * -float(np.sum(p * np.log(p))))


def test_the_example_worked_by_hand_is_accepted_and_its_numbers_are_tight() -> None:
    assert checker.check(BY_HAND).holds
    for key, value in (("bound", "7652/10000"), ("utility", "7238/10000")):
        lie = copy.deepcopy(BY_HAND)
        lie["claim"][key] = value
        assert refused(lie)


@pytest.mark.parametrize(("rows", "columns"), [(5, 17), (4, 8)])
def test_the_bound_of_the_design_is_the_bound_of_its_certificate(rows: int, columns: int) -> None:
    joint = Joint.from_counts(np.random.default_rng(7).integers(1, 1000, (rows, columns)))
    budget = Budget.split(1, "0.5")
    design = optimal(joint, budget)
    assert design.proof is not None
    assert design.bound is not None
    p = np.asarray(joint.public_share)
    assert float(design.bound) == pytest.approx(float(design.proof["bound"]) / -float(np.sum(p * np.log(p))), abs=1e-11)
    assert 0 <= float(design.bound) - utility(joint, design.channel) <= 1e-6
    document = optimal_utility(joint, design.channel, budget, design.proof, ()).to_dict()
    assert checker.check(document).holds
    assert len(json.dumps(document["evidence"], separators=(",", ":"))) < 60_000


def test_equal_columns_and_zero_cells_are_proven_too() -> None:
    joint = Joint.from_counts([[10, 20, 0, 8, 12], [5, 10, 30, 8, 12], [0, 0, 9, 3, 1]])
    for text in ("split:1,0.5", "ldp:1", "chi2:none,0.2"):
        budget = Budget.parse(text)
        design = optimal(joint, budget)
        assert design.proof is not None
        assert len(design.proof["evidence"]["pi"]) == 4
        assert checker.check(optimal_utility(joint, design.channel, budget, design.proof, ())).holds


LIES: dict[str, Any] = {
    "a larger utility": lambda c: c["claim"].update(utility=str(Fraction(c["claim"]["utility"]) + Fraction(1, 10**9))),
    "a smaller bound": lambda c: c["claim"].update(bound=str(Fraction(c["claim"]["bound"]) - Fraction(1, 10**9))),
    "other counts": lambda c: c["claim"]["counts"][0].__setitem__(0, c["claim"]["counts"][0][0] + 40),
    "a tighter budget": lambda c: c["claim"]["budget"].update(low="9/10"),
    "a wider budget": lambda c: c["claim"]["budget"].update(up="3/2"),
    "an unknown budget": lambda c: c["claim"]["budget"].update(kind="lip"),
    "another channel": lambda c: c["claim"]["channel"]["outputs"].reverse() or c["claim"]["channel"].update(total=7),
    "fewer bits": lambda c: c["evidence"].update(bits=c["evidence"]["bits"] - 1),
    "more bits": lambda c: c["evidence"].update(bits=c["evidence"]["bits"] + 1),
    "too many bits": lambda c: c["evidence"].update(bits=65),
    "no bits": lambda c: c["evidence"].update(bits=0),
    "smaller prices": lambda c: c["evidence"].update(pi=[p - 9 for p in c["evidence"]["pi"]]),
    "larger prices": lambda c: c["evidence"].update(pi=[p + 10**6 for p in c["evidence"]["pi"]]),
    "other price bits": lambda c: c["evidence"].update(pi_bits=c["evidence"]["pi_bits"] + 1),
    "too few prices": lambda c: c["evidence"]["pi"].pop(),
    "too many prices": lambda c: c["evidence"]["pi"].append(0),
    "a price that is text": lambda c: c["evidence"]["pi"].__setitem__(0, "1"),
    "an open box": lambda c: c["evidence"]["tree"].pop(),
    "a left-over leaf": lambda c: c["evidence"]["tree"].append(c["evidence"]["tree"][-1]),
    "an empty tree": lambda c: c["evidence"].update(tree=[]),
    "one leaf for all": lambda c: c["evidence"].update(tree=[[0, 0, 0, 0, 0]]),
    "a leaf too long": lambda c: c["evidence"]["tree"][-1].append(0),
    "a leaf too short": lambda c: c["evidence"]["tree"][-1].pop(),
    "a split of no value": lambda c: c["evidence"]["tree"].__setitem__(0, [4, 9]),
    "a split of a negative value": lambda c: c["evidence"]["tree"].__setitem__(0, [-1, 9]),
    "a split at the edge": lambda c: c["evidence"]["tree"].__setitem__(0, [0, 0]),
    "a split outside": lambda c: c["evidence"]["tree"].__setitem__(0, [0, 1 << c["evidence"]["bits"]]),
    "a negative unit": lambda c: c["evidence"]["tree"][-1].__setitem__(0, -1),
    "a unit too fine": lambda c: c["evidence"]["tree"][-1].__setitem__(0, 65),
    "an unknown key of the claim": lambda c: c["claim"].update(gap="0"),
    "an unknown key of the evidence": lambda c: c["evidence"].update(hint=1),
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_in_any_key_is_refused(name: str) -> None:
    document = copy.deepcopy(certificate("between:3/4,5/4"))
    LIES[name](document)
    assert refused(document)


def corrupted(rng: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """One number of the claim or the evidence changed."""
    out = copy.deepcopy(document)
    node: Any = out[rng.choice(["claim", "evidence"])]
    while True:
        key = rng.choice(list(node)) if isinstance(node, dict) else rng.randrange(len(node))
        value = node[key]
        if isinstance(value, (dict, list)) and value:
            node = value
        elif isinstance(value, int):
            node[key] = value + rng.choice([-1, 1, -7, 13, 1000, -value, 2 * value])
            return out
        elif isinstance(value, str) and value[0] in "0123456789-":
            node[key] = str(Fraction(value) + Fraction(rng.choice([-3, -1, 1, 3]), rng.choice([2, 10, 1000, 10**7])))
            return out
        else:
            node = out[rng.choice(["claim", "evidence"])]


def is_true(document: dict[str, Any]) -> bool:
    """Whether a claim that was accepted is true, by an independent solve of it."""
    claim = document["claim"]
    joint, budget = Joint.from_counts(claim["counts"]), Budget.from_dict(claim["budget"])
    design = optimal(joint, budget, gap=1e-6)
    assert design.search_bound is not None
    p = np.asarray(joint.public_share)
    h_x = -float(np.sum(p * np.log(p)))
    return float(Fraction(claim["bound"])) >= utility(joint, design.channel) * h_x - 1e-9


@pytest.mark.parametrize("text", TEXTS)
def test_no_false_claim_is_accepted_among_random_corruptions(text: str) -> None:
    rng, document = random.Random(text), certificate(text)
    noticed = 0
    for _ in range(60):
        lie = corrupted(rng, document)
        if refused(lie):
            noticed += 1
        elif lie["claim"] != document["claim"]:
            assert is_true(lie)
    assert noticed > 20


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_no_false_claim_is_accepted_among_1200_random_corruptions(text: str) -> None:
    rng, document = random.Random(text + "more"), certificate(text)
    for _ in range(200):
        lie = corrupted(rng, document)
        if not refused(lie) and lie["claim"] != document["claim"]:
            assert is_true(lie)


@pytest.mark.parametrize("text", TEXTS)
def test_consistent_lies_are_refused_by_the_leaves_alone(text: str) -> None:
    """Prices up and bound down together, so that only a leaf can notice."""
    document = certificate(text)
    counts = np.array(document["claim"]["counts"])
    for x in range(counts.shape[1]):
        for nats in (Fraction(1, 20), Fraction(1, 200), Fraction(1, 2000)):
            lie = copy.deepcopy(document)
            step = int(nats * 2 ** lie["evidence"]["pi_bits"])
            lie["evidence"]["pi"][x] += step
            less = Fraction(step, 2 ** lie["evidence"]["pi_bits"]) * int(counts[:, x].sum()) / int(counts.sum())
            lie["claim"]["bound"] = str(Fraction(lie["claim"]["bound"]) - less)
            if not refused(lie):
                assert is_true(lie)
            elif nats == Fraction(1, 20):
                assert "does not prove its box" in checker.check(lie).reason


# ---- the numbers under the rule ----------------------------------------------------------------------


def test_logarithms_are_enclosed_on_both_sides() -> None:
    from decimal import Decimal, getcontext

    getcontext().prec = 70
    rng = random.Random(1)
    for _ in range(300):
        a, b = rng.randrange(1, 10 ** rng.randrange(1, 30)), rng.randrange(1, 10 ** rng.randrange(1, 30))
        low, up = checker.ln(a, b)
        exact = (Decimal(a) / Decimal(b)).ln() * 2**checker.UNIT
        assert low <= exact <= up
        assert up - low <= 2 + abs(a.bit_length() - b.bit_length())


def random_posterior(rng: np.random.Generator, m: int) -> list[Fraction]:
    parts = [int(v) for v in rng.integers(0, 20, m) * rng.integers(0, 2, m)]
    parts[int(rng.integers(m))] += 1
    return [Fraction(v, sum(parts)) for v in parts]


@pytest.mark.parametrize("text", TEXTS)
def test_the_least_sum_is_below_every_sum_the_budget_allows(text: str) -> None:
    """R(y, mu) <= sum_s y_s P(s|v) for random y, mu and random allowed v, exactly."""
    budget = Budget.parse(text)
    rng = np.random.default_rng(2)
    table = checker.counts_of([[3, 1], [2, 4], [1, 5]])
    prior = [Fraction(r, table.total) for r in table.rows]
    extra, least = checker.least_sum(checker.bounds_of(budget.to_dict()), table)
    allowed = [prior]
    while len(allowed) < 40:
        v, t = random_posterior(rng, 3), Fraction(int(rng.integers(0, 1001)), 1000)
        point = [t * a + (1 - t) * p for a, p in zip(v, prior, strict=True)]
        scale = 1
        for p in point:
            scale = scale * p.denominator
        column = np.array([int(p * scale) for p in point], dtype=object)
        rest = np.array([int(p * scale * 1000) for p in prior], dtype=object) - column
        if (rest >= 0).all() and budget.holds(Joint(np.stack([column, rest], axis=1), (0, 1, 2), (0, 1)))[0]:
            allowed.append(point)
    proven = 0
    for _ in range(300):
        y = [int(v) for v in rng.integers(-50, 51, 3)]
        mu = [int(v) for v in rng.integers(0, 200, extra)]
        value = least(y, mu)
        if value is not None:
            proven += 1
            for point in allowed:
                assert value <= sum(a * p for a, p in zip(y, point, strict=True)) * 2**checker.UNIT
    assert proven > 30


# ---- mutants: one-line bugs of the rule, each noticed by a certificate or a property above ---------

MUTANTS = [
    ("least * 2**UNIT,", "least,"),
    ("need(bound <= most,", "need(bound <= most + 1,"),
    ("need(len(pi) == len(masses),", "need(True,"),
    ("table.total << pi_bits)", "table.total << pi_bits + 1)"),
    ("c * ln(table.total, c)[1]", "c * ln(table.total, c)[0] // 2"),
    ("masses[direction] = masses.get(direction, 0) + mass", "masses[direction] = mass + table.total"),
    ('return {"min-lift": [low, None], "max-lift": [None, up]}', 'return {"max-lift": [None, up], "min-lift": [low, None]}'),
    ('return {"min-lift": [low, None], "max-lift": [None, up]}', 'return {"min-lift": [low, None]}'),
    ("for end, bound in ((name, up), (f\"{name}-inverse\", low))", "for end, bound in ((name, up),)"),
    ("(up if v < 0 else low)", "(low if v < 0 else up)"),
    ("mean(y, 1, limits[0])", "mean(y, 1, 1)"),
    ("min(c := mean(y, 1, limits[0]), c / limits[0]) // 1", "mean(y, 1, limits[0]) // 1"),
    ("min(c := mean(y, 1, limits[0]), c / limits[0]) // 1", "mean(y, 1, limits[0]) / limits[0] // 1"),
    ("(max(y) - min(y)) / 2", "(max(y) - min(y)) / 4"),
    ("(max(y) - min(y)) / 2", "0"),
    ("(v << UNIT) + sum(slopes) >= 0", "True"),
    ("if g == 1 << 2 * GRID or min(mu) < 0:", "if g == 1 << 2 * GRID:"),
    ("if g == 1 << 2 * GRID or min(mu) < 0:", "if min(mu) < 0:"),
    ("worth = [-cap * total for cap in caps]", "worth = [0 for cap in caps]"),
    ("worth = [-cap * total for cap in caps]", "worth = [cap * total for cap in caps]"),
    ("(g - (1 << GRID)) << UNIT - GRID + 1", "g << UNIT - GRID + 1"),
    ("(1 << UNIT) - (g * g << UNIT - 2 * GRID)", "(1 << UNIT)"),
    ("((1 - a) * g**a << UNIT)", "((a - 1) * g**a << UNIT)"),
    ("((a + 1) << UNIT + GRID * a) // g**a", "((a + 2) << UNIT + GRID * a) // g**a"),
    ("(-a << UNIT + GRID * (a + 1)) // g ** (a + 1)", "0"),
    ('need(boxes, f"tree[{place}] is left over")', "if not boxes:\n            break"),
    ('need(not boxes, "the tree', 'need(True, "the tree'),
    ("low, high = boxes.pop()", "low, high = boxes.pop(0)"),
    ("boxes.append((low, [*high[:x], point, *high[x + 1 :]]))", "boxes.append(([*low[:x], point, *low[x + 1 :]], high))"),
    ("need(value >= 0 and rest is not None,", "need(rest is not None,"),
    ("need(value >= 0 and rest is not None,", "need(value >= 0,"),
    ("value = (z[0] << UNIT - e)", "value = abs(z[0] << UNIT - e)"),
    ("price + free - (-(sum(map(mul, y, column)) << shift) // mass)", "price - (-(sum(map(mul, y, column)) << shift) // mass)"),
    ("price + free - (-(sum(map(mul, y, column)) << shift) // mass)", "price + free"),
    ("price + free - (-(sum(map(mul, y, column)) << shift) // mass)", "free - (-(sum(map(mul, y, column)) << shift) // mass)"),
    ("value += min(known[a] - slope * a, known[b] - slope * b)", "value += known[a] - slope * a"),
    ("value += min(known[a] - slope * a, known[b] - slope * b)", "value += max(known[a] - slope * a, known[b] - slope * b)"),
    ("point * ln(1 << bits, point)[0] >> bits", "1 << UNIT"),
    ("ln(share * table.total, mass)[0] for", "(ln(share * table.total, mass)[1] + (1 << 110)) for"),
    ("shift * LN2[shift < 0] >> 16", "shift * LN2[shift < 0] + (9 << 140) >> 16"),
    ("2 * low + 9 * terms + 9", "2 * low - 9"),
    ("low += power // (2 * terms + 1)", "low += power // (2 * terms + 1) + 1000"),
]  # fmt: skip


def load(source: str) -> ModuleType:
    spec = importlib.util.spec_from_loader("mutant", loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["mutant"] = module
    exec(compile(source, "mutant", "exec"), module.__dict__)
    return module


def handmade(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Lies aimed at single lines of the rule."""
    out = []
    for lie in LIES.values():
        wrong = copy.deepcopy(document)
        lie(wrong)
        out.append(wrong)
    leaf = next(i for i, node in enumerate(document["evidence"]["tree"]) if len(node) > 2)
    for place, change in ((1, -1), (1, 1), (-1, 1), (-1, -1), (-1, 10**6), (-1, -(10**6)), (1, 10**6), (1, -(10**6))):
        wrong = copy.deepcopy(document)
        wrong["evidence"]["tree"][leaf][place] += change
        out.append(wrong)
    for key in ("bound", "utility"):
        for step in (Fraction(1, 2), Fraction(-1, 2), Fraction(1, 10**12), Fraction(-1, 10**12)):
            wrong = copy.deepcopy(document)
            wrong["claim"][key] = str(Fraction(wrong["claim"][key]) + step)
            out.append(wrong)
    return out


@cache
def examples() -> list[tuple[dict[str, Any], bool]]:
    """Truths and lies with what the rule says about them."""
    documents = [BY_HAND, *(certificate(text) for text in TEXTS)]
    rng = random.Random(3)
    every = [*documents]
    for document in documents:
        every += handmade(document) if document is documents[1] or document is BY_HAND else []
        every += [corrupted(rng, document) for _ in range(25)]
    return [(document, checker.check(document).holds) for document in every]


def numbers_agree(mutant: Any) -> bool:
    """The functions under the rule against the true ones, on inputs that certificates rarely reach."""
    table = checker.counts_of([[3, 1], [2, 4], [1, 5]])
    rng = np.random.default_rng(4)
    for text in TEXTS:
        bounds = checker.bounds_of(Budget.parse(text).to_dict())
        if mutant.bounds_of(Budget.parse(text).to_dict()) != bounds or list(
            mutant.bounds_of(Budget.parse(text).to_dict())
        ) != list(bounds):
            return False
        extra, least = checker.least_sum(bounds, table)
        other = mutant.least_sum(bounds, table)[1]
        for _ in range(30):
            y, mu = [int(v) for v in rng.integers(-50, 51, 3)], [int(v) for v in rng.integers(-5, 200, extra)]
            if least(y, mu) != other(y, mu):
                return False
    return all(checker.ln(a, b) == mutant.ln(a, b) for a, b in ((1, 3), (7, 2), (999, 1000), (5, 5), (2**70, 3)))


@pytest.mark.parametrize("number", range(len(MUTANTS)))
def test_every_mutant_of_the_rule_is_noticed(number: int) -> None:
    old, new = MUTANTS[number]
    source = Path(str(checker.__file__)).read_text()
    start = source.index("def bounds_of")
    assert source.count(old, start) == 1, old
    mutant = load(source[:start] + source[start:].replace(old, new, 1))
    if not numbers_agree(mutant):
        return
    noticed = False
    for document, holds in examples():
        try:
            noticed = mutant.check(document).holds != holds
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
            noticed = True
        if noticed:
            break
    assert noticed, f"{old!r} -> {new!r} survives"
