"""The door: this machine only, the token in the address, no other page's requests, no large bodies, strict headers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from secrets import compare_digest
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from liftgate.web import limits

PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; "
    "trusted-types liftgate"
)
"""Nothing inline, nothing from elsewhere."""
REPORT = "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
"""A report is one file with its style in it; it runs nothing, and may be looked at inside the page only."""
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
_AGAIN = "open the address that liftgate serve printed; it is new each time"


@dataclass(frozen=True)
class Guard:
    """Lets a request through when it comes from the page itself."""

    app: ASGIApp
    token: str
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        no = self._refusal(scope, headers)
        if no is not None:
            await _refuse(send, *no, html="text/html" in headers.get("accept", "") and scope["method"] == "GET")
            return
        if scope["path"] == f"/{self.token}":
            await _with_headers(send)(
                {"type": "http.response.start", "status": 307, "headers": [(b"location", f"/{self.token}/".encode())]}
            )
            await send({"type": "http.response.body", "body": b""})
            return
        scope = {**scope, "root_path": f"/{self.token}"}
        if self._is_upload(scope):
            await self.app(scope, receive, _with_headers(send))
            return
        body = await _whole_body(receive)
        if body is None:
            await _refuse(send, 413, "body", f"more than {limits.QUESTION // limits.MEGABYTE} MB", "send less")
            return
        await self.app(scope, _replayed(body, receive), _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str, str] | None:
        hosts = (f"127.0.0.1:{self.port}", f"localhost:{self.port}")
        if headers.getlist("host") not in ([h] for h in hosts):
            return 421, "Host", "this server answers only to the address of this machine", _AGAIN
        origins = headers.getlist("origin")
        if origins and origins not in ([f"http://{h}"] for h in hosts):
            return 403, "Origin", "the request comes from another page", _AGAIN
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403, "Sec-Fetch-Site", "the request comes from another page", _AGAIN
        given = scope["path"].removeprefix("/").partition("/")[0]
        if not compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            return 403, "address", "its token is missing, wrong or of an earlier start", _AGAIN
        size = headers.get("content-length", "0")
        if not size.isdecimal() or (not self._is_upload(scope) and int(size) > limits.QUESTION):
            return 413, "body", f"more than {limits.QUESTION // limits.MEGABYTE} MB", "send less, or upload a file"
        return None

    def _is_upload(self, scope: Scope) -> bool:
        """Uploads are counted while they come in, and have a limit of their own."""
        return bool(scope["path"] == f"/{self.token}/api/uploads")


async def _whole_body(receive: Receive) -> bytes | None:
    """The body, or None where it is too large."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += bytes(message.get("body", b""))
        if len(body) > limits.QUESTION:
            return None
        if not message.get("more_body", False):
            return body


def _replayed(body: bytes, receive: Receive) -> Receive:
    told = False

    async def again() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: Send) -> Send:
    async def more(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("content-security-policy", PAGE)
        await send(message)

    return more


async def _refuse(send: Send, status: int, place: str, value: str, fix: str, html: bool = False) -> None:
    record: dict[str, Any] = {"error": {"place": place, "value": value, "fix": fix}}
    if html:
        text = f"<!doctype html><html lang=en><meta charset=utf-8><title>Liftgate</title><h1>This page cannot be shown</h1><p>{place}: {value}.</p><p>What to do: {fix}.</p>"
        kind = b"text/html; charset=utf-8"
    else:
        text, kind = json.dumps(record), b"application/json"
    start: Message = {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]}
    await _with_headers(send)(start)
    await send({"type": "http.response.body", "body": text.encode()})
