"""Scales: a logarithmic one around 1 with a place of its own for 0, and one for measures with a bound."""

from __future__ import annotations

import math
from dataclasses import dataclass

_NAMED = {1 / 8: "⅛", 1 / 4: "¼", 1 / 2: "½"}


@dataclass(frozen=True)
class LogScale:
    """Positions of factors between ``low`` and ``up``; 0 and infinity have places outside the range."""

    low: float
    up: float
    start: float
    end: float
    zero: float | None = None
    infinite: float | None = None

    def at(self, value: float) -> float:
        """Where a factor stands; values beyond the range stand at its ends."""
        if value <= 0:
            return self.start if self.zero is None else self.zero
        if math.isinf(value):
            return self.end if self.infinite is None else self.infinite
        share = (math.log(value) - math.log(self.low)) / (math.log(self.up) - math.log(self.low))
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self, most: int = 8) -> list[tuple[float, str]]:
        """Factors worth a tick, with their names: powers of two, or round decimals on a narrow range.

        >>> [name for _, name in LogScale(1 / 8, 8, 0, 100).ticks()]
        ['⅛', '¼', '½', '1', '2', '4', '8']
        >>> [name for _, name in LogScale(0.98, 1.02, 0, 100).ticks()]
        ['0.98', '0.99', '1', '1.01', '1.02']
        """
        first, last = math.ceil(math.log2(self.low) - 1e-9), math.floor(math.log2(self.up) + 1e-9)
        if last - first >= 2 or (last - first >= 1 and self.up / self.low > 3):
            stride = max(1, math.ceil((last - first + 1) / most))
            powers = [k for k in range(first, last + 1) if k % stride == 0]
            return [(2.0**k, factor_name(2.0**k)) for k in powers]
        span = self.up - self.low
        step = _nice(span / max(2, most - 2))
        k = math.ceil((self.low - 1) / step - 1e-9)
        places = max(0, -math.floor(math.log10(step) + 1e-9))
        out = []
        while 1 + k * step <= self.up * (1 + 1e-12):
            value = 1 + k * step
            if value > 0:
                out.append((value, "1" if k == 0 else f"{value:.{places}f}"))
            k += 1
        return out


@dataclass(frozen=True)
class MeasureScale:
    """Positions of a measure from its least value (silence) past its bound: log(1 + excess / unit)."""

    least: float
    unit: float
    most: float
    start: float
    end: float
    infinite: float | None = None

    def at(self, value: float) -> float:
        """Where a value stands."""
        if math.isinf(value):
            return self.end if self.infinite is None else self.infinite
        share = self._t(value) / self._t(self.most)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def _t(self, value: float) -> float:
        return math.log1p(max(0.0, value - self.least) / self.unit)

    def ticks(self, apart: float = 44) -> list[tuple[float, str]]:
        """Round values whose places lie apart."""
        out = [(self.least, f"{self.least:g}")]
        place = self.at(self.least)
        k = math.floor(math.log10(self.unit)) - 2
        while 10.0**k <= self.most:
            for digit in (1, 2, 5):
                value = digit * 10.0**k
                if self.least < value <= self.most and self.at(value) - place >= apart:
                    out.append((value, f"{value:,.10g}"))
                    place = self.at(value)
            k += 1
        return out


def around_one(values: list[float], start: float, end: float, gutter: float = 32) -> LogScale:
    """A scale with 1 in the middle that holds all values, with gutters for 0 and infinity where they occur."""
    finite = [abs(math.log2(v)) for v in values if 0 < v < math.inf]
    reach = max(finite, default=0.0)
    zero, infinite = any(v <= 0 for v in values), any(math.isinf(v) for v in values)
    if reach < 1e-12:
        reach = 1.0
    elif reach > 0.6:
        reach = max(1.0, math.ceil(reach - 1e-9) if reach < 8 else reach)
        if reach - max(finite) < 0.08:
            reach += 0.2
    else:
        reach = max(reach * 1.15, 1e-6)
    if zero or infinite:
        start, end = start + gutter, end - gutter
    return LogScale(
        2.0**-reach, 2.0**reach, start, end, start - gutter if zero else None, end + gutter if infinite else None
    )


def factor_name(value: float) -> str:
    """A power of two as people write it: ⅛, 1/16, 4."""
    if value in _NAMED:
        return _NAMED[value]
    return f"{value:,.0f}" if value >= 1 else f"1/{1 / value:,.0f}"


def _nice(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= value * (1 - 1e-9))
