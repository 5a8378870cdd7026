"""Labels: one plain form for every engine, one text for people."""

from __future__ import annotations

import numpy as np
import pytest

from liftgate import labels
from liftgate.errors import DataError


def test_labels_have_one_plain_form() -> None:
    assert [
        labels.clean_label(v) for v in (np.int64(3), 3.0, np.float32(0.5), float("nan"), np.str_("a"), np.bool_(True))
    ] == [3, 3, 0.5, None, "a", True]
    assert labels.clean_label(["a", np.float64("nan")]) == ("a", None)


def test_texts_that_would_look_alike_are_told_apart() -> None:
    assert labels.label_texts([1, "1", "a"]) == ["1 (int)", "1 (str)", "a"]
    assert labels.label_texts([None, "(missing)"]) == ["(missing) (NoneType)", "(missing) (str)"]
    assert labels.label_texts([("a", "b / c"), ("a / b", "c")]) == ["a / b / c #0", "a / b / c #1"]


def test_order_is_numbers_booleans_text_missing() -> None:
    assert sorted([None, "b", True, 2, "a", 1.5], key=labels.sort_key) == [1.5, 2, True, "a", "b", None]
    assert sorted([("b", None), ("b", 1), ("a", 2)], key=labels.sort_key) == [("a", 2), ("b", 1), ("b", None)]


def test_labels_are_counted_and_unique() -> None:
    assert labels.unique_labels(None, 3, "x") == (0, 1, 2)
    with pytest.raises(DataError, match="2 labels for 3"):
        labels.unique_labels(["a", "b"], 3, "x")
    with pytest.raises(DataError, match="occurs twice"):
        labels.unique_labels([3, 3.0], 2, "x")
