"""Every key of every kind of certificate about a table: at least one lie refused, and no line of the checker idle."""

from __future__ import annotations

import copy
import json
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from liftgate import checker

Document = dict[str, Any]

COUNTS = [[3, 1, 2, 0], [1, 3, 2, 1], [2, 5, 1, 1]]
MIXED = {"total": 4, "outputs": [[0, 3, 1, 1, 3, 2], [0, 1, 1, 3], [2, 4, 3, 2]]}
ALIP = {"kind": "alip", "low": "11/18", "up": "55/42"}
EXACT = {
    "max-lift": ["55/42", "55/42"],
    "min-lift": ["11/18", "11/18"],
    "ldp-ratio": ["15/7", "15/7"],
    "l1-lift": ["7/22", "7/22"],
    "chi2-lift": ["20/189", "20/189"],
    "alpha-lift-2": [None, "3"],
    "alpha-lift-3/2": ["1001/1000", "3"],
    "l1-lift-inverse": ["233/605", "233/605"],
    "chi2-lift-inverse": [None, 1],
    "alpha-lift-5/3-inverse": [1, 2],
}
ZERO = [[2, 0], [1, 1]]
AS_IT_IS = {"total": 1, "outputs": [[0, 1], [1, 1]]}
ONES = [[1, 1], [1, 1]]
MERGED = {"total": 1, "outputs": [[0, 1, 1, 1]]}
WIDE = {"kind": "alip", "low": 0, "up": 9}
INFINITE = {"ldp-ratio": ["inf", None], "l1-lift-inverse": ["inf", None], "alpha-lift-3/2-inverse": ["inf", None]}


def document(kind: str, claim: Document, **envelope: Any) -> Document:
    """A certificate as a dictionary of its own."""
    start = {"liftgate-certificate": 1, "kind": kind, "version": 1, "claim": claim, "evidence": {}}
    return copy.deepcopy({**start, "assumptions": ["counts-are-population"], "salt": "5a" * 32, **envelope})


def claim(last: str, value: Any, counts: Any = COUNTS, channel: Any = MIXED) -> Document:
    """A claim about the example table, or another one."""
    return {"counts": counts, "channel": channel, last: value}


TRUTHS = {
    "alip": document("lift-bounds", claim("budget", ALIP)),
    "ldp": document("lift-bounds", claim("budget", {"kind": "ldp", "exp_eps": "15/7"})),
    "ratio": document("ratio-bound", claim("exp_eps", "15/7")),
    "measures": document("measure-bounds", claim("bounds", EXACT)),
    "infinite": document("measure-bounds", claim("bounds", INFINITE, ZERO, AS_IT_IS)),
    "whole numbers": document("ratio-bound", claim("exp_eps", 1, [[1, 1]], {"total": 7, "outputs": [[0, 7, 1, 7]]})),
    "no assumption": document("ratio-bound", claim("exp_eps", 3), assumptions=[]),
    "roots that tie": document(  # everything merged: every lift is 1
        "measure-bounds",
        claim("bounds", {"alpha-lift-7/5": [1, 1]}, [[5, 4], [7, 3]], {"total": 1, "outputs": [[0, 1, 1, 1]]}),
    ),
}


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside a document."""
    if here:
        yield here
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from paths(entry, (*here, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """The value at a place."""
    for key in path:
        value = value[key]
    return value


def put(path: str, value: Any) -> Callable[[Document], None]:
    """A lie that sets one place, named as in 'claim budget low'."""
    keys = [int(key) if key.isdigit() else key for key in path.split()]

    def lie(given: Document) -> None:
        at(given, tuple(keys[:-1]))[keys[-1]] = value

    return lie


def swap(path: str, i: int, j: int) -> Callable[[Document], None]:
    """A lie that exchanges two entries of one list."""

    def lie(given: Document) -> None:
        entries = at(given, tuple(int(key) if key.isdigit() else key for key in path.split()))
        entries[i], entries[j] = entries[j], entries[i]

    return lie


# (name, the true certificate, what is changed, exit code, words of the reason)
LIES: list[tuple[str, str, Callable[[Document], None], int, str]] = [
    ("from the future", "alip", put("liftgate-certificate", 2), 2, "a certificate from the future"),
    ("format 0", "alip", put("liftgate-certificate", 0), 2, "no such version"),
    ("kind of the future", "alip", put("kind", "lift-limits"), 2, "unknown kind 'lift-limits'"),
    ("kind of the future, version", "alip", put("version", 2), 2, "the kind lift-bounds has version 2"),
    ("other kind", "alip", put("kind", "ratio-bound"), 1, "claim has no key 'exp_eps'"),
    ("swapped kind", "ratio", put("kind", "measure-bounds"), 1, "claim has no key 'bounds'"),
    ("salt too short", "alip", put("salt", "5a" * 31), 1, "salt is not a text of 64 hexadecimal digits"),
    ("salt in capitals", "alip", put("salt", "5A" * 32), 1, "salt is not"),
    ("salt with a line end", "alip", put("salt", "5a" * 32 + "\n"), 1, "salt is not"),
    ("assumption twice", "alip", put("assumptions", ["a", "a"]), 1, "an assumption is listed twice"),
    ("assumption with a blank", "alip", put("assumptions", ["a b"]), 1, "assumptions is not a list of names"),
    ("assumption in another script", "alip", put("assumptions", ["\u0430"]), 1, "assumptions is not a list of names"),
    ("assumption that clears the screen", "alip", put("assumptions", ["\x1b[2J"]), 1, "assumptions is not a list"),
    ("evidence that is not needed", "alip", put("evidence hint", 1), 1, "evidence has the unknown key 'hint'"),
    # counts
    ("one count more", "alip", put("claim counts 0 0", 4), 1, "is above 55/42"),
    ("one count less", "alip", put("claim counts 1 1", 2), 1, "lift 119/90 is above 55/42"),
    ("a negative count", "alip", put("claim counts 0 0", -1), 1, "counts[0][0] is -1, less than 0"),
    ("a count as text", "alip", put("claim counts 0 0", "3"), 1, "counts[0][0] is '3', not a whole number"),
    ("an empty row", "alip", put("claim counts 0", [0, 0, 0, 0]), 1, "row 0 of counts is empty"),
    ("an empty column", "ratio", put("claim counts", [[1, 0, 1, 1]] * 2), 1, "column 1 of counts is empty"),
    ("a row too short", "alip", put("claim counts 1", [1, 3, 2]), 1, "counts[1] has 3 entries, counts[0] has 4"),
    ("no rows", "alip", put("claim counts", []), 1, "counts is a list, not a list with entries"),
    ("a row of nothing", "alip", put("claim counts", [[]]), 1, "counts[0] is a list, not a list with entries"),
    ("swapped counts", "alip", swap("claim counts 0", 0, 3), 1, "lift "),
    ("swapped rows of unequal size", "alip", swap("claim counts 2", 1, 3), 1, "lift 220/147 is above"),
    (
        "an empty row and a generous budget",
        "alip",
        put("claim", claim("budget", WIDE, [[0, 0], [1, 1]], AS_IT_IS)),
        1,
        "row 0",
    ),
    (
        "negative and merged away",
        "alip",
        put("claim", claim("budget", WIDE, [[3, -1], [1, 3]], MERGED)),
        1,
        "less than 0",
    ),
    # channel
    (
        "0 shares",
        "alip",
        put("claim", claim("budget", WIDE, ONES, {"total": 1, "outputs": [[0, 1, 1, 0], [1, 1]]})),
        1,
        "less than 1",
    ),
    (
        "half a share hidden",
        "alip",
        put("claim", claim("budget", WIDE, ONES, {"total": 2, "outputs": [[0, 1, 0, 1], [1, 2]]})),
        1,
        "twice",
    ),
    ("total too large", "alip", put("claim channel total", 5), 1, "shares of public value 0 add up to 4, not to 5"),
    ("total too small", "alip", put("claim channel total", 3), 1, "shares of public value 0 add up to 4, not to 3"),
    ("total 0", "alip", put("claim channel total", 0), 1, "channel.total is 0, less than 1"),
    ("a share more", "alip", put("claim channel outputs 0 1", 4), 1, "public value 0 add up to 5, not to 4"),
    ("a share of 0", "alip", put("claim channel outputs 0 1", 0), 1, "outputs[0][1] is 0, less than 1"),
    ("a negative share", "alip", put("claim channel outputs 0 1", -3), 1, "outputs[0][1] is -3, less than 1"),
    ("an output twice", "alip", put("claim channel outputs 1", [0, 1, 0, 1]), 1, "names public value 0 twice"),
    ("a public value that is not there", "alip", put("claim channel outputs 0 0", 4), 1, "names public value 4"),
    ("a public value before the first", "alip", put("claim channel outputs 0 0", -1), 1, "is -1, less than 0"),
    ("half a pair", "alip", put("claim channel outputs 0", [0, 3, 1]), 1, "has 3 entries, not pairs"),
    ("an empty output", "alip", put("claim channel outputs 1", []), 1, "not a list with entries"),
    ("no output", "alip", put("claim channel outputs", []), 1, "not a list with entries"),
    (
        "an output forgotten",
        "alip",
        put("claim channel outputs", MIXED["outputs"][:2]),
        1,
        "public value 2 add up to 0",
    ),
    ("swapped shares", "alip", put("claim channel outputs 0", [0, 1, 1, 3, 3, 2]), 1, "public value 0 add up to 2"),
    # budgets
    ("up too small", "alip", put("claim budget up", "54/42"), 1, "value 2, sensitive value 1: lift 55/42 is above 9/7"),
    ("up too small by 1e-30", "alip", put("claim budget up", f"{55 * 10**30 - 1}/{42 * 10**30}"), 1, "is above"),
    (
        "low too large",
        "alip",
        put("claim budget low", "12/18"),
        1,
        "value 2, sensitive value 2: lift 11/18 is below 2/3",
    ),
    ("low too large by 1e-30", "alip", put("claim budget low", f"{11 * 10**30 + 1}/{18 * 10**30}"), 1, "is below"),
    ("low and up swapped", "alip", put("claim budget", {"kind": "alip", "low": "3", "up": "1/3"}), 1, "is below 3"),
    ("a budget of another kind", "alip", put("claim budget kind", "l1"), 1, "state it as measure-bounds"),
    (
        "a budget of no kind",
        "alip",
        put("claim budget kind", "lip"),
        1,
        "budget.kind is 'lip', which is no kind of budget",
    ),
    ("a budget with both", "alip", put("claim budget exp_eps", 3), 1, "budget has the unknown key 'exp_eps'"),
    ("a side open", "alip", put("claim budget up", None), 1, "budget.up is null, not a whole number or a fraction"),
    ("a fraction by 0", "alip", put("claim budget up", "3/0"), 1, "budget.up is '3/0', not a whole number"),
    ("a fraction with a sign below", "alip", put("claim budget up", "3/-2"), 1, "budget.up is '3/-2'"),
    ("a fraction with blanks", "alip", put("claim budget up", " 3"), 1, "budget.up is ' 3'"),
    ("a fraction with a line end", "alip", put("claim budget up", "3\n"), 1, "budget.up is '3\\n'"),
    ("a decimal", "alip", put("claim budget up", "1.7"), 1, "budget.up is '1.7'"),
    ("infinity", "alip", put("claim budget up", "inf"), 1, "budget.up is 'inf'"),
    ("a digit of another script", "alip", put("claim budget up", "\u0663"), 1, "budget.up is '\\u0663'"),
    ("a sum instead of a fraction", "alip", put("claim budget up", "3_0"), 1, "budget.up is '3_0'"),
    ("a fraction of 4001 digits", "alip", put("claim budget up", "7" * 4001), 2, "more than 4000 digits"),
    ("a number of 4001 digits", "alip", put("claim budget up", 10**4000), 2, "more than 4000 digits"),
    ("a float", "alip", put("claim budget up", 1.5), 2, "'up' holds 1.5; write text"),
    ("a boolean", "alip", put("claim budget up", True), 2, "'up' holds a boolean"),
    ("a key that is a number", "ratio", put("evidence", {1: 1}), 2, "a key is 1, not text"),
    ("exp_eps of the budget too small", "ldp", put("claim budget exp_eps", "14/7"), 1, "above 2"),
    ("exp_eps of the budget negative", "ldp", put("claim budget exp_eps", -3), 1, "above -3"),
    ("exp_eps too small", "ratio", put("claim exp_eps", "214/100"), 1, "value 2 is 15/7 times as likely"),
    ("exp_eps negative", "ratio", put("claim exp_eps", "-15/7"), 1, "above -15/7"),
    ("a pair that never occurs", "ratio", put("claim", claim("exp_eps", 10**9, ZERO, AS_IT_IS)), 1, "infinitely many"),
    # measures
    ("max-lift too low", "measures", put("claim bounds max-lift 1", "54/42"), 1, "value 2: max-lift is above 9/7"),
    (
        "max-lift too high",
        "measures",
        put("claim bounds max-lift 0", "56/42"),
        1,
        "every released value: max-lift is b",
    ),
    (
        "min-lift too low",
        "measures",
        put("claim bounds min-lift 1", "10/18"),
        1,
        "every released value: min-lift is ab",
    ),
    ("min-lift too high", "measures", put("claim bounds min-lift 0", "12/18"), 1, "value 2: min-lift is below 2/3"),
    ("ldp-ratio too low", "measures", put("claim bounds ldp-ratio 1", "214/100"), 1, "ldp-ratio is above 107/50"),
    ("ldp-ratio too high", "measures", put("claim bounds ldp-ratio 0", "215/100"), 1, "ldp-ratio is below 43/20"),
    ("l1-lift too low", "measures", put("claim bounds l1-lift 1", "6/22"), 1, "l1-lift is above 3/11"),
    ("l1-lift too high", "measures", put("claim bounds l1-lift 0", "8/22"), 1, "l1-lift is below 4/11"),
    (
        "l1-lift too low by 1e-99",
        "measures",
        put("claim bounds l1-lift 1", f"{7 * 10**99 - 1}/{22 * 10**99}"),
        1,
        "l1-lift is above",
    ),
    (
        "l1-lift too high by 1e-99",
        "measures",
        put("claim bounds l1-lift 0", f"{7 * 10**99 + 1}/{22 * 10**99}"),
        1,
        "l1-lift is below",
    ),
    ("chi2-lift too low", "measures", put("claim bounds chi2-lift 1", "19/189"), 1, "chi2-lift is above"),
    ("chi2-lift too high", "measures", put("claim bounds chi2-lift 0", "21/189"), 1, "chi2-lift is below"),
    ("alpha-lift too low", "measures", put("claim bounds alpha-lift-2 1", 1), 1, "alpha-lift-2 is above 1"),
    ("alpha-lift negative", "measures", put("claim bounds alpha-lift-2 1", -3), 1, "alpha-lift-2 is above -3"),
    (
        "alpha-lift too high",
        "measures",
        put("claim bounds alpha-lift-3/2 0", "11/10"),
        1,
        "alpha-lift-3/2 is below 11/10",
    ),
    ("l1-inverse", "measures", put("claim bounds l1-lift-inverse 1", "1/10"), 1, "l1-lift-inverse is above 1/10"),
    ("chi2-inverse", "measures", put("claim bounds chi2-lift-inverse 1", "1/10"), 1, "chi2-lift-inverse is above 1/10"),
    ("alpha-inverse", "measures", put("claim bounds alpha-lift-5/3-inverse", [None, 1]), 1, "5/3-inverse is above 1"),
    (
        "alpha-inverse low",
        "measures",
        put("claim bounds alpha-lift-5/3-inverse", [2, None]),
        1,
        "5/3-inverse is below 2",
    ),
    ("inf as upper end", "measures", put("claim bounds max-lift 1", "inf"), 1, "bounds['max-lift'][1] is 'inf'"),
    ("a finite measure called infinite", "measures", put("claim bounds ldp-ratio", ["inf", None]), 1, "is below 'inf'"),
    ("max-lift called infinite", "infinite", put("claim bounds max-lift", ["inf", None]), 1, "max-lift is below 'inf'"),
    ("min-lift called infinite", "infinite", put("claim bounds min-lift", ["inf", None]), 1, "min-lift is below 'inf'"),
    ("l1 called infinite", "infinite", put("claim bounds l1-lift", ["inf", None]), 1, "l1-lift is below 'inf'"),
    ("infinite ratio bounded", "infinite", put("claim bounds ldp-ratio", [None, 10**9]), 1, "ldp-ratio is above"),
    (
        "infinite inverse bounded",
        "infinite",
        put("claim bounds l1-lift-inverse", [1, 9]),
        1,
        "l1-lift-inverse is above 9",
    ),
    ("both ends open", "measures", put("claim bounds max-lift", [None, None]), 1, "at least one bound"),
    ("one end", "measures", put("claim bounds max-lift", [3]), 1, "is not a pair"),
    ("three ends", "measures", put("claim bounds max-lift", [1, 2, 3]), 1, "is not a pair"),
    ("no measures", "measures", put("claim bounds", {}), 1, "not an object with entries"),
    (
        "a measure with logarithms",
        "measures",
        put("claim bounds mutual-information", [0, 1]),
        1,
        "no measure with exact",
    ),
    ("max-lift-inverse", "measures", put("claim bounds max-lift-inverse", [0, 9]), 1, "no measure with exact bounds"),
    ("order 1", "measures", put("claim bounds alpha-lift-1", [0, 9]), 1, "the order must be above 1"),
    ("order below 1", "measures", put("claim bounds alpha-lift-1/2", [0, 9]), 1, "the order must be above 1"),
    ("order not in lowest terms", "measures", put("claim bounds alpha-lift-6/4", [0, 9]), 1, "in lowest terms"),
    ("order over 1", "measures", put("claim bounds alpha-lift-2/1", [0, 9]), 1, "in lowest terms"),
    ("order too large", "measures", put("claim bounds alpha-lift-1001", [0, 9]), 1, "of numbers up to 1000"),
    ("order 0", "measures", put("claim bounds alpha-lift-0", [0, 9]), 1, "no measure with exact bounds"),
    (
        "roots that do not tie, up",
        "roots that tie",
        put("claim bounds alpha-lift-7/5 1", f"{10**99 - 1}/{10**99}"),
        1,
        "ab",
    ),
    (
        "roots that do not tie, low",
        "roots that tie",
        put("claim bounds alpha-lift-7/5 0", f"{10**99 + 1}/{10**99}"),
        1,
        "be",
    ),
    ("one count in twelve", "roots that tie", put("claim channel", AS_IT_IS), 1, "alpha-lift-7/5 is above 1"),
]


def told(name: str, lie: Callable[[Document], None]) -> Document:
    """A true certificate with one lie in it."""
    given = copy.deepcopy(TRUTHS[name])
    lie(given)
    return given


@pytest.mark.parametrize("name", TRUTHS)
def test_truth_is_accepted(name: str) -> None:
    """The certificates that the lies start from hold, from a dictionary and from its JSON."""
    verdict = checker.check(TRUTHS[name])
    assert verdict.holds, verdict.reason
    assert verdict.reason == "recomputed in whole numbers"
    assert checker.check(checker.read_bytes(json.dumps(TRUTHS[name]).encode())) == verdict


@pytest.mark.parametrize(("name", "truth", "lie", "code", "words"), LIES, ids=[lie[0] for lie in LIES])
def test_lie_is_refused(name: str, truth: str, lie: Callable[[Document], None], code: int, words: str) -> None:
    """Each lie is refused for its own reason, with its own exit code."""
    verdict = checker.check(told(truth, lie))
    assert (verdict.exit_code, verdict.holds) == (code, False), verdict
    assert words in verdict.reason
    assert verdict.reason.isascii()
    assert verdict.reason.isprintable()


WRONG = (None, True, False, 1.0, float("nan"), "x", "", [], {}, [None], {"x": 1}, b"1", (1, 2), {1: 1}, object())


@pytest.mark.parametrize("name", TRUTHS)
def test_every_place_left_out_or_of_another_type_is_refused(name: str) -> None:
    """At every place: left out of an object, an unknown key beside it, and a value of every other type."""
    given = TRUTHS[name]
    harmless: dict[Any, Any] = {("evidence",): ({},), ("assumptions",): ([],), ("assumptions", 0): ("x",)}
    tried = 0
    for path in paths(given):
        parent, key = at(given, path[:-1]), path[-1]
        for wrong in WRONG:
            if (wrong is None and path[:2] == ("claim", "bounds") and len(path) == 4) or wrong in harmless.get(
                path, ()
            ):
                continue
            lie = copy.deepcopy(given)
            at(lie, path[:-1])[key] = wrong
            assert not checker.check(lie).holds, (path, wrong)
            tried += 1
        if isinstance(parent, dict):
            lie = copy.deepcopy(given)
            at(lie, path[:-1])["unknown"] = at(lie, path)
            assert not checker.check(lie).holds, path
            del at(lie, path[:-1])["unknown"]
            del at(lie, path[:-1])[key]
            verdict = checker.check(lie)
            if path[:2] == ("claim", "bounds") and len(path) == 3 and len(parent) > 1:
                assert verdict.holds  # one measure less is a smaller, still true claim
            else:
                assert not verdict.holds, path
            tried += 2
    assert tried > 300


def test_open_ends_are_smaller_claims() -> None:
    """Null in one end leaves that side unclaimed, which stays true."""
    given = copy.deepcopy(TRUTHS["measures"])
    given["claim"]["bounds"] = {"max-lift": [None, "55/42"], "min-lift": ["11/18", None], "l1-lift": [-1, None]}
    verdict = checker.check(given)
    assert verdict.holds
    assert "the largest max-lift is at most 55/42; the smallest min-lift is at least 11/18" in str(verdict.claim)


# ---- the checker itself changed: every change is noticed --------------------------------------------------------------

BYTES: list[tuple[bytes, int]] = [
    (b"\xef\xbb\xbf" + json.dumps(TRUTHS["alip"]).encode(), 2),
    (json.dumps(TRUTHS["alip"]).encode().replace(b'"kind": "lift', b'"kind": "x", "kind": "lift'), 2),
    (json.dumps(TRUTHS["alip"]).encode().replace(b'"total": 4', b'"total": 4.0'), 2),
    (json.dumps(TRUTHS["alip"]).encode().replace(b'"total": 4', b'"total": NaN'), 2),
    (json.dumps(TRUTHS["alip"]).encode().replace(b'"total": 4', b'"total": ' + b"4" * 4001), 2),
    (b"[" * 33 + b"]" * 33, 2),
    (b"[" * 32 + b"]" * 32, 1),
    (b'{"x": "' + b"[" * 99 + b'"}', 1),
    (b'{"x": "\\"' + b"[" * 99 + b'"}', 1),
    (json.dumps(TRUTHS["alip"]).encode(), 0),
]
ALLOWED: list[tuple[list[str], int]] = [(["counts-are-population"], 0), (["other"], 1), ([], 1)]

MUTANTS = [
    ("below = over * low.denominator < low", "below = over * low.denominator <= low"),
    ("over * up.denominator > up.numerator * under:", "over * up.denominator >= up.numerator * under:"),
    ("over * up.denominator > up.numerator * under:", "False:"),
    ("if below or over", "if over"),
    ("joint * table.total, table.rows[s] * mass  # lift", "joint * table.total, table.rows[0] * mass  # lift"),
    ("if largest > most * least:", "if largest >= most * least:"),
    ("if largest > most * least:", "if least and largest > most * least:"),
    ("Fraction(joint, row) for joint, row in zip(column, table.rows", "Fraction(joint) for joint, row in zip(column, table.rows"),
    ("need(len(row) == len(cells[0])", "need(True"),
    ('(("row", rows), ("column", columns))', '[("column", columns)]'),
    ('(("row", rows), ("column", columns))', '[("row", rows)]'),
    ('each(partial(each, number), value, "counts")', 'each(partial(each, partial(number, least=-9)), value, "counts")'),
    ("left[x] -= shares[x]", "left[x] = 0"),
    ("need(missing == 0", "need(missing <= 0"),
    ("need(missing == 0", "need(missing >= 0"),
    ('f"{place}[{i + 1}]", 1)', 'f"{place}[{i + 1}]", 0)'),
    ("need(x not in shares", "need(True"),
    ("need(x < size", "need(x <= size"),
    ("need(len(pairs) % 2 == 0", "need(True"),
    ('keys(evidence, (), "evidence")', "evidence"),
    ("for name in value if name not in names", "for name in ()"),
    ("if wrong in signs:", "if signs[0] == wrong:"),
    ("all(sign == wrong for sign in signs)", "any(sign == wrong for sign in signs)"),
    ('(family == "min-lift") == (side == "below")', '(family == "min-lift") != (side == "below")'),
    ('(family == "min-lift") == (side == "below")', 'side == "above"'),
    ('(inverse or family == "ldp-ratio") and 0 in lifts', "inverse and 0 in lifts"),
    ("return infinite - unbounded", "return 0"),
    ("return infinite - unbounded", "return unbounded - infinite"),
    ("if infinite or unbounded:", "if unbounded:"),
    ("ratios = [1 / lift for lift in lifts] if inverse else lifts", "ratios = lifts"),
    ("powers = [abs(ratio - 1)", "powers = [(ratio - 1)"),
    ("powers = [(ratio - 1) ** 2", "powers = [abs(ratio - 1)"),
    ("powers = [ratio**p", "powers = [ratio**q"),
    ("(-table.total, bound**p)], q)", "(-table.total, bound)], q)"),
    ("    if bound < 0:\n        return 1", "    if bound < 0:\n        return -1"),
    ("c * (floor + (c < 0))", "c * (floor + 1)"),
    ("c * (floor + (c > 0))", "c * floor"),
    ("if bits == 1024:", "if bits == 9:"),
    ("return (sum(left) > 0) - (sum(left) < 0)", "return 0"),
    ("gcd(p, q) == 1 and", ""),
    ('under != "1" and', ""),
    ("MOST_ORDER >= p > q", "MOST_ORDER >= p"),
    ("MOST_ORDER >= p > q", "p > q"),
    ("pair != [None, None]", "True"),
    ("need(len(pair) == 2 and", "need("),
    ("need(len(set(listed)) == len(listed),", "need(True,"),
    ("[a for a in assumptions if a not in allowed]", "[] if {*allowed} & {*assumptions} else [*assumptions]"),
    ("[a for a in assumptions if a not in allowed]", "[]"),
    ("assumptions if allow is None", "assumptions if not allow"),
    ("for words in RULES[kind](claim, evidence):", "for words in [next(RULES[kind](claim, evidence))]:"),
    ('re.fullmatch("[0-9a-f]{64}", salt)', 're.match("[0-9a-f]{62}", salt)'),
    ('re.fullmatch("[!-~]{1,200}", a)', 're.fullmatch(".*", a)'),
    ("need(given == known", "need(given <= known"),
    ("if times > 1]", "if times > 2]"),
    ("elif type(value) is not str and value is not None:", "elif type(value) is bool:"),
    ("elif type(value) is not str and value is not None:", "elif type(value) is float:"),
    ("depth == MOST_DEPTH:", "depth == MOST_DEPTH - 1:"),
    ("if type(key) is not str:", "if False:"),
    ("if not -TOO_LARGE < value < TOO_LARGE:", "if False:"),
    ("if value < least:", "if False:"),
    ("        if depth > MOST_DEPTH:", "        if depth >= MOST_DEPTH:"),
    ("if type(value) is not int:\n        raise Refused(f\"{place} is", "if not isinstance(value, (int, str)):\n        raise Refused(f\"{place} is"),
    ("match = FRACTION.fullmatch(value)", "match = FRACTION.match(value)"),
    ('FRACTION = re.compile("(0|-?[1-9][0-9]*)(?:/([1-9]', 'FRACTION = re.compile("(0|-?[1-9][0-9]*)(?:/([0-9]'),
    ("need(len(digits) <= MOST_DIGITS", "need(True"),
    ("return -number if text.startswith(\"-\") else number", "return number"),
]  # fmt: skip


# Changes that no certificate can notice, because something else refuses the same: each is a second fence.
FENCED = {
    "shares of at least 1 cannot add up to a total of 0": ('"channel.total", 1)', '"channel.total", 0)'),
    "no key may hold null where a value is needed": (
        'wrong = [f"no key {shown(name)}" for name in names if name not in value]',
        "value, wrong = {**dict.fromkeys(names), **value}, []",
    ),
    "the parser does not read a byte order mark either": ('data[:3] != b"\\xef\\xbb\\xbf"', "True"),
    "depth is counted again in what was read": ("        if depth > MOST_DEPTH:", "        if depth > MOST_DEPTH + 1:"),
}


def changed(source: str, name: str) -> types.ModuleType:
    """The checker with another source."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    try:
        exec(compile(source, name, "exec"), module.__dict__)
    finally:
        del sys.modules[name]
    return module


def noticed(module: Any) -> str | None:
    """The first certificate that this checker decides otherwise than it should."""
    probes: list[tuple[str, Any, Any, int]] = [(name, given, None, 0) for name, given in TRUTHS.items()]
    probes += [(name, told(truth, lie), None, code) for name, truth, lie, code, _ in LIES]
    two = document("ratio-bound", claim("exp_eps", 3), assumptions=["counts-are-population", "rows-independent"])
    probes += [(f"allow {allow}", TRUTHS["alip"], allow, code) for allow, code in ALLOWED]
    probes += [("allow one of two", two, ["counts-are-population"], 1)]
    try:
        for name, given, allow, code in probes:
            if module.check(given, allow).exit_code != code:
                return name
        for data, code in BYTES:
            try:
                found = module.check(module.read_bytes(data)).exit_code
            except module.Unreadable:
                found = 2
            if found != code:
                return repr(data[:30])
    except Exception as error:  # a traceback is noticed too
        return f"{type(error).__name__}: {error}"
    return None


def test_the_checker_decides_every_probe_as_it_should() -> None:
    """Unchanged, nothing is noticed: the probes below blame only what was changed."""
    assert noticed(changed(Path(checker.__file__).read_text("utf-8"), "checker_unchanged")) is None


@pytest.mark.parametrize(("old", "new"), MUTANTS, ids=[f"{i}" for i in range(len(MUTANTS))])
def test_every_change_of_the_checker_is_noticed(old: str, new: str) -> None:
    """One condition changed in the source, and at least one truth or lie is decided otherwise."""
    source = Path(checker.__file__).read_text("utf-8")
    assert old in source, "the checker no longer has this line; change the mutant with it"
    assert noticed(changed(source.replace(old, new, 1), "checker_changed")) is not None


@pytest.mark.parametrize("why", FENCED)
def test_second_fences_hold(why: str) -> None:
    """With one of two fences gone, the other still refuses every lie."""
    source = Path(checker.__file__).read_text("utf-8")
    old, new = FENCED[why]
    assert old in source
    assert noticed(changed(source.replace(old, new, 1), "checker_fenced")) is None
