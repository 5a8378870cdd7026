"""Jobs: they tell how far they are, can be stopped and cancelled, end at their limit, and never take others with them."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import Any

import psutil
import pytest

from liftgate.web import limits, work
from liftgate.web.worker import Desk, Task, answer

COLUMNS = {"sensitive": ["ill"], "public": ["job"]}
ADULT = {
    "table": "example:adult_counts.csv",
    "sensitive": ["relationship"],
    "public": ["occupation"],
    "count": "people",
}
LONG = {
    **ADULT,
    "public": ["occupation", "education"],
    "budget": "alip:0.3,0.3",
    "mechanism": "optimal",
    "seconds": 120,
}


def working(state: dict[str, Any]) -> bool:
    return bool(state["state"] == "working")


def process_of(page: Any, state: dict[str, Any]) -> psutil.Process:
    """The worker of a job."""
    return psutil.Process(page.inside.jobs.jobs[state["job"]].worker.process.pid)


def test_a_search_tells_how_it_stands_and_can_be_stopped(page: Any) -> None:
    """Found and not yet proven, drawn; stopped, the best so far is a whole answer with its certificate."""
    state = page.start("protect", **LONG)
    state = page.wait(state, lambda s: bool((s["progress"] or {}).get("markup")))
    assert state["state"] == "working"
    assert "not yet proven" in state["progress"]["markup"]
    assert 'role="img"' in state["progress"]["markup"]
    begun = time.monotonic()
    assert page.client.post(f"api/jobs/{state['job']}/stop").status_code == 202
    done = page.wait(state)
    assert time.monotonic() - begun < 90
    assert done["state"] == "done"
    assert {f["name"] for f in done["files"]} == {"report.html", "certificate.json", "record.json"}
    assert done["answer"]["record"]["verdict"] == "within"


def test_a_cancelled_job_is_gone_at_once(page: Any) -> None:
    """Its process ends, its files go, and whoever waits for it hears of it."""
    state = page.wait(page.start("protect", **LONG), working)
    process, folder = process_of(page, state), page.inside.jobs.jobs[state["job"]].folder
    assert page.client.delete(f"api/jobs/{state['job']}").status_code == 204
    told = page.client.get(f"api/jobs/{state['job']}")
    assert told.status_code == 409
    assert told.json()["state"] == "cancelled"
    assert "cancelled" in told.json()["error"]["value"]
    psutil.wait_procs([process], timeout=20)
    assert not process.is_running()
    assert not folder.exists()
    assert page.client.delete(f"api/jobs/{state['job']}").status_code == 204


def test_a_job_ends_at_its_time_limit(own_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an error that says what to change."""
    from liftgate.web import routes

    monkeypatch.setattr(routes.limits, "READING_SECONDS", 0.05)
    state = own_page.ask("protect", **{**LONG, "seconds": 0.05})
    assert state["state"] == "failed"
    assert "not done after" in state["error"]["value"]
    assert own_page.client.get(f"api/jobs/{state['job']}").status_code == 408


def test_a_killed_worker_shows_in_its_own_tab_only(page: Any) -> None:
    """kill -9 of one worker: that job fails with a fix, the one beside it goes on, the next is answered."""
    hit = page.wait(page.start("protect", **LONG), working)
    beside = page.wait(page.start("protect", **LONG), working)
    os.kill(process_of(page, hit).pid, signal.SIGKILL)
    failed = page.wait(hit)
    assert failed["state"] == "failed"
    assert failed["error"] == {
        "place": "this job",
        "value": "its process ended",
        "fix": "ask again; if it happens again, the table may be too large for the memory of this machine",
    }
    assert process_of(page, beside).is_running()
    assert page.client.get(f"api/jobs/{beside['job']}").json()["state"] == "working"
    page.client.delete(f"api/jobs/{beside['job']}")
    assert page.ask("columns", table="folder:people.csv")["state"] == "done"


def test_killed_spares_are_replaced(page: Any) -> None:
    """A process that waited for work and died is no loss."""
    for worker in list(page.inside.jobs._spares):
        worker.process.kill()
        worker.process.wait()
    assert page.ask("columns", table="folder:people.csv")["state"] == "done"


def test_a_fault_of_ours_is_told_as_one() -> None:
    """A worker that meets what nobody thought of says so, with the kind of fault, and its traceback is on the console."""
    task = Task("nothing", {}, {}, Path())
    word, told = answer(task, Desk(Pipe()[0]))
    assert word == "failed"
    assert told["value"] == "a fault of Liftgate, not of your file (KeyError)"
    assert told["fix"].startswith("please report it")


def test_jobs_that_are_not_here(page: Any) -> None:
    """404 with the record, for every way to ask."""
    for method, path in [("GET", "x"), ("POST", "x/stop"), ("DELETE", "x"), ("GET", "x/files/report.html")]:
        told = page.client.request(method, f"api/jobs/{path}")
        assert told.status_code == 404
        assert told.json()["error"]["fix"] == "ask again"


def test_only_the_files_of_a_job(page: Any) -> None:
    """Not its answer file, not its neighbours."""
    done = page.ask("couple", left="a: 1", right="a: 1", exp_eps="2")
    for name in ("answer.json", "left.json", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e"):
        assert page.client.get(f"api/jobs/{done['job']}/files/{name}").status_code in (404, 405)


def test_the_line_has_an_end(own_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """More jobs than may wait are refused, and the refusal says what to do."""
    monkeypatch.setattr(limits, "WAITING", 2)
    jobs = [own_page.start("protect", **LONG) for _ in range(2)]
    told = own_page.client.post("api/columns", json={"table": "folder:people.csv"})
    assert told.status_code == 422
    assert "cancel" in told.json()["error"]["fix"]
    for job in jobs:
        own_page.client.delete(f"api/jobs/{job['job']}")


def test_old_answers_are_forgotten(own_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the number that is kept, and after an hour."""
    monkeypatch.setattr(limits, "JOBS", 2)
    done = [own_page.ask("columns", table="folder:people.csv") for _ in range(4)]
    assert own_page.client.get(f"api/jobs/{done[0]['job']}").status_code == 404
    assert own_page.client.get(f"api/jobs/{done[3]['job']}").status_code == 200
    monkeypatch.setattr(limits, "KEPT_SECONDS", -1)
    own_page.inside.jobs.expire()
    assert not list(own_page.inside.jobs.folder.iterdir())


def test_every_kind_has_a_question() -> None:
    """What a worker can do is what can be asked."""
    from liftgate.web.routes import router

    posts = {r.path.removeprefix("/api/") for r in router.routes if "POST" in getattr(r, "methods", ())}
    assert set(work.KINDS) <= posts
    assert posts - set(work.KINDS) == {"uploads", "live", "jobs/{key}/stop"}
