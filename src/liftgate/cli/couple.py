"""liftgate couple: how close two output laws are, with the coupling that proves it or the event that refutes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from liftgate.cli.options import Command, output_options

if TYPE_CHECKING:
    from liftgate.jobs.couple import Couple


@click.command("couple", cls=Command)
@click.argument("left", metavar="LEFT", required=False)
@click.argument("right", metavar="RIGHT", required=False)
@click.option(
    "--relation", default="equal", show_default=True, metavar="R", help="equal, distance<=k, or a JSON file of pairs."
)
@click.option("--exp-eps", metavar="T", help="Ask for closeness within the factor T = e^eps, for example 2 or 3/2.")
@click.option("--eps", metavar="E", help="Ask for closeness within eps E, for example 1/2; decided exactly.")
@click.option("--delta", default="0", show_default=True, metavar="D", help="Mass that may be left over.")
@click.option(
    "--all-neighbours", is_flag=True, help="LEFT is a mechanism or a JSON file of laws; search all its neighbours."
)
@click.option("--compose", "times", type=click.IntRange(1), default=1, metavar="N", help="Compose N uses of the pair.")
@click.option("--chain", type=click.Path(dir_okay=False), help="Two programs as JSON kernels, proved step by step.")
@click.option(
    "--channel", type=click.Path(dir_okay=False), help="LEFT and RIGHT are public values of this channel (JSON)."
)
@click.option("--max-edges", type=click.IntRange(1), metavar="N", help="Pairs a listed relation may have (20,000,000).")
@click.option("--decimals-exact", is_flag=True, help="A decimal such as 0.1 means exactly 1/10.")
@click.option("--sub", is_flag=True, help="The laws may add up to less than 1.")
@click.option(
    "--loss-grid",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a pessimistic privacy loss distribution here.",
)
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Decide whether two output laws are (eps, delta)-close, exactly, and prove the answer.

    LEFT and RIGHT are JSON files {"label": "p/q"} or CSV files with the columns label and mass. With --all-neighbours
    LEFT is a mechanism, such as sparse-vector-5 or geometric:ratio=1/4, or a JSON file {"input": {"label": "p/q"}}.
    Exit code 0: proved, or nothing asked; 1: refuted; 2: could not ask.
    """
    from liftgate.cli.output import print_json, refuse_existing, write_whole

    refuse_existing(options["html"], options["certificate"], options["loss_grid"], force=options["force"])
    found = _ask(options)
    if options["certificate"]:
        found.certificate.save(options["certificate"], force=options["force"])
    if options["loss_grid"]:
        import json

        from liftgate.couplings.accounting import to_loss_grid

        write_whole(options["loss_grid"], json.dumps(to_loss_grid(found.decided).to_dict(), indent=1) + "\n")
    if options["html"]:
        from liftgate.cli.show import command_line
        from liftgate.report import to_html

        write_whole(options["html"], to_html(found, command=command_line(ctx)), mode=0o600)
    if options["as_json"]:
        data = {"left": found.names[0], "right": found.names[1]}
        print_json(ctx, data=data, assumptions=found.assumptions, verdict=found.verdict, result=found.to_dict())
    else:
        from liftgate.cli.show_couple import show_couple

        show_couple(found, html=options["html"], certificate=options["certificate"])
    return 0 if found.verdict in (None, "proved") else 1


def _ask(options: dict[str, Any]) -> Couple:
    """One of the four questions: a pair, a family, a chain, or two rows of a channel."""
    from liftgate.errors import UsageError
    from liftgate.jobs.couple import couple, couple_chain, couple_family

    asked = {"exp_eps": options["exp_eps"], "eps": options["eps"], "delta": options["delta"]}
    for key in ("exp_eps", "eps", "delta"):
        asked[key] = _number(asked[key], f"--{key.replace('_', '-')}", options["decimals_exact"])
    left, right = options["left"], options["right"]
    if options["times"] > 1 and (options["all_neighbours"] or options["chain"]):
        raise UsageError("--compose", "is for one pair of laws", "give LEFT and RIGHT")
    if options["chain"]:
        from liftgate.couplings.law_files import read_json
        from liftgate.couplings.programs import read_chain

        if left or right or options["all_neighbours"] or options["channel"]:
            raise UsageError("--chain", "holds both programs already", "leave out LEFT and RIGHT and the other sources")
        return couple_chain(*read_chain(read_json(options["chain"], "chain"), options["decimals_exact"]), **asked)
    if options["all_neighbours"]:
        if right or not left or options["channel"]:
            raise UsageError("--all-neighbours", "searches one family of laws", "give one mechanism or one JSON file")
        from liftgate.cli.progress import counting

        with counting("neighbours"):
            return couple_family(_family(left, options), _relation(options), **asked)
    if not left or not right:
        raise UsageError(
            "liftgate couple", "two laws are needed", "give LEFT and RIGHT, or --all-neighbours, or --chain"
        )
    laws, names = _laws(left, right, options)
    relation, proper = _relation(options), not options["sub"]
    return couple(laws[0], laws[1], relation, **asked, proper=proper, times=options["times"], names=names)


def _laws(left: str, right: str, options: dict[str, Any]) -> tuple[list[Any], tuple[str, str]]:
    if options["channel"]:
        from liftgate.channel import Channel
        from liftgate.couplings.law_files import read_json
        from liftgate.couplings.named import channel_row
        from liftgate.errors import DataError

        document = read_json(options["channel"], "channel")
        try:
            channel = Channel.from_dict(document)
        except (KeyError, TypeError, ValueError, IndexError):
            fix = "give the JSON of Channel.to_dict: public, released, total, outputs"
            raise DataError(f"channel {options['channel']}", "it is no channel", fix) from None
        return [channel_row(channel, value) for value in (left, right)], (left, right)
    from liftgate.couplings.law_files import read_law_file

    exact, proper = options["decimals_exact"], not options["sub"]
    laws = [read_law_file(path, side, exact, proper) for path, side in ((left, "left"), (right, "right"))]
    stems = Path(left).stem, Path(right).stem
    return laws, stems if stems[0] != stems[1] else (left, right)


def _family(left: str, options: dict[str, Any]) -> Any:
    from liftgate.couplings.families import law_family, parse_family
    from liftgate.couplings.law_files import read_family_file

    if Path(left).suffix.lower() != ".json":
        return parse_family(left)
    laws = read_family_file(left, options["decimals_exact"], not options["sub"])
    return law_family(laws, Path(left).stem, None, not options["sub"])


def _relation(options: dict[str, Any]) -> Any:
    text: str = options["relation"]
    if not text.lower().endswith(".json"):
        return text
    from liftgate.couplings.law_files import read_pairs_file
    from liftgate.couplings.relations import MAX_EDGES

    return read_pairs_file(text, options["max_edges"] or MAX_EDGES)


def _number(text: str | None, place: str, decimals_exact: bool) -> Any:
    """A number of the command line: a fraction, or a decimal where that was allowed."""
    from liftgate.errors import UsageError
    from liftgate.exact import fraction

    if text is None:
        return None
    value = fraction(text, place)
    if any(c in text for c in ".eE") and not decimals_exact:
        fix = f"write {value}, or add --decimals-exact if exactly this number is meant"
        raise UsageError(place, f"{text} is a decimal", fix)
    return value
