"""Families of output laws and the search for their worst pair of neighbours: one pair is never taken for all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from types import MappingProxyType
from typing import Any

from liftgate.channel import Channel
from liftgate.couplings import named
from liftgate.couplings.hinges import exp_factor, small_delta
from liftgate.couplings.laws import Law, LawLike, read_law
from liftgate.couplings.profiles import Profile, profile
from liftgate.couplings.relations import RelationLike
from liftgate.errors import UsageError
from liftgate.exact import fraction
from liftgate.labels import label_text

MOST_PAIRS = 20_000
MOST_EXHAUSTIVE = 6
MOST_COUNTS = 1000


@dataclass(frozen=True)
class Neighbours:
    """Two neighbouring inputs and the pattern they come from."""

    kind: str
    left: Hashable
    right: Hashable


@dataclass(frozen=True)
class Family:
    """A mechanism on some inputs: its law for each, which inputs are neighbours, and the e^eps it promises, if any."""

    name: str
    law: Callable[[Any], Law]
    pairs: tuple[Neighbours, ...]
    promise: Fraction | None = None
    partial: bool = False  # whether outputs were put together, so that a true ratio may be larger


@dataclass(frozen=True)
class PairFound:
    """One pair of a search: the least e^eps at the delta asked for (None is infinite) and the least delta at the promise."""

    pair: Neighbours
    exp_eps: Fraction | None
    delta: Fraction | None


@dataclass(frozen=True)
class Search:
    """All pairs of a family that were tried, worst first."""

    family: Family
    allowed: Fraction
    found: tuple[PairFound, ...]

    @property
    def worst(self) -> PairFound:
        """The pair with the largest least e^eps, then the largest delta at the promise."""
        return self.found[0]

    @property
    def refuted(self) -> bool | None:
        """Whether some pair breaks the promise; None where nothing was promised."""
        if self.family.promise is None:
            return None
        return self.worst.exp_eps is None or self.worst.exp_eps > self.family.promise

    def profile(self, found: PairFound | None = None, relation: RelationLike = "equal") -> Profile:
        """The profile of a pair, the worst one by default."""
        pair = (found or self.worst).pair
        return profile(self.family.law(pair.left), self.family.law(pair.right), relation, proper=False)


def search(
    family: Family, delta: object = 0, exp_eps: object = None, relation: RelationLike = "equal",
    progress: Callable[[int, int], None] | None = None,
) -> Search:  # fmt: skip
    """The least e^eps of every pair of neighbours at this delta, and the least delta at ``exp_eps`` (else the promise).

    >>> search(build_family("randomised-response", exp_eps=3)).worst.exp_eps
    Fraction(3, 1)
    """
    if not family.pairs:
        raise UsageError(f"family {family.name}", "no two of its inputs are neighbours", "give it more inputs")
    allowed = small_delta(delta)
    level = family.promise if exp_eps is None else exp_factor(exp_eps)
    laws: dict[Hashable, Law] = {}
    found = []
    for k, pair in enumerate(family.pairs):
        for name in (pair.left, pair.right):
            if name not in laws:
                laws[name] = family.law(name)
        p = profile(laws[pair.left], laws[pair.right], relation, proper=False)  # a family has read its laws already
        found.append(PairFound(pair, p.exp_epsilon(allowed), None if level is None else p.delta(exp_eps=level)))
        if progress is not None:
            progress(k + 1, len(family.pairs))
    found.sort(key=lambda one: (one.exp_eps is None, one.exp_eps or 0, one.delta or 0), reverse=True)
    return Search(family, allowed, tuple(found))


# --- patterns of neighbours --------------------------------------------------------------------------------------------


def flips(queries: int) -> tuple[Neighbours, ...]:
    """Answers next to a threshold that all move by 1: every pattern of 0 and 1 against its opposite, in both directions.

    Beyond 6 queries only the patterns with a name: all up, all down, halves, alternating, one against the rest.
    """
    if queries < 1:
        raise UsageError("queries", f"{queries} is not positive", "ask at least one query")
    if queries <= MOST_EXHAUSTIVE:
        starts = list(product((0, 1), repeat=queries))
    else:
        first = [(0,) * queries, (0,) * (queries // 2) + (1,) * (queries - queries // 2)]
        first += [tuple(i % 2 for i in range(queries)), (1,) + (0,) * (queries - 1), (0,) * (queries - 1) + (1,)]
        starts = [*first, *(tuple(1 - v for v in start) for start in first)]
    return tuple(Neighbours(_pattern(a), a, tuple(1 - v for v in a)) for a in dict.fromkeys(starts))


def _pattern(start: tuple[int, ...]) -> str:
    if len(set(start)) == 1:
        return "all up" if start[0] == 0 else "all down"
    if all(a != b for a, b in pairwise(start)):
        return "alternating"
    return "mixed"


def moves(size: int, values: int = 3) -> tuple[Neighbours, ...]:
    """All pairs of lists of ``size`` answers from ``0 .. values - 1`` that move by at most 1 each."""
    if size > 9 or (values * 3) ** size > MOST_PAIRS:
        raise UsageError("answers", f"{size} answers have too many pairs", "use fewer answers or values")
    lists = list(product(range(values), repeat=size))
    near = [(a, b) for a in lists for b in lists if a != b and max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1]
    kinds = {(1,): "up", (-1,): "down", (0, 1): "up", (-1, 0): "down"}
    return tuple(
        Neighbours(kinds.get(tuple(sorted({y - x for x, y in zip(a, b, strict=True)})), "mixed"), a, b) for a, b in near
    )


def ordered_pairs(inputs: Iterator[Hashable] | tuple[Hashable, ...]) -> tuple[Neighbours, ...]:
    """Every input against every other one."""
    names = tuple(inputs)
    if len(names) < 2 or len(names) ** 2 > MOST_PAIRS:
        fix = f"give at least 2 and at most {int(MOST_PAIRS**0.5)} inputs"
        raise UsageError("family", f"{len(names)} inputs", fix)
    return tuple(Neighbours("any", a, b) for a in names for b in names if a != b)


def steps(low: int, high: int) -> tuple[Neighbours, ...]:
    """Counts that differ by 1, in both directions."""
    if high - low > MOST_COUNTS:
        raise UsageError("top", f"{high - low} pairs of counts", f"use a top of at most {MOST_COUNTS}")
    up = [Neighbours("one more", k, k + 1) for k in range(low, high)]
    return tuple(up + [Neighbours("one less", n.right, n.left) for n in up])


# --- the named families ------------------------------------------------------------------------------------------------


def _randomised_response(exp_eps: object = 3, values: int = 2) -> Family:
    names = ("yes", "no") if values == 2 else tuple(range(min(values, MOST_PAIRS)))
    law = lambda truth: named.randomised_response(exp_eps, truth, names)  # noqa: E731
    return Family("randomised-response", law, ordered_pairs(names), exp_factor(exp_eps))


def _geometric(ratio: object = "1/2", top: int = 10) -> Family:
    law = lambda count: named.geometric(count, ratio, 0, top)  # noqa: E731
    return Family("geometric", law, steps(0, top), 1 / fraction(ratio, "ratio"))


def _truncated_geometric(ratio: object = "1/2", top: int = 10) -> Family:
    law = lambda count: named.truncated_geometric(count, ratio, top)  # noqa: E731
    return Family("truncated-geometric", law, steps(0, top), 1 / fraction(ratio, "ratio"))


def _cut_geometric(ratio: object = "1/2", width: int = 3) -> Family:
    law = lambda count: named.cut_geometric(count, ratio, width)  # noqa: E731
    return Family("cut-geometric", law, steps(0, 1), 1 / fraction(ratio, "ratio"))


def _exponential(base: object = 2, outputs: int = 3) -> Family:
    law = lambda scores: named.exponential(scores, base)  # noqa: E731
    return Family("exponential", law, moves(outputs), fraction(base, "base") ** 2)


def _noisy_max_index(ratio: object = "1/2", queries: int = 3) -> Family:
    law = lambda answers: named.noisy_max_index(answers, ratio)  # noqa: E731
    return Family("noisy-max", law, moves(queries), 1 / fraction(ratio, "ratio") ** 2)


def _noisy_min_index(ratio: object = "1/2", queries: int = 3) -> Family:
    law = lambda answers: named.noisy_min_index(answers, ratio)  # noqa: E731
    return Family("noisy-min", law, moves(queries), 1 / fraction(ratio, "ratio") ** 2)


def _noisy_max_value(ratio: object = "1/4", queries: int = 5) -> Family:
    law = lambda answers: named.noisy_max_value(answers, ratio)  # noqa: E731
    return Family("noisy-max-value", law, flips(queries), 1 / fraction(ratio, "ratio") ** 2, partial=True)


def _sparse_vector(variant: int) -> Callable[..., Family]:
    def build(
        queries: int = 4 if variant == 3 else 5, unit: object = 2, count: int = 2 if variant == 4 else 1
    ) -> Family:
        law = lambda answers: named.sparse_vector(variant, answers, unit, count, threshold=1)  # noqa: E731
        promise = fraction(unit, "unit") ** 4
        return Family(f"sparse-vector-{variant}", law, flips(queries), promise, partial=variant == 3)

    return build


FAMILIES: Mapping[str, Callable[..., Family]] = MappingProxyType({
    "randomised-response": _randomised_response,
    "geometric": _geometric,
    "truncated-geometric": _truncated_geometric,
    "cut-geometric": _cut_geometric,
    "exponential": _exponential,
    "noisy-max": _noisy_max_index,
    "noisy-min": _noisy_min_index,
    "noisy-max-value": _noisy_max_value,
    **{f"sparse-vector-{variant}": _sparse_vector(variant) for variant in named.SPARSE_VECTORS},
    "above-threshold": _sparse_vector(1),
})  # fmt: skip


def build_family(name: str, **parameters: object) -> Family:
    """A named family; parameters that are not given keep their defaults.

    >>> search(build_family("truncated-geometric", ratio="1/2", top=10)).worst.exp_eps
    Fraction(2, 1)
    """
    if name not in FAMILIES:
        raise UsageError("mechanism", f"{name!r} is not known", "use one of " + ", ".join(FAMILIES))
    build = FAMILIES[name]
    known = inspect.signature(build).parameters
    for key in parameters:
        if key not in known:
            fix = f"it takes {', '.join(known)}"
            raise UsageError(f"mechanism {name}", f"it has no parameter {key!r}", fix)
        if known[key].annotation == "int" and (type(parameters[key]) is not int or parameters[key] < 0):  # type: ignore[operator]
            raise UsageError(f"mechanism {name}, {key}", f"{parameters[key]} is no count", "use a whole number")
    return build(**parameters)


def parse_family(text: str) -> Family:
    """A named family as text: ``name`` or ``name:key=value,key=value``.

    >>> parse_family("sparse-vector-6:queries=4").promise
    Fraction(16, 1)
    """
    name, _, rest = text.partition(":")
    parameters: dict[str, object] = {}
    for item in filter(None, rest.split(",")):
        key, sign, value = item.partition("=")
        if not sign:
            raise UsageError("mechanism", f"{item!r} is not key=value", "write name:key=value,key=value")
        number = fraction(value, f"mechanism {name}, {key}")
        parameters[key] = int(number) if number.denominator == 1 else number
    return build_family(name, **parameters)


def law_family(
    laws: Mapping[Any, LawLike | Law], name: str = "own laws", promise: object = None, proper: bool = True
) -> Family:
    """A family of one's own: input -> output law; all pairs of inputs are neighbours."""
    read = {key: read_law(law, f"law of {label_text(key)}", proper) for key, law in laws.items()}
    return Family(name, read.__getitem__, ordered_pairs(tuple(read)), None if promise is None else exp_factor(promise))


def channel_family(channel: Channel, promise: object = None) -> Family:
    """The rows of a channel: what is released for every public value, all pairs of values."""
    law = lambda value: named.channel_row(channel, value)  # noqa: E731
    return Family("channel", law, ordered_pairs(channel.public), None if promise is None else exp_factor(promise))
