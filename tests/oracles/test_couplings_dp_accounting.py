"""Profiles against the privacy loss distributions of dp-accounting: bracketed by them, written to them, read from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import pytest

from liftgate.couplings import Profile, profile
from liftgate.couplings.accounting import from_loss_grid, to_loss_grid
from liftgate.couplings.named import geometric, randomised_response
from liftgate.couplings.products import power
from liftgate.errors import DataError

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("default")]

GRID = 1e-4
COIN = profile(randomised_response(3, "yes"), randomised_response(3, "no"))
SHIFTED = {shift: profile(geometric(0, "1/2", -3, 5), geometric(shift, "1/2", -3, 5)) for shift in (1, 2)}
POINTS: list[tuple[Profile, int, float]] = [
    *((COIN, 1, eps) for eps in (0.2, 0.6, 0.9)),
    *((COIN, 10, eps) for eps in (1.0, 3.0, 6.0)),
    *((COIN, 50, eps) for eps in (5.0, 10.0, 20.0)),
    *((SHIFTED[1], 1, eps) for eps in (0.1, 0.5)),
    *((SHIFTED[1], 10, eps) for eps in (1.0, 3.0)),
    *((SHIFTED[2], 1, eps) for eps in (0.5, 1.0)),
    (SHIFTED[2], 10, 4.0),
]


def losses(p: Profile, pessimistic: bool) -> Any:
    """Their distribution of the same two laws."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    laws = [
        {str(a): math.log(m) for a, m in zip(law.labels, law.masses(), strict=True) if m} for law in (p.right, p.left)
    ]
    return pld.from_two_probability_mass_functions(
        *laws, pessimistic_estimate=pessimistic, value_discretization_interval=GRID, symmetric=True
    )


@pytest.mark.parametrize(("p", "times", "eps"), POINTS)
def test_they_bracket_the_exact_delta(p: Profile, times: int, eps: float) -> None:
    """Sixteen points: their pessimistic delta is above ours, their optimistic one below, and both are near."""
    assert len(POINTS) == 16
    low, up = power(p, times).delta(eps=F(eps))
    above, below = (losses(p, side).self_compose(times).get_delta_for_epsilon(eps) for side in (True, False))
    assert below < float(low) <= float(up) < above
    assert above - float(up) < 3e-4
    assert float(low) - below < 3e-4


@pytest.mark.parametrize(("p", "times", "eps"), POINTS)
def test_a_profile_that_is_handed_over_stays_pessimistic(p: Profile, times: int, eps: float) -> None:
    """Our grid in their hands, composed by them: at least the exact delta, at most one step of loss per use above it."""
    exact = float(power(p, times).delta(eps=F(eps)).lower)
    told = to_loss_grid(p, GRID).to_dp_accounting().self_compose(times).get_delta_for_epsilon(eps)
    assert exact - 1e-12 <= told <= exact + 1.1 * GRID * times


def theirs() -> Iterator[Any]:
    """Distributions that they made: two directions that differ, continuous noise, composed."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    grid = {"value_discretization_interval": 1e-3}
    yield pld.from_laplace_mechanism(1.0, **grid)
    yield pld.from_laplace_mechanism(1.0, sampling_prob=0.3, **grid)  # adding and removing differ
    yield pld.from_gaussian_mechanism(2.0, **grid)
    yield pld.from_randomized_response(0.3, 4, **grid).self_compose(3)


def test_what_is_read_from_them_is_never_below_them() -> None:
    """The deltas of the hinges are at least theirs in the worse direction, and within the rounding of floats."""
    for one in theirs():
        read = from_loss_grid(one)
        assert read.proper
        for eps in (0.0, 0.25, 1.0, 2.0):
            stated, exact = one.get_delta_for_epsilon(eps), float(read.delta(eps=F(eps)).upper)
            assert stated - 1e-12 <= exact <= stated + 1e-9


def test_there_and_back() -> None:
    """Written, handed over and read again: within one step of the grid."""
    back = from_loss_grid(to_loss_grid(COIN, GRID).to_dp_accounting())
    assert 0 <= back.epsilon() - COIN.epsilon() < 2 * GRID


def test_an_optimistic_distribution_is_refused() -> None:
    """Its deltas are below the truth, so nothing may be read from it."""
    with pytest.raises(DataError, match="optimistic"):
        from_loss_grid(losses(COIN, pessimistic=False))
