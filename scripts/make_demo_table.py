"""Write the demo table again from ``adult/adult.data`` in the folder LIFTGATE_DATA: ``python scripts/make_demo_table.py``."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections import Counter
from pathlib import Path

FIELDS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
KEPT = ("occupation", "relationship", "sex", "race", "income", "education")
TARGET = Path(__file__).resolve().parent.parent / "src" / "liftgate" / "demo" / "adult_counts.csv"


def demo_table_text(source: Path) -> str:
    """The people of ``adult.data`` per combination of six columns, sorted; blanks stripped, ``?`` kept as it is."""
    positions = [FIELDS.index(name) for name in KEPT]
    people: Counter[tuple[str, ...]] = Counter()
    with source.open(newline="", encoding="ascii") as lines:
        for row in csv.reader(lines):
            if not row:
                continue
            if len(row) != len(FIELDS):
                raise SystemExit(f"{source}: a line has {len(row)} fields instead of {len(FIELDS)}")
            people[tuple(row[i].strip() for i in positions)] += 1
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*KEPT, "people"])
    writer.writerows([*key, str(people[key])] for key in sorted(people))
    return out.getvalue()


def main() -> None:
    folder = os.environ.get("LIFTGATE_DATA")
    if not folder:
        raise SystemExit("set LIFTGATE_DATA to the folder that holds adult/adult.data")
    TARGET.write_text(demo_table_text(Path(folder) / "adult" / "adult.data"), encoding="ascii", newline="")
    sys.stdout.write(f"{TARGET.name}: {TARGET.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
