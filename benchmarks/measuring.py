"""What every bench uses: timings taken in turns, records with limits and sizes, fresh processes, peers in their own environments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Record = dict[str, Any]

_PRELUDE = """
import json, sys, time
def tell(value): print("\\n" + json.dumps(value))
def peak():
    import os, resource
    if os.path.exists("/proc/self/status"):  # ru_maxrss begins with the memory of the process that started this one
        with open("/proc/self/status") as told:
            return next(int(line.split()[1]) for line in told if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def best(work, times=3):
    least = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least
given = json.loads(sys.argv[1])
"""


def record(
    name: str,
    figure: str,
    value: float,
    compared_with: str,
    *,
    unit: str = "x",
    limit: float | None = None,
    least: float | None = None,
    size: float | None = None,
    of: str | None = None,
) -> Record:
    """One figure: what was measured, which quantity, its value, and the other side of the ratio.

    ``limit`` is the most it may be and ``least`` the least; ``size`` (of what: ``of``) makes it a point of a growth plot.

    >>> record("audit, 1e6 rows", "time", 1.2, "the bare group-by", limit=1.5)["limit"]
    1.5
    """
    told = {"limit": limit, "least": least, "size": size, "of": of}
    return {
        "name": name, "figure": figure, "value": float(value), "unit": unit, "compared_with": compared_with,
        **{key: given for key, given in told.items() if given is not None},
    }  # fmt: skip


def growth(
    name: str, figure: str, of: str, sizes: Sequence[float], values: Sequence[float], limit: float | None = None
) -> list[Record]:
    """The cost of each size against the smallest one, as points of one growth plot, and the slope between decades.

    The slope is that of log cost over log size by least squares: 1 is linear; ``limit`` bounds it.

    >>> [r["value"] for r in growth("audit", "time", "rows", [10, 100, 1000], [1.0, 2.0, 20.0])][:3]
    [1.0, 2.0, 20.0]
    """
    import numpy as np

    against = f"{sizes[0]:,.0f} {of}"
    points = [record(name, figure, v / values[0], against, size=s, of=of) for s, v in zip(sizes, values, strict=True)]
    slope = float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
    return [*points, record(name, f"growth of {figure} with {of}", slope, "linear is 1", unit="power", limit=limit)]


def in_turns(
    works: Mapping[str, Callable[[], Any]], times: int = 3, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """The least time of each work; they take turns, so that a busy moment of the machine does not favour one of them."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(times):
        for name, work in works.items():
            start = clock()
            work()
            found[name] = min(found[name], clock() - start)
    return found


def fresh(code: str, given: Any = None, python: str | Path = sys.executable) -> Any:
    """What ``code`` tells (``tell(value)``) in a process of its own; it may use ``given``, ``best(work)`` and ``peak()`` in MB."""
    done = subprocess.run(
        [str(python), "-c", _PRELUDE + code, json.dumps(given)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"a measured process failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def peer(name: str, code: str, given: Any = None) -> Any | None:
    """The same in the environment of a peer, or None where it was not made (``sh scripts/oracles.sh python3 NAME`` makes it)."""
    python = ROOT / f".venv-oracle-{name}" / "bin" / "python"
    if not python.exists():
        print(f"   no peer {name}: sh scripts/oracles.sh python3 {name} makes its environment", file=sys.stderr)
        return None
    return fresh(code, given, python)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for big files: that of LIFTGATE_SCRATCH where it is set."""
    return tempfile.TemporaryDirectory(prefix="liftgate-bench-", dir=os.environ.get("LIFTGATE_SCRATCH"))
