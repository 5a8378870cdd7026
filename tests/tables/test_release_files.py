"""The three files of a release: names, content, rights, and that they appear together or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import liftgate as lg
from liftgate.errors import DataError, UsageError

COUNTS = [[30, 10, 5], [10, 30, 15]]
NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def release() -> lg.Release:
    """A small design whose channel can be written down."""
    joint = lg.Joint.from_counts(COUNTS, sensitive=["ill", "well"], public=NAMES)
    found = lg.protect(joint, lg.Budget.between("1/2", "3/2"), mechanism="optimal")
    assert not found.channel.is_merge
    return found


@pytest.fixture
def source() -> pa.Table:
    return pa.table({"public": NAMES * 40, "n": list(range(120))})


def test_the_files_of_a_stem_and_of_a_file(release: lg.Release, source: pa.Table, tmp_path: Path) -> None:
    """A stem gets -release; a file name gives its own stem to the other two."""
    written = release.apply(source, tmp_path / "adult")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "adult-release.cert.json",
        "adult-release.manifest.json",
        "adult-release.parquet",
    ]
    assert os.fspath(written) == str(tmp_path / "adult-release.parquet")
    assert pq.read_table(os.fspath(written)).num_rows == written.number == 120
    release.apply(source, tmp_path / "rows.csv")
    assert {p.name for p in tmp_path.iterdir()} >= {"rows.csv", "rows.cert.json", "rows.manifest.json"}
    codec = pq.ParquetFile(written.rows).metadata.row_group(0).column(0).compression
    assert codec == "ZSTD"


def test_the_certificate_is_private_and_says_how_rows_were_drawn(
    release: lg.Release, source: pa.Table, tmp_path: Path
) -> None:
    """Mode 0600, accepted by the checker, one assumption more than the design: fresh draws, or keyed ones."""
    written = release.apply(source, tmp_path / "f")
    assert stat.S_IMODE(written.certificate.stat().st_mode) == 0o600
    verdict = lg.check(written.certificate)
    assert verdict.holds
    assert verdict.assumptions == (*release.assumptions, "draws-are-fresh")
    keyed = release.apply(source, tmp_path / "k", draw="keyed", key=bytes(16), id="n")
    assert lg.check(keyed.certificate).assumptions == (*release.assumptions, "draws-repeat-by-key")


def test_the_manifest_says_this_and_nothing_else(release: lg.Release, source: pa.Table, tmp_path: Path) -> None:
    """Version, columns, labels, channel, budget, draw mode, hash of the certificate, and a publisher who wants it."""
    written = release.apply(source, tmp_path / "m", keep=["n"], sensitive="health", public="public")
    found = json.loads(written.manifest.read_text())
    channel = release.channel.to_dict()
    assert found == {
        "liftgate-manifest": 1,
        "version": lg.__version__,
        "columns": {"sensitive": ["health"], "public": ["public"], "released": ["public"], "kept": ["n"]},
        "labels": {"public": NAMES, "released": list(release.channel.released)},
        "channel": {"total": 1 << 40, "outputs": channel["outputs"]},
        "budget": {"kind": "alip", "low": "1/2", "up": "3/2"},
        "draw": "fresh",
        "render": "label",
        "certificate_sha256": hashlib.sha256(written.certificate.read_bytes()).hexdigest(),
    }
    named = release.apply(source, tmp_path / "p", publisher="The Registry")
    assert json.loads(named.manifest.read_text())["publisher"] == "The Registry"
    assert stat.S_IMODE(named.manifest.stat().st_mode) & 0o044


def test_a_manifest_is_read_back_and_anything_else_is_refused(
    release: lg.Release, source: pa.Table, tmp_path: Path
) -> None:
    """read_manifest gives the channel and the budget again; damaged ones are told apart."""
    written = release.apply(source, tmp_path / "m")
    manifest = lg.read_manifest(written.manifest)
    assert manifest.to_json() == written.manifest.read_text()
    assert manifest.channel.to_dict() == release.channel.to_dict()
    assert (manifest.budget.low, manifest.budget.up) == (release.budget.low, release.budget.up)
    good = json.loads(written.manifest.read_text())
    bad = {
        "cannot be read": None,
        "not JSON": "{",
        "not a manifest": json.dumps({"liftgate-manifest": 2}),
        "unknown: utility": json.dumps({**good, "utility": 0.9}),
        "unknown: draw": json.dumps({k: v for k, v in good.items() if k != "draw"}),
        "an entry is not": json.dumps({**good, "channel": 3}),
        "add up": json.dumps({**good, "channel": {"total": 7, "outputs": good["channel"]["outputs"]}}),
    }
    for told, text in bad.items():
        path = tmp_path / f"{told.replace(' ', '')}.json"
        if text is not None:
            path.write_text(text)
        with pytest.raises(DataError, match=told):
            lg.read_manifest(path)


def test_existing_files_are_refused_without_force(release: lg.Release, source: pa.Table, tmp_path: Path) -> None:
    """Any of the three stops the work before it starts; force replaces all of them."""
    written = release.apply(source, tmp_path / "x")
    first = written.manifest.read_text()
    for path in (written.rows, written.certificate, written.manifest):
        others = [p for p in (written.rows, written.certificate, written.manifest) if p != path]
        kept = [p.read_bytes() for p in others]
        for p in others:
            p.unlink()
        with pytest.raises(UsageError, match="the file exists"):
            release.apply(source, tmp_path / "x")
        for p, data in zip(others, kept, strict=True):
            p.write_bytes(data)
    again = release.apply(source, tmp_path / "x", force=True)
    assert again.manifest.read_text() == first  # the certificate of the same design has the same hash
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("no/such/folder/x.parquet", "there is no folder"),
        ("x.json", "rows are not written as .json"),
        ("x.arrow", "rows are not written as .arrow"),
        ("folder.parquet", "a folder has this name"),
    ],
)
def test_names_that_cannot_be_written_are_refused(
    release: lg.Release, source: pa.Table, tmp_path: Path, name: str, told: str
) -> None:
    """Before any row is drawn."""
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(UsageError, match=told):
        release.apply(source, tmp_path / name)


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    """A folder that nobody but root may write to, and for the test we are not root."""
    folder = Path(tempfile.mkdtemp(dir=tempfile.gettempdir()))
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_folder_that_may_not_be_written_to_is_refused(
    release: lg.Release, source: pa.Table, tmp_path: Path, closed_folder: Path
) -> None:
    """Told before the work, and nothing is there afterwards."""
    with pytest.raises(UsageError, match="the folder may not be written to"):
        release.apply(source, closed_folder / "x.parquet")
    assert list(closed_folder.iterdir()) == []


FULL = """
import json, os, resource, signal, sys
import pyarrow as pa
import liftgate as lg
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder = sys.argv[1]
joint = lg.Joint.from_counts([[30, 10, 5], [10, 30, 15]], public=["a", "b", "c"])
release = lg.protect(joint, lg.Budget.between("1/2", "3/2"), mechanism="merge-all")
table = pa.table({"public": ["a", "b", "c"] * 200_000, "n": [str(i * i) for i in range(600_000)]})
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
def attempt(name, limit, **more):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        release.apply(table, os.path.join(folder, name), keep=["n"], sensitive="s", public="public", **more)
        told = "written"
    except lg.LiftgateError as error:
        told = str(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    return told
def content():
    return {n: open(os.path.join(folder, n), "rb").read().hex() for n in os.listdir(folder)}
found = []
for name in ("x.parquet", "x.csv"):
    for limit in (0, 100_000, 2_000_000):
        found.append([name, limit, attempt(name, limit), os.listdir(folder)])
first = attempt("old.parquet", hard)
before = content()
second = attempt("old.parquet", 100_000, force=True)
print(json.dumps({"found": found, "first": first, "second": second, "same": content() == before, "files": len(before)}))
"""


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """Whether no byte fits, or the rows end in the middle: an error that says so, an empty folder, and old files kept."""
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert len(record["found"]) == 6
    for name, limit, told, left in record["found"]:
        assert "cannot be written" in told, (name, limit)
        assert "nothing was left behind" in told
        assert left == []
    assert record["first"] == "written"
    assert "cannot be written" in record["second"]
    assert record["same"]
    assert record["files"] == 3


def test_an_interruption_leaves_nothing_behind(
    release: lg.Release, source: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between two renames takes back what was renamed."""
    renamed = []
    real = os.replace

    def interrupted(a: Path, b: Path) -> None:
        if len(renamed) == 2:
            raise KeyboardInterrupt
        renamed.append(b)
        real(a, b)

    monkeypatch.setattr("liftgate.tables.files.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release.apply(source, tmp_path / "x.parquet")
    assert len(renamed) == 2
    assert list(tmp_path.iterdir()) == []


KILLED = """
import sys
import pyarrow as pa
import liftgate as lg
joint = lg.Joint.from_counts([[30, 10, 5], [10, 30, 15]], public=["a", "b", "c"])
release = lg.protect(joint, lg.Budget.between("1/2", "3/2"), mechanism="merge-all")
table = pa.table({"public": ["a", "b", "c"] * 100_000, "n": [str(i * i) for i in range(300_000)]})
print("ready", flush=True)
for i in range(1000):
    release.apply(table, sys.argv[1], keep=["n"], sensitive="s", public="public", force=True)
    print(i, flush=True)
"""


def kill_and_look(folder: Path, seconds: float, after_one: bool) -> bool:
    """Kill a process that writes releases; True when there was a manifest, and then everything was whole."""
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder / "x.parquet")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for _ in range(1 + after_one):
        process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    rows, proof, manifest = (folder / f"x.{e}" for e in ("parquet", "cert.json", "manifest.json"))
    if not manifest.exists():
        return False
    said = lg.read_manifest(manifest)
    assert said.certificate_sha256 == hashlib.sha256(proof.read_bytes()).hexdigest()
    assert lg.check(proof).holds
    assert pq.read_table(rows).num_rows == 300_000
    return True


def kills(folder: Path, number: int) -> None:
    """Kills at random moments; some find a release, and none a half one."""
    chance = random.Random(7)
    whole = 0
    for i in range(number):
        place = folder / str(i)
        place.mkdir()
        whole += kill_and_look(place, chance.uniform(0.01, 0.9), after_one=i % 2 == 1)
    assert whole > 0


def test_a_kill_leaves_a_whole_release_or_no_manifest(tmp_path: Path) -> None:
    """Two kills; thirty in the slow suite."""
    kills(tmp_path, 2)


@pytest.mark.slow
def test_thirty_kills_leave_a_whole_release_or_no_manifest(tmp_path: Path) -> None:
    kills(tmp_path, 30)
