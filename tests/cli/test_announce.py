"""liftgate announce and liftgate attack: exit codes, files, JSON, errors."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from liftgate import checker
from liftgate.cli import main

RULES = """group,private,people,rule
Female,under 100k,12,0
Female,100k to 200k,5,0
Female,over 200k,3,1
Male,under 100k,9,0
Male,100k to 200k,7,0.5
Male,over 200k,4,1
"""
SIDE = {
    "people": {
        "Female": {"under 100k": 12, "100k to 200k": 5, "over 200k": 3},
        "Male": {"under 100k": 9, "100k to 200k": 7, "over 200k": 4},
    },
    "slack": 0,
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the paper's rules table and side information."""
    (tmp_path / "rules.csv").write_text(RULES)
    (tmp_path / "side.json").write_text(json.dumps(SIDE))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_file_is_written(folder, capsys):
    """Private files are private, the certificate is accepted, the manifest is what the public page shows."""
    arguments = ["announce", "rules.csv", "--delta", ".9", "--certificate", "c.json", "--manifest", "m.json"]
    assert main([*arguments, "--html-private", "p.html", "--html-public", "q.html"]) == 0
    out = capsys.readouterr().out
    assert "67.5 % confidence by a reader who believes the announcement" in out
    assert "Floor, before any announcement: 60.0 %" in out
    assert "depends on what the reader believes" in out
    assert checker.check("c.json").holds
    for name in ("c.json", "p.html"):
        assert (folder / name).stat().st_mode & 0o077 == 0
    manifest = json.loads((folder / "m.json").read_text())
    assert manifest["groups"][0]["promised"] == 0.675
    assert "rules.csv" not in (folder / "q.html").read_text()
    assert main([*arguments]) == 2, "existing files are refused"
    assert main([*arguments, "--force"]) == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--delta", ".9"], 0),
        (["--delta", ".9", "--digits", "2"], 0),
        (["--alpha", ".9"], 0),
        (["--beta", ".7"], 0),
        (["--gamma", "0.3"], 0),
        (["--delta", ".9", "--values", "0,1/2,1"], 1),
        (["--beta", ".5"], 2),
        (["--delta", "0"], 2),
        (["--delta", "1.2"], 2),
        ([], 2),
        (["--delta", ".9", "--values", "0,7"], 2),
        (["--delta", ".9", "--group", "city"], 2),
    ],
)
def test_exit_codes(folder, options, code, capsys):
    """0 announced, 1 refuted for the declared values, 2 could not ask."""
    assert main(["announce", "rules.csv", *options]) == code
    if code == 2:
        assert "fix:" in capsys.readouterr().err


def test_values_that_the_real_rules_do_not_take(folder, capsys):
    """No rule fits: said, and what to do about it."""
    assert main(["announce", "rules.csv", "--delta", ".99", "--values", "1/3,2/3", "--html-private", "p.html"]) == 0
    assert "no rule fits. The real rules take other values: declare those." in capsys.readouterr().out
    assert "Refuted for readers" not in (folder / "p.html").read_text()


def test_json(folder, capsys):
    """One object with the inversion beside every confidence."""
    assert main(["announce", "rules.csv", "--delta", ".9", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["command"] == "announce"
    assert record["result"]["beta"] == 0.675
    assert record["verdict"] == record["result"]["inversion"]["verdict"]
    assert main(["announce", "rules.csv", "--beta", ".5", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert "below the floor 0.6" in error["value"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Female,other,-1,0", "not a count"),
        ("Female,other,1,1.5", "column 'rule', row Female / other: 1.5 is not between 0 and 1"),
        ("Female,other,1,yes", "column 'rule', row Female / other: 'yes' is not a number"),
        ("Female,other,1e400,1", "beyond 1e308"),
        ("Other,other,0,0", "no people"),
        ("Female,over 200k,3,0.9", "occurs more than once"),
    ],
)
def test_bad_rules(folder, row, message, capsys):
    """Impossible rows: exit 2, with the place and the fix."""
    (folder / "bad.csv").write_text(RULES + row + "\n")
    assert main(["announce", "bad.csv", "--delta", ".9"]) == 2
    assert message in capsys.readouterr().err


def test_decisions(folder, capsys):
    """A table of decisions, one row per person; an unknown positive outcome is refused."""
    rows = ["sex,income,approved"]
    rows += ["F,low,no"] * 12 + ["F,high,no"] * 5 + ["F,top,yes"] * 3
    (folder / "people.csv").write_text("\n".join(rows) + "\n")
    given = [
        "announce",
        "people.csv",
        "--group",
        "sex",
        "--private",
        "income",
        "--decision",
        "approved",
        "--delta",
        ".9",
    ]
    assert main([*given, "--positive", "yes", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["result"]["beta"] == 0.675
    assert main([*given, "--positive", "maybe"]) == 2
    assert "no outcome is called 'maybe'" in capsys.readouterr().err


def test_attack_on_a_manifest(folder, capsys):
    """The manifest alone needs side information; with it the intervals and the inversion check are printed."""
    assert main(["announce", "rules.csv", "--delta", ".9", "--manifest", "m.json"]) == 0
    capsys.readouterr()
    assert main(["attack", "m.json"]) == 2
    assert "--knows" in capsys.readouterr().err
    code = main(["attack", "m.json", "--knows", "side.json", "--html", "a.html"])
    out = capsys.readouterr().out
    assert code == 0
    assert "If rules take 0, 1/2 or 1: refuted" in out
    assert (folder / "a.html").exists()
    values = {**SIDE, "values": ["0", "1/2", "1"]}
    (folder / "sure.json").write_text(json.dumps(values))
    assert main(["attack", "m.json", "--knows", "sure.json", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["verdict"] == "refuted"
    assert len(record["result"]["pinned"]) == 6


def test_attack_on_figures(folder, capsys):
    """Digits are read as written; contradictions and impossible figures have their codes."""
    (folder / "f.json").write_text('{"figures": [{"kind": "rate", "group": "Female", "value": 0.150}]}')
    assert main(["attack", "f.json", "--knows", "side.json", "--json"]) in (0, 1)
    json.loads(capsys.readouterr().out)
    two = [{"kind": "rate", "group": "Female", "value": v} for v in ("0.15", "0.25")]
    (folder / "f.json").write_text(json.dumps({"figures": two}))
    assert main(["attack", "f.json", "--knows", "side.json"]) == 1
    assert "contradict" in capsys.readouterr().out
    (folder / "f.json").write_text('{"figures": [{"kind": "rate", "group": "Female", "value": "1.5"}]}')
    assert main(["attack", "f.json", "--knows", "side.json"]) == 2
    (folder / "f.json").write_text('{"figures": ')
    assert main(["attack", "f.json", "--knows", "side.json"]) == 2
    assert "not JSON" in capsys.readouterr().err


def schema(name):
    """The documented schema of a command."""
    path = Path(__file__).resolve().parents[2] / "docs" / "schemas" / f"{name}.json"
    return jsonschema.Draft202012Validator(json.loads(path.read_text()))


SEVERAL = """group,private,people,no,later,yes
a,x,3,0.5,0.3,0.2
a,y,2,0.1,0.2,0.7
"""
THREE = ["--rule", "no", "--rule", "later", "--rule", "yes"]


@pytest.mark.parametrize(
    "more",
    [
        ["--delta", ".9"],
        ["--alpha", ".5", "--values", "0,1"],
        ["--beta", ".7", "--digits", "3"],
        ["--gamma", "0.3", "--distance", "l2"],
    ],
    ids=" ".join,
)
def test_announce_fits_its_schema(folder, more, capsys):
    """Every form of an announcement is what docs/schemas/announce.json says, for two outcomes and for three."""
    (folder / "three.csv").write_text(SEVERAL)
    for table in (["rules.csv"], ["three.csv", *THREE]):
        assert main(["announce", *table, *more, "--json"]) in (0, 1)
        record = json.loads(capsys.readouterr().out)
        schema("announce").validate(record)
        record["result"]["groups"][0]["promised"] = 1.5
        with pytest.raises(jsonschema.ValidationError):
            schema("announce").validate(record)


def test_attack_fits_its_schema(folder, capsys):
    """A manifest, figures, figures that contradict and a search without time."""
    main(["announce", "rules.csv", "--delta", ".9", "--manifest", "m.json"])
    rates = [{"kind": "rate", "group": "Female", "value": v} for v in ("0.15", "0.25")]
    (folder / "one.json").write_text(json.dumps({"figures": rates[:1]}))
    (folder / "two.json").write_text(json.dumps({"figures": rates}))
    seen = set()
    for more in (["m.json"], ["one.json"], ["two.json"], ["one.json", "--seconds", "0"]):
        capsys.readouterr()
        main(["attack", *more, "--knows", "side.json", "--json"])
        record = json.loads(capsys.readouterr().out)
        schema("attack").validate(record)
        seen.add(record["verdict"])
        record["result"]["status"] = "fine"
        with pytest.raises(jsonschema.ValidationError):
            schema("attack").validate(record)
    assert {"contradiction", "unknown"} < seen
