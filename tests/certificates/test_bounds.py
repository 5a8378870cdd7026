"""Writers about a table: what they write is accepted exactly when it is true, and says what was asked."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates import KINDS, breach_of, certify, lift_bounds, measure_bounds, ratio_bound, revealed
from liftgate.channel import Channel
from liftgate.errors import BudgetError, CertificateError, LiftgateError
from liftgate.joint import Joint

ASSUMED = ["counts-are-population"]
JOINT = Joint.from_counts([[3, 1, 2], [1, 3, 2]], ["ill", "well"], ["a", "b", "c"])


@st.composite
def joints(draw: Any) -> Joint:
    """Small joints without empty rows or columns, with zero cells."""
    m, n = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    cells = st.integers(0, 4) | st.sampled_from([0, 1, 2, 1000])
    counts = np.array(draw(st.lists(st.lists(cells, min_size=n, max_size=n), min_size=m, max_size=m)))
    counts[counts.sum(axis=1) == 0, 0] = 1
    counts[0, counts.sum(axis=0) == 0] = 1
    return Joint.from_counts(counts)


@st.composite
def channels(draw: Any, size: int) -> Channel:
    """Channels of whole shares from so many public values."""
    total = draw(st.sampled_from([1, 2, 3, 16]))
    n = draw(st.integers(1, size + 1))
    shares = np.zeros((size, n), dtype=np.int64)
    for x in range(size):
        for y in draw(st.lists(st.integers(0, n - 1), min_size=total, max_size=total)):
            shares[x, y] += 1
    return Channel.from_shares(shares)


epsilons = st.sampled_from([0, "1/4", "1/2", 1, 2, 5])
budgets = st.one_of(
    st.builds(Budget.alip, epsilons, epsilons),
    st.builds(Budget.ldp, epsilons),
    st.builds(Budget.l1, epsilons, epsilons | st.none()),
    st.builds(Budget.chi2, epsilons | st.none(), epsilons),
    st.builds(Budget.alpha, st.sampled_from([2, 10, "3/2", "5/3"]), epsilons, epsilons | st.none()),
    st.builds(Budget.between, st.sampled_from([0, "1/2", "2/3", 1]), st.sampled_from([1, "3/2", 2])),
)


@given(st.data())
def test_certified_or_broken_never_both(data: st.DataObject) -> None:
    """For every joint, channel and budget: certify is accepted iff the budget holds, else breach_of is accepted."""
    joint = data.draw(joints())
    channel = data.draw(st.none() | channels(len(joint.public)))
    budget = data.draw(budgets)
    after = joint if channel is None else joint.through(channel)
    holds = bool(budget.holds(after).all())
    verdict = checker.check(certify(joint, channel, budget, ASSUMED))
    assert verdict.holds == holds, verdict.reason
    if holds:
        with pytest.raises(CertificateError, match="the release is inside it"):
            breach_of(joint, channel, budget, ASSUMED)
        return
    breach = breach_of(joint, channel, budget, ASSUMED)
    proven = checker.check(breach)
    assert proven.holds, proven.reason
    for name, (low, up) in breach.claim["bounds"].items():  # and it contradicts the budget
        side = budget.low if name.endswith("-inverse") or name == "min-lift" else budget.up
        assert side is not None
        assert Fraction(up) < side if name == "min-lift" else low == "inf" or Fraction(low) > side


@given(st.data())
def test_revealed_is_exact(data: st.DataObject) -> None:
    """The extremes equal those of all lifts as fractions, are accepted, and nothing tighter is."""
    joint = data.draw(joints())
    channel = data.draw(st.none() | channels(len(joint.public)))
    made = revealed(joint, channel, ASSUMED)
    assert checker.check(made).holds
    after = joint if channel is None else joint.through(channel)
    n_s, n_y = [int(v) for v in after.sensitive_counts], [int(v) for v in after.public_counts]
    lifts = [
        Fraction(int(after.counts[s, y]) * after.total, n_s[s] * n_y[y])
        for s in range(len(n_s))
        for y in range(len(n_y))
    ]
    most, least = str(max(lifts)), str(min(lifts))
    assert made.claim["bounds"] == {"max-lift": [most, most], "min-lift": [least, least]}
    hair = Fraction(1, 10**40)
    for bounds in ({"max-lift": (None, max(lifts) - hair)}, {"min-lift": (min(lifts) + hair, None)}):
        assert not checker.check(measure_bounds(joint, channel, bounds, ASSUMED)).holds


def test_certify_chooses_the_kind() -> None:
    """alip and ldp are lift-bounds; l1, chi2 and alpha are measure-bounds with -inverse for the low side."""
    assert certify(JOINT, None, Budget.lip(1), ASSUMED).kind == "lift-bounds"
    assert certify(JOINT, None, Budget.ldp(1), ASSUMED).claim["budget"]["kind"] == "ldp"
    made = certify(JOINT, None, Budget.alpha("5/2", 1, 2), ASSUMED)
    one, two = (str(Budget.alip(0, e).up) for e in (1, 2))
    assert made.claim["bounds"] == {"alpha-lift-5/2": [None, two], "alpha-lift-5/2-inverse": [None, one]}
    assert list(certify(JOINT, None, Budget.l1(None, 1), ASSUMED).claim["bounds"]) == ["l1-lift"]
    assert list(certify(JOINT, None, Budget.chi2(1, None), ASSUMED).claim["bounds"]) == ["chi2-lift-inverse"]


def test_breaches_of_every_kind_are_exact() -> None:
    """Broken sides only; exact fractions, inf where infinite, for alpha a bound strictly between."""
    table = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    cases: list[tuple[Budget, dict[str, list[str | None]]]] = [
        (Budget.between("1/2", "5/4"), {"max-lift": ["3/2", "3/2"]}),
        (Budget.between("3/4", "3/2"), {"min-lift": ["1/2", "1/2"]}),
        (Budget.ldp(1), {"ldp-ratio": ["3", "3"]}),
        (Budget.l1("1/5", "1/5"), {"l1-lift": ["1/2", "1/2"], "l1-lift-inverse": ["2/3", "2/3"]}),
        (Budget.chi2(None, "1/5"), {"chi2-lift": ["1/4", "1/4"]}),
    ]
    for budget, bounds in cases:
        assert breach_of(table, None, budget, ASSUMED).claim["bounds"] == bounds
    zero = Joint.from_counts([[3, 0, 2], [1, 3, 2]])
    for budget in (Budget.ldp(9), Budget.l1(9, None), Budget.chi2(9, 9), Budget.alpha("3/2", 9, 9)):
        made = breach_of(zero, None, budget, ASSUMED)
        assert list(made.claim["bounds"].values()) == [["inf", None]]
        assert checker.check(made).holds
    low, up = breach_of(table, None, Budget.alpha(2, None, 0), ASSUMED).claim["bounds"]["alpha-lift-2"]
    assert up is None
    assert Fraction(low).denominator <= 2**40
    assert 0 < Fraction(5, 4) - Fraction(low) ** 2 < Fraction(1, 2**38)


def test_a_breach_by_a_hair_is_proven_as_finely_as_needed() -> None:
    """Budgets within 10^-50 of the value, on either side, with rational orders too."""
    for order in ("2", "3/2"):
        table = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
        low = Fraction(
            breach_of(table, None, Budget.alpha(order, None, 0), ASSUMED).claim["bounds"][f"alpha-lift-{order}"][0]
        )
        for _ in range(3):  # walk towards the value from below, finer and finer
            budget = Budget("alpha", None, low, Fraction(order))
            proof = breach_of(table, None, budget, ASSUMED)
            assert checker.check(proof).holds
            nearer = Fraction(proof.claim["bounds"][f"alpha-lift-{order}"][0])
            assert nearer > low
            low = nearer
            assert checker.check(measure_bounds(table, None, {f"alpha-lift-{order}": (low, None)}, ASSUMED)).holds
            assert not checker.check(certify(table, None, budget, ASSUMED)).holds


def test_long_fractions_are_rounded_down() -> None:
    """Where the exact value has more than 1000 digits, a shorter lower end strictly above the budget is written."""
    primes = [n for n in range(10**6, 10**6 + 8000) if all(n % d for d in range(2, 1000))][:250]
    table = Joint.from_counts([[n - 1 - i % 7, 1 + i % 7] for i, n in enumerate(primes)])
    made = breach_of(table, None, Budget.chi2(None, "1/1000"), ASSUMED)
    low, up = made.claim["bounds"]["chi2-lift"]
    assert up is None
    assert len(low) < 60
    assert checker.check(made).holds


def test_empty_rows_and_columns_are_named() -> None:
    """An empty sensitive or public value has to be dropped first; the error says which."""
    row = Joint.from_counts([[1, 2], [0, 0]], ["ill", "well"], ["a", "b"])
    column = Joint.from_counts([[1, 0], [2, 0]], ["ill", "well"], ["a", "b"])
    for joint, words in ((row, "sensitive value 'well'"), (column, "public value 'b'")):
        for write in (lambda j: certify(j, None, Budget.lip(1), ASSUMED), lambda j: revealed(j, None, ASSUMED)):
            with pytest.raises(CertificateError, match=r"never occurs\. Fix: use joint\.drop_empty\(\) first") as error:
                write(joint)
            assert words in str(error.value)
    assert checker.check(revealed(row.drop_empty(), None, ASSUMED)).holds


WRONG: list[tuple[Callable[[], Any], type[LiftgateError], str]] = [
    (lambda: lift_bounds(JOINT, None, Budget.l1(1, 1), ASSUMED), CertificateError, "it bounds no single lift"),
    (lambda: measure_bounds(JOINT, None, {}, ASSUMED), CertificateError, "it bounds nothing"),
    (lambda: measure_bounds(JOINT, None, {"mutual-information": (0, 1)}, ASSUMED), CertificateError, "no measure with"),
    (lambda: measure_bounds(JOINT, None, {"alpha-lift-4/2": (0, 1)}, ASSUMED), CertificateError, "lowest terms"),
    (lambda: measure_bounds(JOINT, None, {"max-lift": ("x", 1)}, ASSUMED), LiftgateError, "'x' is not a number"),
    (lambda: measure_bounds(JOINT, None, {"max-lift": (1, "inf")}, ASSUMED), LiftgateError, "'inf' is not a number"),
    (lambda: Budget.alpha(1500, 1, 1), LiftgateError, "with numbers up to 1000"),
    (lambda: measure_bounds(JOINT, None, {"alpha-lift-1500": (0, 1)}, ASSUMED), CertificateError, "up to 1000"),
    (lambda: ratio_bound(JOINT, None, "x", ASSUMED), LiftgateError, "'x' is not a number"),
    (lambda: ratio_bound(JOINT, Channel.identity(3), 3, ASSUMED), CertificateError, "not those of the joint"),
    (lambda: ratio_bound(JOINT, Channel.identity(["a", "b"]), 3, ASSUMED), CertificateError, "not those of the joint"),
    (
        lambda: ratio_bound(JOINT, None, 3, ["counts-are-populations"]),
        CertificateError,
        "'counts-are-populations' is not",
    ),
    (lambda: ratio_bound(JOINT, None, 3, ["missing=drop", "missing=drop"]), CertificateError, "is listed twice"),
    (
        lambda: ratio_bound(JOINT, Channel.merge(JOINT.public, [["a", "b", "c"], []], ["all", "none"]), 3, ASSUMED),
        CertificateError,
        "released value 'none': nothing is released as it",
    ),
    (lambda: lift_bounds(JOINT, None, Budget.parse("nothing:1"), ASSUMED), BudgetError, "'nothing' is not known"),
]


@pytest.mark.parametrize(("ask", "kind", "words"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_written_says_why(ask: Callable[[], Any], kind: type[LiftgateError], words: str) -> None:
    """Each refusal names place, problem and fix."""
    with pytest.raises(kind) as error:
        ask()
    assert words in str(error.value)
    assert "Fix: " in str(error.value)


def test_counts_beyond_int64_stay_whole() -> None:
    """A table of 2^70 people through shares of 2^40 is certified without losing a unit."""
    big = 2**70
    joint = Joint.from_counts(np.array([[big + 1, big], [big, big + 1]], dtype=object))
    made = revealed(joint, None, ASSUMED)
    assert made.claim["counts"][0][0] == big + 1
    assert made.claim["bounds"]["max-lift"][0] == str(Fraction(2 * (big + 1), 2 * big + 1))
    assert checker.check(made).holds


def test_registry_holds_exactly_what_the_checker_knows_how_to_write() -> None:
    """Kinds are read-only, named as in the checker, each with a sentence and a writer that exists."""
    assert set(KINDS) <= set(checker.RULES)
    assert {"lift-bounds", "ratio-bound", "measure-bounds"} <= set(KINDS)
    for name, kind in KINDS.items():
        assert kind.name == name
        assert kind.sentence.endswith(".")
        assert callable(kind.write)
    with pytest.raises(TypeError):
        KINDS["new"] = KINDS["lift-bounds"]  # type: ignore[index]
