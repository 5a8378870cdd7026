"""Sliders: the verdict of every move is that of the audit, decided in whole numbers, and no digit crosses the gate."""

from __future__ import annotations

import http.client
import json
import re
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liftgate.budget import Budget
from liftgate.jobs.audit import audit
from liftgate.jobs.records import as_text, plain
from liftgate.joint import Joint
from liftgate.testing import joints
from liftgate.web.live import Board, Boards
from liftgate.web.places import Place

QUESTION = {"columns": None, "delimiter": None, "encoding": None, "trim": False, "sensitive": ["s"], "public": ["x"], "count": None,
            "missing": "value", "missing_tokens": [], "zeros": "report"}  # fmt: skip
PLACE = Place("folder:t.csv", Path("/t.csv"), "t.csv", (0, 0, 0))
CELL = re.compile(r'<td class="h ([a-z0-9]+)( x)?">(?:<b>)?([^<]+)')


def board(joint: Joint) -> Board:
    return Board(joint, PLACE, QUESTION)


@given(
    joints(),
    st.sampled_from(
        ["alip:1,1", "alip:0.05,0.05", "lip:0.5", "between:1/2,2", "between:1,1", "ldp:1", "l1:0.3,0.3", "chi2:1,1"]
    ),
)
@settings(max_examples=40)
def test_the_verdict_is_that_of_the_audit(joint: Joint, text: str) -> None:
    """The same word and the same number of values outside as the job that writes the report."""
    joint = joint.drop_empty()
    budget = Budget.parse(text)
    told, found = board(joint).judge(budget), audit(joint, budget)
    assert told["verdict"] == found.verdict
    assert told["outside"] == found.verdicts.count("outside")
    assert told["budget"]["budget"] == text


@given(joints(), st.fractions(Fraction(1, 50), 1), st.fractions(1, 50))
@settings(max_examples=60)
def test_no_digit_crosses_the_gate(joint: Joint, low: Fraction, up: Fraction) -> None:
    """A cell that is framed shows a number outside the bounds that are shown, any other one a number inside."""
    joint = joint.drop_empty()
    budget = Budget.between(low, up)
    told = board(joint).judge(budget)
    cells = CELL.findall(told["markup"])
    assert len(cells) == joint.counts.size
    assert sum(bool(x) for _, x, _ in cells) == int(budget.cells_outside(joint).sum())
    for _, framed, text in cells:
        shown = Fraction(text.replace(",", ""))
        assert bool(framed) == (not low <= shown <= up), (text, low, up)


def test_a_cell_next_to_the_bound_gets_more_digits() -> None:
    """0.3333 against a bound of 1/3 and just above it: two digits would say the same."""
    joint = Joint.from_counts([[1, 5], [5, 1]])
    edge = joint.lift[0, 0]
    exact = Fraction(1, 6) / Fraction(1, 2)
    assert float(exact) == pytest.approx(edge)
    on, past = (
        board(joint).judge(Budget.between(exact, 3)),
        board(joint).judge(Budget.between(exact + Fraction(1, 10**6), 3)),
    )
    assert on["verdict"] == "within"
    assert past["verdict"] == "outside"
    assert {t for _, x, t in CELL.findall(past["markup"]) if x} == {"0.3333333"} or all(
        Fraction(t) < exact + Fraction(1, 10**6) for _, x, t in CELL.findall(past["markup"]) if x
    )


def test_a_large_table_says_what_is_not_drawn() -> None:
    """Rows and columns beyond what a person can look at are judged, and told."""
    joint = Joint.from_counts(np.random.default_rng(0).integers(0, 50, (20, 100)))
    told = board(joint).judge(Budget.alip(1, 1))
    assert "the verdict is about all 100" in told["markup"]
    assert "of 20 sensitive values are drawn" in told["markup"]
    assert told["outside"] == audit(joint, Budget.alip(1, 1)).verdicts.count("outside")


def test_without_a_budget_nothing_is_judged() -> None:
    """No verdict, and it says so."""
    told = board(Joint.from_counts([[9, 1], [1, 9]])).judge(None)
    assert told["verdict"] is None
    assert "without a budget nothing is judged" in told["markup"]
    assert ' x"' not in told["markup"]


def test_boards_forget_the_least_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within their number and their cells; the last one stays whatever its size."""
    from liftgate.errors import UsageError
    from liftgate.web import limits

    monkeypatch.setattr(limits, "JOINTS", 2)
    boards, one = Boards(), board(Joint.from_counts([[1, 2], [3, 4]]))
    for key in "abc":
        boards.put(key, one)
    assert [boards.has(k) for k in "abc"] == [False, True, True]
    monkeypatch.setattr(limits, "CELLS", 0)
    boards.put("d", one)
    assert [boards.has(k) for k in "bcd"] == [False, False, True]
    with pytest.raises(UsageError, match="not counted any more"):
        boards.find("a")


def test_over_the_wire(page: Any) -> None:
    """Counted once, then asked with one budget after another; the command names the budget."""
    counted = page.ask("count", table="folder:people.csv", sensitive=["ill"], public=["job"])
    key = counted["answer"]["joint"]
    for text in ("alip:1,1", "alip:0.05,3"):
        told = page.client.post("api/live", json={"joint": key, "budget": text}).json()
        done = page.ask("audit", table="folder:people.csv", sensitive=["ill"], public=["job"], budget=text)
        assert told["verdict"] == done["answer"]["record"]["verdict"]
        assert f"--budget {text}" in told["command"]
        assert page.client.get("api/words", params={"budget": text}).json() == told["budget"]
    assert page.client.post("api/live", json={"joint": "nothing"}).status_code == 422


def test_a_move_costs_less_than_twice_the_bare_function(page: Any) -> None:
    """For 100 x 20 values a whole answer over the wire, both ends of it, against the audit as a record: processor time."""
    counts = np.random.default_rng(1).integers(1, 400, (20, 100))
    rows = "".join(f"s{i},x{k},{counts[i, k]}\n" for i in range(20) for k in range(100))
    (page.folder / "wide.csv").write_text("s,x,n\n" + rows)
    counted = page.ask("count", table="folder:wide.csv", sensitive=["s"], public=["x"], count="n")
    joint = Joint.from_counts(counts)
    line = http.client.HTTPConnection("127.0.0.1", page.port)
    moves, bare = [], []
    for k in range(25):
        budget = f"alip:{1 + k / 20},{1 + k / 20}"
        body = json.dumps({"joint": counted["answer"]["joint"], "budget": budget})
        begun = time.process_time()
        line.request("POST", "/the-token/api/live", body, {"Content-Type": "application/json"})
        assert json.loads(line.getresponse().read())["budget"]["budget"] == budget
        moves.append(time.process_time() - begun)
        begun = time.process_time()
        as_text(plain(audit(joint, Budget.parse(budget)).to_dict()))
        bare.append(time.process_time() - begun)
    line.close()
    assert min(moves) < 2 * min(bare), (sorted(moves), sorted(bare))
