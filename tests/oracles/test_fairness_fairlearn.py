"""Fairness figures of decisions against fairlearn, where both define them: decisions of single people, yes or no."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from liftgate.transparency import (
    DecisionRules,
    equality_of_odds,
    equality_of_opportunity,
    four_fifths_ratio,
    predictive_parity,
    statistical_parity,
)

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("default")]
SEEDS = range(20)


def people(seed: int) -> tuple[Any, Any, Any]:
    """Decisions, what people deserved, and their class: two to four classes of different size, nobody left out."""
    rng = np.random.default_rng(seed)
    classes = 2 + seed % 3
    group = np.concatenate([np.repeat(np.arange(classes), 4), rng.integers(0, classes, 200)])
    truth = np.concatenate([np.tile([0, 0, 1, 1], classes), (rng.random(200) < 0.3 + 0.1 * group[4 * classes :])])
    decided = np.concatenate([np.tile([0, 1, 0, 1], classes), (rng.random(200) < 0.2 + 0.15 * group[4 * classes :])])
    return decided.astype(int), truth.astype(int), group


def rules(decided: Any, group: Any) -> DecisionRules:
    """One row for each person; the rule is what was decided."""
    return DecisionRules.from_arrays(np.ones(group.size), decided, group)


@pytest.mark.parametrize("seed", SEEDS)
def test_statistical_parity_and_the_ratio_of_rates(seed: int) -> None:
    """The demographic parity difference and ratio of fairlearn (ATR Def. 9, four fifths)."""
    from fairlearn.metrics import demographic_parity_difference, demographic_parity_ratio

    decided, truth, group = people(seed)
    ours = rules(decided, group)
    theirs = demographic_parity_difference(truth, decided, sensitive_features=group)
    assert statistical_parity(ours) == pytest.approx(theirs, abs=1e-12)
    theirs = demographic_parity_ratio(truth, decided, sensitive_features=group)
    assert four_fifths_ratio(ours) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_odds_and_opportunity(seed: int) -> None:
    """Equalised odds, and equal opportunity: the difference of true positive rates (ATR Def. 11)."""
    from fairlearn.metrics import MetricFrame, equalized_odds_difference, true_positive_rate

    decided, truth, group = people(seed)
    ours = rules(decided, group)
    theirs = equalized_odds_difference(truth, decided, sensitive_features=group)
    assert equality_of_odds(ours, truth) == pytest.approx(theirs, abs=1e-12)
    frame = MetricFrame(metrics=true_positive_rate, y_true=truth, y_pred=decided, sensitive_features=group)
    assert equality_of_opportunity(ours, truth) == pytest.approx(frame.difference(), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_predictive_parity(seed: int) -> None:
    """The difference of precisions."""
    from fairlearn.metrics import MetricFrame
    from sklearn.metrics import precision_score

    decided, truth, group = people(seed)
    frame = MetricFrame(metrics=precision_score, y_true=truth, y_pred=decided, sensitive_features=group)
    assert predictive_parity(rules(decided, group), truth) == pytest.approx(frame.difference(), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_people_put_together_say_the_same(seed: int) -> None:
    """Rules counted by class and desert, with their people, give the figures of the single people."""
    from fairlearn.metrics import demographic_parity_difference, equalized_odds_difference

    decided, truth, group = people(seed)
    table = {"class": group.tolist(), "deserved": truth.tolist(), "decided": decided.tolist()}
    counted = DecisionRules.from_table(table, group="class", private="deserved", decision="decided")
    deserved = np.array([float(counted.row_label(i)) for i in range(counted.size)])  # type: ignore[arg-type]
    theirs = demographic_parity_difference(truth, decided, sensitive_features=group)
    assert statistical_parity(counted) == pytest.approx(theirs, abs=1e-12)
    theirs = equalized_odds_difference(truth, decided, sensitive_features=group)
    assert equality_of_odds(counted, deserved) == pytest.approx(theirs, abs=1e-12)
