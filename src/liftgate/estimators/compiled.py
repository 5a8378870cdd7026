"""Compiled loops: rows through trees."""

from __future__ import annotations

from typing import Any

from liftgate.compiled import compiled


@compiled(
    "void(f8[:,::1], i8[::1], i4[::1], f8[::1], i4[::1], i4[::1], u1[::1], i4[::1], f8[::1], u4[:,::1], f8[:,::1])"
)
def add_trees(
    x: Any, roots: Any, feature: Any, threshold: Any, left: Any, right: Any, missing_left: Any, category: Any,
    value: Any, sets: Any, out: Any,
) -> None:  # fmt: skip
    """Add every tree to its output, a few hundred rows at a time so that they stay in the cache."""
    rows, outputs = out.shape
    for start in range(0, rows, 512):
        stop = min(start + 512, rows)
        for t in range(roots.size):
            root, k = roots[t], t % outputs
            for i in range(start, stop):
                node = root
                f = feature[node]
                while f >= 0:
                    v = x[i, f]
                    if v != v:
                        go = missing_left[node] != 0
                    elif category[node] >= 0:
                        c = int(v)
                        go = 0 <= c < 256 and (sets[category[node], c >> 5] >> (c & 31)) & 1 != 0
                    else:
                        go = v <= threshold[node]
                    node = left[node] if go else right[node]
                    f = feature[node]
                out[i, k] += value[node]
