"""A channel in sentences about people."""

from __future__ import annotations

from collections.abc import Sequence

from liftgate.channel import Channel
from liftgate.exact import whole_shares
from liftgate.joint import Joint
from liftgate.labels import Label, label_text

PEOPLE = 1000


def sentences(joint: Joint, channel: Channel) -> tuple[str, ...]:
    """What happens to each public value, those that change for most people first.

    >>> j = Joint.from_counts([[40, 5], [40, 15]], public=["Adm-clerical", "Sales"])
    >>> half = Channel.from_shares([[7, 1], [0, 8]], j.public, j.public)
    >>> for line in sentences(j, half):
    ...     print(line)
    of 1,000 people with Adm-clerical, 875 stay as they are and 125 become Sales
    Sales is always released as it is
    """
    people = [int(n) for n in joint.public_counts]
    rows = channel.rows()
    merged: dict[int, list[int]] = {}
    moved: list[tuple[int, str]] = []
    kept: list[str] = []
    position = {(type(y), y): i for i, y in enumerate(channel.released)}
    for i, (x, released) in enumerate(rows):
        if len(released) == 1:
            name = released[0][0]
            if (type(name), name) == (type(x), x):
                kept.append(label_text(x))
            else:
                merged.setdefault(position[(type(name), name)], []).append(i)
            continue
        own = sum(w for y, w in released if (type(y), y) == (type(x), x))
        moved.append((people[i] * (channel.total - own), _one(x, released)))
    for y, members in merged.items():
        names = [label_text(rows[i][0]) for i in members]
        verb = "is" if len(names) == 1 else "are"
        text = f"{joined(names)} {verb} released as {label_text(channel.released[y])}"
        moved.append((sum(people[i] for i in members) * channel.total, text))
    moved.sort(key=lambda part: -part[0])
    lines = [text for _, text in moved]
    if kept and len(kept) <= 3:
        lines.append(f"{joined(kept)} {'is' if len(kept) == 1 else 'are'} always released as {_them(kept)}")
    elif kept:
        lines.append(f"{'the other' if lines else 'all'} {len(kept):,} are always released as they are")
    return tuple(lines)


def _them(kept: Sequence[str]) -> str:
    return "it is" if len(kept) == 1 else "they are"


def _one(x: Label, released: Sequence[tuple[Label, int]]) -> str:
    """One value that may become several others, in whole people of 1,000."""
    people = whole_shares([float(w) for _, w in released], PEOPLE) if len(released) <= PEOPLE else [0] * len(released)
    total = sum(w for _, w in released)
    own, others, few = 0, [], 0
    for (y, share), number in sorted(zip(released, [int(n) for n in people], strict=True), key=lambda p: -p[0][1]):
        if (type(y), y) == (type(x), x):
            own = number
        elif share * PEOPLE < total:  # whole_shares gives everyone at least 1
            few += 1
        else:
            others.append((number, label_text(y)))
    parts = [f"{own:,} stay as they are"] if own else []
    parts += [f"{number:,} {'become ' if n == 0 else ''}{name}" for n, (number, name) in enumerate(others)]
    if few:
        parts.append(
            f"fewer than 1 in 1,000 each become one of {few:,} others" if few > 1 else "fewer than 1 becomes another"
        )
    return f"of 1,000 people with {label_text(x)}, {joined(parts)}"


def joined(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
