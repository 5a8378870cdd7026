"""Tails of Fisher's non-central hypergeometric law, for many 2 x 2 tables at once, summed in logs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NEGLIGIBLE = 40.0  # terms below e^-40 of the sum cannot change a double
_ENOUGH = 120.0  # a sum e^120 times its first term settles the tail: p is below 1e-45, or 1
_FINE = 256.0  # terms per standard deviation before neighbouring terms are taken together
_AT_ONCE = 1 << 19  # terms worked on at the same time


def upper_tail(seen: Any, block: Any, group: Any, total: Any, odds: Any) -> Floats:
    """``P(A >= seen)`` for A the number of rows of ``group`` in ``block``, given both sizes, at these odds.

    ``P(A = k) ~ C(block, k) C(total - block, group - k) odds^k``. Neighbouring weights have the ratio
    ``odds (block - k)(group - k) / ((k + 1)(total - block - group + k + 1))``, which falls in k; both sums
    start at the observed count and run outwards. Sums stop where they cannot change a double; values
    below 1e-45 are upper bounds. Up to a standard deviation of 512 rows every term is summed one by one;
    beyond it runs of neighbours are summed as geometric series (relative error below 1e-5).

    >>> round(float(upper_tail(2, 2, 3, 6, 1.0)), 12)  # both rows of the block among 3 of 6: C(4, 1) / C(6, 3)
    0.2
    """
    seen, block, group, total, odds = (np.asarray(v, dtype=np.float64) for v in (seen, block, group, total, odds))
    shape = np.broadcast_shapes(seen.shape, block.shape, group.shape, total.shape, odds.shape)
    a, m, g, n, theta = (np.broadcast_to(v, shape).ravel() for v in (seen, block, group, total, odds))
    least, most = np.maximum(0.0, m + g - n), np.minimum(m, g)
    out = np.where(a > least, np.where(theta > 0, np.nan, 0.0), 1.0)
    out[(a > least) & np.isinf(theta)] = 1.0  # all the mass is on the largest count, and seen never exceeds it
    out[a > most] = 0.0
    todo = np.flatnonzero(np.isnan(out))
    if todo.size:
        a, m, g, n, log_odds = a[todo], m[todo], g[todo], n[todo], np.log(theta[todo])
        mode = _mode(m, g, n, theta[todo])
        step = _stride(a, m, g, n, mode)
        up, down = (a, m, g, n, log_odds), (g - a, n - m, g, n, -log_odds)  # the same law, counted outside the block
        grown = _grown(*up, mode), _grown(*down, g - mode)
        far = np.maximum(*grown) > _ENOUGH
        above, below = (np.where(far, _far(*way, more), 0.0) for way, more in zip((up, down), grown, strict=True))
        near = np.flatnonzero(~far)
        above[near], below[near] = (_run(*[v[near] for v in (*way, step)]) for way in (up, down))
        out[todo] = 1.0 / (1.0 + np.exp(np.minimum(below - np.logaddexp(0.0, above), 700.0)))
    return np.asarray(out.reshape(shape))


def lower_tail(seen: Any, block: Any, group: Any, total: Any, odds: Any) -> Floats:
    """``P(A <= seen)`` of the same law: the upper tail of the rows of ``group`` outside the block."""
    seen, block, group, total, odds = (np.asarray(v, dtype=np.float64) for v in (seen, block, group, total, odds))
    with np.errstate(divide="ignore"):
        turned = np.divide(1.0, odds)
    return upper_tail(group - seen, total - block, group, total, turned)


def _run(a: Floats, m: Floats, g: Floats, n: Floats, log_odds: Floats, step: Floats) -> Floats:
    """log of ``sum over k > a of w(k) / w(a)``; -inf where nothing lies above."""
    total = np.full(a.size, -np.inf)
    last = np.zeros(a.size)  # log w at the last term reached
    at = a.copy()
    active = np.flatnonzero(at < np.minimum(m, g))
    reach = 32
    while active.size:
        reach = min(2 * reach, 4096)
        width = int(np.clip(_AT_ONCE // active.size, 16, reach))
        h = step[active, None]
        k = at[active, None] + h * np.arange(width) + (h - 1) / 2
        inside = k + (h - 1) / 2 < np.minimum(m, g)[active, None]
        k = np.where(inside, k, at[active, None])
        mm, gg = m[active, None], g[active, None]
        slope = _slope(k, mm, gg, n[active, None], log_odds[active, None])
        terms = last[active, None] + np.cumsum(h * slope, axis=1)
        sums = np.where(inside, terms + _geometric(slope, h), -np.inf)
        top = np.maximum(sums.max(axis=1), -1e300)  # finite also where no whole run of neighbours is left
        total[active] = np.logaddexp(total[active], top + _log(np.exp(sums - top[:, None]).sum(axis=1)))
        at[active] += step[active] * width
        last[active] = terms[:, -1]
        end = slope[:, -1]
        with np.errstate(divide="ignore"):
            rest_of_it = np.where(end < 0, last[active] + end - np.log(-np.expm1(np.minimum(end, 0.0))), np.inf)
        end_reached = at[active] >= np.minimum(m, g)[active]
        done = (rest_of_it < total[active] - _NEGLIGIBLE) | (total[active] > _ENOUGH) | ~inside[:, -1] | end_reached
        active = active[~done]
    return total


def _slope(k: Floats, m: Floats, g: Floats, n: Floats, log_odds: Floats) -> Floats:
    """log of ``w(k + 1) / w(k)``, which falls in k."""
    return np.asarray(log_odds + np.log((m - k) * (g - k)) - np.log((k + 1) * (n - m - g + k + 1)))


def _grown(a: Floats, m: Floats, g: Floats, n: Floats, log_odds: Floats, mode: Floats) -> Floats:
    """A lower bound of ``log w(k) / w(a)`` for k half way to the mode: every ratio up to k is at least the last."""
    steps, found = np.floor((mode - a) / 2), np.full(a.size, -np.inf)
    some = np.flatnonzero(steps >= 1)
    k, *law = ((a + steps - 1)[some], *(v[some] for v in (m, g, n, log_odds)))
    found[some] = steps[some] * _slope(k, *law)
    return found


def _far(a: Floats, m: Floats, g: Floats, n: Floats, log_odds: Floats, grown: Floats) -> Floats:
    """The sum of ``_run`` far from the mode: at least ``grown`` towards it, at most a geometric series away from it."""
    with np.errstate(divide="ignore"):
        fall = np.minimum(np.where(a < np.minimum(m, g), _slope(a, m, g, n, log_odds), -np.inf), -1e-9)
    return np.asarray(np.where(grown > _ENOUGH, grown, fall - np.log(-np.expm1(fall))))


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def _geometric(slope: Floats, h: Floats) -> Floats:
    """log of the sum of h neighbours that fall back from the last by ``slope`` each, relative to the last."""
    if np.all(h == 1):
        return np.zeros_like(slope)
    flat = np.abs(slope) < 1e-12
    safe = np.where(flat, -1.0, -slope)
    with np.errstate(over="ignore"):
        many = np.log(np.abs(np.expm1(h * safe))) - np.log(np.abs(np.expm1(safe)))
    return np.where(flat, np.log(h), many)


def _mode(m: Floats, g: Floats, n: Floats, odds: Floats) -> Floats:
    """Where the weights are largest, to within one."""
    b = n - m - g + odds * (m + g)
    root = np.sqrt(np.maximum(b * b - 4 * (odds - 1) * odds * m * g, 0.0))
    return np.asarray(np.clip(2 * odds * m * g / (b + root), np.maximum(0.0, m + g - n), np.minimum(m, g)))


def _stride(a: Floats, m: Floats, g: Floats, n: Floats, mode: Floats) -> Floats:
    """How many neighbouring terms to take together: one, unless the law is wider than 512 rows."""
    width = np.minimum(_spread(mode, m, g, n), _spread(a, m, g, n))
    return np.asarray(np.maximum(1.0, np.floor(width / _FINE)))


def _spread(k: Floats, m: Floats, g: Floats, n: Floats) -> Floats:
    """The standard deviation of the law near k, from the four cells of its table."""
    cells = (k, m - k, g - k, n - m - g + k)
    return np.asarray(1.0 / np.sqrt(sum(1.0 / np.maximum(c, 1e-300) for c in cells)))
