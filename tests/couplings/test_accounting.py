"""Interchange with accountants: grids are on the safe side of the exact profile, in both directions."""

from __future__ import annotations

import json
import random
from fractions import Fraction as F

import pytest

from liftgate.couplings import profile
from liftgate.couplings.accounting import LossGrid, from_loss_grid, to_loss_grid
from liftgate.couplings.hinges import Hinges
from liftgate.errors import DataError, MissingExtra, UsageError

COIN = Hinges.of([("3/4", "1/4"), ("1/4", "3/4")])


def random_profile(rng):
    """Two random laws with zeros."""
    weights = [[rng.choice((0, 1, 2, 5, 9)) for _ in range(4)] for _ in range(2)]
    for w in weights:
        w[rng.randrange(4)] += 1
    return profile(*([F(v, sum(w)) for v in w] for w in weights))


def test_a_grid_is_pessimistic_and_close():
    """Its deltas are at least the exact ones and at most one interval of loss larger."""
    rng = random.Random(1)
    for _ in range(50):
        p = random_profile(rng)
        grid = to_loss_grid(p, "1/1000")
        for eps in (0.0, 0.3, 1.0, 2.5):
            low = p.delta(eps=F(eps)).lower
            assert low <= F(grid.delta(eps)) + F(1, 2**50)
            assert grid.delta(eps) <= float(low) + 1.1e-3


def test_reading_a_grid_gives_at_least_what_it_says():
    """Written, read and written again: hinges are proper and never below the grid."""
    rng = random.Random(2)
    for _ in range(30):
        p = random_profile(rng)
        grid = LossGrid.from_dict(json.loads(json.dumps(to_loss_grid(p, "1/500").to_dict())))
        back = from_loss_grid(grid)
        assert back.proper
        for eps in (F(0), F(1, 2), F(2)):
            assert back.delta(eps=eps).upper >= p.delta(eps=eps).lower
            assert float(back.delta(eps=eps).upper) >= grid.delta(float(eps)) - 1e-12


def test_what_cannot_be_a_grid():
    """Not positive, not readable, too fine."""
    with pytest.raises(UsageError, match="not positive"):
        to_loss_grid(COIN, 0)
    with pytest.raises(UsageError, match="use a larger interval"):
        to_loss_grid(COIN, "1/1000000000").to_dp_accounting()
    with pytest.raises(DataError, match="cannot be read"):
        from_loss_grid({"masses": {}})
    with pytest.raises(DataError, match="not positive"):
        from_loss_grid({"masses": {"1": -0.5}, "interval": 0.1, "infinity_mass": 0})
    for wrong in ({"interval": float("inf")}, {"masses": {"1": float("nan")}}, {"infinity_mass": float("nan")}):
        with pytest.raises(DataError, match="not positive"):
            from_loss_grid({"masses": {"1": 0.5}, "interval": 0.1, "infinity_mass": 0, **wrong})
    with pytest.raises(DataError, match="it is optimistic"):
        from_loss_grid({"masses": {"1": 1}, "interval": 0.1, "infinity_mass": 0, "estimate": "optimistic"})
    with pytest.raises(DataError, match="a int is none"):
        from_loss_grid(3)


def test_a_missing_accountant_is_said(monkeypatch):
    """Without dp-accounting the error names the package."""
    import sys

    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(MissingExtra, match="not installed"):
        to_loss_grid(COIN).to_dp_accounting()
