"""Runs every bench_*.py, prints the ratios and writes them as JSON with the machine and the versions, and as one page."""

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

from benchmarks.page import beyond, page

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
    parser.add_argument("--page", type=Path, metavar="JSON", help="only draw the page of figures measured before")
    options = parser.parse_args()
    if options.page is not None:
        return _finish(json.loads(options.page.read_text()), options.out)
    names = [*options.names, *options.only]
    unknown = set(names) - set(known)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    figures: list[dict[str, Any]] = []
    options.out.mkdir(parents=True, exist_ok=True)
    run = {"machine": machine(), "quick": options.quick, "figures": figures}
    for name in names or known:
        print(f"== {name}", file=sys.stderr, flush=True)
        for figure in import_module(f"benchmarks.bench_{name}").run(options.quick):
            figures.append({"bench": name, **figure})
            print(told(figure), flush=True)
        (options.out / "bench.json").write_text(json.dumps(run, indent=1) + "\n")  # what is measured is not lost
    print(f"wrote {options.out / 'bench.json'}", file=sys.stderr)
    return _finish(run, options.out)


def told(figure: dict[str, Any]) -> str:
    """One line for a figure."""
    limits = [f"{word} {figure[key]:g}" for key, word in (("limit", "at most"), ("least", "at least")) if key in figure]
    mark = f"  [{', '.join(limits)}{': BEYOND IT' if beyond(figure) else ''}]" if limits else ""
    at = f" at {figure['size']:,.0f} {figure['of']}" if "size" in figure else ""
    value = f"{figure['value']:.4g} {figure['unit']}"
    return f"{figure['name']}{at}: {figure['figure']} {value} ({figure['compared_with']}){mark}"


def _finish(run: dict[str, Any], out: Path) -> int:
    """Draw the page; 1 where a figure is beyond its limit."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "index.html").write_text(page(run), encoding="utf-8")
    print(f"wrote {out / 'index.html'}", file=sys.stderr)
    wrong = [f for f in run["figures"] if beyond(f)]
    for figure in wrong:
        print(f"beyond its limit: {told(figure)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
