"""Certificates of what a profile says: the coupling that proves closeness, the event that refutes it, or the whole profile."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from liftgate.certificates import couplings as writers
from liftgate.certificates.certificate import Certificate
from liftgate.couplings.hinges import exp_factor, rational_eps, small_delta
from liftgate.couplings.laws import Law
from liftgate.couplings.profiles import STAR, Profile
from liftgate.couplings.relations import Intervals, Matching, Relation, Reversed, listable
from liftgate.errors import UsageError
from liftgate.exact import exp_enclosure
from liftgate.labels import label_texts

Names = tuple[list[str], list[str]]


def certify(p: Profile, exp_eps: object = None, delta: object = 0, *, eps: object = None) -> Certificate:
    """A ``coupling`` certificate where the laws are (eps, delta)-close, a ``no-coupling`` certificate where they are not.

    A rational ``eps`` is replaced by a factor on the side that makes the statement stronger, next to the threshold too.

    >>> from liftgate.couplings.profiles import profile
    >>> p = profile(["1/2", "1/2"], ["1/4", "3/4"])
    >>> [certify(p, exp_eps=t).kind for t in (2, "3/2")], certify(p, eps="7/10").verdict.holds
    (['coupling', 'no-coupling'], True)
    """
    if (eps is None) == (exp_eps is None):
        raise UsageError("certify", "give either eps or exp_eps", "for example certify(p, exp_eps=3)")
    allowed = small_delta(delta)
    close = p.decide(eps, allowed, exp_eps=exp_eps)
    if exp_eps is not None:
        t = exp_factor(exp_eps)
    elif close:
        t = p.exp_epsilon(allowed) or Fraction(1)
    else:
        t = _factor_above(rational_eps(eps), p.exp_epsilon(allowed))
    names, relation = _names(p)
    left, right = _masses(p.left, names[0]), _masses(p.right, names[1])
    if close:
        return writers.coupling(left, right, relation, t, allowed, _flow(p, names, t), assumptions(p))
    event = set(p.violating_set(exp_eps=t))
    chosen = [name for name, label in zip(names[0], p.left.labels, strict=True) if label in event]
    return writers.no_coupling(left, right, relation, t, allowed, chosen, assumptions(p))


def certify_profile(p: Profile) -> Certificate:
    """A ``profile`` certificate: the blocks, the labels of each, and one flow per block.

    >>> from liftgate.couplings.profiles import profile
    >>> certify_profile(profile(["1/2", "1/2"], ["1/4", "3/4"])).verdict.holds
    True
    """
    names, relation = _names(p)
    left_home, right_home = (
        {name: k for name, k in zip(side, home.tolist(), strict=True) if k >= 0}
        for side, home in zip(names, (p.parts.left_block, p.parts.right_block), strict=True)
    )
    called = _called(p, names)
    flow = [(called[0][a], called[1][b], m) for (a, b), m in p.coupling().left.items() if b is not STAR]
    left, right = _masses(p.left, names[0]), _masses(p.right, names[1])
    return writers.profile(left, right, relation, p.blocks, (left_home, right_home), flow, assumptions(p))


def assumptions(p: Profile) -> list[str]:
    """What a certificate of a profile stands on."""
    return ["laws-as-given", *["proper-distributions"] * p.proper]


def _factor_above(eps: Fraction, least: Fraction | None) -> Fraction:
    """A fraction above e^eps and below the least factor."""
    bits = 64
    while True:
        upper = exp_enclosure(eps, bits).upper
        if least is None or upper < least:
            return max(upper, Fraction(1))
        bits *= 2


def _flow(p: Profile, names: Names, t: Fraction) -> list[tuple[str, str, Fraction]]:
    """What a coupling carries: the smaller of the left mass and t times the right mass."""
    both, called = p.coupling(), _called(p, names)
    return [
        (called[0][a], called[1][b], min(mass, t * both.right[a, b]))
        for (a, b), mass in both.left.items()
        if b is not STAR
    ]


def _called(p: Profile, names: Names) -> tuple[dict[Any, str], dict[Any, str]]:
    return dict(zip(p.left.labels, names[0], strict=True)), dict(zip(p.right.labels, names[1], strict=True))


def _masses(law: Law, names: list[str]) -> dict[str, Fraction]:
    return dict(zip(names, law.masses(), strict=True))


def _names(p: Profile) -> tuple[Names, writers.Relation]:
    """The labels as text, and the relation between the texts."""
    plain: Relation = p.relation.of if isinstance(p.relation, Reversed) else p.relation
    if isinstance(plain, Matching) and plain.equality:
        every = list(dict.fromkeys([*p.left.labels, *p.right.labels]))
        text = dict(zip(every, label_texts(every), strict=True))
        return ([text[a] for a in p.left.labels], [text[b] for b in p.right.labels]), "equal"
    if isinstance(plain, Intervals) and plain.distance is not None:
        names = _numbers(p.left, "left"), _numbers(p.right, "right")
        return names, f"distance<={plain.distance}"
    listable(plain)
    left, right = label_texts(p.left.labels), label_texts(p.right.labels)
    return (left, right), {"pairs": [[a, right[j]] for i, a in enumerate(left) for j in p.relation.row(i)]}


def _numbers(law: Law, side: str) -> list[str]:
    texts = [str(Fraction(str(label))) for label in law.labels]
    if len(set(texts)) < len(texts):
        raise UsageError(f"{side} law", "two labels are the same number", "write every number once")
    return texts
