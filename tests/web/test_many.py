"""Many jobs, many tabs: memory stays, everybody gets an answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.slow
COLUMNS = {"table": "folder:people.csv", "sensitive": ["ill"], "public": ["job"]}


def test_memory_after_two_hundred_jobs(own_page: Any) -> None:
    """Within 20 % of what it was after twenty; what jobs make is in files, and old answers go."""
    seen = {}
    for k in range(1, 201):
        kind = ("count", "audit", "columns")[k % 3]
        asked = COLUMNS if kind != "columns" else {"table": COLUMNS["table"]}
        assert own_page.ask(kind, **asked)["state"] == "done"
        if k in (20, 200):
            seen[k] = psutil.Process().memory_info().rss
    assert seen[200] <= 1.2 * seen[20], seen


def test_twenty_tabs_at_once(own_page: Any) -> None:
    """All are answered, each with its own question."""

    def tab(k: int) -> tuple[str, str]:
        done = own_page.ask("couple", left=f"a: {k}/100, b: {100 - k}/100", right="a: 1/2, b: 1/2")
        return done["state"], done["answer"]["markup"]

    with ThreadPoolExecutor(20) as tabs:
        told = list(tabs.map(tab, range(1, 21)))
    assert [state for state, _ in told] == ["done"] * 20
    assert len({markup for _, markup in told}) == 20
