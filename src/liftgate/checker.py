"""Decide whether a Liftgate certificate holds, in whole numbers, with nothing but the standard library.

This is the only file that has to be trusted. It imports nothing of Liftgate, computes everything it can from the
claim itself, uses no float and never searches. It runs alone on Python 3.11 or newer:

    python -I -S checker.py certificate.json [more.json ...] [--allow ASSUMPTION ...]

Exit code 0: every certificate was accepted; 1: one was read but not accepted; 2: one could not be read.
The format is described in docs/certificates.md. Sections: 1 verdict, 2 reading, 3 envelope, 4 shared parts of a claim,
5 one rule per kind, 6 the rules by name, 7 command line.
"""

from __future__ import annotations

import json
import os
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import repeat
from math import gcd
from operator import mul
from typing import Any

FORMAT = 1
MOST_BYTES = 64 * 2**20
MOST_DIGITS = 4000
MOST_DEPTH = 32
MOST_ORDER = 1000
MOST_BITS = 2**21


# --- 1. Verdict ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided: `holds` only when the whole certificate was recomputed and found true."""

    holds: bool
    reason: str
    assumptions: tuple[str, ...] = ()
    kind: str | None = None
    claim: str | None = None
    readable: bool = True

    def __bool__(self) -> bool:
        return self.holds

    @property
    def exit_code(self) -> int:
        """0 accepted, 1 read but not accepted, 2 could not be read."""
        return 0 if self.holds else 1 if self.readable else 2


class Unreadable(Exception):
    """The text is no certificate that this checker can read."""


class Refused(Exception):
    """The certificate was read, but it is malformed or false."""


def shown(value: object) -> str:
    """Any value as short plain ASCII that is safe to print."""
    if isinstance(value, Fraction):
        over, under = shown(value.numerator), shown(value.denominator)
        return over if value.denominator == 1 else f"{over}/{under}"
    if type(value) is int:
        return str(value) if value.bit_length() <= 128 else f"(a number of {value.bit_length()} bits)"
    if isinstance(value, str):
        return ascii(value[:60]) + "..." * (len(value) > 60)
    names = {dict: "an object", list: "a list", bool: "a boolean", type(None): "null"}
    return names.get(type(value), f"a {type(value).__name__}")


# --- 2. Reading: strict JSON -----------------------------------------------------------------------------------------

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_LONG_NUMBER = re.compile(rf"(?<![0-9])[0-9]{{{MOST_DIGITS + 1}}}")


def read_file(path: str | os.PathLike[str]) -> object:
    """The JSON value in a file, read strictly."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"cannot open the file: {error.strerror or type(error).__name__}") from None
    except ValueError:
        raise Unreadable("the file name cannot be used") from None
    return read_bytes(data)


def read_bytes(data: bytes) -> object:
    """The JSON value in UTF-8 bytes: no float, boolean, duplicate key, deep nesting or huge number."""
    if len(data) > MOST_BYTES:
        raise Unreadable(f"larger than {MOST_BYTES // 2**20} MB, the most a certificate may have")
    if data.startswith(b"\xef\xbb\xbf"):
        raise Unreadable("starts with a byte order mark; save it as UTF-8 without one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8: byte {error.start} cannot be read") from None
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):  # before the parser, which would recurse
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(text[match.start()], 0)
        if depth > MOST_DEPTH:
            raise Unreadable(f"nested more than {MOST_DEPTH} deep at character {match.start()}")
    if found := _LONG_NUMBER.search(text):
        raise Unreadable(f"the number at character {found.start()} has more than {MOST_DIGITS} digits")
    try:
        value: object = json.loads(
            text, parse_int=whole, parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_no_twins
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"not whole JSON: {error.msg.lower()} at {place}; is the file cut short?") from None
    return look_through(value)


def whole(text: str) -> int:
    """Decimal digits as a whole number, whatever limit the interpreter has set for them."""
    digits, number = text.removeprefix("-"), 0
    if len(digits) > MOST_DIGITS:
        raise Unreadable(f"a number has {len(digits)} digits, more than {MOST_DIGITS}")
    for start in range(0, len(digits), 500):
        piece = digits[start : start + 500]
        number = number * 10 ** len(piece) + int(piece)
    return -number if text.startswith("-") else number


def _no_float(text: str) -> object:
    raise Unreadable(f'{shown(text)} is not a whole number; write a fraction as text, such as "3/4"')


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, value in pairs:
        if name in result:
            raise Unreadable(f"the key {shown(name)} stands twice in one object")
        result[name] = value
    return result


def look_through(document: object) -> object:
    """Refuse everything but text, whole numbers, null, lists and objects, exactly of these types."""
    levels: list[Iterator[tuple[object, object]]] = [iter([("the certificate", document)])]
    while levels:
        for name, value in levels[-1]:
            if type(name) is not str:
                raise Unreadable(f"a key is {shown(name)}, not text")
            if value is not None and type(value) not in (int, str, list, dict):
                what = "only text, whole numbers, null, lists and objects may be there"
                raise Unreadable(f"{shown(name)} holds {shown(value)}; {what}")
            if isinstance(value, int) and not -_TOO_LARGE < value < _TOO_LARGE:
                raise Unreadable(f"a number in {shown(name)} has more than {MOST_DIGITS} digits")
            if isinstance(value, (dict, list)):
                if len(levels) > MOST_DEPTH:
                    raise Unreadable(f"nested more than {MOST_DEPTH} deep in {shown(name)}")
                levels.append(iter(value.items()) if isinstance(value, dict) else zip(repeat(name), value))
                break
        else:
            levels.pop()
    return document


_TOO_LARGE = 10**MOST_DIGITS


# --- 3. Envelope -----------------------------------------------------------------------------------------------------


def check(certificate: object, allow: Iterable[str] | None = None) -> Verdict:
    """Decide a certificate given as a path, a dictionary or anything with `to_dict()`; never raises on its content.

    Without `allow` the assumptions are listed and not restricted; with it each of them has to be in it.
    """
    try:
        if isinstance(certificate, str | os.PathLike):
            document = read_file(certificate)
        else:
            to_dict = getattr(certificate, "to_dict", None)
            document = look_through(to_dict() if callable(to_dict) else certificate)
        return _judge(document, None if allow is None else frozenset([allow] if isinstance(allow, str) else allow))
    except Unreadable as error:
        return Verdict(False, str(error), readable=False)
    except Refused as error:
        return Verdict(False, str(error))


def envelope(document: object) -> tuple[str, int, object, object, tuple[str, ...], str]:
    """Kind, version, claim, evidence, assumptions and salt of a document whose outer form is right."""
    if type(document) is not dict or "liftgate-certificate" not in document:
        raise Refused('not a Liftgate certificate: no key "liftgate-certificate"')
    version(document["liftgate-certificate"], FORMAT, "the format")
    names = ("liftgate-certificate", "kind", "version", "claim", "evidence", "assumptions", "salt")
    _, kind, kind_version, claim, evidence, listed, salt = keys(document, names, "the certificate")
    if type(kind) is not str:
        raise Refused(f"kind is {shown(kind)}, not text")
    if kind not in RULES:
        raise Unreadable(f"unknown kind {shown(kind)}: a certificate from the future, or no certificate; {_NEWER}")
    number_of_version = version(kind_version, 1, f"the kind {kind}")
    if type(salt) is not str or re.fullmatch("[0-9a-f]{64}", salt) is None:
        raise Refused("salt is not a text of 64 hexadecimal digits (0-9, a-f)")
    if type(listed) is not list or not all(type(a) is str and re.fullmatch("[!-~]{1,200}", a) for a in listed):
        raise Refused("assumptions is not a list of names (printable ASCII without blanks)")
    assumptions = tuple(str(a) for a in listed)
    if len(set(assumptions)) < len(assumptions):
        raise Refused("an assumption is listed twice")
    return kind, number_of_version, claim, evidence, assumptions, salt


def _judge(document: object, allow: frozenset[str] | None) -> Verdict:
    kind, _, claim, evidence, assumptions, _ = envelope(document)
    try:
        words, fault = RULES[kind](claim, evidence)
    except Refused as error:
        return Verdict(False, str(error), assumptions, kind)
    if fault is None and allow is not None and not allow.issuperset(assumptions):
        fault = "not allowed: " + ", ".join(a for a in assumptions if a not in allow)
    reason = "recomputed in whole numbers" if fault is None else fault
    return Verdict(fault is None, reason, assumptions, kind, words)


_NEWER = "use a newer checker if you trust its source"


def version(value: object, known: int, place: str) -> int:
    """Accept exactly the version this checker knows."""
    if type(value) is not int:
        raise Refused(f"the version of {place} is {shown(value)}, not a whole number")
    if value != known:
        future = "a certificate from the future" if value > known else "no such version"
        raise Unreadable(f"{place} has version {shown(value)}, this checker reads {known}: {future}; {_NEWER}")
    return value


def keys(value: object, names: tuple[str, ...], place: str) -> list[object]:
    """The values of an object that has exactly these keys, in this order."""
    if type(value) is not dict:
        raise Refused(f"{place} is {shown(value)}, not an object")
    for name in names:
        if name not in value:
            raise Refused(f"{place} has no key {shown(name)}")
    for name in value:
        if name not in names:
            raise Refused(f"{place} has the unknown key {shown(name)}")
    return [value[name] for name in names]


# --- 4. Shared parts of a claim --------------------------------------------------------------------------------------


def items(value: object, place: str) -> list[object]:
    """A list with at least one entry."""
    if type(value) is not list or not value:
        raise Refused(f"{place} is {shown(value)}, not a list with entries")
    return value


def number(value: object, least: int, place: str) -> int:
    """A whole number that is at least `least`."""
    if type(value) is not int:
        raise Refused(f"{place} is {shown(value)}, not a whole number")
    if value < least:
        raise Refused(f"{place} is {shown(value)}, less than {least}")
    return value


_FRACTION = re.compile("(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?")


def fraction(value: object, place: str) -> Fraction:
    """A whole number, or a fraction as text "p/q" or "p"."""
    if type(value) is int:
        return Fraction(value)
    match = _FRACTION.fullmatch(value) if type(value) is str else None
    if match is None:
        raise Refused(f'{place} is {shown(value)}, not a whole number or a fraction "p/q"')
    over, under = match.groups(default="1")
    return Fraction(whole(over), whole(under))


@dataclass(frozen=True, slots=True)
class Table:
    """Counts of sensitive x public values, with the row, column and grand totals; none of them is zero."""

    cells: list[list[int]]
    rows: list[int]
    columns: list[int]
    total: int


def counts_of(value: object) -> Table:
    """The claim's counts: one row per sensitive value, one column per public value, none of them empty."""
    cells: list[list[int]] = []
    for s, row in enumerate(items(value, "counts")):
        cells.append([number(c, 0, f"counts[{s}][{x}]") for x, c in enumerate(items(row, f"counts[{s}]"))])
        if len(cells[s]) != len(cells[0]):
            raise Refused(f"counts[{s}] has {len(cells[s])} entries, counts[0] has {len(cells[0])}")
    rows = [sum(row) for row in cells]
    columns = [sum(column) for column in zip(*cells, strict=True)]
    if 0 in rows:
        raise Refused(f"row {rows.index(0)} of counts is empty (all zero)")
    if 0 in columns:
        raise Refused(f"column {columns.index(0)} of counts is empty (all zero)")
    return Table(cells, rows, columns, sum(rows))


def channel_of(value: object, size: int) -> list[dict[int, int]]:
    """The claim's channel: per released value its shares of the public values; each public value gives out `total`."""
    given, outputs = keys(value, ("total", "outputs"), "channel")
    total = number(given, 1, "channel.total")
    left = [total] * size
    result: list[dict[int, int]] = []
    for y, entry in enumerate(items(outputs, "channel.outputs")):
        place = f"channel.outputs[{y}]"
        pairs = items(entry, place)
        if len(pairs) % 2:
            raise Refused(f"{place} has {len(pairs)} entries, not pairs of public value and share")
        shares: dict[int, int] = {}
        for i in range(0, len(pairs), 2):
            x = number(pairs[i], 0, f"{place}[{i}]")
            if x >= size:
                raise Refused(f"{place}[{i}] names public value {shown(x)}, counts has only 0 to {size - 1}")
            if x in shares:
                raise Refused(f"{place} names public value {x} twice")
            shares[x] = number(pairs[i + 1], 1, f"{place}[{i + 1}]")
            left[x] -= shares[x]
        result.append(shares)
    for x, missing in enumerate(left):
        if missing:
            raise Refused(f"the shares of public value {x} add up to {shown(total - missing)}, not to {shown(total)}")
    return result


def released(table: Table, channel: list[dict[int, int]]) -> list[list[int]]:
    """Per released value y the numbers n[s] = sum_x counts[s][x] share[x][y], one for each sensitive value."""
    return [[sum(row[x] * share for x, share in shares.items()) for row in table.cells] for shares in channel]


def size_words(table: Table, channel: Sequence[object]) -> str:
    """The opening of every claim about counts and a channel."""
    return (
        f"For the table of {len(table.rows)} sensitive x {len(table.columns)} public values "
        f"(total {shown(table.total)}), released through the channel with {len(channel)} released values:"
    )


# --- 5. Rules: each takes (claim, evidence) and gives the claim in words and what is false in it, or None -------------

Finding = tuple[str, str | None]


def opened(claim: object, evidence: object, last: str) -> tuple[Table, list[list[int]], str, object]:
    """The table, what is released of it, the opening words and the last key of a claim that needs no evidence."""
    counts, channel, rest = keys(claim, ("counts", "channel", last), "claim")
    keys(evidence, (), "evidence")
    table = counts_of(counts)
    columns = released(table, channel_of(channel, len(table.columns)))
    return table, columns, size_words(table, columns), rest


def lift_bounds(claim: object, evidence: object) -> Finding:
    """Every lift P(s|y) / P(s) is inside the budget (LIFT Def. 3; for `ldp` LIFT Def. 2)."""
    table, columns, opening, budget = opened(claim, evidence, "budget")
    kind = budget.get("kind") if type(budget) is dict else None
    if kind == "ldp":
        return ratios_within(keys(budget, ("kind", "exp_eps"), "budget")[1], table, columns, opening)
    if kind in ("l1", "chi2", "alpha"):
        raise Refused(f"a budget of kind {kind} bounds no single lift; state it as measure-bounds")
    if kind != "alip":
        raise Refused(f'budget.kind is {shown(kind)}, not "alip" or "ldp"')
    _, low_given, up_given = keys(budget, ("kind", "low", "up"), "budget")
    low, up = fraction(low_given, "budget.low"), fraction(up_given, "budget.up")
    words = f"{opening} every lift P(s|y)/P(s) is at least {shown(low)} and at most {shown(up)}."
    for y, column in enumerate(columns):
        mass = sum(column)
        for s, joint in enumerate(column):
            over, under = joint * table.total, table.rows[s] * mass  # lift = over / under
            below = over * low.denominator < low.numerator * under
            if below or over * up.denominator > up.numerator * under:
                side = f"below {shown(low)}" if below else f"above {shown(up)}"
                return words, f"released value {y}, sensitive value {s}: lift {shown(Fraction(over, under))} is {side}"
    return words, None


def ratio_bound(claim: object, evidence: object) -> Finding:
    """No released value is more than exp_eps times as likely under one sensitive value as another (LIFT Def. 2)."""
    table, columns, opening, exp_eps = opened(claim, evidence, "exp_eps")
    return ratios_within(exp_eps, table, columns, opening)


def ratios_within(exp_eps: object, table: Table, columns: list[list[int]], opening: str) -> Finding:
    """max_s P(y|s) <= exp_eps min_s P(y|s) for every y; the same as max lift <= exp_eps min lift."""
    most = fraction(exp_eps, "exp_eps")
    words = f"{opening} none is more than {shown(most)} times as likely under one sensitive value as under another."
    for y, column in enumerate(columns):
        chances = [Fraction(joint, row) for joint, row in zip(column, table.rows, strict=True)]
        least, largest = min(chances), max(chances)
        if largest > most * least:
            s, t = chances.index(largest), chances.index(least)
            ratio = f"{shown(largest / least)} times" if least else "infinitely many times"
            fault = f"released value {y} is {ratio} as likely under sensitive value {s} as under {t}"
            return words, f"{fault}, above {shown(most)}"
    return words, None


def measure_bounds(claim: object, evidence: object) -> Finding:
    """The worst case of each measure over the released values is inside its bounds (LIFT Def. 5 and 6)."""
    table, columns, opening, bounds = opened(claim, evidence, "bounds")
    if type(bounds) is not dict or not bounds:
        raise Refused(f"bounds is {shown(bounds)}, not an object that names measures")
    asked = [(name, *measure_named(name), *ends_of(pair, f"bounds[{shown(name)}]")) for name, pair in bounds.items()]
    parts = []
    for name, family, _, low, up in asked:
        ends = ["infinite" if low == "inf" else f"at least {shown(low)}"] * (low is not None)
        ends = [f"exactly {shown(up)}"] if low == up else ends + [f"at most {shown(up)}"] * (up is not None)
        parts.append(f"the {'smallest' if family == 'min-lift' else 'largest'} {name} is {' and '.join(ends)}")
    words = f"{opening} {'; '.join(parts)}."
    lifts = [
        [Fraction(joint * table.total, row * sum(column)) for joint, row in zip(column, table.rows, strict=True)]
        for column in columns
    ]
    for name, family, order, low, up in asked:
        for bound, wrong, side in ((low, -1, "below"), (up, 1, "above")):
            if bound is None:
                continue
            signs = [sign_against(bound, name.endswith("-inverse"), family, order, table, one) for one in lifts]
            if (family == "min-lift") == (side == "below"):  # every released value has to keep this side
                if wrong in signs:
                    return words, f"released value {signs.index(wrong)}: {name} is {side} {shown(bound)}"
            elif all(sign == wrong for sign in signs):  # one released value is enough
                return words, f"every released value: {name} is {side} {shown(bound)}"
    return words, None


_MEASURE = re.compile(
    "(max-lift|min-lift|ldp-ratio)|(l1-lift|chi2-lift|alpha-lift-([1-9][0-9]*)(?:/([1-9][0-9]*))?)(?:-inverse)?"
)


def measure_named(name: str) -> tuple[str, Fraction]:
    """The family of a measure and the order of an alpha-lift (1 for the others)."""
    match = _MEASURE.fullmatch(name) if len(name) < 50 else None
    if match is None:
        raise Refused(f"bounds names {shown(name)}, which is no measure with exact bounds")
    alone, family, over, under = match.groups()
    if over is None:
        return alone or family, Fraction(1)
    p, q = int(over), int(under or 1)
    if gcd(p, q) > 1 or under == "1" or p <= q or max(p, q) > MOST_ORDER:
        raise Refused(f"{shown(name)}: the order must be above 1, in lowest terms, of numbers up to {MOST_ORDER}")
    return "alpha-lift", Fraction(p, q)


Bound = Fraction | str | None


def ends_of(value: object, place: str) -> tuple[Bound, Bound]:
    """A pair [low, up]; null means that this side is not claimed, a low end "inf" that the measure is infinite."""
    pair = items(value, place)
    if len(pair) != 2 or pair == [None, None]:
        raise Refused(f"{place} is not a pair [low, up] with at least one bound")
    low = None if pair[0] is None else "inf" if pair[0] == "inf" else fraction(pair[0], f"{place}[0]")
    return low, None if pair[1] is None else fraction(pair[1], f"{place}[1]")


def sign_against(
    bound: Fraction | str, inverse: bool, family: str, order: Fraction, table: Table, lifts: list[Fraction]
) -> int:
    """-1, 0 or 1 as a measure of one released value is below, at or above the bound; infinite is above all but "inf"."""
    infinite = (inverse or family == "ldp-ratio") and 0 in lifts
    if isinstance(bound, str):
        return 0 if infinite else -1
    if infinite:
        return 1
    if family in ("max-lift", "min-lift", "ldp-ratio"):
        value = min(lifts) if family == "min-lift" else max(lifts) / (1 if family == "max-lift" else min(lifts))
        return (value > bound) - (value < bound)
    if bound < 0:
        return 1
    p, q = order.numerator, order.denominator
    ratios = [1 / lift for lift in lifts] if inverse else lifts
    if family == "l1-lift":  # sum_s P(s) |l - 1|
        powers = [abs(ratio - 1) for ratio in ratios]
    elif family == "chi2-lift":  # sum_s P(s) (l - 1)^2
        powers = [(ratio - 1) ** 2 for ratio in ratios]
    else:  # (sum_s P(s) l^(p/q))^(q/p), compared in the power p/q
        if p * max(max(v.numerator, v.denominator).bit_length() for v in (*ratios, bound)) > MOST_BITS:
            raise Refused(f"the numbers are too long for the order {order}")
        powers = [ratio**p for ratio in ratios]
    return sign_of_roots([*zip(table.rows, powers, strict=True), (-table.total, bound**p)], q)


def sign_of_roots(terms: list[tuple[int, Fraction]], q: int) -> int:
    """The sign of sum c r^(1/q) over terms (c, r) with r >= 0, decided exactly.

    Enclosures with more and more bits decide nearly every sum. Real q-th roots of which no two have a rational ratio
    are linearly independent over the fractions, so that a sum is 0 only when the terms of each rational ratio cancel.
    """
    for bits in (64, 256, 1024, 4096, 16384):
        if bits == 1024:
            left = [coefficient for coefficient in like_roots(terms, q) if coefficient]
            if len(left) < 2:
                return (sum(left) > 0) - (sum(left) < 0)
        if q > 1 and bits * q > MOST_BITS:
            break
        floors = [root((r.numerator << q * bits) // r.denominator, q) for _, r in terms]  # floor(2^bits r^(1/q))
        least = sum(c * (floor + (c < 0)) for floor, (c, _) in zip(floors, terms, strict=True))
        most = sum(c * (floor + (c > 0)) for floor, (c, _) in zip(floors, terms, strict=True))
        if least > 0 or most < 0:
            return 1 if least > 0 else -1
    raise Refused("a bound is too close to its measure to be decided")


def like_roots(terms: list[tuple[int, Fraction]], q: int) -> list[Fraction]:
    """The coefficients that are left when q-th roots of rational ratio are added up."""
    groups: list[tuple[Fraction, Fraction]] = []
    for c, r in terms:
        for i, (first, coefficient) in enumerate(groups):
            ratio = r / first
            over, under = root(ratio.numerator, q), root(ratio.denominator, q)
            if over**q == ratio.numerator and under**q == ratio.denominator:
                groups[i] = (first, coefficient + c * Fraction(over, under))
                break
        else:
            if r:
                groups.append((r, Fraction(c)))
    return [coefficient for _, coefficient in groups]


def root(number: int, q: int) -> int:
    """The largest whole number whose q-th power is at most `number` (Newton from above)."""
    if q == 1 or number < 2:
        return number
    half = number.bit_length() // (2 * q)
    guess = (root(number >> q * half, q) + 1) << half if half else 4
    while True:
        better = ((q - 1) * guess + number // guess ** (q - 1)) // q
        if better >= guess:
            return guess
        guess = better


# --- 5d. Announced decision rules ------------------------------------------------------------------------------------


def announcement(claim: object, evidence: object) -> Finding:
    """Announced rules stay inside their bounds, no row has more than beta of an outcome, none inside can have less.

    Per row its mass and the chances of every outcome; p r[a] <= beta * sum over the group (ATR Lemma 1). The dual of a
    group are weights y: where  min over the bounds of sum (y[k][a] - beta * sum_j y[j][a]) * p[k] r[k][a]  is at least
    0 at beta = floor and above 0 at beta = 0, it is (being concave in beta) above 0 between, so no rule fits there.
    """
    names = ("mass", "group", "lower", "upper", "rules", "beta")
    mass_given, group_given, *tables, beta_given = keys(claim, names, "claim")
    dual_given, floor_given = keys(evidence, ("dual", "floor"), "evidence")
    mass = [fraction(v, f"mass[{k}]") for k, v in enumerate(items(mass_given, "mass"))]
    groups = [number(v, 0, f"group[{k}]") for k, v in enumerate(items(group_given, "group"))]
    low, up, rules = (
        [shares(r, f"{n}[{k}]") for k, r in enumerate(items(t, n))] for n, t in zip(names[2:5], tables, strict=True)
    )
    betas = [fraction(v, f"beta[{g}]") for g, v in enumerate(items(beta_given, "beta"))]
    floors = [fraction(v, f"floor[{g}]") for g, v in enumerate(items(floor_given, "floor"))]
    duals = items(dual_given, "dual")
    size = len(rules[0])
    if not len(mass) == len(groups) == len(low) == len(up) == len(rules) or {len(r) for r in low + up + rules} != {
        size
    }:
        raise Refused("mass, group, lower, upper and rules have different sizes")
    if not len(betas) == len(floors) == len(duals) or size < 2:
        raise Refused("beta, floor and dual have different sizes, or there is a single outcome")
    members: list[list[int]] = [[] for _ in betas]
    for k, g in enumerate(groups):
        if g >= len(betas):
            raise Refused(f"group[{k}] is {shown(g)}, beta has only {len(betas)} entries")
        if mass[k] < 0:
            raise Refused(f"mass[{k}] is negative")
        members[g].append(k)
    best = "; no rule inside the bounds stays below it" if floors == betas else ""
    shown_betas = ", ".join(shown(b) for b in betas[:12]) + ", ..." * (len(betas) > 12)
    words = (
        f"For {len(mass)} rows in {len(betas)} groups with {size} outcomes: a reader who believes the announced rules gives "
        f"no row of a group more than beta of an outcome, beta = {shown_betas}{best}."
    )
    for k, row in enumerate(rules):
        if sum(row) != 1:
            return words, f"the announced rule of row {k} adds up to {shown(sum(row))}, not to 1"
        if any(not 0 <= low[k][a] <= row[a] <= up[k][a] <= 1 for a in range(size)):
            return words, f"the announced rule of row {k} is outside its bounds"
    for g, rows in enumerate(members):
        if not sum(mass[k] for k in rows) > 0:
            raise Refused(f"group {g} has no mass")
        for a in range(size):
            part = [mass[k] * rules[k][a] for k in rows]
            if max(part) > betas[g] * sum(part):
                k = rows[part.index(max(part))]
                return (
                    words,
                    f"group {g}, outcome {a}: row {k} has {shown(max(part) / sum(part))} of it, above {shown(betas[g])}",
                )
        if not 0 <= floors[g] <= betas[g]:
            return words, f"group {g}: the floor {shown(floors[g])} is not between 0 and beta {shown(betas[g])}"
        weights = weights_of(duals[g], rows, size, f"dual[{g}]")
        totals = [sum(entry.get(a, 0) for entry in weights.values()) for a in range(size)]
        for beta in (floors[g], Fraction(0)) if floors[g] else ():
            value = Fraction(0)
            for k in rows:
                cost = [weights.get(k, {}).get(a, 0) - beta * totals[a] for a in range(size)]
                left = 1 - sum(low[k])
                for a in sorted(range(size), key=cost.__getitem__):  # the cheapest outcomes first
                    more = min(left, up[k][a] - low[k][a])
                    left -= more
                    value += mass[k] * cost[a] * (low[k][a] + more)
            if value < 0 or (beta == 0 and value == 0):
                return words, f"group {g}: the dual does not prove that no rule stays below {shown(floors[g])}"
    return words, None


def shares(value: object, place: str) -> list[Fraction]:
    """The chances of every outcome of one row."""
    return [fraction(v, f"{place}[{a}]") for a, v in enumerate(items(value, place))]


def weights_of(value: object, rows: list[int], size: int, place: str) -> dict[int, dict[int, int]]:
    """Weights of a dual, [row, outcome, weight] each, for rows of one group; none where nothing is proven."""
    weights: dict[int, dict[int, int]] = {}
    known = frozenset(rows)
    for entry in value if value == [] else items(value, place):
        triple = items(entry, place)
        if len(triple) != 3:
            raise Refused(f"{place} has an entry that is not [row, outcome, weight]")
        k, a, weight = (number(v, 0, place) for v in triple)
        if k not in known or a >= size or a in weights.get(k, {}):
            raise Refused(
                f"{place} names row {shown(k)} and outcome {shown(a)}, which is not of the group or named twice"
            )
        weights.setdefault(k, {})[a] = weight
    return weights


# --- 5e. Optimal utility: no channel inside the budget keeps more (docs/optimality.md) -------------------------------

UNIT = 128  # reals are whole numbers of 2^-UNIT, rounded to the side that makes the proof harder
GRID = 24  # lifts of tangency are whole numbers of 2^-GRID


def optimal_utility(claim: object, evidence: object) -> Finding:
    """The channel is inside the budget and keeps at least `utility` nats; no channel inside keeps more than `bound`.

    Public values with proportional counts count as one. Let v = P(X|Y=y) and h(t) = -t ln t. If F(v) = sum_x h(v_x) -
    pi_x v_x >= 0 for every v inside the budget, then I(X;Y) <= H(X) - sum_x pi_x P(x). A leaf of the tree is a box
    a <= v <= b with numbers y_s, z for which the lower bound of F on it, sum_x min over t in {a_x, b_x} of
    h(t) - (pi_x + z + sum_s y_s P(s|x)) t, plus z + R(y), is at least 0.
    """
    counts, channel, budget, *ends = keys(claim, ("counts", "channel", "budget", "utility", "bound"), "claim")
    bits, pi_bits, prices, tree = keys(evidence, ("bits", "pi_bits", "pi", "tree"), "evidence")
    least, most = fraction(ends[0], "utility"), fraction(ends[1], "bound")
    bounds = bounds_of(budget)
    words, fault = measure_bounds({"counts": counts, "channel": channel, "bounds": bounds}, {})
    words += (
        f" It keeps at least {shown(least)} nats about the public value, and no channel inside these bounds,"
        f" with any released values, keeps more than {shown(most)}."
    )
    table = counts_of(counts)
    if fault is None and information(table, channel_of(channel, len(table.columns))) < least * 2**UNIT:
        fault = f"the channel keeps less than {shown(least)} nats"
    masses: dict[tuple[int, ...], int] = {}
    for column, mass in zip(zip(*table.cells, strict=True), table.columns, strict=True):
        direction = tuple(c // gcd(*column) for c in column)
        masses[direction] = masses.get(direction, 0) + mass
    bits, pi_bits = number(bits, 1, "bits"), number(pi_bits, 0, "pi_bits")
    pi = wholes(prices, "pi")
    if max(bits, pi_bits) > UNIT // 2 or len(pi) != len(masses):
        raise Refused(f"bits or pi_bits is above {UNIT // 2}, or pi has not {len(masses)} entries, one for each column")
    entropy = sum(c * ln(table.total, c)[1] for c in table.columns)  # H(X) N, rounded up
    credit = sum(p * mass for p, mass in zip(pi, masses.values(), strict=True))
    if fault is None and Fraction(entropy, table.total << UNIT) - Fraction(credit, table.total << pi_bits) > most:
        fault = f"the prices pi do not prove the bound {shown(most)}"
    if fault is None:
        pi = [p << UNIT - bits - pi_bits for p in pi]
        fault = uncovered(list(masses), least_sum(bounds, table), bits, pi, tree)
    return words, fault


def bounds_of(budget: object) -> dict[str, list[object]]:
    """A budget as bounds on measures."""
    kind = budget.get("kind") if type(budget) is dict else None
    if kind == "ldp":
        return {"ldp-ratio": [None, keys(budget, ("kind", "exp_eps"), "budget")[1]]}
    if kind not in ("alip", "l1", "chi2", "alpha"):
        raise Refused(f'budget.kind is {shown(kind)}, not "alip", "ldp", "l1", "chi2" or "alpha"')
    *order, low, up = keys(budget, ("kind", *["order"] * (kind == "alpha"), "low", "up"), "budget")[1:]
    if kind == "alip":
        return {"min-lift": [low, None], "max-lift": [None, up]}
    if kind != "alpha" and low is not None:
        raise Refused(f"{kind}-lift-inverse is not convex: there is no proof of this kind")
    name = f"alpha-lift-{number(order[0], 2, 'budget.order')}" if order else f"{kind}-lift"
    return {end: [None, bound] for end, bound in ((name, up), (f"{name}-inverse", low)) if bound is not None}


def wholes(value: object, place: str) -> list[int]:
    """A list of whole numbers with at least one entry."""
    return [entry if type(entry) is int else number(entry, 0, place) for entry in items(value, place)]


Least = tuple[int, Callable[[list[int], list[int]], int | None]]


def least_sum(bounds: dict[str, list[object]], table: Table) -> Least:
    """How many multipliers mu a leaf has, and R(y, mu) <= sum_s y_s P(s|Y=y) as a whole number of y's unit 2^-UNIT."""
    rows, total, one = table.rows, table.total, 1 << UNIT
    limits = [fraction(low if up is None else up, name) for name, (low, up) in bounds.items()]
    under = limits[0].denominator * limits[-1].denominator
    least, most = (int(limit * under) for limit in (limits[0], limits[-1]))

    def lifts(y: list[int], mu: list[int]) -> int:
        parts = (v * row * (most if v < 0 else least) for v, row in zip(y, rows, strict=True))
        return (sum(parts) << UNIT) // (total * under)

    def ratio(y: list[int], mu: list[int]) -> int:  # lifts lie between t and E t, 1/E <= t <= 1; linear in t
        parts = (v * row * (limits[0] if v < 0 else 1) for v, row in zip(y, rows, strict=True))
        c = Fraction(one, total) * sum(parts)
        return min(c, c / limits[0]) // 1

    def l1(y: list[int], mu: list[int]) -> int:  # P(s) |l - 1| above 1 and below 1 weigh the same
        mean = Fraction(sum(v * row for v, row in zip(y, rows, strict=True)), total)
        return (mean - limits[0] * (max(y) - min(y)) / 2) * one // 1

    names = list(bounds)
    for name, count, rule in (("min-lift", 0, lifts), ("ldp-ratio", 0, ratio), ("l1-lift", 0, l1)):
        if name in names:
            return count, rule
    order = 1 if names == ["chi2-lift"] else int(names[0].split("-")[2])
    caps = [-(-Fraction(bound.numerator**order, bound.denominator**order) * one // 1) for bound in limits]

    def tangents(y: list[int], mu: list[int]) -> int | None:
        worth = [-cap * total for cap in caps]
        for v, row in zip(y, rows, strict=True):
            low, g = 0, 1 << 2 * GRID  # the least lift g with y_s + sum_b mu_b phi_b'(g) >= 0, if there is one
            while g - low > 1:
                middle = (low + g) // 2
                slopes = (m * tangent(name, order, middle)[0] for m, name in zip(mu, names, strict=True))
                low, g = (low, middle) if (v << UNIT) + sum(slopes) >= 0 else (middle, g)
            if g == 1 << 2 * GRID or min(mu) < 0:
                return None
            worth = [w + row * tangent(name, order, g)[1] for w, name in zip(worth, names, strict=True)]
        return sum(m * (w // total) for m, w in zip(mu, worth, strict=True))

    return len(names), tangents


def tangent(name: str, a: int, g: int) -> tuple[int, int]:
    """phi'(g) and phi(g) - g phi'(g), rounded down, for g in units of 2^-GRID: (l - 1)^2, l^a or l^-a."""
    if name == "chi2-lift":
        return (g - (1 << GRID)) << UNIT - GRID + 1, (1 << UNIT) - (g * g << UNIT - 2 * GRID)
    if not name.endswith("-inverse"):
        return (a * g ** (a - 1) << UNIT) >> GRID * (a - 1), ((1 - a) * g**a << UNIT) >> GRID * a
    return (-a << UNIT + GRID * (a + 1)) // g ** (a + 1), ((a + 1) << UNIT + GRID * a) // g**a


def uncovered(columns: list[tuple[int, ...]], least: Least, bits: int, pi: list[int], tree: object) -> str | None:
    """What the tree leaves unproven: its boxes have to cover all posteriors, and every leaf to prove F >= 0 on its box."""
    m = len(columns[0])
    known = {0: 0, 1 << bits: 0}  # h at the ends of boxes, rounded down
    masses = [sum(column) for column in columns]
    boxes = [([0] * len(columns), [1 << bits] * len(columns))]
    for place, node in enumerate(items(tree, "tree")):
        entries = wholes(node, f"tree[{place}]")
        if not boxes:
            return f"tree[{place}] is left over"
        low, high = boxes.pop()
        if len(entries) == 2:
            x, point = entries
            if not 0 <= x < len(columns) or not 0 < point < 1 << bits:
                raise Refused(f"tree[{place}] splits no box")
            known[point] = known[point] if point in known else point * ln(1 << bits, point)[0] >> bits
            boxes.append(([*low[:x], point, *low[x + 1 :]], high))
            boxes.append((low, [*high[:x], point, *high[x + 1 :]]))
            continue
        e, y, z, mu = entries[0], entries[1 : m + 1], entries[m + 1 : m + 2], entries[m + 2 :]
        if len(entries) != m + 2 + least[0] or not 0 <= e <= UNIT // 2:
            raise Refused(f"tree[{place}] is neither a split nor a leaf")
        rest, shift = least[1](y, mu), UNIT - bits - e
        value = (z[0] << UNIT - e) + ((rest or 0) >> e)
        free = z[0] << shift
        for a, b, price, column, mass in zip(low, high, pi, columns, masses, strict=True):
            slope = price + free - (-(sum(map(mul, y, column)) << shift) // mass)
            value += min(known[a] - slope * a, known[b] - slope * b)
        if value < 0 or rest is None:
            return f"tree[{place}] does not prove its box"
    return "the tree leaves a box open" if boxes else None


def information(table: Table, outputs: list[dict[int, int]]) -> int:
    """I(X;Y) = sum_xy c_x w_xy ln(w_xy N / n_y) / (N T), rounded down to units of 2^-UNIT."""
    value = 0
    for shares in outputs:
        mass = sum(table.columns[x] * share for x, share in shares.items())
        value += sum(table.columns[x] * share * ln(share * table.total, mass)[0] for x, share in shares.items())
    return value // (table.total * sum(shares.get(0, 0) for shares in outputs))


def ln(over: int, under: int) -> tuple[int, int]:
    """Whole numbers around 2^UNIT ln(over / under): 2 atanh((a - b) / (a + b)) after scaling to [2/3, 4/3]."""
    shift = over.bit_length() - under.bit_length()
    over, under = over << max(-shift, 0), under << max(shift, 0)
    if 3 * over > 4 * under:
        shift, under = shift + 1, 2 * under
    elif 3 * over < 2 * under:
        shift, over = shift - 1, 2 * over
    low, up = atanh(abs(over - under), over + under)
    low, up = (low, up) if over >= under else (-up, -low)
    return low + shift * LN2[shift < 0] >> 16, -(-(up + shift * LN2[shift >= 0]) >> 16)


def atanh(over: int, under: int) -> tuple[int, int]:
    """Whole numbers around 2^(UNIT + 16) times 2 atanh(over / under), for a ratio of at most 1/3 (9 lost per term)."""
    power = (over << UNIT + 16) // under
    square, low, terms = power * power >> UNIT + 16, 0, 0
    while power:
        low += power // (2 * terms + 1)
        power, terms = power * square >> UNIT + 16, terms + 1
    return 2 * low, 2 * low + 9 * terms + 9


LN2 = atanh(1, 3)


# --- 5f. Couplings of two laws (STAR Def. 10 and 14, Thm. 20) ---------------------------------------------------------

Law = dict[str, Fraction]
Partners = Callable[[str], Sequence[str]]


def entries(value: object, place: str) -> dict[str, object]:
    """An object with at least one key."""
    if type(value) is not dict or not value:
        raise Refused(f"{place} is {shown(value)}, not an object with entries")
    return value


def labelled(value: object, size: int, place: str) -> list[list[Any]]:
    """A list, possibly empty, of rows of one length that start with a label, or with two where there is room."""
    if type(value) is not list or not all(type(row) is list and len(row) == size for row in value):
        raise Refused(f"{place} is not a list of rows with {size} entries")
    if not all(type(label) is str for row in value for label in row[:2]):
        raise Refused(f"a label in {place} is not text")
    return value


def law_of(value: object, place: str) -> Law:
    """Masses by label, none negative; they add up to 1, or to less for a sub-distribution."""
    law = {label: fraction(mass, f"{place} {shown(label)}") for label, mass in entries(value, place).items()}
    if min(law.values()) < 0 or sum(law.values()) > 1:
        raise Refused(f"{place} has a negative mass, or masses that add up to more than 1")
    return law


def partners_of(relation: object, right: Law) -> Partners:
    """For a left label the right labels related to it: equal, at most so far apart, or listed."""
    if relation == "equal":
        return lambda a: [a] if a in right else []
    if type(relation) is str and relation.startswith("distance<="):
        most = fraction(relation.removeprefix("distance<="), "relation")
        ordered = sorted(right, key=lambda b: fraction(b, "a right label"))
        places = [fraction(b, "a right label") for b in ordered]

        def near(a: str) -> list[str]:
            x = fraction(a, "a left label")
            return ordered[bisect_left(places, x - most) : bisect_right(places, x + most)]

        return near
    rows: dict[str, list[str]] = {}
    for a, b in labelled(keys(relation, ("pairs",), "relation")[0], 2, "pairs"):
        rows.setdefault(a, []).extend([b] * (b in right))
    return lambda a: rows.get(a, [])


def left_over(flow: object, t: Fraction, left: Law, right: Law, related: Callable[[str, str], bool]) -> Fraction:
    """The left mass outside a flow on related pairs that takes at most the left masses and t times the right ones."""
    rows, columns = dict(left), {b: t * mass for b, mass in right.items()}
    for a, b, given in labelled(flow, 3, "a flow"):
        mass = fraction(given, "a flow")
        if a not in rows or b not in columns or mass < 0 or not related(a, b):
            raise Refused(f"the flow from {shown(a)} to {shown(b)} is negative, or the labels are not related")
        rows[a], columns[b] = rows[a] - mass, columns[b] - mass
        if rows[a] < 0 or columns[b] < 0:
            raise Refused(f"the flow from {shown(a)} to {shown(b)} takes more than there is")
    return sum(rows.values(), Fraction(0))


def two_laws(claim: object, *last: str) -> tuple[Law, Law, Partners, str, list[object]]:
    """Both laws, the relation R, the opening words and the rest of a claim about two laws."""
    given, other, relation, *rest = keys(claim, ("left", "right", "relation", *last), "claim")
    left, right = law_of(given, "left"), law_of(other, "right")
    short = "".join(f", {shown(1 - sum(law.values()))} missing" for law in (left, right) if sum(law.values()) < 1)
    named = shown(relation) if type(relation) is str else "as listed"
    opening = f"For laws on {len(left)} and {len(right)} labels{short}, R {named}:"
    return left, right, partners_of(relation, right), opening, rest


def closeness(exp_eps: object, delta: object) -> tuple[Fraction, Fraction]:
    """An e^eps of at least 1 and a delta from 0 to 1."""
    t, d = fraction(exp_eps, "exp_eps"), fraction(delta, "delta")
    if t < 1 or not 0 <= d <= 1:
        raise Refused(f"exp_eps {shown(t)} is below 1, or delta {shown(d)} is not from 0 to 1")
    return t, d


def coupling(claim: object, evidence: object) -> Finding:
    """left(X) <= exp_eps right(R(X)) + delta for every X: a flow carries all but delta of the left law."""
    left, right, partners, opening, rest = two_laws(claim, "exp_eps", "delta")
    t, d = closeness(*rest)
    words = f"{opening} left(X) <= {shown(t)} right(R(X)) + {shown(d)} for every set X of left labels."
    lost = left_over(keys(evidence, ("flow",), "evidence")[0], t, left, right, lambda a, b: b in partners(a))
    return words, None if lost <= d else f"the flow leaves {shown(lost)} of the left law, more than {shown(d)}"


def no_coupling(claim: object, evidence: object) -> Finding:
    """left(X) > exp_eps right(R(X)) + delta for the event X."""
    left, right, partners, opening, rest = two_laws(claim, "exp_eps", "delta")
    t, d = closeness(*rest)
    words = f"{opening} left(X) > {shown(t)} right(R(X)) + {shown(d)} for some set X of left labels."
    given = items(keys(evidence, ("event",), "evidence")[0], "event")
    event = {row[0] for row in labelled([[a] for a in given], 1, "event")}
    if not event <= set(left):
        raise Refused("event names a label that the left law does not have")
    here = sum(left[a] for a in event)
    limit = t * sum(right[b] for b in {b for a in event for b in partners(a)}) + d
    return words, None if here > limit else f"the event has only {shown(here)}, not more than {shown(limit)}"


def profile(claim: object, evidence: object) -> Finding:
    """The least delta at t = exp_eps is the sum of max(0, p - t q) over blocks (p, q), for every t >= 0.

    The ratios p/q fall, a flow saturates every block, and no label is related to one of a later block.
    """
    left, right, partners, opening, (given,) = two_laws(claim, "blocks")
    blocks = [[fraction(mass, "blocks") for mass in items(pair, "blocks")] for pair in items(given, "blocks")]
    words = f"{opening} the least delta at any t is the sum of max(0, p - t q) over {len(blocks)} blocks (p, q)."
    *maps, flow = keys(evidence, ("left", "right", "flow"), "evidence")
    homes = (entries(one, "evidence") if one else {} for one in maps)
    here, there = ({label: number(k, 0, "a block") for label, k in home.items()} for home in homes)
    if here.keys() != {a for a in left if left[a]} or there.keys() != {b for b in right if right[b]}:
        raise Refused("the evidence does not put exactly the labels with mass into blocks")
    if max([0, *here.values(), *there.values()]) >= len(blocks):
        raise Refused(f"the evidence names a block beyond the {len(blocks)} of the claim")
    sums = [[Fraction(0), Fraction(0)] for _ in blocks]
    for side, home, law in ((0, here, left), (1, there, right)):
        for label, k in home.items():
            sums[k][side] += law[label]
    if sums != blocks:
        return words, "the labels of the blocks do not have the masses of the claim"
    for k, (pair, after) in enumerate(zip(blocks, blocks[1:], strict=False)):  # noqa: RUF007
        if pair[0] * after[1] <= after[0] * pair[1]:
            return words, f"the ratio of block {k} is not above that of block {k + 1}"
    paired = {a: left[a] for a, k in here.items() if blocks[k][1]}
    scaled = {b: right[b] * blocks[k][0] / blocks[k][1] for b, k in there.items()}
    if left_over(flow, Fraction(1), paired, scaled, lambda a, b: here[a] == there[b] and b in partners(a)):
        return words, "the flow does not carry all of the blocks"
    for a, k in here.items():
        if any(there.get(b, k) > k for b in partners(a)):
            return words, f"left label {shown(a)} of block {k} is related to a label of a later block"
    return words, None


def chain(claim: object, evidence: object) -> Finding:
    """From every pair of starts two programs end with laws that are (exp_eps, delta)-close under equality.

    A flow for every related pair of states of every step: factors multiply, delta is 1 - prod (1 - delta_i) (STAR Lemma
    13.3, E49). One proof up to equality, or one per output k up to "left = k implies right = k", deltas added.
    """
    *sides, given, exp_eps, delta = keys(claim, ("left", "right", "starts", "exp_eps", "delta"), "claim")
    programs = [[entries(step, "a step") for step in items(side, "a program")] for side in sides]
    left, right = ([{s: law_of(law, s) for s, law in step.items()} for step in steps] for steps in programs)
    (t, d), starts = closeness(exp_eps, delta), {(a, b) for a, b in labelled(items(given, "starts"), 2, "starts")}
    words = f"After {len(left)} steps from any of {len(starts)} pairs of starts"
    words += f", left(X) <= {shown(t)} right(X) + {shown(d)} for every set X of outputs."
    listed = items(keys(evidence, ("proofs",), "evidence")[0], "proofs")
    proofs = [keys(proof, ("output", "steps"), "a proof") for proof in listed]
    if [output for output, _ in proofs] != [None]:
        outputs = {row[0] for row in labelled([[output] for output, _ in proofs], 1, "the outputs")}
        if len(outputs) < len(proofs) or not {b for law in left[-1].values() for b in law if law[b]} <= outputs:
            return words, "an output of the left program has no proof, or two"
    lost = Fraction(0)
    for output, steps in proofs:
        parts = [keys(step, ("exp_eps", "delta", "pairs"), "a step") for step in items(steps, "steps")]
        flows = [{(a, b): flow for a, b, flow in labelled(part[2], 3, "pairs")} for part in parts]
        if not len(parts) == len(left) == len(right) or not starts <= set(flows[0]):
            raise Refused("a proof or a program does not have every step, or not every start")
        factor, kept = Fraction(1), Fraction(1)
        for i, (t_i, d_i) in enumerate(closeness(*part[:2]) for part in parts):
            factor, kept = factor * t_i, kept * (1 - d_i)
            related = partial(goes_on, flows[i + 1] if i + 1 < len(left) else None, output)
            for (a, b), flow in flows[i].items():
                if a not in left[i] or b not in right[i]:
                    raise Refused(f"step {i} has no state {shown(a)} on the left or {shown(b)} on the right")
                if left_over(flow, t_i, left[i][a], right[i][b], related) > d_i:
                    return words, f"step {i}: the flow from {shown(a)}, {shown(b)} leaves more than {shown(d_i)}"
        lost += 1 - kept
        if factor > t:
            return words, f"the factors of a proof multiply to {shown(factor)}, above {shown(t)}"
    return words, None if lost <= d else f"the deltas come to {shown(lost)}, above {shown(d)}"


def goes_on(later: dict[tuple[str, str], object] | None, output: object, a: str, b: str) -> bool:
    """Whether two states may be paired: as a pair of the next step has them, or at the end as the proof says."""
    if later is not None:
        return (a, b) in later
    return a == b if output is None else a != output or b == output


# --- 6. The rules by name --------------------------------------------------------------------------------------------

RULES: dict[str, Callable[[object, object], Finding]] = {
    "lift-bounds": lift_bounds,
    "ratio-bound": ratio_bound,
    "measure-bounds": measure_bounds,
    "optimal-utility": optimal_utility,
    "announcement": announcement,
    "coupling": coupling,
    "no-coupling": no_coupling,
    "profile": profile,
    "chain": chain,
}


# --- 7. Command line -------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Check the certificates named on the command line and print what was found."""
    import argparse

    parser = argparse.ArgumentParser(prog="checker.py", allow_abbrev=False, description="Check Liftgate certificates.")
    parser.add_argument("files", nargs="+", metavar="CERT", help="certificate file (JSON)")
    parser.add_argument(
        "--allow", action="append", metavar="ASSUMPTION", help="accept this assumption and no other (repeat for more)"
    )
    options = parser.parse_args(arguments)
    verdicts = [(path, check(path, options.allow)) for path in options.files]
    for path, verdict in verdicts:
        name = path if path.isascii() and path.isprintable() else ascii(path)
        reason = verdict.reason.encode("ascii", "backslashreplace").decode()  # the system's own words may not be ASCII
        print(f"{name}: {('accepted', 'REFUSED', 'unreadable')[verdict.exit_code]}: {reason}")
        if verdict.claim is not None:
            print(f"  {'claim' if verdict.holds else 'claimed, not shown'}: {verdict.claim}")
        if verdict.kind is not None:
            print(f"  assumptions: {', '.join(verdict.assumptions) or 'none'}")
    return max(verdict.exit_code for _, verdict in verdicts)


if __name__ == "__main__":
    sys.exit(main())
