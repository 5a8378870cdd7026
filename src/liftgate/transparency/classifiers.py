"""Decision rules read off a model: a fitted classifier on a table, or a small tree that imitates a black box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError, UsageError
from liftgate.labels import sort_key
from liftgate.transparency.grouping import FloatArray
from liftgate.transparency.rules import DecisionRules
from liftgate.transparency.sources import columns_of, one_label


@dataclass(frozen=True, eq=False)
class Surrogate:
    """Rules of a small tree that imitates a black box, and how faithful it is on the people of the table.

    ``agreement`` is the share of people for whom both say the same most likely outcome, ``mean_gap`` the mean
    distance of the two chances of the positive outcome; ``text`` is the tree as a rule list.
    """

    rules: DecisionRules
    agreement: float
    mean_gap: float
    leaves: int
    text: str


def rules_from_classifier(
    model: Any,
    table: Any,
    group: str | Sequence[str],
    private: str | Sequence[str],
    features: Any = None,
    outcomes: Sequence[Any] | None = None,
) -> DecisionRules:
    """Rules of a fitted scikit-learn classifier with ``predict_proba``: its mean chances for each group and private value.

    ``features`` is what the model was fitted on, row by row (default: the table itself). The last class is positive.
    """
    if not hasattr(model, "predict_proba"):
        raise UsageError(
            "model", f"a {type(model).__name__} has no predict_proba", "fit a classifier with probabilities"
        )
    chances = np.asarray(model.predict_proba(table if features is None else features), dtype=np.float64)
    names = outcomes if outcomes is not None else [_plain(v) for v in getattr(model, "classes_", [])] or None
    return rules_from_chances(chances, table, group, private, names, "classifier")


def rules_from_chances(
    chances: NDArray[Any],
    table: Any,
    group: str | Sequence[str],
    private: str | Sequence[str],
    outcomes: Sequence[Any] | None = None,
    source: str = "chances",
) -> DecisionRules:
    """Rules from one line of chances per person: the mean over the people of each group and private value."""
    columns = columns_of(table)
    group_of = one_label(columns, group)
    names = [private] if isinstance(private, str) else list(private)
    hidden = [one_label(columns, name) for name in names]
    shown = np.asarray(chances, dtype=np.float64)
    if shown.ndim != 2 or shown.shape[0] != len(group_of) or shown.shape[1] < 2:
        raise DataError(
            "chances", f"shape {shown.shape} for {len(group_of)} rows", "give every outcome's chance for each row"
        )
    cells: dict[tuple[Any, ...], list[int]] = {}
    for i, key in enumerate(zip(group_of, *hidden, strict=True)):
        cells.setdefault(key, []).append(i)
    ordered = sorted(cells, key=lambda key: tuple(sort_key(v) for v in key))
    mean = np.array([shown[cells[key]].mean(axis=0) for key in ordered])
    mean = np.clip(mean / mean.sum(axis=1, keepdims=True), 0, 1)
    people = np.array([len(cells[key]) for key in ordered])
    labels = {name: _objects([key[1 + j] for key in ordered]) for j, name in enumerate(names)}
    rule = mean[:, 1] if shown.shape[1] == 2 else mean
    return DecisionRules.from_arrays(people, rule, _objects([key[0] for key in ordered]), labels, outcomes, source)


def surrogate(
    black_box: Callable[[Any], Any],
    features: Any,
    table: Any,
    group: str | Sequence[str],
    private: str | Sequence[str],
    depth: int = 3,
    feature_names: Sequence[str] | None = None,
    seed: int = 0,
) -> Surrogate:
    """A shallow tree fitted to what a black box says (its chances of the positive outcome), its rules and its fidelity."""
    from sklearn.tree import DecisionTreeRegressor, export_text

    said = np.asarray(black_box(features), dtype=np.float64)
    said = said[:, -1] if said.ndim == 2 else said
    if said.ndim != 1 or said.size == 0 or not np.isfinite(said).all() or said.min() < 0 or said.max() > 1:
        raise DataError(
            "black box", "not one chance between 0 and 1 for each row", "give the chance of the positive outcome"
        )
    numbers = np.asarray(features, dtype=np.float64)
    tree = DecisionTreeRegressor(max_depth=depth, random_state=seed).fit(numbers, said)
    imitated: FloatArray = np.clip(tree.predict(numbers), 0, 1)
    rules = rules_from_chances(np.stack([1 - imitated, imitated], 1), table, group, private, None, "surrogate")
    return Surrogate(
        rules,
        float(((imitated >= 0.5) == (said >= 0.5)).mean()),
        float(np.abs(imitated - said).mean()),
        int(tree.get_n_leaves()),
        export_text(tree, feature_names=None if feature_names is None else list(feature_names)),
    )


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _objects(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
