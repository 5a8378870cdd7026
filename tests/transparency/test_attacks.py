"""The auditor: truth inside every interval, the paper's tables, contradictions, early stops, bad input."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from liftgate.errors import LiftgateError
from liftgate.transparency import DecisionRules, announce, attack
from liftgate.transparency.attacks import System, contradicting
from liftgate.transparency.facts import known

EXACT = {"people": {"F": {"a": 139, "b": 9, "c": 2}, "M": {"a": 117, "b": 18, "c": 5}}, "slack": 0}
CENSUS = {"F": {"a": "0.931", "b": "0.057", "c": "0.012"}, "M": {"a": "0.842", "b": "0.123", "c": "0.035"}}
OWN = [{"group": "F", "private": "a", "value": 0}]
TRUTH = {("F", "a"): 0, ("F", "b"): 0, ("F", "c"): 1, ("M", "a"): 0, ("M", "b"): 0.5, ("M", "c"): 1}


def table_2(digits):
    """The figures of ATR Table 2: exact, or with so many digits."""
    if digits is None:
        rate_f, rate_m, parity, half, nothing = "1/75", "1/10", "13/150", "1/2", 0
        extra = {}
    else:
        rate_f, rate_m, parity, half, nothing = (f"{v:.{digits}f}" for v in (1 / 75, 0.1, 13 / 150, 0.5, 0))
        extra = {"digits": digits}
    conditional = [("a", nothing), ("b", half), ("c", nothing)]
    return {
        "figures": [
            {"kind": "rate", "group": "F", "value": rate_f, **extra},
            {"kind": "rate", "group": "M", "value": rate_m, **extra},
            {"kind": "parity", "groups": ["F", "M"], "value": parity, **extra},
            *[
                {"kind": "conditional-parity", "groups": ["F", "M"], "private": k, "value": v, **extra}
                for k, v in conditional
            ],
        ]
    }


def test_public_table_alone_pins_all_six_rules():
    """With exact weights and exact figures the public table fixes every rule; nobody's own record is needed."""
    found = attack(table_2(None), EXACT)
    assert found.status == "solved"
    assert len(found.pinned) == 6
    for row, interval in found.rules.items():
        assert interval.width < 1e-5
        assert interval.low - 1e-9 <= TRUTH[row] <= interval.high + 1e-9
    name, posterior = found.surest
    assert name == ("F", "positive", "c")
    assert posterior.low > 1 - 1e-5


def test_four_digits():
    """With four digits an approved woman is known to be in the top band with more than 97 %."""
    found = attack(table_2(4), EXACT)
    assert found.posteriors["F", "positive", "c"].low > 0.97
    assert all(i.low - 1e-9 <= TRUTH[row] <= i.high + 1e-9 for row, i in found.rules.items())


def test_census_shares_rest_on_the_slack():
    """With census shares everything depends on the slack: .002 leaves [.28, .95], .005 leaves [0, 1], none contradicts."""
    figures = table_2(4)
    wide = attack(figures, {"shares": CENSUS, "slack": "0.002", "rules": OWN}).posteriors["F", "positive", "c"]
    assert wide.low == pytest.approx(0.2855904, abs=1e-5)
    assert wide.high == pytest.approx(0.9486473, abs=1e-5)
    nothing = attack(figures, {"shares": CENSUS, "slack": "0.005", "rules": OWN}).posteriors["F", "positive", "c"]
    assert (nothing.low, nothing.high) == (0.0, 1.0)
    none = attack(figures, {"shares": CENSUS, "slack": 0, "rules": OWN})
    assert none.status == "contradiction"
    assert none.rules == {}
    assert 0 < len(none.contradiction) < 7


def random_audit(rng, digits):
    """A random 2 x 4 table, its true rules, and its published figures."""
    people = {g: {k: int(rng.integers(1, 60)) for k in "abcd"} for g in "FM"}
    rule = {(g, k): float(rng.choice([0, 0.25, 0.5, 1, rng.random()])) for g in "FM" for k in "abcd"}
    rate = {g: sum(people[g][k] * rule[g, k] for k in "abcd") / sum(people[g].values()) for g in "FM"}
    figures = [{"kind": "rate", "group": g, "value": f"{rate[g]:.{digits}f}"} for g in "FM"]
    figures.append({"kind": "parity", "groups": ["F", "M"], "value": f"{abs(rate['F'] - rate['M']):.{digits}f}"})
    for k in "abcd":
        gap = abs(rule["F", k] - rule["M", k])
        figures.append({"kind": "conditional-parity", "groups": ["F", "M"], "private": k, "value": f"{gap:.{digits}f}"})
    return people, rule, {"figures": figures}


@pytest.mark.parametrize("audits", [8, pytest.param(300, marks=pytest.mark.slow)])
def test_truth_is_inside_every_interval(audits):
    """Random audits with 2, 3 or 4 digits: the real rules and posteriors are inside what the attack says."""
    rng = np.random.default_rng(audits)
    for i in range(audits):
        people, rule, published = random_audit(rng, 2 + i % 3)
        found = attack(published, {"people": people, "slack": 0})
        assert found.status == "solved"
        for row, interval in found.rules.items():
            assert interval.low - 1e-6 <= rule[row] <= interval.high + 1e-6
        for (group, outcome, private), interval in found.posteriors.items():
            mass = {
                k: n * (rule[group, k] if outcome == "positive" else 1 - rule[group, k])
                for k, n in people[group].items()
            }
            if sum(mass.values()) > 0:
                posterior = mass[private] / sum(mass.values())
                assert interval.low - 1e-6 <= posterior <= interval.high + 1e-6


def test_the_solver_does_not_write_to_standard_output(capfd):
    """What HiGHS writes by itself would break the one object of --json; our own output stays."""
    import os

    from liftgate.transparency import attacks

    with attacks._silent():
        os.write(1, b"told by the solver")
    os.write(1, b"told by us")
    assert capfd.readouterr().out == "told by us"


def test_smallest_contradicting_set_is_the_smallest():
    """Compared with trying all sets: the set named contradicts, and no smaller one does."""
    figures = [
        {"kind": "rule", "group": "F", "private": "a", "value": "0.1"},
        {"kind": "rule", "group": "F", "private": "b", "value": "0.2"},
        {"kind": "rule", "group": "F", "private": "c", "value": "0.9"},
        {"kind": "rate", "group": "F", "value": "0.5"},
        {"kind": "rate", "group": "M", "value": "0.5"},
        {"kind": "parity", "groups": ["F", "M"], "value": "0.3"},
    ]
    knowledge = known({"figures": figures}, EXACT)
    named = contradicting(knowledge)
    names = [c.name for c in knowledge.conditions]

    def contradicts(chosen):
        return System(knowledge, [knowledge.conditions[i] for i in chosen], np.inf).state() == "contradiction"

    assert contradicts([names.index(n) for n in named])
    for size in range(len(named)):
        for chosen in combinations(range(len(names)), size):
            assert not contradicts(chosen)
    found = attack({"figures": figures}, EXACT)
    assert found.status == "contradiction"
    assert found.contradiction == named


def test_stopping_early_is_unknown_and_not_a_contradiction():
    """Without time the answer is unknown: every interval is the widest, and nothing is called impossible."""
    found = attack(table_2(None), EXACT, seconds=0.0)
    assert found.status == "unknown"
    assert found.contradiction == ()
    assert all(not i.solved and (i.low, i.high) == (0.0, 1.0) for i in found.rules.values())
    assert found.pinned == ()


def test_influence_figures_pin_the_rules():
    """ATR Appendix B, method 1: two influences of all private inputs that differ by 1 give the rules 1 and 0."""
    figures = [
        {"kind": "influence", "group": "g", "rows": ["10-11"], "value": "0.66475333"},
        {"kind": "influence", "group": "g", "rows": ["0-1"], "value": "-0.33524666"},
    ]
    side = {"people": {"g": {"0-1": 9, "10-11": 2}}, "slack": 0}
    found = attack({"figures": figures}, side)
    assert found.rules["g", "10-11"].low > 0.9999
    assert found.rules["g", "0-1"].high < 1e-4
    assert found.posteriors["g", "positive", "10-11"].low > 0.999


def test_a_ratio_of_rates_is_read_as_tightly_as_its_digits_allow():
    """Half as many, to one digit: .45 to .55 times the other rate, whatever that is, and no wider where it is small."""
    side = {"people": {"F": {"a": 1}, "M": {"a": 1}}, "slack": 0}
    figures = [
        {"kind": "ratio", "groups": ["F", "M"], "value": "0.5"},
        {"kind": "rate", "group": "M", "value": "0.1", "digits": "exact"},
    ]
    found = attack({"figures": figures}, side).rules["F", "a"]
    assert (found.low, found.high) == (pytest.approx(0.045, abs=1e-6), pytest.approx(0.055, abs=1e-6))


def test_known_values_are_whole_choices():
    """A reader who knows that rules are 0, 1/2 or 1 finds them from one coarse rate."""
    published = {"figures": [{"kind": "rate", "group": "g", "value": "0.35", "digits": 2}]}
    side = {"people": {"g": {"a": 7, "b": 2, "c": 1}}, "slack": 0, "values": ["0", "1/2", "1"]}
    found = attack(published, side)
    assert found.rules["g", "a"].low == pytest.approx(0.5, abs=1e-6) or found.rules["g", "a"].low < 0.5
    loose = attack(published, {k: v for k, v in side.items() if k != "values"})
    assert found.rules["g", "a"].width <= loose.rules["g", "a"].width
    assert all(i.width < 1e-5 or round(i.low, 4) in (0, 0.5, 1) for i in found.rules.values())


def test_a_manifest_is_attacked_with_its_band_and_inverted(credit):
    """The public manifest of an announcement: band conditions, promises, and the inversion check from public inputs."""
    a = announce(credit, delta=0.9)
    manifest = json.loads(json.dumps(a.manifest()))
    people = {"Female": {"under 100k": 12, "100k to 200k": 5, "over 200k": 3}}
    people["Male"] = {"under 100k": 9, "100k to 200k": 7, "over 200k": 4}
    found = attack(manifest, {"people": people, "slack": 1})
    for row, interval in found.rules.items():
        i = next(
            k for k in range(6) if (credit.groups.label(int(credit.groups.codes()[k])), credit.row_label(k)) == row
        )
        assert interval.low - 1e-9 <= credit.rule[i] <= interval.high + 1e-9
        assert interval.width <= 0.2 + 1e-6
    outside, inside = found.inversion, a.inversion
    for family in inside.families:
        mirrored = outside.family(family.name, family.algorithm_known)
        assert [r.verdict for r in mirrored.readings] == [r.verdict for r in family.readings]
        assert [r.fits for r in mirrored.readings] == [r.fits for r in family.readings]
    assert found.promised == pytest.approx({"Female": 0.675, "Male": 0.637796})
    told = attack(
        {**manifest, "figures": [{"kind": "rate", "group": "Female", "value": "0.15", "digits": "exact"}]},
        {"people": people, "slack": 0},
    )
    assert told.rules["Female", "under 100k"].high == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ({"kind": "rate", "group": "F", "value": "1.2"}, "not between 0 and 1"),
        ({"kind": "rate", "group": "F", "value": "0.1234", "digits": 2}, "more than 2 digits"),
        ({"kind": "rate", "group": "F", "value": "0.1", "digits": -1}, "-1 digits"),
        ({"kind": "rate", "group": "X", "value": "0.1"}, "no group 'X'"),
        ({"kind": "rate", "group": "F", "value": "a tenth"}, "not a number"),
        ({"kind": "rate", "group": "F"}, "no value"),
        ({"kind": "mood", "value": "0.1"}, "use one of rule, rate"),
        ({"kind": "parity", "groups": ["F"], "value": "0.1"}, "not two groups"),
        ({"kind": "rule", "group": "F", "private": "z", "value": "0.1"}, "no row F, z"),
        ({"kind": "influence", "group": "F", "rows": [], "value": "0.1"}, "no rows"),
        ({"kind": "linear", "terms": [], "value": "0.1"}, "no terms"),
        ({"kind": "rate", "group": "F", "value": "0.1", "rounding": "up"}, "use nearest, any or exact"),
    ],
)
def test_impossible_figures(figure, message):
    """Impossible published figures are refused by name."""
    with pytest.raises(LiftgateError, match=message):
        attack({"figures": [figure]}, EXACT)


TELLS = {"kind": "rate", "group": "F", "value": "0.1"}


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ({**TELLS, "extra": 1}, "figure 1: unknown key 'extra'"),
        ({**TELLS, "group": {"a": 1}}, "figure 1, group: .* is not a label"),
        ({**TELLS, "value": True}, "figure 1, value: True is not a number"),
        ({"kind": "influence", "group": "F", "rows": 5, "value": "0"}, "figure 1, rows: 5 is not a list"),
        ({"kind": "influence", "group": "F", "rows": "a", "value": "0"}, "figure 1, rows: 'a' is not a list"),
        ({"kind": "linear", "terms": [5], "value": "0"}, "figure 1, terms, entry 1: 5 is not an object"),
        ({"kind": "parity", "groups": ["F", "F"], "value": "0"}, "'F' twice"),
        ({"kind": "ratio", "groups": ["F", "M"], "value": "-1"}, "-1 is below 0"),
        ({"kind": ["rate"], "value": "0"}, "figure 1: kind"),
        (
            {"kind": "linear", "terms": [{"group": "F", "private": "a", "weight": "1e400"}], "value": "0"},
            "beyond 1e\\+09",
        ),
        ("rate", "figure 1: kind 'rate'"),
    ],
)
def test_figures_of_another_form(figure, message):
    """What is no figure is refused by its place, not met later."""
    with pytest.raises(LiftgateError, match=message):
        attack({"figures": [figure]}, EXACT)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("groups", 5, "published, groups: 5 is not a list"),
        ("groups", [], "no group at all"),
        ("fidelity", {"kind": "x"}, "use delta, alpha, bounds or free"),
        ("fidelity", {"kind": "delta", "value": "2"}, "not above 0 and at most 1"),
        ("outcomes", ["a"], "two different names"),
        ("outcomes", ["a", "a"], "two different names"),
        ("digits", -3, "1 to 12 digits"),
        ("target", "7", "not between 0 and 1"),
        ("liftgate-announcement", 2, "version 2 of an announcement"),
        ("figures", None, "published, figures: None is not a list"),
        ("mood", 1, "unknown key 'mood'"),
        ("groups.0.promised", 7, "promise of Female: 7 is not between 0 and 1"),
        ("groups.0.promised", None, "promised: None is not a number"),
        ("groups.0.rows", [], "a group without rows"),
        ("groups.0.rows.0.announced", "1.5", "not between 0 and 1"),
        ("groups.0.rows.0.private", "z", "no row Female, z"),
    ],
)
def test_manifests_of_another_form(credit, key, value, message):
    """A manifest that was changed by hand into nonsense is refused by its place."""
    manifest = json.loads(json.dumps(announce(credit, delta=0.9).manifest()))
    place = manifest
    *way, last = [int(k) if k.isdigit() else k for k in key.split(".")]
    for step in way:
        place = place[step]
    place[last] = value
    side = {"people": {"Female": dict.fromkeys(["under 100k", "100k to 200k", "over 200k"], 1)}, "slack": 0}
    side["people"]["Male"] = side["people"]["Female"]
    with pytest.raises(LiftgateError, match=message):
        attack(manifest, side)


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ({"people": EXACT["people"]}, "no slack"),
        ({"slack": 0}, "either shares or people"),
        ({"shares": {"F": {"a": "0.5"}}, "slack": 0}, "add up to 0.5"),
        ({"shares": {"F": {"a": "-1", "b": 2}}, "slack": 0}, "negative"),
        ({**EXACT, "slack": 2}, "not between 0 and 1"),
        ({**EXACT, "mood": 1}, "unknown key 'mood'"),
        ({**EXACT, "values": [2]}, "not chances"),
        ({**EXACT, "values": 2}, "values: 2 is not a list"),
        ({**EXACT, "rules": 5}, "rules: 5 is not a list"),
        ({**EXACT, "rules": [{"group": "F", "private": "a"}]}, "entry 1: no value"),
        ({**EXACT, "rules": [{"group": "F", "private": "a", "value": "1.5"}]}, "1.5 is not between 0 and 1"),
        ({"people": 5, "slack": 0}, "people: 5 is not an object or a list"),
        ({"people": {"F": 5}, "slack": 0}, "shares of 'F': 5 is not an object"),
        ({"shares": {"F": {"a": "1e999"}}, "slack": 0}, "add up to far more"),
    ],
)
def test_impossible_side_information(side, message):
    """The slack of shares is asked for; impossible side information is refused."""
    with pytest.raises(LiftgateError, match=message):
        attack(table_2(4), side)


def test_record(credit):
    """The record for JSON holds the intervals and names what is pinned."""
    record = attack(table_2(None), EXACT).to_dict()
    assert json.loads(json.dumps(record))["status"] == "solved"
    assert len(record["rules"]) == 6
    assert len(record["posteriors"]) == 12
    assert ["F", "c"] in record["pinned"]
    assert isinstance(credit, DecisionRules)
