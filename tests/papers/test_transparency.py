"""ATR recomputed: every printed number beside ours, what differs says why, and nothing is typed in."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import liftgate as lg
from liftgate.cli import main
from liftgate.errors import DataError
from liftgate.jobs.recomputed import Claim, Compared, Recomputed
from liftgate.papers import recompute, transparency, transparency_credit
from liftgate.papers.lift_tables import VARIABLE
from liftgate.papers.transparency_figures import terms_at
from liftgate.papers.transparency_numbers import TABLE_4, line

RECORDS = 125 * 300
LETTERS = {3: "uyl", 4: ("g", "p", "gg"), 5: "cdk", 6: "vhb"}


@cache
def without_file() -> Recomputed:
    """Everything that needs no file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(VARIABLE, raising=False)
        return transparency.recompute(2, records=RECORDS)


def number(found: Recomputed, quantity: str) -> Compared:
    return next(n for n in found.compared if n.quantity == quantity)


def claim(found: Recomputed, start: str) -> Claim:
    return next(c for c in found.claims if c.text.startswith(start))


# ---- numbers of the text -----------------------------------------------------------------------------


def test_every_printed_number_comes_out_but_the_one_slip() -> None:
    """Tables 1, 2 and 4, sections 3, 6 and 8 and the arithmetic of Appendix B; only d_12 = .0013 differs (E82)."""
    found = without_file()
    differing = [n for n in found.compared if not n.agrees]
    assert [n.quantity for n in differing] == ["d_12 after d_13 = 1"]
    assert (differing[0].errata, differing[0].here) == (("E82",), (pytest.approx(13 / 570),))
    assert len(found.compared) == 44
    for n in found.numbers:
        assert n.place.startswith("ATR ")
        assert n.printed
        assert n.shown


@pytest.mark.parametrize(
    ("quantity", "here"),
    [
        ("beta_1, beta_0, beta_p of Female", (27 / 44, 108 / 161, 27 / 40)),
        ("beta_1, beta_0, beta_p of Male", (4 / 9, 81 / 127, 117 / 200)),
        ("announced rules of Female", (0.1, 0.02, 0.9)),
        ("announced rules of Male", (0.1, 0.4, 0.9)),
        ("confidence of Female, Male and both", (27 / 40, 81 / 127, 27 / 40)),
        ("approval rate of women", (400 / 300,)),
        ("statistical parity", (13 / 150,)),
        ("conditional parity by income", (0, 0.5, 0)),
        ("floor and largest confidence of Female", (0.6, 1)),
        ("floor and largest confidence of Male", (0.45, 0.72)),
        ("variables, K = 10 inputs of 5 values", (19_531_250,)),
    ],
)
def test_the_numbers_are_the_known_fractions(quantity: str, here: tuple[float, ...]) -> None:
    """Computed by hand from the twelve numbers of Table 4 and the six of Table 1."""
    assert number(without_file(), quantity).here == pytest.approx(here, abs=1e-12)


def test_a_number_that_differs_is_said_to_differ() -> None:
    """One unit of the last printed digit is allowed, and no more; lists have to have the same length."""
    assert line("x", "ATR", "0.675", 0.6758, 1e-3).agrees
    assert not line("x", "ATR", "0.675", 0.6762, 1e-3).agrees
    assert not line("x", "ATR", "0.1, 0.4, 0.9", [0.1, 0.4], 0.1).agrees
    assert line("x", "ATR", "67.5 %", Fraction(27, 40), 0.1, percent=True).shown == "67.5 %"


def test_the_numbers_move_with_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is typed in: other people give other numbers, and they are said to differ."""
    from liftgate.papers import transparency_numbers as numbers

    monkeypatch.setattr(numbers, "TABLE_4", numbers.people([12, 5, 2, 9, 7, 5]))
    monkeypatch.setattr(numbers, "TABLE_1", numbers.people([139, 9, 4, 117, 18, 5]))
    changed = {n.quantity: n for n in [*numbers.section_3(), *numbers.section_8()]}
    for name in ("beta_1, beta_0, beta_p of Female", "announced rules of Female", "approval rate of women"):
        assert not changed[name].agrees, name


# ---- Figure 5 and the claims -------------------------------------------------------------------------


def test_figure_5_is_the_exact_curve_beside_the_printed_formula() -> None:
    """At delta .5 the printed formula gives women .48, below their prior .6; the four-term rule gives .6 (E70)."""
    (figure,) = without_file().figures
    assert figure.place == "ATR Fig. 5"
    female, male = figure.panels
    exact, printed = (dict(c.points) for c in female.curves)
    assert (exact[0.5], printed[0.5]) == (pytest.approx(0.6), pytest.approx(0.48))
    assert (exact[0.9], printed[0.9]) == (pytest.approx(0.675), pytest.approx(0.675))
    assert all(exact[d] >= printed[d] - 1e-12 and exact[d] >= 0.6 for d in exact)
    assert dict(male.curves[0].points)[1.0] == pytest.approx(0.72)
    for d in (0.05, 0.3, 0.65, 0.8, 0.95):
        delta = Fraction(str(d))
        assert exact[d] == pytest.approx(float(lg.transparency.announce(TABLE_4, delta=delta).group_beta[0]))
        assert printed[d] == pytest.approx(float(max(terms_at(0, delta))))
    text = " ".join(figure.notes)
    for cut in ("0.928571", "0.888889", "0.727273", "0.659091"):
        assert cut in text


def test_the_claims_that_fail_are_those_with_an_erratum() -> None:
    """What holds and what fails without the Credit Approval table."""
    found = without_file()
    assert {c.text[:20]: c.holds for c in found.claims} == {
        "Mary’s own record an": True,
        "With census shares t": False,
        "Theorem 1: the optim": False,
        "The bound holds for ": False,
        "In closed form 5^10 ": True,
    }
    assert all(bool(c.errata) != c.holds for c in found.claims)
    assert claim(found, "Mary").evidence.startswith("with exact people and figures Table 2 alone pins 6 of 6 rules")
    assert "1 and 1 rules fit, confidence 1 and 0.72" in claim(found, "The bound holds").evidence
    assert f"{RECORDS:,} records" in claim(found, "In closed form").evidence


def test_an_announcement_outside_its_band_would_fail_the_claim_of_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim is judged by what was announced: real rules announced with a wrong confidence do not pass."""
    real = transparency.announce

    def wrong(rules: lg.transparency.DecisionRules, delta: float) -> lg.transparency.Announcement:
        found = real(rules, delta=delta)
        object.__setattr__(found, "group_beta", found.group_beta * 0.99)
        return found

    monkeypatch.setattr(transparency, "announce", wrong)
    assert not transparency._solved_at(125 * 4)[1]
    monkeypatch.setattr(transparency, "announce", real)
    assert transparency._solved_at(125 * 4)[1]


# ---- the Credit Approval table -----------------------------------------------------------------------


def test_without_the_file_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is missing, why, and what to do; the rest is computed."""
    (missing,) = without_file().missing
    assert missing.what == "Tables 5 and 6 and the experiment of Appendix B"
    assert f"{VARIABLE}=FOLDER" in missing.fix
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert transparency_credit.credit_file() == (
        None,
        "there is no file credit_approval/crx.data in the folder that LIFTGATE_DATA names",
    )


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the form of crx.data: A9 decides nearly alone, and the group (y, p, k, v) has 9 and 2 rows."""
    rng = np.random.default_rng(3)
    rows = []
    for i in range(240):
        in_group = i < 11
        yes = bool(rng.random() < 0.5) if not in_group else i >= 9
        row = [
            "b",
            str(20 + int(rng.integers(40))),
            f"{rng.random() * 5:.2f}",
            "u",
            "g",
            "c",
            "v",
            f"{rng.random():.3f}",
        ]
        row += ["t" if yes else "f", "f", str(int(rng.integers(10, 12)) if yes else int(rng.integers(0, 2))), "t", "g"]
        row += [str(int(rng.integers(300))), str(int(rng.integers(900))), "+" if yes else "-"]
        for k, letters in LETTERS.items():
            row[k] = (
                transparency_credit.QID[k - 3] if in_group else str(rng.choice(list(letters[:1]) + list(letters[2:])))
            )
        rows.append(",".join(row))
    rows.append(rows[0].replace("b,", "?,", 1))
    path = tmp_path / "credit_approval" / "crx.data"
    path.parent.mkdir()
    path.write_text("\n".join(rows) + "\n")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return path


def test_appendix_b_on_a_table_that_is_decided_by_one_input(made_up: Path) -> None:
    """Both methods pin both rules where A9 decides; the identity of method 1 is exact; rows with ? are left out."""
    credit = transparency_credit.read_credit(made_up)
    assert (len(credit.rows), len(credit.complete)) == (241, 240)
    assert (int(credit.group(0, 1).sum()), int(credit.group(10, 11).sum())) == (9, 2)
    found = transparency.recompute(1, records=RECORDS)
    assert found.missing == ()
    assert found.totals == {"classifiers": 3}
    assert claim(found, "Method 1: the difference").holds
    assert claim(found, "Method 1 gives").evidence == "3 of 3 classifiers"
    assert number(found, "rows of W_0 and W_1").agrees
    assert not number(found, "rows").agrees
    assert found.data["credit"] == {"name": "crx.data", "rows": 241}


def test_a_table_of_another_form_is_refused(made_up: Path) -> None:
    """Another number of columns, or no class: an error and not a number."""
    made_up.write_text("a,b,c\n")
    with pytest.raises(DataError, match="not 16 columns"):
        transparency.recompute(1, records=RECORDS)


def test_no_time_for_all_splits_is_told(made_up: Path) -> None:
    """Splits that the time does not reach are left out and told."""
    found = transparency.recompute(4, seconds=1e-6, records=RECORDS)
    assert [m.what for m in found.missing] == ["some splits of the table"]
    assert found.totals == {"classifiers": 3}


# ---- command and page --------------------------------------------------------------------------------


def test_the_command_prints_json_that_fits_its_schema_and_a_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`liftgate papers transparency`: one object, and a page with every number, its place and its reason."""
    import jsonschema

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(transparency.recompute, "__defaults__", (600.0, 0, None, RECORDS))
    page = tmp_path / "atr.html"
    assert main(["papers", "transparency", "--json", "--html", str(page)]) == 0
    record = json.loads(capsys.readouterr().out)
    schema = Path(__file__).resolve().parents[2] / "docs" / "schemas" / "papers.json"
    jsonschema.Draft202012Validator(json.loads(schema.read_text())).validate(record)
    assert record["result"]["paper"] == "transparency"
    shown = page.read_text()
    for n in without_file().compared:
        assert n.printed.split(",")[0] in shown
        assert n.place in shown
    assert "a slip: (.0133 - .012) / .057 = .0228" in shown


def test_the_paper_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """By name, as the command calls it."""
    called: list[int] = []

    def answer(draws: int, *_: object) -> Recomputed:
        called.append(draws)
        return without_file()

    monkeypatch.setattr(transparency, "recompute", answer)
    assert recompute("transparency", draws=7).paper == "transparency"
    assert called == [7]
