"""A release: what the record says is true, and nothing outside a budget ever becomes one."""

from __future__ import annotations

import json
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgate as lg
from liftgate.demo import demo_table
from liftgate.errors import BudgetError, UsageError
from liftgate.jobs import protect as job
from liftgate.jobs.records import plain
from liftgate.mechanisms import MECHANISMS, Design, utility

JOINT = lg.Joint.from_counts(
    [[40, 3, 9, 12, 7], [10, 30, 11, 8, 1], [5, 5, 20, 9, 2]], sensitive=["s", "t", "u"], public=list("abcde")
)
BUDGETS = ("alip:0.4,0.8", "lip:0.3", "ldp:0.7", "breach:0.2,0.5", "between:1/2,2", "l1:none,0.2", "chi2:none,0.3",
           "alpha:2,none,0.1", "alpha:2,1,0.1", "alpha:5/2,none,0.2")  # fmt: skip
MERGING = ("l1:1,none", "chi2:1,1")


@pytest.fixture(scope="module")
def adult() -> lg.Joint:
    return lg.read_joint(demo_table(), sensitive="relationship", public="occupation", count="people")


@pytest.fixture(scope="module")
def optimal(adult: lg.Joint) -> lg.Release:
    return lg.protect(adult, lg.Budget.alip(1, 1))


# ---- every mechanism, every budget -----------------------------------------------------------------


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("text", [*BUDGETS, *MERGING])
def test_every_release_is_inside_and_accepted(name: str, text: str) -> None:
    """The certificate is accepted, the joint after is inside in whole numbers, and the bound is what the rule says."""
    budget = lg.Budget.parse(text)
    if text in MERGING and name in ("optimal", "subset-response"):
        with pytest.raises(BudgetError, match="use a merging mechanism"):
            lg.protect(JOINT, budget, mechanism=name)
        return
    found = lg.protect(JOINT, budget, mechanism=name, gap=1e-4, seconds=20)
    assert found.verdict == "within"
    assert budget.holds(JOINT.through(found.channel)).all()
    assert np.array_equal(found.after.counts, JOINT.through(found.channel).counts)
    verdict = lg.check(found.certificate)
    assert verdict.holds
    assert verdict.assumptions == found.assumptions
    assert found.certificate.claim["counts"] == JOINT.counts.tolist()
    assert found.utility == utility(JOINT, found.channel)
    assert (found.bound is not None) == (found.mechanism == "optimal")
    if found.bound is not None:
        assert found.utility <= found.bound <= 1
        assert (found.certificate.kind == "optimal-utility") == ("bound" in found.certificate.claim)
    assert found.asked == name
    assert found.mechanism in MECHANISMS
    assert found.mechanism != "auto"
    json.dumps(plain(found.to_dict()), allow_nan=False)


@given(
    counts=st.lists(st.lists(st.integers(0, 30), min_size=4, max_size=4), min_size=2, max_size=4),
    text=st.sampled_from(["lip:0.2", "alip:1,0.3", "ldp:0.5", "chi2:none,0.4", "alpha:2,0.3,0.3", "l1:0.5,0.5"]),
    name=st.sampled_from(["merge-all", "merge-subsets", "merge-best"]),
)
def test_random_tables_with_empty_rows_and_columns(counts: list[list[int]], text: str, name: str) -> None:
    """Whatever never occurs is no obstacle: the channel covers every public value, the certificate those that occur."""
    if not any(map(any, counts)):
        counts[0][0] = 1
    joint = lg.Joint.from_counts(counts)
    found = lg.protect(joint, text, mechanism=name)
    assert found.channel.public == joint.public
    assert lg.check(found.certificate).holds
    assert len(found.certificate.claim["counts"][0]) == int((joint.public_counts > 0).sum())
    assert 0 <= found.changed <= 1
    assert found.sentences


def test_optimal_with_values_that_never_occur_is_still_proven() -> None:
    """The proof is about the values that occur; the others are released as what most people get."""
    joint = lg.Joint.from_counts([[9, 0, 1, 4], [1, 0, 9, 4], [0, 0, 0, 0]], public=list("abcd"))
    found = lg.protect(joint, "lip:0.3", mechanism="optimal")
    assert found.certificate.kind == "optimal-utility"
    assert lg.check(found.certificate).holds
    assert found.bound is not None
    assert found.bound < 1
    assert any("never occur" in note for note in found.notes)


def test_auto_tells_what_it_chose_and_why(optimal: lg.Release) -> None:
    """The reason is the first note."""
    assert (optimal.asked, optimal.mechanism) == ("auto", "optimal")
    assert optimal.notes[0].startswith("optimal: 15 values are few enough")


def test_adult_is_what_the_papers_table_gives(optimal: lg.Release) -> None:
    """15 x 6 at ALIP 1, 1: 95.926 % kept, proven to a millionth; three occupations change; merging keeps 87.75 %."""
    assert optimal.utility == pytest.approx(0.959261, abs=2e-6)
    assert optimal.bound is not None
    assert 0 <= optimal.bound - optimal.utility < 2e-6
    assert optimal.certificate.kind == "optimal-utility"
    assert len(optimal.always_kept) == 12
    assert float(optimal.changed) == pytest.approx(0.0448, abs=1e-4)
    assert int(optimal.outside.sum()) == 10
    _, kept, exact = optimal.merging
    assert exact
    assert kept == pytest.approx(0.87754, abs=1e-4)
    assert optimal.measures_before["max-lift"] == pytest.approx(7.376, abs=1e-3)
    assert optimal.measures_after["max-lift"] <= math.e


def test_the_bound_is_rounded_up_from_the_certificate(optimal: lg.Release) -> None:
    """bound x H(X) is at least what the certificate proves, and less than a millionth above."""
    proven = Fraction(optimal.certificate.claim["bound"])
    share = optimal.before.public_share
    entropy = math.fsum((-share * np.log(share)).tolist())
    assert optimal.bound is not None
    assert optimal.bound * entropy == pytest.approx(float(proven), rel=1e-9)


# ---- nothing else becomes a release ----------------------------------------------------------------


def test_a_design_outside_the_budget_never_becomes_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a mechanism returns, the checker decides."""

    def liar(joint: lg.Joint, budget: lg.Budget, **_: object) -> Design:
        return Design(lg.Channel.identity(joint.public))

    monkeypatch.setattr(job, "mechanism_named", lambda name: liar)
    with pytest.raises(
        BudgetError, match=r"the checker refused the release: released value 0, sensitive value 0: lift .* is above"
    ):
        lg.protect(JOINT, "lip:0.1", mechanism="merge-all")


def test_a_refused_proof_of_optimality_is_told_and_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release stays, because it is inside; the bound falls back to 1 and a note says why."""
    honest = lg.protect(JOINT, "lip:0.3", mechanism="optimal")
    true = MECHANISMS["optimal"](JOINT, lg.Budget.lip("0.3"))
    assert true.proof is not None
    proof = {**true.proof, "bound": Fraction(true.proof["bound"]) / 2}

    def braggart(joint: lg.Joint, budget: lg.Budget, **_: object) -> Design:
        return Design(true.channel, Fraction(1, 2), 0.5, proof)

    monkeypatch.setattr(job, "mechanism_named", lambda name: braggart)
    found = lg.protect(JOINT, "lip:0.3", mechanism="optimal")
    assert found.bound == 1.0
    assert found.certificate.kind == "lift-bounds"
    assert lg.check(found.certificate).holds
    assert "the checker refused the proof" in found.notes[-1]
    assert honest.certificate.kind == "optimal-utility"


# ---- what it says about people ---------------------------------------------------------------------


def test_sentences_count_people_of_a_thousand(optimal: lg.Release) -> None:
    """Those that change for most people first, and whole people that add up to a thousand."""
    first = optimal.sentences[0]
    assert first.startswith("of 1,000 people with Adm-clerical, 763 stay as they are, 144 become Craft-repair, 39 ")
    numbers = [int(w) for w in first.replace("1,000", "").replace(",", "").split() if w.isdigit()]
    assert sum(numbers) == 1000
    assert optimal.sentences[-1] == "the other 12 are always released as they are"


def test_sentences_of_merges_and_of_the_identity() -> None:
    """Blocks are named by their members; nothing changed is said plainly."""
    merged = lg.protect(JOINT, "lip:0.3", mechanism="merge-best").sentences
    assert any(" are released as " in s and " · " in s for s in merged)
    same = lg.protect(JOINT, "lip:40")
    assert same.sentences == ("all 5 are always released as they are",)
    assert (same.utility, same.bound, same.changed) == (1.0, 1.0, 0)
    nothing = lg.protect(JOINT, "lip:0", mechanism="merge-all")
    assert nothing.sentences == ("a, b, c, d and e are released as a · b · c · d · e",)
    assert nothing.changed == 1


def test_changed_is_the_expected_share_of_rows_under_another_name() -> None:
    """Recomputed by hand from the shares."""
    found = lg.protect(JOINT, "lip:0.3", mechanism="optimal")
    stay = Fraction(0)
    for (x, released), n in zip(found.channel.rows(), JOINT.public_counts.tolist(), strict=True):
        stay += n * Fraction(sum(w for y, w in released if y == x), found.channel.total)
    assert found.changed == 1 - stay / JOINT.total
    kept = {x for x, released in found.channel.rows() if [y for y, _ in released] == [x]}
    assert set(found.always_kept) == kept


def test_a_release_in_a_notebook_escapes_its_labels() -> None:
    """Labels are text."""
    joint = lg.Joint.from_counts([[9, 1], [1, 9]], public=["<script>", "b"])
    page = lg.protect(joint, "lip:0.1", mechanism="merge-all")._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


# ---- bad input and long searches -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"mechanism": "optimum"}, UsageError, "'optimum' is not known. Fix: did you mean optimal"),
        (
            {"mechanism": "x"},
            UsageError,
            "use one of merge-all, merge-subsets, merge-best, optimal, subset-response, auto",
        ),
        (
            {"mechanism": "optimal", "budget": "l1:1,none"},
            BudgetError,
            r"not convex.*use a merging mechanism \(merge-best\)",
        ),
        ({"gap": 0}, UsageError, "gap: 0.0 is not positive"),
        ({"gap": -1e-6}, UsageError, "gap: -1e-06 is not positive"),
        ({"seconds": 0}, UsageError, "seconds: 0.0 is not positive"),
        ({"seconds": float("nan")}, UsageError, "seconds: nan is not positive"),
        ({"budget": "lip:-1"}, BudgetError, "-1 is below 0"),
        ({"budget": "between:1.2,2"}, BudgetError, r"low must be in \[0, 1\] and up at least 1"),
        ({"budget": "between:0.5,0.9"}, BudgetError, r"low must be in \[0, 1\] and up at least 1"),
        ({"budget": "alpi:1,1"}, BudgetError, "did you mean alip"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: dict[str, object], error: type[Exception], told: str) -> None:
    """The error names what and why, and what would do."""
    asked = {"budget": "lip:1", **options}
    with pytest.raises(error, match=told):
        lg.protect(JOINT, **asked)  # type: ignore[arg-type]


def test_a_search_that_is_stopped_ends_with_a_valid_release() -> None:
    """Stopped at its first report, the search says how far it got, and its release is inside the budget."""
    rng = np.random.default_rng(0)
    joint = lg.Joint.from_counts(rng.integers(1, 400, (6, 60)))
    seen: list[tuple[float, float]] = []

    def stop(found: float, bound: float) -> bool:
        seen.append((found, bound))
        return False

    release = lg.protect(joint, "lip:0.2", mechanism="optimal", progress=stop)
    assert len(seen) >= 1
    assert lg.check(release.certificate).holds
    assert release.bound == 1.0
    assert release.search_bound is not None
    assert release.utility <= release.search_bound
    assert any("cancelled" in note for note in release.notes)


@pytest.mark.slow
def test_seconds_are_kept_within_a_tenth_and_the_release_is_valid() -> None:
    """200 x 15 at a budget that does not close in the time given."""
    rng = np.random.default_rng(0)
    joint = lg.Joint.from_counts(rng.integers(1, 400, (15, 200)))
    lg.protect(JOINT, "lip:0.3", mechanism="optimal")
    start = time.monotonic()
    release = lg.protect(joint, "lip:0.2", mechanism="optimal", seconds=20)
    assert time.monotonic() - start < 22
    assert lg.check(release.certificate).holds
