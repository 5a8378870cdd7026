"""Writers of certificates about two laws and about two programs: closeness proved, closeness refuted, whole profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from liftgate.certificates.assumptions import known
from liftgate.certificates.certificate import Certificate

Masses = Mapping[str, Fraction]
Flow = Iterable[tuple[str, str, Fraction]]
Relation = str | Mapping[str, Any]


def coupling(
    left: Masses, right: Masses, relation: Relation, exp_eps: Fraction, delta: Fraction, flow: Flow, assumptions: Iterable[str]
) -> Certificate:  # fmt: skip
    """Two laws are (eps, delta)-close: a flow on related labels, at most the left masses and e^eps times the right ones.

    The relation is ``"equal"``, ``"distance<=k"`` or ``{"pairs": [[left label, right label], ...]}`` (STAR Thm. 20).

    >>> half = Fraction(1, 2)
    >>> law = {"a": half, "b": half}
    >>> coupling(law, law, "equal", Fraction(1), Fraction(0), [("a", "a", half), ("b", "b", half)], []).verdict.holds
    True
    """
    claim = {"left": left, "right": right, "relation": relation, "exp_eps": exp_eps, "delta": delta}
    return Certificate("coupling", 1, claim, {"flow": [list(entry) for entry in flow]}, known(assumptions))


def no_coupling(
    left: Masses, right: Masses, relation: Relation, exp_eps: Fraction, delta: Fraction, event: Iterable[str],
    assumptions: Iterable[str],
) -> Certificate:  # fmt: skip
    """Two laws are not (eps, delta)-close: an event that is too likely on the left (STAR Def. 14).

    >>> no_coupling({"a": 1}, {"b": 1}, "equal", Fraction(2), Fraction(1, 2), ["a"], []).verdict.holds
    True
    """
    claim = {"left": left, "right": right, "relation": relation, "exp_eps": exp_eps, "delta": delta}
    return Certificate("no-coupling", 1, claim, {"event": list(event)}, known(assumptions))


def profile(
    left: Masses, right: Masses, relation: Relation, blocks: Sequence[tuple[Fraction, Fraction]],
    homes: tuple[Mapping[str, int], Mapping[str, int]], flow: Flow, assumptions: Iterable[str],
) -> Certificate:  # fmt: skip
    """The least delta for every eps: blocks of masses, the block of every label with mass, and flows of left mass inside.

    >>> one = Fraction(1)
    >>> home = {"a": 0}
    >>> profile({"a": one}, {"a": one}, "equal", [(one, one)], (home, home), [("a", "a", one)], []).verdict.holds
    True
    """
    claim = {"left": left, "right": right, "relation": relation, "blocks": [list(pair) for pair in blocks]}
    evidence = {"left": homes[0], "right": homes[1], "flow": [list(entry) for entry in flow]}
    return Certificate("profile", 1, claim, evidence, known(assumptions))


Kernel = Mapping[str, Masses]
Step = tuple[Fraction, Fraction, Mapping[tuple[str, str], Flow]]


def chain(
    left: Sequence[Kernel], right: Sequence[Kernel], starts: Iterable[tuple[str, str]], exp_eps: Fraction, delta: Fraction,
    proofs: Iterable[tuple[str | None, Sequence[Step]]], assumptions: Iterable[str],
) -> Certificate:  # fmt: skip
    """Two programs end (eps, delta)-close: for every step its factor, its delta and a flow for every related pair.

    One proof with output None (up to equality), or one for every output (STAR Lemma 13.3).

    >>> one = Fraction(1)
    >>> program = [{"s": {"t": one}}]
    >>> step = (one, Fraction(0), {("s", "s"): [("t", "t", one)]})
    >>> chain(program, program, [("s", "s")], one, Fraction(0), [(None, [step])], []).verdict.holds
    True
    """
    claim = {
        "left": list(left),
        "right": list(right),
        "starts": [list(pair) for pair in starts],
        "exp_eps": exp_eps,
        "delta": delta,
    }
    listed = []
    for output, steps in proofs:
        parts = [
            {
                "exp_eps": t,
                "delta": d,
                "pairs": [[a, b, [list(entry) for entry in flow]] for (a, b), flow in pairs.items()],
            }
            for t, d, pairs in steps
        ]
        listed.append({"output": output, "steps": parts})
    return Certificate("chain", 1, claim, {"proofs": listed}, known(assumptions))
