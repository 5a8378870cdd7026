"""Writing a release: rows, private certificate and public manifest, together or not at all."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from liftgate.certificates import Certificate
from liftgate.channel import Channel
from liftgate.errors import BudgetError, UsageError
from liftgate.joint import Joint, Source
from liftgate.tables.draws import draw_of
from liftgate.tables.files import refuse, staged, write_private
from liftgate.tables.manifest import Manifest
from liftgate.tables.release import Order, Rows, copy_rows, write_rows
from liftgate.tables.sources import Options, open_source

if TYPE_CHECKING:
    from liftgate.jobs.protect import Release

ORDERS = ("source", "sorted")
RENDERS = ("label", "sample")


@dataclass(frozen=True)
class Ask:
    """How rows are to be written; a key never shows itself."""

    out: str
    keep: tuple[str, ...] = ()
    draw: str = "fresh"
    key: bytes | str | None = field(default=None, repr=False)
    row_id: str | None = None
    render: str = "label"
    order: str = "source"
    force: bool = False
    sensitive: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    count: str | None = None
    tokens: tuple[str, ...] = ()
    publisher: str | None = None
    into: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class Written:
    """The three files of a release. ``os.fspath`` gives the rows, so that a reader of tables can open it.

    On a cluster ``rows`` is a folder of files; written into a server it is the name of the table. ``draw`` says how
    values were drawn; empty for whole records, whose values are not drawn.
    """

    rows: Path | str
    certificate: Path
    manifest: Path
    columns: tuple[str, ...]
    number: int
    left_out: int
    sha256: str
    draw: str = ""

    def __fspath__(self) -> str:
        return str(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The same facts for ``--json``."""
        return {
            "rows": str(self.rows),
            "certificate": str(self.certificate),
            "manifest": str(self.manifest),
            "columns": list(self.columns),
            "number": self.number,
            "left_out": self.left_out,
            **({"draw": self.draw} if self.draw else {}),
            "certificate_sha256": self.sha256,
        }


def files_of(out: str | os.PathLike[str]) -> tuple[Path, Path, Path]:
    """Rows, certificate and manifest: a file name gives its stem to the others, a stem gets ``-release``.

    >>> [p.name for p in files_of("adult")]
    ['adult-release.parquet', 'adult-release.cert.json', 'adult-release.manifest.json']
    >>> [p.name for p in files_of("x.csv")]
    ['x.csv', 'x.cert.json', 'x.manifest.json']
    """
    path = Path(out)
    if path.name in ("", ".", ".."):
        raise UsageError("out", f"{os.fspath(out)!r} is not a file name", "give a name such as released.parquet")
    if path.suffix.lower() in (".parquet", ".csv"):
        stem, rows = path.name[: -len(path.suffix)], path
    elif path.suffix.lower() in (".json", ".html", ".tsv", ".arrow", ".feather", ".gz", ".xlsx", ".txt"):
        raise UsageError(f"out {path.name!r}", f"rows are not written as {path.suffix}", "name a .parquet or .csv file")
    else:
        stem = f"{path.name}-release"
        rows = path.with_name(f"{stem}.parquet")
    return rows, path.with_name(f"{stem}.cert.json"), path.with_name(f"{stem}.manifest.json")


def write(release: Release, source: Any, ask: Ask) -> Written:
    """One pass over the source; the certificate names how the draws were made, and the manifest comes last."""
    for value, known, place in ((ask.render, RENDERS, "render"), (ask.order, ORDERS, "order")):
        if value not in known:
            raise UsageError(place, f"{value!r} is not known", f"use {' or '.join(known)}")
    if ask.count is not None and ask.draw == "keyed":
        raise UsageError("draw", "a counted table has no rows to tell apart", "draw fresh")
    draw = draw_of(ask.draw, ask.key, ask.row_id, release.channel)
    rows_target, *others = files_of(ask.out)
    targets = others if ask.into is not None else [rows_target, *others]
    refuse(targets, ask.force)
    told = release.before.source
    order = Order(
        channel=release.channel,
        sensitive=ask.sensitive or told.sensitive,
        public=ask.public or told.public,
        draw=draw,
        keep=ask.keep,
        row_id=ask.row_id,
        count=ask.count,
        render=_members(release) if ask.render == "sample" else None,
        drop_missing=told.missing_rule == "drop",
        sort=ask.order == "sorted" or ask.count is not None,
        tokens=ask.tokens,
        trim=ask.options.trim,
        kept_as_text=ask.into is not None,
        aliases=release.aliases,
    )
    if ask.keep and told == Source() and not ask.sensitive:
        problem = "the design came from bare counts, so it is not known which column is sensitive"
        raise UsageError("keep", problem, "name it: sensitive=, and public=")
    proof = drawn(release.certificate, ask.draw)
    with contextlib.ExitStack() as stack:
        table = None if ask.into is None else _new_table(source, ask.into, stack)
        *rows_at, proof_at, manifest_at = stack.enter_context(staged(targets, None if table is None else table.commit))
        with open_source(source, ask.options) as opened:
            if table is not None:
                rows = copy_rows(opened, order, table)
            else:
                rows = write_rows(opened, order, rows_target, rows_at[0], csv=rows_target.suffix.lower() == ".csv")
        manifest = _manifest(release, order, rows, ask, proof).to_json()
        write_private(proof_at, proof.to_json())
        manifest_at.write_text(manifest, encoding="utf-8")
        if table is not None:
            table.describe(manifest)
    proof_target, manifest_target = others
    return Written(
        ask.into or rows_target, proof_target, manifest_target, rows.columns, rows.number, rows.left_out, proof.hash, ask.draw
    )  # fmt: skip


def _new_table(source: Any, name: str, stack: contextlib.ExitStack) -> Any:
    """A table to be written into the server that the rows come from."""
    from liftgate.tables.postgres import is_address, is_connection
    from liftgate.tables.postgres_rows import NewTable

    if not (is_address(source) or is_connection(source)):
        raise UsageError(
            "into", "only a PostgreSQL source has a server to write into", "leave it out, and write a file"
        )
    return NewTable(source, name, stack)


def drawn(certificate: Certificate, mode: str) -> Certificate:
    """The certificate of written rows: the same claim, and one more assumption, how they were drawn."""
    name = {"fresh": "draws-are-fresh", "keyed": "draws-repeat-by-key"}[mode]
    return replace(certificate, assumptions=(*certificate.assumptions, name))


def _manifest(release: Release, order: Order, rows: Rows, ask: Ask, proof: Certificate) -> Manifest:
    return Manifest(
        version=metadata.version("liftgate"),
        sensitive=order.sensitive,
        public=order.public,
        released=rows.columns[: len(rows.columns) - len(order.keep)],
        kept=order.keep,
        channel=release.channel,
        budget=release.budget,
        draw=ask.draw,
        render=ask.render,
        certificate_sha256=proof.hash,
        publisher=ask.publisher,
    )


def _members(release: Release) -> Channel:
    """P(x | y) in whole shares: a released value is rendered as one of its members, drawn anew for every row.

    What is rendered follows from what is released, so it says no more; budgets that mixing can break are decided.
    """
    before, channel = release.before, release.channel
    mass = np.zeros((len(channel.released), len(before.public)))
    people = before.public_counts.astype(np.float64)
    mass[channel.targets, channel.row_of_entry] = (
        channel.shares.astype(np.float64) / channel.total * people[channel.row_of_entry]
    )
    nobody = mass.sum(axis=1) == 0  # a reused channel may know values that nobody has in this table
    mass[nobody] = channel.matrix.T[nobody]
    members = Channel.from_floats(mass / mass.sum(axis=1, keepdims=True), channel.released, before.public)
    if release.budget.kind in ("l1", "chi2") and release.budget.low is not None:
        both = channel.compose(members)
        shown: Joint = before.through(both)
        if not release.budget.holds(shown).all():
            problem = "a member drawn from each released value would break it, because this bound is not convex"
            raise BudgetError(f"budget {release.budget.text}", problem, 'use render="label"')
    return members
