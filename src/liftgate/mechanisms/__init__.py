"""One file per mechanism; a mechanism is a plain function from a joint and a budget to a design."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from liftgate.errors import UsageError
from liftgate.mechanisms.auto import auto
from liftgate.mechanisms.design import Design, Mechanism, utility
from liftgate.mechanisms.merge_all import merge_all
from liftgate.mechanisms.merge_best import merge_best
from liftgate.mechanisms.merge_subsets import merge_subsets
from liftgate.mechanisms.optimal import optimal
from liftgate.mechanisms.subset_response import subset_response

_ALL: tuple[tuple[str, Mechanism], ...] = (
    ("merge-all", merge_all),
    ("merge-subsets", merge_subsets),
    ("merge-best", merge_best),
    ("optimal", optimal),
    ("subset-response", subset_response),
    ("auto", auto),
)

MECHANISMS: Mapping[str, Mechanism] = MappingProxyType(dict(_ALL))


def mechanism_named(name: str) -> Mechanism:
    """The mechanism with this name, or an error that lists the names."""
    if name not in MECHANISMS:
        near = difflib.get_close_matches(name, MECHANISMS, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError("mechanism", f"{name!r} is not known", f"{hint}use one of {', '.join(MECHANISMS)}")
    return MECHANISMS[name]


__all__ = ["MECHANISMS", "Design", "Mechanism", "mechanism_named", "utility"]
