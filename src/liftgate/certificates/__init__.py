"""Certificates: the envelope, one writer per kind, and the assumptions they list; formatting only, no search."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from liftgate.certificates.announcement import announcement
from liftgate.certificates.assumptions import ASSUMPTIONS, explain
from liftgate.certificates.bounds import certify, lift_bounds, measure_bounds, ratio_bound
from liftgate.certificates.breaches import breach_of, revealed
from liftgate.certificates.certificate import Certificate
from liftgate.certificates.couplings import chain, coupling, no_coupling, profile
from liftgate.certificates.optimality import optimal_utility


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
    Kind("optimal-utility", "No other release inside the budget keeps more than this bound.", optimal_utility),
    Kind(
        "coupling", "Two laws are close up to a relation: a coupling carries all but delta of the left one.", coupling
    ),
    Kind(
        "no-coupling", "Two laws are not that close up to a relation: an event is too likely on the left.", no_coupling
    ),
    Kind("profile", "The least delta of two laws up to a relation, for every epsilon at once.", profile),
    Kind(
        "announcement", "A reader who believes announced rules is at most this sure of a private value.", announcement
    ),
    Kind("chain", "Two programs of several steps end with close laws, from every pair of starts.", chain),
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
    "optimal_utility",
    "ratio_bound",
    "revealed",
]
