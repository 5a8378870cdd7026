"""One question for every room, to try with one click."""

from __future__ import annotations

from typing import Any

_ADULT = {
    "table": "example:adult_counts.csv",
    "sensitive": ["relationship"],
    "public": ["occupation"],
    "count": "people",
}
EXAMPLES: dict[str, dict[str, Any]] = {
    "audit": {**_ADULT, "low": "1", "up": "1"},
    "protect": {**_ADULT, "budget": "alip:1,1", "mechanism": "auto"},
    "announce": {"table": "example:credit_cards.csv", "delta": "0.9"},
    "couple": {
        "left": "heads: 3/4, tails: 1/4",
        "right": "heads: 1/4, tails: 3/4",
        "relation": "equal",
        "exp_eps": "2",
        "delta": "0",
    },
    "check": {"certificate": "example:certificate.json"},
}
"""The rooms in their order, each with the example that its button fills in."""
