"""Frames in memory (pandas, polars, Arrow) as Arrow tables of the columns asked for; the frame itself is never touched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from liftgate.errors import DataError
from liftgate.labels import Label
from liftgate.tables.columns import typed_label

_SIMPLE = ("str", "int", "float", "bool", "Decimal", "date", "datetime", "time", "Timestamp", "Timedelta", "timedelta")
_NAMED = ("Interval", "Period", "UUID")


def kind_of(source: object) -> str | None:
    """Which kind of frame this is, without importing any of them."""
    module, name = type(source).__module__.split(".")[0], type(source).__name__
    if module == "pandas":
        return "pandas" if name == "DataFrame" else None
    if module == "polars":
        return "polars" if name in ("DataFrame", "LazyFrame") else None
    if module == "pyarrow":
        return "arrow" if name in ("Table", "RecordBatch", "RecordBatchReader") else None
    if module in ("duckdb", "_duckdb"):
        return None
    return "arrow-stream" if hasattr(source, "__arrow_c_stream__") else None


def column_names(source: Any, kind: str) -> tuple[str, ...]:
    """The names of the columns of a frame."""
    if kind == "pandas":
        return tuple(str(c) for c in source.columns)
    if kind == "polars":
        return tuple(source.collect_schema().names())
    return tuple(source.schema.names)


def as_table(
    source: Any, kind: str, names: Sequence[str], wanted: Sequence[int], binned: Sequence[int], place: str
) -> tuple[Any, dict[int, list[Label]]]:
    """The wanted columns as an Arrow table with columns c0, c1, …, and the labels of those that hold codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    labels: dict[int, list[Label]] = {}
    arrays: dict[str, Any] = {}
    if kind == "pandas":
        for i in wanted:
            arrays[f"c{i}"], coded = _pandas_column(source.iloc[:, i], f"{place}, column {names[i]!r}", i in binned)
            if coded is not None:
                labels[i] = coded
    elif kind == "polars":
        for i in wanted:
            if str(source.collect_schema().dtypes()[i]) == "Object":
                raise DataError(
                    f"{place}, column {names[i]!r}", "it holds Python objects", "turn them into text or numbers"
                )
        frame = source.select([names[i] for i in wanted])
        frame = frame.collect() if type(frame).__name__ == "LazyFrame" else frame
        try:
            table = frame.to_arrow()
        except pa.ArrowException as e:
            raise DataError(place, f"a column cannot be read ({e})", "cast it to a plain type first") from None
        arrays = {f"c{i}": table.column(n) for n, i in enumerate(wanted)}
    elif type(source).__name__ == "RecordBatchReader":
        batches = [pa.record_batch([b.column(i) for i in wanted], [f"c{i}" for i in wanted]) for b in source]
        if batches:
            table = pa.Table.from_batches(batches)
            arrays = {f"c{i}": table.column(n) for n, i in enumerate(wanted)}
        else:
            arrays = {f"c{i}": pa.array([], source.schema.field(i).type) for i in wanted}
    else:
        arrays = {f"c{i}": source.column(i) for i in wanted}
    for name, column in arrays.items():
        if pa.types.is_float16(column.type):
            arrays[name] = pc.cast(column, pa.float32())
    return pa.table(arrays), labels


def _pandas_column(series: Any, place: str, binned: bool) -> tuple[Any, list[Label] | None]:
    """A column by position, its index ignored: codes and labels for categories and mixed objects."""
    import pyarrow as pa

    kind = type(series.dtype).__name__
    if kind == "CategoricalDtype":
        words = [_object_label(v, place) for v in series.cat.categories]
        codes = np.asarray(series.cat.codes, dtype=np.int64)
        return _coded(codes, words, binned)
    if kind == "SparseDtype":
        series = series.sparse.to_dense()
    if kind in ("IntervalDtype", "PeriodDtype"):
        series = series.astype(object)
    if series.dtype != object:
        try:
            return pa.array(series, from_pandas=True), None
        except UnicodeEncodeError:
            raise _not_unicode(place) from None
        except pa.ArrowException:
            raise DataError(place, f"it holds {series.dtype} values", "turn them into text or numbers first") from None
    try:
        array = pa.array(series, from_pandas=True)
    except UnicodeEncodeError:
        raise _not_unicode(place) from None
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        array = None  # values of several types: each keeps its own, below
    if array is not None and _same_types(series, array):
        return array, None
    known: dict[tuple[str, Any], int] = {}
    out: list[Label] = []
    codes = np.empty(len(series), dtype=np.int64)
    for row, value in enumerate(series.array):
        label = _object_label(value, place)
        at = known.setdefault((type(label).__name__, label), len(out))
        if at == len(out):
            out.append(label)
        codes[row] = at
    return _coded(codes, out, binned)


def _not_unicode(place: str) -> DataError:
    return DataError(place, "a text is not valid Unicode", "decode it with its true encoding first")


def _same_types(series: Any, array: Any) -> bool:
    """Whether Arrow kept every object as it is (it would turn dates into times where both occur)."""
    import pyarrow as pa

    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type) or pa.types.is_nested(array.type):
        return True
    if pa.types.is_binary(array.type):
        return all(isinstance(v, (bytes, bytearray)) or typed_missing(v) for v in series.array)
    kinds = {type(v).__name__ for v in series.array if not typed_missing(v)}
    return len(kinds) <= 1


def typed_missing(value: object) -> bool:
    """None, NaN, NaT and pandas' NA."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _object_label(value: object, place: str) -> Label:
    if typed_missing(value):
        return None
    plain = value.item() if isinstance(value, np.generic) else value
    name = type(plain).__name__
    if name in _NAMED:
        return str(plain)
    if name in _SIMPLE or isinstance(plain, (str, int, float)):
        return typed_label(plain)
    raise DataError(place, f"it holds values of type {name}", "turn them into text or numbers first")


def _coded(codes: Any, words: list[Label], binned: bool) -> tuple[Any, list[Label] | None]:
    import pyarrow as pa

    if not binned:
        return pa.array(codes, mask=codes < 0), words
    numbers = all(w is None or (isinstance(w, (int, float)) and not isinstance(w, bool)) for w in words)
    whole = numbers and all(w is None or (isinstance(w, int) and abs(w) < 1 << 63) for w in words)
    kind = pa.int64() if whole else pa.float64() if numbers else pa.string()
    values = pa.array([w if numbers or w is None else str(w) for w in words], kind)
    return values.take(pa.array(codes, mask=codes < 0)), None
