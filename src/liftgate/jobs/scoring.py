"""Scores of rows: how much each row says about the sensitive value, written beside it by the engine that holds it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from liftgate.channel import Channel
from liftgate.errors import UsageError
from liftgate.joint import Source
from liftgate.tables.draws import Draw
from liftgate.tables.files import refuse, staged
from liftgate.tables.outputs import Output
from liftgate.tables.release import Order, Rows, write_rows
from liftgate.tables.sources import Options, open_source

if TYPE_CHECKING:
    from pathlib import Path

    from liftgate.jobs.audit import Audit

NAMES = ("max lift", "min lift", "outside")


def scores_of(found: Audit) -> tuple[Output, ...]:
    """For every public value its greatest and least lift and, where there is a budget, whether it is outside."""
    import pyarrow as pa

    lift = found.joint.lift
    columns = [pa.array(np.max(lift, axis=0)), pa.array(np.min(lift, axis=0))]
    if found.verdicts:
        columns.append(pa.array([word == "outside" for word in found.verdicts], pa.bool_()))
    return tuple(Output(name, c.type, c) for name, c in zip(NAMES, columns, strict=False))


def write_scores(
    found: Audit, source: Any, out: Path, keep: tuple[str, ...], force: bool, tokens: tuple[str, ...], options: Options
) -> Rows:
    """One pass over the source; a file or a folder that stands under its name only when it is whole."""
    if out.suffix.lower() not in (".parquet", ".csv"):
        raise UsageError(f"out {out.name!r}", "scores are written as rows", "name a .parquet or .csv file")
    told = found.joint.source
    if told == Source():
        raise UsageError("scores", "bare counts do not name their columns", "audit the table itself")
    refuse([out], force)
    order = Order(
        channel=Channel.identity(found.joint.public),
        sensitive=told.sensitive,
        public=told.public,
        draw=Draw(),
        keep=keep,
        drop_missing=told.missing_rule == "drop",
        tokens=tokens,
        trim=options.trim,
        scores=scores_of(found),
    )
    with staged([out]) as (temporary,), open_source(source, options) as opened:
        rows = write_rows(opened, order, out, temporary, csv=out.suffix.lower() == ".csv")
        os.chmod(temporary, 0o700 if temporary.is_dir() else 0o600)
    return rows
