# mypy: disable-error-code="no-untyped-def, untyped-decorator"
"""Compiled loops of the merging mechanisms: two risk numbers of a block, and the scans that use them.

Floats only choose; every block is decided again in whole numbers by :mod:`liftgate.mechanisms.blocks`.
"""

from __future__ import annotations

import numpy as np

from liftgate.compiled import compiled

ALIP, LDP, L1, CHI2, ALPHA = range(5)
SUM, MAX, RATIO, BUDGET = range(4)
_FAR = 1e9  # stands for the inverse of a lift of 0 while candidates are compared


@compiled("UniTuple(f8,2)(i8,f8,f8[::1],f8,f8[::1])")
def numbers(kind, order, mass, share, prior):
    """The number that bounds belief from above, and the one that bounds it from below, of one block."""
    low, up = np.inf, 0.0
    first = second = 0.0
    for s in range(prior.size):
        lift = mass[s] / (share * prior[s])
        low, up = min(low, lift), max(up, lift)
        inverse = min(_FAR, 1.0 / lift) if lift > 0 else _FAR
        if kind == L1:
            first += prior[s] * abs(lift - 1)
            second += prior[s] * abs(inverse - 1)
        elif kind == CHI2:
            first += prior[s] * (lift - 1) ** 2
            second += prior[s] * (inverse - 1) ** 2
    if kind == ALIP:
        return up, min(_FAR, 1.0 / low) if low > 0 else _FAR
    if kind == LDP:
        return min(_FAR, up / low) if low > 0 else _FAR, 1.0
    if kind == ALPHA:
        floor = low if low > 0 else 1.0 / _FAR
        for s in range(prior.size):
            lift = mass[s] / (share * prior[s])
            first += prior[s] * (lift / up) ** order
            second += prior[s] * (floor / max(lift, floor)) ** order
        return up * first ** (1.0 / order), second ** (1.0 / order) / floor
    return first, second


@compiled("f8(i8,f8,f8)")
def _fill(kind, limit, value):
    if limit == np.inf:
        return 0.0
    if kind in (L1, CHI2):
        return value / limit if limit > 0 else (0.0 if value <= 1e-12 else 1e12 * value)
    excess = np.log(max(value, 1.0))
    return excess / np.log(limit) if limit > 1 else (0.0 if excess <= 1e-12 else 1e12 * excess)


@compiled("f8(i8,f8,f8,f8,f8)")
def load(kind, limit_up, limit_low, a, b):
    """How full the budget is: at most 1 inside it."""
    return max(_fill(kind, limit_up, a), _fill(kind, limit_low, b))


@compiled("f8(i8,i8,f8,f8,f8,f8)")
def risk(kind, metric, limit_up, limit_low, a, b):
    """Risk of a block under one of four metrics; a side without a limit does not count."""
    if metric == BUDGET:
        return load(kind, limit_up, limit_low, a, b)
    a = 0.0 if limit_up == np.inf else a
    b = 0.0 if limit_low == np.inf else b
    if metric == SUM:
        return a + b
    if metric == MAX or a == 0.0 or b == 0.0:
        return max(a, b)
    return a * b


@compiled("i8[::1](i8,f8,f8,f8,i8,f8[:,::1],f8[::1],f8[::1],i8,i8)")
def subsets(kind, order, limit_up, limit_low, metric, masses, shares, prior, seed, candidates):
    """Algorithm 1 on risky values: grow a block around the riskiest value left until it fits, until none is left.

    Where not all partners are looked at, the values lie in random order and a stretch of them at a random place is: as
    good as a random choice, and near in memory.
    """
    np.random.seed(seed)
    n, m = masses.shape
    single = np.empty(n)
    for x in range(n):
        a, b = numbers(kind, order, masses[x], shares[x], prior)
        single[x] = risk(kind, metric, limit_up, limit_low, a, b)
    by_risk = np.argsort(-single, kind="mergesort")
    alive = np.arange(n) if n <= candidates else np.random.permutation(n)
    where = np.empty(n, np.int64)
    where[alive] = np.arange(n)
    near_mass, near_share = masses[alive], shares[alive]
    left = n
    block_of = np.full(n, -1, np.int64)
    block_mass, block_share = np.zeros((n, m)), np.zeros(n)
    trial = np.empty(m)
    blocks = 0
    fits = True
    for x in by_risk:
        if block_of[x] >= 0:
            continue
        take = x
        fits = False
        while take >= 0:
            block_of[take] = blocks
            block_mass[blocks] += masses[take]
            block_share[blocks] += shares[take]
            left -= 1
            moved, hole = alive[left], where[take]
            alive[hole], where[moved] = moved, hole
            near_mass[hole], near_share[hole] = near_mass[left], near_share[left]
            a, b = numbers(kind, order, block_mass[blocks], block_share[blocks], prior)
            if load(kind, limit_up, limit_low, a, b) <= 1 + 1e-12:
                fits = True
                break
            take = -1
            best = np.inf
            start = np.random.randint(left) if left > candidates else 0
            for k in range(start, start + min(left, candidates)):
                c = k if k < left else k - left
                for s in range(m):
                    trial[s] = block_mass[blocks, s] + near_mass[c, s]
                a, b = numbers(kind, order, trial, block_share[blocks] + near_share[c], prior)
                r = risk(kind, metric, limit_up, limit_low, a, b)
                if r < best or take < 0:
                    best, take = r, alive[c]
        blocks += 1
    name = np.arange(blocks)
    last, others = blocks - 1, blocks - 1
    open_blocks = np.arange(blocks)
    while not fits and others > 0:
        pick, best = -1, np.inf
        for k in range(min(others, candidates)):
            i = k if others <= candidates else np.random.randint(others)
            g = open_blocks[i]
            for s in range(m):
                trial[s] = block_mass[last, s] + block_mass[g, s]
            a, b = numbers(kind, order, trial, block_share[last] + block_share[g], prior)
            r = risk(kind, metric, limit_up, limit_low, a, b)
            if r < best or pick < 0:
                best, pick = r, i
        g = open_blocks[pick]
        name[g] = last
        block_mass[last] += block_mass[g]
        block_share[last] += block_share[g]
        others -= 1
        open_blocks[pick] = open_blocks[others]
        a, b = numbers(kind, order, block_mass[last], block_share[last], prior)
        fits = load(kind, limit_up, limit_low, a, b) <= 1 + 1e-12
    for x in range(n):
        block_of[x] = name[block_of[x]]
    return block_of


@compiled("f8[::1](i8,f8,f8,f8,f8[:,::1],f8[::1],f8[::1])")
def loads(kind, order, limit_up, limit_low, masses, shares, prior):
    """How full the budget is, for every row of masses."""
    out = np.empty(shares.size)
    for x in range(shares.size):
        a, b = numbers(kind, order, masses[x], shares[x], prior)
        out[x] = load(kind, limit_up, limit_low, a, b)
    return out


@compiled("i8[::1](i8,f8[::1],b1[::1])")
def best_partition(n, share, allowed):
    """The partition of n values into allowed subsets (bit masks) with the largest entropy: dynamic programme."""
    size = 1 << n
    best = np.full(size, np.inf)
    choice = np.zeros(size, np.int64)
    best[0] = 0.0
    for mask in range(1, size):
        low = mask & -mask
        rest = mask ^ low
        sub = rest
        while True:
            block = sub | low
            if allowed[block]:
                cost = share[block] * np.log(share[block]) + best[mask ^ block]
                if cost < best[mask]:
                    best[mask], choice[mask] = cost, block
            if sub == 0:
                break
            sub = (sub - 1) & rest
    out = np.zeros(n, np.int64)
    mask, b = size - 1, 0
    while mask:
        for x in range(n):
            if choice[mask] >> x & 1:
                out[x] = b
        mask ^= choice[mask]
        b += 1
    return out


@compiled("f8(f8,f8)")
def _fine(full, share):
    return share * min(full - 1, 3.0) + 0.02 * share if full > 1 + 1e-12 else 0.0


@compiled("Tuple((i8[::1],f8))(i8,f8,f8,f8,f8[:,::1],f8[::1],f8[::1],i8[::1],i8,f8,f8,f8,i8)")
def anneal(kind, order, limit_up, limit_low, masses, shares, prior, start, steps, hot, cold, weight, seed):
    """Moves and swaps of single values between blocks, penalised outside the budget; the best partition met inside it."""
    np.random.seed(seed)
    n, m = masses.shape
    block = start.copy()
    block_mass, block_share = np.zeros((n, m)), np.zeros(n)
    members = np.zeros(n, np.int64)
    for x in range(n):
        block_mass[block[x]] += masses[x]
        block_share[block[x]] += shares[x]
        members[block[x]] += 1
    full = np.zeros(n)
    outside = 0
    gain = 0.0
    for g in range(n):
        if members[g]:
            a, b = numbers(kind, order, block_mass[g], block_share[g], prior)
            full[g] = load(kind, limit_up, limit_low, a, b)
            outside += full[g] > 1 + 1e-12
            gain -= block_share[g] * np.log(block_share[g])
    best, best_gain = block.copy(), gain if outside == 0 else -np.inf
    change = np.zeros((2, m))
    for step in range(steps):
        heat = hot * (cold / hot) ** (step / steps)
        x = np.random.randint(n)
        swap = np.random.random() < 0.3
        z = np.random.randint(n)
        g = block[x]
        if swap or np.random.random() < 0.9:
            h = block[z]
        else:
            h = np.random.randint(n)
            swap = False
        if g == h or (members[g] == 1 and members[h] == 0):
            continue
        dx = shares[x] - (shares[z] if swap else 0.0)
        for s in range(m):
            d = masses[x, s] - (masses[z, s] if swap else 0.0)
            change[0, s] = max(0.0, block_mass[g, s] - d)
            change[1, s] = max(0.0, block_mass[h, s] + d)
        empties = members[g] == 1 and not swap
        share_g, share_h = block_share[g] - dx, block_share[h] + dx
        full_g = 0.0
        if not empties:
            a, b = numbers(kind, order, change[0], share_g, prior)
            full_g = load(kind, limit_up, limit_low, a, b)
        a, b = numbers(kind, order, change[1], share_h, prior)
        full_h = load(kind, limit_up, limit_low, a, b)
        delta = -share_h * np.log(share_h) + block_share[g] * np.log(block_share[g])
        if not empties:
            delta -= share_g * np.log(share_g)
        if members[h]:
            delta += block_share[h] * np.log(block_share[h])
        fine = (
            _fine(full_g, share_g)
            + _fine(full_h, share_h)
            - _fine(full[g], block_share[g])
            - _fine(full[h], block_share[h])
        )
        merit = delta - weight * fine
        if merit < 0 and np.random.random() >= np.exp(merit / heat):
            continue
        outside += (full_g > 1 + 1e-12) + (full_h > 1 + 1e-12) - (full[g] > 1 + 1e-12) - (full[h] > 1 + 1e-12)
        block[x] = h
        if swap:
            block[z] = g
        else:
            members[g] -= 1
            members[h] += 1
        for s in range(m):
            block_mass[g, s] = 0.0 if empties else change[0, s]
            block_mass[h, s] = change[1, s]
        block_share[g], block_share[h] = (0.0 if empties else share_g), share_h
        full[g], full[h] = full_g, full_h
        gain += delta
        if outside == 0 and gain > best_gain + 1e-12:
            best_gain = gain
            best[:] = block
    return best, best_gain
