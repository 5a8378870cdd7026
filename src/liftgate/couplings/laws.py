"""Laws: finite distributions with exact masses, scaled once to whole numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.exact import fraction

Label = Hashable
LawLike = Mapping[Any, Any] | Sequence[Any] | np.ndarray[Any, Any]


@dataclass(frozen=True)
class Law:
    """A distribution or sub-distribution (STAR Def. 1): label ``i`` has mass ``weights[i] / scale``.

    >>> law = read_law({"a": "1/3", "b": "2/3"}, "left")
    >>> law.labels, law.weights, law.scale
    (('a', 'b'), (1, 2), 3)
    """

    labels: tuple[Label, ...]
    weights: tuple[int, ...]
    scale: int

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def total(self) -> int:
        """The sum of the weights; it equals ``scale`` exactly when the law is proper."""
        return sum(self.weights)

    @property
    def proper(self) -> bool:
        """Whether the masses add up to 1."""
        return self.total == self.scale

    @cached_property
    def units(self) -> NDArray[Any]:
        """The weights as an array: int64 where they fit, else whole numbers of any size."""
        return whole_array(self.weights)

    @cached_property
    def position(self) -> dict[Label, int]:
        """The index of each label."""
        return {label: i for i, label in enumerate(self.labels)}

    def mass(self, index: int) -> Fraction:
        """The mass of the label at this index."""
        return Fraction(self.weights[index], self.scale)

    def masses(self) -> list[Fraction]:
        """All masses in the order of the labels."""
        return [Fraction(w, self.scale) for w in self.weights]


def whole_array(values: Sequence[int]) -> NDArray[Any]:
    """Whole numbers as int64 where they fit, else as they are."""
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return np.array(values, dtype=object)


def read_law(source: LawLike | Law, side: str, proper: bool = True) -> Law:
    """A law from a mapping label -> mass, or from a sequence of masses (labels 0, 1, 2, ...).

    Text is read exactly (``"0.1"`` is 1/10). Floats are refused: they are not the number that was meant.
    """
    place = f"{side} law"
    if isinstance(source, Law):
        law = source
    else:
        labels, values = _parts(source, place)
        law = _scaled(labels, [_mass(v, label, place) for label, v in zip(labels, values, strict=True)])
    if proper and not law.proper:
        fix = "make the masses add up to 1, or say proper=False (--sub) for a sub-distribution"
        raise DataError(place, f"the masses add up to {_told(law)}, not to 1", fix)
    if law.total > law.scale:
        fix = "the masses of a sub-distribution add up to at most 1"
        raise DataError(place, f"the masses add up to {_told(law)}, more than 1", fix)
    return law


def _told(law: Law) -> str:
    """The sum of the masses, exactly where it is short."""
    if law.scale.bit_length() < 300:
        return str(Fraction(law.total, law.scale))
    off = abs(law.total - law.scale)
    sign = "-" if law.total < law.scale else "+"
    return f"1 {sign} about 2^{off.bit_length() - law.scale.bit_length()}"


def _parts(source: Any, place: str) -> tuple[tuple[Label, ...], list[Any]]:
    if isinstance(source, Mapping):
        labels, values = tuple(source), list(source.values())
    elif isinstance(source, np.ndarray) and source.ndim == 1:
        labels, values = tuple(range(source.size)), source.tolist()
    elif isinstance(source, Sequence) and not isinstance(source, str | bytes):
        labels, values = tuple(range(len(source))), list(source)
    else:
        raise DataError(
            place, f"a {type(source).__name__} is not a law", "give a mapping label -> mass, or a list of masses"
        )
    if not labels:
        raise DataError(place, "it has no labels", "give at least one label with its mass")
    return labels, values


def _mass(value: object, label: Label, place: str) -> Fraction:
    if type(value) is Fraction:
        mass = value
    elif isinstance(value, float | np.floating):
        fix = f"write the mass as text, {str(value)!r}, or as a fraction"
        raise DataError(f"{place}, label {label!r}", f"{value!r} is a float, which is not an exact number", fix)
    elif isinstance(value, Decimal) and value.is_finite():
        mass = Fraction(value)
    else:
        mass = fraction(value, f"{place}, label {label!r}")
    if mass < 0:
        raise DataError(f"{place}, label {label!r}", f"the mass {mass} is negative", "masses are at least 0")
    return mass


def _scaled(labels: tuple[Label, ...], masses: list[Fraction]) -> Law:
    scale = math.lcm(*{m.denominator for m in masses})
    return Law(labels, tuple(m.numerator * (scale // m.denominator) for m in masses), scale)
