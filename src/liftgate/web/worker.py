"""A worker process: it gets one task, says how it stands, gives one answer and ends; memory goes with it."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import threading
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from liftgate.errors import record_of
from liftgate.web import limits
from liftgate.web.places import Place

FAULT = "a fault of Liftgate, not of your file"


@dataclass(frozen=True)
class Task:
    """What is asked of a worker: a kind of job, a question, the files it names, and a folder for what is made."""

    kind: str
    question: Mapping[str, Any]
    places: Mapping[str, Place]
    folder: Path


@dataclass
class Desk:
    """What a job sees of the world while it works: it may say how it stands, and is told to stop."""

    pipe: Connection
    stop: threading.Event = field(default_factory=threading.Event)

    def tell(self, **progress: Any) -> bool:
        """Say how it stands; False when the best so far is to be taken."""
        self.pipe.send(("progress", progress))
        return not self.stop.is_set()

    def say(self, **progress: Any) -> None:
        """The same where nothing can be stopped half-way."""
        self.tell(**progress)

    def listen(self) -> None:
        """Wait for a word from the server; when the server is gone, so is the worker."""
        while True:
            try:
                if self.pipe.recv() == "stop":
                    self.stop.set()
            except (EOFError, OSError):
                os._exit(1)


def main(handle: int) -> None:
    """Get ready, work once, answer, end."""
    os.umask(0o077)
    for limit, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, limits.UNPACKED)):
        resource.setrlimit(limit, (value, resource.getrlimit(limit)[1]))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")  # short of memory: the worker goes, not the server
    pipe = Connection(handle)
    from liftgate.web import work

    work.warm()
    try:
        task: Task = pipe.recv()
    except (EOFError, OSError):
        return
    desk = Desk(pipe)
    threading.Thread(target=desk.listen, daemon=True).start()
    pipe.send(answer(task, desk))
    os._exit(0)


def answer(task: Task, desk: Desk) -> tuple[str, Any]:
    """The answer of one task, or why there is none; nothing a file holds ends the server."""
    from liftgate.web import work

    try:
        for place in task.places.values():
            place.unchanged()
        return "done", work.KINDS[task.kind](task, desk)
    except Exception as error:
        record = record_of(error)
        if record is None:
            traceback.print_exc()
            fix = "please report it with the command that this page can copy"
            record = {"place": task.kind, "value": f"{FAULT} ({type(error).__name__})", "fix": fix}
        return "failed", record


if __name__ == "__main__":
    main(int(sys.argv[1]))
