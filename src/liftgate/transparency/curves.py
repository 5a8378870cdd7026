"""The exact curve of least confidence against delta: pieces (a + b e) / (c + f e), e = 1 - delta, and where they meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import isqrt
from typing import Any

from liftgate.errors import UsageError
from liftgate.exact import fraction
from liftgate.labels import Label
from liftgate.transparency.exactly import members_of
from liftgate.transparency.rules import DecisionRules
from liftgate.transparency.vectors import TERMS

Line = tuple[Fraction, Fraction]
Ratio = tuple[Fraction, Fraction, Fraction, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)
_BITS = 80


@dataclass(frozen=True)
class Piece:
    """For delta from ``low`` to ``high``: confidence (a + b e) / (c + f e) with e = 1 - delta, and what binds there."""

    low: Fraction
    high: Fraction
    a: Fraction
    b: Fraction
    c: Fraction
    f: Fraction
    binding: str

    def at(self, delta: Fraction) -> Fraction:
        """The confidence at one delta; 0/0 counts as 0."""
        e = 1 - delta
        under = self.c + self.f * e
        return (self.a + self.b * e) / under if under else ZERO


@dataclass(frozen=True)
class GroupCurve:
    """The curve of one group; pieces from delta = 1 downwards."""

    group: Label
    pieces: tuple[Piece, ...]

    @property
    def breakpoints(self) -> tuple[Fraction, ...]:
        """Where one piece ends and the next begins; exact where rational, else within 2^-80."""
        return tuple(p.low for p in self.pieces[:-1])

    def at(self, delta: Any) -> Fraction:
        """The least confidence at a delta from 0 to 1."""
        value = fraction(delta, "delta")
        if not 0 <= value <= 1:
            raise UsageError("delta", f"{delta} is not between 0 and 1", "give a fidelity such as 0.9")
        return next(p for p in self.pieces if p.low <= value).at(value)


@dataclass(frozen=True)
class Curve:
    """The curves of all groups."""

    groups: tuple[GroupCurve, ...]

    @property
    def breakpoints(self) -> dict[Label, tuple[Fraction, ...]]:
        """The breakpoints of each group."""
        return {g.group: g.breakpoints for g in self.groups}

    def at(self, delta: Any) -> Fraction:
        """The least confidence of all groups together at a delta (ATR Lemma 3)."""
        return max(g.at(delta) for g in self.groups)

    def gamma(self, delta: Any) -> float:
        """The same as minimum uncertainty, -log of the confidence (ATR Def. 13)."""
        from math import log

        return -log(self.at(delta))


def curve(rules: DecisionRules) -> Curve:
    """The exact curve of a group's least confidence against delta, for two outcomes (ATR Fig. 5, corrected: E70).

    >>> rules = DecisionRules.from_arrays([12, 5, 3], [0, 0, 1], group=["F"] * 3)
    >>> [str(b) for b in curve(rules).groups[0].breakpoints], str(curve(rules).at("0.9"))
    (['13/14', '8/9', '8/11'], '27/40')
    """
    if not rules.two_outcomes:
        raise UsageError(
            "curve", f"{len(rules.outcomes)} outcomes", "the exact curve is for two outcomes; announce at each delta"
        )
    return Curve(tuple(GroupCurve(rules.groups.label(g), _group(rules, g)) for g in range(rules.groups.size)))


def _group(rules: DecisionRules, group: int) -> tuple[Piece, ...]:
    people, chances = rules.exact_rows(group)
    members = members_of(rules, [int(i) for i in rules.groups.rows_of(group)])
    kinks = sorted({ZERO, ONE, *(c for row in chances for c in row)})
    total = sum(people, ZERO)
    shares = [sum((people[i] for i in block), ZERO) for block in members]
    pieces: list[Piece] = []
    for start, stop in pairwise(kinks):
        middle = (start + stop) / 2
        low, high = [], []
        for a in (0, 1):
            low.append([_sum([_low(people[i], chances[i][a], middle) for i in block]) for block in members])
            high.append([_sum([_high(people[i], chances[i][a], middle) for i in block]) for block in members])
        cuts = {start, stop}
        for a in (0, 1):
            cuts |= _crossings(low[a], start, stop)
        for left, right in pairwise(sorted(cuts)):
            tops = [_top(low[a], (left + right) / 2) for a in (0, 1)]
            finer = {left, right}
            for a in (0, 1):
                finer |= {x for line in high[a] if (x := _meet(line, tops[a])) is not None and left < x < right}
            for one, two in pairwise(sorted(finer)):
                terms = [_own(tops[a], high[a], (one + two) / 2) for a in (0, 1)]
                both = (tops[0][0] + tops[1][0], tops[0][1] + tops[1][1], total, ZERO)
                pieces += _largest([*terms, both, (max(shares), ZERO, total, ZERO)], one, two)
    return _joined(pieces)


def _low(p: Fraction, d: Fraction, e: Fraction) -> Line:
    return (p * d, -p) if e < d else (ZERO, ZERO)


def _high(p: Fraction, d: Fraction, e: Fraction) -> Line:
    return (p * d, p) if e < 1 - d else (p, ZERO)


def _sum(lines: Sequence[Line]) -> Line:
    return sum((v[0] for v in lines), ZERO), sum((v[1] for v in lines), ZERO)


def _value(line: Line, e: Fraction) -> Fraction:
    return line[0] + line[1] * e


def _top(lines: Sequence[Line], e: Fraction) -> Line:
    return max(lines, key=lambda v: _value(v, e))


def _meet(one: Line, two: Line) -> Fraction | None:
    return (two[0] - one[0]) / (one[1] - two[1]) if one[1] != two[1] else None


def _crossings(lines: Sequence[Line], start: Fraction, stop: Fraction) -> set[Fraction]:
    """Where the largest of some lines changes."""
    cuts: set[Fraction] = set()
    e, best = start, max(lines, key=lambda v: (_value(v, start), v[1]))
    while True:
        steeper = [(x, v) for v in lines if v[1] > best[1] and (x := _meet(v, best)) is not None and e <= x < stop]
        if not steeper:
            return cuts
        e = min(x for x, _ in steeper)
        best = max((v for x, v in steeper if x == e), key=lambda v: v[1])
        if e > start:
            cuts.add(e)


def _own(top: Line, high: Sequence[Line], e: Fraction) -> Ratio:
    """L / sum min(h, L) as one ratio of lines around e."""
    if _value(top, e) == 0:
        return ZERO, ZERO, ONE, ZERO
    reach = _sum([h if _value(h, e) < _value(top, e) else top for h in high])
    return top[0], top[1], reach[0], reach[1]


def _largest(ratios: Sequence[Ratio], start: Fraction, stop: Fraction) -> list[Piece]:
    cuts = {start, stop}
    for one, two in combinations(ratios, 2):
        cuts |= {x for x in _roots(one, two) if start < x < stop}
    out = []
    for left, right in pairwise(sorted(cuts)):
        middle = (left + right) / 2
        values = [(r[0] + r[1] * middle) / (r[2] + r[3] * middle) for r in ratios]
        k = max(range(len(ratios)), key=lambda i: (values[i], i))
        out.append(Piece(1 - right, 1 - left, *ratios[k], TERMS[k]))
    return out


def _roots(one: Ratio, two: Ratio) -> list[Fraction]:
    """Where two ratios of lines are equal; a root that is no fraction is rounded to 2^-80."""
    a, b, c, f = one
    p, q, r, s = two
    square, linear, constant = b * s - q * f, a * s + b * r - p * f - q * c, a * r - p * c
    if square == 0:
        return [-constant / linear] if linear else []
    inside = linear * linear - 4 * square * constant
    if inside < 0:
        return []
    n, d = inside.numerator, inside.denominator
    if isqrt(n) ** 2 == n and isqrt(d) ** 2 == d:
        root = Fraction(isqrt(n), isqrt(d))
    else:
        root = Fraction(isqrt((n << 2 * _BITS) // d), 1 << _BITS)
    return [(-linear + root) / (2 * square), (-linear - root) / (2 * square)]


def _joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Neighbours with the same ratio and condition as one piece."""
    out: list[Piece] = []
    for piece in pieces:
        if out and out[-1].binding == piece.binding and _same(out[-1], piece):
            last = out[-1]
            out[-1] = Piece(piece.low, last.high, last.a, last.b, last.c, last.f, last.binding)
        else:
            out.append(piece)
    return tuple(out)


def _same(one: Piece, two: Piece) -> bool:
    p, q = (one.a, one.b, one.c, one.f), (two.a, two.b, two.c, two.f)
    return all(p[i] * q[j] == p[j] * q[i] for i in range(4) for j in range(i))
