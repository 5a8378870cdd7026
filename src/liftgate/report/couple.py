"""The page of a couple: the finding, both laws, the least delta at every ratio, the blocks, and the coupling itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from liftgate.certificates.assumptions import explain
from liftgate.couplings.hinges import log_up
from liftgate.couplings.profiles import STAR, Profile
from liftgate.labels import label_text
from liftgate.report import couple_words as said
from liftgate.report import numbers, words
from liftgate.report.couple_figures import MOST_BARS, Bar, bars, profile_plot
from liftgate.report.drawings import Figure
from liftgate.report.icons import Shape
from liftgate.report.page import Condition, Context, Fact, Facts, Page, Verdict

if TYPE_CHECKING:
    from liftgate.jobs.couple import Couple

MOST_BLOCKS, MOST_CELLS, MOST_PAIRS = 40, 14, 40
_SHAPES: dict[str | None, tuple[Shape, str]] = {
    "proved": ("in", "Proved"),
    "refuted": ("out", "Refuted"),
    "unknown": ("unk", "Unknown"),
    None: ("none", "Measured, not judged"),
}


@dataclass(frozen=True)
class Cell:
    """One cell of the coupling: both masses, the class of its shade, and whether it is on the star."""

    left: str = ""
    right: str = ""
    shade: str = "none"
    star: bool = False


@dataclass(frozen=True)
class Grid:
    """The coupling as a table: right outputs across, left outputs down, the star at the edges."""

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]


@dataclass(frozen=True)
class Block:
    """One block: its outputs, both masses, their ratio, and what it means."""

    outputs: str
    left: str
    right: str
    ratio: str
    words: str


def page(found: Couple, context: Context) -> Page:
    """The page of one couple."""
    shape, word = _SHAPES[found.verdict]
    left, right = (words.cut(words.visible(v)) for v in found.names)
    return Page(
        template="couple.html",
        kind="Couple",
        title=f"Couple: {left} against {right}",
        subject=f"{left} against {right}",
        verdict=Verdict(shape, word, said.headline(found), said.lede(found), [said.exact_text(found)], _bars(found)),
        facts=_facts(found),
        true_only_if=[Condition(explain(a), a) for a in found.assumptions],
        not_said=_not_said(found),
        body={
            "plot_title": _plot_title(found),
            "plot": _plot(found),
            "blocks": _blocks(found),
            "more_blocks": max(0, len(found.profile.blocks) - MOST_BLOCKS),
            "grid": _grid(found.profile),
            "grid_title": _grid_title(found.profile),
            "whole_coupling": _whole_coupling(found),
            "names": (left, right),
            "pairs": _pairs(found),
            "composition": _composition(found),
            "chain": found.chain,
            "chain_text": _chain_text(found),
        },
        made=_made(found),
        certificate=found.certificate.hash,
        context=context,
        proof_title="Proof, and what it rests on",
    )


def _facts(found: Couple) -> Facts:
    q, p = found.question, found.decided
    delta, t = q.delta_of(p), p.exp_epsilon(q.delta)
    lines = []
    if delta is not None:
        lines.append(Fact(f"Least δ at {said.asked(found).partition(',')[0]}", said.share(delta)))
        lines.append(Fact("Claimed", said.asked(found)))
    lines.append(Fact(f"Least ratio for δ = {said.share(q.delta)}", said.ratio(t)))
    if t is None:
        floor = sum((a for a, b in p.blocks if b == 0), Fraction(0))
        lines.append(Fact(f"Least ratio for δ = {said.share(floor)}", said.ratio(p.exp_epsilon(floor))))
    back = q.delta_of(p.reverse)
    other = said.ratio(p.reverse.exp_epsilon(q.delta)) if back is None else f"δ {said.share(back)}"
    lines.append(Fact("Other direction", other))
    lines.append(Fact("Total variation", said.share(_total_variation(found.profile))))
    lines.append(Fact("Relation", "equal outputs" if found.relation == "equal" else found.relation))
    if found.search is not None:
        lines.append(Fact("Pairs of neighbours tried", numbers.count(len(found.search.found))))
    if found.composition is not None:
        lines.append(Fact("Uses", numbers.count(found.composition.times)))
    lines.append(Fact("Certificate", found.certificate.kind))
    lines.append(Fact("Arithmetic", "exact fractions"))
    note = "Ratio = e^ε: the largest factor between the two probabilities of any event, apart from δ."
    return Facts("Closeness facts", lines[:10], note)


def _total_variation(p: Profile) -> Fraction:
    value = p.f_divergence("tv")
    assert isinstance(value, Fraction)
    return value


def _bars(found: Couple) -> str:
    p = found.profile
    labels = list(dict.fromkeys([*p.left.labels, *p.right.labels]))
    if len(labels) > MOST_BARS or found.relation != "equal":
        return ""
    event = said.clearest_event(found)
    chosen = set() if event is None or found.verdict != "refuted" else set(event.outputs)
    rows = [Bar(said.label(v), _mass(p.left, v), _mass(p.right, v), v in chosen) for v in _in_order(labels)]
    drawn = bars(rows, said.name(found.names[0]), said.name(found.names[1]), "output")
    marked = [row.name for row in rows if row.marked]
    title = "Both laws, output by output"
    if marked:
        alone = all(row.right == 0 for row in rows if row.marked)
        whose = "on one side only" if alone else "much more often on one side"
        title = f"{said.outputs_text(tuple(marked))} {'happens' if len(marked) == 1 else 'happen'} {whose}"
    caption = Markup("<figcaption><p><b>{}</b></p></figcaption>").format(words.capital(title))
    return Markup('<figure class="after">{}{}</figure>').format(caption, drawn)


def _mass(law: Any, value: Any) -> Fraction:
    return law.mass(law.position[value]) if value in law.position else Fraction(0)


def _in_order(labels: list[Any]) -> list[Any]:
    """By number where every label is one, else as given."""
    try:
        return sorted(labels, key=lambda v: Fraction(str(v)))
    except (ValueError, ZeroDivisionError):
        return labels


def _plot_title(found: Couple) -> str:
    """What the drawing shows: where the line stops falling, or that it always falls."""
    corners = [a / b for a, b in found.decided.blocks if b and a > b]
    if not corners:
        return "Every ratio at once"
    floor = sum((a for a, b in found.decided.blocks if b == 0), Fraction(0))
    if floor:
        return f"Beyond ratio {said.ratio(max(corners))}, nothing more is gained"
    return f"From ratio {said.ratio(max(corners))} on, no δ is needed"


def _plot(found: Couple) -> Figure:
    holds = None if found.verdict is None else found.verdict == "proved"
    drawn = profile_plot(found.decided, said.factor_asked(found), found.question.delta, holds)
    return Figure(
        "How much δ each ratio needs",
        drawn,
        "Exact at every corner (diamond). Dashed: the other direction.",
        "Below the thick line no coupling exists. On it, the coupling of this page works for every ε at once.",
    )


def _blocks(found: Couple) -> list[Block]:
    p = found.profile
    left, right = (said.name(v) for v in found.names)
    names: list[list[Any]] = [[] for _ in p.blocks]
    for law, home in ((p.left, p.parts.left_block.tolist()), (p.right, p.parts.right_block.tolist())):
        for value, k in zip(law.labels, home, strict=True):
            if k >= 0 and value not in names[k][-1:]:
                names[k].append(value)
    out = []
    for outputs, (a, b) in list(zip(names, p.blocks, strict=True))[:MOST_BLOCKS]:
        unique = _in_order(list(dict.fromkeys(outputs)))
        shown = ", ".join(said.label(v) for v in unique[:5]) + (
            f" and {len(unique) - 5} more" if len(unique) > 5 else ""
        )
        if b == 0:
            meaning, ratio = f"only under {left}: all of it is δ", "infinite"
        elif a == 0:
            meaning, ratio = f"only under {right}: δ of the other direction", "0"
        else:
            ratio = said.ratio(a / b)
            meaning = "as likely under both" if a == b else f"{ratio} times as likely under {left}"
        out.append(Block(shown, said.share(a), said.share(b), ratio, meaning))
    return out


def _grid(p: Profile) -> Grid | None:
    lefts = [i for i, w in enumerate(p.left.weights) if w]
    rights = [j for j, w in enumerate(p.right.weights) if w]
    if len(lefts) > MOST_CELLS or len(rights) > MOST_CELLS:
        return None
    both = p.coupling()
    most = max([*both.left.values(), *both.right.values()])

    def cell(a: Any, b: Any, related: bool) -> Cell:
        x, y = both.left.get((a, b), Fraction(0)), both.right.get((a, b), Fraction(0))
        if not x and not y:
            return Cell("" if STAR in (a, b) else "0" if related else "·")
        shade = 2 + min(4, int(5 * max(x, y) / most))
        return Cell(said.share(x), said.share(y), f"c{shade}", a is STAR or b is STAR)

    rows = []
    for i in lefts:
        a = p.left.labels[i]
        cells = [cell(a, p.right.labels[j], p.relation.related(i, j)) for j in rights]
        rows.append((said.label(a), [*cells, cell(a, STAR, False)]))
    rows.append(("★ no partner", [*(cell(STAR, p.right.labels[j], False) for j in rights), Cell()]))
    return Grid([*(said.label(p.right.labels[j]) for j in rights), "★ no partner"], rows)


def _grid_title(p: Profile) -> str:
    lonely = [a for (a, b) in p.coupling().left if b is STAR] + [b for (a, b) in p.coupling().right if a is STAR]
    if not lonely:
        return "The coupling pairs up everything"
    if len(lonely) > 4:
        return f"The coupling leaves {numbers.count(len(lonely))} outputs without a partner"
    return f"The coupling pairs up everything except {numbers.joined([said.label(v) for v in lonely])}"


def _whole_coupling(found: Couple) -> str:
    """Where a coupling that is not drawn can be read: an event refutes, and its certificate holds no coupling."""
    if found.certificate.kind in ("coupling", "profile"):
        return "All of it is in the certificate."
    return "The certificate of the same question without a ratio holds all of it."


def _pairs(found: Couple) -> list[tuple[str, str, str, str, str]]:
    if found.search is None:
        return []
    return [
        (one.pair.kind, label_text(one.pair.left), label_text(one.pair.right), said.ratio(one.exp_eps) if one.exp_eps else "infinite",
         "" if one.delta is None else said.share(one.delta))
        for one in found.search.found[:MOST_PAIRS]
    ]  # fmt: skip


def _composition(found: Couple) -> list[tuple[str, str]]:
    c = found.composition
    if c is None:
        return []
    logs = (("exact product", c.exact), ("optimal, one ε and δ known", c.optimal), ("basic", c.basic))
    rows = [(name, said.epsilon(None if value is None else log_up(value))) for name, value in logs]
    return [*rows, ("advanced", said.epsilon(c.advanced)), ("best of the last three", said.epsilon(c.least_other))]


def _chain_text(found: Couple) -> str:
    proof = found.chain
    if proof is None:
        return ""
    how = f"{len(proof.proofs)} proofs, one for each output" if proof.by_output else "one proof up to equal outputs"
    steps = numbers.count(len(proof.chain.left))
    return f"{steps} steps, {how}: ratio {said.ratio(proof.exp_eps)}, δ = {said.share(proof.delta)}."


def _not_said(found: Couple) -> list[str]:
    out = []
    if found.search is None:
        out.append("Not a bound for other pairs of inputs. Use --all-neighbours to search them.")
    else:
        out.append("Not a bound for inputs outside the pairs that were tried.")
    if found.search is not None and found.search.family.partial:
        out.append("Not an upper bound: outputs far out were put together, so a true ratio may be larger.")
    out.append("Not a statement about code that samples with floating-point numbers.")
    if found.composition is None:
        out.append("Not a bound for repeated use. Compose the profile for that.")
    else:
        out.append("Not certified as a composition: the certificate is about one use, the product is computed from it.")
    return out


def _made(found: Couple) -> list[str]:
    p = found.profile
    sizes = (
        f"{numbers.count(len(p.left))} and {numbers.count(len(p.right))} outputs, {numbers.count(len(p.blocks))} blocks"
    )
    return [f"{words.capital(found.names[0])} against {found.names[1]}: {sizes}. Relation: {found.relation}."]
