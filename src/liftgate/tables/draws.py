"""Where randomness comes from: the operating system for fresh draws, a keyed hash of the row for draws that repeat."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from liftgate.channel import Channel
from liftgate.errors import UsageError

MODES = ("fresh", "keyed")
LEAST_KEY_BYTES = 16
Positions = NDArray[np.int64]


def channel_hash(channel: Channel) -> bytes:
    """SHA-256 of a channel, labels included: two releases share draws only where they share the channel."""
    text = json.dumps(channel.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).digest()


def release_key(key: bytes | str, channel: Channel) -> bytes:
    """The key of one release: HMAC-SHA256(key, channel hash).

    One random number under two channels tells more than two random numbers do, so no two channels share a key.

    >>> a, b = Channel.identity(2), Channel.identity(3)
    >>> release_key(b"0123456789abcdef", a) == release_key(b"0123456789abcdef", b)
    False
    """
    secret = key.encode("utf-8") if isinstance(key, str) else key
    if not isinstance(secret, bytes) or len(secret) < LEAST_KEY_BYTES:
        raise UsageError(
            "key", f"it has fewer than {LEAST_KEY_BYTES} bytes", "use 32 random bytes, such as those of os.urandom(32)"
        )
    return hmac.digest(secret, channel_hash(channel), "sha256")


def keyed_words(key: bytes, ids: Sequence[str]) -> NDArray[np.uint64]:
    """Two 64-bit words for each row: the first 16 bytes of SHA-256(key || id), the key 32 bytes long.

    They depend on the row and on nothing else: not on its place in the table and not on the other rows.

    >>> a = keyed_words(bytes(32), ["x", "y"])
    >>> bool((a[::-1] == keyed_words(bytes(32), ["y", "x"])).all())
    True
    """
    start = hashlib.sha256(key)
    digests = bytearray()
    for row in ids:
        state = start.copy()
        state.update(row.encode("utf-8"))
        digests += state.digest()[:16]
    return np.frombuffer(bytes(digests), dtype=">u8").astype(np.uint64).reshape(-1, 2)


@dataclass(frozen=True)
class Draw:
    """How rows are drawn; the key never shows itself."""

    key: bytes | None = field(default=None, repr=False)

    @property
    def mode(self) -> str:
        """``fresh`` or ``keyed``."""
        return "fresh" if self.key is None else "keyed"

    def through(
        self,
        channels: Sequence[Channel],
        positions: Positions,
        ids: Sequence[str] | None,
        random: Callable[[int], NDArray[np.uint64]] | None = None,
    ) -> Positions:
        """Rows sent through up to two channels one after the other, each with randomness of its own.

        Fresh draws read the operating system, or the words of ``random`` where these were stretched from it.
        """
        words = keyed_words(self.key, ids or ()) if self.key is not None else None
        if words is None and random is not None:
            words = random(len(positions))
        for step, channel in enumerate(channels):
            positions = channel.draw(positions, None if words is None else words[:, step])
        return positions


@dataclass
class Stretched:
    """Fresh words for one task of a cluster: SHAKE-256(seed || partition || call), the seed 32 bytes of the operating system.

    The seed belongs to one release, is made when the release is written and kept nowhere. A task that runs twice (after
    a failure, or because another was slow) makes the same words again, so that a second run tells nothing new.

    >>> bool((Stretched(bytes(32), 3)(5) == Stretched(bytes(32), 3)(5)).all())
    True
    """

    seed: bytes = field(repr=False)
    partition: int
    calls: int = 0

    def __call__(self, rows: int) -> NDArray[np.uint64]:
        """Two words for each row."""
        place = self.partition.to_bytes(8, "big") + self.calls.to_bytes(8, "big")
        self.calls += 1
        stretched = hashlib.shake_256(self.seed + place).digest(16 * rows)
        return np.frombuffer(stretched, dtype=">u8").astype(np.uint64).reshape(-1, 2)


def draw_of(mode: str, key: bytes | str | None, row_id: str | None, channel: Channel) -> Draw:
    """The draw that was asked for: fresh ones take no key, keyed ones need a key and the column of row ids."""
    if mode not in MODES:
        raise UsageError("draw", f"{mode!r} is not known", "use fresh or keyed")
    if mode == "fresh":
        if key is not None or row_id is not None:
            named = "a key" if key is not None else "a column of row ids"
            raise UsageError("draw", f"fresh draws use no key, and {named} was given", 'leave it out, or use "keyed"')
        return Draw()
    if key is None:
        raise UsageError("draw", "keyed draws need a key", "give key=, at least 16 secret bytes")
    if row_id is None:
        raise UsageError("draw", "keyed draws need to tell rows apart", "give id=, a column without repeats")
    return Draw(release_key(key, channel))
