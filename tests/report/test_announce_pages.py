"""Pages of announcements: what they must say, and that the public one holds nothing but its manifest."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from math import log

import pytest

from liftgate.jobs.announce import PublicAnnouncement, publish
from liftgate.report import to_html
from liftgate.transparency import DecisionRules, announce, attack

BANDS = ["under 100k", "100k to 200k", "over 200k"] * 2
PEOPLE = {
    "people": {
        "Female": {"under 100k": 12, "100k to 200k": 5, "over 200k": 3},
        "Male": {"under 100k": 9, "100k to 200k": 7, "over 200k": 4},
    },
    "slack": 0,
}


class Text(HTMLParser):
    """The words of a page, without style and script."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.quiet = 0
        self.comments: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.quiet += tag == "style"
        self.parts += [v for k, v in attrs if k in ("aria-label", "title") and v]

    def handle_endtag(self, tag):
        self.quiet -= tag == "style"

    def handle_data(self, data):
        if not self.quiet:
            self.parts.append(data)

    def handle_comment(self, data):
        self.comments.append(data)


def words(html: str) -> str:
    reader = Text()
    reader.feed(html)
    assert reader.comments == [], "a comment on a page is a place to leak from"
    return " ".join(" ".join(reader.parts).split()).replace("\u00a0", " ")


@pytest.fixture
def rules():
    """The paper's example with names."""
    return DecisionRules.from_arrays(
        [12, 5, 3, 9, 7, 4],
        [0, 0, 1, 0, 0.5, 1],
        ["Female"] * 3 + ["Male"] * 3,
        {"income": BANDS},
        ["refused", "approved"],
    )


@pytest.fixture(autouse=True)
def _date(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def test_private_page_says_who_the_promise_holds_for(rules):
    """Promise, floor first, the three verdict words, the next step, the proof."""
    text = words(to_html(announce(rules, delta=0.9)))
    assert (
        "No value of income can be told with more than 67.5 % confidence, unless the reader knows the method." in text
    )
    assert text.index("Before any announcement a person’s group alone already gives 60 %") < text.index("any value")
    assert "Holds only for a reader who believes the announcement" in text
    assert "exactly 1 rule fits what you publish and it gives 100 %" in text
    assert "depends on what the reader believes" in text
    assert "Optimal yes, dual proof" in text
    assert "counts-are-population" in text
    assert "--allow adversary-believes-announcement" in text
    assert "27/40, 81/127" in text
    assert "Private: contains your counts" in text


def test_private_page_when_refuted(rules):
    """Declared values that refute the promise lead the page."""
    text = words(to_html(announce(rules, delta=0.9, values=[0, 0.5, 1])))
    assert "Refuted for readers who know the method" in text
    assert "The promise of 67.5 % does not hold against a reader who knows the method." in text


def test_private_page_in_target_mode_and_with_a_silenced_outcome():
    """A target says least distorted; a silenced outcome is named."""
    rules = DecisionRules.from_arrays([4, 4, 2], [0.02, 0.0, 0.0], ["g"] * 3)
    text = words(to_html(announce(rules, delta=0.9)))
    assert "Outcomes silenced positive in g" in text
    text = words(to_html(announce(rules, beta=0.5)))
    assert "least distorted for the target" in text


def test_public_page_is_drawn_from_the_manifest_alone(rules):
    """The manifest through JSON, without the announcement, gives the same page, byte by byte."""
    public = publish(announce(rules, delta=0.9), "a bank", fairness=True)
    again = PublicAnnouncement(json.loads(public.to_json()))
    assert to_html(again) == to_html(public)
    assert to_html(again, command="secret.csv", data="secret.csv", policy="secret") == to_html(public)


def test_public_page_reveals_nothing_outside_the_manifest(rules):
    """Every number on the page can be computed from the manifest: none is a real rule, a count or a real confidence."""
    found = announce(rules, delta=0.9)
    public = publish(found, "a bank")
    text = words(to_html(public))
    told = public.manifest
    allowed = {"100", "1", "256", "0"}  # in 100, sha256, version
    for group in told["groups"]:
        allowed |= {str(round(r["announced"] * 100)) for r in group["rows"]}
        allowed |= {str(-(-int(group["promised"] * 10**6) // 10**4))}
    allowed |= {"10"}  # +-10 in 100, from delta
    allowed |= set(re.findall(r"\d+", " ".join(BANDS)))
    allowed |= set(re.findall(r"\d+", "14 Nov 2023 0.1.0"))
    text = text.replace(told["certificate_sha256"], "")
    for group in told["groups"]:
        text = text.replace(f"{group['gamma']:g}", "")
    assert set(re.findall(r"\d+", text)) <= allowed
    for secret in (
        "rules that fit",
        "fits what you publish",
        "pinned",
        "refuted",
        "counts-are-population",
        "With the real rules",
    ):
        assert secret not in text
    assert "This bound holds for readers who take the numbers at face value only." in text


def test_other_real_rules_with_the_same_manifest_make_the_same_page():
    """Two different real rules that lead to one announcement cannot be told apart on the public page."""
    pages, manifests = [], []
    for real in ([0, 0, 1], [0.05, 0, 1], [0.2, 0, 1]):
        a = announce(
            DecisionRules.from_arrays([12, 5, 3], real, ["F"] * 3), bounds=([0.1, 0.02, 0.9], [0.1, 0.02, 0.9])
        )
        told = {**publish(a).manifest, "certificate_sha256": "0" * 64}
        manifests.append(json.dumps(told))
        pages.append(to_html(PublicAnnouncement(told)))
    assert len(set(manifests)) == 1
    assert len(set(pages)) == 1


def test_manifest_holds_no_count_no_real_rule_no_preimages(rules):
    """The keys of the manifest, and that people and real rules are not in it."""
    told = publish(announce(rules, delta=0.9)).manifest
    assert set(told) == {
        "liftgate-announcement", "outcomes", "private", "fidelity", "target", "digits", "groups", "assumptions",
        "readers_who_know_the_method", "certificate_sha256", "publisher",
    }  # fmt: skip
    assert {k for g in told["groups"] for k in g} == {"group", "promised", "gamma", "rows"}
    assert {k for g in told["groups"] for r in g["rows"] for k in r} == {"private", "announced"}


def test_promises_are_rounded_up():
    """A promise on paper is never below the confidence given."""
    a = announce(DecisionRules.from_arrays([2, 1], [0.3, 0.3], ["g", "g"]), delta=0.9)
    assert a.beta == pytest.approx(2 / 3)
    assert a.manifest()["groups"][0]["promised"] >= a.beta
    assert "right at most 67 times in 100" in words(to_html(publish(a)))
    assert "66.7 %" in words(to_html(a))


def test_a_promise_a_hair_above_a_printed_digit_is_rounded_up_too():
    """27/40 is 67.5 %; anything above it is not, however little; minimum uncertainty is rounded down."""
    at = announce(DecisionRules.from_arrays(["27/40", "13/40"], ["1/2"] * 2, ["g", "g"]), delta="0.999")
    above = announce(
        DecisionRules.from_arrays(["0.675000000000001", "0.324999999999999"], ["1/2"] * 2, ["g", "g"]), delta="0.999"
    )
    assert at.manifest()["groups"][0] | {"rows": 0} == {"group": "g", "promised": 0.675, "gamma": 0.393042, "rows": 0}
    assert above.exact[0].beta > Fraction(27, 40)
    assert above.manifest()["groups"][0]["promised"] == 0.675001
    assert above.manifest()["groups"][0]["gamma"] <= -log(above.beta)
    assert "67.5 %" in words(to_html(at))
    assert "67.6 %" in words(to_html(above))


def test_rates_that_are_shown_rounded_say_so(rules):
    """Rates with more digits than the page shows: told, and a rare outcome is not shown as one that never happens."""
    note = "Rates are shown with two decimals; the manifest holds all digits"
    assert note not in words(to_html(publish(announce(rules, delta=0.9))))
    rare = DecisionRules.from_arrays([3, 3, 2], [0.00002, 1 / 3, 0.2], ["g"] * 3)
    text = words(to_html(publish(announce(rare, delta=0.9999999))))
    assert note in text
    assert "under 0.01 in 100" in text
    assert "The promises as minimum uncertainty, −log of the confidence: g " in text


def test_names_are_escaped():
    """Labels with markup stay text on all pages."""
    evil = "<script>alert(1)</script>"
    rules = DecisionRules.from_arrays([2, 1], [0.3, 0.6], [evil] * 2, {evil: [evil, "b"]}, [evil, "yes"])
    a = announce(rules, delta=0.9)
    side = {
        "shares": [{"group": evil, "rows": [{"private": evil, "share": "2/3"}, {"private": "b", "share": "1/3"}]}],
        "slack": 0,
    }
    for page in (to_html(a), to_html(publish(a, evil, fairness=True)), to_html(attack(a.manifest(), side))):
        assert "<script" not in page


def test_attack_page(rules):
    """The surest guess, the intervals, and a contradiction by name."""
    found = attack(announce(rules, delta=0.9).manifest(), PEOPLE)
    text = words(to_html(found))
    assert "The surest guess: whoever is in Female and got refused has under 100k" in text
    assert "method known" in text
    wrong = attack({"figures": [{"kind": "rate", "group": "Male", "value": v} for v in ("0.50", "0.40")]}, PEOPLE)
    text = words(to_html(wrong))
    assert "no rules satisfy these 2 together" in text
    assert "rate of Male" in text
    early = attack({"figures": [{"kind": "rate", "group": "Male", "value": "0.5"}]}, PEOPLE, seconds=0)
    assert "Unknown: the search stopped early" in words(to_html(early))


def test_many_groups_are_cut_and_told():
    """A large table is drawn in part, and the page says how much is left out."""
    n = 400
    rules = DecisionRules.from_arrays(
        [1 + i % 7 for i in range(n)], [(i % 5) / 4 for i in range(n)], [i // 8 for i in range(n)]
    )
    text = words(to_html(announce(rules, delta=0.9)))
    assert "46 more groups are in the JSON output." in text
    assert "360 more rows are in the JSON output." in text
