# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""Compiled search for a proof: a tree of boxes on the posterior, each leaf with multipliers that close it."""

from __future__ import annotations

import numpy as np

from liftgate.compiled import compiled
from liftgate.mechanisms._solver.kernels import basics, entropy, primal, reduced, refactor, repair, secants

LIFTS, RATIO, L1, TANGENTS = range(4)
CHI2, ALPHA, INVERSE = range(3)
TANGENCY = 16777216.0  # lifts of tangency are whole numbers of 2^-24


@compiled("b1(f8[:,::1],i8[::1],f8[::1],f8[::1])")
def solve(A, head, c, y):
    """Multipliers ``y`` of the rows with ``B^T y = c`` for the basis ``B`` (Gauss, largest pivots)."""
    m = A.shape[0]
    M = np.empty((m, m + 1))
    for k in range(m):
        for i in range(m):
            M[k, i] = A[i, head[k]]
        M[k, m] = c[k]
    for k in range(m):
        r = k
        for i in range(k + 1, m):
            if abs(M[i, k]) > abs(M[r, k]):
                r = i
        if abs(M[r, k]) < 1e-13:
            return False
        if r != k:
            for j in range(m + 1):
                t = M[k, j]
                M[k, j] = M[r, j]
                M[r, j] = t
        for i in range(m):
            if i != k:
                f = M[i, k] / M[k, k]
                if f != 0.0:
                    for j in range(k, m + 1):
                        M[i, j] -= f * M[k, j]
    for k in range(m):
        y[k] = M[k, m] / M[k, k]
    return True


@compiled("f8(i8,f8,f8)")
def slope(shape, a, g):
    """Derivative of ``(l-1)^2``, ``l^a`` or ``l^-a``."""
    if shape == CHI2:
        return 2.0 * (g - 1.0)
    if shape == ALPHA:
        return a * g ** (a - 1.0)
    return -a * g ** (-a - 1.0)


@compiled("f8(i8,f8,f8)")
def offset(shape, a, g):
    """``phi(g) - g phi'(g)`` of the same functions."""
    if shape == CHI2:
        return 1.0 - g * g
    if shape == ALPHA:
        return (1.0 - a) * g**a
    return (1.0 + a) * g ** (-a)


@compiled("f8(i8,f8[::1],i8,f8[::1],i8[::1],f8,f8[::1])")
def least(kind, u, m, prior, shapes, order, caps):
    """``R(y, mu)``: the checker's lower bound of ``sum_s y_s P(s|y)``, for ``u = (y, z, mu)``; -inf where there is none."""
    r = 0.0
    if kind == LIFTS:
        for s in range(m):
            r += u[s] * prior[s] * (caps[0] if u[s] > 0 else caps[1])
        return r
    if kind == RATIO:
        for s in range(m):
            r += u[s] * prior[s] * (1.0 if u[s] > 0 else caps[0])
        return min(r, r / caps[0])
    if kind == L1:
        low, top = np.inf, -np.inf
        for s in range(m):
            r += u[s] * prior[s]
            low, top = min(low, u[s]), max(top, u[s])
        return r - caps[0] * (top - low) / 2
    for b in range(shapes.size):
        if u[m + 1 + b] < 0:
            return -np.inf
        r -= u[m + 1 + b] * caps[b]
    for s in range(m):
        low, g = 0.0, 2.0**24
        for _ in range(80):
            middle = np.sqrt(max(low, 1e-9) * g) if g > 4 * low else 0.5 * (low + g)
            f = u[s]
            for b in range(shapes.size):
                f += u[m + 1 + b] * slope(shapes[b], order, middle)
            if f >= 0:
                g = middle
            else:
                low = middle
            if g - low < 1e-10 * g or g < 1e-8:
                break
        if g >= 2.0**23:
            return -np.inf
        g = (np.floor(g * TANGENCY * (1 + 1e-13)) + 1.0) / TANGENCY
        for b in range(shapes.size):
            r += prior[s] * u[m + 1 + b] * offset(shapes[b], order, g)
    return r


@compiled("f8(i8,f8[::1],i8,i8,f8[::1],i8[::1],f8,f8[::1],f8[:,::1],f8[::1],f8[::1],f8[::1],f8[::1],f8[::1])")
def margin(kind, u, m, n, prior, shapes, order, caps, given, pi, lo, hi, h_lo, h_hi):
    """The checker's bound on a box for multipliers ``u = (y, z, mu)``, less what floats may be wrong by."""
    rest = least(kind, u, m, prior, shapes, order, caps)
    if rest == -np.inf:
        return rest
    total = u[m] + rest
    size = abs(u[m]) + abs(rest)
    for b in range(shapes.size):
        size += abs(u[m + 1 + b]) * caps[b]
    for x in range(n):
        q = pi[x] + u[m]
        big = abs(pi[x]) + abs(u[m])
        for s in range(m):
            t = u[s] * given[s, x]
            q += t
            big += abs(t)
        total += min(h_lo[x] - q * lo[x], h_hi[x] - q * hi[x])
        size += big * hi[x]
    return total - 1e-11 - 1e-14 * size


@compiled("void(i8,f8[::1],i8,f8[::1],f8[::1],f8[::1])")
def multipliers(kind, w, m, prior, caps, u):
    """The checker's ``(y, z, mu)`` from multipliers of the rows of the linear programme."""
    u[m] = w[0]
    for s in range(m):
        u[s] = w[1 + s] / prior[s]
        if kind == RATIO:
            u[s] -= w[1 + m + s] / prior[s]
    for b in range(u.size - m - 1):
        u[m + 1 + b] = max(-w[1 + m + b] / caps[b], 0.0)


@compiled(
    "i8(f8[:,::1],i8,i8,i8,f8[::1],f8[:,::1],f8[::1],i8[::1],f8,f8[::1],i8,f8[:,:,::1],f8[:,::1],i8[:,::1],"
    "f8[:,::1],f8[:,::1],f8[:,::1],i8[::1],i8[::1],f8[:,::1],i8)"
)
def grow(
    A, n, m, kind, pi, given, prior, shapes, order, caps, bits, ST, SX, SHEAD, SLO, SHI, SD, SAGE, count, OUT, most
):
    """Depth-first, lower half of a split first; resumable, ``most`` nodes a call. ``count`` = [open, nodes written].

    A row of ``OUT`` is ``0, x, point`` for a split and ``1, e, y..., z, mu...`` for a leaf, multipliers in units 2^-e.
    Returns 0 done, 1 node limit, 2 slots full, 3 no box can be split on this grid any more.
    """
    rows, w = A.shape
    N = w - 1
    unit = 2.0**bits
    row = np.zeros(N, np.int64)
    c, base = np.zeros(N), np.zeros(N)
    seen_lo, seen_hi = np.full(N, -1.0), np.full(N, -1.0)
    h_lo, h_hi = np.zeros(N), np.zeros(N)
    cb, y, far = np.zeros(rows), np.zeros(rows), np.zeros(rows)
    size = m + 1 + (shapes.size if kind == TANGENTS else 0)
    u, ray, trial = np.zeros(size), np.zeros(size), np.zeros(size)
    stop = count[1] + most
    while count[0] > 0:
        if count[1] >= stop:
            return 1
        if count[0] >= ST.shape[0] or count[1] >= OUT.shape[0]:
            return 2
        k = count[0] - 1
        T, x, head, lo, hi, d = ST[k], SX[k], SHEAD[k], SLO[k], SHI[k], SD[k]
        if SAGE[k] >= 12:
            SAGE[k] = 0
            refactor(A, T, x, head)
        row[:] = -1
        for i in range(rows):
            row[head[i]] = i
        for j in range(n):
            if row[j] < 0:
                x[j] = min(max(x[j], lo[j]), hi[j])
        basics(T, x, head)
        state = repair(T, x, head, row, lo, hi, d, 100 + 10 * rows + N)
        total = secants(lo, hi, pi, seen_lo, seen_hi, h_lo, h_hi, c, base, n)
        reduced(T, head, c, d)
        solved = state == 1 and primal(T, x, head, row, lo, hi, d, 200 + 20 * rows + 2 * N)
        closed = False
        for i in range(rows):
            cb[i] = c[head[i]]
        if solve(A, head, cb, y):
            multipliers(kind, y, m, prior, caps, u)
            worth = total
            for j in range(n):
                worth += c[j] * x[j]
            if (solved and worth > 0) or state != 1:
                for scale in (1.0, 0.1, 0.01, 0.0):
                    for i in range(size):
                        trial[i] = scale * u[i]
                    if margin(kind, trial, m, n, prior, shapes, order, caps, given, pi, lo, hi, h_lo, h_hi) >= 0:
                        closed = True
                        break
                    if kind != TANGENTS:
                        break
            if not closed and state != 1:
                r, worst, side = -1, 0.0, 1.0
                for i in range(rows):
                    j = head[i]
                    if x[j] - hi[j] > worst:
                        r, worst, side = i, x[j] - hi[j], 1.0
                    if lo[j] - x[j] > worst:
                        r, worst, side = i, lo[j] - x[j], -1.0
                if r >= 0:
                    cb[:] = 0.0
                    cb[r] = side
                    if solve(A, head, cb, far):
                        multipliers(kind, far, m, prior, caps, ray)
                        power = 0.25
                        for _ in range(44):
                            for i in range(size):
                                trial[i] = u[i] + power * ray[i]
                            if (
                                margin(kind, trial, m, n, prior, shapes, order, caps, given, pi, lo, hi, h_lo, h_hi)
                                >= 0
                            ):
                                closed = True
                                break
                            power *= 2.0
        if closed:
            closed = False
            u[:] = trial
            for e in range(40):
                step = 2.0**e
                for i in range(size):
                    trial[i] = np.rint(u[i] * step) / step
                if margin(kind, trial, m, n, prior, shapes, order, caps, given, pi, lo, hi, h_lo, h_hi) >= 0:
                    closed = True
                    i = count[1]
                    OUT[i, 0], OUT[i, 1] = 1.0, e
                    for j in range(size):
                        OUT[i, 2 + j] = np.rint(u[j] * step)
                    count[1] += 1
                    count[0] -= 1
                    break
        if closed:
            continue
        best, j = -1.0, -1
        for i in range(n):
            width = hi[i] - lo[i]
            if width * unit > 1.5:
                t = min(max(x[i], lo[i]), hi[i])
                gap = entropy(t) - pi[i] * t - base[i] - c[i] * t + 1e-9 * width
                if gap > best:
                    best, j = gap, i
        if j < 0:
            return 3
        a, b = lo[j], hi[j]
        at = min(max(x[j], a + 0.4 * (b - a)), b - 0.4 * (b - a))
        point = min(max(np.rint(at * unit), a * unit + 1.0), b * unit - 1.0)
        at = point / unit
        i = count[1]
        OUT[i, 0], OUT[i, 1], OUT[i, 2] = 0.0, j, point
        count[1] += 1
        SAGE[k] += 1
        ST[k + 1] = T
        SX[k + 1] = x
        SHEAD[k + 1] = head
        SLO[k + 1] = lo
        SHI[k + 1] = hi
        SD[k + 1] = d
        SAGE[k + 1] = SAGE[k]
        lo[j] = at
        SHI[k + 1, j] = at
        count[0] += 1
    return 0
