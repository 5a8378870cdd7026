"""Certificates about two laws and about chains: every truth accepted, every lie refused or true by recomputation."""

from __future__ import annotations

import copy
import random
import re
from fractions import Fraction as F

import pytest

from liftgate import checker
from liftgate.couplings import Law, Spans, certify, certify_profile, profile
from liftgate.couplings.chains import Chain, prove
from liftgate.couplings.programs import above_threshold_chain
from liftgate.errors import UsageError
from liftgate.exact import exp_enclosure


def certificates_of(one):
    """Certificates of one random instance: close, not close, and the whole profile."""
    p = profile(one.left, one.right, one.relation, proper=one.proper)
    out = [certify_profile(p)]
    for t in (F(1), F(7, 4)):
        delta = p.delta(exp_eps=t)
        out.append(certify(p, t, delta))
        assert out[-1].kind == "coupling"
        if delta:
            out.append(certify(p, t, delta - delta / 2**70))
            assert out[-1].kind == "no-coupling"
    return out


def test_every_truth_is_accepted(instances):
    """Random instances of every kind of relation: all three kinds are accepted, with the assumptions listed."""
    for one in instances(50, 60, 7):
        for c in certificates_of(one):
            verdict = checker.check(c)
            assert verdict.holds, verdict.reason
            assert verdict.assumptions == (
                ("laws-as-given", "proper-distributions") if one_proper(c) else ("laws-as-given",)
            )


def one_proper(c):
    return all(sum(F(m) for m in c.claim[side].values()) == 1 for side in ("left", "right"))


def test_a_rational_eps_is_certified_on_both_sides_of_the_threshold():
    """At distance 2^-200 from e^eps: a coupling with a factor below it, or an event with a factor above it."""
    ends = exp_enclosure(F(1, 2), 260)
    for t, kind in ((ends.lower - F(1, 2**200), "coupling"), (ends.upper + F(1, 2**200), "no-coupling")):
        q = 1 / (1 + t)
        c = certify(profile([t * q, q], [q, t * q]), eps="1/2")
        assert c.kind == kind
        assert c.verdict.holds
        factor = F(c.claim["exp_eps"])
        assert factor <= ends.upper if kind == "coupling" else factor >= ends.lower
    with pytest.raises(UsageError, match="give either"):
        certify(profile([1], [1]))


def test_labels_keep_their_meaning():
    """1 and "1" are different labels under equality, numbers are compared as numbers under a distance."""
    p = profile({1: "1/2", "1": "1/2"}, {1: 1, "2": 0})
    assert certify(p, 1, p.delta(exp_eps=1)).verdict.holds
    close = profile({"0.5": 1}, {"1": 1}, "distance<=1/2")
    c = certify(close, 1, 0)
    assert list(c.claim["left"]) == ["1/2"]
    assert c.verdict.holds
    with pytest.raises(UsageError, match="the same number"):
        certify(profile({"1": "1/2", "1.0": "1/2"}, {"1": 1}, "distance<=1"), 1, 0)
    reverse = profile(["1/2", "1/2"], ["1/4", "3/4"], Spans([0, 0], [1, 2])).reverse
    assert certify_profile(reverse).verdict.holds


def test_relations_too_large_to_list_are_refused():
    """25 million implied pairs are decided at once, but a certificate would have to list them."""
    size = 5000
    law = Law(tuple(range(size)), (1,) * size, size)
    p = profile(law, law, Spans([0] * size, [size] * size))
    assert p.delta(exp_eps=1) == 0
    with pytest.raises(UsageError, match="more than 20000000 pairs"):
        certify_profile(p)
    with pytest.raises(UsageError, match="more than 20000000 pairs"):
        profile(law, law, p.reverse.relation)


# --- lies ----------------------------------------------------------------------------------------------------------------


def small_chain():
    """A chain certificate small enough to corrupt everywhere."""
    flip = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/3", "1": "2/3"}}
    return prove(Chain.of([flip, flip], [flip, flip], [("0", "1")]), spare="1/9").certificate()


def by_output_chain():
    """A chain certificate with one proof for every output."""
    chain, offers = above_threshold_chain((0, 0, 0), (1, 1, 0), "1/2", "1/8", threshold=1, reach=3)
    proof = prove(chain, by_output=offers)
    assert proof.by_output
    return proof.certificate()


def truths():
    """One certificate of every kind and relation."""
    left, right = ["1/2", "3/8", "1/8"], ["1/4", "1/4", "1/2"]
    pairs = profile(left, right, [(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)])
    spans = profile(left, right, Spans([0, 0, 2], [2, 2, 3]))
    near = profile(left, right, "distance<=1")
    equal = profile(left, right)
    light = profile(["1/2", "1/4"], ["1/4", "1/4"], proper=False)
    yield from (certify(p, "3/2", p.delta(exp_eps="3/2")) for p in (pairs, spans, near, equal, light))
    yield from (
        certify(p, 1, p.delta(exp_eps=1) - F(1, 1000)) for p in (pairs, spans, near, equal, light) if p.delta(exp_eps=1)
    )
    yield from (certify_profile(p) for p in (pairs, spans, near, equal, light))
    yield small_chain()
    yield by_output_chain()


def places(value, here=()):
    """Every place inside a document."""
    if here:
        yield here
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places(entry, (*here, key))


def corrupt(document, rng):
    """One small change somewhere in the claim or the evidence."""
    lie = copy.deepcopy(document)
    spots = [s for s in places(lie) if s[0] in ("claim", "evidence") and len(s) > 1]
    spot = rng.choice(spots)
    holder = lie
    for key in spot[:-1]:
        holder = holder[key]
    key, value = spot[-1], holder[spot[-1]]
    change = rng.randrange(5)
    if isinstance(value, str) and re.fullmatch(r"\d+(/\d+)?", value) and change < 4:
        step = rng.choice((F(1, 10**30), F(1, 7), F(1, 100), -F(1, 10**30), -F(1, 7), -F(1, 100)))
        holder[key] = str(F(value) + step) if change < 3 else str(F(value) * rng.choice((F(1, 2), 2, 0)))
    elif isinstance(holder, list) and change < 2:
        holder.pop(key)
    elif isinstance(holder, list) and change < 3:
        holder.append(copy.deepcopy(value))
    elif isinstance(holder, list) and len(holder) > 1 and change < 4:
        other = rng.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    elif isinstance(holder, dict) and len(spot) > 2 and change < 2:
        del holder[key]
    elif isinstance(holder, dict) and len(holder) > 1 and change < 4:
        other = rng.choice(list(holder))
        holder[key], holder[other] = holder[other], holder[key]
    else:
        holder[key] = rng.choice(("x", "0", 0, 1, -1, None, [], {}, "equal", "distance<=1", "distance<=2"))
    return lie


def recomputed(document):
    """Whether a claim is true, by the engine and not by its evidence."""
    claim, kind = document["claim"], document["kind"]
    if kind == "chain":
        chain = Chain.of(
            *(_programs(claim[side]) for side in ("left", "right")), [tuple(pair) for pair in claim["starts"]]
        )
        return all(chain.profile(s).delta(exp_eps=F(claim["exp_eps"])) <= F(claim["delta"]) for s in chain.starts)
    relation = claim["relation"]
    if isinstance(relation, dict):
        relation = [(a, b) for a, b in relation["pairs"] if a in claim["left"] and b in claim["right"]]
    if relation == []:  # nothing is related, so nothing is coupled
        relation, claim = [("", "")], {**claim, "left": {**claim["left"], "": 0}, "right": {**claim["right"], "": 0}}
    p = profile(claim["left"], claim["right"], relation, proper=False)
    if kind == "profile":
        return p.blocks == [(F(a), F(b)) for a, b in claim["blocks"]]
    close = p.delta(exp_eps=claim["exp_eps"]) <= F(claim["delta"])
    return close is (kind == "coupling")


def _programs(steps):
    """Sub-distributions get one more state that takes what is missing, so that the engine accepts them."""
    out = []
    for step in steps:
        kernel = {}
        for state, law in step.items():
            rest = 1 - sum(F(m) for m in law.values())
            kernel[state] = {**law, **({f"lost {len(out)}": rest} if rest else {})}
        for i in range(len(out)):
            kernel[f"lost {i}"] = {f"lost {i}": 1}
        out.append(kernel)
    return out


def lies(seed, count):
    """Corruptions spread evenly over the kinds; how many were accepted."""
    rng = random.Random(seed)
    documents = [c.to_dict() for c in truths()]
    assert {d["kind"] for d in documents} == {"coupling", "no-coupling", "profile", "chain"}
    accepted = 0
    for k in range(count):
        truth = documents[k % len(documents)]
        lie = corrupt(truth, rng)
        verdict = checker.check(lie)
        if verdict.holds and lie["claim"] != truth["claim"]:
            accepted += 1
            assert recomputed(lie), lie
    return accepted


def test_corrupted_certificates_are_refused_or_true():
    """400 corruptions of every kind: each one that is accepted states something true."""
    assert 0 < lies(1, 400) < 200


@pytest.mark.slow
def test_five_thousand_corruptions():
    """5,000 corruptions, changes of 1e-30 among them."""
    assert 0 < lies(2, 5000) < 2500


def test_all_truths_are_accepted():
    """The certificates that are corrupted above hold as they are."""
    for c in truths():
        assert c.verdict.holds, c.verdict.reason


@pytest.mark.parametrize(
    ("kind", "path", "value", "words"),
    [
        ("coupling", "claim delta", "0", "leaves"),
        ("coupling", "claim exp_eps", "1", ""),
        ("coupling", "claim exp_eps", "1/2", "below 1"),
        ("coupling", "claim delta", "2", "not from 0 to 1"),
        ("coupling", "claim relation", "near", "relation is"),
        ("coupling", "claim relation", {"pairs": [["0", "0"]]}, "not related"),
        ("coupling", "claim left", {}, "not an object with entries"),
        ("coupling", "claim left", {"0": "3/4", "1": "1/2"}, "more than 1"),
        ("coupling", "claim right", {"0": "-1/4", "1": "1"}, "negative mass"),
        ("coupling", "evidence flow", [], "leaves 1"),
        ("coupling", "evidence flow", 3, "a flow is not"),
        ("coupling", "evidence flow", [[0, "0", "1/4"]], "is not text"),
        ("coupling", "claim relation", {"pairs": [["0"]]}, "rows with 2 entries"),
        ("coupling", "evidence flow", [["0", "0", "2"]], "takes more than there is"),
        ("coupling", "evidence flow", [["0", "9", "1/4"]], "not related"),
        ("coupling", "evidence", {}, "no key 'flow'"),
        ("no-coupling", "claim delta", "1/2", "the event has only"),
        ("no-coupling", "evidence event", [], "not a list with entries"),
        ("no-coupling", "evidence event", ["9"], "does not have"),
        ("no-coupling", "evidence event", [0], "is not text"),
        ("profile", "claim blocks", [["1", "1"], ["0", "0"], ["0", "0"]], "do not have the masses"),
        ("profile", "evidence left", {}, "exactly the labels with mass"),
        ("profile", "evidence flow", [], "does not carry all"),
        ("profile", "evidence left 0", -1, "less than 0"),
        ("profile", "evidence left 0", 2, "do not have the masses"),
        ("profile", "evidence left 0", 10**9, "a block beyond the 3"),
        (
            "profile",
            "claim relation",
            {"pairs": [["0", "0"], ["0", "1"], ["0", "2"], ["1", "1"], ["2", "2"]]},
            "of a later block",
        ),
        ("chain", "claim exp_eps", "1", "multiply to"),
        ("chain", "claim delta", "0", "the deltas come to"),
        ("chain", "claim starts", [["1", "0"], ["0", "0"]], "not every start"),
        ("chain", "claim starts", [["0"]], "rows with 2 entries"),
        ("chain", "claim starts", [], "not a list with entries"),
        ("chain", "evidence proofs 0 output", "0", "has no proof"),
        ("chain", "evidence proofs 0 steps 0 delta", "0", "leaves more than"),
        ("chain", "evidence proofs 0 steps 0 pairs 0 2", 7, "a flow is not"),
        ("chain", "evidence proofs 0 steps", [{"exp_eps": 1, "delta": 0, "pairs": [["0", "1", []]]}], "every step"),
        ("chain", "claim right", [{"0": {"0": 1}}], "does not have every step"),
        ("chain", "evidence proofs 0 output", 3, "is not text"),
    ],
)
def test_lies_about_each_key(kind, path, value, words):
    """A lie in each key is refused with its reason."""
    p = profile(["1/2", "3/8", "1/8"], ["1/4", "1/4", "1/2"])
    made = {
        "coupling": lambda: certify(p, "3/2", p.delta(exp_eps="3/2")),
        "no-coupling": lambda: certify(p, "3/2", 0),
        "profile": lambda: certify_profile(p),
        "chain": small_chain,
    }[kind]().to_dict()
    *way, last = path.split()
    holder = made
    for key in way:
        holder = holder[int(key)] if isinstance(holder, list) else holder[key]
    holder[int(last) if isinstance(holder, list) else last] = value
    verdict = checker.check(made)
    assert not verdict.holds
    assert words in verdict.reason


def test_long_outputs_are_not_mixed_up():
    """Outputs that agree in their first 60 letters are different outputs: one proof is not enough for both."""
    a, b = "x" * 80 + "a", "x" * 80 + "b"
    chain = Chain.of([{"s": {a: "1/2", b: "1/2"}}], [{"s": {a: 1}}], [("s", "s")])
    from liftgate.couplings.chains import ChainProof, _prove, implies

    proof = ChainProof(chain, (_prove(chain, [implies(a)], a, F(0)),))
    assert not checker.check(proof.certificate()).holds
