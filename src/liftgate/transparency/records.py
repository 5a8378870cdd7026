"""An announcement as data: the private record with the real rules, and the public manifest without them."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, isfinite, log
from typing import TYPE_CHECKING, Any

import numpy as np

from liftgate.labels import encode_label

if TYPE_CHECKING:
    from liftgate.transparency.announcements import Announcement

PROMISE_DIGITS = 6
_NOT_COVERED = "This bound holds for readers who take the numbers at face value only."


def private_record(a: Announcement) -> dict[str, Any]:
    """Everything, for the publisher only."""
    rules = a.given
    groups = []
    for g in range(rules.groups.size):
        groups.append(
            {
                "group": encode_label(rules.groups.label(g)),
                "people": number(float(rules.mass[rules.groups.rows_of(g)].sum())),
                "beta": number(a.group_beta[g]),
                "gamma": float(a.group_gamma[g]),
                "promised": float(a.promised[g]),
                "floor": float(a.floor[g]),
                "real": float(a.true_confidence[g]),
                "binding": a.binding[g] if a.binding else None,
                "rows": [
                    {
                        "private": encode_label(rules.row_label(int(i))),
                        "people": number(rules.mass[i]),
                        "real": numbers_of(rules.rule[i]),
                        "announced": numbers_of(a.rules[i]),
                    }
                    for i in rules.groups.rows_of(g)
                ],
            }
        )
    return {
        "outcomes": [encode_label(o) for o in rules.outcomes],
        "fidelity": a.fidelity.words,
        "beta": number(a.beta),
        "gamma": a.gamma,
        "target": None if a.target is None else str(a.target),
        "digits": a.digits,
        "largest_shift": a.largest_shift,
        "mean_shift": a.distortion,
        "silenced": [[encode_label(g), encode_label(o)] for g, o in a.silenced],
        "groups": groups,
        "inversion": a.inversion.to_dict(),
        "certificate": a.certificate.hash,
    }


def public_manifest(a: Announcement, publisher: str | None = None, fairness: bool = False) -> dict[str, Any]:
    """What may be published: nothing in it is computed from the real rules except the announcement itself.

    No count of people, no real rule, no confidence of the real rules, no count of the rules that would have led here.
    """
    rules = a.given
    groups = []
    for g in range(rules.groups.size):
        groups.append(
            {
                "group": encode_label(rules.groups.label(g)),
                "promised": promised(a, g),
                "gamma": uncertainty(promised(a, g)),
                "rows": [
                    {"private": encode_label(rules.row_label(int(i))), "announced": numbers_of(a.rules[i])}
                    for i in rules.groups.rows_of(g)
                ],
            }
        )
    fidelity: dict[str, Any] = {"kind": a.fidelity.kind}
    if a.fidelity.value is not None:
        fidelity["value"] = str(a.fidelity.value)
    return {
        "liftgate-announcement": 1,
        "outcomes": [encode_label(o) for o in rules.outcomes],
        "private": list(rules.private),
        "fidelity": fidelity,
        "target": None if a.target is None else str(a.target),
        "digits": a.digits,
        "groups": groups,
        "assumptions": [n for n in a.assumptions if n not in ("counts-are-population", "laws-as-given")],
        "readers_who_know_the_method": _NOT_COVERED,
        "certificate_sha256": a.certificate.hash,
        "publisher": publisher,
        **({"fairness": fairness_record(a)} if fairness else {}),
    }


def fairness_record(a: Announcement) -> list[dict[str, Any]]:
    """Fairness figures of the announced rules, each with the range in which the real one lies."""
    from liftgate.transparency.fairness import figures

    given = next(iter(a.given.private), None)
    return [
        {
            "name": f.name,
            "between": [encode_label(v) for v in f.between],
            "given": encode_label(f.given),
            "announced": f.announced if isfinite(f.announced) else "inf",
            "real": [f.low, f.high if isfinite(f.high) else "inf"],
        }
        for f in figures(a, given=given)
    ]


def promised(a: Announcement, group: int) -> float:
    """The promised confidence of a group, rounded up: the promise never says less than is given."""
    reached = Fraction(float(a.group_beta[group])) if a.groups is None else a.groups[group].beta
    whole = ceil(max(reached, a.target or Fraction(0)) * 10**PROMISE_DIGITS)
    return float(min(Fraction(1), Fraction(whole, 10**PROMISE_DIGITS)))


def uncertainty(confidence: float) -> float:
    """The same promise as minimum uncertainty -log beta (ATR Def. 13), rounded down.

    >>> uncertainty(0.675), uncertainty(1.0)
    (0.393042, 0.0)
    """
    return max(0, floor(-log(confidence) * 1e6)) / 1e6


def number(value: Any) -> Any:
    """A whole number, a fraction as text, or a float."""
    if isinstance(value, Fraction):
        return str(value)
    plain = float(value)
    return int(plain) if plain.is_integer() and abs(plain) < 2**53 else plain


def numbers_of(row: Any) -> Any:
    """The chance of the positive outcome, or of every outcome."""
    return [number(v) for v in row] if isinstance(row, np.ndarray) else number(row)
