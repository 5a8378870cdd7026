"""ATR Appendix B on the public Credit Approval table: influences of a classifier, and the rules that they give away.

The paper's network, its preprocessing and its rows are not published. Here logistic models on all complete rows play the
part of the decision maker: several penalties, several splits, chosen before anything was looked at.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.papers.clock import Clock
from liftgate.papers.lift_tables import VARIABLE
from liftgate.transparency import People, influence, rule_from_one_influence, rules_from_two_influences
from liftgate.transparency.grouping import FloatArray

NUMBERS = (1, 2, 7, 10, 13, 14)
PUBLIC = (3, 4, 5, 6)
PRIVATE = tuple(k for k in range(15) if k not in PUBLIC)
A9, A11 = 8, 10
QID = ("y", "p", "k", "v")
PENALTIES = (0.1, 1.0, 10.0)
MISSING = "?"


@dataclass(frozen=True, eq=False)
class Credit:
    """The table: all rows as text, and the complete ones as numbers (categories numbered in the order of their names)."""

    rows: tuple[tuple[str, ...], ...]
    complete: tuple[tuple[str, ...], ...]
    names: tuple[tuple[str, ...], ...]
    inputs: FloatArray
    approved: NDArray[np.bool_]

    def group(self, low: float, high: float) -> NDArray[np.bool_]:
        """Complete rows of the public record (y, p, k, v) whose A11 is between these numbers."""
        same = np.array([tuple(row[k] for k in PUBLIC) == QID for row in self.complete])
        return np.asarray(same & (self.inputs[:, A11] >= low) & (self.inputs[:, A11] <= high))


@dataclass(frozen=True)
class Trial:
    """One classifier: its accuracy on rows that it has not seen, the rates of both groups, and what influences tell."""

    accuracy: float
    rate_1: float
    rate_0: float
    all_1: float
    all_0: float
    a9_1: float
    chance_f: float

    @property
    def pinned(self) -> bool:
        """Method 1 of Appendix B: the difference of two influences fixes both rules."""
        (low_1, high_1), (low_0, high_0) = rules_from_two_influences(self.all_1, self.all_0)
        return high_1 - low_1 < 1e-9 and high_0 - low_0 < 1e-9

    @property
    def pinned_by_one(self) -> bool:
        """Method 2: one influence, divided by the chance of another value, is 1."""
        (low, high), _ = rule_from_one_influence(self.a9_1, self.chance_f)
        return high - low < 1e-9


def credit_file() -> tuple[Path | None, str]:
    """The file of the table, or what is missing."""
    named = os.environ.get(VARIABLE, "").strip()
    if not named:
        return None, f"the variable {VARIABLE} names no folder"
    path = Path(named) / "credit_approval" / "crx.data"
    if not path.is_file():
        return None, f"there is no file credit_approval/crx.data in the folder that {VARIABLE} names"
    return path, ""


def read_credit(path: Path) -> Credit:
    """690 rows of 15 inputs and the class, 653 of them complete."""
    rows = tuple(tuple(text.strip().split(",")) for text in path.read_text("utf-8").splitlines() if text.strip())
    if not rows or any(len(row) != 16 or row[15] not in ("+", "-") for row in rows):
        raise DataError(path.name, "not 16 columns with + or - in the last", "give crx.data of the UCI table")
    complete = tuple(row for row in rows if MISSING not in row)
    names = tuple(() if k in NUMBERS else tuple(sorted({row[k] for row in complete})) for k in range(15))
    inputs = np.array(
        [[float(row[k]) if k in NUMBERS else names[k].index(row[k]) for k in range(15)] for row in complete]
    )
    return Credit(rows, complete, names, inputs, np.array([row[15] == "+" for row in complete]))


def encoder(credit: Credit) -> Callable[[FloatArray], FloatArray]:
    """Numbers brought to one scale, one column for every category."""
    middle, spread = credit.inputs.mean(axis=0), credit.inputs.std(axis=0)
    tables = {k: np.eye(len(n)) for k, n in enumerate(credit.names) if n}

    def encode(records: FloatArray) -> FloatArray:
        parts = [
            tables[k][records[:, k].astype(np.int64)] if k in tables else (records[:, [k]] - middle[k]) / spread[k]
            for k in range(15)
        ]
        return np.concatenate(parts, axis=1)

    return encode


def trials(credit: Credit, draws: int, seed: int, clock: Clock) -> list[Trial]:
    """One classifier for each penalty and split; as many splits as there is time for."""
    out: list[Trial] = []
    encode = encoder(credit)
    for draw in range(draws):
        if out and clock.past(0.9):
            break
        for penalty in PENALTIES:
            out.append(_trial(credit, encode, penalty, seed + draw))
        clock.tell("classifiers, Credit Approval", draw + 1, draws)
    return out


def _trial(credit: Credit, encode: Callable[[FloatArray], FloatArray], penalty: float, seed: int) -> Trial:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    learn, held = train_test_split(
        np.arange(len(credit.complete)), test_size=0.2, random_state=seed, stratify=credit.approved
    )
    model = LogisticRegression(C=penalty, max_iter=2000).fit(encode(credit.inputs[learn]), credit.approved[learn])

    def decide(records: NDArray[Any]) -> FloatArray:
        return np.asarray(model.decision_function(encode(records)) > 0, dtype=np.float64)

    said = decide(credit.inputs)
    w_1, w_0 = credit.group(10, 11), credit.group(0, 1)
    asked = {name: People.of(credit.inputs, asked=w) for name, w in (("1", w_1), ("0", w_0))}
    return Trial(
        float((said[held] == credit.approved[held]).mean()),
        float(said[w_1].mean()),
        float(said[w_0].mean()),
        influence(decide, asked["1"], PRIVATE),
        influence(decide, asked["0"], PRIVATE),
        influence(decide, asked["1"], [A9]),
        float((credit.inputs[:, A9] == credit.names[A9].index("f")).mean()),
    )
