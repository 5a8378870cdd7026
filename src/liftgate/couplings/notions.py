"""The six notions of approximate lifting: literal witnesses built from one profile, and checks of the literal definitions.

Every ``*_faults`` function reads only the two laws and the relation of a profile, never its blocks, and lists the clauses
of the definition that do not hold; an empty list means that the witness is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from liftgate.couplings.divergences import f_divergence
from liftgate.couplings.hinges import exp_factor
from liftgate.couplings.profiles import STAR, Coupling, Masses, Profile
from liftgate.errors import UsageError
from liftgate.exact import Enclosure, fraction

MOST_SETS = 20
Pair = tuple[Any, Any]

# --- witnesses ---------------------------------------------------------------------------------------------------------


def star_lifting(p: Profile) -> Coupling:
    """Witnesses of a star-lifting (STAR Def. 10), best for every eps and in both directions (Def. 35)."""
    return p.coupling()


def two_lifting(p: Profile) -> Coupling:
    """Witnesses without stars (STAR Def. 5): mass without partner goes to any related pair, where it costs no more.

    They exist exactly when every label with mass has some related label, which may itself be without mass. The printed
    example of a star-lifting without a 2-lifting has neither (STAR Thm. 32, erratum E44).
    """
    stars = p.coupling()
    left, right = dict(stars.left), dict(stars.right)
    for i, a in enumerate(p.left.labels):
        if (a, STAR) in left:
            _move(left, (a, STAR), (a, _some(p.relation.partner(i), p.right.labels, f"left label {a!r}")))
    for j, b in enumerate(p.right.labels):
        if (STAR, b) in right:
            _move(right, (STAR, b), (_some(p.relation.partner_of(j), p.left.labels, f"right label {b!r}"), b))
    return Coupling(MappingProxyType(left), MappingProxyType(right))


def _some(position: int, labels: tuple[Any, ...], place: str) -> Any:
    if position < 0:
        raise UsageError(place, "it has mass and no related label, so no 2-lifting exists", "use a star-lifting")
    return labels[position]


def _move(masses: dict[Pair, Fraction], start: Pair, to: Pair) -> None:
    masses[to] = masses.get(to, Fraction(0)) + masses.pop(start)


def one_lifting(p: Profile) -> Masses:
    """One witness (STAR Def. 33 and 36): the smaller of the two masses of a star-lifting (Thm. 34), good for every eps.

    The printed proof adds up over B where it must add up over B with the star (erratum E48); the theorem holds.
    """
    both = p.coupling()
    return MappingProxyType(
        {pair: min(m, both.right[pair]) for pair, m in both.left.items() if pair in both.right and STAR not in pair}
    )


def star_from_one(p: Profile, one: Masses, exp_eps: object, symmetric: bool = False) -> Coupling:
    """Witnesses with stars from one witness (STAR Thm. 34; Thm. 37 with ``symmetric``).

    Erratum E47: the star holds ``delta(a)``, not ``mu1(a) - delta(a)``, and all of ``mu1(a)`` where the row is empty.
    """
    t = exp_factor(exp_eps)
    left = _raised(one, dict(zip(p.left.labels, p.left.masses(), strict=True)), 0, t)
    masses = dict(zip(p.right.labels, p.right.masses(), strict=True))
    right = _raised(one, masses, 1, t if symmetric else Fraction(1))
    return Coupling(MappingProxyType(left), MappingProxyType(right))


def _raised(one: Masses, law: dict[Any, Fraction], side: int, most: Fraction) -> dict[Pair, Fraction]:
    """Mass scaled up to the law by at most the factor ``most``; what is missing is on the star."""
    sums = _sums(one, side)
    out = {}
    for pair, m in one.items():
        out[pair] = m * min(most, law[pair[side]] / sums[pair[side]])
    for label, mass in law.items():
        rest = mass - min(mass, most * sums.get(label, Fraction(0)))
        if rest:
            out[(label, STAR) if side == 0 else (STAR, label)] = rest
    return out


def evened(p: Profile, coupling: Coupling, exp_eps: object) -> Coupling:
    """Witnesses that differ between labels by a factor from 1 to e^eps only (STAR Lemma 23).

    Equations (3a) and (3b) are printed with ``mu1(a)``, ``mu2(b)`` for the masses of the pair (erratum E54).
    """
    t = exp_factor(exp_eps)
    pairs = [pair for pair in coupling.left if pair in coupling.right and STAR not in pair]
    left = {pair: min(coupling.left[pair], t * coupling.right[pair]) for pair in pairs}
    right = {pair: min(coupling.left[pair], coupling.right[pair]) for pair in pairs}
    return Coupling(
        _filled(left, p.left.labels, p.left.masses(), 0), _filled(right, p.right.labels, p.right.masses(), 1)
    )


def on_supports(p: Profile, coupling: Coupling) -> Coupling:
    """Witnesses on labels with mass only (STAR Lemma 11; the same for f-divergences, Lemma 45)."""
    here = {a for i, a in enumerate(p.left.labels) if p.left.weights[i]}
    there = {b for j, b in enumerate(p.right.labels) if p.right.weights[j]}
    left, right = (
        {k: m for k, m in side.items() if k[0] in here and k[1] in there} for side in (coupling.left, coupling.right)
    )
    return Coupling(
        _filled(left, p.left.labels, p.left.masses(), 0), _filled(right, p.right.labels, p.right.masses(), 1)
    )


def _filled(masses: dict[Pair, Fraction], labels: Iterable[Any], law: list[Fraction], side: int) -> Masses:
    """The missing mass of every label on the star."""
    sums = _sums(masses, side)
    for label, mass in zip(labels, law, strict=True):
        if mass != sums.get(label, 0):
            masses[(label, STAR) if side == 0 else (STAR, label)] = mass - sums.get(label, Fraction(0))
    return MappingProxyType(masses)


# --- literal definitions -----------------------------------------------------------------------------------------------


def divergence(left: Mapping[Any, Fraction], right: Mapping[Any, Fraction], exp_eps: Fraction) -> Fraction:
    """``sup_E left[E] - e^eps right[E]`` (STAR Def. 3), the sum of the positive differences."""
    zero = Fraction(0)
    return sum((max(zero, m - exp_eps * right.get(pair, zero)) for pair, m in left.items()), zero)


def star_faults(p: Profile, coupling: Coupling, exp_eps: object, delta: object, symmetric: bool = False) -> list[str]:
    """What keeps two witnesses from being a star-lifting (STAR Def. 10), or a symmetric one (Def. 35)."""
    t, allowed = exp_factor(exp_eps), fraction(delta, "delta")
    faults = [*_marginals(p, coupling), *_support(p, coupling, stars=True)]
    faults += _too_far("left against right", divergence(coupling.left, coupling.right, t), allowed)
    if symmetric:
        faults += _too_far("right against left", divergence(coupling.right, coupling.left, t), allowed)
    return faults


def two_faults(p: Profile, coupling: Coupling, exp_eps: object, delta: object) -> list[str]:
    """What keeps two witnesses from being a 2-lifting (STAR Def. 5)."""
    faults = [*_marginals(p, coupling), *_support(p, coupling, stars=False)]
    return faults + _too_far(
        "distance", divergence(coupling.left, coupling.right, exp_factor(exp_eps)), fraction(delta)
    )


def one_faults(p: Profile, one: Masses, exp_eps: object, delta: object, symmetric: bool = False) -> list[str]:
    """What keeps one witness from being a 1-lifting (STAR Def. 33), or a symmetric one (Def. 36)."""
    t, allowed = exp_factor(exp_eps), fraction(delta, "delta")
    faults = _support(p, Coupling(one, one), stars=False)
    for side, law, asked in (("first", p.left, True), ("second", p.right, symmetric)):
        sums = _sums(one, side == "second")
        faults += [
            f"{side} marginal at {a!r} is {sums[a]}, above {m}"
            for a, m in zip(law.labels, law.masses(), strict=True)
            if sums.get(a, 0) > m
        ]
        if asked:
            mine = dict(zip(law.labels, law.masses(), strict=True))
            faults += _too_far(f"{side} law", divergence(mine, sums, t), allowed)
    return faults


def set_faults(p: Profile, exp_eps: object, delta: object) -> list[str]:
    """Sets X with mu1(X) > e^eps mu2(R(X)) + delta (STAR Def. 14, Sato), found by trying every set of left labels."""
    t, allowed = exp_factor(exp_eps), fraction(delta, "delta")
    labels = [i for i, w in enumerate(p.left.weights) if w]
    if len(labels) > MOST_SETS:
        raise UsageError(
            "left law", f"it has {len(labels)} labels with mass", f"at most {MOST_SETS} are tried; use delta"
        )
    rows = {i: frozenset(p.relation.row(i)) for i in labels}
    faults = []
    for bits in range(1 << len(labels)):
        chosen = [i for k, i in enumerate(labels) if bits >> k & 1]
        image = frozenset().union(*(rows[i] for i in chosen))
        here = Fraction(sum(p.left.weights[i] for i in chosen), p.left.scale)
        there = Fraction(sum(p.right.weights[j] for j in image), p.right.scale)
        if here > t * there + allowed:
            faults.append(f"{[p.left.labels[i] for i in chosen]!r}: {here} > {t} x {there} + {allowed}")
    return faults


def f_faults(p: Profile, coupling: Coupling, name: str, delta: object) -> list[str]:
    """What keeps two witnesses from being an f-lifting (STAR Def. 43 with Def. 42 corrected, erratum E45)."""
    allowed = fraction(delta, "delta")
    faults = [*_marginals(p, coupling), *_support(p, coupling, stars=True)]
    pairs = coupling.left.keys() | coupling.right.keys()
    zero = Fraction(0)
    masses = [(coupling.left.get(pair, zero), coupling.right.get(pair, zero)) for pair in pairs]
    bits = 64
    while True:
        value = f_divergence(masses, name, bits)
        if not isinstance(value, Enclosure):
            return faults + ([] if value <= allowed else [f"{name} is {value}, above {allowed}"])
        if value.upper <= allowed or value.lower > allowed:
            return faults + _too_far(name, value.lower, allowed)
        bits *= 2  # a value that is not exact is irrational, so this ends


def _sums(masses: Mapping[Pair, Fraction], side: int) -> dict[Any, Fraction]:
    out: dict[Any, Fraction] = {}
    for pair, m in masses.items():
        out[pair[side]] = out.get(pair[side], Fraction(0)) + m
    return out


def _marginals(p: Profile, coupling: Coupling) -> list[str]:
    faults = []
    for name, law, masses, side in (("left", p.left, coupling.left, 0), ("right", p.right, coupling.right, 1)):
        sums = _sums(masses, side)
        for label, mass in zip(law.labels, law.masses(), strict=True):
            if sums.pop(label, 0) != mass:
                faults.append(f"the {name} marginal at {label!r} is not {mass}")
        faults += [f"the {name} witness has mass at {label!r}" for label in sums]
    return faults


def _support(p: Profile, coupling: Coupling, stars: bool) -> list[str]:
    faults = []
    for name, masses in (("left", coupling.left), ("right", coupling.right)):
        for (a, b), m in masses.items():
            if m < 0:
                faults.append(f"the {name} mass at {(a, b)!r} is negative")
            elif m and (a is STAR or b is STAR):
                if not stars or (a is STAR) == (name == "left"):
                    faults.append(f"the {name} witness has mass at {(a, b)!r}")
            elif m and not p.relation.related(p.left.position[a], p.right.position[b]):
                faults.append(f"the {name} witness has mass at {(a, b)!r}, which is not related")
    return faults


def _too_far(name: str, value: Fraction, allowed: Fraction) -> list[str]:
    return [] if value <= allowed else [f"{name}: {value} is above {allowed}"]
