"""The page: every room with its example and what to bring, forms that fit their questions, scripts that only draw."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liftgate.mechanisms import MECHANISMS
from liftgate.web import commands, questions, rooms
from liftgate.web.app import application
from liftgate.web.places import examples

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "src" / "liftgate" / "web" / "static"
SCRIPTS = sorted(STATIC.glob("*.js"))


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    """The description of all questions."""
    guard = application(Path("."), 1)
    try:
        found: dict[str, Any] = guard.app.openapi()  # type: ignore[attr-defined]
    finally:
        guard.app.state.server.places.close()  # type: ignore[attr-defined]
    return found


class _Ids(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.wanted: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        for name in ("for", "aria-describedby", "aria-controls", "aria-labelledby"):
            self.wanted |= set(str(given.get(name) or "").split())


def test_ids_are_one_of_a_kind_and_labels_lead_to_them(page: Any) -> None:
    """Every label, hint and tab names a field that is there."""
    parts = _Ids()
    parts.feed(page.client.get("").text)
    assert len(parts.ids) == len(set(parts.ids)) > 30
    assert parts.wanted <= set(parts.ids)


@pytest.mark.parametrize("room", rooms.ROOMS, ids=lambda r: r.name)
def test_a_room_explains_itself(room: rooms.Room, page: Any) -> None:
    """A heading without jargon, an example with one click, what to bring."""
    text = page.client.get("").text
    part = text[text.index(f'id="room-{room.name}"') :]
    part = part[: part.index("</section>")]
    assert 'data-do="example"' in part
    assert "What to bring" in part
    heading = re.search(r"<h1>(.*?)</h1>", part)
    assert heading is not None
    assert not re.search(r"lift|channel|epsilon|joint|coupling|ALIP", heading[1])
    for table in (room.example.get("table"), room.example.get("certificate")):
        assert table is None or str(table).removeprefix("example:") in examples()


def test_the_glossary_is_reused_word_for_word() -> None:
    """Terms on the page are those of the documentation."""
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    for name, text in rooms.TERMS.items():
        assert f"**{name}**: {text}" in glossary, name


def test_every_mechanism_and_family_can_be_chosen(page: Any) -> None:
    """The forms are made from the lists."""
    assert {name for name, _, _ in rooms.MECHANISMS} == set(MECHANISMS)
    text = page.client.get("").text
    for name, parameters in rooms.families().items():
        assert f'data-family="{name}"' in text
        assert parameters
        for one in parameters:
            assert one.words != one.name or one.name in ("base",), one


def test_fields_that_errors_name_are_there(page: Any) -> None:
    """A form marks the field; so the form has it."""
    text = page.client.get("").text
    named = {field for rows in rooms._FIELDS.values() for _, field in rows} | {"table", "certificate", "published"}
    assert named <= set(re.findall(r'data-field="(\w+)"', text))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.name)
def test_the_script_only_draws(script: Path) -> None:
    """No arithmetic, no numbers read from text, no comparison of numbers, no other host, no way to run text."""
    code = re.sub(r"//.*|`[^`]*`|\"[^\"\n]*\"", "''", script.read_text().replace("import * as", "import"))
    assert not re.search(
        r"Math\.|parseFloat|parseInt|Number\(|toFixed|BigInt|[^=]>[^=]|<=|>=|[^<]<[^/]| [*/%-] |eval|Function\(|setTimeout|localStorage|cookie",
        code.replace("=>", ""),
    ), script
    assert not re.search(r"https?:|//[a-z]", script.read_text().replace("// ", ""))
    assert ".innerHTML" not in code or script.name == "draw.js"


def test_styles_and_scripts_name_no_other_host() -> None:
    """Nothing is loaded from anywhere else."""
    for path in [*STATIC.glob("*"), *(STATIC.parent / "templates").rglob("*.html")]:
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|@import|url\(['\"]?(?!#)", text), path


def test_commands_can_be_pasted() -> None:
    """Words with blanks, quotes and dashes stay what they are."""
    import shlex

    line = commands.command_line(
        "audit", ["a b'c.csv"], {"public": ["-x", "$(rm)"], "budget": "alip:1,1", "trim": True}
    )
    assert shlex.split(line) == [
        "liftgate",
        "audit",
        "a b'c.csv",
        "--public",
        "-x",
        "--public",
        "$(rm)",
        "--budget",
        "alip:1,1",
        "--trim",
    ]


# ---- the API -----------------------------------------------------------------------------------


def test_the_description_is_whole(described: dict[str, Any], page: Any) -> None:
    """Every way to ask is described, answered and refused with the same record."""
    assert page.client.get("openapi.json").json()["paths"].keys() == described["paths"].keys()
    for path, ways in described["paths"].items():
        for way, told in ways.items():
            assert told["description"], (path, way)
            assert "4XX" in told["responses"] or "422" in told["responses"]
            assert path in page.client.get("api.html").text


def test_answers_fit_their_description(described: dict[str, Any], page: Any) -> None:
    """States, verdicts and words are of the described shape."""

    def fits(value: Any, name: str) -> None:
        jsonschema.validate(value, {"$ref": f"#/components/schemas/{name}", "components": described["components"]})

    counted = page.ask("count", table="folder:people.csv", sensitive=["ill"], public=["job"])
    fits(counted, "State")
    fits(page.ask("columns", table="folder:people.csv"), "State")
    fits(page.ask("audit", table="folder:people.csv", sensitive=["no"], public=["job"]), "State")
    asked = {"joint": counted["answer"]["joint"], "budget": "alip:1,1"}
    fits(page.client.post("api/live", json=asked).json(), "Verdict")
    fits(page.client.get("api/words", params={"budget": "ldp:1"}).json(), "Words")
    fits(page.client.post("api/audit", json={}).json(), "Refusal")


WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
BODIES = {"columns": "Table", "count": "Joint", "audit": "Audit", "protect": "Protect", "tradeoff": "Tradeoff", "announce": "Announce",
          "attack": "Attack", "couple": "Couple", "check": "Check", "live": "Live"}  # fmt: skip


@given(kind=st.sampled_from(sorted(BODIES)), data=st.data())
@settings(max_examples=150)
def test_no_body_is_a_fault(kind: str, data: st.DataObject, page: Any) -> None:
    """Whatever stands in the fields: refused with a record, or taken as a job."""
    known = sorted(getattr(questions, BODIES[kind]).model_fields)
    body = data.draw(st.dictionaries(st.sampled_from(known) | st.text(max_size=5), WILD, max_size=6) | WILD)
    answer = page.client.post(
        f"api/{kind}",
        content=json.dumps(body).encode("utf-8", "surrogatepass"),
        headers={"content-type": "application/json"},
    )
    assert answer.status_code < 500, answer.text
    if answer.status_code == 202:
        page.client.delete(f"api/jobs/{answer.json()['job']}")
    else:
        assert set(answer.json()["error"]) == {"place", "value", "fix"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"table": "\\ud800"}',
        b"[" * 100_000,
        b'{"a": ' * 50_000,
        b'{"gap": 1e999}',
        b'{"gap": NaN}',
    ],
)
def test_broken_bodies(body: bytes, page: Any) -> None:
    """422, the record, no fault."""
    answer = page.client.post("api/protect", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert set(answer.json()["error"]) == {"place", "value", "fix"}
