"""Attack: what published figures, or an announcement, give away to a reader with some side information."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from liftgate.errors import UsageError
from liftgate.transparency import Attack, attack


def attack_published(
    published: Mapping[str, Any], side_information: Mapping[str, Any] | None, seconds: float = 60.0
) -> Attack:
    """The attack on published figures; without side information nothing can be said, and the error says what to give."""
    if side_information is None:
        raise UsageError(
            "--knows",
            "no side information: which private values there are, and how common they are in each group",
            'give a file such as {"shares": {"F": {"low": "0.6", "high": "0.4"}}, "slack": "0.01"}',
        )
    if not 0 <= seconds < float("inf"):
        raise UsageError("seconds", f"{seconds}", "give a time that is not negative")
    if not published.get("figures") and "liftgate-announcement" not in published:
        raise UsageError(
            "published", "no figures and no announcement", 'give {"figures": [...]}, or a manifest of an announcement'
        )
    return attack(published, side_information, seconds)
