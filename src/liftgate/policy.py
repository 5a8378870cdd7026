"""Policy file liftgate.toml: read, validate, echo."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from liftgate.errors import UsageError

FILE_NAME = "liftgate.toml"
_SECRETS = ("key", "password", "token")


@dataclass(frozen=True)
class Policy:
    """What a policy file says: options for every command, and options for one command.

    ::

        sensitive = "relationship"
        public = ["occupation"]
        budget = "alip:1,1"

        [audit]
        sample = true
    """

    path: str | None = None
    general: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))

    def options_of(self, command: str, known: tuple[str, ...]) -> dict[str, Any]:
        """The options that apply to a command: the general ones it knows, then its own section."""
        return {k: v for k, v in self.general.items() if k in known} | dict(self.commands.get(command, {}))

    def to_dict(self) -> dict[str, Any]:
        """The whole file, with secrets redacted."""
        return {
            "file": self.path,
            **redacted(self.general),
            **{name: redacted(section) for name, section in self.commands.items()},
        }


def read_policy(path: str | Path, known: Mapping[str, tuple[str, ...]]) -> Policy:
    """A policy file, refused when a key or a section is unknown; ``known`` maps commands to their options."""
    place = Path(path)
    try:
        data = tomllib.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(str(path), f"cannot be read ({error.strerror})", "name a policy file that exists") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(str(path), f"is not TOML: {error}", 'write lines such as  budget = "alip:1,1"') from None
    every = tuple(sorted({option for options in known.values() for option in options}))
    general: dict[str, Any] = {}
    commands: dict[str, Mapping[str, Any]] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            if key not in known:
                raise _unknown(path, f"section [{key}]", key, tuple(known))
            for option in value:
                if option not in known[key]:
                    raise _unknown(path, f"[{key}] {option}", option, known[key])
            commands[key] = MappingProxyType({k: _plain(path, k, v) for k, v in value.items()})
        elif key in every:
            general[key] = _plain(path, key, value)
        else:
            raise _unknown(path, key, key, every)
    return Policy(str(path), MappingProxyType(general), MappingProxyType(commands))


def redacted(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same options without secrets: keys, and passwords inside addresses.

    >>> redacted({"key": "abc", "table": "postgresql://me:secret@host/db"})
    {'key': '(redacted)', 'table': 'postgresql://me:(redacted)@host/db'}
    """
    return {k: "(redacted)" if k in _SECRETS and v is not None else without_password(v) for k, v in options.items()}


def without_password(value: Any) -> Any:
    """A text without the password of an address in it."""
    if isinstance(value, str):
        value = re.sub(r"(?<=://)([^:/@\s]*):[^@\s]*@", r"\1:(redacted)@", value)
        return re.sub(r"(?i)(password=)[^\s&]+", r"\1(redacted)", value)
    if isinstance(value, (list, tuple)):
        return [without_password(v) for v in value]
    return value


def _plain(path: str | Path, key: str, value: Any) -> Any:
    """Text, numbers, booleans and lists of text are options; dates and deeper tables are not."""
    flat = value if isinstance(value, list) else [value]
    if not all(isinstance(v, (str, int, float, bool)) for v in flat):
        raise UsageError(
            f"{path}, {key}", f"{value!r} is no option value", "give text, a number, true, false or a list"
        )
    return value


def _unknown(path: str | Path, place: str, name: str, known: tuple[str, ...]) -> UsageError:
    near = difflib.get_close_matches(name, known, n=1)
    fix = f"did you mean {near[0]}?" if near else f"use one of {', '.join(known)}"
    return UsageError(f"{path}, {place}", "is not known", fix)
