"""How often objects are named rightly from less and more than their box (METHODS 4.4)."""

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
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import DECIMAL_AXIS, LINE, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.recognition_bound.result import ContextAccuracy, UpperBoundResult

PLOT_PX: Final = 400
HEIGHT_PX: Final = 220
WORDS: Final[Mapping[str, str]] = {
    "object": "object",
    "object_and_context": "object and context",
    "context": "context alone",
    "image": "whole picture",
    "image_context": "picture without object",
}
DASH: Final = (4, 2)
STYLES: Final[Mapping[str, LineStyle]] = {
    "object": LineStyle(KINDS["loc"].colour, (1, 0)),
    "object_and_context": LineStyle(KINDS["correct"].colour, (1, 0)),
    "context": LineStyle(KINDS["cls"].colour, (1, 0)),
    "image": LineStyle(KINDS["correct"].colour, DASH),
    "image_context": LineStyle(KINDS["cls"].colour, DASH),
}


def bound_context_chart(
    result: UpperBoundResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """A line a kind of crop over its scale; dashed, what the whole picture gives."""
    title = "Accuracy with less and with more than the box"
    known = [one for one in result.context if not math.isnan(one.accuracy)]
    if not known:
        empty = message("no object has a label", width=WIDTH, height=HEIGHT_PX // 2)
        return themed(empty, title=title, about=about)
    styles = {WORDS[kind]: STYLES[kind] for kind in WORDS if any(one.kind == kind for one in known)}
    reading = (
        "Share of objects with the right label, by the sides of the crop over those of the box. "
        "Context alone: the box itself is blank."
    )
    if any(math.isnan(one.scale) for one in known):
        reading += " Dashed: from the whole picture."
    whole = alt.vconcat(*method_key(styles, width=PLOT_PX), _plot(known, styles), spacing=6)
    return themed(whole, title=title, about=about, reading=reading)


def _plot(known: Sequence[ContextAccuracy], styles: Mapping[str, LineStyle]) -> alt.LayerChart:
    scaled = [one for one in known if not math.isnan(one.scale)]
    widest = max((one.scale for one in scaled), default=1.0)
    encoding = line_encoding(styles, "kind")
    y = alt.Y(
        "accuracy:Q",
        scale=alt.Scale(domain=[0, recall_limit(one.accuracy for one in known)], nice=False),
        axis=alt.Axis(title="accuracy", labelExpr=DECIMAL_AXIS, tickCount=5),
    )
    x = alt.X(
        "scale:Q",
        scale=alt.Scale(domain=[0, 1.03 * widest], nice=False),
        axis=alt.Axis(title="scale of the box", labelExpr=DECIMAL_AXIS, tickCount=8),
    )
    one_to_one = inline([{"scale": 1.0}])
    own = alt.Chart(one_to_one, width=PLOT_PX, height=HEIGHT_PX)
    layers = [own.mark_rule(color=LINE, strokeWidth=0.75).encode(x=x)]
    rules = [_record(one) for one in known if math.isnan(one.scale)]
    if rules:
        plain = alt.Chart(inline(rules)).mark_rule(strokeWidth=1.5)
        layers.append(plain.encode(y=y, tooltip=_tips(), **encoding))
    lines = alt.Chart(inline([*_joint(scaled), *map(_record, scaled)])).encode(x=x, y=y)
    if scaled:
        points = alt.Chart(inline(map(_record, scaled))).encode(x=x, y=y, tooltip=_tips())
        layers += [
            lines.mark_line(strokeWidth=1.75, strokeJoin="round").encode(color=encoding["color"]),
            points.mark_point(filled=True, size=24, opacity=1).encode(color=encoding["color"]),
        ]
    return alt.LayerChart(layer=layers)


def _joint(scaled: Sequence[ContextAccuracy]) -> list[dict[str, Any]]:
    """Where the object alone ends, the object with context begins."""
    objects = [one for one in scaled if one.kind == "object"]
    if not objects or not any(one.kind == "object_and_context" for one in scaled):
        return []
    last = max(objects, key=lambda one: one.scale)
    return [{**_record(last), "kind": WORDS["object_and_context"]}]


def _record(one: ContextAccuracy) -> dict[str, Any]:
    whole = math.isnan(one.scale)
    return {
        "kind": WORDS[one.kind],
        "scale": None if whole else one.scale,
        "scale_text": "the picture" if whole else f"{one.scale:g}",
        "accuracy": one.accuracy,
        "text": decimal(one.accuracy),
        "class_text": decimal(one.class_accuracy),
        "objects": one.n_objects,
    }


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("kind:N", title="seen"),
        alt.Tooltip("scale_text:N", title="scale"),
        alt.Tooltip("text:N", title="accuracy"),
        alt.Tooltip("class_text:N", title="mean of classes"),
        alt.Tooltip("objects:Q", format=","),
    ]
