"""liftgate couple as a person runs it: exit codes, files, JSON, and errors that name label and value."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from liftgate import checker
from liftgate.channel import Channel

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schemas" / "couple.json"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def laws(folder: Path) -> Path:
    """The laws of the cut geometric mechanism for true counts 4 and 5."""
    for centre in (4, 5):
        law = {str(centre + k): f"{2 ** (3 - abs(k))}/22" for k in range(-3, 4)}
        (folder / f"{centre}.json").write_text(json.dumps(law))
    (folder / "coin.csv").write_text("label,mass\nyes,3/4\nno,1/4\n")
    (folder / "nioc.csv").write_text("label,mass\nyes,1/4\nno,3/4\n")
    return folder


def test_refuted_with_an_event(laws: Path, run: Run) -> None:
    """Exit 1, the finding in a sentence, a certificate that checker.py accepts, a page."""
    code, out, err = run("couple", "4.json", "5.json", "--exp-eps", "2", "--certificate", "c.json", "--html", "c.html")
    assert code == 1
    assert err == ""
    assert "The promise is broken: 4 and 5 are not within ratio 2." in out
    assert "the output “1” appears 1 time in 22" in out
    assert checker.check(laws / "c.json").kind == "no-coupling"
    assert checker.check(laws / "c.json").holds
    assert "1/22" in (laws / "c.html").read_text()
    assert run("check", "c.json")[0] == 0


def test_laws_that_share_no_output_are_told_apart(laws: Path, run: Run) -> None:
    """Every output of the left law is the event; only equal laws have none."""
    (laws / "other.csv").write_text("label,mass\nred,1/2\nblue,1/2\n")
    code, out, _ = run("couple", "coin.csv", "other.csv", "--exp-eps", "2")
    assert code == 1
    assert "Under coin, an output among “yes” or “no” appears always. Under other, it never appears" in out
    assert "No event tells" not in out
    assert "No event tells the two laws apart." in run("couple", "coin.csv", "coin.csv", "--exp-eps", "2")[1]


def test_proved_with_a_coupling(laws: Path, run: Run) -> None:
    """Exit 0 where the delta is enough, by factor or by eps, and under a looser relation."""
    ask = ("couple", "4.json", "5.json", "--delta", "1/22")
    assert run(*ask, "--exp-eps", "2")[0] == 0
    assert run(*ask, "--eps", "7/10", "--certificate", "c.json")[0] == 0
    assert checker.check(laws / "c.json").kind == "coupling"
    assert run(*ask, "--eps", "69/100")[0] == 1
    assert run("couple", "4.json", "5.json", "--eps", "0", "--relation", "distance<=1")[0] == 0
    (laws / "near.json").write_text(json.dumps([[str(k), str(k + 1)] for k in range(1, 8)]))
    assert run("couple", "4.json", "5.json", "--eps", "0", "--relation", "near.json")[0] == 0


def test_json_is_one_object(laws: Path, run: Run) -> None:
    """Fractions as text, infinity as "inf", the assumptions and the verdict on top."""
    code, out, _ = run("couple", "4.json", "5.json", "--exp-eps", "2", "--json")
    told = json.loads(out)
    assert code == 1
    assert told["verdict"] == "refuted"
    assert told["assumptions"] == ["laws-as-given", "proper-distributions"]
    assert told["result"]["least"] == {"exp_eps": "inf", "eps": "inf", "delta": "1/22"}
    assert told["result"]["blocks"][1] == {"left": "7/11", "right": "7/22"}
    assert told["result"]["event"] == ["1"]


ASKED = {
    "refuted": ("4.json", "5.json", "--exp-eps", "2"),
    "proved": ("4.json", "5.json", "--eps", "7/10", "--delta", "1/22"),
    "measured": ("coin.csv", "nioc.csv"),
    "composed": ("coin.csv", "nioc.csv", "--compose", "20", "--delta", "1/1000", "--exp-eps", "3"),
    "endless": ("4.json", "5.json", "--compose", "2"),
    "searched": ("sparse-vector-5:queries=3", "--all-neighbours"),
    "partial": ("noisy-max-value:queries=2", "--all-neighbours", "--exp-eps", "9999"),
    "own": ("family.json", "--all-neighbours"),
    "chain": ("--chain", "chain.json", "--exp-eps", "2"),
    "light": ("light.json", "light.json", "--sub"),
}


@pytest.mark.parametrize("kind", list(ASKED))
def test_json_fits_its_schema(kind: str, laws: Path, run: Run) -> None:
    """Every form of an answer is what docs/schemas/couple.json says, and a changed one is not."""
    flip = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/3", "1": "2/3"}}
    (laws / "chain.json").write_text(json.dumps({"left": [flip], "right": [flip], "starts": [["0", "1"]]}))
    (laws / "family.json").write_text(json.dumps({"a": {"x": "1/2", "y": "1/2"}, "b": {"x": "1/4", "y": "3/4"}}))
    (laws / "light.json").write_text('{"x": "1/2"}')
    code, out, err = run("couple", *ASKED[kind], "--json")
    told = json.loads(out)
    assert (code, err) == (0 if told["verdict"] in (None, "proved") else 1, "")
    schema = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    schema.validate(told)
    told["result"]["blocks"][0]["left"] = 0.5
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(told)


def test_errors_are_json_as_well(laws: Path, run: Run) -> None:
    """With --json an error is one object with place, value and fix, and the exit code is 2."""
    (laws / "sum.json").write_text('{"a": "1/2", "b": "1/4"}')
    code, out, _ = run("couple", "sum.json", "5.json", "--json")
    told = json.loads(out)["error"]
    assert code == 2
    assert set(told) == {"place", "value", "fix"}
    assert "3/4" in told["value"]


def test_measured_without_a_question(laws: Path, run: Run) -> None:
    """No factor asked for: exit 0, the least factor, a certificate of the whole profile."""
    code, out, _ = run("couple", "coin.csv", "nioc.csv", "--certificate", "p.json", "--loss-grid", "g.json")
    assert code == 0
    assert "No event is more than 3 times as likely" in out
    assert checker.check(laws / "p.json").kind == "profile"
    assert json.loads((laws / "g.json").read_text())["kind"] == "privacy-loss-distribution"


def test_all_neighbours_find_the_broken_sparse_vector(laws: Path, run: Run) -> None:
    """Nobody names the pair: the wrong variants exit 1, the right one 0."""
    assert run("couple", "sparse-vector-1:queries=4", "--all-neighbours")[0] == 0
    for variant in (3, 4, 5, 6):
        code, out, _ = run("couple", f"sparse-vector-{variant}:queries=4", "--all-neighbours")
        assert code == 1
        assert "broken" in out
    (laws / "family.json").write_text(json.dumps({"a": {"x": "1/2", "y": "1/2"}, "b": {"x": "1/4", "y": "3/4"}}))
    assert run("couple", "family.json", "--all-neighbours", "--exp-eps", "2")[0] == 0
    assert run("couple", "family.json", "--all-neighbours", "--exp-eps", "3/2")[0] == 1


def test_compositions_chains_and_channels(laws: Path, run: Run) -> None:
    """--compose, --chain and --channel ask the other questions."""
    code, out, _ = run("couple", "coin.csv", "nioc.csv", "--compose", "20", "--delta", "1/1000", "--html", "p.html")
    assert code == 0
    assert "after 20 uses" in out
    assert "exact product" in (laws / "p.html").read_text()
    flip = {"0": {"0": "2/3", "1": "1/3"}, "1": {"0": "1/3", "1": "2/3"}}
    (laws / "chain.json").write_text(json.dumps({"left": [flip], "right": [flip], "starts": [["0", "1"]]}))
    assert (
        run("couple", "--chain", "chain.json", "--exp-eps", "2", "--certificate", "k.json", "--html", "k.html")[0] == 0
    )
    assert checker.check(laws / "k.json").kind == "chain"
    assert run("couple", "--chain", "chain.json", "--exp-eps", "3/2")[0] == 1
    channel = Channel.from_shares([[3, 1], [1, 3]], ["u", "v"], ["s", "t"])
    (laws / "channel.json").write_text(json.dumps(channel.to_dict()))
    assert run("couple", "u", "v", "--channel", "channel.json", "--exp-eps", "3")[0] == 0


BAD = {
    "sum.json": ('{"a": "1/2", "b": "1/4"}', "add up to 3/4"),
    "negative.json": ('{"a": "3/2", "b": "-1/2"}', "label 'b': the mass -1/2 is negative"),
    "decimal.json": ('{"a": 0.5, "b": "1/2"}', "label 'a': 0.5 is a decimal"),
    "text.json": ('{"a": "0.5", "b": "1/2"}', "label 'a': 0.5 is a decimal"),
    "twins.json": ('{"a": "1/2", "a": "1/2"}', "the label 'a' stands twice"),
    "word.json": ('{"a": "half"}', "label 'a': 'half' is not a mass"),
    "list.json": ("[1]", "no object with masses"),
    "broken.json": ('{"a": ', "not JSON at line 1"),
    "nan.json": ('{"a": NaN}', "label 'a': 'NaN' is not a mass"),
    "truth.json": ('{"a": true}', "label 'a': True is not a mass"),
    "none.csv": ("label,mass\n", "has no rows"),
    "head.csv": ("a,b\nx,1\n", "not label,mass"),
    "twins.csv": ("label,mass\nx,1/2\nx,1/2\n", "line 3, label 'x': the label stands twice"),
    "short.csv": ("label,mass\nx\n", "line 2: 1 entries"),
    "zero.json": ('{"a": "1/0"}', "label 'a': '1/0' is not a mass"),
    "long.json": ('{"a": "1/' + "9" * 5000 + '"}', "9... is not a mass"),
    "digits.json": ('{"a": ' + "1" * 6000 + "}", "a number with thousands of digits"),
    "deep.json": ("[" * 5000, "it is not JSON"),
    "above.json": ('{"a": "1/2", "b": "3/4"}', "add up to 5/4"),
    "hair.json": ('{"a": "1/' + "3" * 400 + '", "b": "1"}', "add up to 1 + about 2^-13"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_laws_that_are_none_are_named(name: str, laws: Path, run: Run) -> None:
    """Exit 2, with the file, the label and the value."""
    (laws / name).write_text(BAD[name][0])
    code, _, err = run("couple", name, "5.json", "--exp-eps", "2")
    assert code == 2
    assert BAD[name][1] in err
    assert name in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("4.json", "5.json", "--eps", "-1"), "negative"),
        (("4.json", "5.json", "--exp-eps", "1/2"), "below 1"),
        (("4.json", "5.json", "--exp-eps", "2", "--delta", "2"), "not between 0 and 1"),
        (("4.json", "5.json", "--exp-eps", "2", "--delta", "0.5"), "is a decimal"),
        (("4.json", "5.json", "--exp-eps", "2", "--eps", "1"), "both exp_eps and eps"),
        (("4.json", "5.json", "--relation", "near"), "not known"),
        (("4.json", "5.json", "--relation", "pairs.json"), "the left law has no label '99'"),
        (("4.json", "5.json", "--relation", "empty.json"), "empty"),
        (("4.json", "5.json", "--relation", "wide.json", "--max-edges", "3"), "it has 4 pairs, more than 3"),
        (("4.json", "5.json", "--relation", "odd.json"), "entry 1: ['1'] is not a pair"),
        (("4.json", "5.json", "--relation", "distance<=-1"), "negative"),
        (("words.csv", "words.csv", "--relation", "distance<=1"), "label 'x'"),
        (("4.json", "5.json", "--exp-eps", "0.5/2"), "--exp-eps"),
        (("4.json", "5.json", "--eps", "0.5"), "is a decimal"),
        (("4.json", "5.json", "--exp-eps", "2.5"), "write 5/2, or add --decimals-exact"),
        (("4.json", "5.json", "--exp-eps", "2", "--delta", "-1/10"), "not between 0 and 1"),
        (("4.json", "missing.json"), "missing.json"),
        (("4.json",), "two laws are needed"),
        (("laplace", "--all-neighbours"), "'laplace' is not known"),
        (("4.json", "5.json", "--all-neighbours"), "searches one family"),
        (("sparse-vector-1", "--all-neighbours", "--compose", "3"), "for one pair"),
        (("4.json", "5.json", "--chain", "pairs.json"), "both programs already"),
        (("4.json", "5.json", "--html", "4.json"), "exists"),
        (("4.json", "5.json", "--eps", "6000"), "above 5000"),
        (("4.json", "5.json", "--compose", "99999999"), "too many to be exact"),
        (("--chain", "decimal.json"), "left, step 0, state 's', label 'a': 0.5 is a decimal"),
        (("u", "v", "--channel", "pairs.json"), "it is no channel"),
        (("geometric:top=0", "--all-neighbours"), "no two of its inputs are neighbours"),
        (("geometric:top=100000", "--all-neighbours"), "at most 1000"),
        (("sparse-vector-1:queries=1/2", "--all-neighbours"), "queries: 1/2 is no count"),
        (("sparse-vector-6:queries=30", "--all-neighbours"), "more than 8192 outputs"),
        (("exponential:outputs=99", "--all-neighbours"), "too many pairs"),
    ],
)
def test_questions_that_cannot_be_asked(words: tuple[str, ...], said: str, laws: Path, run: Run) -> None:
    """Exit 2 and the reason on standard error."""
    (laws / "pairs.json").write_text('[["99", "5"]]')
    (laws / "empty.json").write_text("[]")
    (laws / "decimal.json").write_text(
        '{"left": [{"s": {"a": 0.5}}], "right": [{"s": {"a": 1}}], "starts": [["s", "s"]]}'
    )
    (laws / "wide.json").write_text('[["1", "2"], ["2", "2"], ["3", "2"], ["4", "2"]]')
    (laws / "odd.json").write_text('[["1", "2"], ["1"]]')
    (laws / "words.csv").write_text("label,mass\nx,1\n")
    code, out, err = run("couple", *words)
    assert code == 2
    assert said in err
    assert out == ""


@pytest.mark.slow
def test_many_uses_are_told_at_full_length(laws: Path, run: Run) -> None:
    """A thousand uses and more: the exact factor has thousands of digits, on the page it is far to the right."""
    ask = ("couple", "coin.csv", "nioc.csv", "--compose")
    code, out, _ = run(*ask, "1000", "--html", "k.html", "--loss-grid", "k.grid.json", "--json")
    assert code == 0
    assert json.loads(out)["result"]["least"]["exp_eps"] == str(3**1000)
    assert "1.33e477" in (laws / "k.html").read_text()
    assert len(json.loads((laws / "k.grid.json").read_text())["masses"]) == 1001


def test_a_byte_order_mark_is_no_part_of_a_law(laws: Path, run: Run) -> None:
    """Files saved with a byte order mark are read, JSON and CSV."""
    for name, text in (("bom.json", '{"yes": "1/4", "no": "3/4"}'), ("bom.csv", "label,mass\nyes,1/4\nno,3/4\n")):
        (laws / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert run("couple", name, "nioc.csv", "--exp-eps", "1")[0] == 0


def test_decimals_can_be_meant(laws: Path, run: Run) -> None:
    """With --decimals-exact 0.1 is one tenth; sub-distributions need --sub."""
    (laws / "a.json").write_text('{"x": 0.1, "y": "0.9"}')
    (laws / "b.json").write_text('{"x": 0.2, "y": 8e-1}')
    assert run("couple", "a.json", "b.json", "--decimals-exact", "--exp-eps", "1.125")[0] == 0
    (laws / "light.json").write_text('{"x": "1/2"}')
    assert run("couple", "light.json", "light.json")[0] == 2
    assert run("couple", "light.json", "light.json", "--sub", "--exp-eps", "1")[0] == 0
