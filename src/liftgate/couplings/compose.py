"""Rules of star-liftings: how statements (eps, delta) follow from others, with the printed rules corrected.

Every rule works on ``e^eps`` as an exact fraction. A rule that is false for sub-distributions refuses ``proper=False``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from liftgate.couplings.hinges import exp_factor, small_delta
from liftgate.couplings.laws import Label, Law
from liftgate.errors import UsageError
from liftgate.exact import fraction

ONE = Fraction(1)


@dataclass(frozen=True)
class Close:
    """The statement that two laws are (eps, delta)-close under a relation (STAR Def. 10).

    >>> Close.of(2, "1/10")
    Close(exp_eps=Fraction(2, 1), delta=Fraction(1, 10))
    """

    exp_eps: Fraction
    delta: Fraction

    @classmethod
    def of(cls, exp_eps: object, delta: object = 0) -> Close:
        """From numbers or text; e^eps at least 1, delta from 0 to 1."""
        return cls(exp_factor(exp_eps), small_delta(delta))


def _close(exp_eps: Fraction, delta: Fraction) -> Close:
    return Close(exp_eps, min(delta, ONE))  # delta = 1 holds for all laws


def weaken(known: Close, exp_eps: object, delta: object) -> Close:
    """A statement with larger eps and delta (STAR Lemma 13.1); the relation may grow as well."""
    wanted = Close.of(exp_eps, delta)
    if wanted.exp_eps < known.exp_eps or wanted.delta < known.delta:
        raise UsageError("weaken", f"{wanted} is not weaker than {known}", "eps and delta may only grow")
    return wanted


def relational(first: Close, second: Close) -> Close:
    """From mu1 R mu2 and mu2 S mu3 to mu1 (S o R) mu3: ``delta + e^eps delta'`` (STAR Lemma 13.2, erratum E40)."""
    return _close(first.exp_eps * second.exp_eps, first.delta + first.exp_eps * second.delta)


def sequential(first: Close, second: Close) -> Close:
    """From related inputs to related outputs of two kernels: ``delta + delta' - delta delta'`` (STAR Lemma 13.3).

    The printed sum holds too but is larger; its proof loses the mass on the star (erratum E49).
    """
    return Close(first.exp_eps * second.exp_eps, first.delta + second.delta - first.delta * second.delta)


def basic(steps: Iterable[Close]) -> Close:
    """Any number of steps one after the other: ``(prod t_i, 1 - prod (1 - delta_i))`` (STAR Lemma 31 with this rule).

    No rule for one direction alone can be better (erratum E55); sub-distributions are allowed.
    """
    exp_eps, kept = ONE, ONE
    for step in steps:
        exp_eps, kept = exp_eps * step.exp_eps, kept * (1 - step.delta)
    return Close(exp_eps, 1 - kept)


def up_to_bad_left(known: Close, bad: object) -> Close:
    """From "theta(a) implies a R b" to R, at the price of ``mu1[not theta]`` (STAR Lemma 25)."""
    return _close(known.exp_eps, known.delta + small_delta(bad))


def up_to_bad_right(known: Close, bad: object) -> Close:
    """From "theta(b) implies a R b" to R, at the price of ``e^eps mu2[not theta]`` (STAR Lemma 26)."""
    return _close(known.exp_eps, known.delta + known.exp_eps * small_delta(bad))


def conjunction_left(known: Close, bad: object) -> Close:
    """From R to "theta(a) and a R b", at the price of ``mu1[not theta]`` (STAR Lemma 27)."""
    return up_to_bad_left(known, bad)


def conjunction_right(known: Close, bad: object) -> Close:
    """From R to "theta(b) and a R b", at the price of ``e^eps mu2[not theta]`` (STAR Lemma 27, erratum E41)."""
    return up_to_bad_right(known, bad)


def symmetric(rule: Callable[[Close, Any], Close], known: Close, price: Any) -> Close:
    """A rule for symmetric liftings: the rule in both directions, the worse of the two (STAR section 6, erratum E56).

    A condition on the left law is one on the right law of the other direction, so there it costs ``e^eps`` times its mass.
    """
    there, back = rule(known, price), _backwards(rule)(known, price)
    return Close(max(there.exp_eps, back.exp_eps), max(there.delta, back.delta))


def _backwards(rule: Callable[[Close, Any], Close]) -> Callable[[Close, Any], Close]:
    """The rule as it reads in the other direction."""
    if rule is relational:
        return lambda first, second: relational(second, first)
    pairs = ((up_to_bad_left, up_to_bad_right), (conjunction_left, conjunction_right))
    for left, right in pairs:
        if rule in (left, right):
            return right if rule is left else left
    return rule


def support(law: Law) -> Law:
    """The law on the labels with mass only; liftings are the same (STAR Lemma 11 and 21)."""
    kept = [i for i, w in enumerate(law.weights) if w]
    return Law(tuple(law.labels[i] for i in kept), tuple(law.weights[i] for i in kept), law.scale)


def image(law: Law, function: Callable[[Any], Label]) -> Law:
    """The law of ``function(label)`` (STAR Lemma 24): its liftings are those of the law under :func:`pulled_back`."""
    masses: dict[Label, int] = {}
    for label, weight in zip(law.labels, law.weights, strict=True):
        name = function(label)
        masses[name] = masses.get(name, 0) + weight
    return Law(tuple(masses), tuple(masses.values()), law.scale)


def pulled_back(
    relation: Callable[[Any, Any], bool], left: Callable[[Any], Label], right: Callable[[Any], Label]
) -> Callable[[Any, Any], bool]:
    """The relation ``left(a) R right(b)`` on the labels before two functions (STAR Lemma 24, also for f: Lemma 46)."""
    return lambda a, b: relation(left(a), right(b))


def subset_delta(left: Law, right: Law, first: Iterable[Label], second: Iterable[Label], exp_eps: object) -> Fraction:
    """The least delta for "a in P1 exactly when b in P2" (STAR Thm. 28, erratum E42).

    The largest of ``mu1[P1] - t mu2[P2]``, the same of the complements, and ``|mu1| - t |mu2|``; the third, which is not
    printed, matters for sub-distributions only.
    """
    t = exp_factor(exp_eps)
    p1, p2 = event(left, first, "left law"), event(right, second, "right law")
    all1, all2 = Fraction(left.total, left.scale), Fraction(right.total, right.scale)
    return max(Fraction(0), p1 - t * p2, all1 - p1 - t * (all2 - p2), all1 - t * all2)


def nested_exp_eps(law: Law, outer: Iterable[Label], inner: Iterable[Label]) -> Fraction | None:
    """The least e^eps that couples a law with itself so that "a in P1 exactly when b in P2", P2 in P1 (STAR Cor. 29).

    Theorem 7 prints the roles of the two sets swapped (erratum E43). None where the inner set has no mass.
    """
    first, second = tuple(outer), tuple(inner)
    if not set(second) <= set(first):
        raise UsageError("inner set", "it is not inside the outer set", "swap the sets, or use subset_delta")
    big, small = event(law, first, "law"), event(law, second, "law")
    if not small:
        return ONE if not big else None
    return big / small


def event(law: Law, labels: Iterable[Label], place: str) -> Fraction:
    """The mass of a set of labels."""
    chosen = set(labels)
    for label in chosen:
        if label not in law.position:
            raise UsageError(place, f"it has no label {label!r}", "use labels of the law")
    return Fraction(sum(law.weights[law.position[label]] for label in chosen), law.scale)


def f_sequential(name: str, bounds: Sequence[object], proper: bool = True) -> Fraction:
    """Steps one after the other in an f-divergence: sums for tv, kl, hellinger; ``prod (1 + d) - 1`` for chi2.

    STAR Lemma 44; false for sub-distributions (erratum E51), which are refused.
    """
    if not proper:
        raise UsageError("composition", "it is false for sub-distributions", "use laws that add up to 1")
    values = [fraction(d, name) for d in bounds]
    if any(d < 0 for d in values):
        raise UsageError(name, "a divergence is never negative", "give bounds of at least 0")
    if name == "chi2":
        product = ONE
        for d in values:
            product *= 1 + d
        return product - 1
    if name not in ("tv", "kl", "hellinger"):
        raise UsageError("f-divergence", f"{name!r} is not known", "use tv, kl, hellinger or chi2")
    return sum(values, Fraction(0))
