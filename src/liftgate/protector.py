"""LiftProtector: a release inside a budget as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from liftgate.budget import Budget
from liftgate.errors import DataError, UsageError
from liftgate.jobs.protect import Release, protect
from liftgate.joint import Joint, Source
from liftgate.labels import Label, label_text
from liftgate.tables.columns import combine, encode, typed_label
from liftgate.tables.draws import draw_of
from liftgate.tables.outputs import released_columns, released_names

Column = str | int
SHOWN = 5


class LiftProtector(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns a release of the public columns inside a budget, and draws released values for rows, also new ones.

    ``sensitive`` and ``public`` name columns (or give positions). Without ``sensitive`` the ``y`` of ``fit`` is the
    sensitive side; without ``public`` every other column is public. ``transform`` returns the released columns and
    those that ``keep`` names, and nothing else. Draws are fresh, or repeat by ``key`` and the column ``id``.

    >>> X = np.array([["a"], ["a"], ["a"], ["b"], ["b"], ["b"]])
    >>> y = ["ill", "ill", "well", "ill", "well", "well"]
    >>> LiftProtector(budget="lip:0.1", mechanism="merge-best").fit(X, y).transform(X[:2]).tolist()
    [['a · b'], ['a · b']]
    """

    def __init__(
        self,
        sensitive: Column | Sequence[Column] | None = None,
        public: Column | Sequence[Column] | None = None,
        budget: Budget | str = "alip:1,1",
        mechanism: str = "auto",
        gap: float = 1e-6,
        seconds: float = 60,
        keep: Column | Sequence[Column] = (),
        draw: str = "fresh",
        key: bytes | str | None = None,
        id: Column | None = None,
    ) -> None:
        self.sensitive = sensitive
        self.public = public
        self.budget = budget
        self.mechanism = mechanism
        self.gap = gap
        self.seconds = seconds
        self.keep = keep
        self.draw = draw
        self.key = key
        self.id = id

    def fit(self, X: Any, y: Any = None) -> LiftProtector:
        """Count the rows and design the release; ``release_`` holds it, certificate included."""
        rows = validate_data(self, X, dtype=None, ensure_all_finite=False)
        hidden = self._positions(self.sensitive, "sensitive")
        if self.sensitive is None:
            if y is None:
                raise ValueError("This LiftProtector estimator requires y to be passed, but the target y is None: "
                                 "y, or columns named by sensitive=, hold the sensitive values.")  # fmt: skip
            s_columns: list[Any] = [column_or_1d(y, warn=True)]
            s_names: tuple[str, ...] = ("y",)
        else:
            s_columns, s_names = [rows[:, i] for i in hidden], self._names(hidden)
        self._row_id = None if self.id is None else self._positions(self.id, "id")[0]
        apart = {*hidden, *(() if self._row_id is None else (self._row_id,))}
        shown = self._positions(self.public, "public")
        if self.public is None:
            shown = [
                i for i in range(self.n_features_in_) if i not in apart and i not in self._positions(self.keep, "keep")
            ]
        self._kept = self._positions(self.keep, "keep")
        for one, other, words in ((shown, hidden, "sensitive and public"), (self._kept, hidden, "sensitive and kept"),
                                  (self._kept, shown, "public and kept as it is")):  # fmt: skip
            if both := set(one) & set(other):
                named = self._names([min(both)])[0]
                raise UsageError(f"LiftProtector, column {named!r}", f"it is {words}", "name it on one side only")
        if not shown:
            raise UsageError("LiftProtector, public", "no column is left to release", "name at least one column")
        self._shown = shown
        s_codes, s_labels = _coded(s_columns)
        x_codes, x_labels = _coded([rows[:, i] for i in shown])
        counts = np.zeros((len(s_labels), len(x_labels)), dtype=np.int64)
        np.add.at(counts, (s_codes, x_codes), 1)
        source = Source(type(X).__name__, s_names, self._names(shown), rows=len(rows))
        self.release_: Release = protect(
            Joint(counts, s_labels, x_labels, source), self.budget, self.mechanism, self.gap, self.seconds
        )
        self._at = {_key(label): i for i, label in enumerate(self.release_.channel.public)}
        return self

    def transform(self, X: Any) -> Any:
        """A released value for every row; a value that was not seen by ``fit`` is refused."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=None, ensure_all_finite=False, reset=False)
        codes, labels = _coded([rows[:, i] for i in self._shown])
        unseen = [label for label in labels if _key(label) not in self._at]
        if unseen:
            raise DataError(
                "LiftProtector, transform",
                f"{len(unseen):,} values were not seen by fit: {', '.join(repr(label_text(v)) for v in unseen[:SHOWN])}",
                "fit on a table that has them, or leave these rows out",
            )
        place = np.array([self._at[_key(label)] for label in labels], dtype=np.int64)
        channel = self.release_.channel
        draw = draw_of(self.draw, self.key, None if self.id is None else str(self.id), channel)
        positions = draw.through([channel], place[codes], self._ids(rows))
        columns = released_columns(channel.released, len(self._shown))
        out = np.empty((len(rows), len(columns) + len(self._kept)), dtype=object)
        for n, values in enumerate(columns):
            out[:, n] = np.array([*values, None], dtype=object)[positions]
        for n, i in enumerate(self._kept):
            out[:, len(columns) + n] = rows[:, i]
        numbers = all(isinstance(v, (int, float, type(None))) for values in columns for v in values)
        if rows.dtype.kind in "iuf" and numbers:  # a missing number is NaN again
            return self._as_asked(out.astype(rows.dtype), X)
        return self._as_asked(out, X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the released columns, then those of the kept ones."""
        check_is_fitted(self)
        if input_features is not None:
            given = list(input_features)
            if list(getattr(self, "feature_names_in_", given)) != given:
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError("input_features should have length equal to number of features")
            names = [str(given[i]) for i in self._shown], [str(given[i]) for i in self._kept]
        else:
            names = list(self._names(self._shown)), list(self._names(self._kept))
        out = [*released_names(self.release_.channel.released, names[0]), *names[1]]
        return np.array(out, dtype=object)

    def _as_asked(self, out: NDArray[Any], given: Any) -> Any:
        """A frame with typed columns where ``set_output`` asks for one; rows of a pandas frame keep their index."""
        from sklearn.utils._set_output import _get_output_config

        kind = _get_output_config("transform", self)["dense"]
        if kind not in ("pandas", "polars"):
            return out
        columns = {str(name): out[:, n].tolist() for n, name in enumerate(self.get_feature_names_out())}
        if kind == "pandas":
            import pandas as pd

            return pd.DataFrame(columns, index=given.index if isinstance(given, pd.DataFrame) else None)
        import polars as pl

        return pl.DataFrame(columns, strict=False)

    def _ids(self, rows: Any) -> list[str] | None:
        if self._row_id is None:
            return None
        ids = [label_text(typed_label(v)) for v in rows[:, self._row_id].tolist()]
        seen: set[str] = set()
        for row in ids:
            if row in seen:
                raise DataError("LiftProtector, id", f"{row!r} occurs twice", "give every row an id of its own")
            seen.add(row)
        return ids

    def _positions(self, given: Column | Iterable[Column] | None, side: str) -> list[int]:
        if given is None:
            return []
        names = list(getattr(self, "feature_names_in_", ()))
        found = []
        for column in [given] if isinstance(given, (str, int)) else list(given):
            if isinstance(column, str) and column in names:
                found.append(names.index(column))
            elif isinstance(column, (int, np.integer)) and 0 <= column < self.n_features_in_:
                found.append(int(column))
            else:
                known = ", ".join(repr(n) for n in names[:12]) if names else f"positions 0 to {self.n_features_in_ - 1}"
                raise UsageError(f"LiftProtector, {side} {column!r}", "no such column", f"there are {known}")
        return found

    def _names(self, positions: Sequence[int]) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", None)
        return tuple(f"x{i}" if names is None else str(names[i]) for i in positions)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.sensitive is None
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.non_deterministic = self.draw == "fresh" and not str(self.mechanism).startswith("merge")
        tags.transformer_tags.preserves_dtype = []
        return tags


def _coded(columns: Sequence[Any]) -> tuple[NDArray[np.int64], tuple[Label, ...]]:
    """One code for each row and the labels in order; several columns make tuples."""
    coded = [encode([typed_label(v) for v in column.tolist()]) for column in columns]
    return combine([c for c, _ in coded], [names for _, names in coded])


def _key(label: Label) -> Any:
    return tuple((type(v), v) for v in label) if isinstance(label, tuple) else (type(label), label)
