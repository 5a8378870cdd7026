"""ATR Figure 5: confidence against fidelity for both groups of the numerical example, exactly and as printed."""

from __future__ import annotations

from fractions import Fraction

from liftgate.jobs.recomputed import Curve, Figure, Panel, PrintedMark
from liftgate.papers.transparency_numbers import TABLE_4, printed_terms
from liftgate.transparency import curve
from liftgate.transparency.boxes import Fidelity
from liftgate.transparency.curves import GroupCurve

STEPS = 100
ENDS = ((0.6, 1.0), (0.45, 0.72))
PRINTED_FORMULA = (
    "As printed, the formula falls below the share of the largest private value, which no announcement can do (E70); "
    "the female range [.6, 1] in the text is the right one and does not follow from it."
)


def figures() -> tuple[Figure, ...]:
    """Figure 5, both panels; Figures 1 to 4 hold no numbers."""
    found = curve(TABLE_4).groups
    panels = tuple(_panel(letter, g, found[g]) for g, letter in enumerate("ab"))
    cuts = {str(c.group): ", ".join(f"{float(b):.6f}" for b in c.breakpoints) for c in found}
    return (
        Figure(
            5,
            "ATR Fig. 5",
            "The confidence falls with the fidelity until only the prior is left",
            "12, 5, 3 women and 9, 7, 4 men; the figure is a drawing in the paper, its text prints the ends only",
            1,
            panels,
            (
                *(f"{name}: another condition binds at delta {text}." for name, text in cuts.items()),
                PRINTED_FORMULA,
            ),
        ),
    )


def _panel(letter: str, group: int, found: GroupCurve) -> Panel:
    grid = sorted({Fraction(k, STEPS) for k in range(STEPS + 1)} | set(found.breakpoints))
    exact = tuple((float(d), float(found.at(d))) for d in grid)
    printed = tuple((float(d), float(max(terms_at(group, d)))) for d in grid)
    low, high = ENDS[group]
    return Panel(
        letter,
        f"{found.group}",
        "delta (fidelity)",
        "largest confidence",
        (Curve("least possible", exact, 0), Curve("formula as printed", printed, 2)),
        (PrintedMark(0.0, low, f"printed end {low:g}"), PrintedMark(1.0, high, f"printed end {high:g}")),
    )


def terms_at(group: int, delta: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """The three printed terms of a group at one delta, intervals tightened."""
    rows = [int(i) for i in TABLE_4.groups.rows_of(group)]
    masses, _ = TABLE_4.exact_rows(group)
    boxes = [Fidelity("delta", delta).exact_row(TABLE_4, i) for i in rows]
    low, high = ([[box[side][a] for box in boxes] for a in (0, 1)] for side in (0, 1))
    return printed_terms(masses, low, high)
