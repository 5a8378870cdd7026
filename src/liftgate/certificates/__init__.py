"""Certificates: the envelope, one writer per kind, and the assumptions they list; formatting only, no search."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from liftgate.certificates.assumptions import ASSUMPTIONS, explain
from liftgate.certificates.bounds import certify, lift_bounds, measure_bounds, ratio_bound
from liftgate.certificates.breaches import breach_of, revealed
from liftgate.certificates.certificate import Certificate


@dataclass(frozen=True)
class Kind:
    """A kind of certificate: what it says in one plain sentence, and the function that writes it."""

    name: str
    sentence: str
    write: Callable[..., Certificate]


_KINDS = (
    Kind("lift-bounds", "No released value moves the belief in any sensitive value beyond the budget.", lift_bounds),
    Kind(
        "ratio-bound",
        "No released value is more than so many times as likely under one sensitive value as under another.",
        ratio_bound,
    ),
    Kind("measure-bounds", "The worst released value, by each measure named, is inside these bounds.", measure_bounds),
)
KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _KINDS})

__all__ = [
    "ASSUMPTIONS",
    "KINDS",
    "Certificate",
    "Kind",
    "breach_of",
    "certify",
    "explain",
    "lift_bounds",
    "measure_bounds",
    "ratio_bound",
    "revealed",
]
