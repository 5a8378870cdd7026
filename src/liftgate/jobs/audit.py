"""Audit: what the public columns say about the sensitive ones, against a budget or without one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgate.budget import Budget
from liftgate.channel import Channel
from liftgate.errors import UsageError
from liftgate.exact import SHARE_TOTAL, fraction, read_only
from liftgate.joint import Joint
from liftgate.labels import encode_label
from liftgate.measures import measure

if TYPE_CHECKING:
    from liftgate.certificates import Certificate
    from liftgate.estimators.verdicts import SampleReading

Rows = Literal["population", "sample"]
Word = Literal["within", "outside", "unknown"]


@dataclass(frozen=True, eq=False)
class Audit:
    """What was asked of a joint, and what was found.

    ``outside[s, x]`` marks the cells that break the budget and ``verdicts[x]`` the public values, both decided in
    whole numbers with the rows read as the population; ``sample`` reads the same rows as a sample. ``certificate``
    proves the budget where it holds, and otherwise the exact extremes of what the table says.
    """

    joint: Joint
    budget: Budget | None
    rows: Rows
    measures: Mapping[str, float]
    outside: NDArray[np.bool_]
    verdicts: tuple[Word, ...]
    sample: SampleReading | None
    assumptions: tuple[str, ...]
    certificate: Certificate | None

    @property
    def verdict(self) -> Word | None:
        """The whole table under the reading asked for; None without a budget."""
        if self.budget is None:
            return None
        if self.rows == "sample":
            assert self.sample is not None
            return self.sample.overall
        return "outside" if "outside" in self.verdicts else "within"

    def write_scores(
        self,
        source: Any,
        out: str | os.PathLike[str],
        keep: str | Sequence[str] = (),
        *,
        force: bool = False,
        missing_tokens: Iterable[str] = (),
        table: str | None = None,
        query: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        columns: str | Sequence[str] | None = None,
        trim: bool = False,
    ) -> int:
        """Write every row of ``source`` with the greatest and least lift of its public value; how many there were.

        Scores are joined on where the rows are (file, server or cluster). The file is for its owner alone: it holds the
        public values as they are.
        """
        from liftgate.jobs.scoring import write_scores
        from liftgate.tables.sources import Options, header_names

        kept = (keep,) if isinstance(keep, str) else tuple(keep)
        options = Options(table, query, delimiter, encoding, header_names(columns), trim)
        return write_scores(self, source, Path(out), kept, force, tuple(missing_tokens), options).number

    def to_dict(self) -> dict[str, Any]:
        """The result as ``--json`` prints it."""
        joint = self.joint
        values = [
            {
                "value": encode_label(x),
                "rows": int(n),
                "lift": lift,
                **({"verdict": self.verdicts[i]} if self.verdicts else {}),
                **({"sample": self.sample.verdicts[i]} if self.sample is not None else {}),
            }
            for i, (x, n, lift) in enumerate(zip(joint.public, joint.public_counts, joint.lift.T.tolist(), strict=True))
        ]
        return {
            "budget": None if self.budget is None else {**self.budget.to_dict(), "asked": self.budget.text},
            "rows": self.rows,
            "sensitive": [
                {"value": encode_label(s), "rows": int(n)}
                for s, n in zip(joint.sensitive, joint.sensitive_counts, strict=True)
            ],
            "values": values,
            "measures": dict(self.measures),
            "sample": None if self.sample is None else self.sample.to_dict(),
            "certificate": None if self.certificate is None else self.certificate.hash,
        }

    def _repr_html_(self) -> str:
        from html import escape

        word = self.verdict or "measured"
        return f"<p><strong>Audit: {escape(word)}</strong></p>{self.joint._repr_html_()}"


def audit(
    joint: Joint,
    budget: Budget | None = None,
    rows: Rows = "population",
    alpha: Fraction | float | str = "0.05",
    certify: bool = True,
) -> Audit:
    """Measure a joint and compare every public value with a budget (LIFT section 2).

    ``rows="population"`` decides in whole numbers; ``rows="sample"`` says within, outside or unknown by exact tests.

    >>> from liftgate.joint import Joint
    >>> found = audit(Joint.from_counts([[3, 1], [1, 3]]), Budget.between("1/2", "3/2"))
    >>> found.verdict, found.measures["max-lift"], bool(found.certificate)
    ('within', 1.5, True)
    """
    if rows not in ("population", "sample"):
        raise UsageError("rows", f"{rows!r} is no reading of the rows", "use population or sample")
    if rows == "sample" and budget is None:
        raise UsageError("rows", "a sample can only be held against a budget", "give a budget, for example alip:1,1")
    error_rate = fraction(alpha, "alpha")
    joint = joint.drop_empty()
    outside = np.zeros(joint.counts.shape, dtype=np.bool_) if budget is None else budget.cells_outside(joint)
    verdicts: tuple[Word, ...] = ()
    sample = None
    if budget is not None:
        verdicts = tuple("outside" if outside[:, x].any() else "within" for x in range(len(joint.public)))
        if budget.kind == "alip" and joint.source.rows is not None and joint.total < SHARE_TOTAL:
            from liftgate.estimators.verdicts import sample_reading

            sample = sample_reading(joint, budget, error_rate)
    if rows == "sample" and sample is None:
        assert budget is not None
        if budget.kind != "alip":
            raise UsageError(
                f"budget {budget.text}",
                "exact tests for samples exist for bounds on lift only",
                "use alip, lip, split, breach or between",
            )
        from liftgate.estimators.verdicts import sample_reading

        sample = sample_reading(joint, budget, error_rate)
    assumed = assumptions(joint, rows)
    proof = _certificate(joint, budget, "outside" in verdicts) if certify else None
    return Audit(
        joint=joint,
        budget=budget,
        rows=rows,
        measures=MappingProxyType(measure(joint)),
        outside=read_only(outside),
        verdicts=verdicts,
        sample=sample,
        assumptions=assumed,
        certificate=proof,
    )


def assumptions(joint: Joint, rows: Rows = "population") -> tuple[str, ...]:
    """What every statement about a counted table rests on, as identifiers."""
    reading = "counts-are-population" if rows == "population" else "rows-independent"
    return (reading, "one-release-per-person", "prior-is-table-margin", f"missing={joint.source.missing_rule}")


def _certificate(joint: Joint, budget: Budget | None, broken: bool) -> Certificate:
    """The budget where it holds; where it does not, or none was given, the exact extremes."""
    from liftgate.certificates import breach_of, certify, revealed

    same = Channel.identity(joint.public)
    names = assumptions(joint)
    if budget is None:
        return revealed(joint, same, names)
    return breach_of(joint, same, budget, names) if broken else certify(joint, same, budget, names)
