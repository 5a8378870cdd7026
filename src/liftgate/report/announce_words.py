"""Words and numbers of announcement pages: promises rounded up, floors down, rates in 100."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np

from liftgate.exact import fraction
from liftgate.labels import label_text
from liftgate.report.numbers import NBSP
from liftgate.report.words import cut, visible

MOST_GROUPS = 4
MOST_ROWS = 40


def promise(value: Any) -> str:
    """A promised confidence in percent with one decimal, rounded up; a float means its shortest decimal.

    >>> promise(0.6377953).replace(NBSP, " "), promise(0.675).replace(NBSP, " "), promise(1).replace(NBSP, " ")
    ('63.8 %', '67.5 %', '100 %')
    """
    return _percent(ceil(fraction(float(value)) * 1000))


def at_least(value: Any) -> str:
    """A floor in percent with one decimal, rounded down.

    >>> at_least(2 / 3).replace(NBSP, " ")
    '66.6 %'
    """
    return _percent(floor(fraction(float(value)) * 1000))


def _percent(tenths: int) -> str:
    whole, rest = divmod(min(tenths, 1000), 10)
    return f"{whole}.{rest}{NBSP}%" if rest else f"{whole}{NBSP}%"


def in_hundred(value: Any, digits: int = 2) -> str:
    """A rate as a number of cases in 100.

    >>> in_hundred(0.1), in_hundred(0.47619), in_hundred(0.00001), in_hundred(0.99999)
    ('10', '47.62', 'under 0.01', 'over 99.99')
    """
    shown, unit = f"{float(value) * 100:.{digits}f}", 10.0**-digits
    if float(shown) == 0 < value:
        return f"under {unit:.{digits}f}"
    if float(shown) == 100 and value < 1:
        return f"over {100 - unit:.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def rates_in_hundred(chances: Any) -> str:
    """The rate of the positive outcome, or of every outcome, in 100."""
    if np.ndim(chances):
        return " / ".join(in_hundred(v) for v in chances)
    return in_hundred(chances)


def shift(value: float) -> str:
    """A difference of rates with its sign.

    >>> shift(0.1), shift(-0.1), shift(0.0)
    ('+10', '−10', '0')
    """
    text = in_hundred(abs(value))
    return text if text == "0" else ("+" if value > 0 else "−") + text


def name(label: Any, length: int = 60) -> str:
    """A label as pages print it."""
    return visible(cut(label_text(label), length))
