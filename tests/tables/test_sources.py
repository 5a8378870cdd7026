"""The same table gives the same joint, whatever holds it."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liftgate import Joint
from liftgate.errors import DataError, UsageError
from liftgate.tables import columns_of, marginal, read_joint
from liftgate.tables.columns import order_key

ILL: list[str | None] = ["flu", "cold", None, "flu", "cold", "none", "flu", "", "None", "NA"] * 3
SEX: list[str | None] = ["F", "M", "F", None, "F", "M", "F", "F", "", "M"] * 3
TOWN: list[str | None] = ["Ä", "b", "b", "Ä", None, "😀", "b", "b", "b", 'q"q'] * 3
TABLE = pa.table({"ill": ILL, "sex": SEX, "town": TOWN})


def brute(sensitive: list[Any], public: list[Any]) -> dict[tuple[Any, Any], int]:
    return dict(Counter(zip(sensitive, public, strict=True)))


def cells(joint: Joint) -> dict[tuple[Any, Any], int]:
    return {
        (s, x): int(joint.counts[i, j])
        for i, s in enumerate(joint.sensitive)
        for j, x in enumerate(joint.public)
        if joint.counts[i, j]
    }


def as_csv(path: Path, mark: str = ",", end: str = "\n") -> Path:
    def text(value: str | None) -> str:
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    lines = [mark.join(TABLE.column_names)]
    lines += [mark.join(text(v) for v in row) for row in zip(ILL, SEX, TOWN, strict=True)]
    path.write_bytes((end.join(lines) + end).encode())
    return path


def as_pandas(_: Path) -> pd.DataFrame:
    """Shuffled, with an index that repeats, and categories that never occur."""
    frame = pd.DataFrame({"ill": ILL, "sex": SEX, "town": TOWN}).sample(frac=1, random_state=3)
    frame.index = pd.Index([7, 7, 1] * 10)
    frame["sex"] = pd.Categorical(frame["sex"], categories=["zz", "M", "", "F", "unused"])
    return frame


def connection(_: Path) -> Any:
    con = duckdb.connect()
    con.register("people", TABLE)
    return con


def tsv_gz(path: Path) -> Path:
    plain = as_csv(path / "t.tsv", "\t", "\r\n")
    packed = path / "t.tsv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    return packed


def written(write: Callable[[Any, Any], Any], name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        write(TABLE, folder / name)
        return folder / name

    return make


def stream_file(folder: Path) -> Path:
    path = folder / "t.arrows"
    with pa.ipc.new_stream(str(path), TABLE.schema) as out:
        out.write_table(TABLE)
    return path


def two_parquet(folder: Path) -> str:
    pq.write_table(TABLE.slice(0, 11), folder / "a.parquet")
    pq.write_table(TABLE.slice(11), folder / "b.parquet")
    return str(folder / "*.parquet")


def database(folder: Path) -> Path:
    con = duckdb.connect(str(folder / "t.duckdb"))
    con.register("t", TABLE)
    con.execute("CREATE TABLE people AS FROM t")
    con.close()
    return folder / "t.duckdb"


SOURCES: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "csv": (lambda f: as_csv(f / "t.csv"), {}),
    "csv with semicolons": (lambda f: as_csv(f / "t.csv", ";", "\r\n"), {}),
    "zipped tsv": (tsv_gz, {}),
    "parquet": (written(pq.write_table, "t.parquet"), {}),
    "several parquet files": (two_parquet, {}),
    "feather": (written(feather.write_feather, "t.feather"), {}),
    "arrow stream file": (stream_file, {}),
    "pandas": (as_pandas, {}),
    "pandas objects": (lambda f: as_pandas(f).astype(object), {}),
    "polars": (lambda f: pl.from_arrow(TABLE), {}),
    "polars categorical": (lambda f: pl.DataFrame(pl.from_arrow(TABLE)).cast({"sex": pl.Categorical}), {}),
    "lazy polars": (lambda f: pl.DataFrame(pl.from_arrow(TABLE)).lazy(), {}),
    "arrow": (lambda f: TABLE, {}),
    "arrow dictionaries": (
        lambda f: pa.table({c: TABLE.column(c).dictionary_encode() for c in TABLE.column_names}),
        {},
    ),
    "arrow reader": (lambda f: TABLE.to_reader(max_chunksize=4), {}),
    "arrow batch": (lambda f: TABLE.combine_chunks().to_batches()[0], {}),
    "duckdb table": (connection, {"table": "people"}),
    "duckdb query": (connection, {"query": "SELECT * FROM people -- all of it"}),
    "duckdb relation": (lambda f: connection(f).sql("SELECT * FROM people"), {}),
    "duckdb file": (database, {"table": "people"}),
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_gives_the_same_joint_missing_entries_included(name: str, tmp_path: Path) -> None:
    make, options = SOURCES[name]
    joint = read_joint(make(tmp_path), "ill", ["sex", "town"], **options)
    assert cells(joint) == brute(ILL, list(zip(SEX, TOWN, strict=True)))
    assert joint.source.missing == (("ill", 3), ("sex", 3), ("town", 3))
    assert joint.source.rows == 30
    assert joint.sensitive == tuple(sorted(set(ILL), key=order_key))
    assert list(joint.public) == sorted(set(zip(SEX, TOWN, strict=True)), key=order_key)
    assert "/" not in joint.source.name


@pytest.mark.parametrize("name", ["csv", "parquet", "pandas", "polars", "duckdb query", "duckdb file"])
def test_columns_of_names_the_columns(name: str, tmp_path: Path) -> None:
    make, options = SOURCES[name]
    assert columns_of(make(tmp_path), **options) == ["ill", "sex", "town"]


TYPED = {
    "whole": pa.array([1, 2, None, 1], pa.int32()),
    "floats": pa.array([1.0, 2.5, float("nan"), 1.0], pa.float64()),
    "short": pa.array([0.1, 2.0, None, 0.1], pa.float32()),
    "truth": pa.array([True, False, None, True]),
    "day": pa.array([18000, 18001, None, 18000], pa.date32()),
    "moment": pa.array([0, 1_500_000, None, 0], pa.timestamp("us")),
    "zoned": pa.array([0, 1_500_000, None, 0], pa.timestamp("us", "Europe/Paris")),
    "price": pa.array([1, 2, None, 1], pa.decimal128(9, 2)),
    "big": pa.array([2**64 - 1, 3, None, 2**64 - 1], pa.uint64()),
    "half": pa.array(np.array([1.5, 2, 0, 1.5], np.float16), mask=np.array([0, 0, 1, 0], bool)),
}
LABELS = {
    "whole": [1, 2, None, 1],
    "floats": [1, 2.5, None, 1],
    "short": [0.1, 2, None, 0.1],
    "truth": [True, False, None, True],
    "day": ["2019-04-14", "2019-04-15", None, "2019-04-14"],
    "moment": ["1970-01-01T00:00:00", "1970-01-01T00:00:01.5", None, "1970-01-01T00:00:00"],
    "zoned": ["1970-01-01T00:00:00+00:00", "1970-01-01T00:00:01.5+00:00", None, "1970-01-01T00:00:00+00:00"],
    "price": [1, 2, None, 1],
    "big": [2**64 - 1, 3, None, 2**64 - 1],
    "half": [1.5, 2, None, 1.5],
}


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("engine", ["arrow", "parquet", "pandas", "polars", "duckdb"])
def test_typed_columns_compare_as_their_type(kind: str, engine: str, tmp_path: Path) -> None:
    if kind == "half" and engine in ("parquet", "duckdb", "polars"):
        table = pa.table({"s": ["a", "b", "a", "b"], "x": TYPED[kind].cast(pa.float32())})
    else:
        table = pa.table({"s": ["a", "b", "a", "b"], "x": TYPED[kind]})
    source: Any = table
    options: dict[str, Any] = {}
    if engine == "parquet":
        source = tmp_path / "t.parquet"
        pq.write_table(table, source)
    elif engine == "pandas":
        source = table.to_pandas(types_mapper={pa.uint64(): pd.UInt64Dtype()}.get)
    elif engine == "polars":
        source = pl.from_arrow(table)
    elif engine == "duckdb":
        source, options = duckdb.connect(), {"table": "t"}
        source.register("t", table)
    got = cells(read_joint(source, "s", "x", **options))
    assert got == brute(["a", "b", "a", "b"], LABELS[kind])
    assert {type(x) for _, x in got} == {type(x) for x in LABELS[kind]}


@pytest.mark.parametrize(
    ("kind", "first", "second", "labels"),
    [
        ("HUGEINT", "170141183460469231731687303715884105727", "1", [1, 2**127 - 1]),
        ("UHUGEINT", "340282366920938463463374607431768211455", "1", [1, 2**128 - 1]),
        ("INTERVAL", "'1 month'", "'30 days'", ["1 month", "30 days"]),
        ("TIMETZ", "'01:00:00+01'", "'00:00:00+00'", ["00:00:00+00", "01:00:00+01"]),
        ("TIMESTAMPTZ", "'2020-01-01 00:00:00+00'", "'infinity'", ["2020-01-01T00:00:00+00:00", "infinity"]),
        ("DECIMAL(38, 10)", "1.5", "123456789012345678.0000000001", [1.5, "123456789012345678.0000000001"]),
        ("DOUBLE", "'inf'", "2.0", [2, "inf"]),
        ("ENUM('v', 'u', 'never')", "'u'", "'v'", ["u", "v"]),
        ("TIMESTAMP_NS", "'2020-01-01 00:00:00.000000001'", "'2020-01-01'", ["2020-01-01T00:00:00", "2020-01-01T00:00:00.000000001"]),
    ],
)  # fmt: skip
def test_values_of_rare_types_are_neither_merged_nor_cut(kind: str, first: str, second: str, labels: list[Any]) -> None:
    con = duckdb.connect()
    con.execute(f"CREATE TABLE t AS FROM (VALUES ('a', {first}::{kind}), ('b', {second}::{kind}), ('a', NULL)) v(s, x)")
    for source, options in ((con, {"table": "t"}), (con.sql("FROM t"), {})):
        joint = read_joint(source, "s", "x", **options)
        assert sorted(joint.public, key=order_key) == [*labels, None]
        assert joint.public_counts.tolist() == [1, 1, 1]


def test_objects_of_several_types_stay_apart_in_pandas() -> None:
    values = [1, "1", True, 1.5, None, float("nan"), pd.NaT, pd.Timestamp("2020-01-02"), "1", 1]
    frame = pd.DataFrame({"s": ["a", "b"] * 5, "x": pd.Series(values, dtype=object)})
    joint = read_joint(frame, "s", "x")
    assert [(type(v).__name__, v) for v in joint.public] == [
        ("int", 1),
        ("float", 1.5),
        ("bool", True),
        ("str", "1"),
        ("str", "2020-01-02T00:00:00"),
        ("NoneType", None),
    ]
    assert joint.counts.sum(axis=0).tolist() == [2, 1, 1, 2, 1, 3]


def test_times_are_the_same_text_as_objects_as_categories_and_as_a_type() -> None:
    times = pd.Series(pd.to_datetime(["2020-01-01 10:00:00.5", "2020-01-02 00:00:00.0", None]))
    for moment in (times, times.dt.tz_localize("Europe/Paris")):
        want = read_joint(pd.DataFrame({"s": ["a", "b", "a"], "x": moment}), "s", "x").public
        for other in (moment.astype(object), moment.astype("category"), pd.Series([*moment[:2], "x"], dtype=object)):
            got = read_joint(pd.DataFrame({"s": ["a", "b", "a"], "x": other}), "s", "x").public
            assert got[:2] == want[:2]


def test_nanoseconds_with_a_zone_are_the_same_text_as_microseconds() -> None:
    """The unit of a zoned time is no part of its value."""
    zoned = pd.Series(pd.to_datetime(["2020-01-01 10:00:00.5", "2020-01-02 00:00:00.0", None])).dt.tz_localize(
        "Europe/Paris"
    )
    publics = [
        read_joint(
            pa.table({"s": ["a", "b", "a"], "x": pa.array(zoned, pa.timestamp(unit, "Europe/Paris"))}), "s", "x"
        ).public
        for unit in ("us", "ns")
    ]
    assert publics[0] == publics[1] == ("2020-01-01T09:00:00.5+00:00", "2020-01-01T23:00:00+00:00", None)


def test_intervals_of_pandas_are_text_in_the_order_of_their_numbers() -> None:
    frame = pd.DataFrame({"s": ["a", "b", "a", "b"], "x": pd.cut(pd.Series([5, 95, 250, None]), [0, 10, 100, 300])})
    assert read_joint(frame, "s", "x").public == ("(0, 10]", "(10, 100]", "(100, 300]", None)


def test_the_input_is_never_changed() -> None:
    frame = as_pandas(Path())
    frame["age"] = range(30)
    before = frame.copy(deep=True)
    read_joint(frame, "ill", ["sex", "age:10"], missing="drop", missing_tokens=["F"], trim=True)
    pd.testing.assert_frame_equal(frame, before)


def test_nothing_is_left_in_the_connection_of_the_user() -> None:
    con = connection(Path())
    before = con.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    threads = con.sql("SELECT current_setting('threads')").fetchall()
    read_joint(con, "ill", "sex", table="people")
    read_joint(con.sql("FROM people"), "ill", "sex")
    assert con.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall() == before
    assert con.sql("SELECT current_setting('threads')").fetchall() == threads
    assert con.sql("SELECT table_name FROM duckdb_tables()").fetchall() == []


def test_a_relation_is_read_once() -> None:
    """A relation with a random column gives new numbers on every run; ours are those of one run."""
    con = duckdb.connect()
    relation = con.sql("SELECT (random() * 3)::INT AS s, (random() * 50) AS x FROM range(1000)")
    joint = read_joint(relation, "s", "x@quantiles=4")
    assert joint.total == 1000
    assert not any("above" in x or "below" in x for x in joint.public)


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "", " a", None, "NULL", '"', "a,b", "x\ny", "é"]),
            st.one_of(
                st.none(), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
            ),
        ),
        min_size=2,
        max_size=30,
    ).filter(lambda rows: len({s for s, _ in rows}) > 1)
)
def test_any_text_survives_csv_and_arrow_alike(rows: list[tuple[str | None, str | None]]) -> None:
    import tempfile

    def text(value: str | None) -> str:
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    expected = brute([s for s, _ in rows], [x for _, x in rows])
    table = pa.table(
        {"s": pa.array([s for s, _ in rows], pa.string()), "x": pa.array([x for _, x in rows], pa.string())}
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        path.write_text("s,x\n" + "".join(f"{text(s)},{text(x)}\n" for s, x in rows), encoding="utf-8", newline="")
        assert cells(read_joint(path, "s", "x")) == expected
    assert cells(read_joint(table, "s", "x")) == expected


def test_several_sensitive_columns_become_one() -> None:
    joint = read_joint(TABLE, ["ill", "sex"], "town")
    assert cells(joint) == brute(list(zip(ILL, SEX, strict=True)), TOWN)
    assert joint.source.sensitive == ("ill", "sex")


def test_marginals_are_the_joints_of_fewer_columns() -> None:
    joint = read_joint(TABLE, "ill", ["sex", "town"])
    for position, column in ((0, "sex"), (1, "town")):
        direct, ours = read_joint(TABLE, "ill", column), marginal(joint, [position])
        assert (ours.public, ours.counts.tolist()) == (direct.public, direct.counts.tolist())
        assert ours.source.public == (column,)
        assert ours.source.missing == direct.source.missing
    swapped = marginal(joint, [1, 0])
    assert swapped.public == read_joint(TABLE, "ill", ["town", "sex"]).public
    with pytest.raises(UsageError, match=r"positions: \[2\] of 2 public columns"):
        marginal(joint, [2])


def test_counts_weigh_the_rows(tmp_path: Path) -> None:
    table = pa.table({"s": ["a", "a", "b"], "x": ["u", "v", "u"], "n": [3, 0, 2**62]})
    joint = read_joint(table, "s", "x", count="n")
    assert joint.total == 2**62 + 3
    assert joint.public == ("u",)
    assert joint.source.notes == ("public value 'v' never occurs and was left out",)
    pq.write_table(table, tmp_path / "t.parquet")
    assert read_joint(tmp_path / "t.parquet", "s", "x", count="n").total == 2**62 + 3


def test_a_frame_stream_of_an_unknown_library_is_read() -> None:
    class Foreign:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return TABLE.__arrow_c_stream__(requested_schema)

    assert cells(read_joint(Foreign(), "ill", "sex")) == brute(ILL, SEX)


@pytest.mark.parametrize(
    ("array", "word"),
    [
        (pa.array([b"a", b"b"]), "BLOB"),
        (pa.array([[1], [2]]), "LIST"),
        (pa.array([{"a": 1}, {"a": 2}]), "STRUCT"),
    ],
)
def test_columns_without_plain_values_are_refused(array: pa.Array, word: str) -> None:
    with pytest.raises(DataError, match=f"Arrow table, column 'x': it holds {word} values"):
        read_joint(pa.table({"s": ["a", "b"], "x": array}), "s", "x")


def test_python_objects_are_refused_by_name() -> None:
    frame = pd.DataFrame({"s": ["a", "b"], "x": [object(), 1]})
    with pytest.raises(DataError, match="pandas frame, column 'x': it holds values of type object"):
        read_joint(frame, "s", "x")
    with pytest.raises(DataError, match="polars frame, column 'x': it holds Python objects"):
        read_joint(pl.DataFrame({"s": ["a", "b"], "x": pl.Series([object(), object()], dtype=pl.Object)}), "s", "x")


def test_adult_is_read_as_its_authors_wrote_it(data_dir: Path) -> None:
    names = [
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "education-num",
        "marital-status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
        "native-country",
        "income",
    ]
    joint = read_joint(data_dir / "adult" / "adult.data", "relationship", "occupation", columns=names, trim=True)
    assert (joint.counts.shape, joint.total) == ((6, 15), 32561)
    assert "Exec-managerial" in joint.public
    told = read_joint(
        data_dir / "adult" / "adult.data", "relationship", "occupation", columns=names, trim=True, missing_tokens=["?"]
    )
    assert told.source.missing == (("relationship", 0), ("occupation", 1843))
    assert None in told.public
    raw = read_joint(data_dir / "adult" / "adult.data", "relationship", "occupation", columns=names)
    assert " Husband" in raw.sensitive
    assert "column 'occupation': every value starts with a blank; trim (--trim) cuts them" in raw.source.notes
