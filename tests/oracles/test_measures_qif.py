"""LDP epsilon, guessing, leakages and the Shannon leakage against qif."""

from __future__ import annotations

import math

import numpy as np
import pytest

from liftgate.joint import Joint
from liftgate.measures import measure

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("default")]


def joints() -> list[Joint]:
    rng = np.random.default_rng(12)
    shapes = [(2, 2), (3, 5), (5, 3), (4, 7)]
    return [
        Joint.from_counts(rng.integers(0 if i % 2 else 1, 30, shapes[i % 4]) + np.eye(*shapes[i % 4], dtype=int))
        for i in range(20)
    ]


def test_qif_agrees() -> None:
    """qif takes the prior P(s) and the channel P(y|s); its Shannon leakage is in bits."""
    from qif.measure import bayes_vuln, shannon

    for joint in joints():
        m = measure(joint)
        prior = np.array(joint.prior)
        channel = joint.counts / joint.sensitive_counts[:, None]
        assert m["guessing-before"] == pytest.approx(bayes_vuln.prior(prior), abs=1e-9)
        assert m["guessing-after"] == pytest.approx(bayes_vuln.posterior(prior, channel), abs=1e-9)
        assert m["min-entropy-leakage"] == pytest.approx(math.log(bayes_vuln.mult_leakage(prior, channel)), abs=1e-9)
        assert m["maximal-leakage"] == pytest.approx(math.log(bayes_vuln.mult_capacity(channel)), abs=1e-9)
        assert m["mutual-information"] == pytest.approx(shannon.add_leakage(prior, channel) * math.log(2), abs=1e-9)


def test_ldp_epsilon_equals_qif_with_and_without_empty_cells() -> None:
    from qif.measure import d_privacy

    seen = set()
    for joint in joints():
        channel = joint.counts / joint.sensitive_counts[:, None]
        found = measure(joint)["ldp-epsilon"]
        seen.add(math.isinf(found))
        assert found == pytest.approx(d_privacy.smallest_epsilon(channel, lambda a, b: float(a != b)), abs=1e-9)
    assert seen == {True, False}
