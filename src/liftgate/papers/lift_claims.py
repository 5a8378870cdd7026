"""Sentences of LIFT that can be counted: where they were tried, and how often they fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from liftgate.jobs.recomputed import Claim
from liftgate.papers.lift_runs import BROKE, NMI, Case, Floats, Runs

if TYPE_CHECKING:
    from liftgate.papers.lift import Results

_LAMBDAS = ("0.35", "0.5", "0.65")
_EQUAL = 1e-9


def claims(results: Results) -> tuple[Claim, ...]:
    """All claims for which something was computed."""
    found: list[Claim | None] = [_asymmetry(results)]
    found += [c(results) for c in (_ldp, _relaxed, _strict, _best, _subsets, _satisfied, _subset_response, _averages)]
    found += [c(results) for c in (_averages_relaxed, _orders)]
    return tuple(c for c in found if c is not None)


def _asymmetry(results: Results) -> Claim:
    low, high = results.histogram
    wide, narrow = float(np.ptp(low)), float(np.ptp(high))
    rare = float((low <= -6).mean())
    return Claim(
        "The range of log Ψ is much larger than that of log Λ, and |log Ψ| of 6 or more is nearly never seen.",
        "LIFT sec. 3",
        wide > 3 * narrow and rare < 0.01,
        f"width {wide:.1f} against {narrow:.2f}; |log Ψ| of 6 or more in {rare:.1%} of 17,000 values",
    )


def _ldp(results: Results) -> Claim | None:
    tried = failed = 0
    for runs in (results.merging, results.adult_merging):
        for lam in _LAMBDAS:
            a, b = Case("watchdog", "ldp"), Case("watchdog", f"alip {lam}")
            if runs.has(a, b):
                less = runs.values[a][:, :, NMI] < runs.values[b][:, :, NMI] - _EQUAL
                tried, failed = tried + less.size, failed + int(less.sum())
    return _counted(
        "In the watchdog mechanism LDP keeps at least as much as ALIP with the same total budget.",
        "LIFT Prop. 2, sec. 3.1.3", tried, failed,
    )  # fmt: skip


def _relaxed(results: Results) -> Claim | None:
    return _by_mean(
        results,
        "Relaxing the min-lift (λ .65) keeps more than λ .5 for eps above 1, in watchdog and AORR.",
        [("watchdog", "alip 0.65", "alip 0.5"), ("optimal", "alip 0.65", "alip 0.5")],
        lambda e: e > 1,
    )


def _strict(results: Results) -> Claim | None:
    return _by_mean(
        results,
        "Any λ below .5 keeps less (λ .35 against .5).",
        [("watchdog", "alip 0.5", "alip 0.35"), ("optimal", "alip 0.5", "alip 0.35")],
        lambda e: e > 0,
    )


def _best(results: Results) -> Claim | None:
    a, b = Case("optimal", "alip 0.65"), Case("merge", "alip 0.65")
    return _cell_by_cell(results, "AORR never keeps less than subset merging inside the same budget.", "LIFT sec. 3.1.3, 5.2", a, b)  # fmt: skip


def _subsets(results: Results) -> Claim | None:
    tried = failed = 0
    for runs in (results.merging, results.adult_merging):
        for family in ("ldp", *(f"alip {lam}" for lam in _LAMBDAS)):
            a, b = Case("merge", family), Case("watchdog", family)
            if runs.has(a, b):
                less = runs.values[a][:, :, NMI] < runs.values[b][:, :, NMI] - _EQUAL
                tried, failed = tried + less.size, failed + int(less.sum())
    return _counted("A partition of the risky values keeps at least as much as merging them all.", "LIFT Def. 4, sec. 4.2", tried, failed)  # fmt: skip


def _satisfied(results: Results) -> Claim | None:
    tried = failed = 0
    for runs in (results.merging, results.adult_merging):
        for family in ("ldp", *(f"alip {lam}" for lam in _LAMBDAS)):
            case = Case("merge", family)
            if runs.has(case):
                broke = runs.values[case][:, :, BROKE]
                tried, failed = tried + broke.size, failed + int(broke.sum())
    return _counted("With subset merging “privacy constraints are satisfied in all cases”.", "LIFT sec. 4.2", tried, failed, ("E5",))  # fmt: skip


def _subset_response(results: Results) -> Claim | None:
    """SRR lies between subset merging and AORR; how far below AORR is told."""
    a, b, c = (Case(m, "alip 0.65") for m in ("merge", "response", "optimal"))
    tried = failed = 0
    gaps: list[float] = []
    for runs in (results.responses, results.adult_responses):
        if runs.has(a, b, c):
            merged, inner, best = (runs.values[k][:, :, NMI] for k in (a, b, c))
            ok = runs.values[a][:, :, BROKE] == 0
            wrong = ((inner < merged - 1e-6) & ok) | (inner > best + 1e-6)
            tried, failed = tried + wrong.size, failed + int(wrong.sum())
            gaps.append(float((best.mean(axis=0) - inner.mean(axis=0)).max()))
    found = _counted("SRR keeps more than subset merging, and its trade-off is very close to AORR.", "LIFT sec. 5.2", tried, failed)  # fmt: skip
    if found is None:
        return None
    evidence = f"{found.evidence}; on average at most {max(gaps):.3f} NMI below AORR"
    return Claim(found.text, found.place, found.holds, evidence)


def _averages(results: Results) -> Claim | None:
    return _by_mean(
        results,
        "With λ .5, l1- and chi2-privacy keep more than ALIP at every eps.",
        [("merge", "l1 0.5", "alip 0.5"), ("merge", "chi2 0.5", "alip 0.5")],
        lambda e: e > 0,
        place="LIFT sec. 6.2",
    )


def _averages_relaxed(results: Results) -> Claim | None:
    pairs = [("merge", "l1 0.65", "l1 0.5"), ("merge", "chi2 0.65", "chi2 0.5")]
    text = "λ .65 keeps more than λ .5 for eps above 1 and less below, for l1- and chi2-privacy."
    above = _by_mean(results, text, pairs, lambda e: e > 1, place="LIFT sec. 6.2")
    below = _by_mean(results, text, [(m, b, a) for m, a, b in pairs], lambda e: e < 1, place="LIFT sec. 6.2")
    if above is None or below is None:
        return above or below
    evidence = f"above 1: {above.evidence}; below 1: {below.evidence}"
    return Claim(text, above.place, above.holds and below.holds, evidence)


def _orders(results: Results) -> Claim | None:
    cases = [*(Case("merge", f"alpha-{order} 0.5") for order in (2, 10, 100)), Case("merge-sum", "alip 0.5")]
    pairs = list(pairwise(cases))
    text = "Alpha-lift is tunable: order 2 keeps most, and larger orders come closer to ALIP."
    return _means(text, "LIFT sec. 6.2", [("synthetic", results.alpha)], pairs, lambda e: e > 0)


def _by_mean(
    results: Results,
    text: str,
    pairs: Sequence[tuple[str, str, str]],
    where: Callable[[float], bool],
    place: str = "LIFT sec. 3.1.3",
) -> Claim | None:
    every = (
        ("synthetic", results.merging),
        ("Adult", results.adult_merging),
        ("synthetic", results.responses),
        ("Adult", results.adult_responses),
    )
    cases = [(Case(m, more), Case(m, less)) for m, more, less in pairs]
    return _means(text, place, every, cases, where)


def _means(
    text: str,
    place: str,
    every: Sequence[tuple[str, Runs]],
    pairs: Sequence[tuple[Case, Case]],
    where: Callable[[float], bool],
) -> Claim | None:
    """Whether the first case keeps at least as much as the second on average, at each eps; the worst is told.

    A mean counts against it when it is lower by more than three standard errors of the paired difference.
    """
    tried = failed = 0
    worst: tuple[float, str] = (0.0, "")
    for table, runs in every:
        for a, b in pairs:
            if not runs.has(a, b):
                continue
            at = [i for i, e in enumerate(runs.eps) if where(float(e))]
            paired: Floats = (runs.values[a] - runs.values[b])[:, at, NMI]
            n = len(paired)
            slack = 3 * paired.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.zeros(len(at))
            against = paired.mean(axis=0) < -slack - _EQUAL
            tried, failed = tried + len(at), failed + int(against.sum())
            if against.any():
                lost = np.where(against, paired.mean(axis=0), 0.0)
                k = int(lost.argmin())
                if lost[k] < worst[0]:
                    worst = (float(lost[k]), f"{a.mechanism} {a.family}, {table}, eps {float(runs.eps[at[k]]):g}")
    found = _counted(text, place, tried, failed, means=True)
    if found is None or not failed:
        return found
    return Claim(text, place, False, f"{found.evidence}; at most {-worst[0]:.3f} NMI less ({worst[1]})")


def _cell_by_cell(results: Results, text: str, place: str, a: Case, b: Case) -> Claim | None:
    tried = failed = 0
    for runs in (results.responses, results.adult_responses):
        if runs.has(a, b):
            allowed: NDArray[np.bool_] = runs.values[b][:, :, BROKE] == 0
            less = (runs.values[a][:, :, NMI] < runs.values[b][:, :, NMI] - 2e-6) & allowed
            tried, failed = tried + int(allowed.sum()), failed + int(less.sum())
    return _counted(text, place, tried, failed)


def _counted(
    text: str, place: str, tried: int, failed: int, errata: tuple[str, ...] = (), means: bool = False
) -> Claim | None:
    if not tried:
        return None
    what = "means" if means else "releases"
    evidence = f"{failed:,} of {tried:,} {what} against it"
    return Claim(text, place, failed == 0, evidence, errata if failed else ())
