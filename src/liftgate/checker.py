"""Decide whether a Liftgate certificate holds, in whole numbers, with nothing but the standard library.

This is the only file that has to be trusted. It imports nothing of Liftgate, computes everything it can from the
claim itself, uses no float and never searches. It runs alone on Python 3.11 or newer:

    python -I -S checker.py certificate.json [more.json ...] [--allow ASSUMPTION ...]

Exit code 0: every certificate was accepted; 1: one was read but not accepted; 2: one could not be read.
The format is described in docs/certificates.md. Sections: 1 verdict, 2 reading, 3 envelope, 4 shared parts of a claim,
5 one rule per kind, 6 command line.
"""

from __future__ import annotations

import json
import os
import re
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise, repeat
from math import gcd
from operator import mul
from typing import Any, NamedTuple

FORMAT = 1
MOST_BYTES = 64 * 2**20
MOST_DIGITS = 4000
MOST_DEPTH = 32
MOST_ORDER = 1000
MOST_BITS = 2**21
UNIT = 128  # reals of 5e are whole numbers of 2^-UNIT, rounded to the side that makes the proof harder
GRID = 24  # lifts of tangency are whole numbers of 2^-GRID

TOO_LARGE = 10**MOST_DIGITS
STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
FRACTION = re.compile("(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?")
MEASURE = re.compile(
    "(max-lift|min-lift|ldp-ratio)|(l1-lift|chi2-lift|alpha-lift-([1-9][0-9]*)(?:/([1-9][0-9]*))?)(?:-inverse)?"
)
NEWER = "use a newer checker if you trust its source"

Law = dict[str, Fraction]
Partners = Callable[[str], Sequence[str]]
Least = tuple[int, Callable[[list[int], list[int]], int | None]]


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


class Refused(Exception):
    """The certificate was read, but it is malformed or false."""


class Unreadable(Refused):
    """The text is no certificate that this checker can read."""


def need(fact: object, reason: str, otherwise: type[Refused] = Refused) -> None:
    """Refuse what is not so."""
    if not fact:
        raise otherwise(reason)


def shown(value: object) -> str:
    """Any value as short plain ASCII that is safe to print."""
    if isinstance(value, Fraction):
        return shown(value.numerator) + f"/{shown(value.denominator)}" * (value.denominator > 1)
    if type(value) is int:
        return str(value) if value.bit_length() <= 128 else f"(a number of {value.bit_length()} bits)"
    if isinstance(value, str):
        return ascii(value[:60]) + "..." * (len(value) > 60)
    if type(value) is float:
        return str(value)
    names = {dict: "an object", list: "a list", bool: "a boolean", type(None): "null"}
    return names.get(type(value), f"a {type(value).__name__}")


# --- 2. Reading: strict JSON -----------------------------------------------------------------------------------------


def read_file(path: str | os.PathLike[str]) -> object:
    """The JSON value in a file, read strictly."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the file name cannot be used"
        raise Unreadable(f"cannot open the file: {reason}") from None
    return read_bytes(data)


def read_bytes(data: bytes) -> object:
    """The JSON value in UTF-8 bytes: no float, boolean, duplicate key, deep nesting or huge number."""
    need(len(data) <= MOST_BYTES, f"larger than {MOST_BYTES // 2**20} MB, the most a certificate may have", Unreadable)
    need(data[:3] != b"\xef\xbb\xbf", "starts with a byte order mark; save it as UTF-8 without one", Unreadable)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8: byte {error.start} cannot be read") from None
    depth = 0
    for match in STRING_OR_BRACKET.finditer(text):  # before the parser, which would recurse
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(text[match.start()], 0)
        if depth > MOST_DEPTH:
            raise Unreadable(f"nested more than {MOST_DEPTH} deep at character {match.start()}")
    try:
        return look_through(json.loads(text, parse_int=whole, object_pairs_hook=no_twins))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"not whole JSON: {error.msg.lower()} at {place}; is the file cut short?") from None


def whole(text: str) -> int:
    """Decimal digits as a whole number, whatever limit the interpreter has set for them."""
    digits, number = text.removeprefix("-"), 0
    need(len(digits) <= MOST_DIGITS, f"a number has more than {MOST_DIGITS} digits", Unreadable)
    for start in range(0, len(digits), 500):
        piece = digits[start : start + 500]
        number = number * 10 ** len(piece) + int(piece)
    return -number if text.startswith("-") else number


def no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object in which no key stands twice."""
    twins = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]
    need(not twins, f"the key {shown(''.join(twins[:1]))} stands twice in one object", Unreadable)
    return dict(pairs)


def look_through(value: object, name: str = "the certificate", depth: int = 0) -> object:
    """Refuse everything but text, whole numbers, null, lists and objects, exactly of these types."""
    if type(value) is int:
        if not -TOO_LARGE < value < TOO_LARGE:
            raise Unreadable(f"a number in {shown(name)} has more than {MOST_DIGITS} digits")
    elif type(value) is dict or type(value) is list:
        if depth == MOST_DEPTH:
            raise Unreadable(f"nested more than {MOST_DEPTH} deep in {shown(name)}")
        for key, entry in value.items() if type(value) is dict else zip(repeat(name), value):
            if type(key) is not str:
                raise Unreadable(f"a key is {shown(key)}, not text")
            look_through(entry, key, depth + 1)
    elif type(value) is not str and value is not None:
        fix = 'write text, null, whole numbers, and fractions as text such as "3/4"'
        raise Unreadable(f"{shown(name)} holds {shown(value)}; {fix}")
    return value


# --- 3. Envelope -----------------------------------------------------------------------------------------------------


def check(certificate: object, allow: Iterable[str] | None = None) -> Verdict:
    """Decide a certificate given as a path, a dictionary or anything with `to_dict()`; never raises on its content.

    Without `allow` the assumptions are listed and not restricted; with it each of them has to be in it.
    """
    kind, words, assumptions = None, None, tuple[str, ...]()
    try:
        if isinstance(certificate, str | os.PathLike):
            document = read_file(certificate)
        else:
            to_dict = getattr(certificate, "to_dict", None)
            document = look_through(to_dict() if callable(to_dict) else certificate)
        kind, _, claim, evidence, assumptions, _ = envelope(document)
        for words in RULES[kind](claim, evidence):  # noqa: B007 - to its end: before it, a rule has shown nothing
            pass
        allowed = assumptions if allow is None else {allow} if isinstance(allow, str) else set(allow)
        strange = [a for a in assumptions if a not in allowed]
        need(not strange, "not allowed: " + ", ".join(strange))
    except Refused as error:
        return Verdict(False, str(error), assumptions, kind, words, readable=not isinstance(error, Unreadable))
    return Verdict(True, "recomputed in whole numbers", assumptions, kind, words)


def envelope(document: object) -> tuple[str, int, object, object, tuple[str, ...], str]:
    """Kind, version, claim, evidence, assumptions and salt of a document whose outer form is right."""
    if type(document) is not dict or "liftgate-certificate" not in document:
        raise Refused('not a Liftgate certificate: no key "liftgate-certificate"')
    version(document["liftgate-certificate"], FORMAT, "the format")
    names = ("liftgate-certificate", "kind", "version", "claim", "evidence", "assumptions", "salt")
    _, kind, kind_version, claim, evidence, listed, salt = keys(document, names, "the certificate")
    need(type(kind) is str, f"kind is {shown(kind)}, not text")
    need(kind in RULES, f"unknown kind {shown(kind)}: a certificate from the future? {NEWER}", Unreadable)
    number_of_version = version(kind_version, 1, f"the kind {kind}")
    need(type(salt) is str and re.fullmatch("[0-9a-f]{64}", salt), "salt is not a text of 64 hexadecimal digits")
    names_only = type(listed) is list and all(type(a) is str and re.fullmatch("[!-~]{1,200}", a) for a in listed)
    need(names_only, "assumptions is not a list of names (printable ASCII without blanks)")
    need(len(set(listed)) == len(listed), "an assumption is listed twice")
    return kind, number_of_version, claim, evidence, tuple(listed), salt


def version(value: object, known: int, place: str) -> int:
    """Accept exactly the version this checker knows."""
    given = number(value, f"the version of {place}", -TOO_LARGE)
    future = "a certificate from the future" if given > known else "no such version"
    unlike = f"{place} has version {shown(value)}, this checker reads {known}: {future}; {NEWER}"
    need(given == known, unlike, Unreadable)
    return known


def keys(value: Any, names: tuple[str, ...], place: str) -> list[Any]:
    """The values of an object that has exactly these keys, in this order."""
    need(type(value) is dict, f"{place} is {shown(value)}, not an object")
    wrong = [f"no key {shown(name)}" for name in names if name not in value]
    wrong += [f"the unknown key {shown(name)}" for name in value if name not in names]
    need(not wrong, f"{place} has {''.join(wrong[:1])}")
    return [value[name] for name in names]


# --- 4. Shared parts of a claim --------------------------------------------------------------------------------------


def items(value: Any, place: str, kind: type[Any] = list) -> Any:
    """A list, or an object, with at least one entry."""
    need(type(value) is kind and value, f"{place} is {shown(value)}, not {shown(kind())} with entries")
    return value


def rows_of(value: Any, size: int, place: str, labels: int = 0) -> list[list[Any]]:
    """A list, possibly empty, of lists of one length that start with so many labels."""
    even = type(value) is list and all(type(row) is list and len(row) == size for row in value)
    need(even, f"{place} is not a list of rows with {size} entries")
    need(all(type(label) is str for row in value for label in row[:labels]), f"a label in {place} is not text")
    return list(value)


def each(read: Callable[[object, str], Any], value: object, place: str) -> list[Any]:
    """A list with at least one entry, each of them read."""
    return [read(entry, f"{place}[{i}]") for i, entry in enumerate(items(value, place))]


def number(value: object, place: str, least: int = 0) -> int:
    """A whole number that is at least `least`."""
    if type(value) is not int:
        raise Refused(f"{place} is {shown(value)}, not a whole number")
    if value < least:
        raise Refused(f"{place} is {shown(value)}, less than {shown(least)}")
    return value


def fraction(value: object, place: str) -> Fraction:
    """A whole number, or a fraction as text "p/q" or "p"."""
    if type(value) is int:
        return Fraction(value)
    match = FRACTION.fullmatch(value) if type(value) is str else None
    if match is None:
        raise Refused(f'{place} is {shown(value)}, not a whole number or a fraction "p/q"')
    over, under = match.groups(default="1")
    return Fraction(whole(over), whole(under))


class Table(NamedTuple):
    """Counts of sensitive x public values, with the row, column and grand totals; none of them is zero."""

    cells: list[list[int]]
    rows: list[int]
    columns: list[int]
    total: int


def counts_of(value: object) -> Table:
    """The claim's counts: one row per sensitive value, one column per public value, none of them empty."""
    cells = each(partial(each, number), value, "counts")
    for s, row in enumerate(cells):
        need(len(row) == len(cells[0]), f"counts[{s}] has {len(row)} entries, counts[0] has {len(cells[0])}")
    rows = [sum(row) for row in cells]
    columns = [sum(column) for column in zip(*cells, strict=True)]
    for name, sums in (("row", rows), ("column", columns)):
        if 0 in sums:
            raise Refused(f"{name} {sums.index(0)} of counts is empty (all zero)")
    return Table(cells, rows, columns, sum(rows))


def channel_of(value: object, size: int) -> list[dict[int, int]]:
    """The claim's channel: per released value its shares of the public values; each public value gives out `total`."""
    given, outputs = keys(value, ("total", "outputs"), "channel")
    total = number(given, "channel.total", 1)
    left = [total] * size
    result: list[dict[int, int]] = []
    for y, pairs in enumerate(each(items, outputs, "channel.outputs")):
        place, shares = f"channel.outputs[{y}]", {}
        need(len(pairs) % 2 == 0, f"{place} has {len(pairs)} entries, not pairs of public value and share")
        for i in range(0, len(pairs), 2):
            x = number(pairs[i], f"{place}[{i}]")
            need(x < size, f"{place}[{i}] names public value {shown(x)}, counts has only 0 to {size - 1}")
            need(x not in shares, f"{place} names public value {shown(x)} twice")
            shares[x] = number(pairs[i + 1], f"{place}[{i + 1}]", 1)
            left[x] -= shares[x]
        result.append(shares)
    for x, missing in enumerate(left):
        need(missing == 0, f"the shares of public value {x} add up to {shown(total - missing)}, not to {shown(total)}")
    return result


def bounds_of(budget: object) -> dict[str, list[object]]:
    """A budget as bounds on measures."""
    kind = budget.get("kind") if type(budget) is dict else None
    if kind == "ldp":
        return {"ldp-ratio": [None, keys(budget, ("kind", "exp_eps"), "budget")[1]]}
    need(kind in ("alip", "l1", "chi2", "alpha"), f"budget.kind is {shown(kind)}, which is no kind of budget")
    _, *order, low, up = keys(budget, ("kind", *["order"] * (kind == "alpha"), "low", "up"), "budget")
    if kind == "alip":
        return {"min-lift": [low, None], "max-lift": [None, up]}
    name = f"alpha-lift-{number(order[0], 'budget.order', 2)}" if order else f"{kind}-lift"
    return {end: [None, bound] for end, bound in ((name, up), (f"{name}-inverse", low)) if bound is not None}


# --- 5. Rules: each yields the claim in words and goes on until it has recomputed all of it, or refuses --------------


def opened(claim: object, evidence: object, last: str) -> tuple[Table, list[list[int]], str, object]:
    """The table, per released value y the n[s] = sum_x counts[s][x] share[x][y], the opening words and the last key."""
    counts, channel, rest = keys(claim, ("counts", "channel", last), "claim")
    keys(evidence, (), "evidence")
    table = counts_of(counts)
    outputs = channel_of(channel, len(table.columns))
    columns = [[sum(row[x] * share for x, share in shares.items()) for row in table.cells] for shares in outputs]
    words = f"For the table of {len(table.rows)} sensitive x {len(table.columns)} public values (total {shown(table.total)})"
    words += f", released through the channel with {len(columns)} released values:"
    return table, columns, words, rest


def lift_bounds(claim: object, evidence: object) -> Iterator[str]:
    """Every lift P(s|y) / P(s) is inside the budget (LIFT Def. 3; for `ldp` LIFT Def. 2)."""
    counts, channel, budget = keys(claim, ("counts", "channel", "budget"), "claim")
    bounds = bounds_of(budget)
    if "ldp-ratio" in bounds:
        same = {"counts": counts, "channel": channel, "exp_eps": bounds["ldp-ratio"][1]}
        return (yield from ratio_bound(same, evidence))
    need("max-lift" in bounds, "a budget of this kind bounds no single lift; state it as measure-bounds")
    table, columns, opening, _ = opened(claim, evidence, "budget")
    low, up = fraction(bounds["min-lift"][0], "budget.low"), fraction(bounds["max-lift"][1], "budget.up")
    yield f"{opening} every lift P(s|y)/P(s) is at least {shown(low)} and at most {shown(up)}."
    for y, column in enumerate(columns):
        mass = sum(column)
        for s, joint in enumerate(column):
            over, under = joint * table.total, table.rows[s] * mass  # lift = over / under
            below = over * low.denominator < low.numerator * under
            if below or over * up.denominator > up.numerator * under:
                side = f"below {shown(low)}" if below else f"above {shown(up)}"
                raise Refused(f"released value {y}, sensitive value {s}: lift {shown(Fraction(over, under))} is {side}")


def ratio_bound(claim: object, evidence: object) -> Iterator[str]:
    """max_s P(y|s) <= exp_eps min_s P(y|s) for every y; the same as max lift <= exp_eps min lift (LIFT Def. 2)."""
    table, columns, opening, exp_eps = opened(claim, evidence, "exp_eps")
    most = fraction(exp_eps, "exp_eps")
    yield f"{opening} none is more than {shown(most)} times as likely under one sensitive value as under another."
    for y, column in enumerate(columns):
        chances = [Fraction(joint, row) for joint, row in zip(column, table.rows, strict=True)]
        least, largest = min(chances), max(chances)
        if largest > most * least:
            s, t = chances.index(largest), chances.index(least)
            ratio = f"{shown(largest / least)} times" if least else "infinitely many times"
            fault = f"released value {y} is {ratio} as likely under sensitive value {s} as under {t}"
            raise Refused(f"{fault}, above {shown(most)}")


def measure_bounds(claim: object, evidence: object) -> Iterator[str]:
    """The worst case of each measure over the released values is inside its bounds (LIFT Def. 5 and 6)."""
    table, columns, opening, given = opened(claim, evidence, "bounds")
    bounds = items(given, "bounds", dict)
    asked = [(name, *measure_named(name), *ends_of(pair, f"bounds[{shown(name)}]")) for name, pair in bounds.items()]
    parts = []
    for name, family, _, low, up in asked:
        ends = ["infinite" if low == "inf" else f"at least {shown(low)}"] * (low is not None)
        ends = [f"exactly {shown(up)}"] if low == up else ends + [f"at most {shown(up)}"] * (up is not None)
        parts.append(f"the {'smallest' if family == 'min-lift' else 'largest'} {name} is {' and '.join(ends)}")
    yield f"{opening} {'; '.join(parts)}."
    lifts = []
    for column in columns:
        scale = Fraction(table.total, sum(column))
        lifts.append([scale * joint / row for joint, row in zip(column, table.rows, strict=True)])
    for name, family, order, low, up in asked:
        for bound, wrong, side in ((low, -1, "below"), (up, 1, "above")):
            if bound is None:
                continue
            signs = [sign_against(bound, name, family, order, table, one) for one in lifts]
            if (family == "min-lift") == (side == "below"):  # every released value has to keep this side
                if wrong in signs:
                    raise Refused(f"released value {signs.index(wrong)}: {name} is {side} {shown(bound)}")
            elif all(sign == wrong for sign in signs):  # one released value is enough
                raise Refused(f"every released value: {name} is {side} {shown(bound)}")


def measure_named(name: str) -> tuple[str, Fraction]:
    """The family of a measure and the order of an alpha-lift (1 for the others)."""
    match = MEASURE.fullmatch(name) if len(name) < 50 else None
    if match is None:
        raise Refused(f"bounds names {shown(name)}, which is no measure with exact bounds")
    alone, family, over, under = match.groups()
    if over is None:
        return alone or family, Fraction(1)
    p, q = int(over), int(under or 1)
    fine = gcd(p, q) == 1 and under != "1" and MOST_ORDER >= p > q
    need(fine, f"{shown(name)}: the order must be above 1, in lowest terms, of numbers up to {MOST_ORDER}")
    return "alpha-lift", Fraction(p, q)


def ends_of(value: object, place: str) -> tuple[Any, Any]:
    """A pair [low, up]; null means that this side is not claimed, a low end "inf" that the measure is infinite."""
    pair = items(value, place)
    need(len(pair) == 2 and pair != [None, None], f"{place} is not a pair [low, up] with at least one bound")
    low = None if pair[0] is None else "inf" if pair[0] == "inf" else fraction(pair[0], f"{place}[0]")
    return low, None if pair[1] is None else fraction(pair[1], f"{place}[1]")


def sign_against(bound: Any, name: str, family: str, order: Fraction, table: Table, lifts: list[Fraction]) -> int:
    """-1, 0 or 1 as a measure of one released value is below, at or above the bound; infinite is above all but "inf"."""
    inverse = name.endswith("-inverse")
    infinite, unbounded = (inverse or family == "ldp-ratio") and 0 in lifts, bool(bound == "inf")
    if infinite or unbounded:
        return infinite - unbounded
    if family in ("max-lift", "min-lift", "ldp-ratio"):
        value = min(lifts) if family == "min-lift" else max(lifts) / (1 if family == "max-lift" else min(lifts))
        return int(value > bound) - int(value < bound)
    if bound < 0:
        return 1
    p, q = order.numerator, order.denominator
    ratios = [1 / lift for lift in lifts] if inverse else lifts
    if family == "l1-lift":  # sum_s P(s) |l - 1|
        powers = [abs(ratio - 1) for ratio in ratios]
    elif family == "chi2-lift":  # sum_s P(s) (l - 1)^2
        powers = [(ratio - 1) ** 2 for ratio in ratios]
    else:  # (sum_s P(s) l^(p/q))^(q/p), compared in the power p/q
        longest = max(max(v.numerator, v.denominator).bit_length() for v in (*ratios, bound))
        need(p * longest <= MOST_BITS, f"the numbers are too long for the order {order}")
        powers = [ratio**p for ratio in ratios]
    return sign_of_roots([*zip(table.rows, powers, strict=True), (-table.total, bound**p)], q)


def sign_of_roots(terms: list[tuple[int, Fraction]], q: int) -> int:
    """The sign of sum c r^(1/q) over terms (c, r) with r >= 0, decided exactly.

    Enclosures with more and more bits decide nearly every sum. Real q-th roots of which no two have a rational ratio
    are linearly independent over the fractions, so that a sum is 0 only when the terms of each rational ratio cancel.
    """
    for bits in (bits for bits in (64, 256, 1024, 4096, 16384) if q == 1 or bits * q <= MOST_BITS):
        if bits == 1024:
            left = [coefficient for coefficient in like_roots(terms, q) if coefficient]
            if len(left) < 2:
                return (sum(left) > 0) - (sum(left) < 0)
        floors = [root((r.numerator << q * bits) // r.denominator, q) for _, r in terms]  # floor(2^bits r^(1/q))
        least = sum(c * (floor + (c < 0)) for floor, (c, _) in zip(floors, terms, strict=True))
        most = sum(c * (floor + (c > 0)) for floor, (c, _) in zip(floors, terms, strict=True))
        if least > 0 or most < 0:
            return 1 if least > 0 else -1
    raise Refused("a bound is too close to its measure to be decided")


def like_roots(terms: list[tuple[int, Fraction]], q: int) -> list[Fraction]:
    """The coefficients that are left when q-th roots of rational ratio are added up."""
    groups: dict[Fraction, Fraction] = {}
    for c, r in terms:
        for first in groups:
            ratio = Fraction(*(root(part, q) for part in (r / first).as_integer_ratio()))
            if ratio**q == r / first:
                groups[first] += c * ratio
                break
        else:
            if r:
                groups[r] = Fraction(c)
    return list(groups.values())


def root(number: int, q: int) -> int:
    """The largest whole number whose q-th power is at most `number` (Newton from above)."""
    if q == 1 or number < 2:
        return number
    half = number.bit_length() // (2 * q)
    guess = (root(number >> q * half, q) + 1) << half if half else 4
    while (better := ((q - 1) * guess + number // guess ** (q - 1)) // q) < guess:
        guess = better
    return guess


# --- 5d. Announced decision rules ------------------------------------------------------------------------------------


def announcement(claim: object, evidence: object) -> Iterator[str]:
    """Announced rules stay inside their bounds, no row has more than beta of an outcome, none inside can have less.

    Per row its mass and the chances of every outcome; p r[a] <= beta * sum over the group (ATR Lemma 1). The dual of a
    group are weights y: where  min over the bounds of sum (y[k][a] - beta * sum_j y[j][a]) * p[k] r[k][a]  is at least
    0 at beta = floor and above 0 at beta = 0, it is (being concave in beta) above 0 between, so no rule fits there.
    """
    names = ("mass", "group", "lower", "upper", "rules", "beta")
    *given, beta_given = keys(claim, names, "claim")
    dual_given, floor_given = keys(evidence, ("dual", "floor"), "evidence")
    table = partial(each, partial(each, fraction))
    mass, groups = each(fraction, given[0], "mass"), each(number, given[1], "group")
    low, up, rules = (table(v, name) for v, name in zip(given[2:], names[2:5], strict=True))
    betas, floors = each(fraction, beta_given, "beta"), each(fraction, floor_given, "floor")
    duals, size = items(dual_given, "dual"), len(rules[0])
    lengths = {len(mass), len(groups), len(low), len(up), len(rules)}, {len(row) for row in (*low, *up, *rules)}
    need(lengths == ({len(mass)}, {size}), "mass, group, lower, upper and rules have different sizes")
    need(len(betas) == len(floors) == len(duals) and size > 1, "beta, floor, dual have different sizes, or one outcome")
    members: list[list[int]] = [[] for _ in betas]
    for k, g in enumerate(groups):
        need(g < len(betas), f"group[{k}] is {shown(g)}, beta has only {len(betas)} entries")
        need(mass[k] >= 0, f"mass[{k}] is negative")
        members[g].append(k)
    best = "; no rule inside the bounds stays below it" if floors == betas else ""
    shown_betas = ", ".join(shown(b) for b in betas[:12]) + ", ..." * (len(betas) > 12)
    words = (
        f"For {len(mass)} rows in {len(betas)} groups with {size} outcomes: a reader who believes the announced rules"
    )
    yield f"{words} gives no row of a group more than beta of an outcome, beta = {shown_betas}{best}."
    for k, row in enumerate(rules):
        need(sum(row) == 1, f"the announced rule of row {k} adds up to {shown(sum(row))}, not to 1")
        inside = all(0 <= a <= chance <= b <= 1 for a, chance, b in zip(low[k], row, up[k], strict=True))
        need(inside, f"the announced rule of row {k} is outside its bounds")
    for g, (rows, beta, floor) in enumerate(zip(members, betas, floors, strict=True)):
        need(any(mass[k] for k in rows), f"group {g} has no mass")
        for a in range(size):
            part = [mass[k] * rules[k][a] for k in rows]
            if max(part) > beta * sum(part):
                share, k = shown(max(part) / sum(part)), rows[part.index(max(part))]
                raise Refused(f"group {g}, outcome {a}: row {k} has {share} of it, above {shown(beta)}")
        need(0 <= floor <= beta, f"group {g}: the floor {shown(floor)} is not between 0 and beta {shown(beta)}")
        weights, totals = dict[tuple[int, int], int](), [0] * size
        for entry in rows_of(duals[g], 3, f"dual[{g}]"):
            k, a, weight = each(number, entry, f"dual[{g}]")
            known = groups[k : k + 1] == [g] and a < size and (k, a) not in weights
            need(known, f"dual[{g}] names row {shown(k)} and outcome {shown(a)}, not of the group or named twice")
            weights[k, a] = weight
            totals[a] += weight
        for at in (floor, 0) if floor else ():
            value = Fraction(0)
            for k in rows:
                cost = [weights.get((k, a), 0) - at * total for a, total in enumerate(totals)]
                left = 1 - sum(low[k])
                for a in sorted(range(size), key=cost.__getitem__):  # the cheapest outcomes first
                    more = min(left, up[k][a] - low[k][a])
                    left -= more
                    value += mass[k] * cost[a] * (low[k][a] + more)
            need(value >= 0 and (at or value), f"group {g}: the dual does not prove the floor {shown(floor)}")


# --- 5e. Optimal utility: no channel inside the budget keeps more (docs/optimality.md) -------------------------------


def optimal_utility(claim: object, evidence: object) -> Iterator[str]:
    """The channel is inside the budget and keeps at least `utility` nats; no channel inside keeps more than `bound`.

    Public values with proportional counts count as one. Let v = P(X|Y=y) and h(t) = -t ln t. If F(v) = sum_x h(v_x) -
    pi_x v_x >= 0 for every v inside the budget, then I(X;Y) <= H(X) - sum_x pi_x P(x). A leaf of the tree is a box
    a <= v <= b with numbers y_s, z for which the lower bound of F on it, sum_x min over t in {a_x, b_x} of
    h(t) - (pi_x + z + sum_s y_s P(s|x)) t, plus z + R(y), is at least 0.
    """
    counts, channel, budget, *ends = keys(claim, ("counts", "channel", "budget", "utility", "bound"), "claim")
    *scales, prices, tree = keys(evidence, ("bits", "pi_bits", "pi", "tree"), "evidence")
    least, most = fraction(ends[0], "utility"), fraction(ends[1], "bound")
    bounds = bounds_of(budget)
    need(not {"l1-lift-inverse", "chi2-lift-inverse"} & set(bounds), "the budget is not convex: there is no such proof")
    inside = measure_bounds({"counts": counts, "channel": channel, "bounds": bounds}, {})
    words = f"{next(inside)} It keeps at least {shown(least)} nats about the public value, and no channel inside these"
    yield f"{words} bounds, with any released values, keeps more than {shown(most)}."
    yield from inside  # which has no more to say, only to find true
    table = counts_of(counts)
    keeps = information(table, channel_of(channel, len(table.columns)))
    need(keeps >= least * 2**UNIT, f"the channel keeps less than {shown(least)} nats")
    masses: dict[tuple[int, ...], int] = {}
    for column, mass in zip(zip(*table.cells, strict=True), table.columns, strict=True):
        direction = tuple(c // gcd(*column) for c in column)
        masses[direction] = masses.get(direction, 0) + mass
    bits, pi_bits = number(scales[0], "bits", 1), number(scales[1], "pi_bits")
    pi = each(partial(number, least=-TOO_LARGE), prices, "pi")
    need(max(bits, pi_bits) <= UNIT // 2, f"bits or pi_bits is above {UNIT // 2}")
    need(len(pi) == len(masses), f"pi has not {len(masses)} entries, one for each column")
    entropy = sum(c * ln(table.total, c)[1] for c in table.columns)  # H(X) N, rounded up
    credit = sum(p * mass for p, mass in zip(pi, masses.values(), strict=True))
    bound = Fraction(entropy, table.total << UNIT) - Fraction(credit, table.total << pi_bits)
    need(bound <= most, f"the prices pi do not prove the bound {shown(most)}")
    covered(list(masses), least_sum(bounds, table), bits, [p << UNIT - bits - pi_bits for p in pi], tree)


def least_sum(bounds: dict[str, list[object]], table: Table) -> Least:
    """How many multipliers mu a leaf has, and R(y, mu) <= sum_s y_s P(s|Y=y) as a whole number of y's unit 2^-UNIT."""
    rows, total, one, names = table.rows, table.total, 1 << UNIT, list(bounds)
    limits = [fraction(low if up is None else up, name) for name, (low, up) in bounds.items()]

    def mean(y: list[int], low: Fraction | int, up: Fraction | int) -> Fraction:
        """The least sum_s y_s P(s) l_s over lifts l from low to up."""
        return Fraction(one, total) * sum(v * row * (up if v < 0 else low) for v, row in zip(y, rows, strict=True))

    rules: dict[str, Callable[[list[int], list[int]], int]] = {
        "min-lift": lambda y, mu: mean(y, limits[0], limits[1]) // 1,
        "ldp-ratio": lambda y, mu: min(c := mean(y, 1, limits[0]), c / limits[0]) // 1,  # least lift 1 or 1/E
        "l1-lift": lambda y, mu: (mean(y, 1, 1) - one * limits[0] * (max(y) - min(y)) / 2) // 1,  # half up, half down
    }
    if names[0] in rules:
        return 0, rules[names[0]]
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


def covered(columns: list[tuple[int, ...]], least: Least, bits: int, pi: list[int], tree: object) -> None:
    """The boxes of the tree cover all posteriors, and every leaf proves F >= 0 on its box."""
    m = len(columns[0])
    known = {0: 0, 1 << bits: 0}  # h at the ends of boxes, rounded down
    masses = [sum(column) for column in columns]
    boxes = [([0] * len(columns), [1 << bits] * len(columns))]
    for place, node in enumerate(items(tree, "tree")):
        entries = each(partial(number, least=-TOO_LARGE), node, f"tree[{place}]")
        need(boxes, f"tree[{place}] is left over")
        low, high = boxes.pop()
        if len(entries) == 2:
            x, point = entries
            need(0 <= x < len(columns) and 0 < point < 1 << bits, f"tree[{place}] splits no box")
            known[point] = known[point] if point in known else point * ln(1 << bits, point)[0] >> bits
            boxes.append(([*low[:x], point, *low[x + 1 :]], high))
            boxes.append((low, [*high[:x], point, *high[x + 1 :]]))
            continue
        e, y, z, mu = entries[0], entries[1 : m + 1], entries[m + 1 : m + 2], entries[m + 2 :]
        need(len(entries) == m + 2 + least[0] and 0 <= e <= UNIT // 2, f"tree[{place}] is no split and no leaf")
        rest, shift = least[1](y, mu), UNIT - bits - e
        value = (z[0] << UNIT - e) + ((rest or 0) >> e)
        free = z[0] << shift
        for a, b, price, column, mass in zip(low, high, pi, columns, masses, strict=True):
            slope = price + free - (-(sum(map(mul, y, column)) << shift) // mass)
            value += min(known[a] - slope * a, known[b] - slope * b)
        need(value >= 0 and rest is not None, f"tree[{place}] does not prove its box")
    need(not boxes, "the tree leaves a box open")


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


def law_of(value: object, place: str) -> Law:
    """Masses by label, none negative; they add up to 1, or to less for a sub-distribution."""
    law = {label: fraction(mass, f"{place} {shown(label)}") for label, mass in items(value, place, dict).items()}
    need(min(law.values()) >= 0 and sum(law.values()) <= 1, f"{place} has a negative mass, or more than 1 in all")
    return law


def partners_of(relation: object, right: Law) -> Partners:
    """For a left label the right labels related to it: equal, at most so far apart, or listed."""
    if relation == "equal":
        return lambda a: [a] if a in right else []
    if type(relation) is str and relation.startswith("distance<="):
        most, at = fraction(relation.removeprefix("distance<="), "relation"), partial(fraction, place="a label")
        ordered = sorted(right, key=at)
        places = [at(b) for b in ordered]
        return lambda a: ordered[bisect_left(places, at(a) - most) : bisect_right(places, at(a) + most)]
    rows: dict[str, list[str]] = {}
    for a, b in rows_of(keys(relation, ("pairs",), "relation")[0], 2, "pairs", 2):
        rows.setdefault(a, []).extend([b] * (b in right))
    return lambda a: rows.get(a, [])


def left_over(flow: object, t: Fraction, left: Law, right: Law, related: Callable[[str, str], bool]) -> Fraction:
    """The left mass outside a flow on related pairs that takes at most the left masses and t times the right ones."""
    rows, columns = dict(left), {b: t * mass for b, mass in right.items()}
    for a, b, given in rows_of(flow, 3, "a flow", 2):
        mass = fraction(given, "a flow")
        named = f"the flow from {shown(a)} to {shown(b)}"
        need(a in rows and b in columns and mass >= 0 and related(a, b), f"{named} is negative, or not related")
        rows[a], columns[b] = rows[a] - mass, columns[b] - mass
        need(rows[a] >= 0 and columns[b] >= 0, f"{named} takes more than there is")
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
    need(t >= 1 and 0 <= d <= 1, f"exp_eps {shown(t)} is below 1, or delta {shown(d)} is not from 0 to 1")
    return t, d


def coupling(claim: object, evidence: object) -> Iterator[str]:
    """left(X) <= exp_eps right(R(X)) + delta for every X: a flow carries all but delta of the left law."""
    left, right, partners, opening, rest = two_laws(claim, "exp_eps", "delta")
    t, d = closeness(*rest)
    yield f"{opening} left(X) <= {shown(t)} right(R(X)) + {shown(d)} for every set X of left labels."
    lost = left_over(keys(evidence, ("flow",), "evidence")[0], t, left, right, lambda a, b: b in partners(a))
    need(lost <= d, f"the flow leaves {shown(lost)} of the left law, more than {shown(d)}")


def no_coupling(claim: object, evidence: object) -> Iterator[str]:
    """left(X) > exp_eps right(R(X)) + delta for the event X."""
    left, right, partners, opening, rest = two_laws(claim, "exp_eps", "delta")
    t, d = closeness(*rest)
    yield f"{opening} left(X) > {shown(t)} right(R(X)) + {shown(d)} for some set X of left labels."
    given = items(keys(evidence, ("event",), "evidence")[0], "event")
    event = {row[0] for row in rows_of([[a] for a in given], 1, "event", 1)}
    need(event <= set(left), "event names a label that the left law does not have")
    here = sum(left[a] for a in event)
    limit = t * sum(right[b] for b in {b for a in event for b in partners(a)}) + d
    need(here > limit, f"the event has only {shown(here)}, not more than {shown(limit)}")


def profile(claim: object, evidence: object) -> Iterator[str]:
    """The least delta at t = exp_eps is the sum of max(0, p - t q) over blocks (p, q), for every t >= 0.

    The ratios p/q fall, a flow saturates every block, and no label is related to one of a later block.
    """
    left, right, partners, opening, (given,) = two_laws(claim, "blocks")
    blocks = each(partial(each, fraction), given, "blocks")
    yield f"{opening} the least delta at any t is the sum of max(0, p - t q) over {len(blocks)} blocks (p, q)."
    *maps, flow = keys(evidence, ("left", "right", "flow"), "evidence")
    homes = (items(one, "evidence", dict) if one else {} for one in maps)
    here, there = ({label: number(k, "a block") for label, k in home.items()} for home in homes)
    exact = here.keys() == {a for a in left if left[a]} and there.keys() == {b for b in right if right[b]}
    need(exact, "the evidence does not put exactly the labels with mass into blocks")
    need(
        max([0, *here.values(), *there.values()]) < len(blocks), f"the evidence names a block beyond the {len(blocks)}"
    )
    sums = [[Fraction(0), Fraction(0)] for _ in blocks]
    for side, home, law in ((0, here, left), (1, there, right)):
        for label, k in home.items():
            sums[k][side] += law[label]
    need(sums == blocks, "the labels of the blocks do not have the masses of the claim")
    for k, ((p, q), (p_next, q_next)) in enumerate(pairwise(blocks)):
        need(p * q_next > p_next * q, f"the ratio of block {k} is not above that of block {k + 1}")
    paired = {a: left[a] for a, k in here.items() if blocks[k][1]}
    scaled = {b: right[b] * blocks[k][0] / blocks[k][1] for b, k in there.items()}
    lost = left_over(flow, Fraction(1), paired, scaled, lambda a, b: here[a] == there[b] and b in partners(a))
    need(not lost, "the flow does not carry all of the blocks")
    for a, k in here.items():
        need(all(there.get(b, k) <= k for b in partners(a)), f"{shown(a)} is related to a label of a later block")


def chain(claim: object, evidence: object) -> Iterator[str]:
    """From every pair of starts two programs end with laws that are (exp_eps, delta)-close under equality.

    A flow for every related pair of states of every step: factors multiply, delta is 1 - prod (1 - delta_i) (STAR Lemma
    13.3, E49). One proof up to equality, or one per output k up to "left = k implies right = k", deltas added.
    """
    *sides, given, exp_eps, delta = keys(claim, ("left", "right", "starts", "exp_eps", "delta"), "claim")
    programs = [[items(step, "a step", dict) for step in items(side, "a program")] for side in sides]
    left, right = ([{s: law_of(law, s) for s, law in step.items()} for step in steps] for steps in programs)
    (t, d), starts = closeness(exp_eps, delta), {(a, b) for a, b in rows_of(items(given, "starts"), 2, "starts", 2)}
    words = f"After {len(left)} steps from any of {len(starts)} pairs of starts"
    yield f"{words}, left(X) <= {shown(t)} right(X) + {shown(d)} for every set X of outputs."
    listed = items(keys(evidence, ("proofs",), "evidence")[0], "proofs")
    proofs = [keys(proof, ("output", "steps"), "a proof") for proof in listed]
    if [output for output, _ in proofs] != [None]:
        outputs = {row[0] for row in rows_of([[output] for output, _ in proofs], 1, "the outputs", 1)}
        every = len(outputs) == len(proofs) and {b for law in left[-1].values() for b in law if law[b]} <= outputs
        need(every, "an output of the left program has no proof, or two")
    lost = Fraction(0)
    for output, steps in proofs:
        parts = [keys(step, ("exp_eps", "delta", "pairs"), "a step") for step in items(steps, "steps")]
        flows = [{(a, b): flow for a, b, flow in rows_of(part[2], 3, "pairs", 2)} for part in parts]
        full = len(parts) == len(left) == len(right) and starts <= set(flows[0])
        need(full, "a proof or a program does not have every step, or not every start")
        factor, kept = Fraction(1), Fraction(1)
        for i, (t_i, d_i) in enumerate(closeness(*part[:2]) for part in parts):
            factor, kept = factor * t_i, kept * (1 - d_i)
            related = partial(goes_on, flows[i + 1] if i + 1 < len(left) else None, output)
            for (a, b), flow in flows[i].items():
                need(a in left[i] and b in right[i], f"step {i} has not both states {shown(a)} and {shown(b)}")
                rest = left_over(flow, t_i, left[i][a], right[i][b], related)
                need(rest <= d_i, f"step {i}: the flow from {shown(a)}, {shown(b)} leaves more than {shown(d_i)}")
        lost += 1 - kept
        need(factor <= t, f"the factors of a proof multiply to {shown(factor)}, above {shown(t)}")
    need(lost <= d, f"the deltas come to {shown(lost)}, above {shown(d)}")


def goes_on(later: dict[tuple[str, str], object] | None, output: object, a: str, b: str) -> bool:
    """Whether two states may be paired: as a pair of the next step has them, or at the end as the proof says."""
    if later is not None:
        return (a, b) in later
    return a == b if output is None else a != output or b == output


RULES: dict[str, Callable[[object, object], Iterator[str]]] = {
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


# --- 6. Command line -------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Check the certificates named on the command line and print what was found."""
    import argparse

    parser = argparse.ArgumentParser(prog="checker.py", allow_abbrev=False, description="Check Liftgate certificates.")
    parser.add_argument("files", nargs="+", metavar="CERT", help="certificate file (JSON)")
    parser.add_argument(
        "--allow", action="append", metavar="ASSUMPTION", help="accept only this assumption (repeatable)"
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
