"""Figures 1 to 13 of LIFT as panels of curves, each with what is seen in it and why it differs from the print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from liftgate.jobs.recomputed import Curve, Figure, Panel, PrintedMark
from liftgate.papers.lift_numbers import PRINTED
from liftgate.papers.lift_runs import BROKE, FALL, NMI, RISE, SECONDS, Case, Runs

if TYPE_CHECKING:
    from liftgate.papers.lift import Results

ADULT = (3, 5, 7, 9, 12)
_EPS = "privacy budget eps"
_PANELS = (
    ("a", NMI, "How much is kept", "NMI"),
    ("b", RISE, "Largest log-lift", "log-lift, nats"),
    ("c", FALL, "Smallest log-lift", "log-lift, nats"),
)
_NAMES = {
    "ldp": ("LDP", 3), "alip 0.35": ("λ .35", 2), "alip 0.5": ("λ .5", 0), "alip 0.65": ("λ .65", 1),
    "l1 0.5": ("l1, λ .5", 1), "l1 0.65": ("l1, λ .65", 4), "chi2 0.5": ("χ², λ .5", 2), "chi2 0.65": ("χ², λ .65", 5),
    "alpha-2 0.5": ("α 2", 1), "alpha-10 0.5": ("α 10", 2), "alpha-100 0.5": ("α 100", 4),
}  # fmt: skip
_MECHANISMS = {"optimal": ("AORR", 1), "response": ("SRR", 0), "merge": ("subset merging", 3)}
_WATCH = tuple(Case("watchdog", f) for f in ("alip 0.35", "alip 0.5", "alip 0.65", "ldp"))
_MERGE = tuple(Case("merge", c.family) for c in _WATCH)
_BEST = tuple(Case("optimal", c.family) for c in _WATCH[:3])
_THREE = (Case("optimal", "alip 0.65"), Case("response", "alip 0.65"), Case("merge", "alip 0.65"))
_AVERAGES = tuple(Case("merge", f) for f in ("alip 0.5", "l1 0.5", "l1 0.65", "chi2 0.5", "chi2 0.65"))
_ORDERS = (
    Case("merge-sum", "alip 0.5"),
    *(Case("merge", f) for f in ("alpha-100 0.5", "alpha-10 0.5", "alpha-2 0.5")),
)
_LARGE = (Case("response", "alip 0.5"), Case("merge", "alip 0.5"))

_SIX = "The column relationship has six values, the paper says five: people with Other-relative are left out here."
_UNREPAIRED = (
    "As in the paper nothing repairs a merged block that breaks its budget (E5); the last panel counts them. merge-all "
    "and merge-subsets repair it."
)
_LOOP = "The outer loop of Algorithm 1 runs until no risky value is left; as printed it never starts (E6)."
_METRIC = "Where λ is not .5 the risk metric is Λ + 1/Ψ: the printed Λ + Ψ has the wrong sign in Ψ (E4)."
_GAMMA = "For LDP the test is Γ > e^eps, not Γ > eps (E8)."
_PROVEN = "Every value is the optimum to 1e-6, proven in whole numbers; the paper lists vertices instead."
_DEAD = "Lines 7 to 14 of Algorithm 2 never run (E7)."


def figures(results: Results) -> tuple[Figure, ...]:
    """Those of the thirteen figures for which something was computed."""
    r = results
    made = [
        _histogram(results),
        _figure(2, r.merging, _WATCH, "synthetic", "Merging all risky values as one", (_UNREPAIRED,), broke=True),
        _figure(3, r.adult_merging, _WATCH, "adult", "Merging all risky values as one", (_SIX, _UNREPAIRED), broke=True),
        _figure(4, r.responses, _BEST, "synthetic", "The optimal response", (_PROVEN,)),
        _figure(5, r.adult_responses, _BEST, "adult", "The optimal response", (_SIX, _PROVEN)),
        _figure(6, r.merging, _MERGE, "synthetic", "Merging in subsets", (_LOOP, _METRIC, _GAMMA, _UNREPAIRED), broke=True),
        _figure(7, r.adult_merging, _MERGE, "adult", "Merging in subsets", (_SIX, _LOOP, _METRIC, _UNREPAIRED), broke=True),
        _figure(8, r.responses, _THREE, "synthetic", "Response against merging", (_METRIC, _DEAD), times=True),
        _figure(9, r.adult_responses, _THREE, "adult", "Response against merging", (_SIX, _METRIC, _DEAD)),
        _figure(10, r.big, _LARGE, "large", "200 values", (_DEAD,), times=True),
        _figure(11, r.merging, _AVERAGES, "synthetic", "Bounds on averages of lift", (_LOOP,)),
        _figure(12, r.adult_merging, _AVERAGES, "adult", "Bounds on averages of lift", (_SIX, _LOOP)),
        _figure(13, r.alpha, _ORDERS, "synthetic", "Alpha-lift", (_LOOP,)),
    ]  # fmt: skip
    return tuple(f for f in made if f is not None)


def _histogram(results: Results) -> Figure:
    low, high = results.histogram
    ends = (float(low.min()), float(high.max()))
    rare = float((low <= -6).mean())
    edges = np.arange(np.floor(ends[0] * 4) / 4, ends[1] + 0.25, 0.25)
    curves = []
    for name, values, look in (("smallest, log Ψ", low, 1), ("largest, log Λ", high, 5)):
        share = np.histogram(values, bins=edges)[0] / values.size
        held = np.flatnonzero(share)
        points = tuple((float(edges[k]), float(share[k])) for k in range(held[0], held[-1] + 1))
        curves.append(Curve(name, (*points, (float(edges[held[-1] + 1]), 0.0)), look, "steps"))
    panel = Panel("", "Smallest and largest log-lift of each value", "log-lift, nats", "share of values", tuple(curves))
    note = (
        f"Printed ranges: log Ψ from −12 to −0.06, log Λ from 0.02 to 1.64; here −{-ends[0]:.1f} to −{-low.max():.3f} "
        f"and {high.min():.3f} to {ends[1]:.2f}. The ends are single values out of 17,000 and move with the draws; "
        f"{rare:.1%} of the values have |log Ψ| of 6 or more."
    )
    return Figure(
        1,
        "LIFT Fig. 1",
        f"Belief falls further than it rises: down to −{-ends[0]:.1f}, up to {ends[1]:.2f}",
        "1,000 normalised uniform tables, 17 x 5",
        1000,
        (panel,),
        (note,),
    )


def _figure(
    number: int,
    runs: Runs,
    cases: Sequence[Case],
    table: str,
    what: str,
    notes: tuple[str, ...],
    broke: bool = False,
    times: bool = False,
) -> Figure | None:
    if not runs.has(*cases) or not runs.eps:
        return None
    panels = []
    for letter, value, title, unit in _PANELS:
        curves = tuple(_curve(runs, c, value, cases) for c in cases)
        marks = _printed(runs, cases, table) if value == NMI else ()
        panels.append(Panel(letter, title, _EPS, unit, curves, marks))
    if broke and any(runs.values[c][:, :, BROKE].any() for c in cases):
        curves = tuple(_curve(runs, c, BROKE, cases) for c in cases)
        if runs.draws(cases[0]) == 1:
            curves = tuple(replace(c, shape="marks") for c in curves)
            panels.append(Panel("", "Where the release breaks its budget (squares)", _EPS, "", curves))
        else:
            panels.append(Panel("", "Share of tables whose release breaks its budget", _EPS, "share", curves))
    if times:
        panels.append(_times(runs, cases))
    setting = {
        "synthetic": "normalised uniform tables, 17 x 5",
        "adult": "Adult, occupation about relationship, 15 x 5",
        "large": "normalised uniform tables, 200 x 15",
    }[table]
    draws = runs.draws(cases[0])
    said = f"mean of {draws} {setting}" if table == "synthetic" and draws > 1 else f"one of the {setting}" if draws == 1 and table != "adult" else setting  # fmt: skip
    more = (_slower(runs, cases),) if number == 8 else ()
    return Figure(
        number, f"LIFT Fig. {number}", f"{what}: {_finding(runs, cases)}", said, draws, tuple(panels), (*notes, *more)
    )


def _finding(runs: Runs, cases: Sequence[Case]) -> str:
    """What each curve keeps at eps 2, or at the eps next to it."""
    eps = min(runs.eps, key=lambda e: abs(e - 2))
    at = runs.eps.index(eps)
    kept = [f"{float(runs.mean(c, NMI)[at]):.2f} ({_name(c, cases)[0]})" for c in cases]
    return f"NMI {', '.join(kept)} at eps {_number(eps)}"


def _number(eps: Fraction) -> str:
    return f"{float(eps):g}"


def _name(case: Case, cases: Sequence[Case]) -> tuple[str, int]:
    """Mechanisms where a figure compares them, else budgets."""
    if len({c.family for c in cases}) == 1:
        return _MECHANISMS[case.mechanism]
    name, look = _NAMES[case.family]
    return ("ALIP, λ .5" if case.family == "alip 0.5" and cases[-1].family not in ("ldp", "alip 0.65") else name), look


def _curve(runs: Runs, case: Case, value: int, cases: Sequence[Case]) -> Curve:
    name, look = _name(case, cases)
    points = zip(runs.eps, runs.mean(case, value).tolist(), strict=True)
    return Curve(name, tuple((float(e), float(v)) for e, v in points if np.isfinite(v)), look)


def _times(runs: Runs, cases: Sequence[Case]) -> Panel:
    base = np.maximum(runs.mean(cases[-1], SECONDS), 1e-9)
    curves = []
    for c in cases[:-1]:
        name, look = _name(c, cases)
        ratio = (runs.mean(c, SECONDS) / base).tolist()
        curves.append(Curve(name, tuple((float(e), float(v)) for e, v in zip(runs.eps, ratio, strict=True)), look))
    return Panel("d", "Time, as a multiple of subset merging", _EPS, "times", tuple(curves), log=True)


def _slower(runs: Runs, cases: Sequence[Case]) -> str:
    """At which budgets the response in subsets costs more than the optimal one."""
    slower = [
        e for e, a, b in zip(runs.eps, *(runs.mean(c, SECONDS).tolist() for c in cases[:2]), strict=True) if b > a
    ]
    where = f"at eps {', '.join(map(_number, slower))}" if slower else "at no eps"
    return (
        "Time is CPU time as a multiple of subset merging; that of AORR includes its proof. With vertex enumeration the "
        f"paper finds SRR slower than AORR for eps from 1 to 2.5; with column generation it is {where}."
    )


def _printed(runs: Runs, cases: Sequence[Case], table: str) -> tuple[PrintedMark, ...]:
    marks = [
        PrintedMark(float(p.eps), p.value, f"printed {p.text.removeprefix('around ')}")
        for p in PRINTED
        if p.over is None and p.table == table and p.case in cases and runs.has(eps=p.eps)
    ]
    return tuple(marks)
