"""From one protocol's number to another's: the steps between, all protocols, what is uncertain."""

from __future__ import annotations

import math
from functools import partial
from textwrap import shorten
from typing import Any

from boxlens.report.charts.colours import DARK_BLUE, INK, NEUTRAL
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots
from boxlens.report.charts.forms.steps import waterfall
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

LABEL_CHARACTERS = 38


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
            ),
            Section(
                "protocols",
                "Protocols",
                (_protocols(result),),
                reading="What each protocol would print for these files.",
            ),
            Section(
                "band",
                "Ties and score cuts",
                (_band(result),),
                reading="How far the first number moves with the order of equal scores, and with "
                "detections that are cut off.",
            ),
        ),
        guide="reconcile",
    )


def _plot(result: ReconciliationResult) -> Plot:
    return Plot(
        "convention_steps",
        f"From {result.start.protocol.title} to {result.end.protocol.title}",
        "Which conventions make the difference between the two numbers?",
        partial(_draw, result),
        legend="Blue raises, grey lowers. Each step keeps those above it: its size depends on the "
        "order. First, last: the change alone, at the first and at the last number."
        f"{_without_effect(result, ' Without effect here')}",
        about=f"{result.detector} on {result.dataset}",
        absent="AP is undefined because no object counts" * math.isnan(result.difference),
    )


def _draw(result: ReconciliationResult) -> Spec:
    """Each bar keeps the changes before it; beside it what the change does alone at either end."""
    bars = (_bar(step) for step in result.steps if step.moves)
    rows = [_end_bar(result.start), *bars, _end_bar(result.end)]
    for place, row in enumerate(rows):
        row["row"] = str(place)
    low, high = around(row[end] for row in rows for end in ("from", "to"))
    return waterfall(
        rows,
        Names({row["row"]: row["label"] for row in rows}, px=30, characters=LABEL_CHARACTERS),
        # The bars float, and their ends are marks: nothing has to begin at 0.
        Axis("AP", (max(low, 0), high), ticks=4),
        dots("end", size=46, color=INK),
        width=150,
        columns={
            heading: {row["row"]: row[heading] for row in rows}
            for heading in ("change", "first", "last")
        },
    )


def _bar(step: ConventionStep) -> Row:
    return {
        "label": _label(step.title, f"{step.from_text} → {step.to_text}"),
        "from": step.before,
        "to": step.after,
        "colour": DARK_BLUE if step.change > 0 else NEUTRAL,
        "change": _change(step.change),
        "first": _change(step.first_alone),
        "last": _change(step.last_alone),
        "tip": {
            "step": step.sentence,
            "AP before": FINE_SCORE.text(step.before),
            "AP then": FINE_SCORE.text(step.after),
        },
    }


def _end_bar(end: ProtocolNumber) -> Row:
    told = FINE_SCORE.text(end.value)
    return {
        "label": _label(end.protocol.title, end.protocol.name),
        **dict.fromkeys(("from", "to", "end"), end.value),
        "colour": INK,
        "change": told,
        "first": "",
        "last": "",
        "tip": {end.protocol.title: told},
    }


def _label(*lines: str) -> list[str]:
    return [shorten(line, LABEL_CHARACTERS, placeholder=" ...") for line in lines]


def _change(value: float) -> str:
    """0 is nothing at all, a change too small for the digits is about 0."""
    if round(value, 4) == 0:
        return "≈0" if value else "0"
    return FINE_CHANGE.text(value)


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
    since_start = f"from {start.protocol.name}"
    return Table(
        "protocols",
        "AP of the same files under each protocol",
        result.protocols,
        [
            Column("protocol", "protocol", lambda row: row.protocol.name, TEXT),
            Column("metric", "number", lambda row: row.protocol.title, TEXT),
            Column("value", "value", lambda row: row.value, FINE_SCORE),
            Column("", since_start, lambda row: row.value - start.value, FINE_CHANGE),
            Column("remark", "missing", lambda row: row.remark or None, TEXT),
        ],
    )


def _band(result: ReconciliationResult) -> Table[Any]:
    band, n_all = result.band, result.n_detections
    forms = {"with": TEXT, "detections": COUNT, "value": FINE_SCORE}
    rows = [
        ("equal scores in their worst order", n_all, band.worst_ties),
        ("equal scores in their best order", n_all, band.best_ties),
        *((f"scores above {one.score_cut:g}", one.n_detections, one.value) for one in band.cuts),
    ]
    return table_of("", f"What else {result.start.protocol.title} could be", forms, rows)
