"""Labels of values: text, whole number, boolean or missing; several columns make a tuple."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from liftgate.errors import DataError

Label = Any  # str | int | float | bool | None, or a tuple of these
MISSING_TEXT = "(missing)"
JOINED = " · "


def clean_label(value: object) -> Label:
    """A label in its plain form: NumPy scalars unwrapped, NaN is None, whole floats are whole numbers.

    >>> clean_label(np.float64(3.0)), clean_label(float("nan")), clean_label(("a", 2.5))
    (3, None, ('a', 2.5))
    """
    if isinstance(value, (tuple, list)):
        return tuple(clean_label(v) for v in value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if value != value:
            return None
        if value.is_integer():
            return int(value)
    return value


def label_text(label: Label) -> str:
    """A label as people read it.

    >>> label_text(None), label_text(True), label_text(("F", 3))
    ('(missing)', 'true', 'F / 3')
    """
    if isinstance(label, tuple):
        return " / ".join(label_text(v) for v in label)
    if label is None:
        return MISSING_TEXT
    if isinstance(label, bool):
        return "true" if label else "false"
    return str(label)


def label_texts(labels: Sequence[Label]) -> list[str]:
    """Texts of labels, made different from one another where ``1`` and ``"1"`` would look alike."""
    texts = [label_text(v) for v in labels]
    if len(set(texts)) == len(texts):
        return texts
    seen: dict[str, int] = {}
    out = []
    for text, label in zip(texts, labels, strict=True):
        clash = texts.count(text) > 1
        seen[text] = seen.get(text, 0) + 1
        out.append(f"{text} ({type(label).__name__})" if clash else text)
    return out if len(set(out)) == len(out) else [f"{t} #{i}" for i, t in enumerate(texts)]


def joined_label(labels: Sequence[Label]) -> Label:
    """The name of a merged value: its members joined by `` · ``; a single member keeps its own label."""
    if len(labels) == 1:
        return labels[0]
    return JOINED.join(label_text(v) for v in labels)


def sort_key(label: Label) -> tuple[Any, ...]:
    """Order of labels: numbers, then booleans, then text, the missing value last; tuples by their parts."""
    if isinstance(label, tuple):
        return (3, tuple(sort_key(v) for v in label))
    if label is None:
        return (9,)
    if isinstance(label, bool):
        return (1, label)
    if isinstance(label, (int, float)):
        return (0, label)
    return (2, str(label))


def unique_labels(labels: Iterable[object] | None, size: int, place: str) -> tuple[Label, ...]:
    """Labels as a tuple of the right length without repeats; 0..size-1 where none were given."""
    if labels is None:
        return tuple(range(size))
    out = tuple(clean_label(v) for v in labels)
    if len(out) != size:
        raise DataError(place, f"{len(out)} labels for {size} values", "give one label for each value")
    seen: set[tuple[type, Label]] = set()
    for label in out:
        key = (type(label), label)
        if key in seen:
            raise DataError(place, f"the label {label_text(label)!r} occurs twice", "make the labels different")
        seen.add(key)
    return out


def encode_label(label: Label) -> Any:
    """A label for JSON: a tuple becomes a list."""
    return [encode_label(v) for v in label] if isinstance(label, tuple) else label
