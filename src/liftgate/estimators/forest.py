"""Gradient-boosted trees as plain arrays: the same scores as the library that grew them, from a file without pickle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Forest:
    """All nodes of all trees one after the other; tree t starts at ``roots[t]`` and adds to the output ``t % outputs``.

    A node sends a row left where its value is at most ``threshold``, where its category is in ``sets``, or where it
    is missing and ``missing_left``; ``feature`` is -1 in a leaf.
    """

    base: Floats
    roots: Ints
    feature: NDArray[np.int32]
    threshold: Floats
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.uint8]
    category: NDArray[np.int32]
    value: Floats
    sets: NDArray[np.uint32]

    def raw(self, x: Floats, trees: int | None = None) -> Floats:
        """The sum of the trees, rows x outputs; with ``trees`` only of the first ones."""
        out = np.repeat(self.base[None, :], len(x), axis=0)
        roots = self.roots if trees is None else self.roots[:trees]
        if len(x) and roots.size:
            from liftgate.estimators.compiled import add_trees

            nodes = (roots, self.feature, self.threshold, self.left, self.right, self.missing_left, self.category)
            writable = [np.require(a, requirements=["C", "W"]) for a in (x, *nodes, self.value, self.sets)]
            add_trees(*writable, out)
        return out

    def first(self, trees: int) -> Forest:
        """Only the first trees."""
        end = int(self.roots[trees]) if trees < self.roots.size else self.feature.size
        cut = slice(0, end)
        return Forest(
            self.base, self.roots[:trees], self.feature[cut], self.threshold[cut], self.left[cut], self.right[cut],
            self.missing_left[cut], self.category[cut], self.value[cut], self.sets,
        )  # fmt: skip

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file keeps."""
        return dict(vars(self))

    @classmethod
    def of(cls, fitted: Any) -> Forest:
        """The trees that scikit-learn's HistGradientBoostingClassifier grew."""
        trees = [tree for stage in fitted._predictors for tree in stage]
        nodes = [tree.nodes for tree in trees]
        starts = np.cumsum([0, *(len(n) for n in nodes)])
        flat = np.concatenate(nodes)
        offset = np.repeat(starts[:-1], [len(n) for n in nodes])
        sets = [tree.raw_left_cat_bitsets.reshape(-1, 8) for tree in trees]
        first_set = np.repeat(np.cumsum([0, *(len(b) for b in sets)])[:-1], [len(n) for n in nodes])
        leaf = flat["is_leaf"].astype(bool)
        categorical = flat["is_categorical"].astype(bool) & ~leaf
        return cls(
            base=np.asarray(fitted._baseline_prediction, dtype=np.float64).ravel(),
            roots=starts[:-1].astype(np.int64),
            feature=np.where(leaf, -1, flat["feature_idx"]).astype(np.int32),
            threshold=flat["num_threshold"].astype(np.float64),
            left=np.where(leaf, 0, flat["left"] + offset).astype(np.int32),
            right=np.where(leaf, 0, flat["right"] + offset).astype(np.int32),
            missing_left=flat["missing_go_to_left"].astype(np.uint8),
            category=np.where(categorical, flat["bitset_idx"] + first_set, -1).astype(np.int32),
            value=flat["value"].astype(np.float64),
            sets=np.ascontiguousarray(np.concatenate(sets)).astype(np.uint32),
        )
