"""The numbers that ATR prints in its Tables 1, 2 and 4 and in sections 3, 6 and 8, with their places, beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from liftgate.jobs.recomputed import Compared
from liftgate.transparency import (
    DecisionRules,
    announce,
    attack,
    conditional_statistical_parity,
    fidelity_for,
    statistical_parity,
)
from liftgate.transparency.fairness import rates

BANDS = ("under 100k", "100k to 200k", "over 200k")
CENSUS = {
    "Female": {"under 100k": "0.931", "100k to 200k": "0.057", "over 200k": "0.012"},
    "Male": {"under 100k": "0.842", "100k to 200k": "0.123", "over 200k": "0.035"},
}
RULES = np.array([Fraction(v) for v in ("0", "0", "1", "0", "1/2", "1")])
DELTA = Fraction(9, 10)


def people(counts: Sequence[int]) -> DecisionRules:
    """The credit card example with so many people in each row (ATR Tables 1 and 4)."""
    return DecisionRules.from_arrays(
        [Fraction(v) for v in counts], RULES, ["Female"] * 3 + ["Male"] * 3, {"income": list(BANDS) * 2}
    )


TABLE_1 = people([139, 9, 2, 117, 18, 5])
TABLE_4 = people([12, 5, 3, 9, 7, 4])


def line(
    quantity: str,
    place: str,
    printed: str,
    here: Any,
    digit: float,
    why: str = "",
    errata: tuple[str, ...] = (),
    values: Sequence[float] | None = None,
    percent: bool = False,
    alternative: bool = False,
) -> Compared:
    """One printed number (or list of numbers) beside ours, with as many decimals as are printed and two more."""
    ours = [float(v) * (100 if percent else 1) for v in (here if isinstance(here, list | tuple) else [here])]
    wanted = values if values is not None else [float(v.strip(" %")) for v in printed.split(",")]
    agrees = len(ours) == len(wanted) and all(
        abs(a - b) <= digit * (1 + 1e-9) for a, b in zip(ours, wanted, strict=True)
    )
    decimals = max(0, -int(np.floor(np.log10(digit)))) + (0 if digit >= 1 else 2)
    shown = ", ".join(_plain(v, decimals) + (" %" if percent else "") for v in ours)
    return Compared(quantity, place, printed, tuple(ours), None, agrees, why, errata, alternative, shown)


def _plain(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def confidence(rules: DecisionRules, group: int, row: int, outcome: int, chances: Any = None) -> Fraction:
    """The share of one row of a group in an outcome (ATR Def. 3), for the real rules or others."""
    masses, real = rules.exact_rows(group)
    shown = real if chances is None else [[1 - Fraction(c), Fraction(c)] for c in chances]
    part = [m * c[outcome] for m, c in zip(masses, shown, strict=True)]
    return part[row] / sum(part)


def section_3() -> Iterator[Compared]:
    """Tables 1 and 2, what they give away, and what Mary computes from them."""
    place = "ATR sec. 3.2"
    yield line(
        "confidence: an approved woman earns over 200k", place, "100 %", confidence(TABLE_1, 0, 2, 1), 1, percent=True
    )
    yield line(
        "confidence: an approved man earns over 200k",
        place,
        "36 %",
        confidence(TABLE_1, 1, 2, 1),
        1,
        "5/14 by the people of Table 1",
        percent=True,
    )
    yield line("the same with census shares", place, "36 %", _census_confidence(), 1, percent=True)
    yield line(
        "the same before any announcement, census",
        place,
        "3.5 %",
        Fraction("0.035"),
        0.1,
        "5/140 = 3.57 % by the people of Table 1",
        percent=True,
    )
    yield line(
        "how many times as sure an announcement makes", place, "10", confidence(TABLE_1, 1, 2, 1) / Fraction(5, 140), 1
    )
    found = rates(TABLE_1)
    place = "ATR Table 2, Remark 1"
    yield line("approval rate of women", place, "1.33 %", float(found["Female"][1]), 0.01, "2/150", percent=True)
    yield line("approval rate of men", place, "10 %", float(found["Male"][1]), 1, "14/140", percent=True)
    yield line(
        "statistical parity",
        place,
        "0.0866",
        statistical_parity(TABLE_1),
        0.0001,
        "13/150 = .08667, cut and not rounded",
    )
    parity = conditional_statistical_parity(TABLE_1, "income")
    yield line("conditional parity by income", place, "0, 0.5, 0", [parity[b] for b in BANDS], 0.1)
    place = "ATR sec. 3.3"
    yield line(
        "right side of (2) after d_12 = d_22 + 0.5", place, "0.1615", Fraction(1, 10) + Fraction("0.123") / 2, 0.0001
    )
    yield line(
        "d_12, d_13 from (1) and (2)",
        place,
        "0.0088, 1.0692",
        _solved(Fraction("0.01333")),
        0.0001,
        "with the rate .01333; with 2/150 they are .0090, 1.0684",
        ("E82",),
    )
    yield line(
        "the same with the rate as printed, 0.0133",
        place,
        "0.0088, 1.0692",
        _solved(Fraction("0.0133")),
        0.0001,
        "the printed rate was rounded after it was used",
        ("E82",),
        alternative=True,
    )
    yield line(
        "d_12 after d_13 = 1",
        place,
        "0.0013",
        (Fraction("0.0133") - Fraction("0.012")) / Fraction("0.057"),
        0.0001,
        "a slip: (.0133 - .012) / .057 = .0228",
        ("E82",),
    )


def _census_confidence() -> Fraction:
    share = {k: Fraction(v) for k, v in CENSUS["Male"].items()}
    return share["over 200k"] / (share["100k to 200k"] / 2 + share["over 200k"])


def _solved(rate: Fraction) -> list[Fraction]:
    """d_12, d_13 from .057 x + .012 y = rate and .123 (x + .5) + .035 y = .1."""
    a, b, c, d = (Fraction(v) for v in ("0.057", "0.012", "0.123", "0.035"))
    left, right = rate, Fraction(1, 10) - c / 2
    whole = a * d - b * c
    return [(left * d - b * right) / whole, (a * right - left * c) / whole]


def section_6() -> Iterator[Compared]:
    """The size of the program that is called not tractable."""
    place = "ATR sec. 6.2"
    yield line("variables, K = 10 inputs of 5 values", place, "2e7", 2 * 5**10, 1e7, "19,531,250", values=[2e7])
    yield line("constraints", place, "8e7", 8 * 5**10, 1e7, "78,125,000", values=[8e7])


def table_4() -> Iterator[Compared]:
    """Inputs and computations of the numerical example, one column of the table after another."""
    masses = [Fraction(v, 40) for v in (12, 5, 3, 9, 7, 4)]
    low, high = ([[Fraction(v) for v in side] for side in sides] for sides in _sides())
    lows, highs = ([[p * v for p, v in zip(masses, side, strict=True)] for side in sides] for sides in (low, high))
    capped = [[min(h, max(lows[a][3 * (k // 3) : 3 * (k // 3) + 3])) for k, h in enumerate(highs[a])] for a in (0, 1)]
    columns = (
        ("P(x)", "0.3, 0.125, 0.075, 0.225, 0.175, 0.1", masses),
        ("D_1", "0, 0, 1, 0, 0.5, 1", list(RULES)),
        ("D_0", "1, 1, 0, 1, 0.5, 0", [1 - v for v in RULES]),
        ("D_1 min", "0, 0, 0.9, 0, 0.4, 0.9", low[1]),
        ("D_1 max", "0.1, 0.1, 1, 0.1, 0.6, 1", high[1]),
        ("D_0 min", "0.9, 0.9, 0, 0.9, 0.4, 0", low[0]),
        ("D_0 max", "1, 1, 0.1, 1, 0.6, 0.1", high[0]),
        ("P D_1 min", "0, 0, 0.0675, 0, 0.07, 0.09", lows[1]),
        ("P D_1 max", "0.03, 0.0125, 0.075, 0.0225, 0.105, 0.1", highs[1]),
        ("P D_1 max'", "0.03, 0.0125, 0.0675, 0.0225, 0.09, 0.09", capped[1]),
        ("P D_0 min", "0.27, 0.1125, 0, 0.2025, 0.07, 0", lows[0]),
        ("P D_0 max", "0.3, 0.125, 0.0075, 0.225, 0.105, 0.01", highs[0]),
        ("P D_0 max'", "0.27, 0.125, 0.0075, 0.2025, 0.105, 0.01", capped[0]),
    )
    for name, printed, here in columns:
        yield line(name, "ATR Table 4, Remark 5", printed, here, 1e-4)


def _sides() -> tuple[tuple[list[Fraction], list[Fraction]], tuple[list[Fraction], list[Fraction]]]:
    """Lowest and highest chance of the negative and of the positive outcome at delta = 0.9."""
    fidelity = announce(TABLE_4, delta=DELTA).fidelity
    rows = [fidelity.exact_row(TABLE_4, k) for k in range(6)]
    low, high = (tuple([r[side][a] for r in rows] for a in (0, 1)) for side in (0, 1))
    return (low[0], low[1]), (high[0], high[1])


def printed_terms(masses: Sequence[Fraction], low: Any, high: Any) -> tuple[Fraction, Fraction, Fraction]:
    """beta_1, beta_0 and beta_p of Theorem 1 as printed; 0/0 counts as 0 (E71). ``low`` and ``high`` by outcome."""
    tops = [max(p * v for p, v in zip(masses, low[a], strict=True)) for a in (0, 1)]
    own = []
    for a in (1, 0):
        reach = sum((min(p * v, tops[a]) for p, v in zip(masses, high[a], strict=True)), Fraction(0))
        own.append(tops[a] / reach if reach else Fraction(0))
    return own[0], own[1], (tops[0] + tops[1]) / sum(masses)


def section_8() -> Iterator[Compared]:
    """The numerical example: terms, announced rules, confidences and the ends of Figure 5."""
    place = "ATR sec. 8"
    low, high = _sides()
    found = announce(TABLE_4, delta=DELTA)
    printed = (("Female", "0.6136, 0.6708, 0.675"), ("Male", "0.4444, 0.6378, 0.585"))
    for g, (name, text) in enumerate(printed):
        part = slice(3 * g, 3 * g + 3)
        masses = [Fraction(v) for v in TABLE_4.exact_rows(g)[0]]
        terms = printed_terms(masses, [v[part] for v in low], [v[part] for v in high])
        yield line(f"beta_1, beta_0, beta_p of {name}", place, text, list(terms), 1e-4)
    yield line("announced rules of Female", place, "0.1, 0.02, 0.9", list(found.rules[:3]), 0.01)
    yield line("announced rules of Male", place, "0.1, 0.4, 0.9", list(found.rules[3:]), 0.1)
    yield line(
        "confidence of Female, Male and both", place, "0.675, 0.6378, 0.675", [*found.group_beta, found.beta], 1e-4
    )
    rest = (1 - 2 * found.beta) / found.beta * Fraction(27, 400) + found.beta / 2 - Fraction(3, 10)
    yield line(
        "resid, capacity and allocation of Female",
        place,
        "0.0025, 0.1, 0.02",
        [rest, Fraction("0.0125") * 8, rest * 8],
        1e-4,
    )
    women = list(found.rules[:3])
    both = [confidence(TABLE_4, 0, 0, 0, women), confidence(TABLE_4, 0, 2, 1, women)]
    yield line("confidence F, 0 to under 100k and F, 1 to over 200k", place, "0.675, 0.675", both, 1e-3)
    yield line(
        "confidence M, 0 to under 100k", place, "0.6378", confidence(TABLE_4, 1, 0, 0, list(found.rules[3:])), 1e-4
    )
    yield line(
        "largest confidence with the real rules, and announced",
        place,
        "100 %, 67.5 %",
        [float(found.true_confidence.max()), found.beta],
        0.1,
        percent=True,
    )
    place = "ATR sec. 8, Figure 5"
    yield line(
        "floor and largest confidence of Female",
        place,
        "0.6, 1",
        [found.floor[0], found.true_confidence[0]],
        0.1,
        "the printed formula falls to .48 and .3 below delta .73",
        ("E70",),
    )
    yield line(
        "floor and largest confidence of Male",
        place,
        "0.45, 0.72",
        [found.floor[1], found.true_confidence[1]],
        0.01,
        "P D_1 is printed where P D_0 is used",
        ("E84",),
    )
    yield line("no announcement promises less than", place, "0.6", float(found.floor.max()), 0.1)
    male = DecisionRules.from_arrays([9, 7, 4], [0, 0.5, 1], ["Male"] * 3)
    yield line(
        "fidelity that Male keeps above a confidence of 0.72",
        place,
        "1",
        fidelity_for(male, target_beta="0.7201"),
        0.01,
        "Lemma 4",
    )


def figures_of_table_2(digits: int | None) -> dict[str, Any]:
    """The figures of Table 2 as an auditor reads them: exact, or with so many decimals."""
    exact = {"rates": ("1/75", "1/10"), "parity": "13/150", "given": ("0", "1/2", "0")}

    def told(text: str) -> dict[str, Any]:
        return {"value": text} if digits is None else {"value": f"{float(Fraction(text)):.{digits}f}", "digits": digits}

    both = ["Female", "Male"]
    return {
        "figures": [
            *({"kind": "rate", "group": g, **told(v)} for g, v in zip(both, exact["rates"], strict=True)),
            {"kind": "parity", "groups": both, **told(str(exact["parity"]))},
            *(
                {"kind": "conditional-parity", "groups": both, "private": b, **told(v)}
                for b, v in zip(BANDS, exact["given"], strict=True)
            ),
        ]
    }


def pinned_by_table_2(digits: int | None, slack: str | None = None) -> Any:
    """What Table 2 gives away: with the people of Table 1, or with census shares, a slack and Mary's own record."""
    if slack is None:
        counts = dict(zip(("Female", "Male"), ([139, 9, 2], [117, 18, 5]), strict=True))
        known: dict[str, Any] = {
            "people": {g: dict(zip(BANDS, c, strict=True)) for g, c in counts.items()},
            "slack": 0,
        }
    else:
        own = [{"group": "Female", "private": BANDS[0], "value": 0}]
        known = {"shares": CENSUS, "slack": slack, "rules": own}
    return attack(figures_of_table_2(digits), known)
