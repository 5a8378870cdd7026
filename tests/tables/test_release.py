"""Released rows: what is written, from every source, and what is refused."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import liftgate as lg
from liftgate.errors import DataError, UsageError

KEY = b"0123456789abcdef0123456789abcdef"


def people(rows: int = 3000, seed: int = 0) -> pa.Table:
    """Rows with a sensitive column, public columns of several types, and columns to keep."""
    rng = np.random.default_rng(seed)
    job = rng.integers(0, 5, rows)
    ill = rng.random(rows) < np.array([0.05, 0.2, 0.3, 0.5, 0.9])[job]
    return pa.table(
        {
            "id": pa.array([f"p{i:05d}" for i in rng.permutation(rows)]),
            "ill": pa.array(["yes" if v else "no" for v in ill]),
            "job": pa.array([["cook", "nurse", "smith", "clerk", "diver"][v] for v in job]),
            "age": pa.array(rng.integers(18, 80, rows)),
            "north": pa.array(rng.random(rows) < 0.5),
            "pay": pa.array(rng.integers(100, 999, rows) / 8),
        }
    )


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return people()


@pytest.fixture(scope="module")
def release(table: pa.Table) -> lg.Release:
    """A response channel: some rows change, and by chance."""
    found = lg.protect(lg.read_joint(table, "ill", "job"), "lip:0.5", mechanism="optimal", gap=1e-3)
    assert not found.channel.is_merge
    return found


def rows_of(written: Any) -> pa.Table:
    """The released rows."""
    return pq.read_table(written.rows)


# ---- every source ------------------------------------------------------------------------------


def sources(table: pa.Table, folder: Path) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The same rows in every form, with the options that name them."""
    pq.write_table(table, folder / "t.parquet")
    frame = table.to_pandas()
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_csv(folder / "semicolons.csv", index=False, sep=";", encoding="utf-16")
    connection = duckdb.connect()
    connection.register("view", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM view")
    return {
        "arrow": (table, {}),
        "reader": (table.to_reader(max_chunksize=700), {}),
        "pandas": (frame, {}),
        "categories": (frame.astype({"job": "category", "ill": "category"}), {}),
        "polars": (pl.from_arrow(table), {}),
        "lazy": (pl.from_arrow(table).lazy(), {}),  # type: ignore[union-attr]
        "parquet": (folder / "t.parquet", {}),
        "csv": (str(folder / "t.csv"), {}),
        "utf-16": (folder / "semicolons.csv", {"delimiter": ";"}),
        "two files": ([folder / "t.parquet", folder / "t.parquet"], {}),
        "duckdb table": (connection, {"table": "t"}),
        "duckdb query": (connection, {"query": "SELECT * FROM t"}),
        "relation": (connection.sql("FROM t"), {}),
    }


def test_every_source_gives_the_same_keyed_rows(table: pa.Table, release: lg.Release, tmp_path: Path) -> None:
    """The draw of a row depends on its id and nothing else: not on the engine, the file or the order."""
    expected = None
    for name, (source, options) in sources(table, tmp_path).items():
        if name == "two files":
            continue
        out = tmp_path / f"{name}.parquet"
        got = rows_of(release.apply(source, out, keep=["id"], draw="keyed", key=KEY, id="id", **options))
        assert got.column_names == ["job", "id"], name
        found = dict(zip(got["id"].to_pylist(), got["job"].to_pylist(), strict=True))
        assert len(found) == len(table)
        assert expected is None or found == expected, name
        expected = found
    shuffled = table.take(pa.array(np.random.default_rng(1).permutation(len(table))))
    got = rows_of(release.apply(shuffled, tmp_path / "s.parquet", keep="id", draw="keyed", key=KEY, id="id"))
    assert dict(zip(got["id"].to_pylist(), got["job"].to_pylist(), strict=True)) == expected


def test_fresh_draws_differ_and_keep_the_rows_in_order(table: pa.Table, release: lg.Release, tmp_path: Path) -> None:
    """Kept columns stand beside the right rows, as they were, and the draws are new every time."""
    one = rows_of(release.apply(table, tmp_path / "1.parquet", keep=["id", "age", "north", "pay"]))
    two = rows_of(release.apply(table, tmp_path / "2.parquet", keep=["id", "age", "north", "pay"]))
    assert one.column_names == ["job", "id", "age", "north", "pay"]
    for name in ("id", "age", "north", "pay"):
        assert one[name].to_pylist() == table[name].to_pylist()
        assert one[name].type == table[name].type
    assert one["job"].to_pylist() != two["job"].to_pylist()
    changed = np.mean(np.array(one["job"].to_pylist()) != np.array(table["job"].to_pylist()))
    assert abs(changed - float(release.changed)) < 0.05
    assert rows_of(release.apply(table, tmp_path / "3.parquet")).column_names == ["job"]


def test_batches_are_drawn_as_one_table(release: lg.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small batches give what one large batch gives."""
    table = people(7000, seed=4)
    ask = {"keep": ["id"], "draw": "keyed", "key": KEY, "id": "id"}
    whole = rows_of(release.apply(table, tmp_path / "1.parquet", **ask))
    monkeypatch.setattr("liftgate.tables.release.BATCH_ROWS", 512)
    assert rows_of(release.apply(table, tmp_path / "2.parquet", **ask)).equals(whole)


def test_released_shares_are_those_of_the_channel(table: pa.Table, release: lg.Release, tmp_path: Path) -> None:
    """Over many rows the released values are as frequent as the joint after the channel says (chi-square)."""
    many = pa.concat_tables([table] * 20)
    got = rows_of(release.apply(many, tmp_path / "m.parquet"))["job"].to_pylist()
    expected = release.after.public_share * len(many)
    seen = np.array([got.count(y) for y in release.after.public])
    statistic = float(((seen - expected) ** 2 / expected).sum())
    assert statistic < 5 * len(seen) + 20


def test_csv_rows_are_written_and_read_back(table: pa.Table, release: lg.Release, tmp_path: Path) -> None:
    """A .csv has a header and the same rows; missing entries are empty unquoted fields."""
    holes = table.set_column(5, "pay", pa.array([None, *table["pay"].to_pylist()[1:]]))
    written = release.apply(holes, tmp_path / "rows.csv", keep=["id", "pay"])
    with written.rows.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["job", "id", "pay"]
    assert len(rows) == len(table) + 1
    assert [r[1] for r in rows[1:]] == table["id"].to_pylist()
    assert rows[1][2] == ""
    assert {r[0] for r in rows[1:]} <= set(release.channel.released)


def test_kept_categories_and_mixed_objects_keep_their_texts(release: lg.Release, tmp_path: Path) -> None:
    """Columns of a pandas frame that are held as codes are written as what they mean."""
    frame = pd.DataFrame(
        {"ill": ["yes", "no"] * 2, "job": pd.Categorical(["cook", "nurse", "smith", "clerk"]),
         "size": pd.Categorical(["S", None, "L", "S"]), "mixed": ["a", 1, None, True]}
    )  # fmt: skip
    got = rows_of(release.apply(frame, tmp_path / "c.parquet", keep=["size", "mixed"]))
    assert got["size"].to_pylist() == ["S", None, "L", "S"]
    assert got["mixed"].to_pylist() == ["a", "1", None, "true"]


# ---- several columns, types, bins --------------------------------------------------------------


def test_several_public_columns_stay_apart_or_become_one(table: pa.Table, tmp_path: Path) -> None:
    """While every released value has a part for each column there are as many columns; merged values are one text."""
    joint = lg.read_joint(table, "ill", ["job", "north"])
    response = lg.protect(joint, "lip:0.5", mechanism="optimal", gap=1e-2)
    merged = lg.protect(joint, "lip:0.3", mechanism="merge-best", seconds=1)
    got = rows_of(response.apply(table, tmp_path / "r.parquet"))
    apart = all(isinstance(y, tuple) for y in response.channel.released)
    assert got.column_names == (["job", "north"] if apart else ["job / north"])
    if apart:
        assert got["north"].type == pa.bool_()
    got = rows_of(merged.apply(table, tmp_path / "m.parquet"))
    assert got.column_names == ["job / north"]
    assert any(" · " in v for v in got["job / north"].to_pylist())
    assert lg.read_manifest(tmp_path / "m.manifest.json").released == ("job / north",)
    same = lg.protect(joint, "alip:30,30", mechanism="merge-best", seconds=1)
    got = rows_of(same.apply(table, tmp_path / "same.parquet"))
    assert got.equals(table.select(["job", "north"]))


@pytest.mark.parametrize(
    ("column", "kind"),
    [("age", pa.int64()), ("north", pa.bool_()), ("pay", pa.float64()), ("job", pa.string())],
)
def test_values_keep_their_type_where_names_are_their_own(
    table: pa.Table, tmp_path: Path, column: str, kind: pa.DataType
) -> None:
    """Numbers stay numbers and booleans booleans; the identity changes nothing."""
    design = lg.protect(lg.read_joint(table, "ill", column), "alip:700,700", mechanism="merge-all")
    if design.channel.is_merge and len(design.channel.released) == len(design.channel.public):
        got = rows_of(design.apply(table, tmp_path / "t.parquet"))
        assert got.schema.field(column).type == kind
        assert got[column].to_pylist() == table[column].to_pylist()
    else:  # values that never meet a sensitive value break every budget: they are merged, and named in text
        got = rows_of(design.apply(table, tmp_path / "t.parquet"))
        assert got.schema.field(column).type == pa.string()


def test_quantiles_of_the_design_are_the_edges_of_every_later_table(table: pa.Table, tmp_path: Path) -> None:
    """A later table with other quantiles is cut where the first one was; what lies outside is refused."""
    joint = lg.read_joint(table, "ill", "age@quantiles=4")
    design = lg.protect(joint, "alip:9,9", mechanism="merge-all")
    assert design.channel.released == joint.public
    later = table.filter(pa.compute.less(table["age"], 40))
    got = rows_of(design.apply(later, tmp_path / "q.parquet"))["age"].to_pylist()
    for age, label in zip(later["age"].to_pylist(), got, strict=True):
        low, high = (int(part) for part in label.strip("[])").split(", "))
        assert low <= age < high or (age == high and label.endswith("]"))
    assert set(got) < set(joint.public)
    older = pa.table({"age": [20, 200], "ill": ["yes", "no"]})
    with pytest.raises(DataError, match="1 value was not seen at design time: '79 and above'"):
        design.apply(older, tmp_path / "o.parquet")


def test_widths_and_edges_are_used_again(table: pa.Table, tmp_path: Path) -> None:
    """Bins by width and by edges, from text as from numbers."""
    for spec in ("age:10", "age@edges=30,50"):
        joint = lg.read_joint(table, "ill", spec)
        design = lg.protect(joint, "alip:9,9", mechanism="merge-all")
        texts = table.set_column(3, "age", pa.array([str(v) for v in table["age"].to_pylist()]))
        a = rows_of(design.apply(table, tmp_path / "a.parquet", force=True))
        b = rows_of(design.apply(texts, tmp_path / "b.parquet", force=True))
        assert a.equals(b)
        assert set(a["age"].to_pylist()) == set(joint.public)


def test_missing_entries_are_a_value_or_left_out(tmp_path: Path) -> None:
    """As a value they are released like one; dropped at design time, their rows are left out and told."""
    base = people(500)
    job = base["job"].to_pylist()
    holes = base.set_column(2, "job", pa.array([None if i % 50 == 0 else v for i, v in enumerate(job)]))
    value = lg.protect(lg.read_joint(holes, "ill", "job"), "alip:9,9", mechanism="merge-all")
    got = rows_of(value.apply(holes, tmp_path / "v.parquet"))
    assert got.num_rows == 500
    assert got["job"].null_count in (0, 10)
    drop = lg.protect(lg.read_joint(holes, "ill", "job", missing="drop"), "alip:9,9", mechanism="merge-all")
    written = drop.apply(holes, tmp_path / "d.parquet", keep=["id"])
    assert (written.number, written.left_out) == (490, 10)
    kept = [i for i, v in zip(holes["id"].to_pylist(), holes["job"].to_pylist(), strict=True) if v is not None]
    assert rows_of(written)["id"].to_pylist() == kept
    with pytest.raises(DataError, match="not seen at design time: '\\(missing\\)'"):
        lg.protect(lg.read_joint(base, "ill", "job"), "lip:1").apply(holes, tmp_path / "n.parquet")


def test_missing_words_are_read_as_they_were_for_the_design(tmp_path: Path) -> None:
    """The options of reading are those of read_joint."""
    path = tmp_path / "w.csv"
    path.write_text("ill,job\n" + "yes, cook\nno, ?\nno, cook\nyes, ?\n")
    joint = lg.read_joint(path, "ill", "job", missing_tokens=["?"], trim=True)
    design = lg.protect(joint, "lip:1")
    got = rows_of(design.apply(path, tmp_path / "w.parquet", missing_tokens=["?"], trim=True))
    assert got["job"].to_pylist() == ["cook", None, "cook", None]
    with pytest.raises(DataError, match="2 values were not seen at design time: ' \\?', ' cook'"):
        design.apply(path, tmp_path / "u.parquet")


def test_a_counted_table_gives_a_row_for_every_person_in_an_order_that_says_nothing(tmp_path: Path) -> None:
    """Counts become rows; they are sorted, because the order of the cells would tell the sensitive value."""
    path = tmp_path / "counted.csv"
    path.write_text("ill,job,n\nyes,cook,30\nno,cook,70\nyes,nurse,0\nno,nurse,1200000\nyes,diver,5\n")
    joint = lg.read_joint(path, "ill", "job", count="n")
    design = lg.protect(joint, "alip:30,30", mechanism="merge-all")
    written = design.apply(path, tmp_path / "rows.parquet", count="n")
    assert written.number == joint.total == 1_200_105
    got = rows_of(written)["job"].to_pylist()
    assert got == sorted(got)
    expected = design.after.public_counts.tolist()
    assert [got.count(y) for y in design.after.public] == expected
    with pytest.raises(UsageError, match="a counted table has no rows to tell apart"):
        design.apply(path, tmp_path / "k.parquet", count="n", draw="keyed", key=KEY, id="job")


def test_sorted_rows_are_sorted(table: pa.Table, release: lg.Release, tmp_path: Path) -> None:
    """order="sorted" forgets the order of the source."""
    got = rows_of(release.apply(table, tmp_path / "s.parquet", keep=["north"], order="sorted"))
    rows = list(zip(got["job"].to_pylist(), got["north"].to_pylist(), strict=True))
    assert rows == sorted(rows)
    assert len(rows) == len(table)


# ---- rendering ---------------------------------------------------------------------------------


def test_rendered_members_are_drawn_from_their_block(table: pa.Table, tmp_path: Path) -> None:
    """render="sample" writes a member of the released value, with the frequencies P(x | y)."""
    many = pa.concat_tables([table] * 10)
    design = lg.protect(lg.read_joint(many, "ill", "job"), "lip:0.3", mechanism="merge-best")
    got = rows_of(design.apply(many, tmp_path / "s.parquet", keep=["id"], render="sample"))
    assert set(got["job"].to_pylist()) == set(design.channel.public)
    block = {x: released[0][0] for x, released in design.channel.rows()}
    for was, drawn in zip(many["job"].to_pylist(), got["job"].to_pylist(), strict=True):
        assert block[was] == block[drawn]
    after, before = np.array(got["job"].to_pylist()), np.array(many["job"].to_pylist())
    for x in design.channel.public:
        assert abs(np.mean(after == x) - np.mean(before == x)) < 0.01
    joint = lg.Joint.from_rows(many["ill"].to_pylist(), got["job"].to_pylist())
    assert joint.lift.max() < np.exp(0.3) + 0.1
    assert lg.read_manifest(tmp_path / "s.manifest.json").render == "sample"


def test_a_member_is_refused_where_mixing_breaks_a_budget_that_is_not_convex(tmp_path: Path) -> None:
    """chi2-lift-inverse is not convex (E3): a member drawn from values inside the budget may be outside of it."""
    counts = [[18, 11, 1, 10], [18, 1, 11, 10], [18, 1, 1, 140]]
    joint = lg.Joint.from_counts(counts, public=list("abcd"))
    channel = lg.Channel.from_shares([[1, 1, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]], joint.public, ["x", "y", "z"])
    after = joint.through(channel)  # (2, 1, 1), (1, 2, 1), (1, 1, 14): the member a stands for x and y alike
    source = pa.table({"public": list("abcd")})
    for low, told in ((Fraction(35, 18), "not convex"), (Fraction(475, 243), None)):
        budget = lg.Budget("chi2", low=low, up=None)
        assert budget.holds(after).all()
        base = lg.protect(joint, budget, mechanism="merge-all")
        design = replace(base, channel=channel, after=after)
        if told is None:
            assert design.apply(source, tmp_path / "x.parquet", render="sample").number == 4
        else:
            with pytest.raises(lg.LiftgateError, match=told):
                design.apply(source, tmp_path / "x.parquet", render="sample")


# ---- refused -----------------------------------------------------------------------------------


def test_unseen_values_are_refused_with_the_first_five(release: lg.Release, tmp_path: Path) -> None:
    """Their number and the first five are told, wherever in the table they stand, and nothing is left behind."""
    jobs = ["cook"] * 900_000 + [f"new{i}" for i in range(7)] + ["nurse"]
    source = pa.table({"job": jobs})
    with pytest.raises(DataError) as told:
        release.apply(source, tmp_path / "u.parquet")
    assert "7 values were not seen at design time: 'new0', 'new1', 'new2', 'new3', 'new4', …" in str(told.value)
    assert "column 'job'" in str(told.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"keep": ["ill"]}, "keep 'ill': a sensitive column is never released"),
        ({"keep": ["job"]}, "keep 'job': it is released in its protected form"),
        ({"keep": ["jbo"]}, "column 'jbo': no such column. Fix: did you mean 'job'"),
        ({"keep": ["age", "age"]}, "a column is named twice"),
        ({"draw": "keyed", "key": KEY, "id": "age"}, "occurs .* times, so it does not tell rows apart"),
        ({"draw": "keyed", "key": KEY, "id": "who"}, "column 'who': no such column"),
        ({"draw": "keyed", "id": "id"}, "keyed draws need a key"),
        ({"draw": "engine"}, "'engine' is not known"),
        ({"render": "mean"}, "'mean' is not known. Fix: use label or sample"),
        ({"order": "random"}, "'random' is not known. Fix: use source or sorted"),
        ({"public": "town"}, "column 'town': no such column"),
        ({"table": "t"}, "they belong to a database"),
        ({"delimiter": ";"}, "it belongs to CSV files"),
    ],
)
def test_orders_that_make_no_sense_are_refused(
    table: pa.Table, release: lg.Release, tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    """The error names the place and the fix, and nothing is left behind."""
    with pytest.raises(lg.LiftgateError, match=told):
        release.apply(table, tmp_path / "x.parquet", **options)
    assert list(tmp_path.iterdir()) == []


def test_sensitive_and_public_columns_are_recognised_behind_their_bins(table: pa.Table, tmp_path: Path) -> None:
    """``age:10`` is the column age, on either side."""
    hidden = lg.protect(lg.read_joint(table, "age:20", "job"), "lip:1")
    with pytest.raises(UsageError, match="keep 'age': a sensitive column"):
        hidden.apply(table, tmp_path / "x.parquet", keep=["age"])
    shown = lg.protect(lg.read_joint(table, "ill", "age:20"), "lip:1")
    with pytest.raises(UsageError, match="keep 'age': it is released in its protected form"):
        shown.apply(table, tmp_path / "x.parquet", keep=["age"])


def test_a_design_from_bare_counts_does_not_guess_what_is_sensitive(table: pa.Table, tmp_path: Path) -> None:
    """Columns have to be named before anything is kept beside them."""
    read = lg.read_joint(table, "ill", "job")
    design = lg.protect(lg.Joint.from_counts(read.counts, read.sensitive, read.public), "lip:1")
    with pytest.raises(UsageError, match="it is not known which column is sensitive"):
        design.apply(table, tmp_path / "x.parquet", keep=["ill"], public="job")
    with pytest.raises(DataError, match="column 'public': no such column"):
        design.apply(table, tmp_path / "x.parquet")
    written = design.apply(table, tmp_path / "x.parquet", keep=["id"], public="job", sensitive="ill")
    assert written.columns == ("job", "id")


def test_missing_and_repeated_row_ids_are_refused(release: lg.Release, tmp_path: Path) -> None:
    """The duplicate is shown; numbers and texts that read alike are the same id."""
    twice = pa.table({"job": ["cook"] * 3, "i": ["a", "b", "b"]})
    with pytest.raises(DataError, match="column 'i': 'b' occurs 2 times"):
        release.apply(twice, tmp_path / "x.parquet", draw="keyed", key=KEY, id="i")
    hole = pa.table({"job": ["cook"] * 3, "i": [1, None, 3]})
    with pytest.raises(DataError, match="column 'i': a row id is missing"):
        release.apply(hole, tmp_path / "x.parquet", draw="keyed", key=KEY, id="i")


def test_an_empty_or_damaged_table_leaves_nothing_behind(release: lg.Release, tmp_path: Path) -> None:
    """No row, a ragged line and a damaged file are told as read_joint tells them."""
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(DataError, match="no row, only column names"):
        release.apply(pa.table({"job": pa.array([], pa.string())}), out / "x.parquet")
    (tmp_path / "r.csv").write_text("ill,job\nyes,cook\nno,nurse,extra\n")
    with pytest.raises(DataError, match="line 3"):
        release.apply(tmp_path / "r.csv", out / "x.parquet")
    (tmp_path / "t.csv").write_text("ill,job\nyes,cook\nno,nurse,\n")
    with pytest.raises(DataError, match="line 3"):
        release.apply(tmp_path / "t.csv", out / "x.parquet")
    pq.write_table(people(50_000), tmp_path / "d.parquet")
    data = bytearray((tmp_path / "d.parquet").read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    (tmp_path / "d.parquet").write_bytes(bytes(data))
    with pytest.raises(DataError, match=r"d\.parquet"):
        release.apply(tmp_path / "d.parquet", out / "x.parquet", keep=["id", "pay"])
    assert list(out.iterdir()) == []
