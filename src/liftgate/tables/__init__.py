"""The only door for tables: any source becomes a joint of whole-number counts by one group-by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from liftgate.errors import UsageError
from liftgate.joint import Joint
from liftgate.labels import Label
from liftgate.tables.columns import combine, encode
from liftgate.tables.reading import MAX_CELLS, Rules, count_joint
from liftgate.tables.sources import Options, header_names, open_source

__all__ = ["MAX_CELLS", "columns_of", "marginal", "read_joint"]


def read_joint(
    source: Any,
    sensitive: str | Sequence[str],
    public: str | Sequence[str],
    *,
    missing: str = "value",
    missing_tokens: Iterable[str] = (),
    count: str | None = None,
    table: str | None = None,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: str | Sequence[str] | None = None,
    trim: bool = False,
    max_cells: int = MAX_CELLS,
    memory: str | None = None,
    zeros: str = "report",
    progress: Callable[[str], None] | None = None,
    designed: Sequence[Label] = (),
) -> Joint:
    """Count how often each sensitive value occurs with each public value.

    `source` is a path (CSV, TSV, Parquet, Arrow; also a list of paths, a folder, a pattern or an address such as s3://…),
    a pandas or polars frame, an Arrow table or reader, a DuckDB connection (with `table` or `query`) or relation. A column may be binned: ``age:10``,
    ``age@quantiles=5``, ``age@edges=18,30,65``. Several columns make one value, a tuple. ``max_cells`` bounds the number
    of cells, and a side may have a fortieth as many values. ``memory`` ("300MB") bounds the memory of the embedded engine:
    cells that do not fit together are counted in several passes. ``designed`` holds public
    labels of an earlier design, whose quantile bins are used again.
    """
    tokens = (missing_tokens,) if isinstance(missing_tokens, str) else tuple(str(t) for t in missing_tokens)
    rules = Rules(missing, tokens, trim, max_cells, zeros)
    options = Options(table, query, delimiter, encoding, header_names(columns), trim, memory)
    with open_source(source, options) as opened:
        return count_joint(opened, sensitive, public, count, rules, progress or _silent, designed)


def _silent(step: str) -> None:
    """Nobody wants to hear about progress."""


def columns_of(
    source: Any,
    *,
    table: str | None = None,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: str | Sequence[str] | None = None,
    trim: bool = False,
) -> list[str]:
    """The names of the columns of a source, without counting anything."""
    options = Options(table, query, delimiter, encoding, header_names(columns), trim)
    with open_source(source, options) as opened:
        return list(opened.columns)


def marginal(joint: Joint, positions: Sequence[int]) -> Joint:
    """The joint of fewer public columns: the counts of equal values added up, exactly.

    >>> j = Joint.from_counts([[1, 2, 3, 4]], sensitive=["ill"], public=[("F", 1), ("F", 2), ("M", 1), ("M", 2)])
    >>> marginal(j, [0]).public, marginal(j, [0]).counts.tolist()
    (('F', 'M'), [[3, 7]])
    """
    widths = {len(label) if isinstance(label, tuple) else 1 for label in joint.public}
    width, chosen = max(widths), list(positions)
    if len(widths) > 1 or not chosen or len(set(chosen)) < len(chosen) or not all(0 <= p < width for p in chosen):
        raise UsageError("positions", f"{chosen} of {width} public columns", "name each position once, from 0")
    if width == 1:
        return joint
    columns = [encode([label[p] for label in joint.public]) for p in chosen]
    code, labels = combine([c for c, _ in columns], [names for _, names in columns])
    counts = np.zeros((len(labels), len(joint.sensitive)), dtype=joint.counts.dtype)
    np.add.at(counts, code, joint.counts.T)
    was = joint.source
    kept = tuple(was.public[p] for p in chosen) if len(was.public) == width else was.public
    gone = set(was.public) - set(kept)
    told = replace(was, public=kept, missing=tuple((c, n) for c, n in was.missing if c not in gone))
    return Joint(counts.T, joint.sensitive, labels, told)
