"""The page of a release: what was released and what it proves, before and after, and how to check it alone."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.jobs.protect import protect
from liftgate.joint import Joint, Source
from liftgate.report import numbers, releasing, to_html
from liftgate.report.compared import implied_text
from liftgate.report.flows import flow_figure
from liftgate.report.released import Released
from liftgate.report.view import View


def plain(text: str) -> str:
    """Text without the blanks that do not break."""
    return text.replace("\u00a0", " ")


def first_screen(read) -> str:
    """Everything above the first section."""
    text = plain(read.text)
    return text[text.index("Skip to the finding") : text.index("Information kept = I(X;Y)")]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("release-response", [
            "Released this way, street stays within the budget and keeps 94.4 % of its information.",
            "Three of 5 streets are always released as they are. Two are sometimes released under another name",
            "No release of street within this budget, with any number of released values, can keep more than 94.4312 %",
            "that bound is proven too",
        ]),
        ("release-merge", [
            "keeps 84.5 % of its information.",
            "Three of 5 streets share their released name with others",
            "Nothing is random: three values are released.",
            "was not asked: the mechanism optimal proves how much any can keep.",
            "Draws none: nothing is random",
        ]),
        ("release-identity", [
            "Released as it is, street stays within the budget: nothing had to change.",
            "All 5 streets are released under their own name, always.",
            "No other release can keep more: everything is kept.",
            "Information kept 100 % Best possible 100 %",
            "Rows whose value changes 0 %",
            "(chosen by auto)",
        ]),
        ("release-constant", [
            "Released this way, street stays within the budget, but says nothing any more.",
            "All 5 streets are released as one and the same value, so nobody learns anything from it.",
            "Information kept 0 %",
            "Released values 1 of 5 Rows whose value changes 100 %",
        ]),
        ("release-ldp", ["may change by at most a factor of 2.71", "Largest over smallest lift 2.71 was infinite"]),
        ("release-l1", ["l1-lift at most", "l1-lift-inverse at most", "Worst l1-lift", "Worst l1-lift-inverse"]),
        ("release-chi2", ["chi2-lift at most", "Worst chi2-lift", "can keep more than"]),
        ("release-alpha", ["alpha-lift-2 at most", "Worst alpha-lift-2-inverse"]),
        ("release-unproven", [
            "The search believes that no release of street within this budget can keep more than 95.0001 %",
            "not yet proven",
            "Best possible about 95.0001 % (not yet proven)",
        ]),
        ("release-unknown", ["can keep is not yet proven", "Best possible not yet proven"]),
        ("release-one-value", ["The only value is released under its own name, always.", "nothing had to change"]),
        ("release-probabilities", ["Share whose value changes"]),
        ("release-fresh", ["Draws OS entropy, whole shares"]),
        ("release-keyed", ["Draws by key and row id, whole shares"]),
    ],
)  # fmt: skip
def test_the_first_screen_says_what_was_released_and_what_it_proves(page, kind: str, said: list[str]) -> None:
    """A stranger reads the finding, what is proven about belief, and how good it is, before any section."""
    found, read, _ = page(kind)
    shown = first_screen(read)
    for text in said:
        assert text in shown
    assert "Certified, under the assumptions below" in shown
    assert "Proven in whole numbers , for every released value:" in shown
    assert f"Mechanism {found.mechanism}" in shown


def test_purple_is_for_what_is_proven_and_for_nothing_else(page) -> None:
    """A bound that the checker accepted is purple; what the search believes never is."""
    _, _, proven = page("release-response")
    assert '<span class="is-bound">≤ 94.4312' in proven
    assert '<b class="is-bound">94.4312' in proven
    for kind in ("release-unproven", "release-unknown", "release-merge", "release-identity"):
        body = page(kind)[2].split("</style>")[1]
        assert "is-bound" not in body
        assert not re.search('class="bd(f|lab)?"', body)


def test_what_is_kept_is_rounded_down_and_bounds_up(page, read) -> None:
    """0.99996 is not 100 %, a bound of 0.99996 is not less, and a changed share is never told as none."""
    found, _, _ = page("release-response")
    almost = plain(read(to_html(replace(found, utility=0.99996, bound=0.99999914))).text)
    assert "keeps 99.9 % of its information" in almost
    assert "≤ 100 %" in almost
    assert "can keep more than 100 %" in almost
    tiny = plain(read(to_html(replace(found, utility=1e-5))).text)
    assert "keeps under 0.1 % of its information" in tiny
    assert Fraction(plain(releasing.most(found.bound)).removesuffix(" %")) / 100 >= Fraction(found.bound)
    assert numbers.percent_kept(found.utility) == f"{math.floor(found.utility * 1000) / 10}{numbers.NBSP}%"
    assert plain(numbers.percent_at_most(Fraction(1, 10**9))) == "0.1 %"


def test_the_share_of_changed_rows_is_that_of_released_names(read) -> None:
    """2 of 4 people with b become a; half of a block of two changes its name, all of it: 2/8, 8/8."""
    joint = Joint.from_counts([[2, 2], [2, 2]], public=["a", "b"])
    found = protect(joint, "lip:0", "merge-all")
    half = Channel.from_shares([[2, 0], [1, 1]], ["a", "b"], ["a", "b"])
    response = replace(found, channel=half, after=joint.through(half))
    assert "Rows whose value changes 25.0 % (expected)" in plain(read(to_html(response)).text)
    block = Channel.merge(["a", "b"], [["a", "b"]])
    merged = replace(found, channel=block, after=joint.through(block))
    assert "Rows whose value changes 100 %" in plain(read(to_html(merged)).text)


def test_before_and_after_stand_side_by_side(page) -> None:
    """Two heat maps in the same order; before has framed cells, after none; the gate has both ranges."""
    found, read, html = page("release-response")
    before, after = html.split('<table class="heat')[1:]
    assert before[: before.index("</table>")].count(" outside</span>") == int(found.outside.sum()) == 3
    assert " outside</span>" not in after[: after.index("</table>")]
    rows = [re.findall(r'<th scope="row"[^>]*><bdi>([^<]*)', t[: t.index("</table>")]) for t in (before, after)]
    assert rows[0] == rows[1] == ["Ash", "Birch", "Cedar", "Elm", "Dogwood"]
    assert "Before, 3 cells leave the gate. After, none does." in read.text
    assert "2 of 5 rows outside" in read.text
    assert "0 of 5 rows outside" in read.text
    gate = next(a["aria-label"] for a in read.all("svg") if "before and after" in (a.get("aria-label") or ""))
    assert gate.startswith("Smallest and largest lift, before and after: Before 0 to 3.53; After 0.500 to 1.98.")


def test_a_budget_on_whole_values_is_drawn_as_one(page) -> None:
    """Its measures before and after on one axis each, verdicts in words beside the rows, no framed cell."""
    _, read, html = page("release-l1")
    assert 'class="h l' in html
    assert not re.search(r'<td class="h [^"]*x"', html)
    names = ("Before, worst value: l1-lift", "After, worst value: l1-lift", "Before, worst value: l1-lift-inverse")
    for name in names:
        assert name in read.text
    assert read.text.count("Verdict") >= 2
    assert "Before, " in read.text


def test_the_sentences_are_those_of_the_record(page) -> None:
    """What the record says in words stands on the page, each sentence whole."""
    for kind in ("release-response", "release-merge", "release-ldp", "release-keyed"):
        found, read, _ = page(kind)
        for sentence in found.sentences:
            assert f"{sentence[0].upper()}{sentence[1:]}." in read.text


def test_the_release_without_randomness_stands_beside_one_that_draws(page) -> None:
    """What the best merge keeps, and that it is the best of all partitions; a merge has nothing to add."""
    found, read, _ = page("release-response")
    channel, kept, exact = found.merging
    assert exact
    assert f"No randomness wanted? Merging keeps {plain(numbers.percent_kept(kept))}" in plain(read.text)
    assert f"Best of all partitions (exact): {numbers.spelled(len(channel.released))} released values." in read.text
    assert "No randomness wanted?" not in page("release-merge")[1].text
    big = page("release-many-draws")[1].text
    assert "Best found (not all partitions were tried)" in big


def test_every_measure_before_after_and_implied(page) -> None:
    """Three numbers for each measure; none after is worse than what the budget implies; k is told in rows."""
    found, read, html = page("release-merge")
    for name in found.measures_after:
        row = html[html.index(f'<th scope="row"><code>{name}</code>') :]
        cells = re.findall(r'<td class="num">(.*?)</td>', row[: row.index("</tr>")])
        assert len(cells) == 3
        assert re.fullmatch(r"[≤≥] \S+|no bound", cells[2])
    assert "Budget implies" in read.text
    response, _, drawn = page("release-response")
    row = drawn[drawn.index('<th scope="row"><code>k</code>') :]
    after = float(re.findall(r"<b>([\d.]+)</b>", row)[0])
    assert after == pytest.approx(response.measures_after["k"] / response.channel.total, rel=1e-3)
    assert "in expected rows" in drawn


def test_what_a_budget_implies_is_rounded_outwards() -> None:
    """Still implied as printed: an upper bound up, a lower bound down; the lifts as the budget's own bounds."""
    view = View(Joint.from_counts([[1, 2], [2, 1]]), Budget.between("1/3", "3/2"), np.zeros((2, 2), dtype=np.bool_))
    assert implied_text("chi2", 1.08611, view) == "≤ 1.087"
    assert implied_text("entropy-l", 1.28017, view) == "≥ 1.28"
    assert implied_text("max-lift", 1.5, view) == "≤ 1.5"
    assert implied_text("min-lift", 1 / 3, view) == "≥ 0.334"
    assert implied_text("k", None, view) == "no bound"
    assert implied_text("chi2", 0.0, view) == "≤ 0"
    assert implied_text("chi2", 3e-9, view) == "≤ 3.000e-9"


def test_the_proof_section_claims_what_the_certificate_claims(page) -> None:
    """Optimality is claimed only by a certificate of that kind; the checker stands alone; keep and publish."""
    _, read, _ = page("release-response")
    assert "no channel from street inside the budget, with any number of released values, keeps more than" in read.text
    assert "accepted: optimal-utility" in read.text
    for kind in ("release-merge", "release-unproven"):
        text = page(kind)[1].text
        assert "no channel from" not in text
        assert "accepted: lift-bounds" in text
    assert "accepted: measure-bounds" in page("release-l1")[1].text
    assert "python -I -S checker.py release.cert.json" in read.text
    assert "private: contains the counts" in read.text
    assert "sha256 of the certificate" in read.text
    assert "Not that the counts may be published" in read.text
    assert "the search ended before it was proven" in page("release-unknown")[1].text
    assert "merge-best does not look for a proof" in page("release-merge")[1].text


def test_written_rows_bring_their_files_and_their_assumption(page) -> None:
    """The names of the files, the rows, those left out, the hash of the written certificate, and how rows were drawn."""
    for kind, assumption in (("release-fresh", "draws-are-fresh"), ("release-keyed", "draws-repeat-by-key")):
        found, read, _ = page(kind)
        text = read.text
        assert "834 rows were written to town-release.parquet; 1 with a missing entry were left out." in text
        assert "python -I -S checker.py town-release.cert.json" in text
        assert "town-release.manifest.json" in text
        assert "0" * 64 in text
        assert found.certificate.hash not in text
        assert assumption in [t for path, t in read.texts if path[-1] == "code"]
    assert "draws-are-fresh" not in page("release-response")[1].text


def test_the_trade_off_is_drawn_where_one_is_given(page) -> None:
    """With the release on it, its budget, and the numbers; another kind of budget gets no curve."""
    _, read, _ = page("release-response")
    assert "What a tighter or looser budget would buy" in read.text
    assert "this release: 94.4 %" in plain(read.text)
    assert "your budget" in read.text
    for kind in ("release-ldp", "release-merge"):
        assert "What a tighter or looser budget" not in page(kind)[1].text


def test_values_that_never_occur_are_nowhere_but_in_a_note(page) -> None:
    """Nobody lives in Birch: no row, no bar, one line in how the page was made."""
    _, read, html = page("release-never")
    assert "<bdi>Birch</bdi>" not in html
    assert "never occur" in read.text
    assert read.wrong == []


def test_large_channels_draw_forty_and_count_the_rest(page) -> None:
    """Heat maps of 40 rows, flows of 40 values and one bar for the others, sentences folded away."""
    found, read, html = page("release-many-draws")
    heats = html.split('<table class="heat')[1:]
    assert [h[: h.index("</table>")].count("<tr>") for h in heats] == [41, 41]
    assert "The 40 rows that stray furthest are drawn; 30 more are not shown" in read.text
    assert "40 of 70 values in the table and 40 of 70 released values are drawn" in read.text
    assert "30 others" in read.text
    assert len(found.sentences) > 12
    assert f"{len(found.sentences) - 12} more" in read.text
    assert len(page("release-many-secrets")[2]) < 150_000
    assert "12 of 20 values of the sensitive value are drawn." in page("release-many-secrets")[1].text


def test_bars_of_the_flow_hold_everyone() -> None:
    """Whatever is left out of a drawing is in the bar of the others: both sides have all people."""
    import liftgate.report.flows as flows

    joint = Joint.from_counts(np.random.default_rng(3).integers(1, 50, (3, 80)))
    found = protect(joint, "lip:0.4", "subset-response")
    seen = {}

    def spy(left, right, ribbons, label):
        seen.update(left=left, right=right, ribbons=ribbons)
        return drawn(left, right, ribbons, label)

    drawn = flows.flow
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flows, "flow", spy)
        flow_figure(Released.of(found))
    total = sum(int(n) for n in joint.public_counts)
    assert len(seen["left"]) == 41
    for part in ("left", "right", "ribbons"):
        assert sum(item.people for item in seen[part]) == pytest.approx(total, rel=1e-9)


NASTY = [
    "<script>alert(1)</script>",
    "</style></svg>",
    "{{7*7}}",
    "",
    "a\x00b\u202e",
    "x" * 300,
    "y" * 300,
    "&lt;b&gt;",
]


@pytest.mark.parametrize("mechanism", ["merge-best", "subset-response"])
def test_nothing_from_the_table_becomes_markup(mechanism: str, read) -> None:
    """Labels, columns and file names are data on every part of the page."""
    counts = np.random.default_rng(7).integers(0, 40, (3, len(NASTY))) + 1
    joint = Joint.from_counts(counts, NASTY[:3], NASTY, Source(NASTY[0], (NASTY[1],), (NASTY[0],), None))
    html = to_html(protect(joint, "lip:0.3", mechanism), command=NASTY[0], next=NASTY[1])
    page = read(html)
    assert page.wrong == []
    assert {"script", "img"}.isdisjoint(tag for tag, _ in page.tags)
    assert "<script>alert(1)</script>" in page.text
    assert "{{7*7}}" in page.text
    assert not set(html) & {"\x00", "\u202e"}
    assert all(len(text) < 200 for text in page.within("text"))


def test_names_stay_apart() -> None:
    """1 and "1", and long names with one beginning, are different values with different names."""
    labels = [1, "1", "x" * 90 + "a", "x" * 90 + "b"]
    joint = Joint.from_counts([[3, 1, 4, 2], [1, 3, 2, 4]], public=labels)
    shown = Released.of(protect(joint, "between:0,2", "auto"))
    assert len(set(shown.left)) == 4
    assert shown.left[:2] == ["1", "1 #2"]
    assert shown.left == shown.right
    assert shown.identity


def test_a_title_that_tells_who_covers_whom() -> None:
    """Where only common values change and only rarer ones receive, the section says so; else it counts."""
    joint = Joint.from_counts([[40, 5, 1], [40, 5, 9]], public=["common", "rare", "rarest"])
    channel = Channel.from_shares([[6, 1, 1], [0, 8, 0], [0, 0, 8]], joint.public, joint.public)
    shown = Released(joint, joint.through(channel), channel, Budget.lip(3))
    assert releasing.flow_title(shown) == "One common value lends cover to the rare ones"
    back = Channel.from_shares([[7, 1, 0], [0, 7, 1], [0, 0, 8]], joint.public, joint.public)
    other = Released(joint, joint.through(back), back, Budget.lip(3))
    assert releasing.flow_title(other) == "Two of 3 values are sometimes released under another name"
    every = Channel.from_shares([[7, 1, 0], [0, 7, 1], [1, 0, 7]], joint.public, joint.public)
    assert "Each of the 3 values is sometimes" in releasing.lede(
        Released(joint, joint.through(every), every, Budget.lip(3))
    )


def test_the_case_is_told_before_and_after(page) -> None:
    """Nobody in Elm has asthma; among those released as Elm's most frequent name some do."""
    _, read, _ = page("release-response")
    assert "92 in 1,000 people in the table have illness asthma" in read.text
    assert re.search(r"Among those with street Elm it was none; among those released as \w+ it is \d+\.", read.text)
    assert releasing.hits(Fraction(1, 10**6), 100) == "fewer than 1"
    assert releasing.hits(1 - Fraction(1, 10**6), 100) == "more than 99"
