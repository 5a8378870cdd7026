"""Released values as columns: text, numbers or booleans as the labels are, one column for each public one if they allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.labels import Label, label_texts


@dataclass(frozen=True)
class Output:
    """One released column: its name, its Arrow type and the value of every released position."""

    name: str
    kind: Any
    values: Any

    def array(self, positions: NDArray[np.int64]) -> Any:
        """The column of rows with these released positions."""
        import pyarrow as pa

        if pa.types.is_dictionary(self.kind):
            return pa.DictionaryArray.from_arrays(pa.array(positions.astype(np.int32)), self.values)
        return self.values.take(pa.array(positions))


def outputs_of(labels: Sequence[Label], names: Sequence[str]) -> list[Output]:
    """The columns of a release. Several public columns stay apart while every released value has a part for each;
    where values were merged across them they become one text column, named ``a / b``.

    >>> [o.name for o in outputs_of([("F", 1), ("M", 2)], ["sex", "age"])]
    ['sex', 'age']
    >>> [o.name for o in outputs_of(["F / 1 · M / 2", ("M", 3)], ["sex", "age"])]
    ['sex / age']
    """
    columns = released_columns(labels, len(names))
    return [_output(name, column) for name, column in zip(released_names(labels, names), columns, strict=True)]


def released_columns(labels: Sequence[Label], width: int) -> list[list[Label]]:
    """The values of each released column, one for every released position; what is of several types becomes text."""
    apart = width > 1 and _apart(labels, width)
    return [_of_one_type([v[n] for v in labels] if apart else list(labels)) for n in range(width if apart else 1)]


def _of_one_type(labels: list[Label]) -> list[Label]:
    kinds = {type(v) for v in labels if v is not None}
    if (len(kinds) < 2 and tuple not in kinds) or kinds == {int, float}:
        return labels
    different = {(type(v), v): v for v in labels}
    texts = dict(zip(different, label_texts(list(different.values())), strict=True))
    return [None if v is None else texts[type(v), v] for v in labels]


def released_names(labels: Sequence[Label], names: Sequence[str]) -> tuple[str, ...]:
    """The names of the released columns."""
    return tuple(names) if len(names) > 1 and _apart(labels, len(names)) else (" / ".join(names),)


def _apart(labels: Sequence[Label], width: int) -> bool:
    return all(isinstance(v, tuple) and len(v) == width for v in labels)


def _output(name: str, labels: Sequence[Label]) -> Output:
    import pyarrow as pa

    kinds = {type(v) for v in labels if v is not None}
    if kinds == {bool}:
        return Output(name, pa.bool_(), pa.array(labels, pa.bool_()))
    if kinds == {int} and all(v is None or abs(v) < 1 << 63 for v in labels):
        return Output(name, pa.int64(), pa.array(labels, pa.int64()))
    if kinds in ({float}, {int, float}):
        numbers = [None if v is None else float(v) for v in labels]
        return Output(name, pa.float64(), pa.array(numbers, pa.float64()))
    texts = [None if v is None else str(v) for v in labels]
    return Output(name, pa.dictionary(pa.int32(), pa.string()), pa.array(texts, pa.string()))
