"""Numbers on the page are those of ``--json``, to the last digit; labels are text everywhere; errors name a field."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from liftgate.cli import main
from liftgate.demo import demo_table
from liftgate.web.places import examples

ADULT = {
    "table": "example:adult_counts.csv",
    "sensitive": ["relationship"],
    "public": ["occupation"],
    "count": "people",
}
WORDS = [str(demo_table()), "--sensitive", "relationship", "--public", "occupation", "--count", "people"]
ROOMS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("audit", ADULT, WORDS),
    ("audit", {**ADULT, "budget": "alip:1,1"}, [*WORDS, "--budget", "alip:1,1"]),
    ("audit", {**ADULT, "budget": "alip:1,1", "sample": True}, [*WORDS, "--budget", "alip:1,1", "--sample"]),
    ("protect", {**ADULT, "budget": "lip:0.9", "mechanism": "optimal"}, [*WORDS, "--budget", "lip:0.9", "--mechanism", "optimal"]),
    ("tradeoff", {**ADULT, "budgets": ["lip:0.5", "lip:1"], "mechanisms": ["merge-all"]}, [*WORDS, "--budget", "lip:0.5", "--budget", "lip:1", "--mechanisms", "merge-all"]),
    ("announce", {"table": "example:credit_cards.csv", "delta": "0.85"}, [str(examples()["credit_cards.csv"]), "--delta", "0.85"]),
    ("check", {"certificate": "example:certificate.json"}, [str(examples()["certificate.json"])]),
]  # fmt: skip
NOT_COMPARED = {"seconds", "certificate", "file", "hash", "sha256", "salt"}


def settled(value: Any) -> Any:
    """A result without what differs from one run to the next: times, salts and what hashes them, names of files."""
    if isinstance(value, dict):
        return {k: settled(v) for k, v in value.items() if k not in NOT_COMPARED}
    return [settled(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("kind", "question", "words"), ROOMS, ids=[f"{r[0]}-{k}" for k, r in enumerate(ROOMS)])
def test_the_same_record_as_the_command(
    kind: str, question: dict[str, Any], words: list[str], page: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Result, verdict, assumptions and data of the job, of its file, and of the command are one."""
    done = page.ask(kind, **question)
    assert done["state"] == "done", done
    record = done["answer"]["record"]
    assert page.client.get(f"api/jobs/{done['job']}/files/record.json").json() == record
    capsys.readouterr()
    assert main([kind, *words, "--json"]) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert set(told) == set(record)
    for part in ("liftgate", "command", "assumptions", "verdict"):
        assert record[part] == told[part], part
    assert json.dumps(settled(record["result"])) == json.dumps(settled(told["result"]))
    if kind == "audit":
        assert record["data"] == told["data"]


def test_couple_as_the_command(page: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Laws that were pasted are laws in files."""
    left, right = {"a": "3/4", "b": "1/4"}, {"a": "1/4", "b": "3/4"}
    for side, law in (("left", left), ("right", right)):
        (tmp_path / f"{side}.json").write_text(json.dumps(law))
    done = page.ask("couple", left="a: 3/4, b: 1/4", right=json.dumps(right), exp_eps="2", delta="1/8")
    capsys.readouterr()
    assert (
        main(
            [
                "couple",
                str(tmp_path / "left.json"),
                str(tmp_path / "right.json"),
                "--exp-eps",
                "2",
                "--delta",
                "1/8",
                "--json",
            ]
        )
        == 1
    )
    told = json.loads(capsys.readouterr().out)
    assert settled(done["answer"]["record"]["result"]) == settled(told["result"])
    assert done["answer"]["record"]["verdict"] == told["verdict"] == "refuted"


def test_a_named_mechanism_as_the_command(page: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """With its parameters, over all its neighbours."""
    done = page.ask("couple", family="randomised-response:exp_eps=3,values=2", exp_eps="3")
    capsys.readouterr()
    main(["couple", "randomised-response:exp_eps=3,values=2", "--all-neighbours", "--exp-eps", "3", "--json"])
    assert settled(done["answer"]["record"]["result"]) == settled(json.loads(capsys.readouterr().out)["result"])


def test_the_command_of_the_page_runs(
    page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the page copies is a command that gives the same verdict."""
    import shlex

    monkeypatch.chdir(tmp_path)
    for kind, question, _ in (ROOMS[2], ROOMS[5]):
        done = page.ask(kind, **question)
        words = shlex.split(done["answer"]["command"])
        assert words[:2] == ["liftgate", kind]
        capsys.readouterr()
        main([*words[1:], "--json"])
        assert json.loads(capsys.readouterr().out)["verdict"] == done["answer"]["record"]["verdict"]


def test_an_announcement_can_be_attacked(page: Any) -> None:
    """What was announced, with what a reader of the table knows; without that the field to fill is named."""
    told = page.ask("announce", table="example:credit_cards.csv", delta="0.9")["answer"]
    assert json.loads(told["known"])["people"]["Female"] == {"under 100k": "12", "100k to 200k": "5", "over 200k": "3"}
    done = page.ask("attack", published=told["manifest"], knows=told["known"], seconds=10)
    assert done["state"] == "done", done
    assert "True only if" in done["answer"]["markup"]
    refused = page.ask("attack", published=told["manifest"])
    assert refused["field"] == "knows"


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "'; DROP TABLE people; --",
    '" onmouseover="x',
    "=cmd|' /C calc'!A0",
    "{{7*7}}",
    'a style="x" b',
    "</table>",
]


def test_labels_are_text_everywhere(own_page: Any) -> None:
    """Names with HTML, SQL and formulas: in the picker, in live answers, in results, in reports."""
    lines = ["<b>il</b>l,job"] + [
        f'"{label.replace(chr(34), chr(34) * 2)}","{label.replace(chr(34), chr(34) * 2)}"'
        for label in HOSTILE
        for _ in range(2)
    ]
    lines += [f'"{HOSTILE[0]}","{label.replace(chr(34), chr(34) * 2)}"' for label in HOSTILE]
    (own_page.folder / "odd.csv").write_text("\n".join(lines) + "\n")
    question = {"table": "folder:odd.csv", "sensitive": ["<b>il</b>l"], "public": ["job"]}
    texts = [own_page.ask("columns", table="folder:odd.csv")["answer"]["markup"]]
    counted = own_page.ask("count", **question)
    live = own_page.client.post("api/live", json={"joint": counted["answer"]["joint"], "budget": "alip:1,1"}).json()
    texts += [live["finding"], live["markup"]]
    audited = own_page.ask("audit", **question, budget="alip:1,1")
    protected = own_page.ask("protect", **question, budget="alip:3,3", mechanism="merge-all", seconds=5)
    for done in (audited, protected):
        assert done["state"] == "done", done
        texts += [done["answer"]["markup"], own_page.client.get(f"api/jobs/{done['job']}/files/report.html").text]
    for text in texts:
        for bad in ("<script>alert", "<img src=x", "<b>il", 'onmouseover="x', '</table>"'):
            assert bad not in text, bad
        assert 'data-style="x' not in text
    shown = html.unescape(" ".join(texts))
    for label in HOSTILE[:4]:
        assert label in shown


FAULTS: list[tuple[str, dict[str, Any], str | None]] = [
    ("audit", {"table": "folder:people.csv", "sensitive": ["no such"], "public": ["job"]}, "picker"),
    ("audit", {"table": "folder:people.csv", "sensitive": ["ill"], "public": ["job"], "budget": "alip:1"}, "budget"),
    ("audit", {"table": "folder:people.csv", "sensitive": [], "public": ["job"]}, "picker"),
    ("audit", {"table": "folder:people.csv"}, "picker"),
    ("protect", {"table": "folder:people.csv", "sensitive": ["ill"], "public": ["job"], "budget": "alip:1,1", "mechanism": "magic"}, "mechanism"),
    ("protect", {"table": "folder:people.csv", "sensitive": ["ill"], "public": ["job"], "budget": "alip:1,1", "seconds": 10**9}, "seconds"),
    ("announce", {"table": "example:credit_cards.csv", "delta": "2"}, "delta"),
    ("announce", {"table": "example:credit_cards.csv", "delta": "x"}, "delta"),
    ("couple", {"left": "a: 1/2", "right": "a: 1"}, "left"),
    ("couple", {"left": "a: 1", "right": "a: 0.5, b: 0.5"}, "right"),
    ("couple", {"left": "a 1", "right": "a: 1"}, "left"),
    ("couple", {"left": "a: 1", "right": "a: 1", "exp_eps": "1/2"}, "exp_eps"),
    ("couple", {"left": "a: 1", "right": "a: 1", "relation": "near"}, "relation"),
    ("couple", {"family": "magic"}, "family"),
    ("attack", {"published": "{"}, "published"),
    ("check", {"certificate": "example:nothing.json"}, "certificate"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "question", "field"), FAULTS, ids=[f"{f[0]}-{k}" for k, f in enumerate(FAULTS)])
def test_errors_name_a_field_and_a_fix(kind: str, question: dict[str, Any], field: str | None, page: Any) -> None:
    """At once or after work: below 500, the record of the command line, and the field that the form marks."""
    answer = page.client.post(f"api/{kind}", json=question)
    told = answer.json()
    if answer.status_code == 202:
        told = page.wait(told)
        answer = page.client.get(f"api/jobs/{told['job']}")
        told = answer.json()
    assert 400 <= answer.status_code < 500
    assert set(told["error"]) == {"place", "value", "fix"}
    assert told["error"]["place"]
    assert told["error"]["fix"]
    assert told["field"] == field, told["error"]


def test_a_refused_certificate_is_an_answer(own_page: Any) -> None:
    """Refused and unreadable are verdicts, not faults."""
    good = json.loads(examples()["certificate.json"].read_text())
    good["claim"]["budget"]["up"] = "1/1000"
    for name, text, word in [("lie.json", json.dumps(good), "refused"), ("none.json", "{", "unreadable")]:
        (own_page.folder / name).write_text(text)
        done = own_page.ask("check", certificate=f"folder:{name}")
        assert done["answer"]["record"]["verdict"] == word
        assert 'class="tag is-' in done["answer"]["markup"]


def test_accepting_assumptions_one_by_one(page: Any) -> None:
    """With some accepted it is unknown to the reader; with all it is accepted."""
    ask: Callable[..., Any] = page.ask
    first = ask("check", certificate="example:certificate.json")["answer"]
    assumed = first["record"]["assumptions"]
    assert "only if all four lines below are true" in first["markup"]
    some = ask("check", certificate="example:certificate.json", allow=assumed[:2])["answer"]
    assert some["record"]["verdict"] == "refused"
    assert "not accepted" in some["markup"]
    every = ask("check", certificate="example:certificate.json", allow=assumed)["answer"]
    assert every["record"]["verdict"] == "accepted"
    assert every["markup"].count(" checked>") == len(assumed)
