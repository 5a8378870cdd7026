"""Hypothesis strategies for tests of your own: random joints, channels, laws and couplings (extra ``testing``).

Small on purpose, so that a failing example shrinks to something that can be read; zero cells, empty rows and columns
and single values are all likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from liftgate.channel import Channel
from liftgate.errors import MissingExtra
from liftgate.joint import Joint
from liftgate.labels import Label

try:
    from hypothesis import strategies as st
except ImportError:
    raise MissingExtra("liftgate.testing", "hypothesis is not installed", "pip install 'liftgate[testing]'") from None

__all__ = ["Coupled", "channels", "couplings", "joints", "laws", "releases"]


@dataclass(frozen=True)
class Coupled:
    """Two laws and the masses on pairs of labels whose margins they are: a coupling that proves itself."""

    left: dict[int, Fraction]
    right: dict[int, Fraction]
    flow: dict[tuple[int, int], Fraction]

    @property
    def relation(self) -> list[tuple[int, int]]:
        """The pairs that carry mass; under them the laws are (0, 0)-close."""
        return sorted(self.flow)


@st.composite
def joints(draw: st.DrawFn, sensitive: int = 4, public: int = 4, most: int = 30) -> Joint:
    """Joints of up to ``sensitive`` x ``public`` values with counts up to ``most``, at least one of them positive.

    >>> from hypothesis import given
    >>> @given(joints())
    ... def test_my_measure(joint): ...
    """
    s, x = draw(st.integers(1, sensitive)), draw(st.integers(1, public))
    cells = draw(st.lists(st.integers(0, most), min_size=s * x, max_size=s * x).filter(any))
    return Joint.from_counts(np.array(cells).reshape(s, x))


@st.composite
def channels(
    draw: st.DrawFn, public: int | Sequence[Label] = 4, released: int = 4, totals: Sequence[int] = (1, 2, 3, 16)
) -> Channel:
    """Channels from so many (or these) public values to up to ``released`` values; total 1 makes them merges.

    >>> from hypothesis import given
    >>> @given(channels(["a", "b"], totals=[1]))
    ... def test_my_rule(merge): ...
    """
    labels = tuple(range(public)) if isinstance(public, int) else tuple(public)
    total, width = draw(st.sampled_from(list(totals))), draw(st.integers(1, released))
    shares = np.zeros((len(labels), width), dtype=np.int64)
    for row in shares:
        cuts = sorted([*draw(st.lists(st.integers(0, total), min_size=width - 1, max_size=width - 1)), 0, total])
        row[:] = np.diff(cuts)
    return Channel.from_shares(shares, public=labels)


@st.composite
def releases(
    draw: st.DrawFn, sensitive: int = 4, public: int = 4, most: int = 30, totals: Sequence[int] = (1, 2, 3, 16)
) -> tuple[Joint, Channel]:
    """A joint and a channel that it can be sent through."""
    joint = draw(joints(sensitive, public, most))
    return joint, draw(channels(joint.public, totals=totals))


@st.composite
def laws(draw: st.DrawFn, labels: int = 5, most: int = 12) -> dict[int, Fraction]:
    """Laws on up to so many labels, as exact masses that add up to 1; some may be 0."""
    size = draw(st.integers(1, labels))
    weights = draw(st.lists(st.integers(0, most), min_size=size, max_size=size).filter(any))
    return {label: Fraction(w, sum(weights)) for label, w in enumerate(weights)}


@st.composite
def couplings(draw: st.DrawFn, labels: int = 4, most: int = 6) -> Coupled:
    """Two laws that are the margins of masses on pairs of labels.

    >>> from hypothesis import given
    >>> @given(couplings())
    ... def test_my_distance(pair): ...
    """
    n, m = draw(st.integers(1, labels)), draw(st.integers(1, labels))
    weights = draw(st.lists(st.integers(0, most), min_size=n * m, max_size=n * m).filter(any))
    flow = {divmod(k, m): Fraction(w, sum(weights)) for k, w in enumerate(weights) if w}
    left = {a: sum((f for (i, _), f in flow.items() if i == a), Fraction(0)) for a in range(n)}
    right = {b: sum((f for (_, j), f in flow.items() if j == b), Fraction(0)) for b in range(m)}
    return Coupled(left, right, flow)
