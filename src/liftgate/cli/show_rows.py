"""The terminal summary of a release of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from liftgate.cli.show import console, verdict_line

if TYPE_CHECKING:
    from liftgate.jobs.rows import RowRelease
    from liftgate.jobs.writing import Written

VERBS = {"blocks": "permuted inside blocks", "shuffle": "permuted", "suppress": "left out"}


def show_rows(found: RowRelease, written: Written | None, options: dict[str, Any]) -> None:
    """The result of ``liftgate rows`` for people."""
    out = console()
    n, plan, scores = len(found.scores.log_lift), found.plan, found.scores
    hidden, blocks = int(plan.moved.sum()), sum(plan.hidden)
    head = f"Every counted group of rows keeps the budget; {hidden:,} of {n:,} rows are {VERBS[plan.mode]}."
    out.print(verdict_line("within", head), soft_wrap=True)
    low, up = scores.interval
    said = [
        f"Budget: {found.budget.text}: {found.budget.sentence}.",
        (
            f"Single rows stay unknown: {int(plan.flagged.sum()):,} of {n:,} are estimated to be outside ({scores.estimator}, "
            f"{scores.mutual_information:.4f} nats told on held-out rows, {low:.4f} to {up:.4f})."
        ),
        f"At least one group of held-out rows moves belief by {found.reading.at_least:.2f} nats, shown at 95 %."
        if found.reading.at_least
        else "No group of held-out rows is shown to move belief.",
        (
            f"Hidden in {blocks:,} block{'s' * (blocks != 1)}; counted lifts of groups go from {float(plan.leak.least):.3f} "
            f"to {float(plan.leak.most):.3f}."
        ),
        (
            f"Attacker (half the people learned, the others guessed): area {found.before.attacker.auc:.3f} before, "
            f"{found.after.attacker.auc:.3f} after."
        ),
    ]
    if found.before.task is not None and found.after.task is not None:
        said.append(f"Task {found.task}: area {found.before.task.auc:.3f} before, {found.after.task.auc:.3f} after.")
    for sentence in said:
        out.print(f"  {sentence}", soft_wrap=True)
    if found.rules:
        out.print()
        out.print("  Flagged are mostly rows where", soft_wrap=True)
        for rule in found.rules:
            out.print(f"  - {rule.text}: {rule.flagged:,} of {rule.rows:,}", soft_wrap=True)
    for told in found.told[:3]:
        out.print(f"  - row {told.row:,}: {told.why.sentence}", soft_wrap=True)
    out.print()
    for note in found.notes:
        out.print(f"  {note}", soft_wrap=True)
    out.print(
        f"  Checked: {found.certificate.kind}, accepted by the exact checker, for counted groups.", soft_wrap=True
    )
    out.print(f"  True only if: {', '.join(found.assumptions)}", soft_wrap=True)
    if written is not None:
        left = f", {written.left_out:,} left out" if written.left_out else ""
        out.print(f"  Rows: {written.rows} ({written.number:,} rows{left})", soft_wrap=True)
        out.print(f"  Keep private: {written.certificate} (contains your counts)", soft_wrap=True)
        out.print(f"  Publish with the rows: {written.manifest}", soft_wrap=True)
    for title, name in (("Report", "html"), ("Scores (private)", "scores"), ("Certificate (contains your counts)", "certificate")):  # fmt: skip
        if options[name] is not None:
            out.print(f"  {title}: {options[name]}", soft_wrap=True)
