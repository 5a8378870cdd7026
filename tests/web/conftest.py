"""The local page as it is served: a real server on a real port, in a thread of the tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from liftgate.web.app import Server, application
from liftgate.web.serving import listen

TOKEN = "the-token"
TABLE = (
    "city,job,ill\n"
    + "north,cook,yes\n" * 5
    + "north,cook,no\n" * 9
    + "south,nurse,yes\nsouth,nurse,no\nsouth,cook,no\n"
)
COLUMNS = {"sensitive": ["ill"], "public": ["job"]}
OVER = ("done", "failed", "cancelled")


@dataclass
class Served:
    """A running page: how to ask it, and what is inside."""

    client: httpx.Client
    port: int
    folder: Path
    inside: Server

    def start(self, kind: str, **question: Any) -> dict[str, Any]:
        """Ask, without waiting for the answer."""
        answer = self.client.post(f"api/{kind}", json=question)
        assert answer.status_code == 202, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def ask(self, kind: str, **question: Any) -> dict[str, Any]:
        """Ask, and wait until the job is over."""
        return self.wait(self.start(kind, **question))

    def wait(self, state: dict[str, Any], until: Callable[[dict[str, Any]], bool] | None = None) -> dict[str, Any]:
        """The state of a job when it is over, or as it is wanted."""
        done = until or (lambda s: s["state"] in OVER)
        for _ in range(500):
            if done(state) or state["state"] in OVER:
                return state
            asked = {"since": state["version"], "wait": 10}
            state = self.client.get(f"api/jobs/{state['job']}", params=asked).json()
        raise AssertionError(state)


def serve(folder: Path) -> Iterator[Served]:
    """A server until its test is over."""
    listening, _ = listen(0)
    port = listening.getsockname()[1]
    app = application(folder, port, TOKEN)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", lifespan="on", ws="none", timeout_graceful_shutdown=2)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/{TOKEN}", timeout=120, trust_env=False) as client:
            yield Served(client, port, folder, app.app.state.server)  # type: ignore[attr-defined]
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for tests that leave nothing behind."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "people.csv").write_text(TABLE)
    yield from serve(folder)


@pytest.fixture
def own_page(tmp_path: Path) -> Iterator[Served]:
    """A server of its own for a test that changes its limits or its files."""
    (tmp_path / "people.csv").write_text(TABLE)
    yield from serve(tmp_path)
