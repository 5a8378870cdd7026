"""Averages over released values: f-information of every kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from liftgate.channel import Channel
from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.measures.definition import Measure
from liftgate.measures.view import Floats, View, weighted


def _hellinger(view: View) -> Floats:
    return weighted(view.prior, (view.change / (np.sqrt(view.lift) + 1)) ** 2 / 2)


MUTUAL_INFORMATION = Measure(
    name="mutual-information",
    sentence="How much a released value tells about the sensitive value on average; the same as the KL-information.",
    formula="sum_y P(y) sum_s P(s|y) log lift(s,y)",
    citation="LIFT Prop. 1-1, DOG eq. (3) with f(t) = t log t",
    unit="nats",
    family="average",
    survives_merging=True,
    fold="mean",
    value=lambda view: view.gain,
)

REVERSE_KL = Measure(
    name="reverse-kl",
    sentence="How surprising the release would be, on average, to someone who thought it told nothing; infinite on an empty cell.",
    formula="-sum_y P(y) sum_s P(s) log lift(s,y)",
    citation="DOG eq. (3) with f(t) = -log t",
    unit="nats",
    family="average",
    survives_merging=True,
    fold="mean",
    value=lambda view: view.reverse_gain,
)

TOTAL_VARIATION = Measure(
    name="total-variation",
    sentence="The share of people whose sensitive value would have to differ for the release to tell nothing, on average.",
    formula="sum_y P(y) sum_s P(s) |lift(s,y) - 1| / 2",
    citation="LIFT Def. 5, after eq. (31)",
    unit="probability",
    family="average",
    survives_merging=True,
    fold="mean",
    value=lambda view: weighted(view.prior, np.abs(view.change)) / 2,
)

CHI2 = Measure(
    name="chi2",
    sentence="The squared distance of the lifts from 1, averaged over sensitive and released values.",
    formula="sum_y P(y) sum_s P(s) (lift(s,y) - 1)^2",
    citation="LIFT Def. 5, after eq. (32)",
    unit="factor squared",
    family="average",
    survives_merging=True,
    fold="mean",
    value=lambda view: weighted(view.prior, view.change**2),
)

HELLINGER = Measure(
    name="hellinger",
    sentence="Half the squared distance of the square roots of the lifts from 1, averaged over sensitive and released values.",
    formula="sum_y P(y) sum_s P(s) (sqrt(lift(s,y)) - 1)^2 / 2",
    citation="DOG eq. (3) with f(t) = (sqrt(t) - 1)^2 / 2",
    unit="probability",
    family="average",
    survives_merging=True,
    fold="mean",
    value=_hellinger,
)

NAMED: Mapping[str, Measure] = MappingProxyType(
    {
        "kl": MUTUAL_INFORMATION,
        "reverse-kl": REVERSE_KL,
        "tv": TOTAL_VARIATION,
        "chi2": CHI2,
        "hellinger": HELLINGER,
    }
)


def f_information(f: str | Callable[[Floats], Floats], name: str = "f-information") -> Measure:
    """The f-information sum_y P(y) sum_s P(s) f(lift(s,y)) (DOG eq. (3)), of a name or of a convex f with f(1) = 0.

    A name is ``kl``, ``reverse-kl``, ``tv``, ``chi2`` or ``hellinger``; a function takes an array of lifts, where
    lift 0 has to give the limit f(0).

    >>> j = Joint.from_counts([[3, 1], [1, 3]])
    >>> f_information("chi2").of(j), f_information(lambda t: abs(t - 1) / 2).of(j)
    (0.25, 0.25)
    """
    if isinstance(f, str):
        if f not in NAMED:
            raise UsageError("f-information", f"{f!r} is not known", f"use one of {', '.join(NAMED)}, or a function")
        return NAMED[f]
    at_one = float(np.asarray(f(np.array([1.0])))[0])
    if at_one != 0:
        raise UsageError("f-information", f"f(1) is {at_one!r}", "subtract it, so that telling nothing costs nothing")

    def value(view: View) -> Floats:
        out = np.asarray(f(view.lift), dtype=np.float64)
        if out.shape != view.lift.shape or np.isnan(out).any():
            raise UsageError(
                "f-information", "f does not give one number for each lift", "make it work on arrays, 0 included"
            )
        return weighted(view.prior, out)

    return Measure(
        name=name,
        sentence="A convex function of the lifts, averaged over sensitive and released values.",
        formula="sum_y P(y) sum_s P(s) f(lift(s,y))",
        citation="DOG eq. (3)",
        unit="nats",
        family="average",
        survives_merging=True,
        fold="mean",
        value=value,
    )


def normalised_mutual_information(joint: Joint, channel: Channel) -> float:
    """How much of the public value a release keeps: I(X;Y) / H(X), and 1 where X is constant (LIFT section 3.1).

    >>> j = Joint.from_counts([[2, 1, 1]])
    >>> normalised_mutual_information(j, Channel.identity(3))
    1.0
    >>> normalised_mutual_information(j, Channel.merge(3, [[0, 1, 2]]))
    0.0
    """
    x = joint.public_share
    before = _entropy(x)
    if before == 0:
        return 1.0
    chance: Floats = (channel.shares / channel.total).astype(np.float64)
    mass = x[channel.row_of_entry] * chance
    y = np.bincount(channel.targets, weights=mass, minlength=len(channel.released))
    seen = mass > 0
    kept = math.fsum((mass[seen] * np.log(chance[seen] / y[channel.targets[seen]])).tolist())
    return min(1.0, max(0.0, kept / before))


def _entropy(p: Floats) -> float:
    p = p[p > 0]
    return -math.fsum((p * np.log(p)).tolist()) if p.size > 1 else 0.0
