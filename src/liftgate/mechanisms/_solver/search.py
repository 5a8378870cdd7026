# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""Compiled searches for a posterior of least ``H(v) - pi v``: vertex walks (looking) and branch and bound (proving)."""

from __future__ import annotations

import numpy as np

from liftgate.compiled import compiled
from liftgate.mechanisms._solver.kernels import (
    basics,
    blocking,
    entropy,
    move,
    primal,
    propagate,
    reduced,
    refactor,
    repair,
    secants,
    shortfall,
)


@compiled("f8(f8[::1],f8[::1],i8)")
def value(x, pi, n):
    """``H(v) - pi v`` at a point."""
    s = 0.0
    for j in range(n):
        t = x[j]
        if t > 0.0:
            s += entropy(t) - pi[j] * t
    return s


@compiled("f8(f8[:,::1],f8[::1],i8[::1],f8[::1],i8,i8,f8,f8)")
def change(T, x, head, pi, n, j, way, step):
    """Change of ``H(v) - pi v`` along one edge."""
    s = 0.0
    for i in range(T.shape[0]):
        k = head[i]
        if k < n:
            a = T[i, j] * way * step
            if a != 0.0:
                t = x[k]
                s += entropy(t - a) - entropy(t) + pi[k] * a
    if j < n:
        t = x[j]
        s += entropy(t + way * step) - entropy(t) - pi[j] * way * step
    return s


@compiled("void(f8[:,::1],f8[::1],i8[::1],i8[::1],f8[::1],f8[::1],f8[::1],f8[::1],i8)")
def purify(T, x, head, row, lo, hi, d, pi, n):
    """Move every nonbasic variable to a bound without raising ``H(v) - pi v`` (concave: an end of the edge will do)."""
    out = np.zeros(1)
    for j in range(x.shape[0]):
        if row[j] < 0 and x[j] > lo[j] and x[j] < hi[j]:
            r_up = blocking(T, x, head, row, lo, hi, j, 1.0, out)
            up = out[0]
            r_down = blocking(T, x, head, row, lo, hi, j, -1.0, out)
            down = out[0]
            if up <= 0.0 and r_up >= 0:
                move(T, x, head, row, lo, hi, d, j, 1.0, r_up, 0.0)
            elif down <= 0.0 and r_down >= 0:
                move(T, x, head, row, lo, hi, d, j, -1.0, r_down, 0.0)
            elif change(T, x, head, pi, n, j, 1.0, up) <= change(T, x, head, pi, n, j, -1.0, down):
                move(T, x, head, row, lo, hi, d, j, 1.0, r_up, up)
            else:
                move(T, x, head, row, lo, hi, d, j, -1.0, r_down, down)


@compiled("i8(f8[:,::1],f8[::1],f8[::1],i8,f8[::1],f8[:,::1],i8[:,::1],f8[::1],i8,i8,i8,i8,i8)")
def walk(A, lo, hi, n, pi, X, HEAD, F, first, last, steps, kicks, seed):
    """Best-improvement pivoting from points ``first`` to ``last`` (in place); ``kicks`` random pivots come first.

    Point ``k`` draws its pivots from the seed ``seed + k``.
    Every neighbour of a vertex is valued by a ratio test. Returns the number of points whose basis was singular
    (their ``F`` is inf).
    """
    m, w = A.shape
    N = w - 1
    T = np.zeros((m, w))
    d = np.zeros(w)
    row = np.zeros(N, np.int64)
    out = np.zeros(1)
    bad = 0
    for k in range(first, last):
        x, head = X[k], HEAD[k]
        if not refactor(A, T, x, head):
            F[k] = np.inf
            bad += 1
            continue
        row[:] = -1
        for i in range(m):
            row[head[i]] = i
        purify(T, x, head, row, lo, hi, d, pi, n)
        if kicks > 0:
            np.random.seed(seed + k)
            for _ in range(np.random.randint(1, kicks + 1)):
                for _try in range(20):
                    j = np.random.randint(0, N)
                    if row[j] < 0 and hi[j] > lo[j]:
                        way = 1.0 if x[j] < hi[j] else -1.0
                        r = blocking(T, x, head, row, lo, hi, j, way, out)
                        move(T, x, head, row, lo, hi, d, j, way, r, out[0])
                        break
        for _ in range(steps):
            best, take, take_way, take_r, take_step = -1e-12, -1, 1.0, -1, 0.0
            for j in range(N):
                if row[j] < 0 and hi[j] > lo[j]:
                    way = 1.0 if x[j] < hi[j] else -1.0
                    r = blocking(T, x, head, row, lo, hi, j, way, out)
                    if out[0] > 1e-12:
                        f = change(T, x, head, pi, n, j, way, out[0])
                        if f < best:
                            best, take, take_way, take_r, take_step = f, j, way, r, out[0]
            if take < 0:
                break
            move(T, x, head, row, lo, hi, d, take, take_way, take_r, take_step)
        basics(T, x, head)
        F[k] = value(x, pi, n)
    return bad


@compiled("i8(f8[:,::1],f8[::1],f8[::1],i8,f8[::1],i8[::1],f8[:,::1],i8[:,::1],i8,i8)")
def extremes(A, lo, hi, n, x, head, X, HEAD, first, last):
    """A vertex with the largest ``v_j`` for each ``j`` from ``first`` to ``last``; returns how many ran out of steps."""
    m, w = A.shape
    T = np.zeros((m, w))
    d = np.zeros(w)
    c = np.zeros(w - 1)
    row = np.full(w - 1, -1, np.int64)
    bad = 0
    refactor(A, T, x, head)
    for i in range(m):
        row[head[i]] = i
    for j in range(first, last):
        c[j] = -1.0
        reduced(T, head, c, d)
        if not primal(T, x, head, row, lo, hi, d, 200 + 10 * m + 4 * (w - n)):
            bad += 1
        c[j] = 0.0
        X[j] = x
        HEAD[j] = head
        if j % 16 == 15:
            refactor(A, T, x, head)
            for i in range(m):
                row[head[i]] = i
    return bad


@compiled(
    "i8(f8[:,::1],f8[:,::1],i8,f8[::1],f8,f8,f8,i8,f8[:,:,::1],f8[:,::1],i8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],"
    "f8[::1],i8[::1],i8[::1],f8[::1],f8[:,::1],i8[:,::1],f8[::1],i8)"
)
def branch(
    A, G, n, pi, cut, record, clamp, rounds, ST, SX, SHEAD, SLO, SHI, SD, SB, SAGE, count, low, FX, FHEAD, FF, most
):
    """Depth-first branch and bound: is ``H(v) - pi v >= cut`` on the whole polytope? Resumable, ``most`` nodes a call.

    A node is a box on ``v``; its bound is a linear programme on chords. Slots ``S..`` hold the open boxes, each with its
    parent's tableau. ``count`` = [open boxes, nodes, points found, failures]; ``low`` = [least bound given up on].
    Points with a value below ``record`` are kept in ``FX, FHEAD, FF``.
    ``clamp``: the split point stays at least this share of the width away from both ends.
    Returns 0 done, 1 node limit, 2 slots full, 3 found enough.
    """
    m, w = A.shape
    N = w - 1
    row = np.zeros(N, np.int64)
    c = np.zeros(N)
    base = np.zeros(N)
    seen_lo = np.full(N, -1.0)
    seen_hi = np.full(N, -1.0)
    h_lo = np.zeros(N)
    h_hi = np.zeros(N)
    slots = ST.shape[0]
    pieces = N - n
    stop = count[1] + most
    while count[0] > 0:
        if count[1] >= stop:
            return 1
        if count[0] >= slots:
            return 2
        if count[2] >= FF.shape[0]:
            return 3
        k = count[0] - 1
        count[1] += 1
        T, x, head, lo, hi, d = ST[k], SX[k], SHEAD[k], SLO[k], SHI[k], SD[k]
        if G.shape[0] > 0 and not propagate(G, lo, hi, n):
            count[0] -= 1
            continue
        row[:] = -1
        for i in range(m):
            row[head[i]] = i
        moved = False
        for j in range(n):
            if row[j] < 0:
                if x[j] > hi[j]:
                    x[j] = hi[j]
                    moved = True
                elif x[j] < lo[j]:
                    x[j] = lo[j]
                    moved = True
        if SAGE[k] >= 24:
            SAGE[k] = 0
            refactor(A, T, x, head)
            for i in range(m):
                row[head[i]] = i
        elif moved:
            basics(T, x, head)
        state = repair(T, x, head, row, lo, hi, d, 40 + 4 * m + pieces)
        if state == 0:
            count[0] -= 1
            continue
        offset = secants(lo, hi, pi, seen_lo, seen_hi, h_lo, h_hi, c, base, n)
        reduced(T, head, c, d)
        solved = state == 1 and primal(T, x, head, row, lo, hi, d, 100 + 20 * m + 4 * pieces)
        z = offset
        for j in range(n):
            z += c[j] * x[j]
        bound = z + shortfall(x, lo, hi, row, d)
        if bound >= cut:
            count[0] -= 1
            continue
        if state != 1 or not solved:
            count[3] += 1
            low[0] = min(low[0], max(bound, SB[k]))
            count[0] -= 1
            continue
        for _ in range(rounds):
            gain = 0.0
            room = cut - bound
            for j in range(n):
                if row[j] < 0:
                    g = abs(d[j])
                    width = hi[j] - lo[j]
                    if g > 1e-9 and g * width > room:
                        to = room / g + 1e-13
                        if to < width:
                            if x[j] == lo[j]:
                                hi[j] = lo[j] + to
                                gain = max(gain, 1.0 - to / width)
                            elif x[j] == hi[j]:
                                lo[j] = hi[j] - to
                                gain = max(gain, 1.0 - to / width)
            if gain < 0.1:
                break
            offset = secants(lo, hi, pi, seen_lo, seen_hi, h_lo, h_hi, c, base, n)
            reduced(T, head, c, d)
            if not primal(T, x, head, row, lo, hi, d, 100 + 20 * m + 4 * pieces):
                break
            z = offset
            for j in range(n):
                z += c[j] * x[j]
            bound = max(bound, z + shortfall(x, lo, hi, row, d))
            if bound >= cut:
                break
        if bound >= cut:
            count[0] -= 1
            continue
        f = value(x, pi, n)
        if f < record and count[2] < FF.shape[0]:
            i = count[2]
            FX[i] = x
            FHEAD[i] = head
            FF[i] = f
            count[2] += 1
        offset = secants(lo, hi, pi, seen_lo, seen_hi, h_lo, h_hi, c, base, n)
        best, j = 1e-15, -1
        for i in range(n):
            if hi[i] - lo[i] > 1e-9:
                gap = entropy(x[i]) - pi[i] * x[i] - base[i] - c[i] * x[i]
                if gap > best:
                    best, j = gap, i
        if j < 0 or f - bound < 1e-14:
            low[0] = min(low[0], bound)
            count[0] -= 1
            continue
        a, b = lo[j], hi[j]
        at = min(max(x[j], a + clamp * (b - a)), b - clamp * (b - a))
        SB[k] = bound
        SAGE[k] += 1
        ST[k + 1] = T
        SX[k + 1] = x
        SHEAD[k + 1] = head
        SLO[k + 1] = lo
        SHI[k + 1] = hi
        SD[k + 1] = d
        SB[k + 1] = bound
        SAGE[k + 1] = SAGE[k]
        if x[j] <= at:
            lo[j] = at
            SHI[k + 1, j] = at
        else:
            hi[j] = at
            SLO[k + 1, j] = at
        count[0] += 1
    return 0
