"""Certificates of what is revealed: the exact extreme lifts, or the proof that a budget is broken."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from liftgate import checker
from liftgate.budget import Budget
from liftgate.certificates.bounds import Bound, budget_sides, measure_bounds
from liftgate.certificates.certificate import Certificate
from liftgate.channel import Channel
from liftgate.errors import CertificateError
from liftgate.exact import lcm, root_enclosure
from liftgate.joint import Joint

_MOST_DIGITS = 1000
_BITS = (40, 80, 160, 320, 640, 1280, 2560, 5120, 10240)


def revealed(joint: Joint, channel: Channel | None, assumptions: Iterable[str]) -> Certificate:
    """The exact largest and smallest lift of a release: a proof of what it reveals.

    >>> revealed(Joint.from_counts([[3, 1], [1, 3]]), None, ["counts-are-population"]).claim["bounds"]
    {'max-lift': ['3/2', '3/2'], 'min-lift': ['1/2', '1/2']}
    """
    least, most = extreme_lifts(joint if channel is None else joint.through(channel))
    return measure_bounds(joint, channel, {"max-lift": (most, most), "min-lift": (least, least)}, assumptions)


def breach_of(joint: Joint, channel: Channel | None, budget: Budget, assumptions: Iterable[str]) -> Certificate:
    """A proof that a release breaks a budget: what its worst released value reaches on each side that is broken.

    Exact where the measure is a fraction; ``"inf"`` where it is infinite; for an alpha-lift (and fractions too long
    to print) a lower bound above the budget's bound, rounded down.

    >>> j = Joint.from_counts([[3, 1], [1, 3]])
    >>> breach_of(j, None, Budget.between("3/4", 2), ["counts-are-population"]).claim["bounds"]
    {'min-lift': ['1/2', '1/2']}
    """
    after = joint if channel is None else joint.through(channel)
    bounds: dict[str, tuple[Bound, Bound]] = {}
    if budget.kind == "alip":
        least, most = extreme_lifts(after)
        if budget.up is not None and most > budget.up:
            bounds["max-lift"] = (most, most)
        if budget.low is not None and least < budget.low:
            bounds["min-lift"] = (least, least)
    else:
        for name, bound in budget_sides(budget).items():
            if (ends := _reached(after, budget, name, bound)) is not None:
                bounds[name] = ends
    if not bounds:
        raise CertificateError(f"certificate, budget {budget.text}", "the release is inside it", "use certify instead")
    return measure_bounds(joint, channel, bounds, assumptions)


def extreme_lifts(joint: Joint) -> tuple[Fraction, Fraction]:
    """The exact smallest and largest lift over all sensitive and public values that occur."""
    sizes, total = [int(n) for n in joint.sensitive_counts], joint.total
    kept = [s for s, size in enumerate(sizes) if size]
    least: Fraction | None = None
    most = Fraction(0)
    for column, mass in zip(joint.counts.T.tolist(), joint.public_counts.tolist(), strict=True):
        if not mass:
            continue
        low = up = (column[kept[0]], sizes[kept[0]])
        for s in kept:
            count, size = column[s], sizes[s]
            if count * low[1] < low[0] * size:
                low = (count, size)
            if count * up[1] > up[0] * size:
                up = (count, size)
        smallest = Fraction(low[0] * total, low[1] * mass)
        least = smallest if least is None else min(least, smallest)
        most = max(most, Fraction(up[0] * total, up[1] * mass))
    assert least is not None
    return least, most


def _reached(joint: Joint, budget: Budget, name: str, bound: Fraction) -> tuple[Bound, Bound] | None:
    """What the worst released value reaches in one measure as claimed ends, or None when it stays inside."""
    sizes, total = [int(n) for n in joint.sensitive_counts], joint.total
    kept = [s for s, size in enumerate(sizes) if size]
    weights = [sizes[s] for s in kept]
    exact: list[Fraction] = []
    powers: list[list[Fraction]] = []
    for column, mass in zip(joint.counts.T.tolist(), joint.public_counts.tolist(), strict=True):
        if not mass:
            continue
        lifts = [Fraction(column[s] * total, sizes[s] * mass) for s in kept]
        if 0 in lifts and (name == "ldp-ratio" or name.endswith("-inverse")):
            return "inf", None
        ratios = [1 / lift for lift in lifts] if name.endswith("-inverse") else lifts
        if budget.kind == "ldp":
            exact.append(max(lifts) / min(lifts))
        elif budget.kind == "alpha":
            powers.append([ratio**budget.order.numerator for ratio in ratios] if budget.order is not None else [])
        else:
            steps = [abs(ratio - 1) if budget.kind == "l1" else (ratio - 1) ** 2 for ratio in ratios]
            exact.append(_mean(steps, weights, total))
    if budget.order is not None:
        return _alpha_reached(powers, weights, total, budget.order, bound)
    value = max(exact)
    if value <= bound:
        return None
    if max(value.numerator, value.denominator) < 10**_MOST_DIGITS:
        return value, value
    bits = next(b for b in (*_BITS, value.denominator.bit_length()) if _floor(value, b) > bound)
    return _floor(value, bits), None


def _alpha_reached(
    powers: list[list[Fraction]], weights: list[int], total: int, order: Fraction, bound: Fraction
) -> tuple[Bound, Bound] | None:
    """A fraction above the bound and at most (mean of r^(p/q))^(q/p) of some released value."""
    p, q = order.numerator, order.denominator
    limit = (-total, bound**p)
    broken = [row for row in powers if checker.sign_of_roots([*zip(weights, row, strict=True), limit], q) > 0]
    if not broken:
        return None
    for bits in _BITS:
        means = [_mean([root_enclosure(power, q, bits).lower for power in row], weights, total) for row in broken]
        best = root_enclosure(max(means) ** q, p, bits).lower
        if best > bound:
            return best, None
    raise CertificateError(
        f"certificate, alpha-lift of order {order}", "too close to its bound to be told from it", "change the budget"
    )


def _mean(values: list[Fraction], weights: list[int], total: int) -> Fraction:
    """sum w v / total over one common denominator."""
    common = lcm(v.denominator for v in values)
    return Fraction(
        sum(w * v.numerator * (common // v.denominator) for v, w in zip(values, weights, strict=True)), common * total
    )


def _floor(value: Fraction, bits: int) -> Fraction:
    return Fraction((value.numerator << bits) // value.denominator, 1 << bits)
