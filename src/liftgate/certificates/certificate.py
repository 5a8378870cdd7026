"""Certificate: a claim, what is needed to see it, and the assumptions it stands on; it never vouches for itself."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from liftgate import checker
from liftgate.certificates.assumptions import explain
from liftgate.errors import CertificateError

_WIDTH = 110


@dataclass(frozen=True)
class Certificate:
    """What ``checker.py`` reads: kind, version, claim, evidence, assumptions and a random salt.

    The claim and the evidence hold text, whole numbers, None, lists and dictionaries; fractions become ``"p/q"``.
    The salt keeps anyone from guessing small counts from the published hash.

    >>> c = Certificate(
    ...     "lift-bounds",
    ...     1,
    ...     {
    ...         "counts": [[3, 1], [1, 3]],
    ...         "channel": {"total": 1, "outputs": [[0, 1, 1, 1]]},
    ...         "budget": {"kind": "alip", "low": 1, "up": 1},
    ...     },
    ...     {},
    ...     ("counts-are-population",),
    ... )
    >>> bool(checker.check(c)), c.sentence[-51:]
    (True, 'every lift P(s|y)/P(s) is at least 1 and at most 1.')
    """

    kind: str
    version: int
    claim: Mapping[str, Any]
    evidence: Mapping[str, Any] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    salt: str = field(default_factory=lambda: os.urandom(32).hex())

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "claim", _plain(self.claim, "claim"))
        put(self, "evidence", _plain(self.evidence, "evidence"))
        put(self, "assumptions", tuple(self.assumptions))

    # ---- outside forms -------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The envelope that ``checker.py`` reads, as a copy."""
        return {
            "liftgate-certificate": checker.FORMAT,
            "kind": self.kind,
            "version": self.version,
            "claim": _plain(self.claim, "claim"),
            "evidence": _plain(self.evidence, "evidence"),
            "assumptions": list(self.assumptions),
            "salt": self.salt,
        }

    def to_json(self) -> str:
        """The text of the file: always the same for the same certificate, short things on one line."""
        return _layout(self.to_dict(), "") + "\n"

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of the bytes that :meth:`save` writes, in hexadecimal digits."""
        return hashlib.sha256(self.to_json().encode("ascii")).hexdigest()

    def __hash__(self) -> int:
        return hash(self.hash)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Certificate:
        """The certificate that :meth:`to_dict` described; its envelope is checked, its claim is not."""
        return cls._of(dict(data), "certificate")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Certificate:
        """The certificate in a file, read as strictly as the checker reads it; its claim is not checked."""
        place = f"certificate {os.fspath(path)}"
        try:
            document = checker.read_file(path)
        except checker.Unreadable as error:
            raise CertificateError(place, str(error), _UNREADABLE) from None
        return cls._of(document, place)

    @classmethod
    def _of(cls, document: object, place: str) -> Certificate:
        try:
            kind, version, claim, evidence, assumptions, salt = checker.envelope(checker.look_through(document))
            if not isinstance(claim, dict) or not isinstance(evidence, dict):
                raise checker.Refused("the claim or the evidence is not an object")
        except (checker.Unreadable, checker.Refused) as error:
            raise CertificateError(place, str(error), _UNREADABLE) from None
        return cls(kind, version, claim, evidence, assumptions, salt)

    def save(self, path: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the file, readable by its owner only (it contains the counts), under a temporary name and renamed."""
        target = Path(path)
        if target.is_dir():
            raise CertificateError(f"certificate {target}", "a folder has this name", "give the name of a file")
        if target.exists() and not force:
            raise CertificateError(f"certificate {target}", "the file exists", "choose another name, or force it")
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(self.to_json().encode("ascii"))
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(temporary, target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        except OSError as error:
            problem = f"cannot be written: {error.strerror or type(error).__name__}"
            raise CertificateError(f"certificate {target}", problem, "choose a folder you may write to") from None
        return target

    # ---- telling -------------------------------------------------------------------------------

    @cached_property
    def verdict(self) -> checker.Verdict:
        """What the checker says about it."""
        return checker.check(self)

    @property
    def sentence(self) -> str:
        """The claim in words, as the checker reads it."""
        return self.verdict.claim or f"A malformed certificate: {self.verdict.reason}."

    @property
    def text(self) -> str:
        """Verdict, claim, assumptions and hash, for a terminal."""
        lines = [f"{self.kind}: {self._decision}", self.sentence, "Certified under these assumptions:"]
        lines += [f"  {name}: {explain(name)}" for name in self.assumptions] or ["  none"]
        return "\n".join([*lines, f"sha256 {self.hash}"])

    @property
    def _decision(self) -> str:
        return f"{'accepted' if self.verdict else 'refused'} ({self.verdict.reason})"

    def _repr_html_(self) -> str:
        rows = [
            ("verdict", self._decision),
            ("claim", self.sentence),
            ("assumptions", ", ".join(self.assumptions) or "none"),
            ("sha256", self.hash),
        ]
        body = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in rows)
        return f"<table><caption>Certificate {escape(self.kind)}</caption><tbody>{body}</tbody></table>"


_TOO_LARGE = 10**checker.MOST_DIGITS
_UNREADABLE = "ask for the file again, or use a newer Liftgate if you trust its source"


def _plain(value: Any, place: str) -> Any:
    """A private copy made of what a certificate may hold."""
    if value is None or type(value) is str or (type(value) is int and -_TOO_LARGE < value < _TOO_LARGE):
        return value
    if type(value) is list:
        return [_plain(entry, place) for entry in value]
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        if not -_TOO_LARGE < value < _TOO_LARGE:
            raise CertificateError(place, f"a number has more than {checker.MOST_DIGITS} digits", "scale the counts")
        return int(value)
    if isinstance(value, Fraction):
        _plain(value.numerator, place)
        _plain(value.denominator, place)
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(entry, place) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, place) for entry in value]
    raise CertificateError(
        place, f"a value of type {type(value).__name__}", "certificates hold whole numbers, fractions and text only"
    )


def _layout(value: Any, indent: str) -> str:
    """JSON with short things on one line, and everything else one entry a line."""
    line = json.dumps(value)
    if len(indent) + len(line) <= _WIDTH or not isinstance(value, (dict, list)):
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        entries = [f"{json.dumps(name)}: {_layout(entry, deeper)}" for name, entry in value.items()]
        opening, closing = "{", "}"
    elif any(isinstance(entry, (dict, list)) for entry in value):
        entries = [_layout(entry, deeper) for entry in value]
        opening, closing = "[", "]"
    else:
        return line
    inside = f",\n{deeper}".join(entries)
    return f"{opening}\n{deeper}{inside}\n{indent}{closing}"
