"""Rows: what every row of a rich table tells, and a release of the rows whose counted groups keep a budget."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.certificates import Certificate, certify
from liftgate.checker import check
from liftgate.errors import BudgetError
from liftgate.estimators import estimator_named
from liftgate.estimators.attacker import Guess, Utility, guess, target_of, utility
from liftgate.estimators.bins import GroupReading, group_reading, halves
from liftgate.estimators.crossfit import Fitted
from liftgate.estimators.explain import Explanation, explain, with_labels
from liftgate.estimators.funnels import Funnel, funnel_view
from liftgate.estimators.reading import RowTable, read_rows
from liftgate.estimators.release import RowPlan, plan_rows, released_rows
from liftgate.estimators.reliability import Point, calibration_error, reliability
from liftgate.estimators.rows import Rows
from liftgate.estimators.scores import TRAIN_ROWS, Scores, estimate, training_rows
from liftgate.estimators.simple_rules import Rule, shortest_rules
from liftgate.jobs.audit import Word
from liftgate.labels import encode_label

if TYPE_CHECKING:
    from liftgate.jobs.writing import Written

EXPLAINED = 5
ASSUMED = (
    "counts-are-population",
    "one-release-per-person",
    "prior-is-table-margin",
    "missing=value",
    "groups-not-rows",
    "link=person-to-record",
)


@dataclass(frozen=True)
class Told:
    """A row that fills the budget most: its place in the table (from 1), its scores, and why, in words."""

    row: int
    lift: tuple[float, ...]
    load: float
    why: Explanation


@dataclass(frozen=True)
class Figures:
    """How well an attacker guesses the sensitive value from rows, and how well they teach the task."""

    attacker: Guess
    task: Guess | None


@dataclass(frozen=True, eq=False)
class RowRelease:
    """What every row is estimated to tell, and a release of the rows whose counted groups keep the budget.

    The verdict is about the counted groups, decided by the checker. Single rows stay ``unknown``: their scores are
    estimates. ``released`` holds, for every place of the table, the row whose record is released there, -1 for none.
    """

    budget: Budget
    scores: Scores
    plan: RowPlan
    released: NDArray[np.int64] = field(repr=False)
    certificate: Certificate
    assumptions: tuple[str, ...]
    reading: GroupReading
    reliability: tuple[Point, ...]
    rules: tuple[Rule, ...]
    told: tuple[Told, ...]
    before: Figures
    after: Figures
    utility: Utility
    funnel: Funnel
    task: str | None
    attacked_on: int
    notes: tuple[str, ...]

    @property
    def verdict(self) -> Word:
        """Of the counted groups of rows; nothing else becomes a release."""
        return "within"

    @property
    def rows_verdict(self) -> Word:
        """Of single rows: no method decides it."""
        return "unknown"

    def write(
        self,
        out: str | os.PathLike[str],
        *,
        force: bool = False,
        publisher: str | None = None,
    ) -> Written:
        """Write the released rows, the private certificate and the public manifest, all of them or none."""
        from liftgate.jobs.writing_rows import write_rows

        return write_rows(self, out, force, publisher)

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it."""
        s, plan = self.scores, self.plan
        return {
            "budget": {**self.budget.to_dict(), "asked": self.budget.text},
            "mode": plan.mode,
            "rows": len(s.log_lift),
            "rows_verdict": self.rows_verdict,
            "sensitive": [
                {"value": encode_label(v), "rows": int(n)}
                for v, n in zip(s.labels, np.bincount(s.table.sample.s, minlength=len(s.labels)), strict=True)
            ],
            "scores": {
                "estimator": s.estimator,
                "chosen": list(s.chosen),
                "folds": s.folds,
                "seed": s.seed,
                "trained_on": s.trained_on,
                "mutual_information": s.mutual_information,
                "interval": list(s.interval),
                "calibration_error": calibration_error(self.reliability),
            },
            "flagged": int(plan.flagged.sum()),
            "hidden": int(plan.moved.sum()),
            "threshold": plan.threshold,
            "blocks": [
                {"value": str(y), "rows": int(n), "hidden": hidden, "lift": lift}
                for y, n, hidden, lift in zip(
                    plan.after.public, plan.after.public_counts, plan.hidden, plan.after.lift.T.tolist(), strict=True
                )
            ],
            "leak": {
                "released": _leak(plan.leak.least, plan.leak.most, plan.leak.gamma),
                "mapping": _leak(plan.mapping.least, plan.mapping.most, plan.mapping.gamma),
            },
            "reading": self.reading.to_dict(),
            "reliability": [{**vars(p), "label": encode_label(p.label)} for p in self.reliability],
            "rules": [vars(r) for r in self.rules],
            "explained": [
                {
                    "row": t.row,
                    "lift": list(t.lift),
                    "load": t.load,
                    "outside": t.load > 1,
                    "why": t.why.sentence,
                    "moves": [
                        {"column": m.column, "entry": m.entry, "without": m.without, "with": m.with_it}
                        for m in t.why.moves
                    ],
                }
                for t in self.told
            ],
            "before": {"attacker": vars(self.before.attacker), "task": _guess(self.before.task)},
            "after": {
                "attacker": vars(self.after.attacker),
                "task": _guess(self.after.task),
                **vars(self.utility),
            },
            "funnel": self.funnel.to_dict(),
            "task": self.task,
            "attacked_on": self.attacked_on,
            "notes": list(self.notes),
            "certificate": {"kind": self.certificate.kind, "sha256": self.certificate.hash},
        }

    def _repr_html_(self) -> str:
        from html import escape

        n, hidden = len(self.scores.log_lift), int(self.plan.moved.sum())
        head = f"Rows within {escape(self.budget.text)} as counted groups: {hidden:,} of {n:,} hidden"
        return f"<p><strong>{head}</strong>; single rows stay unknown</p>{self.scores._repr_html_()}"


def release_rows(
    table: Any,
    /,
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    budget: Budget | str,
    mode: str = "blocks",
    estimator: str = "auto",
    seed: int = 0,
    *,
    task: str | None = None,
    folds: int | None = None,
    train_rows: int = TRAIN_ROWS,
    progress: Callable[[str], None] | None = None,
    **reading: Any,
) -> RowRelease:
    """Score every row, hide those that tell too much, and attack what is left (DOG, corrected: E20 to E23).

    Further keywords are those of :func:`liftgate.estimators.reading.read_rows`: ``person``, ``keep``, ``categories``.

    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> age = rng.integers(20, 70, 600)
    >>> frame = pd.DataFrame({"age": age, "ill": np.where(rng.random(600) < age / 90, "yes", "no")})
    >>> found = release_rows(frame, "ill", "age", "lip:0.4", estimator="logistic")
    >>> found.verdict, found.rows_verdict, bool((np.sort(found.released) == np.arange(600)).all())
    ('within', 'unknown', True)
    """
    tell = progress or (lambda text: None)
    budget = Budget.parse(budget) if isinstance(budget, str) else budget
    estimator_named(estimator)
    if not isinstance(table, RowTable):
        table = read_rows(table, sensitive, public, task=task, progress=progress, **reading)
    target = None if table.task is None else target_of(table.task, table.name)
    scores = estimate(table, sensitive, public, estimator, seed, folds=folds, train_rows=train_rows, progress=progress)
    tell("cutting flagged rows into blocks")
    plan = plan_rows(scores, budget, mode, seed)
    certificate = _certified(plan)
    released = released_rows(plan)
    tell("testing held-out groups")
    held = _reading(scores, budget, train_rows)
    tell("explaining")
    rules = shortest_rules(table.sample.rows, plan.flagged, seed)
    told = _told(scores, plan, budget)
    tell("attacking the release")
    before, after, size = _attacked(table, target, released, seed, train_rows)
    return RowRelease(
        budget=budget,
        scores=scores,
        plan=plan,
        released=released,
        certificate=certificate,
        assumptions=ASSUMED,
        reading=held,
        reliability=reliability(scores.log_lift, table.sample.s, scores.prior, scores.labels),
        rules=rules,
        told=told,
        before=before,
        after=after,
        utility=utility(table.sample.rows, released),
        funnel=funnel_view(table, scores.log_lift, scores.prior),
        task=None if table.task is None else table.task.name,
        attacked_on=size,
        notes=(*scores.notes, *plan.notes, *_warnings(table, plan, size)),
    )


def _certified(plan: RowPlan) -> Certificate:
    """The counted groups through their blocks; no release without the checker's word."""
    certificate = certify(plan.joint, plan.channel, plan.budget, ASSUMED)
    verdict = check(certificate)
    if not verdict.holds:
        problem = f"the checker refused the release: {verdict.reason}"
        raise BudgetError(f"budget {plan.budget.text}", problem, "please report this")
    return certificate


def _reading(scores: Scores, budget: Budget, most: int) -> GroupReading:
    """Groups of held-out rows, scored by a model of the other half: nobody in them was seen by it."""
    sample, seed = scores.table.sample, scores.seed
    held = halves(sample, seed)
    design = sample.take(~held)
    chosen = training_rows(design, most, seed)
    learn = design if chosen is None else design.take(chosen)
    model = Fitted(scores.estimator, (estimator_named(scores.estimator)(learn, seed),), learn.prior)
    return group_reading(
        model.log_lift(learn.rows), model.log_lift(sample.rows.take(held)), sample.s[held], scores.labels, budget
    )


def _told(scores: Scores, plan: RowPlan, budget: Budget) -> tuple[Told, ...]:
    """The flagged rows that fill the budget most, each different from the others, explained by a model that saw none."""
    full = scores.load(budget)
    rows = scores.table.sample.rows
    found: list[Told] = []
    seen: set[tuple[Any, ...]] = set()
    for at in np.argsort(-np.where(plan.flagged, full, -np.inf), kind="stable").tolist():
        entry = tuple(str(c.values[at]) for c in rows.columns)
        if len(found) == EXPLAINED or not plan.flagged[at]:
            break
        if entry in seen:
            continue
        seen.add(entry)
        fold = int(scores.fold[at])
        models = scores.model.models if fold < 0 else (scores.model.models[fold],)
        why = explain(Fitted(scores.estimator, models, scores.prior), rows, _background(rows), at)
        lift = tuple(np.exp(scores.log_lift[at]).tolist())
        found.append(Told(at + 1, lift, float(full[at]), with_labels(why, scores.labels)))
    return tuple(found)


def _background(rows: Rows, most: int = 20_000) -> Rows:
    return rows if len(rows) <= most else rows.take(np.linspace(0, len(rows) - 1, most).astype(np.int64))


def _attacked(
    table: RowTable, target: tuple[NDArray[np.int64], int] | None, released: NDArray[np.int64], seed: int, most: int
) -> tuple[Figures, Figures, int]:
    """The attacker and the task on the table and on the release; above ``most`` rows at a sample of the places."""
    whole = table.sample
    chosen = training_rows(whole, most, seed + 41)
    places = np.arange(len(whole)) if chosen is None else chosen
    person = None if whole.person is None else whole.person[places]
    s, given = whole.s[places], released[places]
    there = given >= 0
    raw = guess(whole.rows.take(places), s, whole.classes, person, seed)
    whose = None if person is None else person[there]
    left = guess(whole.rows.take(given[there]), s[there], whole.classes, whose, seed)
    if target is None or table.task is None:
        return Figures(raw, None), Figures(left, None), int(places.size)
    name = table.task.name  # a task that is public is guessed from the others
    others = Rows(tuple(c for c in whole.rows.columns if c.name != name) or whole.rows.columns)
    y, classes = target[0][places], target[1]
    learned = guess(others.take(places), y, classes, person, seed)
    records = others.take(np.maximum(given, 0))
    worth = guess(others.take(places), y, classes, person, seed, records, there)
    return Figures(raw, learned), Figures(left, worth), int(places.size)


def _warnings(table: RowTable, plan: RowPlan, size: int) -> tuple[str, ...]:
    out = []
    if table.kept is not None:
        names = ", ".join(table.kept.column_names)
        out.append(
            f"{names} stay with the person and are not counted: what they tell comes on top of every figure here"
        )
    if plan.mode == "suppress":
        out.append("rows that are missing from the release are a group of their own: who is missing is counted as told")
    if size < len(table):
        out.append(f"the attacker and the task were run on {size:,} of {len(table):,} rows")
    return tuple(out)


def _leak(least: Any, most: Any, gamma: float) -> dict[str, Any]:
    return {"least": least, "most": most, "gamma": gamma}


def _guess(found: Guess | None) -> dict[str, float] | None:
    return None if found is None else vars(found)
