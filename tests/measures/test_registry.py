"""What every registered measure keeps, and what may happen to it when a release is processed further."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.measures import MEASURES, Measure, alpha_lift, measure
from liftgate.testing import joints, releases

PROMISED = [
    "max-lift",
    "min-lift",
    "log-lift-range",
    "ldp-epsilon",
    "pointwise-maximal-leakage",
    "confidence",
    "l1-lift",
    "l1-lift-inverse",
    "chi2-lift",
    "chi2-lift-inverse",
    "alpha-lift-2",
    "alpha-lift-2-inverse",
    "alpha-lift-10",
    "alpha-lift-10-inverse",
    "alpha-lift-100",
    "alpha-lift-100-inverse",
    "mutual-information",
    "reverse-kl",
    "total-variation",
    "chi2",
    "hellinger",
    "sibson-0.5",
    "sibson-2",
    "sibson-inf",
    "arimoto-0.5",
    "arimoto-2",
    "arimoto-inf",
    "maximal-leakage",
    "min-entropy-leakage",
    "guessing-before",
    "guessing-after",
    "k",
    "distinct-l",
    "entropy-l",
    "recursive-c-2",
    "alpha-k",
    "t-closeness",
    "t-closeness-ordered",
    "beta-likeness",
    "beta-likeness-enhanced",
    "delta-disclosure",
]
EVERY = [pytest.param(m, id=m.name) for m in MEASURES.values()]


def reveals_more(m: Measure, before: float, after: float) -> bool:
    """Whether the number got worse, by more than floats explain."""
    if before == after:
        return False
    gap = (after - before) if m.worse == "larger" else (before - after)
    return gap > 1e-12 * max(1.0, abs(before) if math.isfinite(before) else 1.0)


def test_the_list_is_the_promised_one_and_cannot_be_changed() -> None:
    assert list(MEASURES) == PROMISED
    with pytest.raises(TypeError):
        MEASURES["mine"] = MEASURES["k"]  # type: ignore[index]


@pytest.mark.parametrize("m", EVERY)
def test_words(m: Measure) -> None:
    """A measure has one sentence, a formula, a source and a unit."""
    assert m.sentence.endswith(".")
    assert ". " not in m.sentence
    assert m.sentence[0].isupper()
    assert m.formula
    assert m.citation
    assert m.unit
    assert m.name == m.name.lower()


@pytest.mark.parametrize("m", EVERY)
@settings(max_examples=15)
@given(joint=joints(most=12))
def test_outputs_fold_to_the_whole(m: Measure, joint: Joint) -> None:
    """The number of the joint is the largest, the smallest or the mean of those of the released values, finished."""
    whole = m.of(joint)
    assert measure(joint)[m.name] == whole
    if not m.per_value:
        with pytest.raises(UsageError, match="no number per released value"):
            m.outputs(joint)
        return
    outputs = m.outputs(joint)
    assert outputs.shape == (len(joint.public),)
    occurs = joint.public_counts > 0
    assert np.array_equal(np.isnan(outputs), ~occurs)
    folded = m.fold_of(outputs[occurs], joint.public_share[occurs])
    assert whole == pytest.approx(folded, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("m", [p for p in EVERY if p.values[0].survives_merging])  # type: ignore[union-attr]
@settings(max_examples=40)
@given(case=releases(most=12, totals=(1, 3, 16, 1 << 12)))
def test_processing_a_release_reveals_no_more(m: Measure, case: tuple[Joint, Channel]) -> None:
    """The data-processing inequality; counts of rows keep their meaning only under channels that merge."""
    joint, channel = case
    if m.unit == "rows":
        blocks: dict[int, list[object]] = {}
        for x in range(len(joint.public)):
            blocks.setdefault(int(channel.targets[channel.start[x]]), []).append(x)
        channel = Channel.merge(len(joint.public), blocks.values())  # type: ignore[arg-type]
    assert not reveals_more(m, m.of(joint), m.of(joint.through(channel)))


@pytest.mark.parametrize(
    ("name", "counts", "before", "after"),
    [
        ("l1-lift-inverse", [[3, 2, 2], [1, 1, 6], [4, 5, 5]], Fraction(1897, 4205), Fraction(17269, 37845)),
        ("chi2-lift-inverse", [[2, 1, 1], [1, 2, 1], [1, 1, 14]], Fraction(35, 18), Fraction(475, 243)),
    ],
)
def test_the_measures_that_do_not_survive_merging(
    name: str, counts: list[list[int]], before: Fraction, after: Fraction
) -> None:
    """A counterexample for each measure whose flag is false (erratum E3)."""
    joint = Joint.from_counts(counts)
    assert not MEASURES[name].survives_merging
    assert MEASURES[name].of(joint) == pytest.approx(float(before), rel=1e-14)
    assert MEASURES[name].of(joint.merge([[0, 1], [2]])) == pytest.approx(float(after), rel=1e-14)
    assert after > before


def test_only_those_two_are_flagged() -> None:
    assert [m.name for m in MEASURES.values() if not m.survives_merging] == ["l1-lift-inverse", "chi2-lift-inverse"]


@pytest.mark.parametrize("kind", ["l1", "chi2", "alpha", "alip", "ldp"])
@settings(max_examples=40)
@given(joint=joints(most=12), low=st.fractions(1, 4, max_denominator=7), up=st.fractions(1, 4, max_denominator=7))
def test_measures_agree_with_what_a_budget_decides(kind: str, joint: Joint, low: Fraction, up: Fraction) -> None:
    """A released value keeps a budget exactly when its numbers are within the bounds."""
    joint = joint.drop_empty()
    m = {name: MEASURES[name].outputs(joint) for name in MEASURES if MEASURES[name].per_value}
    if kind == "alip":
        budget, pairs = Budget("alip", 1 / low, up), [(m["max-lift"], up), (1 / np.maximum(m["min-lift"], 1e-300), low)]
    elif kind == "ldp":
        budget, pairs = Budget("ldp", None, up), [(m["ldp-epsilon"], math.log(up))]
    elif kind == "alpha":
        order = Fraction(5, 2)
        budget = Budget("alpha", low, up, order)
        pairs = [(alpha_lift(2.5).outputs(joint), up), (alpha_lift(2.5, inverse=True).outputs(joint), low)]
    else:
        budget = Budget(kind, low, up)
        pairs = [(m[f"{kind}-lift"], up), (m[f"{kind}-lift-inverse"], low)]
    holds = budget.holds(joint)
    for y, kept in enumerate(holds):
        within = [float(values[y]) - float(bound) for values, bound in pairs]
        if kept:
            assert all(gap <= 1e-12 * max(1.0, float(low), float(up)) for gap in within)
        else:
            assert any(gap > -1e-12 for gap in within)


def test_huge_orders_and_lifts_do_not_overflow() -> None:
    """Order 100 of a lift of 10^6 would be 10^600; its root is close to 10^6."""
    joint = Joint.from_counts([[1, 0], [0, 999_999]])
    assert MEASURES["alpha-lift-100"].of(joint) == pytest.approx(1e6 ** (99 / 100), rel=1e-12)
    assert MEASURES["alpha-lift-100-inverse"].of(joint) == math.inf
    assert alpha_lift(1e6).of(joint) == pytest.approx(1e6, rel=2e-5)


@pytest.mark.parametrize("order", [1, 0.5, -2, float("nan")])
def test_alpha_lift_refuses_orders_up_to_one(order: float) -> None:
    with pytest.raises(UsageError, match="not above 1"):
        alpha_lift(order)
