"""Pages in Debian's Chromium, steered by Playwright; run by ``make test-browser``."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
    "--hide-scrollbars",
)
VIEWS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 360, "height": 740}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "print": {"viewport": {"width": 688, "height": 1000}},
}
EPOCH = "1700000000"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for a ``kind`` of page runs for all of them."""
    if "every_kind" in metafunc.fixturenames:
        metafunc.parametrize("every_kind", list(_made_up().KINDS))


def _made_up() -> Any:
    """The made-up audits of tests/report."""
    spec = importlib.util.spec_from_file_location("made_up_audits", HERE.parent / "report" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One browser for the whole run."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert path, "chromium is not installed: make test-browser installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of one kind of page, written once, dated always the same."""
    folder = tmp_path_factory.mktemp("pages")
    made_up = _made_up()

    def file(kind: str) -> Path:
        path = folder / f"{kind}.html"
        if not path.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SOURCE_DATE_EPOCH", EPOCH)
                path.write_text(made_up.made(kind)[1], "utf-8")
        return path

    return file


class Opened:
    """An open page with what it asked for and complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))


@pytest.fixture
def show(chromium: Any, files: Callable[[str], Path]) -> Iterator[Callable[[str, str], Opened]]:
    """Opens a kind of page in a view: desktop, phone, dark or print."""
    contexts: list[Any] = []

    def opened(kind: str, view: str) -> Opened:
        context = chromium.new_context(**VIEWS[view])
        contexts.append(context)
        found = Opened(context.new_page())
        if view == "print":
            found.page.emulate_media(media="print")
        found.page.goto(files(kind).as_uri())
        return found

    yield opened
    for context in contexts:
        context.close()


class Served:
    """The local page as the command serves it: its address, its folder of tables, its process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        code = f"import sys; from liftgate.cli import run; sys.argv = ['liftgate', 'serve', '--no-open', '--port', '0', '--folder', {str(folder)!r}]; run()"
        env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
        self.process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=env)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1]

    def close(self) -> None:
        """End the server as Ctrl-C does."""
        self.process.terminate()
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the whole run."""
    folder = tmp_path_factory.mktemp("served") / "tables"
    folder.mkdir()
    found = Served(folder)
    yield found
    found.close()


@pytest.fixture
def tab(chromium: Any, served: Served) -> Iterator[Callable[..., Opened]]:
    """Opens the local page in a view, at a place in it."""
    contexts: list[Any] = []

    def opened(view: str = "desktop", at: str = "", **more: Any) -> Opened:
        context = chromium.new_context(**VIEWS[view], accept_downloads=True, **more)
        context.set_default_timeout(60_000)
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.goto(served.address + at)
        return found

    yield opened
    for context in contexts:
        context.close()
