"""Laws as people paste them, and the question of ``liftgate couple`` about them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liftgate.errors import DataError, UsageError
from liftgate.exact import fraction

if TYPE_CHECKING:
    from liftgate.web.worker import Desk

Put = Callable[[str, str], Path]


def ask(question: Mapping[str, Any], put: Put, desk: Desk) -> tuple[Any, dict[str, Any]]:
    """The answer, and what names the same files and options on the command line."""
    from liftgate.couplings.families import parse_family
    from liftgate.couplings.law_files import read_law_file, read_pairs_file
    from liftgate.jobs.couple import couple, couple_family

    q, told = question, {"relation": None if question["relation"] == "equal" else question["relation"]}
    relation: Any = q["relation"]
    if relation.lstrip().startswith("["):
        path = put("relation.json", relation)
        relation, told["relation"] = read_pairs_file(path), path.name
    asked = {key: _number(q[key], key, q["decimals_exact"]) for key in ("exp_eps", "eps", "delta")}
    if q["family"] is not None:
        if q["left"] or q["right"]:
            raise UsageError("mechanism", "two laws were given as well", "give the laws or a mechanism")
        if q["compose"] > 1:
            raise UsageError("compose", "is for one pair of laws", "leave it at 1")
        found = couple_family(
            parse_family(q["family"]), relation, **asked,
            progress=lambda n, of: desk.say(text=f"{n:,} of {of:,} pairs of neighbours", places={"done": n / max(1, of)}),
        )  # fmt: skip
        return found, {"files": [q["family"]], "options": {**told, "all_neighbours": True}}
    for side in ("left", "right"):
        if not (q[side] or "").strip():
            raise UsageError(
                f"{side} law", "no outcome is given", "write one outcome and its probability a line: heads: 1/2"
            )
    paths = [put(f"{side}.json", law_text(q[side], f"{side} law")) for side in ("left", "right")]
    laws = [
        read_law_file(p, side, q["decimals_exact"], not q["sub"])
        for p, side in zip(paths, ("left", "right"), strict=True)
    ]
    found = couple(
        laws[0], laws[1], relation, **asked, proper=not q["sub"], times=q["compose"], names=("left", "right")
    )
    return found, {"files": [p.name for p in paths], "options": told}


def law_text(text: str, place: str) -> str:
    """A law as JSON: as it is, or from ``label: mass``, one a line or parted by commas.

    >>> law_text("heads: 1/2, tails: 1/2", "left law")
    '{"heads": "1/2", "tails": "1/2"}'
    """
    if text.lstrip().startswith("{"):
        return text
    pairs: dict[str, str] = {}
    for part in re.split(r"[\n,;]", text):
        if not part.strip():
            continue
        label, mark, mass = part.rpartition(":")
        if not mark:
            raise DataError(
                f"{place}, {part.strip()[:60]!r}",
                "there is no colon",
                "write outcome: probability, for example heads: 1/2",
            )
        if label.strip() in pairs:
            raise DataError(place, f"the label {label.strip()!r} stands twice", "name every label once")
        pairs[label.strip()] = mass.strip()
    return json.dumps(pairs, ensure_ascii=False)


def _number(text: str | None, place: str, decimals_exact: bool) -> Any:
    """A number of the form: a fraction, or a decimal where that was allowed."""
    if text is None:
        return None
    value = fraction(text, place)
    if any(c in text for c in ".eE") and not decimals_exact:
        raise UsageError(place, f"{text} is a decimal", f"write {value}, or accept decimals as exact")
    return value
