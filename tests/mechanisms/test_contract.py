"""What every registered mechanism promises, run over the registry."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.errors import BudgetError, UsageError
from liftgate.joint import Joint
from liftgate.mechanisms import MECHANISMS, Design, mechanism_named, utility

NAMES = tuple(MECHANISMS)
ADULTS = Joint.from_counts(
    [[40, 3, 9, 12, 7], [10, 30, 11, 8, 1], [5, 5, 20, 9, 2]], sensitive=["s", "t", "u"], public=list("abcde")
)
BUDGETS = (
    "split:1,0.5",
    "alip:0.4,0.8",
    "ldp:0.7",
    "l1:none,0.2",
    "chi2:none,0.3",
    "alpha:2,none,0.1",
    "alpha:2,1,0.1",
)


def test_the_registry_holds_the_six_names_and_cannot_be_changed() -> None:
    assert NAMES == ("merge-all", "merge-subsets", "merge-best", "optimal", "subset-response", "auto")
    with pytest.raises(TypeError):
        MECHANISMS["mine"] = MECHANISMS["auto"]  # type: ignore[index]


def test_importing_the_registry_loads_no_heavy_library() -> None:
    code = "import sys, liftgate.mechanisms; print([m for m in ('numba','highspy','scipy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", BUDGETS)
def test_a_design_is_a_valid_channel_inside_the_budget_in_whole_numbers(name: str, text: str) -> None:
    budget = Budget.parse(text)
    design = MECHANISMS[name](ADULTS, budget, gap=1e-4, seconds=20)
    assert isinstance(design, Design)
    assert design.channel.public == ADULTS.public
    assert budget.holds(ADULTS.through(design.channel)).all()
    assert 0 < utility(ADULTS, design.channel) <= 1
    assert len(set(design.channel.released)) == len(design.channel.released)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["lip:40", "ldp:40", "l1:none,30", "chi2:none,30", "alpha:2,none,40"])
def test_a_generous_budget_gives_the_identity(name: str, text: str) -> None:
    design = MECHANISMS[name](ADULTS, Budget.parse(text))
    assert np.array_equal(design.channel.matrix, np.eye(5))
    assert design.channel.released == ADULTS.public


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["lip:0", "ldp:0", "l1:none,0", "chi2:none,0", "alpha:2,0,0"])
def test_eps_0_gives_the_constant(name: str, text: str) -> None:
    budget = Budget.parse(text)
    design = MECHANISMS[name](ADULTS, budget)
    assert len(design.channel.released) == 1
    assert budget.holds(ADULTS.through(design.channel)).all()


@pytest.mark.parametrize("name", NAMES)
def test_eps_0_keeps_what_is_independent_of_the_sensitive_value(name: str) -> None:
    joint = Joint.from_counts([[2, 4, 6], [3, 6, 9]])
    assert utility(joint, MECHANISMS[name](joint, Budget.lip(0)).channel) == 1.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("wrong", "value"), [("gap", 0.0), ("gap", -1e-6), ("seconds", 0.0), ("seconds", float("nan"))]
)
def test_gap_and_seconds_have_to_be_positive(name: str, wrong: str, value: float) -> None:
    with pytest.raises(UsageError, match=wrong):
        MECHANISMS[name](ADULTS, Budget.lip(1), **{wrong: value})


@pytest.mark.parametrize("name", NAMES)
def test_values_that_never_occur_do_not_matter(name: str) -> None:
    wide = Joint.from_counts([[40, 0, 3, 9], [0, 0, 0, 0], [10, 0, 30, 11]], public=["a", "gone", "b", "c"])
    budget = Budget.lip("0.3")
    design = MECHANISMS[name](wide, budget)
    small = MECHANISMS[name](wide.drop_empty(), budget)
    assert design.channel.public == wide.public
    assert budget.holds(wide.through(design.channel)).all()
    assert utility(wide, design.channel) == pytest.approx(utility(wide.drop_empty(), small.channel), abs=1e-9)
    assert "never occur" in design.notes[-1]


@pytest.mark.parametrize("name", NAMES)
def test_one_public_or_one_sensitive_value_is_no_special_case(name: str) -> None:
    for counts in ([[3], [5]], [[3, 4, 1]]):
        joint = Joint.from_counts(counts)
        assert utility(joint, MECHANISMS[name](joint, Budget.lip(1)).channel) == 1.0


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        UsageError, match=r"'merge-bset' is not known. Fix: did you mean merge-best\? use one of merge-all"
    ):
        mechanism_named("merge-bset")
    assert mechanism_named("optimal") is MECHANISMS["optimal"]


@pytest.mark.parametrize("name", ["optimal", "subset-response"])
@pytest.mark.parametrize("text", ["l1:1,none", "chi2:0.5,1"])
def test_budgets_that_are_not_convex_are_refused_with_the_reason(name: str, text: str) -> None:
    with pytest.raises(BudgetError, match=r"lift-inverse is not convex.*use a merging mechanism"):
        MECHANISMS[name](ADULTS, Budget.parse(text))


@pytest.mark.parametrize("text", ["l1:1,none", "chi2:0.5,1"])
def test_auto_merges_where_no_optimum_can_be_certified_and_says_why(text: str) -> None:
    design = MECHANISMS["auto"](ADULTS, Budget.parse(text))
    assert design.notes[0].startswith("merge-best: a ")
    assert "is not convex" in design.notes[0]


def test_only_optimal_has_bounds_and_they_are_never_below_what_is_kept() -> None:
    for name in NAMES:
        design = MECHANISMS[name](ADULTS, Budget.lip("0.5"))
        if name in ("optimal", "auto"):
            assert isinstance(design.bound, Fraction)
            assert design.bound >= Fraction(utility(ADULTS, design.channel)) - Fraction(1, 10**12)
            assert design.search_bound is not None
            assert design.search_bound >= utility(ADULTS, design.channel)
        else:
            assert (design.bound, design.search_bound, design.proof) == (None, None, None)


def test_a_release_that_breaks_its_budget_is_never_handed_out() -> None:
    from liftgate.mechanisms.design import mechanism

    @mechanism
    def careless(joint: Joint, budget: Budget) -> Design:
        return Design(Channel.identity(joint.public))

    with pytest.raises(BudgetError, match="breaks it"):
        careless(ADULTS, Budget.lip("0.1"))
