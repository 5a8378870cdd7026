"""The public strategies: what they draw is what they say, and the laws they couple are as close as they prove."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

from hypothesis import given

import liftgate as lg
from liftgate import testing


@given(testing.releases(totals=[1, 7]))
def test_a_release_can_be_sent_through(case: tuple[lg.Joint, lg.Channel]) -> None:
    """Sizes and totals are kept, people too: what comes out counts everyone ``total`` times."""
    joint, channel = case
    after = joint.through(channel)
    assert len(joint.sensitive) <= 4
    assert channel.public == joint.public
    assert channel.total in (1, 7)
    assert after.total == joint.total * channel.total


@given(testing.channels(["a", "b", "c"], totals=[1]))
def test_a_total_of_one_makes_merges(channel: lg.Channel) -> None:
    """Every public value goes to one released value."""
    assert set(channel.matrix.ravel().tolist()) <= {0.0, 1.0}
    assert (channel.matrix.sum(axis=1) == 1).all()


@given(testing.laws())
def test_laws_add_up_to_one(law: dict[int, Fraction]) -> None:
    """Exactly."""
    assert sum(law.values()) == 1
    assert min(law.values()) >= 0


@given(testing.couplings())
def test_coupled_laws_are_close_under_their_relation(pair: testing.Coupled) -> None:
    """The flow has both laws as margins, so under its pairs nothing is lost; no event refutes it."""
    assert sum(pair.left.values()) == sum(pair.right.values()) == 1
    for a, mass in pair.left.items():
        assert mass == sum(f for (i, _), f in pair.flow.items() if i == a)
    p = lg.couplings.profile(pair.left, pair.right, relation=pair.relation)
    assert p.delta(exp_eps=1) == 0


def test_without_hypothesis_the_fix_is_named() -> None:
    """The extra is told by name."""
    code = "import sys; sys.modules['hypothesis'] = None\nimport liftgate.testing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "pip install 'liftgate[testing]'" in done.stderr
