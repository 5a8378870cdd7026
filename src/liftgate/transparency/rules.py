"""Decision rules: groups of records with their people, private values and chances of every outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import DataError, UsageError
from liftgate.exact import fraction, read_only
from liftgate.labels import Label, clean_label, label_text, sort_key
from liftgate.transparency.grouping import FloatArray, Grouping, label_array, put_together
from liftgate.transparency.sources import columns_of, one_label

ADDS_UP = 1e-9
DEFAULT_OUTCOMES = ("negative", "positive")


@dataclass(frozen=True, eq=False)
class DecisionRules:
    """How decisions are made: for each row its group, its people (mass) and its chance of every outcome (ATR Def. 1).

    A group holds the records that look alike in public; its rows differ in the private value. ``rule`` is the
    chance of the positive outcome (n,), or of every outcome (n, outcomes) with the positive one last. Results are
    ``fractions`` where the rules were given as such.

    >>> rules = DecisionRules.from_arrays([12, 5, 3], [0, 0, 1], group=["F"] * 3, private=["low", "middle", "high"])
    >>> rules.size, rules.groups.size, rules.outcomes
    (3, 1, ('negative', 'positive'))
    """

    mass: FloatArray
    rule: FloatArray
    groups: Grouping
    private: Mapping[str, NDArray[Any]]
    outcomes: tuple[Label, ...]
    given_mass: NDArray[Any]
    given_rule: NDArray[Any]
    counted: bool = False
    blocks: NDArray[np.int64] | None = None
    source: str = "arrays"
    fractions: bool = False

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.mass.size

    @property
    def two_outcomes(self) -> bool:
        """Whether one chance for each row says everything."""
        return len(self.outcomes) == 2

    @property
    def chances(self) -> FloatArray:
        """The chance of every outcome, (n, outcomes), the positive outcome last."""
        return both(self.rule)

    @classmethod
    def from_arrays(
        cls,
        mass: Any,
        rule: Any,
        group: Any,
        private: Any = None,
        outcomes: Sequence[Any] | None = None,
        source: str = "arrays",
    ) -> DecisionRules:
        """Rules from one entry per row; whole numbers and fractions are kept exactly, a float means its decimal.

        ``private`` is one label per row, a list of tuples, or a mapping from attribute name to labels.
        """
        given_mass, masses = numbers(mass, "mass", 1)
        given_rule, chances = numbers(rule, "rule", 2)
        n = masses.size
        if chances.shape[0] != n:
            raise DataError("rule", f"{chances.shape[0]} rules for {n} rows of mass", "give one rule for each row")
        groups = put_together(group, "group")
        if groups.rows != n:
            raise DataError("group", f"{groups.rows} labels for {n} rows of mass", "give one group for each row")
        check_masses(masses, groups)
        check_rules(chances)
        size = 2 if chances.ndim == 1 else chances.shape[1]
        return cls(
            masses,
            chances,
            groups,
            private_columns(private, n),
            outcome_names(outcomes, size),
            given_mass,
            given_rule,
            source=source,
            fractions=given_fractions(rule),
        )

    @classmethod
    def from_rules_table(
        cls,
        table: Any,
        group: str | Sequence[str] = "group",
        private: str | Sequence[str] = "private",
        people: str = "people",
        rule: str | Sequence[str] = "rule",
        outcomes: Sequence[Any] | None = None,
    ) -> DecisionRules:
        """Rules from a table with one row for each group and private value (columns group, private, people, rule).

        Several rule columns are the outcomes, the positive one last; their names are the outcome names.
        """
        columns = columns_of(table)
        several = [rule] if isinstance(rule, str) else list(rule)
        group_of, hidden = one_label(columns, group), _named(columns, private)
        names = [label_text((g, *v)) for g, *v in zip(group_of, *hidden.values(), strict=True)]
        shares = [
            [_share(v, f"column {name!r}, row {row}") for v, row in zip(one_label(columns, name), names, strict=True)]
            for name in several
        ]
        for row, *parts in zip(names, *shares, strict=True):
            if len(parts) > 1 and abs(sum(parts) - 1) > ADDS_UP:
                told = f"the chances of {', '.join(several)} add up to {float(sum(parts)):.12g}"
                raise DataError(f"row {row}", told, "make them add up to 1")
        chances = np.empty((len(shares[0]), len(shares)), dtype=object)
        for i, column in enumerate(shares):
            chances[:, i] = column
        counts = np.empty(len(shares[0]), dtype=object)
        counts[:] = [
            _not_negative(v, f"column {people!r}, row {row}")
            for v, row in zip(one_label(columns, people), names, strict=True)
        ]
        if len(several) > 1 and outcomes is None:
            outcomes = several
        rules = cls.from_arrays(
            counts,
            chances[:, 0] if len(several) == 1 else chances,
            group_of,
            hidden,
            outcomes,
            source="rules table",
        )
        return replace(rules, fractions=given_fractions(columns[several[0]]))

    @classmethod
    def from_table(
        cls,
        table: Any,
        group: str | Sequence[str],
        private: str | Sequence[str],
        decision: str,
        positive: Any = None,
        count: str | None = None,
    ) -> DecisionRules:
        """Empirical rules from a table of decisions, one row for each person (or ``count`` people), counted exactly.

        The positive outcome comes last: the one named, else the last in the order of their labels.
        """
        columns = columns_of(table)
        group_of, decided = one_label(columns, group), one_label(columns, decision)
        hidden = _named(columns, private)
        keys = list(zip(*hidden.values(), strict=True))
        weights = [1] * len(decided) if count is None else [whole(v, f"column {count!r}") for v in columns[count]]
        names = sorted(set(decided), key=sort_key)
        if len(names) < 2:
            shown = label_text(names[0]) if names else "nothing"
            raise DataError(f"column {decision!r}", f"only one outcome, {shown!r}", "give decisions with two outcomes")
        if positive is not None:
            if positive not in names:
                raise UsageError(
                    "positive",
                    f"no outcome is called {label_text(positive)!r}",
                    "use one of " + ", ".join(label_text(v) for v in names),
                )
            names = [v for v in names if v != positive] + [positive]
        place = {name: i for i, name in enumerate(names)}
        cells: dict[tuple[Label, tuple[Label, ...]], list[int]] = {}
        for g, key, d, weight in zip(group_of, keys, decided, weights, strict=True):
            cells.setdefault((g, key), [0] * len(names))[place[d]] += weight
        ordered = sorted(cells, key=lambda c: (sort_key(c[0]), tuple(sort_key(v) for v in c[1])))
        counts = np.array([cells[c] for c in ordered], dtype=np.int64)
        return cls.from_counts(
            counts,
            _objects([c[0] for c in ordered]),
            {name: _objects([c[1][i] for c in ordered]) for i, name in enumerate(hidden)},
            names,
        )

    @classmethod
    def from_counts(cls, counts: Any, group: Any, private: Any = None, outcomes: Any = None) -> DecisionRules:
        """Rules from decided cases: one row of whole numbers (n, outcomes) for each group and private value."""
        cases = np.asarray(counts)
        if cases.ndim != 2 or cases.dtype.kind not in "iu" or cases.shape[1] < 2 or (cases < 0).any():
            raise DataError("counts", "not a table of whole numbers", "give one row of counts for each private value")
        people = cases.sum(axis=1)
        rates = np.zeros(cases.shape)
        np.divide(cases, people[:, None], out=rates, where=people[:, None] > 0)
        rates[people == 0] = 1 / cases.shape[1]
        two = cases.shape[1] == 2
        rules = cls.from_arrays(people, rates[:, 1] if two else rates, group, private, outcomes, "decisions")
        return replace(rules, given_rule=read_only(cases), counted=True)

    def only_sensitive(self, attribute: str) -> DecisionRules:
        """The same rules where only one of several private attributes is to be kept from readers.

        Rows of a group with the same value count as one: their masses, and the intervals allowed to them, add up.
        """
        if attribute not in self.private:
            known = ", ".join(self.private) or "none"
            raise UsageError("sensitive", f"no private attribute {attribute!r}", f"the private attributes are {known}")
        codes = put_together(self.private[attribute], attribute).codes()
        both_codes = self.groups.codes() * (int(codes.max()) + 1) + codes
        return replace(self, blocks=read_only(np.unique(both_codes, return_inverse=True)[1]))

    def exact_rows(self, group: int) -> tuple[list[Fraction], list[list[Fraction]]]:
        """Masses and chances of every outcome of one group, as fractions."""
        masses, chances = [], []
        for i in self.groups.rows_of(group):
            masses.append(fraction(self.given_mass[i], f"mass {i}"))
            chances.append(self.exact_rule(int(i)))
        return masses, chances

    def exact_rule(self, row: int) -> list[Fraction]:
        """The chances of every outcome of one row, as fractions that add up to 1."""
        given = self.given_rule[row]
        if self.counted:
            total = int(given.sum())
            return [Fraction(int(c), total) if total else Fraction(1, len(given)) for c in given]
        if self.given_rule.ndim == 1:
            positive = fraction(given, f"rule {row}")
            return [1 - positive, positive]
        shares = [fraction(v, f"rule {row}") for v in given]
        total_share = sum(shares)
        return [v / total_share for v in shares]

    def row_label(self, row: int) -> Label:
        """The private value of a row; its number where none was given."""
        if not self.private:
            return row
        values = tuple(clean_label(column[row]) for column in self.private.values())
        return values[0] if len(values) == 1 else values


def both(rule: FloatArray) -> FloatArray:
    """Chances of every outcome from chances of the positive one."""
    return rule if rule.ndim == 2 else np.stack([1.0 - rule, rule], axis=1)


def numbers(values: Any, place: str, most: int) -> tuple[NDArray[Any], FloatArray]:
    """The numbers as given, and the same as floats; text and fractions are read exactly."""
    try:
        raw = np.asarray(values)
    except ValueError:
        raise DataError(place, "rows of different lengths", "give one number for each row and outcome") from None
    if raw.dtype.kind in "USO":
        exact = np.empty(raw.shape, dtype=object)
        for where, value in np.ndenumerate(raw):
            exact[where] = fraction(value, f"{place} {where[0]}")
        raw = exact
    elif raw.dtype.kind not in "iuf":
        raise DataError(place, f"entries of type {raw.dtype}", "give numbers")
    if raw.ndim not in range(1, most + 1) or raw.size == 0:
        raise DataError(place, f"an array of shape {raw.shape}", "give one entry for each row")
    if raw.ndim == 2 and raw.shape[1] < 2:
        raise DataError(place, "one column", "give the positive outcome alone, or every outcome")
    try:
        floats = raw.astype(np.float64)
    except OverflowError:
        raise DataError(place, "a number beyond 1e308", "divide all of them by a common number") from None
    floats.setflags(write=False)
    if raw.dtype == np.float64:
        return floats, floats
    raw = raw.copy()
    raw.setflags(write=False)
    return raw, floats


def given_fractions(values: Any) -> bool:
    """Whether numbers came as fractions, so that results are fractions too."""
    raw = np.asarray(values)
    return raw.dtype == object and all(isinstance(v, Fraction) for v in raw.ravel())


def check_masses(masses: FloatArray, groups: Grouping) -> None:
    """Masses are finite and not negative, and every group has people."""
    least, most = masses.min(), masses.max()
    if not (least >= 0 and most < np.inf):
        i = int(np.flatnonzero(~((masses >= 0) & (masses < np.inf)))[0])
        raise DataError(f"mass, row {i}", f"{masses[i]}", "people must be a finite number that is not negative")
    lined = groups.gather(masses)
    totals = np.add.reduceat(lined, groups.starts[:-1])
    if not totals.min() > 0:
        g = int(np.argmin(totals))
        raise DataError(f"group {label_text(groups.label(g))!r}", "no people", "leave the group out, or count it again")
    if not totals.max() < np.inf:
        raise DataError("mass", "the people of a group add up to infinity", "divide all masses by a common number")


def check_rules(chances: FloatArray) -> None:
    """Rules are chances, and add up to 1 where every outcome is given."""
    if not (chances.min() >= 0 and chances.max() <= 1):
        where = np.argwhere(~((chances >= 0) & (chances <= 1)))[0]
        value = chances[tuple(where)]
        raise DataError(f"rule, row {where[0]}", f"{value} is not between 0 and 1", "give a chance of the outcome")
    if chances.ndim == 2:
        sums = chances.sum(axis=1)
        wrong = np.flatnonzero(np.abs(sums - 1) > ADDS_UP)
        if wrong.size:
            i = int(wrong[0])
            raise DataError(f"rule, row {i}", f"the chances add up to {sums[i]:.12g}", "make them add up to 1")


def outcome_names(names: Sequence[Any] | None, size: int) -> tuple[Label, ...]:
    """Names of the outcomes, the positive one last."""
    if names is None:
        return DEFAULT_OUTCOMES if size == 2 else tuple(f"outcome {i}" for i in range(size))
    out = tuple(clean_label(v) for v in names)
    if len(out) != size or len({label_text(v) for v in out}) != size:
        raise UsageError("outcomes", f"{len(out)} names for {size} outcomes", "give a different name to each outcome")
    return out


def private_columns(private: Any, size: int) -> dict[str, NDArray[Any]]:
    """Private attributes by name, one label for each row."""
    if private is None:
        return {}
    if not isinstance(private, Mapping):
        labels = label_array(private, "private")
        if labels.size and isinstance(labels[0], tuple):
            parts = len(labels[0])
            private = {f"private {i + 1}": _objects([v[i] for v in labels]) for i in range(parts)}
        else:
            private = {"private": labels}
    out = {str(name): label_array(values, f"private {name}") for name, values in private.items()}
    for name, values in out.items():
        if values.size != size:
            raise DataError(f"private {name}", f"{values.size} labels for {size} rows", "give one label for each row")
    return out


def whole(value: Any, place: str) -> int:
    """A whole number that is not negative."""
    number = fraction(value, place)
    if number.denominator != 1 or number < 0:
        raise DataError(place, f"{value!r} is not a count", "give whole numbers of people")
    return int(number)


def _share(value: Any, place: str) -> Fraction:
    """A chance between 0 and 1, as a fraction."""
    found = fraction(value, place)
    if not 0 <= found <= 1:
        raise DataError(place, f"{value} is not between 0 and 1", "give a chance of the outcome")
    return found


def _not_negative(value: Any, place: str) -> Fraction:
    found = fraction(value, place)
    if found < 0:
        raise DataError(place, f"{value} is negative", "people must be a finite number that is not negative")
    return found


def _named(columns: Mapping[str, Sequence[Any]], names: str | Sequence[str]) -> dict[str, list[Label]]:
    chosen = [names] if isinstance(names, str) else list(names)
    return {name: one_label(columns, name) for name in chosen}


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
