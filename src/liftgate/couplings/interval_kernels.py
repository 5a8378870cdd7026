"""The kernels of interval relations: earliest deadline first, and the divide and conquer on it.

Written once and run twice like :mod:`liftgate.couplings.kernels`; the same words are used.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from liftgate.couplings.kernels import capacities


def sweep(
    left: Any, right: Any, l0: int, l1: int, r0: int, r1: int, low: Any, high: Any, rl: Any, rr: Any,
    head: Any, after: Any, start: Any, source: Any, amount: Any,
) -> int:  # fmt: skip
    """A maximum flow: walk the right labels in order and serve the open interval that ends first.

    The flow into place ``p`` of the segment is the entries ``start[p]:start[p + 1]`` of ``source`` and ``amount``.
    """
    size = r1 - r0
    base = len(after)
    for p in range(size + 1):
        head[p] = -1
    for k in range(l1 - 1, l0 - 1, -1):
        a = left[k]
        after[a] = head[low[a]]
        head[low[a]] = a
    heap = [0]
    heap.pop()
    count = 0
    for p in range(size):
        a = head[p]
        while a >= 0:
            heappush(heap, high[a] * base + a)
            a = after[a]
        room = rr[right[r0 + p]]
        start[p] = count
        while room > 0 and len(heap) > 0:
            a = heap[0] % base
            if high[a] <= p:
                heappop(heap)
                continue
            take = min(room, rl[a])
            source[count] = a
            amount[count] = take
            count += 1
            rl[a] -= take
            room -= take
            if rl[a] == 0:
                heappop(heap)
        rr[right[r0 + p]] = room
    start[size] = count
    return count


def next_open(skip: Any, p: int) -> int:
    """The first place from ``p`` on that was not reached yet (union-find with path halving)."""
    while skip[p] != p:
        skip[p] = skip[skip[p]]
        p = skip[p]
    return p


def reach(
    left: Any,
    l0: int,
    l1: int,
    size: int,
    low: Any,
    high: Any,
    rl: Any,
    start: Any,
    source: Any,
    reached: Any,
    skip: Any,
    queue: Any,
) -> None:
    """Mark what left labels with unserved mass reach in the residual network; place p is reached when skip[p] != p."""
    tail = 0
    for k in range(l0, l1):
        a = left[k]
        reached[a] = 0
        if rl[a] > 0:
            reached[a] = 1
            queue[tail] = a
            tail += 1
    for p in range(size + 1):
        skip[p] = p
    while tail > 0:
        tail -= 1
        a = queue[tail]
        p = next_open(skip, low[a])
        while p < high[a]:
            skip[p] = p + 1
            for k in range(start[p], start[p + 1]):
                a2 = source[k]
                if reached[a2] == 0:
                    reached[a2] = 1
                    queue[tail] = a2
                    tail += 1
            p = next_open(skip, p + 1)


def split_intervals(
    left: Any,
    right: Any,
    l0: int,
    l1: int,
    r0: int,
    r1: int,
    low: Any,
    high: Any,
    reached: Any,
    skip: Any,
    hold: Any,
    rank: Any,
) -> tuple[int, int]:
    """Reached labels first, the others after them, both in their old order; intervals are counted anew in each half."""
    size = r1 - r0
    bt = r0
    kept = 0
    for p in range(size):
        rank[p] = bt - r0
        if skip[p] != p:
            right[bt] = right[r0 + p]
            bt += 1
        else:
            hold[kept] = right[r0 + p]
            kept += 1
    rank[size] = bt - r0
    for k in range(kept):
        right[bt + k] = hold[k]
    at = l0
    kept = 0
    for k in range(l0, l1):
        a = left[k]
        if reached[a] == 1:
            left[at] = a
            at += 1
            low[a] = rank[low[a]]
            high[a] = rank[high[a]]
        else:
            hold[kept] = a
            kept += 1
            low[a] -= rank[low[a]]
            high[a] -= rank[high[a]]
    for k in range(kept):
        left[at + k] = hold[k]
    return at, bt


def solve_intervals(
    w1: Any, w2: Any, left: Any, right: Any, seeds: Any, low: Any, high: Any, rl: Any, rr: Any,
    head: Any, after: Any, start: Any, source: Any, amount: Any, reached: Any, skip: Any, hold: Any, rank: Any,
    out_source: Any, out_target: Any, out_amount: Any,
) -> tuple[list[tuple[int, int, int, int]], int]:  # fmt: skip
    """Divide and conquer on intervals; the flows of the blocks are written to the three ``out`` sequences."""
    todo = [(seeds[k], seeds[k + 1], seeds[k + 2], seeds[k + 3]) for k in range(len(seeds) - 4, -1, -4)]
    done = [todo[0]]
    done.pop()
    written = 0
    while len(todo) > 0:
        l0, l1, r0, r1 = todo.pop()
        capacities(w1, w2, left, right, l0, l1, r0, r1, rl, rr)
        sweep(left, right, l0, l1, r0, r1, low, high, rl, rr, head, after, start, source, amount)
        full = True
        for k in range(l0, l1):
            if rl[left[k]] > 0:
                full = False
                break
        if full:
            done.append((l0, l1, r0, r1))
            for p in range(r1 - r0):
                for k in range(start[p], start[p + 1]):
                    out_source[written] = source[k]
                    out_target[written] = right[r0 + p]
                    out_amount[written] = amount[k]
                    written += 1
        else:
            reach(left, l0, l1, r1 - r0, low, high, rl, start, source, reached, skip, hold)
            at, bt = split_intervals(left, right, l0, l1, r0, r1, low, high, reached, skip, hold, rank)
            todo.append((at, l1, bt, r1))
            todo.append((l0, at, r0, bt))
    return done, written
