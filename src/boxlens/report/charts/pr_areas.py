"""COCO's seven nested precision-recall curves as filled areas (METHODS 9.1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.diagnosis.coco_analyze import CURVES
from boxlens.errors import ParameterError
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import DECIMAL_AXIS, KINDS, decimal, inline, themed

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.diagnosis.coco_analyze import CocoAnalyzeResult

PLOT_PX = 180
HEIGHT_PX = 150
_LOC, _SIM = CURVES.index("Loc"), CURVES.index("Sim")
SIZES = {"s": "small", "m": "medium", "l": "large"}
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


def pr_areas_chart(
    result: CocoAnalyzeResult,
    *,
    class_name: str | None = None,
    group: str | None = None,
    area: str = "all",
    about: str = "",
) -> alt.Chart:
    """All classes, or one class, or one supercategory; objects of all sizes or of one range."""
    column = _place(area, result.areas, "area range")
    precision, ap = _chosen(result, class_name, group)
    who = class_name or group or f"mean over {len(result.classes)} classes"
    size = "" if area == "all" else f", {SIZES.get(area, area)} objects"
    heading = {
        "title": "What lies between the detector and perfect precision",
        "about": f"{about + ': ' if about else ''}{who}{size}",
    }
    curves = dict(zip(CURVES, precision[:, :, column], strict=True))
    known = {name: curve for name, curve in curves.items() if not np.isnan(curve).any()}
    if not known:
        why = "no such objects: the curves are undefined"
        return themed(message(why, width=PLOT_PX, height=HEIGHT_PX), **heading)
    missing = " Sim: no similar classes known." if "Sim" not in known else ""
    return themed(
        _areas(known, dict(zip(CURVES, ap[:, column].tolist(), strict=True))),
        **heading,
        reading=(f"Each curve forgives one more kind of error; numbers: area under it.{missing}"),
    )


def _place(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        raise ParameterError(f"there is no {what} {name!r}: there are {', '.join(names)}")
    return names.index(name)


def _chosen(
    result: CocoAnalyzeResult, class_name: str | None, group: str | None
) -> tuple[Floats, Floats]:
    """[curve, recall, area] and [curve, area]."""
    if class_name is not None and group is not None:
        raise ParameterError("the curves are those of a class or of a group, not of both")
    if class_name is not None:
        row = _place(class_name, result.classes, "class")
        return result.precision[:, :, row], result.ap[:, row]
    if group is not None:
        row = _place(group, tuple(name for name, _ in result.groups), "group")
        members = [result.classes.index(name) for name in result.groups[row][1]]
        return _mean(result.precision[:, :, members]), result.group_ap[:, row]
    return result.mean_precision, result.mean_ap


def _mean(precision: Floats) -> Floats:
    """[curve, recall, area] over classes with objects, as the result takes its means: where some
    classes have no similar ones, Loc stands in for their Sim."""
    completed = precision.copy()
    sim_known = ~np.isnan(precision[_SIM])
    alone = np.isnan(precision[_SIM]) & ~np.isnan(precision[_LOC])
    stands_in = alone & sim_known.any(axis=1, keepdims=True)
    completed[_SIM][stands_in] = precision[_LOC][stands_in]
    known = ~np.isnan(completed)
    n = known.sum(axis=2)
    total = np.where(known, completed, 0).sum(axis=2)
    mean: Floats = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    return mean


def _areas(curves: dict[str, Floats], ap: dict[str, float]) -> alt.Chart:
    rows: list[dict[str, Any]] = []
    labels = {name: f"{name} {decimal(ap[name])} {MEANING[name]}" for name in curves}
    below = [0.0] * len(COCO_RECALLS)
    for name, curve in curves.items():
        values = curve.tolist()
        rows += [
            {
                "curve": labels[name],
                "recall": round(recall, 2),
                "from": round(low, 5),
                "to": round(high, 5),
            }
            for recall, low, high in zip(COCO_RECALLS.tolist(), below, values, strict=True)
            if not math.isnan(high)
        ]
        below = values
    chosen = alt.selection_point(name="chosen_curve", fields=["curve"], bind="legend")
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], labelExpr=DECIMAL_AXIS, grid=False)
    # The largest area is on top of the legend, as it is in the plot.
    order = list(curves)[::-1]
    areas: alt.Chart = (
        alt.Chart(inline(rows), width=PLOT_PX, height=HEIGHT_PX, name="curves")
        .mark_area()
        .encode(
            x=alt.X(
                "recall:Q", title="recall", scale=alt.Scale(domain=[0, 1], nice=False), axis=axis
            ),
            y=alt.Y("from:Q", title="precision", scale=alt.Scale(domain=[0, 1]), axis=axis),
            y2="to:Q",
            color=alt.Color(
                "curve:N",
                scale=alt.Scale(
                    domain=[labels[name] for name in order],
                    range=[COLOURS[name] for name in order],
                ),
                legend=alt.Legend(title=None, orient="right", rowPadding=4, offset=8),
            ),
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.2)),
            tooltip=[alt.Tooltip("curve:N")],
        )
        .add_params(chosen)
    )
    return areas
