"""Couple: how close two output laws are, proved or refuted, for one pair, for all neighbours, composed, or as programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from liftgate.certificates import Certificate
from liftgate.couplings.chains import Chain, ChainProof, RelationBetween, prove
from liftgate.couplings.families import Family, Search, search
from liftgate.couplings.hinges import Hinges, exp_at_least, exp_factor, log_up, rational_eps, small_delta
from liftgate.couplings.laws import Law, LawLike
from liftgate.couplings.products import Composition, composed, power
from liftgate.couplings.profiles import Profile, profile
from liftgate.couplings.proofs import assumptions, certify, certify_profile
from liftgate.couplings.relations import RelationLike
from liftgate.errors import UsageError
from liftgate.labels import encode_label, label_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Word = Literal["proved", "refuted", "unknown"]


@dataclass(frozen=True)
class Question:
    """What was asked: (eps, delta)-closeness, with eps as a factor or as a number; neither means: only measure."""

    exp_eps: Fraction | None = None
    eps: Fraction | None = None
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, exp_eps: object = None, eps: object = None, delta: object = 0) -> Question:
        """From numbers or text; at most one of exp_eps and eps."""
        if exp_eps is not None and eps is not None:
            raise UsageError("question", "both exp_eps and eps were given", "give one of them")
        return cls(
            None if exp_eps is None else exp_factor(exp_eps),
            None if eps is None else rational_eps(eps),
            small_delta(delta),
        )

    @property
    def asked(self) -> bool:
        """Whether there is a yes or no to give."""
        return self.exp_eps is not None or self.eps is not None

    def holds(self, found: Hinges | Profile) -> bool:
        """Whether it holds, exactly."""
        return found.decide(self.eps, self.delta, exp_eps=self.exp_eps)

    def allows(self, exp_eps: Fraction, delta: Fraction) -> bool:
        """Whether a statement with these numbers answers it with yes."""
        enough = self.exp_eps >= exp_eps if self.exp_eps is not None else exp_at_least(self.eps or Fraction(0), exp_eps)
        return enough and delta <= self.delta

    def delta_of(self, found: Hinges | Profile) -> Fraction | None:
        """The least delta at the factor asked for, rounded up by at most 2^-100 for a rational eps; None if none was."""
        if self.exp_eps is not None:
            return Fraction(found.delta(exp_eps=self.exp_eps))
        return None if self.eps is None else Fraction(found.delta(eps=self.eps).upper)


@dataclass(frozen=True, eq=False)
class Couple:
    """What was asked of two laws, and what was found.

    ``profile`` is of the pair, of the worst pair of a search, or of the outputs of two programs. The verdict is about the
    composition where one was asked for. ``certificate`` proves the answer for the pair; a composition is not certified.
    """

    question: Question
    names: tuple[str, str]
    relation: str
    profile: Profile
    verdict: Word | None
    certificate: Certificate
    assumptions: tuple[str, ...]
    search: Search | None = None
    composition: Composition | None = None
    composed: Hinges | None = None
    chain: ChainProof | None = None

    @property
    def decided(self) -> Hinges:
        """The hinge list the verdict is about."""
        return self.profile.hinges if self.composed is None else self.composed

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it; fractions as text."""
        q, p = self.question, self.profile
        one = _least(self.decided, q.delta)
        out: dict[str, Any] = {
            "asked": {"exp_eps": q.exp_eps, "eps": q.eps, "delta": q.delta},
            "names": list(self.names),
            "relation": self.relation,
            "least": {"exp_eps": one, "eps": "inf" if one is None else log_up(one), "delta": q.delta_of(self.decided)},
            "reverse": {"exp_eps": _or_infinite(self.decided.reverse.exp_epsilon(q.delta)), "delta": q.delta_of(self.decided.reverse)},
            "blocks": [{"left": a, "right": b} for a, b in p.blocks],
            "labels": {"left": [encode_label(v) for v in p.left.labels], "right": [encode_label(v) for v in p.right.labels]},
            "total_variation": p.f_divergence("tv"),
            "certificate": {"kind": self.certificate.kind, "sha256": self.certificate.hash},
        }  # fmt: skip
        out["least"]["exp_eps"] = _or_infinite(one)
        if q.asked and self.verdict == "refuted" and self.composed is None:
            out["event"] = self.certificate.evidence.get("event")
        if self.search is not None:
            out["search"] = search_record(self.search)
        if self.composition is not None:
            c = self.composition
            out["composition"] = {"times": c.times, "delta": c.delta, "exact": _or_infinite(c.exact), "basic": _or_infinite(c.basic),
                                  "optimal": _or_infinite(c.optimal), "advanced_eps": c.advanced,
                                  "least_other_eps": "inf" if c.least_other is None else c.least_other}  # fmt: skip
        if self.chain is not None:
            out["chain"] = {"exp_eps": self.chain.exp_eps, "delta": self.chain.delta, "by_output": self.chain.by_output}
        return out


def _least(found: Hinges, delta: Fraction) -> Fraction | None:
    return found.exp_epsilon(delta)


def _or_infinite(value: Fraction | None) -> Fraction | str:
    return "inf" if value is None else value


def search_record(found: Search) -> dict[str, Any]:
    """A search for ``--json``: how many pairs, and the worst of them."""
    return {
        "family": found.family.name,
        "promise": found.family.promise,
        "pairs": len(found.found),
        "partial": found.family.partial,
        "worst": [
            {"kind": one.pair.kind, "left": label_text(one.pair.left), "right": label_text(one.pair.right),
             "exp_eps": _or_infinite(one.exp_eps), "delta": one.delta}
            for one in found.found[:40]
        ],
    }  # fmt: skip


def couple(
    left: LawLike | Law, right: LawLike | Law, relation: RelationLike = "equal", *, exp_eps: object = None,
    eps: object = None, delta: object = 0, proper: bool = True, times: int = 1, names: tuple[str, str] = ("left", "right"),
) -> Couple:  # fmt: skip
    """Decide or measure the closeness of two laws, once or composed ``times`` times (related step by step).

    >>> found = couple(["3/4", "1/4"], ["1/4", "3/4"], exp_eps=2)
    >>> found.verdict, found.certificate.kind, str(found.question.delta_of(found.decided))
    ('refuted', 'no-coupling', '1/4')
    """
    question = Question.of(exp_eps, eps, delta)
    p = profile(left, right, relation, proper)
    words = relation if isinstance(relation, str) else "as listed"
    if times == 1:
        verdict: Word | None = None
        if question.asked:
            verdict = "proved" if question.holds(p) else "refuted"
        return Couple(question, names, words, p, verdict, _certificate(p, question), tuple(assumptions(p)))
    many = power(p, times)
    verdict = ("proved" if question.holds(many) else "refuted") if question.asked else None
    return Couple(
        question, names, words, p, verdict, certify_profile(p), tuple(assumptions(p)), None,
        composed(p, times, question.delta), many,
    )  # fmt: skip


def couple_family(
    family: Family, relation: RelationLike = "equal", *, exp_eps: object = None, eps: object = None, delta: object = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Couple:  # fmt: skip
    """Search all neighbours of a family; its own promise is the question where none was asked.

    >>> from liftgate.couplings.families import build_family
    >>> couple_family(build_family("sparse-vector-5")).verdict
    'refuted'
    """
    question = Question.of(exp_eps, eps, delta)
    if not question.asked and family.promise is not None:
        question = Question.of(family.promise, None, delta)
    level = None if question.exp_eps is None else question.exp_eps
    found = search(family, question.delta, level, relation, progress)
    p = found.profile(relation=relation)
    verdict: Word | None = None
    if question.asked:
        verdict = "refuted" if not question.holds(p) else "unknown" if family.partial else "proved"
    names = (label_text(found.worst.pair.left), label_text(found.worst.pair.right))
    words = relation if isinstance(relation, str) else "as listed"
    return Couple(question, names, words, p, verdict, _certificate(p, question), tuple(assumptions(p)), found)


def couple_chain(
    chain: Chain, relations: Sequence[RelationBetween] | None = None,
    by_output: Mapping[Any, Sequence[Sequence[RelationBetween]]] | None = None, *,
    exp_eps: object = None, eps: object = None, delta: object = 0,
) -> Couple:  # fmt: skip
    """Prove two programs close step by step; where the proof is too weak, the exact laws of their outputs decide."""
    question = Question.of(exp_eps, eps, delta)
    proof = prove(chain, relations, by_output)
    profiles = {start: chain.profile(start) for start in chain.starts}
    start = max(chain.starts, key=lambda s: _badness(profiles[s], question))
    p = profiles[start]
    names = (f"left program from {label_text(start[0])}", f"right program from {label_text(start[1])}")
    shown = proof.delta < 1 and (not question.asked or question.allows(proof.exp_eps, proof.delta))
    verdict: Word | None = None
    if question.asked:
        verdict = "proved" if all(question.holds(one) for one in profiles.values()) else "refuted"
        if verdict == "proved" and not shown and len(profiles) > 1:
            verdict = "unknown"  # true, but no single certificate shows it for all starts
    certificate = proof.certificate() if shown and verdict != "refuted" else _certificate(p, question)
    return Couple(question, names, "equal", p, verdict, certificate, certificate.assumptions, chain=proof)


def _badness(p: Profile, question: Question) -> tuple[bool, Fraction, Fraction]:
    t = p.exp_epsilon(question.delta)
    return t is None, t or Fraction(0), question.delta_of(p) or Fraction(0)


def _certificate(p: Profile, question: Question) -> Certificate:
    if not question.asked:
        return certify_profile(p)
    return certify(p, question.exp_eps, question.delta, eps=question.eps)
