"""One flow for one eps: the least delta without the rest of the profile, for networks where that is all one wants."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from liftgate.couplings import interval_kernels, kernels
from liftgate.couplings.blocks import SMALL, Part
from liftgate.couplings.hinges import exp_factor
from liftgate.couplings.laws import Law, LawLike, read_law
from liftgate.couplings.relations import (
    MAX_EDGES,
    Graph,
    Intervals,
    Matching,
    RelationLike,
    Reversed,
    listable,
    read_relation,
)

_SAFE = 1 << 62


def least_delta(
    mu1: LawLike | Law, mu2: LawLike | Law, exp_eps: object, relation: RelationLike = "equal", proper: bool = True,
    max_edges: int = MAX_EDGES,
) -> Fraction:  # fmt: skip
    """The same as ``profile(mu1, mu2, relation).delta(exp_eps=exp_eps)`` by one maximum flow (STAR Thm. 20).

    >>> least_delta(["3/4", "1/4"], ["1/4", "3/4"], 2)
    Fraction(1, 4)
    """
    t = exp_factor(exp_eps)
    left, right = read_law(mu1, "left", proper), read_law(mu2, "right", proper)
    related = read_relation(relation, left, right, max_edges)
    if isinstance(related, Matching | Reversed):
        listable(related, max_edges)
        related = Graph.of_rows([list(related.row(i)) for i in range(len(left))], len(right))
    assert isinstance(related, Graph | Intervals)
    up, down = t.denominator * right.scale, t.numerator * left.scale
    common = gcd(up, down)
    up, down = up // common, down // common  # left room w up, right room w down
    part = Part(left, right, related)
    carried = sum(part.w1) * up - _remaining(part, up, down)
    return Fraction(left.total * up - carried, left.scale * up)


def _remaining(part: Part, up: int, down: int) -> int:
    """The room on the left that a maximum flow leaves."""
    n, m = len(part.w1), len(part.w2)
    if n == 0:
        return 0
    fast = part.size >= SMALL and max(sum(part.w1) * up, sum(part.w2) * down) < _SAFE
    space: Any = vars(kernels) | vars(interval_kernels)
    make: Any = lambda values: values.tolist()  # noqa: E731
    zeros: Any = lambda size: [0] * size  # noqa: E731
    if fast:
        from liftgate.couplings.compiled import compiled

        space = compiled()
        make = lambda values: values.astype(np.int64)  # noqa: E731
        zeros = lambda size: np.zeros(size, dtype=np.int64)  # noqa: E731
    rl: Any = make(part.units1) * up if fast else [w * up for w in part.w1]
    rr: Any = make(part.units2) * down if fast else [w * down for w in part.w2]
    whole = (make(np.arange(n)), make(np.arange(m)), 0, n, 0, m)
    if part.intervals:
        space["sweep"](
            *whole, make(part.low), make(part.high), rl, rr,
            zeros(m + 1), zeros(n), zeros(m + 1), zeros(n + m), zeros(n + m),
        )  # fmt: skip
    else:
        edges = len(part.to)
        first, last, to, owner = (make(v) for v in (part.start[:-1], part.start[1:], part.to, part.owner))
        space["fill"](
            *whole, first, last, to, owner, zeros(edges), rl, rr, zeros(m), zeros(m), zeros(edges), zeros(edges),
            zeros(n), zeros(m), zeros(n), zeros(m), zeros(n + m + 2),
        )  # fmt: skip
    return int(rl.sum()) if fast else sum(rl)
