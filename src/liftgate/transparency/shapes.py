"""Forms of published figures, manifests and side information: what keys they have, and what stands there.

A form is LABEL, NUMBER, TEXT, WHOLE or ANY, ``[form]`` for a list, a tuple for one of several, or an object of forms
by key; a key that ends in ``?`` may be absent, and no other key may be there.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

from liftgate.errors import DataError

LABEL, NUMBER, TEXT, WHOLE, NOTHING, ANY = "a label", "a number", "text", "a whole number", "null", "anything"
_LIST, _OBJECT = "a list", "an object"
_KEPT = {"value": NUMBER, "digits?": (WHOLE, TEXT), "rounding?": TEXT, "within?": NUMBER}
_ROW = {"group": LABEL, "private": LABEL}
_FIGURE = {"kind": TEXT, **_KEPT}
FIGURES: Mapping[str, Any] = {
    "rule": {**_FIGURE, **_ROW},
    "rate": {**_FIGURE, "group": LABEL},
    "parity": {**_FIGURE, "groups": [LABEL]},
    "conditional-parity": {**_FIGURE, "groups": [LABEL], "private": LABEL},
    "ratio": {**_FIGURE, "groups": [LABEL]},
    "influence": {**_FIGURE, "group": LABEL, "rows": [LABEL]},
    "linear": {**_FIGURE, "terms": [{**_ROW, "weight?": NUMBER}]},
}
"""The keys of every kind of figure."""
OWN = {**_ROW, **_KEPT}
_TOLD = {"figures?": [ANY], "outcomes?": [LABEL], "rounding?": TEXT}
MANIFEST = {
    **_TOLD,
    "liftgate-announcement": WHOLE,
    "outcomes": [LABEL],
    "fidelity": {"kind": TEXT, "value?": NUMBER},
    "target?": (NUMBER, NOTHING),
    "digits?": (WHOLE, NOTHING),
    "groups": [
        {"group": LABEL, "promised": NUMBER, "gamma?": NUMBER, "rows": [{"private": LABEL, "announced": (NUMBER, [NUMBER])}]}
    ],
    **dict.fromkeys(
        ("private?", "assumptions?", "readers_who_know_the_method?", "certificate_sha256?", "publisher?", "fairness?"), ANY
    ),
}  # fmt: skip
IN_GROUP = (_OBJECT, [{"private": LABEL, "share": NUMBER}])
_SHARES = (_OBJECT, [{"group": LABEL, "rows": ANY}])
SIDE = {"shares?": _SHARES, "people?": _SHARES, "slack?": NUMBER, "rules?": [OWN], "values?": [NUMBER]}


def published_form(published: Any) -> None:
    """Refuse figures or a manifest of another form."""
    if isinstance(published, Mapping) and "liftgate-announcement" in published:
        shaped(published, MANIFEST, "published")
        if published["liftgate-announcement"] != 1:
            told = f"version {published['liftgate-announcement']} of an announcement"
            raise DataError("published", told, "this version of Liftgate reads version 1")
    else:
        shaped(published, _TOLD, "published")
    for i, figure in enumerate(published.get("figures", [])):
        place = f"figure {i + 1}"
        kind = figure.get("kind") if isinstance(figure, Mapping) else figure
        if not isinstance(figure, Mapping) or not isinstance(kind, str) or kind not in FIGURES:
            raise DataError(place, f"kind {kind!r}", f"use one of {', '.join(FIGURES)}")
        shaped(figure, FIGURES[kind], place)


def shaped(value: Any, form: Any, place: str) -> None:
    """Refuse a value that has another form, by the place where it does.

    >>> shaped({"group": "F", "private": ["a"]}, {"group": LABEL, "private": LABEL}, "row")
    >>> shaped({"group": "F", "rows": 5}, {"group": LABEL, "rows": [LABEL]}, "figure 1")
    Traceback (most recent call last):
    ...
    liftgate.errors.DataError: figure 1, rows: 5 is not a list. Fix: write a list there
    """
    if isinstance(form, tuple):
        fitting = [f for f in form if _is(value, f)]
        if not fitting:
            raise _not(value, " or ".join(_name(f) for f in form), place)
        form = fitting[0]
    if not _is(value, form):
        raise _not(value, _name(form), place)
    if isinstance(form, list):
        for i, entry in enumerate(value):
            shaped(entry, form[0], f"{place}, entry {i + 1}")
    elif isinstance(form, Mapping):
        known = {key.rstrip("?"): inner for key, inner in form.items()}
        for key in value:
            if key not in known:
                raise DataError(place, f"unknown key {key!r}", f"use {', '.join(known)}")
        for key, inner in form.items():
            name = key.rstrip("?")
            if name in value:
                shaped(value[name], inner, f"{place}, {name}")
            elif not key.endswith("?"):
                raise DataError(place, f"no {name}", f"write {_name(inner)} under {name!r}")


def _not(value: Any, wanted: str, place: str) -> DataError:
    return DataError(place, f"{value!r:.60} is not {wanted}", f"write {wanted} there")


def _is(value: Any, form: Any) -> bool:
    """Whether a value has the kind of a form, whatever is inside it."""
    if form == LABEL:
        return value is None or isinstance(value, str | int) or (_listed(value) and all(_is(v, LABEL) for v in value))
    if form == NUMBER:
        return not isinstance(value, bool) and isinstance(value, str | numbers.Real)
    if form == WHOLE:
        return isinstance(value, int) and not isinstance(value, bool)
    if form == TEXT:
        return isinstance(value, str)
    if form == NOTHING:
        return value is None
    if form == ANY:
        return True
    return _listed(value) if isinstance(form, list) else isinstance(value, Mapping)


def _listed(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _name(form: Any) -> str:
    if isinstance(form, tuple):
        return " or ".join(_name(f) for f in form)
    return form if isinstance(form, str) else _LIST if isinstance(form, list) else _OBJECT
