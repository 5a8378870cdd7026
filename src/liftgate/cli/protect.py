"""liftgate protect: a release of the public columns inside a budget, proven, and written row by row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from liftgate.cli.options import Command, budget_option, joint_from, output_options, search_options, table_options

if TYPE_CHECKING:
    from liftgate.jobs.protect import Release
    from liftgate.jobs.writing import Written


@click.command("protect", cls=Command)
@table_options()
@budget_option
@click.option("--mechanism", default="auto", show_default=True, metavar="NAME", help="merge-all, merge-subsets, merge-best, optimal, subset-response or auto.")  # fmt: skip
@search_options("1e-6")
@click.option("--out", metavar="FILE|STEM", help="Draw and write the rows: a .parquet or .csv file, or a stem (adult gives adult-release.parquet), with the certificate and the manifest beside it.")  # fmt: skip
@click.option("--into", metavar="TABLE", help="Write the rows into this new table of the PostgreSQL server they come from; --out names the other two files.")  # fmt: skip
@click.option("--keep", multiple=True, metavar="COLUMN", help="A column that stays beside the released ones; repeat for more.")  # fmt: skip
@click.option("--draw", type=click.Choice(["fresh", "keyed"]), default="fresh", show_default=True, help="Fresh draws, or the same draw for the same row and key.")  # fmt: skip
@click.option("--key-file", type=click.Path(dir_okay=False, path_type=Path), help="At least 16 secret bytes, for keyed draws.")  # fmt: skip
@click.option("--id", "row_id", metavar="COLUMN", help="Row ids without repeats, for keyed draws.")
@click.option("--render", type=click.Choice(["label", "sample"]), default="label", show_default=True, help="Write the released name, or a member drawn from it.")  # fmt: skip
@click.option("--order", type=click.Choice(["source", "sorted"]), default="source", show_default=True, help="Order of the rows written; sorted says nothing about the table.")  # fmt: skip
@click.option("--publisher", metavar="NAME", help="Who publishes, for the manifest.")
@click.option("--reuse", "manifest", type=click.Path(dir_okay=False, path_type=Path), help="Manifest of an earlier release: its channel, columns and budget for the delivery in TABLE.")  # fmt: skip
@click.option("--previous", metavar="FILE", help="With --reuse: the private certificate of the earlier delivery, or its table, to audit both together.")  # fmt: skip
@click.option("--map", "mapped", multiple=True, metavar="NEW=OLD", help="With --reuse: treat a value that the design never saw as one that it knows; repeat for more.")  # fmt: skip
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Find the release of the public columns that keeps most inside the budget, prove it, and write the rows.

    Without --out nothing is drawn: the release is designed, checked and told. Exit code 0: a release within the budget;
    2: could not ask. A search that runs out of time ends with the best release it has, which is within the budget too.
    With --reuse no new release is designed: exit code 1 and nothing written where the next delivery breaks the budget.
    """
    from liftgate.budget import Budget
    from liftgate.cli.output import exit_code, print_json, refuse_existing, write_whole
    from liftgate.cli.progress import doing, searching
    from liftgate.errors import UsageError
    from liftgate.jobs.protect import protect
    from liftgate.jobs.tradeoff import beside
    from liftgate.mechanisms import mechanism_named

    refuse_existing(options["html"], options["certificate"], force=options["force"])
    if options["manifest"] is not None:
        from liftgate.cli.reusing import answer

        return exit_code(answer(ctx, options, _look_ahead(options), _write))
    for name in ("previous", "mapped"):
        if options[name]:
            raise UsageError(f"--{name.replace('mapped', 'map')}", "no manifest is named", "add --reuse MANIFEST")
    if not options["budget"]:
        raise UsageError("--budget", "no budget was given", "add --budget, for example --budget alip:1,1")
    budget = Budget.parse(options["budget"])
    mechanism_named(options["mechanism"])
    secret = _look_ahead(options)
    joint = joint_from(options)
    with searching(options["mechanism"]) as progress:
        found = protect(joint, budget, options["mechanism"], options["gap"], options["seconds"], progress)
    written = _write(found, options, secret) if options["out"] else None
    if options["certificate"]:
        found.certificate.save(options["certificate"], force=options["force"])
    if options["html"]:
        from liftgate.cli.show import command_line
        from liftgate.report import to_html

        with doing("drawing the trade-off"):
            curve = beside(found, seconds=min(10.0, options["seconds"]))
        text = to_html(found, context={"command": command_line(ctx), "tradeoff": curve, "written": written})
        write_whole(options["html"], text, mode=0o600)
    assumed = assumed_of(found, written)
    if options["as_json"]:
        result = {**found.to_dict(), "written": None if written is None else written.to_dict()}
        print_json(ctx, data=joint.source.to_dict(), assumptions=assumed, verdict=found.verdict, result=result)
    else:
        from liftgate.cli.show_protect import show_release

        show_release(found, written, assumed, html=options["html"], certificate=options["certificate"])
    return exit_code(found.verdict)


def assumed_of(found: Any, written: Written | None) -> tuple[str, ...]:
    """What a result rests on, with how the rows were drawn where they were."""
    drawn = {"fresh": "draws-are-fresh", "keyed": "draws-repeat-by-key"}
    return found.assumptions if written is None else (*found.assumptions, drawn[written.draw])


def _look_ahead(options: dict[str, Any]) -> bytes | None:
    """What can be refused before the search: files, the key, options that need --out."""
    from liftgate.errors import UsageError
    from liftgate.jobs.writing import files_of
    from liftgate.tables.files import refuse

    if not options["out"]:
        for name, empty in (("into", None), ("keep", ()), ("key_file", None), ("row_id", None), ("publisher", None)):
            if options[name] != empty:
                option = {"row_id": "id"}.get(name, name).replace("_", "-")
                raise UsageError(f"--{option}", "no rows are written", "add --out, or leave it out")
        return None
    refuse(files_of(options["out"])[options["into"] is not None :], options["force"])
    if options["draw"] == "keyed" and (options["key_file"] is None or options["row_id"] is None):
        missing = "--key-file" if options["key_file"] is None else "--id"
        raise UsageError("--draw keyed", f"{missing} was not given", f"add {missing}, or draw fresh")
    return None if options["key_file"] is None else _key(options["key_file"])


def _key(path: Path) -> bytes:
    """The bytes of a key file, without a line end; a warning where others can read it."""
    from liftgate.errors import UsageError
    from liftgate.tables.draws import LEAST_KEY_BYTES

    try:
        mode, secret = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        raise UsageError(f"--key-file {path}", f"cannot be read ({error.strerror})", "name a file of yours") from None
    if mode & 0o077:
        click.echo(f"warning: others can read the key file {path}; chmod 600 {path}", err=True)
    secret = secret.rstrip(b"\r\n")
    if len(secret) < LEAST_KEY_BYTES:
        fix = "write 32 random bytes into it: head -c 32 /dev/urandom > FILE"
        raise UsageError(f"--key-file {path}", f"it holds fewer than {LEAST_KEY_BYTES} bytes", fix)
    return secret


def _write(found: Release, options: dict[str, Any], secret: bytes | None) -> Written:
    from liftgate.cli.progress import doing

    with doing(f"writing {options['out']}"):
        return found.apply(
            options["table"],
            out=options["out"],
            keep=options["keep"],
            draw=options["draw"],
            key=secret,
            id=options["row_id"],
            render=options["render"],
            order=options["order"],
            force=options["force"],
            count=options["count"],
            missing_tokens=options["missing_tokens"],
            columns=options["columns"],
            delimiter=options["delimiter"],
            encoding=options["encoding"],
            trim=options["trim"],
            publisher=options["publisher"],
            sensitive=options["sensitive"] or None,
            public=options["public"] or None,
            memory=options["memory"],
            table=options["table_name"],
            query=options["query"],
            into=options["into"],
        )
