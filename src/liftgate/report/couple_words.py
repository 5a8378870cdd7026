"""Sentences about the closeness of two laws: shown numbers are rounded so that nothing looks closer than it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from liftgate.exact import exp_rounded
from liftgate.labels import label_text
from liftgate.report import numbers, words

if TYPE_CHECKING:
    from liftgate.jobs.couple import Couple

_LONG = 14


def ratio(value: Fraction | None) -> str:
    """A factor: exact where it is short, else three digits rounded up; ``none`` where no finite one will do.

    >>> ratio(Fraction(16, 7)), ratio(None), ratio(Fraction(10**20 + 1, 3 * 10**19))
    ('16/7', 'none', '3.34')
    """
    return "none" if value is None else _short(value)


def share(value: Fraction) -> str:
    """A probability or a delta, exact where it is short, else three digits rounded up."""
    return _short(value)


def _short(value: Fraction) -> str:
    if max(value.numerator, value.denominator) < 10**_LONG and len(str(value)) <= _LONG and value.denominator < 10**5:
        return numbers.count(int(value)) if value.denominator == 1 else str(value)
    return numbers.digits_text(numbers.significant(value, 3, "up"), 3)


def epsilon(value: float | None) -> str:
    """An ε with three decimals, or two digits where those would be 0, rounded up; ``none`` where no finite one will do.

    >>> epsilon(0.6931471805599454), epsilon(3.0), epsilon(0.0), epsilon(0.00012345), epsilon(None)
    ('0.694', '3', '0', '0.00013', 'none')
    """
    if value is None:
        return "none"
    exact = Fraction(value)
    if exact < Fraction(1, 100):
        return numbers.digits_text(numbers.significant(exact, 2, "up"), 2)
    up = math.ceil(exact * 1000)
    return f"{up // 1000:,}" + (f".{up % 1000:03d}" if up % 1000 else "")


def times_in(value: Fraction, base: int = 0) -> str:
    """A probability as a natural frequency, of its own denominator or of a base that is given.

    >>> times_in(Fraction(1, 22)), times_in(Fraction(4, 11)), times_in(Fraction(0)), times_in(Fraction(1))
    ('1 time in 22', '4 times in 11', 'never', 'always')
    """
    if value in (0, 1):
        return "always" if value else "never"
    if not base and value.denominator <= 1000:
        over, base = value.numerator, value.denominator
    else:
        base = base or numbers.frequency_base([value])
        over = round(value * base)
        if over in (0, base):
            return f"{'more than ' if over else 'less than 1 time in '}{numbers.count(base - 1 if over else base)}" + (
                f" times in {numbers.count(base)}" if over else ""
            )
    return f"{numbers.count(over)} {'time' if over == 1 else 'times'} in {numbers.count(base)}"


def label(value: Any) -> str:
    """An output in a sentence."""
    return words.cut(words.visible(label_text(value)), 30)


def name(value: str) -> str:
    """A law in a sentence."""
    return words.cut(words.visible(value), 40)


def factor_asked(found: Couple) -> Fraction | None:
    """The factor of the question; for a rational eps, e^eps rounded up to 2^-40."""
    q = found.question
    if q.exp_eps is not None:
        return q.exp_eps
    return None if q.eps is None else exp_rounded(q.eps, "up")


def asked(found: Couple) -> str:
    """The question in a few words.

    >>> from liftgate.jobs.couple import couple
    >>> asked(couple([1], [1], eps="1/2")), asked(couple([1], [1], exp_eps=2, delta="1/10"))
    ('ε 1/2, δ = 0', 'ratio 2, δ = 1/10')
    """
    q = found.question
    if not q.asked:
        return "nothing"
    what = f"ε {q.eps}" if q.eps is not None else f"ratio {ratio(q.exp_eps)}"
    return f"{what}, δ = {share(q.delta)}"


@dataclass(frozen=True)
class Event:
    """A set of left outputs and how likely it is on either side (on the right: anything related to it)."""

    outputs: tuple[Any, ...]
    left: Fraction
    right: Fraction


def clearest_event(found: Couple) -> Event | None:
    """What tells the two laws apart best at the factor asked for, or at the least factor when nothing was asked."""
    p, t = found.profile, factor_asked(found)
    chosen: set[int] = set()
    masses = list(zip(p.left.weights, p.parts.left_block.tolist(), strict=True))
    if t is None or not p.delta(exp_eps=t):
        first = min((k for w, k in masses if w), default=0)
        chosen = {i for i, (w, k) in enumerate(masses) if w and k == first}
    else:
        outputs = set(p.violating_set(exp_eps=t))
        chosen = {i for i, a in enumerate(p.left.labels) if a in outputs}
    image = {j for i in chosen for j in p.relation.row(i)}
    event = Event(
        tuple(p.left.labels[i] for i in sorted(chosen)),
        Fraction(sum(p.left.weights[i] for i in chosen), p.left.scale),
        Fraction(sum(p.right.weights[j] for j in image), p.right.scale),
    )
    return None if not chosen or (len(chosen) == len(p.left) and event.left == event.right) else event


def outputs_text(outputs: Sequence[Any], most: int = 4) -> str:
    """Outputs as a list, cut where there are many."""
    shown = [f"“{label(v)}”" for v in outputs[:most]]
    rest = len(outputs) - most
    return numbers.joined([*shown, f"{numbers.count(rest)} more"] if rest > 0 else shown, "or")


def headline(found: Couple) -> str:
    """The finding in one sentence."""
    q, t = found.question, found.decided.exp_epsilon(found.question.delta)
    apart = "" if q.delta == 0 else f", apart from δ = {share(q.delta)}"
    left, right = (name(v) for v in found.names)
    many = "" if found.composition is None else f" after {numbers.count(found.composition.times)} uses"
    limit = f"ε = {q.eps}" if q.eps is not None else f"ratio {ratio(q.exp_eps)}"
    if found.verdict == "refuted":
        return f"The promise is broken{many}: {left} and {right} are not within {limit}{apart}."
    if found.verdict == "proved":
        whose = "every pair of neighbours tried is" if found.search is not None else f"{left} and {right} are"
        return f"The promise holds{many}: {whose} within {limit}{apart}."
    if found.verdict == "unknown":
        return f"No proof and no counterexample{many}: {left} and {right} may be within {limit}{apart}."
    if t is None:
        return f"No ratio bounds {left} against {right}{many}{apart}."
    return f"No event is more than {ratio(t)} times as likely under {left} as under {right}{many}{apart}."


def lede(found: Couple) -> str:
    """The clearest event in natural frequencies."""
    event = clearest_event(found)
    left, right = (name(v) for v in found.names)
    if event is None:
        return "No event tells the two laws apart."
    what = ("the output " if len(event.outputs) == 1 else "an output among ") + outputs_text(event.outputs)
    partner = "it" if found.relation == "equal" else "a related output"
    long = max(event.left.denominator, event.right.denominator) > 1000
    base = numbers.frequency_base([event.left, event.right]) if long else 0
    first = f"Under {left}, {what} appears {times_in(event.left, base)}."
    if event.right == 0:
        return f"{first} Under {right}, {partner} never appears: who sees it knows that it was not {right}."
    return f"{first} Under {right}, {partner} appears {times_in(event.right, base)}."


def exact_text(found: Couple) -> str:
    """The exact numbers behind the headline."""
    q, p = found.question, found.decided
    delta, t = q.delta_of(p), p.exp_epsilon(q.delta)
    said = []
    if delta is not None:
        how = "exactly" if q.eps is None and share(delta) == str(delta) else "at most"
        said.append(f"At {asked(found).partition(',')[0]} the least δ is {how} {share(delta)}.")
    if t is None:
        said.append(f"No ratio, however large, allows δ = {share(q.delta)}.")
    else:
        said.append(f"The least ratio for δ = {share(q.delta)} is {ratio(t)} (ε = {epsilon(p.epsilon(q.delta))}).")
    return " ".join(said)
