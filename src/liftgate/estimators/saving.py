"""Fitted scores as a file: one npz of plain arrays with a JSON header; nothing in it is ever executed."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError
from liftgate.estimators.auto import Model, Pool
from liftgate.estimators.counting import Counting
from liftgate.estimators.crossfit import Fitted
from liftgate.estimators.nets import Network
from liftgate.estimators.softmax import Softmax
from liftgate.estimators.trees import Trees

FORMAT = 1
Arrays = dict[str, NDArray[Any]]

LOADERS: tuple[tuple[tuple[str, ...], Callable[[dict[str, Any], Arrays], Model]], ...] = (
    (("counting",), Counting.from_state),
    (("logistic", "quadratic"), Softmax.from_state),
    (("network", "dv", "dv-exact"), Network.from_state),
    (("trees",), Trees.from_state),
)


def save_model(path: str | os.PathLike[str], fitted: Fitted, facts: dict[str, Any]) -> None:
    """Write the models, and what only the caller knows (labels, columns) under ``facts``."""
    states = [m.state() for m in fitted.models]
    header = {
        "liftgate-model": FORMAT,
        "version": version("liftgate"),
        "estimator": fitted.estimator,
        "models": [meta for meta, _ in states],
        "facts": facts,
    }
    arrays: dict[str, Any] = {f"{k}/{name}": a for k, (_, found) in enumerate(states) for name, a in found.items()}
    text = np.frombuffer(json.dumps(header).encode("utf-8"), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, header=text, prior=fitted.prior, **arrays)
    place = Path(path)
    partial = place.with_name(f".{place.name}.part")
    partial.write_bytes(buffer.getvalue())
    os.replace(partial, place)


def load_model(path: str | os.PathLike[str]) -> tuple[Fitted, dict[str, Any]]:
    """The models and the facts of a file; a file of another format or version is refused."""
    place = f"model {os.fspath(path)}"
    try:
        with np.load(path, allow_pickle=False) as data:
            arrays = {name: data[name] for name in data.files}
        header = json.loads(bytes(arrays.pop("header")).decode("utf-8"))
    except OSError as error:
        raise DataError(place, f"cannot be read ({error.strerror or error})", "name a saved model") from None
    except (ValueError, KeyError, EOFError, AttributeError):
        raise DataError(place, "this is not a saved model", "name a file that LiftEstimator.save wrote") from None
    if not isinstance(header, dict) or header.get("liftgate-model") != FORMAT:
        raise DataError(place, "this is not a saved model of a format that is known", "fit and save it again")
    here = version("liftgate")
    if header["version"] != here:
        what = f"it was saved by liftgate {header['version']}, this is {here}"
        raise DataError(place, what, "fit and save it again: scores of two versions are not mixed")
    models = []
    for k, meta in enumerate(header["models"]):
        own = {name.partition("/")[2]: a for name, a in arrays.items() if name.startswith(f"{k}/")}
        models.append(model_from(meta, own))
    return Fitted(header["estimator"], tuple(models), arrays["prior"]), header["facts"]


def model_from(meta: dict[str, Any], arrays: Arrays) -> Model:
    """One model from what its ``state`` gave."""
    if meta["name"] == "auto":
        parts = []
        for k, inner in enumerate(meta["models"]):
            start = f"m{k}."
            parts.append(model_from(inner, {n[len(start) :]: a for n, a in arrays.items() if n.startswith(start)}))
        return Pool(tuple(parts), tuple(meta["weights"]))
    for names, load in LOADERS:
        if meta["name"] in names:
            return load(meta, arrays)
    raise DataError("model", f"the estimator {meta['name']!r} is not known", "fit and save it again")
