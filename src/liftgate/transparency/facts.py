"""Published figures as conditions on hidden rules: rates, fairness and influence figures with their digits, own records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from liftgate.errors import DataError, UsageError
from liftgate.exact import fraction
from liftgate.labels import Label, clean_label, label_text
from liftgate.transparency.boxes import rounding_slack
from liftgate.transparency.shapes import IN_GROUP, SIDE, published_form, shaped

LARGEST = 10**9
Row = tuple[Label, Label]
Terms = tuple[tuple[tuple[Any, ...], Fraction], ...]


@dataclass(frozen=True)
class Condition:
    """low <= sum of weights x hidden quantities <= high; with ``absolute`` the same for the absolute value.

    With ``over`` it is the quotient of two such sums (low x over <= sum <= high x over). A quantity is a rule ("rule", group, private), a group's real rate ("rate", group), or the rate of a group after
    its private attributes were redrawn ("redrawn", group).
    """

    name: str
    terms: Terms
    low: Fraction
    high: Fraction
    absolute: bool = False
    over: Terms = ()


@dataclass(frozen=True)
class Knowledge:
    """Everything an auditor works with: the rows and their shares in each group, the slack, the conditions, the values."""

    rows: tuple[Row, ...]
    shares: Mapping[Row, Fraction]
    slack: Fraction
    conditions: tuple[Condition, ...]
    values: tuple[Fraction, ...] | None

    @property
    def groups(self) -> tuple[Label, ...]:
        """The groups in the order of the rows."""
        return tuple(dict.fromkeys(g for g, _ in self.rows))

    def of_group(self, group: Label) -> tuple[Row, ...]:
        """The rows of one group."""
        return tuple(r for r in self.rows if r[0] == group)


def known(published: Mapping[str, Any], side_information: Mapping[str, Any]) -> Knowledge:
    """Published figures and side information put together (see docs/how-to/attack.md for the format)."""
    published_form(published)
    shaped(side_information, SIDE, "side information")
    names = published.get("outcomes", ("negative", "positive"))
    if len({label_text(clean_label(v)) for v in names}) != len(names) or len(names) < 2:
        raise DataError("outcomes", f"{names!r}", "give two different names, the positive outcome last")
    shares = _shares(side_information)
    if "slack" not in side_information:
        raise UsageError(
            "side information",
            "no slack: how far a group's rate computed with these shares may be from the real one",
            "give slack, 0 where the shares are exact, else for example 0.002",
        )
    slack = fraction(side_information["slack"], "slack")
    if not 0 <= slack <= 1:
        raise DataError("slack", f"{side_information['slack']} is not between 0 and 1", "give a share such as 0.002")
    rows = tuple(shares)
    conditions = [_figure(f, i, rows, shares, published) for i, f in enumerate(published.get("figures", []))]
    conditions += _announced(published, rows)
    for i, own in enumerate(side_information.get("rules", [])):
        row = _row(own, rows, f"own record {i + 1}")
        low, high = _interval(own, f"own record {i + 1}", "exact")
        _between(own["value"], 0, f"own record {i + 1}")
        conditions.append(Condition(f"own record: {_text(row)}", ((("rule", *row), Fraction(1)),), low, high))
    values = side_information.get("values")
    if values is not None:
        values = tuple(sorted({fraction(v, "values") for v in values}))
        if not values or values[0] < 0 or values[-1] > 1:
            raise DataError("values", "not chances between 0 and 1", "give for example 0, 1/2, 1")
    return Knowledge(rows, shares, slack, tuple(conditions), values)


def _shares(side: Mapping[str, Any]) -> dict[Row, Fraction]:
    """Shares of the private values in each group, from ``shares`` or from ``people``."""
    if ("shares" in side) == ("people" in side):
        raise UsageError(
            "side information", "give either shares or people", "the share of each private value in each group"
        )
    given = side["shares"] if "shares" in side else side["people"]
    groups = [(clean_label(e["group"]), e["rows"]) for e in given] if isinstance(given, list) else list(given.items())
    out: dict[Row, Fraction] = {}
    for group, inner in groups:
        shaped(inner, IN_GROUP, f"shares of {label_text(group)!r}")
        pairs = (
            [(clean_label(e["private"]), e["share"]) for e in inner] if isinstance(inner, list) else list(inner.items())
        )
        parts = {label: fraction(v, f"share of {label_text(label)!r}") for label, v in pairs}
        total = sum(parts.values(), Fraction(0))
        if min(parts.values(), default=Fraction(-1)) < 0 or total <= 0:
            raise DataError(f"shares of {label_text(group)!r}", "negative, or nobody at all", "give shares of people")
        if "shares" in side and abs(total - 1) > Fraction(1, 100):
            told = f"{float(total):.6g}" if total < 10**9 else "far more"
            raise DataError(f"shares of {label_text(group)!r}", f"they add up to {told}", "make them add up to 1")
        out |= {(group, label): v if "shares" in side else v / total for label, v in parts.items()}
    if not out:
        raise DataError("shares", "no rows", "give the share of each private value in each group")
    return out


def _interval(figure: Mapping[str, Any], place: str, rounding: str, least: int = 0) -> tuple[Fraction, Fraction]:
    """Where a published value lies: its digits, and how it was rounded."""
    value = fraction(figure["value"], place)
    if "within" in figure:
        width = fraction(figure["within"], f"{place}, within")
        if width < 0:
            raise DataError(place, f"within {figure['within']}", "give a width that is not negative")
        return value - width, value + width
    digits = figure.get("digits", _digits(figure["value"]))
    if digits == "exact":
        return value, value
    if not isinstance(digits, int) or isinstance(digits, bool) or not 0 <= digits <= 30:
        raise DataError(place, f"{digits!r} digits", "give the number of decimals, or exact")
    unit = Fraction(1, 10**digits)
    if (value / unit).denominator != 1:
        raise DataError(
            place, f"{figure['value']} has more than {digits} digits", "give the digits that were published"
        )
    way = figure.get("rounding", rounding)
    if way == "exact":
        return value, value
    if way == "nearest":
        return value - unit / 2, value + unit / 2
    if way == "any":
        return value - unit, value + unit
    raise DataError(place, f"rounding {way!r}", "use nearest, any or exact")


def _between(value: Any, least: int, place: str) -> None:
    if not least <= fraction(value, place) <= 1:
        raise DataError(place, f"{value} is not between {least} and 1", "check the value")


def _digits(value: Any) -> Any:
    """The decimals of a number as it was written; a fraction or a whole number is exact."""
    if isinstance(value, Fraction) or (isinstance(value, str) and "/" in value):
        return "exact"
    try:
        exponent = Decimal(str(value)).as_tuple().exponent
    except InvalidOperation:
        return "exact"
    return -exponent if isinstance(exponent, int) and exponent < 0 else "exact"


def _figure(
    figure: Any, i: int, rows: tuple[Row, ...], shares: Mapping[Row, Fraction], published: Mapping[str, Any]
) -> Condition:
    place, kind = f"figure {i + 1}", figure["kind"]
    low, high = _interval(figure, place, published.get("rounding", "nearest"))
    value = fraction(figure["value"], place)
    if kind == "ratio" and high < 0:
        raise DataError(place, f"{figure['value']} is below 0", "check the published value")
    if kind not in ("ratio", "linear"):
        _between(figure["value"], -1 if kind == "influence" else 0, place)
    one = Fraction(1)
    terms: Terms
    if kind == "rule":
        row = _row(figure, rows, place)
        return Condition(f"rule of {_text(row)}", ((("rule", *row), one),), low, high)
    if kind == "rate":
        group = _group(figure.get("group"), rows, place)
        return Condition(f"rate of {label_text(group)}", ((("rate", group), one),), low, high)
    if kind in ("parity", "ratio"):
        a, b = _pair(figure, rows, place)
        if kind == "parity":
            terms = ((("rate", a), one), (("rate", b), -one))
            return Condition(f"parity of {label_text(a)} and {label_text(b)}", terms, max(low, Fraction(0)), high, True)
        name = f"ratio of {label_text(a)} to {label_text(b)}"
        return Condition(name, ((("rate", a), one),), max(low, Fraction(0)), high, over=((("rate", b), one),))
    if kind == "conditional-parity":
        a, b = _pair(figure, rows, place)
        private = clean_label(figure.get("private"))
        terms = tuple(
            (("rule", *_row({"group": g, "private": private}, rows, place)), s) for g, s in ((a, one), (b, -one))
        )
        name = f"parity of {label_text(a)} and {label_text(b)} given {label_text(private)}"
        return Condition(name, terms, max(low, Fraction(0)), high, True)
    if kind == "influence":
        group = _group(figure.get("group"), rows, place)
        chosen = [_row({"group": group, "private": v}, rows, place) for v in figure.get("rows", [])]
        total = sum((shares[r] for r in chosen), Fraction(0))
        if not chosen or total == 0:
            raise DataError(place, "no rows", "name the private values whose influence it is")
        terms = (*((("rule", *r), shares[r] / total) for r in chosen), (("redrawn", group), -one))
        return Condition(f"influence in {label_text(group)} on {len(chosen)} rows", terms, low, high)
    terms = tuple(
        (("rule", *_row(t, rows, place)), fraction(t.get("weight", 1), f"{place}, weight"))
        for t in figure.get("terms", [])
    )
    if not terms:
        raise DataError(place, "no terms", "give group, private and weight of each term")
    if max(abs(v) for v in (value, *(w for _, w in terms))) > LARGEST:
        raise DataError(place, f"a weight or value beyond {LARGEST:g}", "divide the figure by a common number")
    return Condition(f"linear figure {i + 1}", terms, low, high)


def _announced(published: Mapping[str, Any], rows: tuple[Row, ...]) -> list[Condition]:
    """Announced rules with their fidelity: every hidden rule lies within it."""
    if "groups" not in published or "liftgate-announcement" not in published:
        return []
    kind, value = published["fidelity"]["kind"], published["fidelity"].get("value")
    if kind not in ("delta", "alpha", "bounds", "free"):
        raise DataError("fidelity", f"kind {kind!r}", "use delta, alpha, bounds or free")
    if kind in ("delta", "alpha") and not 0 < fraction(value, "fidelity") <= 1:
        raise DataError("fidelity", f"{value} is not above 0 and at most 1", "check the manifest")
    digits = published.get("digits")
    if digits is not None and not 1 <= digits <= 12:
        raise DataError("digits", f"{digits}", "check the manifest: 1 to 12 digits, or null")
    if published.get("target") is not None:
        _between(published["target"], 0, "target")
    slack = rounding_slack(digits, 2)
    out = []
    if not published["groups"] or not all(entry["rows"] for entry in published["groups"]):
        raise DataError("groups", "a group without rows, or no group at all", "give the manifest as it was published")
    for entry in published["groups"]:
        _between(entry["promised"], 0, f"promise of {label_text(clean_label(entry['group']))}")
        for inner in entry["rows"]:
            row = _row({"group": entry["group"], "private": inner["private"]}, rows, "announced rules")
            if isinstance(inner["announced"], list):
                if len(inner["announced"]) > 2:
                    raise UsageError("announced rules", "more than two outcomes", "the attack reads two outcomes")
                announced = fraction(inner["announced"][1], "announced rule")
            else:
                announced = fraction(inner["announced"], "announced rule")
            _between(announced, 0, f"announced rule of {_text(row)}")
            low, high = Fraction(0), Fraction(1)
            if kind == "delta":
                room = 1 - fraction(value, "fidelity") + slack
                low, high = announced - room, announced + room
            elif kind == "alpha":
                factor = fraction(value, "fidelity")
                low, high = (announced - slack) * factor, (announced + slack) / factor
                low = max(low, 1 - (1 - announced + slack) / factor)
                high = min(high, 1 - (1 - announced - slack) * factor)
            out.append(Condition(f"announced rule of {_text(row)}", ((("rule", *row), Fraction(1)),), low, high))
    return out


def _group(name: Any, rows: tuple[Row, ...], place: str) -> Label:
    label = clean_label(name)
    if label not in {g for g, _ in rows}:
        known_groups = ", ".join(dict.fromkeys(label_text(g) for g, _ in rows))
        raise DataError(place, f"no group {label_text(label)!r} in the shares", f"use one of {known_groups}")
    return label


def _pair(figure: Mapping[str, Any], rows: tuple[Row, ...], place: str) -> tuple[Label, Label]:
    groups = figure.get("groups", [])
    if not isinstance(groups, list | tuple) or len(groups) != 2:
        raise DataError(place, "not two groups", "give groups as a list of two")
    a, b = (_group(g, rows, place) for g in groups)
    if a == b:
        raise DataError(place, f"{label_text(a)!r} twice", "give two different groups")
    return a, b


def _row(given: Mapping[str, Any], rows: tuple[Row, ...], place: str) -> Row:
    row = (clean_label(given.get("group")), clean_label(given.get("private")))
    if row not in rows:
        raise DataError(place, f"no row {_text(row)} in the shares", "use the names of the shares")
    return row


def _text(row: Row) -> str:
    return f"{label_text(row[0])}, {label_text(row[1])}"
