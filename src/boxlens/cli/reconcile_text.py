"""A reconciliation as text: the protocols' numbers, the way between two, and what is uncertain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.cli.output import aligned, score
from boxlens.comparison.conventions.results import ORDER_MATTERS

if TYPE_CHECKING:
    from boxlens.comparison.conventions.results import ReconciliationResult


def reconciliation_text(result: ReconciliationResult) -> str:
    start, end = result.start, result.end
    headline = (
        f"Reconcile | {result.dataset} | {result.detector} | {start.protocol.name} "
        f"{score(start.value)} -> {end.protocol.name} {score(end.value)} "
        f"({signed(result.difference)})"
    )
    parts = [
        headline,
        result.summary,
        _protocols(result),
        _steps(result),
        _sentences(result),
        _band(result),
    ]
    return "\n\n".join(part for part in parts if part)


def signed(value: float) -> str:
    """+0.0123; undefined is a dash, and only nothing is 0."""
    if math.isnan(value):
        return "-"
    return f"{value:+.4f}" if value else "0"


def _protocols(result: ReconciliationResult) -> str:
    """Every protocol, where no end was chosen."""
    start = result.start
    if len(result.protocols) <= 2:
        return ""
    rows = [["protocol", "value", f"from {start.protocol.name}"]]
    for row in result.protocols:
        title = f"{row.protocol.name}: {row.protocol.title}"
        remark = f" ({row.remark})" if row.remark else ""
        rows.append([title + remark, score(row.value), signed(row.value - start.value)])
    return aligned(rows)


def _steps(result: ReconciliationResult) -> str:
    moving = [step for step in result.steps if step.moves]
    rows = [["one convention after the other", "change", "then", "first alone", "last alone"]]
    rows.append([result.start.protocol.title, "", score(result.start.value), "", ""])
    for step in moving:
        numbers = (signed(step.change), score(step.after))
        alone = (signed(step.first_alone), signed(step.last_alone))
        rows.append([f"{step.title}: {step.from_text} -> {step.to_text}", *numbers, *alone])
    rows.append([result.end.protocol.title, "", score(result.end.value), "", ""])
    still = [step.title for step in result.steps if not step.moves]
    text = aligned(rows)
    if still:
        text += f"\nof no effect on these files: {', '.join(still)}"
    return text


def _sentences(result: ReconciliationResult) -> str:
    told = [f"- {step.title}: {step.sentence}" for step in result.steps if step.moves]
    if not told:
        return ""
    return "\n".join([*told, ORDER_MATTERS])


def _band(result: ReconciliationResult) -> str:
    """What else could be behind a small difference."""
    name, band = result.start.protocol.name, result.band
    all_detections = f"{result.n_detections:,}"
    rows = [[f"{name} alone could also be", "detections", "value"]]
    rows.append(["with equal scores in their worst order", all_detections, score(band.worst_ties)])
    rows.append(["with equal scores in their best order", all_detections, score(band.best_ties)])
    rows += [
        [f"with scores above {cut.score_cut:g} only", f"{cut.n_detections:,}", score(cut.value)]
        for cut in band.cuts
    ]
    return aligned(rows)
