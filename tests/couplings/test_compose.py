"""The rules of star-liftings against the exact least delta of what they conclude; no violation where they are valid."""

from __future__ import annotations

import random
from fractions import Fraction as F

import pytest

from liftgate.couplings import profile
from liftgate.couplings.compose import (
    Close,
    basic,
    conjunction_left,
    conjunction_right,
    event,
    f_sequential,
    image,
    nested_exp_eps,
    pulled_back,
    relational,
    sequential,
    subset_delta,
    support,
    symmetric,
    up_to_bad_left,
    up_to_bad_right,
    weaken,
)
from liftgate.couplings.laws import Law, read_law
from liftgate.errors import UsageError

SIZE = 4


def law(rng, proper, size=SIZE):
    """A small law; a third of the masses are zero."""
    weights = [rng.choice((0, 1, 2, 3, 5)) for _ in range(size)]
    weights[rng.randrange(size)] += 1
    total = sum(weights) + (0 if proper else rng.randint(1, 4))
    return Law(tuple(range(size)), tuple(weights), total)


def relation(rng):
    """Random pairs, at least one."""
    return {(rng.randrange(SIZE), rng.randrange(SIZE)) for _ in range(rng.randint(1, 9))}


def close(left, right, pairs, t, proper):
    """The least delta at t as a statement; an empty relation leaves everything uncoupled."""
    if not pairs:
        return Close(t, F(left.total, left.scale))
    return Close(t, profile(left, right, sorted(pairs), proper=proper).delta(exp_eps=t))


def trial(rng, proper):
    """One round of every rule on random laws, relations, conditions and factors."""
    one, two, three = (law(rng, proper) for _ in range(3))
    r, s = relation(rng), relation(rng)
    t, u = (1 + F(rng.randint(0, 8), 4) for _ in range(2))
    first, second = close(one, two, r, t, proper), close(two, three, s, u, proper)

    both = {(a, c) for a, b in r for b2, c in s if b == b2}
    assert close(one, three, both, t * u, proper).delta <= relational(first, second).delta

    theta = set(rng.sample(range(SIZE), 2))
    outside = set(range(SIZE)) - theta
    bad_left, bad_right = event(one, outside, "left"), event(two, outside, "right")
    implied = r | {(a, b) for a in outside for b in range(SIZE)}
    assert first.delta <= up_to_bad_left(close(one, two, implied, t, proper), bad_left).delta
    implied = r | {(a, b) for b in outside for a in range(SIZE)}
    assert first.delta <= up_to_bad_right(close(one, two, implied, t, proper), bad_right).delta
    narrow = {(a, b) for a, b in r if a in theta}
    assert close(one, two, narrow, t, proper).delta <= conjunction_left(first, bad_left).delta
    narrow_right = {(a, b) for a, b in r if b in theta}
    assert close(one, two, narrow_right, t, proper).delta <= conjunction_right(first, bad_right).delta

    back = {(b, a) for a, b in r}
    joint = Close(t, max(first.delta, close(two, one, back, t, proper).delta))
    flipped = {(b, a) for a, b in narrow}
    needed = max(close(one, two, narrow, t, proper).delta, close(two, one, flipped, t, proper).delta)
    assert needed <= symmetric(conjunction_left, joint, bad_left).delta
    joint_second = Close(u, max(second.delta, close(three, two, {(b, a) for a, b in s}, u, proper).delta))
    reverse = {(c, a) for a, c in both}
    needed = max(close(one, three, both, t * u, proper).delta, close(three, one, reverse, t * u, proper).delta)
    assert needed <= symmetric(relational, joint, joint_second).delta

    inner = set(rng.sample(range(SIZE), rng.randint(0, SIZE)))
    pairs = {(a, b) for a in range(SIZE) for b in range(SIZE) if (a in theta) == (b in inner)}
    assert close(one, two, pairs, t, proper).delta == subset_delta(one, two, theta, inner, t)

    f, g = ([rng.randrange(2) for _ in range(SIZE)] for _ in range(2))
    coarse = {(0, 0), (1, 1)} if rng.random() < 0.5 else {(0, 1), (1, 1)}
    holds = pulled_back(lambda a, b: (a, b) in coarse, f.__getitem__, g.__getitem__)
    fine = {(a, b) for a in range(SIZE) for b in range(SIZE) if holds(a, b)}
    if fine:
        labels = dict.fromkeys((0, 1), 0)
        images = [
            read_law({**labels, **dict(zip(i.labels, i.masses(), strict=True))}, "image", proper)
            for i in (image(one, f.__getitem__), image(two, g.__getitem__))
        ]
        there = profile(images[0], images[1], sorted(coarse), proper=proper)
        here = profile(one, two, sorted(fine), proper=proper)
        assert here.blocks == there.blocks  # Lemma 24 for every eps, Lemma 46 for every f
    return one, two, r, t, first


def sequential_trial(rng, proper):
    """Kernels on related states: the composite is never worse than the sharpened rule."""
    one, two, r, t, first = trial(rng, proper)
    kernels = [{a: law(rng, proper) for a in range(SIZE)} for _ in range(2)]
    s, u = relation(rng), 1 + F(rng.randint(0, 8), 4)
    second = Close(u, max(close(kernels[0][a], kernels[1][b], s, u, proper).delta for a, b in r))
    ends = []
    for start, kernel in ((one, kernels[0]), (two, kernels[1])):
        masses = [sum((start.mass(a) * kernel[a].mass(b) for a in range(SIZE)), F(0)) for b in range(SIZE)]
        ends.append(read_law(masses, "composite", proper=False))
    needed = profile(*ends, sorted(s), proper=False).delta(exp_eps=t * u)
    rule = sequential(first, second)
    assert needed <= rule.delta <= min(F(1), first.delta + second.delta)
    assert rule == basic([first, second])


@pytest.mark.parametrize("proper", [True, False])
def test_no_rule_is_violated(proper):
    """Every rule in its valid domain, proper and sub-distributions."""
    rng = random.Random(17 + proper)
    for _ in range(60):
        sequential_trial(rng, proper)


@pytest.mark.slow
@pytest.mark.parametrize("proper", [True, False])
def test_no_rule_is_violated_in_600_trials(proper):
    """The same, 600 times."""
    rng = random.Random(600 + proper)
    for _ in range(600):
        sequential_trial(rng, proper)


def test_nested_subsets():
    """Corollary 29: the least factor is mu[P1] / mu[P2], and the lifting really needs it."""
    rng = random.Random(9)
    for _ in range(40):
        one = law(rng, True)
        outer = set(rng.sample(range(SIZE), rng.randint(1, SIZE)))
        inner = set(list(outer)[: rng.randint(1, len(outer))])
        p = profile(one, one, lambda a, b, x=outer, y=inner: (a in x) == (b in y))
        assert p.exp_epsilon() == nested_exp_eps(one, outer, inner)
    with pytest.raises(UsageError, match="not inside"):
        nested_exp_eps(one, [0], [1])


def test_support_changes_nothing(instances):
    """Lemma 11, 21: labels without mass can be left out."""
    for one in instances(40, 30, 6):
        left, right = (read_law(v, "law", proper=False) for v in (one.left, one.right))
        pairs = [(i, j) for i, row in enumerate(one.rows) for j in row if one.left[i] and one.right[j]]
        if pairs:
            small = profile(support(left), support(right), pairs, proper=False)
            assert small.blocks == profile(left, right, pairs, proper=False).blocks


def test_f_composition_of_proper_laws():
    """Lemma 44 for independent steps: sums for tv, kl, hellinger; (1 + d)(1 + d') - 1 exactly for chi2."""
    rng = random.Random(12)
    for _ in range(30):
        laws = [law(rng, True) for _ in range(4)]
        laws = [Law(v.labels, tuple(w + 1 for w in v.weights), v.scale + SIZE) for v in laws]
        pairs = [(a, b) for a in range(SIZE) for b in range(SIZE)]
        products = [
            read_law({(a, b): x.mass(a) * y.mass(b) for a, b in pairs}, "product")
            for x, y in ((laws[0], laws[1]), (laws[2], laws[3]))
        ]
        first, second, both = profile(laws[0], laws[2]), profile(laws[1], laws[3]), profile(*products)
        for name in ("tv", "chi2"):
            rule = f_sequential(name, [first.f_divergence(name), second.f_divergence(name)])
            assert both.f_divergence(name) <= rule
            assert name == "tv" or both.f_divergence(name) == rule
        for name in ("kl", "hellinger"):
            rule = f_sequential(name, [first.f_divergence(name).upper, second.f_divergence(name).upper])
            assert both.f_divergence(name).lower <= rule


def test_weakening_goes_one_way():
    """Lemma 13.1: eps and delta may grow and never shrink."""
    assert weaken(Close.of(2, "1/10"), 3, "1/5") == Close.of(3, "1/5")
    with pytest.raises(UsageError, match="not weaker"):
        weaken(Close.of(2, "1/10"), "3/2", "1/5")


def test_what_the_rules_refuse():
    """Names, signs and labels that do not exist."""
    with pytest.raises(UsageError, match="'renyi' is not known"):
        f_sequential("renyi", [1])
    with pytest.raises(UsageError, match="never negative"):
        f_sequential("tv", [-1])
    with pytest.raises(UsageError, match="no label 'x'"):
        event(read_law([1], "law"), ["x"], "law")
    with pytest.raises(UsageError, match="below 1"):
        Close.of("1/2")
