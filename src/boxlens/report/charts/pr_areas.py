"""COCO's seven nested precision-recall curves as filled areas (METHODS 9.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.diagnosis.coco_analyze import CURVES
from boxlens.diagnosis.crosswalk import DET_LABELS
from boxlens.errors import ParameterError
from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.theme import DECIMAL_AXIS, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.data.columns import Floats
    from boxlens.diagnosis.coco_analyze import CocoAnalyzeResult

PLOT_PX = 180
HEIGHT_PX = 150
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
    size = "" if area == "all" else f", {SIZES.get(area, area)} objects"
    who = class_name or group or f"mean over {_n_defined(result, column)} classes"
    heading = {
        "title": "What lies between the detector and perfect precision",
        "about": f"{about + ': ' if about else ''}{who}{size}",
    }
    curves = [
        _Curve(key, f"{name} {decimal(under)} {MEANING[key]}", values)
        for key, name, under, values in zip(
            CURVES,
            result.curve_names,
            ap[:, column].tolist(),
            precision[:, :, column].tolist(),
            strict=True,
        )
        if not math.isnan(under)
    ]
    if not curves:
        why = "no such objects: the curves are undefined"
        return themed(message(why, width=PLOT_PX, height=HEIGHT_PX), **heading)
    missing = "" if any(one.key == "Sim" for one in curves) else " Sim: no similar classes known."
    return themed(
        _areas(curves, picked=class_name is None and group is None and area == "all"),
        **heading,
        reading=f"Each curve forgives one more kind of error; numbers: area under it.{missing}",
    )


@dataclass(frozen=True, slots=True)
class _Curve:
    """One of CURVES, what the legend says of it, and precision by recall."""

    key: str
    label: str
    precision: list[float]


def _n_defined(result: CocoAnalyzeResult, column: int) -> int:
    """Classes with objects in an area range."""
    return int((~np.isnan(result.ap[CURVES.index("FN"), :, column])).sum())


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
        return result.group_precision[:, :, row], result.group_ap[:, row]
    return result.mean_precision, result.mean_ap


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
