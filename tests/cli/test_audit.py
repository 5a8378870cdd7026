"""liftgate audit, check and demo as commands: exit codes, JSON, files, and errors that name the fix."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import liftgate as lg
from liftgate import checker

Run = Callable[..., tuple[int, str, str]]
ASK = ("audit", "people.csv", "--sensitive", "ill", "--public", "city")


def test_without_a_budget_an_audit_measures_and_exits_0(folder: Path, run: Run) -> None:
    """No budget, no verdict."""
    code, out, err = run(*ASK)
    assert code == 0
    assert err == ""
    assert "Learning city" in out
    assert "True only if: counts-are-population" in out


def test_exit_code_says_within_or_outside(folder: Path, run: Run) -> None:
    """0 within, 1 outside."""
    assert run(*ASK, "--budget", "lip:1")[0] == 0
    joint = lg.read_joint("people.csv", sensitive="ill", public=["city", "job"])
    assert joint.lift.max() > 1.4
    code, out, _ = run(*ASK, "--public", "job", "--budget", "lip:0.1")
    assert code == 1
    assert "says too much about ill" in out


def test_unknown_under_the_sample_reading_exits_1(folder: Path, run: Run) -> None:
    """Six rows settle nothing, and open is not a yes."""
    code, out, _ = run(*ASK, "--budget", "lip:1", "--sample")
    assert code == 1
    assert "unknown" in out


def test_json_is_one_object_and_nothing_else(folder: Path, run: Run) -> None:
    """The envelope has its seven keys; infinite is the word inf; fractions are p/q."""
    code, out, err = run(*ASK, "--budget", "lip:1", "--json")
    record = json.loads(out)
    assert (code, err) == (0, "")
    assert list(record) == ["liftgate", "command", "policy", "data", "assumptions", "verdict", "result"]
    assert record["verdict"] == "within"
    assert record["policy"]["options"]["sensitive"] == ["ill"]
    assert record["data"]["rows"] == 6
    assert "/" in record["result"]["budget"]["low"]
    assert [v["verdict"] for v in record["result"]["values"]] == ["within", "within"]
    joint = lg.read_joint("people.csv", sensitive="ill", public="city")
    assert record["result"]["measures"] == {k: "inf" if v == float("inf") else v for k, v in lg.measure(joint).items()}


def test_infinite_is_a_word_in_json(folder: Path, run: Run) -> None:
    """A pair that never occurs has an infinite ldp-epsilon, and JSON stays standard."""
    (folder / "zero.csv").write_text("a,s\nx,1\nx,2\ny,1\n")
    _, out, _ = run("audit", "zero.csv", "--sensitive", "s", "--public", "a", "--json")
    assert json.loads(out)["result"]["measures"]["ldp-epsilon"] == "inf"


def test_files_are_private_whole_and_not_replaced(folder: Path, run: Run) -> None:
    """Report and certificate have mode 0600; an existing file is refused before the work unless forced."""
    files = ("--html", "page.html", "--certificate", "proof.json")
    assert run(*ASK, "--budget", "lip:1", *files)[0] == 0
    for name in ("page.html", "proof.json"):
        assert stat.S_IMODE(os.stat(name).st_mode) == 0o600
    assert lg.check("proof.json").holds
    assert "<html" in Path("page.html").read_text()
    assert "liftgate audit people.csv --sensitive ill --public city --budget lip:1" in Path("page.html").read_text()
    code, _, err = run(*ASK, *files)
    assert code == 2
    assert "exists" in err
    assert "--force" in err
    assert run(*ASK, *files, "--force")[0] == 0
    assert sorted(p.name for p in folder.iterdir()) == ["page.html", "people.csv", "proof.json"]


@pytest.mark.parametrize(
    "files", [("--html", "people.csv"), ("--html", "same", "--certificate", "./same")], ids=" ".join
)
def test_no_file_has_two_parts(files: tuple[str, ...], folder: Path, run: Run) -> None:
    """--force replaces an old page, never the table that is read, nor a certificate by a page."""
    before = (folder / "people.csv").read_bytes()
    code, _, err = run(*ASK, *files, "--force")
    assert code == 2
    assert "is read, or written twice, by this command" in err
    assert (folder / "people.csv").read_bytes() == before
    assert not (folder / "same").exists()


def test_a_broken_budget_is_proven_too(folder: Path, run: Run) -> None:
    """The certificate of an audit that fails proves the exact extremes."""
    assert run(*ASK, "--public", "job", "--budget", "lip:0.1", "--certificate", "bad.json")[0] == 1
    verdict = lg.check("bad.json")
    assert verdict.holds
    assert verdict.kind == "measure-bounds"


ERRORS = [
    (("audit", "people.csv", "--sensitive", "il", "--public", "city"), ["people.csv", "'il'", "did you mean 'ill'"]),
    (("audit", "people.csv", "--public", "city"), ["--sensitive", "no column was named"]),
    (("audit", "people.csv", "--sensitive", "ill", "--public", "ill"), ["'ill'", "both sensitive and public"]),
    (("audit", "absent.csv", "--sensitive", "a", "--public", "b"), ["absent.csv", "no such file"]),
    ((*ASK, "--budget", "alpi:1,1"), ["'alpi'", "did you mean alip"]),
    ((*ASK, "--budget", "alip:1"), ["alip needs 2", "alip:1,1"]),
    ((*ASK, "--budget", "lip:-1"), ["below 0"]),
    ((*ASK, "--budget", "ldp:1", "--sample"), ["exact tests for samples"]),
    ((*ASK, "--budget", ""), ["'' is not known", "alip:1,1"]),
    ((*ASK, "--budget", "alip:1,1e999999999"), ["'1e999999999' is not a number"]),
    ((*ASK, "--budget", "alpha:1000001/1000000,1,1"), ["order 1000001/1000000", "numbers up to 1000"]),
    ((*ASK, "--budget", "alpha:1e3000,1,1"), ["numbers up to 1000"]),
    ((*ASK, "--alpha", "often"), ["alpha", "'often' is not a number"]),
    ((*ASK, "--columns", ""), ["no such column"]),
    ((*ASK, "--encoding", "rot13"), ["'rot13' is not known"]),
    ((*ASK, "--encoding", "utf-16"), ["people.csv", "not UTF-16", "leave the encoding out"]),
    ((*ASK, "--sample"), ["give a budget"]),
    ((*ASK, "--alpha", "2", "--sample", "--budget", "lip:1"), ["alpha", "2"]),
    ((*ASK, "--html", "no/such/page.html"), ["no/such", "make the folder"]),
    ((*ASK, "--missing", "guess"), ["guess", "--help"]),
    ((*ASK, "--frobnicate"), ["--frobnicate"]),
    (("audti",), ["audti", "did you mean audit"]),
    (("audit",), ["TABLE"]),
    (("check",), ["CERT"]),
]


@pytest.mark.parametrize(("words", "told"), ERRORS, ids=lambda v: " ".join(v[-2:]) if isinstance(v, tuple) else "")
def test_what_cannot_be_asked_exits_2_and_names_the_fix(
    folder: Path, run: Run, words: tuple[str, ...], told: list[str]
) -> None:
    """Place, value and fix on standard error, in at most three lines; nothing on standard output, nothing written."""
    code, out, err = run(*words)
    assert code == 2
    assert out == ""
    for text in told:
        assert text in err
    assert len(err.strip().splitlines()) <= 3
    assert "Traceback" not in err
    assert sorted(p.name for p in folder.iterdir()) == ["people.csv"]


def test_a_fault_of_ours_is_no_answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever goes wrong inside, the command exits with 2 and shows where: 1 would say that something is outside."""
    from liftgate import cli

    monkeypatch.setattr(cli, "main", lambda: 1 // 0)
    with pytest.raises(SystemExit) as left:
        cli.run()
    assert left.value.code == 2
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_errors_are_json_too(folder: Path, run: Run) -> None:
    """With --json the same three facts stand on standard output."""
    code, out, err = run("audit", "people.csv", "--sensitive", "il", "--public", "city", "--json")
    record = json.loads(out)["error"]
    assert code == 2
    assert set(record) == {"place", "value", "fix"}
    assert "ill" in record["fix"]
    assert err.startswith("error: people.csv")


def test_every_subset_ranks_all_sets(folder: Path, run: Run) -> None:
    """Three sets of two columns; what says most comes first."""
    code, out, _ = run(*ASK, "--public", "job", "--every-subset", "2", "--json")
    sets = json.loads(out)["result"]["sets"]
    assert code == 0
    assert sorted(tuple(s["columns"]) for s in sets) == [("city",), ("city", "job"), ("job",)]
    assert sets[0]["columns"] == ["city", "job"]
    information = [s["measures"]["mutual-information"] for s in sets]
    assert information == sorted(information, reverse=True)
    code, out, _ = run(*ASK, "--public", "job", "--every-subset", "2", "--budget", "lip:0.1")
    assert code == 1
    assert "sets of columns are outside" in out


def test_every_subset_tells_how_many_entries_are_missing(folder: Path, run: Run) -> None:
    """As an audit of one set does."""
    (folder / "gaps.csv").write_text("s,a,b\n1,x,\n2,y,q\n1,x,r\n2,,r\n")
    for most in (1, 2):
        ask = ("audit", "gaps.csv", "--sensitive", "s", "--public", "a", "--public", "b", "--every-subset", most)
        _, out, _ = run(*ask)
        assert "1 missing in a (kept as a value of its own)" in out
        assert "1 missing in b (kept as a value of its own)" in out
        assert json.loads(run(*ask, "--json")[1])["data"]["missing"] == {"s": 0, "a": 1, "b": 1}


def test_counts_beyond_machine_words_are_audited(folder: Path, run: Run) -> None:
    """Counts of 2^70 are decided and proven like others; only their reading as a sample is refused, with the reason."""
    n = 2**70
    (folder / "huge.csv").write_text(f"s,x,n\na,u,{n}\nb,v,{n + 1}\na,v,3\nb,u,1\n")
    ask = ("audit", "huge.csv", "--sensitive", "s", "--public", "x", "--count", "n", "--budget", "lip:1")
    code, out, _ = run(*ask, "--html", "huge.html", "--certificate", "huge.json")
    assert code == 1
    assert "Clearest case" in out
    assert "counts of 2^40 or more are shares of a law" in Path("huge.html").read_text()
    assert lg.check("huge.json").holds
    code, _, err = run(*ask, "--sample")
    assert code == 2
    assert str(2 * n + 5) in err


def test_labels_cannot_write_to_the_terminal(folder: Path, run: Run) -> None:
    """Markup and control sequences in labels are shown as text, never interpreted."""
    (folder / "odd.csv").write_text("a,s\n[bold red]x,1\n[bold red]x,2\n\x1b[31mz,1\n\x1b[31mz,2\n")
    code, out, _ = run("audit", "odd.csv", "--sensitive", "s", "--public", "a")
    assert code == 0
    assert "[bold red]x" in out
    assert "\x1b[31m" not in out
    (folder / "odd.csv").write_text('a,s\n"one\ntwo",1\n"one\ntwo",2\n\x1b[31mz,1\n\x1b[31mz,1\nq,2\n')
    for more in (("--budget", "lip:0.2"), ("--budget", "lip:0.2", "--mechanism", "merge-all")):
        code, out, _ = run("protect", "odd.csv", "--sensitive", "s", "--public", "a", *more)
        assert code == 0
        assert "␛[31mz" in out
        assert "one␊two" in out
        assert "\x1b[31m" not in out
    code, _, err = run("audit", "odd.csv", "--sensitive", "\x1b[31m", "--public", "a", "--missing-token", "\x1b[31m")
    assert code == 2
    assert "\x1b" not in err


# ---- policy ------------------------------------------------------------------------------------


def test_a_policy_file_replaces_options_and_options_override_it(folder: Path, run: Run) -> None:
    """The file is echoed whole, and what is typed wins."""
    Path("release.toml").write_text(
        'table = "people.csv"\nsensitive = "ill"\npublic = ["city", "job"]\n[audit]\nbudget = "lip:0.1"\n'
    )
    code, out, _ = run("audit", "--policy", "release.toml", "--json")
    assert code == 1
    record = json.loads(out)
    assert record["policy"]["file"] == "release.toml"
    assert record["policy"]["audit"] == {"budget": "lip:0.1"}
    assert record["policy"]["options"]["public"] == ["city", "job"]
    code, out, _ = run("audit", "--policy", "release.toml", "--budget", "lip:2", "--json", "--public", "city")
    assert code == 0
    assert json.loads(out)["policy"]["options"]["public"] == ["city"]


def test_liftgate_toml_of_the_folder_is_used_and_told(folder: Path, run: Run) -> None:
    """A policy that is picked up by its name is never picked up in silence."""
    Path("liftgate.toml").write_text('sensitive = "ill"\npublic = ["city"]\nbudget = "lip:1"\n')
    code, out, err = run("audit", "people.csv", "--json")
    assert code == 0
    assert "liftgate.toml" in err
    assert json.loads(out)["verdict"] == "within"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('budgit = "lip:1"', ["budgit", "did you mean budget"]),
        ("[audti]\n", ["[audti]", "did you mean audit"]),
        ('[audit]\nbudgit = "lip:1"', ["[audit] budgit", "did you mean budget"]),
        ("budget = ", ["is not TOML"]),
        ("budget = 2020-01-01", ["no option value"]),
    ],
)
def test_a_wrong_policy_is_refused(folder: Path, run: Run, text: str, told: list[str]) -> None:
    """Unknown keys and sections are errors that name the nearest one."""
    Path("p.toml").write_text(text)
    code, out, err = run(*ASK, "--policy", "p.toml")
    assert (code, out) == (2, "")
    for word in told:
        assert word in err


def test_passwords_never_appear_in_the_echo() -> None:
    """Addresses lose their passwords and keys are redacted."""
    from liftgate.policy import redacted

    echo = redacted(
        {"table": "postgresql://me:s3cret@host/db", "key": "k3y", "public": ["a"], "q": "x password=s3cret"}
    )
    assert "s3cret" not in str(echo)
    assert "k3y" not in str(echo)
    assert echo["public"] == ["a"]


# ---- check and demo ------------------------------------------------------------------------------


def test_check_accepts_refuses_and_cannot_read(folder: Path, run: Run) -> None:
    """0 accepted, 1 read but not accepted, 2 unreadable; the worst of several counts."""
    run(*ASK, "--budget", "lip:1", "--certificate", "true.json")
    text = Path("true.json").read_text()
    certificate = json.loads(text)
    certificate["claim"]["counts"][0][0] += 50
    Path("lie.json").write_text(json.dumps(certificate))
    Path("cut.json").write_text(text[:-20])
    code, out, _ = run("check", "true.json")
    assert code == 0
    assert "accepted" in out
    assert "True only if: counts-are-population" in out
    assert run("check", "lie.json")[0] == 1
    assert run("check", "cut.json")[0] == 2
    assert run("check", "true.json", "lie.json")[0] == 1
    assert run("check", "true.json", "lie.json", "cut.json", "--json")[0] == 2


def test_check_with_allow_needs_every_assumption(folder: Path, run: Run) -> None:
    """One allowed assumption is not all of them."""
    run(*ASK, "--budget", "lip:1", "--certificate", "true.json")
    assert run("check", "true.json", "--allow", "counts-are-population")[0] == 1
    names = lg.check("true.json").assumptions
    assert run("check", "true.json", *(w for n in names for w in ("--allow", n)))[0] == 0


def test_check_json_and_the_checker_alone_agree(folder: Path, run: Run) -> None:
    """The command and the copied file say the same."""
    run(*ASK, "--budget", "lip:1", "--certificate", "true.json")
    _, out, _ = run("check", "true.json", "--json")
    record = json.loads(out)
    alone = subprocess.run(
        [sys.executable, "-I", "-S", checker.__file__, "true.json"], capture_output=True, text=True, check=False
    )
    assert alone.returncode == 0
    assert record["verdict"] == "accepted"
    assert record["result"][0]["claim"] in alone.stdout


def test_the_demo_makes_three_files_and_names_three_commands(folder: Path, run: Run) -> None:
    """One command needs nothing but the package; its certificate is accepted, and the commands it names work."""
    code, out, _ = run("demo", "--out", "made")
    assert code == 0
    assert {p.name for p in Path("made").iterdir()} >= {"adult_counts.csv", "audit.html", "audit.cert.json"}
    assert "accepted" in out
    import shlex

    named = [shlex.split(line)[1:] for line in out.splitlines() if line.strip().startswith("liftgate ")]
    assert len(named) >= 3
    for words in named:
        assert run(*words)[0] in (0, 1)
    assert run("demo", "--out", "made")[0] == 2
    assert run("demo", "--out", "made", "--force")[0] == 0
