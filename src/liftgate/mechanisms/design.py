"""Design: what a mechanism returns, before the checker has agreed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.errors import BudgetError, UsageError
from liftgate.joint import Joint
from liftgate.labels import label_texts

Options = ParamSpec("Options")

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
        /,
        *,
        gap: float = 1e-6,
        seconds: float = 60.0,
        progress: Progress | None = None,
    ) -> Design: ...


def mechanism(
    search: Callable[Concatenate[Joint, Budget, Options], Design],
) -> Callable[Concatenate[Joint, Budget, Options], Design]:
    """What every mechanism shares: options that make sense, values that never occur, and the last exact decision."""

    @wraps(search)
    def safe(joint: Joint, budget: Budget, /, *args: Options.args, **options: Options.kwargs) -> Design:
        for name in ("gap", "seconds"):
            value = options.get(name, 1.0)
            if not isinstance(value, (int, float)) or not 0 < value < math.inf:
                raise UsageError(f"mechanism, {name}", f"{value!r} is not positive", f"give a positive {name}")
        small = joint.drop_empty()
        design = _widened(search(small, budget, *args, **options), joint, small)
        if not budget.holds(joint.through(design.channel)).all():
            raise BudgetError(f"budget {budget.text}", "the release designed for it breaks it", "please report this")
        return design

    return safe


def _widened(design: Design, joint: Joint, small: Joint) -> Design:
    """Values that never occur get the released value that most people get."""
    if len(small.public) == len(joint.public):
        return design
    c = design.channel
    common = int(np.argmax(small.through(c).public_counts.astype(float)))
    seen = np.flatnonzero(joint.public_counts.astype(bool))
    place = {int(x): i for i, x in enumerate(seen)}
    targets, shares, sizes = [], [], []
    for x in range(len(joint.public)):
        part = slice(c.start[place[x]], c.start[place[x] + 1]) if x in place else None
        targets.append(c.targets[part] if part else np.array([common]))
        shares.append(c.shares[part] if part else np.array([c.total], dtype=c.shares.dtype))
        sizes.append(targets[-1].size)
    start = np.concatenate([[0], np.cumsum(sizes)])
    wide = Channel(joint.public, c.released, c.total, start, np.concatenate(targets), np.concatenate(shares))
    never = len(joint.public) - len(small.public)
    note = f"{never} public values never occur: they would be released as {label_texts(c.released)[common]!r}"
    return replace(design, channel=wide, notes=(*design.notes, note))


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
