"""rows as a person runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest

Run = Callable[..., tuple[int, str, str]]
SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
ASK = ("rows", "rich.csv", "--sensitive", "ill", "--public", "age", "--public", "job", "--budget", "lip:0.4", "--estimator", "logistic")  # fmt: skip


@pytest.fixture
def rich(folder: Path) -> Path:
    """The folder with a table of 500 people in it."""
    rng = np.random.default_rng(1)
    age, job, ward = rng.integers(18, 80, 500), rng.integers(3, size=500), rng.integers(4, size=500)
    ill = rng.random(500) < 1 / (1 + np.exp(-(age - 50) / 12))
    lines = [
        f"{i},{a if i % 20 else ''},{['cook', 'nurse', 'diver'][j]},{'yes' if s else 'no'},{w},{i % 2},{f'free text {i}'}"
        for i, (a, j, s, w) in enumerate(zip(age, job, ill, ward, strict=True))
    ]
    (folder / "rich.csv").write_text("\n".join(["id,age,job,ill,ward,half,note", *lines]) + "\n")
    return folder


def test_rows_are_scored_told_and_attacked(rich: Path, run: Run) -> None:
    """Verdict first, then what is unknown, the attacker, the reasons, the assumptions; nothing is written."""
    code, out, err = run(*ASK, "--task", "ward")
    assert (code, err) == (0, "")
    assert out.startswith("✓ Every counted group of rows keeps the budget; ")
    for words in (
        "Single rows stay unknown",
        "Attacker (half the people learned, the others guessed)",
        "Task ward",
        "times as likely as before",
        "accepted by the exact checker, for counted groups",
        "True only if: counts-are-population",
        "groups-not-rows",
    ):
        assert words in out
    assert {p.name for p in rich.iterdir()} == {"rich.csv", "people.csv"}


def test_json_follows_its_schema(rich: Path, run: Run) -> None:
    """One object on standard output, as documented."""
    for more in ((), ("--task", "half", "--out", "r", "--keep", "id", "--mode", "suppress"), ("--mode", "shuffle")):
        code, out, _ = run(*ASK, *more, "--json")
        assert code == 0
        data = json.loads(out)
        jsonschema.Draft202012Validator(json.loads((SCHEMAS / "rows.json").read_text())).validate(data)
        assert data["result"]["rows_verdict"] == "unknown"
        assert data["result"]["explained"][0]["why"]
        assert len(data["result"]["explained"][0]["lift"]) == 2


def test_files_and_page(rich: Path, run: Run) -> None:
    """Rows, certificate, manifest, scores, page; refused the second time, replaced with --force."""
    more = (
        "--out",
        "town",
        "--keep",
        "id",
        "--html",
        "page.html",
        "--scores",
        "scores.parquet",
        "--certificate",
        "c.json",
    )
    code, out, _ = run(*ASK, *more)
    assert code == 0
    for words in ("Keep private: town-release.cert.json", "Publish with the rows: town-release.manifest.json", "Scores (private): scores.parquet"):  # fmt: skip
        assert words in out
    table = pq.read_table("town-release.parquet")
    assert table.column_names == ["age", "job", "id"]
    assert table["id"].to_pylist() == [str(i) for i in range(500)] or table["id"].to_pylist() == list(range(500))
    assert "single rows unknown" in (rich / "page.html").read_text()
    assert run("check", "town-release.cert.json")[0] == 0
    assert run("check", "c.json")[0] == 0
    code, _, err = run(*ASK, *more)
    assert code == 2
    assert "exists" in err
    assert run(*ASK, *more, "--force")[0] == 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--public", "note"), "column 'note': text of free form: 500 values in 500 rows"),
        (("--public", "ill"), "column 'ill': it is both sensitive and public"),
        (("--public", "gae"), "gae"),
        (("--mode", "hide"), "--mode: 'hide' is not known"),
        (("--estimator", "forest"), "estimator: 'forest' is not known"),
        (("--budget", "lip"), "budget"),
        (("--keep", "id"), "--keep: no rows are written"),
        (("--publisher", "me"), "--publisher: no rows are written"),
        (("--scores", "x.txt"), "scores are written as tables"),
        (("--keep", "ill", "--out", "r"), "column 'ill': it is both sensitive and kept"),
        (("--task", "note"), "column 'note': 500 values make no task"),
        (("--out", "nowhere/r"), "there is no folder nowhere"),
        (("--folds", "1"), "--folds"),
        (("--train-rows", "5"), "--train-rows"),
    ],
)
def test_what_cannot_be_asked_is_refused(rich: Path, run: Run, more: tuple[str, ...], words: str) -> None:
    """Exit code 2, the place, the fix, and nothing written."""
    code, out, err = run(*ASK, *more)
    assert code == 2
    assert out == ""
    assert words in err
    assert {p.name for p in rich.iterdir()} == {"rich.csv", "people.csv"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("age,job,ill\n1,a,no\n2,b,no\n", "column 'ill': every row has the same value, 'no'"),
        ("age,job,ill\n,a,no\n,b,yes\n", "column 'age': every entry is missing"),
        ("age,job,ill\ninf,a,no\n2,b,yes\n", "column 'age', row 1: it holds an infinite number"),
        ("age,job,ill\n" + "1,a,no\n2,b,no\n" * 20 + "3,a,yes\n", "the value 'yes' has 1 rows, fewer than the 5 folds"),
        ("age,job,ill\n" + "".join(f"{i},a,s{i}\n" for i in range(60)), "60 sensitive values, more than 50"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(rich: Path, run: Run, text: str, words: str) -> None:
    """Each with its column, and as JSON too."""
    (rich / "rich.csv").write_text(text)
    code, out, err = run(*ASK, "--json")
    assert code == 2
    assert words in err
    assert words in json.loads(out)["error"]["place"] + ": " + json.loads(out)["error"]["value"]


def test_more_classes_and_policy(rich: Path, run: Run) -> None:
    """--max-classes allows more; a policy file may hold the options."""
    (rich / "rich.csv").write_text("age,job,ill\n" + "".join(f"{i % 90},a,s{i % 4}\n" for i in range(200)))
    code, _, err = run(*ASK, "--max-classes", "3")
    assert code == 2
    assert "--max-classes 4" in err
    assert run(*ASK, "--max-classes", "4", "--budget", "lip:6")[0] == 0
    (rich / "p.toml").write_text('[rows]\nsensitive = "ill"\npublic = ["age"]\nbudget = "lip:6"\nmax-classes = 4\nestimator = "logistic"\n')  # fmt: skip
    code, out, _ = run("rows", "rich.csv", "--policy", "p.toml", "--json")
    assert code == 0
    assert json.loads(out)["policy"]["options"]["max-classes"] == 4
