"""Writers of certificates about a table and its release: what every released value keeps, or how a budget is broken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates.assumptions import known
from liftgate.certificates.certificate import Certificate
from liftgate.channel import Channel
from liftgate.errors import CertificateError
from liftgate.exact import fraction
from liftgate.joint import Joint
from liftgate.labels import label_texts

Bound = Fraction | int | str | None


def lift_bounds(joint: Joint, channel: Channel | None, budget: Budget, assumptions: Iterable[str]) -> Certificate:
    """Every lift is inside an ``alip`` budget, or every ratio inside an ``ldp`` budget (LIFT Def. 2, 3).

    >>> j = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    >>> c = lift_bounds(j, Channel.merge(3, [[0, 1], [2]]), Budget.between(1, 1), ["counts-are-population"])
    >>> checker.check(c).holds
    True
    """
    if budget.kind not in ("alip", "ldp"):
        raise CertificateError(
            f"certificate lift-bounds, budget {budget.text}",
            "it bounds no single lift",
            "use certify or measure_bounds",
        )
    claim = {**claim_of(joint, channel), "budget": budget.to_dict()}
    return Certificate("lift-bounds", 1, claim, {}, known(assumptions))


def ratio_bound(
    joint: Joint, channel: Channel | None, exp_eps: Fraction | int | str, assumptions: Iterable[str]
) -> Certificate:
    """No released value is more than ``exp_eps`` times as likely under one sensitive value as another (LIFT Def. 2)."""
    claim = {**claim_of(joint, channel), "exp_eps": fraction(exp_eps, "exp_eps")}
    return Certificate("ratio-bound", 1, claim, {}, known(assumptions))


def measure_bounds(
    joint: Joint, channel: Channel | None, bounds: Mapping[str, tuple[Bound, Bound]], assumptions: Iterable[str]
) -> Certificate:
    """The worst case of each measure over the released values is inside its bounds (LIFT Def. 5, 6).

    ``bounds`` names exact measures (``max-lift``, ``min-lift``, ``ldp-ratio``, ``l1-lift``, ``chi2-lift``,
    ``alpha-lift-p/q``, the last three also with ``-inverse``); None leaves a side open, and a low end of ``"inf"``
    says that the measure is infinite.
    """
    if not bounds:
        raise CertificateError("certificate measure-bounds", "it bounds nothing", "name at least one measure")
    ends: dict[str, list[Any]] = {}
    for name, (low, up) in bounds.items():
        try:
            checker.measure_named(name)
        except checker.Refused as error:
            raise CertificateError(
                "certificate measure-bounds", str(error), "use a measure with exact bounds"
            ) from None
        place = f"bounds of {name}"
        low_end = low if low is None or low == "inf" else fraction(low, place)
        ends[name] = [low_end, None if up is None else fraction(up, place)]
    return Certificate("measure-bounds", 1, {**claim_of(joint, channel), "bounds": ends}, {}, known(assumptions))


def certify(joint: Joint, channel: Channel | None, budget: Budget, assumptions: Iterable[str]) -> Certificate:
    """The claim that a release is inside a budget, in the kind that fits: lift-bounds or measure-bounds.

    >>> j = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    >>> certify(j, None, Budget.l1(None, 1), ["counts-are-population"]).kind
    'measure-bounds'
    """
    if budget.kind in ("alip", "ldp"):
        return lift_bounds(joint, channel, budget, assumptions)
    sides = {name: (None, bound) for name, bound in budget_sides(budget).items()}
    return measure_bounds(joint, channel, sides, assumptions)


def budget_sides(budget: Budget) -> dict[str, Fraction]:
    """The measures that an ``ldp``, ``l1``, ``chi2`` or ``alpha`` budget bounds from above, by name."""
    name = {"ldp": "ldp-ratio", "alpha": f"alpha-lift-{budget.order}"}.get(budget.kind, f"{budget.kind}-lift")
    sides = {name: budget.up, f"{name}-inverse": budget.low}
    return {side: bound for side, bound in sides.items() if bound is not None}


def claim_of(joint: Joint, channel: Channel | None) -> dict[str, Any]:
    """The counts and the channel of a claim; without a channel every public value is released as it is."""
    for counts, labels, side in (
        (joint.sensitive_counts, joint.sensitive, "sensitive"),
        (joint.public_counts, joint.public, "public"),
    ):
        empty = np.flatnonzero(counts == 0)
        if empty.size:
            name = label_texts(labels)[int(empty[0])]
            raise CertificateError(
                f"certificate, {side} value {name!r}", "never occurs", "use joint.drop_empty() first"
            )
    through = Channel.identity(joint.public) if channel is None else channel
    outputs = through.outputs()
    if [(type(v), v) for v in through.public] != [(type(v), v) for v in joint.public]:
        raise CertificateError("certificate, channel", "its public values are not those of the joint", "rebuild it")
    if [] in outputs:
        name = label_texts(through.released)[outputs.index([])]
        raise CertificateError(f"certificate, released value {name!r}", "nothing is released as it", "leave it out")
    flat = [[v for pair in output for v in pair] for output in outputs]
    return {"counts": joint.counts.tolist(), "channel": {"total": through.total, "outputs": flat}}
