"""The numbers that LIFT and LIFT0 print, with their places, beside ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from liftgate.jobs.recomputed import Compared
from liftgate.papers import lift_tables
from liftgate.papers.lift_runs import BROKE, NMI, Case, Runs

if TYPE_CHECKING:
    from liftgate.papers.lift import Results

WHOLE = Case("watchdog", "alip 0.5")
SUBSET = Case("merge", "alip 0.5")
BEST = Case("optimal", "alip 0.5")


@dataclass(frozen=True)
class Printed:
    """A number as printed: which case at which eps on which table, where it stands, and its last digit."""

    quantity: str
    place: str
    text: str
    value: float
    digit: float
    case: Case
    eps: int
    table: str
    over: Case | None = None
    """Where given, the number is the gain of ``case`` over this one, in percent."""


PRINTED: tuple[Printed, ...] = (
    Printed("complete merging, synthetic, eps 2", "LIFT sec. 3.1.3", "0.52", 0.52, 0.01, WHOLE, 2, "synthetic"),
    Printed("complete merging, Adult, eps 2", "LIFT sec. 3.1.3", "0.73", 0.73, 0.01, WHOLE, 2, "adult"),
    Printed("AORR, synthetic, eps 2", "LIFT sec. 3.1.3", "0.94", 0.94, 0.01, BEST, 2, "synthetic"),
    Printed("AORR, Adult, eps 2", "LIFT sec. 3.1.3", "0.96", 0.96, 0.01, BEST, 2, "adult"),
    Printed("subset merging, synthetic, eps 1", "LIFT sec. 4.2", "around 0.73", 0.73, 0.01, SUBSET, 1, "synthetic"),
    Printed("subset merging, Adult, eps 1", "LIFT sec. 4.2", "around 0.73", 0.73, 0.01, SUBSET, 1, "adult"),
    Printed("complete merging, synthetic, eps 1", "LIFT sec. 4.2", "0.17", 0.17, 0.01, WHOLE, 1, "synthetic"),
    Printed("complete merging, Adult, eps 1", "LIFT sec. 4.2", "0.28", 0.28, 0.01, WHOLE, 1, "adult"),
    Printed("gain of subset merging, synthetic, eps 1", "LIFT sec. 4.2", "almost 320 %", 320, 10, SUBSET, 1, "synthetic", WHOLE),
    Printed("gain of subset merging, Adult, eps 1", "LIFT sec. 4.2", "160 %", 160, 10, SUBSET, 1, "adult", WHOLE),
    Printed("subset merging, synthetic, eps 2", "LIFT0 sec. IV-B", "around 0.83", 0.83, 0.01, SUBSET, 2, "synthetic"),
    Printed("gain of subset merging, synthetic, eps 2", "LIFT0 sec. IV-B", "almost 60 %", 60, 10, SUBSET, 2, "synthetic", WHOLE),
)  # fmt: skip


def compared(results: Results) -> tuple[Compared, ...]:
    """Every printed number whose table was there, then the same numbers under other readings of the text."""
    out = []
    for p in PRINTED:
        for runs in _where(results, p):
            if runs.has(p.case, *([p.over] if p.over else []), eps=p.eps):
                here, error = _ours(runs, p)
                agrees = abs(here - p.value) <= p.digit * (1 + 1e-9) + 3 * (error or 0)
                out.append(Compared(p.quantity, p.place, p.text, (here,), error, agrees, _why(p), _errata(p)))
                break
    return (*out, *_other_readings(results))


def _where(results: Results, p: Printed) -> tuple[Runs, ...]:
    if p.table == "adult":
        return results.adult_merging, results.adult_responses
    return results.merging, results.responses


def _ours(runs: Runs, p: Printed) -> tuple[float, float | None]:
    """The mean over draws, or the gain of one mean over another, with its standard error (jackknife for gains)."""
    a = runs.each(p.case, NMI, p.eps)
    if p.over is None:
        return float(a.mean()), _standard_error(a)
    b = runs.each(p.over, NMI, p.eps)
    gain = 100 * (a.mean() / b.mean() - 1) if b.mean() else math.inf
    n = len(a)
    if n < 2 or not math.isfinite(gain):
        return float(gain), None
    rest_a, rest_b = (a.sum() - a) / (n - 1), (b.sum() - b) / (n - 1)
    if not rest_b.all():
        return float(gain), None
    without = 100 * (rest_a / rest_b - 1)
    return float(gain), float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))


def _standard_error(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float | None:
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None


def _why(p: Printed) -> str:
    if p.table == "adult":
        return f"relationship has six values, the paper says five: here {lift_tables.CHOSEN}, one of three that fit"
    if p.case == SUBSET:
        return "the outer loop of Algorithm 1 runs until no risky value is left; as printed it stops at once"
    if p.case == WHOLE:
        return "the merged block is not repaired here, as in the paper"
    return "by column generation with a proof in whole numbers, instead of listing all vertices"


def _errata(p: Printed) -> tuple[str, ...]:
    return {SUBSET: ("E6",), WHOLE: ("E5",)}.get(p.case, ())


def _other_readings(results: Results) -> tuple[Compared, ...]:
    """The same numbers with the misprints left in, with another risk metric, and on other variants of Adult."""
    out = []
    texts = {
        "printed-omega": ("omega = Lambda + Psi as printed", "it prefers partners with small smallest lifts", ("E4",)),
        "printed-loop": ("outer loop as printed", "the first test passes: this is complete merging", ("E6",)),
        "merge-sum": ("omega = Lambda + 1/Psi", "the numbers cannot tell the two metrics apart", ("E4",)),
    }
    for p in PRINTED:
        if p.case != SUBSET or p.over is not None:
            continue
        runs = results.adult_readings if p.table == "adult" else results.readings
        for name, (reading, why, errata) in texts.items():
            case = Case(name, p.case.family)
            if runs.has(case, eps=p.eps):
                values = runs.each(case, NMI, p.eps)
                out.append(_alternative(p, reading, float(values.mean()), _standard_error(values), why, errata))
    for name, runs in results.variants.items():
        if name == lift_tables.CHOSEN:
            continue
        for p in PRINTED:
            if p.table == "adult" and p.over is None and runs.has(p.case, eps=p.eps):
                broke = bool(runs.each(p.case, BROKE, p.eps)[0])
                why = "the merged block breaks the budget" if broke else ""
                value = float(runs.each(p.case, NMI, p.eps)[0])
                out.append(_alternative(p, f"Adult {name}", value, None, why, ("E5",) if broke else ()))
    return tuple(out)


def _alternative(
    p: Printed, reading: str, value: float, error: float | None, why: str, errata: tuple[str, ...]
) -> Compared:
    agrees = abs(value - p.value) <= p.digit * (1 + 1e-9) + 3 * (error or 0)
    return Compared(f"{p.quantity}: {reading}", p.place, p.text, (value,), error, agrees, why, errata, True)
