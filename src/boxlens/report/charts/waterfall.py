"""Borji and Iranmanesh's waterfall: from AP to 1 by fixing errors in turn (METHODS 4.5)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.theme import DECIMAL_AXIS, LINE, NEUTRAL, WIDTH, inline
from boxlens.studies.diagnosis.borji import STEPS
from boxlens.studies.diagnosis.crosswalk import RIGHT
from boxlens.wording import change, score

if TYPE_CHECKING:
    from boxlens.studies.diagnosis.borji import BorjiResult

PLOT_PX = WIDTH - 40
HEIGHT_PX = 130
WORDS = {
    "start": "AP now",
    "background": "background",
    "localization": "bad places",
    "duplicate": "leftovers",
    "miss": "misses",
}
DONE = {
    "start": "as it is",
    "background": "removed",
    "localization": "corrected",
    "duplicate": "removed",
    "miss": "found",
}


def waterfall_chart(result: BorjiResult) -> alt.LayerChart:
    """Four fixes one after the other, each on top of those before."""
    return _steps(_records(result))


def _records(result: BorjiResult) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    before = 0.0
    for step, (name, after) in enumerate(zip(STEPS, result.ap, strict=True)):
        rows.append(
            {
                "step": [WORDS[name], DONE[name]],
                "place": step,
                "next": min(step + 1, len(STEPS) - 1),
                "from": before,
                "to": after,
                # A step can lower AP where detections are excused.
                "top": max(before, after),
                "gain": after - before,
                "colour": NEUTRAL if step == 0 else kind_of(name).colour,
                **_picked(name),
                "text": score(after) if step == 0 else change(after - before),
            }
        )
        before = after
    return rows


def _picked(name: str) -> dict[str, str]:
    """What a step fixes, and before the first what is right."""
    if name == "miss":
        return picks(WORDS[name], None, of="objects", terms={"borji": name})
    if name == "start":
        return picks(RIGHT, None, terms={"borji": RIGHT})
    return picks(WORDS[name], None, terms={"borji": name})


def _steps(rows: list[dict[str, Any]]) -> alt.LayerChart:
    names = json.dumps([row["step"] for row in rows])
    x = alt.X(
        "place:O",
        title=None,
        axis=alt.Axis(labelExpr=f"{names}[datum.value]", labelAngle=0, ticks=False),
    )
    y_scale = alt.Scale(domain=[0, 1.08], nice=False)
    y = alt.Y(
        "from:Q",
        title="AP",
        scale=y_scale,
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], labelExpr=DECIMAL_AXIS),
    )
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=HEIGHT_PX).encode(
        x=x,
        tooltip=[
            alt.Tooltip("step:N", title="step"),
            alt.Tooltip("gain:Q", title="AP gained", format=".3f"),
            alt.Tooltip("to:Q", title="AP then", format=".3f"),
        ],
    )
    bars = plot.mark_bar().encode(y=y, y2="to:Q", color=alt.Color("colour:N", scale=None))
    labels = plot.mark_text(dy=-6).encode(y=alt.Y("top:Q", scale=y_scale), text="text:N")
    # From the top of a bar to the bar that goes on from there.
    links = plot.mark_rule(color=LINE, strokeWidth=0.5).encode(
        y=alt.Y("to:Q", scale=y_scale), x=x, x2="next:O"
    )
    return alt.LayerChart(layer=[links, bars, labels])
