"""What workers do: read, call one job, write what can be saved, and say what the page shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from liftgate.jobs.records import as_text, plain, record
from liftgate.web.commands import command_line
from liftgate.web.places import Place
from liftgate.web.worker import Desk, Task

ANSWER = "answer.json"
_READING = ("columns", "delimiter", "encoding", "trim")
_COUNTING = ("sensitive", "public", "count", "missing", "missing_tokens", "zeros")


@dataclass(frozen=True)
class Made:
    """A file that a job made: its name, what it is, and whether it holds what must not be published."""

    name: str
    title: str
    private: bool = True


@dataclass(frozen=True)
class Done:
    """What a job leaves: the files to save, and where it counted a table, the joint for the sliders."""

    files: tuple[Made, ...] = ()
    joint: Any = None


def warm() -> None:
    """Load what almost every job needs, before there is one."""
    import numpy  # noqa: F401

    import liftgate.jobs.audit
    import liftgate.report.audit
    import liftgate.tables
    import liftgate.web.drawing  # noqa: F401


def _columns(task: Task, desk: Desk) -> Done:
    from liftgate.tables.survey import survey
    from liftgate.web.drawing import fragment

    place = _table(task)
    found = survey(place.path, **_chosen(task.question, _READING))
    view = {
        "name": place.name,
        "told": f"{found.rows:,} rows, {found.width:,} columns",
        "more": f"The first {len(found.columns)} columns are shown." if len(found.columns) < found.width else "",
        "columns": [
            {"name": c.name, "told": f"{c.values:,} {'value' if c.values == 1 else 'values'}", "values": c.values,
             "missing": c.missing, "commonest": c.commonest}
            for c in found.columns
        ],
    }  # fmt: skip
    seen = {"table": place.ref, "rows": found.rows, "width": found.width, "notes": found.notes}
    _leave(task, {**view, **seen, "markup": fragment("picker.html", **view)})
    return Done()


def _count(task: Task, desk: Desk) -> Done:
    joint = _joint(task, desk).drop_empty()
    _leave(task, {"data": joint.source.to_dict()})
    return Done(joint=joint)


def _audit(task: Task, desk: Desk) -> Done:
    from liftgate.budget import Budget
    from liftgate.jobs.audit import audit

    q = task.question
    budget = Budget.parse(q["budget"]) if q["budget"] else None
    found = audit(_joint(task, desk), budget, rows="sample" if q["sample"] else "population", alpha=q["alpha"])
    command = _command("audit", task, _COUNTING, "budget", "sample", alpha=q["alpha"] if q["sample"] else None)
    made = [_certificate(task, found.certificate)] if found.certificate is not None else []
    return _answer("audit", task, found, found.joint.source.to_dict(), command, made)


def _protect(task: Task, desk: Desk) -> Done:
    from liftgate.budget import Budget
    from liftgate.jobs.protect import protect
    from liftgate.jobs.tradeoff import beside
    from liftgate.web.sayings import searching

    q, place = task.question, _table(task)
    joint = _joint(task, desk)
    desk.tell(text="Searching; the first search on a machine takes a moment to get ready")
    found = protect(
        joint, Budget.parse(q["budget"]), q["mechanism"], q["gap"], q["seconds"],
        lambda kept, bound: desk.tell(**searching(kept, bound)),
    )  # fmt: skip
    made = [_certificate(task, found.certificate)]
    written = None
    if q["rows"]:
        desk.tell(text="Drawing a released value for every row")
        out = task.folder / f"{_stem(place.name)}-release.{q['rows']}"
        written = found.apply(
            place.path, out=out, keep=q["keep"], render=q["render"], order=q["order"], count=q["count"],
            missing_tokens=q["missing_tokens"], publisher=q["publisher"], **_chosen(q, _READING),
        )  # fmt: skip
        place.unchanged()
        made = [
            Made(Path(written.rows).name, "Released rows", private=False),
            Made(Path(written.manifest).name, "Manifest, to publish with the rows", private=False),
            Made(Path(written.certificate).name, "Certificate of the rows"),
        ]
    desk.tell(text="Drawing the trade-off")
    curve = beside(found, seconds=min(10.0, q["seconds"]))
    command = _command(
        "protect", task, _COUNTING, "budget", "mechanism", "seconds", "keep" if q["rows"] else "budget", "publisher",
        gap=None if q["gap"] == 1e-6 else q["gap"],
        out=f"{_stem(place.name)}.{q['rows']}" if q["rows"] else None,
        render=None if q["render"] == "label" else q["render"], order=None if q["order"] == "source" else q["order"],
    )  # fmt: skip
    result = {**found.to_dict(), "written": None if written is None else written.to_dict()}
    assumed = found.assumptions if written is None else (*found.assumptions, "draws-are-fresh")
    data = joint.source.to_dict()
    context = {"tradeoff": curve, "written": written}
    return _answer("protect", task, found, data, command, made, result=result, assumptions=assumed, context=context)


def _tradeoff(task: Task, desk: Desk) -> Done:
    from liftgate.jobs.tradeoff import tradeoff
    from liftgate.web.sayings import budgets_of

    q = task.question
    joint = _joint(task, desk)
    found = tradeoff(
        joint, q["budgets"], q["mechanisms"], q["gap"], q["seconds"],
        lambda n, of: desk.tell(text=f"{n} of {of} points", places={"done": n / of}),
    )  # fmt: skip
    command = _command(
        "tradeoff", task, _COUNTING, "gap", "seconds", budget=q["budgets"], mechanisms=",".join(q["mechanisms"])
    )
    extra = {"choices": budgets_of(found)}
    return _answer("tradeoff", task, found, joint.source.to_dict(), command, [], extra=extra)


def _announce(task: Task, desk: Desk) -> Done:
    from liftgate.jobs.announce import publish, read_rules
    from liftgate.report import to_html
    from liftgate.transparency import announce
    from liftgate.web.drawing import summary
    from liftgate.web.sayings import known

    q, place = task.question, _table(task)
    names = ("group", "private", "decision", "positive", "people", "rule", "sensitive", "count", *_READING)
    rules = read_rules(place.path, **_chosen(q, names))
    asked = ("delta", "alpha", "beta", "gamma", "digits", "distance")
    found = announce(rules, values=q["values"], **_chosen(q, asked))
    published = publish(found, q["publisher"], q["fairness"])
    values = ",".join(q["values"]) if q["values"] else None
    default = {"group": ["group"], "private": ["private"], "people": "people", "rule": ["rule"], "distance": "l1"}
    given = {n: None if default.get(n) == q[n] else q[n] for n in (*names[:-4], *asked, "fairness", "publisher")}
    command = command_line("announce", [_where(place)], {**given, "values": values, **_how(q)})
    made = [
        _write(task, "manifest.json", published.to_json(), "Public manifest", private=False),
        _write(task, "public.html", to_html(published), "Public page", private=False),
        _certificate(task, found.certificate),
    ]
    data = {"source": place.name, "rows": rules.size, "groups": rules.groups.size}
    extra = {"manifest": published.to_json(), "known": known(rules), "summary": summary(found, {"command": command})}
    return _answer(
        "announce", task, found, data, command, made, verdict=found.inversion.verdict, extra=extra
    )  # fmt: skip


def _attack(task: Task, desk: Desk) -> Done:
    from liftgate.jobs.announce import read_published
    from liftgate.jobs.attack import attack_published

    q = task.question
    names = {"published": q["published"], "knows": q["knows"]}
    paths = {name: _input(task, f"{name}.json", text) for name, text in names.items() if text}
    side = read_published(paths["knows"]) if "knows" in paths else None
    found = attack_published(read_published(paths["published"]), side, q["seconds"])
    told = {name: path.name for name, path in paths.items()}
    command = command_line("attack", ["published.json"], {"knows": told.get("knows"), "seconds": q["seconds"]})
    return _answer("attack", task, found, {"published": told["published"], "knows": told.get("knows")}, command, [])


def _couple(task: Task, desk: Desk) -> Done:
    from liftgate.web.laws import ask

    q = task.question
    found, arguments = ask(q, lambda name, text: _input(task, name, text), desk)
    options = {n: q[n] for n in ("exp_eps", "eps", "decimals_exact", "sub")}
    options |= {
        "delta": None if q["delta"] == "0" else q["delta"],
        "compose": None if q["compose"] == 1 else q["compose"],
    }
    command = command_line("couple", arguments["files"], {**options, **arguments["options"]})
    made = [_certificate(task, found.certificate)]
    return _answer("couple", task, found, {"left": found.names[0], "right": found.names[1]}, command, made)


def _check(task: Task, desk: Desk) -> Done:
    from liftgate.checker import check
    from liftgate.report.page import Context, render
    from liftgate.web.drawing import fragment
    from liftgate.web.sayings import checked

    q, place = task.question, task.places["certificate"]
    verdict = check(str(place.path), q["allow"])
    word = ("accepted", "refused", "unreadable")[verdict.exit_code]
    told = {"file": place.name, "accepted": verdict.holds, "reason": verdict.reason, "kind": verdict.kind,
            "claim": verdict.claim, "assumptions": list(verdict.assumptions), "readable": verdict.readable}  # fmt: skip
    assumed = tuple(sorted(set(verdict.assumptions)))
    made = record("check", _policy(q), {"files": [place.name]}, assumed, word, [told])
    command = command_line("check", [_where(place)], {"allow": q["allow"]})
    alone = command_line("x", [place.name], {"allow": q["allow"]}).replace("liftgate x", "python -I -S checker.py", 1)
    page = checked(verdict, place.name, q["allow"], alone)
    markup = fragment("check.html", page=page, allowed=q["allow"] or (), alone=alone)
    _leave(task, {"record": made, "command": command, "markup": markup})
    report = render(replace(page, context=Context(command=command)))
    return Done((
        _write(task, "report.html", report, "Report"), _write(task, "record.json", as_text(made), "The same answer as JSON")
    ))  # fmt: skip


KINDS: Mapping[str, Callable[[Task, Desk], Done]] = MappingProxyType(
    {
        "columns": _columns,
        "count": _count,
        "audit": _audit,
        "protect": _protect,
        "tradeoff": _tradeoff,
        "announce": _announce,
        "attack": _attack,
        "couple": _couple,
        "check": _check,
    }
)
"""Every kind of job: one line each."""


# ---- what they share ---------------------------------------------------------------------------


def _answer(
    command: str, task: Task, found: Any, data: Any, line: str, made: list[Made], *, result: Any = None,
    assumptions: Any = None, verdict: Any = None, context: Mapping[str, Any] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Done:  # fmt: skip
    """The record as ``--json`` prints it, the report, and the fragment the page shows."""
    from liftgate.report import to_html
    from liftgate.web.drawing import result as drawn

    told = {"command": line, **(context or {})}
    full = record(
        command, _policy(task.question), data, found.assumptions if assumptions is None else assumptions,
        found.verdict if verdict is None else verdict, found.to_dict() if result is None else result,
    )  # fmt: skip
    files = (
        _write(task, "report.html", to_html(found, context=told), "Report"),
        *made,
        _write(task, "record.json", as_text(full), "The same answer as JSON"),
    )
    _leave(task, {"record": full, "command": line, "markup": drawn(found, told), **(extra or {})})
    return Done(files)


def _table(task: Task) -> Any:
    """The table of a question; a compressed one is measured before it is read."""
    place = task.places["table"]
    from liftgate.web.packed import measure

    measure(place.path, place.name)
    return place


def _joint(task: Task, desk: Desk) -> Any:
    from liftgate.tables import read_joint

    place = _table(task)
    desk.tell(text=f"Counting {place.name}")
    joint = read_joint(place.path, **_chosen(task.question, (*_READING, *_COUNTING)))
    place.unchanged()
    return joint


def _chosen(question: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: question[name] for name in names if name in question}


def _policy(question: Mapping[str, Any]) -> dict[str, Any]:
    return {"file": None, "options": dict(question)}


def _how(question: Mapping[str, Any]) -> dict[str, Any]:
    columns = question["columns"]
    return {
        "columns": ",".join(columns) if columns else None,
        "delimiter": question["delimiter"],
        "encoding": question["encoding"],
        "trim": question["trim"],
    }


def _command(command: str, task: Task, names: tuple[str, ...], *more: str, **given: Any) -> str:
    """The command with the options that are not their defaults."""
    q = task.question
    usual = {"missing": "value", "zeros": "report", "mechanism": "auto", "seconds": 60}
    options = {n: None if usual.get(n) == q[n] else q[n] for n in (*names, *more)}
    options["missing_token"] = options.pop("missing_tokens", None)
    return command_line(command, [_where(task.places["table"])], {**options, **given, **_how(q)})


def _where(place: Place) -> str:
    """The file as a command names it; an upload by the name it had, because its copy here will be deleted."""
    return place.name if place.ref.startswith("upload:") else str(place.path)


def _certificate(task: Task, certificate: Any) -> Made:
    return _write(task, "certificate.json", certificate.to_json(), "Certificate, contains your counts")


def _write(task: Task, name: str, text: str, title: str, private: bool = True) -> Made:
    (task.folder / name).write_text(text, encoding="utf-8")
    return Made(name, title, private)


def _input(task: Task, name: str, text: str) -> Path:
    """Pasted text as the file that the same command would read."""
    path = task.folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _leave(task: Task, answer: Mapping[str, Any]) -> None:
    (task.folder / ANSWER).write_text(json.dumps(plain(answer), ensure_ascii=False, allow_nan=False), encoding="utf-8")


def _stem(name: str) -> str:
    return name.split(".")[0] or "table"
