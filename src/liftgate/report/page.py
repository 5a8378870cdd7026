"""The shell of every page: masthead, finding, facts, what it rests on, how it was made."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from markupsafe import Markup

from liftgate.report.icons import Shape, chip, icon

if TYPE_CHECKING:
    from jinja2 import Environment

    from liftgate.jobs.tradeoff import Tradeoff
    from liftgate.jobs.writing import Written

_FOLDER = Path(__file__).parent / "templates"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Context:
    """What only the caller of a page knows; a release may have a trade-off beside it, and rows that were written."""

    command: str | None = None
    next: str | None = None
    policy: str | None = None
    data: str | None = None
    tradeoff: Tradeoff | None = None
    written: Written | None = None


@dataclass(frozen=True)
class Verdict:
    """The finding: its shape and word, one sentence, one paragraph in people, and further paragraphs."""

    shape: Shape
    word: str
    headline: str
    lede: str
    paragraphs: Sequence[str] = ()
    figure: str = ""

    @property
    def tone(self) -> str:
        """The class that colours the word."""
        return {"in": "is-in", "out": "is-out", "unk": "is-unk"}.get(self.shape, "")


@dataclass(frozen=True)
class Fact:
    """One line of a facts label; ``aside`` follows the value in a quieter voice."""

    name: str
    value: str
    aside: str = ""


@dataclass(frozen=True)
class Facts:
    """The label on the right: the first fact is the big number."""

    title: str
    lines: Sequence[Fact]
    note: str = ""


@dataclass(frozen=True)
class Condition:
    """One line of *True only if*: a sentence and the identifier it stands for."""

    text: str
    identifier: str = ""


@dataclass(frozen=True)
class Page:
    """Everything a page shows, as plain words and finished figures.

    ``template`` extends ``base.html`` and fills its block ``sections`` from ``body``.
    """

    template: str
    kind: str
    title: str
    verdict: Verdict
    facts: Facts
    true_only_if: Sequence[Condition]
    not_said: Sequence[str]
    subject: str = ""
    stamp: Literal["private", "public"] = "private"
    body: Mapping[str, Any] = field(default_factory=dict)
    made: Sequence[str] = ()
    certificate: str | None = None
    context: Context = field(default_factory=Context)
    proof_title: str = "Read this before you quote the result"

    @property
    def stamp_text(self) -> str:
        """Who may see the page."""
        return "Private: contains your counts" if self.stamp == "private" else "Made to be published"


def render(page: Page) -> str:
    """The page as HTML text; every value that is not finished markup is escaped."""
    html = _environment().get_template(page.template).render(page=page, date=today(), version=version(), **page.body)
    return _SURROGATE.sub("\ufffd", html)


def today() -> str:
    """The date of a page: that of SOURCE_DATE_EPOCH where it is set.

    >>> os.environ["SOURCE_DATE_EPOCH"] = "0"
    >>> today()
    '1 Jan 1970'
    >>> del os.environ["SOURCE_DATE_EPOCH"]
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    day = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


@cache
def version() -> str:
    """The version of Liftgate that makes the page."""
    from importlib.metadata import version as installed

    return installed("liftgate")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    env = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals.update(css=Markup((_FOLDER / "tokens.css").read_text("utf-8")), icon=icon, chip=chip)
    return env
