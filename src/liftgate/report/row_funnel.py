"""The privacy funnel of a release of rows: what every eps would keep and tell, with the optimum where it can be counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from liftgate.report.drawings import Figure
from liftgate.report.figures.curves import Line, curves

if TYPE_CHECKING:
    from liftgate.estimators.funnels import Funnel

TITLE = "What a tighter or looser budget would keep and tell"
TEXT = (
    "The plain watchdog at every eps: rows within are released as they are, flagged rows as one group. Left: the three parts "
    "of the information in the columns, kept row by row, kept as being flagged or not, and lost. Right: what is kept "
    "against what is told about the sensitive value."
)


def figures(found: Funnel) -> Sequence[Figure]:
    """Both drawings."""
    rows = found.rows
    blocks = [
        Line("kept as it is", [(p.eps, p.kept) for p in rows], 1),
        Line("kept in all", [(p.eps, p.utility) for p in rows], 0),
        Line("lost", [(p.eps, p.lost) for p in rows], 2),
    ]
    half = next((p for p in rows if p.utility >= 0.5), rows[-1])
    said = (
        f"Half of the information is kept from ε {half.eps:g} on." if half.utility >= 0.5 else "Less than half is kept."
    )
    against = [Line("scores of rows", [(p.information, p.utility) for p in rows], 0)]
    note = "Estimated from the scores of rows; the optimum is drawn where the columns take at most 60 values together."
    if found.counted:
        against = [
            Line("watchdog, counted", [(p.information, p.utility) for p in found.counted], 0),
            Line("optimum", [(p.information, p.optimum) for p in found.counted if p.optimum is not None], 2),
        ]
        note = "Counted, not estimated. The optimum keeps the most of all releases whose lifts stay between the watchdog’s own."
    first, last = against[0].points[0], against[0].points[-1]
    return [
        Figure(
            "What is kept grows with ε",
            curves(blocks, (), "ε per side", "share of H(X)", f"Three parts of the information in the columns. {said}"),
            said,
            "Exact parts of the entropy for the law that the scores describe.",
        ),
        Figure(
            "What is kept costs what is told",
            curves(
                against, (), "told, nats", "kept, share of H(X)",
                f"From {first[1]:.2f} kept and {first[0]:.4f} nats told to {last[1]:.2f} kept and {last[0]:.4f} nats told.",
            ),
            "Each point is one ε.",
            note,
        ),
    ]  # fmt: skip
