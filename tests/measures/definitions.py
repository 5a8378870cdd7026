"""Every measure once more, straight from its definition: fractions where it is rational, 60 digits where it is not."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

from liftgate.joint import Joint

DIGITS = 60
Value = Fraction | Decimal | float


class Table:
    """A joint without empty rows and columns as lists of whole numbers, and its lifts as fractions."""

    def __init__(self, counts: list[list[int]]) -> None:
        rows = [row for row in counts if any(row)]
        columns = [c for c in zip(*rows, strict=True) if any(c)]
        self.columns = [list(c) for c in columns]
        self.rows = [sum(row) for row in rows]
        self.sizes = [sum(c) for c in columns]
        self.n = sum(self.rows)
        self.prior = [Fraction(r, self.n) for r in self.rows]
        self.share = [Fraction(m, self.n) for m in self.sizes]
        self.posterior = [[Fraction(v, m) for v in c] for c, m in zip(self.columns, self.sizes, strict=True)]
        self.lift = [[q / p for q, p in zip(column, self.prior, strict=True)] for column in self.posterior]

    def mean(self, values: list[Value]) -> Value:
        """The mean over released values, of fractions or of decimals."""
        if any(v == math.inf for v in values):
            return math.inf
        if all(isinstance(v, Fraction) for v in values):
            return sum((p * v for p, v in zip(self.share, values, strict=True)), Fraction(0))
        return sum((dec(p) * dec(v) for p, v in zip(self.share, values, strict=True)), Decimal(0))

    def each(self, f: Callable[[Fraction], Value]) -> list[Value]:
        """For each released value the mean over s of f(lift)."""
        out: list[Value] = []
        for lifts in self.lift:
            terms = [f(t) for t in lifts]
            if math.inf in terms:
                out.append(math.inf)
            elif all(isinstance(t, Fraction) for t in terms):
                out.append(sum((p * t for p, t in zip(self.prior, terms, strict=True)), Fraction(0)))
            else:
                out.append(sum((dec(p) * dec(t) for p, t in zip(self.prior, terms, strict=True)), Decimal(0)))
        return out


def dec(value: Value) -> Decimal:
    """A number with 60 digits."""
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    return value if isinstance(value, Decimal) else Decimal(value)


def log(value: Value) -> Value:
    return -math.inf if value == 0 else math.inf if value == math.inf else Decimal(0) if value == 1 else dec(value).ln()


def power(value: Value, exponent: Fraction) -> Value:
    if value == 0:
        return math.inf if exponent < 0 else Decimal(0)
    if value == math.inf:
        return math.inf
    return dec(value) ** dec(exponent)


def _inverse(t: Fraction) -> Value:
    return 1 / t if t else math.inf


def _alpha(table: Table, order: int, sign: int) -> list[Value]:
    def term(t: Fraction) -> Value:
        return (t**order if sign > 0 else 1 / t**order) if t or sign > 0 else math.inf

    return [power(v, Fraction(1, order)) for v in table.each(term)]


def _sibson(table: Table, order: Fraction) -> Value:
    norms = [power(v, 1 / order) for v in table.each(lambda t: power(t, order))]
    return dec(order / (order - 1)) * log(table.mean(norms))


def _arimoto(table: Table, order: Fraction) -> Value:
    def norm(law: list[Fraction]) -> Decimal:
        return dec(power(sum((dec(power(q, order)) for q in law), Decimal(0)), 1 / order))

    after = table.mean([norm(column) for column in table.posterior])
    return dec(order / (order - 1)) * log(dec(after) / norm(table.prior))


def _entropy(law: list[Fraction]) -> Decimal:
    return -sum((dec(q) * dec(log(q)) for q in law if q), Decimal(0))


def _recursive(column: list[int]) -> Value:
    ordered = sorted(column, reverse=True)
    return Fraction(ordered[0], sum(ordered[1:])) if sum(ordered[1:]) else math.inf


def _enhanced(table: Table) -> Value:
    gains = [[(q - p) / p for q, p in zip(column, table.prior, strict=True)] for column in table.posterior]
    for column in gains:
        for gain, p in zip(column, table.prior, strict=True):
            if gain > 0 and dec(gain) > -dec(log(p)):
                return math.inf
    return max(max(column) for column in gains)


def _ordered(table: Table) -> Value:
    m = len(table.prior)
    worst = Fraction(0)
    for column in table.posterior:
        gap, work = Fraction(0), Fraction(0)
        for q, p in zip(column, table.prior, strict=True):
            gap += q - p
            work += abs(gap)
        worst = max(worst, work / max(m - 1, 1))
    return worst


def defined(counts: list[list[int]]) -> dict[str, float]:
    """Every registered measure of a table of counts, from its definition."""
    with localcontext() as context:
        context.prec = DIGITS
        t = Table(counts)
        tops, lows = [max(c) for c in t.lift], [min(c) for c in t.lift]
        ratio = [log(a / b) if b else math.inf for a, b in zip(tops, lows, strict=True)]
        hits = t.mean([max(c) for c in t.posterior])
        l1 = t.each(lambda v: abs(v - 1))
        out: dict[str, Value] = {
            "max-lift": max(tops),
            "min-lift": min(lows),
            "log-lift-range": max(ratio),
            "ldp-epsilon": max(ratio),
            "pointwise-maximal-leakage": log(max(tops)),
            "confidence": max(max(c) for c in t.posterior),
            "l1-lift": max(l1),
            "l1-lift-inverse": max(t.each(lambda v: abs(_inverse(v) - 1))),
            "chi2-lift": max(t.each(lambda v: (v - 1) ** 2)),
            "chi2-lift-inverse": max(t.each(lambda v: (_inverse(v) - 1) ** 2)),
            "mutual-information": t.mean([_kl(c, t.prior) for c in t.posterior]),
            "reverse-kl": t.mean([_kl(t.prior, c) for c in t.posterior]),
            "total-variation": t.mean([v / 2 for v in l1]),
            "chi2": t.mean(t.each(lambda v: (v - 1) ** 2)),
            "hellinger": t.mean(t.each(lambda v: (dec(v).sqrt() - 1) ** 2 / 2)),
            "sibson-0.5": _sibson(t, Fraction(1, 2)),
            "sibson-2": _sibson(t, Fraction(2)),
            "sibson-inf": log(t.mean(tops)),
            "arimoto-0.5": _arimoto(t, Fraction(1, 2)),
            "arimoto-2": _arimoto(t, Fraction(2)),
            "arimoto-inf": log(hits / max(t.prior)),
            "maximal-leakage": log(t.mean(tops)),
            "min-entropy-leakage": log(hits / max(t.prior)),
            "guessing-before": max(t.prior),
            "guessing-after": hits,
            "k": Fraction(min(t.sizes)),
            "distinct-l": Fraction(min(sum(v > 0 for v in c) for c in t.columns)),
            "entropy-l": min(_entropy(c).exp() for c in t.posterior),
            "recursive-c-2": max(_recursive(c) for c in t.columns),
            "alpha-k": max(max(c) for c in t.posterior),
            "t-closeness": max(l1) / 2,
            "t-closeness-ordered": _ordered(t),
            "beta-likeness": max(tops) - 1,
            "beta-likeness-enhanced": _enhanced(t),
            "delta-disclosure": max(max(abs(log(v)) for v in c) for c in t.lift),
        }
        for order in (2, 10, 100):
            out[f"alpha-lift-{order}"] = max(_alpha(t, order, 1))
            out[f"alpha-lift-{order}-inverse"] = max(_alpha(t, order, -1))
        return {name: 0.0 if _noise(value) else float(value) for name, value in out.items()}


def _noise(value: Value) -> bool:
    """What is left of 60 digits when a number is 0; no table here has a positive measure below 1e-50."""
    return isinstance(value, Decimal) and abs(value) < Decimal("1e-55")


def _kl(p: list[Fraction], q: list[Fraction]) -> Value:
    if any(a and not b for a, b in zip(p, q, strict=True)):
        return math.inf
    return sum((dec(a) * dec(log(a / b)) for a, b in zip(p, q, strict=True) if a), Decimal(0))


def random_counts(rng: random.Random) -> list[list[int]]:
    """A table with what tables have: zero cells, empty rows and columns, one row, one column, huge and nearly equal counts."""
    rows, columns = rng.choice([(1, 4), (4, 1), (1, 1), (2, 2), (3, 5), (5, 3), (2, 7), (6, 6)])
    top = rng.choice([3, 20, 1000, 2**40, 2**61, 10**30])
    style = rng.choice(["any", "sparse", "near", "empty"])
    if style == "near":
        p, q = [[rng.randint(1, 9) for _ in range(k)] for k in (rows, columns)]
        return [[10 ** rng.choice([2, 6, 12]) * a * b + rng.randint(0, 2) for b in q] for a in p]
    counts = [
        [rng.randint(0, top) if style != "sparse" or rng.random() < 0.5 else 0 for _ in range(columns)]
        for _ in range(rows)
    ]
    if style == "empty":
        counts[rng.randrange(rows)] = [0] * columns
        empty = rng.randrange(columns)
        counts = [[0 if y == empty else v for y, v in enumerate(row)] for row in counts]
    if not any(map(any, counts)):
        counts[0][0] = 1
    return counts


def joint_of(counts: list[list[int]]) -> Joint:
    """The joint of a table of Python integers."""
    import numpy as np

    return Joint.from_counts(np.array(counts, dtype=object))
