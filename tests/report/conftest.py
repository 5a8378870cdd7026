"""Made-up audits, one for each kind of page, and a reader of pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

from liftgate.budget import Budget
from liftgate.jobs.audit import Audit, audit
from liftgate.joint import Joint, Source

STREETS = ["Ash", "Birch", "Cedar", "Dogwood", "Elm"]
ILLNESSES = ["none", "flu", "asthma"]
COUNTS = [[300, 180, 90, 6, 40], [60, 45, 20, 12, 5], [40, 25, 10, 2, 0]]


def town(rows: int | None = 835) -> Joint:
    """Five streets, three states of health; nobody in Elm has asthma."""
    return Joint.from_counts(
        COUNTS, ILLNESSES, STREETS, Source("town.csv", ("illness",), ("street",), rows, (("street", 7),))
    )


def big(public: int, sensitive: int) -> Joint:
    """A large table of random counts."""
    rng = np.random.default_rng(public + sensitive)
    return Joint.from_counts(rng.integers(1, 60, (sensitive, public)))


KINDS: dict[str, Callable[[], Audit]] = {
    "outside": lambda: audit(town(), Budget.between("1/2", 2)),
    "within": lambda: audit(town(), Budget.between(0, 5)),
    "none": lambda: audit(town()),
    "sample-outside": lambda: audit(
        Joint.from_counts(np.array(COUNTS) * 40, ILLNESSES, STREETS, Source("t", ("illness",), ("street",), 33400)),
        Budget.between("1/2", 2), rows="sample"),
    "sample-within": lambda: audit(Joint.from_counts(np.array(COUNTS) * 400, source=Source(rows=334000)),
                                   Budget.between(0, 10), rows="sample"),
    "sample-unknown": lambda: audit(Joint.from_counts([[6, 2], [4, 3]], source=Source(rows=15)),
                                    Budget.between("1/2", "3/2"), rows="sample"),
    "ldp": lambda: audit(town(), Budget.ldp(1)),
    "l1": lambda: audit(town(), Budget.l1(0.5, 0.5)),
    "chi2": lambda: audit(town(), Budget.chi2(None, 1)),
    "alpha": lambda: audit(town(), Budget.alpha("5/2", None, 0.5)),
    "alpha-inverse": lambda: audit(town(), Budget.alpha(2, 1, 1)),
    "one-value": lambda: audit(Joint.from_counts([[3], [5]]), Budget.alip(0, 0)),
    "nothing": lambda: audit(Joint.from_counts([[3, 6], [5, 10]])),
    "probabilities": lambda: audit(Joint.from_probabilities([[0.1, 0.2, 0.05], [0.3, 0.15, 0.2]]), Budget.lip(0.5)),
    "columns": lambda: audit(
        Joint.from_counts([[9, 1], [1, 9]], ["a", "b"], [("F", 3), (None, 4)], Source("t", ("s",), ("sex", "age"), 20)),
        Budget.lip(0.5)),
    "many-values": lambda: audit(big(90, 4), Budget.between("1/2", 2)),
    "many-secrets": lambda: audit(big(50, 20), Budget.between("1/2", 2)),
    "huge": lambda: audit(big(700, 5)),
}  # fmt: skip


class Reader(HTMLParser):
    """Tags, attributes and text of a page; complains about tags that do not close."""

    VOID = frozenset(("meta", "br", "input", "link", "img", "hr"))

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self.wrong: list[str] = []
        self.feed(html)
        self.close()
        self.wrong += [f"{tag} is never closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> in {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((tuple(self.open), data))

    def within(self, tag: str) -> list[str]:
        """Every piece of text inside such an element."""
        return [text for path, text in self.texts if tag in path]

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every such element."""
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def text(self) -> str:
        """What a person reads, with single blanks."""
        return " ".join(" ".join(t for path, t in self.texts if "style" not in path).split())


@cache
def made(kind: str) -> tuple[Audit, str]:
    """One audit and its page, made once."""
    from liftgate.report import to_html

    found = KINDS[kind]()
    return found, to_html(found, command="liftgate audit town.csv", next="liftgate protect town.csv")


@pytest.fixture(params=list(KINDS))
def any_page(request: pytest.FixtureRequest) -> tuple[Audit, Reader, str]:
    """Every kind of page in turn: the audit, the page read, the text of the page."""
    found, html = made(request.param)
    return found, Reader(html), html


@pytest.fixture
def page() -> Callable[[str], tuple[Audit, Reader, str]]:
    """The page of one kind."""
    return lambda kind: (made(kind)[0], Reader(made(kind)[1]), made(kind)[1])


@pytest.fixture
def read() -> type[Reader]:
    """The reader of pages."""
    return Reader


@pytest.fixture
def streets() -> Joint:
    """The made-up town."""
    return town()
