"""Exact flows and block splitting for any relation, written once and run twice: on lists of whole numbers of any size, and by numba on int64.

Every function only reads and writes positions of sequences, so the same lines are correct for Python integers and for
int64 as long as no product leaves 2^62, which :mod:`liftgate.couplings.blocks` makes sure of before it picks int64.
A *segment* is a part ``left[l0:l1]``, ``right[r0:r1]`` of the two orders; splitting a segment permutes only inside it.
"""

from __future__ import annotations

from math import gcd
from typing import Any


def capacities(w1: Any, w2: Any, left: Any, right: Any, l0: int, l1: int, r0: int, r1: int, rl: Any, rr: Any) -> None:
    """Room ``w1 * N`` on the left and ``w2 * M`` on the right, M and N being the segment's totals, without common factor."""
    big_m = 0
    for k in range(l0, l1):
        big_m += w1[left[k]]
    big_n = 0
    for k in range(r0, r1):
        big_n += w2[right[k]]
    common = gcd(big_m, big_n)
    big_m //= common
    big_n //= common
    for k in range(l0, l1):
        rl[left[k]] = w1[left[k]] * big_n
    for k in range(r0, r1):
        rr[right[k]] = w2[right[k]] * big_m


# --- any relation: Dinic -----------------------------------------------------------------------------------------------
# Left ``i`` has the edges ``first[i]:last[i]`` of ``to`` and ``flow``; right ``j`` has the places ``back_first[j]:back_last[j]``
# of ``back`` (an edge) and ``back_left`` (its left end). Layers are distances to free room on the right.


def turn_round(
    left: Any, right: Any, l0: int, l1: int, r0: int, r1: int, first: Any, last: Any, to: Any, flow: Any,
    back_first: Any, back_last: Any, back: Any, back_left: Any,
) -> None:  # fmt: skip
    """The edges of the segment by right end, and no flow on any of them."""
    for k in range(r0, r1):
        back_last[right[k]] = 0
    for k in range(l0, l1):
        for e in range(first[left[k]], last[left[k]]):
            back_last[to[e]] += 1
            flow[e] = 0
    at = 0
    for k in range(r0, r1):
        b = right[k]
        at += back_last[b]
        back_first[b] = at
        back_last[b] = at
    for k in range(l0, l1):
        a = left[k]
        for e in range(first[a], last[a]):
            b = to[e]
            back_first[b] -= 1
            back[back_first[b]] = e
            back_left[back_first[b]] = a


def layers(
    left: Any, right: Any, l0: int, l1: int, r0: int, r1: int, first: Any, last: Any, to: Any, flow: Any,
    rl: Any, rr: Any, back_first: Any, back_last: Any, back_left: Any, level_l: Any, level_r: Any, queue: Any,
) -> bool:  # fmt: skip
    """Breadth-first from free room on the right against the residual edges; False when no mass on the left is met.

    After False, the labels at level -1 cannot reach room: they are the largest minimum cut.
    """
    for k in range(l0, l1):
        level_l[left[k]] = -1
    head = 0
    tail = 0
    for k in range(r0, r1):
        b = right[k]
        if rr[b] > 0:
            level_r[b] = 0
            queue[tail] = b
            tail += 1
        else:
            level_r[b] = -1
    found = False
    stop = 0
    while head < tail:
        b = queue[head]
        head += 1
        depth = level_r[b] + 1
        if found and depth > stop:
            break
        for k in range(back_first[b], back_last[b]):
            a = back_left[k]
            if level_l[a] < 0:
                level_l[a] = depth
                if rl[a] > 0:
                    found = True
                    stop = depth
                elif not found:
                    for e in range(first[a], last[a]):
                        if flow[e] > 0:
                            b2 = to[e]
                            if level_r[b2] < 0:
                                level_r[b2] = depth + 1
                                queue[tail] = b2
                                tail += 1
    return found


def push(
    left: Any, right: Any, l0: int, l1: int, r0: int, r1: int, first: Any, last: Any, to: Any, owner: Any, flow: Any, rl: Any, rr: Any,
    back_first: Any, back_last: Any, back: Any, back_left: Any, level_l: Any, level_r: Any, it_l: Any, it_r: Any, path: Any,
) -> None:  # fmt: skip
    """A blocking flow down the layers (depth-first with an explicit path and current-arc pointers)."""
    for k in range(l0, l1):
        it_l[left[k]] = first[left[k]]
    for k in range(r0, r1):
        it_r[right[k]] = back_first[right[k]]
    for k in range(l0, l1):
        root = left[k]
        if level_l[root] < 0:
            continue
        depth = 0  # edges on the path: even places go right, odd places go back left and undo flow
        a = root
        while rl[root] > 0:
            moved = False
            if depth % 2 == 0:
                below = level_l[a] - 1
                while it_l[a] < last[a]:
                    e = it_l[a]
                    if level_r[to[e]] == below:
                        path[depth] = e
                        depth += 1
                        moved = True
                        break
                    it_l[a] += 1
            else:
                b = to[path[depth - 1]]
                if rr[b] > 0:
                    amount = min(rl[root], rr[b])
                    for d in range(1, depth, 2):
                        if flow[path[d]] < amount:
                            amount = flow[path[d]]
                    rl[root] -= amount
                    rr[b] -= amount
                    for d in range(0, depth, 2):
                        flow[path[d]] += amount
                    cut = depth if rr[b] > 0 else depth - 1
                    for d in range(depth - 2, 0, -2):
                        flow[path[d]] -= amount
                        if flow[path[d]] == 0:
                            cut = d
                    depth = cut  # go on from before the first edge that is used up
                    if depth % 2 == 0:
                        a = root if depth == 0 else owner[path[depth - 1]]
                    continue
                if level_r[b] > 0:
                    below = level_r[b] - 1
                    while it_r[b] < back_last[b]:
                        a2 = back_left[it_r[b]]
                        e = back[it_r[b]]
                        if level_l[a2] == below and flow[e] > 0:
                            path[depth] = e
                            depth += 1
                            a = a2
                            moved = True
                            break
                        it_r[b] += 1
            if not moved:
                if depth == 0:
                    break
                depth -= 1
                if depth % 2 == 0:
                    a = root if depth == 0 else owner[path[depth - 1]]
                    it_l[a] += 1
                else:
                    it_r[to[path[depth - 1]]] += 1


def fill(
    left: Any, right: Any, l0: int, l1: int, r0: int, r1: int, first: Any, last: Any, to: Any, owner: Any, flow: Any, rl: Any, rr: Any,
    back_first: Any, back_last: Any, back: Any, back_left: Any, level_l: Any, level_r: Any, it_l: Any, it_r: Any, path: Any,
) -> None:  # fmt: skip
    """A maximum flow in the rooms ``rl`` and ``rr``; what is left of them is not carried."""
    turn_round(left, right, l0, l1, r0, r1, first, last, to, flow, back_first, back_last, back, back_left)
    while layers(
        left, right, l0, l1, r0, r1, first, last, to, flow, rl, rr, back_first, back_last, back_left, level_l, level_r, path
    ):  # fmt: skip
        push(
            left, right, l0, l1, r0, r1, first, last, to, owner, flow, rl, rr,
            back_first, back_last, back, back_left, level_l, level_r, it_l, it_r, path,
        )  # fmt: skip


def split_graph(
    left: Any,
    right: Any,
    l0: int,
    l1: int,
    r0: int,
    r1: int,
    first: Any,
    last: Any,
    to: Any,
    level_l: Any,
    level_r: Any,
    hold: Any,
) -> tuple[int, int]:
    """The cut first, the other labels after it; edges from the others into the cut are dropped."""
    at = l0
    kept = 0
    for k in range(l0, l1):
        a = left[k]
        if level_l[a] < 0:
            left[at] = a
            at += 1
        else:
            hold[kept] = a
            kept += 1
            edge = first[a]
            for e in range(first[a], last[a]):
                b = to[e]
                if level_r[b] >= 0:
                    to[e] = to[edge]
                    to[edge] = b
                    edge += 1
            last[a] = edge
    for k in range(kept):
        left[at + k] = hold[k]
    bt = r0
    kept = 0
    for k in range(r0, r1):
        b = right[k]
        if level_r[b] < 0:
            right[bt] = b
            bt += 1
        else:
            hold[kept] = b
            kept += 1
    for k in range(kept):
        right[bt + k] = hold[k]
    return at, bt


def solve_graph(
    w1: Any, w2: Any, left: Any, right: Any, seeds: Any, first: Any, last: Any, to: Any, owner: Any, flow: Any, rl: Any, rr: Any,
    back_first: Any, back_last: Any, back: Any, back_left: Any, level_l: Any, level_r: Any, it_l: Any, it_r: Any, path: Any, hold: Any,
) -> list[tuple[int, int, int, int]]:  # fmt: skip
    """Divide and conquer: the blocks of every seed segment, in order, as segments; ``flow`` holds each block's flow."""
    todo = [(seeds[k], seeds[k + 1], seeds[k + 2], seeds[k + 3]) for k in range(len(seeds) - 4, -1, -4)]
    done = [todo[0]]
    done.pop()
    while len(todo) > 0:
        l0, l1, r0, r1 = todo.pop()
        capacities(w1, w2, left, right, l0, l1, r0, r1, rl, rr)
        fill(
            left, right, l0, l1, r0, r1, first, last, to, owner, flow, rl, rr,
            back_first, back_last, back, back_left, level_l, level_r, it_l, it_r, path,
        )  # fmt: skip
        full = True
        for k in range(l0, l1):
            if rl[left[k]] > 0:
                full = False
                break
        if full:
            done.append((l0, l1, r0, r1))
        else:
            at, bt = split_graph(left, right, l0, l1, r0, r1, first, last, to, level_l, level_r, hold)
            todo.append((at, l1, bt, r1))
            todo.append((l0, at, r0, bt))
    return done
