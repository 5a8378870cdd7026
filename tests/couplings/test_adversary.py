"""Attempts to have the checker accept something false about two laws or two programs, each by hand or by trying all evidence."""

from __future__ import annotations

import copy
import random
from fractions import Fraction as F
from itertools import product

import pytest

from liftgate import checker
from liftgate.couplings import certify, certify_profile, profile
from liftgate.couplings.chains import Chain, prove

ENVELOPE = {"liftgate-certificate": 1, "version": 1, "assumptions": ["laws-as-given"], "salt": "0" * 64}


def judge(kind, claim, evidence):
    """What the checker says."""
    return checker.check({**ENVELOPE, "kind": kind, "claim": claim, "evidence": evidence})


def about(left, right, relation="equal", **rest):
    """A claim about two laws given as masses."""
    return {"left": dict(left), "right": dict(right), "relation": relation, **rest}


COIN = {"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"}
FALSE = about(*COIN, exp_eps=2, delta="1/5")  # true from delta = 1/4 on


@pytest.mark.parametrize(
    ("flow", "words"),
    [
        ([["yes", "yes", "1/2"], ["no", "no", "1/4"], ["yes", "yes", "1/20"]], "takes more than there is"),
        ([["yes", "yes", "1/4"]] * 3 + [["no", "no", "1/4"]], "takes more than there is"),
        ([["yes", "yes", "1/2"], ["no", "no", "1/4"], ["yes", "no", "1/20"]], "not related"),
        ([["yes", "yes", "-1/4"], ["yes", "yes", "3/4"], ["no", "no", "1/4"]], "negative"),
        ([["yes", "yes", "3/4"], ["yes", "yes", "-1/4"], ["no", "no", "1/4"]], "takes more than there is"),
        ([["no", "no", "3/10"], ["yes", "yes", "1/2"]], "takes more than there is"),
        ([["no", "no", "1/4"], ["yes", "yes", "1/2"], ["maybe", "maybe", "1/20"]], "not related"),
        ([["no", "no", "1/4"], ["yes", "yes", "1/2"], ["yes", "YES", "1/20"]], "not related"),
        ([["no", "no", "1/4"], ["yes", "yes", "0.55"]], "not a whole number or a fraction"),
        ([["no", "no", "1/4"], ["yes", "yes", "1/0"]], "not a whole number or a fraction"),
        ([["no", "no", "1/4"], ["yes", "yes", "-0"]], "not a whole number or a fraction"),
        ([["no", "no", "1/4"], ["yes", "yes", " 1/2"]], "not a whole number or a fraction"),
        ([["no", "no", "1/4"], ["yes", "yes", "¾"]], "not a whole number or a fraction"),
        ([["no", "no", "1/4"], ["yes", "yes", "\u0663/\u0664"]], "not a whole number or a fraction"),
        ([["no", "no", "1/4"], ["yes", "yes", [1, 2]]], "not a whole number or a fraction"),
        ([["no", "no", "1/4", "1/4"], ["yes", "yes", "1/2", "1/2"]], "rows with 3 entries"),
    ],
)
def test_flows_that_carry_too_much(flow, words):
    """Twice the same pair, negative mass that makes room, other labels, numbers in other clothes."""
    verdict = judge("coupling", FALSE, {"flow": flow})
    assert not verdict.holds
    assert words in verdict.reason


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ({"left": {"yes": "3/4", "no": "1/4"}, "right": {"yes": "1/2", "no": "3/4"}}, "more than 1"),
        ({"left": {"yes": "3/4", "no": "1/4", "ghost": "-1/4"}}, "negative mass"),
        ({"exp_eps": "199/100"}, "takes more than there is"),
        ({"exp_eps": 0}, "below 1"),
        ({"delta": "-1/4"}, "not from 0 to 1"),
        ({"relation": "Equal"}, "relation is"),
        ({"relation": "distance<=x"}, "not a whole number or a fraction"),
        ({"relation": {"pairs": [["yes", "no"]]}}, "not related"),
        ({"relation": {"pairs": [["yes", "yes"]], "more": []}}, "unknown key"),
        ({"left": {"ye\u0301s": "3/4", "no": "1/4"}, "right": {"y\u00e9s": "1/4", "no": "3/4"}}, "not related"),
    ],
)
def test_claims_that_do_not_fit_an_honest_flow(claim, words):
    """The flow is right for the true claim; the claim says something else."""
    flow = {"flow": [["yes", "yes", "1/2"], ["no", "no", "1/4"]]}
    honest = about(*COIN, exp_eps=2, delta="1/4")
    assert judge("coupling", honest, flow).holds
    verdict = judge("coupling", {**honest, **claim}, flow)
    assert not verdict.holds
    assert words in verdict.reason


def test_numbers_as_labels_are_the_numbers_they_are():
    """One number written in two ways is related under distance 0 and unrelated under equality."""
    one, other = {"1": 1}, {"2/2": 1}
    flow = {"flow": [["1", "2/2", 1]]}
    assert judge("coupling", about(one, other, "distance<=0", exp_eps=1, delta=0), flow).holds
    assert not judge("coupling", about(one, other, "equal", exp_eps=1, delta=0), flow).holds
    assert not judge("coupling", about(one, other, "distance<=-1", exp_eps=1, delta=0), flow).holds
    assert not judge("no-coupling", about(one, other, "distance<=0", exp_eps=1, delta=0), {"event": ["1"]}).holds


@pytest.mark.parametrize(
    "event", [["yes", "yes"], ["yes", "no"], ["no"], ["yes", "maybe"], [["yes"]], {"yes": 1}, ["yes", "YES"]]
)
def test_events_that_are_not_too_likely(event):
    """An event named twice counts once; labels that do not exist count never."""
    assert not judge("no-coupling", about(*COIN, exp_eps=2, delta="1/4"), {"event": event}).holds


def test_a_relation_named_twice_counts_every_partner_once():
    """Partners without mass, unknown partners and repeated pairs change nothing about the event."""
    pairs = [["a", "a"], ["a", "a"], ["a", "ghost"], ["a", "z"]]
    claim = about({"a": 1}, {"a": "1/2", "b": "1/2", "z": 0}, {"pairs": pairs}, exp_eps=1, delta="1/2")
    assert not judge("no-coupling", claim, {"event": ["a"]}).holds
    assert judge("no-coupling", {**claim, "delta": "49/100"}, {"event": ["a"]}).holds


def false_profiles():
    """Blocks and evidence that nearly fit: (laws and relation, blocks, homes, flow)."""
    left, right = {"a": "1/2", "b": "1/2"}, {"a": "1/4", "b": "3/4"}
    home = {"a": 0, "b": 1}
    flow = [["a", "a", "1/2"], ["b", "b", "1/2"]]
    one = {"a": 0, "b": 0}
    wide = {"pairs": [["a", "a"], ["a", "b"], ["b", "b"]]}
    yield about(left, right), [["1", "1"]], one, flow  # merged: too little delta
    yield about(left, right), [["1/2", "1/4"], ["1/4", "3/8"], ["1/4", "3/8"]], {"a": 0, "b": 1}, flow  # split
    yield about(left, right), [["1/2", "1/4"], ["0", "0"], ["1/2", "3/4"]], {"a": 0, "b": 2}, flow  # an empty block
    yield about(left, right), [["1/2", "3/4"], ["1/2", "1/4"]], {"a": 1, "b": 0}, flow  # ratios rise
    yield about(left, right, wide), [["1/2", "1/4"], ["1/2", "3/4"]], home, flow  # an edge to a later block
    yield about(left, right), [["1/2", "1/4", "0"], ["1/2", "3/4", "0"]], home, flow
    yield about(left, right), [["1/2", "1/4"], ["1/2", "3/4"]], home, flow[:1]
    yield about(left, right), [["1/2", "1/4"], ["1/2", "3/4"]], home, [["a", "a", "1/2"], ["b", "a", "1/2"]]
    yield about(left, right), [["1/2", "0"], ["1/2", "1"]], home, flow
    yield about(left, right), [["1/2", "1/4"], ["1/2", "3/4"]], {"a": 0}, flow
    yield about({**left, "c": 0}, right), [["1/2", "1/4"], ["1/2", "3/4"]], {**home, "c": 0}, flow
    yield about(left, right), [["1/2", "1/4"], ["1/2", "3/4"]], {"a": 0, "b": -1}, flow
    yield about(left, right), [["1/2", "-1/4"], ["1/2", "3/4"]], home, flow


@pytest.mark.parametrize("number", range(13))
def test_profiles_that_nearly_fit(number):
    """Blocks merged, split, empty, out of order, with an edge too many or a flow too small."""
    claim, blocks, home, flow = list(false_profiles())[number]
    assert not judge("profile", {**claim, "blocks": blocks}, {"left": home, "right": home, "flow": flow}).holds
    truth = about({"a": "1/2", "b": "1/2"}, {"a": "1/4", "b": "3/4"}, blocks=[["1/2", "1/4"], ["1/2", "3/4"]])
    home, flow = {"a": 0, "b": 1}, [["a", "a", "1/2"], ["b", "b", "1/2"]]
    assert judge("profile", truth, {"left": home, "right": home, "flow": flow}).holds


# --- chains --------------------------------------------------------------------------------------------------------------

FLIP = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/3", "1": "2/3"}}


def honest():
    """Two steps from ("0", "1"), e^eps = 4 as proved by one flow a step on equal states only in the end."""
    chain = Chain.of([FLIP, FLIP], [FLIP, FLIP], [("0", "1")])
    certificate = prove(chain).certificate().to_dict()
    assert checker.check(certificate).holds
    return certificate


def changed(change):
    document = copy.deepcopy(honest())
    change(document["claim"], document["evidence"]["proofs"])
    return checker.check(document)


LIES = {
    "a start nobody proved": lambda claim, proofs: claim["starts"].append(["1", "1"]),
    "a start that is no state": lambda claim, proofs: claim["starts"].append(["9", "9"]),
    "no proofs": lambda claim, proofs: proofs.clear(),
    "a proof twice": lambda claim, proofs: proofs.append(copy.deepcopy(proofs[0])),
    "only one output": lambda claim, proofs: proofs[0].update(output="0"),
    "an output and up to equality": lambda claim, proofs: proofs.append({**copy.deepcopy(proofs[0]), "output": "1"}),
    "a step left out": lambda claim, proofs: proofs[0]["steps"].pop(),
    "a step too many": lambda claim, proofs: proofs[0]["steps"].append(copy.deepcopy(proofs[0]["steps"][0])),
    "a program cut short": lambda claim, proofs: claim["left"].pop(),
    "a factor below 1": lambda claim, proofs: proofs[0]["steps"][1].update(exp_eps="1/2"),
    "a smaller factor": lambda claim, proofs: claim.update(exp_eps="3/2"),
    "a negative delta": lambda claim, proofs: proofs[0]["steps"][1].update(delta="-1/9"),
    "pairs of the next step missing": lambda claim, proofs: proofs[0]["steps"][1]["pairs"].clear(),
    "a pair twice, the second empty": lambda claim, proofs: proofs[0]["steps"][0]["pairs"].append(["0", "1", []]),
    "a flow to other outputs": lambda claim, proofs: proofs[0]["steps"][1]["pairs"][0][2].__setitem__(0, ["0", "1", "1/3"]),
    "a state that does not exist": lambda claim, proofs: proofs[0]["steps"][0]["pairs"].append(["7", "7", []]),
    "more mass than the kernel has": lambda claim, proofs: claim["left"][0]["0"].update({"0": 1}),
    "an unequal right program": lambda claim, proofs: claim["right"][0]["1"].update({"0": 0, "1": 1}),
}  # fmt: skip


@pytest.mark.parametrize("lie", list(LIES))
def test_chains_that_nearly_fit(lie):
    """Proofs that leave out a start, an output, a step, a pair, or take more than there is."""
    assert not changed(LIES[lie]).holds


def test_deltas_of_outputs_add_up_and_are_not_shared():
    """Two proofs that each lose 1/10 need 1/5 together, and every output of the left program needs its own."""
    left, right = [{"s": {"x": "1/2", "y": "1/2"}}], [{"s": {"x": "2/5", "y": "2/5"}}]
    proofs = [
        {"output": k, "steps": [{"exp_eps": 1, "delta": "1/10", "pairs": [["s", "s", flow]]}]}
        for k, flow in (
            ("x", [["x", "x", "2/5"], ["y", "y", "2/5"], ["y", "x", 0]]),
            ("y", [["x", "x", "2/5"], ["y", "y", "2/5"]]),
        )
    ]
    claim = {"left": left, "right": right, "starts": [["s", "s"]], "exp_eps": 1, "delta": "1/5"}
    for proof in proofs:  # each leaves 1/5 of the left law, so neither holds with 1/10
        assert not judge("chain", claim, {"proofs": [proof]}).holds
    for proof in proofs:
        proof["steps"][0]["delta"] = "1/5"
    assert not judge("chain", claim, {"proofs": proofs}).holds
    assert judge("chain", {**claim, "delta": "2/5"}, {"proofs": proofs}).holds


# --- every piece of evidence -----------------------------------------------------------------------------------------------


def small_claims(rng, count):
    """Laws on two labels in quarters, every relation on them, and a factor."""
    cells = [(a, b) for a in "ab" for b in "ab"]
    for _ in range(count):
        left, right = ({"a": F(x, 4), "b": F(rng.randint(0, 4 - x), 4)} for x in (rng.randint(0, 4), rng.randint(0, 4)))
        pairs = rng.sample(cells, rng.randint(1, 4))
        yield left, right, pairs, rng.choice((F(1), F(3, 2), F(2)))


def as_text(law):
    return {k: str(m) for k, m in law.items()}


def test_no_flow_proves_too_small_a_delta_and_no_event_refutes_a_true_one():
    """All flows in eighths on two labels a side: none is accepted below the least delta, one is at it."""
    rng = random.Random(41)
    steps = [F(k, 8) for k in range(9)]
    for left, right, pairs, t in small_claims(rng, 25):
        least = profile(left, right, pairs, proper=False).delta(exp_eps=t)
        relation = {"pairs": [list(pair) for pair in pairs]}
        claim = about(as_text(left), as_text(right), relation, exp_eps=str(t), delta=str(least))
        assert not any(judge("no-coupling", claim, {"event": e}).holds for e in (["a"], ["b"], ["a", "b"]))
        if not least:
            continue
        claim["delta"] = str(least - F(1, 10**30))
        assert any(judge("no-coupling", claim, {"event": e}).holds for e in (["a"], ["b"], ["a", "b"]))
        for amounts in product(steps, repeat=len(pairs)) if len(pairs) < 4 else ():
            flow = [[a, b, str(m)] for (a, b), m in zip(pairs, amounts, strict=True)]
            assert not judge("coupling", claim, {"flow": flow}).holds


def test_no_evidence_proves_other_blocks():
    """All ways to put two labels a side into up to two blocks, with all flows in eighths: only the true blocks are accepted."""
    rng = random.Random(43)
    accepted = 0
    for left, right, pairs, _ in small_claims(rng, 40):
        if len(pairs) > 2:
            continue
        truth = profile(left, right, pairs, proper=False).blocks
        relation = {"pairs": [list(pair) for pair in pairs]}
        heavy = [[k for k, m in law.items() if m] for law in (left, right)]
        if not any(heavy):
            continue
        for homes in product(range(2), repeat=len(heavy[0]) + len(heavy[1])):
            here = dict(zip(heavy[0], homes, strict=False))
            there = dict(zip(heavy[1], homes[len(heavy[0]) :], strict=True))
            size = max(homes) + 1
            blocks = [
                (sum((left[a] for a in here if here[a] == k), F(0)), sum((right[b] for b in there if there[b] == k), F(0)))
                for k in range(size)
            ]  # fmt: skip
            claim = about(as_text(left), as_text(right), relation, blocks=[[str(p), str(q)] for p, q in blocks])
            for amounts in product([F(k, 4) for k in range(5)], repeat=len(pairs)):
                flow = [[a, b, str(m)] for (a, b), m in zip(pairs, amounts, strict=True) if m]
                if judge("profile", claim, {"left": here, "right": there, "flow": flow}).holds:
                    accepted += 1
                    assert blocks == truth
    assert accepted > 5


def test_honest_certificates_of_the_same_claims_are_accepted():
    """What is refused above is refused for being false: the writers' evidence for the same laws is accepted."""
    rng = random.Random(41)
    for left, right, pairs, t in small_claims(rng, 25):
        p = profile(left, right, pairs, proper=False)
        assert certify(p, t, p.delta(exp_eps=t)).verdict.holds
        assert certify_profile(p).verdict.holds
