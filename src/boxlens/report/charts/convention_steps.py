"""The way from one protocol's number to another's: one bar per change of convention."""

from __future__ import annotations

from textwrap import shorten
from typing import Final

from boxlens.report.charts.colours import DARK_BLUE, INK, NEUTRAL
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots
from boxlens.report.charts.forms.steps import waterfall
from boxlens.studies.comparison.conventions.results import (
    ConventionStep,
    ProtocolNumber,
    ReconciliationResult,
)
from boxlens.wording import change, score

DIGITS: Final = 4
LABEL_CHARACTERS: Final = 38


def convention_steps_chart(result: ReconciliationResult) -> Spec:
    """Each bar keeps the changes before it; beside it what the change does alone at either end."""
    moving = [step for step in result.steps if step.moves]
    rows = [_end(result.start), *map(_step, moving), _end(result.end)]
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


def _step(step: ConventionStep) -> Row:
    return {
        "label": [_cut(step.title), _cut(f"{step.from_text} → {step.to_text}")],
        "from": step.before,
        "to": step.after,
        "colour": DARK_BLUE if step.change > 0 else NEUTRAL,
        "change": _change(step.change),
        "first": _change(step.first_alone),
        "last": _change(step.last_alone),
        "tip": {
            "step": step.sentence,
            "AP before": score(step.before, DIGITS),
            "AP then": score(step.after, DIGITS),
        },
    }


def _end(end: ProtocolNumber) -> Row:
    return {
        "label": [_cut(end.protocol.title), _cut(end.protocol.name)],
        "from": end.value,
        "to": end.value,
        "end": end.value,
        "colour": INK,
        "change": score(end.value, DIGITS),
        "first": "",
        "last": "",
        "tip": {end.protocol.title: score(end.value, DIGITS)},
    }


def _cut(text: str) -> str:
    return shorten(text, LABEL_CHARACTERS, placeholder=" ...")


def _change(value: float) -> str:
    """0 is nothing at all, a change too small for the digits is about 0."""
    if round(value, DIGITS) == 0:
        return "≈0" if value else "0"
    return change(value, DIGITS)
