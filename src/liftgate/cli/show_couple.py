"""The terminal summary of a couple: finding, clearest event, worst pairs, blocks, assumptions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from liftgate.cli.show import console
from liftgate.labels import label_text
from liftgate.report import couple_words as said
from liftgate.report import numbers, words

if TYPE_CHECKING:
    from rich.table import Table

    from liftgate.jobs.couple import Couple

_MARKS = {"proved": ("✓", "green"), "refuted": ("✗", "red"), "unknown": ("?", "yellow"), None: ("·", "yellow")}
MOST_ROWS = 8


def show_couple(found: Couple, html: Path | None = None, certificate: Path | None = None) -> None:
    """The result of ``liftgate couple`` for people."""
    out = console()
    mark, colour = _MARKS[found.verdict]
    out.print(Text(f"{mark} ", style=f"bold {colour}").append(said.headline(found), style="bold"), soft_wrap=True)
    for sentence in (said.lede(found), said.exact_text(found)):
        out.print(f"  {sentence}", soft_wrap=True)
    out.print()
    if found.search is not None:
        out.print(_pairs(found))
        out.print()
    if found.composition is not None:
        c = found.composition
        rules = (("exact product", c.epsilon), ("best other rule", c.least_other))
        told = [f"{name} {said.epsilon(v)}" for name, v in rules]
        out.print(f"  Least ε of {numbers.count(c.times)} uses: {', '.join(told)}.", soft_wrap=True)
    if found.chain is not None:
        proof = found.chain
        how = "one proof for each output" if proof.by_output else "one proof up to equal outputs"
        out.print(
            f"  Step by step ({how}): ratio {said.ratio(proof.exp_eps)}, δ = {said.share(proof.delta)}.", soft_wrap=True
        )
    if found.composition is not None or found.chain is not None:
        out.print()
    out.print(_blocks(found))
    out.print()
    out.print(f"  Certificate: {found.certificate.kind}, {found.certificate.verdict.reason}", soft_wrap=True)
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
    for name, path in (("Report", html), ("Certificate (contains both laws)", certificate)):
        if path is not None:
            out.print(f"  {name}: {path}", soft_wrap=True)


def _table(*heads: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for k, head in enumerate(heads):
        table.add_column(head, justify="left" if k == 0 else "right")
    return table


def _more(table: Any, hidden: int) -> Any:
    if hidden > 0:
        table.add_row(Text(f"and {numbers.count(hidden)} more", style="dim"))
    return table


def _pairs(found: Couple) -> Any:
    """The worst pairs of neighbours."""
    assert found.search is not None
    table = _table("worst neighbours", "left", "right", "least ratio", "least δ")
    for one in found.search.found[:MOST_ROWS]:
        pair = [one.pair.kind, *(words.cut(words.visible(label_text(v)), 24) for v in (one.pair.left, one.pair.right))]
        delta = "" if one.delta is None else said.share(one.delta)
        table.add_row(*(Text(cell) for cell in (*pair, said.ratio(one.exp_eps), delta)))
    return _more(table, len(found.search.found) - MOST_ROWS)


def _blocks(found: Couple) -> Any:
    """The blocks: everything about every eps."""
    blocks = found.profile.blocks
    table = _table("block", "left", "right", "ratio")
    for k, (a, b) in enumerate(blocks[:MOST_ROWS]):
        table.add_row(str(k + 1), said.share(a), said.share(b), "infinite" if b == 0 else said.ratio(a / b))
    return _more(table, len(blocks) - MOST_ROWS)
