"""STAR as printed and as true: an exact counterexample for every erratum, and the repaired statement beside it."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest

from liftgate.couplings import STAR, profile
from liftgate.couplings.compose import (
    Close,
    basic,
    conjunction_right,
    f_sequential,
    nested_exp_eps,
    relational,
    sequential,
    subset_delta,
    symmetric,
    up_to_bad_left,
)
from liftgate.couplings.divergences import f_divergence
from liftgate.couplings.laws import read_law
from liftgate.couplings.notions import evened, one_faults, one_lifting, star_faults, star_from_one, star_lifting
from liftgate.couplings.products import advanced, kov, power, product, rational_factor
from liftgate.couplings.profiles import Coupling
from liftgate.errors import UsageError

HALF = F(1, 2)


def both_in(first, second):
    """The relation "a in P1 exactly when b in P2"."""
    return lambda a, b: (a in first) == (b in second)


def test_e40_relational_composition_pays_the_second_delta_times_the_first_factor():
    """Lemma 13.2 prints delta + delta'; true is delta + e^eps delta'."""
    first, second = profile([1, 0], [HALF, HALF]), profile([HALF, HALF], [0, 1])
    assert first.delta(exp_eps=2) == 0
    assert second.delta(exp_eps=1) == HALF
    needed = profile([1, 0], [0, 1]).delta(exp_eps=2)
    assert needed == 1 > 0 + HALF  # the printed sum is too small
    assert relational(Close.of(2, 0), Close.of(1, HALF)) == Close.of(2, 1)


def test_e41_a_condition_on_the_right_costs_the_factor():
    """Lemma 27 prints delta + mu2[not theta]; true is delta + e^eps mu2[not theta], as in Lemma 26."""
    left, right = [1, 0], [HALF, HALF]
    assert profile(left, right, [(0, 0), (1, 1)]).delta(exp_eps=2) == 0
    needed = profile(left, right, [(1, 1)]).delta(exp_eps=2)  # what is left of the relation where theta = {1}
    assert needed == 1 > 0 + HALF
    assert conjunction_right(Close.of(2, 0), HALF).delta == needed


def test_e42_subset_coupling_of_sub_distributions_needs_a_third_condition():
    """Theorem 28 prints two conditions; for masses 1 and 1/2 both hold with delta = 1/4, the lifting needs 1/2."""
    left, right = (read_law(v, "law", proper=False) for v in ([HALF, HALF], [F(1, 4), F(1, 4)]))
    printed = 1 * F(1, 4) + F(1, 4)  # of P1 = {0} against P2 = {0}, and of their complements
    assert printed >= HALF
    needed = profile(left, right, both_in({0}, {0}), proper=False).delta(exp_eps=1)
    assert needed == HALF == subset_delta(left, right, [0], [0], 1)


def test_e43_the_inner_set_belongs_to_the_right():
    """Theorem 7 prints P1 inside P2; the premise then holds while the lifting needs 12/25."""
    law = read_law(["0.5", "0.49", "0.01"], "law")
    outer, inner = [0, 1], [0]
    assert F("0.99") <= 2 * F("0.5")
    assert profile(law, law, both_in(set(inner), set(outer))).delta(exp_eps=2) == F(12, 25)
    assert nested_exp_eps(law, outer, inner) == F(99, 50)
    assert profile(law, law, both_in(set(outer), set(inner))).exp_epsilon() == F(99, 50)


def test_e44_the_printed_example_of_theorem_32_is_no_star_lifting():
    """P1 inside P2 = A needs delta = 1/2 at any factor; P1 = A, P2 = {0} does show that the inclusion is strict."""
    law = [HALF, HALF]
    printed = profile(law, law, both_in({0}, {0, 1}))
    assert printed.delta(exp_eps=1) == printed.delta(exp_eps=10**9) == HALF
    swapped = profile(law, law, both_in({0, 1}, {0}))
    assert swapped.delta(exp_eps=2) == 0
    assert not swapped.has_two_lifting(exp_eps=2, delta=0)


def test_e45_an_f_divergence_weighs_with_the_second_law():
    """Definition 42 prints the weight mu1(a); total variation would be 5/6 instead of 1/2."""
    left, right = [F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]
    printed = sum(a * abs(a / b - 1) / 2 for a, b in zip(left, right, strict=True))
    assert printed == F(5, 6)
    assert f_divergence(zip(left, right, strict=True), "tv") == HALF == profile(left, right).f_divergence("tv")


def test_e46_without_convexity_merging_outputs_could_raise_a_divergence():
    """The set F is printed without "convex": a bump between ratios 1 and 2 is in it, and merging labels raises it."""

    def divergence(left, right):
        bump = [max(F(0), HALF - abs(abs(a / b - 1) - HALF)) for a, b in zip(left, right, strict=True)]
        return sum(b * f for b, f in zip(right, bump, strict=True))

    left, right = [F(0), HALF, HALF], [F(1, 4), HALF, F(1, 4)]  # ratios 0, 1, 2: the bump is 0 there
    assert divergence(left, right) == 0
    assert divergence([F(0), F(1)], [F(1, 4), F(3, 4)]) == F(1, 4)
    for name in ("tv", "chi2"):  # convex ones never rise
        fine, coarse = profile(left, right).f_divergence(name), profile([0, 1], ["1/4", "3/4"]).f_divergence(name)
        assert coarse <= fine


def test_e47_the_star_holds_delta_not_the_rest():
    """Theorems 34 and 37: the proofs print mu_L(a, *) = mu1(a) - delta(a); the marginals hold with delta(a) only."""
    p = profile(["3/4", "1/4"], ["1/4", "3/4"])
    one = one_lifting(p)
    built = star_from_one(p, one, 2)
    short = F(3, 4) - 2 * F(1, 4)
    assert built.left[0, STAR] == short == F(1, 4)
    assert star_faults(p, built, 2, short) == []
    printed = Coupling({**built.left, (0, STAR): F(3, 4) - short}, built.right)
    assert "the left marginal at 0 is not 3/4" in star_faults(p, printed, 2, 1)
    empty = profile([1, 0], [0, 1])  # an empty row: all of mu1(a) is on the star, not 0
    assert star_from_one(empty, one_lifting(empty), 2).left == {(0, STAR): 1}


def test_e48_the_deficit_is_summed_over_the_star_too():
    """Theorems 34 and 37: over B alone the distance would be 0 here, with the star it is the true 1/4."""
    p = profile(["3/4", "1/4"], ["1/4", "3/4"])
    star = star_from_one(p, one_lifting(p), 2)
    over_b = sum(max(F(0), m - 2 * star.right.get(k, F(0))) for k, m in star.left.items() if STAR not in k)
    assert over_b == 0
    assert one_faults(p, one_lifting(p), 2, over_b) != []
    assert one_faults(p, one_lifting(p), 2, F(1, 4)) == []


def test_e49_sequential_composition_loses_star_mass_in_the_proof_and_is_sharper():
    """Lemma 13.3: witnesses that are 0 outside R keep half of the mass only; the statement holds with less delta."""
    first = profile([HALF, HALF], [0, 1])
    kernel = {0: [1], 1: [1]}
    kept = sum(m * sum(kernel[a]) for (a, b), m in star_lifting(first).left.items() if b is not STAR)
    assert kept == HALF != 1
    assert sequential(Close.of(1, HALF), Close.of(1, HALF)) == Close.of(1, F(3, 4)) != Close.of(1, 1)
    tight = product(profile([HALF, HALF], [0, 1]), profile([HALF, HALF], [0, 1]))
    assert tight.delta(exp_eps=1) == F(3, 4)


def test_e50_advanced_composition_is_false_for_sub_distributions():
    """Definition 38, Theorem 40: one point of masses 1 and e^-eps, 100 times, needs delta = .975 where 1e-6 is printed."""
    eps, n, omega = F(1, 10), 100, F(1, 10**6)
    bound, delta = advanced(eps, 0, n, omega)
    assert round(float(bound.upper), 3) == 6.308
    assert delta == omega
    factor = rational_factor(eps)  # a little above e^eps, so the second law is a little lighter still
    step = profile([1], [1 / factor], proper=False)
    assert step.delta(exp_eps=factor) == step.reverse.delta(exp_eps=factor) == 0
    many = 1 - F(math.exp(float(bound.upper))) / factor**n
    assert round(float(many), 3) == 0.975
    for rule in (
        lambda: advanced(eps, 0, n, omega, proper=False),
        lambda: kov(Close.of(2), 3, proper=False),
        lambda: power(step, n),
    ):
        with pytest.raises(UsageError, match="false for sub-distributions"):
            rule()
    assert basic([Close.of(factor)] * n).exp_eps == factor**n  # holds for sub-distributions


def test_e51_f_composition_is_false_for_sub_distributions():
    """Lemma 44: KL of masses 1 and 1/2 twice is .6363, twice the single value is .3863; Hellinger .28125 against .25."""
    once = f_divergence([(F(1), HALF)], "kl")
    twice = f_divergence([(F(1), F(1, 4))], "kl")
    assert 2 * once.upper < twice.lower
    assert (round(float(2 * once.upper), 4), round(float(twice.upper), 4)) == (0.3863, 0.6363)
    assert f_divergence([(F(1), F(1, 4))], "hellinger") == (F(1, 8), F(1, 8))
    assert f_divergence([(F(1), F(1, 16))], "hellinger").lower == F(9, 32) > 2 * F(1, 8)
    with pytest.raises(UsageError, match="false for sub-distributions"):
        f_sequential("kl", [once.upper, once.upper], proper=False)
    assert f_sequential("chi2", [HALF, HALF]) == F(5, 4)  # (1 + d)(1 + d') - 1


def test_e52_the_printed_network_has_a_negative_capacity():
    """Theorem 20: the edge to the star holds omega - e^-eps |mu1|, negative where delta is far too small."""
    t, delta = F(1), F(0)
    left, right = F(1), HALF
    assert (right + delta / t) - left / t == -HALF
    p = profile([1], [HALF], proper=False)
    assert p.delta(exp_eps=t) == HALF  # Sato's bound decides it all the same
    assert p.violating_set(exp_eps=t) == (0,)


def test_e53_the_loss_of_a_cut_depends_on_the_set():
    """Theorem 20, other proof: delta_n depends on X; what works for all X is e^eps mu2(outside B_n) + delta."""
    right = [F(1, 2), F(1, 4), F(1, 4)]
    left = [F(1, 2), F(1, 4), F(1, 4)]
    kept = [F(1, 2), F(1, 4), 0]  # B_n without the last label
    p = profile(left, kept, proper=False)
    losses = [max(F(0), sum(left[i] for i in x) - sum(kept[i] for i in x)) for x in ((0,), (2,))]
    assert losses == [0, F(1, 4)]
    assert p.delta(exp_eps=1) == F(1, 4) == 1 * right[2]


def test_e54_the_evened_witnesses_bound_masses_of_pairs():
    """Lemma 23 prints mu1(a) and mu2(b) in (3a) and (3b); masses of the pair are meant, and they do satisfy it."""
    p = profile(["1/2", "1/2"], ["1/4", "3/4"], [(0, 0), (0, 1), (1, 1)])
    even = evened(p, star_lifting(p), 2)
    pairs = [k for k in even.left if STAR not in k]
    assert pairs
    for a, b in pairs:
        assert even.right[a, b] <= even.left[a, b] <= 2 * even.right[a, b]
    printed = {(a, b): min(p.left.mass(a), p.right.mass(b)) for a, b in pairs}
    assert any(even.right[k] != m for k, m in printed.items())
    assert star_faults(p, even, 2, 0) == []


def test_e55_one_sided_rules_cannot_beat_basic_composition():
    """Lemma 31: the extreme pair of a one-sided statement composes to exactly (prod t, 1 - prod (1 - delta))."""
    t, d = F(2), F(1, 10)
    q = (1 - d) / t
    worst_pair = profile({"all": d, "some": 1 - d, "none": 0}, {"all": 0, "some": q, "none": 1 - q})
    assert worst_pair.delta(exp_eps=t) == d
    many = power(worst_pair, 5)
    rule = basic([Close.of(t, d)] * 5)
    assert many.delta(exp_eps=rule.exp_eps) == rule.delta
    assert many.delta(exp_eps=rule.exp_eps * F(99, 100)) > rule.delta


def test_e56_a_condition_costs_the_factor_in_the_other_direction():
    """Section 6: for symmetric liftings left up-to-bad costs e^eps mu1[not theta]; mu1[not theta] alone is too little."""
    left, right, t = [F(2, 5), F(3, 5)], [F(4, 5), F(1, 5)], F(2)
    strict = [(0, 1)]
    loose = profile(left, right, lambda a, b: a != 0 or (a, b) in strict)  # theta = {0}
    assert loose.symmetric_delta(exp_eps=t) == 0
    needed, bad = profile(left, right, strict).symmetric_delta(exp_eps=t), left[1]
    assert 0 + bad < needed == F(4, 5) <= 0 + t * bad
    assert symmetric(up_to_bad_left, Close.of(t, 0), bad).delta == min(1, t * bad)


def test_e57_closeness_under_equality_is_exactly_differential_privacy():
    """Lemma 12 prints "if"; it is "if and only if": the least delta is the largest difference over all events."""
    left, right = [F(1, 2), F(1, 3), F(1, 6)], [F(1, 4), F(1, 4), F(1, 2)]
    for t in (F(1), F(3, 2), F(2)):
        events = [[i for i in range(3) if bits >> i & 1] for bits in range(8)]
        worst = max(sum((left[i] - t * right[i] for i in e), F(0)) for e in events)
        assert profile(left, right).delta(exp_eps=t) == worst
