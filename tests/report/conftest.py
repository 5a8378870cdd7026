"""Made-up results, one for each kind of page, and a reader of pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from liftgate.budget import Budget
from liftgate.certificates import certify
from liftgate.jobs.audit import audit
from liftgate.jobs.protect import Release, protect
from liftgate.jobs.rows import RowRelease, release_rows
from liftgate.jobs.tradeoff import Tradeoff, tradeoff
from liftgate.jobs.writing import Written
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


def never() -> Joint:
    """A table with a street that nobody lives in."""
    return Joint.from_counts([[30, 0, 9], [10, 0, 21]], ["a", "b"], ["Ash", "Birch", "Cedar"])


def unproven(search: float | None) -> Release:
    """A release whose search ended before anything was proven."""
    found = protect(town(), "between:1/2,2", "optimal")
    proof = certify(found.before, found.channel, found.budget, found.assumptions)
    return replace(found, bound=1.0, search_bound=search, certificate=proof)


@cache
def curve() -> Tradeoff:
    """Three mechanisms at four budgets; the one as printed breaks some of them."""
    return tradeoff(town(), "0.1:0.7:4", ["optimal", "merge-best", "merge-all-as-printed"], seconds=30)


def open_curve() -> Tradeoff:
    """A trade-off whose search left half of its points unproven."""
    found = curve()
    points = [
        replace(p, bound=1.0, search_bound=min(1.0, p.utility + 0.05)) if p.mechanism == "optimal" and n % 2 else p
        for n, p in enumerate(found.points)
    ]
    return replace(found, points=tuple(points[:-1]))


def written(draw: str) -> Written:
    """Rows that were written, one left out."""
    stem = Path("town-release")
    files = (stem.with_suffix(f".{end}") for end in ("parquet", "cert.json", "manifest.json"))
    return Written(*files, ("street",), 834, 1, "0" * 64, draw)


def rows(mode: str, budget: str, values: int = 2) -> RowRelease:
    """A release of the rows of 600 made-up people."""
    rng = np.random.default_rng(5)
    age, pay, job = rng.integers(18, 80, 600), rng.normal(30, 9, 600).round(1), rng.integers(3, size=600)
    score = np.column_stack([np.zeros(600), (age - 48) / 22, (pay - 30) / 9 - (job == 1)])[:, :values]
    ill = np.array(["none", "flu", "asthma"])[(score + rng.gumbel(size=score.shape)).argmax(axis=1)]
    job_names = np.array(["cook", "nurse", "diver"])[job]
    frame = pd.DataFrame({"age": age, "pay": pay, "job": job_names, "illness": ill, "moved": (pay > 30).astype(int)})
    frame.loc[::25, "pay"] = np.nan
    task = "moved" if mode == "blocks" else None
    return release_rows(frame, "illness", ["age", "pay", "job"], budget, mode, "logistic", task=task)


KINDS: dict[str, Callable[[], Any]] = {
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
    "release-response": lambda: protect(town(), "between:1/2,2", "optimal"),
    "release-merge": lambda: protect(town(), "between:1/2,2", "merge-best"),
    "release-identity": lambda: protect(town(), "between:0,5", "auto"),
    "release-constant": lambda: protect(town(), "alip:0,0", "merge-all"),
    "release-ldp": lambda: protect(town(), "ldp:1", "optimal"),
    "release-l1": lambda: protect(town(), "l1:0.3,0.3", "auto"),
    "release-chi2": lambda: protect(town(), "chi2:none,0.2", "optimal"),
    "release-alpha": lambda: protect(town(), "alpha:2,0.2,0.2", "merge-best"),
    "release-unproven": lambda: unproven(0.95),
    "release-unknown": lambda: unproven(None),
    "release-fresh": lambda: protect(town(), "between:1/2,2", "optimal"),
    "release-keyed": lambda: protect(town(), "between:1/2,2", "subset-response"),
    "release-never": lambda: protect(never(), "lip:0.3", "merge-best"),
    "release-one-value": lambda: protect(Joint.from_counts([[3], [5]]), "alip:0,0", "merge-all"),
    "release-probabilities": lambda: protect(
        Joint.from_probabilities([[0.1, 0.2, 0.05], [0.3, 0.15, 0.2]]), "lip:0.2", "subset-response"),
    "release-columns": lambda: protect(
        Joint.from_counts([[9, 1, 4], [1, 9, 4]], ["a", "b"], [("F", 3), (None, 4), ("M", 1)],
                          Source("t", ("s",), ("sex", "age"), 28)), "lip:0.4", "merge-best"),
    "release-many": lambda: protect(big(90, 4), "between:1/2,2", "merge-subsets"),
    "release-many-draws": lambda: protect(big(70, 3), "between:1/2,3/2", "subset-response"),
    "release-many-secrets": lambda: protect(big(50, 20), "between:1/4,2", "merge-subsets"),
    "rows-blocks": lambda: rows("blocks", "lip:0.4"),
    "rows-shuffle": lambda: rows("shuffle", "l1:none,0.4", 3),
    "rows-suppress": lambda: rows("suppress", "lip:0.5", 3),
    "rows-generous": lambda: rows("blocks", "lip:9"),
    "tradeoff": curve,
    "tradeoff-open": open_curve,
    "tradeoff-kinds": lambda: tradeoff(
        town(), ["lip:0.2", "lip:0.4", "between:0,3", "ldp:1", "alpha:2,none,0.3", "l1:0.1,0.3"], "merge-best"),
}  # fmt: skip


TOLD: dict[str, Callable[[], dict[str, Any]]] = {
    "release-response": lambda: {"tradeoff": curve()},
    "release-ldp": lambda: {"tradeoff": curve()},
    "release-fresh": lambda: {"written": written("fresh")},
    "release-keyed": lambda: {"written": written("keyed"), "tradeoff": open_curve()},
}


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
def made(kind: str) -> tuple[Any, str]:
    """One result and its page, made once."""
    from liftgate.report import to_html

    found = KINDS[kind]()
    told = TOLD[kind]() if kind in TOLD else {}
    return found, to_html(found, command="liftgate audit town.csv", next="liftgate protect town.csv", **told)


@pytest.fixture(params=list(KINDS))
def any_page(request: pytest.FixtureRequest) -> tuple[Any, Reader, str]:
    """Every kind of page in turn: the result, the page read, the text of the page."""
    found, html = made(request.param)
    return found, Reader(html), html


@pytest.fixture
def page() -> Callable[[str], tuple[Any, Reader, str]]:
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
