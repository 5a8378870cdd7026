# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""Compiled loops of the search: a bounded simplex on a travelling tableau, vertex walks, and branch and bound.

Every kernel works on one polytope ``A u = b, lo <= u <= hi`` whose first ``n`` variables are a posterior ``v``;
``b`` is the last column of ``A``, so that a tableau carries its right side. All variables have finite bounds: then
any reduced costs give a valid lower bound, also when a simplex run stops early.
"""

from __future__ import annotations

import math

import numpy as np

from liftgate.compiled import compiled

PIVOT = 1e-9  # smallest pivot element
FEASIBLE = 1e-9  # a row missed by less is kept
COST = 1e-10  # reduced costs below this count as zero


@compiled("f8(f8)")
def entropy(t: float) -> float:
    """``h(t) = -t ln t``, zero at and below zero."""
    if t <= 1e-300:
        return 0.0
    return -t * math.log(t)


@compiled("void(f8[:,::1],f8[::1],i8,i8)")
def pivot(T, d, r, j):
    """Bring column ``j`` into row ``r`` of the tableau and of the reduced costs."""
    m, w = T.shape
    tr = T[r]
    p = 1.0 / tr[j]
    for c in range(w):
        tr[c] *= p
    tr[j] = 1.0
    for i in range(m):
        if i != r:
            ti = T[i]
            f = ti[j]
            if f != 0.0:
                for c in range(w):
                    ti[c] -= f * tr[c]
                ti[j] = 0.0
    f = d[j]
    if f != 0.0:
        for c in range(w):
            d[c] -= f * tr[c]
        d[j] = 0.0


@compiled("void(f8[:,::1],f8[::1],i8[::1])")
def basics(T, x, head):
    """Recompute the basic variables from the nonbasic ones."""
    m = T.shape[0]
    n = T.shape[1] - 1
    for i in range(m):
        x[head[i]] = 0.0
    for i in range(m):
        ti = T[i]
        s = ti[n]
        for j in range(n):
            s -= ti[j] * x[j]
        x[head[i]] = s


@compiled("b1(f8[:,::1],f8[:,::1],f8[::1],i8[::1])")
def refactor(A, T, x, head):
    """Build the tableau of a basis afresh; False when the basis is singular."""
    m, w = A.shape
    T[:, :] = A
    dummy = np.zeros(w)
    taken = np.zeros(m, np.bool_)
    order = head.copy()
    for k in range(m):
        j = order[k]
        best, r = 1e-11, -1
        for i in range(m):
            if not taken[i] and abs(T[i, j]) > best:
                best, r = abs(T[i, j]), i
        if r < 0:
            return False
        taken[r] = True
        head[r] = j
        pivot(T, dummy, r, j)
    basics(T, x, head)
    return True


@compiled("void(f8[:,::1],i8[::1],f8[::1],f8[::1])")
def reduced(T, head, c, d):
    """Reduced costs ``d = c - c_B T``."""
    m, w = T.shape
    for j in range(w - 1):
        d[j] = c[j]
    d[w - 1] = 0.0
    for i in range(m):
        f = c[head[i]]
        if f != 0.0:
            ti = T[i]
            for j in range(w):
                d[j] -= f * ti[j]
    for i in range(m):
        d[head[i]] = 0.0


@compiled("i8(f8[:,::1],f8[::1],i8[::1],i8[::1],f8[::1],f8[::1],i8,f8,f8[::1])")
def blocking(T, x, head, row, lo, hi, j, way, out):
    """Ratio test of nonbasic ``j`` moving up or down: the row that blocks (-1: its own bound); the step in ``out[0]``."""
    m = T.shape[0]
    step = hi[j] - x[j] if way > 0 else x[j] - lo[j]
    r = -1
    size = 0.0
    for i in range(m):
        a = T[i, j] * way
        k = head[i]
        if a > PIVOT:
            limit = (x[k] - lo[k]) / a
        elif a < -PIVOT:
            limit = (x[k] - hi[k]) / a
        else:
            continue
        if limit < 0.0:
            limit = 0.0
        if limit < step - 1e-12 or (limit <= step + 1e-12 and r >= 0 and abs(a) > size):
            if limit < step:
                step = limit
            r = i
            size = abs(a)
    out[0] = step
    return r


@compiled("void(f8[:,::1],f8[::1],i8[::1],i8[::1],f8[::1],f8[::1],f8[::1],i8,f8,i8,f8)")
def move(T, x, head, row, lo, hi, d, j, way, r, step):
    """Carry out one step of a ratio test, with its pivot."""
    m = T.shape[0]
    if step != 0.0:
        for i in range(m):
            x[head[i]] -= T[i, j] * way * step
        x[j] += way * step
    if r < 0:
        x[j] = hi[j] if way > 0 else lo[j]
        return
    k = head[r]
    x[k] = lo[k] if T[r, j] * way > 0 else hi[k]
    row[k] = -1
    row[j] = r
    head[r] = j
    pivot(T, d, r, j)


@compiled("b1(f8[:,::1],f8[::1],i8[::1],i8[::1],f8[::1],f8[::1],f8[::1],i8)")
def primal(T, x, head, row, lo, hi, d, most):
    """Primal simplex from a feasible point; False when it runs out of steps."""
    n = x.shape[0]
    out = np.zeros(1)
    still = 0
    for _ in range(most):
        best, j = COST, -1
        for c in range(n):
            if row[c] < 0 and hi[c] > lo[c]:
                g = d[c]
                if (g < -best and x[c] < hi[c]) or (g > best and x[c] > lo[c]):
                    j = c
                    if still > 60:
                        break
                    best = abs(g)
        if j < 0:
            return True
        way = 1.0 if d[j] < 0 else -1.0
        r = blocking(T, x, head, row, lo, hi, j, way, out)
        still = still + 1 if out[0] < 1e-12 else 0
        move(T, x, head, row, lo, hi, d, j, way, r, out[0])
    return False


@compiled("i8(f8[:,::1],f8[::1],i8[::1],i8[::1],f8[::1],f8[::1],f8[::1],i8)")
def repair(T, x, head, row, lo, hi, d, most):
    """Long-step dual simplex with bound flips: 1 feasible, 0 empty box, -1 out of pivots."""
    m = T.shape[0]
    n = x.shape[0]
    passed = np.zeros(n, np.bool_)
    for _ in range(most):
        r, worst = -1, FEASIBLE
        for i in range(m):
            k = head[i]
            miss = max(x[k] - hi[k], lo[k] - x[k])
            if miss > worst:
                worst, r = miss, i
        if r < 0:
            return 1
        k = head[r]
        side = 1.0 if x[k] > hi[k] else -1.0  # x_k must fall (+1) or rise (-1)
        target = hi[k] if side > 0 else lo[k]
        tr = T[r]
        room = 0.0
        for j in range(n):
            passed[j] = False
            if row[j] < 0 and hi[j] > lo[j]:
                a = tr[j] * side
                if (a > 0 and x[j] < hi[j]) or (a < 0 and x[j] > lo[j]):
                    room += abs(a) * (hi[j] - lo[j])
        if room < worst - FEASIBLE:
            return 0
        left = worst
        enter = -1
        while True:
            best, size, j = 1e300, 0.0, -1
            for c in range(n):
                if row[c] < 0 and hi[c] > lo[c] and not passed[c]:
                    a = tr[c] * side
                    if (a > PIVOT and x[c] < hi[c]) or (a < -PIVOT and x[c] > lo[c]):
                        ratio = abs(d[c] / a)
                        if ratio < best - 1e-14 or (ratio <= best + 1e-14 and abs(a) > size):
                            if ratio < best:
                                best = ratio
                            size = abs(a)
                            j = c
            if j < 0:
                break
            enter = j
            gain = size * (hi[j] - lo[j])
            if left - gain <= 0.0:
                break
            passed[j] = True
            left -= gain
        if enter < 0:
            return -1
        for j in range(n):
            if passed[j] and j != enter:
                to = hi[j] if x[j] < hi[j] else lo[j]
                gap = to - x[j]
                x[j] = to
                for i in range(m):
                    x[head[i]] -= T[i, j] * gap
        step = (x[k] - target) / tr[enter]
        for i in range(m):
            x[head[i]] -= T[i, enter] * step
        x[enter] += step
        x[k] = target
        row[k] = -1
        row[enter] = r
        head[r] = enter
        pivot(T, d, r, enter)
    return -1


@compiled("f8(f8[::1],f8[::1],f8[::1],i8[::1],f8[::1])")
def shortfall(x, lo, hi, row, d):
    """What the objective can still lose: the sum of reduced costs of the wrong sign times their room (never positive)."""
    s = 0.0
    for j in range(x.shape[0]):
        if row[j] < 0:
            if d[j] < 0:
                s += d[j] * (hi[j] - x[j])
            else:
                s += d[j] * (lo[j] - x[j])
    return s


@compiled("b1(f8[:,::1],f8[::1],f8[::1],i8)")
def propagate(G, lo, hi, n):
    """Tighten a box by ``sum v = 1`` and by every row ``G v >= 0``; False when the box is empty."""
    low, top = 0.0, 0.0
    for j in range(n):
        low += lo[j]
        top += hi[j]
    if low > 1.0 + FEASIBLE or top < 1.0 - FEASIBLE:
        return False
    up = 1.0 - low + 1e-13
    down = top - 1.0 + 1e-13
    for j in range(n):
        a, b = lo[j], hi[j]
        if a + up < b:
            hi[j] = max(a, a + up)
        if b - down > a:
            lo[j] = min(b, b - down)
    for i in range(G.shape[0]):
        g = G[i]
        most = 0.0
        for j in range(n):
            most += g[j] * hi[j] if g[j] > 0 else g[j] * lo[j]
        if most < -FEASIBLE:
            return False
        most = max(most, 0.0) + 1e-13
        for j in range(n):
            w = (hi[j] - lo[j]) * abs(g[j])
            if w > most:
                if g[j] < 0:
                    hi[j] = lo[j] - most / g[j]
                else:
                    lo[j] = hi[j] - most / g[j]
    return True


@compiled("f8(f8[::1],f8[::1],f8[::1],f8[::1],f8[::1],f8[::1],f8[::1],f8[::1],f8[::1],i8)")
def secants(lo, hi, pi, seen_lo, seen_hi, h_lo, h_hi, c, base, n):
    """Slopes ``c`` and offsets ``base`` of the chords of ``h(t) - pi t`` on a box; returns the sum of offsets."""
    total = 0.0
    for j in range(n):
        a, b = lo[j], hi[j]
        if a != seen_lo[j]:
            seen_lo[j] = a
            h_lo[j] = entropy(a)
        if b != seen_hi[j]:
            seen_hi[j] = b
            h_hi[j] = entropy(b)
        fa = h_lo[j] - pi[j] * a
        w = b - a
        if w > 1e-9:
            c[j] = (h_hi[j] - h_lo[j]) / w - pi[j]
            base[j] = fa - c[j] * a
        else:
            c[j] = 0.0
            base[j] = min(fa, h_hi[j] - pi[j] * b)
        total += base[j]
    return total
