"""Many steps one after the other: exact products of hinge lists, and the looser bounds to compare them with.

For independent steps the product is exact, for any relation: the labels of the blocks with ratio above t are only related
to labels of such blocks. For adaptive chains of proper laws it bounds the truth: the dominating pair of every step,
multiplied (Zhu, Dong and Wang 2022, Thm. 10, used here and not proved again; the reduction to pairs is STAR Lemma 31).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul
from typing import Any

from liftgate.couplings.compose import Close, basic
from liftgate.couplings.hinges import Hinges, log_up, ordered, rational_eps, small_delta
from liftgate.couplings.powers import FEW, coprime_base, on_a_line, polynomial_power, powers_in
from liftgate.couplings.profiles import Profile
from liftgate.errors import UsageError
from liftgate.exact import Enclosure, exp_enclosure, exp_rounded, fraction, log_enclosure, root_enclosure

MOST_BLOCKS = 400_000
MOST_BITS = 1 << 28
Keys = list[Any]


def hinge_list(step: Hinges | Profile) -> Hinges:
    """The hinge list of a profile, or the list itself; sub-distributions are refused (erratum E50)."""
    out = step.hinges if isinstance(step, Profile) else step
    if not out.proper:
        fix = "use laws that add up to 1, or the basic rule"
        raise UsageError("composition", "the product rule is false for sub-distributions", fix)
    return out


def product(*steps: Hinges | Profile) -> Hinges:
    """The hinge list of all steps together: masses multiply, equal ratios become one block.

    >>> coin = Hinges.of([("3/4", "1/4"), ("1/4", "3/4")])
    >>> [str(p) for p, _ in product(coin, coin).blocks]
    ['9/16', '3/8', '1/16']
    """
    lists = [hinge_list(step) for step in steps]
    keys, join = _keys(lists)
    table = dict(zip(keys[0], lists[0].masses, strict=True))
    left, right = lists[0].left_scale, lists[0].right_scale
    for names, step in zip(keys[1:], lists[1:], strict=True):
        table = _times(table, dict(zip(names, step.masses, strict=True)), join)
        left, right = left * step.left_scale, right * step.right_scale
    return Hinges(ordered(table.values()), left, right)


def power(step: Hinges | Profile, times: int) -> Hinges:
    """The hinge list of the same step ``times`` times.

    Where the ratios are powers of one number, a recurrence for powers of polynomials gives it (Miller), else squaring.

    >>> power(Hinges.of([("3/4", "1/4"), ("1/4", "3/4")]), 1000).exp_epsilon() == 3**1000
    True
    """
    if isinstance(times, bool) or not isinstance(times, int) or times < 1:
        raise UsageError("times", f"{times!r} is not a positive whole number", "compose at least one step")
    one = hinge_list(step)
    if times * max(one.left_scale, one.right_scale).bit_length() > MOST_BITS >> 8:
        raise UsageError("composition", f"{times} steps are too many to be exact", "compose fewer steps")
    scales = one.left_scale**times, one.right_scale**times
    places = on_a_line([Fraction(p, q) for p, q in one.masses if p and q])
    if places is not None:
        return Hinges(_power_on_a_line(one, places, times), *scales)
    (names,), join = _keys([one])
    square, table, left = dict(zip(names, one.masses, strict=True)), None, times
    while left:
        if left % 2:
            table = square if table is None else _times(table, square, join)
        left //= 2
        if left:
            square = _times(square, square, join)
    assert table is not None
    return Hinges(ordered(table.values()), *scales)


def _power_on_a_line(one: Hinges, places: list[int], times: int) -> tuple[tuple[int, int], ...]:
    """Blocks of ``times`` steps: the powers of two polynomials, and what has an infinite or zero ratio."""
    finite = [(p, q) for p, q in one.masses if p and q]
    blocks = times * places[-1] + 1 if places else 1
    if blocks > MOST_BLOCKS:
        raise _too_many_ratios()
    if blocks * times * max(one.left_scale, one.right_scale).bit_length() > MOST_BITS:
        raise UsageError("composition", f"{times} steps are too many to be exact", "compose fewer steps")
    left, right = (
        polynomial_power(dict(zip(places, (m[side] for m in finite), strict=True)), times) for side in (0, 1)
    )
    inside = [(p, q) for p, q in zip(left, right, strict=True) if p]
    rest = one.left_scale**times - sum(left), one.right_scale**times - sum(right)
    return (*([(rest[0], 0)] if rest[0] else []), *inside, *([(0, rest[1])] if rest[1] else []))


Table = dict[Any, tuple[int, int]]


def _times(first: Table, second: Table, join: Callable[[Any, Any], Any]) -> Table:
    out: dict[Any, tuple[int, int]] = {}
    for name, (p, q) in first.items():
        for other, (p2, q2) in second.items():
            a, b = p * p2, q * q2
            if a or b:
                key = join(name, other)
                if key in out:
                    x, y = out[key]
                    out[key] = (a + x, b + y)
                else:
                    out[key] = (a, b)
        if len(out) > MOST_BLOCKS:
            raise _too_many_ratios()
    return out


def _too_many_ratios() -> UsageError:
    fix = "compose fewer steps, or compare with the bounds of `basic` and `kov`"
    return UsageError("composition", f"the product has more than {MOST_BLOCKS} different ratios", fix)


def _keys(lists: Sequence[Hinges]) -> tuple[list[Keys], Callable[[Any, Any], Any]]:
    """Names of ratios that can be multiplied: exponents over a coprime base where it is small, else fractions.

    The ratios 0 and infinity are the names 0 and None, and what they are multiplied with does not matter.
    """
    ratios = [
        [Fraction(p * one.right_scale, q * one.left_scale) if q else None for p, q in one.masses] for one in lists
    ]
    parts = {n for row in ratios for r in row if r for n in (r.numerator, r.denominator)}
    base = coprime_base(parts) if len(parts) <= FEW else []
    if not base and parts != {1}:
        return ratios, lambda x, y: None if x is None or y is None else mul(x, y)
    powers = [[tuple(powers_in(r, base)) if r else r for r in row] for row in ratios]

    def join(x: Any, y: Any) -> Any:
        if x is None or y is None:
            return None
        return 0 if x == 0 or y == 0 else tuple(map(add, x, y))

    return powers, join


def worst(steps: Iterable[Hinges | Profile]) -> Hinges:
    """The least hinge list that is above all given ones at every eps: the upper hull of their lines.

    >>> a = Hinges.of([("3/4", "1/4"), ("1/4", "3/4")])
    >>> b = Hinges.of([("1/8", 0), ("7/8", 1)])
    >>> [tuple(map(str, block)) for block in worst([a, b]).blocks]
    [('1/8', '0'), ('5/8', '1/4'), ('1/4', '3/4')]
    """
    lists = [hinge_list(step) for step in steps]
    left = math.lcm(*(one.left_scale for one in lists))
    right = math.lcm(*(one.right_scale for one in lists))
    lines = {(0, 0), (left, right)}  # delta >= P / left - t Q / right for every first part (P, Q) of a list
    for one in lists:
        p_sum = q_sum = 0
        for p, q in one.masses:
            p_sum, q_sum = p_sum + p * (left // one.left_scale), q_sum + q * (right // one.right_scale)
            lines.add((p_sum, q_sum))
    hull: list[tuple[int, int]] = []
    for p, q in sorted(lines, key=lambda line: (line[1], -line[0])):
        if hull and p <= hull[-1][0]:
            continue
        while len(hull) > 1 and (p - hull[-1][0]) * (hull[-1][1] - hull[-2][1]) >= (hull[-1][0] - hull[-2][0]) * (
            q - hull[-1][1]
        ):
            hull.pop()
        hull.append((p, q))
    steps_up = [(b[0] - a[0], b[1] - a[1]) for a, b in zip([(0, 0), *hull], [*hull, (left, right)], strict=True)]
    return Hinges(ordered(steps_up), left, right)


# --- bounds to compare with --------------------------------------------------------------------------------------------


def extreme(step: Close) -> Hinges:
    """The worst pair that is (eps, delta)-close in both directions: randomised response that tells all with ``delta``."""
    t, d = step.exp_eps, step.delta
    return Hinges.of(
        [(d, 0), ((1 - d) * t / (1 + t), (1 - d) / (1 + t)), ((1 - d) / (1 + t), (1 - d) * t / (1 + t)), (0, d)]
    )


def kov(step: Close, times: int, proper: bool = True) -> list[Close]:
    """Optimal composition of ``times`` equal steps that are close in both directions (Kairouz, Oh, Viswanath Thm. 3.3).

    The statements ``(t^(n - 2i), delta_i)``, i = 0 .. n // 2; between them the truth is :func:`extreme` to the power n.
    """
    if not proper:
        raise UsageError("composition", "it is false for sub-distributions", "use laws that add up to 1, or `basic`")
    together = power(extreme(step), times)
    factors = [step.exp_eps ** (times - 2 * i) for i in range(times // 2 + 1)]
    return [Close(t, together.at(t)) for t in factors]


def advanced(eps: object, delta: object, times: int, omega: object, proper: bool = True) -> tuple[Enclosure, Fraction]:
    """``eps sqrt(2 n ln(1/omega)) + n eps (e^eps - 1)`` and ``n delta + omega`` (STAR Thm. 40, Cor. 41).

    For steps close in both directions. False for sub-distributions (erratum E50), and often worse than :func:`basic`.
    """
    if not proper:
        raise UsageError("advanced composition", "it is false for sub-distributions", "use laws that add up to 1")
    e, d, w = rational_eps(eps), small_delta(delta), fraction(omega, "omega")
    if not 0 < w < 1:
        raise UsageError("omega", f"{w} is not between 0 and 1", "use a small positive number such as 1e-6")
    ends = []
    for log, exp, side in zip(log_enclosure(1 / w, 96), exp_enclosure(e, 96), (0, 1), strict=True):
        ends.append(e * root_enclosure(2 * times * log, 2, 96)[side] + times * e * (exp - 1))
    return Enclosure(*ends), times * d + w


@dataclass(frozen=True)
class Composition:
    """Least e^eps of many steps by every valid rule; ``exact`` is the product and never above the others, None is infinite.

    ``advanced`` is an eps, because it has no rational factor.
    """

    times: int
    delta: Fraction
    exact: Fraction | None
    basic: Fraction | None
    optimal: Fraction | None
    advanced: float | None

    @property
    def epsilon(self) -> float | None:
        """The exact eps, rounded up."""
        return None if self.exact is None else log_up(self.exact)

    @property
    def least_other(self) -> float | None:
        """The smallest eps of the rules that only know one (eps, delta) per step, rounded up."""
        logs = [log_up(value) for value in (self.basic, self.optimal) if value is not None]
        return min([*logs, *([] if self.advanced is None else [self.advanced])], default=None)


def composed(step: Hinges | Profile, times: int, delta: object = 0) -> Composition:
    """``times`` steps at a total delta, by the exact product and by the rules that only know one (eps, delta) per step.

    The rules may spend half of delta in the steps; the optimal and advanced ones use the worse direction of the step.
    """
    one, total = hinge_list(step), small_delta(delta)
    least: dict[str, list[Any]] = {"basic": [], "optimal": [], "advanced": []}
    for spent in {Fraction(0), total / 2}:
        there, back = one.exp_epsilon(spent / times), one.reverse.exp_epsilon(spent / times)
        if there is not None:
            least["basic"].append(basic([Close(there, spent / times)] * times).exp_eps)
        if there is not None and back is not None:
            both = Close(max(there, back), spent / times)
            least["optimal"].append(power(extreme(both), times).exp_epsilon(total))
            if total > spent and both.exp_eps > 1:
                eps = Fraction(log_up(both.exp_eps))
                least["advanced"].append(_float_up(advanced(eps, both.delta, times, total - spent)[0].upper))
    found = {name: min((v for v in values if v is not None), default=None) for name, values in least.items()}
    return Composition(times, total, power(one, times).exp_epsilon(total), **found)


def _float_up(value: Fraction) -> float:
    out = float(value)
    return out if Fraction(out) >= value else math.nextafter(out, math.inf)


def rational_factor(eps: object) -> Fraction:
    """e^eps rounded up to a fraction with denominator 2^40, for rules that are rational in e^eps."""
    return exp_rounded(rational_eps(eps), "up")
