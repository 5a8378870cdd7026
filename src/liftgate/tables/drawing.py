"""From batches of rows to batches of released rows: labels, positions, draws; it can be sent to the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.channel import Channel
from liftgate.errors import DataError
from liftgate.labels import Label, label_text
from liftgate.tables.columns import combine
from liftgate.tables.draws import Draw
from liftgate.tables.keys import Key, Words, labelled
from liftgate.tables.outputs import Output

BATCH_ROWS = 122_880  # a row group of the file that is written
SHOWN = 5
Positions = NDArray[np.int64]


@dataclass
class Drawer:
    """Draws for batches whose columns are the keys (public ones first), what is kept, the counts and the row ids.

    ``kept`` has, for each kept column, the labels of its codes or None; ``random`` gives the words of fresh draws where
    they do not come from the operating system of this machine.
    """

    place: str
    named: tuple[str, ...]
    keys: tuple[Key, ...]
    words: Words
    channels: tuple[Channel, ...]
    outputs: tuple[Output, ...]
    draw: Draw
    kept: tuple[list[Label] | None, ...] = ()
    counted: bool = False
    identified: bool = False
    drop_missing: bool = False
    aliases: tuple[tuple[Label, Label], ...] = ()
    random: Callable[[int], NDArray[np.uint64]] | None = None
    rows: int = 0
    written: int = 0
    left_out: int = 0
    unseen: dict[Any, Label] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.at = {_key(v): i for i, v in enumerate(self.channels[0].public)}
        self.at |= {_key(new): self.at[_key(old)] for new, old in self.aliases}

    def batches(self, reader: Iterable[Any], schema: Any) -> Iterator[Any]:
        """The released rows, batch by batch; values that the channel does not know are refused at the end, all of them."""
        for batch in reader:
            self.rows += batch.num_rows
            positions, rows = self.positions(batch)
            if self.unseen:
                continue
            if rows is not None:
                self.left_out += batch.num_rows - len(rows)
            yield from self._drawn(batch, positions, rows, schema)
        self.all_seen()

    def positions(self, batch: Any) -> tuple[Positions, Positions | None]:
        """The channel's position of each row, and which rows to draw where some are left out."""
        wide = len(self.named)
        found = [self._labelled(batch.column(n), key) for n, key in enumerate(self.keys)]
        codes, labels = combine([f[0] for f in found[:wide]], [f[1] for f in found[:wide]])
        rows = None
        if self.drop_missing:
            lost = np.zeros(batch.num_rows, dtype=bool)
            for code, names in found:
                lost |= code == names.index(None) if None in names else False
            if lost.any():
                rows = np.flatnonzero(~lost)
        return self._places(labels, codes if rows is None else codes[rows])[codes], rows

    def _labelled(self, column: Any, key: Key) -> tuple[Positions, list[Label]]:
        """A code for each row of a column, and the labels in order."""
        import pyarrow.compute as pc

        coded = pc.dictionary_encode(column, null_encoding="encode")
        rank, labels, _ = labelled(coded.dictionary.to_pylist(), key, self.words)
        return rank[coded.indices.to_numpy()], labels

    def _places(self, labels: Sequence[Label], codes: Positions) -> Positions:
        """The channel's position of each label; labels that it does not have are remembered."""
        used = np.zeros(len(labels), dtype=bool)
        used[codes] = True
        place = np.zeros(len(labels), dtype=np.int64)
        for i in np.flatnonzero(used).tolist():
            key = _key(labels[i])
            if key in self.at:
                place[i] = self.at[key]
            else:
                self.unseen.setdefault(key, labels[i])
        return place

    def _drawn(self, batch: Any, positions: Positions, rows: Positions | None, schema: Any) -> Iterator[Any]:
        import pyarrow as pa

        width = len(self.keys)
        for take in self._pieces(batch, rows):
            at = positions if take is None else positions[take]
            columns = (
                list(batch.columns)[width:] if take is None else [c.take(pa.array(take)) for c in batch.columns[width:]]
            )
            ids = columns[-1].to_pylist() if self.identified else None
            y = self.draw.through(self.channels, at, ids, self.random)
            arrays = [output.array(y) for output in self.outputs]
            arrays += [_decoded(column, labels) for column, labels in zip(columns, self.kept, strict=False)]
            self.written += len(at)
            yield pa.record_batch(arrays, schema=schema)

    def _pieces(self, batch: Any, rows: Positions | None) -> Iterator[Positions | None]:
        """Which rows to draw; a row of a counted table stands for as many people, a bounded number at a time."""
        if not self.counted:
            yield rows
            return
        people = batch.column(len(self.keys) + len(self.kept)).to_numpy().astype(np.int64)
        rows = np.arange(batch.num_rows) if rows is None else rows
        ends = np.cumsum(people[rows])
        for start in range(0, int(ends[-1]) if ends.size else 0, BATCH_ROWS):
            one = np.arange(start, min(start + BATCH_ROWS, int(ends[-1])))
            yield rows[np.searchsorted(ends, one, side="right")]

    def all_seen(self) -> None:
        """Refuse values that the channel does not know."""
        if not self.unseen:
            return
        named = ", ".join(repr(name) for name in self.named)
        shown = ", ".join(repr(label_text(v)) for v in list(self.unseen.values())[:SHOWN])
        number = len(self.unseen)
        raise DataError(
            f"{self.place}, column{'s' * (len(self.named) > 1)} {named}",
            f"{number:,} value{'s' * (number > 1)} {'were' if number > 1 else 'was'} not seen at design time: "
            f"{shown}{', …' if number > SHOWN else ''}",
            "design the release on a table that has them, or leave these rows out",
        )


def _decoded(column: Any, labels: list[Label] | None) -> Any:
    """A kept column as it was: the texts of a column that holds codes."""
    import pyarrow as pa

    if labels is None:
        return column
    texts = pa.array([None if v is None else label_text(v) for v in labels], pa.string())
    return texts.take(column)


def _key(label: Label) -> Any:
    """A label that tells 1, True and "1" apart."""
    if isinstance(label, tuple):
        return tuple((type(v), v) for v in label)
    return (type(label), label)
