"""View: the lift matrix and the priors of one joint, computed once and shared by every measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.exact import fits_int64, largest
from liftgate.joint import Joint

Floats = NDArray[np.float64]
_HALF = 31
_FLOAT_BITS = 1000
_MASK = (1 << _HALF) - 1
_SERIES_BELOW = 0.1
_SERIES_TERMS = 19


@dataclass(frozen=True, eq=False)
class View:
    """A joint without its empty rows and columns, as floats that keep their relative precision near lift 1.

    ``kept`` holds the positions of the remaining columns among the ``width`` columns of the joint that was given.
    """

    joint: Joint
    kept: NDArray[np.intp]
    width: int
    log_sums: dict[float, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, joint: Joint) -> View:
        """The view of a joint; rows and columns that never occur are left out."""
        kept = np.flatnonzero(joint.public_counts.astype(bool))
        return cls(joint.drop_empty(), kept, len(joint.public))

    @cached_property
    def counts(self) -> NDArray[Any]:
        """How often s and y occur together."""
        return self.joint.counts

    @cached_property
    def sizes(self) -> NDArray[Any]:
        """How often y occurs: the sizes of the classes."""
        return self.joint.public_counts

    @cached_property
    def prior(self) -> Floats:
        """P(s)."""
        return self.joint.prior

    @cached_property
    def share(self) -> Floats:
        """P(y)."""
        return self.joint.public_share

    @cached_property
    def lift(self) -> Floats:
        """P(s | y) / P(s)."""
        n = self.joint.total
        scale = quotient(np.asarray(n, dtype=object), self.joint.sensitive_counts)
        return quotient(self.counts, self.sizes[None, :]) * scale[:, None]

    @cached_property
    def posterior(self) -> Floats:
        """P(s | y)."""
        return quotient(self.counts, self.sizes[None, :])

    @cached_property
    def change(self) -> Floats:
        """lift - 1, from the whole numbers N(s,y) N - N(s) N(y): exactly 0 where nothing is learned."""
        return _change(self.counts, self.joint.sensitive_counts, self.sizes, self.joint.total)

    @cached_property
    def inverse_change(self) -> Floats:
        """1 / lift - 1; infinite where lift is 0."""
        with np.errstate(divide="ignore"):
            out: Floats = -self.change / self.lift
        return out

    @cached_property
    def log_lift(self) -> Floats:
        """log lift = log(1 + change), in nats; -inf where lift is 0."""
        small = np.abs(self.change) < 0.5
        with np.errstate(divide="ignore"):
            out: Floats = np.where(small, np.log1p(np.where(small, self.change, 0.0)), np.log(self.lift))
        return out

    @cached_property
    def gain(self) -> Floats:
        """sum_s P(s) (l log l - l + 1), for each y: what y tells about s, in nats."""
        with np.errstate(invalid="ignore"):
            far = self.lift * self.log_lift - self.change
        return weighted(self.prior, np.where(self.lift > 0, _near(self.change, far, _log_terms()), 1.0))

    @cached_property
    def reverse_gain(self) -> Floats:
        """sum_s P(s) (l - 1 - log l), for each y."""
        return weighted(self.prior, _near(self.change, self.change - self.log_lift, _reverse_terms()))

    def log_sum(self, order: float) -> Floats:
        """log sum_s P(s) l^order for each y, of any order but 0; infinite where a negative order meets lift 0."""
        if order not in self.log_sums:
            self.log_sums[order] = log_sum(self.log_lift, np.log(self.prior), order)
        return self.log_sums[order]

    def bend(self, order: float) -> Floats:
        """l^order - 1 - order (l - 1), which has one sign and is 0 to second order at l = 1."""
        return bend(self.change, self.lift, self.log_lift, order)


def weighted(weights: Floats, values: Floats) -> Floats:
    """sum_s w(s) v(s, y) for each y, also where v is infinite; weights are positive."""
    with np.errstate(invalid="ignore", over="ignore"):
        out = np.asarray(weights @ values, dtype=np.float64)
    if not np.all(np.isfinite(out)):
        out = np.where(np.isinf(values).any(axis=0), np.inf, out)
    return out


def log_sum(log_lift: Floats, log_weights: Floats, order: float) -> Floats:
    """log sum_s w(s) l^order for each y, scaled by its largest term so that no order overflows."""
    terms = order * log_lift
    terms += log_weights[:, None]
    top = terms.max(axis=0)
    known = np.isfinite(top)
    terms -= np.where(known, top, 0.0)
    with np.errstate(over="ignore"):
        out: Floats = np.log(np.exp(terms, out=terms).sum(axis=0)) + np.where(known, top, 0.0)
    return np.where(known, out, top)


def bend(change: Floats, base: Floats, log_base: Floats, order: float) -> Floats:
    """b^a - 1 - a d for a base b = 1 + d >= 0 and a > 0, by its series where |d| is small, in full relative precision."""
    rest = order - 1
    with np.errstate(invalid="ignore", over="ignore"):
        far = base * np.expm1(rest * log_base) - rest * change
    far = np.where(base > 0, far, rest)
    terms, term = [], order * rest / 2
    for k in range(2, _SERIES_TERMS):
        terms.append(term)
        term *= (order - k) / (k + 1)
    return _near(change, far, terms, _SERIES_BELOW / max(order, 1.0))


def quotient(top: NDArray[Any], bottom: NDArray[Any]) -> Floats:
    """Ratios of whole numbers of any size; something above 0 is infinite."""
    if top.dtype != object and bottom.dtype != object:
        with np.errstate(divide="ignore"):
            return np.asarray(top / bottom, dtype=np.float64)
    if max(largest(top), largest(bottom), -_least(top)).bit_length() < _FLOAT_BITS:
        with np.errstate(divide="ignore"):
            return np.asarray(top.astype(np.float64) / bottom.astype(np.float64), dtype=np.float64)
    wide = np.broadcast_arrays(top.astype(object), bottom.astype(object))
    cells = [int(a) / int(b) if b else np.inf for a, b in zip(wide[0].ravel(), wide[1].ravel(), strict=True)]
    return np.array(cells, dtype=np.float64).reshape(wide[0].shape)


def _least(values: NDArray[Any]) -> int:
    """The smallest entry as a Python integer."""
    return int(values.min()) if values.size else 0


def _near(change: Floats, far: Floats, terms: list[float], below: float = _SERIES_BELOW) -> Floats:
    """``far``, replaced by sum_k terms[k] d^(k+2) where |d| is below the limit."""
    at = np.flatnonzero(np.abs(change).ravel() < below)
    if at.size == 0:
        return far
    d = change.ravel()[at]
    series = np.zeros_like(d)
    for term in reversed(terms):
        series = series * d + term
    out = np.array(far, dtype=np.float64, order="C")
    out.reshape(-1)[at] = series * d * d
    return out


def _log_terms() -> list[float]:
    """(1+d) log(1+d) - d = sum_{k>=2} (-1)^k d^k / (k (k-1))."""
    return [(-1) ** k / (k * (k - 1)) for k in range(2, _SERIES_TERMS)]


def _reverse_terms() -> list[float]:
    """d - log(1+d) = sum_{k>=2} (-1)^k d^k / k."""
    return [(-1) ** k / k for k in range(2, _SERIES_TERMS)]


def _change(c: NDArray[Any], a: NDArray[Any], b: NDArray[Any], n: int) -> Floats:
    """(c n - a b) / (a b), the numerator exactly: in one word, in two, or in Python integers."""
    if fits_int64(largest(c), n) and fits_int64(largest(a), largest(b)):
        return np.asarray((c * n - np.multiply.outer(a, b)) / np.multiply.outer(a, b), dtype=np.float64)
    if c.dtype == object or n >= 1 << 2 * _HALF:
        c, a, b = c.astype(object), a.astype(object), b.astype(object)
        expected = np.multiply.outer(a, b)
        if 2 * int(n).bit_length() < _FLOAT_BITS:
            numerator = (c * int(n) - expected).astype(np.float64)
            return np.asarray(numerator / np.multiply.outer(a.astype(np.float64), b.astype(np.float64)))
        return quotient(c * int(n) - expected, expected)
    high, middle, low = (
        x - y
        for x, y in zip(
            _product(c, np.asarray(n)), _product(np.asarray(a)[:, None], np.asarray(b)[None, :]), strict=True
        )
    )
    middle += low >> _HALF
    low &= _MASK
    high += middle >> _HALF
    low += (middle & _MASK) << _HALF  # the numerator is high 2^62 + low with 0 <= low < 2^62
    numerator = np.where(high == -1, (low - (1 << 2 * _HALF)) * 1.0, high * 2.0 ** (2 * _HALF) + low)
    return np.asarray(numerator / np.multiply.outer(a * 1.0, b * 1.0), dtype=np.float64)


def _product(x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """x y = high 2^62 + middle 2^31 + low, for whole numbers below 2^62."""
    xh, xl, yh, yl = x >> _HALF, x & _MASK, y >> _HALF, y & _MASK
    return xh * yh, xh * yl + xl * yh, xl * yl
