"""Interchange with privacy accountants: a profile as a privacy loss distribution on a grid, and such a grid as hinges.

A grid is an approximation with a known side: losses are rounded up and masses too, so every delta read from it is at least
the exact one. Reading gives hinges that are at least what the grid says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from types import MappingProxyType
from typing import Any

from liftgate.couplings.hinges import Hinges
from liftgate.couplings.products import hinge_list, worst
from liftgate.couplings.profiles import Profile
from liftgate.errors import DataError, MissingExtra, UsageError
from liftgate.exact import exp_enclosure, fraction, log_enclosure

MOST_POINTS = 5_000_000
PESSIMISTIC = "pessimistic"


@dataclass(frozen=True)
class LossGrid:
    """A pessimistic privacy loss distribution: mass per multiple of the interval, and the mass at infinity."""

    interval: float
    masses: Mapping[int, float]
    infinite: float

    def delta(self, eps: float) -> float:
        """What an accountant reads from it: ``infinite + sum of m (1 - e^(eps - loss))`` over losses above eps."""
        above = (m * -math.expm1(eps - k * self.interval) for k, m in self.masses.items() if k * self.interval > eps)
        return self.infinite + math.fsum(above)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "kind": "privacy-loss-distribution",
            "estimate": PESSIMISTIC,
            "interval": self.interval,
            "infinity_mass": self.infinite,
            "masses": {str(k): m for k, m in sorted(self.masses.items())},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LossGrid:
        """The grid that :meth:`to_dict` described."""
        try:
            masses = {int(k): float(m) for k, m in data["masses"].items()}
            grid = cls(float(data["interval"]), MappingProxyType(masses), float(data["infinity_mass"]))
            estimate = data.get("estimate", PESSIMISTIC)
        except (KeyError, TypeError, ValueError, AttributeError):
            fix = "give interval, masses and infinity_mass"
            raise DataError("privacy loss distribution", "it cannot be read", fix) from None
        numbers = (grid.interval, grid.infinite, *masses.values())
        if not (grid.interval > 0 and all(math.isfinite(v) and v >= 0 for v in numbers)):
            raise DataError("privacy loss distribution", "a mass or the interval is not positive", "write it again")
        if estimate != PESSIMISTIC:
            raise _not_pessimistic(estimate)
        return grid

    def to_dp_accounting(self) -> Any:
        """The same as a ``PrivacyLossDistribution`` of dp-accounting, one direction, pessimistic."""
        if self.masses and max(self.masses) - min(self.masses) > MOST_POINTS:
            span = max(self.masses) - min(self.masses)
            raise UsageError("interval", f"{span} steps are needed, more than {MOST_POINTS}", "use a larger interval")
        try:
            privacy_loss_distribution = import_module("dp_accounting.pld.privacy_loss_distribution")
        except ImportError:
            fix = "pip install dp-accounting"
            raise MissingExtra("dp-accounting", "it is not installed", fix) from None
        return privacy_loss_distribution.PrivacyLossDistribution.create_from_rounded_probability(
            dict(self.masses), self.infinite, self.interval, pessimistic_estimate=True
        )


def to_loss_grid(step: Hinges | Profile, interval: object = "1/10000") -> LossGrid:
    """A profile on a grid of losses, every loss and every mass rounded up.

    >>> grid = to_loss_grid(Hinges.of([("3/4", "1/4"), ("1/4", "3/4")]))
    >>> sorted(grid.masses), 0 <= grid.delta(0.5) - (0.75 - 0.25 * math.exp(0.5)) < 1e-4
    ([-10986, 10987], True)
    """
    one, h = hinge_list(step), fraction(interval, "interval")
    if h <= 0:
        raise UsageError("interval", f"{h} is not positive", "use a small step such as 1/10000")
    width = Fraction(float(h))
    masses: dict[int, float] = {}
    infinite = 0.0
    for p, q in one.blocks:
        if q == 0:
            infinite = _up(p)
        elif p:
            k = math.ceil(log_enclosure(p / q, 80).upper / width)
            masses[k] = math.nextafter(masses.get(k, 0.0) + _up(p), math.inf) if k in masses else _up(p)
    return LossGrid(float(h), MappingProxyType(masses), infinite)


def from_loss_grid(source: LossGrid | Mapping[str, Any] | Any) -> Hinges:
    """Hinges from a grid, from its dictionary, or from a ``PrivacyLossDistribution`` of dp-accounting.

    A stated approximation: floats are taken as the numbers they are, missing mass counts as infinite loss, and right
    masses are rounded down, so deltas are at least those of the grid, in the worse of its directions where it has two.
    An optimistic grid is refused.
    """
    if isinstance(source, LossGrid):
        return _hinges(source)
    if isinstance(source, Mapping):
        return _hinges(LossGrid.from_dict(source))
    return worst(_hinges(grid) for grid in _from_accountant(source))


def _hinges(grid: LossGrid) -> Hinges:
    width = Fraction(grid.interval)
    pairs: list[tuple[Fraction, Fraction]] = []
    endless = min(Fraction(1), Fraction(grid.infinite))
    left_over, room = 1 - endless, Fraction(1)
    for k in sorted(grid.masses, reverse=True):  # the largest losses first: what does not fit is the harmless end
        p = min(Fraction(grid.masses[k]), left_over)
        q = min(p / exp_enclosure(k * width, 96).upper if k >= 0 else p * exp_enclosure(-k * width, 96).lower, room)
        q = Fraction(math.floor(q * 2**120), 2**120)
        pairs.append((p, q))
        left_over, room = left_over - p, room - q
    pairs += [(endless + left_over, Fraction(0)), (Fraction(0), room)]
    return Hinges.of(pairs)


def _from_accountant(source: Any) -> list[LossGrid]:
    """One grid a direction."""
    grids = []
    try:
        for pmf in [source._pmf_remove] if source._symmetric else [source._pmf_remove, source._pmf_add]:
            if not pmf._pessimistic_estimate:
                raise _not_pessimistic("optimistic")
            dense = pmf.to_dense_pmf()
            masses = {dense._lower_loss + i: float(m) for i, m in enumerate(dense._probs) if m > 0}
            grids.append(LossGrid(float(dense._discretization), MappingProxyType(masses), float(dense._infinity_mass)))
    except AttributeError:
        fix = "give a LossGrid, its dictionary, or a PrivacyLossDistribution of dp-accounting"
        raise DataError("privacy loss distribution", f"a {type(source).__name__} is none", fix) from None
    return grids


def _not_pessimistic(estimate: object) -> DataError:
    fix = "write it with pessimistic estimates"
    return DataError("privacy loss distribution", f"it is {estimate}, so its deltas may be below the truth", fix)


def _up(value: Fraction) -> float:
    out = float(value)
    return out if Fraction(out) >= value else math.nextafter(out, math.inf)
