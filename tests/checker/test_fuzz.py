"""A hundred thousand damaged certificates: no false accept, no false refusal, no traceback.

What is true is decided a second time here, from the written format alone: fractions for everything that is a
fraction, and 120 decimal digits for the powers of rational order.
"""

from __future__ import annotations

import copy
import json
import random
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

from liftgate import checker

Document = dict[str, Any]
MEASURES = [
    "max-lift",
    "min-lift",
    "ldp-ratio",
    "l1-lift",
    "chi2-lift",
    "alpha-lift-2",
    "alpha-lift-3/2",
    "alpha-lift-5",
]
MEASURES += ["l1-lift-inverse", "chi2-lift-inverse", "alpha-lift-2-inverse", "alpha-lift-4/3-inverse"]
ENVELOPE = {"liftgate-certificate", "kind", "version", "claim", "evidence", "assumptions", "salt"}


class False_(Exception):
    """The document is not a true certificate."""


def need(condition: object) -> None:
    if not condition:
        raise False_


def is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**4000


def as_fraction(value: object) -> Fraction:
    need(is_whole(value) or (isinstance(value, str) and re.fullmatch(r"(0|-?[1-9][0-9]*)(/[1-9][0-9]*)?", value, re.A)))
    return Fraction(value)  # type: ignore[arg-type]


def plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(k, str) and plain(v) for k, v in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or isinstance(value, str) or is_whole(value)


def is_true(document: Any) -> bool:
    """Whether a document is a certificate of the format and its claim holds."""
    try:
        decide(document)
    except False_:
        return False
    return True


def decide(document: Any) -> None:
    need(isinstance(document, dict) and set(document) == ENVELOPE and plain(document))
    need(document["liftgate-certificate"] == 1 and document["version"] == 1 and document["evidence"] == {})
    need(is_whole(document["liftgate-certificate"]) and is_whole(document["version"]))
    need(isinstance(document["salt"], str) and re.fullmatch("[0-9a-f]{64}", document["salt"]))
    names = document["assumptions"]
    need(isinstance(names, list) and all(isinstance(a, str) and re.fullmatch("[!-~]{1,200}", a) for a in names))
    need(len(names) == len(set(names)))
    last = {"lift-bounds": "budget", "ratio-bound": "exp_eps", "measure-bounds": "bounds"}
    kind, claim = document["kind"], document["claim"]
    need(isinstance(kind, str) and kind in last)
    need(isinstance(claim, dict) and set(claim) == {"counts", "channel", last[kind]})
    posterior, prior = laws(claim["counts"], claim["channel"])
    lifts = [[p / a for p, a in zip(law, prior, strict=True)] for law in posterior]
    value = claim[last[kind]]
    if kind == "lift-bounds":
        need(isinstance(value, dict) and value.get("kind") in ("alip", "ldp"))
        if value["kind"] == "alip":
            need(set(value) == {"kind", "low", "up"})
            low, up = as_fraction(value["low"]), as_fraction(value["up"])
            need(all(low <= lift <= up for row in lifts for lift in row))
            return
        need(set(value) == {"kind", "exp_eps"})
        value = value["exp_eps"]
    if kind == "measure-bounds":
        need(isinstance(value, dict) and value)
        for name, ends in value.items():
            measured(name, ends, lifts, prior)
        return
    most = as_fraction(value)
    need(all(a <= most * b for row in lifts for a in row for b in row))


def laws(counts: Any, channel: Any) -> tuple[list[list[Fraction]], list[Fraction]]:
    """P(s | y) for every y, and P(s), from probabilities rather than from counts."""
    need(isinstance(counts, list) and counts and all(isinstance(row, list) and row for row in counts))
    need(all(is_whole(c) and c >= 0 for row in counts for c in row) and len({len(row) for row in counts}) == 1)
    need(all(map(any, counts)) and all(map(any, zip(*counts, strict=True))))
    need(isinstance(channel, dict) and set(channel) == {"total", "outputs"})
    total, outputs = channel["total"], channel["outputs"]
    need(is_whole(total) and total >= 1 and isinstance(outputs, list) and outputs)
    people = sum(map(sum, counts))
    prior = [Fraction(sum(row), people) for row in counts]
    size = len(counts[0])
    given = [Fraction(0)] * size
    posterior = []
    for output in outputs:
        need(isinstance(output, list) and output and len(output) % 2 == 0 and all(map(is_whole, output)))
        xs, shares = output[0::2], output[1::2]
        need(len(set(xs)) == len(xs) and all(0 <= x < size for x in xs) and min(shares) >= 1)
        chance = {x: Fraction(share, total) for x, share in zip(xs, shares, strict=True)}
        for x, p in chance.items():
            given[x] += p
        both = [sum((Fraction(row[x], people) * p for x, p in chance.items()), Fraction(0)) for row in counts]
        posterior.append([p / sum(both) for p in both])
    need(all(p == 1 for p in given))
    return posterior, prior


def measured(name: str, ends: Any, lifts: list[list[Fraction]], prior: list[Fraction]) -> None:
    """One measure against its ends: the worst released value is at least low and at most up."""
    need(isinstance(ends, list) and len(ends) == 2 and ends != [None, None])
    low = ends[0] if ends[0] in (None, "inf") else as_fraction(ends[0])
    up = None if ends[1] is None else as_fraction(ends[1])
    match = re.fullmatch(
        r"(max-lift|min-lift|ldp-ratio)|(l1|chi2|alpha)-lift(?:-([0-9]+(?:/[0-9]+)?))?(-inverse)?", name
    )
    need(match)
    assert match is not None
    alone, family, order_text, inverse = match.groups()
    need((order_text is not None) == (family == "alpha"))
    order = Fraction(1)
    if order_text is not None:
        need("0" not in order_text.split("/"))
        order = Fraction(order_text)
        need(str(order) == order_text and order > 1 and max(order.numerator, order.denominator) <= 1000)
    infinite = [0 in row and bool(inverse or alone == "ldp-ratio") for row in lifts]
    if low == "inf":
        need(any(infinite))
    need(up is None or not any(infinite))
    finite = [row for row, endless in zip(lifts, infinite, strict=True) if not endless]
    comparisons: list[tuple[int | None, int | None]] = []
    for row in finite:
        both = [None if end is None or end == "inf" else compared(row, prior, alone or family, inverse, order, end)
                for end in (low, up)]  # fmt: skip
        comparisons.append((both[0], both[1]))
    if alone == "min-lift":
        need(low is None or all(a is not None and a >= 0 for a, _ in comparisons))
        need(up is None or any(b is not None and b <= 0 for _, b in comparisons))
    else:
        need(low in (None, "inf") or any(infinite) or any(a is not None and a >= 0 for a, _ in comparisons))
        need(up is None or all(b is not None and b <= 0 for _, b in comparisons))


def compared(
    row: list[Fraction], prior: list[Fraction], family: str, inverse: str | None, order: Fraction, end: Fraction
) -> int:
    """-1, 0 or 1 as a finite measure of one released value is below, at or above an end."""
    ratios = [1 / lift for lift in row] if inverse else row
    if family == "alpha" and order.denominator > 1:
        return roots_compared(ratios, prior, order, end)
    mean: dict[str, Any] = {
        "max-lift": lambda: max(row), "min-lift": lambda: min(row), "ldp-ratio": lambda: max(row) / min(row),
        "l1": lambda: sum(p * abs(r - 1) for p, r in zip(prior, ratios, strict=True)),
        "chi2": lambda: sum(p * (r - 1) ** 2 for p, r in zip(prior, ratios, strict=True)),
        "alpha": lambda: sum(p * r**order.numerator for p, r in zip(prior, ratios, strict=True)),
    }  # fmt: skip
    value = mean[family]()
    if family == "alpha":
        if end < 0:
            return 1
        end = end**order.numerator
    return (value > end) - (value < end)


def roots_compared(ratios: list[Fraction], prior: list[Fraction], order: Fraction, end: Fraction) -> int:
    """The same for a rational order, in 120 decimal digits; equality only where every lift is 1."""
    if end < 0:
        return 1
    with localcontext() as context:
        context.prec = 120
        power = Decimal(order.numerator) / Decimal(order.denominator)

        def decimal(value: Fraction) -> Decimal:
            return Decimal(value.numerator) / Decimal(value.denominator)

        value = sum((decimal(p) * decimal(r) ** power for p, r in zip(prior, ratios, strict=True) if r), Decimal(0))
        limit = decimal(end) ** power if end else Decimal(0)
        if abs(value - limit) > Decimal(10) ** -100 * max(value, limit, Decimal(1)):
            return 1 if value > limit else -1
    assert set(ratios) == {Fraction(1)}, "120 digits do not tell these numbers apart"
    return (end < 1) - (end > 1)


# ---- certificates to damage -------------------------------------------------------------------------------------------


def some_certificate(rng: random.Random) -> Document:
    """A certificate of a random kind whose bounds are exact, a little wide, or a little narrow."""
    m, n = rng.randint(1, 4), rng.randint(1, 5)
    top = rng.choice([2, 5, 50, 10**6])
    counts = [[rng.randint(0 if rng.random() < 0.2 else 1, top) for _ in range(n)] for _ in range(m)]
    for s in range(m):
        if not any(counts[s]):
            counts[s][0] = 1
    for x in range(n):
        if not any(row[x] for row in counts):
            counts[0][x] = 1
    total = rng.choice([1, 2, 4, 12, 2**40])
    outputs: list[list[int]] = [[] for _ in range(rng.randint(1, n + 1))]
    for x in range(n):
        parts = sorted(rng.randint(0, total) for _ in range(rng.randint(0, len(outputs) - 1)))
        pieces = [b - a for a, b in zip([0, *parts], [*parts, total], strict=True)]
        for y, share in zip(rng.sample(range(len(outputs)), len(pieces)), pieces, strict=True):
            if share:
                outputs[y] += [x, share]
    channel = {"total": total, "outputs": [output for output in outputs if output]}
    posterior, prior = laws(counts, channel)
    lifts = [[p / a for p, a in zip(law, prior, strict=True)] for law in posterior]
    flat = [lift for row in lifts for lift in row]
    ratio = max(max(row) / min(row) if min(row) else Fraction(10**9) for row in lifts)
    kind = rng.choice(["alip", "ldp", "ratio", "measures", "measures", "measures"])
    claim: Document = {"counts": counts, "channel": channel}
    if kind == "alip":
        claim["budget"] = {"kind": "alip", "low": near(min(flat), rng, -1), "up": near(max(flat), rng, 1)}
    elif kind == "ldp":
        claim["budget"] = {"kind": "ldp", "exp_eps": near(ratio, rng, 1)}
    elif kind == "ratio":
        claim["exp_eps"] = near(ratio, rng, 1)
    else:
        claim["bounds"] = {}
        for name in rng.sample(MEASURES, rng.randint(1, 3)):
            centre = {"max-lift": max(flat), "min-lift": min(flat), "ldp-ratio": ratio}.get(name)
            if centre is None:
                rows = [[1 / r if "inverse" in name else r for r in row] for row in lifts if 0 not in row]
                power = Fraction(2) if "chi2" in name else Fraction(1)
                centre = max(
                    (sum(p * abs(r - 1) ** power.numerator for p, r in zip(prior, row, strict=True)) for row in rows),
                    default=Fraction(1),
                )
                centre += rng.choice([0, 1, 1, 1]) if "alpha" in name else 0
            low = near(centre, rng, -1) if rng.random() < 0.5 else None
            ends = [low, near(centre * rng.choice([1, 1, 2]), rng, 1)]
            claim["bounds"][name] = ends if rng.random() < 0.9 else [rng.choice(["inf", ends[1]]), None]
    names = {"alip": "lift-bounds", "ldp": "lift-bounds", "ratio": "ratio-bound", "measures": "measure-bounds"}
    start = {"liftgate-certificate": 1, "kind": names[kind], "version": 1, "claim": claim, "evidence": {}}
    return {**start, "assumptions": ["counts-are-population"], "salt": f"{rng.getrandbits(256):064x}"}


def near(value: Fraction, rng: random.Random, outwards: int = 0) -> str:
    """The value, or a fraction just beside it (mostly on the side where the claim stays true), as text."""
    step = Fraction(1, rng.choice([2, 10, 10**6, 2**40, 10**60]))
    return str(value + step * rng.choice([-1, 1, 0, 0, *[outwards] * 6]))


def places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place inside a document."""
    out = [here] if here else []
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        out += places(entry, (*here, key))
    return out


POOL: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    10**4000,
    1.0,
    0.5,
    "",
    "0",
    "1",
    "1/2",
    "3/2",
    "-1",
    "1/0",
    "2/4",
]
POOL += ["inf", "nan", " 1", "1/2 ", "0x1", [], {}, [1], [None, None], ["1/2", "3/2"], {"kind": "alip"}, "ldp", "alip"]
POOL += ["lift-bounds", "ratio-bound", "measure-bounds", "max-lift", [0, 1], [0, 1, 1, 1], {"total": 1}, "\ud800", "٣"]


def damage(document: Document, rng: random.Random) -> None:
    """One change in place: a number a little off, something swapped, copied, renamed, left out or replaced."""
    all_places = places(document)
    if not all_places:
        return
    path = rng.choice(all_places)
    parent: Any = document
    for key in path[:-1]:
        parent = parent[key]
    key, value = path[-1], parent[path[-1]]
    what = rng.random()
    if what < 0.35 and is_whole(value):
        parent[key] = value + rng.choice([-1, 1, -1, 1, 2, -value, value])
    elif what < 0.35 and isinstance(value, str) and re.fullmatch(r"-?[0-9]+(/[1-9][0-9]*)?", value):
        parent[key] = near(Fraction(value), rng)
    elif what < 0.5 and isinstance(value, list) and len(value) > 1:
        i, j = rng.randrange(len(value)), rng.randrange(len(value))
        value[i], value[j] = value[j], value[i]
    elif what < 0.6 and isinstance(value, list):
        value.insert(rng.randint(0, len(value)), copy.deepcopy(rng.choice(value)) if value else 1)
    elif what < 0.7:
        del parent[key]
    elif what < 0.8 and isinstance(parent, dict):
        parent[rng.choice([*MEASURES, "low", "up", "exp_eps", "kind", "extra", "alpha-lift-7/3", "alpha-lift-1"])] = (
            value
        )
    elif what < 0.9:
        other: Any = document
        for step in rng.choice(all_places):
            try:
                other = other[step]
            except (KeyError, IndexError, TypeError):
                break
        parent[key] = copy.deepcopy(other)
    else:
        parent[key] = copy.deepcopy(rng.choice(POOL))


def read_plainly(data: bytes) -> Any:
    """What the bytes say, read by the standard parser; Ellipsis when they are no JSON or name a key twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("a key twice")
        return dict(pairs)

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=once)
    except ValueError:
        return ...


def fuzz(seed: int, rounds: int) -> tuple[int, int]:
    """Damage and decide; counts of documents and of true ones among them."""
    rng = random.Random(seed)
    true = 0
    for _ in range(rounds):
        document = some_certificate(rng)
        for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 3])):
            damage(document, rng)
        if rng.random() < 0.7:
            verdict, expected = checker.check(document), is_true(document)
        else:
            data = bytearray(json.dumps(document, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass"))
            for _ in range(rng.choice([0, 1, 1, 2])):
                at = rng.randrange(len(data))
                data[at : at + rng.choice([0, 1, 1, 5])] = rng.choice(
                    [b"", b"0", b"9", b"-", b".5", b'"', b"}", b"]", b",", b"\xff"]
                )
            if rng.random() < 0.1:
                del data[rng.randrange(len(data) + 1) :]
            try:
                verdict = checker.check(checker.read_bytes(bytes(data)))  # type: ignore[arg-type]
            except checker.Unreadable as error:
                verdict = checker.Verdict(False, str(error), readable=False)
            document = read_plainly(bytes(data))
            if isinstance(document, str):
                continue  # text given to check is a path
            expected = document is not ... and is_true(document)
        assert verdict.holds == expected, (verdict.reason, document)
        assert verdict.reason.isascii()
        assert verdict.reason.isprintable()
        true += expected
    return rounds, true


@pytest.mark.parametrize("seed", range(4))
def test_two_thousand_damaged_certificates(seed: int) -> None:
    """Every verdict equals the independent one; both verdicts occur often."""
    rounds, true = fuzz(seed, 500)
    assert 0.1 * rounds < true < 0.6 * rounds


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_a_hundred_thousand_damaged_certificates(seed: int) -> None:
    """The same in 20 parts of 5,000."""
    rounds, true = fuzz(seed, 5000)
    assert 0.1 * rounds < true < 0.6 * rounds
