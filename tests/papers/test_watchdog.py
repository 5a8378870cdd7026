"""DOG recomputed: the statements on random tables, and section IV on COMPAS where its file is there."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import liftgate as lg
from liftgate.cli import main
from liftgate.errors import DataError
from liftgate.estimators.funnels import funnel, funnel_of_rows
from liftgate.estimators.watchdog import flagged_values
from liftgate.jobs.recomputed import Claim, Compared, Recomputed
from liftgate.papers import watchdog, watchdog_compas
from liftgate.papers.lift_tables import VARIABLE
from liftgate.papers.watchdog_compas import NEEDED, TABLE_1, compas_file, extremes, read_compas, table_1_rows

ROWS = 307


@cache
def without_file() -> Recomputed:
    """Everything that needs no file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(VARIABLE, raising=False)
        return watchdog.recompute(1, joints=300)


def number(found: Recomputed, quantity: str) -> Compared:
    return next(n for n in found.compared if n.quantity.startswith(quantity))


def claim(found: Recomputed, start: str) -> Claim:
    return next(c for c in found.claims if c.text.startswith(start))


# ---- sections II and III -----------------------------------------------------------------------------


def test_true_statements_hold_and_proposition_2_does_not() -> None:
    found = without_file()
    assert claim(found, "eps-lift privacy gives 2 eps").holds
    assert claim(found, "It bounds Sibson").holds
    assert claim(found, "I(X;Y) of mapping (9)").holds
    second = claim(found, "The output of mapping (9)")
    assert not second.holds
    assert second.errata == ("E20", "E21")


def test_what_is_counted_on_random_tables() -> None:
    """Printed gamma: often undefined, where defined never too small; the repaired bound is never too small."""
    found = watchdog.check_statements(400, 3)
    assert (found.lemma, found.proposition_1, found.printed_below, found.bound_below) == (0, 0, 0, 0)
    assert 0.3 * found.split < found.undefined < 0.9 * found.split
    assert found.above_eps > 0
    assert found.widest < 1e-9


@pytest.mark.slow
def test_what_is_counted_on_4000_random_tables() -> None:
    """Lemma 1, Proposition 1, the repaired Proposition 2 and (11) without a single exception."""
    found = watchdog.check_statements(4000, 11)
    assert (found.lemma, found.proposition_1, found.printed_below, found.bound_below) == (0, 0, 0, 0)
    assert found.widest < 1e-9


def test_the_worked_example_is_log_2_and_not_what_is_printed() -> None:
    example = number(without_file(), "gamma of mapping (9)")
    assert (example.printed, example.here, example.agrees) == ("2.168151", (math.log(2),), False)


def test_without_the_file_the_experiment_is_missing_and_told() -> None:
    found = without_file()
    assert found.figures == ()
    assert [m.what for m in found.missing] == ["section IV, Figures 1 and 2 and Table I"]
    assert "LIFTGATE_DATA=FOLDER" in found.missing[0].fix
    assert json.loads(json.dumps(found.to_dict()))["paper"] == "watchdog"


# ---- the trade-off on rows ---------------------------------------------------------------------------


def test_the_trade_off_on_rows_is_that_of_a_counted_table() -> None:
    """Rows with exact posteriors are a table with one row in each column: everything can be counted."""
    rng = np.random.default_rng(4)
    counts = rng.integers(1, 9, size=(3, 12))
    counts[0] += 30 - counts.sum(axis=0)
    joint = lg.Joint.from_counts(counts)
    points = funnel_of_rows(joint.log_lift.T, joint.prior, [0.2, 0.5, 5.0])
    for point, counted in zip(points, funnel(joint, ["0.2", "0.5", "5"]), strict=True):
        assert point.within == pytest.approx(counted.within)
        assert point.utility == pytest.approx(counted.utility)
        assert point.information == pytest.approx(counted.information)
        assert point.gamma == pytest.approx(counted.gamma)
        assert point.printed == counted.printed
    assert flagged_values(joint, lg.Budget.lip("0.2")).any()


# ---- COMPAS, made up ---------------------------------------------------------------------------------


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the form of compas_slim.csv: more priors, more likely the first race; some rows that the filter drops."""
    rng = np.random.default_rng(1)
    lines = [
        "sex,age,race,priors_count,length_of_stay_days,decile_score,score_text,days_b_screening_arrest,is_recid,c_charge_degree,two_year_recid"
    ]
    for sex, age, priors, stay, score, race in TABLE_1:
        lines.append(f"{sex},{age},{race},{priors},{stay},{score},Low,0.0,0,F,0")
    for _ in range(ROWS - len(TABLE_1)):
        priors = int(rng.poisson(3))
        race = "African-American" if rng.random() < 0.25 + 0.1 * min(priors, 6) else "Caucasian"
        sex = "Male" if rng.random() < 0.5 + 0.07 * min(priors, 6) else "Female"
        score = min(10, 1 + priors + int(rng.integers(3)))
        lines.append(
            f"{sex},{int(rng.integers(18, 70))},{race},{priors},{int(rng.integers(40))},{score},Low,-1.0,0,F,0"
        )
    for dropped in ("Low,31.0,0,F,0", "Low,0.0,-1,F,0", "Low,0.0,0,O,0", ",0.0,0,F,0"):
        lines.append(f"Male,30,Caucasian,0,0,1,{dropped}")
    lines.append("Male,30,Other,0,0,1,Low,0.0,0,F,0")
    path = tmp_path / "compas" / "compas_slim.csv"
    path.parent.mkdir()
    path.write_text("\n".join(lines) + "\n")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return path


def test_the_filter_keeps_the_rows_of_two_races(made_up: Path) -> None:
    assert compas_file() == (made_up, "")
    compas = read_compas(made_up)
    assert (len(compas.rows), compas.every) == (ROWS, ROWS + 5)
    assert compas.rows.labels == watchdog_compas.RACES
    assert table_1_rows(compas) == list(range(7))
    made_up.write_text(made_up.read_text().replace("race", "colour", 1))
    with pytest.raises(DataError, match="no column is called 'race'"):
        read_compas(made_up)
    assert set(NEEDED) >= set(watchdog_compas.PUBLIC)


def test_extremes_are_the_rows_that_say_most_about_the_first_race(made_up: Path) -> None:
    compas = read_compas(made_up)
    priors = compas.column("priors_count")
    told = extremes(compas, np.stack([priors, -priors], axis=1))
    order = np.sort(priors)[::-1]
    assert told["priors_count"] == (np.median(order[:150]), np.median(priors))
    assert told["men"][0] > told["men"][1]


def test_the_command_computes_both_figures(made_up: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cloud stays a cloud, the possible pairs lie on the curve, and what is kept only grows with eps."""
    page = tmp_path / "page.html"
    assert main(["papers", "watchdog", "--draws", "1", "--json", "--html", str(page)]) == 0
    said = json.loads(capsys.readouterr().out)
    found = said["result"]
    assert (found["settings"]["draws"], said["data"]["compas"]["rows"], found["missing"]) == (1, ROWS, [])
    assert [f["number"] for f in found["figures"]] == [1, 2]
    (panel,) = found["figures"][0]["panels"]
    assert [(c["name"], c["shape"]) for c in panel["curves"]] == [
        ("raw output of (13)", "points"), ("possible", "line"), ("within 0.85", "line")
    ]  # fmt: skip
    prior = read_compas(made_up).rows.sample.prior
    for a, b in panel["curves"][1]["points"]:
        assert prior[0] * math.exp(a) + prior[1] * math.exp(b) == pytest.approx(1)
    kept = found["figures"][1]["panels"][0]["curves"][0]["points"]
    assert all(y1 >= y0 - 1e-12 for (_, y0), (_, y1) in pairwise(kept))
    assert not next(c for c in found["claims"] if c["text"].startswith("The maximiser of (13)"))["holds"]
    text = page.read_text()
    assert text.count("<circle") >= ROWS
    assert f"COMPAS: compas_slim.csv, {ROWS} rows" in text


# ---- COMPAS itself -----------------------------------------------------------------------------------


def test_compas_has_the_rows_of_the_paper(data_dir: Path) -> None:
    """5,278 rows after ProPublica's filter, and all seven rows of Table I among them."""
    compas = read_compas(data_dir / "compas" / "compas_slim.csv")
    assert (len(compas.rows), compas.every) == (5278, 7214)
    assert np.bincount(compas.rows.sample.s).tolist() == [3175, 2103]
    assert None not in table_1_rows(compas)


@pytest.mark.slow
def test_compas_extreme_rows_and_trade_off(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Group statistics of the 150 most extreme rows, row 4 of Table I, and the trade-off known from other code."""
    monkeypatch.setenv(VARIABLE, str(data_dir))
    compas = read_compas(data_dir / "compas" / "compas_slim.csv")
    for seed in range(3):
        scores = lg.estimate(compas.rows, "race", list(compas.rows.public), estimator="network", seed=seed).log_lift
        told = extremes(compas, scores)
        assert told["men"][0] >= 0.95
        assert told["priors_count"][0] >= 14
        fourth = table_1_rows(compas)[3]
        assert np.abs(scores[fourth]).max() > 0.85
    found = watchdog_compas.trials(compas, 6, 0, watchdog_compas.Clock(600))
    train = {p.eps: p for p in map(watchdog_compas.mean_point, zip(*(t.train for t in found), strict=True))}
    known = {0.1: 0.22, 0.2: 0.42, 0.3: 0.55, 0.4: 0.67, 0.5: 0.75, 0.85: 0.91}
    for eps, utility in known.items():
        assert train[eps].utility == pytest.approx(utility, abs=0.02)
