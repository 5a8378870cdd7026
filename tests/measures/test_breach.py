"""Privacy breaches in both directions, decided exactly."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

from liftgate.budget import Budget
from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.measures import breaches


def by_brute_force(joint: Joint, rho1: Fraction, rho2: Fraction, direction: str) -> set[object]:
    """The released values with a breach, over all properties (LIFT Def. A1)."""
    joint = joint.drop_empty()
    n, sizes = joint.total, joint.sensitive_counts
    found = set()
    for y, label in enumerate(joint.public):
        for size in range(len(sizes) + 1):
            for q in itertools.combinations(range(len(sizes)), size):
                before = Fraction(sum(int(sizes[s]) for s in q), n)
                after = Fraction(sum(int(joint.counts[s, y]) for s in q), int(joint.public_counts[y]))
                up = before <= rho1 and after > rho2
                down = before >= rho2 and after < rho1
                if up if direction == "upward" else down:
                    found.add(label)
    return found


@pytest.mark.parametrize("direction", ["upward", "downward"])
def test_breaches_are_those_of_brute_force_and_their_witness_is_true(direction: str) -> None:
    rng = random.Random(direction)
    seen = 0
    for _ in range(150):
        rows, columns = rng.randint(1, 5), rng.randint(1, 4)
        counts = [[rng.choice([0, 1, 2, 3, 10]) for _ in range(columns)] for _ in range(rows)]
        counts[0][0] += 1
        joint = Joint.from_counts(counts)
        rho1, rho2 = sorted(rng.sample([Fraction(k, 12) for k in range(1, 12)], 2))
        found = breaches(joint, rho1, rho2, direction)  # type: ignore[arg-type]
        assert {b.released for b in found} == by_brute_force(joint, rho1, rho2, direction)
        for b in found:
            seen += 1
            column = joint.counts[:, joint.public.index(b.released)]
            rows_of = [joint.sensitive.index(s) for s in b.sensitive]
            assert b.before == Fraction(sum(int(joint.sensitive_counts[s]) for s in rows_of), joint.total)
            assert b.after == Fraction(sum(int(column[s]) for s in rows_of), int(column.sum()))
            if direction == "upward":
                assert b.before <= rho1
                assert b.after > rho2
            else:
                assert b.before >= rho2
                assert b.after < rho1
    assert seen > 20


def test_the_breach_budget_rules_out_both_directions() -> None:
    """LIFT Prop. A1: (1-rho2)/(1-rho1) <= lift <= rho2/rho1 leaves no upward and no downward breach."""
    rng = random.Random(5)
    inside = 0
    for _ in range(1500):
        rows, columns = rng.randint(2, 4), rng.randint(2, 3)
        joint = Joint.from_counts([[rng.randint(3, 12) for _ in range(columns)] for _ in range(rows)])
        rho1, rho2 = sorted(rng.sample([Fraction(k, 12) for k in range(1, 12)], 2))
        if Budget.breach(rho1, rho2).holds(joint).all():
            inside += 1
            assert not breaches(joint, rho1, rho2, "upward")
            assert not breaches(joint, rho1, rho2, "downward")
    assert inside > 50


def test_many_sensitive_values_are_decided_by_search() -> None:
    """Forty sensitive values have 2^40 properties; the cut by fractions decides them at once."""
    rng = random.Random(3)
    joint = Joint.from_counts([[rng.randint(1, 50), rng.randint(1, 50)] for _ in range(40)])
    found = breaches(joint, "0.3", "0.4", "upward")
    assert all(b.before <= Fraction(3, 10) and b.after > Fraction(4, 10) for b in found)
    assert found
    assert not breaches(joint, "0.3", "0.9", "upward")


def test_what_is_asked_wrongly_is_told() -> None:
    joint = Joint.from_counts([[1, 2], [2, 1]])
    with pytest.raises(UsageError, match="0 < rho1 < rho2 < 1"):
        breaches(joint, "0.5", "0.5", "upward")
    with pytest.raises(UsageError, match="use upward or downward"):
        breaches(joint, "0.1", "0.5", "sideways")  # type: ignore[arg-type]
