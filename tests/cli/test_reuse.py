"""protect --reuse as a person runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest

import liftgate as lg

Run = Callable[..., tuple[int, str, str]]
SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schemas" / "reuse.json"
ROWS = [("cook", "yes")] * 20 + [("cook", "no")] * 30 + [("nurse", "yes")] * 15 + [("nurse", "no")] * 35
REUSE = ("protect", "second.csv", "--reuse", "first.manifest.json")


def save(name: str, rows: list[tuple[str, str]]) -> None:
    lines = [f"{i},{job},{ill}" for i, (job, ill) in enumerate(rows)]
    Path(name).write_text("\n".join(["id,job,ill", *lines]) + "\n")


@pytest.fixture
def released(folder: Path, run: Run) -> Path:
    """A folder with a first release, and the table of a second delivery like the first."""
    save("first-table.csv", ROWS)
    save("second.csv", ROWS * 2)
    ask = ("protect", "first-table.csv", "--sensitive", "ill", "--public", "job", "--budget", "lip:0.4")
    assert run(*ask, "--out", "first.csv")[0] == 0
    return folder


def test_the_next_delivery_is_audited_and_written(released: Path, run: Run) -> None:
    """Columns and budget come from the manifest; three files, and a word on what was not asked."""
    code, out, err = run(*REUSE, "--out", "second", "--keep", "id", "--html", "page.html", "--certificate", "c.json")
    assert (code, err) == (0, "")
    assert out.startswith("✓ The next delivery may be released as the manifest says")
    assert "only this delivery was audited" in out
    told = out.split("Budget: ")[1].split(": ")[0]  # the bounds of the manifest, which a manifest holds as factors
    assert lg.Budget.parse(told).up == lg.Budget.lip("0.4").up
    assert "Keep private: second-release.cert.json" in out
    assert pq.read_table("second-release.parquet").num_rows == 200
    assert run("check", "second-release.cert.json", "c.json")[0] == 0
    assert lg.read_manifest("second-release.manifest.json").sensitive == ("ill",)
    assert "lip" in Path("page.html").read_text() or "budget" in Path("page.html").read_text()


@pytest.mark.parametrize("previous", ["first.cert.json", "first-table.csv"])
def test_both_deliveries_are_audited_together(released: Path, run: Run, previous: str) -> None:
    """With the private certificate of the first, or with its table."""
    code, out, _ = run(*REUSE, "--previous", previous)
    assert code == 0
    assert "This delivery: 200 rows" in out
    assert "Both together: 300 rows" in out


def test_a_broken_budget_is_exit_code_1_and_nothing_is_written(released: Path, run: Run) -> None:
    """The values outside are named; no page, no rows."""
    save("second.csv", [("cook", "yes")] * 50 + [("nurse", "no")] * 50)
    before = sorted(p.name for p in released.iterdir())
    code, out, err = run(*REUSE, "--out", "second", "--html", "page.html")
    assert code == 1
    assert "would break the budget of the manifest, and nothing was written" in out
    assert "outside the budget: cook, nurse" in out
    assert "no page was drawn" in err
    assert sorted(p.name for p in released.iterdir()) == before


def test_unseen_values_are_refused_unless_mapped(released: Path, run: Run) -> None:
    """The option is also a list of the policy file."""
    save("second.csv", [*ROWS, ("chef", "no"), ("chef", "yes")])
    code, _, err = run(*REUSE)
    assert code == 2
    assert "1 value not seen at design time: 'chef'" in err
    assert "--map" in err
    assert run(*REUSE, "--map", "chef=cook")[0] == 0
    Path("liftgate.toml").write_text('[protect]\nreuse = "first.manifest.json"\nmap = ["chef=cook"]\n')
    code, out, _ = run("protect", "second.csv", "--json")
    assert code == 0
    record = json.loads(out)
    assert record["result"]["mapped"] == [{"value": "chef", "as": "cook"}]
    assert record["policy"]["options"]["map"] == ["chef=cook"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--budget", "lip:0.7"), "the manifest was made for"),
        (("--mechanism", "optimal"), "nothing is designed with --reuse"),
        (("--reuse", "nothing.json"), "cannot be read"),
        (("--previous", "first.manifest.json"), "certificate"),
        (("--map", "x"), "no value of the design stands behind ="),
    ],
)
def test_what_has_no_place_is_refused(released: Path, run: Run, more: tuple[str, ...], told: str) -> None:
    code, _, err = run(*REUSE, *more)
    assert code == 2
    assert told in err


def test_the_same_budget_may_be_repeated_and_options_need_a_manifest(released: Path, run: Run) -> None:
    assert run(*REUSE, "--budget", "lip:0.4")[0] == 0
    for option in ("--previous", "--map"):
        code, _, err = run("protect", "second.csv", option, "a=b")
        assert code == 2
        assert "no manifest is named" in err


def test_reuse_fits_its_schema(released: Path, run: Run) -> None:
    """Within and outside, written and not, alone and with the earlier delivery; and not whatever comes."""
    schema = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    forms = [(), ("--previous", "first.cert.json"), ("--out", "w", "--draw", "fresh")]
    for more in forms:
        code, out, _ = run(*REUSE, "--json", *more)
        assert code == 0
        schema.validate(json.loads(out))
    save("second.csv", [("cook", "yes")] * 50 + [("nurse", "no")] * 50)
    code, out, _ = run(*REUSE, "--json")
    record = json.loads(out)
    assert (code, record["verdict"], record["result"]["release"]) == (1, "outside", None)
    schema.validate(record)
    record["result"]["delivered"]["rows"] = "many"
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(record)
