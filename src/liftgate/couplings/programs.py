"""Programs as chains: above-threshold with a proof for every output, and chains written as JSON."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from liftgate.couplings.chains import Chain, RelationBetween, equal, implies
from liftgate.couplings.law_files import masses_of
from liftgate.couplings.named import BELOW
from liftgate.couplings.noise import at_least, mass, noise_ratio
from liftgate.errors import DataError, UsageError

Offers = dict[Hashable, list[list[RelationBetween]]]


def above_threshold_chain(
    left: Sequence[int], right: Sequence[int], on_threshold: object, on_answer: object, threshold: int = 0,
    reach: int = 12, shifts: Sequence[int] | None = None,
) -> tuple[Chain, Offers]:  # fmt: skip
    """The first answer above a noisy threshold, as a chain, and the relations that prove it output by output.

    Step 0 draws the threshold, kept within ``-reach .. reach``; step i looks at answer i and stops ("1", "2", ...) or goes
    on; "F" is no answer at all. For output k the right threshold is ``shift`` higher than the left one.
    """
    answers = list(left), list(right)
    if not answers[0] or len(answers[0]) != len(answers[1]):
        fix = "give both programs as many answers"
        raise UsageError("above threshold", f"{len(answers[0])} and {len(answers[1])} answers", fix)
    r, s = noise_ratio(on_threshold), noise_ratio(on_answer)
    span = range(-reach, reach + 1)
    draw = {z: mass(r, z - threshold) for z in span[1:-1]}
    draw |= {-reach: 1 - at_least(r, 1 - reach - threshold), reach: at_least(r, reach - threshold)}
    programs: list[list[Any]] = [
        [{"start": draw}, *(_look(q, i, len(side), s, span) for i, q in enumerate(side))] for side in answers
    ]
    chain = Chain.of(programs[0], programs[1], [("start", "start")])
    tried = range(max(0, *(abs(b - a) for a, b in zip(*answers, strict=True))) + 1) if shifts is None else shifts
    outputs = [*(str(k + 1) for k in range(len(left))), BELOW]
    return chain, {
        output: [_relations(k, len(left), shift, output) for shift in tried] for k, output in enumerate(outputs)
    }


def _look(answer: int, i: int, size: int, ratio: Fraction, span: range) -> dict[Hashable, dict[Hashable, Fraction]]:
    """One answer against every threshold; whoever has stopped stays."""
    kernel: dict[Hashable, dict[Hashable, Fraction]] = {str(k + 1): {str(k + 1): Fraction(1)} for k in range(i)}
    for z in span:
        above = at_least(ratio, z - answer)
        kernel[z] = {str(i + 1): above, (BELOW if i == size - 1 else z): 1 - above}
    return kernel


def _relations(k: int, size: int, shift: int, output: Hashable) -> list[RelationBetween]:
    """Until answer k: thresholds shifted, or the left has stopped; from then on what the output asks for."""

    def shifted(a: Hashable, b: Hashable) -> bool:
        return isinstance(a, str) or (not isinstance(b, str) and b == a + shift)  # type: ignore[operator]

    return [shifted if step <= k else implies(output) for step in range(size)]


# --- JSON ----------------------------------------------------------------------------------------------------------------


def read_chain(
    document: object, decimals_exact: bool = True
) -> tuple[Chain, list[RelationBetween] | None, Offers | None]:
    """A chain from JSON: ``left`` and ``right`` (lists of kernels), ``starts``, and perhaps ``relations`` or ``by_output``.

    A kernel is ``{state: {next state: "p/q"}}``; a decimal is refused where ``decimals_exact`` is False. A relation is ``"equal"``, ``{"implies": state}`` or ``{"pairs": [[a, b],
    ...]}``, one after every step but the last; ``by_output`` gives for every output a list of such lists.

    >>> flip = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/3", "1": "2/3"}}
    >>> read_chain({"left": [flip], "right": [flip], "starts": [["0", "1"]]})[0].starts
    (('0', '1'),)
    """
    if not isinstance(document, Mapping):
        raise DataError(
            "chain", f"a {type(document).__name__} is not a chain", "write an object with left, right, starts"
        )
    known = ("left", "right", "starts", "relations", "by_output")
    for key in document:
        if key not in known:
            raise DataError("chain", f"the key {key!r} is not known", f"use {', '.join(known)}")
    for key in known[:3]:
        if not isinstance(document.get(key), list) or not document[key]:
            raise DataError(f"chain, {key}", "it is missing, or no list with entries", f"write a list of {key}")
    for side in ("left", "right"):
        for i, step in enumerate(document[side]):
            if not isinstance(step, Mapping) or not all(isinstance(law, Mapping) for law in step.values()):
                raise DataError(f"chain, {side}, step {i}", "it is no kernel", "write {state: {next state: mass}}")
    starts = [_two(pair, "chain, starts") for pair in document["starts"]]
    left, right = (_kernels(document[side], f"chain, {side}", decimals_exact) for side in ("left", "right"))
    chain = Chain.of(left, right, starts)
    relations, offers = document.get("relations"), document.get("by_output")
    if offers is not None and not isinstance(offers, Mapping):
        raise DataError("chain, by_output", "it is no object", "write {output: [[relation, ...], ...]}")
    return (
        chain,
        None if relations is None else _list(relations, "chain, relations"),
        None
        if offers is None
        else {k: [_list(offer, f"chain, output {k}") for offer in tried] for k, tried in offers.items()},
    )


def _kernels(steps: list[Any], place: str, exact: bool) -> list[dict[str, dict[str, Fraction]]]:
    return [
        {state: masses_of(law, f"{place}, step {i}, state {state!r}", exact) for state, law in step.items()}
        for i, step in enumerate(steps)
    ]


def _list(given: Any, place: str) -> list[RelationBetween]:
    if not isinstance(given, list):
        raise DataError(place, "it is no list of relations", "give one relation after every step but the last")
    return [_relation(one, f"{place}, entry {i}") for i, one in enumerate(given)]


def _relation(given: Any, place: str) -> RelationBetween:
    if given == "equal":
        return equal
    if isinstance(given, Mapping) and list(given) == ["implies"]:
        return implies(given["implies"])
    if isinstance(given, Mapping) and list(given) == ["pairs"] and isinstance(given["pairs"], list):
        pairs = {_two(pair, place) for pair in given["pairs"]}
        return lambda a, b: (a, b) in pairs
    raise DataError(place, f"{given!r} is no relation", 'write "equal", {"implies": state} or {"pairs": [[a, b], ...]}')


def _two(pair: Any, place: str) -> tuple[str, str]:
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(v, str) for v in pair):
        raise DataError(place, f"{pair!r} is not a pair of states", "write [left state, right state]")
    return pair[0], pair[1]
