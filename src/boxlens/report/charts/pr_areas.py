"""COCO's seven nested precision-recall curves as filled areas (METHODS 9.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.theme import DECIMAL_AXIS, inline
from boxlens.studies.diagnosis.coco_analyze import CURVES
from boxlens.studies.diagnosis.crosswalk import DET_LABELS
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.studies.diagnosis.coco_analyze import CocoAnalyzeResult

PLOT_PX = 180
HEIGHT_PX = 150
# What each curve forgives, and the colour of the area it adds. C75 and C50 are both correct.
MEANING = {
    "C75": "correct, strictly",
    "C50": "correct",
    "Loc": KINDS["loc"].label,
    "Sim": KINDS["sim"].label,
    "Oth": KINDS["oth"].label,
    "BG": KINDS["bg"].label,
    "FN": KINDS["miss"].label,
}
COLOURS = {
    "C75": KINDS["correct"].colour,
    "C50": "#80cfb9",  # the same, half as strong
    "Loc": KINDS["loc"].colour,
    "Sim": KINDS["sim"].colour,
    "Oth": KINDS["oth"].colour,
    "BG": KINDS["bg"].colour,
    "FN": KINDS["miss"].colour,
}


def pr_areas_chart(result: CocoAnalyzeResult, column: int) -> alt.Chart:
    """The mean over classes; objects of the range of sizes with this column."""
    curves = [
        _Curve(key, f"{name} {score(under)} {MEANING[key]}", values)
        for key, name, under, values in zip(
            CURVES,
            result.curve_names,
            result.mean_ap[:, column].tolist(),
            result.mean_precision[:, :, column].tolist(),
            strict=True,
        )
        if not math.isnan(under)
    ]
    return _areas(curves, picked=result.areas[column] == "all")


@dataclass(frozen=True, slots=True)
class _Curve:
    """One of CURVES, what the legend says of it, and precision by recall."""

    key: str
    label: str
    precision: list[float]


def _picked(one: _Curve) -> dict[str, str]:
    """What the curve forgives; the first two forgive nothing."""
    if one.key == "FN":
        return picks(one.label, None, of="objects", terms={"coco_analyze": "fn"})
    forgiven = one.key.lower()
    known = forgiven in DET_LABELS["coco_analyze"]
    return picks(one.label, None, terms={"coco_analyze": forgiven}) if known else {}


def _records(curves: Sequence[_Curve], *, picked: bool) -> Iterator[dict[str, Any]]:
    """The area of a curve lies between it and the one before."""
    below = [0.0] * len(COCO_RECALLS)
    for one in curves:
        more = _picked(one) if picked else {}
        for recall, low, high in zip(COCO_RECALLS.tolist(), below, one.precision, strict=True):
            yield {
                "curve": one.label,
                "recall": round(recall, 2),
                "from": round(low, 5),
                "to": round(high, 5),
                **more,
            }
        below = one.precision


def _areas(curves: Sequence[_Curve], *, picked: bool) -> alt.Chart:
    chosen = alt.selection_point(name="chosen_curve", fields=["curve"], bind="legend")
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], labelExpr=DECIMAL_AXIS, grid=False)
    areas: alt.Chart = (
        alt.Chart(
            inline(_records(curves, picked=picked)), width=PLOT_PX, height=HEIGHT_PX, name="curves"
        )
        .mark_area()
        .encode(
            x=alt.X(
                "recall:Q", title="recall", scale=alt.Scale(domain=[0, 1], nice=False), axis=axis
            ),
            y=alt.Y("from:Q", title="precision", scale=alt.Scale(domain=[0, 1]), axis=axis),
            y2="to:Q",
            color=alt.Color(
                "curve:N",
                # The largest area is on top of the legend, as it is in the plot.
                scale=alt.Scale(
                    domain=[one.label for one in reversed(curves)],
                    range=[COLOURS[one.key] for one in reversed(curves)],
                ),
                legend=alt.Legend(title=None, orient="right", rowPadding=4, offset=8),
            ),
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.2)),
            tooltip=[alt.Tooltip("curve:N")],
        )
        .add_params(chosen)
    )
    return areas
