"""Draws follow the channel on every engine and in both modes, and nothing that was drawn is drawn again."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.conftest import People, rows_of, spread

import liftgate as lg
from liftgate.errors import DataError

KEY = b"fedcba9876543210fedcba9876543210"
VALUES = 12
ROWS = int(os.environ.get("LIFTGATE_DRAWS", "200000"))


def numbers(rows: int) -> str:
    """The same rows in words that all engines understand; ``twin`` is kept beside the draw of ``v``."""
    label = "concat('v', CAST(i % 12 AS {text}))"
    return f"SELECT CAST(i AS BIGINT) AS id, {label} AS v, {label} AS twin, CASE WHEN i % 7 < 3 THEN 'y' ELSE 'n' END AS s FROM "


def source_of(
    engine: str, rows: int, server: str, database: Any, spark: Any, folder: Path
) -> tuple[Any, dict[str, Any]]:
    """A table of so many rows in the engine."""
    if engine == "PostgreSQL":
        database.execute("DROP TABLE IF EXISTS many")
        text = numbers(rows).format(text="text")
        database.execute(f"CREATE TABLE many AS {text} generate_series(0, {rows - 1}) AS g(i)")
        return server, {"table": "many"}
    if engine == "Spark":
        frame = spark.range(0, rows, 1, 4).withColumnRenamed("id", "i")
        frame.createOrReplaceTempView("many_numbers")
        return spark.sql(numbers(rows).format(text="STRING") + "many_numbers"), {}
    path = folder / "many.parquet"
    duckdb.sql(numbers(rows).format(text="VARCHAR") + f"range({rows}) AS r(i)").write_parquet(str(path))
    return path, {}


@pytest.mark.parametrize("draw", ["fresh", "keyed"])
@pytest.mark.parametrize("engine", ["DuckDB", "PostgreSQL", "Spark"])
def test_draws_follow_the_channel(
    engine: str, draw: str, server: str, database: Any, spark: Any, tmp_path: Path
) -> None:
    """Chi-square of released against own values within 4 standard deviations; LIFTGATE_DRAWS sets the number of rows."""
    source, options = source_of(engine, ROWS, server, database, spark, tmp_path)
    release = spread(lg.read_joint(source, "s", "v", **options))
    secret: dict[str, Any] = {"key": KEY, "id": "id"} if draw == "keyed" else {}
    written = release.apply(source, tmp_path / "x.parquet", keep=["twin"], draw=draw, **secret, **options)
    assert written.number == ROWS
    where = f"{written.rows}/*.parquet" if written.rows.is_dir() else str(written.rows)  # type: ignore[union-attr]
    seen = {
        (x, y): n
        for x, y, n in duckdb.sql(f"SELECT twin, v, count(*) FROM read_parquet('{where}') GROUP BY ALL").fetchall()
    }
    public = release.channel.public
    of = {x: sum(n for (a, _), n in seen.items() if a == x) for x in public}
    statistic = 0.0
    for k, x in enumerate(public):
        stay, move = seen[x, x], seen[x, public[(k + 1) % VALUES]]
        assert stay + move == of[x]
        statistic += (stay - 0.75 * of[x]) ** 2 / (0.75 * of[x]) + (move - 0.25 * of[x]) ** 2 / (0.25 * of[x])
    assert abs(deviations(statistic, VALUES)) < 4


def deviations(statistic: float, degrees: int) -> float:
    """A chi-square statistic in standard deviations of a normal variable (Wilson and Hilferty): its tail is long."""
    spread_of = 2 / (9 * degrees)
    return ((statistic / degrees) ** (1 / 3) - (1 - spread_of)) / math.sqrt(spread_of)


@pytest.mark.parametrize("engine", ["PostgreSQL", "Spark"])
def test_two_fresh_releases_differ_and_one_stays_as_it_is(people: People, engine: str, tmp_path: Path) -> None:
    """Two releases draw apart; what was written is read twice and is the same, for it is never computed again."""
    source, options = people.sources[engine]
    release = spread(lg.read_joint(source, "ill", "word", **options))
    one = release.apply(source, tmp_path / "1.parquet", keep=["id"], **options)
    two = release.apply(source, tmp_path / "2.parquet", keep=["id"], **options)
    first, again, second = (rows_of(w).sort_by("id")["word"].to_pylist() for w in (one, one, two))
    assert first == again
    changed = sum(a != b for a, b in zip(first, second, strict=True)) / len(first)
    assert abs(changed - 2 * 0.75 * 0.25) < 0.03


def failing(folder: Path, times: int) -> Any:
    """A step before the draw that fails in one task after its first rows, so many times."""
    marks = str(folder)

    def step(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        for n, batch in enumerate(batches):
            if context.partitionId() == 1 and n == 2 and context.attemptNumber() < times:
                Path(marks, f"failed{context.attemptNumber()}").touch()
                raise RuntimeError("injected")
            yield batch

    return step


def test_a_repeated_task_draws_the_same_and_is_seen_once(people: People, tmp_path: Path) -> None:
    """A task that fails after it has drawn is run again: keyed rows are those of the other engines, fresh ones are there once."""
    frame, _ = people.sources["Spark"]
    release = spread(lg.read_joint(frame, "ill", "word"))
    for draw in ("keyed", "fresh"):
        marks = tmp_path / draw
        marks.mkdir()
        broken = frame.select("id", "word", "ill").mapInArrow(failing(marks, 1), "id string, word string, ill string")
        secret: dict[str, Any] = {"key": KEY, "id": "id"} if draw == "keyed" else {}
        written = release.apply(broken, tmp_path / f"{draw}.parquet", keep=["id"], draw=draw, **secret)
        assert [p.name for p in marks.iterdir()] == ["failed0"]
        rows = rows_of(written).sort_by("id")
        assert rows["id"].to_pylist() == sorted(people.table["id"].to_pylist())
        if draw == "keyed":
            plain = release.apply(people.table, tmp_path / "plain.parquet", keep=["id"], draw=draw, **secret)
            assert rows.select(["word", "id"]).cast(rows_of(plain).schema).equals(rows_of(plain).sort_by("id"))


def test_a_fresh_task_that_runs_twice_draws_the_same(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run of a task makes the words of the first one; another task and another release make others."""
    from liftgate.tables import spark_rows
    from liftgate.tables.draws import Draw
    from liftgate.tables.release import Order, Work
    from liftgate.tables.sources import Options, open_source

    frame, _ = people.sources["Spark"]
    release = spread(lg.read_joint(frame, "ill", "word"))
    with open_source(frame, Options()) as opened:
        work = Work.of(opened, Order(release.channel, ("ill",), ("word",), Draw()))
        work.start()
        batches = work.bound.con.sql(work.query).to_arrow_table().to_batches()

    def run(seed: bytes, partition: int) -> list[Any]:
        class Context:
            def partitionId(self) -> int:
                return partition

        monkeypatch.setattr("pyspark.TaskContext.get", Context)
        drawn = spark_rows._task(work.drawer, ["word"], seed)(iter(batches))
        return [v for batch in drawn for v in batch.column(0).to_pylist()]

    first = run(bytes(32), 1)
    assert len(first) == len(people.table)
    assert run(bytes(32), 1) == first
    assert run(bytes(32), 2) != first
    assert run(b"1" * 32, 1) != first


def test_a_task_that_keeps_failing_leaves_nothing(people: People, tmp_path: Path) -> None:
    """The release fails with the cause, and the folder is as it was."""
    frame, _ = people.sources["Spark"]
    release = spread(lg.read_joint(frame, "ill", "word"))
    marks, out = tmp_path / "marks", tmp_path / "out"
    marks.mkdir()
    out.mkdir()
    # the values are looked at before a row is drawn, so the failure has to wait for the second pass
    broken = frame.select("id", "word", "ill").mapInArrow(later(marks), "id string, word string, ill string")
    with pytest.raises(DataError, match="injected"):
        release.apply(broken, out / "x.parquet", keep=["id"])
    assert list(out.iterdir()) == []
    assert (marks / "second").exists()


def later(folder: Path) -> Any:
    """A step that works in the first pass over the rows and fails half way in the second."""
    marks = str(folder)

    def step(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        part = TaskContext.get().partitionId()
        first = Path(marks, f"first{part}")
        second = first.exists()
        first.touch()
        for n, batch in enumerate(batches):
            if second and part == 2 and n == 1:
                Path(marks, "second").touch()
                raise RuntimeError("injected")
            yield batch

    return step


def test_a_table_that_changes_between_the_passes_is_refused(people: People, tmp_path: Path) -> None:
    """Rows that are counted and rows that are written have to be the same number."""
    frame, _ = people.sources["Spark"]
    release = spread(lg.read_joint(frame, "ill", "word"))
    kept = frame.mapInArrow(halves, frame.schema)
    with pytest.raises(DataError, match="it changed while it was read"):
        release.apply(kept, tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def halves(batches: Iterator[Any]) -> Iterator[Any]:
    """Every row or not, by chance."""
    for batch in batches:
        yield batch.take(pa.array([i for i in range(batch.num_rows) if os.urandom(1)[0] < 128], pa.int64()))


def test_what_is_written_is_what_the_files_say(people: People, tmp_path: Path) -> None:
    """Sorted rows of a cluster are sorted from what was drawn once; the partitions of the source stay."""
    frame, _ = people.sources["Spark"]
    release = spread(lg.read_joint(frame, "ill", "word"))
    plain = release.apply(frame, tmp_path / "plain.parquet", keep=["id"])
    assert len(list(plain.rows.glob("*.parquet"))) == frame.rdd.getNumPartitions() == 3  # type: ignore[union-attr]
    ordered = release.apply(frame, tmp_path / "sorted.parquet", keep=["id"], order="sorted")
    files = sorted(ordered.rows.glob("*.parquet"))  # type: ignore[union-attr]
    rows = pa.concat_tables([pq.read_table(f) for f in files])
    assert rows.num_rows == len(people.table)
    words = [w for w in rows["word"].to_pylist() if w is not None]
    assert words == sorted(words, key=lambda w: w.encode())
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []
