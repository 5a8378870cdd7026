"""A published announcement read back by somebody outside: its promises, and the inversion check on it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from liftgate.errors import DataError
from liftgate.exact import fraction
from liftgate.labels import Label, clean_label
from liftgate.transparency.announcements import Announcement
from liftgate.transparency.boxes import Fidelity
from liftgate.transparency.facts import Knowledge
from liftgate.transparency.inversion import Inversion, invert
from liftgate.transparency.rules import DecisionRules


def is_announcement(published: Mapping[str, Any]) -> bool:
    """Whether this is the public manifest of an announcement."""
    return "liftgate-announcement" in published


def promises(published: Mapping[str, Any]) -> dict[Label, float]:
    """The promised confidence of each group of a manifest."""
    if not is_announcement(published):
        return {}
    return {clean_label(entry["group"]): float(entry["promised"]) for entry in published["groups"]}


def from_manifest(published: Mapping[str, Any], shares: Mapping[tuple[Label, Label], Fraction]) -> Announcement:
    """A manifest as an outsider sees it: announced rules in place of the real ones, and the outsider's own shares."""
    group, private, mass, rule, promised = [], [], [], [], {}
    for entry in published["groups"]:
        label = clean_label(entry["group"])
        promised[label] = float(entry["promised"])
        for row in entry["rows"]:
            value = clean_label(row["private"])
            if (label, value) not in shares:
                raise DataError("shares", f"no share for {label!r}, {value!r}", "give the share of every row")
            group.append(label)
            private.append(value)
            mass.append(shares[label, value])
            announced = row["announced"]
            rule.append([fraction(v) for v in announced] if isinstance(announced, list) else fraction(announced))
    rules = DecisionRules.from_arrays(
        _objects(mass), np.array(rule, dtype=object), group, private, published["outcomes"]
    )
    told = published["fidelity"]
    value = told.get("value")
    fidelity = Fidelity(told["kind"], None if value is None else fraction(value))
    if told["kind"] == "bounds":
        fidelity = Fidelity("free")
    order = [rules.groups.label(g) for g in range(rules.groups.size)]
    target = published.get("target")
    return Announcement(
        rules,
        fidelity,
        None if target is None else fraction(target),
        "l1",
        published.get("digits"),
        None,
        rules.rule,
        np.array([promised[label] for label in order]),
        (),
        None,
    )


def read_inversion(published: Mapping[str, Any], knowledge: Knowledge) -> Inversion | None:
    """The inversion check from public inputs alone; None where no announcement was published."""
    if not is_announcement(published):
        return None
    families = None if knowledge.values is None else {"the values given": knowledge.values, "any value": None}
    return invert(from_manifest(published, knowledge.shares), families)


def _objects(values: list[Any]) -> Any:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
