"""Whole numbers and fractions: shares, enclosures of exp and log, products that cannot overflow.

Nothing here rounds unless its name says to which side. Floats come in through :func:`fraction`
(as their shortest decimal) or :func:`whole_shares` (rounded once), and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgate.errors import DataError

SHARE_BITS = 40
SHARE_TOTAL = 1 << SHARE_BITS
_INT64_SAFE = 1 << 62
_LONGEST = 4000  # digits of a number given as text, and the most its power of ten may be


class Enclosure(NamedTuple):
    """A number known to lie between two fractions."""

    lower: Fraction
    upper: Fraction

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)


def fraction(value: object, place: str = "number") -> Fraction:
    """A number as an exact fraction; text is read exactly and a float means its shortest decimal.

    >>> fraction("0.1"), fraction(0.1), fraction("3/4"), fraction(2)
    (Fraction(1, 10), Fraction(1, 10), Fraction(3, 4), Fraction(2, 1))
    """
    if isinstance(value, bool) or value is None:
        raise DataError(
            place, f"{value!r} is not a number", "give a whole number, a fraction such as 3/4, or a decimal"
        )
    if isinstance(value, Fraction):
        return value
    if isinstance(value, (int, np.integer)):
        return Fraction(int(value))
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise DataError(place, f"{value!r} is not finite", "give a finite number")
        return Fraction(repr(float(value)))
    if isinstance(value, str):
        try:
            power = value.lower().partition("e")[2]
            if len(value) > _LONGEST or (power and abs(int(power)) > _LONGEST):
                raise ValueError("too long")
            return Fraction(value.strip())
        except (ValueError, ZeroDivisionError):
            shown = value if len(value) < 40 else value[:37] + "..."
            raise DataError(place, f"{shown!r} is not a number", "write it as 3, 3/4 or 0.75") from None
    raise DataError(place, f"{value!r} is not a number", "give a whole number, a fraction such as 3/4, or a decimal")


def power_of_ten(value: Fraction) -> int:
    """The power of ten of the first digit of a positive number, however long it is.

    >>> power_of_ten(Fraction(1, 300)), power_of_ten(Fraction(10**9000))
    (-3, 9000)
    """
    e = math.floor((value.numerator.bit_length() - value.denominator.bit_length() - 1) * math.log10(2)) - 1
    while value >= Fraction(10) ** (e + 1):
        e += 1
    return e


def exp_enclosure(q: Fraction | int, bits: int = 64) -> Enclosure:
    """Fractions around e^q, at most ``2^-bits * max(1, e^q)`` apart (Taylor on q / 2^m, then m squarings).

    >>> low, up = exp_enclosure(1, 30)
    >>> low < up and float(low) <= 2.718281828459045 <= float(up)
    True
    """
    q = Fraction(q)
    if q == 0:
        return Enclosure(Fraction(1), Fraction(1))
    if q < 0:
        inverse = exp_enclosure(-q, bits + 2)
        return Enclosure(1 / inverse.upper, 1 / inverse.lower)
    halvings = max(0, math.ceil(q).bit_length() + 1)
    work = bits + 2 * halvings + 2 * math.ceil(q) + 16
    one = 1 << work
    r_low = (q.numerator << work) // (q.denominator << halvings)
    r_up = r_low + 1
    low = up = term_low = term_up = one
    k = 0
    while term_up > 1:
        k += 1
        term_low = (term_low * r_low >> work) // k
        term_up = -(-(term_up * r_up) >> work) // k + 1
        low += term_low
        up += term_up
    up += 2 * term_up + 2
    for _ in range(halvings):
        low = low * low >> work
        up = -(-(up * up) >> work)
    return Enclosure(Fraction(low, one), Fraction(up, one))


def log_enclosure(q: Fraction | int, bits: int = 64) -> Enclosure:
    """Fractions around ln q for q > 0, at most 2^-bits apart (2 atanh after scaling to [2/3, 4/3]).

    >>> low, up = log_enclosure(Fraction(2), 40)
    >>> float(low) <= 0.6931471805599453 <= float(up)
    True
    """
    q = Fraction(q)
    if q <= 0:
        raise DataError("logarithm", f"{q} is not positive", "give a positive number")
    shift = q.numerator.bit_length() - q.denominator.bit_length()
    scaled = q / (Fraction(2) ** shift)
    while scaled > Fraction(4, 3):
        scaled /= 2
        shift += 1
    while scaled < Fraction(2, 3):
        scaled *= 2
        shift -= 1
    work = bits + abs(shift).bit_length() + 16
    low, up = _atanh_double(scaled, work)
    two_low, two_up = _atanh_double(Fraction(4, 3), work)
    four_low, four_up = _atanh_double(Fraction(2, 3), work)
    ln2_low, ln2_up = two_low - four_up, two_up - four_low
    low += shift * (ln2_low if shift >= 0 else ln2_up)
    up += shift * (ln2_up if shift >= 0 else ln2_low)
    one = 1 << work
    return Enclosure(Fraction(low, one), Fraction(up, one))


def _atanh_double(q: Fraction, work: int) -> tuple[int, int]:
    """ln q = 2 atanh((q-1)/(q+1)) for q in [2/3, 4/3], in units of 2^-work, rounded to both sides."""
    top, bottom = q.numerator - q.denominator, q.numerator + q.denominator
    sign = -1 if top < 0 else 1
    z = (abs(top) << work) // bottom
    z_up = z if (abs(top) << work) % bottom == 0 else z + 1
    low = up = 0
    power_low, power_up, k = z, z_up, 1
    while power_up > 1:
        low += power_low // k
        up += -(-power_up // k)
        power_low = (power_low * z >> work) * z >> work
        power_up = -(-(-(-(power_up * z_up) >> work) * z_up) >> work)
        k += 2
        if power_up == 1 and power_low == 0:
            break
    up += 2 * power_up + 1
    return (2 * low, 2 * up) if sign > 0 else (-2 * up, -2 * low)


def exp_rounded(q: Fraction, side: Literal["down", "up"], bits: int = SHARE_BITS) -> Fraction:
    """e^q rounded to the stated side, to a fraction with denominator 2^bits.

    >>> float(exp_rounded(Fraction(1), "down")) < 2.718281828459045 < float(exp_rounded(Fraction(1), "up"))
    True
    """
    if q == 0:
        return Fraction(1)
    extra = bits + 8
    while True:
        low, up = exp_enclosure(q, extra)
        scale = 1 << bits
        down, down_of_up = math.floor(low * scale), math.floor(up * scale)
        if down == down_of_up:  # e^q is irrational for rational q != 0, so this ends
            return Fraction(down if side == "down" else down + 1, scale)
        extra *= 2


def whole_shares(weights: ArrayLike, total: int = SHARE_TOTAL) -> NDArray[np.int64]:
    """Weights rounded once to whole shares of ``total``: largest remainder, and positive stays positive.

    >>> whole_shares([1, 1, 1], 10).tolist(), whole_shares([1e-30, 1.0], 10).tolist()
    ([4, 3, 3], [1, 9])
    """
    w = np.asarray(weights, dtype=np.float64)
    if w.ndim != 1:
        raise DataError("weights", f"{w.ndim} dimensions", "give a plain list of weights")
    wrong = np.flatnonzero(~np.isfinite(w) | (w < 0))
    if wrong.size:
        raise DataError("weights", f"entry {wrong[0]} is {w[wrong[0]]}", "weights must be finite and not negative")
    positive = np.flatnonzero(w > 0)
    if positive.size == 0 or positive.size > total:
        raise DataError(
            "weights",
            f"{positive.size} positive weights for {total} shares",
            "give at least one positive weight and enough shares",
        )
    ideal = w[positive] / w[positive].max()
    ideal = ideal / ideal.sum() * total
    shares = np.maximum(np.floor(ideal).astype(np.int64), 1)
    left = total - int(shares.sum())
    if left > 0:
        each, rest = divmod(left, positive.size)
        shares += each
        shares[np.argsort(-(ideal - shares), kind="stable")[:rest]] += 1
    while left < 0:
        largest = int(np.argmax(shares))
        take = min(-left, int(shares[largest]) - 1)
        shares[largest] -= take
        left += take
    out = np.zeros(w.size, dtype=np.int64)
    out[positive] = shares
    return out


def largest(values: NDArray[Any]) -> int:
    """The largest entry of a whole-number array as a Python integer; 0 for an empty one."""
    return int(values.max()) if values.size else 0


def fits_int64(*factors: int) -> bool:
    """Whether a product of these whole numbers stays below 2^62."""
    return math.prod(abs(int(f)) for f in factors) < _INT64_SAFE


def whole_array(values: Any, place: str) -> NDArray[Any]:
    """Whole numbers that are not negative, as int64, or as Python integers where int64 is too small."""
    raw = np.asarray(values)
    if raw.dtype == bool or raw.dtype.kind not in "iufO":
        raise DataError(place, f"entries of type {raw.dtype}", "give whole numbers")
    if raw.dtype.kind == "f":
        bad = np.argwhere(~np.isfinite(raw) | (raw != np.floor(raw)))
        if bad.size:
            where = tuple(int(i) for i in bad[0])
            raise DataError(
                f"{place} {list(where)}",
                f"{raw[where]} is not a whole number",
                "give counts, or use from_probabilities",
            )
        if raw.size and np.abs(raw).max() > 2**53:
            raise DataError(place, "a float beyond 2^53 is not an exact count", "give whole numbers")
        raw = raw.astype(np.int64)
    if raw.dtype.kind == "O":
        for where, entry in np.ndenumerate(raw):
            if isinstance(entry, bool) or not isinstance(entry, (int, np.integer)):
                raise DataError(
                    f"{place} {list(where)}", f"{entry!r} is not a whole number", "give counts as whole numbers"
                )
        raw = np.array([int(v) for v in raw.ravel()], dtype=object).reshape(raw.shape)
    negative = np.argwhere(raw < 0)
    if negative.size:
        where = tuple(int(i) for i in negative[0])
        raise DataError(f"{place} {list(where)}", f"{raw[where]} is negative", "counts cannot be negative")
    if sum_whole(raw) < _INT64_SAFE:
        return np.ascontiguousarray(raw.astype(np.int64))
    return raw.astype(object)


def sum_whole(values: NDArray[Any]) -> int:
    """The exact sum of a whole-number array, also beyond int64."""
    if values.size == 0:
        return 0
    if values.dtype != object and fits_int64(largest(values), values.size):
        return int(values.sum())
    return sum(int(v) for v in values.ravel())


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """A copy that nobody can change."""
    out = np.array(values)
    out.setflags(write=False)
    return out


def lcm(values: Iterable[int]) -> int:
    """The least common multiple of positive whole numbers."""
    return math.lcm(*(int(v) for v in values))


def root_enclosure(value: Fraction, degree: int, bits: int) -> Enclosure:
    """Fractions 2^-bits apart around the ``degree``-th root of a fraction that is not negative."""
    scaled = (value.numerator << (bits * degree)) // value.denominator
    low = integer_root(scaled, degree)
    exact = Fraction(low, 1 << bits) ** degree == value
    return Enclosure(Fraction(low, 1 << bits), Fraction(low if exact else low + 1, 1 << bits))


def integer_root(value: int, degree: int) -> int:
    """The largest whole number whose ``degree``-th power is at most ``value`` (Newton's steps)."""
    if value < 2 or degree == 1:
        return value
    if degree == 2:
        return math.isqrt(value)
    x = 1 << -(-value.bit_length() // degree)
    while True:
        y = ((degree - 1) * x + value // x ** (degree - 1)) // degree
        if y >= x:
            return x
        x = y
