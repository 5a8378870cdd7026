"""Draws: fresh ones come from the operating system, keyed ones depend on the key, the channel and the row alone."""

from __future__ import annotations

import hashlib
import hmac
import json

import numpy as np
import pytest

from liftgate.channel import Channel
from liftgate.errors import UsageError
from liftgate.tables.draws import draw_of, keyed_words, release_key

KEY = b"0123456789abcdef0123456789abcdef"
HALF = Channel.from_floats([[0.5, 0.5], [0.25, 0.75]], ["a", "b"], ["a", "b"])


def test_the_key_of_a_release_is_the_hmac_of_the_channel_hash() -> None:
    """HMAC-SHA256(key, SHA-256 of the channel): another channel, or other labels, have another key."""
    text = json.dumps(HALF.to_dict(), sort_keys=True, separators=(",", ":"))
    expected = hmac.new(KEY, hashlib.sha256(text.encode()).digest(), "sha256").digest()
    assert release_key(KEY, HALF) == expected
    renamed = Channel.from_floats([[0.5, 0.5], [0.25, 0.75]], ["a", "c"], ["a", "c"])
    moved = Channel.from_floats([[0.5, 0.5], [0.2, 0.8]], ["a", "b"], ["a", "b"])
    assert len({release_key(KEY, c) for c in (HALF, renamed, moved)}) == 3
    assert release_key(KEY.decode(), HALF) == expected


def test_keyed_words_are_the_sha256_of_key_and_row_id() -> None:
    """The first two 64-bit words of SHA-256(key || id), which any engine can compute."""
    key = release_key(KEY, HALF)
    words = keyed_words(key, ["7", "é"])
    for row, text in enumerate(("7", "é")):
        digest = hashlib.sha256(key + text.encode()).digest()
        assert words[row].tolist() == [int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big")]


def test_keyed_draws_repeat_whatever_the_order_of_rows() -> None:
    """A row keeps its value when rows are shuffled, left out or added."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2, 4000)
    ids = [str(i) for i in range(4000)]
    draw = draw_of("keyed", KEY, "id", HALF)
    first = draw.through([HALF], x, ids)
    order = rng.permutation(4000)[:3000]
    again = draw.through([HALF], x[order], [ids[i] for i in order])
    assert np.array_equal(again, first[order])
    other = draw_of("keyed", KEY[::-1], "id", HALF).through([HALF], x, ids)
    assert 0.3 < np.mean(other != first) < 0.7


def test_the_two_steps_of_a_keyed_draw_do_not_share_their_randomness() -> None:
    """Rendering a member uses a word of its own: its draws are unrelated to those of the release."""
    ids = [str(i) for i in range(20_000)]
    fair = Channel.from_floats([[0.5, 0.5]] * 2, ["a", "b"], ["a", "b"])
    draw = draw_of("keyed", KEY, "id", fair)
    x = np.zeros(len(ids), dtype=np.int64)
    one, two = draw.through([fair], x, ids), draw.through([fair, fair], x, ids)
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.03


def test_fresh_draws_differ_and_come_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two fresh draws differ; without the system's entropy there is none."""
    draw = draw_of("fresh", None, None, HALF)
    x = np.zeros(2000, dtype=np.int64)
    assert 0.4 < np.mean(draw.through([HALF], x, None) != draw.through([HALF], x, None)) < 0.6

    def no_entropy(size: int) -> bytes:
        raise OSError("no entropy")

    monkeypatch.setattr("os.urandom", no_entropy)
    with pytest.raises(OSError, match="no entropy"):
        draw.through([HALF], x, None)


def chi_square(channel: Channel, x: np.ndarray, y: np.ndarray) -> tuple[float, int]:
    """Pearson's statistic of draws against the whole shares, and its degrees of freedom."""
    statistic, freedom = 0.0, 0
    for i in range(len(channel.public)):
        expected = channel.matrix[i] * np.sum(x == i)
        seen = np.bincount(y[x == i], minlength=len(channel.released))
        assert seen[expected == 0].sum() == 0
        kept = expected > 0
        statistic += float(((seen[kept] - expected[kept]) ** 2 / expected[kept]).sum())
        freedom += int(kept.sum()) - 1
    return statistic, freedom


def check_draws(mode: str, rows: int, most: float = 5) -> None:
    """Draws of a channel of 15 x 15 follow its shares: |chi-square - dof| stays below `most` standard deviations."""
    rng = np.random.default_rng(3)
    matrix = rng.random((15, 15)) * (rng.random((15, 15)) < 0.4) + np.eye(15)
    channel = Channel.from_floats(matrix / matrix.sum(axis=1, keepdims=True))
    x = rng.integers(0, 15, rows)
    draw = draw_of(mode, KEY if mode == "keyed" else None, "id" if mode == "keyed" else None, channel)
    y = np.concatenate(
        [
            draw.through([channel], part, [str(int(i)) for i in at] if mode == "keyed" else None)
            for part, at in zip(np.array_split(x, 20), np.array_split(np.arange(rows), 20), strict=True)
        ]
    )
    statistic, freedom = chi_square(channel, x, y)
    assert freedom > 50
    assert abs(statistic - freedom) < most * (2 * freedom) ** 0.5, statistic / freedom


@pytest.mark.parametrize("mode", ["fresh", "keyed"])
def test_draws_follow_the_shares(mode: str) -> None:
    """2e5 draws are what the channel says."""
    check_draws(mode, 200_000)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["fresh", "keyed"])
def test_ten_million_draws_follow_the_shares(mode: str) -> None:
    """1e7 draws are what the channel says."""
    check_draws(mode, 10_000_000, 4)


@pytest.mark.parametrize(
    ("mode", "key", "row_id", "told"),
    [
        ("random", None, None, "'random' is not known"),
        ("fresh", KEY, None, "fresh draws use no key, and a key was given"),
        ("fresh", None, "id", "a column of row ids was given"),
        ("keyed", None, "id", "keyed draws need a key"),
        ("keyed", KEY, None, "keyed draws need to tell rows apart"),
        ("keyed", b"short", "id", "fewer than 16 bytes"),
        ("keyed", 12345678901234567890, "id", "fewer than 16 bytes"),
    ],
)
def test_impossible_draws_are_refused(mode: str, key: bytes | None, row_id: str | None, told: str) -> None:
    """What is missing or too much is named."""
    with pytest.raises(UsageError, match=told):
        draw_of(mode, key, row_id, HALF)


def test_a_key_never_shows_itself() -> None:
    """Neither the key nor that of the release is in the text of the draw."""
    draw = draw_of("keyed", KEY, "id", HALF)
    assert KEY.decode() not in repr(draw)
    assert str(draw.key) not in repr(draw)
    assert draw.mode == "keyed"
