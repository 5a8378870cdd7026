"""Named mechanisms: exact laws against plain sums, and the table of least factors."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from liftgate.channel import Channel
from liftgate.couplings import profile
from liftgate.couplings.families import (
    FAMILIES,
    build_family,
    channel_family,
    flips,
    law_family,
    moves,
    parse_family,
    search,
)
from liftgate.couplings.named import (
    above_threshold,
    channel_row,
    cut_geometric,
    exponential,
    geometric,
    noisy_max_index,
    noisy_max_value,
    noisy_min_index,
    randomised_response,
    sparse_vector,
    truncated_geometric,
)
from liftgate.couplings.noise import Factor, Sum, at_least, mass
from liftgate.errors import UsageError

HALF = F(1, 2)


def least(law, left, right, **options):
    """The least factor at delta 0 of two inputs."""
    return profile(law(left, **options), law(right, **options)).exp_epsilon()


def test_tails_are_sums():
    """Tails in closed form are what the masses add up to, and the masses add up to 1."""
    for r in (HALF, F(1, 4), F(2, 3)):
        for k in range(-4, 5):
            assert at_least(r, k) - at_least(r, k + 1) == mass(r, k)
        assert at_least(r, 0) + at_least(r, 1) == 1


@pytest.mark.parametrize("ratios", [(HALF, HALF), (F(1, 4), HALF), (HALF, F(1, 8))])
def test_sums_over_all_whole_numbers(ratios):
    """Products of chances summed in closed form lie between a long plain sum and that sum plus its tail."""
    a, b = ratios
    for kinds in product(("from", "below", "at"), repeat=2):
        factors = [Factor("at", 0, a), Factor(kinds[0], 2, b), Factor(kinds[1], -1, b)]
        closed = Sum.start(-2, 3)
        for factor in factors:
            closed = closed.times(factor)
        plain = F(0)
        for z in range(-60, 61):
            term = F(1)
            for factor in factors:
                term *= factor.value(z)
            plain += term
        rest = 2 * at_least(a, 61)
        assert plain <= closed.total() <= plain + rest
        assert closed.cut(1).total() <= closed.total()


def test_a_sum_that_is_infinite_is_refused():
    """Without a chance of one exact value the sum has no end."""
    with pytest.raises(UsageError, match="infinite"):
        Sum.start(-1, 1).times(Factor("from", 0, HALF)).total()


def test_laws_add_up_to_one_and_match_simulation():
    """Every sparse vector law adds up to 1 and is what a simulation with integer noise gives."""
    rng = np.random.default_rng(1)
    answers, draws = (0, 1, 1), 40_000
    for variant, count in ((1, 1), (2, 1), (4, 2), (5, 1), (6, 1)):
        law = sparse_vector(variant, answers, 2, count, threshold=1)
        assert law.proper
        powers = {1: (2, 1), 2: (2, 1), 4: (1, 3), 5: (2, None), 6: (2, 2)}[variant]
        seen = simulate(rng, answers, powers, count if variant in (1, 2, 4) else 9, draws)
        for label, m in zip(law.labels, law.masses(), strict=True):
            assert abs(seen.get(label, 0) / draws - m) < 5 * (float(m) / draws) ** 0.5 + 1e-3


def simulate(rng, answers, powers, cap, draws):
    """Sparse vector the plain way."""

    def noise(power):
        p = 1 - 0.5**power
        return rng.geometric(p, draws) - rng.geometric(p, draws)

    line = 1 + noise(powers[0])
    said = np.array([""] * draws, dtype=object)
    hits = np.zeros(draws, dtype=int)
    for q in answers:
        above = q + (0 if powers[1] is None else noise(powers[1])) >= line
        going = hits < cap
        said[going] += np.where(above[going], "T", "F").astype(object)
        hits += going & above
    labels, counts = np.unique(said, return_counts=True)
    return dict(zip(labels.tolist(), counts.tolist(), strict=True))


def test_variant_2_draws_a_new_threshold():
    """With two T allowed and a unit that is a square, variant 2 is proper and differs from 1."""
    one, two = (sparse_vector(v, (0, 1, 0), 4, 2) for v in (1, 2))
    assert one.proper
    assert two.proper
    first, second = (dict(zip(law.labels, law.masses(), strict=True)) for law in (one, two))
    assert first != second
    with pytest.raises(UsageError, match="irrational"):
        sparse_vector(1, (0, 1, 0), 2, 2)


def test_noisy_max_against_all_outcomes():
    """The chance of each index, against a plain sum over noise in -25 .. 25, ties to the lowest index."""
    answers = (1, 0, 1)
    law = noisy_max_index(answers, F(1, 4))
    counted = [F(0)] * 3
    span = range(-25, 26)
    for z in span:
        for i, q in enumerate(answers):
            term = mass(F(1, 4), z - q)
            for j, other in enumerate(answers):
                if j != i:
                    term *= 1 - at_least(F(1, 4), z - other + (j > i))
            counted[i] += term
    for m, plain in zip(law.masses(), counted, strict=True):
        assert plain <= m <= plain + F(1, 2**40)
    assert law.proper
    assert noisy_min_index([-q for q in answers], F(1, 4)) == law


TABLE = [
    ("randomised response", lambda: least(lambda v: randomised_response(3, v), "yes", "no"), 3),
    ("truncated geometric", lambda: least(lambda v: truncated_geometric(v, HALF, 10), 4, 5), 2),
    ("geometric", lambda: least(lambda v: geometric(v, HALF, 0, 10), 4, 5), 2),
    ("exponential", lambda: least(lambda v: exponential(v, 2), (0, 1, 2), (1, 2, 1)), F(16, 7)),
    ("noisy max index", lambda: least(lambda v: noisy_max_index(v, HALF), (1, 1, 1), (2, 0, 0)), F(160, 67)),
    ("noisy max value", lambda: least(lambda v: noisy_max_value(v, F(1, 4)), (0,) * 5, (1,) * 5), 1024),
    ("sparse vector 3", lambda: least(lambda v: sparse_vector(3, v, 2, threshold=1), (0,) * 4, (1,) * 4), 256),
    (
        "sparse vector 5",
        lambda: least(lambda v: sparse_vector(5, v, 2, threshold=1), (0, 0, 1, 1, 1), (1, 1, 0, 0, 0)),
        None,
    ),
    ("cut geometric", lambda: least(lambda v: cut_geometric(v, HALF, 3), 4, 5), None),
    ("randomised response, 4 values", lambda: least(lambda v: randomised_response(4, v, range(3)), 0, 2), 4),
]


@pytest.mark.parametrize(("name", "found", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_least_factors_that_are_exact(name, found, expected):
    """The exact rows of the table of mechanisms."""
    assert found() == expected, name


MIXED = ((0, 0, 1, 1, 1), (1, 1, 0, 0, 0))
UP = ((0,) * 5, (1,) * 5)


@pytest.mark.parametrize(
    ("variant", "count", "pair", "rounded"),
    [
        (1, 1, UP, 3.80), (1, 1, MIXED, 6.00), (2, 1, UP, 3.80), (2, 1, MIXED, 6.00), (4, 2, MIXED, 2077.6),
        (4, 2, UP, 2.0), (6, 1, ((0, 1, 0, 1, 0), (1, 0, 1, 0, 1)), 505.8),
    ],
)  # fmt: skip
def test_least_factors_of_sparse_vector(variant, count, pair, rounded):
    """The rows of the table that are long fractions, to the digits printed there."""
    found = least(lambda v: sparse_vector(variant, v, 2, count, threshold=1), *pair)
    digits = 2 if rounded < 10 and rounded != 2.0 else 1
    assert round(float(found), digits) == rounded


def test_deltas_at_the_promise():
    """Variant 5 needs delta = .6 at e^eps = 16 and variant 4 needs .0228."""
    five = profile(*(sparse_vector(5, v, 2, threshold=1) for v in MIXED))
    assert five.delta(exp_eps=16) == F(3, 5)
    four = profile(*(sparse_vector(4, v, 2, 2, threshold=1) for v in MIXED))
    assert round(float(four.reverse.delta(exp_eps=16)), 4) == 0.0228


@pytest.mark.parametrize(("queries", "size"), [(8, 4.4e4), (10, 7.0e5)])
def test_variant_6_grows_without_bound(queries, size):
    """Alternating answers: 4.4e4 at 8 queries, 7.0e5 at 10."""
    a = tuple(i % 2 for i in range(queries))
    found = least(lambda v: sparse_vector(6, v, 2, threshold=1), a, tuple(1 - v for v in a))
    assert abs(float(found) / size - 1) < 0.01


@pytest.mark.slow
def test_variant_6_at_twelve_queries():
    """4,096 outputs: 1.1e7."""
    a = tuple(i % 2 for i in range(12))
    found = least(lambda v: sparse_vector(6, v, 2, threshold=1), a, tuple(1 - v for v in a))
    assert abs(float(found) / 1.1e7 - 1) < 0.02


@pytest.mark.parametrize("name", list(FAMILIES))
def test_searching_neighbours_tells_right_from_wrong(name):
    """Without being told the pair: wrong mechanisms break their promise, right ones keep it."""
    wrong = {
        "cut-geometric",
        "noisy-max-value",
        "sparse-vector-3",
        "sparse-vector-4",
        "sparse-vector-5",
        "sparse-vector-6",
    }
    found = search(build_family(name))
    assert found.refuted is (name in wrong)
    assert found.worst.exp_eps == found.profile().exp_epsilon()
    assert all(one.exp_eps is not None for one in found.found) or found.worst.exp_eps is None


def test_all_up_alone_would_hide_three_wrong_variants():
    """The pair matters: all answers one higher stays inside the promise where the mixed pair breaks it."""
    for variant in (4, 5, 6):
        found = search(build_family(f"sparse-vector-{variant}"))
        shown = [one for one in found.found if one.pair.kind == "all up"]
        assert [one.exp_eps <= 16 for one in shown] == [True]
        assert found.refuted
        assert found.worst.pair.kind != "all up"


def test_neighbours():
    """Every pattern against its opposite; lists that move by at most one; names beyond six queries."""
    assert len(flips(5)) == 32
    assert {n.kind for n in flips(4)} == {"all up", "all down", "alternating", "mixed"}
    assert 8 <= len(flips(9)) <= 10
    assert len(moves(2, 2)) == 12
    with pytest.raises(UsageError, match="too many pairs"):
        moves(9)


def test_own_families_and_channels():
    """Laws from a mapping, and the rows of a channel."""
    laws = {"a": {"x": "1/2", "y": "1/2"}, "b": {"x": "1/4", "y": "3/4"}}
    found = search(law_family(laws, promise="3/2"))
    assert found.refuted
    assert found.worst.exp_eps == 2
    channel = Channel.from_shares([[3, 1], [1, 3]], ["u", "v"], ["s", "t"])
    assert search(channel_family(channel)).worst.exp_eps == 3
    assert search(channel_family(channel)).refuted is None
    assert channel_row(channel, "v").masses() == [F(1, 4), F(3, 4)]
    with pytest.raises(UsageError, match="not a public value"):
        channel_row(channel, "w")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("laplace", "'laplace' is not known"),
        ("geometric:width=3", "no parameter 'width'"),
        ("geometric:ratio", "not key=value"),
        ("geometric:ratio=2", "between 0 and 1"),
        ("sparse-vector-1:queries=0", "ask at least one query"),
    ],
)
def test_families_that_do_not_exist(text, words):
    """Each is refused in words."""
    with pytest.raises(UsageError, match=words):
        search(parse_family(text))


def test_parameters_that_make_no_sense():
    """Truths, counts, ratios and variants outside their range."""
    for call in (
        lambda: randomised_response(3, "maybe"),
        lambda: geometric(20, HALF, 0, 10),
        lambda: truncated_geometric(-1, HALF, 10),
        lambda: cut_geometric(0, HALF, -1),
        lambda: exponential([], 2),
        lambda: sparse_vector(7, (0,), 2),
        lambda: sparse_vector(1, (), 2),
    ):
        with pytest.raises(UsageError):
            call()
    assert above_threshold((0, 1), 2) == sparse_vector(1, (0, 1), 2)
