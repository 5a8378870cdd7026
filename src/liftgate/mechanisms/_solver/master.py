"""The restricted master: the best mixture of the posteriors found so far, by a warm-started linear programme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Weights of the columns, their cost ``H(X|Y)`` and the prices ``pi`` of the symbols."""

    weights: Floats
    cost: float
    prices: Floats


class Master:
    """``min sum beta_k H(v_k)`` subject to ``sum beta_k v_k = P_X``, rows scaled to a right side of one."""

    def __init__(self, prior: Floats) -> None:
        import highspy

        self._prior = prior
        self._model: Any = highspy.Highs()
        self._optimal = highspy.HighsModelStatus.kOptimal
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("presolve", "off"),
            ("solver", "simplex"),
            ("primal_feasibility_tolerance", 1e-10),
            ("dual_feasibility_tolerance", 1e-10),
        ):
            self._model.setOptionValue(name, value)
        n = len(prior)
        ones = np.ones(n)
        empty = np.zeros(0, dtype=np.int32)
        self._model.addRows(n, ones, ones, 0, np.zeros(n, dtype=np.int32), empty, np.zeros(0))

    def add(self, columns: Floats, costs: Floats) -> None:
        """Append posteriors (one per row) with their entropies."""
        which, index = np.nonzero(columns)
        values = columns[which, index] / self._prior[index]
        starts = np.searchsorted(which, np.arange(len(columns))).astype(np.int32)
        count = len(columns)
        self._model.addCols(
            count, costs, np.zeros(count), np.full(count, np.inf), len(values), starts, index.astype(np.int32), values
        )

    def solve(self, seconds: float) -> Mixture | None:
        """The best mixture, or None when the linear programme did not finish."""
        self._model.setOptionValue("time_limit", self._model.getRunTime() + max(seconds, 0.05))
        self._model.run()
        if self._model.getModelStatus() != self._optimal:
            return None
        answer = self._model.getSolution()
        return Mixture(
            weights=np.maximum(np.array(answer.col_value, dtype=float), 0.0),
            cost=float(self._model.getInfo().objective_function_value),
            prices=np.array(answer.row_dual, dtype=float) / self._prior,
        )
