"""Errata of DOG (Hsu, Asoodeh, Calmon): each statement that is false as printed, with an exact counterexample."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest

import liftgate as lg
from liftgate.estimators.dv import dv_bound
from liftgate.estimators.funnels import funnel
from liftgate.estimators.scale import normalised
from liftgate.estimators.watchdog import (
    flagged_values,
    gamma_as_printed,
    gamma_bound,
    leakage,
    mapping,
)
from liftgate.exact import exp_enclosure
from liftgate.mechanisms import utility

JOINT = lg.Joint.from_counts([[40, 5, 5], [30, 15, 5]])
"""Of 100 people; the second value has lifts 1/2 and 3/2, the others stay near 1."""


def exact_lifts(joint, flagged):
    """The lifts after mapping (9), counted from the definition."""
    counts, total = joint.counts.tolist(), joint.total
    own = [sum(row) for row in counts]
    columns = [[row[x] for row in counts] for x in range(len(counts[0])) if not flagged[x]]
    columns.append([sum(row[x] for x in range(len(row)) if flagged[x]) for row in counts])
    return [F(c[s] * total, own[s] * sum(c)) for c in columns if sum(c) for s in range(len(own))]


def test_e20_the_printed_gamma_is_undefined_where_the_exact_one_is_finite():
    flagged = flagged_values(JOINT, lg.Budget.lip("0.3"))
    assert flagged.tolist() == [False, True, False]
    lifts = exact_lifts(JOINT, flagged)
    leak = leakage(JOINT, flagged)
    assert (leak.least, leak.most) == (min(lifts), max(lifts)) == (F(1, 2), F(3, 2))
    assert leak.gamma == math.log(2)
    assert exp_enclosure(F(3, 10)).lower * F(8, 10) > 1
    assert gamma_as_printed(0.3, 0.8) is None
    assert gamma_bound(0.3, 0.8) == math.inf
    # The first term alone says too little: nearly all of the mass within, and a flagged value that s excludes.
    rare = lg.Joint.from_counts([[50, 0], [49, 1]])
    flagged = flagged_values(rare, lg.Budget.lip("0.1"))
    within = 0.99
    assert flagged.tolist() == [False, True]
    assert gamma_as_printed(0.1, within) is None
    assert leakage(rare, flagged).gamma == math.inf > math.log((1 - math.exp(0.1) * within + math.exp(0.1)) / 0.01)


def test_e21_the_printed_gamma_never_gets_small_and_the_bound_needs_eps_itself():
    assert gamma_as_printed(0.2, 0.8) == pytest.approx(2.168151, abs=1e-6)
    assert leakage(JOINT, flagged_values(JOINT, lg.Budget.lip("0.2"))).gamma == math.log(2)
    for eps in (1e-3, 1e-6, 1e-9):
        printed = gamma_as_printed(eps, 0.5)
        assert printed is not None
        assert printed > math.log(3)
        assert gamma_bound(eps, 0.5) < 1.01 * eps
    # One value just inside eps, one flagged with hardly any lift of its own: without eps the bound would be false.
    joint = lg.Joint.from_counts([[11, 9, 80], [9, 11, 80]])
    flagged = np.array([False, False, True])
    leak, within = leakage(joint, flagged).gamma, 0.2
    eps = math.log(1.1) + 1e-9
    terms = (math.log((1 - math.exp(-eps) * within) / 0.8), -math.log((1 - math.exp(eps) * within) / 0.8))
    assert max(terms) < leak
    eps = -math.log(0.9) + 1e-9
    assert leak <= gamma_bound(eps, within) == eps


def test_e22_a_constant_added_to_g_changes_nothing_in_13():
    # Exactly: E[g + c] - log E[e^(g + c)] = E[g] + c - c - log E[e^g]. Here e^g and e^c are whole numbers.
    joint = [[F(3, 8), F(1, 8)], [F(1, 8), F(3, 8)]]
    e_g = [[2, 1], [1, 2]]

    def exp_of_objective(c):
        top = math.prod((c * e_g[s][x]) ** int(8 * joint[s][x]) for s in (0, 1) for x in (0, 1))
        bottom = sum(F(1, 4) * c * e_g[s][x] for s in (0, 1) for x in (0, 1)) ** 8
        return top / bottom

    assert len({exp_of_objective(c) for c in (1, 2, 7, 1000)}) == 1
    rng = np.random.default_rng(0)
    g, s, prior = rng.normal(size=(50, 3)), rng.integers(0, 3, 50), np.array([0.5, 0.3, 0.2])
    assert dv_bound(g + 3, s, prior) == pytest.approx(dv_bound(g, s, prior), abs=1e-12)
    assert normalised(g + 3, prior) == pytest.approx(normalised(g, prior), abs=1e-12)


def test_e23_no_number_of_rows_makes_an_estimate_certain():
    # Two laws with log-lifts apart by more than 2 eta: every table of n rows has a positive chance under both, so
    # no function of the table is within eta of both with probability 1.
    one = [[F(49, 100), F(1, 100)], [F(1, 100), F(49, 100)]]
    two = [[F(1, 4), F(1, 4)], [F(1, 4), F(1, 4)]]
    for law in (one, two):
        assert [sum(row) for row in law] == [sum(column) for column in zip(*law, strict=True)] == [F(1, 2)] * 2
        assert all(cell**1000 > 0 for row in law for cell in row)
    lifts = [law[0][0] / F(1, 4) for law in (one, two)]
    assert lifts[0] / lifts[1] == F(49, 25)  # 2 eta = log 1.96 apart


def test_e24_the_utility_grows_with_every_value_that_is_released():
    joint = lg.Joint.from_counts([[30, 20, 10, 40], [20, 30, 40, 10]])
    kept = [p.utility for p in funnel(joint, ["0.1", "0.3", "1"])]
    assert [int(flagged_values(joint, lg.Budget.lip(e)).sum()) for e in ("0.1", "0.3", "1")] == [4, 2, 0]
    assert kept[0] == pytest.approx(0, abs=1e-12)
    assert kept[1] == pytest.approx(0.75, abs=1e-12)
    assert kept[2] == pytest.approx(1, abs=1e-12)


def test_e25_the_first_part_of_11_is_no_entropy():
    # Three of four equal values released: the part is (3/4) log 4, the entropy of the three is log 3, and 4^3 < 3^4.
    assert F(4) ** 3 < F(3) ** 4
    joint = lg.Joint.from_counts([[12, 12, 12, 4], [8, 8, 8, 16]])
    flagged = flagged_values(joint, lg.Budget.lip("0.3"))
    assert flagged.tolist() == [False, False, False, True]
    point = funnel(joint, ["0.3"])[0]
    rest = -0.25 * math.log(0.25)
    assert point.utility * math.log(4) == pytest.approx(0.75 * math.log(4) + rest, abs=1e-12)
    assert point.utility == pytest.approx(utility(joint, mapping(joint, flagged)), abs=1e-12)
    assert abs(math.log(3) + rest - point.utility * math.log(4)) > 0.05
