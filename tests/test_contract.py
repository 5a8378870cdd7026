"""The names, signatures and shapes that users and outside programs rely on, on small data."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import liftgate as lg

COUNTS = [[30, 10, 20, 5], [10, 30, 20, 1]]


@pytest.fixture
def joint() -> lg.Joint:
    return lg.Joint.from_counts(COUNTS, sensitive=["ill", "well"], public=["a", "b", "c", "d"])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    lines = [f"{s},{x}" for s, row in zip(("ill", "well"), COUNTS, strict=True) for x, n in zip("abcd", row, strict=True) for _ in range(n)]  # fmt: skip
    path.write_text("\n".join(["id,health,town", *(f"{k},{line}" for k, line in enumerate(lines))]) + "\n")
    return path


def test_joints(joint: lg.Joint, table: Path) -> None:
    plain = lg.Joint.from_counts(COUNTS)
    assert (plain.sensitive, plain.public) == ((0, 1), (0, 1, 2, 3))
    chances = lg.Joint.from_probabilities([[1 / 3, 1 / 3], [1e-30, 1 / 3]], sensitive=["s", "t"], public=["x", "y"])
    assert sum(int(n) for n in np.asarray(chances.counts).flat) == 2**40
    assert np.all(np.asarray(chances.counts) > 0)
    read = lg.read_joint(
        table, sensitive="health", public=["town"], missing="value", count=None, table=None, query=None
    )
    assert read.lift.shape == (2, 4)
    assert read.prior.sum() == pytest.approx(1)
    assert np.array_equal(np.sort(read.lift.ravel()), np.sort(joint.lift.ravel()))
    assert joint.lift[0, 0] == pytest.approx(30 / 40 / (65 / 126))
    assert joint.log_lift[0, 0] == pytest.approx(math.log(joint.lift[0, 0]))
    released = joint.through(lg.Channel.merge(joint.public, [["a", "b"], ["c"], ["d"]]))
    assert len(released.public) == 3


def test_measures() -> None:
    found = lg.measure(lg.Joint.from_counts([[1, 0], [1, 2]]))
    assert all(isinstance(value, float) for value in found.values())
    assert set(found) == set(lg.MEASURES)
    assert found["ldp-epsilon"] == math.inf
    asked = {"max-lift", "min-lift", "ldp-epsilon", "mutual-information", "total-variation", "chi2", "maximal-leakage"}
    asked |= {"min-entropy-leakage", *(f"{a}-{order}" for a in ("sibson", "arimoto") for order in ("0.5", "2", "inf"))}
    worst = ("l1-lift", "chi2-lift", "alpha-lift-2", "alpha-lift-10", "alpha-lift-100")
    asked |= {name + end for name in worst for end in ("", "-inverse")}
    assert asked <= set(found)
    assert list(lg.MEASURES["max-lift"].outputs(lg.Joint.from_counts([[1, 0], [1, 2]]))) == [2.0, pytest.approx(4 / 3)]


def test_budgets(joint: lg.Joint) -> None:
    b = lg.Budget
    made = [b.alip(eps_low=1, eps_up=1), b.lip(1), b.ldp(1), b.split(2, "0.5"), b.breach("1/10", "1/2")]
    made += [b.l1(eps_low=1, eps_up=1), b.chi2(eps_low=None, eps_up=1), b.alpha(2, eps_low=1, eps_up=None)]
    assert {(m.low, m.up) for m in (b.lip(1), b.alip(eps_low=1, eps_up=1), b.split(2, "0.5"))} == {
        (made[0].low, made[0].up)
    }
    for budget in made:
        assert lg.audit(joint, budget=budget, rows="population").verdict in ("within", "outside")
    assert lg.audit(joint).verdict is None
    assert lg.audit(joint, budget=made[0], rows="sample", alpha=0.05).verdict in ("within", "outside", "unknown")


def test_releases(joint: lg.Joint, table: Path, tmp_path: Path) -> None:
    budget = lg.Budget.alip(eps_low="0.4", eps_up="0.4")
    release = lg.protect(joint, budget, mechanism="optimal", gap=1e-6, seconds=20, progress=lambda *_: None)
    assert isinstance(release.channel, lg.Channel)
    assert isinstance(release.certificate, lg.Certificate)
    assert release.certificate.kind == "optimal-utility"
    assert lg.check(release.certificate).holds
    assert 0 < release.utility <= release.bound <= 1
    assert release.search_bound is None or release.search_bound >= release.utility
    assert lg.audit(release.after, budget).verdict == "within"
    for mechanism in ("merge-all", "merge-subsets", "merge-best", "subset-response", "auto"):
        other = lg.protect(joint, budget, mechanism=mechanism, gap=1e-6, seconds=5)
        assert lg.audit(other.after, budget).verdict == "within", mechanism
        assert mechanism == "auto" or other.bound is None, mechanism
    design = lg.protect(lg.read_joint(table, sensitive="health", public="town"), budget)
    fresh = design.apply(table, out=tmp_path / "released.parquet", keep=["id"], draw="fresh")
    keyed = design.apply(table, out=tmp_path / "keyed.parquet", keep=[], draw="keyed", key=b"k" * 32, id="id")
    assert fresh.number == keyed.number == joint.total
    curve = lg.tradeoff(joint, [budget, lg.Budget.alip(1, 1)], mechanisms=["merge-all", "optimal"])
    assert [len(curve.curve(name)) for name in ("merge-all", "optimal")] == [2, 2]


def test_pages_and_checks(joint: lg.Joint, tmp_path: Path) -> None:
    audit = lg.audit(joint, lg.Budget.lip(1))
    assert lg.to_html(audit).lstrip().lower().startswith("<!doctype html>")
    path = tmp_path / "audit.json"
    path.write_text(audit.certificate.to_json())
    for form in (audit.certificate, audit.certificate.to_dict(), path, str(path)):
        verdict = lg.check(form)
        assert verdict.holds
        assert verdict.assumptions
    assert lg.check(path, allow=verdict.assumptions).holds
    assert not lg.check(path, allow=verdict.assumptions[1:]).holds
    refused = lg.check({})
    assert not refused.holds
    assert refused.reason


def test_couplings() -> None:
    left, right = {"a": "0.1", "b": "9/10"}, {"a": Fraction(3, 10), "b": "7/10"}
    p = lg.couplings.profile(left, right, relation="equal")
    assert p.delta(exp_eps=1) == Fraction(1, 5)
    assert p.delta(exp_eps=Fraction(3)) == 0
    enclosed = p.delta(eps="1/2")
    assert isinstance(enclosed.lower, Fraction)
    assert 0 <= enclosed.lower <= enclosed.upper
    assert p.exp_epsilon(0) == Fraction(9, 7)
    assert p.epsilon(0) == pytest.approx(math.log(9 / 7))
    assert [a / b for a, b in p.blocks] == [Fraction(9, 7), Fraction(1, 3)]
    assert p.reverse.exp_epsilon(0) == 3
    assert p.symmetric_delta(exp_eps=Fraction(9, 7)) > 0
    assert p.violating_set(exp_eps=1) == ("b",)
    assert p.coupling() is not None
    assert [p.has_two_lifting(exp_eps=t, delta=0) for t in (1, "9/7")] == [False, True]
    assert p.f_divergence("tv") == Fraction(1, 5)
    assert isinstance(p.f_divergence("chi2"), Fraction)
    for name in ("kl", "hellinger"):
        assert 0 < p.f_divergence(name).lower <= p.f_divergence(name).upper
    assert lg.couplings.profile([1, 0], [0, 1]).exp_epsilon(0) is None
    for relation in ("distance<=1", [(0, 0), (0, 1), (1, 1)], lambda a, b: a <= b):
        assert lg.couplings.profile([1, 0], [0, 1], relation=relation).delta(exp_eps=1) == 0
    assert lg.couplings.profile(["1/2"], ["1/4"], proper=False).delta(exp_eps=1) == Fraction(1, 4)


def test_announcements() -> None:
    t = lg.transparency
    rules = t.DecisionRules.from_arrays(
        mass=["1/2", "1/4", "1/4"], rule=[0.2, 0.9, 0.5], group=["f", "f", "m"], private=None, outcomes=None
    )
    a = t.announce(rules, delta=0.9)
    assert np.shape(a.rules) == (3,)
    assert len(a.group_beta) == 2
    assert lg.check(a.certificate).holds
    assert float(a.beta) == pytest.approx(max(float(v) for v in a.group_beta))
    assert a.inversion is not None
    assert t.announce(rules, alpha=0.5).beta <= t.announce(rules, alpha=1).beta
    t.announce(rules, bounds=([0, 0, 0], [1, 1, 1]))
    pairs = t.DecisionRules.from_arrays(mass=[1, 1], rule=[[0.5, 0.5], [0.25, 0.75]], group=[0, 0])
    assert np.shape(t.announce(pairs, delta="0.9").rules) == (2, 2)
    assert 0 <= t.fidelity_for(rules, target_beta=float(a.beta)) <= 1
    with pytest.raises(lg.LiftgateError, match="below the floor 1:"):
        t.fidelity_for(rules, target_beta=0.1)
    assert t.curve(rules).breakpoints["f"] == (Fraction(13, 20),)


def test_estimates(table: Path) -> None:
    s = lg.estimate(table, sensitive="health", public=["town"], estimator="counting", seed=0)
    assert s.log_lift.shape == (sum(map(sum, COUNTS)), len(s.labels))
    flagged = s.flag(lg.Budget.lip("0.4"))
    assert flagged.dtype == np.bool_
    assert flagged.any()
    assert not flagged.all()
    assert {"counting", "logistic", "quadratic", "trees", "network", "dv", "dv-exact", "auto"} == set(lg.ESTIMATORS)
