"""What detectors could reach together, and which objects one of them alone finds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.detector_pair import FIRST, SECOND, short_labels
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message, number_column, panel_title, rows_axis
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    INK,
    NEUTRAL,
    WIDTH,
    decimal,
    inline,
    percent,
    themed,
    threshold,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.comparison.together.joint_bound import Found, JointBoundResult
    from boxlens.comparison.together.merged_rankings import MergedAp

PLOT_PX = 165
COLUMN_PX = 44
ROW_PX = 16
LABEL_PX = 150
LABEL_CHARACTERS = 25
# With more detectors the best and those that find most alone are shown.
MOST_DETECTORS = 6
TOGETHER = KINDS["correct"].colour


def joint_chart(result: JointBoundResult, *, about: str = "") -> alt.VConcatChart | alt.Chart:
    """AP alone and joined above, objects by who finds them below."""
    title = "What they could reach together"
    if math.isnan(result.rankings.joint()["AP"]) or not result.found.n_objects:
        empty = message("no objects count: AP is undefined", width=WIDTH, height=ROW_PX * 6)
        return themed(empty, title=title, about=about)
    return themed(
        alt.vconcat(_reached(result.rankings), _found(result), spacing=12),
        title=title,
        about=about,
        reading=_reading(result),
    )


def _reading(result: JointBoundResult) -> str:
    text = (
        "Above, by one who knows the truth: in every image the detector that is better there "
        "(scores of two detectors do not compare, so this may lose); the best detector with the "
        "hits it lacks; the better of both. Stroke: with scores first replaced by how often such a "
        f"detection is right. Below: detections of any score, IoU {threshold(result.found.iou)}."
    )
    n = len(result.detectors)
    return f"{text} The {MOST_DETECTORS} best of {n} detectors." if n > MOST_DETECTORS else text


def _reached(rankings: MergedAp) -> alt.HConcatChart:
    single = rankings.single
    order = sorted(range(len(single)), key=lambda row: -single[row].metrics["AP"])
    colours = _colours(len(single))
    shown = sorted(order[:MOST_DETECTORS])
    rows = [_bar(single[row].name, single[row].metrics["AP"], colours[row]) for row in shown]
    rows.append(
        _bar(
            "better in each image",
            rankings.chosen.metrics["AP"],
            NEUTRAL,
            rankings.chosen_aligned.metrics["AP"],
        )
    )
    best = order[0]
    rows.append(
        _bar(
            f"{single[best].name} + hits",
            rankings.with_hits[best].metrics["AP"],
            colours[best],
            rankings.with_hits_aligned[best].metrics["AP"],
        )
    )
    rows.append(_bar("together, at most", rankings.joint()["AP"], TOGETHER))
    return alt.hconcat(
        _bars(rows, axis=alt.Axis(title="AP", labelExpr=DECIMAL_AXIS, tickCount=4)).properties(
            title=panel_title("AP, alone and joined")
        ),
        number_column(
            {row["name"]: decimal(row["value"]) for row in rows},
            title="AP",
            width=COLUMN_PX,
            row_px=ROW_PX,
        ),
        spacing=4,
    )


def _found(result: JointBoundResult) -> alt.HConcatChart:
    rows = _finders(result.found, result.detectors)
    n = result.found.n_objects
    return alt.hconcat(
        _bars(rows, axis=alt.Axis(title="objects", format=",d", tickCount=4)).properties(
            title=panel_title("objects, by who finds them")
        ),
        number_column(
            {row["name"]: f"{row['value']:,}" for row in rows},
            title="objects",
            width=COLUMN_PX,
            row_px=ROW_PX,
        ),
        number_column(
            {row["name"]: percent(row["value"] / n) for row in rows},
            title="share",
            width=COLUMN_PX - 10,
            row_px=ROW_PX,
        ),
        spacing=4,
    )


def _finders(found: Found, detectors: Sequence[str]) -> list[dict[str, Any]]:
    colours = _colours(len(detectors))
    most = sorted(range(len(detectors)), key=lambda row: -found.only[row])[:MOST_DETECTORS]
    if len(detectors) > MOST_DETECTORS:
        most = [row for row in most if found.only[row]]
    rows = [_bar(f"only {detectors[row]}", found.only[row], colours[row]) for row in sorted(most)]
    if len(detectors) == 2:
        rows.append(_bar("both", found.all, TOGETHER))
    else:
        several = found.any - found.all - sum(found.only)
        rows += [_bar("several, not all", several, NEUTRAL), _bar("all", found.all, TOGETHER)]
    return [*rows, _bar("none", found.none, KINDS["miss"].colour)]


def _colours(n: int) -> list[str]:
    return [FIRST, SECOND] if n == 2 else [NEUTRAL] * n


def _bar(name: str, value: float, colour: str, aligned: float | None = None) -> dict[str, Any]:
    return {"name": name, "value": value, "colour": colour, "aligned": aligned}


def _bars(rows: list[dict[str, Any]], *, axis: alt.Axis) -> alt.LayerChart:
    names = [row["name"] for row in rows]
    ends = [row[key] or 0 for row in rows for key in ("value", "aligned")]
    scale = alt.Scale(domain=[0, 1.04 * max(ends) or 1], nice=False)
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(rows)).encode(
        y=rows_axis(
            "name",
            names,
            alt.Axis(
                ticks=False,
                domain=False,
                labelLimit=LABEL_PX,
                labelExpr=short_labels(names, LABEL_CHARACTERS),
            ),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="who"),
            alt.Tooltip("value:Q", title="value", format=".4~f"),
            alt.Tooltip("aligned:Q", title="scores aligned", format=".4~f"),
        ],
    )
    return alt.LayerChart(
        layer=[
            plot.mark_bar(height=11).encode(
                x=alt.X("value:Q", scale=scale, axis=axis), color=alt.Color("colour:N", scale=None)
            ),
            plot.mark_tick(color=INK, thickness=1.5, height=13).encode(
                x=alt.X("aligned:Q", scale=scale, axis=axis)
            ),
        ]
    )
