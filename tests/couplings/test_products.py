"""Composition: exact products of hinge lists, their upper hulls, and the looser bounds they are compared with."""

from __future__ import annotations

import random
from fractions import Fraction as F
from itertools import product as pairs_of
from math import prod

import pytest

from liftgate.couplings import profile
from liftgate.couplings.chains import Chain
from liftgate.couplings.compose import Close
from liftgate.couplings.hinges import Hinges, ordered
from liftgate.couplings.laws import read_law
from liftgate.couplings.powers import coprime_base, on_a_line
from liftgate.couplings.products import (
    advanced,
    composed,
    extreme,
    kov,
    power,
    product,
    rational_factor,
    worst,
)
from liftgate.errors import UsageError

COIN = Hinges.of([("3/4", "1/4"), ("1/4", "3/4")])


def random_profile(rng, size=3):
    """Two random laws, zeros included."""
    weights = [[rng.choice((0, 1, 2, 4, 6)) for _ in range(size)] for _ in range(2)]
    for w in weights:
        w[rng.randrange(size)] += 1
    return profile(*([F(v, sum(w)) for v in w] for w in weights))


def test_the_product_is_the_profile_of_independent_draws():
    """Hinge lists multiplied are the profile of the product laws, zero and infinite ratios included."""
    rng = random.Random(3)
    for _ in range(60):
        p, q = random_profile(rng), random_profile(rng)
        joint = [
            read_law({(a, b): x.mass(a) * y.mass(b) for a, b in pairs_of(range(3), repeat=2)}, "law")
            for x, y in ((p.left, q.left), (p.right, q.right))
        ]
        assert product(p, q).blocks == profile(*joint).blocks
        assert power(p, 3).blocks == product(p, p, p).blocks
        assert product(p, q).reverse.blocks == product(p.reverse, q.reverse).blocks


def test_the_product_is_exact_for_any_relation(instances):
    """Two steps related one by one: the hinge lists multiplied are the profile under the product relation."""
    for one in instances(77, 30, 3):
        if one.proper:
            p = profile(one.left, one.right, one.relation)
            joint = [
                {(a, b): x * y for a, x in enumerate(law) for b, y in enumerate(law)} for law in (one.left, one.right)
            ]
            pairs = [((a, b), (c, d)) for a, b in joint[0] for c in one.rows[a] for d in one.rows[b]]
            assert power(p, 2).blocks == profile(*joint, pairs).blocks


def test_powers_on_a_line_are_all_sequences():
    """Ratios that are powers of one number, with mass on one side only beside them: equal to every sequence added up."""
    rng = random.Random(14)
    for _ in range(60):
        base = rng.choice((F(2), F(3, 2), F(6)))
        masses = [(base ** rng.randint(-3, 3) * F(5, 7) * w, F(w)) for w in (1, 2, 3, 4)[: rng.randint(1, 4)]]
        masses += [(F(rng.choice((0, 1))), F(0)), (F(0), F(rng.choice((0, 2))))]
        left, right = (sum(m[side] for m in masses) for side in (0, 1))
        one = Hinges.of([(p / left, q / right) for p, q in masses])
        assert on_a_line([p / q for p, q in one.blocks if p and q]) is not None
        times, found = rng.randint(1, 4), {}
        for drawn in pairs_of(one.blocks, repeat=times):
            a, b = prod(p for p, _ in drawn), prod(q for _, q in drawn)
            if a or b:
                key = a / b if b else None
                found[key] = tuple(map(sum, zip(found.get(key, (0, 0)), (a, b), strict=True)))
        infinite = [found.pop(None)] if None in found else []
        assert power(one, times).blocks == infinite + [found[key] for key in sorted(found, reverse=True)]


def test_many_different_ratios_are_multiplied_too():
    """Beyond two dozen numbers the ratios are kept as fractions; the answer is the same."""
    rng = random.Random(8)
    left, right = ([rng.randint(1, 10**6) for _ in range(30)] for _ in range(2))
    p = profile([F(v, sum(left)) for v in left], [F(v, sum(right)) for v in right])
    twice = power(p, 2)
    assert twice.proper
    assert len(twice.masses) == 30 * 31 // 2
    t = F(3, 2)
    direct = sum(max(F(0), a * c - t * b * d) for (a, b), (c, d) in pairs_of(p.blocks, repeat=2))
    assert twice.at(t) == direct


def test_a_thousand_randomised_responses_stay_exact():
    """1,000 steps at 3 : 1: 1,001 blocks of whole numbers that add up to exactly 1 (4^1000 shares)."""
    many = power(COIN, 1000)
    assert len(many.masses) == 1001
    assert many.left_scale == 4**1000
    assert many.proper
    assert many.exp_epsilon() == 3**1000
    assert 687 < many.epsilon("1/1000000") < 688
    assert many.at(F(3) ** 998) == F(3, 4) ** 1000 - F(3) ** 998 * F(1, 4) ** 1000


def test_the_hull_is_the_pointwise_maximum():
    """At every factor ``worst`` is the largest of its members, and itself a proper hinge list."""
    rng = random.Random(5)
    for _ in range(60):
        members = [random_profile(rng, 4) for _ in range(rng.randint(1, 5))]
        hull = worst(members)
        assert hull.proper
        corners = {a / b for p in members for a, b in p.blocks if b} | {F(0), F(1), F(7, 3), F(50)}
        for t in corners | {(x + y) / 2 for x, y in zip(sorted(corners), sorted(corners)[1:], strict=False)}:
            assert hull.at(t) == max(p.hinges.at(t) for p in members)


def test_chains_are_never_worse_than_the_product_of_their_steps():
    """Adaptive chains under equality: the hull of every step, multiplied, bounds the exact composite."""
    rng = random.Random(6)
    for _ in range(12):
        steps = []
        for _ in range(3):
            kernels = [{}, {}]
            for state in range(3):
                p = random_profile(rng)
                kernels[0][state], kernels[1][state] = p.left, p.right
            steps.append(kernels)
        joined = [[_remember(kernels[side], i) for i, kernels in enumerate(steps)] for side in (0, 1)]
        chain = Chain.of(joined[0], joined[1], [((0,), (0,))])
        bound = product(*(worst(profile(one[s], two[s]) for s in range(3)) for one, two in steps))
        exact = chain.profile()
        for t in (F(1), F(3, 2), F(2), F(4), F(16)):
            assert exact.delta(exp_eps=t) <= bound.at(t)


def _remember(kernel, i):
    """The kernel on whole histories, so that equality of ends means equality of all outputs."""
    states = [(0, *rest) for rest in pairs_of(range(3), repeat=i)]
    return {s: {(*s, b): m for b, m in zip(range(3), kernel[s[-1]].masses(), strict=True)} for s in states}


@pytest.mark.parametrize(
    ("eps", "times", "omega", "printed", "grid", "exact"),
    [
        ("1/10", 100, "1/1000000", 6.308, 4.8, 4.775),
        ("1/2", 50, "1/1000000", 34.80, 21.0, 20.30),
        ("1", 20, "1/100000", 55.83, 20.0, 19.995),
    ],
)
def test_the_table_of_composition_bounds(eps, times, omega, printed, grid, exact):
    """Basic, advanced, optimal and exact composition of randomised response, as in the comparison table."""
    step = Close(rational_factor(eps), F(0))
    upper = float(advanced(eps, 0, times, omega)[0].upper)
    assert round(upper, 3 if upper < 10 else 2) == printed
    least = min((times - 2 * i) * float(F(eps)) for i, one in enumerate(kov(step, times)) if one.delta <= F(omega))
    assert round(least, 6) == grid
    assert abs(power(extreme(step), times).epsilon(omega) - exact) < (6e-4 if exact < 10 else 6e-3)
    assert exact <= grid <= times * float(F(eps))


def test_optimal_composition_has_its_closed_form():
    """KOV Theorem 3.3: delta_i = 1 - (1 - d)^n (1 - sum over l < i of the printed terms)."""
    from math import comb

    t, d, n = F(3, 2), F(1, 20), 7
    for i, one in enumerate(kov(Close(t, d), n)):
        tail = sum(comb(n, k) * (t ** (n - k) - t ** (n - 2 * i + k)) for k in range(i)) / (1 + t) ** n
        assert one == Close(t ** (n - 2 * i), 1 - (1 - d) ** n * (1 - tail))


def test_the_exact_product_is_never_above_the_other_bounds():
    """composed() shows all bounds; exact <= optimal <= basic, and advanced holds."""
    rng = random.Random(10)
    for _ in range(15):
        p = random_profile(rng)
        for times, delta in ((1, F(0)), (4, F(1, 50)), (9, F(1, 1000))):
            found = composed(p, times, delta)
            for bound in (found.basic, found.optimal):
                assert bound is None or (found.exact is not None and found.exact <= bound)
            assert found.advanced is None or found.epsilon <= found.advanced + 1e-12


def test_sub_distributions_are_refused():
    """Products hold for proper laws only."""
    light = profile(["1/2"], ["1/4"], proper=False)
    for rule in (
        lambda: power(light, 2),
        lambda: product(light, light),
        lambda: worst([light]),
        lambda: composed(light, 2),
    ):
        with pytest.raises(UsageError, match="false for sub-distributions"):
            rule()
    with pytest.raises(UsageError, match="not a positive whole number"):
        power(COIN, 0)
    with pytest.raises(UsageError, match="omega"):
        advanced(1, 0, 3, 2)


def test_products_that_grow_too_large_are_refused(monkeypatch):
    """More different ratios than allowed: said in words, before memory runs out."""
    import liftgate.couplings.products as products

    monkeypatch.setattr(products, "MOST_BLOCKS", 10)
    with pytest.raises(UsageError, match="more than 10 different ratios"):
        power(COIN, 40)
    with pytest.raises(UsageError, match="more than 10 different ratios"):
        power(Hinges.of([("1/2", "1/3"), ("1/3", "1/3"), ("1/6", "1/3")]), 40)
    monkeypatch.setattr(products, "MOST_BITS", 100)
    with pytest.raises(UsageError, match="too many to be exact"):
        power(COIN, 9)


def test_bases_are_coprime_and_complete():
    """Every number is a product of powers of the base."""
    from math import gcd

    rng = random.Random(2)
    for _ in range(50):
        numbers = [rng.randint(1, 5000) for _ in range(6)]
        base = coprime_base(numbers)
        assert all(gcd(a, b) == 1 for a in base for b in base if a != b)
        for n in numbers:
            for b in base:
                while n % b == 0:
                    n //= b
            assert n == 1


def test_equal_ratios_become_one_block():
    """Hinge lists are kept in order and without twins."""
    assert ordered([(1, 2), (3, 0), (0, 4), (2, 4), (0, 0), (5, 1)]) == ((3, 0), (5, 1), (3, 6), (0, 4))
