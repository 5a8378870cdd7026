"""Random pairs of laws with relations, and the answers by brute force over sets, in fractions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from liftgate.couplings import Spans


@dataclass(frozen=True)
class Instance:
    """Two mass lists, a relation to hand in, and the same relation as sets of right positions."""

    left: list[Fraction]
    right: list[Fraction]
    relation: Any
    rows: list[set[int]]
    proper: bool

    def least_delta(self, t: Fraction) -> Fraction:
        """max over all sets X of left(X) - t right(R(X)): nothing but the definition."""
        best = Fraction(0)
        for bits in range(1 << len(self.left)):
            chosen = [i for i in range(len(self.left)) if bits >> i & 1]
            image = set().union(*(self.rows[i] for i in chosen))
            mass = sum((self.left[i] for i in chosen), Fraction(0)) - t * sum(
                (self.right[j] for j in image), Fraction(0)
            )
            best = max(best, mass)
        return best

    def excess(self, chosen: Any, t: Fraction) -> Fraction:
        """left(X) - t right(R(X)) of one set."""
        image = set().union(*(self.rows[i] for i in chosen))
        return sum((self.left[i] for i in chosen), Fraction(0)) - t * sum((self.right[j] for j in image), Fraction(0))


def masses(rng: random.Random, size: int, proper: bool) -> list[Fraction]:
    """Masses of very different kinds: zeros, small and 80-bit denominators, ties up to one part in 2^80."""
    kind = rng.choice(("small", "small", "large", "ties"))
    if kind == "ties":
        base = rng.randint(1, 3) << 80
        weights = [rng.choice((0, base + rng.randint(-1, 1), base + rng.randint(-1, 1))) for _ in range(size)]
    else:
        weights = [rng.choice((0, 1, 1)) * rng.randint(1, 12 if kind == "small" else 2**80) for _ in range(size)]
    if not any(weights):
        weights[0] = 1
    total = sum(weights) + (0 if proper else rng.randint(1, max(weights)))
    return [Fraction(w, total) for w in weights]


def draw_instance(rng: random.Random, most: int) -> Instance:
    """One random instance with up to ``most`` labels a side."""
    while True:
        n, m = rng.randint(1, most), rng.randint(1, most)
        proper = rng.random() < 0.7
        kind = rng.choice(("pairs", "pairs", "spans", "equal", "distance"))
        relation: Any
        if kind == "spans":
            starts = [rng.randint(0, m) for _ in range(n)]
            stops = [min(m, s + rng.randint(0, 1 + m // 2)) for s in starts]
            rows = [set(range(s, e)) for s, e in zip(starts, stops, strict=True)]
            relation = Spans(starts, stops)
        elif kind == "pairs":
            share = rng.choice((0.1, 0.3, 0.6))
            pairs = [(i, j) for i in range(n) for j in range(m) if rng.random() < share]
            rows = [{j for a, j in pairs if a == i} for i in range(n)]
            relation = pairs
        else:
            k = 0 if kind == "equal" else rng.randint(0, 2)
            rows = [{j for j in range(m) if abs(i - j) <= k} for i in range(n)]
            relation = "equal" if kind == "equal" else f"distance<={k}"
        if any(rows):
            return Instance(masses(rng, n, proper), masses(rng, m, proper), relation, rows, proper)


@pytest.fixture
def instances() -> Callable[..., Iterator[Instance]]:
    """``instances(seed, count, most)``: random instances."""

    def make(seed: int, count: int, most: int) -> Iterator[Instance]:
        rng = random.Random(seed)
        for _ in range(count):
            yield draw_instance(rng, most)

    return make


def factors(p: Any, rng: random.Random) -> list[Fraction]:
    """Factors to ask about: 1, some number, every corner of the profile and a hair beside it."""
    corners = [a / b for a, b in p.blocks if b and a >= b]
    near = [c + d for c in corners[:3] for d in (Fraction(1, 2**80), -Fraction(1, 2**80)) if c + d >= 1]
    return [Fraction(1), 1 + Fraction(rng.randint(1, 30), rng.randint(1, 9)), *corners[:6], *near]


@pytest.fixture
def questions() -> Callable[..., list[Fraction]]:
    """``questions(profile, rng)``: factors worth asking about."""
    return factors
