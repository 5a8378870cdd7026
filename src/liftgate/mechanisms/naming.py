"""Names of released values: a merge joins its members, a response is called after the value it stands for most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from liftgate.channel import Channel
from liftgate.joint import Joint
from liftgate.labels import Label, joined_label, label_text


def named(joint: Joint, channel: Channel) -> Channel:
    """The channel with its released values named.

    Blocks of a merge join their members by `` · ``. Other channels are matched one to one with public
    values so that the people who keep their own value are as many as possible; what is left over gets
    the name of the value it stands for most, with a number.

    >>> j = Joint.from_counts([[8, 1], [2, 9]], public=["a", "b"])
    >>> named(j, Channel.from_floats([[0.1, 0.9], [0.8, 0.2]], public=["a", "b"])).released
    ('b', 'a')
    """
    if channel.is_merge:
        members: list[list[Label]] = [[] for _ in channel.released]
        for x, y in zip(channel.row_of_entry.tolist(), channel.targets.tolist(), strict=True):
            members[y].append(channel.public[x])
        return replace(channel, released=tuple(joined_label(m) for m in members))
    from scipy.optimize import linear_sum_assignment

    mass = channel.matrix * joint.public_share[:, None]
    own, response = linear_sum_assignment(-mass)
    names: dict[int, Label] = {
        int(y): channel.public[int(x)] for x, y in zip(own, response, strict=True) if mass[x, y] > 0
    }
    taken: set[tuple[type, Label]] = {(type(v), v) for v in names.values()}
    for y in range(len(channel.released)):
        if y in names:
            continue
        text = label_text(channel.public[int(np.argmax(mass[:, y]))])
        number = 2
        while (str, f"{text} ({number})") in taken:
            number += 1
        names[y] = f"{text} ({number})"
        taken.add((str, names[y]))
    return replace(channel, released=tuple(names[y] for y in range(len(channel.released))))
