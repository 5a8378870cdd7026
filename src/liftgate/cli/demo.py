"""liftgate demo: audit and protect a small real table and keep everything it made."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from liftgate.cli.options import Command

BUDGET = "alip:1,1"


@click.command("demo", cls=Command)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo-output",
    show_default=True,
    help="Folder for what the demo makes.",
)
@click.option("--force", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
@click.option("--policy", type=click.Path(dir_okay=False), help="Options from a file.")
@click.pass_context
def command(ctx: click.Context, /, out: Path, force: bool, as_json: bool, **_: Any) -> int:
    """Audit 32,561 census records, protect them, write rows, reports and certificates, and check them alone."""
    from liftgate.budget import Budget
    from liftgate.cli.output import print_json, refuse_existing, write_whole
    from liftgate.demo import demo_table
    from liftgate.jobs.audit import audit
    from liftgate.jobs.protect import protect
    from liftgate.jobs.tradeoff import beside
    from liftgate.jobs.writing import files_of
    from liftgate.report import to_html
    from liftgate.tables import read_joint

    out.mkdir(parents=True, exist_ok=True)
    table, page, proof = out / "adult_counts.csv", out / "audit.html", out / "audit.cert.json"
    refuse_existing(table, page, proof, out / "protect.html", *files_of(out / "adult"), force=force)
    shutil.copyfile(demo_table(), table)
    joint = read_joint(table, sensitive="relationship", public="occupation", count="people")
    found = audit(joint, Budget.parse(BUDGET))
    again = f"liftgate audit {shlex.quote(str(table))} --count people --sensitive relationship --public occupation"
    write_whole(page, to_html(found, command=f"{again} --budget {BUDGET}"), mode=0o600)
    assert found.certificate is not None
    found.certificate.save(proof, force=True)
    release = protect(joint, Budget.parse(BUDGET))
    written = release.apply(table, out=out / "adult", count="people", force=force)
    picture = out / "protect.html"
    more = f"{again.replace('audit', 'protect', 1)} --budget {BUDGET} --out {shlex.quote(str(out / 'adult'))}"
    told = {"command": more, "tradeoff": beside(release), "written": written}
    write_whole(picture, to_html(release, context=told), mode=0o600)
    checked = [_checker_alone(path) for path in (proof, written.certificate)]
    assumed = (*release.assumptions, "draws-are-fresh")
    if as_json:
        files = [str(path) for path in (table, page, proof, picture, *files_of(out / "adult"))]
        accepted = [{"accepted": code == 0, "told": told} for code, told in checked]
        word = "refused" if any(code for code, _ in checked) else "accepted"
        result = {"files": files, "checked": accepted}
        print_json(ctx, data=joint.source.to_dict(), assumptions=assumed, verdict=word, result=result)
    else:
        from liftgate.cli.show_audit import show_audit
        from liftgate.cli.show_protect import show_release

        show_audit(found, html=page, certificate=proof)
        click.echo("\nThe best release of the same column within that budget, and 32,561 rows drawn from it:\n")
        show_release(release, written, assumed, html=picture, certificate=None)
        _what_next(again, checked, written.certificate)
    return max(code for code, _ in checked)


def _what_next(again: str, checked: list[tuple[int, str]], certificate: Path) -> None:
    click.echo("\nBoth certificates, decided by the checker alone, with nothing but Python's standard library:")
    for _, told in checked:
        click.echo("  " + told.replace("\n", "\n  "))
    more = again.replace("--public occupation", "--public sex --public race --public education")
    click.echo("\nTry next:")
    click.echo(f"  {again} --sample --budget {BUDGET}")
    click.echo(f"  {more} --every-subset 2")
    click.echo(f"  {again.replace('audit', 'tradeoff', 1)} --budgets 0.25:2:8")
    click.echo(f"  liftgate check {shlex.quote(str(certificate))} --json")


def _checker_alone(certificate: Path) -> tuple[int, str]:
    """The exit code and the words of a bare interpreter about one file."""
    from liftgate import checker

    run = [sys.executable, "-I", "-S", str(checker.__file__), str(certificate)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()
