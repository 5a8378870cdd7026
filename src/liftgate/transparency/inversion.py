"""What a reader who knows the scheme finds out: which rules fit an announcement, and how sure they make.

Every announcement is close to invertible: its fidelity says how far the real rule can be, and often few rules of the
kind a reader believes in are that near. Inputs are public: the shares of the private values, the announced rules and
the fidelity; so any reader can run this check. ATR Remark 3 grants readers the scheme, its bound does not hold for
them (E78).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from liftgate.labels import Label
from liftgate.transparency.fitting import Found, Prior, by_band, by_method

if TYPE_CHECKING:
    from liftgate.transparency.announcements import Announcement

REFUTED = "refuted"
HOLDS = "holds for every rule that fits"
DEPENDS = "depends on what the reader believes"
NONE_FITS = "no rule fits"
EDGE = 1e-9
FAMILIES: Mapping[str, tuple[Fraction, ...] | None] = {
    "0 or 1": (Fraction(0), Fraction(1)),
    "0, 1/2 or 1": (Fraction(0), Fraction(1, 2), Fraction(1)),
    "any value": None,
}


@dataclass(frozen=True)
class Reading:
    """One group read by somebody who believes that rules take certain values.

    ``fits`` rules lie within the fidelity (None: a continuum); ``pinned`` rows have one value left; every one of these
    rules gives a confidence from ``lowest`` to ``highest``; ``after_prior`` is the one of their mean.
    """

    group: Label
    fits: int | None
    pinned: int
    rows: int
    lowest: float
    highest: float
    after_prior: float | None
    promised: float

    @property
    def verdict(self) -> str:
        """`refuted`, `holds for every rule that fits`, `depends on what the reader believes`, or `no rule fits`."""
        if self.fits == 0:
            return NONE_FITS
        if self.lowest > self.promised + EDGE:
            return REFUTED
        return HOLDS if self.highest <= self.promised + EDGE else DEPENDS


@dataclass(frozen=True)
class Family:
    """All groups, read by somebody with one belief about the values a rule may take."""

    name: str
    values: tuple[Fraction, ...] | None
    algorithm_known: bool
    readings: tuple[Reading, ...]

    @property
    def verdict(self) -> str:
        """Refuted where one group is; holds where every group with rules that fit does."""
        words = {r.verdict for r in self.readings}
        if REFUTED in words:
            return REFUTED
        if words == {NONE_FITS}:
            return NONE_FITS
        return HOLDS if words <= {HOLDS} else DEPENDS


@dataclass(frozen=True)
class Inversion:
    """The readings for several beliefs; ``verdict`` is the one for the values that were declared (any, if none were)."""

    families: tuple[Family, ...]
    declared: str

    @property
    def verdict(self) -> str:
        """The verdict for the declared values, with and without knowledge of the method."""
        return worst(f.verdict for f in self.families if f.name == self.declared)

    def family(self, name: str, algorithm_known: bool = False) -> Family:
        """The readings under one belief."""
        return next(f for f in self.families if f.name == name and f.algorithm_known == algorithm_known)

    def to_dict(self) -> dict[str, Any]:
        """The check as ``--json`` prints it."""
        from liftgate.labels import encode_label

        return {
            "verdict": self.verdict,
            "declared": self.declared,
            "families": [
                {
                    "values": f.name,
                    "method_known": f.algorithm_known,
                    "verdict": f.verdict,
                    "groups": [
                        {
                            "group": encode_label(r.group),
                            "rules_that_fit": "any number" if r.fits is None else r.fits,
                            "rows_pinned": r.pinned,
                            "rows": r.rows,
                            "lowest": None if r.fits == 0 else r.lowest,
                            "highest": None if r.fits == 0 else r.highest,
                            "after_prior": r.after_prior,
                            "promised": r.promised,
                            "verdict": r.verdict,
                        }
                        for r in f.readings
                    ],
                }
                for f in self.families
            ],
        }


def worst(words: Any) -> str:
    """The strongest statement among several: refuted beats depends beats holds."""
    found = set(words)
    for word in (REFUTED, DEPENDS, HOLDS):
        if word in found:
            return word
    return NONE_FITS


def invert(
    announcement: Announcement,
    families: Mapping[str, Any] | None = None,
    prior: Prior | None = None,
    slack: float = 1.0,
) -> Inversion:
    """The inversion check of an announcement: by its band, and by its method where the rules can be listed.

    ``families`` names beliefs about the values a rule may take (None: any). ``prior`` gives every listed rule of a
    group (one per line) its weight, equal ones by default; ``slack`` r covers all priors within odds r of it.
    """
    named = dict(FAMILIES if families is None else families)
    name = "any value"
    if announcement.values is not None:
        name = family_name(announcement.values)
        named.setdefault(name, announcement.values)
    out = []
    for title, values in named.items():
        out.append(_family(announcement, title, values, False, by_band(announcement, values, prior, slack)))
        if values is not None:
            known = by_method(announcement, values, prior, slack)
            if known is not None:
                out.append(_family(announcement, title, values, True, known))
    return Inversion(tuple(out), name)


def _family(
    a: Announcement, title: str, values: Sequence[Fraction] | None, method_known: bool, found: Sequence[Found]
) -> Family:
    label, promised = a.given.groups.label, a.promised
    readings = (Reading(label(g), promised=float(promised[g]), **vars(f)) for g, f in enumerate(found))
    return Family(title, None if values is None else tuple(values), method_known, tuple(readings))


def family_name(values: Sequence[Fraction]) -> str:
    """The name of a list of values."""
    for name, known in FAMILIES.items():
        if known == tuple(values):
            return name
    if len(values) > 6:
        step = values[1] - values[0]
        if all(b - a == step for a, b in pairwise(values)):
            return f"steps of {step} from {values[0]} to {values[-1]}"
    return " or ".join([", ".join(str(v) for v in values[:-1]), str(values[-1])]) if len(values) > 1 else str(values[0])
