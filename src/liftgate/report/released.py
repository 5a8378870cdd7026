"""Released: what the page of a release needs to know, before and after, with names that can be read."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.joint import Joint
from liftgate.labels import Label, label_text
from liftgate.report import words
from liftgate.report.view import View

if TYPE_CHECKING:
    from liftgate.jobs.protect import Release

_NAME = 60


@dataclass(frozen=True, eq=False)
class Released:
    """A release as a page sees it: only values that occur, in positions of ``before`` and ``after``."""

    table: Joint
    sent: Joint
    channel: Channel
    budget: Budget

    @classmethod
    def of(cls, release: Release) -> Released:
        """What a record releases."""
        return cls(release.before, release.after, release.channel, release.budget)

    @cached_property
    def before(self) -> View:
        """The table as it is."""
        return _view(self.table.drop_empty(), self.budget)

    @cached_property
    def after(self) -> View:
        """What is released; its counts are whole shares, ``channel.total`` for one person."""
        return _view(self.sent.drop_empty(), self.budget)

    @cached_property
    def is_merge(self) -> bool:
        """Whether nothing is random."""
        return self.channel.is_merge

    @cached_property
    def entries(self) -> list[tuple[int, int, int]]:
        """Every public value x, released value y, and the whole shares of x that become y."""
        channel = self.channel
        seen = np.flatnonzero(self.table.public_counts.astype(bool))
        used = np.flatnonzero(self.sent.public_counts.astype(bool))
        left = {int(x): i for i, x in enumerate(seen)}
        right = {int(y): i for i, y in enumerate(used)}
        rows = zip(channel.row_of_entry.tolist(), channel.targets.tolist(), channel.shares.tolist(), strict=True)
        return [(left[x], right[y], int(w)) for x, y, w in rows if x in left]

    @cached_property
    def own(self) -> dict[int, int]:
        """The released value with the same name as a public value, where there is one."""
        position = {_same(y): i for i, y in enumerate(self.after.joint.public)}
        names = self.before.joint.public
        return {i: position[_same(x)] for i, x in enumerate(names) if _same(x) in position}

    @cached_property
    def kept_shares(self) -> list[int]:
        """The whole shares of each public value that keep its own name."""
        out = [0] * len(self.before.joint.public)
        for x, y, w in self.entries:
            if self.own.get(x) == y:
                out[x] += w
        return out

    @cached_property
    def always(self) -> list[bool]:
        """Which public values are always released under their own name."""
        return [w == self.channel.total for w in self.kept_shares]

    @property
    def changing(self) -> int:
        """How many public values are not."""
        return self.always.count(False)

    @cached_property
    def moved(self) -> list[float]:
        """The expected people of each public value who are released under another name."""
        total = self.channel.total
        counts = self.before.public_counts
        return [float(Fraction(n * (total - w), total)) for n, w in zip(counts, self.kept_shares, strict=True)]

    @cached_property
    def origins(self) -> list[list[int]]:
        """The public values that each released value may come from."""
        out: list[list[int]] = [[] for _ in self.after.joint.public]
        for x, y, _ in self.entries:
            out[y].append(x)
        return out

    def mostly(self, x: int) -> int:
        """The released value that a public value becomes most often."""
        shares = {y: w for v, y, w in self.entries if v == x}
        return max(shares, key=lambda y: (shares[y], -y))

    @property
    def identity(self) -> bool:
        """Whether every row keeps its value."""
        return all(self.always)

    @property
    def constant(self) -> bool:
        """Whether every row gets the same value, although there are several."""
        return len(self.after.joint.public) == 1 and len(self.before.joint.public) > 1

    # ---- names ---------------------------------------------------------------------------------

    @cached_property
    def names(self) -> dict[tuple[type, Label], str]:
        """Readable names of all values, public and released, each its own."""
        out: dict[tuple[type, Label], str] = {}
        taken: set[str] = set()
        for label in (*self.before.joint.public, *self.after.joint.public):
            if _same(label) in out:
                continue
            text = words.cut(words.visible(label_text(label)), _NAME)
            name, number = text, 2
            while name in taken:
                name, number = f"{text} #{number}", number + 1
            out[_same(label)] = name
            taken.add(name)
        return out

    @cached_property
    def left(self) -> list[str]:
        """The names of the public values."""
        return [self.names[_same(x)] for x in self.before.joint.public]

    @cached_property
    def right(self) -> list[str]:
        """The names of the released values."""
        return [self.names[_same(y)] for y in self.after.joint.public]

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """How values are released, in words, with these names; the sentences of the record where those can be read."""
        from liftgate.jobs.telling import sentences

        before = self.before.joint
        rows: list[list[tuple[int, int]]] = [[] for _ in before.public]
        for x, y, w in self.entries:
            rows[x].append((y, w))
        flat = [pair for row in rows for pair in row]
        channel = Channel(
            tuple(self.left),
            tuple(self.right),
            self.channel.total,
            np.concatenate([[0], np.cumsum([len(row) for row in rows])]),
            np.array([y for y, _ in flat], dtype=np.int64),
            np.array([w for _, w in flat], dtype=object),
        )
        people = Joint.from_counts(before.counts, before.sensitive, self.left, before.source)
        told = sentences(people, channel)
        if not words.is_count(before):
            told = tuple(t.replace("1,000 people", "1,000 cases") for t in told)
        return told


def _view(joint: Joint, budget: Budget) -> View:
    return View(joint, budget, budget.cells_outside(joint))


def _same(label: Label) -> tuple[type, Label]:
    return (type(label), label)
