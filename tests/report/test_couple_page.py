"""The page of a couple: says what was found, draws it, never makes two laws look closer than they are."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction as F

import pytest

from liftgate.couplings.families import build_family
from liftgate.couplings.programs import above_threshold_chain
from liftgate.jobs.couple import couple, couple_chain, couple_family
from liftgate.report import couple_words as said
from liftgate.report import to_html

CUT = [{k: F(2 ** (3 - abs(k - c)), 22) for k in range(c - 3, c + 4)} for c in (4, 5)]
WIDE = [{f"o{k}": F(k + 1, 1275) for k in range(50)}, {f"o{k}": F(50 - k, 1275) for k in range(50)}]


def chain():
    """A program with one proof for every output."""
    made, offers = above_threshold_chain((0, 0, 0), (1, 1, 0), "1/2", "1/8", threshold=1)
    return couple_chain(made, None, offers, exp_eps=16, delta="1/768")


KINDS = {
    "refuted": lambda: couple(*CUT, exp_eps=2, names=("true 4", "true 5")),
    "proved": lambda: couple(*CUT, exp_eps=2, delta="1/22"),
    "measured": lambda: couple(["3/4", "1/4"], ["1/4", "3/4"]),
    "infinite": lambda: couple(*CUT),
    "eps": lambda: couple(["3/4", "1/4"], ["1/4", "3/4"], eps="1/2"),
    "distance": lambda: couple(["4/7", "2/7", "1/7"], ["1/7", "2/7", "4/7"], "distance<=1", exp_eps=1),
    "same": lambda: couple([1], [1], exp_eps=1),
    "wide": lambda: couple(*WIDE, exp_eps=2),
    "composed": lambda: couple(["3/4", "1/4"], ["1/4", "3/4"], exp_eps=100, delta="1/100", times=12),
    "search": lambda: couple_family(build_family("sparse-vector-6", queries=4)),
    "partial": lambda: couple_family(build_family("noisy-max-value", queries=3), exp_eps=100),
    "chain": chain,
    "hostile": lambda: couple({"<script>alert(1)</script>": "1/2", "\u202e": "1/2"}, {"<script>alert(1)</script>": 1, "\u202e": 0},
                              exp_eps=1, names=("<b>left</b>", "right\x00")),
}  # fmt: skip


@pytest.fixture(params=list(KINDS))
def shown(request, read):
    """Every kind of couple page: the record, the page read, its text."""
    found = KINDS[request.param]()
    html = to_html(found, command="liftgate couple left.json right.json")
    return found, read(html), html


def test_the_page_is_whole(shown):
    """Well formed, one main heading, no level skipped, nothing loaded, the assumptions on it."""
    found, page, html = shown
    assert page.wrong == []
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert {"script", "link", "img", "iframe"}.isdisjoint(tag for tag, _ in page.tags)
    assert all(name in page.text for name in found.assumptions)
    assert found.certificate.hash in page.text
    assert "<script>" not in html
    assert not re.search(r"\b(nan|NaN|inf)\b", page.text)


def test_the_finding_comes_first(read):
    """The verdict word, the sentence and the exact numbers of the worked example."""
    page = read(to_html(KINDS["refuted"]()))
    assert page.within("h1") == ["The promise is broken: true 4 and true 5 are not within ratio 2."]
    assert "Refuted" in page.text
    assert "Under true 4, the output “1” appears 1 time in 22." in page.text
    assert "At ratio 2 the least δ is exactly 1/22. No ratio, however large, allows δ = 0." in page.text
    assert "Beyond ratio 2, nothing more is gained" in page.within("h2")
    assert "The coupling pairs up everything except 1 and 8" in page.within("h2")
    assert "4 blocks explain every number on this page" in page.text


def test_words_of_each_verdict(read):
    """Proved, measured, unknown, searched, composed and chained pages say so."""
    texts = {kind: read(to_html(make())).text for kind, make in KINDS.items() if kind != "hostile"}
    assert "The promise holds: left and right are within ratio 2, apart from δ = 1/22." in texts["proved"]
    assert "No event is more than 3 times as likely under left as under right." in texts["measured"]
    assert "No ratio bounds left against right." in texts["infinite"]
    assert "not within ε = 1/2" in texts["eps"]
    assert "No proof and no counterexample" in texts["partial"]
    assert "outputs far out were put together" in texts["partial"]
    assert "The pair matters: the worst neighbours first" in texts["search"]
    assert "alternating" in texts["search"]
    assert "Composed, the exact product needs least" in texts["composed"]
    assert "best of the last three" in texts["composed"]
    assert "4 steps, 4 proofs, one for each output: ratio 16" in texts["chain"]
    assert "Too many outputs to draw the coupling here" in texts["wide"]
    assert "No event tells the two laws apart." in texts["same"]


def test_numbers_are_never_rounded_towards_closeness():
    """What is not printed exactly is printed larger."""
    for value in (F(1, 3) + F(1, 10**9), F(123456789, 1000), F(1, 10**7) + F(1, 10**12), F(22222, 99999)):
        for text in (said.share(value), said.ratio(1 + value)):
            assert F(text.replace(",", "")) >= (value if text == said.share(value) else 1 + value)
    assert said.ratio(F(16, 7)) == "16/7"
    assert said.ratio(None) == "none"
    assert said.times_in(F(1, 10**8)) == "less than 1 time in 1,000,000"


def test_long_blocks_and_pairs_are_cut_and_counted(read):
    """More blocks than fit are counted on the page."""
    page = read(to_html(KINDS["wide"]()))
    assert "10 more blocks are in the JSON" in page.text
    assert "The certificate of the same question without a ratio holds all of it." in page.text
    assert "All of it is in the certificate." in read(to_html(couple(*WIDE))).text
