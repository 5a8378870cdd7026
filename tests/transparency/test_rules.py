"""Decision rules: from arrays, tables and models; what is refused."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from liftgate.errors import LiftgateError
from liftgate.transparency import DecisionRules, announce, rules_from_classifier, surrogate


def test_from_a_table_of_decisions():
    """Empirical rules with exact counts; the positive outcome is the one named."""
    table = {
        "sex": ["F"] * 5 + ["M"] * 3,
        "income": ["low", "low", "high", "high", "high", "low", "low", "high"],
        "approved": ["no", "yes", "yes", "yes", "no", "no", "no", "yes"],
    }
    rules = DecisionRules.from_table(table, group="sex", private="income", decision="approved", positive="yes")
    assert rules.outcomes == ("no", "yes")
    exact = {
        (str(rules.groups.label(int(g))), rules.row_label(i)): rules.exact_rule(i)[1]
        for i, g in enumerate(rules.groups.codes())
    }
    assert exact == {("F", "low"): F(1, 2), ("F", "high"): F(2, 3), ("M", "low"): 0, ("M", "high"): 1}
    assert rules.mass.sum() == 8
    a = announce(rules, delta=0.9)
    assert "counts-are-population" in a.assumptions
    assert a.certificate.verdict.holds
    assert isinstance(a.beta, float)


def test_from_a_table_with_counts_and_three_outcomes():
    """A count column weights the rows; three decisions make three outcomes."""
    table = {"g": ["a"] * 4, "s": [1, 1, 2, 2], "d": ["x", "y", "y", "z"], "n": [3, 1, 2, 2]}
    rules = DecisionRules.from_table(table, group="g", private="s", decision="d", count="n")
    assert rules.outcomes == ("x", "y", "z")
    assert rules.exact_rule(0) == [F(3, 4), F(1, 4), F(0)]
    assert announce(rules, delta=0.9).certificate.verdict.holds


def test_from_a_rules_table():
    """The table with columns group, private, people, rule; text is read exactly, results are floats."""
    table = {"group": ["F", "F"], "private": ["a", "b"], "people": ["9", "1"], "rule": ["1/2", "0.5"]}
    rules = DecisionRules.from_rules_table(table)
    a = announce(rules, delta=0.9)
    assert a.beta == 0.9
    assert a.rules.dtype == np.float64
    assert a.exact[0].beta == F(9, 10)


def test_several_private_attributes():
    """Two private columns make one label of two parts."""
    table = {"g": ["a"] * 2, "s": [1, 2], "t": ["x", "y"], "d": ["n", "p"]}
    rules = DecisionRules.from_table(table, "g", ["s", "t"], "d")
    assert [rules.row_label(i) for i in range(2)] == [(1, "x"), (2, "y")]
    assert announce(rules.only_sensitive("s"), delta=0.9).beta == announce(rules, delta=0.9).beta
    with pytest.raises(LiftgateError, match="no private attribute 'z'"):
        rules.only_sensitive("z")


def test_from_a_classifier_and_from_a_black_box():
    """Mean chances of a fitted model for each group and private value; a shallow tree states its fidelity."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    x = rng.integers(0, 3, (300, 2))
    y = (x.sum(axis=1) + rng.random(300) > 2).astype(int)
    model = LogisticRegression().fit(x, y)
    table = {"g": [f"g{v}" for v in x[:, 0]], "s": [int(v) for v in x[:, 1]]}
    rules = rules_from_classifier(model, table, "g", "s", features=x)
    chance = model.predict_proba(x)[:, 1]
    for i, g in enumerate(rules.groups.codes()):
        inside = (x[:, 0] == int(str(rules.groups.label(int(g)))[1:])) & (x[:, 1] == rules.row_label(i))
        assert rules.rule[i] == pytest.approx(chance[inside].mean())
        assert rules.mass[i] == inside.sum()
    assert rules.outcomes == (0, 1)
    found = surrogate(lambda f: model.predict_proba(f), x, table, "g", "s", depth=2)
    assert 0.8 <= found.agreement <= 1
    assert 0 < found.mean_gap < 0.2
    assert found.leaves <= 4
    assert "feature_1" in found.text
    with pytest.raises(LiftgateError, match="no predict_proba"):
        rules_from_classifier(object(), table, "g", "s")
    with pytest.raises(LiftgateError, match="not one chance"):
        surrogate(lambda f: f[:, 0] * 5.0, x, table, "g", "s")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1], [0.5, 1.5], [0, 0]), "rule, row 1: 1.5 is not between 0 and 1"),
        (([1, 1], [0.5, float("nan")], [0, 0]), "not between 0 and 1|nan"),
        (([1, 1], [[0.5, 0.4], [0.5, 0.5]], [0, 0]), "rule, row 0: the chances add up to 0.9"),
        (([0, 1], [0.5, 0.5], ["a", "b"]), "group 'a': no people"),
        (([-1, 2], [0.5, 0.5], [0, 0]), "mass, row 0: -1"),
        (([float("inf"), 2], [0.5, 0.5], [0, 0]), "mass, row 0: inf"),
        (([1], [0.5, 0.5], [0, 0]), "2 rules for 1 rows"),
        (([1, 1], [0.5, 0.5], [0]), "1 labels for 2 rows"),
        (([], [], []), "shape"),
        ((["x"], [0.5], [0]), "not a number"),
    ],
)
def test_impossible_rules(arguments, message):
    """Rules outside [0, 1], rows that do not add up, groups without people, impossible masses: refused by row."""
    with pytest.raises(LiftgateError, match=message):
        DecisionRules.from_arrays(*arguments)


def test_unknown_outcome_names():
    """An unknown positive outcome, or names that do not fit, are refused with the names there are."""
    table = {"g": ["a", "a"], "s": [1, 2], "d": ["no", "yes"]}
    with pytest.raises(LiftgateError, match="no outcome is called 'maybe'"):
        DecisionRules.from_table(table, "g", "s", "d", positive="maybe")
    with pytest.raises(LiftgateError, match="2 outcomes"):
        DecisionRules.from_arrays([1, 1], [0.1, 0.2], [0, 0], outcomes=["a", "b", "c"])
    with pytest.raises(LiftgateError, match="only one outcome"):
        DecisionRules.from_table({"g": ["a"], "s": [1], "d": ["no"]}, "g", "s", "d")
    with pytest.raises(LiftgateError, match="the columns are g, s, d"):
        DecisionRules.from_table(table, "g", "s", "e")
