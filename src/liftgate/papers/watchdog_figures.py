"""DOG Figures 1 and 2 on COMPAS: estimated log-lifts of all rows, and utility against leakage over eps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liftgate.estimators.funnels import RowPoint
from liftgate.jobs.recomputed import Curve, Figure, Panel
from liftgate.papers.watchdog_compas import Compas, Trial, mean_point, raw_and_normalised

EPS = 0.85
SHOWN = 600
BEYOND = (
    "Around eps = .3 little of the information is told and about half of the utility kept; beyond it both go on growing "
    "(E24). The mapping does not keep eps by itself: where few rows are flagged, being flagged tells."
)
ONE_CURVE = (
    "P(s) e^i(s, x) adds up to 1 in every row, so i(1, x) follows from i(0, x). The objective (13) does not know that: it "
    "determines the output only up to a constant (E22). Normalised row by row, all points lie on the curve."
)


def figures(compas: Compas, seed: int, found: Sequence[Trial]) -> tuple[Figure, ...]:
    """Both figures; Table I is compared row by row elsewhere."""
    return _figure_1(compas, seed), _figure_2(found)


def _figure_1(compas: Compas, seed: int) -> Figure:
    raw, lifts = raw_and_normalised(compas, seed)
    prior = compas.rows.sample.prior
    first = lifts[:, 0]
    ends = np.linspace(max(first.min(), -2.2), min(first.max(), np.log(0.98 / prior[0])), 80)
    exact = tuple((float(a), float(np.log((1 - prior[0] * np.exp(a)) / prior[1]))) for a in ends)
    drawn = np.random.default_rng([seed, 1]).permutation(len(raw))[:SHOWN]
    cloud = tuple((float(a), float(b)) for a, b in raw[drawn])
    square = tuple((x * EPS, y * EPS) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)))
    out = int((np.abs(lifts).max(axis=1) > EPS).sum())
    return Figure(
        1,
        "DOG Fig. 1",
        "With two sensitive values every row lies on one curve; a cloud around it is error of the estimate",
        f"{SHOWN} of {len(raw):,} rows drawn, from one network trained on 70 % of them; the figure is an image in the paper",
        1,
        (
            Panel(
                "",
                "Log-lifts of both values",
                f"i({compas.rows.labels[0]}, x)",
                f"i({compas.rows.labels[1]}, x)",
                (
                    Curve("raw output of (13)", cloud, 3, "points"),
                    Curve("possible", exact, 1),
                    Curve(f"within {EPS:g}", square, 2),
                ),
            ),
        ),
        (
            ONE_CURVE,
            f"Normalised, {out:,} of {len(raw):,} rows are outside {EPS:g}.",
        ),
    )


def _figure_2(found: Sequence[Trial]) -> Figure:
    train, test = (
        [mean_point(p) for p in zip(*parts, strict=True)]
        for parts in ([t.train for t in found], [t.test for t in found])
    )
    whole = train.pop().information
    rest = test.pop().information
    return Figure(
        2,
        "DOG Fig. 2",
        "What is kept keeps growing with eps; the printed bound of what is told ends where it is undefined",
        f"means of {len(found)} splits, a network trained on 70 % of the rows; the figure is an image in the paper",
        len(found),
        (
            Panel(
                "a", "Kept and told, as shares of all", "eps", "share",
                (
                    _line("kept, training rows", train, "utility", 0), _line("kept, test rows", test, "utility", 3),
                    _line("told, training rows", train, "information", 1, whole), _line("told, test rows", test, "information", 4, rest),
                ),
            ),
            Panel(
                "b", "Largest log-lift after mapping (9)", "eps", "nats",
                (
                    Curve("eps itself", tuple((p.eps, p.eps) for p in train), 3),
                    _line("exactly", train, "gamma", 0),
                    Curve("Proposition 2", tuple((p.eps, p.printed) for p in train if p.printed is not None), 2),
                ),
            ),
        ),
        (_ends(train), BEYOND),
    )  # fmt: skip


def _line(name: str, points: Sequence[RowPoint], what: str, look: int, scale: float = 1.0) -> Curve:
    return Curve(name, tuple((p.eps, float(getattr(p, what)) / scale) for p in points), look)


def _ends(points: Sequence[RowPoint]) -> str:
    last = max((p.eps for p in points if p.printed is not None), default=0.0)
    return f"Proposition 2 as printed is undefined for eps above {last:g} here, because e^eps P(X_eps) reaches 1 (E20)."
