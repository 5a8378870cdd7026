"""Every notion of lifting: the witnesses satisfy the literal definitions, and no better ones exist."""

from __future__ import annotations

import random
from fractions import Fraction as F

import pytest

from liftgate.couplings import STAR, profile
from liftgate.couplings.divergences import DIVERGENCES, f_divergence
from liftgate.couplings.notions import (
    divergence,
    evened,
    f_faults,
    on_supports,
    one_faults,
    one_lifting,
    set_faults,
    star_faults,
    star_from_one,
    star_lifting,
    two_faults,
    two_lifting,
)
from liftgate.couplings.profiles import Coupling
from liftgate.errors import UsageError
from liftgate.exact import Enclosure

HAIR = F(1, 2**90)


def check_all(one, rng, questions):
    """All six literal definitions at the least delta, and that a hair less is refused by the set definition."""
    p = profile(one.left, one.right, one.relation, proper=one.proper)
    star, single = star_lifting(p), one_lifting(p)
    for t in questions(p, rng)[:5]:
        delta, both = p.delta(exp_eps=t), p.symmetric_delta(exp_eps=t)
        assert star_faults(p, star, t, delta) == []
        assert star_faults(p, star, t, both, symmetric=True) == []
        assert one_faults(p, single, t, delta) == []
        assert one_faults(p, single, t, both, symmetric=True) == []
        assert star_faults(p, star_from_one(p, single, t), t, delta) == []
        assert star_faults(p, star_from_one(p, single, t, symmetric=True), t, both, symmetric=True) == []
        assert star_faults(p, evened(p, star, t), t, delta) == []
        assert set_faults(p, t, delta) == []
        if delta:
            assert set_faults(p, t, delta - HAIR)
            assert star_faults(p, star, t, delta - HAIR)
        if p.has_two_lifting(exp_eps=t, delta=min(F(1), delta)):
            two = two_lifting(p)
            assert two_faults(p, two, t, delta) == []
            assert divergence(two.right, two.left, t) <= p.reverse.delta(exp_eps=t)
        else:
            with pytest.raises(UsageError, match="no 2-lifting"):
                two_lifting(p)
    for name in DIVERGENCES:
        value = p.f_divergence(name)
        if isinstance(value, Enclosure):
            assert f_faults(p, star, name, value.upper) == []
            assert not value.lower or f_faults(p, star, name, value.lower / 2)
        elif value != float("inf"):
            assert f_faults(p, star, name, value) == []
            assert not value or f_faults(p, star, name, value - HAIR)
    narrow = on_supports(p, star)
    assert star_faults(p, narrow, 1, p.delta(exp_eps=1)) == []


def test_all_literal_definitions_hold(instances, questions):
    """Star, symmetric, one-witness, two-witness, witness-free and f-liftings on random instances."""
    rng = random.Random(0)
    for one in instances(21, 60, 6):
        check_all(one, rng, questions)


@pytest.mark.slow
def test_all_literal_definitions_hold_on_a_thousand_instances(instances, questions):
    """The same 1,000 times, up to ten labels."""
    rng = random.Random(1)
    for one in instances(22, 1000, 9):
        check_all(one, rng, questions)


def test_other_witnesses_are_never_closer(instances):
    """No random coupling beats the blocks in any f-divergence or at any factor: the universal witness is best."""
    rng = random.Random(4)
    for one in instances(8, 40, 5):
        p = profile(one.left, one.right, one.relation, proper=one.proper)
        for _ in range(5):
            other = random_witness(one, rng)
            for t in (F(1), F(3, 2), F(4)):
                assert star_faults(p, other, t, 1) == []
                assert divergence(other.left, other.right, t) >= p.delta(exp_eps=t)
                assert divergence(other.right, other.left, t) >= p.reverse.delta(exp_eps=t)
            pairs = other.left.keys() | other.right.keys()
            masses = [(other.left.get(k, F(0)), other.right.get(k, F(0))) for k in pairs]
            for name in DIVERGENCES:
                mine, theirs = p.f_divergence(name), f_divergence(masses, name)
                low = mine.lower if isinstance(mine, Enclosure) else mine
                assert low <= (theirs.upper if isinstance(theirs, Enclosure) else theirs)


def random_witness(one, rng):
    """Some star-lifting: every label spreads its mass over its partners and the star."""
    left, right = {}, {}
    for i, mass in enumerate(one.left):
        spread(left, [(i, j) for j in one.rows[i]] + [(i, STAR)], mass, rng)
    for j, mass in enumerate(one.right):
        spread(right, [(i, j) for i, row in enumerate(one.rows) if j in row] + [(STAR, j)], mass, rng)
    return Coupling(left, right)


def spread(masses, places, mass, rng):
    weights = [rng.choice((0, 1, 2, 5)) for _ in places]
    total = sum(weights)
    if not total:
        weights[-1] = total = 1
    for place, weight in zip(places, weights, strict=True):
        if weight and mass:
            masses[place] = mass * weight / total


def test_a_linear_program_finds_the_same(instances):
    """Star, symmetric and 2-liftings as linear programs over their literal definitions (floating point, 1e-9)."""
    for one in instances(31, 25, 4):
        if not one.proper:
            continue
        p = profile(one.left, one.right, one.relation)
        for t in (F(1), F(5, 4), F(3)):
            assert abs(program(one, t, stars=True, both=False) - p.delta(exp_eps=t)) < 1e-9
            assert abs(program(one, t, stars=True, both=True) - p.symmetric_delta(exp_eps=t)) < 1e-9
            two = program(one, t, stars=False, both=False)
            exists = p.has_two_lifting(exp_eps=t, delta=p.delta(exp_eps=t))
            assert (two is not None) == exists
            if exists:
                assert abs(two - p.delta(exp_eps=t)) < 1e-9


def program(one, t, stars, both):
    """min delta with witnesses l, r >= 0 on related pairs (and stars), d >= l - t r summed; None where infeasible."""
    import numpy as np
    from scipy.optimize import linprog

    n, m = len(one.left), len(one.right)
    pairs = [(i, j) for i in range(n) for j in one.rows[i]]
    left_places = pairs + ([(i, None) for i in range(n)] if stars else [])
    right_places = pairs + ([(None, j) for j in range(m)] if stars else [])
    cells = list(dict.fromkeys(left_places + right_places))
    a, b, c = len(left_places), len(right_places), len(cells)
    size = a + b + c * (2 if both else 1) + 1
    upper, limits = [], []
    for direction in range(2 if both else 1):
        total = np.zeros(size)
        for k, cell in enumerate(cells):
            row = np.zeros(size)
            if cell in left_places:
                row[left_places.index(cell)] = 1 if direction == 0 else -float(t)
            if cell in right_places:
                row[a + right_places.index(cell)] = -float(t) if direction == 0 else 1
            row[a + b + direction * c + k] = -1
            total[a + b + direction * c + k] = 1
            upper.append(row)
            limits.append(0.0)
        total[-1] = -1
        upper.append(total)
        limits.append(0.0)
    equal, sums = [], []
    for i in range(n):
        equal.append([1.0 if k < a and left_places[k][0] == i else 0.0 for k in range(size)])
        sums.append(float(one.left[i]))
    for j in range(m):
        equal.append([1.0 if a <= k < a + b and right_places[k - a][1] == j else 0.0 for k in range(size)])
        sums.append(float(one.right[j]))
    goal = np.zeros(size)
    goal[-1] = 1
    found = linprog(goal, upper, limits, equal, sums, method="highs")
    return None if found.status == 2 else found.fun


def test_faults_are_found():
    """Each clause of the definitions is looked at: a witness with one thing wrong is named."""
    p = profile(["3/4", "1/4"], ["1/4", "3/4"])
    good = star_lifting(p)
    left = dict(good.left)
    assert star_faults(p, Coupling({**left, (0, 0): F(1, 2)}, good.right), 3, 0)[0].startswith("the left marginal at 0")
    crossed = {**left, (0, 0): F(1, 2), (0, 1): F(1, 4)}
    assert any("not related" in fault for fault in star_faults(p, Coupling(crossed, good.right), 3, 1))
    swapped = {(0, STAR): F(3, 4), (1, 1): F(1, 4)}
    assert star_faults(p, Coupling(swapped, good.right), 3, "3/4") == []
    assert two_faults(p, Coupling(swapped, good.right), 3, "3/4") != []
    assert star_faults(p, Coupling({(STAR, 0): F(3, 4), (1, 1): F(1, 4)}, good.right), 3, 1) != []
    assert star_faults(p, Coupling({**left, (0, STAR): -F(1, 8)}, good.right), 3, 1) != []
    assert one_faults(p, {(0, 0): F(1)}, 3, 1) != []
    assert one_faults(p, {(0, 1): F(1, 4)}, 3, 1) != []
    assert set_faults(p, 2, "1/5") == ["[0]: 3/4 > 2 x 1/4 + 1/5"]
    wide = profile([F(1, 30)] * 30, [F(1, 30)] * 30)
    with pytest.raises(UsageError, match="30 labels"):
        set_faults(wide, 1, 0)


def test_example_8_has_no_two_lifting_but_a_star_lifting():
    """STAR Example 8, cut at 12 flips: related by +1, the first right label has no partner, a star costs nothing."""
    size = 12
    coin = [F(1, 2 ** (k + 1)) for k in range(size)] + [F(1, 2**size)]
    steps = [(k, k + 1) for k in range(size)]
    p = profile(coin, coin, steps)
    assert not p.has_two_lifting(exp_eps=2, delta=F(1, 2**size))
    assert p.delta(exp_eps=2) == F(1, 2**size)  # the last state alone, which has no next one
    longer = profile([*coin, 0], [*coin, 0], [*steps, (size, size + 1)])
    assert longer.delta(exp_eps=2) == F(1, 2**size)
    whole = profile(
        {k: coin[k] for k in range(13)} | {-1: 0},
        {k: coin[k] for k in range(13)} | {-1: 0},
        [*steps, (-1, 0), (12, -1)],
    )
    assert whole.has_two_lifting(exp_eps=2, delta=F(1, 2**size))
