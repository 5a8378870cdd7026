"""No key and no password in the server's log, Spark's event log, error messages or the list of processes."""

from __future__ import annotations

import base64
import secrets
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import pytest
from tests.engines.conftest import People, spread

import liftgate as lg
from liftgate.tables.draws import release_key


def forms(secret: bytes) -> list[bytes]:
    """A secret as it could be written down: as it is, in base 16 and 64, and as Python or SQL would show it."""
    plain = [secret, secret.hex().encode(), secret.hex().upper().encode(), base64.b64encode(secret).rstrip(b"=")]
    return [*plain, repr(secret)[2:-1].encode(), base64.urlsafe_b64encode(secret).rstrip(b"=")]


def processes(found: list[bytes], stop: threading.Event) -> None:
    """The command lines and environments of all processes, again and again."""
    while not stop.is_set():
        for name in ("cmdline", "environ"):
            for path in Path("/proc").glob(f"[0-9]*/{name}"):
                try:
                    found.append(path.read_bytes())
                except OSError:
                    continue  # it ended, or is not ours to read
        time.sleep(0.05)


def test_no_key_anywhere(people: People, server_log: Path, events: Path, database: Any, tmp_path: Path) -> None:
    """Keyed releases on every engine, and into a table, while logs and processes are watched."""
    key = secrets.token_bytes(32)
    seen: list[bytes] = []
    stop = threading.Event()
    watch = threading.Thread(target=processes, args=(seen, stop))
    watch.start()
    try:
        used = [key]
        for name in ("PostgreSQL", "Spark"):
            source, options = people.sources[name]
            release = spread(lg.read_joint(source, "ill", "word", **options))
            used.append(release_key(key, release.channel))
            ask: dict[str, Any] = {"keep": ["id"], "draw": "keyed", "key": key, "id": "id", **options}
            release.apply(source, tmp_path / f"{name}.parquet", **ask)
            if name == "PostgreSQL":
                release.apply(source, tmp_path / "table", into="keyed_table", **ask)
            narrow = spread(lg.read_joint(people.table.slice(0, 4), "ill", "word"))
            with pytest.raises(lg.LiftgateError) as error:
                narrow.apply(source, tmp_path / "narrow.parquet", **ask)
            seen.append("".join(traceback.format_exception(error.value)).encode())
    finally:
        stop.set()
        watch.join()
    log = server_log.read_bytes()
    assert b"COPY (SELECT" in log
    assert b"keyed_table" in log
    journal = b"".join(p.read_bytes() for p in events.rglob("*") if p.is_file())
    assert b"MapInArrow" in journal
    everything = b"\n".join([log, journal, *set(seen)])
    for secret in used:
        for form in forms(secret):
            assert form not in everything


def test_no_password_in_what_is_told(server: str, people: People, tmp_path: Path) -> None:
    """Neither the right one nor the wrong one stands in an error, a traceback, a page or the echo of the policy."""
    from liftgate.cli import main

    password = server.split(":")[2].split("@")[0]
    wrong = server.replace(password, "wr0ng-passw0rd")
    with pytest.raises(lg.LiftgateError, match="refused the user or the password") as error:
        lg.read_joint(wrong, "ill", "flag", table="people")
    assert "wr0ng-passw0rd" not in "".join(traceback.format_exception(error.value))
    page = tmp_path / "page.html"
    arguments = ["audit", server, "--table", "people", "--sensitive", "ill", "--public", "flag", "--html", str(page)]
    assert main(arguments) == 0
    assert password not in page.read_text()


def test_the_policy_echo_hides_the_password(server: str, capsys: pytest.CaptureFixture[str], people: People) -> None:
    """--json names the server and not its password."""
    from liftgate.cli import main

    password = server.split(":")[2].split("@")[0]
    assert main(["audit", server, "--table", "people", "--sensitive", "ill", "--public", "flag", "--json"]) == 0
    printed = capsys.readouterr().out
    assert password not in printed
    assert "(redacted)@127.0.0.1" in printed
