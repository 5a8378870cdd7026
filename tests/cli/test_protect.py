"""protect and tradeoff as a person runs them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest

import liftgate as lg

Run = Callable[..., tuple[int, str, str]]
SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
ROWS = (
    [("cook", "yes")] * 9 + [("cook", "no")] * 41 + [("nurse", "yes")] * 22 + [("nurse", "no")] * 28
    + [("diver", "yes")] * 18 + [("diver", "no")] * 2
)  # fmt: skip
ASK = ("protect", "jobs.csv", "--sensitive", "ill", "--public", "job", "--budget", "lip:0.4")
CURVE = ("tradeoff", "jobs.csv", "--sensitive", "ill", "--public", "job")


@pytest.fixture
def jobs(folder: Path) -> Path:
    """The folder with a table of 120 people in it."""
    lines = [f"{i},{job},{ill},{i % 7}" for i, (job, ill) in enumerate(ROWS)]
    (folder / "jobs.csv").write_text("\n".join(["id,job,ill,ward", *lines]) + "\n")
    return folder


def schema(name: str) -> jsonschema.Draft202012Validator:
    """The documented schema of a command."""
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text()))


def test_protect_tells_what_is_released_and_what_that_proves(jobs: Path, run: Run) -> None:
    """Verdict first, then the bound, people of a thousand, and assumptions; nothing is written without --out."""
    code, out, err = run(*ASK)
    assert (code, err) == (0, "")
    assert out.startswith("✓ Released this way, job stays within the budget and keeps ")
    for words in (
        "proven, in the certificate",
        "of 1,000 people with",
        "True only if: counts-are-population",
        "Belief",
    ):
        assert words in out
    assert sorted(p.name for p in jobs.iterdir()) == ["jobs.csv", "people.csv"]


def test_protect_writes_three_files_and_says_which_is_private(jobs: Path, run: Run) -> None:
    """Rows, certificate and manifest by the stem; the certificate is accepted by liftgate check."""
    code, out, _ = run(*ASK, "--out", "adult", "--keep", "ward")
    assert code == 0
    assert "Keep private: adult-release.cert.json" in out
    assert "Publish with the rows: adult-release.manifest.json" in out
    assert "draws-are-fresh" in out
    table = pq.read_table("adult-release.parquet")
    assert table.column_names == ["job", "ward"]
    assert table["ward"].to_pylist() == [str(i % 7) for i in range(120)]
    assert run("check", "adult-release.cert.json")[0] == 0
    assert lg.read_manifest("adult-release.manifest.json").kept == ("ward",)
    code, _, err = run(*ASK, "--out", "adult")
    assert code == 2
    assert "the file exists" in err
    assert "--force" in err
    assert run(*ASK, "--out", "adult", "--force")[0] == 0


def test_keyed_draws_repeat_and_the_key_is_never_shown(jobs: Path, run: Run) -> None:
    """The same key gives the same rows; the key is in no output and in no file; open key files are warned about."""
    Path("key").write_text("a-secret-of-32-bytes-0123456789a\n")
    os.chmod("key", 0o600)
    keyed = ("--draw", "keyed", "--key-file", "key", "--id", "id", "--mechanism", "optimal")
    code, out, err = run(*ASK, *keyed, "--out", "a.csv", "--html", "a.html", "--json")
    assert (code, err) == (0, "")
    assert run(*ASK, *keyed, "--out", "b.csv")[0] == 0
    assert Path("a.csv").read_text() == Path("b.csv").read_text()
    os.chmod("key", 0o644)
    _, _, err = run(*ASK, *keyed, "--out", "c.csv")
    assert "others can read the key file" in err
    for path in jobs.iterdir():
        if path.name != "key":
            assert b"a-secret" not in path.read_bytes(), path
    assert "a-secret" not in out + err
    record = json.loads(out)
    assert record["policy"]["options"]["key-file"] == "key"
    assert record["assumptions"][-1] == "draws-repeat-by-key"


@pytest.mark.parametrize(
    "more",
    [(), ("--out", "x"), ("--mechanism", "merge-best"), ("--budget", "l1:0.5,none", "--mechanism", "merge-all"),
     ("--budget", "alpha:5/2,none,0.2"), ("--public", "ward", "--mechanism", "merge-subsets", "--out", "y.csv")],
    ids=" ".join,
)  # fmt: skip
def test_protect_fits_its_schema(jobs: Path, run: Run, more: tuple[str, ...]) -> None:
    """Every form of a release is what docs/schemas/protect.json says, and one object on standard output."""
    code, out, _ = run(*ASK, *more, "--json")
    assert code == 0
    record = json.loads(out)
    schema("protect").validate(record)
    assert (record["result"]["written"] is None) == ("--out" not in more)
    channel = lg.Channel.from_dict(record["result"]["channel"])
    joint = lg.read_joint("jobs.csv", "ill", record["data"]["public"])
    asked = lg.Budget.parse(record["result"]["budget"]["asked"])
    assert asked.holds(joint.through(channel)).all()
    record["result"]["utility"] = 1.5
    with pytest.raises(jsonschema.ValidationError):
        schema("protect").validate(record)


def test_page_and_certificate(jobs: Path, run: Run) -> None:
    """The page shows the release and is private, as is the certificate."""
    code, out, _ = run(*ASK, "--html", "p.html", "--certificate", "c.json", "--out", "rows.parquet")
    assert code == 0
    assert "Report: p.html" in out
    page = Path("p.html").read_text()
    assert "rows.cert.json" in page
    assert "liftgate protect jobs.csv" in page
    assert stat.S_IMODE(Path("p.html").stat().st_mode) == 0o600
    assert lg.check("c.json").holds


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--mechanism", "optimum"), ["'optimum' is not known", "did you mean optimal", "subset-response"]),
        (("--budget", "l1:1,1", "--mechanism", "optimal"), ["not convex", "use a merging mechanism"]),
        (("--budget", "lip:-0.1"), ["-0.1 is below 0"]),
        (("--budget", "between:1.5,2"), ["low must be in [0, 1] and up at least 1"]),
        (("--budget", "between:0.5,0.7"), ["low must be in [0, 1] and up at least 1"]),
        (("--gap", "0"), ["gap", "0.0 is not positive"]),
        (("--seconds", "-1"), ["seconds", "-1.0 is not positive"]),
        (("--keep", "ward"), ["--keep: no rows are written", "add --out"]),
        (("--id", "id"), ["--id: no rows are written"]),
        (("--out", "x", "--keep", "ill"), ["a sensitive column is never released"]),
        (("--out", "x", "--keep", "job"), ["it is released in its protected form"]),
        (("--out", "x", "--draw", "keyed"), ["--key-file was not given"]),
        (("--out", "x", "--draw", "keyed", "--key-file", "nokey", "--id", "id"), ["nokey: cannot be read"]),
        (
            ("--out", "x", "--draw", "keyed", "--key-file", "short", "--id", "id"),
            ["--key-file short", "fewer than 16 bytes"],
        ),
        (("--out", "x", "--draw", "keyed", "--key-file", "key", "--id", "ward"), ["'0' occurs 18 times"]),
        (("--out", "x", "--draw", "keyed", "--key-file", "key"), ["--id was not given"]),
        (("--out", "no/x"), ["there is no folder no"]),
        (("--out", "x.xlsx"), ["rows are not written as .xlsx"]),
        (("--html", "jobs.csv"), ["jobs.csv: exists"]),
        (("--public", "jbo"), ["did you mean 'job'"]),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, tuple) else "",
)
def test_what_cannot_be_asked_exits_2_and_leaves_nothing(
    jobs: Path, run: Run, words: tuple[str, ...], told: list[str]
) -> None:
    """Place, value and fix on standard error, and no new file."""
    Path("short").write_text("short")
    Path("key").write_text("0123456789abcdef")
    before = {p.name for p in jobs.iterdir()}
    code, out, err = run(*ASK, *words)
    assert (code, out) == (2, "")
    for word in told:
        assert word in err
    assert {p.name for p in jobs.iterdir()} == before


def test_a_budget_of_1_reads_as_kept(jobs: Path, run: Run) -> None:
    """Lifts of exactly 1 are computed in floats and never printed on the wrong side of the bound."""
    for mechanism in ("merge-all", "optimal"):
        out = run(*ASK, "--budget", "lip:0", "--mechanism", mechanism)[1]
        assert "rises to at most 1.00 times" in out
        assert "falls to no less than 1.00 times" in out


def test_a_budget_is_needed(jobs: Path, run: Run) -> None:
    """Without one there is nothing to design."""
    code, _, err = run("protect", "jobs.csv", "--sensitive", "ill", "--public", "job")
    assert code == 2
    assert "no budget was given" in err


def test_a_policy_file_holds_a_release(jobs: Path, run: Run) -> None:
    """Options of protect come from its section."""
    Path("liftgate.toml").write_text(
        'table = "jobs.csv"\nsensitive = "ill"\npublic = ["job"]\n[protect]\nbudget = "lip:0.4"\nmechanism = "merge-best"\n'
        'keep = ["ward"]\nout = "policy.csv"\n'
    )
    code, out, _ = run("protect", "--json")
    assert code == 0
    record = json.loads(out)
    assert record["policy"]["protect"]["mechanism"] == "merge-best"
    assert record["result"]["written"]["columns"] == ["job", "ward"]


def test_the_command_on_the_page_works(jobs: Path, run: Run) -> None:
    """The grey box of the page holds a command that makes the same release."""
    import click

    from liftgate.cli.protect import command
    from liftgate.cli.show import command_line

    words = [*ASK[1:], "--out", "again", "--keep", "ward"]
    ctx = command.make_context(
        "protect", list(words), parent=click.Context(click.Command("liftgate"), info_name="liftgate")
    )
    line = command_line(ctx)
    assert run(*shlex.split(line)[1:])[0] == 0
    assert Path("again-release.parquet").exists()


# ---- tradeoff ----------------------------------------------------------------------------------


def test_tradeoff_prints_a_table_and_fits_its_schema(jobs: Path, run: Run) -> None:
    """One row for each budget, one column for each mechanism, crosses where a printed mechanism breaks its budget."""
    words = (*CURVE, "--budgets", "0.1:0.9:3", "--mechanisms", "optimal,merge-best,merge-all-as-printed")
    code, out, _ = run(*words)
    assert code == 0
    for budget in ("lip:0.1", "lip:0.5", "lip:0.9"):
        assert budget in out
    code, out, _ = run(*words, "--budget", "ldp:2", "--json")
    record = json.loads(out)
    schema("tradeoff").validate(record)
    assert len(record["result"]["points"]) == 12
    assert record["result"]["budgets"][3]["asked"] == "ldp:2"


def test_tradeoff_writes_its_page(jobs: Path, run: Run) -> None:
    """The curve as a page of its own."""
    code, out, _ = run(*CURVE, "--budgets", "0.1:1:4", "--html", "t.html")
    assert code == 0
    assert "Report: t.html" in out
    assert "<svg" in Path("t.html").read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no budget was given"),
        (("--budgets", "1:2"), "this is not a range of budgets"),
        (("--budgets", "1:2:3", "--mechanisms", "best"), "'best' is not known"),
        (("--budgets", "1:2:3", "--certificate", "c.json"), "a trade-off has no certificate"),
        (("--budget", "lip:x"), "'x' is not a number"),
    ],
)
def test_tradeoff_refuses_what_it_cannot_draw(jobs: Path, run: Run, words: tuple[str, ...], told: str) -> None:
    """Exit 2 with the reason."""
    code, out, err = run(*CURVE, *words)
    assert (code, out) == (2, "")
    assert told in err


# ---- long work ---------------------------------------------------------------------------------

STOPPED = """
import os, signal, sys, threading, time
import numpy as np
from liftgate.cli.progress import searching
import liftgate as lg
rng = np.random.default_rng(0)
joint = lg.Joint.from_counts(rng.integers(1, 400, (8, 80)))
with searching("optimal") as progress:
    def told(found, bound, sent=[]):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))
        return progress(found, bound)
    release = lg.protect(joint, "lip:0.2", mechanism="optimal", seconds=300, progress=told)
print(lg.check(release.certificate).holds, [n for n in release.notes if "cancelled" in n])
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


def test_the_first_interruption_takes_the_best_so_far() -> None:
    """Ctrl-C during a search ends it with a valid release; the handler is put back."""
    assert signal.SIGINT
    done = subprocess.run([sys.executable, "-c", STOPPED], capture_output=True, text=True, check=False, timeout=250)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True ['cancelled")
