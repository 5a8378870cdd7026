"""Counted tables in memory, and a budget held against one of them at once: exactly decided, ready to be drawn."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup

from liftgate.budget import Budget
from liftgate.certificates.assumptions import explain
from liftgate.errors import UsageError
from liftgate.jobs.audit import assumptions
from liftgate.joint import Joint
from liftgate.report import findings, numbers, phrases, words
from liftgate.report.drawings import chosen
from liftgate.report.figures import heat, readings
from liftgate.report.icons import VERDICT_SHAPE
from liftgate.report.page import Condition
from liftgate.report.view import View
from liftgate.web import limits
from liftgate.web.drawing import fragment
from liftgate.web.pages import words as page_words
from liftgate.web.places import Place
from liftgate.web.work import _command
from liftgate.web.worker import Task

_WORDS = {None: "Measured, not judged", "within": "Within the budget", "outside": "Outside the budget"}
_DIGITS = 2


@dataclass(frozen=True, eq=False)
class Board:
    """A counted table, drawn once: rows and columns in a fixed order, every lift with two digits."""

    joint: Joint
    place: Place
    question: Mapping[str, Any]

    @cached_property
    def plain(self) -> View:
        """The table without a budget."""
        return View(self.joint, None, np.zeros(self.joint.counts.shape, dtype=np.bool_))

    @cached_property
    def shape(self) -> tuple[list[int], list[int]]:
        """The rows and columns that are drawn."""
        return chosen(self.plain)

    @cached_property
    def exact(self) -> list[list[Fraction]]:
        """The lifts that are drawn."""
        rows, columns = self.shape
        return [[self.plain.lift_at(s, x) for s in columns] for x in rows]

    @cached_property
    def texts(self) -> list[list[str]]:
        """The same with two digits, before any budget asks for more."""
        return [[numbers.lift(v) for v in row] for row in self.exact]

    @cached_property
    def shown(self) -> Any:
        """The numbers that these texts stand for."""
        return np.array([[float(numbers.significant(v, _DIGITS)) for v in row] for row in self.exact])

    @cached_property
    def classes(self) -> list[list[str]]:
        """The colour class of every cell."""
        return [["zero" if v == 0 else f"l{heat.lift_class(float(v))}" for v in row] for row in self.exact]

    @cached_property
    def names(self) -> tuple[list[heat.Name], list[tuple[heat.Name, str]]]:
        """The headings of columns and rows, and the people of each row."""
        view, (rows, columns) = self.plain, self.shape
        return [heat.name(view.sensitive_texts[s], 28) for s in columns], [
            (heat.name(view.public_texts[x]), words.people(self.joint, view.public_counts[x])) for x in rows
        ]

    @cached_property
    def hidden(self) -> list[str]:
        """What is not drawn."""
        rows, columns = self.shape
        n_s, n_x = self.joint.counts.shape
        told = []
        if len(rows) < n_x:
            told.append(
                f"The {len(rows)} values that stray furthest are drawn; the verdict is about all {numbers.count(n_x)}."
            )
        if len(columns) < n_s:
            told.append(f"{len(columns)} of {numbers.count(n_s)} sensitive values are drawn.")
        return told

    def judge(self, budget: Budget | None) -> dict[str, Any]:
        """What the page shows for one budget."""
        joint = self.joint
        outside = self.plain.outside if budget is None else budget.cells_outside(joint)
        view = View(joint, budget, outside)
        bad = view.bad
        verdict = None if budget is None else "outside" if bool(bad.any()) else "within"
        cell = findings.clearest_cell(view)
        shares = {} if budget is None else {"within": view.share(~bad), "outside": view.share(bad)}
        finding = {
            "shape": "none" if verdict is None else VERDICT_SHAPE[verdict],
            "word": _WORDS[verdict],
            "headline": findings.headline_of(view, verdict, int(bad.sum()), False),
            "lede": findings.lede(view, verdict, bad, False),
        }
        return {
            "verdict": verdict,
            "outside": int(bad.sum()),
            "budget": None if budget is None else page_words(budget),
            "command": self._line(budget),
            "finding": fragment("finding.html", **finding),
            "markup": fragment(
                "live.html",
                case="" if cell is None else findings.case_text(view, cell),
                bar=readings.bar("", "", shares),
                key=heat.key(view.low, view.up),
                heat=self._heat(view),
                by_cell=view.by_cell and budget is not None,
                hidden=self.hidden,
                told=self._told,
                unsaid=self._unsaid(view),
            ),
        }

    def _heat(self, view: View) -> heat.HeatMap:
        columns, rows = self.names
        return heat.HeatMap(
            caption=words.cut(f"Lift of each value of {view.sensitive} for each value of {view.public}", 160),
            corner=words.capital(words.cut(view.public, 40)),
            columns=columns,
            rows=[heat.Row(name, cells, count) for (name, count), cells in zip(rows, self._cells(view), strict=True)],
            count_head="People" if words.is_count(self.joint) else "Share",
        )

    def _cells(self, view: View) -> list[list[heat.Cell]]:
        """The cells; more digits where two would read as the other side of a bound."""
        rows, columns = self.shape
        grid = np.ix_(columns, rows)
        out = (view.outside[grid].T) & view.by_cell
        texts = self.texts
        if view.low is not None and view.up is not None:
            near = self._unsure(view.low, view.up, view.below[grid].T, view.above[grid].T)
            if near.any():
                texts = [list(row) for row in texts]
                for i, k in np.argwhere(near).tolist():
                    texts[i][k] = numbers.lift(self.exact[i][k], view.low, view.up)
        return [
            [heat.Cell(text, cls, o, cls == "zero") for text, cls, o in zip(*row, strict=True)]
            for row in zip(texts, self.classes, out.tolist(), strict=True)
        ]

    def _unsure(self, low: Fraction, up: Fraction, below: Any, above: Any) -> Any:
        """Cells whose two digits might read as the wrong side; rounding to the nearest float keeps the order of decimals."""
        shown = self.shown
        ends = [float(low), float(up), float(Fraction(numbers.bound(low, "low").replace(",", ""))), 0.0]
        ends[3] = float(Fraction(numbers.bound(up, "up").replace(",", "")))
        inside = ~(below | above)
        return (
            (below & ~(shown < ends[0]))
            | (above & ~(shown > ends[1]))
            | (inside & ((shown < ends[2]) | (shown > ends[3])))
        )

    @cached_property
    def _told(self) -> list[Condition]:
        return [Condition(explain(a), a) for a in assumptions(self.joint)]

    def _unsaid(self, view: View) -> list[str | Markup]:
        public = phrases.name_in(view.public)
        lines: list[str | Markup] = [
            "Not who can be recognised in the table. This is about what a value reveals, not whose row it is.",
            Markup("Not what happens when {} is combined with another column, or released again.").format(public),
        ]
        if view.budget is None:
            lines.insert(0, "Not that this is much or little: without a budget nothing is judged.")
        else:
            lines.insert(0, "Not that what is inside is harmless: inside means inside the budget you chose.")
        return lines

    def _line(self, budget: Budget | None) -> str:
        names = ("sensitive", "public", "count", "missing", "missing_tokens", "zeros")
        asked = Task("audit", self.question, {"table": self.place}, self.place.path.parent)
        return _command("audit", asked, names, budget=None if budget is None else budget.text)


class Boards:
    """The counted tables of one server, the least used forgotten first."""

    def __init__(self) -> None:
        self._boards: OrderedDict[str, Board] = OrderedDict()

    def put(self, key: str, board: Board) -> None:
        """Keep a table."""
        self._boards[key] = board
        self._boards.move_to_end(key)
        while len(self._boards) > 1 and (len(self._boards) > limits.JOINTS or self._cells() > limits.CELLS):
            self._boards.popitem(last=False)

    def has(self, key: str) -> bool:
        """Whether it is here."""
        return key in self._boards

    def find(self, key: str) -> Board:
        """A table that was counted, if its file is still the one that was counted."""
        if key not in self._boards:
            raise UsageError("table", "it is not counted any more", "choose the columns again")
        board = self._boards[key]
        board.place.unchanged()
        self._boards.move_to_end(key)
        return board

    def _cells(self) -> int:
        return sum(b.joint.counts.size for b in self._boards.values())


def key_of(place: Place, question: Mapping[str, Any]) -> str:
    """The name of a counted table: the file as it was, and how it was counted."""
    said = repr((place.ref, place.mark, sorted(question.items())))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:24]
