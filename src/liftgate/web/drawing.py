"""Fragments of the page, drawn by the same templates as the reports: the same words, the same figures, the same escaping."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liftgate.report import page_of

if TYPE_CHECKING:
    from jinja2 import Environment

_SURROGATE = re.compile("[\ud800-\udfff]")


def result(found: Any, context: Mapping[str, Any]) -> str:
    """The finding, the facts and the sections of a result, without masthead and style sheet."""
    page = page_of(found, context)
    return fragment(page.template, page=page, **page.body)


def summary(found: Any, context: Mapping[str, Any]) -> str:
    """Of the same page only the finding, what it rests on and what it does not say."""
    return fragment("summary.html", page=page_of(found, context))


def fragment(template: str, **values: Any) -> str:
    """One template as markup in which every name from a table is escaped.

    The page forbids styles in markup; they wait in ``data-style`` for the script to put them on. Only tags can hold
    the text that is replaced, because quotes are escaped everywhere else.
    """
    made = _environment().get_template(template).render(**values)
    return _SURROGATE.sub("\ufffd", made).replace(' style="', ' data-style="')


@cache
def _environment() -> Environment:
    """The templates of the reports, with a ``base.html`` of our own in front of theirs."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from liftgate import report
    from liftgate.report.icons import chip, icon

    ours, theirs = Path(__file__).parent / "templates", Path(str(report.__file__)).parent / "templates"
    env = Environment(
        loader=FileSystemLoader([ours, theirs]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals.update(icon=icon, chip=chip)
    return env
