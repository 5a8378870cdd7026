"""Numbers become ranges on request, exactly at the edges as written, and it is told."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liftgate.errors import DataError, UsageError
from liftgate.tables import read_joint
from liftgate.tables.columns import bin_label, find_columns, order_key


def binned(values: list[Any], spec: str, kind: pa.DataType | None = None, **options: Any) -> list[Any]:
    """The label that each value gets, one row each."""
    table = pa.table({"s": [f"{i:04}" for i in range(len(values))], "age": pa.array(values, kind)})
    joint = read_joint(table, "s", spec, **options)
    return [joint.public[j] for j in joint.counts.argmax(axis=1)]


def test_widths_start_at_zero_and_missing_stays_missing() -> None:
    assert binned([19, 20, 29, -1, None, 0], "age:10", pa.int8()) == [
        "[10, 20)",
        "[20, 30)",
        "[20, 30)",
        "[-10, 0)",
        None,
        "[0, 10)",
    ]


@settings(max_examples=30)
@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=20),
    st.sampled_from(["0.1", "0.25", "0.3", "7", "10", "1000", "2.5"]),
    st.integers(0, 3),
    st.sampled_from(["float", "decimal", "text"]),
)
def test_a_decimal_falls_into_the_bin_of_its_written_value(
    whole: list[int], width: str, places: int, form: str
) -> None:
    """0.3 belongs to [0.3, 0.4) although the float quotient 0.3 / 0.1 is below 3."""
    values = [Decimal(n).scaleb(-places) for n in whole]
    w = Fraction(width)
    expected = []
    for value in values:
        k = floor(Fraction(value) / w)
        expected.append(bin_label(Decimal(width) * k, Decimal(width) * (k + 1)))
    given_as: list[Any] = values
    kind: pa.DataType = pa.decimal128(18, 3)
    if form == "float":
        given_as, kind = [float(v) for v in values], pa.float64()
    elif form == "text":
        given_as, kind = [str(v) for v in values], pa.string()
    assert binned(given_as, f"age:{width}", kind) == expected


def test_edges_give_ranges_and_what_lies_outside_is_a_range_of_its_own() -> None:
    got = binned([17, 18, 29, 30, 64, 65, 99, None], "age@edges=18,30,65")
    assert got == ["below 18", *["[18, 30)"] * 2, *["[30, 65)"] * 2, *["65 and above"] * 2, None]
    assert binned([18, 17], "age@edges=17.5") == ["17.5 and above", "below 17.5"]


def test_quantiles_hold_about_equally_many_rows() -> None:
    table = pa.table({"s": ["a", "b"] * 50, "age": list(range(1, 101))})
    joint = read_joint(table, "s", "age@quantiles=4")
    assert joint.public == ("[1, 25)", "[25, 50)", "[50, 75)", "[75, 100]")
    assert joint.public_counts.tolist() == [24, 25, 25, 26]
    assert joint.source.notes == ("column 'age': numbers were put in 4 bins of about equally many rows",)
    weighed = pa.table({"s": ["a", "b", "a"], "age": [1, 2, 3], "n": [98, 1, 1]})
    told = read_joint(weighed, "s", "age@quantiles=2", count="n")
    assert told.public == ("[1, 3]",)
    assert told.source.notes[-1] == "column 'age': equal values leave 1 of 2 bins"


def test_equal_values_make_fewer_quantiles_and_it_is_told() -> None:
    table = pa.table({"s": ["a", "b", "a", "b"], "age": [5, 5, 5, 9]})
    joint = read_joint(table, "s", "age@quantiles=4")
    assert joint.public == ("[5, 9]",)
    assert joint.source.notes[-1] == "column 'age': equal values leave 1 of 4 bins"
    same = read_joint(pa.table({"s": ["a", "b"], "age": [5, 5]}), "s", "age@quantiles=2")
    assert same.public == ("[5, 5]",)


def test_text_numbers_are_binned_and_other_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("s,age\na, 31\nb,3.9e1\na,?\nb,\n")
    joint = read_joint(path, "s", "age:10", missing_tokens=["?"])
    assert (joint.public, joint.source.missing) == (("[30, 40)", None), (("s", 0), ("age:10", 2)))
    assert "column 'age': numbers were put in bins of width 10" in joint.source.notes
    with pytest.raises(DataError, match=r"t.csv, column 'age': '\?' is not a number. Fix: leave the binning out"):
        read_joint(path, "s", "age:10")


@pytest.mark.parametrize("spec", ["age:10", "age@edges=0", "age@quantiles=2"])
def test_infinity_is_not_binned_and_nan_is_missing(spec: str) -> None:
    assert binned([1.0, float("nan"), 5.0], spec)[1] is None
    with pytest.raises(DataError, match=r"column 'age': inf is not a number"):
        binned([1.0, float("inf")], spec)


def test_missing_words_count_for_numbers_too() -> None:
    assert binned([-9, 15, None], "age:10", missing_tokens=["-9"]) == [None, "[10, 20)", None]
    assert binned([-9, 15, None], "age", missing_tokens=["-9"]) == [None, 15, None]
    assert binned([-9.0, 15.5, None], "age", missing_tokens=["-9"]) == [None, 15.5, None]


@pytest.mark.parametrize("values", [[True, False], [b"a", b"b"]])
def test_what_is_not_a_number_is_not_binned(values: list[Any]) -> None:
    with pytest.raises(DataError, match=r"column 'age': it holds .* values. Fix: only numbers can be binned"):
        binned(values, "age:10")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("age:ten", "'ten' is not a bin width"),
        ("age:0", "'0' is not a bin width"),
        ("age:-5", "'-5' is not a bin width"),
        ("age:inf", "'inf' is not a bin width"),
        ("age:1e99999999", "'1e99999999' is not a bin width"),
        ("age@quantiles=1", "'quantiles=1' is not a way to bin"),
        ("age@quantiles=2.5", "'quantiles=2.5' is not a way to bin"),
        ("age@edges=", "'edges=' is not a way to bin"),
        ("age@edges=30,18", "the edges 30,18 do not increase"),
        ("age@cubes=3", "'cubes=3' is not a way to bin"),
    ],
)
def test_a_way_to_bin_that_does_not_exist_is_refused(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"t, column 'age': {message}"):
        find_columns(spec, ["s", "age"], "t", "public")


def test_the_exact_name_of_a_column_wins() -> None:
    columns = ["a:10", "a", "b@edges=1", "a:b"]
    found = find_columns(["a:10", "b@edges=1", "a:b:5", "a@quantiles=3"], columns, "t", "public")
    assert [(s.name, s.binning is None) for s in found] == [
        ("a:10", True),
        ("b@edges=1", True),
        ("a:b", False),
        ("a", False),
    ]


def test_bins_stand_in_the_order_of_their_numbers() -> None:
    labels = ["[100, 110)", "below 20", "120 and above", "[20, 100)", None, "x", 7]
    ordered = sorted(labels, key=order_key)
    assert ordered == [7, "below 20", "[20, 100)", "[100, 110)", "120 and above", "x", None]


def test_whole_numbers_beyond_floats_are_binned_exactly() -> None:
    big = 2**60
    assert binned([big - 1, big], f"age@edges={big}", pa.int64()) == [f"below {big}", f"{big} and above"]
    assert binned([big - 1, big], f"age:{2**59}", pa.int64()) == [f"[{2**59}, {big})", f"[{big}, {3 * 2**59})"]
