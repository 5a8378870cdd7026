"""Drawings say in text what they show, and their marks stand where the numbers are."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from liftgate.report.figures import gate, heat, histogram, readings, scatter, svg
from liftgate.report.figures.scale import LogScale, MeasureScale, around_one

F = Fraction


def texts(drawing: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawing)


def places(drawing: str, name: str) -> list[float]:
    return [float(v) for v in re.findall(rf'<{name}[^>]*? c?x="([-\d.]+)"', drawing)]


def test_the_gate_names_its_ends_and_its_band() -> None:
    """Smallest and largest lift stand at their marks; what leaves the budget is a square, what keeps it a circle."""
    drawn = gate.gate([gate.Span("Before", F(1, 10), F(3, 2), below=True), gate.Span("After", F(1, 2), F(3, 2))],
                      F(1, 2), F(2), "Lift")  # fmt: skip
    assert {"Before", "After", "0.100", "1.50", "0.500", "allowed by the budget", "1×"} <= set(texts(drawn))
    assert drawn.count('class="outm"') == 1
    assert drawn.count('class="in"') == 3
    assert 'aria-label="Lift: Before 0.100 to 1.50; After 0.500 to 1.50. Allowed 0.5 to 2."' in drawn


def test_the_gate_without_a_budget_judges_nothing() -> None:
    """No band, no edge, no square, no green."""
    drawn = gate.gate([gate.Span("Now", F(0), F(3))], None, None, "Lift")
    assert not re.search('class="(band|edge|outm|in)"', drawn)
    assert "0" in texts(drawn)


def test_readings_say_infinite_and_stay_on_their_side() -> None:
    """An infinite measure is a word; one that is outside by less than a float can see still reads as outside."""
    drawn = gate.readings([gate.Reading("chi2-lift-inverse", math.inf, F(1), True)], "Worst")
    assert "infinite" in texts(drawn)
    assert "allowed 1" in texts(drawn)
    assert gate.near(2.0, F(2), True) == "just over 2"
    assert gate.near(math.nextafter(2.0, 3.0), F(2), False) == "2.00"
    assert gate.near(0.5, None, False) == "0.500"


def test_cells_hatch_zero_and_frame_what_is_outside() -> None:
    """Nine classes, zero apart, values printed, never rounded across a bound."""
    assert heat.lift_cell(F(0), F(1, 2), F(2), True) == heat.Cell("0", "zero", True, zero=True)
    assert heat.lift_cell(F(13), None, None, False) == heat.Cell("13", "l9")
    assert heat.lift_cell(F(2004, 1000), F(1, 2), F(2), True).text == "2.004"
    assert heat.lift_cell(F(2), F(1, 2), F(2), False).text == "2.0"


@given(st.fractions(F(1, 50), 50), st.fractions(F(1, 20), 1), st.fractions(1, 20))
def test_rounding_never_crosses_a_bound(value: Fraction, low: Fraction, up: Fraction) -> None:
    """What a cell prints is inside exactly when the lift is, whatever the bounds."""
    outside = not low <= value <= up
    shown = F(heat.lift_cell(value, low, up, outside).text.replace(",", ""))
    if value < low:
        assert shown < low
    elif value > up:
        assert shown > up
    else:
        printed_low, printed_up = (F(gate.numbers.bound(b, side)) for b, side in ((low, "low"), (up, "up")))
        assert (printed_low <= shown <= printed_up) or abs(shown - value) <= abs(value) / 100


def test_the_key_shows_the_band() -> None:
    """The allowed band stands on the colour scale; a narrow one is one text."""
    assert {"0.5", "2", "allowed", "⅛", "8"} <= set(texts(heat.key(F(1, 2), F(2)))) or "allowed 0.5 to 2" in texts(
        heat.key(F(1, 2), F(2))
    )
    assert "allowed 1" in texts(heat.key(F(1), F(1)))
    assert not any("allowed" in t for t in texts(heat.key()))


def test_bars_add_up_and_name_their_parts() -> None:
    """Only the words that occur are drawn, in one order; a thin part keeps its number below."""
    bar = readings.bar("rows", "how", {"outside": F(1, 100), "within": F(99, 100), "unknown": F(0)})
    assert [p.word for p in bar.parts] == ["within", "outside"]
    assert bar.label.replace("\u00a0", " ") == "within 99 %, outside 1.0 %"
    assert bar.parts[1].inside == ""
    assert sum(float(p.flex) for p in bar.parts) == 1


def test_histograms_add_up_and_never_straddle_an_edge() -> None:
    """Each half holds everybody; bars outside lie beyond the edge, bars inside before it."""
    items = [
        histogram.Item(0.25, 0.49, 1.9, below=True),
        histogram.Item(0.5, 0.51, 2.1, above=True),
        histogram.Item(0.25, 0.0, 1.0, below=True),
    ]
    drawn = histogram.two_sided(items, F(1, 2), F(2), "people")
    words = [t.replace("\u00a0", " ") for t in texts(drawn)]
    assert "50 % below" in words
    assert "50 % above" in words
    assert "25 %" in words
    bars = re.findall(
        r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="([\d.]+)" style="fill:([^;]+);stroke:var\(--(\w+)',
        drawn,
    )
    edges = sorted(float(x) for x in re.findall(r'<line x1="([\d.]+)"[^>]*class="edge"', drawn))
    heights = [float(h) for _, _, h, _, _ in bars]
    assert len(bars) == 6
    assert math.isclose(max(heights), 2 * sorted(heights)[-2], rel_tol=0.02) or len(set(heights)) >= 2
    for x, width, _, _, frame in bars:
        inside = edges[0] <= float(x) + 1 and float(x) + float(width) <= edges[1] + 1
        assert inside == (frame == "ink")


def test_one_sided_histograms_keep_the_exact_side() -> None:
    """A value decided outside is drawn beyond the bound even where floats say otherwise; infinity has a place."""
    drawn = histogram.one_sided(
        [(1.0, 0.5, True), (1.0, 0.25, False), (math.inf, 0.25, True)], F(1), 0.0, "l1", "people"
    )
    assert "infinite" in texts(drawn)
    assert drawn.count("var(--out-band)") == 2
    assert "75 percent have a value above its bound" in drawn
    flat = histogram.one_sided([(0.0, 1.0, False)], None, 0.0, "l1", "people")
    assert "100 %" in [t.replace("\u00a0", " ") for t in texts(flat)]


def test_the_scatter_names_what_is_outside() -> None:
    """Squares outside with their names, circles inside without; the label says it all."""
    marks = [scatter.Mark("A <b>", 0.5, 0.3, 2.5, True), scatter.Mark("B", 0.5, 0.9, 1.1)]
    drawn = scatter.scatter(marks, F(1, 2), F(2))
    assert "A &lt;b&gt;" in texts(drawn)
    assert "B" not in texts(drawn)
    assert "Outside the budget: A &lt;b&gt;." in drawn
    assert drawn.count('class="outm"') == 1
    assert drawn.count('class="in"') == 1
    plain = scatter.scatter(marks[1:], None, None, judged=False)
    assert not re.search('class="(in|outm|band)"', plain)


def test_scatter_labels_do_not_overlap() -> None:
    """Many values in one corner: some names give way, none covers another."""
    marks = [scatter.Mark(f"street {k}", 0.1, 0.3 + k / 500, 2.5 + k / 300, True) for k in range(12)]
    drawn = scatter.scatter(marks, F(1, 2), F(2))
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" class="(e |m )?outlab halo">(street \d+)</text>', drawn)
    boxes = []
    for x, y, anchor, name in found:
        width = svg.width_of(name)
        start = float(x) - {"e ": width, "m ": width / 2, "": 0}[anchor]
        boxes.append((start, float(y) - 11, start + width, float(y) + 3))
    assert 2 <= len(boxes) <= 12
    for k, a in enumerate(boxes):
        for b in boxes[:k]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_too_many_values_share_marks() -> None:
    """Thousands of values are drawn together, and none is lost from the areas."""
    marks = [scatter.Mark(str(k), 1 / 2000, 0.2 + 0.8 * (k % 50) / 50, 1 + (k % 40) / 20) for k in range(2000)]
    assert scatter.merged_marks(marks)
    assert scatter.scatter(marks, F(1, 2), F(2)).count("<circle") < 1000


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=6), st.booleans())
def test_scales_hold_every_value_in_order(values: list[float], zero: bool) -> None:
    """1 stands in the middle, larger is further right, and 0 has a place of its own left of all."""
    scale = around_one([*values, 0.0] if zero else values, 0, 400)
    spots = [scale.at(v) for v in sorted(values)]
    assert spots == sorted(spots)
    assert math.isclose(scale.at(1), (scale.start + scale.end) / 2)
    assert all(scale.start <= s <= scale.end for s in spots)
    if zero:
        assert scale.at(0) < scale.start


def test_a_measure_scale_starts_at_silence() -> None:
    """Silence at the start, infinity at its own place, round ticks apart."""
    scale = MeasureScale(1, 2, 9, 0, 300, 340)
    assert (scale.at(1), scale.at(9), scale.at(math.inf)) == (0, 300, 340)
    ticks = scale.ticks()
    assert ticks[0] == (1, "1")
    assert all(
        b - a >= 44 for a, b in zip([scale.at(v) for v, _ in ticks], [scale.at(v) for v, _ in ticks[1:]], strict=False)
    )
    assert LogScale(1 / 8, 8, 0, 100).at(math.inf) == 100
