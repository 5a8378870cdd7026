"""From posteriors in floats to a channel in whole shares that keeps its budget."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.exact import SHARE_TOTAL
from liftgate.joint import Joint

Floats = NDArray[np.float64]
_FIRST, _GROWTH, _TRIES = 1e-11, 8.0, 13


def rounded(joint: Joint, budget: Budget, posteriors: Floats, weights: Floats) -> tuple[Channel | None, float]:
    """The channel of a mixture ``sum weights_y posteriors_y = P_X``, rounded once and decided in whole numbers.

    A released value that misses the budget by rounding is moved towards silence: a little of everyone is released as
    it, first 1e-11, then eight times as much, until it fits. The second number is the largest such share; no channel
    means that even most of everyone was not enough.
    """
    share = np.asarray(joint.public_share)
    flow = (posteriors * weights[:, None]).T / share[:, None]  # P(y | x)
    flow = np.where(flow < 1e-11, 0.0, flow)
    flow = flow[:, flow.T @ share > 1e-10]
    if flow.shape[1] == 0 or not np.all(flow.sum(axis=1) > 0):
        return None, 1.0
    added = np.zeros(flow.shape[1])
    for _ in range(_TRIES):
        moved = flow + added[None, :]
        channel = Channel.from_floats(moved / moved.sum(axis=1, keepdims=True), joint.public, total=SHARE_TOTAL)
        keeps = budget.holds(joint.through(channel))
        if keeps.all():
            return channel, float(added.max())
        wrong = np.array([int(y) for y in channel.released])[~keeps]
        added[wrong] = np.where(added[wrong] > 0, added[wrong] * _GROWTH, _FIRST)
    return None, float(added.max())
