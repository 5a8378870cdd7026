"""Rows: scoring with trees beside the library that grew them, and the memory of scoring in batches."""

from __future__ import annotations

from benchmarks.measuring import Record, fresh, record

SCORE = """
import os
import numpy as np
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
import resource
from sklearn.ensemble import HistGradientBoostingClassifier
from liftgate.estimators.crossfit import BATCH, Fitted
from liftgate.estimators.forest import Forest
from liftgate.estimators.rows import Rows
from liftgate.estimators.scale import log_softmax
from liftgate.estimators.trees import Trees
rng = np.random.default_rng(0)
x = rng.normal(size=(20_000, 20))
s = (x[:, :3].sum(axis=1) + rng.normal(size=20_000) > 0).astype(int) + (x[:, 3] > 1)
grown = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=15, early_stopping=False).fit(x, s)
trees = Trees(Forest.of(grown), (None,) * 20, 3, 1.0, 0.0)
model = Fitted("trees", (trees,), np.bincount(s) / s.size)
big = rng.normal(size=(given["rows"], 20))
rows = Rows.from_matrix(big)
assert np.allclose(log_softmax(trees.scores(rows.take(slice(0, 500)))), np.log(grown.predict_proba(big[:500])), atol=1e-9)
model.log_lift(rows.take(slice(0, 500)))
least = {"theirs": float("inf"), "ours": float("inf")}
for _ in range(given["times"]):
    for name, work in (("theirs", lambda: grown.predict(big)), ("ours", lambda: model.log_lift(rows))):
        start = time.process_time()
        work()
        least[name] = min(least[name], time.process_time() - start)
import tracemalloc
tracemalloc.start()
out = model.log_lift(rows)
held, most = tracemalloc.get_traced_memory()
batch = BATCH * 20 * 8
tell([least["ours"], least["theirs"], (most - out.nbytes) / batch])
"""


def run(quick: bool) -> list[Record]:
    """Scoring 1e6 rows x 20 columns, one core."""
    rows = 200_000 if quick else 1_000_000
    ours, theirs, memory = fresh(SCORE, {"rows": rows, "times": 2 if quick else 3})
    what = f"{rows:,} rows x 20 columns scored with trees"
    return [
        record(what, "CPU time", ours / theirs, "scikit-learn's own predict on the same trees", limit=1.5),
        record(what, "memory beside the answer", memory, "one batch of rows", limit=2.0),
    ]
