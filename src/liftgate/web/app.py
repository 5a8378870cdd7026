"""The application: typed questions in, states of jobs and answers out; every error is the record of the command line."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from liftgate import __version__
from liftgate.errors import LiftgateError
from liftgate.web.guard import Guard
from liftgate.web.live import Boards
from liftgate.web.places import Places
from liftgate.web.rooms import field_of
from liftgate.web.routes import router
from liftgate.web.workers import Workers

_SWEEP_SECONDS = 60


class Server:
    """What the routes share: tables, counted tables, jobs."""

    def __init__(self, folder: Path, most_workers: int | None = None) -> None:
        self.places = Places(folder)
        self.boards = Boards()
        self.workers: Workers | None = None
        self._most = most_workers

    @property
    def jobs(self) -> Workers:
        """The worker processes; there are some while the server runs."""
        assert self.workers is not None
        return self.workers

    async def run(self) -> None:
        """Delete what is older than its time."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self.places.expire()
            self.jobs.expire()

    @contextlib.asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        """From the first to the last request; at the end nothing is left."""
        self.workers = Workers(self.places.private, self._most)
        self.workers.warm()
        sweeping = asyncio.create_task(self.run())
        try:
            yield
        finally:
            sweeping.cancel()
            await self.workers.close()
            self.places.close()


def application(folder: Path, port: int, token: str | None = None, most_workers: int | None = None) -> Guard:
    """The whole application behind its door."""
    server = Server(folder, most_workers)
    app = FastAPI(
        title="Liftgate, the local page",
        version=__version__,
        description="Every answer is the record that the command of the same name prints with --json.",
        docs_url=None,
        redoc_url=None,
        lifespan=server.lifespan,
        separate_input_output_schemas=False,
    )
    app.state.server = server
    app.include_router(router)
    app.add_exception_handler(LiftgateError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    return Guard(app, token or secrets.token_urlsafe(24), port)


def refusal(request: Request, place: str, value: str, fix: str) -> JSONResponse:
    """An error as the command line tells it, and the field of the form that it is about."""
    record = {"place": place, "value": value, "fix": fix}
    kind = request.url.path.rstrip("/").rpartition("/")[2]
    return JSONResponse({"error": record, "field": field_of(kind, record)}, 422)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, LiftgateError)
    return refusal(request, error.place, error.problem, error.fix)


def _invalid(request: Request, error: Exception) -> Response:
    """The first field that is not what it has to be."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ", ".join(str(p) for p in first.get("loc", ()) if p not in ("body", "query", "path")) or "question"
    return refusal(
        request,
        place.encode("utf-8", "replace").decode(),
        str(first.get("msg", "is not what is asked for")),
        "see the list of questions: api.html",
    )


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse(
        {"error": {"place": "address", "value": str(error.detail), "fix": "see the list of questions: api.html"}},
        error.status_code,
        error.headers,
    )
