"""Printed figures of LIFT that come out, with their provenance: golden numbers of 100 tables and of Adult."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from liftgate.papers import lift, lift_numbers, lift_tables
from liftgate.papers.clock import Clock
from liftgate.papers.lift_runs import BROKE, NMI, PROVEN, Case, Runs, sweep

TABLES = 100
GRID = tuple(Fraction(e) for e in ("1/2", "1", "2", "4"))
WHOLE, SUBSET, BEST, INNER = ("watchdog", "merge", "optimal", "response")

# Means over 100 normalised uniform tables, 17 x 5, at eps 1/2, 1, 2, 4, computed once with other code (full scans,
# vertices listed by cdd for the optimal response) on other random tables. They are compared within three standard
# errors of both means.
KNOWN = {
    (WHOLE, "0.5"): (0.035, 0.168, 0.522, 0.874),
    (WHOLE, "0.65"): (0.025, 0.166, 0.626, 0.954),
    (SUBSET, "0.5"): (0.595, 0.735, 0.830, 0.924),
    (SUBSET, "0.65"): (0.558, 0.729, 0.862, 0.966),
    (INNER, "0.5"): (0.720, 0.821, 0.919, 0.983),
    (INNER, "0.65"): (0.707, 0.818, 0.941, 0.994),
    (BEST, "0.5"): (0.768, 0.851, 0.935, 0.988),
    (BEST, "0.65"): (0.756, 0.848, 0.952, 0.996),
}


@cache
def merging() -> Runs:
    cases = tuple(Case(m, f"alip {lam}") for m, lam in KNOWN if m in (WHOLE, SUBSET))
    tables = (lift_tables.synthetic(0, k) for k in range(TABLES))
    return sweep(tables, cases, GRID, Clock(600), 1, "", TABLES)


def agrees(runs: Runs, mechanism: str, lam: str) -> None:
    values = runs.values[Case(mechanism, f"alip {lam}")][:, :, NMI]
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    for mean, known, wide in zip(values.mean(axis=0), KNOWN[mechanism, lam], error, strict=True):
        assert abs(mean - known) <= 3 * np.sqrt(2) * wide + 0.001, (mechanism, lam, mean, known, wide)


@pytest.mark.parametrize("lam", ["0.5", "0.65"])
@pytest.mark.parametrize("mechanism", [WHOLE, SUBSET])
def test_merging_on_100_tables(mechanism: str, lam: str) -> None:
    agrees(merging(), mechanism, lam)


def test_complete_merging_breaks_its_budget_as_often_as_known() -> None:
    """Nothing at eps 2 and below, 7 to 10 in 100 at eps 4 with lambda .5, 30 to 35 in 100 with lambda .65 (E5)."""
    share = {lam: merging().mean(Case(WHOLE, f"alip {lam}"), BROKE) for lam in ("0.5", "0.65")}
    assert share["0.5"][:3].tolist() == share["0.65"][:3].tolist() == [0, 0, 0]
    assert 0.02 <= share["0.5"][3] <= 0.16
    assert 0.2 <= share["0.65"][3] <= 0.45


def test_the_printed_numbers_of_merging_come_out_on_100_tables() -> None:
    """.52, .83 and 60 % at eps 2, .17, .73 and 320 % at eps 1 (LIFT sections 3.1.3 and 4.2, LIFT0 section IV-B)."""
    results = lift.Results((np.zeros(1), np.zeros(1)), TABLES, merging=merging())
    numbers = [n for n in lift_numbers.compared(results) if not n.alternative]
    assert len(numbers) == 6
    assert [n.quantity for n in numbers if not n.agrees] == []


def test_the_optimal_response_at_eps_2_is_the_printed_0_94_and_proven() -> None:
    """LIFT section 3.1.3, on 30 tables; 100 tables at every eps are a slow test."""
    tables = (lift_tables.synthetic(0, k) for k in range(30))
    runs = sweep(tables, (lift_numbers.BEST,), (Fraction(2),), Clock(600), 1, "", 30)
    assert runs.values[lift_numbers.BEST][:, :, PROVEN].all()
    assert runs.mean(lift_numbers.BEST, NMI)[0] == pytest.approx(0.94, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("lam", ["0.5", "0.65"])
def test_responses_on_100_tables(lam: str) -> None:
    """Every optimum is proven to 1e-6; the response in subsets is never above it."""
    cases = (Case(BEST, f"alip {lam}"), Case(INNER, f"alip {lam}"))
    tables = (lift_tables.synthetic(0, k) for k in range(TABLES))
    runs = sweep(tables, cases, GRID, Clock(3000), 1, "", TABLES)
    assert runs.draws(cases[0]) == TABLES
    assert runs.values[cases[0]][:, :, PROVEN].all()
    assert (runs.values[cases[1]][:, :, NMI] <= runs.values[cases[0]][:, :, NMI] + 1e-6).all()
    agrees(runs, BEST, lam)
    agrees(runs, INNER, lam)


# ---- Adult: confirmations, where its file is there ---------------------------------------------------

# Printed .28 and about .73 at eps 1, .73 and .96 at eps 2; measured with other code on the training file. The paper has
# five values of relationship, the column six: three ways to leave one out come out, all six do not.
ADULT = {
    "without Other-relative": (0.287, 0.734, 0.735, 0.960),
    "without Own-child": (0.287, 0.725, 0.725, 0.959),
    "without Unmarried": (0.287, 0.723, 0.726, 0.960),
    "all six values": (0.286, 0.721, 0.836, 0.959),
}


@pytest.mark.parametrize("variant", ADULT)
def test_adult_comes_out_in_three_of_four_variants(variant: str, data_dir: Path) -> None:
    adult = lift_tables.read_adult(data_dir / "adult" / "adult.data")
    joint = adult.variant(dict(lift_tables.VARIANTS)[variant])
    assert (adult.joint.total, len(joint.public)) == (32_561, 15)
    one, two = Fraction(1), Fraction(2)
    cases = (lift_numbers.WHOLE, lift_numbers.SUBSET, lift_numbers.BEST)
    runs = sweep([joint], cases, (one, two), Clock(600), 1, "", 1)
    found = [
        float(runs.each(c, NMI, e)[0]) for c, e in ((cases[0], one), (cases[1], one), (cases[0], two), (cases[2], two))
    ]
    assert found == pytest.approx(ADULT[variant], abs=0.006)
    broken = bool(runs.each(cases[0], BROKE, two)[0])
    assert broken == (variant == "all six values")
    assert runs.each(cases[2], PROVEN, two)[0] == 1
    if variant != "all six values":
        assert found == pytest.approx((0.28, 0.73, 0.73, 0.96), abs=0.0101)
