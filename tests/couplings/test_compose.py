"""The rules of star-liftings against the exact least delta of what they conclude; no violation where they are valid."""

from __future__ import annotations

import math
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
from liftgate.couplings.divergences import DIVERGENCES
from liftgate.couplings.hinges import log_up
from liftgate.couplings.laws import Law, read_law
from liftgate.couplings.products import advanced, kov, power
from liftgate.errors import UsageError
from liftgate.exact import Enclosure

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

    wider = close(one, two, r | s, t + F(rng.randint(0, 3), 5), proper)
    assert wider.delta <= weaken(first, wider.exp_eps, first.delta).delta

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


def nested_trial(rng):
    """Corollary 29: the least factor is mu[P1] / mu[P2], and the lifting really needs it."""
    one = law(rng, True)
    outer = set(rng.sample(range(SIZE), rng.randint(1, SIZE)))
    inner = set(list(outer)[: rng.randint(1, len(outer))])
    p = profile(one, one, lambda a, b: (a in outer) == (b in inner))
    assert p.exp_epsilon() == nested_exp_eps(one, outer, inner)


def support_trial(rng, proper):
    """Lemma 11, 21: labels without mass can be left out."""
    one, two, r = law(rng, proper), law(rng, proper), relation(rng)
    inside = sorted((a, b) for a, b in r if one.weights[a] and two.weights[b])
    if inside:
        small = profile(support(one), support(two), inside, proper=proper)
        assert small.blocks == profile(one, two, sorted(r), proper=proper).blocks


def ends(value):
    """Both ends of a divergence."""
    return value if isinstance(value, Enclosure) else (value, value)


def f_trial(rng):
    """Lemma 44: an f-lifting of the inputs and one for every related pair of kernels give one of the outputs."""
    one, two, r, s = law(rng, True), law(rng, True), relation(rng), relation(rng)
    kernels = [{a: law(rng, True) for a in range(SIZE)} for _ in range(2)]
    if rng.random() < 0.7:  # everything occurs, so that kl and chi2 are finite as well
        full = lambda v: Law(v.labels, tuple(w + 1 for w in v.weights), v.scale + SIZE)  # noqa: E731
        one, two, kernels = full(one), full(two), [{a: full(k) for a, k in side.items()} for side in kernels]
        r, s = ({(a, b) for a in range(SIZE) for b in range(SIZE) if a == b or (a, b) in pairs} for pairs in (r, s))
    outputs = []
    for start, kernel in ((one, kernels[0]), (two, kernels[1])):
        masses = [sum((start.mass(a) * kernel[a].mass(b) for a in range(SIZE)), F(0)) for b in range(SIZE)]
        outputs.append(read_law(masses, "composite"))
    first, after = profile(one, two, sorted(r)), profile(*outputs, sorted(s))
    inner = [profile(kernels[0][a], kernels[1][b], sorted(s)) for a, b in r]
    for name in DIVERGENCES:
        bounds = [ends(first.f_divergence(name))[1], max(ends(p.f_divergence(name))[1] for p in inner)]
        if math.inf not in bounds:
            assert ends(after.f_divergence(name))[0] <= f_sequential(name, bounds)


def optimal_trial(rng):
    """KOV and advanced composition of a step that is close in both directions, used a few times."""
    p = profile(law(rng, True), law(rng, True), sorted(relation(rng) | {(a, a) for a in range(SIZE)}))
    t, times, omega = 1 + F(rng.randint(1, 8), 4), rng.randint(2, 4), F(1, rng.randint(2, 1000))
    step = Close(t, p.symmetric_delta(exp_eps=t))
    many = power(p, times)
    together = basic([step] * times)
    for direction in (many, many.reverse):
        assert direction.at(together.exp_eps) <= together.delta
        for said in kov(step, times):
            assert direction.at(said.exp_eps) <= said.delta
        eps = F(log_up(t))
        bound, delta = advanced(eps, step.delta, times, omega)
        assert direction.delta(eps=bound.lower).lower <= delta


def rounds(count, seed):
    """Every rule in its valid domain, ``count`` times, proper laws and sub-distributions where they are allowed."""
    for proper in (True, False):
        rng = random.Random(seed + proper)
        for _ in range(count):
            sequential_trial(rng, proper)
            support_trial(rng, proper)
    rng = random.Random(seed + 2)
    for _ in range(count):
        nested_trial(rng)
        f_trial(rng)
        optimal_trial(rng)


def test_no_rule_is_violated():
    """Every rule, 60 times."""
    rounds(60, 17)


@pytest.mark.slow
def test_no_rule_is_violated_in_600_trials():
    """Every rule, 600 times."""
    rounds(600, 600)


def test_f_composition_of_independent_steps_is_exact_for_chi2():
    """(1 + d)(1 + d') - 1 is the value itself where the steps are independent."""
    rng = random.Random(12)
    for _ in range(30):
        laws = [law(rng, True) for _ in range(4)]
        laws = [Law(v.labels, tuple(w + 1 for w in v.weights), v.scale + SIZE) for v in laws]
        pairs = [(a, b) for a in range(SIZE) for b in range(SIZE)]
        products = [
            read_law({(a, b): x.mass(a) * y.mass(b) for a, b in pairs}, "product")
            for x, y in ((laws[0], laws[1]), (laws[2], laws[3]))
        ]
        single = [profile(laws[k], laws[k + 2]).f_divergence("chi2") for k in (0, 1)]
        assert profile(*products).f_divergence("chi2") == f_sequential("chi2", single)


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
    with pytest.raises(UsageError, match="not inside"):
        nested_exp_eps(read_law([1, 0], "law"), [0], [1])
