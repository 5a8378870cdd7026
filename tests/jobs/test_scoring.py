"""Scores of rows: the lifts of the public value of each row, for the owner's eyes."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import liftgate as lg
from liftgate.errors import UsageError


def test_every_row_gets_the_lifts_of_its_value(tmp_path: Path) -> None:
    """In the order of the source, beside what was kept, in a file that only its owner can read."""
    rng = np.random.default_rng(0)
    job = rng.integers(0, 4, 500)
    table = pa.table({"id": np.arange(500), "job": [f"j{v}" for v in job], "ill": (rng.random(500) < job / 5).tolist()})
    found = lg.audit(lg.read_joint(table, "ill", "job"), lg.Budget.alip(eps_low=0.5, eps_up=0.5))
    assert found.write_scores(table, tmp_path / "s.parquet", keep=["id"]) == 500
    rows = pq.read_table(tmp_path / "s.parquet")
    assert rows.column_names == ["job", "max lift", "min lift", "outside", "id"]
    assert rows["id"].to_pylist() == list(range(500))
    lift = found.joint.lift
    for name, most, least, outside in zip(*(rows[c].to_pylist() for c in rows.column_names[:4]), strict=True):
        x = found.joint.public.index(name)
        assert (most, least) == (lift[:, x].max(), lift[:, x].min())
        assert outside == (found.verdicts[x] == "outside")
    assert stat.S_IMODE((tmp_path / "s.parquet").stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="the file exists"):
        found.write_scores(table, tmp_path / "s.parquet")
    with pytest.raises(UsageError, match="never released"):
        found.write_scores(table, tmp_path / "t.csv", keep=["ill"])
    with pytest.raises(UsageError, match="bare counts"):
        lg.audit(lg.Joint.from_counts([[1, 2], [2, 1]])).write_scores(table, tmp_path / "t.csv")
    assert lg.audit(lg.read_joint(table, "ill", "job")).write_scores(table, tmp_path / "t.csv") == 500
    assert (tmp_path / "t.csv").read_text().splitlines()[0] == "job,max lift,min lift"
