"""Influence figures: exact, sampled, Shapley, and the two methods of ATR Appendix B."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from liftgate.errors import LiftgateError
from liftgate.transparency import (
    People,
    influence,
    marginal_influence,
    rule_from_one_influence,
    rules_from_two_influences,
    sampled_influence,
    shapley,
)


def model(records):
    """A small decision: the first input and one of the others."""
    return (records[:, 0] & (records[:, 1] | records[:, 2])).astype(float)


@pytest.fixture
def people():
    rng = np.random.default_rng(1)
    return People.of(rng.integers(0, 2, (40, 3)), rng.integers(1, 5, 40), rng.random(40) < 0.5)


@pytest.mark.parametrize("inputs", [[0], [1], [0, 1], [0, 1, 2], []])
@pytest.mark.parametrize("draw", ["joint", "product"])
def test_enumeration_by_the_definition(people, inputs, draw):
    """Every person asked about meets every other person's values: a double loop over people."""
    weight = people.weight
    before = after = 0.0
    share = weight * people.asked / (weight * people.asked).sum()
    everybody = weight / weight.sum()
    for i in np.flatnonzero(people.asked):
        before += share[i] * float(model(people.records[[i]])[0])
        sources = product(range(40), repeat=len(inputs) if draw == "product" and len(inputs) < 3 else 1)
        if draw == "product" and len(inputs) == 3:
            values = product([0, 1], repeat=3)
            margins = [(everybody * people.records[:, k]).sum() for k in range(3)]
            for v in values:
                p = np.prod([m if b else 1 - m for m, b in zip(margins, v, strict=True)])
                after += share[i] * p * float(model(np.array([v]))[0])
            continue
        for source in sources:
            changed = people.records[i].copy()
            for position, k in enumerate(inputs):
                changed[k] = people.records[source[position if draw == "product" else 0], k]
            p = np.prod([everybody[s] for s in source])
            after += share[i] * p * float(model(changed[None, :])[0])
    expected = before - after if inputs else 0.0
    assert influence(model, people, inputs, draw) == pytest.approx(expected)


def test_sampled_is_within_its_error(people):
    """Independent draws estimate the same figure; the error shrinks like 1 / sqrt(draws)."""
    exact = influence(model, people, [0, 1])
    found = [sampled_influence(model, people, [0, 1], 400, seed) for seed in range(40)]
    gaps = np.array([(e.value - exact) / e.error for e in found])
    assert np.abs(gaps).max() < 4.5
    assert 0.6 < gaps.std() < 1.5
    assert sampled_influence(model, people, [0, 1], 6400, 1).error < found[1].error / 3
    assert sampled_influence(model, people, [0, 1], 400, 3) == found[3]


def test_shapley_by_all_orders(people):
    """The Shapley value is the mean marginal influence over all orders; values add up to the influence of all."""
    values = shapley(model, people)
    direct = np.zeros(3)
    for order in permutations(range(3)):
        for position, i in enumerate(order):
            direct[i] += marginal_influence(model, people, i, order[:position]) / 6
    assert values == pytest.approx(direct)
    assert values.sum() == pytest.approx(influence(model, people, [0, 1, 2]))


def test_method_1_identity():
    """App. B: for groups with one public record, I(W1) - I(W0) is the difference of the rules, always."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        records = rng.integers(0, 3, (30, 3))
        records[:, 0] = 1
        table = rng.random((3, 3, 3))

        def decide(r, table=table):
            return table[r[:, 0], r[:, 1], r[:, 2]]

        low, high = records[:, 1] == 0, records[:, 1] == 2
        if not low.any() or not high.any():
            continue
        published = [influence(decide, People.of(records, asked=w), [1, 2]) for w in (high, low)]
        rates = [decide(records)[w].mean() for w in (high, low)]
        assert published[0] - published[1] == pytest.approx(rates[0] - rates[1])
        (low1, high1), (low0, high0) = rules_from_two_influences(*published)
        assert low1 - 1e-9 <= rates[0] <= high1 + 1e-9
        assert low0 - 1e-9 <= rates[1] <= high0 + 1e-9


def test_printed_influences_of_the_paper():
    """Both methods on the printed figures: difference 1 and ratio 1 (to six digits) pin the rules to 1 and 0."""
    (one, _), (_, zero) = rules_from_two_influences(0.66475333, -0.33524666)
    assert one > 0.999999
    assert zero < 1e-6
    (one, _), (_, zero) = rule_from_one_influence(0.45142778, 0.45142857)
    assert one > 0.99999
    assert zero < 1e-5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: influence(model, p, [7]), "no input 7"),
        (lambda p: influence(lambda r: r[:, 0] * 3.0, p, [0]), "not one chance between 0 and 1"),
        (lambda p: influence(model, p, [0], "other"), "joint"),
        (lambda p: sampled_influence(model, p, [0], 1), "at least two"),
        (lambda p: People.of([1, 2]), "one line per record"),
        (lambda p: People.of([[1]], asked=[False]), "nobody is asked about"),
        (lambda p: rules_from_two_influences(1, -1), "differ by at most 1"),
        (lambda p: rule_from_one_influence(0.5, 0), "chance of another value"),
        (lambda p: shapley(model, People.of(np.zeros((2, 17), int))), "at most 16 inputs"),
    ],
)
def test_impossible_questions(people, call, message):
    """Impossible questions are refused by name."""
    with pytest.raises(LiftgateError, match=message):
        call(people)
