"""What the local page accepts: sizes, times and numbers, told in its forms."""

from __future__ import annotations

from typing import Any

MEGABYTE = 1 << 20
UPLOAD = 512 * MEGABYTE
"""One uploaded file."""
ALL_UPLOADS = 2048 * MEGABYTE
"""All uploaded files together."""
UNPACKED = 4096 * MEGABYTE
"""What a compressed table may expand to."""
QUESTION = 2 * MEGABYTE
"""The body of every other request."""
CERTIFICATE = 64 * MEGABYTE
"""A certificate; the checker refuses larger ones."""
KEPT_SECONDS = 3600
"""Uploads and answers are deleted after so long, and at the latest when the server stops."""
READING_SECONDS = 120
"""Counting a table, and everything else that has no time of its own."""
SEARCH_SECONDS = 600
"""The longest search."""
SPARE_WORKERS = 2
"""Processes that are started before there is a job for them: a room asks two things at once when it opens."""
JOBS = 300
"""Answers that are kept at once."""
WAITING = 100
"""Jobs that may wait for a worker."""
JOINTS = 24
"""Counted tables that are kept for the sliders."""
CELLS = 20_000_000
"""Cells of all of them together."""


def told() -> dict[str, Any]:
    """The limits in words, for the forms."""
    return {
        "upload": f"up to {UPLOAD // MEGABYTE} MB",
        "certificate": f"up to {CERTIFICATE // MEGABYTE} MB",
        "kept": f"{KEPT_SECONDS // 60} minutes",
        "seconds": SEARCH_SECONDS,
    }
