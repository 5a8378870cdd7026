"""Runs every bench_*.py, prints the ratios and writes them as JSON with the machine and the versions."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LIBRARIES = ("numpy", "scipy", "highspy", "numba", "duckdb", "pyarrow", "scikit-learn")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    versions = {}
    for name in ("liftgate", *LIBRARIES):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "absent"
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "versions": versions,
    }


def main() -> int:
    """Run the benches that were named, or all."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    known = sorted(p.stem.removeprefix("bench_") for p in HERE.glob("bench_*.py"))
    parser.add_argument("names", nargs="*", help=f"one or more of {', '.join(known)}; all when none is named")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="the same; repeat for more")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything runs")
    parser.add_argument("--out", type=Path, default=Path("bench-output"))
    options = parser.parse_args()
    names = [*options.names, *options.only]
    unknown = set(names) - set(known)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    figures: list[dict[str, Any]] = []
    for name in names or known:
        print(f"== {name}", file=sys.stderr, flush=True)
        for figure in import_module(f"benchmarks.bench_{name}").run(options.quick):
            figures.append({"bench": name, **figure})
            print(
                f"{figure['name']}: {figure['figure']} {figure['value']:.4g} {figure['unit']} ({figure['compared_with']})"
            )
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / "bench.json"
    target.write_text(json.dumps({"machine": machine(), "quick": options.quick, "figures": figures}, indent=1) + "\n")
    print(f"wrote {target}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
