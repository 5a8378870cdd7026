"""What a budget implies holds for every joint inside it, and is attained."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from liftgate.budget import Budget
from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.measures import MEASURES, arimoto, implied_by, measure, sibson
from liftgate.measures.implied import chord, largest_lift, least_lift

SLACK = 1e-9


def shifted(low: Fraction, up: Fraction) -> Joint:
    """Uniform S and Y; every column a shift of a lift with the two values low and up, whose mean is 1."""
    w = (1 - low) / (up - low)
    q, p = w.denominator, w.numerator
    scale = low.denominator * up.denominator
    return Joint.from_counts([[int(scale * (up if (s - y) % q < p else low)) for y in range(q)] for s in range(q)])


def one_column(low: Fraction, up: Fraction, w: Fraction) -> Joint:
    """Two sensitive values of shares w and 1 - w; a rare released value has lifts up and low, the other nearly 1."""
    share = Fraction(1, 10**12)
    cells = [[w * up * share, w * (1 - up * share)], [(1 - w) * low * share, (1 - w) * (1 - low * share)]]
    common = math.lcm(*(c.denominator for row in cells for c in row))
    return Joint.from_counts(np.array([[int(c * common) for c in row] for row in cells], dtype=object))


def broken(bounds: dict[str, float], found: dict[str, float]) -> dict[str, tuple[float, float]]:
    """The measures that a joint breaks."""
    out = {}
    for name, bound in bounds.items():
        value = found[name]
        gap = value - bound if MEASURES[name].worse == "larger" else bound - value
        if value != bound and gap > SLACK * max(1.0, abs(bound)):
            out[name] = (value, bound)
    return out


def random_joint(rng: random.Random) -> Joint:
    rows, columns = rng.choice([(2, 2), (2, 5), (3, 3), (5, 2), (1, 3), (4, 6)])
    low = rng.choice([0, 0, 1, 5, 20])
    while True:
        counts = [[rng.randint(low, 30) for _ in range(columns)] for _ in range(rows)]
        if all(map(any, counts)) and all(map(any, zip(*counts, strict=True))):
            return Joint.from_counts(counts)


def tightest(kind: str, joint: Joint) -> Budget:
    """The smallest budget of a kind that a joint is in."""
    lifts = [
        [Fraction(int(c) * joint.total, int(a) * int(b)) for b, c in zip(joint.public_counts, row, strict=True)]
        for a, row in zip(joint.sensitive_counts, joint.counts, strict=True)
    ]
    if kind == "alip":
        return Budget.between(min(map(min, lifts)), max(map(max, lifts)))
    if kind == "ldp":
        ratio = max(max(c) / min(c) if min(c) else Fraction(10**300) for c in zip(*lifts, strict=True))
        return Budget("ldp", None, ratio)
    m = measure(joint)
    names = {"l1": ("l1-lift",), "chi2": ("chi2-lift",), "alpha": ("alpha-lift-10",)}[kind]
    up, low = m[names[0]], m[f"{names[0]}-inverse"]
    sides = [None if v == math.inf else Fraction(v) * (1 + Fraction(1, 10**12)) for v in (low, up)]
    return Budget(kind, *sides, order=Fraction(10) if kind == "alpha" else None)


@pytest.mark.parametrize("kind", ["alip", "ldp", "l1", "chi2", "alpha"])
def test_bounds_hold_for_every_joint_inside(kind: str) -> None:
    """Without a prior and with the joint's own."""
    rng = random.Random(kind)
    for _ in range(60):
        joint = random_joint(rng)
        budget = tightest(kind, joint)
        if kind == "ldp" and budget.up is not None and budget.up > 10**200:
            continue
        found = measure(joint)
        assert not broken(implied_by(budget), found), joint.counts
        assert not broken(implied_by(budget, joint.prior.tolist()), found), joint.counts


def test_every_measure_has_a_bound() -> None:
    for text in ("alip:1,1", "ldp:1", "ldp:0", "l1:1,1", "chi2:1,none", "alpha:10,none,1", "between:0,3"):
        bounds = implied_by(Budget.parse(text))
        assert bounds.keys() == MEASURES.keys()
        assert not any(math.isnan(v) for v in bounds.values())


AVERAGES = [
    "mutual-information",
    "reverse-kl",
    "total-variation",
    "chi2",
    "hellinger",
    "sibson-0.5",
    "sibson-2",
    "sibson-inf",
]
AVERAGES += ["arimoto-0.5", "arimoto-2", "arimoto-inf", "maximal-leakage", "min-entropy-leakage"]
CONVEX = ["max-lift", "min-lift", "ldp-epsilon", "log-lift-range", "pointwise-maximal-leakage", "l1-lift", "chi2-lift"]
CONVEX += [f"alpha-lift-{a}{end}" for a in (2, 10, 100) for end in ("", "-inverse")]
CONVEX += ["t-closeness", "beta-likeness", "delta-disclosure"]


@pytest.mark.parametrize(
    ("low", "up"), [("1/2", "3/2"), ("1/10", "29/20"), ("9/10", "3/2"), ("1/3", "5"), ("0", "2"), ("9/10", "11/10")]
)
def test_lift_bounds_are_attained_by_shifts_of_one_column(low: str, up: str) -> None:
    """The chord bound for every convex measure and every average at once, and Sibson and Arimoto of any order."""
    a, b = Fraction(low), Fraction(up)
    bounds, joint = implied_by(Budget.between(a, b)), shifted(a, b)
    found = measure(joint)
    for name in AVERAGES + CONVEX:
        assert found[name] == pytest.approx(bounds[name], rel=1e-12, abs=1e-14), name


@pytest.mark.parametrize("order", [0.2, 0.7, 1.5, 3.0, 40.0])
def test_sibson_and_arimoto_need_no_factor(order: float) -> None:
    """At most 1/(a-1) log of the chord of t^a, which is at most eps_up: alpha/(alpha-1) in LIFT Prop. 1-3 is not needed."""
    rng = random.Random(7)
    for _ in range(40):
        joint = random_joint(rng)
        low, up = (round(float(v), 12) for v in (joint.lift.min(), joint.lift.max()))
        bound = math.log(chord(lambda t: t**order, low, up)) / (order - 1)
        assert bound <= math.log(up) + 1e-12
        assert sibson(order).of(joint) <= bound + 1e-10
        assert arimoto(order).of(joint) <= bound + 1e-10


@pytest.mark.parametrize(("low", "up"), [("9/10", "3/2"), ("9/10", "5"), ("1/2", "3/2"), ("1/3", "5"), ("99/100", "2")])
def test_inverse_bounds_are_attained_with_the_best_upper_value(low: str, up: str) -> None:
    """l1- and chi2-lift-inverse are not convex: the worst upper lift may lie inside the budget."""
    m, most = Fraction(low), Fraction(up)
    bounds = implied_by(Budget.between(m, most))
    for name, best in (
        (
            "l1-lift-inverse",
            float(m) * (1 + math.sqrt(2 - 2 * m)) / float(2 * m - 1) if m > Fraction(1, 2) else math.inf,
        ),
        ("chi2-lift-inverse", float(2 * m / (2 * m - 1)) if m > Fraction(1, 2) else math.inf),
    ):
        b = min(most, Fraction(best).limit_denominator(10**6)) if best < math.inf else most
        joint = one_column(m, b, (1 - m) / (b - m))
        assert MEASURES[name].of(joint) == pytest.approx(bounds[name], rel=1e-9)


@pytest.mark.parametrize("eps", [0.1, 1.0, 3.0])
def test_ldp_bounds_are_the_largest_over_all_intervals(eps: float) -> None:
    """The closed forms against the bounds of [m, e^eps m] on a fine grid of m: above all of them, and reached."""
    bounds = implied_by(Budget("ldp", None, Fraction(math.exp(eps))))
    best: dict[str, float] = {}
    for i in range(1, 4000):
        m = math.exp(-eps * i / 4000)
        for name, value in implied_by(Budget.between(Fraction(m), Fraction(m * math.exp(eps)))).items():
            best[name] = max(best.get(name, -math.inf), value)
    for name in [*AVERAGES, *CONVEX, "l1-lift-inverse", "chi2-lift-inverse", "beta-likeness-enhanced"]:
        if name == "min-lift":
            continue
        assert best[name] <= bounds[name] * (1 + 1e-9), name
        assert best[name] == pytest.approx(bounds[name], rel=2e-3), name


@pytest.mark.parametrize("eps", [0.05, 0.5, 1.0, 4.0])
def test_mutual_information_inside_lip_is_at_most_eps_tanh(eps: float) -> None:
    """I(S;Y) <= eps tanh(eps/2) for e^-eps <= lift <= e^eps, instead of eps (DOG Lemma 1-3)."""
    bound = implied_by(Budget.between(Fraction(math.exp(-eps)), Fraction(math.exp(eps))))["mutual-information"]
    assert bound == pytest.approx(eps * math.tanh(eps / 2), rel=1e-12)


@pytest.mark.parametrize(("m", "up"), [("1/2", "3/2"), ("1/5", "3"), ("0", "2"), ("9/10", "11/10"), ("1/100", "9/5")])
def test_enhanced_likeness_is_infinite_only_where_a_prior_makes_it_so(m: str, up: str) -> None:
    """Against a grid of priors: with P(s) = p the largest gain is min(up - 1, (1-m)(1-p)/p), its cap -log p."""
    low, most = float(Fraction(m)), float(Fraction(up))
    passed = any(min(most - 1, (1 - low) * (1 - p) / p) > -math.log(p) for p in np.linspace(1e-4, 1 - 1e-4, 20001))
    assert (implied_by(Budget.between(m, up))["beta-likeness-enhanced"] == math.inf) == passed


def test_a_prior_sharpens_confidence_and_it_is_attained() -> None:
    """max P(s|y) <= min(up p, 1 - low (1 - p)), instead of 1 (DOG Prop. 1-2: P_c <= p* e^eps)."""
    budget = Budget.between("1/2", "3/2")
    assert implied_by(budget)["confidence"] == 1.0
    assert implied_by(budget, [0.25] * 4)["confidence"] == 0.375
    assert implied_by(budget, [0.9, 0.1])["confidence"] == pytest.approx(0.95)
    joint = one_column(Fraction(1, 2), Fraction(19, 18), Fraction(9, 10))
    assert MEASURES["confidence"].of(joint) == pytest.approx(0.95)
    with pytest.raises(UsageError, match="not a probability distribution"):
        implied_by(budget, [0.5, 0.6])


@pytest.mark.parametrize("kind", ["l1", "chi2", "alpha"])
def test_lift_inside_a_lift_based_budget(kind: str) -> None:
    """LIFT Prop. 4 and 6 on random joints; 4-1 and 4-2 attained by two sensitive values."""
    rng = random.Random(kind)
    name, order = ("alpha-lift-10", 10.0) if kind == "alpha" else (f"{kind}-lift", None)
    for _ in range(80):
        joint = random_joint(rng)
        p = float(joint.prior.min())
        m = measure(joint)
        assert m["max-lift"] <= largest_lift(kind, m[name], p, order) * (1 + 1e-12)
        if m[f"{name}-inverse"] < math.inf:
            assert m["min-lift"] >= least_lift(kind, m[f"{name}-inverse"], p, order) * (1 - 1e-12)
    if kind != "alpha":
        joint = Joint.from_counts([[2, 1], [5, 12]])
        m, p = MEASURES[name].outputs(joint)[0], float(joint.prior[0])
        assert joint.lift[0, 0] == pytest.approx(largest_lift(kind, float(m), p), rel=1e-14)
