"""Pages: one self-contained HTML file for any result record."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from liftgate.errors import UsageError

# Record type -> module whose function ``page(result, context)`` builds its page: one line for each result.
PAGES: tuple[tuple[str, str], ...] = (
    ("liftgate.transparency.announcements.Announcement", "liftgate.report.announce_private"),
    ("liftgate.jobs.announce.PublicAnnouncement", "liftgate.report.announce_public"),
    ("liftgate.transparency.attacks.Attack", "liftgate.report.announce_attack"),
    ("liftgate.jobs.audit.Audit", "liftgate.report.audit"),
    ("liftgate.jobs.couple.Couple", "liftgate.report.couple"),
    ("liftgate.jobs.protect.Release", "liftgate.report.protect"),
    ("liftgate.jobs.recomputed.Recomputed", "liftgate.report.papers"),
    ("liftgate.jobs.rows.RowRelease", "liftgate.report.rows"),
    ("liftgate.jobs.tradeoff.Tradeoff", "liftgate.report.tradeoff"),
)


def page_of(result: Any, context: Mapping[str, Any]) -> Any:
    """The page of a result, not yet rendered; ``context`` as in :func:`to_html`."""
    from liftgate.report.page import Context

    known = sorted(Context.__dataclass_fields__)
    unknown = sorted(set(context) - set(known))
    if unknown:
        raise UsageError("to_html", f"{', '.join(unknown)} has no place on a page", f"use {', '.join(known)}")
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(result).__mro__}
    for record, module in PAGES:
        if record in names:
            return import_module(module).page(result, Context(**context))
    records = ", ".join(record.rpartition(".")[2] for record, _ in PAGES)
    raise UsageError("to_html", f"a {type(result).__name__} has no page", f"give one of {records}")


def to_html(result: Any, *, context: Mapping[str, Any] | None = None, **more: Any) -> str:
    """One page that needs nothing from outside itself.

    ``context``, or keywords, hold what only the caller knows: ``command`` (the command line that makes the page
    again), ``next`` (what to run next), ``policy`` (the policy, secrets redacted) and ``data`` (what names the data).
    The page of a release also takes ``tradeoff`` (a trade-off to draw it in) and ``written`` (what ``apply`` wrote).
    """
    from liftgate.report.page import render

    return render(page_of(result, {**(context or {}), **more}))
