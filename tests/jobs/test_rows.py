"""The job behind ``liftgate rows``: one record with everything a row tells, and files that appear together."""

from __future__ import annotations

import dataclasses
import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import liftgate as lg
from liftgate.errors import BudgetError, DataError, UsageError
from liftgate.jobs import rows as job
from liftgate.jobs.records import as_text, record
from liftgate.jobs.rows import RowRelease, release_rows
from liftgate.jobs.writing_rows import write_scores


def people(n: int = 700) -> pd.DataFrame:
    """Ages and jobs that tell on an illness; every name occurs once."""
    rng = np.random.default_rng(3)
    age, job_of = rng.integers(18, 80, n).astype(float), rng.integers(3, size=n)
    ill = rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 12 - (job_of == 2)))
    age[::30] = np.nan
    return pd.DataFrame(
        {
            "age": age,
            "job": np.array(["cook", "nurse", "diver"])[job_of],
            "ill": np.where(ill, "yes", "no"),
            "ward": rng.integers(4, size=n),
            "name": [f"p{i}" for i in range(n)],
        }
    )


@pytest.fixture(scope="module")
def found() -> RowRelease:
    """One release in blocks with a task and a kept column."""
    return release_rows(people(), "ill", ["age", "job"], "lip:0.4", estimator="logistic", task="ward", keep="name")


def test_record_is_frozen_and_tells_everything(found: RowRelease) -> None:
    """Scores, flags, words, rules, groups, figures, assumptions; verdicts for groups and for rows."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.task = "other"  # type: ignore[misc]
    assert (found.verdict, found.rows_verdict) == ("within", "unknown")
    assert {"groups-not-rows", "link=person-to-record", "counts-are-population"} <= set(found.assumptions)
    assert found.told
    assert all(t.load > 1 for t in found.told)
    assert all("times as likely as before" in t.why.sentence for t in found.told)
    assert found.rules
    assert found.reading.groups
    assert found.before.attacker.auc > found.after.attacker.auc
    assert found.before.task is not None
    assert found.after.task is not None
    assert (found.utility.marginals, found.utility.correlations) == (0.0, 0.0)
    assert any("name stay with the person and are not counted" in n for n in found.notes)
    assert any("no method certifies a single row" in n for n in found.notes)
    assert "single rows stay unknown" in found._repr_html_()


def test_certificate_is_about_the_counted_groups(found: RowRelease) -> None:
    """The checker accepts it, lists its assumptions, and its counts add up to all rows."""
    verdict = lg.check(found.certificate)
    assert verdict.holds
    assert set(found.assumptions) <= set(verdict.assumptions)
    assert sum(sum(row) for row in found.certificate.to_dict()["claim"]["counts"]) == 700


def test_explained_rows_are_scored_by_a_model_that_has_not_seen_them(found: RowRelease) -> None:
    """The lift in the sentence is the cross-fitted one."""
    for told in found.told:
        own = np.exp(found.scores.log_lift[told.row - 1])
        assert told.why.lift == pytest.approx(own[list(found.scores.labels).index(told.why.label)])


def test_json_is_plain(found: RowRelease) -> None:
    """One object without NaN; the same answers as the record."""
    text = as_text(record("rows", {}, found.scores.table.to_dict(), found.assumptions, found.verdict, found.to_dict()))
    back = json.loads(text)["result"]
    assert back["rows_verdict"] == "unknown"
    assert len(back["blocks"]) == len(found.plan.hidden)
    assert sum(b["rows"] for b in back["blocks"]) == 700
    assert back["flagged"] == int(found.plan.flagged.sum())
    assert back["explained"][0]["why"] == found.told[0].why.sentence
    assert back["explained"][0]["outside"]
    assert "/" in back["leak"]["released"]["most"] or back["leak"]["released"]["most"].isdigit()


@pytest.mark.parametrize("mode", ["blocks", "shuffle", "suppress"])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_hold_released_and_kept_columns_only(mode: str, suffix: str, tmp_path: Path) -> None:
    """Never the sensitive column; kept columns stay with their person; whole records move."""
    data = people()
    made = release_rows(data, "ill", ["age", "job"], "lip:0.4", mode, "logistic", keep=["name"])
    written = made.write(tmp_path / f"r.{suffix}")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([f"r.{suffix}", "r.cert.json", "r.manifest.json"])
    out = pd.read_csv(written) if suffix == "csv" else pq.read_table(written).to_pandas()
    assert list(out.columns) == ["age", "job", "name"]
    stays = made.released >= 0
    assert out["name"].tolist() == data["name"][stays].tolist()
    records = data.loc[made.released[stays], ["age", "job"]]
    assert np.array_equal(out["age"].to_numpy(float), records["age"].to_numpy(float), equal_nan=True)
    assert out["job"].tolist() == records["job"].tolist()
    if mode != "suppress":
        assert sorted(out["job"]) == sorted(data["job"])
        assert (
            out["age"].to_numpy(float)[made.plan.moved[stays]] != data["age"].to_numpy(float)[made.plan.moved]
        ).any()
    assert written.number + written.left_out == 700
    assert stat.S_IMODE(written.certificate.stat().st_mode) == 0o600
    assert lg.check(written.certificate).holds
    manifest = json.loads(written.manifest.read_text())
    assert manifest["certificate_sha256"] == made.certificate.hash
    assert manifest["columns"] == {"sensitive": ["ill"], "released": ["age", "job"], "kept": ["name"]}
    assert "count" not in json.dumps({k: v for k, v in manifest.items() if k != "assumptions"})


def test_files_appear_whole_or_not_at_all(found: RowRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An existing file stops the work; a failure in the middle leaves nothing."""
    (tmp_path / "r.csv").write_text("old")
    with pytest.raises(UsageError, match="the file exists"):
        found.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "old"
    found.write(tmp_path / "r.csv", force=True)
    assert (tmp_path / "r.csv").read_text() != "old"
    from liftgate.jobs import writing_rows

    def broken(*args: Any) -> str:
        raise RuntimeError("power cut")

    monkeypatch.setattr(writing_rows, "_manifest", broken)
    with pytest.raises(RuntimeError, match="power cut"):
        found.write(tmp_path / "new.csv")
    assert not [p for p in tmp_path.iterdir() if "new" in p.name]


def test_scores_of_every_row(found: RowRelease, tmp_path: Path) -> None:
    """A private table: a lift for every sensitive value, the load, the flag."""
    write_scores(found, tmp_path / "s.parquet")
    table = pq.read_table(tmp_path / "s.parquet").to_pandas()
    assert list(table.columns) == ["row", "lift of no", "lift of yes", "load", "outside", "hidden"]
    assert np.allclose(table[["lift of no", "lift of yes"]], np.exp(found.scores.log_lift))
    assert ((table["load"] > 1) == table["outside"]).all()
    assert stat.S_IMODE(os.stat(tmp_path / "s.parquet").st_mode) == 0o600
    with pytest.raises(UsageError, match=r"name a \.parquet or \.csv file"):
        write_scores(found, tmp_path / "s.txt")


def test_a_public_task_is_guessed_from_the_other_columns() -> None:
    """The task itself is no feature."""
    data = people()
    data["copy"] = (data["age"].fillna(0) > 50).astype(int)
    made = release_rows(data, "ill", ["job", "copy"], "lip:5", estimator="logistic", task="copy")
    assert made.before.task is not None
    assert abs(made.before.task.auc - 0.5) < 0.1


def test_people_with_many_rows_stay_on_one_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacker, folds and halves all deal whole persons."""
    data = pd.concat([people(300)] * 2, ignore_index=True)
    given: list[Any] = []
    plain = job.guess

    def spy(rows: Any, target: Any, classes: int, person: Any = None, *more: Any) -> Any:
        given.append(person)
        return plain(rows, target, classes, person, *more)

    monkeypatch.setattr(job, "guess", spy)
    made = release_rows(data, "ill", ["age", "job"], "lip:0.4", estimator="logistic", person="name")
    assert all(p is not None for p in given)
    assert (made.scores.fold[:300] == made.scores.fold[300:]).all()
    assert not any("--person" in n for n in made.notes)


def test_more_rows_than_are_learned_from() -> None:
    """Scores cover every row, attacker and task a stated sample."""
    made = release_rows(people(), "ill", ["age", "job"], "lip:0.4", estimator="logistic", task="ward", train_rows=300)
    assert made.attacked_on == 300
    assert made.scores.trained_on == 300
    assert len(made.released) == 700
    assert any("300 of 700 rows" in n for n in made.notes)


def test_what_cannot_be_asked() -> None:
    """Budgets that suppress everybody, unknown modes and estimators, tasks with gaps."""
    with pytest.raises(BudgetError, match="every row would have to be suppressed"):
        release_rows(people(), "ill", ["age"], "lip:0", "suppress", "logistic")
    with pytest.raises(UsageError, match="mode"):
        release_rows(people(), "ill", ["age"], "lip:1", "hide", "logistic")
    with pytest.raises(UsageError, match="estimator"):
        release_rows(people(), "ill", ["age"], "lip:1", estimator="forest")
    with pytest.raises(DataError, match="column 'age': 24 missing entries in the task"):
        release_rows(people(), "ill", ["job"], "lip:1", estimator="logistic", task="age")
