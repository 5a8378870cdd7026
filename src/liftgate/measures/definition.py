"""Measure: a functional of the lift matrix and the prior, with its words, its formula and its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import UsageError
from liftgate.exact import read_only
from liftgate.joint import Joint
from liftgate.measures.view import View

Family = Literal["worst case", "average", "table"]
Fold = Literal["max", "min", "mean", "whole"]


def _same(value: float) -> float:
    return value


@dataclass(frozen=True)
class Measure:
    """One number that a release has, and the number that each released value has.

    ``value`` gives the number per released value; ``fold`` makes one of them (the largest, the smallest, or the mean
    over released values) and ``finish`` puts it into its unit. ``whole`` computes the folded number directly: where
    there is no number per released value, or where folding would lose digits. ``worse`` says which end reveals more.
    ``survives_merging`` is the data-processing inequality: no merging, and no channel, can make the number worse.
    """

    name: str
    sentence: str
    formula: str
    citation: str
    unit: str
    family: Family
    survives_merging: bool
    fold: Fold
    value: Callable[[View], NDArray[np.float64]] | None = None
    finish: Callable[[float], float] = _same
    whole: Callable[[View], float] | None = None
    worse: Literal["larger", "smaller"] = "larger"

    def __post_init__(self) -> None:
        if self.value is None and self.whole is None:
            raise UsageError(f"measure {self.name}", "it computes nothing", "give value or whole")
        if self.value is None and self.fold != "whole":
            raise UsageError(f"measure {self.name}", "it folds nothing", 'give value, or fold="whole"')

    @property
    def per_value(self) -> bool:
        """Whether each released value has a number of its own."""
        return self.value is not None

    def outputs(self, joint: Joint) -> NDArray[np.float64]:
        """The number per released value, in the order of ``joint.public``; NaN for a value that never occurs.

        >>> from liftgate.measures import MEASURES
        >>> MEASURES["max-lift"].outputs(Joint.from_counts([[3, 1, 0], [1, 3, 0]])).tolist()
        [1.5, 1.5, nan]
        """
        return self.outputs_of(View.of(joint))

    def outputs_of(self, view: View) -> NDArray[np.float64]:
        """The same from a view that is there already."""
        if self.value is None:
            raise UsageError(
                f"measure {self.name}",
                "it has no number per released value",
                "ask for the whole with of(joint), or use a measure whose per_value is true",
            )
        out = np.full(view.width, np.nan)
        out[view.kept] = self.value(view)
        return read_only(out)

    def of(self, joint: Joint) -> float:
        """The one number of a joint.

        >>> from liftgate.measures import MEASURES
        >>> MEASURES["min-lift"].of(Joint.from_counts([[3, 1], [1, 3]]))
        0.5
        """
        return self.of_view(View.of(joint))

    def of_view(self, view: View) -> float:
        """The same from a view that is there already."""
        if self.whole is not None:
            return float(self.whole(view))
        assert self.value is not None
        return self.fold_of(self.value(view), view.share)

    def fold_of(self, values: NDArray[np.float64], share: NDArray[np.float64]) -> float:
        """One number from the numbers of the released values and their shares P(y)."""
        if self.fold == "max":
            return float(self.finish(float(values.max())))
        if self.fold == "min":
            return float(self.finish(float(values.min())))
        if self.fold == "mean":
            return float(self.finish(float((share * values).sum())))
        raise UsageError(f"measure {self.name}", "its number is not folded from released values", "use of(joint)")
