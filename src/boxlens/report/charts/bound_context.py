"""How often objects are labelled correctly from less and more than their box (METHODS 4.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.method_lines import (
    LineStyle,
    line_encoding,
    method_key,
    recall_limit,
)
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    LINE,
    fixed,
    inline,
)
from boxlens.studies.upper_bound.result import CROP_TITLES
from boxlens.wording import number, score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.studies.upper_bound.result import ContextAccuracy

PLOT_PX: Final = 400
HEIGHT_PX: Final = 220
# Two dashes, so that lines of one height are both seen.
WITH, WITHOUT = (6, 3), (2, 3)
# Between two labels beside the plot.
LABEL_PX: Final = 13.0
STYLES: Final[Mapping[str, LineStyle]] = {
    "object": LineStyle(KINDS["loc"].colour, (1, 0)),
    "object_and_context": LineStyle(KINDS["correct"].colour, (1, 0)),
    "context": LineStyle(KINDS["cls"].colour, (1, 0)),
    "image": LineStyle(KINDS["correct"].colour, WITH),
    "image_context": LineStyle(KINDS["cls"].colour, WITHOUT),
}


def bound_context_chart(known: Sequence[ContextAccuracy]) -> alt.VConcatChart:
    """One line per kind of crop over its scale; dashed, what the whole picture gives."""
    kinds = {one.kind for one in known}
    styles = {title: STYLES[kind] for kind, title in CROP_TITLES.items() if kind in kinds}
    return alt.vconcat(*method_key(styles, width=PLOT_PX), _plot(known, styles), spacing=6)


def _plot(known: Sequence[ContextAccuracy], styles: Mapping[str, LineStyle]) -> alt.LayerChart:
    scaled = [one for one in known if not math.isnan(one.scale)]
    widest = max((one.scale for one in scaled), default=1.0)
    limit = recall_limit(one.accuracy for one in known)
    colour = line_encoding(styles, "kind")["color"]
    y = alt.Y(
        "accuracy:Q",
        scale=alt.Scale(domain=[0, limit], nice=False),
        axis=alt.Axis(title="accuracy", labelExpr=DECIMAL_AXIS, tickCount=5),
    )
    x = alt.X(
        "scale:Q",
        scale=alt.Scale(domain=[0, 1.03 * widest], nice=False),
        axis=alt.Axis(title="scale of the box", labelExpr=DECIMAL_AXIS, tickCount=8),
    )
    own = alt.Chart(inline([{"scale": 1.0}]), width=PLOT_PX, height=HEIGHT_PX)
    layers = [own.mark_rule(color=LINE, strokeWidth=0.75).encode(x=x)]
    layers += _whole_pictures([one for one in known if math.isnan(one.scale)], styles, y, limit)
    if scaled:
        lines = alt.Chart(inline([*_joint(scaled), *map(_record, scaled)])).encode(x=x, y=y)
        points = alt.Chart(inline(map(_record, scaled))).encode(x=x, y=y, tooltip=_tips())
        layers += [
            lines.mark_line(strokeWidth=1.75, strokeJoin="round").encode(color=colour),
            points.mark_point(filled=True, size=24, opacity=1).encode(color=colour),
        ]
    return alt.LayerChart(layer=layers)


def _whole_pictures(
    whole: Sequence[ContextAccuracy], styles: Mapping[str, LineStyle], y: alt.Y, limit: float
) -> list[alt.Chart]:
    """Lines across, with their values at the right end."""
    if not whole:
        return []
    encoding = line_encoding(styles, "kind")
    rules = alt.Chart(inline(map(_record, whole))).mark_rule(strokeWidth=1.5)
    values = alt.Chart(inline(_labels(whole, limit))).mark_text(align="left", fontSize=FONT_PX - 1)
    return [
        rules.encode(y=y, tooltip=_tips(), **encoding),
        values.encode(
            x=fixed(alt.XValue, PLOT_PX + 6),
            y=alt.Y("label_px:Q", scale=None),
            text="label:N",
            color=encoding["color"],
        ),
    ]


def _labels(whole: Sequence[ContextAccuracy], limit: float) -> list[dict[str, Any]]:
    """From the top down, no two over each other, none below the plot."""
    ordered = sorted(whole, key=lambda one: -one.accuracy)
    places: list[float] = []
    for one in ordered:
        above = places[-1] + LABEL_PX if places else 0.0
        places.append(max(HEIGHT_PX * (1 - one.accuracy / limit), above))
    too_low = max(places[-1] - HEIGHT_PX, 0.0)
    return [
        {
            "kind": CROP_TITLES[one.kind],
            "label": f"{score(one.accuracy)} {CROP_TITLES[one.kind]}",
            "label_px": place - too_low,
        }
        for one, place in zip(ordered, places, strict=True)
    ]


def _joint(scaled: Sequence[ContextAccuracy]) -> list[dict[str, Any]]:
    """Where the object alone ends, the object with context begins."""
    objects = [one for one in scaled if one.kind == "object"]
    if not objects or not any(one.kind == "object_and_context" for one in scaled):
        return []
    last = max(objects, key=lambda one: one.scale)
    return [{**_record(last), "kind": CROP_TITLES["object_and_context"]}]


def _record(one: ContextAccuracy) -> dict[str, Any]:
    whole = math.isnan(one.scale)
    return {
        "kind": CROP_TITLES[one.kind],
        "scale": None if whole else one.scale,
        "scale_text": "the picture" if whole else number(one.scale),
        "accuracy": one.accuracy,
        "text": score(one.accuracy),
        "class_text": score(one.class_accuracy),
        "objects": one.n_objects,
    }


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("kind:N", title="crop"),
        alt.Tooltip("scale_text:N", title="scale"),
        alt.Tooltip("text:N", title="accuracy"),
        alt.Tooltip("class_text:N", title="mean over classes"),
        alt.Tooltip("objects:Q", format=","),
    ]
