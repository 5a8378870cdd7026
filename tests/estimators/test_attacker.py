"""The built-in attacker and the figures of utility."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.estimators.problems import mixed

from liftgate.errors import DataError
from liftgate.estimators import attacker
from liftgate.estimators.attacker import area, guess, target_of, utility
from liftgate.estimators.rows import Column, Rows, Sample


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_area_is_the_chance_of_being_ranked_right(pairs: list[tuple[int, bool]]) -> None:
    """Against the definition in loops; ties count half."""
    score = np.array([p[0] for p in pairs], dtype=float)
    hit = np.array([p[1] for p in pairs])
    if not hit.any() or hit.all():
        assert area(score, hit) == 0.5
        return
    wins = [(a > b) + 0.5 * (a == b) for a in score[hit] for b in score[~hit]]
    assert area(score, hit) == pytest.approx(np.mean(wins))


def test_nobody_is_attacked_by_a_model_that_has_seen_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a row of them: what is learned from and what is asked about share no person, and everybody is asked about."""
    sample = mixed(400, 1).sample
    person = np.arange(400) // 3
    learned: list[set[int]] = []
    grown = attacker.trees

    def spy(part: Sample, seed: int) -> Any:
        assert part.person is not None
        learned.append(set(part.person.tolist()))
        return grown(part, seed)

    monkeypatch.setattr(attacker, "trees", spy)
    guess(sample.rows, sample.s, 3, person)
    first, second = learned
    assert not first & second
    assert first | second == set(person.tolist())


def test_the_attacker_finds_what_is_there_and_nothing_else() -> None:
    """Clear on the mixed problem, a coin where the records were dealt anew."""
    sample = mixed(3000, 1).sample
    there = guess(sample.rows, sample.s, 3)
    assert there.auc > 0.68
    assert there.information > 0.1
    dealt = np.random.default_rng(0).permutation(3000)
    nothing = guess(sample.rows.take(dealt), sample.s, 3)
    assert abs(nothing.auc - 0.5) < 0.04
    assert nothing.information < 0.005


def test_a_task_is_learned_from_released_records_and_applied_to_true_rows() -> None:
    """Dealt records teach nothing; untouched ones teach everything; suppressed ones are not learned from."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=1500)
    rows, y = Rows.from_matrix(x[:, None]), (x + 0.5 * rng.normal(size=1500) > 0).astype(np.int64)
    everywhere = np.ones(1500, dtype=bool)
    plain = guess(rows, y, 2)
    same = guess(rows, y, 2, learn_from=rows, there=everywhere)
    assert same == plain
    dealt = guess(rows, y, 2, learn_from=rows.take(rng.permutation(1500)), there=everywhere)
    assert plain.auc > 0.9
    assert abs(dealt.auc - 0.5) < 0.2
    half = guess(rows, y, 2, learn_from=rows, there=np.abs(x) > 0.3)
    assert half.auc > 0.85


def test_columns_of_a_permutation_are_unchanged_and_of_a_suppression_are_not() -> None:
    """Total variation of the worst column and the largest change of a correlation, by hand."""
    rows = Rows((Column("a", "number", np.array([0.0, 0, 1, 1])), Column("b", "category", np.array([0, 1, 0, -1]), ("u", "v"))))  # fmt: skip
    moved = utility(rows, np.array([2, 3, 1, 0]))
    assert (moved.marginals, moved.correlations, moved.rows) == (0.0, 0.0, 4)
    fewer = utility(rows, np.array([0, -1, 2, -1]))
    assert fewer.rows == 2
    assert fewer.marginals == pytest.approx(0.5)
    none = utility(rows, np.array([-1, -1, -1, 3]))
    assert none.rows == 1


def test_targets() -> None:
    """Few values are classes, many numbers two halves, gaps and single values refused."""
    few, classes = target_of(Column("t", "number", np.array([1.0, 2, 2, 5])), "here")
    assert (few.tolist(), classes) == ([0, 1, 1, 2], 3)
    many, classes = target_of(Column("t", "number", np.arange(40.0)), "here")
    assert classes == 2
    assert many.sum() == 20
    with pytest.raises(DataError, match=r"column 't': 1 missing entries in the task"):
        target_of(Column("t", "number", np.array([1.0, np.nan])), "here")
    with pytest.raises(DataError, match="1 values make no task"):
        target_of(Column("t", "number", np.array([1.0, 1.0])), "here")
