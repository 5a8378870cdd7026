"""Reuse: the fitted channel of a manifest on the next delivery, audited anew before a row is drawn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from liftgate.certificates import Certificate, breach_of, certify
from liftgate.channel import Channel
from liftgate.checker import check
from liftgate.errors import BudgetError, DataError, UsageError
from liftgate.jobs.audit import Word, assumptions
from liftgate.jobs.protect import Release
from liftgate.joint import Joint
from liftgate.labels import Label, encode_label, label_text
from liftgate.mechanisms import utility
from liftgate.tables import read_joint
from liftgate.tables.columns import order_key

if TYPE_CHECKING:
    from liftgate.tables.manifest import Manifest

SHOWN = 5
Aliases = tuple[tuple[Label, Label], ...]


@dataclass(frozen=True, eq=False)
class Delivery:
    """People released together: their counts on the values of the design, and whether the budget is kept for them."""

    before: Joint
    after: Joint
    outside: tuple[Label, ...]
    certificate: Certificate

    @property
    def verdict(self) -> Word:
        """Decided by the checker: ``within`` or ``outside``."""
        return "outside" if self.outside else "within"

    def to_dict(self) -> dict[str, Any]:
        """Rows, verdict, and the lifts of every released value that occurs."""
        after = self.after.drop_empty()
        broken = {(type(y), y) for y in self.outside}
        return {
            "rows": self.before.total,
            "verdict": self.verdict,
            "sensitive": [encode_label(s) for s in after.sensitive],
            "released": [
                {"value": encode_label(y), "lift": lift, "outside": (type(y), y) in broken}
                for y, lift in zip(after.public, after.lift.T.tolist(), strict=True)
            ],
            "certificate": {"kind": self.certificate.kind, "sha256": self.certificate.hash},
        }


@dataclass(frozen=True, eq=False)
class Reuse:
    """What the channel of a manifest does to the next delivery, alone and, where it was given, with the earlier one.

    ``release`` is ready to be applied where every verdict is ``within``, and None otherwise.
    """

    manifest: Manifest
    delivered: Delivery
    both: Delivery | None
    aliases: Aliases
    notes: tuple[str, ...]
    assumptions: tuple[str, ...]

    @property
    def verdict(self) -> Word:
        """``within`` where the new delivery, and both together, keep the budget of the manifest."""
        found = [d.verdict for d in (self.delivered, self.both) if d is not None]
        return "outside" if "outside" in found else "within"

    @cached_property
    def release(self) -> Release | None:
        """The release of the new delivery; nothing outside its budget becomes one."""
        if self.verdict != "within":
            return None
        found, channel = self.delivered, self.manifest.channel
        return Release(
            before=found.before,
            budget=self.manifest.budget,
            mechanism="reused",
            asked="reused",
            channel=channel,
            after=found.after,
            certificate=found.certificate,
            utility=utility(found.before, channel),
            bound=None,
            search_bound=None,
            notes=self.notes,
            assumptions=self.assumptions,
            aliases=self.aliases,
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it."""
        return {
            "budget": {**self.manifest.budget.to_dict(), "asked": self.manifest.budget.text},
            "manifest": {"version": self.manifest.version, "certificate_sha256": self.manifest.certificate_sha256},
            "delivered": self.delivered.to_dict(),
            "both": None if self.both is None else self.both.to_dict(),
            "mapped": [{"value": encode_label(new), "as": encode_label(old)} for new, old in self.aliases],
            "notes": list(self.notes),
            "release": None if self.release is None else self.release.to_dict(),
        }

    def _repr_html_(self) -> str:
        return f"<p><strong>Reused release: {self.verdict}</strong></p>{self.delivered.after._repr_html_()}"


def reuse(
    manifest: Manifest | str | os.PathLike[str],
    source: Any,
    *,
    previous: Any = None,
    mapped: Mapping[Label, Label] | Sequence[str] = (),
    sensitive: str | Sequence[str] | None = None,
    public: str | Sequence[str] | None = None,
    missing: str = "value",
    **reading: Any,
) -> Reuse:
    """Hold the next delivery, sent through the channel of a manifest, against the budget of that manifest.

    ``source`` is a joint or a table, read as ``read_joint`` reads it, with the columns and the bins of the manifest.
    ``previous`` is the private certificate of the earlier delivery, or its table: then both are audited together as
    well. ``mapped`` says as what a value is treated that the design never saw: ``{"new": "old"}`` or ``["new=old"]``.

    >>> from liftgate.budget import Budget
    >>> from liftgate.tables.manifest import Manifest
    >>> merge = Channel.merge(["a", "b", "c"], [["a", "b"], ["c"]])
    >>> names = (("s",), ("x",), ("x",), ())
    >>> old = Manifest("0", *names, merge, Budget.between("3/4", "5/4"), "fresh", "label", "0" * 64)
    >>> new = Joint.from_counts([[3, 1, 2], [1, 3, 2]], public=["a", "b", "c"])
    >>> reuse(old, new).verdict, reuse(old, Joint.from_counts([[3, 1], [1, 3]], public=["a", "c"])).verdict
    ('within', 'outside')
    """
    from liftgate.tables.manifest import Manifest, read_manifest

    known = manifest if isinstance(manifest, Manifest) else read_manifest(manifest)

    def counted(given: Any, **how: Any) -> Joint:
        if isinstance(given, Joint):
            return given
        hidden = known.sensitive if sensitive is None else [sensitive] if isinstance(sensitive, str) else sensitive
        shown = known.public if public is None else [public] if isinstance(public, str) else public
        for text in hidden:
            if "@quantiles" in text:
                problem = "its bins would move with the table, and the manifest does not say where they were"
                raise UsageError(f"sensitive {text!r}", problem, "name the edges: COLUMN@edges=18,65")
        return read_joint(given, list(hidden), list(shown), missing=missing, designed=known.channel.public, **how)

    joint = counted(source, **reading)
    aliases, notes = _aliases(joint, known.channel, mapped)
    before = _on_design(joint, known.channel, aliases)
    notes += [
        f"{label_text(new)} is treated as {label_text(old)}, by the mapping that was given" for new, old in aliases
    ]
    delivered = _delivery(before, known)
    both = None
    if previous is None:
        notes.append("only this delivery was audited; the earlier one (previous) tells about both together")
    else:
        files = {name: value for name, value in reading.items() if name not in ("table", "query")}
        earlier, told = _earlier(previous, known, before, lambda file: counted(file, **files))
        notes += told
        both = _delivery(_together(before, earlier), known)
    notes.append("whoever is in both deliveries is released twice: keyed draws give the same row the same value again")
    return Reuse(known, delivered, both, aliases, tuple(notes), assumptions(joint))


def _delivery(before: Joint, manifest: Manifest) -> Delivery:
    """The verdict on counts, and the certificate of it that the checker accepts."""
    channel, budget = manifest.channel, manifest.budget
    after = before.through(channel)
    outside = tuple(y for y, kept in zip(after.public, budget.holds(after).tolist(), strict=True) if not kept)
    table = before.drop_empty()
    used = channel.of(np.flatnonzero(before.public_counts.astype(bool)))
    certificate = (breach_of if outside else certify)(table, used, budget, assumptions(before))
    verdict = check(certificate)
    if not verdict.holds:
        raise BudgetError(f"budget {budget.text}", f"the checker refused: {verdict.reason}", "please report this")
    return Delivery(before, after, outside, certificate)


# ---- values that the design never saw --------------------------------------------------------------------------------


def _key(label: Label) -> tuple[Any, ...]:
    return tuple((type(v), v) for v in label) if isinstance(label, tuple) else (type(label), label)


def _aliases(
    joint: Joint, channel: Channel, mapped: Mapping[Label, Label] | Sequence[str]
) -> tuple[Aliases, list[str]]:
    """For every value that the design never saw the one that it is treated as; a value that has none is refused."""
    known = {_key(x): x for x in channel.public}
    unseen = {_key(x): x for x in joint.public if _key(x) not in known}
    pairs: Iterable[tuple[Label, Label] | str] = mapped.items() if isinstance(mapped, Mapping) else mapped
    found: dict[Any, tuple[Label, Label]] = {}
    notes = []
    for pair in pairs:
        new, old = _pair(pair, list(unseen.values()), channel.public)
        if new is None:
            notes.append(
                f"{pair if isinstance(pair, str) else label_text(pair[0])}: mapped, but no new value is so named"
            )
            continue
        found[_key(new[0])] = (new[0], old)
    left = [x for key, x in unseen.items() if key not in found]
    if left:
        shown = ", ".join(repr(label_text(x)) for x in left[:SHOWN])
        named = ", ".join(repr(name) for name in joint.source.public)
        raise DataError(
            f"{joint.source.name}, public {named}",
            f"{len(left):,} value{'s' * (len(left) > 1)} not seen at design time: {shown}{', …' * (len(left) > SHOWN)}",
            f"map each to a value of the design (--map {label_text(left[0])!r}={label_text(channel.public[0])!r}), "
            "or design a new release",
        )
    return tuple(found.values()), notes


def _pair(
    pair: tuple[Label, Label] | str, unseen: Sequence[Label], known: Sequence[Label]
) -> tuple[tuple[Label] | None, Label]:
    """A mapping as two labels; in a text ``NEW=OLD`` the sign is the one that leaves a value of the design behind it."""
    if isinstance(pair, str):
        cuts = [(pair[:i], pair[i + 1 :]) for i, c in enumerate(pair) if c == "="]
        tries: list[tuple[Any, Any]] = [cut for cut in cuts if _named(cut[1], known) is not None]
        if not tries:
            raise UsageError(f"map {pair!r}", "no value of the design stands behind =", "write NEW=OLD")
    else:
        tries = [pair]
    for new, old in tries:
        value, target = _named(new, unseen), _named(old, known)
        if target is None:
            raise UsageError(f"map {label_text(old)!r}", "it is not a value of the design", "map to one that is")
        if value is not None:
            return value, target[0]
        if _named(new, known) is not None:
            fix = "leave it out: only values that were not seen are mapped"
            raise UsageError(f"map {label_text(new)!r}", "it is a value of the design already", fix)
    return None, None


def _named(name: Any, labels: Sequence[Label]) -> tuple[Label] | None:
    """The label that is this one, or is written so; in a tuple of its own, because a missing entry is a label as well."""
    exact = [x for x in labels if _key(x) == _key(name)]
    if exact or not isinstance(name, str):
        return (exact[0],) if exact else None
    written = [x for x in labels if label_text(x) == name]
    if len(written) > 1:
        raise UsageError(f"map {name!r}", "several values are written so", "give the labels themselves, in Python")
    return (written[0],) if written else None


def _on_design(joint: Joint, channel: Channel, aliases: Aliases) -> Joint:
    """The counts on the public values of the design, in their order, mapped ones added to theirs."""
    at = {_key(x): i for i, x in enumerate(channel.public)}
    at |= {_key(new): at[_key(old)] for new, old in aliases}
    counts = np.zeros((len(channel.public), len(joint.sensitive)), dtype=joint.counts.dtype)
    np.add.at(counts, [at[_key(x)] for x in joint.public], joint.counts.T)
    return Joint(counts.T, joint.sensitive, channel.public, joint.source)


# ---- the earlier delivery --------------------------------------------------------------------------------------------


def _earlier(previous: Any, manifest: Manifest, new: Joint, counted: Any) -> tuple[Joint, list[str]]:
    """The counts of the earlier delivery on the values of the design."""
    path = os.fspath(previous) if isinstance(previous, (str, os.PathLike)) else None
    if path is not None and path.endswith(".json"):
        previous = Certificate.read(path)
    if not isinstance(previous, Certificate):
        joint = counted(previous)
        unseen = [x for x in joint.public if _key(x) not in {_key(v) for v in manifest.channel.public}]
        if unseen:
            problem = f"{label_text(unseen[0])!r} is not a value of the design"
            raise DataError(f"earlier table {joint.source.name}", problem, "name the table that the manifest came from")
        return _on_design(joint, manifest.channel, ()), []
    place = f"certificate {path or 'of the earlier delivery'}"
    if previous.hash != manifest.certificate_sha256:
        raise DataError(place, "it is not the one that the manifest names", "give the certificate written with it")
    verdict = check(previous)
    if not verdict.holds:
        raise DataError(place, f"the checker does not accept it ({verdict.reason})", "give the certificate as it was")
    rule = f"missing={new.source.missing_rule}"
    was = next((a for a in previous.assumptions if a.startswith("missing=")), rule)
    if was != rule:
        raise DataError(place, f"it was counted with {was}, this table with {rule}", f"use the same ({was})")
    counts = previous.claim["counts"]
    outputs = [[v for pair in output for v in pair] for output in manifest.channel.outputs()]
    if previous.claim["channel"]["outputs"] != outputs:
        raise DataError(place, "it leaves out values that never occurred", "give the table of the earlier delivery")
    if len(counts) != len(new.sensitive):
        problem = f"it counts {len(counts)} sensitive values, this table has {len(new.sensitive)}"
        raise DataError(place, problem, "give the table of the earlier delivery instead: it has their names")
    told = "a certificate holds no names: its sensitive values were taken in the order of those of the new table"
    return Joint(np.array(counts, dtype=object), new.sensitive, new.public), [told]


def _together(new: Joint, old: Joint) -> Joint:
    """The counts of both deliveries, by sensitive value."""
    sensitive = sorted({_key(s): s for s in (*new.sensitive, *old.sensitive)}.values(), key=order_key)
    at = {_key(s): i for i, s in enumerate(sensitive)}
    counts = np.zeros((len(sensitive), len(new.public)), dtype=object)
    for joint in (new, old):
        np.add.at(counts, [at[_key(s)] for s in joint.sensitive], joint.counts.astype(object))
    told = replace(new.source, name=f"{new.source.name} and the earlier delivery", rows=None, missing=())
    return Joint(counts, tuple(sensitive), new.public, told)
