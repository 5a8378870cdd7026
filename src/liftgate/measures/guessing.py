"""Guessing: how often the best guess of the sensitive value is right, before and after the release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from liftgate.measures.definition import Measure
from liftgate.measures.orders import arimoto, sibson, whole_hits

MAXIMAL_LEAKAGE = replace(
    sibson(float("inf")),
    name="maximal-leakage",
    sentence="The logarithm of how many times likelier the release makes a right guess of any secret about a person, at most.",
    citation="DOG eq. (8): Sibson's mutual information of order infinity",
)

MIN_ENTROPY_LEAKAGE = replace(
    arimoto(float("inf")),
    name="min-entropy-leakage",
    sentence="The logarithm of how many times likelier the release makes a right guess of the sensitive value.",
    citation="DOG section II-B: Arimoto's mutual information of order infinity",
)

GUESSING_BEFORE = Measure(
    name="guessing-before",
    sentence="The share of people whose sensitive value is guessed right without the release.",
    formula="max_s P(s)",
    citation="DOG section II-B",
    unit="probability",
    family="average",
    survives_merging=True,
    fold="whole",
    whole=lambda view: whole_hits(view)[1] / view.joint.total,
)

GUESSING_AFTER = Measure(
    name="guessing-after",
    sentence="The share of people whose sensitive value is guessed right from the release.",
    formula="sum_y P(y) max_s P(s|y)",
    citation="DOG section II-B",
    unit="probability",
    family="average",
    survives_merging=True,
    fold="mean",
    value=lambda view: np.asarray(view.posterior.max(axis=0), dtype=np.float64),
    whole=lambda view: whole_hits(view)[0] / view.joint.total,
)
