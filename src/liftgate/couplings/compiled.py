"""The kernels compiled by numba for int64; imported only when an instance is large enough to pay for it."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

from liftgate.couplings import interval_kernels, kernels

_ORDER = (
    "capacities", "turn_round", "layers", "push", "fill", "split_graph", "solve_graph",
    "sweep", "next_open", "reach", "split_intervals", "solve_intervals",
)  # fmt: skip


@cache
def compiled() -> dict[str, Any]:
    """The functions of both kernel files, each calling the compiled form of the others."""
    from numba import njit

    space = vars(kernels) | vars(interval_kernels)
    for name in _ORDER:
        plain = space[name]
        copy = FunctionType(plain.__code__, space, name, plain.__defaults__)
        copy.__module__ = plain.__module__
        try:
            space[name] = njit(cache=True)(copy)
        except RuntimeError:  # nowhere to keep what was compiled: it is compiled again in the next process
            space[name] = njit(copy)
    return {name: space[name] for name in _ORDER}
