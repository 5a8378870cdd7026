"""What cannot be asked is refused in one line that names the place, the value and the fix."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from liftgate.errors import DataError, LiftgateError, UsageError
from liftgate.tables import columns_of, read_joint

TABLE = pa.table({"Race": ["a", "b", "a"], "sex": ["F", "M", None], "age": [1, 2, 3], "one": ["x", "x", "x"]})


@pytest.mark.parametrize(
    ("sensitive", "public", "kind", "message"),
    [
        ("race", "sex", DataError, "Arrow table, column 'race': no such column. Fix: did you mean 'Race'?"),
        ("Race", "zip", DataError, "Arrow table, column 'zip': no such column. Fix: the columns are 'Race', 'sex', 'age', 'one'"),
        ("Race", "sxe", DataError, "Arrow table, column 'sxe': no such column. Fix: did you mean 'sex'?"),
        ("Race", "Race", UsageError, "Arrow table, column 'Race': it is both sensitive and public. Fix: name it on one side only"),
        ("age", "age:2", UsageError, "Arrow table, column 'age': it is both sensitive and public. Fix: name it on one side only"),
        ("Race", ["sex", "sex"], UsageError, "Arrow table, column 'sex': named twice as public. Fix: name each column once"),
        ("Race", [], UsageError, "public: no column is named. Fix: name at least one column"),
        ("one", "sex", DataError, "Arrow table, sensitive 'one': only one value (x), so nothing can be learned. Fix: name a column with at least two values"),
    ],
)  # fmt: skip
def test_columns_that_cannot_be_meant(sensitive: Any, public: Any, kind: type[LiftgateError], message: str) -> None:
    with pytest.raises(kind) as caught:
        read_joint(TABLE, sensitive, public)
    assert str(caught.value) == message


def test_missing_entries_can_be_dropped_or_refused_on_both_sides() -> None:
    dropped = read_joint(TABLE, "Race", "sex", missing="drop")
    assert (dropped.total, dropped.public, dropped.source.dropped_rows) == (2, ("F", "M"), 1)
    assert (dropped.source.rows, dropped.source.missing) == (3, (("Race", 0), ("sex", 1)))
    hidden = read_joint(TABLE, "sex", "Race", missing="drop")
    assert (hidden.total, hidden.source.dropped_rows) == (2, 1)
    for sensitive, public in (("Race", "sex"), ("sex", "Race")):
        with pytest.raises(DataError, match=r"Arrow table, column 'sex': 1 missing entries. Fix: repair the table"):
            read_joint(TABLE, sensitive, public, missing="refuse")
    assert read_joint(TABLE, "Race", "age", missing="refuse").total == 3
    with pytest.raises(UsageError, match=r"missing: 'skip' is not known. Fix: use value, drop or refuse"):
        read_joint(TABLE, "Race", "sex", missing="skip")


def test_a_table_where_every_row_misses_something_cannot_be_dropped() -> None:
    with pytest.raises(DataError, match=r"every row has a missing entry"):
        read_joint(pa.table({"s": ["a", None], "x": [None, "u"]}), "s", "x", missing="drop")


def test_empty_cells_are_refused_on_request() -> None:
    with pytest.raises(DataError, match=r"Arrow table: 3 empty cells, such as 'a' with 'M'"):
        read_joint(TABLE, "Race", "sex", zeros="refuse")
    with pytest.raises(UsageError, match=r"zeros: 'smooth' is not known. Fix: use report or refuse"):
        read_joint(TABLE, "Race", "sex", zeros="smooth")


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(DataError, match=r"Arrow table: no row, only column names"):
        read_joint(TABLE.slice(0, 0), "Race", "sex")
    with pytest.raises(DataError, match=r"Arrow table: every count is 0"):
        read_joint(pa.table({"s": ["a", "b"], "x": ["u", "v"], "n": [0, 0]}), "s", "x", count="n")


COUNTS: list[tuple[Any, str]] = [
    (pa.array([1, -2, 3]), "row 2: -2 is not a count"),
    (pa.array([1, 2, None]), "row 3: a missing count"),
    (pa.array([1.0, 2.0, float("nan")]), "row 3: a missing count"),
    (pa.array([1.0, 2.5, 3.0]), "row 2: 2.5 is not a count"),
    (pa.array([1.0, float("inf"), 3.0]), "row 2: inf is not a count"),
    (pa.array(["1", "2", "x"]), "row 3: x is not a count"),
    (pa.array(["1", "2.0", "3"]), "row 2: 2.0 is not a count"),
    (pa.array(["1", "-1", "3"]), "row 2: -1 is not a count"),
]


@pytest.mark.parametrize(("counts", "message"), COUNTS)
def test_counts_are_whole_and_not_negative(counts: pa.Array, message: str) -> None:
    table = pa.table({"s": ["a", "b", "a"], "x": ["u", "v", "u"], "n": counts})
    with pytest.raises(
        DataError, match=f"Arrow table, column 'n', {message}. Fix: counts are whole numbers, 0 or more"
    ):
        read_joint(table, "s", "x", count="n")


def test_counts_in_a_csv_file_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('s,x,n\na,"u\nv",1\n\nb,v,1.5\n')
    with pytest.raises(DataError, match=r"t.csv, column 'n', line 5: 1.5 is not a count"):
        read_joint(path, "s", "x", count="n")
    path.write_text("s,x,n\na,u, 2\nb,v,\n")
    with pytest.raises(DataError, match=r"t.csv, column 'n', line 3: a missing count"):
        read_joint(path, "s", "x", count="n")
    path.write_text("s,x,n\na,u,12345678901234567890123\nb,v,007\n")
    assert read_joint(path, "s", "x", count="n").total == 12345678901234567890123 + 7


def test_counts_of_pandas_are_values_and_not_codes() -> None:
    frame = pd.DataFrame({"s": ["a", "b", "a"], "x": ["u", "v", "u"], "n": pd.Categorical([5, 9, 5])})
    assert read_joint(frame, "s", "x", count="n").total == 19
    frame["n"] = pd.Series([1, "2", 3], dtype=object)
    assert read_joint(frame, "s", "x", count="n").total == 6
    frame["n"] = pd.Series([1, "two", 3], dtype=object)
    with pytest.raises(DataError, match=r"column 'n', row 2: two is not a count"):
        read_joint(frame, "s", "x", count="n")


@pytest.mark.parametrize(
    ("count", "message"),
    [
        ("m", "column 'm': no such column"),
        ("s", "column 's': it is the count and a value"),
        ("n:5", "column 'n': counts are not binned"),
        ("t", "column 't': it holds BOOLEAN values. Fix: name a column of whole numbers"),
    ],
)
def test_a_count_column_that_cannot_be_one(count: str, message: str) -> None:
    table = pa.table({"s": ["a", "b"], "x": ["u", "v"], "n": [1, 2], "t": [True, False]})
    with pytest.raises(LiftgateError, match=message):
        read_joint(table, "s", "x", count=count)


def test_a_million_values_are_refused_early_with_their_approximate_number(tmp_path: Path) -> None:
    path = tmp_path / "ids.parquet"
    duckdb.sql("SELECT i % 2 AS s, i AS id FROM range(1000000) r(i)").write_parquet(str(path))
    steps: list[str] = []
    with pytest.raises(DataError) as caught:
        read_joint(path, "s", "id", progress=steps.append)
    assert steps == ["reading ids.parquet"]
    text = str(caught.value)
    assert text.startswith("ids.parquet, column 'id': about ")
    assert "more than the 20,000,000 cells allowed. Fix: leave out identifiers, bin numbers (such as id:10)" in text
    about = int(text.split("about ")[1].split(" ")[0].replace(",", ""))
    assert 800_000 < about < 1_200_000


def test_what_the_early_refusal_tells_to_allow_is_enough() -> None:
    table = pa.table({"s": np.arange(150_000) % 2, "id": np.arange(150_000)})
    with pytest.raises(DataError, match=r"about .* different values") as caught:
        read_joint(table, "s", "id", max_cells=200_000)
    allowed = int(caught.value.fix.rsplit("--max-cells ", 1)[1].rstrip(")"))
    assert len(read_joint(table, "s", "id", max_cells=allowed).public) == 150_000


def test_the_cap_is_exact_for_tables_that_pass_the_early_look() -> None:
    table = pa.table({"s": ["a", "b"] * 50, "x": list(range(100))})
    assert read_joint(table, "s", "x", max_cells=4000).counts.shape == (2, 100)
    with pytest.raises(DataError, match=r"column 'x': 100 different values \(2 sensitive x 100 public = 200 cells\)"):
        read_joint(table, "s", "x", max_cells=3999)
    with pytest.raises(UsageError, match=r"max_cells: 0 is not a number of cells"):
        read_joint(table, "s", "x", max_cells=0)


def test_more_combinations_than_cells_are_not_even_fetched() -> None:
    table = pa.table({"s": ["a", "b"] * 50, "x": [i // 2 for i in range(100)]})
    with pytest.raises(DataError, match=r"Arrow table: more than 99 combinations of values occur"):
        read_joint(table, "s", "x", max_cells=99)


def test_files_that_are_not_tables(tmp_path: Path) -> None:
    def refused(path: Any, **options: Any) -> str:
        with pytest.raises(LiftgateError) as caught:
            read_joint(path, "s", "x", **options)
        return str(caught.value)

    (tmp_path / "people.csv").write_text("s,x\na,u\nb,v\n")
    assert refused(tmp_path / "peple.csv") == "peple.csv: no such file. Fix: did you mean 'people.csv'?"
    assert "this is a folder" in refused(tmp_path)
    assert "no file matches" in refused(str(tmp_path / "*.json"))
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04rest")
    assert "this is a spreadsheet or a zip archive. Fix: save the table as CSV" in refused(tmp_path / "t.xlsx")
    (tmp_path / "t.parquet").write_text("s,x\na,u\n")
    assert "t.parquet: this is not a parquet file" in refused(tmp_path / "t.parquet")
    (tmp_path / "u.parquet").write_bytes(b"PAR1 and then rubbish PAR1")
    assert "u.parquet: it cannot be read as Parquet" in refused(tmp_path / "u.parquet")
    (tmp_path / "u.arrow").write_bytes(b"ARROW1 and then rubbish")
    assert "u.arrow: it cannot be read as Arrow" in refused(tmp_path / "u.arrow")
    (tmp_path / "u.duckdb").write_bytes(b"rubbish" * 100)
    assert "u.duckdb: " in refused(tmp_path / "u.duckdb", table="t")
    assert "parquet among csv files" in refused([tmp_path / "people.csv", tmp_path / "u.parquet"])
    assert refused(7) == (
        "source: int is not a table. Fix: give a path, a pandas or polars frame, an Arrow table, or a DuckDB connection"
    )
    assert "source: no file is named" in refused([])
    assert "delimiter: it belongs to CSV files" in refused(TABLE, delimiter=",")
    assert "table, query: they belong to a database" in refused(tmp_path / "people.csv", table="t")


def test_a_damaged_parquet_page_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"s": ["a", "b"] * 500, "x": [str(i) for i in range(1000)]}), path)
    data = bytearray(path.read_bytes())
    data[4:200] = b"\xff" * 196
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match=r"t.parquet: it could not be read"):
        read_joint(path, "s", "x")


def test_databases_are_asked_for_a_table_or_a_query() -> None:
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT 1 AS s, 2 AS x")
    with pytest.raises(UsageError, match=r"DuckDB: no table is named. Fix: give table= or query="):
        read_joint(con, "s", "x")
    with pytest.raises(UsageError, match=r"DuckDB: both a table and a query are named"):
        read_joint(con, "s", "x", table="t", query="FROM t")
    with pytest.raises(DataError, match=r"people: Table with name people does not exist"):
        read_joint(con, "s", "x", table="people")
    with pytest.raises(DataError, match=r"query: .*syntax error"):
        read_joint(con, "s", "x", query="SELEKT 1")
    for hostile in (
        "SELECT 1) AS s; DROP TABLE t; --",
        "FROM t; DROP TABLE t",
        "DROP TABLE t",
        "",
        "FROM t) AS s, (FROM t",
    ):
        with pytest.raises(LiftgateError, match=r"query: .* Fix: give one SELECT statement"):
            read_joint(con, "s", "x", query=hostile)
    assert con.sql("FROM t").fetchall() == [(1, 2)]
    for fine in ("FROM t;", "FROM t ;; -- é; the end;", "SELECT s, x, 'é;' FROM t -- a remark", "/* ; */ FROM t"):
        with pytest.raises(DataError, match=r"query, sensitive 's': only one value \(1\)"):
            read_joint(con, "s", "x", query=fine)


@pytest.mark.parametrize(
    "name", ['a"b', "a'b", "x; DROP TABLE t; --", "a\nb", "é ü", "😀", "", " ", "c0", "n", "k0", "select", "a:b", "a@b", "%s", "{}"]
)  # fmt: skip
def test_no_name_and_no_value_is_code(name: str, tmp_path: Path) -> None:
    table = pa.table({name: [name, "b", "b"], "x": ["u", name, "u"], "n0": [1, 1, 1]})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    con = duckdb.connect()
    con.register("t", table)
    sources: list[tuple[Any, dict[str, Any]]] = [(table, {}), (path, {})]
    if name:
        sources.append((con, {"table": "t"}))
    for source, options in sources:
        joint = read_joint(source, name, "x", missing_tokens=["'); DROP", "u"], count="n0", **options)
        assert joint.total == 3
        assert set(joint.sensitive) == {name, "b"}
        assert set(joint.public) == {name, None}


def test_names_that_differ_in_case_only_are_two_columns(tmp_path: Path) -> None:
    table = pa.table({"A": ["u", "v", "u"], "a": ["p", "p", "q"], "s": ["1", "2", "2"]})
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("A,a,s\nu,p,1\nv,p,2\nu,q,2\n")
    for source in (table, tmp_path / "t.parquet", tmp_path / "t.csv", table.to_pandas()):
        assert columns_of(source) == ["A", "a", "s"]
        assert read_joint(source, "s", "A").public == ("u", "v")
        assert read_joint(source, "s", "a").counts.tolist() == [[1, 0], [1, 1]]
        assert read_joint(source, "s", ["a", "A"]).public == (("p", "u"), ("p", "v"), ("q", "u"))


def test_duplicate_names_are_refused_everywhere(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["a", "b"])] * 3, names=["s", "x", "x"])
    for source in (table, pd.DataFrame([["a", "b", "c"]], columns=["s", "x", "x"])):
        with pytest.raises(DataError, match=r"column 'x': two columns have this name \(columns 2 and 3\)"):
            read_joint(source, "s", "x")
    frame = pd.DataFrame(np.array([["a", "b"]]), columns=pd.Index([1, "1"], dtype=object))
    with pytest.raises(DataError, match=r"column '1': two columns have this name"):
        read_joint(frame, "1", "1")


def test_our_engine_reads_its_file_and_nothing_else(tmp_path: Path) -> None:
    from contextlib import ExitStack

    from liftgate.tables.sources import connect

    mine, other = tmp_path / "mine.csv", tmp_path / "other.csv"
    for path in (mine, other):
        path.write_text("a\n1\n")
    with ExitStack() as stack:
        con = connect(stack, [mine])
        assert con.sql(f"FROM read_csv('{mine}')").fetchall() == [(1,)]
        for text in (f"FROM read_csv('{other}')", "INSTALL httpfs", "SET enable_external_access = true"):
            with pytest.raises(duckdb.Error):
                con.sql(text).fetchall() if text.startswith("FROM") else con.execute(text)


def test_an_error_leaves_standard_error_clean(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("s,x\na,u\nb\n")
    code = "import sys, liftgate\ntry:\n    liftgate.read_joint(sys.argv[1], 's', 'x')\nexcept liftgate.errors.DataError as e:\n    print(e)"
    code = code.replace("liftgate.read_joint", "liftgate.tables.read_joint").replace(
        "import sys, liftgate", "import sys, liftgate.tables, liftgate.errors"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "t.csv")], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("t.csv, line 3: 1 field where there should be 2.")
    assert run.stderr == ""


def test_the_door_itself_loads_no_engine() -> None:
    code = (
        "import sys, liftgate.tables; print([m for m in ('duckdb', 'pyarrow', 'pandas', 'polars') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
