"""Flow and curve: ribbons hold the people they stand for, lines stand where the numbers are."""

from __future__ import annotations

import itertools
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate.report.figures.curve import Here, Line, curve
from liftgate.report.figures.flow import Node, Ribbon, flow
from liftgate.report.figures.placing import Box, place


def numbers_of(path: str) -> list[float]:
    return [float(v) for v in re.findall(r"-?\d+\.?\d*", path)]


def test_bars_are_people_and_ribbons_fill_them() -> None:
    """Heights in proportion; the ribbons that leave a bar are as wide as the bar, those that enter one too."""
    left = [Node(["a"], 300, outside=True), Node(["b"], 100)]
    right = [Node(["a"], 250), Node(["b"], 150)]
    ribbons = [Ribbon(0, 0, 250, False), Ribbon(0, 1, 50, True), Ribbon(1, 1, 100, True)]
    drawn = flow(left, right, ribbons, "who goes where")
    bars = [float(h) for h in re.findall(r'<rect[^>]* height="([\d.]+)"', drawn)]
    assert bars[0] / bars[1] == pytest.approx(3, rel=0.01)
    assert bars[2] / bars[3] == pytest.approx(5 / 3, rel=0.01)
    widths = []
    for path in re.findall(r' d="([^"]+)"', drawn):
        n = numbers_of(path)
        widths.append((n[-1] - n[1], n[8] - n[7]))
    assert sorted(sum(w[0] for w in part) for part in [widths]) == [pytest.approx(sum(bars[:2]), abs=0.5)]
    assert sum(w[1] for w in widths) == pytest.approx(sum(bars[2:]), abs=0.5)
    assert drawn.count('class="rib on"') == 2
    assert 'class="e outlab">a<' in drawn
    assert 'aria-label="who goes where"' in drawn


def test_small_values_stay_visible_and_names_do_not_collide() -> None:
    """One person in a million has a bar, and every name has a line of its own."""
    left = [Node([f"v{k}"], 1 if k else 10**6) for k in range(30)]
    drawn = flow(left, left, [Ribbon(k, k, n.people, False) for k, n in enumerate(left)], "identity")
    assert min(float(h) for h in re.findall(r'<rect[^>]* height="([\d.]+)"', drawn)) >= 2
    ys = [float(y) for y in re.findall(r'<text x="134.0" y="([\d.]+)"', drawn)]
    assert len(ys) == 30
    assert all(b - a >= 14.9 for a, b in itertools.pairwise(ys))


def test_the_curve_stands_where_the_numbers_are() -> None:
    """More kept is higher, a looser budget further right, a proven bound hatched above, a broken budget crossed."""
    lines = [
        Line("best", [(0.5, 0.4, True), (1.0, 0.8, True)]),
        Line("merge", [(0.5, 0.2, True), (1.0, 0.9, False)]),
    ]
    drawn = curve(lines, [(0.5, 0.41), (1.0, 0.81)], [(0.5, 0.5), (1.0, 0.95)], "a label", True, Here(1.0, 0.8, "here"))
    x1, y1, x2, y2 = numbers_of(re.search(r'<path d="([^"]+)" class="ln"', drawn)[1])
    assert x1 < x2
    assert y1 > y2
    assert drawn.count('class="cross"') == 1
    for name in ("bd", "bdf", "sb", "here", "edge"):
        assert f'class="{name}"' in drawn
    for text in ("best", "merge", "here", "your budget", "proven out of reach", "search bound, not yet proven", "2.7×"):
        assert f">{text}<" in drawn


def test_without_proof_nothing_is_hatched_or_purple() -> None:
    """No bound given, no bound drawn; without factors only epsilons."""
    drawn = curve([Line("one", [(1.0, 0.8, True)])], [], [], "a label", False)
    assert not re.search('class="(bd|bdf|bdlab|sb|cross|here)', drawn)
    assert "×" not in drawn
    assert "ε as asked" in drawn
    assert 'class="dot"' in drawn


def test_an_infinite_epsilon_has_a_place_of_its_own() -> None:
    """It stands right of every finite one and is called infinite."""
    drawn = curve([Line("one", [(1.0, 0.5, True), (2.0, 0.6, True), (math.inf, 0.7, True)])], [], [], "label", True)
    xs = numbers_of(re.search(r'<path d="([^"]+)" class="ln"', drawn)[1])[::2]
    assert xs == sorted(xs)
    assert xs[2] - xs[1] > 30
    assert ">∞<" in drawn


@given(
    st.lists(
        st.tuples(st.floats(0, 50), st.floats(0, 1), st.booleans()), min_size=1, max_size=9, unique_by=lambda p: p[0]
    )
)
def test_any_curve_stays_inside_its_frame(points: list[tuple[float, float, bool]]) -> None:
    """Whatever the numbers: coordinates are finite and lie in the frame."""
    drawn = curve([Line("name", sorted(points))], [], [], "label", True)
    assert "nan" not in drawn
    assert not re.search(r"\binf\b", drawn)
    places = numbers_of(re.search(r'<path d="M([^"]+)" class="ln"', drawn)[1])
    assert all(0 <= x <= 460 for x in places[::2])
    assert all(20 <= y <= 280 for y in places[1::2])


def test_labels_avoid_lines_and_one_another() -> None:
    """A label beside a falling line does not lie on it, and a second one not on the first."""
    frame = Box(0, 0, 400, 300)
    line = [(0.0, 0.0), (400.0, 300.0)]
    first = place("a name", line, [], [], frame)
    second = place("a name", line, [], [first.box], frame)
    assert first.box.overlap(second.box) == 0
    for label in (first, second):
        on = [t for t in range(401) if label.box.left <= t <= label.box.right and label.box.top <= 0.75 * t <= label.box.bottom]  # fmt: skip
        assert on == []
        assert label.box.left >= 0
        assert label.box.right <= 400
