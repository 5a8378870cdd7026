"""Announce: decision rules from a table, the announcement of least confidence, and what may be published of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from liftgate.errors import DataError, UsageError
from liftgate.labels import Label, label_text
from liftgate.transparency import Announcement, DecisionRules
from liftgate.transparency.rules import whole

PEOPLE, RULE = "people", "rule"


@dataclass(frozen=True, eq=False)
class PublicAnnouncement:
    """What is published: a manifest and nothing else; its page is drawn from the manifest alone."""

    manifest: Mapping[str, Any]

    def to_json(self) -> str:
        """The text of the manifest file."""
        return json.dumps(self.manifest, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_rules(
    source: Any,
    group: Sequence[str] = ("group",),
    private: Sequence[str] = ("private",),
    decision: str | None = None,
    positive: str | None = None,
    people: str = PEOPLE,
    rule: Sequence[str] = (RULE,),
    sensitive: str | None = None,
    **reading: Any,
) -> DecisionRules:
    """Rules from a rules table (one row for each group and private value) or from a table of decisions.

    With ``decision`` each row of the table is one person (or ``count`` people) and rules are the shares that were
    decided; else columns ``people`` and ``rule`` hold them. ``sensitive`` keeps only one private attribute.
    """
    for side, names in (("group", group), ("private", private)):
        if not names:
            raise UsageError(f"--{side}", "no column was named", f"name the {side} column")
    if decision is not None:
        rules = _decided(source, group, private, decision, positive, reading)
    else:
        rules = _given(source, group, private, people, rule, reading)
    return rules if sensitive is None else rules.only_sensitive(sensitive)


def _decided(
    source: Any,
    group: Sequence[str],
    private: Sequence[str],
    decision: str,
    positive: str | None,
    reading: dict[str, Any],
) -> DecisionRules:
    from liftgate.tables import read_joint

    joint = read_joint(source, sensitive=[decision], public=[*group, *private], **reading)
    names = [label_text(v) for v in joint.sensitive]
    if len(names) < 2:
        raise DataError(f"column {decision!r}", f"only one outcome, {names[0]!r}", "give decisions with two outcomes")
    order = list(range(len(names)))
    if positive is not None:
        if positive not in names:
            raise UsageError("positive", f"no outcome is called {positive!r}", f"use one of {', '.join(names)}")
        order.append(order.pop(names.index(positive)))
    labels = [_parts(x, len(group)) for x in joint.public]
    counts = np.array(joint.counts.T[:, order], dtype=np.int64)
    hidden = {name: _objects([x[1][i] for x in labels]) for i, name in enumerate(private)}
    return DecisionRules.from_counts(
        counts, _objects([x[0] for x in labels]), hidden, [joint.sensitive[i] for i in order]
    )


def _given(
    source: Any, group: Sequence[str], private: Sequence[str], people: str, rule: Sequence[str], reading: dict[str, Any]
) -> DecisionRules:
    from liftgate.tables import read_joint

    joint = read_joint(source, sensitive=[people, *rule], public=[*group, *private], **reading)
    columns: dict[str, list[Any]] = {name: [] for name in ("group", people, *rule)}
    hidden: dict[str, list[Label]] = {name: [] for name in private}
    for x, counts in zip(joint.public, joint.counts.T, strict=True):
        found = np.flatnonzero(counts)
        if found.size != 1 or counts[found[0]] != 1:
            raise DataError(
                f"row {label_text(x)}",
                "occurs more than once",
                "give one row for each group and private value, or name the column of decisions",
            )
        label, values = _parts(x, len(group))
        columns["group"].append(label)
        for name, value in zip(private, values, strict=True):
            hidden[name].append(value)
        for name, value in zip((people, *rule), joint.sensitive[int(found[0])], strict=True):
            place = f"column {name!r}, row {label_text(x)}"
            columns[name].append(whole(value, place) if name == people else value)
    return DecisionRules.from_rules_table(
        {**columns, **hidden}, "group", list(private), people, rule[0] if len(rule) == 1 else list(rule)
    )


def _parts(label: Label, groups: int) -> tuple[Label, tuple[Label, ...]]:
    """A public label as its group and its private values."""
    return (label[0] if groups == 1 else tuple(label[:groups])), tuple(label[groups:])


def _objects(values: list[Any]) -> Any:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def publish(announcement: Announcement, publisher: str | None = None, fairness: bool = False) -> PublicAnnouncement:
    """The public side of an announcement; ``fairness`` adds figures of the announced rules with their real range."""
    return PublicAnnouncement(announcement.manifest(publisher, fairness))


def read_published(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A JSON object with published figures or side information; numbers keep the digits they were written with."""
    place = os.fspath(path)
    try:
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise DataError(place, "not UTF-8", "save the file as UTF-8") from None
    try:
        value = json.loads(text, parse_float=str, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise DataError(f"{place}, line {error.lineno}", f"not JSON: {error.msg}", "check the file") from None
    if not isinstance(value, dict):
        raise DataError(place, "not a JSON object", 'give an object, for example {"figures": [...]}')
    return value


def _no_constant(text: str) -> Any:
    raise DataError("figure", f"{text} is no number", "give finite numbers")
