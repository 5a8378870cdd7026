"""DOG section IV on COMPAS: the rows, log-lift networks on a part of them, and what they say about the rest."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.estimators import ESTIMATORS
from liftgate.estimators.funnels import RowPoint, funnel_of_rows
from liftgate.estimators.reading import RowTable, read_rows
from liftgate.estimators.rows import Sample
from liftgate.estimators.scale import normalised
from liftgate.papers.clock import Clock
from liftgate.papers.lift_tables import VARIABLE

Floats = NDArray[np.float64]
PUBLIC = ("sex", "age", "priors_count", "length_of_stay_days", "decile_score")
RACES = ("African-American", "Caucasian")
NEEDED = ("race", *PUBLIC, "days_b_screening_arrest", "is_recid", "c_charge_degree", "score_text")
TABLE_1 = (
    ("Male", 21, 1, 1, 9, "African-American"), ("Male", 33, 5, 0, 5, "African-American"),
    ("Male", 43, 0, 2, 1, "Caucasian"), ("Male", 27, 13, 0, 10, "African-American"),
    ("Male", 59, 8, 8, 8, "African-American"), ("Male", 29, 5, 5, 7, "African-American"),
    ("Male", 25, 1, 0, 3, "African-American"),
)  # fmt: skip
"""DOG Table I: gender, age, prior counts, length of stay, recidivism score, race."""
TRAINED = 0.7
EXTREME = 150
METHODS = ("network", "dv", "dv-exact")
GRID = (*(round(0.05 * k, 2) for k in range(1, 33)), math.inf)
"""Every eps of Figure 2, and one that flags nothing."""


@dataclass(frozen=True, eq=False)
class Compas:
    """The rows of the paper, and how many the file has."""

    rows: RowTable
    every: int
    name: str

    def column(self, name: str) -> NDArray[Any]:
        """The entries of a public column."""
        column = next(c for c in self.rows.sample.rows.columns if c.name == name)
        if column.kind == "number":
            return column.values
        return np.array([str(column.labels[k]) for k in column.values])


@dataclass(frozen=True, eq=False)
class Trial:
    """One split: the score of each method on held-out rows, how far the raw output of a network is off, and the
    watchdog's trade-off on both parts.
    """

    information: dict[str, float]
    outside_raw: float
    outside_same: float
    deviation: float
    train: tuple[RowPoint, ...]
    test: tuple[RowPoint, ...]


def compas_file() -> tuple[Path | None, str]:
    """The table of COMPAS, or what is missing."""
    named = os.environ.get(VARIABLE, "").strip()
    if not named:
        return None, f"the variable {VARIABLE} names no folder"
    path = Path(named) / "compas" / "compas_slim.csv"
    if not path.is_file():
        return None, f"there is no file compas/compas_slim.csv in the folder that {VARIABLE} names"
    return path, ""


def read_compas(path: Path) -> Compas:
    """ProPublica's filter, then two races; the paper counts 5,278 rows after it."""
    import pyarrow.compute as pc
    import pyarrow.csv

    table = pyarrow.csv.read_csv(path, convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True))
    absent = [name for name in NEEDED if name not in table.column_names]
    if absent:
        raise DataError(path.name, f"no column is called {absent[0]!r}", "give the table of COMPAS scores of two years")
    near = pc.less_equal(pc.abs(table["days_b_screening_arrest"]), 30)
    known = pc.and_(pc.not_equal(table["is_recid"], -1), pc.not_equal(table["c_charge_degree"], "O"))
    scored = pc.and_(pc.is_valid(table["score_text"]), pc.is_in(table["race"], pyarrow.array(RACES)))
    kept = table.filter(pc.and_(pc.and_(near, known), scored)).select(["race", *PUBLIC])
    return Compas(read_rows(kept, "race", PUBLIC), table.num_rows, path.name)


def trials(compas: Compas, draws: int, seed: int, clock: Clock) -> list[Trial]:
    """Splits of 70 to 30, as many as there is time for; the first is always made."""
    found: list[Trial] = []
    for k in range(draws):
        if found and clock.past(0.8):
            break
        found.append(_trial(compas, seed + k))
        clock.tell("splits of COMPAS", k + 1, draws)
    return found


def _trial(compas: Compas, seed: int) -> Trial:
    seen, rest = _parts(compas, seed)
    prior = seen.prior
    models = {method: ESTIMATORS[method](seen, seed) for method in METHODS}
    scores = {method: model.scores(rest.rows) for method, model in models.items()}
    lifts = {method: normalised(found, prior) for method, found in scores.items()}
    raw = scores["dv"] - np.log(prior)
    return Trial(
        {method: float(found[np.arange(len(rest)), rest.s].mean()) for method, found in lifts.items()},
        float((np.abs(raw).max(axis=1) > 0.3).mean()),
        float((np.abs(lifts["dv"]).max(axis=1) > 0.3).mean()),
        float(np.abs(np.exp(raw) @ prior - 1).mean()),
        funnel_of_rows(normalised(models["network"].scores(seen.rows), prior), prior, GRID),
        funnel_of_rows(lifts["network"], prior, GRID),
    )


def _parts(compas: Compas, seed: int) -> tuple[Sample, Sample]:
    """70 % of the rows to learn from, and the rest."""
    sample = compas.rows.sample
    order = np.random.default_rng([seed, 70]).permutation(len(sample))
    cut = int(TRAINED * len(sample))
    return sample.take(np.sort(order[:cut])), sample.take(np.sort(order[cut:]))


def raw_and_normalised(compas: Compas, seed: int) -> tuple[Floats, Floats]:
    """Log-lifts of all rows from one network trained on a split: as (13) leaves them, and normalised row by row."""
    seen, _ = _parts(compas, seed)
    scores = ESTIMATORS["dv"](seen, seed).scores(compas.rows.sample.rows)
    return scores - np.log(seen.prior), normalised(scores, seen.prior)


def mean_point(points: Sequence[RowPoint]) -> RowPoint:
    """The mean of one eps over splits; the printed gamma only where it is defined on all of them."""
    printed = [p.printed for p in points if p.printed is not None]
    within, kept, pooled, told, gamma = (
        float(np.mean([getattr(p, k) for p in points])) for k in ("within", "kept", "pooled", "information", "gamma")
    )
    defined = len(printed) == len(points)
    return RowPoint(points[0].eps, within, kept, pooled, told, gamma, float(np.mean(printed)) if defined else None)


def table_1_rows(compas: Compas) -> list[int | None]:
    """The position of each row of Table I, None where the data have none."""
    columns = [compas.column(name) for name in PUBLIC]
    race = np.array([str(compas.rows.labels[k]) for k in compas.rows.sample.s])
    found: list[int | None] = []
    for *entries, named in TABLE_1:
        same = race == named
        for column, entry in zip(columns, entries, strict=True):
            same &= column == entry
        found.append(int(np.flatnonzero(same)[0]) if same.any() else None)
    return found


def extremes(compas: Compas, log_lift: Floats) -> dict[str, tuple[float, float]]:
    """Of the 150 rows with the largest i(African-American, x), and of all: share of men, medians, share of the race."""
    first = compas.rows.labels.index(RACES[0])
    order = np.argsort(-log_lift[:, first], kind="stable")[:EXTREME]
    men = compas.column("sex") == "Male"
    own = compas.rows.sample.s == first
    told = {"men": (float(men[order].mean()), float(men.mean())), "race": (float(own[order].mean()), float(own.mean()))}
    for name in ("age", "priors_count", "decile_score"):
        column = compas.column(name)
        told[name] = (float(np.median(column[order])), float(np.median(column)))
    return told
