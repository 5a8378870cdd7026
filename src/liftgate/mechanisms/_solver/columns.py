"""The posteriors found so far, without repeats, and the clock every loop of the search looks at."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Progress = Callable[[float, float], object]


OFF = 1e-8


class Clock:
    """Time limit, reports and cancelling: ``stopped`` turns true once and stays so."""

    def __init__(self, seconds: float, progress: Progress | None = None, scale: float = 1.0) -> None:
        self.begin = time.perf_counter()
        self.seconds = seconds
        self.cancelled = False
        self.best = float("inf")  # least H(X|Y) found
        self.bound = 0.0  # greatest lower bound on it that the floats believe
        self._progress = progress
        self._scale = scale
        self._told = 0.0

    def tell(self) -> None:
        """Report utility found and bounded to the caller, at most ten times a second; False from it cancels."""
        now = time.perf_counter()
        if self._progress is None or now - self._told < 0.1 or self.best == float("inf"):
            return
        self._told = now
        answer = self._progress(1.0 - self.best / self._scale, 1.0 - self.bound / self._scale)
        if answer is False:
            self.cancelled = True

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.begin

    @property
    def left(self) -> float:
        """Seconds to the limit."""
        return self.seconds - self.spent

    @property
    def stopped(self) -> bool:
        """Whether to stop now."""
        return self.cancelled or self.left <= 0


class Columns:
    """Posteriors ``v`` with their entropies, their vertices (all variables and the basis) and a memory of repeats."""

    def __init__(self, symbols: int, rows: Floats, low: Floats, high: Floats) -> None:
        self.symbols = symbols
        self._rows, self._low, self._high = rows, low, high
        width = rows.shape[1] - 1
        self.count = 0
        self.points = np.zeros((64, width))
        self.bases = np.zeros((64, len(rows)), dtype=np.int64)
        self.costs = np.zeros(64)
        self.vertex = np.zeros(64, dtype=np.bool_)
        self._seen: set[bytes] = set()

    def add(self, points: Floats, bases: Whole | None) -> Whole:
        """Append the new ones among the points; their places. Without bases they are not used as starts of walks.

        A vertex that numerical drift has carried off the polytope is left out: it would look too good.
        """
        if not len(points):
            return np.zeros(0, dtype=np.int64)
        fits = np.flatnonzero(self._fits(points)) if bases is not None else np.arange(len(points))
        v = points[fits, : self.symbols]
        v = np.where(v > 1e-12, v, 0.0)
        v /= v.sum(axis=1, keepdims=True)
        costs = -np.sum(v * np.log(np.where(v > 0.0, v, 1.0)), axis=1)
        added = []
        for i, key in enumerate(np.round(v, 9)):
            name = blake2b(key.tobytes(), digest_size=16).digest()
            if name in self._seen:
                continue
            self._seen.add(name)
            if self.count == len(self.costs):
                self._grow()
            k = self.count
            self.points[k, : self.symbols] = v[i]
            self.points[k, self.symbols :] = points[fits[i], self.symbols :]
            self.costs[k] = costs[i]
            if bases is not None:
                self.bases[k] = bases[fits[i]]
                self.vertex[k] = True
            self.count += 1
            added.append(k)
        return np.array(added, dtype=np.int64)

    def _fits(self, points: Floats) -> NDArray[np.bool_]:
        """Which points meet all rows and bounds to 1e-8."""
        off = np.abs(points @ self._rows[:, :-1].T - self._rows[:, -1]).max(axis=1, initial=0.0)
        out = np.maximum(points - self._high, self._low - points).max(axis=1, initial=0.0)
        return np.asarray((off <= OFF) & (out <= OFF))

    def _grow(self) -> None:
        self.points = np.concatenate([self.points, np.zeros_like(self.points)])
        self.bases = np.concatenate([self.bases, np.zeros_like(self.bases)])
        self.costs = np.concatenate([self.costs, np.zeros_like(self.costs)])
        self.vertex = np.concatenate([self.vertex, np.zeros_like(self.vertex)])
