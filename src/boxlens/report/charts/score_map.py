"""Where a detector scores boxes high: beside their object, and larger or smaller than it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import numpy as np

from boxlens.report.charts.method_lines import above_panel
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import (
    DARK_BLUE,
    DECIMAL_AXIS,
    INK,
    LINE,
    PALE_BLUE,
    WIDTH,
    fixed,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boxlens.proposals.detection_use.oracle_result import DetectorScores, ScoreMap

SIDE_PX: Final = 150
# Detections of a cell that sets the scale of colours, and of one that is not faint.
FEWEST: Final = 5
PANEL_TITLES: Final = {"shift": "moved", "scale": "resized"}
AXIS_TITLES: Final = {
    "shift": ("to the right, in widths", "down, in heights"),
    "scale": ("width, times the object's", "height, times the object's"),
}
CROSS: Final = "M-1,0L1,0M0,-1L0,1"
# Powers of two as factors.
FACTOR_AXIS: Final = (
    "datum.value < 0 ? '1/' + format(pow(2, -datum.value), '~g')"
    " : format(pow(2, datum.value), '~g')"
)


def highest_score(scores: Iterable[DetectorScores]) -> float:
    """Of the cells of all maps, so that they share their colours; NaN: there are none.

    A single detection of a high score would leave all others pale: cells of several go first.
    """
    maps = [drawn for one in scores for drawn in one.maps]
    for fewest in (FEWEST, 1):
        found = [drawn.mean[drawn.n_detections >= fewest] for drawn in maps]
        highest = max((float(values.max()) for values in found if len(values)), default=math.nan)
        if highest > 0:
            return highest
    return highest


def score_map_chart(
    scores: DetectorScores, *, highest: float, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """`highest` is as dark as cells become."""
    title = "Scores around objects"
    maps = [one for one in scores.maps if not np.isnan(one.mean).all()]
    if not maps:
        empty = message("no detection overlaps an object", width=WIDTH, height=SIDE_PX // 2)
        return themed(empty, title=title, about=about)
    reading = (
        "Mean score, from 0 to 1 in every class, of detections whose box is moved against its "
        "object or has another size; cross: the object itself. Blank: no detection; faint: "
        f"fewer than {FEWEST}."
    )
    left_out = ", ".join(
        f"{one.n_left_out:,} ({PANEL_TITLES[one.kind]})" for one in maps if one.n_left_out
    )
    if left_out:
        reading += (
            f" Left out, since further away or of a class whose scores are all alike: {left_out}."
        )
    whole = alt.hconcat(*(_panel(one, highest) for one in maps), spacing=14)
    return themed(whole, title=title, about=about, reading=reading)


def _panel(found: ScoreMap, highest: float) -> alt.LayerChart:
    x_title, y_title = AXIS_TITLES[found.kind]
    x_ends, y_ends = ([edges[0], edges[-1]] for edges in (found.x_edges, found.y_edges))
    # In pictures y goes down; a height goes up.
    if found.kind == "shift":
        y_ends = y_ends[::-1]
    labels = FACTOR_AXIS if found.kind == "scale" else DECIMAL_AXIS
    colour = alt.Color(
        "score:Q",
        scale=alt.Scale(
            domain=[0, highest or 1.0],
            range=[PALE_BLUE, DARK_BLUE],
            interpolate="lab",
            clamp=True,
        ),
        legend=alt.Legend(
            title="score",
            titleOrient="left",
            orient="bottom",
            direction="horizontal",
            gradientLength=SIDE_PX,
            gradientThickness=9,
            tickCount=4,
            labelExpr=DECIMAL_AXIS,
        ),
    )
    cells = (
        alt.Chart(inline(_records(found)), width=SIDE_PX, height=SIDE_PX)
        .mark_rect(strokeWidth=0)
        .encode(
            x=alt.X(
                "x:Q",
                scale=alt.Scale(domain=x_ends, nice=False),
                axis=alt.Axis(title=x_title, labelExpr=labels, tickCount=5, grid=False),
            ),
            x2="x2:Q",
            y=alt.Y(
                "y:Q",
                scale=alt.Scale(domain=y_ends, nice=False),
                axis=alt.Axis(title=y_title, labelExpr=labels, tickCount=5, grid=False),
            ),
            y2="y2:Q",
            color=colour,
            opacity=alt.condition(f"datum.n < {FEWEST}", alt.value(0.35), alt.value(1)),
            tooltip=[
                alt.Tooltip("score:Q", format=".3f"),
                alt.Tooltip("n:Q", title="detections", format=","),
            ],
        )
    )
    return alt.LayerChart(
        layer=[cells, *_cross(), above_panel(PANEL_TITLES[found.kind])],
        view=alt.ViewConfig(stroke=LINE, strokeWidth=0.5),
    )


def _records(found: ScoreMap) -> list[dict[str, Any]]:
    x, y = found.x_edges.tolist(), found.y_edges.tolist()
    return [
        {
            "x": x[column],
            "x2": x[column + 1],
            "y": y[line],
            "y2": y[line + 1],
            "score": round(float(found.mean[line, column]), 4),
            "n": int(found.n_detections[line, column]),
        }
        for line, column in np.argwhere(~np.isnan(found.mean)).tolist()
    ]


def _cross() -> list[alt.Chart]:
    """Legible on dark and on pale cells."""
    plot = alt.Chart(inline([{}])).encode(
        x=fixed(alt.XValue, SIDE_PX / 2), y=fixed(alt.YValue, SIDE_PX / 2)
    )
    return [
        plot.mark_point(shape=CROSS, size=50, filled=False, opacity=1, stroke=ink, strokeWidth=wide)
        for ink, wide in (("white", 2.5), (INK, 1))
    ]
