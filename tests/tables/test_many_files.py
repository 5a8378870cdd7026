"""Folders, patterns, Hive partitions and addresses are one table; releases keep the partitions of their source."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import liftgate as lg
from liftgate.errors import DataError, UsageError
from liftgate.tables import columns_of, read_joint

YEARS: list[str | None] = ["2020", "2021", None, "07"]
REGIONS = ["a/b", "é 😀", "x=1", "[1, 5)"]
ROWS = [
    {"id": i, "job": "abc"[i % 3], "ill": ("no", "yes")[i * 7 % 5 < 2], "year": YEARS[i % 4], "region": REGIONS[i % 3]}
    for i in range(240)
]


def hive(folder: Path, write: Any, ending: str, names: tuple[str, ...] = ("year", "region")) -> Path:
    """The rows in folders column=value, as the engine names them."""
    root = folder / "hive"
    con = duckdb.connect()
    con.register("t", pa.Table.from_pylist(ROWS))
    con.execute(f"COPY t TO '{root}' (FORMAT parquet, PARTITION_BY ({', '.join(names)}))")
    con.close()
    for path in [p for p in root.rglob("*.parquet") if write is not None]:
        write(pq.ParquetFile(path).read(), path.with_suffix(ending))
        path.unlink()
    return root


def as_csv(table: pa.Table, path: Path) -> None:
    lines = [",".join(table.column_names)] + [",".join(str(v) for v in row.values()) for row in table.to_pylist()]
    path.write_text("\n".join(lines) + "\n")


def brute(*names: str) -> dict[Any, int]:
    return dict(Counter((row["ill"], tuple(row[n] for n in names)) for row in ROWS))


def cells(joint: lg.Joint) -> dict[Any, int]:
    found = zip(joint.sensitive, joint.counts, strict=True)
    return {(s, x): int(n) for s, row in found for x, n in zip(joint.public, row, strict=True) if n}


FORMS: dict[str, tuple[Any, str]] = {
    "parquet": (None, ".parquet"),
    "csv": (as_csv, ".csv"),
    "feather": (feather.write_feather, ".feather"),
}


@pytest.mark.parametrize("form", FORMS)
def test_folders_named_column_value_are_columns_of_text(tmp_path: Path, form: str) -> None:
    """Values as written, decoded; the engine's word for a missing one is a missing one."""
    write, ending = FORMS[form]
    root = hive(tmp_path, write, ending)
    pattern = str(root / "**" / f"*{ending}")
    assert sorted(columns_of(pattern)) == ["id", "ill", "job", "region", "year"]
    joint = read_joint(pattern, "ill", ["year", "job", "region"])
    assert cells(joint) == brute("year", "job", "region")
    assert dict(joint.source.missing)["year"] == 60
    only = read_joint(pattern, "year", "region")
    assert only.total == len(ROWS)
    one_year = read_joint(str(root / "year=2020" / "*" / f"*{ending}"), "ill", "region")
    assert one_year.total == 60
    with pytest.raises(DataError, match="no such column"):
        read_joint(str(root / "year=2020" / "*" / f"*{ending}"), "ill", "year")


def test_a_folder_is_its_parquet_files(tmp_path: Path) -> None:
    """All of them below it, but not what Hive and Spark hide."""
    root = hive(tmp_path, None, "")
    (root / "_SUCCESS").write_text("")
    (root / "_temporary").mkdir()
    (root / "_temporary" / "x.parquet").write_text("no parquet")
    assert cells(read_joint(root, "ill", ["year", "job"])) == brute("year", "job")
    assert cells(read_joint(str(root), "ill", ["year", "job"])) == brute("year", "job")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"^empty: this is a folder without \.parquet files\. Fix: .* empty/\*\.csv"):
        read_joint(tmp_path / "empty", "ill", "job")
    with pytest.raises(DataError, match="only folders match"):
        read_joint(str(root / "year=*"), "ill", "job")


def test_folders_that_say_different_things_are_refused(tmp_path: Path) -> None:
    for name in ("year=1/a", "town=1/b", "c"):
        path = tmp_path / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"ill": ["y", "n"], "job": ["a", "b"]}), path)
    with pytest.raises(DataError, match="its folders name"):
        read_joint(str(tmp_path / "**" / "*.parquet"), "ill", "job")


def test_a_column_of_the_files_wins_over_a_folder(tmp_path: Path) -> None:
    """The folder says 1, the file 7: the file is the table."""
    (tmp_path / "d" / "job=1").mkdir(parents=True)
    pq.write_table(pa.table({"ill": ["y", "n"], "job": [7, 8]}), tmp_path / "d" / "job=1" / "a.parquet")
    assert read_joint(tmp_path / "d", "ill", "job").public == (7, 8)


def test_an_address_is_read_by_the_engine_itself(tmp_path: Path) -> None:
    """Tried with file:// alone: the same joint as the path, Parquet with partitions and CSV."""
    root = hive(tmp_path, None, "", ("year",))
    joint = read_joint(f"file://{root}/*/*.parquet", "ill", ["year", "job"])
    assert cells(joint) == brute("year", "job")
    assert "read by DuckDB's own readers" in joint.source.notes[0]
    (tmp_path / "t.csv").write_text("job;ill\n01;yes\n1;no\nNA;yes\n;no\n")
    joint = read_joint(f"file://{tmp_path}/t.csv", "ill", "job")
    assert joint.public == ("01", "1", "NA", None)
    joint = read_joint(f"file://{tmp_path}/t.csv", "b", "a", columns=["a", "b"], delimiter=";")
    assert joint.total == 5


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("ftp://host/x.parquet", "addresses ftp:// are not known"),
        ("file:///nowhere/at/all.parquet", "cannot be read"),
        (["file:///a.parquet", "b.parquet"], "give an address alone"),
    ],
)
def test_addresses_that_cannot_be_read_are_refused(source: Any, told: str) -> None:
    with pytest.raises((UsageError, DataError), match=told):
        read_joint(source, "ill", "job")


def test_a_missing_extension_of_the_engine_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is installed on the way."""
    from liftgate.tables import addresses

    real = addresses.private_engine

    def without_extensions(stack: Any, memory: Any) -> Any:
        con = real(stack, memory)
        con.execute(f"SET extension_directory = '{tmp_path}'")
        return con

    monkeypatch.setattr(addresses, "private_engine", without_extensions)
    with pytest.raises(DataError, match="INSTALL httpfs"):
        read_joint("s3://bucket/rows/*.parquet", "ill", "job")
    assert not list(tmp_path.rglob("*httpfs*"))


def test_a_partitioned_source_keeps_its_partitions(tmp_path: Path) -> None:
    """What is written and was a folder is a folder again; what is not written is in no folder name."""
    root = hive(tmp_path, None, "")
    release = lg.protect(read_joint(root, "ill", "job"), "lip:2")
    written = release.apply(root, tmp_path / "r.parquet", keep=["id", "year"])
    assert written.rows.is_dir()
    folders = {p.name for p in written.rows.iterdir()}
    assert folders == {"year=2020", "year=2021", "year=07", "year=__HIVE_DEFAULT_PARTITION__"}
    assert "region" not in " ".join(str(p) for p in written.rows.rglob("*"))
    assert written.number == 240
    again = lg.read_joint(written, "year", ["job", "id"])
    assert {x[1]: s for (s, x) in cells(again)} == {row["id"]: row["year"] for row in ROWS}
    with pytest.raises(UsageError, match="a folder has this name"):
        release.apply(root, tmp_path / "r.parquet", keep=["id", "year"], force=True)


def test_a_protected_partition_is_a_folder_of_its_released_name(tmp_path: Path) -> None:
    """The public column is a partition: rows lie where their released value says, and a sensitive one is never kept."""
    root = hive(tmp_path, None, "", ("region", "ill"))
    release = lg.protect(read_joint(root, "ill", "region"), lg.Budget.between("1/2", "3/2"), mechanism="merge-all")
    written = release.apply(root, tmp_path / "r.parquet", keep=["id"])
    seen = read_joint(written, "id", "region")
    assert set(seen.public) <= set(release.channel.released)
    assert "ill=" not in " ".join(str(p) for p in written.rows.rglob("*"))
    with pytest.raises(UsageError, match="a sensitive column is never released"):
        release.apply(root, tmp_path / "s.parquet", keep=["ill"])
    alone = release.apply(root, tmp_path / "alone.parquet")  # the only column: a folder would hold rows of nothing
    assert pq.read_table(alone.rows).num_rows == 240
    rows = release.apply(root, tmp_path / "rows.csv", keep=["id"])
    assert rows.rows.is_file()
