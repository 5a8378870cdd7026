"""The bins of a design as they were found: quantiles of the first table are edges for every later one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from liftgate.labels import Label
from liftgate.tables.columns import NUMBER, Binning, Spec

_RANGE = re.compile(rf"\[({NUMBER}), ({NUMBER})[\])]")


def resolved(specs: Sequence[Spec], labels: Sequence[Label]) -> tuple[Spec, ...]:
    """Columns whose quantiles are replaced by the edges that the labels of the design show.

    >>> found = resolved([Spec("age@quantiles=2", "age", 0, Binning("quantiles", (Decimal(2),)))], ["[1, 5)", "[5, 9]"])
    >>> found[0].binning
    Binning(kind='closed', numbers=(Decimal('1'), Decimal('5'), Decimal('9')))
    """
    return tuple(_resolved(spec, n, len(specs), labels) for n, spec in enumerate(specs))


def _resolved(spec: Spec, place: int, width: int, labels: Sequence[Label]) -> Spec:
    if spec.binning is None or spec.binning.kind != "quantiles":
        return spec
    edges: set[Decimal] = set()
    for label in labels:
        text = label[place] if width > 1 and isinstance(label, tuple) else label
        if isinstance(text, str) and (found := _RANGE.fullmatch(text)):
            edges |= {Decimal(found[1]), Decimal(found[2])}
    return replace(spec, binning=Binning("closed", tuple(sorted(edges)))) if edges else spec


def base_names(text: str) -> set[str]:
    """The column names that a text such as ``age:10`` may mean.

    >>> sorted(base_names("age:10"))
    ['age', 'age:10']
    """
    return {text, *(text.rpartition(mark)[0] for mark in "@:" if mark in text)}
