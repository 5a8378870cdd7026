"""The profile of two laws under a relation: the least delta for every epsilon at once, with witnesses on both sides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from liftgate.couplings.blocks import Blocks, Engine, as_fractions, decompose
from liftgate.couplings.divergences import f_divergence
from liftgate.couplings.hinges import Hinges, exp_factor
from liftgate.couplings.laws import Label, Law, LawLike, read_law
from liftgate.couplings.relations import MAX_EDGES, Ints, Relation, RelationLike, Reversed, read_relation
from liftgate.exact import Enclosure


class _Star:
    """The extra element that stands for "no partner" (STAR Notation 9)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "STAR"


STAR = _Star()
Masses = Mapping[tuple[Any, Any], Fraction]


@dataclass(frozen=True)
class Coupling:
    """Two witnesses of a star-lifting (STAR Def. 10): mass on pairs of labels, either label may be ``STAR``.

    ``left`` has the left law as first marginal, ``right`` the right law as second marginal, and between labels both put
    mass on related pairs only.
    """

    left: Masses
    right: Masses


def profile(
    mu1: LawLike | Law, mu2: LawLike | Law, relation: RelationLike = "equal", proper: bool = True, *,
    max_edges: int = MAX_EDGES, engine: Engine = "auto",
) -> Profile:  # fmt: skip
    """The exact profile of two laws: masses as Fraction, whole number or text, labels from a mapping or 0, 1, 2, ...

    ``relation`` is ``"equal"``, ``"distance<=k"``, pairs of labels, a predicate, or :class:`Spans`. Laws that do not add
    up to 1 need ``proper=False``. Under equality closeness is differential privacy of the pair, in both directions of
    STAR Lemma 12 (erratum E57: printed as "if" only).

    >>> p = profile({"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"})
    >>> p.delta(exp_eps=2), p.exp_epsilon(0), p.blocks
    (Fraction(1, 4), Fraction(3, 1), [(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))])
    """
    left, right = read_law(mu1, "left", proper), read_law(mu2, "right", proper)
    related = read_relation(relation, left, right, max_edges)
    return Profile(left, right, related, decompose(left, right, related, engine))


@dataclass(frozen=True, eq=False)
class Profile:
    """The hinge list ``(p_i, q_i)`` of two laws under a relation, with the flows that prove it.

    The least delta at ``t = e^eps`` is ``sum_i max(0, p_i - t q_i)``: :meth:`coupling` shows that it suffices and
    :meth:`violating_set` that less does not.
    """

    left: Law
    right: Law
    relation: Relation
    parts: Blocks

    @cached_property
    def blocks(self) -> list[tuple[Fraction, Fraction]]:
        """The masses (p_i, q_i) of the blocks, ratios p/q falling; the first may have q = 0, the last p = 0."""
        return as_fractions(self.parts, self.left, self.right)

    @property
    def proper(self) -> bool:
        """Whether both laws add up to 1."""
        return self.left.proper and self.right.proper

    @cached_property
    def hinges(self) -> Hinges:
        """The hinge list without the labels, for composition."""
        return Hinges(self.parts.masses, self.left.scale, self.right.scale)

    def delta(self, eps: object = None, *, exp_eps: object = None, bits: int = 128) -> Any:
        """The least delta: a Fraction for ``exp_eps``, an Enclosure for a rational ``eps`` (STAR Def. 14, Thm. 20).

        >>> p = profile(["1/2", "1/2"], ["1/4", "3/4"])
        >>> low, up = p.delta(eps="1/2")
        >>> low <= up < low + Fraction(1, 2**100) and 0.087 < low < 0.088
        True
        """
        return self.hinges.delta(eps, exp_eps=exp_eps, bits=bits)

    def exp_epsilon(self, delta: object = 0) -> Fraction | None:
        """The least e^eps >= 1 at which this delta is enough; None when none is.

        >>> profile(["1/2", "1/2"], ["1/4", "3/4"]).exp_epsilon("1/8")
        Fraction(3, 2)
        """
        return self.hinges.exp_epsilon(delta)

    def epsilon(self, delta: object = 0) -> float | None:
        """The least eps at which this delta is enough, as a float rounded up; None when none is."""
        return self.hinges.epsilon(delta)

    def decide(self, eps: object = None, delta: object = 0, *, exp_eps: object = None) -> bool:
        """Whether the laws are (eps, delta)-close: exact, also for a rational eps next to the threshold."""
        return self.hinges.decide(eps, delta, exp_eps=exp_eps)

    # --- witnesses -----------------------------------------------------------------------------------------------------

    def coupling(self) -> Coupling:
        """One pair of witnesses that is best for every eps and in both directions (STAR Def. 10 and 35)."""
        left: dict[tuple[Any, Any], Fraction] = {}
        right: dict[tuple[Any, Any], Fraction] = {}
        a, b = self.left.labels, self.right.labels
        units = []
        for p, q in self.parts.masses:
            common = math.gcd(p, q)
            units.append((q // common * self.left.scale, p // common * self.right.scale))
        block_of = self.parts.left_block.tolist()
        for i, j, flow in zip(
            self.parts.source.tolist(), self.parts.target.tolist(), self.parts.amount.tolist(), strict=True
        ):
            down_left, down_right = units[block_of[i]]
            left[a[i], b[j]] = Fraction(flow, down_left)
            right[a[i], b[j]] = Fraction(flow, down_right)
        for i, k in enumerate(block_of):
            if k >= 0 and self.parts.masses[k][1] == 0:
                left[a[i], STAR] = self.left.mass(i)
        for j, k in enumerate(self.parts.right_block.tolist()):
            if k >= 0 and self.parts.masses[k][0] == 0:
                right[STAR, b[j]] = self.right.mass(j)
        return Coupling(MappingProxyType(left), MappingProxyType(right))

    def violating_set(self, *, exp_eps: object) -> tuple[Label, ...]:
        """Left labels X that need the whole delta: mu1(X) - e^eps mu2(R(X)) equals ``delta(exp_eps=...)``."""
        t = exp_factor(exp_eps)
        up, down = t.numerator * self.left.scale, t.denominator * self.right.scale
        above = [p * down > q * up for p, q in self.parts.masses]
        return tuple(
            a for a, k in zip(self.left.labels, self.parts.left_block.tolist(), strict=True) if k >= 0 and above[k]
        )

    @cached_property
    def reverse(self) -> Profile:
        """The profile of the right law against the left one under the inverse relation: the same blocks, read backwards."""
        count = len(self.parts.masses)

        def flip(block: Ints) -> Ints:
            return np.where(block < 0, -1, count - 1 - block)

        parts = replace(
            self.parts,
            masses=tuple((q, p) for p, q in reversed(self.parts.masses)),
            left_block=flip(self.parts.right_block),
            right_block=flip(self.parts.left_block),
            source=self.parts.target,
            target=self.parts.source,
        )
        relation = self.relation.of if isinstance(self.relation, Reversed) else Reversed(self.relation)
        return Profile(self.right, self.left, relation, parts)

    def symmetric_delta(self, *, exp_eps: object) -> Fraction:
        """The least delta of a symmetric star-lifting (STAR Def. 35): the larger of the two directions, not a new program."""
        t = exp_factor(exp_eps)
        return max(self.hinges.at(t), self.reverse.hinges.at(t))

    def has_two_lifting(self, *, exp_eps: object, delta: object) -> bool:
        """Whether witnesses without stars exist (STAR Def. 5): the delta suffices, and no label with mass lacks a partner."""
        if not self.decide(exp_eps=exp_eps, delta=delta):
            return False
        lefts = all(self.relation.partner(i) >= 0 for i, w in enumerate(self.left.weights) if w)
        return lefts and all(self.relation.partner_of(j) >= 0 for j, w in enumerate(self.right.weights) if w)

    def f_divergence(self, name: str, bits: int = 64) -> Fraction | Enclosure | float:
        """The least f-divergence over all witnesses (STAR Def. 43): Fractions for tv and chi2, else an Enclosure, or inf.

        One witness minimises every f at once, so the value is that of the blocks:
        ``sum_i q_i f(p_i / q_i)`` with ``L_f p`` and ``f(0) q`` where the other side is empty.

        >>> profile(["1/2", "1/2"], ["1/4", "3/4"]).f_divergence("chi2")
        Fraction(1, 3)
        """
        return f_divergence(self.blocks, name, bits)
