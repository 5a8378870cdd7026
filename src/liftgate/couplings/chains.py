"""Chains: two finite programs as lists of kernels, a relation between the states after every step, and the proof found.

A proof couples every related pair of states step by step; its factors multiply and its deltas compose (STAR Lemma 13.3).
Where no single proof exists up to equality, as for sparse vector, there is one for each output.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from liftgate.certificates import couplings as writers
from liftgate.certificates.certificate import Certificate
from liftgate.couplings.blocks import decompose
from liftgate.couplings.compose import Close, basic
from liftgate.couplings.hinges import Hinges, exp_factor, small_delta
from liftgate.couplings.laws import Law, LawLike, read_law
from liftgate.couplings.products import product, worst
from liftgate.couplings.profiles import STAR, Profile, profile
from liftgate.couplings.relations import Graph, read_relation
from liftgate.errors import DataError, UsageError
from liftgate.labels import label_texts

State = Hashable
Kernel = Mapping[State, Law]
Pair = tuple[State, State]
RelationBetween = Callable[[State, State], bool]
Flow = list[tuple[State, State, Fraction]]


@dataclass(frozen=True)
class Chain:
    """Two programs of equally many steps, and the pairs of states they may start from."""

    left: tuple[Kernel, ...]
    right: tuple[Kernel, ...]
    starts: tuple[Pair, ...]

    @classmethod
    def of(
        cls,
        left: Iterable[Mapping[Any, LawLike | Law]],
        right: Iterable[Mapping[Any, LawLike | Law]],
        starts: Iterable[tuple[Any, Any]],
    ) -> Chain:
        """From kernels: for every step a mapping state -> law of the next state.

        >>> noisy = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/3", "1": "2/3"}}
        >>> chain = Chain.of([noisy], [noisy], [("0", "1")])
        >>> prove(chain).exp_eps
        Fraction(2, 1)
        """
        sides = [
            tuple(
                {s: read_law(law, f"{side}, step {i}, state {s!r}") for s, law in step.items()}
                for i, step in enumerate(kernels)
            )
            for side, kernels in (("left program", left), ("right program", right))
        ]
        pairs = tuple((a, b) for a, b in starts)
        if not sides[0] or len(sides[0]) != len(sides[1]):
            raise DataError("programs", f"{len(sides[0])} steps and {len(sides[1])} steps", "give both as many steps")
        if not pairs:
            raise DataError("starts", "there are none", "give at least one pair of starting states")
        chain = cls(sides[0], sides[1], pairs)
        for side, kernels, k in (("left", chain.left, 0), ("right", chain.right, 1)):
            for pair in pairs:
                _follow(kernels, pair[k], side)
        return chain

    def laws(self, start: Pair) -> tuple[Law, Law]:
        """The exact laws of both programs after the last step."""
        return _follow(self.left, start[0], "left"), _follow(self.right, start[1], "right")

    def profile(self, start: Pair | None = None) -> Profile:
        """The exact profile of the outputs from one pair of starts, to compare a proof with."""
        return profile(*self.laws(self.starts[0] if start is None else start))


def _follow(kernels: Sequence[Kernel], start: State, side: str) -> Law:
    masses, scale = {start: 1}, 1  # whole numbers in units of 1 / scale
    for i, kernel in enumerate(kernels):
        for state in masses:
            if state not in kernel:
                fix = "give the law of every state that can be reached"
                raise DataError(f"{side} program, step {i}", f"the state {state!r} has no law", fix)
        common = math.lcm(*(kernel[state].scale for state in masses))
        after: dict[State, int] = {}
        for state, mass in masses.items():
            law = kernel[state]
            for label, weight in zip(law.labels, law.weights, strict=True):
                if weight:
                    after[label] = after.get(label, 0) + mass * weight * (common // law.scale)
        masses, scale = after, scale * common
    return Law(tuple(masses), tuple(masses.values()), scale)


@dataclass(frozen=True)
class StepProof:
    """One step: from every related pair a flow that carries all but ``delta``, at most ``exp_eps`` times the right law."""

    exp_eps: Fraction
    delta: Fraction
    flows: Mapping[Pair, Flow]


@dataclass(frozen=True)
class Proof:
    """One proof: up to equality (``output`` is None in ``by_output``), or up to "left = output implies right = output"."""

    output: State | None
    steps: tuple[StepProof, ...]
    tight: Hinges  # the product of the worst hinge lists of the steps

    @cached_property
    def bound(self) -> Close:
        """What the steps come to."""
        return basic(Close(step.exp_eps, step.delta) for step in self.steps)


@dataclass(frozen=True)
class ChainProof:
    """The proofs of a chain: one up to equality, or one for every output."""

    chain: Chain
    proofs: tuple[Proof, ...]

    @property
    def by_output(self) -> bool:
        """Whether there is one proof for each output."""
        return self.proofs[0].output is not None or len(self.proofs) > 1

    @cached_property
    def exp_eps(self) -> Fraction:
        """The largest factor of a proof."""
        return max(proof.bound.exp_eps for proof in self.proofs)

    @cached_property
    def delta(self) -> Fraction:
        """The deltas of the proofs together."""
        return min(Fraction(1), sum((proof.bound.delta for proof in self.proofs), Fraction(0)))

    def holds(self, exp_eps: object, delta: object = 0) -> bool:
        """Whether the proofs show (eps, delta)-closeness; False says nothing about the programs themselves."""
        return exp_factor(exp_eps) >= self.exp_eps and small_delta(delta) >= self.delta

    def tight_delta(self, exp_eps: object) -> Fraction:
        """A smaller delta by multiplying hinge lists; not certified (it rests on the dominating-pair theorem)."""
        t = exp_factor(exp_eps)
        return min(Fraction(1), sum((proof.tight.at(t) for proof in self.proofs), Fraction(0)))

    def certificate(self, exp_eps: object = None, delta: object = None) -> Certificate:
        """The ``chain`` certificate of this proof, at its own numbers or at larger ones."""
        t = self.exp_eps if exp_eps is None else exp_factor(exp_eps)
        d = self.delta if delta is None else small_delta(delta)
        if not self.holds(t, d):
            fix = f"claim at least e^eps = {self.exp_eps} and delta = {self.delta}"
            raise UsageError("chain", f"e^eps = {t} and delta = {d} are not shown by it", fix)
        if self.delta == 1:
            raise UsageError(
                "chain", "nothing is coupled, so nothing is shown", "use other relations between the states"
            )
        text = _texts(self.chain)
        programs = [
            [
                {
                    text[s]: {text[b]: m for b, m in zip(law.labels, law.masses(), strict=True)}
                    for s, law in step.items()
                }
                for step in side
            ]
            for side in (self.chain.left, self.chain.right)
        ]
        proofs = [
            (
                text[proof.output] if self.by_output else None,
                [
                    (step.exp_eps, step.delta, {
                        (text[a], text[b]): [(text[x], text[y], m) for x, y, m in flow]
                        for (a, b), flow in step.flows.items()
                    })
                    for step in proof.steps
                ],
            )
            for proof in self.proofs
        ]  # fmt: skip
        starts = [(text[a], text[b]) for a, b in self.chain.starts]
        return writers.chain(programs[0], programs[1], starts, t, d, proofs, ["laws-as-given", "proper-distributions"])


def _texts(chain: Chain) -> dict[State, str]:
    every: dict[State, None] = {}
    for step in (*chain.left, *chain.right):
        for state, law in step.items():
            every[state] = None
            every.update(dict.fromkeys(law.labels))
    return dict(zip(every, label_texts(list(every)), strict=True))


def equal(a: State, b: State) -> bool:
    """The same state on both sides."""
    return a == b


def implies(output: State) -> RelationBetween:
    """``left = output implies right = output``, what a proof for one output ends with."""
    return lambda a, b: a != output or b == output


def prove(
    chain: Chain,
    relations: Sequence[RelationBetween] | None = None,
    by_output: Mapping[State, Sequence[Sequence[RelationBetween]]] | None = None,
    spare: object = 0,
) -> ChainProof:
    """A proof with these relations between the states after every step but the last; equality where none are given.

    First up to equality of the outputs. With ``by_output``, which offers for every output one or more lists of relations,
    one proof per output where that needs a smaller factor: the least factor that works for all outputs, then for each the
    list with the least delta. ``spare`` is a delta every step may spend on a smaller factor than the least one that loses
    no more mass than it must.
    """
    inner = [equal] * (len(chain.left) - 1) if relations is None else list(relations)
    slack = small_delta(spare)
    uniform = ChainProof(chain, (_prove(chain, [*inner, equal], None, slack),))
    if by_output is None:
        return uniform
    tried = []
    for output in sorted({b for start in chain.starts for b in _follow(chain.left, start[0], "left").labels}, key=repr):
        if output not in by_output:
            fix = "offer a list for every output"
            raise UsageError("by_output", f"there are no relations for the output {output!r}", fix)
        tried.append([_prove(chain, [*offer, implies(output)], output, slack) for offer in by_output[output]])
    goal = max(min(_order(proof.bound)[:2] for proof in proofs) for proofs in tried)
    able = [[proof for proof in proofs if _order(proof.bound)[:2] <= goal] for proofs in tried]
    each = ChainProof(chain, tuple(min(proofs, key=lambda proof: proof.bound.delta) for proofs in able))
    return min(uniform, each, key=lambda proof: _order(Close(proof.exp_eps, proof.delta)))


def _order(bound: Close) -> tuple[bool, Fraction, Fraction]:
    """Empty statements last, then the smaller factor, then the smaller delta."""
    return bound.delta == 1, bound.exp_eps, bound.delta


def _prove(chain: Chain, relations: Sequence[RelationBetween], output: State | None, spare: Fraction) -> Proof:
    if len(relations) != len(chain.left):
        fix = f"give {len(chain.left) - 1}, one after every step but the last"
        raise UsageError("relations", f"{len(relations) - 1} of them for {len(chain.left)} steps", fix)
    pairs: list[Pair] = list(chain.starts)
    steps, envelopes = [], []
    for left, right, related in zip(chain.left, chain.right, relations, strict=True):
        profiles = {pair: _profile(left[pair[0]], right[pair[1]], related) for pair in pairs}
        envelope = worst(profiles.values())
        least = min(Fraction(1), sum((p for p, q in envelope.blocks if q == 0), Fraction(0)) + spare)
        t = envelope.exp_epsilon(least)
        assert t is not None
        flows = {pair: _carried(p, t) for pair, p in profiles.items()}
        steps.append(StepProof(t, envelope.at(t), flows))
        envelopes.append(envelope)
        pairs = list(dict.fromkeys((a, b) for flow in flows.values() for a, b, _ in flow))
        if not pairs:  # nothing is coupled: the statement is empty
            return Proof(output, (StepProof(Fraction(1), Fraction(1), {}),), Hinges.of([(1, 0), (0, 1)]))
    return Proof(output, tuple(steps), product(*envelopes))


def _profile(left: Law, right: Law, related: RelationBetween) -> Profile:
    if related is equal:
        relation: Any = read_relation("equal", left, right)
    else:
        rows = [[j for j, b in enumerate(right.labels) if related(a, b)] for a in left.labels]
        relation = Graph.of_rows(rows, len(right))
    return Profile(left, right, relation, decompose(left, right, relation))


def _carried(p: Profile, t: Fraction) -> Flow:
    both = p.coupling()
    return [(a, b, min(m, t * both.right[a, b])) for (a, b), m in both.left.items() if b is not STAR]
