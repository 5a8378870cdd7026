"""Released rows on a cluster: every task draws for its own rows and writes them; none of them comes to this process.

What is drawn is written and never computed again. A task writes under a name of its own, and Spark keeps the files of
exactly one attempt; an attempt that is repeated makes the same words (`draws.Stretched`, or the hash of the row id). Nothing
is shuffled after the draw: sorted rows are sorted from what was written first. The key, which is that of this release and
no other, travels with the task in its pickled code and stands in no plan, no setting and no log.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liftgate.errors import DataError, LiftgateError
from liftgate.tables.drawing import Drawer
from liftgate.tables.draws import Stretched
from liftgate.tables.files import unwritten

if TYPE_CHECKING:
    from liftgate.tables.release import Rows, Work

_COMMIT = {
    "mapreduce.fileoutputcommitter.algorithm.version": "1",  # version 2 shows files of tasks before the job is whole
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}


def write_rows(work: Work, target: Path, temporary: Path, csv: bool) -> Rows:
    """Draw and write a folder of Parquet or CSV files, in the partitions of the source."""
    from liftgate.tables.release import Rows

    work.start()
    people, left_out = _look(work)
    cluster = work.bound.con
    frame = cluster.sql(work.query).frame
    folders = [
        name for name in partition_columns(cluster.session, work.bound.relation, work) if name in work.order.keep
    ]
    try:
        with cluster.telling():
            drawn, schema = _drawn(frame, work)
            if work.order.sort:
                first = temporary.with_name(temporary.name + ".drawn")
                try:
                    _write(drawn, first, False, [])
                    kept = cluster.session.read.schema(schema).parquet(str(first / "*.parquet"))
                    _write(kept.orderBy(*[f"`{c.replace('`', '``')}`" for c in kept.columns]), temporary, csv, folders)
                finally:
                    shutil.rmtree(first, ignore_errors=True)
            else:
                _write(drawn, temporary, csv, folders)
    except LiftgateError as error:
        if "disk is full" in error.problem:
            raise unwritten(target, error.problem) from None
        raise
    _only_rows(temporary, target)
    if not csv and (found := _written(temporary)) != people:
        problem = f"{people:,} rows were counted and {found:,} written: it changed while it was read"
        raise DataError(work.opened.name, problem, "release a table that stays as it is (cache it, or save it first)")
    return Rows(tuple(schema.names), people, left_out)


def _look(work: Work) -> tuple[int, int]:
    """Before anything is drawn: every value is known to the channel; how many rows there will be, and how many not."""
    drawer, bound = work.drawer, work.bound
    keys = ", ".join(f"{k.inner} AS k{n}" for n, k in enumerate(drawer.keys))
    outer = ", ".join(f"{k.outer.format(f'k{n}')} AS k{n}" for n, k in enumerate(drawer.keys))
    weight = "count(*)" if work.count is None else f"sum(CAST(c{work.count} AS DECIMAL(38, 0)))"
    places = ", ".join(str(n + 1) for n in range(len(drawer.keys)))
    grouped = f"SELECT {keys}, {weight} AS n, count(*) AS r FROM {bound.relation} GROUP BY {places}"
    table = bound.con.sql(f"SELECT {outer}, n, r FROM ({grouped}) AS g").to_arrow_table().combine_chunks()
    if len(table) == 0:
        raise DataError(work.opened.name, "no row, only column names", "give a table with at least one row")
    batch = table.to_batches()[0]
    _, rows = drawer.positions(batch)
    drawer.all_seen()
    people, lines = ([int(v) for v in batch.column(len(drawer.keys) + n).to_pylist()] for n in (0, 1))
    kept = range(batch.num_rows) if rows is None else rows.tolist()
    return sum(people[r] for r in kept), sum(lines) - sum(lines[r] for r in kept)


def _drawn(frame: Any, work: Work) -> tuple[Any, Any]:
    """The released rows as a frame (nothing has run yet), and its schema."""
    import pyarrow as pa
    from pyspark.sql import types as t

    simple = {"bool": t.BooleanType(), "int64": t.LongType(), "double": t.DoubleType()}
    fields = [t.StructField(o.name, simple.get(str(o.kind), t.StringType()), True) for o in work.outputs]
    first = len(work.drawer.keys)
    for n, (name, _) in enumerate(work.kept):
        fields.append(t.StructField(name, frame.schema.fields[first + n].dataType, True))
    schema = t.StructType(fields)
    plain = [replace(o, kind=pa.string()) if pa.types.is_dictionary(o.kind) else o for o in work.outputs]
    seed = None if work.order.draw.key is not None else os.urandom(32)
    task = _task(replace(work.drawer, outputs=tuple(plain), unseen={}), [f.name for f in fields], seed)
    return frame.mapInArrow(task, schema), schema


def _task(drawer: Drawer, names: list[str], seed: bytes | None) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a task does with the rows of its partition."""

    def draw(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        mine = replace(drawer, unseen={})
        if seed is not None:
            mine.random = Stretched(seed, context.partitionId())
        width = len(mine.keys)
        for batch in batches:
            kinds = [o.kind for o in mine.outputs] + [
                f.type for f in list(batch.schema)[width : width + len(mine.kept)]
            ]
            schema = pa.schema([pa.field(n, k) for n, k in zip(names, kinds, strict=True)])
            yield from mine.batches([batch], schema)

    return draw


def partition_columns(session: Any, view: str, work: Work) -> list[str]:
    """The columns by which the files of the source are laid out in folders (``year=2026/month=01/``)."""
    with work.bound.con.telling():
        files = session.table(view).inputFiles()
    found = re.findall(r"(?<=/)([^/=]+)=[^/]*(?=/)", files[0]) if files else []
    return [name for name in found if name in work.opened.columns]


def _write(frame: Any, folder: Path, csv: bool, folders: list[str]) -> None:
    writer = frame.write.mode("error").options(**_COMMIT)
    if folders:
        writer = writer.partitionBy(*folders)
    address = folder.absolute().as_uri()
    if csv:
        as_it_is = {"ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false", "emptyValue": '""'}
        writer.options(header="true", nullValue="", escape='"', **as_it_is).csv(address)
    else:
        writer.options(compression="zstd").parquet(address)


def _only_rows(folder: Path, target: Path) -> None:
    """A folder of this machine with the rows in it, without the marks Spark leaves beside them."""
    if not folder.is_dir():
        problem = "the cluster wrote it where this machine cannot see it"
        raise DataError(str(target), problem, "name a folder that the driver and all workers share")
    for mark in [*folder.rglob(".*.crc"), *folder.rglob("_SUCCESS")]:
        mark.unlink()


def _written(folder: Path) -> int:
    """How many rows the files say they have."""
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(file).num_rows for file in folder.rglob("*.parquet"))
