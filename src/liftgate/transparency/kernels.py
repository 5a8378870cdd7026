"""The two-outcome announcement of many groups, compiled: one pass over each group while it is in the cache.

Everything is in masses of the outcome with fewer people ("this") and the other one ("that"), so that no digits are
lost where an outcome is rare. The same steps in whole arrays are in :mod:`liftgate.transparency.vectors`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DELTA, ALPHA, GIVEN = 0, 1, 2
BELOW_ONE = 1.0 - 1e-12


@njit(cache=True)
def _interval(mode, par, d, y, low, high):  # type: ignore[no-untyped-def]
    """Allowed chances of the positive and of the negative outcome."""
    if mode == DELTA:
        return max(d - par, 0.0), min(d + par, 1.0), max(y - par, 0.0), min(y + par, 1.0)
    if mode == ALPHA:
        a, b, c, e = d * par, min(d / par, 1.0), y * par, min(y / par, 1.0)
        return max(a, 1.0 - e), min(b, 1.0 - c), max(c, 1.0 - b), min(e, 1.0 - a)
    return low, high, 1.0 - high, 1.0 - low


@njit(cache=True)
def _cost(u, s, q, beta, p, this, that, high, high_that, m):  # type: ignore[no-untyped-def]
    """Least sum of changes when this outcome's total is u, and its slope to the right."""
    v = s - u
    cap, cap_that = beta * u, beta * v
    down = 0.0
    up = 0.0
    n_down = 0
    n_up = 0
    for i in range(m):
        a = this[i] - min(high[i], cap)
        b = that[i] - min(high_that[i], cap_that)
        down += max(a, 0.0)
        up += max(b, 0.0)
        n_down += (a > 0.0) & (high[i] > cap)
        n_up += (b >= 0.0) & (high_that[i] >= cap_that)
    c1, s1 = u - q + 2.0 * down, 1.0 - 2.0 * beta * n_down
    c2, s2 = q - u + 2.0 * up, -1.0 + 2.0 * beta * n_up
    if c1 > c2:
        return c1, s1
    if c2 > c1:
        return c2, s2
    return c1, max(s1, s2)


@njit(cache=True)
def _largest_total(start, least, beta, high, m):  # type: ignore[no-untyped-def]
    """The largest total u <= start with sum min(high, beta u) >= u, by Newton's steps from the right."""
    u = start
    for _ in range(m + 2):
        cap = beta * u
        below = 0.0
        n = 0
        for i in range(m):
            over = high[i] > cap
            n += over
            below += 0.0 if over else high[i]
        if below + n * cap >= u * (1.0 - 1e-15):
            return u
        slope = 1.0 - n * beta
        if slope <= 0.0:
            return u
        following = below / slope
        if following <= least or following >= u:
            return max(least, min(following, u))
        u = following
    return u


@njit(cache=True)
def _best_total(low, high_end, s, q, beta, p, this, that, high, high_that, m):  # type: ignore[no-untyped-def]
    """The total nearest the true one among those of least cost (convex, piecewise linear: cut by tangents)."""
    at = min(max(q, low), high_end)
    value, slope = _cost(at, s, q, beta, p, this, that, high, high_that, m)
    if abs(value - abs(at - q)) <= 1e-15 * s:
        return at
    if slope < 0.0:
        left, left_value, left_slope = at, value, slope
        right = high_end
        right_value, right_slope = _cost(right, s, q, beta, p, this, that, high, high_that, m)
        if right_slope <= 0.0 and left + (right_value - left_value) / left_slope >= right * (1 - 1e-14):
            return right
    else:
        left = low
        left_value, left_slope = _cost(left, s, q, beta, p, this, that, high, high_that, m)
        right, right_value, right_slope = at, value, slope
        if left_slope >= 0.0:
            # Flat or rising all the way: the whole stretch costs the same only where the value does.
            if left_value < value - 1e-15 * s:
                return left
            return at
    for _ in range(200):
        if right_slope <= left_slope:
            break
        following = (left_value - right_value + right_slope * right - left_slope * left) / (right_slope - left_slope)
        if not (left < following < right) or right - left <= 1e-16 * s:
            break
        value, slope = _cost(following, s, q, beta, p, this, that, high, high_that, m)
        expected = left_value + left_slope * (following - left)
        if value <= expected + 1e-16 * s:
            return following
        if slope < 0.0:
            left, left_value, left_slope = following, value, slope
        else:
            right, right_value, right_slope = following, value, slope
    return left if left_value <= right_value else right


@njit(cache=True)
def _fill(u, s, beta, p, this, that, low, high, low_that, high_that, m, out):  # type: ignore[no-untyped-def]
    """Masses of this outcome that add up to u and are as near the true ones as they can be together."""
    v = s - u
    cap, cap_that = beta * u, beta * v
    total = 0.0
    room_up = 0.0
    room_down = 0.0
    for i in range(m):
        top = min(high[i], cap)
        bottom = max(low[i], p[i] - min(high_that[i], cap_that))
        bottom = min(bottom, top)
        x = min(max(this[i], bottom), top)
        out[i] = x
        total += x
        room_up += top - x
        room_down += x - bottom
    gap = u - total
    if gap > 0.0 and room_up > 0.0:
        t = min(gap / room_up, 1.0)
        for i in range(m):
            out[i] += t * (min(high[i], cap) - out[i])
    elif gap < 0.0 and room_down > 0.0:
        t = min(-gap / room_down, 1.0)
        for i in range(m):
            top = min(high[i], cap)
            bottom = min(max(low[i], p[i] - min(high_that[i], cap_that)), top)
            out[i] -= t * (out[i] - bottom)


@njit(cache=True)
def solve(mode, par, mass, rule, given_low, given_high, starts, target, announced, beta_out, term_out, conf_out):  # type: ignore[no-untyped-def]
    """Fill in the announcement, the least confidence, the binding term and the confidence reached, group by group."""
    widest = 0
    for g in range(starts.size - 1):
        widest = max(widest, starts[g + 1] - starts[g])
    buffer = np.empty((7, widest))
    p, this, that = buffer[0], buffer[1], buffer[2]
    low, high, low_that, high_that = buffer[3], buffer[4], buffer[5], buffer[6]
    filled = np.empty(widest)
    for g in range(starts.size - 1):
        first = starts[g]
        m = starts[g + 1] - first
        s = 0.0
        q = 0.0
        r = 0.0
        biggest = 0.0
        for i in range(m):
            w = mass[first + i]
            d = rule[first + i]
            s += w
            q += w * d
            r += w * (1.0 - d)
            biggest = max(biggest, w)
        swapped = q > r
        if swapped:
            q = r
        least = 0.0
        least_that = 0.0
        for i in range(m):
            w = mass[first + i]
            d = rule[first + i]
            y = 1.0 - d
            x0, x1, y0, y1 = _interval(
                mode,
                par,
                d,
                y,
                given_low[first + i] if mode == GIVEN else 0.0,
                given_high[first + i] if mode == GIVEN else 0.0,
            )
            if swapped:
                d, y, x0, x1, y0, y1 = y, d, y0, y1, x0, x1
            p[i], this[i], that[i] = w, w * d, w * y
            low[i], high[i], low_that[i], high_that[i] = w * x0, w * x1, w * y0, w * y1
            least = max(least, low[i])
            least_that = max(least_that, low_that[i])
        reach = 0.0
        reach_that = 0.0
        n_this = 0
        n_that = 0
        for i in range(m):
            reach += min(high[i], least)
            reach_that += min(high_that[i], least_that)
            n_this += high[i] > least
            n_that += high_that[i] > least_that
        b_this = least / reach if least > 0.0 else 0.0
        b_that = least_that / reach_that if least_that > 0.0 else 0.0
        b_pair = (least + least_that) / s
        b_prior = biggest / s
        beta = max(max(b_this, b_that), max(b_pair, b_prior))
        beta_out[g] = beta
        if beta == b_prior:
            term_out[g] = 3
        elif beta == b_pair:
            term_out[g] = 2
        elif beta == b_this:
            term_out[g] = 0 if swapped else 1
        else:
            term_out[g] = 1 if swapped else 0
        aim = max(beta, target) if target > 0.0 else beta
        u_low = least / aim
        v_low = least_that / aim
        if aim == b_pair or (aim == b_this and n_this * aim < BELOW_ONE):
            u = u_low  # where the binding condition falls, its end is the only total there is
        elif aim == b_that and n_that * aim < BELOW_ONE:
            u = s - v_low
        else:
            u_high = _largest_total(max(s - v_low, u_low), u_low, aim, high, m)
            v_high = _largest_total(max(s - u_low, v_low), v_low, aim, high_that, m)
            from_ = max(u_low, s - v_high)
            to = min(u_high, s - v_low)
            from_ = min(from_, u_high)
            to = max(to, from_)
            u = _best_total(from_, to, s, q, aim, p, this, that, high, high_that, m)
        _fill(u, s, aim, p, this, that, low, high, low_that, high_that, m, filled)
        total_this = 0.0
        total_that = 0.0
        top_this = 0.0
        top_that = 0.0
        for i in range(m):
            k = first + i
            d = rule[k]
            x0, x1, y0, y1 = _interval(
                mode, par, d, 1.0 - d, given_low[k] if mode == GIVEN else 0.0, given_high[k] if mode == GIVEN else 0.0
            )
            if p[i] > 0.0:
                x = filled[i] / p[i]
                if swapped:
                    x = 1.0 - x
            else:
                x = d
            x = min(max(x, x0), x1)
            announced[k] = x
            a = p[i] * x
            b = p[i] * (1.0 - x)
            total_this += a
            total_that += b
            top_this = max(top_this, a)
            top_that = max(top_that, b)
        reached = 0.0
        if total_this > 0.0:
            reached = top_this / total_this
        if total_that > 0.0:
            reached = max(reached, top_that / total_that)
        conf_out[g] = reached
