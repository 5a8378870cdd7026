"""Writing a release of rows: the records, the private certificate and the public manifest, together or not at all."""

from __future__ import annotations

import json
import os
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from liftgate.errors import UsageError
from liftgate.jobs.writing import Written, files_of
from liftgate.tables.files import refuse, staged, write_private

if TYPE_CHECKING:
    from liftgate.jobs.rows import RowRelease

FORMAT = 1


def write_rows(found: RowRelease, out: str | os.PathLike[str], force: bool, publisher: str | None) -> Written:
    """Rows in the order of the table: the public columns of the record released at each place, and kept columns.

    Nothing else is written: no sensitive column, no score, no flag, no block.
    """
    targets = files_of(out)
    refuse(targets, force)
    table = _released(found)
    with staged(targets) as (rows_at, proof_at, manifest_at):
        if targets[0].suffix.lower() == ".csv":
            from pyarrow import csv

            csv.write_csv(table, rows_at)
        else:
            from pyarrow import parquet

            parquet.write_table(table, rows_at)
        write_private(proof_at, found.certificate.to_json())
        manifest_at.write_text(_manifest(found, table.column_names, publisher), encoding="utf-8")
    left_out = len(found.released) - len(table)
    return Written(*targets, tuple(table.column_names), len(table), left_out, found.certificate.hash)


def write_scores(found: RowRelease, path: Path) -> None:
    """A private file with the estimated lift of every sensitive value for every row, its load and its flag."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    from liftgate.labels import label_texts

    if path.suffix.lower() not in (".parquet", ".csv"):
        raise UsageError(f"scores {path.name!r}", "scores are written as tables", "name a .parquet or .csv file")
    lift = np.exp(found.scores.log_lift)
    columns: dict[str, Any] = {"row": np.arange(1, len(lift) + 1)}
    columns |= {f"lift of {name}": lift[:, k] for k, name in enumerate(label_texts(found.scores.labels))}
    columns |= {"load": found.scores.load(found.budget), "outside": found.plan.flagged, "hidden": found.plan.moved}
    with staged([path]) as (at,):
        write_private(at, "")
        (csv.write_csv if path.suffix.lower() == ".csv" else parquet.write_table)(pa.table(columns), at)


def _released(found: RowRelease) -> Any:
    """The table that is released."""
    import pyarrow as pa

    source = found.scores.table
    places = np.flatnonzero(found.released >= 0)
    table = source.written.take(pa.array(found.released[places]))
    if source.kept is not None:
        kept = source.kept.take(pa.array(places))
        for name in kept.column_names:
            table = table.append_column(name, kept.column(name))
    return table.combine_chunks()


def _manifest(found: RowRelease, columns: list[str], publisher: str | None) -> str:
    """What may be published beside the rows: no count, no size of a block, no figure about the table."""
    source = found.scores.table
    public = list(source.public)
    data = {
        "liftgate-rows-manifest": FORMAT,
        "version": metadata.version("liftgate"),
        "columns": {"sensitive": list(source.sensitive), "released": public, "kept": columns[len(public) :]},
        "mode": found.plan.mode,
        "budget": found.budget.to_dict(),
        "draw": "none" if found.plan.mode == "suppress" else "fresh",
        "assumptions": list(found.assumptions),
        "certificate_sha256": found.certificate.hash,
        **({} if publisher is None else {"publisher": publisher}),
    }
    return "{\n  " + ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in data.items()) + "\n}\n"
