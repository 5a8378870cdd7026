"""Where tables may come from: below the folder, uploads, examples; and nothing outlives the server."""

from __future__ import annotations

import gzip
import io
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from liftgate.errors import DataError, LiftgateError, UsageError
from liftgate.web import limits
from liftgate.web.packed import measure
from liftgate.web.places import Places, file_name

TABLE = "city,job,ill\nnorth,cook,yes\nnorth,cook,no\nsouth,nurse,yes\nsouth,nurse,no\nsouth,cook,no\n"
COLUMNS = {"sensitive": ["ill"], "public": ["job"]}


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A folder with a table, a secret beside it and links to the secret."""
    (tmp_path / "secret.csv").write_text(TABLE)
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / "people.csv").write_text(TABLE)
    (inside / "deep" / "more.csv").write_text(TABLE)
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "linked").symlink_to(tmp_path)
    return Places(inside)


OUTSIDE = [
    "folder:../secret.csv", "folder:deep/../../secret.csv", "folder:/etc/passwd", "folder:./people.csv", "folder:", "folder://etc/passwd",
    "folder:link.csv", "folder:linked/secret.csv", "folder:..\\secret.csv", "folder:people.csv\0.csv", "folder:%2e%2e/secret.csv", "folder:" + "a/" * 600,
    "/etc/passwd", "people.csv", "file:people.csv", "example:../app.py", "example:/etc/passwd", "upload:nothing", "upload:../../x", "folder:no.csv",
]  # fmt: skip


@pytest.mark.parametrize("ref", OUTSIDE)
def test_paths_stay_below_the_folder(ref: str, places: Places) -> None:
    """Neither steps up, nor absolute paths, nor symbolic links lead out of it."""
    with pytest.raises(LiftgateError) as refused:
        places.find(ref)
    assert refused.value.fix


@pytest.mark.parametrize("ref", OUTSIDE)
def test_the_server_refuses_them_as_well(ref: str, page: Any) -> None:
    """With the error record, at the field of the table."""
    answer = page.client.post("api/columns", json={"table": ref})
    assert answer.status_code == 422
    assert answer.json()["field"] == "table"
    assert set(answer.json()["error"]) == {"place", "value", "fix"}


def test_tables_are_listed_but_links_are_not(places: Places) -> None:
    """What is offered can be had."""
    names = [t["name"] for t in places.listed()]
    assert names == ["deep/more.csv", "people.csv"]
    for name in names:
        assert places.find(f"folder:{name}").path.read_text() == TABLE


def test_names_of_uploads_stay_in_their_folder() -> None:
    """The last part of a path, printable, of a length that a file can have."""
    assert file_name("..\\..\\x.csv") == "x.csv"
    assert file_name("\n\t") == "table"
    assert len(file_name("ä" * 5000 + ".csv").encode()) <= 200
    assert file_name("<img src=x onerror=alert(1)>.csv") == "<img src=x onerror=alert(1)>.csv"


def test_an_upload_is_a_table_until_it_is_removed(page: Any) -> None:
    """Sent as it is, counted, removed; then it is not here any more."""
    sent = page.client.post(
        "api/uploads",
        params={"name": "<b>mine<i>.csv"},
        content=TABLE.encode(),
        headers={"content-type": "application/octet-stream"},
    )
    assert sent.status_code == 201
    ref = sent.json()["table"]
    kept = page.inside.places.find(ref).path
    assert kept.stat().st_mode & 0o077 == 0 or kept.parent.stat().st_mode & 0o077 == 0
    assert page.ask("audit", table=ref, **COLUMNS)["state"] == "done"
    assert "&lt;b&gt;mine&lt;i&gt;.csv" in page.client.get("").text
    assert page.client.delete(f"api/uploads/{ref.removeprefix('upload:')}").status_code == 204
    assert not kept.exists()
    assert page.client.post("api/audit", json={"table": ref, **COLUMNS}).status_code == 422


def test_two_gigabytes_are_refused_before_the_first_byte(page: Any) -> None:
    """With the limit that the form tells."""
    asked = page.client.get("api/uploads", params={"name": "big.csv", "size": 2 << 30})
    assert asked.status_code == 422
    assert limits.told()["upload"] in asked.json()["error"]["fix"]
    head = f"POST /the-token/api/uploads?name=big.csv HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n"
    head += f"Content-Type: application/octet-stream\r\nContent-Length: {2 << 30}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", page.port), timeout=20) as line:
        line.sendall(head.encode())
        assert line.recv(65536).split()[1] == b"422"
    assert not list(page.inside.places.private.glob("upload-*/big.csv"))


def test_an_upload_that_says_less_than_it_sends(own_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes are counted while they come; nothing of it stays."""
    monkeypatch.setattr(limits, "UPLOAD", 100_000)
    answer = own_page.client.post(
        "api/uploads",
        params={"name": "x.csv"},
        content=(b"x" * 60_000 for _ in range(3)),
        headers={"content-type": "application/octet-stream"},
    )
    assert answer.status_code == 422
    assert not own_page.inside.places.uploads
    assert not list(own_page.inside.places.private.glob("upload-*"))


@pytest.mark.parametrize(
    ("body", "kind"), [(b"", "application/octet-stream"), (b"a", "text/plain"), (b"a", "multipart/form-data")]
)
def test_uploads_that_are_none(body: bytes, kind: str, page: Any) -> None:
    """Nothing, or something wrapped."""
    assert (
        page.client.post("api/uploads", params={"name": "x"}, content=body, headers={"content-type": kind}).status_code
        == 422
    )


def test_uploads_go_after_an_hour(places: Places) -> None:
    """A minute before they are here, a minute after they are not."""
    upload = places.room_for("a.csv", 3)
    upload.path.write_text(TABLE)
    key = places.keep(upload)
    places.expire(lambda: upload.made + limits.KEPT_SECONDS - 60)
    assert places.find(f"upload:{key}").path.exists()
    places.expire(lambda: upload.made + limits.KEPT_SECONDS + 60)
    assert not upload.path.exists()
    with pytest.raises(DataError, match="not here any more"):
        places.find(f"upload:{key}")


def test_all_uploads_together_have_a_limit(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small files are one large one."""
    monkeypatch.setattr(limits, "ALL_UPLOADS", 100)
    upload = places.room_for("a.csv", 60)
    upload.size = 60
    places.keep(upload)
    with pytest.raises(UsageError, match="together"):
        places.room_for("b.csv", 60)


def test_zip_bombs_are_measured_before_they_are_read(tmp_path: Path) -> None:
    """A gzip and a Parquet file that expand a thousand times, against a limit between the two sizes."""
    packed, wide = tmp_path / "bomb.csv.gz", tmp_path / "bomb.parquet"
    with gzip.open(packed, "wb") as file:
        file.write(b"0" * 8_000_000)
    pq.write_table(pa.table({"a": pa.array([b"0" * 1000] * 8000)}), wide, compression="zstd", use_dictionary=False)
    for path in (packed, wide):
        assert path.stat().st_size < 100_000
        with pytest.raises(DataError, match="expands to more than"):
            measure(path, path.name, 1_000_000)
        measure(path, path.name, 10_000_000)


@pytest.mark.slow
def test_the_server_refuses_a_bomb(own_page: Any) -> None:
    """A gigabyte of nothing in a megabyte: five of them."""
    held = io.BytesIO()
    part = gzip.compress(b"0" * (1 << 26), 9)
    for _ in range(65):
        held.write(part)
    (own_page.folder / "bomb.csv.gz").write_bytes(held.getvalue())
    state = own_page.ask("columns", table="folder:bomb.csv.gz")
    assert state["state"] == "failed"
    assert "expands" in state["error"]["value"]
    assert state["field"] == "table"


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", b""), ("a.csv", b"\0" * 5000), ("a.csv.gz", b"\x1f\x8b\x08broken"), ("a.parquet", b"PAR1broken"), ("a.parquet", b"city\nx\n"),
     ("a.arrow", b"ARROW1\0\0broken"), ("a.csv", bytes(range(256)) * 12), ("a.json", b'{"a": 1}'), ("a.csv", b'"open quote\n' * 50)],
)  # fmt: skip
def test_the_server_never_dies_of_a_bad_file(name: str, content: bytes, own_page: Any) -> None:
    """A sentence with a fix, below 500, and the next question is answered."""
    (own_page.folder / name).write_bytes(content)
    answer = own_page.client.post("api/audit", json={"table": f"folder:{name}", **COLUMNS})
    state = own_page.wait(answer.json())
    assert state["state"] == "failed"
    assert "fault of Liftgate" not in state["error"]["value"], state
    assert state["error"]["fix"]
    assert own_page.client.get(f"api/jobs/{state['job']}").status_code == 422
    assert own_page.ask("columns", table="folder:people.csv")["state"] == "done"


def test_a_table_that_changes_while_in_use(own_page: Any) -> None:
    """The sliders do not go on about a table that is no longer there."""
    counted = own_page.ask("count", table="folder:people.csv", **COLUMNS)
    asked = {"joint": counted["answer"]["joint"], "budget": "alip:1,1"}
    assert own_page.client.post("api/live", json=asked).status_code == 200
    (own_page.folder / "people.csv").write_text(TABLE + "south,cook,yes\n")
    answer = own_page.client.post("api/live", json=asked)
    assert answer.status_code == 422
    assert "changed" in answer.json()["error"]["value"]
    again = own_page.ask("count", table="folder:people.csv", **COLUMNS)
    assert again["answer"]["joint"] != asked["joint"]


def started(*words: str) -> tuple[subprocess.Popen[str], str]:
    """The command as a person starts it, and the line it prints."""
    code = f"import sys; from liftgate.cli import run; sys.argv = ['liftgate', 'serve', '--no-open', *{list(words)!r}]; run()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_outlives_the_server(how: signal.Signals, tmp_path: Path) -> None:
    """Uploads go when the server goes; what a killed server left goes at the next start."""
    process, line = started("--port", "0", "--folder", str(tmp_path))
    address = line.split()[-1]
    httpx.post(
        f"{address}api/uploads",
        params={"name": "x.csv"},
        content=b"a,b\n1,2\n",
        headers={"content-type": "application/octet-stream"},
        trust_env=False,
    )
    left = Path(tempfile.gettempdir())
    assert list(left.glob(f"liftgate-page-{process.pid}-*/upload-*/x.csv"))
    process.send_signal(how)
    process.wait(20)
    assert process.stdout is not None
    assert process.stdout.read() == ""
    process.stdout.close()
    if how == signal.SIGKILL:
        Places(tmp_path).close()
    assert not list(left.glob(f"liftgate-page-{process.pid}-*"))
