"""Numbers as pages print them: never rounded across a bound, never flattering, words where a word is clearer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from liftgate.exact import power_of_ten

Way = Literal["nearest", "down", "up"]
NBSP = "\u00a0"
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MOST_DIGITS = 6


def count(n: int) -> str:
    """A whole number with commas.

    >>> count(32561)
    '32,561'
    """
    return f"{int(n):,}"


def spelled(n: int) -> str:
    """Small whole numbers as words, others with commas.

    >>> spelled(5), spelled(0), spelled(1300)
    ('five', 'no', '1,300')
    """
    return _WORDS[n] if 0 <= n < len(_WORDS) else count(n)


def exponent(value: Fraction) -> int:
    """The power of ten of the first digit of a positive number."""
    return power_of_ten(value)


def significant(value: Fraction, digits: int, way: Way = "nearest") -> Fraction:
    """A number that is not negative, rounded to significant digits: to the nearest, down or up.

    >>> significant(Fraction("2.71828"), 3, "down"), significant(Fraction("0.367879"), 3, "up")
    (Fraction(271, 100), Fraction(46, 125))
    """
    if value == 0:
        return value
    unit = Fraction(10) ** (exponent(value) - digits + 1)
    steps = value / unit
    whole = math.floor(steps) if way == "down" else math.ceil(steps) if way == "up" else round(steps)
    return whole * unit


def digits_text(value: Fraction, digits: int) -> str:
    """A number that has these significant digits, written out; tiny and huge ones with an exponent.

    >>> digits_text(Fraction(1), 2), digits_text(Fraction(12000), 2), digits_text(Fraction(3, 10**7), 2)
    ('1.0', '12,000', '3.0e-7')
    """
    if value == 0:
        return "0"
    e = exponent(value)
    if e < -4 or e > 8:
        return f"{float(value / Fraction(10) ** e):.{digits - 1}f}e{e}"
    places = max(0, digits - 1 - e)
    scaled = value * 10**places
    whole, rest = divmod(round(scaled), 10**places)
    return f"{whole:,}.{rest:0{places}d}" if places else f"{whole:,}"


def bound(value: Fraction, side: Literal["low", "up"]) -> str:
    """A bound on lift, rounded inwards to three digits, or to as many as keep it apart from 1.

    >>> bound(Fraction("2.71828"), "up"), bound(Fraction("0.367879"), "low"), bound(Fraction(3, 4), "low")
    ('2.71', '0.368', '0.75')
    """
    shown, digits = _bound(value, side)
    text = digits_text(shown, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _bound(value: Fraction, side: Literal["low", "up"]) -> tuple[Fraction, int]:
    way: Way = "down" if side == "up" else "up"
    digits = 3
    while True:
        shown = significant(value, digits, way)
        if value == 1 or abs(shown - 1) * 10 >= abs(value - 1) * 9 or digits >= 15:
            return shown, digits
        digits += 1


def lift(value: Fraction | float, low: Fraction | None = None, up: Fraction | None = None, digits: int = 2) -> str:
    """A lift with two significant digits, or with more near a bound that two would cross.

    What is inside the bounds reads as inside the bounds as printed, what is outside as outside.

    >>> lift(Fraction("7.376")), lift(Fraction("2.72"), up=Fraction("2.71828")), lift(math.inf), lift(0.0)
    ('7.4', '2.72', 'infinite', '0')
    """
    if isinstance(value, float) and math.isinf(value):
        return "infinite"
    v = Fraction(value)
    if v == 0:
        return "0"
    below, above = low is not None and v < low, up is not None and v > up

    def reads_right(shown: Fraction) -> bool:
        if below and low is not None:
            return shown < low
        if above and up is not None:
            return shown > up
        return not (
            (low is not None and shown < _bound(low, "low")[0]) or (up is not None and shown > _bound(up, "up")[0])
        )

    for d in range(digits, _MOST_DIGITS + 1):
        shown = significant(v, d)
        if reads_right(shown):
            return digits_text(shown, d)
    if below or above:
        return digits_text(significant(v, _MOST_DIGITS, "down" if below else "up"), _MOST_DIGITS)
    return digits_text(significant(v, 3, "up" if v < 1 else "down"), 3)


def measured(value: float) -> str:
    """A measure with three decimals, or two significant digits where three decimals would say nothing.

    >>> measured(7.3759), measured(0.0), measured(math.inf), measured(0.00012), measured(3.0)
    ('7.376', '0', 'infinite', '0.00012', '3')
    """
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinity"
    if math.isnan(value):
        return "not defined"
    if value < 0:
        return "−" + measured(-value)
    if value == 0:
        return "0"
    if value < 0.01 or value >= 1000:
        digits = 2 if value < 0.01 else 4
        return digits_text(significant(Fraction(value), digits), digits)
    text = f"{value:.3f}"
    return text[:-4] if text.endswith(".000") and value == round(value) else text


def percent(share: Fraction | float, decimals: int | None = None) -> str:
    """A share of people: one decimal below 10 %, whole above; only nothing is 0 % and only everything 100 %.

    >>> [percent(v).replace(NBSP, " ") for v in (0.272, 0.0051, 0, 1, 0.0001, 0.9999)]
    ['27 %', '0.5 %', '0 %', '100 %', 'under 0.1 %', 'over 99.9 %']
    """
    v = Fraction(share) * 100
    if v <= 0 or v >= 100:
        return f"{0 if v <= 0 else 100}{NBSP}%"
    wanted = decimals if decimals is not None else (1 if v < Fraction(995, 100) else 0)
    step = Fraction(1, 10**wanted)
    whole = round(v / step)
    if whole == 0 or whole * step == 100:
        if wanted == 0:
            return percent(share, 1)
        edge = step if whole == 0 else 100 - step
        return f"{'under' if whole == 0 else 'over'} {float(edge):.{wanted}f}{NBSP}%"
    return f"{float(whole * step):.{wanted}f}{NBSP}%"


def percent_kept(share: Fraction | float, decimals: int = 1) -> str:
    """What a release keeps, rounded down: only everything is 100 %, and less than the last digit says so.

    >>> [percent_kept(v).replace(NBSP, " ") for v in (0.95926, 0.99999, 1.0, 0.0, 0.0004)]
    ['95.9 %', '99.9 %', '100 %', '0 %', 'under 0.1 %']
    """
    v = Fraction(share) * 100
    step = Fraction(1, 10**decimals)
    if v <= 0 or v >= 100:
        return f"{0 if v <= 0 else 100}{NBSP}%"
    steps = v // step
    return f"{float(steps * step):.{decimals}f}{NBSP}%" if steps else f"under {float(step):.{decimals}f}{NBSP}%"


def percent_at_most(share: Fraction | float, decimals: int = 1) -> str:
    """A promised bound, or a share of what was changed, rounded up: never too small.

    >>> percent_at_most(0.95926209, 4).replace(NBSP, " "), percent_at_most(0.0448).replace(NBSP, " ")
    ('95.9263 %', '4.5 %')
    """
    v = Fraction(share) * 100
    if v <= 0 or v >= 100:
        return f"{0 if v <= 0 else 100}{NBSP}%"
    step = Fraction(1, 10**decimals)
    steps = -(-v // step)
    return f"100{NBSP}%" if steps * step >= 100 else f"{float(steps * step):.{decimals}f}{NBSP}%"


def in_people(share: Fraction | float) -> str:
    """A share as a natural frequency.

    >>> in_people(Fraction(272, 1000)), in_people(0.0051), in_people(1), in_people(Fraction(1, 3_000_000))
    ('27 in 100 people', '5 in 1,000 people', 'everyone', 'fewer than 1 in 1,000,000 people')
    """
    v = Fraction(share)
    if v <= 0:
        return "nobody"
    if v >= 1:
        return "everyone"
    base = frequency_base([v])
    hits = round(v * base)
    if hits == base:
        return "more than 999,999 in 1,000,000 people" if base == 10**6 else in_people_at(v, base * 10)
    if hits == 0:
        return "fewer than 1 in 1,000,000 people"
    return f"{count(hits)} in {count(base)} people"


def in_people_at(share: Fraction, base: int) -> str:
    """A share as a natural frequency of a larger base, where the usual one would say everybody."""
    hits = round(share * base)
    if hits == base and base < 10**6:
        return in_people_at(share, base * 10)
    return (
        f"more than {count(base - 1)} in {count(base)} people"
        if hits == base
        else f"{count(hits)} in {count(base)} people"
    )


def frequency_base(shares: Sequence[Fraction | float], least: int = 2) -> int:
    """The smallest of 100, 1,000, … 1,000,000 people among whom every positive share makes at least a few.

    >>> frequency_base([0.048, 0.006], least=5), frequency_base([0.27])
    (1000, 100)
    """
    positive = [Fraction(v) for v in shares if v > 0]
    base = 100
    while base < 10**6 and any(v * base < least for v in positive):
        base *= 10
    return base


def joined(items: Sequence[str], last: str = "and") -> str:
    """A list in words.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
