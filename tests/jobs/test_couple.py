"""Couple as a job: verdicts by the exact laws, certificates that agree with them, records that can be printed."""

from __future__ import annotations

import json
import random
from fractions import Fraction as F

import pytest

from liftgate.couplings import profile
from liftgate.couplings.chains import Chain
from liftgate.couplings.families import build_family, law_family
from liftgate.couplings.programs import above_threshold_chain
from liftgate.errors import DataError, UsageError
from liftgate.jobs.couple import couple, couple_chain, couple_family
from liftgate.jobs.records import plain

CUT = [{k: F(2 ** (3 - abs(k - c)), 22) for k in range(c - 3, c + 4)} for c in (4, 5)]


def test_verdict_and_certificate_agree():
    """Proved with a coupling, refuted with an event, measured with the profile; the checker accepts all three."""
    rng = random.Random(1)
    for _ in range(30):
        laws = [[F(w, 24) for w in split(rng)] for _ in range(2)]
        t, d = 1 + F(rng.randint(0, 9), 3), F(rng.randint(0, 3), 10)
        found = couple(*laws, exp_eps=t, delta=d)
        close = profile(*laws).delta(exp_eps=t) <= d
        assert found.verdict == ("proved" if close else "refuted")
        assert found.certificate.kind == ("coupling" if close else "no-coupling")
        assert found.certificate.verdict.holds
        measured = couple(*laws)
        assert measured.verdict is None
        assert measured.certificate.kind == "profile"
        json.dumps(plain(found.to_dict()), allow_nan=False)


def split(rng):
    """24 in four parts."""
    cuts = sorted(rng.randint(0, 24) for _ in range(3))
    return [b - a for a, b in zip([0, *cuts], [*cuts, 24], strict=True)]


def test_the_cut_geometric_mechanism_is_refuted():
    """The worked example: 1/22 at every factor, with the event that shows it."""
    found = couple(*CUT, exp_eps=2, names=("4", "5"))
    told = found.to_dict()
    assert found.verdict == "refuted"
    assert told["event"] == ["1"]
    assert told["least"] == {"exp_eps": "inf", "eps": "inf", "delta": F(1, 22)}
    assert found.question.delta_of(found.profile) == F(1, 22)
    assert couple(*CUT, eps="7/10", delta="1/22").verdict == "proved"
    assert couple(*CUT, eps="69/100", delta="1/22").verdict == "refuted"


def test_compositions_are_decided_by_the_exact_product():
    """Ten randomised responses: refuted and proved on either side of the exact threshold; the certificate is of one."""
    coin = (["3/4", "1/4"], ["1/4", "3/4"])
    least = couple(*coin, delta="1/100", times=10).decided.exp_epsilon("1/100")
    assert couple(*coin, exp_eps=least, delta="1/100", times=10).verdict == "proved"
    found = couple(*coin, exp_eps=least * F(999, 1000), delta="1/100", times=10)
    assert found.verdict == "refuted"
    assert found.certificate.kind == "profile"
    assert found.composition.exact == least <= found.composition.optimal <= found.composition.basic
    assert found.to_dict()["composition"]["times"] == 10


def test_families_are_judged_by_their_worst_pair():
    """The promise is the question; partial families can be refuted and never proved."""
    assert couple_family(build_family("sparse-vector-5")).verdict == "refuted"
    right = couple_family(build_family("truncated-geometric"))
    assert right.verdict == "proved"
    assert right.certificate.kind == "coupling"
    partial = couple_family(build_family("noisy-max-value"), exp_eps=2000)
    assert partial.verdict == "unknown"
    own = couple_family(law_family({"a": ["1/2", "1/2"], "b": ["1/4", "3/4"]}))
    assert own.verdict is None
    assert couple_family(law_family({"a": ["1/2", "1/2"], "b": ["1/4", "3/4"]}), exp_eps="3/2").verdict == "refuted"
    assert own.to_dict()["search"]["pairs"] == 2


def test_programs_are_decided_exactly():
    """A proof that is strong enough becomes the certificate; otherwise the laws of the outputs decide."""
    chain, offers = above_threshold_chain((0, 0, 0), (1, 1, 0), "1/2", "1/8", threshold=1)
    shown = couple_chain(chain, None, offers, exp_eps=16, delta="1/1536")
    assert (shown.verdict, shown.certificate.kind) == ("proved", "chain")
    tighter = couple_chain(chain, None, offers, exp_eps=16)
    assert (tighter.verdict, tighter.certificate.kind) == ("proved", "coupling")
    refuted = couple_chain(chain, None, offers, exp_eps=2)
    assert (refuted.verdict, refuted.certificate.kind) == ("refuted", "no-coupling")
    assert couple_chain(chain, None, offers).certificate.kind == "chain"
    assert all(c.certificate.verdict.holds for c in (shown, tighter, refuted))
    flip = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/3", "1": "2/3"}}
    two = Chain.of([flip] * 2, [flip] * 2, [("0", "1"), ("1", "0")])
    assert couple_chain(two, exp_eps=2).verdict == "proved"
    assert couple_chain(two, exp_eps="4/3").verdict == "unknown"  # true for both starts, shown by no one certificate


def test_what_cannot_be_asked():
    """Two questions at once, eps below 0, delta outside, improper laws without leave."""
    with pytest.raises(UsageError, match="both exp_eps and eps"):
        couple([1], [1], exp_eps=2, eps=1)
    with pytest.raises(UsageError, match="negative"):
        couple([1], [1], eps=-1)
    with pytest.raises(UsageError, match="between 0 and 1"):
        couple([1], [1], delta=2)
    with pytest.raises(DataError, match="not to 1"):
        couple(["1/2"], [1])
    assert couple(["1/2"], [1], proper=False, exp_eps=1).assumptions == ("laws-as-given",)
    with pytest.raises(UsageError, match="sub-distributions"):
        couple(["1/2"], [1], proper=False, times=3)
