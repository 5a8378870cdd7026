"""The block decomposition: equal to brute force over all sets, by every engine, for every kind of relation."""

from __future__ import annotations

import random
from fractions import Fraction as F

import numpy as np
import pytest

from liftgate.couplings import STAR, Law, Spans, profile
from liftgate.couplings.notions import star_faults
from liftgate.errors import DataError, UsageError


def settle(one, engine, rng, questions, brute):
    """The profile of one instance, with both witnesses meeting and, where asked, brute force agreeing."""
    p = profile(one.left, one.right, one.relation, proper=one.proper, engine=engine)
    coupling = p.coupling()
    for t in questions(p, rng):
        delta = p.delta(exp_eps=t)
        assert star_faults(p, coupling, t, delta) == []
        if delta:
            assert one.excess(p.violating_set(exp_eps=t), t) == delta
        if brute:
            assert one.least_delta(t) == delta
    return p


@pytest.mark.parametrize("seed", range(4))
def test_least_delta_is_the_maximum_over_all_sets(instances, questions, seed):
    """Up to 7 labels a side: the hinge sum, the coupling, the violating set and brute force agree, by every engine."""
    rng = random.Random(seed)
    for one in instances(seed, 40, 7):
        found = [settle(one, "exact", rng, questions, True).blocks, settle(one, "guess", rng, questions, False).blocks]
        if max(m.denominator for m in (*one.left, *one.right)) < 1000:
            found.append(settle(one, "int64", rng, questions, False).blocks)
        assert all(blocks == found[0] for blocks in found)


@pytest.mark.slow
def test_a_thousand_instances_up_to_ten_labels(instances, questions):
    """1,000 instances with zero masses, sub-distributions, 80-bit denominators and ties: no wrong answer."""
    rng = random.Random(99)
    for one in instances(99, 1000, 10):
        settle(one, "auto", rng, questions, True)


@pytest.mark.slow
def test_a_thousand_instances_up_to_forty_labels(instances, questions):
    """Up to 40 labels a side the valid coupling and the valid violating set meet, so both are best."""
    rng = random.Random(7)
    for one in instances(7, 1000, 40):
        settle(one, "auto", rng, questions, False)


def test_up_to_forty_labels_both_witnesses_meet(instances, questions):
    """A few dozen of the larger instances by default."""
    rng = random.Random(3)
    for one in instances(3, 25, 40):
        settle(one, "auto", rng, questions, False)


def test_blocks_have_falling_ratios_and_edges_never_go_to_later_blocks(instances):
    """The two facts that make the hinge sum right."""
    for one in instances(11, 60, 9):
        p = profile(one.left, one.right, one.relation, proper=one.proper)
        for (a, b), (c, d) in zip(p.blocks, p.blocks[1:], strict=False):
            assert a * d > c * b
        here, there = p.parts.left_block.tolist(), p.parts.right_block.tolist()
        for i, row in enumerate(one.rows):
            for j in row:
                assert here[i] < 0 or there[j] < 0 or there[j] <= here[i]


def test_compiled_and_plain_engines_agree_on_larger_instances():
    """2,000 labels: numba on int64 and Python on whole numbers give the same blocks and valid flows."""
    rng = np.random.default_rng(5)
    n = 2000
    w1, w2 = rng.integers(0, 500, n), rng.integers(0, 500, n)
    left, right = (Law(tuple(range(n)), tuple(w.tolist()), int(w.sum())) for w in (w1, w2))
    pairs = np.unique(rng.integers(0, n, (4 * n, 2)), axis=0)
    starts = rng.integers(0, n - 1, n)
    for relation in (pairs, Spans(starts.tolist(), np.minimum(n, starts + rng.integers(0, 40, n)).tolist())):
        fast, plain = (profile(left, right, relation, engine=e) for e in ("int64", "exact"))
        assert fast.parts.masses == plain.parts.masses
        for p in (fast, plain):
            assert star_faults(p, p.coupling(), 1, p.delta(exp_eps=1), symmetric=False) == []


def test_a_wrong_guess_is_repaired(monkeypatch):
    """Guess and verify ends at the exact blocks even when rounding leaves only 4 bits."""
    import liftgate.couplings.blocks as blocks

    monkeypatch.setattr(blocks, "_GUESS_BITS", 6)
    rng = random.Random(1)
    rounds = []
    plain = blocks.Part._merged
    monkeypatch.setattr(blocks.Part, "_merged", lambda self, cells: rounds.append(len(cells)) or plain(self, cells))
    for k in range(120):
        n = 12
        base = 3 << (80, 12, 40)[k % 3]  # products that leave int64, that stay in it, and both
        spread = 2 if k % 2 else base // 2
        w = [base + rng.randint(-spread, spread) for _ in range(2 * n)]
        starts = [rng.randint(0, n - 1) for _ in range(n)]
        relation = (
            Spans(starts, [min(n, s + rng.randint(1, 4)) for s in starts])
            if rng.random() < 0.5
            else [(i, (i + k) % n) for i in range(n) for k in (0, rng.randint(1, n))]
        )
        left = [F(v, sum(w[:n])) for v in w[:n]]
        right = [F(v, sum(w[n:])) for v in w[n:]]
        guess, exact = (profile(left, right, relation, engine=e) for e in ("guess", "exact"))
        assert guess.blocks == exact.blocks
        for t in (F(1), F(3, 2)):
            assert star_faults(guess, guess.coupling(), t, exact.delta(exp_eps=t)) == []
    assert len(rounds) > 140  # more than twenty guesses were wrong at first


def test_int64_refuses_what_could_overflow():
    """The guard is on the product of the totals: nothing is ever computed beyond 2^62."""
    fine = [F(1, 2**40), 1 - F(1, 2**40)]
    with pytest.raises(UsageError, match="too fine for int64"):
        profile(fine, fine, [(0, 0), (0, 1), (1, 1)], engine="int64")
    assert profile(fine, fine, [(0, 0), (0, 1), (1, 1)]).exp_epsilon() == 1


def test_labels_without_partner_are_on_the_star():
    """They are blocks of their own at both ends."""
    p = profile(["1/2", "1/2"], ["1/3", "2/3"], [(0, 0)])
    assert p.blocks == [(F(1, 2), 0), (F(1, 2), F(1, 3)), (0, F(2, 3))]
    assert p.coupling().right[STAR, 1] == F(2, 3)


def test_relations_that_cannot_be_asked_about():
    """Empty, too large, unknown or unknown labels: said with the place and the fix."""
    law = ["1/2", "1/2"]
    with pytest.raises(UsageError, match="empty"):
        profile(law, law, [])
    with pytest.raises(UsageError, match="has more than 3 pairs"):
        profile(law, law, [(i, j) for i in range(2) for j in range(2)], max_edges=3)
    with pytest.raises(UsageError, match="'near' is not known"):
        profile(law, law, "near")
    with pytest.raises(UsageError, match="the right law has no label 5"):
        profile(law, law, [(0, 5)])
    with pytest.raises(UsageError, match="distance -1 is negative"):
        profile(law, law, "distance<=-1")
    with pytest.raises(UsageError, match="labels that are numbers"):
        profile({"a": 1}, {"b": 1}, "distance<=1")
    with pytest.raises(UsageError, match="entry 0"):
        profile(law, law, [7])
    with pytest.raises(UsageError, match="span"):
        profile(law, law, Spans([0, 1], [1, 9]))
    with pytest.raises(UsageError, match="not a relation"):
        profile(law, law, 3)


def test_laws_that_are_none():
    """Sums, signs and floats are refused with the number in the message."""
    with pytest.raises(DataError, match="add up to 3/4, not to 1"):
        profile(["1/2", "1/4"], [1])
    with pytest.raises(DataError, match="more than 1"):
        profile(["1/2", "3/4"], [1], proper=False)
    with pytest.raises(DataError, match=r"label 1: .*negative"):
        profile(["3/2", "-1/2"], [1, 0])
    with pytest.raises(DataError, match=r"0\.5 is a float"):
        profile([0.5, 0.5], [1, 0])
    with pytest.raises(DataError, match="no labels"):
        profile([], [1])
    with pytest.raises(DataError, match="not a number"):
        profile({"a": "one"}, [1])


def test_predicates_and_pairs_are_the_same_relation(instances):
    """A predicate over the labels gives the blocks of its list of pairs."""
    for one in instances(2, 30, 6):
        p = profile(one.left, one.right, lambda a, b, rows=one.rows: b in rows[a], proper=one.proper)
        assert p.blocks == profile(one.left, one.right, one.relation, proper=one.proper).blocks


def test_one_flow_for_one_factor_agrees(instances, questions):
    """The least delta by a single flow is the one of the profile, for small and for compiled instances."""
    from liftgate.couplings.flows import least_delta

    rng = random.Random(12)
    for one in instances(60, 60, 8):
        p = profile(one.left, one.right, one.relation, proper=one.proper)
        for t in questions(p, rng)[:4]:
            assert least_delta(one.left, one.right, t, one.relation, one.proper) == p.delta(exp_eps=t)
    draws = np.random.default_rng(6)
    n = 1500
    left, right = (Law(tuple(range(n)), tuple(w), sum(w)) for w in draws.integers(0, 90, (2, n)).tolist())
    pairs = np.unique(draws.integers(0, n, (3 * n, 2)), axis=0)
    starts = draws.integers(0, n - 5, n)
    for relation in (pairs, Spans(starts.tolist(), (starts + 5).tolist())):
        p = profile(left, right, relation)
        for t in (F(1), F(5, 3)):
            assert least_delta(left, right, t, relation) == p.delta(exp_eps=t)


def test_distances_between_whole_numbers_are_those_between_fractions():
    """Labels that fit in int64, labels that do not, and labels as text give the same blocks at any distance."""
    rng = random.Random(21)
    for _ in range(40):
        far = rng.choice((0, 2**61 - 40, 2**63, -(2**70)))
        masses = {far + rng.randint(-20, 20): F(1) for _ in range(8)}
        other = {far + rng.randint(-20, 20): F(1) for _ in range(8)}
        left, right = ({k: F(1, len(law)) for k in law} for law in (masses, other))
        for k in ("0", "3", "5/2", str(2**62)):
            words = profile(
                {str(a): m for a, m in left.items()}, {str(b): m for b, m in right.items()}, f"distance<={k}"
            )
            assert profile(left, right, f"distance<={k}").blocks == words.blocks
            near = [(a, b) for a in left for b in right if abs(a - b) <= F(k)]
            if near:
                assert profile(left, right, near).blocks == words.blocks


def test_a_label_beyond_int64_without_partner_does_not_stop_the_fast_engine():
    """Large instances with one huge mass that is not in the network are still solved in int64, and rightly."""
    n = 2500
    weights = [2**70, *(1 + i % 7 for i in range(n))]
    left, right = (Law(tuple(range(n + 1)), tuple(weights), sum(weights)) for _ in range(2))
    pairs = [(i, j) for i in range(1, n + 1) for j in (i, i % n + 1)]
    p = profile(left, right, pairs)
    assert p.delta(exp_eps=1) == F(2**70, sum(weights))
    from liftgate.couplings.flows import least_delta

    assert least_delta(left, right, 1, pairs) == p.delta(exp_eps=1)
