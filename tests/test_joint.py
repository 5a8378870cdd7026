"""Joints: counts in, exact views out, nothing lost on the way through a channel."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate.channel import Channel
from liftgate.errors import DataError
from liftgate.exact import SHARE_TOTAL
from liftgate.joint import Joint

counts = st.integers(1, 5).flatmap(
    lambda m: st.lists(st.lists(st.sampled_from([0, 0, 1, 2, 7, 1000, 2**35]), min_size=m, max_size=m), min_size=1, max_size=5)
).filter(lambda rows: any(any(r) for r in rows))  # fmt: skip


@given(counts)
def test_lift_is_the_ratio_of_shares(rows: list[list[int]]) -> None:
    joint = Joint.from_counts(rows)
    n, n_s, n_x = sum(map(sum, rows)), [sum(r) for r in rows], [sum(c) for c in zip(*rows, strict=True)]
    for s, row in enumerate(rows):
        assert joint.prior[s] == n_s[s] / n
        for x, c in enumerate(row):
            if n_s[s] and n_x[x]:
                assert joint.lift[s, x] == pytest.approx(float(Fraction(c * n, n_s[s] * n_x[x])), rel=1e-14)
                assert joint.log_lift[s, x] == (
                    pytest.approx(math.log(joint.lift[s, x]), abs=1e-12) if c else -math.inf
                )
            else:
                assert math.isnan(joint.lift[s, x])


@given(counts, st.data())
def test_a_channel_is_an_exact_integer_product(rows: list[list[int]], data: st.DataObject) -> None:
    joint = Joint.from_counts(rows)
    shares = data.draw(
        st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=len(rows[0]), max_size=len(rows[0]))
    )
    shares = [[*r, 20 - sum(r)] for r in shares]
    channel = Channel.from_shares(shares, released=list("abcd"))
    used = ["abcd".index(v) for v in channel.released]
    after = joint.through(channel)
    assert after.counts.tolist() == [[sum(c * shares[x][y] for x, c in enumerate(row)) for y in used] for row in rows]
    assert after.sensitive_counts.tolist() == [20 * v for v in joint.sensitive_counts.tolist()]


def test_products_beyond_int64_stay_exact() -> None:
    joint = Joint.from_counts([[2**61, 1], [3, 2**61]])
    channel = Channel.from_floats([[0.5, 0.5], [0.25, 0.75]])
    after = joint.through(channel)
    assert after.counts[0, 0] == 2**61 * (SHARE_TOTAL // 2) + SHARE_TOTAL // 4
    assert np.isfinite(after.lift).all()
    assert Joint.from_counts([[10**400, 1], [1, 10**400]]).lift[0, 0] == pytest.approx(2.0)


def test_probabilities_are_rounded_once_and_positive_stays_positive() -> None:
    joint = Joint.from_probabilities([[1e-30, 0.5], [0.5, 0.0]])
    assert joint.total == SHARE_TOTAL
    assert joint.counts[0, 0] == 1
    assert joint.counts[1, 1] == 0


def test_rows_are_counted_and_none_is_a_value_of_its_own() -> None:
    joint = Joint.from_rows(["a", "b", None, "a"], [1, "1", 1.0, float("nan")])
    assert joint.sensitive == ("a", "b", None)
    assert joint.public == (1, "1", None)
    assert joint.counts.tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 0]]


def test_merging_adds_columns_and_identity_changes_nothing() -> None:
    joint = Joint.from_counts([[1, 2, 3], [4, 5, 6]], public=["a", "b", "c"])
    assert joint.merge([["c", "a"], ["b"]]).counts.tolist() == [[4, 2], [10, 5]]
    assert joint.through(Channel.identity(joint.public)).counts.tolist() == joint.counts.tolist()


def test_empty_rows_and_columns_are_dropped_and_named() -> None:
    joint = Joint.from_counts([[1, 0, 2], [0, 0, 0], [3, 0, 4]], sensitive=["a", "b", "c"], public=["p", "q", "r"])
    left = joint.drop_empty()
    assert (left.sensitive, left.public) == (("a", "c"), ("p", "r"))
    assert any("'b'" in n for n in left.source.notes)
    assert any("'q'" in n for n in left.source.notes)
    assert left.drop_empty() is left


@given(counts)
def test_round_trips_and_read_only(rows: list[list[int]]) -> None:
    joint = Joint.from_counts(rows)
    for copy in (pickle.loads(pickle.dumps(joint)), Joint.from_dict(json.loads(json.dumps(joint.to_dict())))):
        assert copy.counts.tolist() == rows
        assert (copy.sensitive, copy.public, copy.source) == (joint.sensitive, joint.public, joint.source)
        with pytest.raises(ValueError, match="read-only"):
            copy.counts[0, 0] = 9


def test_the_callers_array_is_not_touched_nor_watched() -> None:
    mine = np.array([[1, 2], [3, 4]])
    joint = Joint.from_counts(mine)
    mine[0, 0] = 99
    assert joint.counts[0, 0] == 1
    assert mine.flags.writeable


@pytest.mark.parametrize(
    "matrix", [[], [[]], [1, 2], [[0, 0]], [[1, -1]], [[0.5]], [[math.nan]], [[1], [1, 2]], [["a"]], [[[1]]]]
)
def test_matrices_that_are_no_counts_are_refused(matrix: list[object]) -> None:
    with pytest.raises(DataError):
        Joint.from_counts(matrix)


@pytest.mark.parametrize("matrix", [[[0.5, 0.4]], [[math.nan, 1]], [[-0.5, 1.5]], [0.5, 0.5], [["a"]]])
def test_matrices_that_are_no_probabilities_are_refused(matrix: list[object]) -> None:
    with pytest.raises(DataError):
        Joint.from_probabilities(matrix)


def test_labels_must_fit() -> None:
    with pytest.raises(DataError, match="1 labels for 2"):
        Joint.from_counts([[1, 2]], public=["a"])
    with pytest.raises(DataError, match="'a' occurs twice"):
        Joint.from_counts([[1, 2]], public=["a", "a"])
    with pytest.raises(DataError, match="not those of the joint"):
        Joint.from_counts([[1, 2]]).through(Channel.identity(["a", "b"]))


def test_notebook_tables_are_escaped() -> None:
    html = Joint.from_counts([[1, 2], [2, 1]], public=["<script>alert(1)</script>", "b"])._repr_html_()
    assert "<script>" not in html
    assert "1.00" in html or "0.6" in html
