"""liftgate protect --reuse: the channel of a manifest on the next delivery."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from liftgate.cli.options import reading_of

if TYPE_CHECKING:
    from liftgate.jobs.reuse import Delivery, Reuse
    from liftgate.jobs.writing import Written


def answer(
    ctx: click.Context, options: dict[str, Any], secret: bytes | None, write: Callable[..., Written]
) -> str:  # fmt: skip
    """Audit the delivery, write its rows where it is within the budget, and tell; the verdict."""
    from liftgate.cli.output import print_json, write_whole
    from liftgate.cli.progress import counting
    from liftgate.cli.protect import assumed_of
    from liftgate.jobs.reuse import reuse
    from liftgate.policy import without_password
    from liftgate.tables.manifest import read_manifest

    manifest = read_manifest(options["manifest"])
    _nothing_designed(options, manifest.budget)
    with counting(without_password(str(options["table"]))) as tell:
        found = reuse(
            manifest,
            options["table"],
            previous=options["previous"],
            mapped=options["mapped"],
            sensitive=options["sensitive"] or None,
            public=options["public"] or None,
            progress=tell,
            **reading_of(options),
        )
    release = found.release
    written = write(release, options, secret) if release is not None and options["out"] else None
    if options["certificate"]:
        found.delivered.certificate.save(options["certificate"], force=options["force"])
    if options["html"] and release is not None:
        from liftgate.cli.show import command_line
        from liftgate.report import to_html

        text = to_html(release, context={"command": command_line(ctx), "written": written})
        write_whole(options["html"], text, mode=0o600)
    elif options["html"]:
        click.echo("warning: no page was drawn, because nothing is released", err=True)
    assumed = assumed_of(found, written)
    if options["as_json"]:
        result = {**found.to_dict(), "written": None if written is None else written.to_dict()}
        data = found.delivered.before.source.to_dict()
        print_json(ctx, data=data, assumptions=assumed, verdict=found.verdict, result=result)
    else:
        _show(found, written, assumed, options)
    return found.verdict


def _nothing_designed(options: dict[str, Any], budget: Any) -> None:
    """Options of a design have no place here; a budget may be repeated."""
    from liftgate.budget import Budget
    from liftgate.errors import UsageError

    if options["budget"] and Budget.parse(options["budget"]).to_dict() != budget.to_dict():
        problem = f"the manifest was made for {budget.text}"
        raise UsageError(f"--budget {options['budget']}", problem, "leave it out, or design a new release")
    if options["mechanism"] != "auto":
        raise UsageError("--mechanism", "nothing is designed with --reuse", "leave it out, or leave out --reuse")


def _show(found: Reuse, written: Written | None, assumed: tuple[str, ...], options: dict[str, Any]) -> None:
    from liftgate.cli.show import console, verdict_line
    from liftgate.cli.show_protect import share_down, written_lines

    out = console()
    head = {
        "within": "The next delivery may be released as the manifest says: it stays within the budget.",
        "outside": "The next delivery would break the budget of the manifest, and nothing was written.",
    }[found.verdict]
    out.print(verdict_line(found.verdict, head), soft_wrap=True)
    out.print(f"  Budget: {found.manifest.budget.text}: {found.manifest.budget.sentence}.", soft_wrap=True)
    for name, delivery in (("This delivery", found.delivered), ("Both together", found.both)):
        if delivery is not None:
            out.print(f"  {name}: {_told(delivery)}", soft_wrap=True)
    if found.release is not None:
        out.print(f"  It keeps {share_down(found.release.utility)} of the information.", soft_wrap=True)
    else:
        out.print("  Design a new release for it: liftgate protect without --reuse.", soft_wrap=True)
    out.print()
    for note in found.notes:
        out.print(f"  {note}", soft_wrap=True)
    out.print("  Checked: every verdict was accepted by the exact checker.", soft_wrap=True)
    out.print(f"  True only if: {', '.join(assumed)}", soft_wrap=True)
    for line in written_lines(written):
        out.print(f"  {line}", soft_wrap=True)
    page = options["html"] if found.release is not None else None
    for title, path in (("Report", page), ("Certificate (contains your counts)", options["certificate"])):
        if path is not None:
            out.print(f"  {title}: {path}", soft_wrap=True)


def _told(delivery: Delivery) -> str:
    from liftgate.labels import label_text

    rows = f"{delivery.before.total:,} rows"
    if not delivery.outside:
        return f"{rows}, every released value is within the budget."
    shown = ", ".join(label_text(y) for y in delivery.outside[:5])
    more = f" and {len(delivery.outside) - 5:,} more" if len(delivery.outside) > 5 else ""
    return f"{rows}, outside the budget: {shown}{more}."
