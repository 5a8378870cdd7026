"""Random tables and budgets of every kind, seeded, for all tests of mechanisms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from liftgate.budget import Budget
from liftgate.joint import Joint

FORMS = (
    "split:{e},0.5", "split:{e},0.35", "split:{e},0.65", "alip:{e},0", "ldp:{e}", "lip:{e}",
    "l1:none,{e}", "chi2:none,{e}", "alpha:2,none,{e}", "alpha:10,none,{e}", "alpha:3,{e},none", "alpha:2,{e},{e}",
    "alpha:5/2,none,{e}",
)  # fmt: skip
MERGE_ONLY = ("l1:{e},none", "chi2:{e},{e}", "l1:{e},{e}", "alpha:100,{e},{e}")


def a_joint(rng: np.random.Generator, rows: int = 0, columns: int = 0) -> Joint:
    """Sizes 2-8 x 2-20; uniform, skewed, with zero cells, with equal columns, or nearly independent."""
    m, n = rows or int(rng.integers(2, 9)), columns or int(rng.integers(2, 21))
    shape = int(rng.integers(5))
    counts = rng.integers(1, 1000, (m, n))
    if shape == 1:
        counts = np.ceil(counts * 10.0 ** rng.uniform(-2.5, 2, (1, n)) * 10.0 ** rng.uniform(-1, 1, (m, 1))).astype(int)
    elif shape == 2:
        counts = counts * (rng.random((m, n)) > 0.3)
        counts[:, counts.sum(axis=0) == 0] = 1
        counts[counts.sum(axis=1) == 0, 0] = 5
    elif shape == 3:
        copies = rng.integers(0, n, n)
        counts = counts[:, copies] * rng.integers(1, 6, (1, n))
    elif shape == 4:
        share = np.outer(rng.random(m) + 0.1, rng.random(n) + 0.1)
        counts = np.ceil(1000 * share * (1 + 0.1 * rng.random((m, n)))).astype(int)
    return Joint.from_counts(counts)


def a_budget(rng: np.random.Generator, forms: tuple[str, ...] = FORMS) -> Budget:
    """A budget of any kind with eps from 1e-3 to 8."""
    eps = round(float(10.0 ** rng.uniform(-3, 0.9)), 4)
    return Budget.parse(forms[int(rng.integers(len(forms)))].format(e=max(eps, 0.001)))


@pytest.fixture
def make_joint() -> Callable[..., Joint]:
    return a_joint


@pytest.fixture
def make_budget() -> Callable[..., Budget]:
    """``make_budget(rng)`` for the response mechanisms, ``make_budget(rng, True)`` with those that only merging keeps."""

    def make(rng: np.random.Generator, merging: bool = False) -> Budget:
        return a_budget(rng, (*FORMS, *MERGE_ONLY) if merging else FORMS)

    return make
