"""From one protocol's number to another's: the steps between, all protocols, what is uncertain."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from boxlens.report.charts.convention_steps import convention_steps_chart
from boxlens.report.study import (
    COUNT,
    FINE_CHANGE,
    FINE_SCORE,
    TEXT,
    Column,
    Note,
    Plot,
    Section,
    Study,
    Table,
    table_of,
)
from boxlens.studies.comparison.conventions.results import (
    ORDER_MATTERS,
    ConventionStep,
    ProtocolNumber,
    ReconciliationResult,
)
from boxlens.wording import counted

GUIDE = "reconcile"


def study(result: ReconciliationResult) -> Study:
    start, end = result.start, result.end
    ends = (f"{one.protocol.name} {FINE_SCORE.text(one.value)}" for one in (start, end))
    return Study(
        title=result.detector,
        data=result.dataset,
        facts=(
            f"{' to '.join(ends)} ({FINE_CHANGE.text(result.difference)})",
            counted(result.n_detections, "detection"),
            counted(result.n_images, "image"),
        ),
        sentences=(result.summary,),
        tiles=(
            (start.protocol.title, start.value, FINE_SCORE),
            (end.protocol.title, end.value, FINE_SCORE),
            ("difference", result.difference, FINE_CHANGE),
        ),
        sections=(
            Section(
                "steps",
                "From one number to the other",
                (_plot(result), _steps(result), *_notes(result)),
                reading="Convention by convention, the first protocol is changed into the last, "
                "and AP is computed again after each step.",
                guide=GUIDE,
            ),
            Section(
                "protocols",
                "Protocols",
                (_protocols(result),),
                reading="What each protocol would print for these files.",
                guide=GUIDE,
            ),
            Section(
                "band",
                "Ties and score cuts",
                (_band(result),),
                reading="How far the first number moves with the order of equal scores, and with "
                "detections that are cut off.",
                guide=GUIDE,
            ),
        ),
    )


def _plot(result: ReconciliationResult) -> Plot:
    return Plot(
        "convention_steps",
        f"From {result.start.protocol.title} to {result.end.protocol.title}",
        "Which conventions make the difference between the two numbers?",
        partial(convention_steps_chart, result),
        legend=_legend(result),
        about=f"{result.detector} on {result.dataset}",
        absent="AP is undefined because no object counts" if math.isnan(result.difference) else "",
    )


def _legend(result: ReconciliationResult) -> str:
    text = (
        "Blue raises, grey lowers. Each step keeps those above it: its size depends on the order. "
        "First, last: the change alone, at the first and at the last number."
    )
    return text + _without_effect(result, " Without effect here")


def _steps(result: ReconciliationResult) -> Table[ConventionStep]:
    return Table(
        "steps",
        "AP after changing one convention after the other",
        result.steps,
        [
            Column("convention", "", lambda step: step.convention, TEXT),
            Column("title", "convention", lambda step: step.title, TEXT),
            Column("from", "from", lambda step: step.from_text, TEXT),
            Column("to", "to", lambda step: step.to_text, TEXT),
            Column("before", "", lambda step: step.before, FINE_SCORE),
            Column("after", "AP after it", lambda step: step.after, FINE_SCORE),
            Column("change", "change", lambda step: step.change, FINE_CHANGE),
            Column("first_alone", "alone, first", lambda step: step.first_alone, FINE_CHANGE),
            Column("last_alone", "alone, last", lambda step: step.last_alone, FINE_CHANGE),
            Column("sentence", "", lambda step: step.sentence, TEXT),
        ],
        brief=[step for step in result.steps if step.moves],
    )


def _notes(result: ReconciliationResult) -> list[Note]:
    moving = [Note(f"{step.title}: {step.sentence}") for step in result.steps if step.moves]
    still = _without_effect(result, "Without effect on these files")
    return [*moving, *[Note(ORDER_MATTERS)] * bool(moving), *[Note(still)] * bool(still)]


def _without_effect(result: ReconciliationResult, words: str) -> str:
    still = [step.title for step in result.steps if not step.moves]
    return f"{words}: {', '.join(still)}." if still else ""


def _protocols(result: ReconciliationResult) -> Table[ProtocolNumber]:
    start = result.start
    return Table(
        "protocols",
        "AP of the same files under each protocol",
        result.protocols,
        [
            Column("protocol", "protocol", lambda row: row.protocol.name, TEXT),
            Column("metric", "number", lambda row: row.protocol.title, TEXT),
            Column("value", "value", lambda row: row.value, FINE_SCORE),
            Column(
                "", f"from {start.protocol.name}", lambda row: row.value - start.value, FINE_CHANGE
            ),
            Column("remark", "missing", lambda row: row.remark or None, TEXT),
        ],
    )


def _band(result: ReconciliationResult) -> Table[Any]:
    band, n_all = result.band, result.n_detections
    return table_of(
        "",
        f"What else {result.start.protocol.title} could be",
        {"with": TEXT, "detections": COUNT, "value": FINE_SCORE},
        [
            ("equal scores in their worst order", n_all, band.worst_ties),
            ("equal scores in their best order", n_all, band.best_ties),
            *(
                (f"scores above {one.score_cut:g}", one.n_detections, one.value)
                for one in band.cuts
            ),
        ],
    )
