"""Where a tool for table anonymity gives another answer: ours, by the definition, on small tables."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from liftgate.joint import Joint
from liftgate.measures import MEASURES, measure

PEOPLE = [
    *[("flu", "north")] * 4, *[("cold", "north")] * 3, *[("hiv", "north")] * 1,
    *[("flu", "south")] * 2, *[("cold", "south")] * 6,
    *[("flu", "west")] * 2, *[("cold", "west")] * 1, *[("hiv", "west")] * 1,
]  # fmt: skip


def joint_of(people: list[tuple[str, object]]) -> Joint:
    return Joint.from_rows([s for s, _ in people], [x for _, x in people])  # type: ignore[misc]


def test_an_empty_cell_makes_delta_disclosure_infinite() -> None:
    """Nobody in the south has hiv: |log lift| is infinite, and leaving zero lifts out would say log(5/2) or less."""
    joint = joint_of(PEOPLE)
    outputs = MEASURES["delta-disclosure"].outputs(joint)
    assert dict(zip(joint.public, outputs.tolist(), strict=True))["south"] == math.inf
    assert MEASURES["delta-disclosure"].of(joint) == math.inf
    finite = [v for v in outputs if v < math.inf]
    assert finite
    assert MEASURES["ldp-epsilon"].of(joint) == math.inf


def test_a_release_with_an_empty_cell_keeps_no_delta_that_was_asked_for() -> None:
    """Asked for delta 1.5, the finite lifts alone would verify: the largest is log 2.5 = 0.916."""
    joint = joint_of(PEOPLE)
    assert math.log(joint.lift.max()) == pytest.approx(math.log(2.5))
    assert not MEASURES["delta-disclosure"].of(joint) <= 1.5


def test_enhanced_beta_is_infinite_where_no_beta_satisfies_it() -> None:
    """A value of share 1/2 that makes up a class gains 1 > log 2, above its own cap; the caps of other values do not help."""
    joint = Joint.from_counts([[5, 0, 5], [0, 5, 4], [0, 0, 1]])
    assert MEASURES["beta-likeness"].of(joint) == pytest.approx(float(Fraction(11, 9)))  # second row, second class
    assert MEASURES["beta-likeness-enhanced"].outputs(joint).tolist() == [math.inf, math.inf, pytest.approx(1.0)]
    assert MEASURES["beta-likeness-enhanced"].of(joint) == math.inf


def test_enhanced_beta_is_the_basic_one_below_every_cap() -> None:
    joint = Joint.from_counts([[3, 2, 2], [2, 3, 2], [2, 2, 3]])
    assert MEASURES["beta-likeness-enhanced"].of(joint) == MEASURES["beta-likeness"].of(joint) == pytest.approx(2 / 7)


def test_an_enhanced_cap_that_floats_cannot_tell_is_decided_exactly() -> None:
    """The gain of a share p = 2^-60 less than 1 against -log p: equal to 16 digits, above the cap in truth."""
    n = 1 << 60
    joint = Joint.from_counts([[n // 2, n // 2 - 1], [0, 1]])
    assert MEASURES["beta-likeness-enhanced"].outputs(joint)[0] == math.inf


def test_the_order_of_rows_changes_nothing() -> None:
    """Delta, beta and t of shuffled rows are those of the table: there is no index to mistake for a position."""
    shuffled = PEOPLE[:]
    random.Random(0).shuffle(shuffled)
    found, true = measure(joint_of(shuffled)), measure(joint_of(PEOPLE))
    assert found == true
    assert found["t-closeness"] == pytest.approx(
        max(
            sum(abs(Fraction(a, size) - Fraction(b, 20)) for a, b in zip(cells, (8, 10, 2), strict=True)) / 2
            for cells, size in (((4, 3, 1), 8), ((2, 6, 0), 8), ((2, 1, 1), 4))
        )
    )
    assert found["beta-likeness"] == pytest.approx(1.5)


def test_some_of_the_rows_are_a_table_too() -> None:
    """Rows of a filtered table keep no old positions."""
    kept = [row for row in PEOPLE if row[1] != "west"]
    assert measure(joint_of(kept))["k"] == 8
    assert measure(joint_of(kept[::-1])) == measure(joint_of(kept))


def test_missing_public_values_are_a_class_of_their_own() -> None:
    """Ten more people whose region is missing, all with hiv, are the class that says most."""
    with_missing = [*PEOPLE, *[("hiv", None)] * 10]
    joint = joint_of(with_missing)
    assert None in joint.public
    beta = MEASURES["beta-likeness"]
    assert beta.of(joint) == pytest.approx(30 / 12 - 1)
    assert beta.of(joint_of(PEOPLE)) == pytest.approx(1.5)
    assert MEASURES["confidence"].of(joint) == 1.0
    assert MEASURES["distinct-l"].of(joint) == 1


def test_diversity_of_a_small_table() -> None:
    """k, distinct, entropy and recursive diversity, (alpha, k), by hand."""
    m = measure(joint_of(PEOPLE))
    assert m["k"] == 4
    assert m["distinct-l"] == 2
    assert m["entropy-l"] == pytest.approx(math.exp(-0.25 * math.log(0.25) - 0.75 * math.log(0.75)))
    assert m["recursive-c-2"] == 3.0
    assert m["alpha-k"] == 0.75


def test_ordered_distance_counts_the_steps_between_values() -> None:
    """Li et al. 2007: {3k,4k,5k}, {6k,8k,11k}, {7k,9k,10k} of nine salaries: 0.375, 0.167 and 0.236 of the whole range."""
    classes = [(0, 1, 2), (3, 5, 8), (4, 6, 7)]
    joint = Joint.from_counts([[int(s in c) for c in classes] for s in range(9)])
    outputs = MEASURES["t-closeness-ordered"].outputs(joint)
    assert outputs[0] == pytest.approx(0.375)
    assert outputs[1] == pytest.approx(0.167, abs=5e-4)
    assert outputs[2] < outputs[0]
    assert MEASURES["t-closeness"].of(joint) == pytest.approx(2 / 3)
