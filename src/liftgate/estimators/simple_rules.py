"""Flagged rows in a few words: the shortest rules that a shallow tree finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.estimators.rows import Column, Rows
from liftgate.labels import label_text

Floats = NDArray[np.float64]
DEPTH = 3
LEAST_SHARE = 0.6


@dataclass(frozen=True)
class Rule:
    """A rule, how many rows it covers, how many of them are flagged, and its share of all flagged rows."""

    text: str
    conditions: int
    rows: int
    flagged: int
    share_of_flagged: float


def shortest_rules(rows: Rows, flagged: NDArray[np.bool_], seed: int = 0, most: int = 5) -> tuple[Rule, ...]:
    """Leaves of a tree of depth 3 where most rows are flagged, largest first; fewer conditions win among equals.

    Described are the rows that were scored, nothing else: a rule is no forecast.
    """
    if not flagged.any() or flagged.all():
        return ()
    from sklearn.tree import DecisionTreeClassifier

    read = [_readable(c, flagged) for c in rows.columns]
    x = np.column_stack([values for values, _ in read])
    leaf = max(5, int(0.02 * flagged.sum()))
    grown = DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=leaf, random_state=seed).fit(x, flagged)
    found = []
    for path, node in _leaves(grown.tree_):
        bounds = _bounds(path)
        covered = np.ones(len(rows), dtype=np.bool_)
        for j, (low, up) in bounds.items():
            covered &= (x[:, j] > low) & (x[:, j] <= up)
        size, hits = int(covered.sum()), int(flagged[covered].sum())
        assert size == int(grown.tree_.n_node_samples[node])
        if size and hits >= LEAST_SHARE * size:
            words = [_words(rows.columns[j], read[j][1], low, up) for j, (low, up) in bounds.items()]
            found.append(Rule(" and ".join(words) or "every row", len(words), size, hits, hits / int(flagged.sum())))
    return tuple(sorted(found, key=lambda r: (-r.flagged, r.conditions))[:most])


def _readable(column: Column, flagged: NDArray[np.bool_]) -> tuple[Floats, list[int]]:
    """A column as numbers: categories by their share of flagged rows, missing entries below everything."""
    if column.kind == "number":
        known = column.values[~column.missing]
        least = float(known.min()) if known.size else 0.0
        return np.where(column.missing, least - max(1.0, abs(least)), column.values), []
    codes = np.where(column.missing, len(column.labels), column.values)
    size = np.bincount(codes, minlength=len(column.labels) + 1)
    hits = np.bincount(codes, weights=flagged, minlength=len(column.labels) + 1)
    order = np.argsort(hits / np.maximum(size, 1), kind="stable")
    rank = np.empty(order.size)
    rank[order] = np.arange(order.size)
    return rank[codes], [int(k) for k in order if size[k]]


def _leaves(tree: Any) -> list[tuple[list[tuple[int, float, bool]], int]]:
    out: list[tuple[list[tuple[int, float, bool]], int]] = []
    stack: list[tuple[int, list[tuple[int, float, bool]]]] = [(0, [])]
    while stack:
        node, path = stack.pop()
        if tree.children_left[node] < 0:
            out.append((path, node))
            continue
        j, cut = int(tree.feature[node]), float(tree.threshold[node])
        stack.append((int(tree.children_left[node]), [*path, (j, cut, True)]))
        stack.append((int(tree.children_right[node]), [*path, (j, cut, False)]))
    return out


def _bounds(path: list[tuple[int, float, bool]]) -> dict[int, tuple[float, float]]:
    bounds: dict[int, tuple[float, float]] = {}
    for j, cut, left in path:
        low, up = bounds.get(j, (-np.inf, np.inf))
        bounds[j] = (low, min(up, cut)) if left else (max(low, cut), up)
    return bounds


def _words(column: Column, order: list[int], low: float, up: float) -> str:
    if column.kind == "category":
        ranks = {code: k for k, code in enumerate(order)}
        first = len(column.labels) + 1 - len(order)  # values that never occur come first in the order
        names = [code for code in order if low < ranks[code] + first <= up]
        texts = sorted(label_text(column.labels[c]) if c < len(column.labels) else "(missing)" for c in names)
        return f"{column.name} is {' or '.join(texts)}" if texts else f"{column.name} is none of its values"
    known = column.values[~column.missing]
    inside = known[(known > low) & (known <= up)]
    gone = bool(column.missing.any()) and low == -np.inf
    if inside.size == 0:
        return f"{column.name} is missing"
    parts = []
    if low > -np.inf and inside.min() > known.min():
        parts.append(f"at least {inside.min():g}")
    if up < np.inf:
        parts.append(f"at most {inside.max():g}")
    text = f"{column.name} is {' and '.join(parts)}" if parts else f"{column.name} is known"
    return f"{text} or missing" if gone else text
