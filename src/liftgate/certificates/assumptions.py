"""Assumptions: the identifiers that certificates list, each explained in two plain sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from liftgate.errors import CertificateError

ASSUMPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "counts-are-population": "The counts describe everybody the claim is about, not a sample of them. "
        "If the rows are a sample, the lifts of the population may be larger or smaller than the certified ones.",
        "rows-independent": "The rows were drawn independently of one another from the population. "
        "If people entered in groups, such as households, the statements about the population are too sure of themselves.",
        "one-release-per-person": "Each person is in one released row, and no other release about the same people exists. "
        "Two releases together can reveal more than either of them.",
        "prior-is-table-margin": "Before the release the reader believes of each person what the table says about everybody: "
        "the share of each sensitive value. "
        "A reader who knows more about a person starts from another belief, and the lifts do not apply to that reader.",
        "missing=value": "A missing entry was counted as a value of its own. "
        "That an entry is missing is then treated as public, or sensitive, like any other value.",
        "missing=drop": "Rows with a missing entry were left out before counting. "
        "Nothing is claimed about the people in those rows.",
        "missing=refuse": "Tables with a missing entry were refused, so there was none. "
        "Every row of the table was counted.",
        "draws-are-fresh": "Each row was released by a random draw of its own, from the operating system's entropy. "
        "Releasing the same row again draws again, and two draws reveal more than one.",
        "draws-repeat-by-key": "Each row was released by a draw computed from its identifier with a secret key. "
        "The same row always gets the same value, and whoever learns the key learns how each row was drawn.",
        "link=person-to-record": "What is hidden is which record belongs to which person: whole records changed places inside "
        "their block, in an order that nobody kept, or rows were left out. "
        "The records themselves are true, so a reader who recognises a person by the content of a record learns what it says.",
        "groups-not-rows": "The claim is about counted groups of rows, and the reader learns no more than a person's group. "
        "A single row can say more than its group, and for columns of numbers no method certifies single rows.",
        "laws-as-given": "The two distributions are exactly the ones that were given. "
        "Whether a program really produces them is not part of the claim.",
        "proper-distributions": "The masses of each distribution add up to 1. "
        "A process that may stop without an answer has less mass and is a different claim.",
        "adversary-believes-announcement": "The reader takes the announced rule for the real one. "
        "A reader who knows how announcements are chosen can learn more, and that is a separate figure.",
        "side-information=group-and-outcome": "The reader knows a person's group and the outcome of the decision, and nothing else. "
        "With other knowledge the confidence in a private value may be higher.",
    }
)


def explain(name: str) -> str:
    """What an assumption means, in two sentences.

    >>> explain("missing=drop").split(". ")[0]
    'Rows with a missing entry were left out before counting'
    """
    return ASSUMPTIONS.get(name, "This version of Liftgate does not know it. Ask whoever wrote the certificate.")


def known(names: Iterable[str]) -> tuple[str, ...]:
    """The names of assumptions, each of them explained here and listed once."""
    listed = (names,) if isinstance(names, str) else tuple(names)
    for name in listed:
        if name not in ASSUMPTIONS:
            raise CertificateError("assumptions", f"{name!r} is not known", f"use one of {', '.join(ASSUMPTIONS)}")
        if listed.count(name) > 1:
            raise CertificateError("assumptions", f"{name!r} is listed twice", "list each assumption once")
    return listed


def page() -> str:
    """The page docs/assumptions.md."""
    lines = [
        "# Assumptions",
        "",
        "A certificate proves its claim under the assumptions it lists, by these names. `lg.check(certificate)` lists them;",
        "`lg.check(certificate, allow=[...])` accepts only certificates whose every assumption you named.",
        "",
        "| name | what it says |",
        "|---|---|",
        *(f"| `{name}` | {text} |" for name, text in ASSUMPTIONS.items()),
    ]
    return "\n".join(lines) + "\n"
