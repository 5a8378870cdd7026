"""The optimal announcement: rules near the real ones whose outcomes tell as little as possible (ATR section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import CertificateError, UsageError
from liftgate.exact import fraction, read_only
from liftgate.labels import label_text
from liftgate.transparency.boxes import Fidelity, asked
from liftgate.transparency.exactly import ExactGroup, as_chances, exact_group
from liftgate.transparency.floats import Floats, group_confidences, group_floors, solve
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.rules import DecisionRules, both

if TYPE_CHECKING:
    from liftgate.certificates import Certificate
    from liftgate.transparency.inversion import Inversion

EXACT_ROWS = 2_000
MOST_CERTIFIED = 200_000
SILENT = 1e-12


@dataclass(frozen=True, eq=False)
class Announcement:
    """What is announced, and how sure a reader who believes it can be: ``group_beta``, and ``beta`` over all groups.

    ``promised`` is the confidence stated to readers: the one reached, or the target where one was given. ``inversion``
    says what a reader who knows the scheme learns; no confidence means anything without it.
    """

    given: DecisionRules
    fidelity: Fidelity
    target: Fraction | None
    distance: str
    digits: int | None
    values: tuple[Fraction, ...] | None
    rules: NDArray[Any]
    group_beta: NDArray[Any]
    binding: tuple[str, ...]
    groups: tuple[ExactGroup, ...] | None

    @property
    def beta(self) -> Any:
        """The largest confidence of any group (ATR Lemma 3); a fraction where the rules were given as fractions."""
        top = self.group_beta.max()
        return top if isinstance(top, Fraction) else float(top)

    @property
    def promised(self) -> FloatArray:
        """The confidence promised for each group: the one reached, or the target where it is larger."""
        reached = np.asarray(self.group_beta, dtype=np.float64)
        return reached if self.target is None else np.maximum(reached, float(self.target))

    @property
    def gamma(self) -> float:
        """The same as minimum uncertainty, -log beta (ATR Def. 13)."""
        return -float(np.log(float(self.beta)))

    @property
    def group_gamma(self) -> FloatArray:
        """Minimum uncertainty of each group."""
        return np.asarray(-np.log(np.asarray(self.group_beta, dtype=np.float64)))

    @cached_property
    def floor(self) -> FloatArray:
        """What no announcement can undercut: the largest share of one private value in each group (ATR Lemma 5)."""
        return group_floors(self.given)

    @cached_property
    def true_confidence(self) -> FloatArray:
        """The confidence of each group if the real rules were published (ATR Def. 7; its formula in section 8: E84)."""
        return group_confidences(self.given, self.given.chances)

    @property
    def chances(self) -> FloatArray:
        """Announced chances of every outcome, (n, outcomes), as floats."""
        return both(np.asarray(self.rules, dtype=np.float64))

    @cached_property
    def largest_shift(self) -> float:
        """The largest distance of an announced chance from the real one, among rows with people."""
        moved = np.abs(self.chances - self.given.chances).max(axis=1)
        return float(moved[self.given.mass > 0].max())

    @cached_property
    def distortion(self) -> float:
        """The mean distance of the announced chance of an outcome from the real one, over people (half the l1 sum)."""
        moved = np.abs(self.chances - self.given.chances).sum(axis=1) / 2
        return float((moved * self.given.mass).sum() / self.given.mass.sum())

    @cached_property
    def silenced(self) -> tuple[tuple[Any, Any], ...]:
        """Groups and outcomes that really happen and that the announcement says never happen."""
        rules = self.given
        lined = [rules.groups.gather(v * rules.mass[:, None]) for v in (self.chances, rules.chances)]
        shown, real = (np.add.reduceat(v, rules.groups.starts[:-1], axis=0) for v in lined)
        whole = real.sum(axis=1, keepdims=True)
        gone = (shown <= SILENT * whole) & (real > SILENT * whole)
        return tuple((rules.groups.label(int(g)), rules.outcomes[int(a)]) for g, a in np.argwhere(gone))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What every confidence here rests on."""
        counted = self.given.counted or self.given.given_mass.dtype.kind in "iu"
        whole = counted or all(Fraction(v).denominator == 1 for v in self.given.given_mass[:1000])
        people = "counts-are-population" if whole else "laws-as-given"
        return (people, "adversary-believes-announcement", "side-information=group-and-outcome")

    @cached_property
    def exact(self) -> tuple[ExactGroup, ...]:
        """Every group in fractions, with its proof."""
        if self.groups is not None:
            return self.groups
        if self.given.size > MOST_CERTIFIED:
            raise CertificateError(
                "announcement",
                f"{self.given.size} rows are more than a certificate may hold",
                f"announce at most {MOST_CERTIFIED} rows at a time",
            )
        return exact_groups(self.given, self.fidelity, self.chances, self.target, self.digits, self.distance)

    @cached_property
    def certificate(self) -> Certificate:
        """The claim that these rules stay inside their bounds and reach this confidence, with the dual of each group."""
        from liftgate.certificates.announcement import announcement

        rows: dict[str, list[Any]] = {"mass": [], "group": [], "lower": [], "upper": [], "rules": []}
        beta, floor, dual = [], [], []
        for g, group in enumerate(self.exact):
            first = len(rows["mass"])
            for p, low, high, x in zip(group.people, group.low, group.high, group.announced, strict=True):
                size = len(low)
                rows["mass"].append(p)
                rows["group"].append(g)
                rows["lower"].append([v / p for v in low] if p else [Fraction(0)] * size)
                rows["upper"].append([v / p for v in high] if p else [Fraction(1)] * size)
                rows["rules"].append([v / p for v in x] if p else [Fraction(1)] + [Fraction(0)] * (size - 1))
            beta.append(group.beta)
            floor.append(group.floor)
            dual.append([(first + k, a, weight) for k, a, weight in group.dual])
        return announcement(**rows, beta=beta, floor=floor, dual=dual, assumptions=self.assumptions)

    @cached_property
    def inversion(self) -> Inversion:
        """What a reader who knows the scheme can find out, for several beliefs about the values a rule may take."""
        from liftgate.transparency.inversion import invert

        return invert(self)

    @property
    def refuted(self) -> bool:
        """Whether the promise is false for every belief among the declared values a rule may take."""
        return self.inversion.verdict == "refuted"

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it; it contains the real rules."""
        from liftgate.transparency.records import private_record

        return private_record(self)

    def manifest(self, publisher: str | None = None, fairness: bool = False) -> dict[str, Any]:
        """What may be published: announced rules, fidelity, promised confidences; no real rule and no count."""
        from liftgate.transparency.records import public_manifest

        return public_manifest(self, publisher, fairness)

    def _repr_html_(self) -> str:
        from liftgate.notebook import small_table

        rows = [
            [label_text(self.given.groups.label(g)), f"{float(self.group_beta[g]):.4f}", f"{self.floor[g]:.4f}"]
            for g in range(min(self.given.groups.size, 20))
        ]
        title = f"Announcement: {self.inversion.verdict} for readers who know the scheme"
        return small_table(title, ["group", "confidence if believed", "floor"], rows)


def announce(
    rules: DecisionRules,
    delta: Any = None,
    alpha: Any = None,
    bounds: Any = None,
    beta: Any = None,
    gamma: float | None = None,
    digits: int | None = None,
    values: Any = None,
    distance: str = "l1",
) -> Announcement:
    """The least confidence inside a fidelity, or the least distorted rules for a target ``beta`` (or ``gamma``).

    ATR Thm. 1 in masses with its fourth term (E70) and 0/0 = 0 (E71); among all optimal announcements the one with the
    least sum of p |announced - real| (``distance="l2"``: p (announced - real)^2); there may be only one (E83).
    ``digits`` rounds the rules and re-verifies them. ``values`` are the values a reader may believe a rule takes (see :attr:`Announcement.inversion`).

    >>> rules = DecisionRules.from_arrays([12, 5, 3, 9, 7, 4], [0, 0, 1, 0, 0.5, 1], group=list("FFFMMM"))
    >>> a = announce(rules, delta=0.9)
    >>> a.rules.tolist(), [str(g.beta) for g in a.exact], a.certificate.verdict.holds
    ([0.1, 0.02, 0.9, 0.1, 0.4, 0.9], ['27/40', '81/127'], True)
    """
    if distance not in ("l1", "l2"):
        raise UsageError("distance", f"{distance!r} is unknown", 'use "l1" or "l2"')
    if digits is not None and (not isinstance(digits, int) or isinstance(digits, bool) or not 1 <= digits <= 12):
        raise UsageError("digits", f"{digits!r} is no number of decimals", "give a whole number from 1 to 12")
    fidelity = asked(rules, delta, alpha, bounds)
    target = _target(beta, gamma)
    if fidelity.kind == "free" and target is None:
        raise UsageError("announce", "nothing was asked", "give delta, alpha or bounds, or a target beta")
    found = solve(rules, fidelity, target, distance, digits)
    groups = None
    if rules.size <= EXACT_ROWS or not rules.two_outcomes:
        groups = exact_groups(rules, fidelity, found.chances, target, digits, distance)
    if target is not None:
        _reached(rules, fidelity, target, found, groups)
    announced, reached = found.rules, found.confidence
    binding: tuple[str, ...] = found.binding
    if groups is not None:
        announced, reached, binding = _of_groups(rules, groups)
    if target is not None and digits is not None:
        _kept(rules, target, digits, reached, exactly=groups is not None)
    return Announcement(
        rules,
        fidelity,
        target,
        distance,
        digits,
        declared(values),
        read_only(announced) if announced.dtype == object else _frozen(announced),
        _frozen(reached),
        binding,
        groups,
    )


def declared(values: Any) -> tuple[Fraction, ...] | None:
    """The values a rule may take, as sorted fractions; None for any value."""
    if values is None:
        return None
    out = tuple(sorted({fraction(v, "values") for v in values}))
    if not out or out[0] < 0 or out[-1] > 1:
        raise UsageError("values", "not chances between 0 and 1", "give for example 0, 1/2, 1")
    return out


def exact_groups(
    rules: DecisionRules,
    fidelity: Fidelity,
    chances: FloatArray,
    target: Fraction | None,
    digits: int | None,
    distance: str,
) -> tuple[ExactGroup, ...]:
    """Every group in fractions, near the chances found in floats."""
    return tuple(
        exact_group(rules, fidelity, g, chances[rules.groups.rows_of(g)], target, digits, distance)
        for g in range(rules.groups.size)
    )


def _of_groups(
    rules: DecisionRules, groups: tuple[ExactGroup, ...]
) -> tuple[NDArray[Any], NDArray[Any], tuple[str, ...]]:
    chances = as_chances(list(groups), rules.size, len(rules.outcomes))
    shaped = chances if rules.given_rule.ndim == 2 and not _positive_only(rules) else chances[:, -1]
    reached = np.empty(len(groups), dtype=object)
    reached[:] = [g.beta for g in groups]
    if not rules.fractions:
        shaped, reached = shaped.astype(np.float64), reached.astype(np.float64)
    return shaped, reached, tuple(g.binding for g in groups)


def _positive_only(rules: DecisionRules) -> bool:
    return rules.rule.ndim == 1


def _target(beta: Any, gamma: float | None) -> Fraction | None:
    if gamma is not None:
        if beta is not None:
            raise UsageError("target", "both beta and gamma were given", "give one of them: gamma = -log beta")
        if not 0 <= gamma < float("inf"):
            raise UsageError("gamma", f"{gamma} is no uncertainty", "give a number that is not negative")
        beta = float(np.exp(-gamma))
    if beta is None:
        return None
    target = fraction(beta, "beta")
    if not 0 < target <= 1:
        raise UsageError("beta", f"{beta} is not above 0 and at most 1", "give a confidence such as 0.7")
    return target


def _reached(
    rules: DecisionRules, fidelity: Fidelity, target: Fraction, found: Floats, groups: tuple[ExactGroup, ...] | None
) -> None:
    least: list[Any] = list(found.least) if groups is None else [g.floor for g in groups]
    allowed = float(target) * (1 + 1e-12) if groups is None else target
    worst = max(range(len(least)), key=lambda g: least[g])
    if least[worst] <= allowed:
        return
    group = label_text(rules.groups.label(worst))
    floor = float(group_floors(rules)[worst])
    if floor > allowed:
        reason = f"the largest private value alone makes {floor:.6g} of group {group!r}, before any announcement"
        fix = "promise at least the floor, merge groups, or leave that group out"
    else:
        reason = f"with {fidelity.words} group {group!r} cannot get below {float(least[worst]):.6g}"
        fix = "promise at least the floor, or allow more distortion"
    raise UsageError(
        f"target beta {float(target):.6g}", f"it is below the floor {float(least[worst]):.6g}: {reason}", fix
    )


def _kept(rules: DecisionRules, target: Fraction, digits: int, reached: NDArray[Any], exactly: bool) -> None:
    """Rounded rules keep the target, or nothing is announced."""
    worst = int(np.argmax(np.asarray(reached, dtype=np.float64)))
    most = float(reached[worst])
    if most <= float(target) * (1 + (1e-15 if exactly else 1e-12)):
        return
    group = label_text(rules.groups.label(worst))
    raise UsageError(
        f"target beta {float(target):.6g}",
        f"with {digits} decimals the best that was found for group {group!r} is {most:.6g}",
        f"give more digits, or promise at least {most:.6g}",
    )


def _frozen(values: NDArray[Any]) -> NDArray[Any]:
    values.setflags(write=False)
    return values
