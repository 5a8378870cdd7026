"""Protect: the release of a table inside a budget, decided by the checker, ready to be written row by row."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.certificates import Certificate, certify, optimal_utility
from liftgate.channel import Channel
from liftgate.checker import check
from liftgate.errors import BudgetError
from liftgate.exact import read_only
from liftgate.jobs.audit import Word, assumptions
from liftgate.jobs.telling import sentences
from liftgate.joint import Joint
from liftgate.labels import Label, encode_label
from liftgate.measures import measure
from liftgate.mechanisms import mechanism_named, utility
from liftgate.mechanisms.auto import choose

if TYPE_CHECKING:
    from liftgate.jobs.writing import Written
    from liftgate.mechanisms.design import Design, Progress


@dataclass(frozen=True, eq=False)
class Release:
    """A channel that the checker accepted for this table and this budget, and what it keeps.

    ``utility`` is NMI = I(X;Y) / H(X). ``bound`` is a proven upper bound on it over all releases inside the budget,
    rounded up; the mechanism ``optimal`` always has one (1.0 when nothing better is proven), the others have None.
    ``search_bound`` is what the search believes; it is never called certified.
    """

    before: Joint
    budget: Budget
    mechanism: str
    asked: str
    channel: Channel
    after: Joint
    certificate: Certificate
    utility: float
    bound: float | None
    search_bound: float | None
    notes: tuple[str, ...]
    assumptions: tuple[str, ...]
    aliases: tuple[tuple[Label, Label], ...] = ()  # values that the design never saw, and what they are treated as

    @property
    def verdict(self) -> Word:
        """Always ``within``: nothing else becomes a release."""
        return "within"

    @cached_property
    def outside(self) -> NDArray[np.bool_]:
        """The cells ``[s, x]`` of the table that break the budget as it is."""
        return read_only(self.budget.cells_outside(self.before))

    @cached_property
    def measures_before(self) -> Mapping[str, float]:
        """Every measure of the public columns as they are."""
        return MappingProxyType(measure(self.before.drop_empty()))

    @cached_property
    def measures_after(self) -> Mapping[str, float]:
        """Every measure of what is released."""
        return MappingProxyType(measure(self.after.drop_empty()))

    @cached_property
    def changed(self) -> Fraction:
        """The expected share of rows whose released name is not their own value."""
        kept = sum(int(n) * w for n, w in zip(self.before.public_counts, self._own_shares, strict=True))
        return 1 - Fraction(kept, self.before.total * self.channel.total)

    @cached_property
    def _own_shares(self) -> list[int]:
        """For each public value the shares that are released under its own name."""
        return [sum(w for y, w in released if (type(y), y) == (type(x), x)) for x, released in self.channel.rows()]

    @cached_property
    def always_kept(self) -> tuple[Label, ...]:
        """The public values that are always released under their own name."""
        return tuple(
            x for x, own in zip(self.before.public, self._own_shares, strict=True) if own == self.channel.total
        )

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """How values are released, in words: of 1,000 people with a value, so many stay and so many become another."""
        return sentences(self.before, self.channel)

    @cached_property
    def merging(self) -> tuple[Channel, float, bool]:
        """The release without randomness: the best merge, what it keeps, and whether it is the best of all partitions.

        Up to 16 values it is; above, Algorithm 1 is told as best found.
        """
        from liftgate.mechanisms.merge_best import EXACT_UP_TO

        exact = len(self.before.drop_empty().public) <= EXACT_UP_TO
        design = mechanism_named("merge-best" if exact else "merge-subsets")(self.before, self.budget)
        return design.channel, utility(self.before, design.channel), exact

    def apply(
        self,
        source: Any,
        out: str | os.PathLike[str] = "released.parquet",
        keep: str | Sequence[str] = (),
        draw: str = "fresh",
        key: bytes | str | None = None,
        id: str | None = None,
        render: str = "label",
        *,
        order: str = "source",
        force: bool = False,
        sensitive: str | Sequence[str] | None = None,
        public: str | Sequence[str] | None = None,
        count: str | None = None,
        missing_tokens: Iterable[str] = (),
        table: str | None = None,
        query: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        columns: str | Sequence[str] | None = None,
        trim: bool = False,
        memory: str | None = None,
        publisher: str | None = None,
        into: str | None = None,
    ) -> Written:
        """Draw a released value for every row of ``source`` and write rows, private certificate and public manifest.

        ``out`` is a Parquet or CSV file, or a stem: ``adult`` gives ``adult-release.parquet``. ``keep`` names columns
        that stay beside the released ones. ``draw="keyed"`` with ``key`` and ``id`` gives a row the same value every
        time. ``render="sample"`` writes a member drawn from P(x | y) instead of the released name. The source is read
        as ``read_joint`` reads it; ``sensitive`` and ``public`` name the columns where the design came from counts.
        ``into`` names a new table of the PostgreSQL server that the rows come from: it takes the place of the rows file.
        """
        from liftgate.jobs.writing import Ask, write
        from liftgate.tables.sources import Options, header_names

        def names(given: str | Iterable[str] | None) -> tuple[str, ...]:
            return () if given is None else (given,) if isinstance(given, str) else tuple(str(v) for v in given)

        ask = Ask(
            out=os.fspath(out),
            keep=names(keep),
            draw=draw,
            key=key,
            row_id=id,
            render=render,
            order=order,
            force=force,
            sensitive=names(sensitive),
            public=names(public),
            count=count,
            tokens=names(missing_tokens),
            publisher=publisher,
            into=into,
            options=Options(table, query, delimiter, encoding, header_names(columns), trim, memory),
        )
        return write(self, source, ask)

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it."""
        before, after = self.before, self.after
        shares = after.public_share.tolist()
        broken: NDArray[np.bool_] = np.asarray(self.outside.any(axis=0))
        return {
            "budget": {**self.budget.to_dict(), "asked": self.budget.text},
            "mechanism": self.mechanism,
            "asked": self.asked,
            "utility": self.utility,
            "bound": self.bound,
            "search_bound": self.search_bound,
            "changed": float(self.changed),
            "sensitive": [
                {"value": encode_label(s), "rows": int(n)}
                for s, n in zip(before.sensitive, before.sensitive_counts, strict=True)
            ],
            "values": [
                {"value": encode_label(x), "rows": int(n), "lift": lift, "outside": out}
                for x, n, lift, out in zip(
                    before.public,
                    before.public_counts,
                    before.lift.T.tolist(),
                    broken.tolist(),
                    strict=True,
                )
            ],
            "released": [
                {"value": encode_label(y), "share": share, "lift": lift}
                for y, share, lift in zip(after.public, shares, after.lift.T.tolist(), strict=True)
            ],
            "channel": self.channel.to_dict(),
            "measures_before": dict(self.measures_before),
            "measures_after": dict(self.measures_after),
            "sentences": list(self.sentences),
            "notes": list(self.notes),
            "certificate": {"kind": self.certificate.kind, "sha256": self.certificate.hash},
        }

    def _repr_html_(self) -> str:
        from html import escape

        head = f"Release within {escape(self.budget.text)}: keeps {100 * self.utility:.1f} %"
        lines = "".join(f"<li>{escape(s)}</li>" for s in self.sentences[:12])
        return f"<p><strong>{head}</strong></p><ul>{lines}</ul>{self.channel._repr_html_()}"


def protect(
    joint: Joint,
    budget: Budget | str,
    mechanism: str = "auto",
    gap: float = 1e-6,
    seconds: float = 60,
    progress: Progress | None = None,
) -> Release:
    """Design a release of the public values inside a budget, and have the checker decide it (LIFT sections 4 to 6).

    >>> joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]], public=["a", "b", "c"])
    >>> release = protect(joint, Budget.between("3/4", "5/4"), mechanism="merge-best")
    >>> release.verdict, release.channel.released, release.sentences[0]
    ('within', ('a · b', 'c'), 'a and b are released as a · b')
    """
    budget = Budget.parse(budget) if isinstance(budget, str) else budget
    search = mechanism_named(mechanism)
    chosen = choose(joint, budget)[0] if mechanism == "auto" else mechanism
    design = search(joint, budget, gap=float(gap), seconds=float(seconds), progress=progress)
    assumed = assumptions(joint)
    certificate, notes, proven = _certified(joint, budget, design, assumed)
    bound = None
    if chosen == "optimal":
        bound = _rounded_up(design.bound) if proven and design.bound is not None else 1.0
    return Release(
        before=joint,
        budget=budget,
        mechanism=chosen,
        asked=mechanism,
        channel=design.channel,
        after=joint.through(design.channel),
        certificate=certificate,
        utility=utility(joint, design.channel),
        bound=bound,
        search_bound=design.search_bound,
        notes=(*design.notes, *notes),
        assumptions=assumed,
    )


def _certified(
    joint: Joint, budget: Budget, design: Design, assumed: tuple[str, ...]
) -> tuple[Certificate, tuple[str, ...], bool]:
    """The strongest certificate that the checker accepts, and whether it proves the bound; no release without one."""
    table, channel, notes = joint.drop_empty(), design.channel, []
    if len(table.public) < len(joint.public):
        channel = channel.of(np.flatnonzero(joint.public_counts.astype(bool)))
    if design.proof is not None:
        strongest = optimal_utility(table, channel, budget, design.proof, assumed)
        verdict = check(strongest)
        if verdict.holds:
            return strongest, (), True
        notes.append(f"the checker refused the proof that no release keeps more: {verdict.reason}")
    certificate = certify(table, channel, budget, assumed)
    verdict = check(certificate)
    if not verdict.holds:
        raise BudgetError(
            f"budget {budget.text}", f"the checker refused the release: {verdict.reason}", "please report this"
        )
    return certificate, tuple(notes), False


def _rounded_up(bound: Fraction) -> float:
    value = float(bound)
    return value if Fraction(value) >= bound else math.nextafter(value, math.inf)
