"""Design: what a mechanism returns, before the checker has agreed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.joint import Joint

Progress = Callable[[float, float], object]
"""Called as ``progress(found, bound)`` in NMI while a search runs; returning False stops the search."""


@dataclass(frozen=True, eq=False)
class Design:
    """A channel inside its budget, and what is known about how good it is.

    ``bound`` is a proven upper bound on the NMI of every channel inside the budget, with ``proof`` its
    evidence; ``search_bound`` is what the floating-point search believes and is never called certified.
    """

    channel: Channel
    bound: Fraction | None = None
    search_bound: float | None = None
    proof: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


class Mechanism(Protocol):
    """A plain function from a joint and a budget to a design; every mechanism accepts gap and seconds."""

    def __call__(
        self,
        joint: Joint,
        budget: Budget,
        *,
        gap: float = 1e-6,
        seconds: float = 60.0,
        progress: Progress | None = None,
    ) -> Design: ...


def utility(joint: Joint, channel: Channel) -> float:
    """NMI of a release: I(X;Y) / H(X), 1 where X is constant.

    >>> j = Joint.from_counts([[2, 1, 1]])
    >>> utility(j, Channel.identity(3)), utility(j, Channel.merge(3, [[0, 1, 2]]))
    (1.0, 0.0)
    """
    p = joint.public_share
    h_x = _entropy(p)
    if h_x == 0:
        return 1.0
    mass: NDArray[np.float64] = p[channel.row_of_entry] * (channel.shares / channel.total).astype(np.float64)
    y: NDArray[np.float64] = np.bincount(channel.targets, weights=mass, minlength=len(channel.released)).astype(
        np.float64
    )
    i_xy = h_x + _entropy(y) - _entropy(mass)
    return float(min(1.0, max(0.0, i_xy / h_x)))


def _entropy(p: NDArray[np.float64]) -> float:
    p = p[p > 0]
    return math.fsum((-p * np.log(p)).tolist()) if p.size > 1 else 0.0
