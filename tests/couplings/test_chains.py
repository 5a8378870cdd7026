"""Chains: proofs step by step, per output where needed, never below the truth, and checked by the stand-alone checker."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path

import pytest

from liftgate import checker
from liftgate.couplings.chains import Chain, prove
from liftgate.couplings.named import sparse_vector
from liftgate.couplings.programs import above_threshold_chain, read_chain
from liftgate.errors import DataError, UsageError

FLIP = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/3", "1": "2/3"}}


def above(shifts=None):
    """Three counting queries, threshold kept in -12 .. 12, e^eps = 2 for the threshold and 8 for the answer."""
    return above_threshold_chain((0, 0, 0), (1, 1, 0), "1/2", "1/8", threshold=1, shifts=shifts)


def test_above_threshold_has_a_proof_for_every_output(tmp_path):
    """e^eps = 16, delta = 1/768 (the threshold kept in its range), accepted by checker.py on its own."""
    chain, offers = above(shifts=[1])
    proof = prove(chain, by_output=offers)
    assert proof.by_output
    assert (proof.exp_eps, proof.delta) == (16, F(1, 768))
    assert prove(chain).exp_eps == 64  # one proof up to equality costs every query
    path = proof.certificate().save(tmp_path / "chain.cert.json")
    done = subprocess.run(
        [sys.executable, "-I", "-S", checker.__file__, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "left(X) <= 16 right(X) + 1/768" in done.stdout


def test_searching_the_shifts_finds_a_smaller_delta():
    """Output by output the least shift that works: half of the delta of one shift for all."""
    chain, offers = above()
    proof = prove(chain, by_output=offers)
    assert (proof.exp_eps, proof.delta) == (16, F(1, 1536))
    assert proof.tight_delta(16) <= proof.delta
    exact = chain.profile()
    assert exact.exp_epsilon() < 16
    assert exact.delta(exp_eps=16) <= proof.tight_delta(16)


def test_the_chain_is_the_mechanism():
    """With a range wide enough the chain's outputs have the law of the mechanism up to the mass beyond the range."""
    chain, _ = above_threshold_chain((0, 1), (1, 0), "1/4", "1/2", threshold=1, reach=30)
    law = dict(zip(*(lambda v: (v.labels, v.masses()))(chain.laws(("start", "start"))[0]), strict=True))
    plain = dict(zip(*(lambda v: (v.labels, v.masses()))(sparse_vector(1, (0, 1), 2, threshold=1)), strict=True))
    for output, said in (("1", "T"), ("2", "FT"), ("F", "FF")):
        assert abs(law[output] - plain[said]) < F(1, 4**25)


def random_chain(rng, states=3, steps=2):
    """Random kernels with many zeros, the same states at every step."""

    def kernel():
        rows = {}
        for s in range(states):
            weights = [rng.choice((0, 1, 2, 3)) for _ in range(states)]
            weights[rng.randrange(states)] += 1
            rows[str(s)] = {str(b): F(w, sum(weights)) for b, w in enumerate(weights)}
        return rows

    return [kernel() for _ in range(steps)]


def test_proofs_are_never_below_the_truth():
    """Whatever relations are used, the exact least delta at the proved factor is at most the proved delta."""
    rng = random.Random(4)
    for _ in range(40):
        left, right = random_chain(rng), random_chain(rng)
        chain = Chain.of(left, right, [("0", "0"), ("1", "2")])
        everything = [lambda a, b: True]
        for relations in (None, everything, [lambda a, b: a <= b]):
            proof = prove(chain, relations)
            for start in chain.starts:
                exact = chain.profile(start)
                assert exact.delta(exp_eps=proof.exp_eps) <= proof.delta
                assert exact.delta(exp_eps=3) <= proof.tight_delta(3)
            if proof.delta < 1:
                assert proof.certificate().verdict.holds
                assert proof.certificate(proof.exp_eps * 2, min(F(1), proof.delta + F(1, 9))).verdict.holds


def test_four_randomised_responses():
    """Four steps that each keep the state with 2/3: e^eps from different starts is 2, the rest is free."""
    chain = Chain.of([FLIP] * 4, [FLIP] * 4, [("0", "1")])
    proof = prove(chain)
    assert proof.exp_eps == 2
    assert proof.delta == 0
    assert chain.profile().exp_epsilon() == F(41, 40)
    assert proof.holds(2)
    assert not proof.holds("3/2")


def test_a_spare_delta_lowers_the_factor():
    """What every step may spend is spent on a smaller factor."""
    chain = Chain.of([FLIP], [FLIP], [("0", "1")])
    proof = prove(chain, spare="1/6")
    assert (proof.exp_eps, proof.delta) == (F(3, 2), F(1, 6))


def test_chains_as_json():
    """The JSON form: relations by name, by implication, by pairs, and offers per output."""
    document = {
        "left": [FLIP, FLIP],
        "right": [FLIP, FLIP],
        "starts": [["0", "1"]],
        "relations": [{"pairs": [["0", "0"], ["1", "1"], ["0", "1"], ["1", "0"]]}],
        "by_output": {"0": [["equal"], [{"implies": "0"}]], "1": [["equal"]]},
    }
    chain, relations, offers = read_chain(json.loads(json.dumps(document)))
    proof = prove(chain, relations, offers)
    assert proof.delta == 0
    assert proof.exp_eps == 2
    assert proof.certificate().verdict.holds


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"left": []}, "chain, left: it is missing"),
        ({"left": [{"0": 3}]}, "it is no kernel"),
        ({"extra": 1}, "'extra' is not known"),
        ({"starts": ["0"]}, "not a pair of states"),
        ({"relations": ["near"]}, "is no relation"),
        ({"relations": "equal"}, "no list of relations"),
        ({"by_output": []}, "it is no object"),
        ({"left": [{"0": {"0": "1/2"}}]}, "add up to 1/2"),
        ({"left": [FLIP, FLIP]}, "2 steps and 1 steps"),
        ({"starts": [["9", "0"]]}, "state '9' has no law"),
    ],
)
def test_chains_that_are_none(change, words):
    """Each fault is named."""
    with pytest.raises(DataError, match=words):
        read_chain({"left": [FLIP], "right": [FLIP], "starts": [["0", "1"]], **change})


def test_proofs_that_cannot_be_asked_for():
    """Too few relations, a missing output, too small a claim, and a proof that shows nothing."""
    chain = Chain.of([FLIP, FLIP], [FLIP, FLIP], [("0", "1")])
    with pytest.raises(UsageError, match="relations"):
        prove(chain, [])
    with pytest.raises(UsageError, match="no relations for the output"):
        prove(chain, by_output={"0": [[lambda a, b: True]]})
    with pytest.raises(UsageError, match="are not shown by it"):
        prove(chain).certificate("3/2", 0)
    apart = Chain.of([{"s": {"a": 1}}], [{"s": {"b": 1}}], [("s", "s")])
    assert prove(apart).delta == 1
    with pytest.raises(UsageError, match="nothing is coupled"):
        prove(apart).certificate()
    with pytest.raises(DataError, match="at least one pair"):
        Chain.of([FLIP], [FLIP], [])
    with pytest.raises(UsageError, match="as many answers"):
        above_threshold_chain((0,), (0, 1), "1/2", "1/2")
    with pytest.raises(DataError, match="not a chain"):
        read_chain([])


def test_the_certificate_is_small(tmp_path):
    """A proof of three queries and 25 thresholds stays below 200 kB and can be read back."""
    chain, offers = above()
    path = prove(chain, by_output=offers).certificate().save(tmp_path / "c.json")
    assert Path(path).stat().st_size < 200_000
    assert checker.check(path).holds
