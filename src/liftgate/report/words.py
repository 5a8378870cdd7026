"""Names and nouns for sentences: columns, their values, budgets."""

from __future__ import annotations

from liftgate.budget import Budget
from liftgate.joint import Joint, Source
from liftgate.report.numbers import bound, count, spelled

_UNCOUNTABLE = ("education", "housing", "insurance", "health", "money", "advice", "information", "data", "age", "sex")
_NO_NAMES = Source()


def column_name(columns: tuple[str, ...], side: str) -> str:
    """The columns of one side as a phrase; a plain word where nobody named them."""
    if columns == getattr(_NO_NAMES, side):
        return f"the {side} value"
    return " and ".join(columns)


def values_word(name: str, n: int) -> str:
    """The noun for n values of a column: its plural where plain English makes one, else ``values``.

    >>> values_word("occupation", 7), values_word("occupation", 1), values_word("marital-status", 2)
    ('occupations', 'occupation', 'values')
    """
    plain = name.isascii() and name.isalpha() and name.islower() and name not in _UNCOUNTABLE
    if plain and not name.endswith(("s", "x", "ch", "sh", "y", "z")):
        return name if n == 1 else name + "s"
    return "value" if n == 1 else "values"


def counted(n: int, word: str) -> str:
    """``five values``, ``one value``, ``no values``, ``1,200 values``."""
    return f"{spelled(n)} {word if n == 1 else word + 's'}"


def capital(text: str) -> str:
    """The same text with a capital first letter."""
    return text[:1].upper() + text[1:]


def people(joint: Joint, n: int) -> str:
    """A count of people, or a share of them where the joint was given as probabilities."""
    return count(n) if is_count(joint) else f"{n / joint.total:.2%}".replace("%", "\u00a0%")


def is_count(joint: Joint) -> bool:
    """Whether the numbers of the joint are people, and not shares of 2^40."""
    return joint.total < 1 << 40


def budget_words(budget: Budget) -> str:
    """The budget as a facts label prints it.

    >>> budget_words(Budget.alip(1, 1)), budget_words(Budget.between("3/4", "5/4"))
    ('ALIP, ε 1 down, 1 up', 'lift from 0.75 to 1.25')
    """
    form, _, rest = budget.asked.partition(":")
    parts = [p.strip() for p in rest.split(",")]
    if form == "alip":
        return f"ALIP, ε {parts[0]} down, {parts[1]} up"
    if form in ("lip", "ldp"):
        return f"{form.upper()}, ε {parts[0]}"
    if form == "split":
        return f"ALIP, ε {parts[0]} in all, λ {parts[1]}"
    if form == "breach":
        return f"no breach, {parts[0]} to {parts[1]}"
    if form in ("l1", "chi2", "alpha"):
        name = f"alpha-lift, order {parts.pop(0)}" if form == "alpha" else f"{form}-lift"
        sides = [f"{p} {way}" for p, way in zip(parts, ("down", "up"), strict=True) if p != "none"]
        return f"{name}, ε {', '.join(sides)}"
    if budget.kind == "alip" and budget.low is not None and budget.up is not None:
        return f"lift from {bound(budget.low, 'low')} to {bound(budget.up, 'up')}"
    return budget.text


def budget_sentence(budget: Budget) -> str:
    """The budget in words, its bounds rounded inwards.

    >>> budget_sentence(Budget.alip(1, 1))
    'belief in any sensitive value may rise to at most 2.71 times and fall to no less than 0.368 times what it was'
    """
    if budget.kind == "alip" and budget.low is not None and budget.up is not None:
        return (
            f"belief in any sensitive value may rise to at most {bound(budget.up, 'up')} times "
            f"and fall to no less than {bound(budget.low, 'low')} times what it was"
        )
    if budget.kind == "ldp" and budget.up is not None:
        return f"the odds between any two sensitive values may change by at most a factor of {bound(budget.up, 'up')}"
    name = f"alpha-lift-{budget.order}" if budget.kind == "alpha" else f"{budget.kind}-lift"
    sides = ((name, budget.up), (f"{name}-inverse", budget.low))
    return " and ".join(f"{side} at most {bound(value, 'up')}" for side, value in sides if value is not None)


def visible(label: str) -> str:
    """A label in which nothing is invisible: control characters become their pictures, an empty text says so.

    >>> visible("a\\x00b"), visible(""), visible("  "), visible("plain")
    ('a␀b', '(empty)', '“  ”', 'plain')
    """
    text = pictured(label)
    if not text:
        return "(empty)"
    return f"“{text}”" if text != text.strip() else text


def pictured(text: str) -> str:
    """A text in which control characters are their pictures, so that none of them moves a cursor.

    >>> pictured("a\\x1b[2J\\nb")
    'a␛[2J␊b'
    """
    return "".join(_picture(c) for c in text)


def _picture(c: str) -> str:
    code = ord(c)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in _INVISIBLE:
        return "\ufffd"
    return c


_INVISIBLE = frozenset((0x200B, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF))
_INVISIBLE |= frozenset(range(0x2066, 0x206A))


def cut(text: str, most: int = 60) -> str:
    """A text of at most so many characters, for a sentence."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
