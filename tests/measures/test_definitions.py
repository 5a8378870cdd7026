"""Every measure equals its definition."""

from __future__ import annotations

import importlib.util
import math
import random
from pathlib import Path

import numpy as np
import pytest

from liftgate.joint import Joint
from liftgate.measures import MEASURES, measure

_spec = importlib.util.spec_from_file_location("measure_definitions", Path(__file__).with_name("definitions.py"))
assert _spec is not None
assert _spec.loader is not None
definitions = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(definitions)


def close(found: float, true: float) -> bool:
    """Equal to 1e-12 relative, infinities exactly."""
    if math.isinf(found) or math.isinf(true):
        return found == true
    return abs(found - true) <= 1e-12 * abs(true)


@pytest.mark.parametrize("seed", range(30))
def test_every_measure_equals_its_definition(seed: int) -> None:
    """300 random joints: zero cells, empty rows and columns, 1 x n, n x 1, counts beyond 64 bits, near independence."""
    rng = random.Random(seed)
    for _ in range(10):
        counts = definitions.random_counts(rng)
        found, true = measure(definitions.joint_of(counts)), definitions.defined(counts)
        wrong = {name: (found[name], true[name]) for name in found if not close(found[name], true[name])}
        assert not wrong, counts
        assert found.keys() == true.keys()


def test_telling_nothing_is_exactly_nothing() -> None:
    """Where S and Y are independent, everything that measures a distance is exactly 0."""
    found = measure(Joint.from_counts(np.outer([1, 2, 5], [3, 7, 11])))
    zero = [
        "ldp-epsilon",
        "l1-lift",
        "l1-lift-inverse",
        "chi2-lift",
        "chi2-lift-inverse",
        "mutual-information",
        "reverse-kl",
    ]
    zero += [
        "total-variation",
        "chi2",
        "hellinger",
        "sibson-0.5",
        "sibson-2",
        "sibson-inf",
        "arimoto-inf",
        "t-closeness",
    ]
    zero += ["t-closeness-ordered", "beta-likeness", "beta-likeness-enhanced", "delta-disclosure", "maximal-leakage"]
    assert {name: found[name] for name in zero} == dict.fromkeys(zero, 0.0)
    assert found["max-lift"] == pytest.approx(1, rel=1e-15)


def test_counts_between_62_bits_and_one_word_keep_their_digits() -> None:
    """lift - 1 comes from whole numbers: one count too many among 2^58 is seen in full precision."""
    base = 1 << 56
    counts = [[base + 1, base], [base, base]]
    found, true = measure(definitions.joint_of(counts)), definitions.defined(counts)
    assert found["chi2"] > 0
    assert all(close(found[name], true[name]) for name in MEASURES)


def test_rows_that_never_occur_count_for_nothing() -> None:
    """An empty row or column changes no measure."""
    small = Joint.from_counts([[3, 1, 2], [1, 3, 0]])
    large = Joint.from_counts([[3, 0, 1, 2], [0, 0, 0, 0], [1, 0, 3, 0]])
    assert measure(small) == measure(large)
