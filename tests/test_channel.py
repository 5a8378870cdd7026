"""Channels: whole shares that add up, exact composition, draws that follow the shares."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgate.channel import Channel, _entries
from liftgate.errors import DataError
from liftgate.exact import SHARE_TOTAL


@st.composite
def share_matrices(draw: st.DrawFn) -> list[list[int]]:
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(st.integers(0, 9), min_size=m, max_size=m).filter(any), min_size=n, max_size=n))
    total = np.lcm.reduce([sum(r) for r in rows])
    return [[int(v * total // sum(r)) for v in r] for r in rows]


def exact_matrix(channel: Channel) -> list[list[Fraction]]:
    out = [[Fraction(0)] * len(channel.released) for _ in channel.public]
    for y, pairs in enumerate(channel.outputs()):
        for x, share in pairs:
            out[x][y] = Fraction(share, channel.total)
    return out


@given(share_matrices(), share_matrices())
def test_composition_is_the_exact_matrix_product(a: list[list[int]], b: list[list[int]]) -> None:
    first = Channel.from_shares(a)
    second = Channel.from_shares((b * 5)[: len(first.released)], public=first.released)
    product = exact_matrix(first.compose(second))
    p, q = exact_matrix(first), exact_matrix(second)
    assert product == [
        [sum((p[i][k] * q[k][j] for k in range(len(q))), Fraction(0)) for j in range(len(q[0]))] for i in range(len(p))
    ]


@given(share_matrices())
def test_round_trips(shares: list[list[int]]) -> None:
    channel = Channel.from_shares(shares)
    for copy in (pickle.loads(pickle.dumps(channel)), Channel.from_dict(json.loads(json.dumps(channel.to_dict())))):
        assert exact_matrix(copy) == exact_matrix(channel)
        assert (copy.public, copy.released, copy.total) == (channel.public, channel.released, channel.total)
        assert not copy.shares.flags.writeable


def test_rows_list_the_shares_in_words_of_the_labels() -> None:
    channel = Channel.from_floats([[0.25, 0.75], [1, 0]], public=["a", None], released=["p", "q"])
    assert channel.rows() == [
        ("a", [("p", SHARE_TOTAL // 4), ("q", SHARE_TOTAL * 3 // 4)]),
        (None, [("p", SHARE_TOTAL)]),
    ]


def test_merges_name_their_blocks_and_are_deterministic() -> None:
    channel = Channel.merge(["a", None, "c", "d"], [["a", None], ["d"], ["c"]])
    assert channel.released == ("a · (missing)", "d", "c")
    assert channel.total == 1
    assert channel.draw([0, 1, 2, 3]).tolist() == [0, 0, 2, 1]


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([["a"]], "'b' is in no block"),
        ([["a", "b"], ["a"]], "two blocks"),
        ([["a", "b", "z"]], "'z' is not a public value"),
    ],
)
def test_blocks_that_are_no_partition_are_refused(blocks: list[list[str]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Channel.merge(["a", "b"], blocks)


@pytest.mark.parametrize("matrix", [[[0.5, 0.4]], [[1.5, -0.5]], [[float("nan"), 1]], [], [[]], [1.0]])
def test_matrices_that_are_no_channel_are_refused(matrix: list[object]) -> None:
    with pytest.raises(DataError):
        Channel.from_floats(matrix)


def test_rows_with_different_totals_are_refused() -> None:
    with pytest.raises(DataError, match="add up to 3, not 2"):
        Channel.from_shares([[1, 1], [1, 2]])


def test_labels_that_repeat_are_refused() -> None:
    with pytest.raises(DataError, match="twice"):
        Channel.identity(["a", "a"])


def test_one_and_true_and_text_one_are_three_labels() -> None:
    assert Channel.identity([1, True, "1", 1.5]).public == (1, True, "1", 1.5)


def test_keyed_words_walk_the_shares_exactly() -> None:
    """With words spread evenly over 2^64, each released value is drawn exactly in its share."""
    channel = Channel.from_shares([[1, 2, 1], [4, 0, 0]])
    words = (np.arange(8, dtype=np.uint64) << np.uint64(61)) + np.uint64(12345)
    assert channel.draw(np.zeros(8, dtype=int), words).tolist() == [0, 0, 1, 1, 1, 1, 2, 2]
    assert set(channel.draw(np.ones(8, dtype=int), words).tolist()) == {0}
    with pytest.raises(DataError, match="one word for each row"):
        channel.draw([0], words)


@pytest.mark.parametrize("shares", [[[1, 2, 5]], [[1, 1, 1]], [[1, 2, 4]]])
def test_fresh_draws_follow_the_shares(shares: list[list[int]]) -> None:
    """Chi-square within 6 standard deviations, for totals that are and are not powers of two; two draws differ."""
    channel = Channel.from_shares(shares)
    n = 60_000
    first, second = channel.draw(np.zeros(n, dtype=int)), channel.draw(np.zeros(n, dtype=int))
    assert not np.array_equal(first, second)
    expected = np.array(shares[0]) / sum(shares[0]) * n
    chi2 = float(((np.bincount(first, minlength=3) - expected) ** 2 / expected).sum())
    assert chi2 < 2 + 6 * 2


def test_keyed_draws_need_a_power_of_two_and_known_positions() -> None:
    channel = Channel.from_shares([[1, 2]])
    with pytest.raises(DataError, match="power of two"):
        channel.draw([0], np.zeros(1, dtype=np.uint64))
    with pytest.raises(DataError, match="outside the channel"):
        channel.draw([1])


def test_notebook_tables_are_escaped() -> None:
    assert "<script>" not in Channel.identity(["<script>"])._repr_html_()


@given(share_matrices(), st.integers(1, 1 << 40))
def test_places_looked_up_by_their_first_bits_are_those_found_by_searching(
    shares: list[list[int]], factor: int
) -> None:
    """Exact at every end of an entry and beside it, whatever the total."""
    ends = np.cumsum(np.array(shares, dtype=object).ravel() * factor).astype(np.int64)
    near = np.concatenate([ends - 2, ends - 1, ends, [0]])
    places = np.random.default_rng(0).integers(0, ends[-1], 1 << 17)
    places[: near.size] = np.clip(near, 0, ends[-1] - 1)
    assert np.array_equal(_entries(ends, places), np.searchsorted(ends, places, side="right"))
