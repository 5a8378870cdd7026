"""Trade-off: one point for each mechanism and budget, decided in whole numbers."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

import liftgate as lg
from liftgate.errors import BudgetError, UsageError
from liftgate.jobs.records import plain
from liftgate.jobs.tradeoff import beside, budget_range, eps_per_side
from liftgate.mechanisms import utility
from liftgate.mechanisms.as_printed import watchdog

JOINT = lg.Joint.from_counts([[40, 3, 9, 12, 7, 1], [10, 30, 11, 8, 1, 9], [5, 5, 20, 9, 2, 4]], public=list("abcdef"))


def test_points_are_what_the_mechanisms_give() -> None:
    """Utility grows with the budget, optimal is never below merging, and every bound is above its point."""
    names = ("optimal", "merge-best", "merge-all", "merge-all-as-printed")
    found = lg.tradeoff(JOINT, "0.1:1.5:6", names)
    assert [b.text for b in found.budgets][:2] == ["lip:0.1", "lip:0.38"]
    assert len(found.points) == 24
    for name in names[:3]:
        curve = found.curve(name)
        assert all(p.inside for p in curve)
        assert all(a.utility <= b.utility + 1e-3 for a, b in pairwise(curve))
    for top, middle, bottom in zip(*(found.curve(n) for n in names[:3]), strict=True):
        assert top.utility >= middle.utility - 1e-3
        assert middle.utility >= bottom.utility - 1e-12
        assert top.bound is not None
        assert top.bound >= top.utility
        assert middle.bound is None
        release = lg.protect(JOINT, middle.budget, "merge-best")
        assert release.utility == middle.utility
    for point in found.curve("merge-all-as-printed"):
        channel = watchdog(JOINT, point.budget)
        assert point.inside == bool(point.budget.holds(JOINT.through(channel)).all())
        assert point.utility == utility(JOINT, channel)
    assert {p.inside for p in found.curve("merge-all-as-printed")} == {True, False}
    assert found.verdict is None
    json.dumps(plain(found.to_dict()), allow_nan=False)
    assert found._repr_html_().count("✗") == sum(not p.inside for p in found.points)


def test_stopping_keeps_the_points_there_are() -> None:
    """progress counts points; False ends."""
    seen: list[tuple[int, int]] = []

    def progress(done: int, of: int) -> bool:
        seen.append((done, of))
        return done < 3

    found = lg.tradeoff(JOINT, ["lip:0.2", "lip:0.4"], ["merge-all", "merge-best"], progress=progress)
    assert seen == [(1, 4), (2, 4), (3, 4)]
    assert len(found.points) == 3


@pytest.mark.parametrize("text", ["alip:1,0.5", "lip:0.4", "ldp:1", "l1:none,0.4", "chi2:none,0.5", "alpha:3,none,0.3",
                                  "alpha:2,0.5,0.5", "between:0,2", "l1:0.4,0.4"])  # fmt: skip
def test_the_curve_beside_a_release_holds_its_own_budget(text: str) -> None:
    """Eight budgets of one form, tight to loose; the fourth is the release's own."""
    name = "merge-best" if text == "l1:0.4,0.4" else "optimal"
    release = lg.protect(JOINT, text, mechanism=name, gap=1e-3)
    found = beside(release)
    assert found is not None
    assert len(found.budgets) == 8
    assert found.budgets[3] == release.budget
    assert {b.kind for b in found.budgets} == {release.budget.kind}
    eps = [eps_per_side(b) for b in found.budgets]
    assert eps == sorted(eps)
    assert eps[7] / eps[3] == pytest.approx(2, rel=1e-3)
    assert found.curve(name)[3].utility == pytest.approx(release.utility, abs=2e-3)


def test_silence_has_no_curve() -> None:
    """A budget of 0 has nothing to be scaled."""
    assert beside(lg.protect(JOINT, "lip:0")) is None


@pytest.mark.parametrize(
    ("budgets", "mechanisms", "error", "told"),
    [
        ("1:2", ["optimal"], UsageError, "this is not a range of budgets"),
        ("2:1:4", ["optimal"], UsageError, "2 to 1 in 4 steps"),
        ("-1:1:4", ["optimal"], UsageError, "-1 to 1 in 4 steps"),
        ("1:2:0", ["optimal"], UsageError, "1 to 2 in 0 steps"),
        ("1:2:900", ["optimal"], UsageError, "1 to 2 in 900 steps"),
        ("l1:1:2:3", ["optimal"], UsageError, "not a range"),
        (["lip:1"], ["best"], UsageError, "'best' is not known"),
        ([], ["optimal"], UsageError, "no budget or no mechanism"),
        (["lip:1"], [], UsageError, "no budget or no mechanism"),
        (["l1:1,1"], ["optimal"], BudgetError, "not convex"),
        (["lip:1"] * 201, ["merge-all"], UsageError, "201 budgets"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    budgets: object, mechanisms: list[str], error: type[Exception], told: str
) -> None:
    """Ranges, names and kinds."""
    with pytest.raises(error, match=told):
        lg.tradeoff(JOINT, budgets, mechanisms)  # type: ignore[arg-type]


def test_ranges_are_evenly_spaced_and_exact_at_their_ends() -> None:
    """0.25:4:16 of the papers' figures, and one budget alone."""
    assert [b.text for b in budget_range("0.25:4:16")] == [f"lip:{n / 4:g}" for n in range(1, 17)]
    assert [b.text for b in budget_range("ldp:1:1:1")] == ["ldp:1"]
