"""The tables of LIFT's experiments: normalised uniform matrices and Adult."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from liftgate.errors import DataError
from liftgate.joint import Joint, Source

VARIABLE = "LIFTGATE_DATA"
COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
CHOSEN = "without Other-relative"
VARIANTS: tuple[tuple[str, str], ...] = (
    (CHOSEN, "Other-relative"),
    ("without Own-child", "Own-child"),
    ("without Unmarried", "Unmarried"),
    ("all six values", ""),
)
"""LIFT prints |S| = 5, the column has six values: which one is missing there cannot be told from the text."""


def synthetic(seed: int, draw: int, public: int = 17, sensitive: int = 5) -> Joint:
    """A normalised uniform matrix in whole numbers: each cell uniform on 1 to 2^20 (LIFT section 3.1.3).

    >>> synthetic(0, 0).counts.shape
    (5, 17)
    """
    rng = np.random.default_rng([seed, draw, public, sensitive])
    return Joint.from_counts(rng.integers(1, 2**20, size=(sensitive, public), endpoint=True))


@dataclass(frozen=True)
class Adult:
    """The table of relationship (sensitive) and occupation (public), and its variants with five values."""

    joint: Joint
    file: str

    def variant(self, left_out: str) -> Joint:
        """The table without the people who have this relationship."""
        if not left_out:
            return self.joint
        keep = [i for i, s in enumerate(self.joint.sensitive) if s != left_out]
        if len(keep) == len(self.joint.sensitive):
            raise DataError(self.file, f"no relationship is called {left_out!r}", "give the training file of Adult")
        source = Source(self.file, ("relationship",), ("occupation",))
        kept = self.joint.counts[keep]
        return Joint(kept, tuple(self.joint.sensitive[i] for i in keep), self.joint.public, source).drop_empty()


def adult_file() -> tuple[Path | None, str]:
    """The training file of Adult, or what is missing."""
    named = os.environ.get(VARIABLE, "").strip()
    if not named:
        return None, f"the variable {VARIABLE} names no folder"
    path = Path(named) / "adult" / "adult.data"
    if not path.is_file():
        return None, f"there is no file adult/adult.data in the folder that {VARIABLE} names"
    return path, ""


def read_adult(path: Path) -> Adult:
    """32,561 rows; ``?`` is kept as an occupation, so there are 15."""
    from liftgate.tables import read_joint

    joint = read_joint(path, "relationship", "occupation", columns=list(COLUMNS), trim=True, delimiter=",")
    return Adult(joint, "adult.data")
