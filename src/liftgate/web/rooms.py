"""The five rooms: what each is for, its example, and the words and lists its form is made of."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any

_ADULT: dict[str, str | list[str]] = {"table": "example:adult_counts.csv", "sensitive": ["relationship"], "public": ["occupation"], "count": "people"}  # fmt: skip


@dataclass(frozen=True)
class Room:
    """One room: its name, what it is for in a few words, and the form its example fills in."""

    name: str
    title: str
    purpose: str
    example: dict[str, str | list[str]]


ROOMS = (
    Room("audit", "Audit", "what a column reveals", {**_ADULT, "low": "1", "up": "1"}),
    Room("protect", "Protect", "design a release", {**_ADULT, "low": "1", "up": "1", "mechanism": "auto", "rows": "csv"}),
    Room("announce", "Announce", "publish decision rules", {"table": "example:credit_cards.csv", "delta": "0.9"}),
    Room("couple", "Couple", "compare two laws", {
        "left": "2: 1/22\n3: 1/11\n4: 2/11\n5: 4/11\n6: 2/11\n7: 1/11\n8: 1/22",
        "right": "1: 1/22\n2: 1/11\n3: 2/11\n4: 4/11\n5: 2/11\n6: 1/11\n7: 1/22",
        "relation": "equal", "exp_eps": "2", "delta": "1/22",
    }),
    Room("check", "Check", "decide a certificate", {"certificate": "example:certificate.json"}),
)  # fmt: skip

TERMS = {
    "Sensitive value": "what must not be told, for example a diagnosis. One or several columns of a table.",
    "Public value": "what everybody may see or will see, for example an occupation. One or several columns.",
    "Lift": "how many times more common a sensitive value is among the people with a public value than in the whole table. 1 means that nothing is learned.",
    "Budget": "bounds that every released value has to keep. `alip:1,1` lets belief fall to no less than e^-1 = 0.37 times and rise to at most e^1 = 2.71 times what it was.",
    "Mechanism": "a way to find a channel that keeps a budget and loses little.",
    "Channel": "for every public value the released values it may become, with whole shares.",
    "Certificate": "a claim with the whole numbers that prove it. It contains the counts: whoever publishes it publishes the table.",
    "Checker": "the one small file that decides certificates. It needs nothing but Python.",
    "Assumption": "what a result takes for granted, by name; for example `counts-are-population`.",
    "Reading": "whether the rows are everybody (*population*) or some of them (*sample*).",
}
"""Texts of the glossary, word for word; a test holds them against docs/glossary.md."""

MECHANISMS = (
    ("auto", "Choose for me", "The strongest one that the size of the table allows; the result says which, and why."),
    ("optimal", "Keep the most, by chance", "A value is released under its own or another name, by chance. Nothing keeps more, up to a gap that is told."),
    ("merge-best", "Merge values, best found", "Values are joined into groups. No chance involved; readers see coarser values."),
    ("merge-subsets", "Merge risky values, fast", "Risky values are joined partner by partner. Quick on very large tables."),
    ("merge-all", "Merge all risky values", "One group for everything that says too much. Simple to explain; keeps little."),
    ("subset-response", "Chance inside merged groups", "A baseline of the papers; never keeps more than the first by chance."),
)  # fmt: skip
"""Every mechanism with what it does to people's values."""

_FAMILY_WORDS = {
    "exp_eps": "factor it promises (e^ε)", "values": "number of answers", "ratio": "ratio of the noise", "top": "largest count",
    "width": "width of the noise", "base": "base", "outputs": "number of outputs", "queries": "number of questions",
    "unit": "unit of the noise", "count": "answers above the threshold",
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """One number of a named mechanism."""

    name: str
    words: str
    usual: str


@cache
def families() -> dict[str, list[Parameter]]:
    """The named mechanisms with their parameters."""
    from liftgate.couplings.families import FAMILIES

    return {
        name: [
            Parameter(key, _FAMILY_WORDS.get(key, key), str(p.default))
            for key, p in inspect.signature(build).parameters.items()
        ]
        for name, build in FAMILIES.items()
    }


_FIELDS: dict[str, tuple[tuple[str, str], ...]] = {
    "table": (("budget", "budget"), ("sensitive", "picker"), ("public", "picker"), ("count", "picker"), ("column", "picker"),
              ("keep", "picker"), ("mechanism", "mechanism"), ("seconds", "seconds"), ("gap", "seconds"), ("missing", "picker")),
    "announce": (("delta", "delta"), ("values", "values"), ("column", "names"), ("group", "names"), ("private", "names"), ("rule", "table")),
    "couple": (("left", "left"), ("right", "right"), ("relation", "relation"), ("mechanism", "family"), ("family", "family"), ("exp_eps", "exp_eps"),
               ("eps", "exp_eps"), ("delta", "delta"), ("compose", "compose"), ("times", "compose")),
    "attack": (("published", "published"), ("knows", "knows")),
    "check": (("allow", "certificate"),),
}  # fmt: skip
_ELSE = {"couple": None, "attack": "published", "check": "certificate"}


def field_of(kind: str, record: Any) -> str | None:
    """The field of the form that an error is about; the first word that its place names, else the table.

    >>> field_of("couple", {"place": "left.json, label '6'"}), field_of("audit", {"place": "people.csv"})
    ('left', 'table')
    """
    place = str(record["place"]).lower()
    if place.startswith(("this job", "this server", "this page", "memory")):
        return None
    for word, field in _FIELDS.get(kind, _FIELDS["table"]):
        if word in place:
            return field
    return _ELSE.get(kind, "table")
