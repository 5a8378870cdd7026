"""Writer of optimality certificates: no channel inside the budget keeps more than a proven bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from liftgate.budget import Budget
from liftgate.certificates.assumptions import known
from liftgate.certificates.bounds import claim_of
from liftgate.certificates.certificate import Certificate
from liftgate.channel import Channel
from liftgate.joint import Joint


def optimal_utility(
    joint: Joint, channel: Channel | None, budget: Budget, proof: Mapping[str, Any], assumptions: Iterable[str]
) -> Certificate:
    """The channel keeps at least ``utility`` nats inside the budget, and no channel inside it more than ``bound``.

    ``proof`` holds ``utility``, ``bound`` and ``evidence`` as the mechanism ``optimal`` returns them
    (docs/optimality.md).
    """
    claim = {
        **claim_of(joint, channel),
        "budget": budget.to_dict(),
        "utility": proof["utility"],
        "bound": proof["bound"],
    }
    return Certificate("optimal-utility", 1, claim, proof["evidence"], known(assumptions))
