"""Pieces of sentences that hold names from a table: escaped, cut, isolated from the text around them."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from liftgate.report import words
from liftgate.report.view import View


@dataclass(frozen=True)
class Nouns:
    """What is counted: people, or cases where only probabilities are known."""

    one: str
    many: str

    def swap(self, text: str) -> str:
        """A sentence about people as one about what is counted."""
        if self.many == "people":
            return text
        return text.replace("nobody", "no case").replace("everyone", "every case").replace("people", self.many)


def nouns(view: View) -> Nouns:
    """People for counts, cases for probabilities."""
    return Nouns("person", "people") if words.is_count(view.joint) else Nouns("case", "cases")


def quoted(text: str) -> Markup:
    """A name inside a sentence: cut, escaped, and isolated from the direction of the text around it."""
    return Markup("<b><bdi>{}</bdi></b>").format(words.cut(text))


def name_in(text: str) -> Markup:
    """A column name inside a headline."""
    return Markup("<bdi>{}</bdi>").format(words.cut(text))


def the(text: str) -> Markup:
    """A column name with its article."""
    return name_in(text) if text.startswith("the ") else Markup("the {}").format(name_in(text))


def a_value(view: View) -> Markup:
    """Some sensitive value, in a sentence."""
    if view.sensitive.startswith("the "):
        return Markup("a sensitive value")
    return Markup("a value of {}").format(name_in(view.sensitive))


def values_noun(view: View, n: int) -> str:
    """The noun for n public values: ``occupations``, else ``values``."""
    if len(view.joint.source.public) != 1 or view.public.startswith("the "):
        return "value" if n == 1 else "values"
    return words.values_word(view.public, n)
