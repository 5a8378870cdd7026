"""LIFT recomputed: every curve is what the mechanisms give, and what is missing or different is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liftgate as lg
from liftgate.errors import DataError, UsageError
from liftgate.jobs.recomputed import Figure, Recomputed
from liftgate.mechanisms import MECHANISMS, utility
from liftgate.mechanisms.as_printed import subset_merging, watchdog
from liftgate.papers import PAPERS, lift, lift_claims, lift_numbers, lift_tables, recompute
from liftgate.papers.clock import Clock
from liftgate.papers.lift_runs import BROKE, NMI, PROVEN, RISE, Case, Runs, measured, sweep

EPS = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
SIZES = ((8, 3), (24, 4))
DRAWS = 2
NAMES = ["Adm-clerical", "Craft-repair", "Exec-managerial", "Sales", "?"]
FAMILY = ["Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried", "Wife"]


@cache
def small() -> Recomputed:
    """Two tables of each kind, without Adult."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(lift_tables.VARIABLE, raising=False)
        return lift.recompute(DRAWS, 300, 7, None, EPS, SIZES)


def figure(found: Recomputed, number: int) -> Figure:
    return next(f for f in found.figures if f.number == number)


def curve(found: Recomputed, number: int, name: str, panel: int = 0) -> dict[float, float]:
    drawn = figure(found, number).panels[panel].curves
    return dict(next(c for c in drawn if c.name == name).points)


def mean_of(design: Callable[[lg.Joint], Any]) -> float:
    """The mean NMI over the tables of ``small``, computed here."""
    tables = [lift_tables.synthetic(7, k, *SIZES[0]) for k in range(DRAWS)]
    return float(np.mean([utility(j, design(j)) for j in tables]))


def test_budgets_are_those_of_section_3() -> None:
    """eps_l = lambda eps, eps_u = (1 - lambda) eps; LDP takes eps whole."""
    for text, family in {
        "alip:7/10,13/10": "alip 0.35", "ldp:2": "ldp", "l1:13/10,7/10": "l1 0.65", "chi2:1,1": "chi2 0.5",
        "alpha:10,1,1": "alpha-10 0.5",
    }.items():  # fmt: skip
        assert Case("merge", family).budget(Fraction(2)).to_dict() == lg.Budget.parse(text).to_dict(), family
    with pytest.raises(UsageError, match="'lap 1' is not known"):
        Case("merge", "lap 1").budget(Fraction(1))


def test_tables_are_new_with_every_draw_and_the_same_with_every_seed() -> None:
    first = lift_tables.synthetic(7, 0)
    assert np.array_equal(first.counts, lift_tables.synthetic(7, 0).counts)
    others = (lift_tables.synthetic(7, 1), lift_tables.synthetic(8, 0), lift_tables.synthetic(7, 0, 18, 5))
    assert all(first.counts.shape != o.counts.shape or (first.counts != o.counts).any() for o in others)
    assert first.counts.min() >= 1


def test_every_curve_is_what_the_mechanism_gives() -> None:
    """One point of each mechanism and each kind of budget, computed a second time without the sweeps."""
    found, two, quarter = small(), lg.Budget.alip(1, 1), lg.Budget.alip(Fraction(13, 20), Fraction(7, 20))
    expected = {
        (2, "λ .5", 2.0): mean_of(lambda j: watchdog(j, two)),
        (2, "LDP", 0.5): mean_of(lambda j: watchdog(j, lg.Budget.ldp("1/2"))),
        (4, "λ .5", 2.0): mean_of(lambda j: MECHANISMS["optimal"](j, two).channel),
        (6, "λ .5", 2.0): mean_of(lambda j: subset_merging(j, two, "max")),
        (6, "λ .65", 1.0): mean_of(lambda j: subset_merging(j, quarter, "sum")),
        (8, "SRR", 1.0): mean_of(lambda j: MECHANISMS["subset-response"](j, quarter).channel),
        (8, "AORR", 1.0): mean_of(lambda j: MECHANISMS["optimal"](j, quarter).channel),
        (11, "l1, λ .5", 1.0): mean_of(lambda j: subset_merging(j, lg.Budget.l1("1/2", "1/2"), "sum")),
        (11, "χ², λ .65", 1.0): mean_of(lambda j: subset_merging(j, lg.Budget.chi2("13/20", "7/20"), "sum")),
        (13, "α 10", 2.0): mean_of(lambda j: subset_merging(j, lg.Budget.alpha(10, 1, 1), "sum")),
    }
    for (number, name, eps), value in expected.items():
        assert curve(found, number, name)[eps] == pytest.approx(value, abs=2e-6), (number, name)


def test_the_eight_synthetic_figures_are_there_and_the_others_say_what_they_need() -> None:
    found = small()
    assert [f.number for f in found.figures] == [1, 2, 4, 6, 8, 10, 11, 13]
    assert [m.what for m in found.missing] == ["figures 3, 5, 7, 9 and 12 (Adult)"]
    assert "LIFTGATE_DATA=FOLDER" in found.missing[0].fix
    for f in found.figures:
        assert f.place == f"LIFT Fig. {f.number}"
        for panel in f.panels:
            assert panel.curves
            assert all(c.points for c in panel.curves), (f.number, panel.title)


def test_leakage_panels_hold_the_budget_where_the_optimal_response_does() -> None:
    """log max-lift <= eps_u and log min-lift >= -eps_l, for every eps (LIFT Fig. 4b, 4c)."""
    found = small()
    for name, lam in (("λ .35", 0.35), ("λ .5", 0.5), ("λ .65", 0.65)):
        for eps, up in curve(found, 4, name, 1).items():
            assert 0 < up <= (1 - lam) * eps + 1e-9
        for eps, low in curve(found, 4, name, 2).items():
            assert -lam * eps - 1e-9 <= low < 0


def test_every_optimal_point_is_proven() -> None:
    totals = small().totals
    assert totals["proven"] == totals["optimal"] == 3 * DRAWS * len(EPS)
    assert totals["releases"] > 100


def test_another_seed_gives_other_figures_and_the_same_seed_the_same() -> None:
    """Nothing is typed in: values move with the tables, and repeat with them."""
    eps = (Fraction(1), Fraction(2))
    a, b, c = (lift.recompute(1, 300, seed, None, eps, ((6, 3), (10, 3))) for seed in (1, 1, 2))

    def kept(found: Recomputed) -> list[tuple[tuple[float, float], ...]]:
        return [c.points for f in found.figures for p in f.panels if p.letter in ("", "a") for c in p.curves]

    assert kept(a) == kept(b)
    assert all(x != y for x, y in zip(kept(a)[:2], kept(c)[:2], strict=True))


def test_printed_values_are_marks_beside_the_curves_and_never_points_of_them() -> None:
    panel = figure(small(), 2).panels[0]
    assert [(m.x, m.text) for m in panel.printed] == [(2.0, "printed 0.52"), (1.0, "printed 0.17")]
    assert [m.y for m in panel.printed] == [0.52, 0.17]
    assert 0.52 not in {y for c in panel.curves for _, y in c.points}


def test_numbers_come_with_place_error_and_reason() -> None:
    for number in small().compared:
        assert number.place.startswith(("LIFT sec.", "LIFT0 sec."))
        assert number.error is not None
        assert number.error >= 0
        assert number.why
    letter = {n.quantity: n for n in small().numbers if n.alternative}
    assert letter["subset merging, synthetic, eps 1: omega = Lambda + Psi as printed"].errata == ("E4",)
    assert letter["subset merging, synthetic, eps 1: outer loop as printed"].errata == ("E6",)


def test_a_number_that_is_far_from_ours_is_said_to_differ() -> None:
    """The tolerance is one printed digit and three standard errors, no more."""
    joint = [lift_tables.synthetic(3, k) for k in range(40)]
    runs = sweep(joint, (lift_numbers.WHOLE, lift_numbers.SUBSET), (Fraction(1), Fraction(2)), Clock(300), 1, "", 40)
    results = lift.Results((np.zeros(1), np.zeros(1)), 40, merging=runs)
    merging = {n.quantity: n for n in lift_numbers.compared(results) if not n.alternative}
    assert all(n.agrees for n in merging.values())
    whole = merging["complete merging, synthetic, eps 2"]
    values = runs.each(lift_numbers.WHOLE, NMI, 2)
    assert whole.here == (pytest.approx(values.mean()),)
    assert whole.error == pytest.approx(values.std(ddof=1) / np.sqrt(40))
    runs.values[lift_numbers.WHOLE][:, :, NMI] += 0.01 + 3 * float(whole.error) + 0.002
    runs.values[lift_numbers.WHOLE][:, :, NMI] += max(0.0, 0.52 - values.mean())
    again = {n.quantity: n for n in lift_numbers.compared(results)}
    assert not again["complete merging, synthetic, eps 2"].agrees


def test_the_error_of_a_gain_is_that_of_repeated_studies() -> None:
    """The jackknife against the spread of the gain over fresh studies of the same size."""
    p = next(p for p in lift_numbers.PRINTED if p.over is not None and p.table == "synthetic" and p.eps == 2)
    rng = np.random.default_rng(0)
    gains, errors = [], []
    for _ in range(400):
        cells = np.zeros((60, 1, 6))
        base = rng.uniform(0.4, 0.6, 60)
        other = cells.copy()
        cells[:, 0, NMI], other[:, 0, NMI] = base + rng.uniform(0.2, 0.4, 60), base
        gain, error = lift_numbers._ours(Runs((Fraction(2),), {p.case: cells, lift_numbers.WHOLE: other}), p)
        gains.append(gain)
        errors.append(error)
    assert np.mean(errors) == pytest.approx(np.std(gains), rel=0.15)


# ---- claims ------------------------------------------------------------------------------------------


def test_a_claim_fails_where_one_release_speaks_against_it() -> None:
    results = _results()
    held = {c.text: c for c in lift_claims.claims(results)}
    ldp = next(c for t, c in held.items() if t.startswith("In the watchdog mechanism LDP"))
    assert ldp.holds
    assert ldp.evidence.startswith("0 of ")
    results.merging.values[Case("watchdog", "ldp")][1, 2, NMI] = 0.0
    broken = next(c for c in lift_claims.claims(results) if c.text == ldp.text)
    assert not broken.holds
    assert broken.evidence.startswith("3 of ")


def test_the_claim_that_budgets_are_always_kept_counts_the_releases_that_break_theirs() -> None:
    results = _results()
    cells = [v for c, v in results.merging.values.items() if c.mechanism == "merge"]
    for v in cells:
        v[:, :, BROKE] = 0
    claim = next(c for c in lift_claims.claims(results) if "satisfied in all cases" in c.text)
    assert (claim.holds, claim.errata) == (True, ())
    cells[0][0, 0, BROKE] = 1
    claim = next(c for c in lift_claims.claims(results) if "satisfied in all cases" in c.text)
    assert (claim.holds, claim.errata) == (False, ("E5",))
    assert claim.evidence.startswith("1 of ")


def _results() -> lift.Results:
    tables = [lift_tables.synthetic(5, k, 8, 3) for k in range(2)]
    results = lift.Results((np.full(9, -3.0), np.full(9, 0.4)), 2)
    cases = (*lift.WATCHDOG, *lift.MERGING, *lift.MEASURES)
    results.merging = sweep(tables, cases, EPS, Clock(300), 1, "", 2)
    return results


# ---- measuring and the clock -------------------------------------------------------------------------


def test_what_is_measured_of_a_release() -> None:
    joint, budget = lift_tables.synthetic(5, 0, 6, 3), lg.Budget.alip("1/2", "1/2")
    row = measured("optimal", joint, budget)
    design = MECHANISMS["optimal"](joint, budget)
    after = joint.through(design.channel)
    assert row[NMI] == pytest.approx(utility(joint, design.channel), abs=1e-6)
    assert row[RISE] == pytest.approx(after.log_lift.max(), abs=1e-5)
    assert (row[BROKE], row[PROVEN]) == (0, 1)
    bare = lg.Joint.from_counts([[9, 5], [1, 5]])
    assert measured("watchdog", bare, lg.Budget.alip("0.1", "0.1"))[BROKE] == 0
    wrong = lg.Joint.from_counts([[9, 50], [1, 50]])
    assert measured("watchdog", wrong, lg.Budget.alip("0.1", "0.3"))[BROKE] == 1


def test_no_time_is_told_and_nothing_is_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(lift_tables.VARIABLE, raising=False)
    found = lift.recompute(50, 1e-9, 0, None, EPS, SIZES)
    assert [f.number for f in found.figures] == [1]
    assert found.numbers == ()
    assert [m.why for m in found.missing][-1] == "1e-09 seconds were not enough"
    assert "2, 4, 6, 8, 10, 11 and 13" in found.missing[-1].what


def test_tables_that_no_time_was_left_for_are_left_out_and_told() -> None:
    """A sweep drops the table it could not finish; the figure says on how many it stands."""
    clock = Clock(1000.0)
    seen: list[int] = []

    def tables() -> Any:
        for k in range(5):
            if k == 3:
                clock.began -= 2000
            seen.append(k)
            yield lift_tables.synthetic(0, k, 6, 3)

    runs = sweep(tables(), lift.WATCHDOG, EPS, clock, 1.0, "", 5)
    assert seen == [0, 1, 2, 3]
    assert runs.draws(lift.WATCHDOG[0]) == 3
    results = lift.Results((np.full(9, -3.0), np.full(9, 0.4)), 5, merging=runs)
    told = lift._missing(results, {1, 2}, 9)
    assert "some tables of figure 2" in [m.what for m in told]
    assert "9 seconds were enough for 3 of 5 tables" in [m.why for m in told]


def test_progress_is_told_piece_by_piece() -> None:
    told: list[tuple[str, int, int]] = []
    lift.recompute(2, 300, 0, lambda *what: told.append(what), EPS[:1], ((5, 3), (8, 3)))
    assert ("merging, synthetic tables", 2, 2) in told
    assert ("responses, synthetic tables", 2, 2) in told


def test_what_cannot_be_recomputed_is_refused() -> None:
    assert "lift" in PAPERS
    for wrong, told in (({"draws": 0}, "0 is not a number of tables"), ({"seconds": 0}, "0 is not positive")):
        with pytest.raises(UsageError, match=told):
            recompute("lift", **wrong)  # type: ignore[arg-type]


# ---- Adult, made up ----------------------------------------------------------------------------------


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the form of adult.data, with blanks after commas and a ? among the occupations."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(900):
        family = int(rng.integers(6))
        work = int(rng.choice(5, p=np.roll([0.5, 0.2, 0.1, 0.1, 0.1], family)))
        row = dict.fromkeys(lift_tables.COLUMNS, str(i))
        row["occupation"], row["relationship"] = NAMES[work], FAMILY[family]
        rows.append(", ".join(row.values()))
    path = tmp_path / "adult" / "adult.data"
    path.parent.mkdir()
    path.write_text("\n".join(rows) + "\n")
    monkeypatch.setenv(lift_tables.VARIABLE, str(tmp_path))
    return path


def test_adult_is_read_from_its_file_and_its_variants_leave_one_value_out(made_up: Path) -> None:
    path, why = lift_tables.adult_file()
    assert (path, why) == (made_up, "")
    adult = lift_tables.read_adult(made_up)
    assert (adult.joint.total, len(adult.joint.sensitive), sorted(map(str, adult.joint.public))) == (
        900,
        6,
        sorted(NAMES),
    )
    for name, left_out in lift_tables.VARIANTS:
        small = adult.variant(left_out)
        assert len(small.sensitive) == (5 if left_out else 6), name
        assert left_out not in small.sensitive
    with pytest.raises(DataError, match="no relationship is called 'Nobody'"):
        adult.variant("Nobody")


def test_with_adult_there_are_thirteen_figures_and_every_variant_is_compared(made_up: Path) -> None:
    found = lift.recompute(1, 300, 0, None, EPS[1:3], ((6, 3), (10, 3)))
    assert [f.number for f in found.figures] == list(range(1, 14))
    assert found.missing == ()
    assert found.data["adult"]["variant"] == lift_tables.CHOSEN
    others = [n.quantity for n in found.numbers if n.alternative and "Adult all six values" in n.quantity]
    assert len(others) == 4
    assert json.loads(json.dumps(found.to_dict()))["totals"] == found.totals


def test_a_folder_without_the_file_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(lift_tables.VARIABLE, str(tmp_path))
    assert lift_tables.adult_file() == (
        None,
        "there is no file adult/adult.data in the folder that LIFTGATE_DATA names",
    )
