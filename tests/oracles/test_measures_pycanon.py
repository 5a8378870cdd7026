"""Table anonymity against pycanon, where it follows the definitions, and where it is known not to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from liftgate.joint import Joint
from liftgate.measures import MEASURES, measure

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("default")]


def rows(seed: int, low: int) -> tuple[Joint, Any]:
    """A random table with names that sort as their positions, as a joint and as a frame."""
    import pandas as pd

    counts = np.random.default_rng(seed).integers(low, 12, (4, 5)) + np.eye(4, 5, dtype=int)
    counts[0] += 1
    joint = Joint.from_counts(counts, [f"s{i}" for i in range(4)], [f"x{i}" for i in range(5)])
    people = [(f"x{y}", f"s{s}") for y in range(5) for s in range(4) for _ in range(counts[s, y])]
    return joint, pd.DataFrame(people, columns=["x", "s"])


@pytest.mark.parametrize("seed", range(5))
def test_pycanon_agrees_on_full_tables(seed: int) -> None:
    from pycanon import anonymity as peer

    joint, frame = rows(seed, 1)
    m = measure(joint)
    assert m["k"] == peer.k_anonymity(frame, ["x"])
    assert m["distinct-l"] == peer.l_diversity(frame, ["x"], ["s"])
    assert m["alpha-k"] == pytest.approx(peer.alpha_k_anonymity(frame, ["x"], ["s"])[0], abs=1e-9)
    assert m["beta-likeness"] == pytest.approx(peer.basic_beta_likeness(frame, ["x"], ["s"]), abs=1e-9)
    assert m["delta-disclosure"] == pytest.approx(peer.delta_disclosure(frame, ["x"], ["s"]), abs=1e-9)
    assert m["t-closeness"] == pytest.approx(peer.t_closeness(frame, ["x"], ["s"]), abs=1e-9)
    assert int(m["entropy-l"]) == peer.entropy_l_diversity(frame, ["x"], ["s"])


def test_pycanon_leaves_empty_cells_out() -> None:
    """Ours is infinite by definition; pycanon filters lifts of 0."""
    import pandas as pd
    from pycanon import anonymity as peer

    frame = pd.DataFrame([("a", "u")] * 3 + [("a", "v")] * 2 + [("b", "u")] * 2, columns=["x", "s"])
    joint = Joint.from_rows(frame["s"].tolist(), frame["x"].tolist())
    assert MEASURES["delta-disclosure"].of(joint) == math.inf
    assert math.isfinite(peer.delta_disclosure(frame, ["x"], ["s"]))


def test_pycanon_takes_index_labels_for_positions() -> None:
    """Shuffled rows with their old index: ours does not change, pycanon's does."""
    from pycanon import anonymity as peer

    _, frame = rows(0, 1)
    shuffled = frame.sample(frac=1, random_state=0)
    ours = [MEASURES["beta-likeness"].of(Joint.from_rows(f["s"].tolist(), f["x"].tolist())) for f in (frame, shuffled)]
    assert ours[0] == ours[1]
    theirs = [peer.basic_beta_likeness(f, ["x"], ["s"]) for f in (frame, shuffled)]
    assert theirs[0] == pytest.approx(ours[0], abs=1e-9)
    assert theirs[1] != pytest.approx(ours[1], abs=1e-3)
