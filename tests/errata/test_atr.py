"""Errata of ATR (Chen, Golubchik, Pal): each statement that is false as printed, with an exact counterexample."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest

from liftgate.transparency import DecisionRules, announce, curve


def printed(people, low, high):
    """Theorem 1 and Algorithm 1 as printed, in fractions: beta from three terms and the announced rule.

    ``low`` and ``high`` are chances (negative, positive); None stands for a division 0 / 0.
    """
    n = len(people)
    least = [max(range(n), key=lambda k, a=a: people[k] * low[k][a]) for a in (0, 1)]
    top = [people[least[a]] * low[least[a]][a] for a in (0, 1)]
    capped = [[min(people[k] * high[k][a], top[a]) for k in range(n)] for a in (0, 1)]
    beta = []
    for a in (0, 1):
        under = top[a] + sum(capped[a][k] for k in range(n) if k != least[a])
        if under == 0:
            return None, None
        beta.append(top[a] / under)
    pair = (top[0] + top[1]) / sum(people)
    best = max(*beta, pair)
    most = [[capped[a][k] / people[k] for k in range(n)] for a in (0, 1)]
    if best == beta[0]:
        return best, [1 - v for v in most[0]]
    if best == beta[1]:
        return best, most[1]
    rest = [k for k in range(n) if k not in least]
    b = [p - pair * sum(people) for p in people]
    bottom = {k: max(people[k] * low[k][1], top[1] + b[k]) / people[k] for k in rest}
    left = (1 - 2 * pair) / pair * top[1] - b[least[0]] - sum(people[k] * bottom[k] for k in rest)
    rule = [F(0)] * n
    rule[least[1]] = low[least[1]][1]
    rule[least[0]] = 1 - low[least[0]][0]
    for k in rest:
        given = min(left / people[k], capped[1][k] / people[k] - bottom[k])
        rule[k] = bottom[k] + given
        left -= people[k] * given
    return best, rule


def band(rule, room):
    low = [[max(1 - d - room, F(0)), max(d - room, F(0))] for d in rule]
    high = [[min(1 - d + room, F(1)), min(d + room, F(1))] for d in rule]
    return low, high


def confidence(people, rule):
    columns = [
        [p * d for p, d in zip(people, rule, strict=True)],
        [p * (1 - d) for p, d in zip(people, rule, strict=True)],
    ]
    return max(max(c) / sum(c) for c in columns if sum(c))


def test_e70_three_terms_claim_less_than_the_prior():
    """p = (.9, .1), d = (.5, .5), delta = .9: printed 6/7, but its rule really gives 27/29; the optimum is 0.9."""
    people, rule = [F(9, 10), F(1, 10)], [F(1, 2), F(1, 2)]
    low, high = band(rule, F(1, 10))
    beta, announced = printed(people, low, high)
    assert beta == F(6, 7)
    assert announced == [F(2, 5), F(3, 5)] or announced == [F(3, 5), F(2, 5)]
    assert confidence(people, announced) == F(27, 29)
    a = announce(DecisionRules.from_arrays(people, np.array(rule), [0, 0]), delta="0.9")
    assert a.beta == F(9, 10)
    assert a.rules.tolist() == rule
    assert a.certificate.verdict.holds


def test_e70_printed_rule_on_the_papers_own_female_group():
    """Female group at delta = .5: printed 0.48, its rule gives 0.80, the optimum is 0.6 (the prior)."""
    people, rule = [F(12), F(5), F(3)], [F(0), F(0), F(1)]
    beta, announced = printed(people, *band(rule, F(1, 2)))
    assert beta == F(12, 25)
    assert confidence(people, announced) == F(4, 5)
    rules = DecisionRules.from_arrays(people, np.array(rule), [0] * 3)
    assert announce(rules, delta="1/2").beta == F(3, 5)
    edge = curve(rules).groups[0].breakpoints[-1]
    assert edge == F(8, 11)
    assert printed(people, *band(rule, 1 - edge))[0] == announce(rules, delta=edge).beta
    assert printed(people, *band(rule, F(3, 10)))[0] < announce(rules, delta="7/10").beta == F(3, 5)


def test_e71_nothing_over_nothing_counts_as_zero():
    """Everybody refused: L = 0 makes beta_1 = 0/0; counting it as 0 gives the right answer, max p / S."""
    people, rule = [F(2), F(1)], [F(0), F(0)]
    assert printed(people, *band(rule, F(0)))[0] is None
    a = announce(DecisionRules.from_arrays(people, np.array(rule), [0, 0]), delta=1)
    assert a.beta == F(2, 3)
    assert a.rules.tolist() == rule


def test_e72_one_row_extreme_for_both_outcomes_gives_a_negative_chance():
    """p = (.6, .2, .2), row 1 fixed at .5, the rest free: printed rule (.5, -.5, 0); the repair stays in its box."""
    people = [F(6, 10), F(2, 10), F(2, 10)]
    low, high = [[F(1, 2)] * 2, [F(0)] * 2, [F(0)] * 2], [[F(1, 2)] * 2, [F(1)] * 2, [F(1)] * 2]
    beta, announced = printed(people, low, high)
    assert beta == F(3, 5)
    assert min(announced) < 0
    rules = DecisionRules.from_arrays(people, np.array([F(1, 2)] * 3), [0] * 3)
    a = announce(rules, bounds=(np.array([v[1] for v in low]), np.array([v[1] for v in high])))
    assert a.beta == F(3, 5)
    assert all(0 <= x <= 1 for x in a.rules)
    assert a.certificate.verdict.holds


def test_e73_remark_4_needs_a_point():
    """Remark 4, beta_p = beta_min when both extreme rows are one: false where that row's interval has a width."""
    people, rule = [F(9, 10), F(1, 10)], [F(1, 2), F(1, 2)]
    low, _ = band(rule, F(1, 10))
    pair = sum(max(p * box[a] for p, box in zip(people, low, strict=True)) for a in (0, 1)) / sum(people)
    assert pair == F(18, 25)
    assert pair < F(9, 10)


def test_e74_rows_without_people():
    """P(x) = 0 makes max' and min' a division by zero; in masses such a row may take any value."""
    with pytest.raises(ZeroDivisionError):
        printed([F(2), F(0), F(1)], *band([F(1), F(1, 2), F(0)], F(1, 10)))
    a = announce(DecisionRules.from_arrays([2, 0, 1], np.array([F(1), F(1, 2), F(0)]), [0] * 3), delta="0.9")
    assert a.beta == announce(DecisionRules.from_arrays([2, 1], np.array([F(1), F(0)]), [0] * 2), delta="0.9").beta
    assert a.certificate.verdict.holds


def test_e75_alpha_intervals_have_to_be_tightened():
    """alpha-fidelity bounds each outcome alone; without intersecting them the printed value is too low."""
    people, rule, alpha = [F(3), F(2), F(2)], [F(9, 10), F(1, 10), F(1, 2)], F(1, 2)
    raw_low = [[(1 - d) * alpha, d * alpha] for d in rule]
    raw_high = [[min((1 - d) / alpha, F(1)), min(d / alpha, F(1))] for d in rule]
    a = announce(DecisionRules.from_arrays(people, np.array(rule), [0] * 3), alpha=alpha)
    low = [[max(lo[0], 1 - hi[1]), max(lo[1], 1 - hi[0])] for lo, hi in zip(raw_low, raw_high, strict=True)]
    high = [[min(hi[0], 1 - lo[1]), min(hi[1], 1 - lo[0])] for lo, hi in zip(raw_low, raw_high, strict=True)]
    tightened, _ = printed(people, low, high)
    assert printed(people, raw_low, raw_high)[0] < a.beta
    assert max(tightened, F(3, 7)) == a.beta


def test_e76_min_prime_of_the_appendix_needs_the_division():
    """Appendix I adds b_k, a mass, to a chance; Theorem 1 divides by P(x). They differ unless P(x) = 1."""
    people, beta, top = [F(3, 10), F(1, 8), F(3, 40)], F(27, 40), F(27, 400)
    b = people[0] - beta * sum(people)
    assert (top + b) / people[0] == F(1, 10)
    assert top / people[0] + b != (top + b) / people[0]


def test_e77_alpha_cannot_move_certain_rules():
    """A rule of 0 or 1 stays under every alpha > 0 (female group: beta 1), but alpha = 0 would free it: not continuous."""
    rules = DecisionRules.from_arrays([12, 5, 3], np.array([F(0), F(0), F(1)]), [0] * 3)
    assert [announce(rules, alpha=a).beta for a in ("99/100", "1/2", "1/100")] == [1, 1, 1]
    assert announce(rules, bounds=(0, 1)).beta == F(3, 5)


def test_e78_believing_is_not_knowing():
    """Remark 3 grants knowledge of the scheme, but beta holds only for readers who believe the announcement.

    Rules known to be 0 or 1: rounding the announcement recovers them, and the confidence is 1, not 0.675.
    """
    a = announce(DecisionRules.from_arrays([12, 5, 3], [0, 0, 1], ["F"] * 3), delta=0.9, values=[0, 1])
    assert a.rules.round().tolist() == [0, 0, 1]
    assert a.inversion.verdict == "refuted"
    assert a.inversion.family("0 or 1").readings[0].lowest == 1 > a.beta


def test_e79_total_variation_by_the_number_of_outcomes():
    """(26) divides by |A|: it is the usual total variation (half the sum) only for two outcomes; its most is 2 / |A|."""
    from liftgate.transparency.fairness import total_variation

    left, right = [1, 0, 0, 0], [0, 1, 0, 0]
    assert total_variation(left, right, "half") == 1
    assert total_variation(left, right, "mean") == 0.5


def test_e80_lemma_2_with_the_usual_total_variation():
    """|A| = 4, delta = .9: the half-sum moves by 0.4, more than 2 (1 - delta) = 0.2; 2 floor(|A| / 2) (1 - delta) holds."""
    from liftgate.transparency.fairness import bias_interval, total_variation

    real = ([F(1, 4)] * 4, [F(1, 4)] * 4)
    e = F(1, 10)
    shown = ([F(1, 4) + e, F(1, 4) + e, F(1, 4) - e, F(1, 4) - e], [F(1, 4) - e, F(1, 4) - e, F(1, 4) + e, F(1, 4) + e])
    moved = total_variation(*shown, "half") - total_variation(*real, "half")
    assert moved == pytest.approx(0.4)
    assert moved > 2 * e
    low, high = bias_interval(0.4, delta=0.9, outcomes=4, convention="half")
    assert low == 0 <= total_variation(*real, "half") <= high


def test_e81_lemma_2_has_no_cap_for_log_ratios():
    """(15) caps the change of a log-ratio at 1; d = (.1, .1), alpha = .3 moves it by -2 log alpha = 2.408."""
    from liftgate.transparency.fairness import ratio_interval

    real, shown = math.log(0.1 / 0.1), abs(math.log((0.1 * 0.3) / (0.1 / 0.3)))
    assert shown - real == pytest.approx(2.408, abs=5e-4)
    assert shown - real > 1
    low, high = ratio_interval(shown, alpha=0.3)
    assert low <= real + 1e-12
    assert high == pytest.approx(shown - 2 * math.log(0.3))


def test_e82_slip_in_section_3():
    """Section 3.3 updates d_12 to .0013; (.0133 - .012) / .057 is .0228. Its .0088 and 1.0692 need the rate .01333."""
    assert round((0.0133 - 0.012) / 0.057, 4) == 0.0228

    def solved(rate):
        # .057 x + .012 y = rate, .123 (x + .5) + .035 y = .1
        x, y = np.linalg.solve([[0.057, 0.012], [0.123, 0.035]], [rate, 0.1 - 0.0615])
        return round(float(x), 4), round(float(y), 4)

    assert solved(0.01333) == (0.0088, 1.0692)
    assert solved(0.0133) == (0.0067, 1.0763)


def test_e83_several_solutions_only_generically():
    """ "When beta* = beta_p and |T| > 3, we have multiple solutions": four equal rows at delta = 1 have exactly one."""
    people, rule = [F(1)] * 4, [F(1), F(1), F(0), F(0)]
    low, high = band(rule, F(0))
    beta, _ = printed(people, low, high)
    pair = sum(max(p * box[a] for p, box in zip(people, low, strict=True)) for a in (0, 1)) / sum(people)
    assert beta == pair == F(1, 2)
    assert low == high, "a single announcement is allowed, so a single one is optimal"
    assert announce(DecisionRules.from_arrays(people, np.array(rule), [0] * 4), delta=1).rules.tolist() == rule


def test_e84_formula_of_the_most_certain_reader():
    """Section 8 prints C* of the male group with D_1 in place of D_0: the refusals give 0.72, the printed symbols 0."""
    people, rule = [F(9, 40), F(7, 40), F(4, 40)], [F(0), F(1, 2), F(1)]
    refused = [p * (1 - d) for p, d in zip(people, rule, strict=True)]
    assert refused[0] / sum(refused) == F(18, 25)
    assert people[0] * rule[0] == 0
