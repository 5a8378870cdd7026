"""The questions that can be asked, one function each."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, JSONResponse, Response

from liftgate import __version__
from liftgate.errors import UsageError
from liftgate.jobs.records import as_text, plain
from liftgate.web import limits, questions
from liftgate.web.guard import REPORT
from liftgate.web.live import Board, key_of
from liftgate.web.places import examples
from liftgate.web.rooms import ROOMS, field_of
from liftgate.web.work import ANSWER
from liftgate.web.workers import Job

if TYPE_CHECKING:
    from liftgate.web.app import Server

_STATIC = Path(str(files("liftgate.web") / "static"))
_TOKENS = Path(str(files("liftgate.report") / "templates" / "tokens.css"))
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_REFUSED: dict[int | str, dict[str, Any]] = {
    code: {"model": questions.Refusal} for code in (400, 403, 404, 405, 408, 409, 413, 421, 422)
}
_SECONDS_WAITED = 25.0
router = APIRouter(responses=_REFUSED)


def _server(request: Request) -> Server:
    found: Server = request.app.state.server
    return found


# ---- the page ----------------------------------------------------------------------------------


@router.get("/", include_in_schema=False)
def page(request: Request) -> Response:
    """The page."""
    from liftgate.web.pages import page as drawn

    return Response(drawn(_server(request).places), media_type="text/html")


@router.get("/static/{name:path}", include_in_schema=False)
def static(name: str) -> Response:
    """A part of the page."""
    return _static(name)


@router.get("/api.html", include_in_schema=False)
def api_page(request: Request) -> Response:
    """The list of questions, drawn from their description."""
    from liftgate.web.pages import api

    return Response(api(request.app.openapi()), media_type="text/html")


def _static(name: str) -> Response:
    listed = {p.relative_to(_STATIC).as_posix(): p for p in _STATIC.rglob("*") if p.is_file()} | {"tokens.css": _TOKENS}
    path = listed.get(name)
    if path is None or path.suffix not in _KINDS:
        return _no(404, "address", "there is no such part of the page", "reload the page")
    return Response(path.read_bytes(), media_type=_KINDS[path.suffix])


def _no(status: int, place: str, value: str, fix: str) -> Response:
    return JSONResponse({"error": {"place": place, "value": value, "fix": fix}}, status)


# ---- tables ------------------------------------------------------------------------------------


@router.get("/api/about", tags=["tables"])
def about(request: Request) -> dict[str, Any]:
    """The version, the limits, the tables that can be chosen, and one example for every room."""
    places = _server(request).places
    return {
        "version": __version__,
        "limits": limits.told(),
        "folder": str(places.folder),
        "tables": places.listed(),
        "examples": sorted(examples()),
        "rooms": {room.name: room.example for room in ROOMS},
    }


@router.get("/api/uploads", tags=["tables"], status_code=204)
def may_upload(
    request: Request, name: Annotated[str, Query(max_length=1000)], size: Annotated[int, Query(ge=0, le=1 << 60)]
) -> Response:
    """Whether a file of this size may be sent, before the first byte of it is."""
    _server(request).places.may_take(name, size)
    return Response(status_code=204)


@router.post(
    "/api/uploads", tags=["tables"], status_code=201, response_model=questions.Uploaded,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}},
)  # fmt: skip
async def upload(request: Request, name: Annotated[str, Query(max_length=1000)]) -> Any:
    """Send one file as it is; it is kept in a private folder and deleted after an hour, or when the server stops."""
    if not request.headers.get("content-type", "").startswith("application/octet-stream"):
        return _no(422, "Content-Type", "the file has to be sent as it is", "send it as application/octet-stream")
    places = _server(request).places
    told = request.headers.get("content-length")
    new = places.room_for(name, int(told) if told else None)
    try:
        with new.path.open("xb") as file:
            async for chunk in request.stream():
                new.size += len(chunk)
                if new.size > limits.UPLOAD:
                    raise UsageError(
                        new.path.name, "the file is too large", f"upload {limits.told()['upload']}, or use --folder"
                    )
                await asyncio.to_thread(file.write, chunk)
        if new.size == 0:
            raise UsageError(new.path.name, "the file is empty", "choose another file")
    except BaseException:
        shutil.rmtree(new.folder, ignore_errors=True)
        raise
    return {"table": f"upload:{places.keep(new)}", "name": new.path.name, "size": new.size}


@router.delete("/api/uploads/{key}", tags=["tables"], status_code=204)
def forget(request: Request, key: str) -> Response:
    """Delete an upload now."""
    _server(request).places.remove(key)
    return Response(status_code=204)


@router.post("/api/columns", tags=["tables"], status_code=202, response_model=questions.State)
async def columns(request: Request, asked: questions.Table) -> Any:
    """Look at a table: rows, columns, and how many values each has."""
    return _start(request, "columns", asked)


@router.post("/api/count", tags=["tables"], status_code=202, response_model=questions.State)
async def count(request: Request, asked: questions.Joint) -> Any:
    """Count a table for the sliders; the answer names the counted table."""
    server = _server(request)
    question = asked.model_dump()
    place = server.places.find(asked.table)
    key = key_of(place, question)

    def keep(joint: Any) -> str:
        server.boards.put(key, Board(joint, place, question))
        return key

    return _state(server, server.jobs.start("count", question, {"table": place}, limits.READING_SECONDS, keep))


@router.post("/api/live", tags=["tables"], response_model=questions.Verdict)
def live(request: Request, asked: questions.Live) -> Any:
    """Hold a budget against a counted table, at once; decided in whole numbers."""
    from liftgate.budget import Budget

    board = _server(request).boards.find(asked.joint)
    return _json(board.judge(Budget.parse(asked.budget) if asked.budget else None))


@router.get("/api/words", tags=["tables"], response_model=questions.Words)
def in_words(budget: Annotated[str, Query(min_length=1, max_length=200)]) -> Any:
    """A budget in words, its bounds rounded to the side that allows less."""
    from liftgate.budget import Budget
    from liftgate.web.pages import words

    return _json(words(Budget.parse(budget)))


# ---- jobs --------------------------------------------------------------------------------------


@router.post("/api/audit", tags=["rooms"], status_code=202, response_model=questions.State)
async def audit(request: Request, asked: questions.Audit) -> Any:
    """What the public columns say about the sensitive ones."""
    return _start(request, "audit", asked)


@router.post("/api/protect", tags=["rooms"], status_code=202, response_model=questions.State)
async def protect(request: Request, asked: questions.Protect) -> Any:
    """The best release inside a budget that can be found, proven; rows drawn where they are asked for."""
    return _start(request, "protect", asked, asked.seconds + limits.READING_SECONDS)


@router.post("/api/tradeoff", tags=["rooms"], status_code=202, response_model=questions.State)
async def tradeoff(request: Request, asked: questions.Tradeoff) -> Any:
    """What tighter and looser budgets would keep."""
    return _start(request, "tradeoff", asked, asked.seconds + limits.READING_SECONDS)


@router.post("/api/announce", tags=["rooms"], status_code=202, response_model=questions.State)
async def announce(request: Request, asked: questions.Announce) -> Any:
    """Decision rules announced so that an outcome tells little."""
    return _start(request, "announce", asked)


@router.post("/api/attack", tags=["rooms"], status_code=202, response_model=questions.State)
async def attack(request: Request, asked: questions.Attack) -> Any:
    """What published figures give away."""
    return _start(request, "attack", asked, asked.seconds + limits.READING_SECONDS)


@router.post("/api/couple", tags=["rooms"], status_code=202, response_model=questions.State)
async def couple(request: Request, asked: questions.Couple) -> Any:
    """How close two output laws are, proved or refuted."""
    return _start(request, "couple", asked)


@router.post("/api/check", tags=["rooms"], status_code=202, response_model=questions.State)
async def check(request: Request, asked: questions.Check) -> Any:
    """Whether a certificate holds, and what it rests on."""
    return _start(request, "check", asked)


@router.get("/api/jobs/{key}", tags=["jobs"], response_model=questions.State)
async def state(
    request: Request,
    key: str,
    since: Annotated[int, Query(ge=-1, le=1_000_000_000)] = -1,
    wait: Annotated[float, Query(ge=0, le=_SECONDS_WAITED)] = 0,
) -> Any:
    """How a job stands; with ``since`` and ``wait`` only when there is something new. A failed job answers with its error."""
    server = _server(request)
    job = _job(server, key)
    if job is None:
        return _gone()
    if job.version <= since and not job.over and wait > 0:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(job.changed.wait(), wait)
    return _state(server, job)


@router.post("/api/jobs/{key}/stop", tags=["jobs"], response_model=questions.State)
async def stop(request: Request, key: str) -> Any:
    """Take the best that was found so far."""
    server = _server(request)
    job = _job(server, key)
    if job is None:
        return _gone()
    server.jobs.stop(job)
    return _state(server, job)


@router.delete("/api/jobs/{key}", tags=["jobs"], status_code=204)
async def cancel(request: Request, key: str) -> Response:
    """End a job; nothing of it is kept."""
    server = _server(request)
    job = _job(server, key)
    if job is None:
        return _gone()
    server.jobs.cancel(job)
    return Response(status_code=204)


@router.get("/api/jobs/{key}/files/{name}", tags=["jobs"], response_class=Response)
def file(request: Request, key: str, name: str, save: bool = True) -> Response:
    """Something that a job made, to save; a report can also be looked at."""
    server = _server(request)
    job = _job(server, key)
    if job is None:
        return _gone()
    if name not in [made.name for made in job.files]:
        return _no(404, name, "the job made no such file", "choose one that is listed")
    path = job.folder / name
    if path.suffix == ".html":
        how = {"content-security-policy": REPORT}
        return FileResponse(path, media_type="text/html", headers=how, filename=name if save else None)
    return FileResponse(path, media_type="application/octet-stream", filename=name)


def _start(request: Request, kind: str, asked: questions.Question, seconds: float = limits.READING_SECONDS) -> Any:
    server = _server(request)
    question = asked.model_dump()
    places = {str(n): server.places.find(question[n]) for n in ("table", "certificate") if n in question}
    return _state(server, server.jobs.start(kind, question, places, seconds))


def _job(server: Server, key: str) -> Job | None:
    return server.jobs.jobs.get(key)


def _gone() -> Response:
    return _no(404, "this job", "it is not here any more", "ask again")


def _state(server: Server, job: Job) -> Response:
    """How a job stands, as JSON; the answer comes from its file."""
    status = 202 if not job.over else job.status
    told: dict[str, Any] = {
        "job": job.id, "kind": job.kind, "state": job.state, "version": job.version,
        "seconds": round(job.seconds, 1), "limit": job.limit, "progress": job.progress, "error": job.error,
        "field": None if job.error is None else field_of(job.kind, job.error),
        "files": [_told(job, made) for made in job.files] if job.state == "done" else [],
    }  # fmt: skip
    if job.state == "done":
        answer: Mapping[str, Any] = json.loads((job.folder / ANSWER).read_text(encoding="utf-8"))
        told["answer"] = {**answer, **({"joint": job.joint} if job.joint else {})}
    return _json(told, status)


def _told(job: Job, made: Any) -> dict[str, Any]:
    size = (job.folder / made.name).stat().st_size
    return {"name": made.name, "title": made.title, "private": made.private, "size": size}


def _json(value: Any, status: int = 200) -> Response:
    """Numbers with every digit they have, as ``--json`` prints them."""
    return Response(as_text(plain(value)), status, media_type="application/json")
