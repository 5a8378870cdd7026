"""Manifest: the public half of a release, which tells how values were drawn and names the private certificate."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.errors import DataError

FORMAT = 1
_KEYS = {
    "liftgate-manifest", "version", "columns", "labels", "channel", "budget", "draw", "render", "certificate_sha256",
}  # fmt: skip


@dataclass(frozen=True)
class Manifest:
    """What may be published beside the released rows: no count, no utility, no bound, no measure, no hash of data."""

    version: str
    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    released: tuple[str, ...]
    kept: tuple[str, ...]
    channel: Channel
    budget: Budget
    draw: str
    render: str
    certificate_sha256: str
    publisher: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The object of the file."""
        channel = self.channel.to_dict()
        return {
            "liftgate-manifest": FORMAT,
            "version": self.version,
            "columns": {
                "sensitive": list(self.sensitive),
                "public": list(self.public),
                "released": list(self.released),
                "kept": list(self.kept),
            },
            "labels": {"public": channel["public"], "released": channel["released"]},
            "channel": {"total": channel["total"], "outputs": channel["outputs"]},
            "budget": self.budget.to_dict(),
            "draw": self.draw,
            "render": self.render,
            "certificate_sha256": self.certificate_sha256,
            **({} if self.publisher is None else {"publisher": self.publisher}),
        }

    def to_json(self) -> str:
        """The text of the file: always the same for the same manifest."""
        lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in self.to_dict().items()]
        return "{\n  " + ",\n  ".join(lines) + "\n}\n"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Manifest:
        """The manifest that :meth:`to_dict` described."""
        columns = {name: tuple(data["columns"][name]) for name in ("sensitive", "public", "released", "kept")}
        return cls(
            version=data["version"],
            **columns,
            channel=Channel.from_dict({**data["labels"], **data["channel"]}),
            budget=Budget.from_dict(data["budget"]),
            draw=data["draw"],
            render=data["render"],
            certificate_sha256=data["certificate_sha256"],
            publisher=data.get("publisher"),
        )


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """The manifest in a file; anything that is not exactly one is refused."""
    place = f"manifest {os.fspath(path)}"
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(place, f"cannot be read ({error.strerror})", "name the manifest of a release") from None
    except ValueError:
        raise DataError(place, "this is not JSON", "ask for the file again") from None
    if not isinstance(data, dict) or data.get("liftgate-manifest") != FORMAT:
        raise DataError(place, "this is not a manifest of a version that is known", "name the manifest of a release")
    if wrong := sorted((set(data) - {"publisher"}) ^ _KEYS):
        raise DataError(place, f"missing or unknown: {', '.join(wrong)}", "ask for the file again")
    try:
        return Manifest.from_dict(data)
    except (KeyError, TypeError, ValueError, IndexError):
        raise DataError(place, "an entry is not what it has to be", "ask for the file again") from None
