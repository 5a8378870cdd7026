"""DOG: the statements of sections II and III on random tables, and section IV on COMPAS, recomputed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from liftgate.budget import Budget
from liftgate.estimators.funnels import funnel
from liftgate.estimators.watchdog import (
    flagged_values,
    gamma_as_printed,
    gamma_bound,
    leakage,
    mapping,
)
from liftgate.jobs.recomputed import Claim, Compared, Figure, Missing, Recomputed
from liftgate.joint import Joint
from liftgate.measures import measure
from liftgate.mechanisms import utility
from liftgate.papers import watchdog_compas as compas_table
from liftgate.papers import watchdog_figures
from liftgate.papers.clock import Clock, Progress
from liftgate.papers.lift_tables import VARIABLE
from liftgate.papers.transparency_numbers import line
from liftgate.papers.watchdog_compas import Compas, Floats, Trial, mean_point

TITLE = "Privacy watchdog: log-lift of rows by the Donsker-Varadhan bound"
READING = "Held-out: the mean log-lift of rows with their own sensitive value, from networks that have not seen the row, in nats."
JOINTS = 2000
TRADEOFF = (0.1, 0.2, 0.3, 0.4, 0.5, 0.85)
CONDITIONS = (
    "The networks are like the paper's: its architecture and its training are in a reference that is not published with it.",
    "Log-lifts of single rows are estimates: whoever trains another network gets other rows near the border.",
)
LIMITS = (
    "Not that a flagged row is risky or an unflagged one is not: for rows this rich no method certifies that.",
    "Not anything about the people in the table beyond what these five columns say about one.",
    "Not that Table I could be checked: which network picked its rows is not known.",
)


def recompute(
    draws: int, seconds: float = 600.0, seed: int = 0, progress: Progress | None = None, joints: int = JOINTS
) -> Recomputed:
    """The claims on ``joints`` random tables; section IV on ``draws`` splits of COMPAS where its file is there."""
    clock = Clock(seconds, progress)
    clock.tell("random tables", 0, 1)
    checked = check_statements(joints, seed)
    claims = list(_statements(checked))
    numbers = list(_worked_example())
    figures: tuple[Figure, ...] = ()
    path, why = compas_table.compas_file()
    found: list[Trial] = []
    compas = None
    if path is not None:
        compas = compas_table.read_compas(path)
        found = compas_table.trials(compas, draws, seed, clock)
        clock.tell("scores of all rows", 0, 1)
        scores = _cross_fitted(compas, seed)
        figures = watchdog_figures.figures(compas, seed, found)
        numbers += _numbers(compas, scores)
        claims += _claims(compas, found, scores)
    return Recomputed(
        paper="watchdog",
        title=TITLE,
        settings={"draws": len(found), "drawn": "Splits of COMPAS", "seed": seed, "joints": joints},
        totals={"tables": checked.joints, "rows": 0 if compas is None else len(compas.rows)},
        figures=figures,
        numbers=tuple(numbers),
        claims=tuple(claims),
        missing=_missing(why, draws, len(found), seconds),
        data={} if compas is None else {"compas": {"name": compas.name, "rows": len(compas.rows)}},
        assumptions=("counts-are-population", "rows-independent"),
        reading=READING,
        conditions=CONDITIONS if found else (),
        limits=LIMITS,
    )


def _missing(why: str, draws: int, done: int, seconds: float) -> tuple[Missing, ...]:
    if why:
        fix = f"name the folder that holds compas/compas_slim.csv of ProPublica's table: {VARIABLE}=FOLDER"
        return (Missing("section IV, Figures 1 and 2 and Table I", why, fix),)
    if done < draws:
        text = f"{seconds:g} seconds were enough for {done} of {draws}"
        return (Missing("some splits of the table", text, "give more --seconds or fewer --draws"),)
    return ()


def _cross_fitted(compas: Compas, seed: int) -> Floats:
    from liftgate.estimators.scores import estimate

    return estimate(compas.rows, compas.rows.sensitive, compas.rows.public, estimator="network", seed=seed).log_lift


# ---- sections II and III on random tables ------------------------------------------------------------


@dataclass(frozen=True)
class Checked:
    """How often each statement failed, was undefined, or was tight, on random tables."""

    joints: int
    lemma: int
    proposition_1: int
    split: int
    undefined: int
    printed_below: int
    bound_below: int
    above_eps: int
    widest: float


def check_statements(joints: int, seed: int) -> Checked:
    """Lemma 1, Propositions 1 and 2 and (11) on random tables, at an eps between the log-lifts of their values."""
    rng = np.random.default_rng([seed, 20])
    lemma = first = undefined = finite = below = short = above = 0
    widest = 0.0
    for _ in range(joints):
        joint = _random_joint(rng)
        sizes = np.abs(joint.log_lift).max(axis=0)
        worst, told = float(sizes.max()), measure(joint)
        lemma += told["ldp-epsilon"] > 2 * worst + 1e-9 or told["mutual-information"] > worst + 1e-9
        first += (
            max(told["sibson-2"], told["arimoto-2"]) > 2 * worst + 1e-9
            or told["maximal-leakage"] > worst + 1e-9
            or told["guessing-after"] > told["guessing-before"] * math.exp(worst) + 1e-9
        )
        eps = f"{float(np.quantile(sizes, rng.uniform(0.1, 0.9))):.6f}"
        flagged = flagged_values(joint, Budget.lip(eps))
        if not flagged.any() or flagged.all():
            continue
        finite += 1
        exact, within = leakage(joint, flagged).gamma, float(joint.public_share[~flagged].sum())
        printed = gamma_as_printed(float(eps), within)
        undefined += printed is None
        below += printed is not None and printed < exact - 1e-9
        short += gamma_bound(float(eps), within) < exact - 1e-9
        above += exact > float(eps) + 1e-9
        widest = max(widest, abs(funnel(joint, [eps])[0].utility - utility(joint, mapping(joint, flagged))))
    return Checked(joints, lemma, first, finite, undefined, below, short, above, widest)


def _random_joint(rng: np.random.Generator) -> Joint:
    """2 to 5 sensitive and 3 to 12 public values, some nearly independent, some not at all."""
    m, n = int(rng.integers(2, 6)), int(rng.integers(3, 13))
    spread = float(rng.choice([0.3, 1.0, 3.0]))
    counts = np.ceil(1000 * rng.dirichlet(np.full(m, spread), size=n).T * rng.uniform(0.1, 1, size=n)).astype(np.int64)
    return Joint.from_counts(np.maximum(counts, 1))


def _worked_example() -> Iterator[Compared]:
    """A table on which Proposition 2 can be followed by hand; what it prints is recomputed, not what is true."""
    joint = Joint.from_counts([[40, 5, 5], [30, 15, 5]])
    found = leakage(joint, flagged_values(joint, Budget.lip("0.2"))).gamma
    yield line(
        "gamma of mapping (9) on P = [.40 .05 .05; .30 .15 .05], eps .2", "DOG Prop. 2", f"{gamma_as_printed(0.2, 0.8):.6f}",
        found, 1e-6, "exactly log 2: the flagged value has lift 1/2; eps .3 flags the same, and the printed gamma is undefined",
        ("E20", "E21"),
    )  # fmt: skip


def _statements(c: Checked) -> Iterator[Claim]:
    every = f"of {c.joints:,} random tables"
    yield Claim("eps-lift privacy gives 2 eps local privacy and I(S;X) <= eps.", "DOG Lemma 1", c.lemma == 0, f"{c.lemma} {every} speak against it")  # fmt: skip
    yield Claim(
        "It bounds Sibson's and Arimoto's information, maximal leakage and the chance to guess.", "DOG Prop. 1",
        c.proposition_1 == 0, f"{c.proposition_1} {every} speak against it; the factor alpha / (alpha - 1) is not needed",
    )  # fmt: skip
    split = f"{c.split:,} tables with values on both sides of eps"
    yield Claim(
        "The output of mapping (9) is gamma-lift private with the printed gamma.", "DOG Prop. 2",
        c.undefined == 0 and c.printed_below == 0,
        f"of {split} gamma is undefined on {c.undefined:,}, and too small on {c.printed_below}; the repaired bound is too small "
        f"on {c.bound_below}, and the mapping leaks more than eps on {c.above_eps:,}",
        ("E20", "E21"),
    )  # fmt: skip
    yield Claim(
        "I(X;Y) of mapping (9) is H_X_eps - P log P of the flagged values.", "DOG (11)", c.widest < 1e-9,
        f"largest difference {c.widest:.0e} of H(X); H_X_eps is a part of a sum and no entropy", ("E25",),
    )  # fmt: skip


# ---- section IV on COMPAS ----------------------------------------------------------------------------


def _numbers(compas: Compas, scores: Floats) -> Iterator[Compared]:
    place = "DOG sec. IV-B"
    yield line("rows after preprocessing", place, "5278", len(compas.rows), 1, f"of {compas.every:,} in the file")
    there = compas_table.table_1_rows(compas)
    yield line("rows of Table I among them", "DOG Table I", "7", sum(k is not None for k in there), 1)
    outside = [k for k in there if k is not None and np.abs(scores[k]).max() > watchdog_figures.EPS]
    yield line(
        "rows of Table I outside eps .85", "DOG Table I", "7", len(outside), 0.5,
        "only the row with 13 prior counts and score 10 is outside with every network; the others are near the border or inside",
    )  # fmt: skip


def _claims(compas: Compas, found: Sequence[Trial], scores: Floats) -> Iterator[Claim]:
    told = compas_table.extremes(compas, scores)
    first = scores[:, 0]
    signs = [k for k in compas_table.table_1_rows(compas) if k is not None and first[k] <= 0]
    yield Claim(
        "Males with many prior counts and a high score tell most about the race.", "DOG sec. IV-B",
        told["men"][0] > told["men"][1] and told["priors_count"][0] > told["priors_count"][1] and told["decile_score"][0] > told["decile_score"][1],
        f"of the {compas_table.EXTREME} rows with the largest i(African-American, x) {told['men'][0]:.0%} are men, the median of "
        f"the prior counts is {told['priors_count'][0]:g} (all: {told['priors_count'][1]:g}), of the score {told['decile_score'][0]:g} "
        f"(all: {told['decile_score'][1]:g})",
    )  # fmt: skip
    yield Claim(
        "They are young.", "DOG sec. IV-B", told["age"][0] < told["age"][1] - 2,
        f"their median age is {told['age'][0]:g}, that of all is {told['age'][1]:g}: hardly",
    )  # fmt: skip
    yield Claim(
        "The rows of Table I have high i(s = 0, x) and low i(s = 1, x).", "DOG Table I", not signs,
        f"{len(signs)} of 7 have the opposite sign here, the Caucasian of 43 years among them: it says Caucasian",
    )  # fmt: skip
    deviation = float(np.mean([t.deviation for t in found]))
    raw, same = (float(np.mean([getattr(t, k) for t in found])) for k in ("outside_raw", "outside_same"))
    yield Claim(
        "The maximiser of (13) is the log-lift, and it is found as data grow.", "DOG Prop. 3", False,
        f"g + c scores like g; in {len(found)} splits the raw output misses sum_s P(s) e^i = 1 by {deviation:.2f} on average and "
        f"puts {raw:.0%} of the rows outside eps .3, the same network normalised {same:.0%}", ("E22", "E23"),
    )  # fmt: skip
    means = {m: float(np.mean([t.information[m] for t in found])) for m in compas_table.METHODS}
    apart = max(means.values()) - min(means.values())
    yield Claim(
        "The Donsker-Varadhan bound estimates log-lift.", "DOG (12), sec. IV-A", apart < 0.01,
        "normalised row by row it does as well as plain classification: held-out "
        + ", ".join(f"{m} {v:.4f}" for m, v in means.items()),
    )  # fmt: skip
    points = [p for p in map(mean_point, zip(*(t.train for t in found), strict=True)) if p.eps in TRADEOFF]
    yield Claim(
        "Beyond eps = .3 the utility remains unchanged.", "DOG sec. IV-B", points[-1].utility - points[2].utility < 0.02,
        "; ".join(f"eps {p.eps:g}: {p.utility:.2f} of H(X) kept, {p.information:.4f} nats told" for p in points), ("E24",),
    )  # fmt: skip
