"""Jobs in worker processes: one process for one job, some more kept warm, a line when all are busy."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from liftgate.errors import UsageError
from liftgate.web import limits
from liftgate.web.places import Place
from liftgate.web.work import Done, Made
from liftgate.web.worker import Task

CANCELLED = {"place": "this job", "value": "it was cancelled; nothing was kept", "fix": "ask again"}
_GONE = {"place": "this job", "value": "it is not here any more", "fix": "ask again"}


@dataclass
class Job:
    """One question on its way to an answer; what it makes is in its folder, not in memory."""

    id: str
    kind: str
    folder: Path
    limit: float
    state: str = "waiting"
    version: int = 0
    progress: dict[str, Any] | None = None
    error: dict[str, str] | None = None
    status: int = 200
    files: tuple[Made, ...] = ()
    keep: Callable[[Any], str] | None = None
    joint: str | None = None
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    worker: Worker | None = None
    task: asyncio.Task[None] | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, **now: Any) -> None:
        """A new state for everybody who waits for one."""
        for name, value in now.items():
            setattr(self, name, value)
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def seconds(self) -> float:
        """How long it has worked."""
        return (self.ended or time.monotonic()) - self.began


class Worker:
    """A process with a pipe; started early, used once."""

    def __init__(self) -> None:
        self.pipe, theirs = Pipe()
        handle = theirs.fileno()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "liftgate.web.worker", str(handle)],
            pass_fds=[handle],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        )
        theirs.close()

    def end(self) -> None:
        """End the process, whatever it does, and wait for it."""
        self.process.kill()
        self.process.wait()
        self.pipe.close()


class Workers:
    """All jobs of one server."""

    def __init__(self, private: Path, most: int | None = None) -> None:
        self.folder = private / "jobs"
        self.folder.mkdir()
        self.jobs: dict[str, Job] = {}
        self._line = asyncio.Semaphore(most or max(2, os.cpu_count() or 2))
        self._spares: list[Worker] = []

    def warm(self) -> None:
        """Keep some workers ready."""
        self._spares = [w for w in self._spares if w.process.poll() is None]
        while len(self._spares) < limits.SPARE_WORKERS:
            self._spares.append(Worker())

    def start(
        self, kind: str, question: Mapping[str, Any], places: Mapping[str, Place], seconds: float,
        keep: Callable[[Any], str] | None = None,
    ) -> Job:  # fmt: skip
        """Put a job in line; ``keep`` takes a counted table and names it."""
        if sum(not job.over for job in self.jobs.values()) >= limits.WAITING:
            raise UsageError("this server", f"{limits.WAITING} jobs are waiting already", "wait, or cancel some")
        key = secrets.token_urlsafe(12)
        folder = self.folder / key
        folder.mkdir(mode=0o700)
        job = self.jobs[key] = Job(key, kind, folder, seconds, keep=keep)
        job.task = asyncio.create_task(self._run(job, Task(kind, dict(question), dict(places), folder)))
        self._forget(len(self.jobs) - limits.JOBS)
        return job

    def find(self, key: str) -> Job:
        """A job by its name."""
        if key not in self.jobs:
            raise UsageError(_GONE["place"], _GONE["value"], _GONE["fix"])
        return self.jobs[key]

    def stop(self, job: Job) -> None:
        """Ask for the best so far."""
        if job.worker is not None and not job.over:
            with contextlib.suppress(OSError):
                job.worker.pipe.send("stop")

    def cancel(self, job: Job) -> None:
        """End a job now; nothing of it is kept."""
        if not job.over:
            if job.worker is not None:
                job.worker.process.kill()
            self._end(job, "cancelled", CANCELLED, 409)
            shutil.rmtree(job.folder, ignore_errors=True)

    def expire(self) -> None:
        """Delete answers that are older than their time."""
        for job in list(self.jobs.values()):
            if job.ended is not None and time.monotonic() - job.ended > limits.KEPT_SECONDS:
                self._drop(job)

    async def close(self) -> None:
        """End every process."""
        for job in list(self.jobs.values()):
            self.cancel(job)
        for job in list(self.jobs.values()):
            if job.task is not None:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait([job.task], timeout=2)
        for worker in self._spares:
            worker.end()
        self._spares = []

    # ---- inside --------------------------------------------------------------------------------

    async def _run(self, job: Job, task: Task) -> None:
        async with self._line:
            if job.over:
                return
            self.warm()
            worker = self._spares.pop(0)
            job.began = time.monotonic()
            job.tell(state="working", worker=worker)
            try:
                await asyncio.wait_for(self._follow(job, worker, task), job.limit)
            except TimeoutError:
                fix = "give it more time, fewer columns or a smaller table"
                late = {"place": "this job", "value": f"it was not done after {job.limit:.0f} seconds", "fix": fix}
                self._end(job, "failed", late, 408)
            except (EOFError, OSError):
                fix = "ask again; if it happens again, the table may be too large for the memory of this machine"
                self._end(job, "failed", {"place": "this job", "value": "its process ended", "fix": fix}, 409)
            finally:
                job.worker = None
                worker.process.kill()
                await asyncio.to_thread(worker.end)
        self.warm()

    async def _follow(self, job: Job, worker: Worker, task: Task) -> None:
        worker.pipe.send(task)
        while True:
            word, told = await _receive(worker.pipe)
            if job.over:
                return
            if word == "progress":
                job.tell(progress=told)
            elif word == "done":
                found: Done = told
                if found.joint is not None and job.keep is not None:
                    job.joint = job.keep(found.joint)
                job.ended = time.monotonic()
                job.tell(state="done", files=found.files)
                return
            else:
                self._end(job, "failed", told, 422)
                return

    def _end(self, job: Job, state: str, error: dict[str, str], status: int) -> None:
        if not job.over:
            job.ended = time.monotonic()
            job.tell(state=state, error=error, status=status)

    def _forget(self, many: int) -> None:
        for job in [j for j in self.jobs.values() if j.over][: max(0, many)]:
            self._drop(job)

    def _drop(self, job: Job) -> None:
        self.jobs.pop(job.id, None)
        shutil.rmtree(job.folder, ignore_errors=True)


async def _receive(pipe: Connection) -> tuple[str, Any]:
    """The next word of a worker, without holding up the server."""
    loop = asyncio.get_running_loop()
    if not pipe.poll():
        ready = asyncio.Event()
        loop.add_reader(pipe.fileno(), ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(pipe.fileno())
    word: tuple[str, Any] = await asyncio.to_thread(pipe.recv)
    return word
