"""Reading rows: nothing is dropped, nothing is guessed in silence, and what cannot be used is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from liftgate.errors import DataError, UsageError
from liftgate.estimators.reading import read_rows


def frame(n: int = 60) -> pd.DataFrame:
    """A table with numbers, categories, dates, gaps and a person."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "pay": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "job": np.array(["cook", "nurse", None], dtype=object)[rng.integers(3, size=n)],
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(900, size=n), unit="D"),
            "ill": np.array(["no", "yes"])[rng.integers(2, size=n)],
            "who": np.arange(n) // 2,
        }
    )


def test_rows_keep_numbers_categories_and_gaps() -> None:
    """Every row is there; gaps are told; dates are numbers; a person is no column."""
    table = read_rows(frame(), "ill", ["age", "pay", "job", "since"], person="who")
    assert len(table) == 60
    assert [c.kind for c in table.sample.rows.columns] == ["number", "number", "category", "number"]
    gaps = {c.name: int(c.missing.sum()) for c in table.sample.rows.columns}
    assert gaps["pay"] > 0
    assert gaps["job"] > 0
    assert dict(table.missing)["pay"] == gaps["pay"]
    assert any("'pay'" in note and "kept as information" in note for note in table.notes)
    assert table.sample.person is not None
    assert np.unique(table.sample.person).size == 30
    assert table.public == ("age", "pay", "job", "since")


def test_csv_files_and_frames_read_alike(tmp_path: Path) -> None:
    """In text files columns of numbers become numbers, unless they are named as categories."""
    data = frame()[["age", "job", "ill"]]
    data.to_csv(tmp_path / "t.csv", index=False)
    text = read_rows(tmp_path / "t.csv", "ill", ["age", "job"])
    typed = read_rows(data, "ill", ["age", "job"])
    for a, b in zip(text.sample.rows.columns, typed.sample.rows.columns, strict=True):
        assert (a.kind, a.labels) == (b.kind, b.labels)
        assert np.array_equal(a.values, b.values)
    (tmp_path / "codes.csv").write_text("zone,s\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(40)))
    assert read_rows(tmp_path / "codes.csv", "s", "zone").sample.rows.columns[0].kind == "number"
    assert read_rows(tmp_path / "codes.csv", "s", "zone", categories="zone").sample.rows.columns[0].kind == "category"


def test_columns_are_released_as_they_were_written() -> None:
    """What is written later is the table's own column, of whatever kind it came as."""
    data = frame()
    table = read_rows(data, "ill", ["job", "age"], keep=["who"])
    assert table.written.column("job").to_pylist() == [v if isinstance(v, str) else None for v in data["job"]]
    assert table.written.column("age").to_pylist() == data["age"].tolist()
    assert table.kept.column("who").to_pylist() == data["who"].tolist()
    mixed = pd.DataFrame({"x": pd.Categorical(["a", "b", "a", None]), "s": [0, 1, 0, 1]})
    assert read_rows(mixed, "s", "x").written.column("x").to_pylist() == ["a", "b", "a", None]
    arrow = pa.table({"x": pa.array(["u", "v", "u"]).dictionary_encode(), "s": [1, 2, 1]})
    assert read_rows(arrow, "s", "x").written.column("x").to_pylist() == ["u", "v", "u"]


def test_repeated_rows_are_asked_about() -> None:
    """The same row twice may be the same person: a note, until the person is named."""
    data = pd.DataFrame({"x": [1, 1, 2, 3], "s": ["a", "a", "b", "b"], "who": [1, 1, 2, 3]})
    assert any("--person" in note and note.startswith("1 rows") for note in read_rows(data, "s", "x").notes)
    assert not any("--person" in note for note in read_rows(data, "s", "x", person="who").notes)


def test_a_missing_sensitive_entry_is_a_value_and_a_missing_person_somebody() -> None:
    """Nobody vanishes."""
    data = pd.DataFrame({"x": [1.0, 2, 3, 4], "s": ["a", None, "b", None], "who": [7.0, np.nan, np.nan, 7.0]})
    table = read_rows(data, "s", "x", person="who")
    assert None in table.labels
    assert np.bincount(table.sample.s).tolist() == [1, 1, 2] or np.bincount(table.sample.s).max() == 2
    assert table.sample.person is not None
    assert np.unique(table.sample.person).size == 3


@pytest.mark.parametrize(
    ("change", "ask", "words"),
    [
        ({"ill": "no"}, {}, r"column 'ill': every row has the same value, 'no'"),
        ({"pay": np.nan}, {}, r"column 'pay': every entry is missing"),
        ({"pay": np.inf}, {}, r"column 'pay', row 1: it holds an infinite number"),
        ({"job": [f"text {i}" for i in range(60)]}, {}, r"column 'job': text of free form: 60 values in 60 rows.*scores of a text model"),
        ({"job": [f"{i}.5" for i in range(60)]}, {}, r"column 'job'.*cast the column to a number"),
        ({"ill": [f"s{i}" for i in range(60)]}, {}, r"column 'ill': 60 sensitive values, more than 50.*--max-classes 60"),
        ({}, {"public": ["age", "ill"]}, r"column 'ill': it is both sensitive and public"),
        ({}, {"task": "ill"}, r"column 'ill': it is both sensitive and the task"),
        ({}, {"keep": "ill"}, r"column 'ill': it is both sensitive and kept"),
        ({}, {"keep": "age"}, r"column 'age': it is both public and kept"),
        ({}, {"person": "age"}, r"column 'age': it is both public and the person"),
        ({}, {"public": ["aeg"]}, r"aeg.*age"),
        ({}, {"public": ["age:3"]}, r"column 'age': rows are scored as they are"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(change: dict[str, object], ask: dict[str, object], words: str) -> None:
    """The place, the value, the fix."""
    data = frame().assign(**change)
    with pytest.raises((DataError, UsageError), match=words):
        read_rows(data, "ill", ask.pop("public", ["age", "pay", "job"]), **ask)  # type: ignore[arg-type]


def test_more_classes_when_asked_and_infinite_text_too(tmp_path: Path) -> None:
    """--max-classes is a limit of the person; inf in a CSV file is found as in a frame."""
    data = frame().assign(ill=[f"s{i}" for i in range(60)])
    assert len(read_rows(data, "ill", "age", max_classes=60).labels) == 60
    (tmp_path / "t.csv").write_text("x,s\n1,a\n-inf,b\n2,a\n")
    with pytest.raises(DataError, match=r"column 'x', row 2: it holds an infinite number"):
        read_rows(tmp_path / "t.csv", "s", "x")
    (tmp_path / "empty.csv").write_text("x,s\n")
    with pytest.raises(DataError, match="no row"):
        read_rows(tmp_path / "empty.csv", "s", "x")
