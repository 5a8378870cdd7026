"""The page itself: the shell and the forms of the five rooms, from the same lists as everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from liftgate import __version__
from liftgate.web import limits
from liftgate.web.drawing import fragment
from liftgate.web.rooms import MECHANISMS, ROOMS, TERMS, families

if TYPE_CHECKING:
    from liftgate.budget import Budget
    from liftgate.web.places import Places


def page(places: Places) -> str:
    """The page with the tables that can be chosen now."""
    return fragment(
        "page.html",
        rooms=ROOMS,
        examples={room.name: json.dumps(room.example) for room in ROOMS},
        terms={name: text.replace("`", "").replace("*", "") for name, text in TERMS.items()},
        mechanisms=MECHANISMS,
        families=families(),
        limits=limits.told(),
        folder=places.folder.name or str(places.folder),
        tables=choices(places, certificates=False),
        certificates=choices(places, certificates=True),
        version=__version__,
    )


def choices(places: Places, certificates: bool) -> list[tuple[str, list[tuple[str, str]]]]:
    """What can be chosen, in groups: reference and name of each file."""
    from liftgate.web.places import examples

    def fits(name: str) -> bool:
        return name.lower().endswith(".json") == certificates

    groups: list[tuple[str, list[tuple[str, str]]]] = [
        ("Uploaded", [(f"upload:{key}", u.path.name) for key, u in places.uploads.items() if fits(u.path.name)]),
        ("In the folder", [(t["ref"], t["name"]) for t in places.listed() if fits(t["name"])]),
        ("Examples", [(f"example:{name}", name) for name in examples() if fits(name)]),
    ]
    return [(title, found) for title, found in groups if found]


def words(budget: Budget) -> dict[str, Any]:
    """A budget in words, for the sliders."""
    from liftgate.report import numbers
    from liftgate.report.words import budget_sentence

    low, up = (budget.low, budget.up) if budget.kind == "alip" else (None, None)
    return {
        "budget": budget.text,
        "sentence": budget_sentence(budget),
        "low": None if low is None else numbers.bound(low, "low"),
        "up": None if up is None else numbers.bound(up, "up"),
    }


def api(described: Mapping[str, Any]) -> str:
    """The list of questions, drawn from their description."""
    shapes = described["components"]["schemas"]
    listed = []
    for path, ways in described["paths"].items():
        for way, told in ways.items():
            body = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            shape = shapes.get(body.get("$ref", "").rpartition("/")[2], {})
            fields = [
                {
                    "name": name,
                    "kind": _kind(field),
                    "needed": name in shape.get("required", ()),
                    "usual": json.dumps(field["default"]) if "default" in field else "",
                }
                for name, field in shape.get("properties", {}).items()
            ]
            listed.append({"way": way.upper(), "path": path, "text": told.get("description", ""), "fields": fields})
    return fragment("api.html", questions=listed, version=__version__)


def _kind(field: Mapping[str, Any]) -> str:
    """The type of a field in words."""
    if "anyOf" in field:
        return " or ".join(_kind(one) for one in field["anyOf"])
    if "enum" in field:
        return " or ".join(json.dumps(v) for v in field["enum"])
    if field.get("type") == "array":
        return f"list of {_kind(field['items'])}"
    return str(field.get("type", field.get("const", "any")))
