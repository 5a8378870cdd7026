"""The JSON of every command fits the schema that is documented for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from liftgate.cli import COMMANDS
from liftgate.cli.group import command_named

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
Run = Callable[..., tuple[int, str, str]]
AUDIT = ("audit", "people.csv", "--sensitive", "ill", "--public", "city", "--json")


def schema(name: str) -> jsonschema.Draft202012Validator:
    """The documented schema of a command."""
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text()))


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--budget", "lip:1"),
        ("--budget", "ldp:0.1"),
        ("--budget", "alpha:3/2,none,0.1"),
        ("--budget", "lip:1", "--sample"),
        ("--public", "job", "--every-subset", "2"),
        ("--public", "job", "--every-subset", "2", "--budget", "lip:0.1"),
    ],
    ids=" ".join,
)
def test_audit_fits_its_schema(folder: Path, run: Run, more: tuple[str, ...]) -> None:
    """Every form of an audit is what docs/schemas/audit.json says."""
    _, out, _ = run(*AUDIT, *more)
    schema("audit").validate(json.loads(out))


def test_check_fits_its_schema(folder: Path, run: Run) -> None:
    """Accepted and unreadable certificates alike."""
    run(*AUDIT[:-1], "--certificate", "c.json")
    Path("bad.json").write_text("{")
    _, out, _ = run("check", "c.json", "bad.json", "--json")
    schema("check").validate(json.loads(out))


def test_the_schemas_refuse_something(folder: Path, run: Run) -> None:
    """A schema that accepts everything would test nothing."""
    _, out, _ = run(*AUDIT)
    record = json.loads(out)
    record["result"]["measures"]["max-lift"] = "large"
    with pytest.raises(jsonschema.ValidationError):
        schema("audit").validate(record)


def test_every_command_has_json_and_a_documented_schema() -> None:
    """A command that prints JSON has docs/schemas/COMMAND.json, and docs/json.md links every schema."""
    page = (SCHEMAS.parent / "json.md").read_text()
    for name in COMMANDS:
        flags = {flag for parameter in command_named(name).params for flag in parameter.opts}
        assert ("--json" in flags) == (name != "serve"), name  # serve answers on its page
        if "--json" in flags:
            assert (SCHEMAS / f"{name}.json").exists(), f"write docs/schemas/{name}.json and link it in docs/json.md"
    for file in SCHEMAS.glob("*.json"):
        assert f"(schemas/{file.name})" in page, f"docs/json.md does not link schemas/{file.name}"


def test_the_demo_fits_its_schema(folder: Path, run: Run) -> None:
    """The demo tells its files and what the checker alone said of each certificate."""
    code, out, _ = run("demo", "--json")
    record = json.loads(out)
    schema("demo").validate(record)
    assert (code, record["verdict"]) == (0, "accepted")
    assert len(record["result"]["checked"]) == 2
    assert all(Path(file).exists() for file in record["result"]["files"])
