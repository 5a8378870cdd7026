"""Reuse: the channel of a manifest on the next delivery, audited alone and with the earlier one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgate as lg
from liftgate.channel import Channel
from liftgate.errors import DataError, UsageError
from liftgate.jobs.reuse import Delivery
from liftgate.tables.draws import release_key
from liftgate.tables.manifest import Manifest

KEY = b"0123456789abcdef0123456789abcdef"
FIRST = [("cook", "yes")] * 9 + [("cook", "no")] * 41 + [("nurse", "yes")] * 22 + [("nurse", "no")] * 28 + [("diver", "yes")] * 18 + [("diver", "no")] * 2  # fmt: skip


def table(rows: list[tuple[Any, Any]], start: int = 0) -> pa.Table:
    return pa.table(
        {
            "id": list(range(start, start + len(rows))),
            "job": [job for job, _ in rows],
            "ill": [ill for _, ill in rows],
        }
    )


@pytest.fixture
def first(tmp_path: Path) -> Any:
    """An earlier release: its rows, its certificate, its manifest."""
    joint = lg.read_joint(table(FIRST), "ill", "job")
    release = lg.protect(joint, "lip:0.5", mechanism="optimal")
    assert not release.channel.is_merge
    return release.apply(table(FIRST), tmp_path / "first.parquet", draw="keyed", key=KEY, id="id", keep="id")


def test_a_delivery_like_the_first_is_released_with_its_channel(first: Any, tmp_path: Path) -> None:
    """The same channel, columns and budget from the manifest alone; a certificate of the new counts; files as always."""
    found = lg.reuse(first.manifest, table(FIRST * 2))
    assert found.verdict == "within"
    assert found.both is None
    assert found.release is not None
    assert found.release.channel.to_dict() == lg.read_manifest(first.manifest).channel.to_dict()
    written = found.release.apply(table(FIRST * 2), tmp_path / "second.parquet", keep="id")
    assert lg.check(written.certificate).holds
    new = lg.read_manifest(written.manifest)
    old = lg.read_manifest(first.manifest)
    assert new.channel.to_dict() == old.channel.to_dict()
    assert new.certificate_sha256 != old.certificate_sha256
    assert pq.read_table(written.rows).num_rows == 2 * len(FIRST)


def test_keyed_draws_repeat_across_deliveries_and_not_across_channels(first: Any, tmp_path: Path) -> None:
    """Who is in both deliveries keeps the released value; another channel draws with another key."""
    later = pa.concat_tables([table(FIRST).take(list(range(119, -1, -1))), table(FIRST, start=1000)])
    release = lg.reuse(first.manifest, later).release
    assert release is not None
    written = release.apply(later, tmp_path / "second.parquet", draw="keyed", key=KEY, id="id", keep="id")
    was = pq.read_table(first.rows)["job"].to_pylist()
    now = pq.read_table(written.rows)["job"].to_pylist()
    assert now[:120] == was[::-1]
    assert now[120:] != was  # other ids, other draws
    redesigned = lg.protect(lg.read_joint(table(FIRST), "ill", "job"), "lip:0.45", mechanism="optimal")
    other = redesigned.apply(table(FIRST), tmp_path / "third.parquet", draw="keyed", key=KEY, id="id")
    assert release_key(KEY, redesigned.channel) != release_key(KEY, release.channel)
    assert pq.read_table(other.rows)["job"].to_pylist() != was


def test_a_delivery_that_breaks_the_budget_is_no_release(first: Any) -> None:
    """Verdict, the values that break it, a certificate of the breach that the checker accepts; and no release."""
    worse = [("cook", "yes")] * 50 + [("cook", "no")] * 2 + [("nurse", "no")] * 60 + [("diver", "no")] * 30
    found = lg.reuse(first.manifest, table(worse))
    assert found.verdict == "outside"
    assert found.release is None
    assert found.delivered.outside
    assert lg.check(found.delivered.certificate).holds
    assert found.delivered.certificate.kind == "measure-bounds"


@pytest.mark.parametrize("previous", ["certificate", "table"])
def test_both_deliveries_together_can_break_what_each_keeps(tmp_path: Path, previous: str) -> None:
    """Two deliveries without any lift, of different shares of ill people: together they tell which job was in which."""
    one = [("a", "yes"), ("a", "no")] * 50 + [("b", "yes"), ("b", "no")] * 5
    two = ([("a", "yes")] + [("a", "no")] * 9) * 1 + ([("b", "yes")] + [("b", "no")] * 9) * 10
    release = lg.protect(lg.read_joint(table(one), "ill", "job"), "lip:0.3", mechanism="merge-best")
    written = release.apply(table(one), tmp_path / "one.parquet")
    earlier = str(written.certificate) if previous == "certificate" else table(one)
    alone = lg.reuse(written.manifest, table(two))
    found = lg.reuse(written.manifest, table(two), previous=earlier)
    assert alone.verdict == found.delivered.verdict == "within"
    assert found.both is not None
    assert found.both.verdict == found.verdict == "outside"
    assert found.release is None
    whole = lg.read_joint(table(one + two), "ill", "job")
    assert (found.both.before.counts == whole.counts).all()
    assert found.both.before.sensitive == whole.sensitive
    assert any("holds no names" in note for note in found.notes) == (previous == "certificate")


def test_unseen_values_are_refused_unless_mapped(first: Any, tmp_path: Path) -> None:
    """The first five by name; a mapped one is counted and drawn as the value it is treated as."""
    later = [*FIRST, ("chef", "no"), ("chef", "yes"), (None, "no")]
    with pytest.raises(DataError, match="2 values not seen at design time: 'chef', '\\(missing\\)'"):
        lg.reuse(first.manifest, table(later))
    found = lg.reuse(first.manifest, table(later), mapped=["chef=cook", "(missing)=nurse", "judge=cook"])
    assert found.aliases == (("chef", "cook"), (None, "nurse"))
    assert any("judge=cook" in note for note in found.notes)
    same = lg.reuse(first.manifest, table(later), mapped={"chef": "cook", None: "nurse"})
    assert same.aliases == found.aliases
    as_old = [({"chef": "cook", None: "nurse"}.get(job, job), ill) for job, ill in later]
    plain = lg.reuse(first.manifest, table(as_old))
    assert (found.delivered.before.counts == plain.delivered.before.counts).all()
    rows = [
        pq.read_table(r.release.apply(table(t), tmp_path / name, draw="keyed", key=KEY, id="id").rows)[
            "job"
        ].to_pylist()
        for r, t, name in ((found, later, "a.parquet"), (plain, as_old, "b.parquet"))
        if r.release is not None
    ]
    assert rows[0] == rows[1]


@pytest.mark.parametrize(
    ("mapped", "told"),
    [
        (["chef"], "no value of the design stands behind ="),
        (["chef=nobody"], "no value of the design stands behind ="),
        ({"chef": "nobody"}, "it is not a value of the design"),
        (["cook=nurse"], "it is a value of the design already"),
    ],
)
def test_mappings_that_mean_nothing_are_refused(first: Any, mapped: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        lg.reuse(first.manifest, table([*FIRST, ("chef", "no")]), mapped=mapped)


def test_a_sign_inside_a_value_is_no_end_of_it(tmp_path: Path) -> None:
    """``x=1=x=0`` maps x=1 to x=0."""
    rows = [("x=0", "yes"), ("x=0", "no"), ("y", "no"), ("y", "yes")] * 5
    release = lg.protect(lg.read_joint(table(rows), "ill", "job"), "lip:1")
    written = release.apply(table(rows), tmp_path / "o.parquet")
    found = lg.reuse(written.manifest, table([*rows, ("x=1", "no")]), mapped=["x=1=x=0"])
    assert found.aliases == (("x=1", "x=0"),)


def test_the_bins_of_the_design_are_used_again(tmp_path: Path) -> None:
    """Quantiles of the first table are edges for the second; a value beyond them was not seen."""
    old = pa.table({"age": list(range(100)), "ill": ["yes", "no"] * 50})
    release = lg.protect(lg.read_joint(old, "ill", "age@quantiles=4"), "lip:1")
    written = release.apply(old, tmp_path / "o.parquet")
    new = pa.table({"age": [0, 3, 5, 20, 70, 99] * 4, "ill": ["yes", "no"] * 12})
    found = lg.reuse(written.manifest, new)
    used = found.delivered.before.drop_empty().public
    assert len(used) == 3
    assert set(used) < set(release.channel.public)
    assert found.delivered.before.public == release.channel.public
    with pytest.raises(DataError, match="not seen at design time: '99 and above'"):
        lg.reuse(written.manifest, pa.table({"age": [1, 120], "ill": ["yes", "no"]}))
    moving = lg.protect(lg.read_joint(old, "age@quantiles=4", "ill"), "lip:1").apply(old, tmp_path / "m.parquet")
    with pytest.raises(UsageError, match="its bins would move with the table"):
        lg.reuse(moving.manifest, old)


def test_a_certificate_that_is_not_the_one_of_the_manifest_is_refused(first: Any, tmp_path: Path) -> None:
    """Another hash, another rule for missing entries, another number of sensitive values."""
    other = lg.protect(lg.read_joint(table(FIRST), "ill", "job"), "lip:2").apply(table(FIRST), tmp_path / "x")
    with pytest.raises(DataError, match="not the one that the manifest names"):
        lg.reuse(first.manifest, table(FIRST), previous=str(other.certificate))
    with pytest.raises(DataError, match="counted with missing=value, this table with missing=drop"):
        lg.reuse(first.manifest, table(FIRST), previous=str(first.certificate), missing="drop")
    with pytest.raises(DataError, match="it counts 2 sensitive values, this table has 3"):
        lg.reuse(first.manifest, table([*FIRST, ("cook", "maybe")]), previous=str(first.certificate))
    found = lg.reuse(first.manifest, table([*FIRST, ("cook", "maybe")]), previous=table(FIRST))
    assert found.both is not None
    assert found.both.before.sensitive == ("maybe", "no", "yes")


LABELS = ("a", "b", "c")
ROWS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(("s", "t"))), min_size=2, max_size=40)


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS, st.integers(0, 4))
def test_the_verdict_is_that_of_the_definition(one: Any, two: Any, numerator: int) -> None:
    """Every lift of the merged counts, as fractions by hand, for the new delivery and for both."""
    if any(len({ill for _, ill in rows}) < 2 for rows in (one, two)):
        return
    budget = lg.Budget.between(Fraction(numerator, 5), 1 + Fraction(4 - numerator, 3))
    manifest = Manifest("0", ("ill",), ("job",), ("job",), (), Channel.merge(LABELS, [["a"], ["b", "c"]]), budget, "fresh", "label", "0" * 64)  # fmt: skip
    found = lg.reuse(manifest, table(two), previous=table(one))

    def kept(rows: list[tuple[str, str]]) -> bool:
        cells = Counter((job == "a", ill) for job, ill in rows)
        for merged in {job == "a" for job, _ in rows}:
            for ill in {ill for _, ill in rows}:
                people = sum(n for (y, _), n in cells.items() if y == merged)
                share = sum(n for (_, s), n in cells.items() if s == ill)
                lift = Fraction(cells[merged, ill] * len(rows), people * share)
                if not budget.low <= lift <= budget.up:
                    return False
        return True

    assert isinstance(found.both, Delivery)
    assert (found.delivered.verdict == "within") == kept(two)
    assert (found.both.verdict == "within") == kept(one + two)
    assert (found.release is not None) == (kept(two) and kept(one + two))


def test_a_member_can_be_rendered_of_values_that_nobody_has(tmp_path: Path) -> None:
    """render="sample" where a value of the design does not occur in the delivery."""
    plain = lg.protect(lg.read_joint(table(FIRST), "ill", "job"), "lip:3").apply(table(FIRST), tmp_path / "plain")
    later = [(job, ill) for job, ill in FIRST if job != "diver"]
    found = lg.reuse(plain.manifest, table(later))
    assert found.verdict == "within"
    assert found.release is not None
    written = found.release.apply(table(later), tmp_path / "s.parquet", render="sample")
    assert set(pq.read_table(written.rows)["job"].to_pylist()) == {"cook", "nurse"}
