"""COCO's seven nested precision-recall curves as filled areas (METHODS 9.1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.colours import PALE_GREEN
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.layers import Palette
from boxlens.report.charts.forms.marks import bands, by_kind
from boxlens.report.charts.forms.panels import plot
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.selecting import scheme_picks
from boxlens.studies.diagnosis.coco_analyze import CURVES
from boxlens.wording import score

if TYPE_CHECKING:
    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.diagnosis.coco_analyze import CocoAnalyzeResult

# What each curve forgives, and the colour of the area it adds. C75 and C50 are both correct: the
# second is half as strong.
AREAS: Final = {
    "C75": ("correct, strictly", KINDS["correct"].colour),
    "C50": ("correct", PALE_GREEN),
    **{
        key: (KINDS[kind].label, KINDS[kind].colour)
        for key, kind in zip(CURVES[2:], ("loc", "sim", "oth", "bg", "miss"), strict=True)
    },
}


def pr_areas_chart(result: CocoAnalyzeResult, column: int) -> Spec:
    """The mean over classes; objects of the range of sizes with this column."""
    rows: list[Row] = []
    colours: dict[str, str] = {}
    below = [0.0] * len(COCO_RECALLS)
    for key, name, under, precision in zip(
        CURVES,
        result.curve_names,
        result.mean_ap[:, column].tolist(),
        result.mean_precision[:, :, column].tolist(),
        strict=True,
    ):
        if math.isnan(under):
            continue
        forgiven, colour = AREAS[key]
        label = f"{name} {score(under)} {forgiven}"
        every = result.areas[column] == "all"
        linked = scheme_picks("coco_analyze", label, key.lower()) if every else {}
        # The area of a curve lies between it and the one before.
        rows += [
            {
                "x": round(recall, 2),
                "from": round(low, 5),
                "to": round(high, 5),
                "curve": label,
                "tip": {"curve": label},
                **linked,
            }
            for recall, low, high in zip(COCO_RECALLS.tolist(), below, precision, strict=True)
        ]
        # The largest area is on top of the legend, as it is in the plot.
        colours = {label: colour, **colours}
        below = precision
    quarters = (0, 0.25, 0.5, 0.75, 1)
    return plot(
        rows,
        Axis("recall", (0, 1), values=quarters, grid=False),
        Axis("precision", (0, 1), values=quarters, grid=False),
        by_kind(bands("from", "to"), Palette("curve", colours, orient="right")),
        width=180,
        height=150,
    )
