"""The same rows give the same joint and the same keyed release, whichever engine holds them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.conftest import People, fill, rows_of, spread

import liftgate as lg
from liftgate.labels import encode_label

KEY = b"0123456789abcdef0123456789abcdef"
PUBLIC = [
    ["word"], ["word", "flag", "day"], ["cls"], ["num", "x"], ["dec", "ts", "tz"],
    ["x:0.5", "num@quantiles=2", "dec@edges=0.5,1"], ["num:5", "dec:0.1"],
]  # fmt: skip


def digest(joint: lg.Joint) -> str:
    """SHA-256 of labels, counts and what was told about missing entries."""
    labels = [[encode_label(v) for v in side] for side in (joint.sensitive, joint.public)]
    told = [labels, joint.counts.tolist(), joint.source.missing, joint.source.rows]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


@pytest.mark.parametrize("public", PUBLIC, ids=" ".join)
@pytest.mark.parametrize("missing", ["value", "drop"])
def test_joints_are_equal_by_hash(people: People, public: list[str], missing: str) -> None:
    """NULLs, accents, emoji, blanks, booleans, dates, moments, numbers, bins and 5,000 classes."""
    if missing == "drop" and public != ["word", "flag", "day"]:
        return
    found = {
        name: digest(lg.read_joint(source, "ill", public, missing=missing, **options))
        for name, (source, options) in people.sources.items()
    }
    assert len(set(found.values())) == 1, found


def test_text_is_told_apart_by_its_bytes(people: People) -> None:
    """é in one sign or two, ß and ss, A and a, and what is empty, blank or called NULL."""
    source, options = people.sources["Spark"]
    joint = lg.read_joint(source, "ill", "word", **options)
    assert len(joint.public) == 22
    assert joint.public[-1] is None


def test_a_collation_of_the_server_or_the_cluster_changes_nothing(database: Any, server: str, spark: Any) -> None:
    """Where a collation calls two texts equal they stay two labels."""
    from pyspark.sql import functions

    table = pa.table({"s": ["x", "y"] * 6, "v": ["a", "A", "á", "b", "a", "A"] * 2, "id": [str(i) for i in range(12)]})
    database.execute("CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
    fill(database, "collated", "s text, v text COLLATE anycase, id text COLLATE anycase", table)
    frame = spark.createDataFrame(table.to_pylist()).withColumn("v", functions.collate("v", "UNICODE_CI"))
    expected = digest(lg.read_joint(table, "s", "v"))
    assert digest(lg.read_joint(server, "s", "v", table="collated")) == expected
    assert digest(lg.read_joint(frame, "s", "v")) == expected


def test_pre_counted_tables_and_missing_words(database: Any, server: str, spark: Any) -> None:
    """A column of counts, as numbers and as text, and words that mean missing."""
    table = pa.table({"s": ["x", "y", "x"], "v": ["a", "?", "b"], "n": [3, 4, 0], "t": ["3", " 4", "0"]})
    fill(database, "counted", "s text, v text, n int, t text", table)
    for column in ("n", "t"):
        more = {"count": column, "missing_tokens": ["?"]}
        expected = digest(lg.read_joint(table, "s", "v", **more))
        assert digest(lg.read_joint(server, "s", "v", table="counted", **more)) == expected
        assert digest(lg.read_joint(spark.createDataFrame(table.to_pylist()), "s", "v", **more)) == expected


def test_queries_views_and_schemas(database: Any, server: str, spark: Any, people: People) -> None:
    """A query, a view, a schema and odd names are tables like any other."""
    database.execute('CREATE SCHEMA "odd one"; CREATE VIEW "odd one"."a.b" AS SELECT ill, word AS "Wo""rd" FROM people')
    expected = digest(lg.read_joint(people.table, "ill", "word"))
    found = lg.read_joint(server, "ill", "word", query="SELECT ill, word FROM people -- all\n;")
    assert digest(found) == expected
    database.execute('CREATE VIEW plain AS SELECT ill, word AS "Wo""rd" FROM people')
    assert lg.read_joint(server, "ill", 'Wo"rd', table="public.plain").counts.sum() == len(people.table)
    people.sources["Spark"][0].createOrReplaceTempView("people")
    assert digest(lg.read_joint(spark, "ill", "word", table="people")) == expected
    assert digest(lg.read_joint(spark, "ill", "word", query="SELECT ill, word FROM people")) == expected
    assert [t.name for t in spark.catalog.listTables() if t.name.startswith("liftgate")] == []


def test_a_lent_connection_is_given_back_as_it_was(server: str) -> None:
    """Its transaction state, its rows and its settings are those of its owner; one in use is refused."""
    import psycopg
    from psycopg.rows import dict_row

    with psycopg.connect(server, row_factory=dict_row) as con:
        con.execute("SET timezone = 'Asia/Tokyo'")
        con.commit()
        assert lg.read_joint(con, "ill", "flag", table="people").counts.sum() > 0
        assert con.autocommit is False
        assert con.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        row = con.execute("SELECT current_setting('timezone') AS z").fetchone()
        assert row == {"z": "Asia/Tokyo"}
        with pytest.raises(lg.LiftgateError, match="a transaction is open"):
            lg.read_joint(con, "ill", "flag", table="people")


@pytest.mark.parametrize("public", [["cls"], ["word", "flag"]], ids=" ".join)
def test_keyed_releases_are_equal_byte_for_byte(people: People, public: list[str], tmp_path: Path) -> None:
    """After sorting, by hash: released labels and kept columns from every engine, and from a table of the server."""
    source, options = people.sources["DuckDB"]
    release = spread(lg.read_joint(source, "ill", public, **options))
    keep = ["id", "day", "num", "x", "dec", "ts"]
    found = {}
    for name, (source, options) in people.sources.items():
        ask: dict[str, Any] = {"keep": keep, "draw": "keyed", "key": KEY, "id": "id", **options}
        written = release.apply(source, tmp_path / f"{name}.parquet", **ask)
        assert (written.number, written.left_out) == (len(people.table), 0)
        rows = sorted(rows_of(written).to_pylist(), key=lambda row: row["id"])
        found[name] = hashlib.sha256(repr(rows).encode()).hexdigest()
    assert len(set(found.values())) == 1, found


def test_csv_of_every_engine_says_the_same(people: People, tmp_path: Path) -> None:
    """Quotes, blanks, line ends, empty texts and missing entries survive; a cluster writes a folder of files."""
    import duckdb

    source, options = people.sources["DuckDB"]
    release = spread(lg.read_joint(source, "ill", "word", **options))
    found = {}
    for name, (source, options) in people.sources.items():
        ask: dict[str, Any] = {"keep": ["id"], "draw": "keyed", "key": KEY, "id": "id", **options}
        written = release.apply(source, tmp_path / f"{name}.csv", **ask)
        files = sorted(written.rows.glob("*.csv")) if written.rows.is_dir() else [written.rows]  # type: ignore[union-attr]
        assert len(files) == (3 if name == "Spark" else 1)
        plain = "auto_detect=false, header=true, delim=',', quote='\"', escape='\"', allow_quoted_nulls=false"
        columns = "columns={'word': 'VARCHAR', 'id': 'VARCHAR'}"
        listed = ", ".join(f"'{f}'" for f in files)
        rows = duckdb.sql(f"SELECT id, word FROM read_csv([{listed}], {plain}, {columns}) ORDER BY id").fetchall()
        found[name] = hashlib.sha256(repr(rows).encode()).hexdigest()
        assert {w for _, w in rows} >= {None, "", "  x", "new\nline", 'q"uote', "back\\slash"}
    assert len(set(found.values())) == 1, found


def test_scores_are_equal(people: People, tmp_path: Path) -> None:
    """The lifts of each row's public value, written where the rows are, are the same from every engine."""
    found = {}
    for name, (source, options) in people.sources.items():
        budget = lg.Budget.alip(eps_low=0.2, eps_up=0.2)
        audit = lg.audit(lg.read_joint(source, "ill", ["word", "flag"], **options), budget)
        out = tmp_path / f"{name}.parquet"
        assert audit.write_scores(source, out, keep=["id"], **options) == len(people.table)
        rows = pq.read_table(out).sort_by("id")
        assert rows.column_names == ["word", "flag", "max lift", "min lift", "outside", "id"]
        assert set(rows["outside"].to_pylist()) == {True, False}
        found[name] = hashlib.sha256(repr(rows.to_pylist()).encode()).hexdigest()
    assert len(set(found.values())) == 1, found


def test_scores_of_models_take_a_bounded_number_of_rows(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a server and a cluster are read as those of a file, and never more than fit."""
    found = {}
    for name, (source, options) in people.sources.items():
        scores = lg.estimate(source, "ill", ["flag", "x"], "counting", **options)
        found[name] = len(scores.log_lift)
    assert set(found.values()) == {len(people.table)}
    monkeypatch.setattr("liftgate.estimators.reading.MOST_REMOTE_ROWS", 100)
    source, options = people.sources["PostgreSQL"]
    with pytest.raises(lg.LiftgateError, match="no more than 100 are taken out of PostgreSQL"):
        lg.estimate(source, "ill", ["flag", "x"], "counting", **options)
