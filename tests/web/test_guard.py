"""The door: this machine, the token, the page's own requests, strict headers; everything else is turned away."""

from __future__ import annotations

import socket
from html.parser import HTMLParser
from typing import Any

import httpx
import psutil
import pytest

TOKEN = "the-token"
COLUMNS = {"sensitive": ["ill"], "public": ["job"]}

LOCAL = "http://127.0.0.1"


def raw(port: int, text: bytes) -> bytes:
    """What the server says to these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(text)
        said = b""
        while chunk := line.recv(65536):
            said += chunk
    return said


@pytest.mark.parametrize(
    "path", ["/", "/api/about", "/wrong/", "/wrong/api/about", "//", "/%2e%2e/", f"/{TOKEN}x/", "/openapi.json"]
)
def test_nothing_without_the_token(path: str, page: Any) -> None:
    """The token stands in the address; without it there is nothing, and the refusal says what to do."""
    answer = httpx.get(f"{LOCAL}:{page.port}{path}", trust_env=False)
    assert answer.status_code == 403
    assert "liftgate serve" in answer.json()["error"]["fix"]


def test_an_expired_token_is_told_to_a_person_as_a_page(page: Any) -> None:
    """A bookmark of an earlier start opens a sentence, not JSON."""
    answer = httpx.get(f"{LOCAL}:{page.port}/old-token/", headers={"accept": "text/html"}, trust_env=False)
    assert answer.status_code == 403
    assert "<h1>" in answer.text
    assert "open the address that liftgate serve printed" in answer.text


@pytest.mark.parametrize(
    "host",
    [
        "evil",
        "evil:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil:{port}",
        "127.0.0.1:{port}.evil",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "",
    ],
)
def test_rebinding_is_refused(host: str, page: Any) -> None:
    """A name that was bound to this machine from outside is not the name of this page."""
    answer = page.client.get("api/about", headers={"host": host.format(port=page.port)})
    assert answer.status_code in (400, 421)


def test_two_hosts_are_refused(page: Any) -> None:
    """Which of the two would count?"""
    said = raw(
        page.port,
        f"GET /{TOKEN}/ HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nHost: evil\r\nConnection: close\r\n\r\n".encode(),
    )
    assert said.split()[1] in (b"400", b"421")


@pytest.mark.parametrize(
    "origin", ["http://evil", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://127.0.0.1:{port}.evil"]
)
def test_cross_origin_is_refused(origin: str, page: Any) -> None:
    """Another page cannot ask, whatever it asks."""
    given = {"origin": origin.format(port=page.port)}
    for answer in (page.client.get("api/about", headers=given), page.client.post("api/check", json={}, headers=given)):
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


def test_the_page_itself_may_ask(page: Any) -> None:
    """Its own origin is no other origin."""
    given = {"origin": f"{LOCAL}:{page.port}", "sec-fetch-site": "same-origin"}
    assert page.client.get("api/about", headers=given).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_of_another_page_is_refused(site: str, page: Any) -> None:
    """Browsers say where a request comes from."""
    assert page.client.get("api/about", headers={"sec-fetch-site": site}).status_code == 403


def test_no_preflight_is_granted(page: Any) -> None:
    """There is no CORS."""
    asked = {"origin": "http://evil", "access-control-request-method": "POST"}
    answer = page.client.options("api/check", headers=asked)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "path", ["", "static/main.js", "static/page.css", "api.html", "openapi.json", "api/about", "nothing"]
)
def test_strict_headers_on_everything(path: str, page: Any) -> None:
    """No inline script, no outside source, no cookie, nothing kept by the browser."""
    answer = page.client.get(path)
    rules = dict(rule.strip().split(" ", 1) for rule in answer.headers["content-security-policy"].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "http" not in answer.headers["content-security-policy"]
    assert "set-cookie" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers or "uvicorn" in answer.headers["server"]


class _Parts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, Any]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.mark.parametrize("path", ["", "api.html"])
def test_nothing_inline_and_nothing_from_elsewhere(path: str, page: Any) -> None:
    """Scripts and styles are files of this server; no tag carries a style or a handler."""
    parts = _Parts()
    parts.feed(page.client.get(path).text)
    assert len(parts.tags) > 20
    for tag, given in parts.tags:
        assert tag != "style"
        assert tag != "script" or given.get("src", "").startswith("static/")
        assert not [name for name in given if name == "style" or name.startswith("on")], (tag, given)
        for name in ("src", "href", "action"):
            assert not str(given.get(name, "")).startswith(("http", "//", "data:", "javascript:"))


def test_a_report_is_looked_at_in_a_sandbox(page: Any) -> None:
    """A report runs nothing and sends nothing, even if something got into it."""
    done = page.ask("audit", table="folder:people.csv", **COLUMNS)
    answer = page.client.get(f"api/jobs/{done['job']}/files/report.html", params={"save": False})
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert "content-disposition" not in answer.headers
    saved = page.client.get(f"api/jobs/{done['job']}/files/report.html")
    assert "attachment" in saved.headers["content-disposition"]


def test_only_loopback_listens(page: Any) -> None:
    """No other address of this machine is bound."""
    heard = [c.laddr for c in psutil.Process().net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert {(a.ip, a.port) for a in heard if a.port == page.port} == {("127.0.0.1", page.port)}


def test_large_bodies_are_refused_before_they_are_read(page: Any) -> None:
    """By the length that is told, and by the bytes that come."""
    told = raw(
        page.port,
        f"POST /{TOKEN}/api/check HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nContent-Length: 2147483648\r\nConnection: close\r\n\r\n".encode(),
    )
    assert told.split()[1] == b"413"
    answer = page.client.post("api/check", content=(b" " * 65536 for _ in range(40)))
    assert answer.status_code == 413
    assert answer.json()["error"]["place"] == "body"


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "9" * 5000])
def test_lengths_that_are_none(length: str, page: Any) -> None:
    """A refusal, not a fault."""
    said = raw(
        page.port,
        f"POST /{TOKEN}/api/check HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n".encode(),
    )
    assert said.split()[1] in (b"400", b"413")


def test_the_address_without_its_last_stroke(page: Any) -> None:
    """It leads to the page."""
    answer = httpx.get(f"{LOCAL}:{page.port}/{TOKEN}", follow_redirects=True, trust_env=False)
    assert answer.status_code == 200
    assert "<title>Liftgate</title>" in answer.text


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "main.js/../../app.py", "nothing.js", "/etc/passwd"]
)
def test_only_listed_parts_of_the_page(name: str, page: Any) -> None:
    """The static folder is a list, not a folder."""
    assert (
        raw(
            page.port,
            f"GET /{TOKEN}/static/{name} HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nConnection: close\r\n\r\n".encode(),
        ).split()[1]
        == b"404"
    )
