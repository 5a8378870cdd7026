"""Mutual information, Sibson's of any order and maximal leakage against dit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from liftgate.joint import Joint
from liftgate.measures import MEASURES, sibson

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("default")]


def joints() -> list[Joint]:
    rng = np.random.default_rng(11)
    shapes = [(2, 2), (3, 5), (5, 3), (4, 7)]
    return [
        Joint.from_counts(rng.integers(0 if i % 2 else 1, 30, shapes[i % 4]) + np.eye(*shapes[i % 4], dtype=int))
        for i in range(20)
    ]


def law(joint: Joint) -> object:
    import dit

    cells = [(s, y) for s in range(joint.counts.shape[0]) for y in range(joint.counts.shape[1]) if joint.counts[s, y]]
    return dit.Distribution(cells, [joint.counts[c] / joint.total for c in cells])


def test_mutual_information_equals_dit() -> None:
    """dit counts in bits."""
    import dit

    for joint in joints():
        bits = dit.shannon.mutual_information(law(joint), [0], [1])
        assert MEASURES["mutual-information"].of(joint) == pytest.approx(bits * math.log(2), abs=1e-9)


@pytest.mark.parametrize("order", [0.5, 1, 2, 5, 50, math.inf])
def test_sibson_equals_dit(order: float) -> None:
    from dit.other import sibson_mutual_information

    for joint in joints():
        bits = sibson_mutual_information(law(joint), [0], [1], order=order)
        assert sibson(order).of(joint) == pytest.approx(bits * math.log(2), abs=1e-9)


def test_maximal_leakage_equals_dit() -> None:
    from dit.other.sibson_mutual_information import maximal_leakage

    for joint in joints():
        bits = maximal_leakage(law(joint), [0], [1])
        assert MEASURES["maximal-leakage"].of(joint) == pytest.approx(bits * math.log(2), abs=1e-9)
