"""Laws, families and relations as files: JSON or CSV, exact, every fault named with its label."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from liftgate.couplings.laws import Law, read_law
from liftgate.couplings.relations import MAX_EDGES
from liftgate.errors import DataError

_FRACTION = re.compile(r"-?\d{1,2000}(/0*[1-9]\d{0,1999})?")
_DECIMAL = re.compile(r"-?\d{0,2000}\.?\d{1,2000}([eE][+-]?\d{1,3})?")


class Written(str):
    """A JSON number that was written with a point or an exponent, kept as it was written."""


def read_law_file(path: str | Path, side: str, decimals_exact: bool = False, proper: bool = True) -> Law:
    """A law from JSON ``{"label": "p/q"}`` or from a CSV file with the columns ``label`` and ``mass``."""
    place = f"{side} law {Path(path).name}"
    if Path(path).suffix.lower() in (".csv", ".tsv"):
        masses = _csv(Path(path), place, decimals_exact)
    else:
        masses = masses_of(read_json(path, place), place, decimals_exact)
    return _named(masses, place, proper)


def read_family_file(path: str | Path, decimals_exact: bool = False, proper: bool = True) -> dict[str, Law]:
    """Several laws from JSON ``{"input": {"label": "p/q"}}``."""
    place = f"family {Path(path).name}"
    document = read_json(path, place)
    if not isinstance(document, dict) or len(document) < 2:
        raise DataError(place, "it does not hold several laws", 'write {"input": {"label": "p/q"}, ...}')
    laws = {}
    for key, value in document.items():
        here = f"{place}, input {key!r}"
        laws[key] = _named(masses_of(value, here, decimals_exact), here, proper)
    return laws


def read_pairs_file(path: str | Path, most: int = MAX_EDGES) -> list[tuple[Any, Any]]:
    """A relation from JSON ``[["left", "right"], ...]`` with at most so many pairs."""
    place = f"relation {Path(path).name}"
    document = read_json(path, place)
    if not isinstance(document, list):
        raise DataError(place, "it is no list of pairs", 'write [["left label", "right label"], ...]')
    if len(document) > most:
        fix = 'use an interval relation such as "distance<=1", which lists no pairs, or raise --max-edges'
        raise DataError(place, f"it has {len(document)} pairs, more than {most}", fix)
    out = []
    for k, pair in enumerate(document):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(v, str) for v in pair):
            raise DataError(f"{place}, entry {k}", f"{pair!r} is not a pair", "write [left label, right label]")
        out.append((pair[0], pair[1]))
    return out


def read_json(path: str | Path, place: str) -> Any:
    """A JSON file in which no object names a key twice; numbers with a point stay text."""
    text = Path(path).read_bytes()
    try:
        return json.loads(
            text.decode("utf-8-sig"), parse_float=Written, parse_constant=Written, object_pairs_hook=_no_twins
        )
    except _Twin as twin:
        raise DataError(place, f"the label {twin.args[0]!r} stands twice", "name every label once") from None
    except UnicodeDecodeError:
        raise DataError(place, "it is not UTF-8 text", "save it as UTF-8") from None
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise DataError(place, f"it is not JSON{where}", 'write {"label": "p/q", ...}') from None
    except ValueError:
        raise DataError(place, "it holds a number with thousands of digits", "write a shorter fraction") from None


class _Twin(Exception):
    pass


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise _Twin(key)
        out[key] = value
    return out


def masses_of(document: Any, place: str, decimals_exact: bool) -> dict[str, Fraction]:
    """Masses by label from parsed JSON."""
    if not isinstance(document, dict) or not document:
        raise DataError(place, "it is no object with masses", 'write {"label": "p/q", ...}')
    return {label: _mass(value, f"{place}, label {label!r}", decimals_exact) for label, value in document.items()}


def _mass(value: Any, place: str, decimals_exact: bool) -> Fraction:
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    text = value.strip() if isinstance(value, str) else ""
    if _FRACTION.fullmatch(text) and not isinstance(value, Written):
        return Fraction(text)
    if not _DECIMAL.fullmatch(text):
        said = repr(value) if len(repr(value)) < 60 else f"{repr(value)[:40]}..."
        raise DataError(place, f"{said} is not a mass", 'write a fraction such as "1/3"')
    if not decimals_exact:
        fix = "write a fraction, or add --decimals-exact if exactly this number is meant"
        raise DataError(place, f"{text} is a decimal", fix)
    return Fraction(text)


def _csv(path: Path, place: str, decimals_exact: bool) -> dict[str, Fraction]:
    masses: dict[str, Fraction] = {}
    for number, label, mass in _rows(path, place):
        here = f"{place}, line {number}, label {label!r}"
        if label in masses:
            raise DataError(here, "the label stands twice", "name every label once")
        masses[label] = _mass(mass, here, decimals_exact)
    if not masses:
        raise DataError(place, "it has no rows", "write one label and its mass a line")
    return masses


def _rows(path: Path, place: str) -> Iterator[tuple[int, str, str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
            if next(reader, None) != ["label", "mass"]:
                raise DataError(place, "its first line is not label,mass", "start the file with the line label,mass")
            for row in reader:
                if len(row) != 2:
                    raise DataError(f"{place}, line {reader.line_num}", f"{len(row)} entries", "write label,mass")
                yield reader.line_num, row[0], row[1]
    except UnicodeDecodeError:
        raise DataError(place, "it is not UTF-8 text", "save it as UTF-8") from None


def _named(masses: dict[str, Fraction], place: str, proper: bool) -> Law:
    """The law, with its faults told for this place."""
    try:
        return read_law(masses, "law", proper)
    except DataError as error:
        inner = error.place.removeprefix("law").lstrip(", ")
        raise DataError(f"{place}, {inner}" if inner else place, error.problem, error.fix) from None
