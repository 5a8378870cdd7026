"""The demo table is what its page says, and can be made again."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

from liftgate.demo import demo_table
from liftgate.joint import Joint

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_demo_table.py"


def lines() -> list[dict[str, str]]:
    with demo_table().open(newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_demo_table", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_counts_every_person_of_the_source_once() -> None:
    """3,432 combinations, each there once and with at least one person, 32,561 people in all."""
    rows = lines()
    people = [int(row.pop("people")) for row in rows]
    assert sum(people) == 32561
    assert min(people) >= 1
    assert len({tuple(row.values()) for row in rows}) == len(rows) == 3432


def test_columns_have_the_values_of_the_source() -> None:
    """The numbers of values that UCI's description gives, the missing occupation counted as a value."""
    rows = lines()
    found = {name: len({row[name] for row in rows}) for name in rows[0]}
    found.pop("people")
    assert found == {"occupation": 15, "relationship": 6, "sex": 2, "race": 5, "income": 2, "education": 16}
    assert all(value == value.strip() != "" for row in rows for value in row.values())
    assert {value for row in rows for value in row.values() if "?" in value} == {"?"}


def test_lines_are_sorted_and_end_with_a_newline() -> None:
    """The same table gives the same bytes."""
    text = demo_table().read_bytes()
    body = [tuple(row.values())[:-1] for row in lines()]
    assert body == sorted(body)
    assert text.endswith(b"\n")
    assert b"\r" not in text


def test_page_of_provenance_names_this_file() -> None:
    """The checksum, the licence and the number of people stand next to the table."""
    page = demo_table().with_name("PROVENANCE.md").read_text(encoding="utf-8")
    assert hashlib.sha256(demo_table().read_bytes()).hexdigest() in page
    assert "CC BY 4.0" in page
    assert "Becker & Kohavi 1996" in page
    assert re.search(r"3,432 lines for 32,561 people", page)


def test_known_figures_of_income_by_sex() -> None:
    """Totals that are published for this table: 7,841 people above 50K, 1,179 of them women, 10,771 women."""
    counted: Counter[tuple[str, str]] = Counter()
    for row in lines():
        counted[row["income"], row["sex"]] += int(row["people"])
    assert counted[">50K", "Female"] == 1179
    assert counted[">50K", "Female"] + counted[">50K", "Male"] == 7841
    assert counted["<=50K", "Female"] + counted[">50K", "Female"] == 10771
    joint = Joint.from_counts([[counted[i, s] for s in ("Female", "Male")] for i in (">50K", "<=50K")])
    assert joint.lift[0].round(3).tolist() == [0.455, 1.27]


def test_script_strips_counts_and_sorts(tmp_path: Path) -> None:
    """The script on three hand-written lines and the blank line that ends the source."""
    line = "39, Private, 1, Bachelors, 13, Divorced, {job}, Husband, White, Male, 0, 0, 40, Cuba, <=50K\n"
    source = tmp_path / "adult.data"
    source.write_text(line.format(job="Sales") + line.format(job="?") + line.format(job="Sales") + "\n")
    assert script().demo_table_text(source) == (
        "occupation,relationship,sex,race,income,education,people\n"
        "?,Husband,Male,White,<=50K,Bachelors,1\n"
        "Sales,Husband,Male,White,<=50K,Bachelors,2\n"
    )


def test_shipped_table_equals_the_regenerated_one(data_dir: Path) -> None:
    """Made again from the public source, byte for byte."""
    assert script().demo_table_text(data_dir / "adult" / "adult.data").encode() == demo_table().read_bytes()
