"""LIFT: figures 1 to 13 and the printed numbers, recomputed on normalised uniform matrices and on Adult."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from liftgate.jobs.recomputed import Missing, Recomputed
from liftgate.joint import Joint
from liftgate.papers import lift_claims, lift_figures, lift_numbers, lift_tables
from liftgate.papers.clock import Clock, Progress
from liftgate.papers.lift_runs import BROKE, GRID, PROVEN, Case, Floats, Runs, measured, sweep

TITLE = "Lift-based and lift-inverse measures, watchdog and random response mechanisms"
LAMBDAS = ("0.35", "0.5", "0.65")
HISTOGRAM_TABLES = 1000
WATCHDOG = tuple(Case("watchdog", f) for f in ("ldp", *(f"alip {lam}" for lam in LAMBDAS)))
MERGING = tuple(Case("merge", f) for f in ("ldp", *(f"alip {lam}" for lam in LAMBDAS)))
MEASURES = tuple(Case("merge", f"{kind} {lam}") for kind in ("l1", "chi2") for lam in ("0.5", "0.65"))
RESPONSES = (*(Case("optimal", f"alip {lam}") for lam in LAMBDAS), Case("response", "alip 0.65"), MERGING[3])
BIG = (Case("response", "alip 0.5"), Case("merge", "alip 0.5"))
ALPHA = (*(Case("merge", f"alpha-{order} 0.5") for order in (2, 10, 100)), Case("merge-sum", "alip 0.5"))
READINGS = tuple(Case(m, "alip 0.5") for m in ("merge-sum", "printed-omega", "printed-loop"))
VARIANTS = (Case("watchdog", "alip 0.5"), Case("merge", "alip 0.5"), Case("optimal", "alip 0.5"))
CONDITIONS = (
    "The random tables are like the paper's: its own draws are not published.",
    "The paper's Adult table is the one chosen here: its preprocessing is not printed.",
)
LIMITS = (
    "Not that a printed number that comes out confirms the reading behind it: several readings can give the same two digits.",
    "Not how the mechanisms do on other tables: uniform random tables have no rare values and no strong dependence.",
    "Not what a release would reveal if the table were only a sample of the people it is about.",
)  # fmt: skip


@dataclass(eq=False)
class Results:
    """Every sweep of LIFT; one that found no time is empty."""

    histogram: tuple[Floats, Floats]
    draws: int
    adult: lift_tables.Adult | None = None
    merging: Runs = field(default_factory=lambda: Runs(()))
    readings: Runs = field(default_factory=lambda: Runs(()))
    responses: Runs = field(default_factory=lambda: Runs(()))
    alpha: Runs = field(default_factory=lambda: Runs(()))
    big: Runs = field(default_factory=lambda: Runs(()))
    adult_merging: Runs = field(default_factory=lambda: Runs(()))
    adult_readings: Runs = field(default_factory=lambda: Runs(()))
    adult_responses: Runs = field(default_factory=lambda: Runs(()))
    variants: dict[str, Runs] = field(default_factory=dict)

    @property
    def every(self) -> tuple[Runs, ...]:
        """All sweeps."""
        synthetic = (self.merging, self.readings, self.responses, self.alpha, self.big)
        return (*synthetic, self.adult_merging, self.adult_readings, self.adult_responses, *self.variants.values())


def recompute(
    draws: int,
    seconds: float = 600.0,
    seed: int = 0,
    progress: Progress | None = None,
    eps: Sequence[Fraction] = GRID,
    sizes: tuple[tuple[int, int], tuple[int, int]] = ((17, 5), (200, 15)),
) -> Recomputed:
    """The figures on ``draws`` tables of each kind; where the time does not reach, on fewer, and that is told."""
    clock = Clock(seconds, progress)
    results = run(draws, clock, seed, tuple(Fraction(e) for e in eps), sizes)
    return record(results, seconds, seed, eps, sizes)


def record(
    results: Results,
    seconds: float,
    seed: int,
    eps: Sequence[Fraction],
    sizes: tuple[tuple[int, int], tuple[int, int]],
) -> Recomputed:
    """Figures, numbers and claims of finished sweeps."""
    figures = lift_figures.figures(results)
    totals = {
        "releases": sum(r.releases for r in results.every),
        "proven": sum(r.total(PROVEN) for r in results.every),
        "optimal": sum(v.shape[0] * v.shape[1] for r in results.every for c, v in r.values.items() if c.mechanism == "optimal"),
        "outside": sum(r.total(BROKE) for r in results.every),
    }  # fmt: skip
    settings: dict[str, Any] = {
        "draws": results.draws,
        "seed": seed,
        "eps": [str(e) for e in eps],
        "lambda": list(LAMBDAS),
        "synthetic": [f"{n} x {m}" for n, m in sizes],
        "adult": lift_tables.CHOSEN if results.adult else None,
    }
    return Recomputed(
        paper="lift",
        title=TITLE,
        settings=settings,
        totals=totals,
        figures=figures,
        numbers=lift_numbers.compared(results),
        claims=lift_claims.claims(results),
        missing=_missing(results, {f.number for f in figures}, seconds),
        data=_data(results),
        assumptions=("counts-are-population",),
        reading="NMI = I(X;Y) / H(X): 1 keeps everything, 0 nothing. Proven best: to 1e-6, in whole numbers.",
        conditions=CONDITIONS if results.adult else CONDITIONS[:1],
        limits=LIMITS,
    )


def run(
    draws: int, clock: Clock, seed: int, eps: tuple[Fraction, ...], sizes: tuple[tuple[int, int], tuple[int, int]]
) -> Results:
    """All sweeps in the order of their cost; each has the time until its share of the whole."""
    (n, m), (wide, secrets) = sizes
    clock.tell("compiling", 0, 1)
    warm = lift_tables.synthetic(seed, 0, 6, 3)
    for case in (*WATCHDOG[:1], MERGING[1], *RESPONSES[2:4], *ALPHA[:1]):
        measured(case.mechanism, warm, case.budget(Fraction(1)))
    results = Results(_extremes(seed, HISTOGRAM_TABLES, n, m), draws)
    path, _ = lift_tables.adult_file()
    if path is not None:
        results.adult = lift_tables.read_adult(path)
        _adult_merging(results, clock, eps)

    def tables() -> Sequence[Joint]:
        return [lift_tables.synthetic(seed, k, n, m) for k in range(draws)]

    named = tuple(e for e in eps if e in (1, 2))
    results.merging = sweep(
        tables(), (*WATCHDOG, *MERGING, *MEASURES), eps, clock, 0.25, "merging, synthetic tables", draws
    )
    results.readings = sweep(tables(), READINGS, named, clock, 0.28, "Algorithm 1 to the letter", draws)
    if results.adult is not None:
        chosen = [results.adult.variant(dict(lift_tables.VARIANTS)[lift_tables.CHOSEN])]
        results.adult_responses = sweep(chosen, RESPONSES, eps, clock, 0.36, "responses, Adult", 1)
    large = [lift_tables.synthetic(seed, 0, wide, secrets)]
    results.big = sweep(large, BIG, tuple(e for e in eps if e >= 1), clock, 0.48, f"{wide} x {secrets}", 1)
    results.responses = sweep(tables(), RESPONSES, eps, clock, 0.85, "responses, synthetic tables", draws)
    results.alpha = sweep(tables(), ALPHA, eps, clock, 1.0, "alpha-lift, synthetic tables", draws)
    return results


def _adult_merging(results: Results, clock: Clock, eps: tuple[Fraction, ...]) -> None:
    assert results.adult is not None
    variants = {name: [results.adult.variant(left_out)] for name, left_out in lift_tables.VARIANTS}
    chosen = variants[lift_tables.CHOSEN]
    results.adult_merging = sweep(chosen, (*WATCHDOG, *MERGING, *MEASURES), eps, clock, 0.08, "merging, Adult", 1)
    named = tuple(e for e in eps if e in (1, 2))
    results.adult_readings = sweep(chosen, READINGS, named, clock, 0.1, "Algorithm 1 to the letter, Adult", 1)
    for name, tables in variants.items():
        results.variants[name] = sweep(tables, VARIANTS, named, clock, 0.12, f"Adult {name}", 1)


def _extremes(seed: int, tables: int, public: int, sensitive: int) -> tuple[Floats, Floats]:
    """log Psi(x) and log Lambda(x) of every value of many tables (LIFT Fig. 1)."""
    logs = [lift_tables.synthetic(seed, k, public, sensitive).log_lift for k in range(tables)]
    return np.concatenate([g.min(axis=0) for g in logs]), np.concatenate([g.max(axis=0) for g in logs])


def _missing(results: Results, made: set[int], seconds: float) -> tuple[Missing, ...]:
    out = []
    _, why = lift_tables.adult_file()
    absent = sorted(set(range(1, 14)) - made)
    if why:
        real = [k for k in absent if k in lift_figures.ADULT]
        fix = f"name the folder that holds adult/adult.data of the UCI Adult data: {lift_tables.VARIABLE}=FOLDER"
        out.append(Missing(f"{_numbered(real)} (Adult)", why, fix))
        absent = [k for k in absent if k not in real]
    if absent:
        out.append(Missing(_numbered(absent), f"{seconds:g} seconds were not enough", "give more --seconds"))
    short = {
        f.number: f.draws
        for f in lift_figures.figures(results)
        if f.number > 1 and f.number not in (10, *lift_figures.ADULT)
    }
    fewer = sorted(k for k, n in short.items() if n < results.draws)
    if fewer:
        why = f"{seconds:g} seconds were enough for {min(short[k] for k in fewer)} of {results.draws} tables"
        out.append(Missing(f"some tables of {_numbered(fewer)}", why, "give more --seconds or fewer --draws"))
    return tuple(out)


def _numbered(figures: Sequence[int]) -> str:
    """``figures 3, 5 and 7``."""
    words = [str(k) for k in figures]
    if len(words) == 1:
        return f"figure {words[0]}"
    return f"figures {', '.join(words[:-1])} and {words[-1]}"


def _data(results: Results) -> dict[str, Any]:
    data: dict[str, Any] = {"synthetic": "normalised uniform matrices, drawn here"}
    if results.adult is not None:
        chosen = results.adult.variant(dict(lift_tables.VARIANTS)[lift_tables.CHOSEN])
        data["adult"] = {
            "name": results.adult.file,
            "rows": results.adult.joint.total,
            "people": chosen.total,
            "sensitive": ["relationship"],
            "public": ["occupation"],
            "size": f"{len(chosen.public)} x {len(chosen.sensitive)}",
            "variant": lift_tables.CHOSEN,
        }
    return data
