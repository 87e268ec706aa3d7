"""How the kinds of errors change along the ranking, and how recall grows (METHODS 1.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.theme import DECIMAL_AXIS, INK, inline
from boxlens.studies.diagnosis.hoiem_trends import FP_LABELS

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.studies.diagnosis.hoiem import HoiemResult
    from boxlens.studies.diagnosis.hoiem_trends import DetectionTrend, FpTrend

PANEL_PX = 142
HEIGHT_PX = 120
VERDICTS = ("correct", "ignored", *FP_LABELS)
MULTIPLE_AXIS = "datum.value < 1 ? '1/' + format(1 / datum.value, 'd') : format(datum.value, 'd')"


def fp_trends_chart(result: HoiemResult) -> alt.HConcatChart:
    """Shares of kinds among ever more false positives, and verdicts and recall among ever more
    detections: means over classes."""
    shown = _shown(result)
    return alt.hconcat(_false_positives(result, shown), _detections(result, shown), spacing=12)


def _shown(result: HoiemResult) -> list[str]:
    """Verdicts that occur; the legend, which both panels share, names no others."""
    trends = ((FP_LABELS, result.fp_trend.mean), (VERDICTS, result.detection_trend.mean))
    occurring = {
        name
        for names, share in trends
        for name, values in zip(names, share.T, strict=True)
        if (values > 0).any()
    }
    return [name for name in VERDICTS if name in occurring]


def _false_positives(result: HoiemResult, shown: list[str]) -> alt.Chart:
    trend = result.fp_trend
    rows = _records(trend.counts, _reached(trend), FP_LABELS, shown)
    if len({record["at"] for record in rows}) < 2:
        text = f"fewer than {trend.counts[1]} false positives"
        return message(text, width=PANEL_PX, height=HEIGHT_PX)
    drawn = [count for count in trend.counts if any(record["at"] == count for record in rows)]
    x = alt.X(
        "at:Q",
        title="false positives, best scored first",
        scale=alt.Scale(type="log", base=2, domain=[drawn[0], drawn[-1]], nice=False),
        axis=alt.Axis(values=drawn[::2], format="d", grid=False),
    )
    tooltip = alt.Tooltip("at:Q", title="false positives", format=",")
    title = panel_title("share of false positives")
    return _areas(rows, x, tooltip, shown, "false_positives", title)


def _detections(result: HoiemResult, shown: list[str]) -> alt.LayerChart | alt.Chart:
    trend = result.detection_trend
    rows = _records(trend.multiples, _reached(trend), VERDICTS, shown)
    if len({record["at"] for record in rows}) < 2:
        return message("too few detections", width=PANEL_PX, height=HEIGHT_PX)
    drawn = [at for at in trend.multiples if any(record["at"] == at for record in rows)]
    x = alt.X(
        "at:Q",
        title="detections, times objects of the class",
        scale=alt.Scale(type="log", base=2, domain=[drawn[0], drawn[-1]], nice=False),
        axis=alt.Axis(values=drawn, labelExpr=MULTIPLE_AXIS, grid=False),
    )
    tooltip = alt.Tooltip("at:Q", title="times objects", format="~g")
    areas = _areas(rows, x, tooltip, shown, "detections")
    title = panel_title("share of detections; recall")
    lines = _recall_lines(_recalls(trend, drawn), x, tooltip)
    return alt.LayerChart(layer=[areas, lines], title=title)


def _recalls(trend: DetectionTrend, drawn: list[float]) -> list[dict[str, Any]]:
    return [
        {"at": at, "recall": value, "which": name}
        for name, values in (("strong", trend.mean_recall), ("weak", trend.mean_weak_recall))
        for at, value in zip(trend.multiples, values.tolist(), strict=True)
        if at in drawn and not math.isnan(value)
    ]


def _recall_lines(recalls: list[dict[str, Any]], x: alt.X, where: alt.Tooltip) -> alt.Chart:
    lines: alt.Chart = (
        alt.Chart(inline(recalls))
        .mark_line(color=INK, strokeWidth=1.5)
        .encode(
            x=x,
            y=alt.Y("recall:Q", scale=alt.Scale(domain=[0, 1])),
            strokeDash=alt.StrokeDash(
                "which:N",
                scale=alt.Scale(domain=["strong", "weak"], range=[[1, 0], [4, 3]]),
                legend=None,
            ),
            tooltip=[
                where,
                alt.Tooltip("which:N", title="overlap"),
                alt.Tooltip("recall:Q", format=".3f"),
            ],
        )
    )
    return lines


def _reached(trend: FpTrend | DetectionTrend) -> Floats:
    """The mean as far as at least one class goes."""
    some = np.array(trend.n_classes) > 0
    return np.where(some[:, np.newaxis], trend.mean, np.nan)


def _records(
    places: tuple[float, ...], share: Floats, names: tuple[str, ...], shown: list[str]
) -> list[dict[str, Any]]:
    """Where a share is undefined there is no record."""
    return [
        {"at": at, "kind": KINDS[name].label, "share": value, "order": order}
        for at, values in zip(places, share.tolist(), strict=True)
        for order, (name, value) in enumerate(zip(names, values, strict=True))
        if name in shown and not math.isnan(value)
    ]


def _areas(
    rows: list[dict[str, Any]],
    x: alt.X,
    where: alt.Tooltip,
    names: list[str],
    view: str,
    title: alt.TitleParams | alt.typing.Optional[str] = alt.Undefined,
) -> alt.Chart:
    chosen = alt.selection_point(name=f"chosen_in_{view}", fields=["kind"], bind="legend")
    kinds = [KINDS[name] for name in names]
    areas: alt.Chart = (
        alt.Chart(inline(rows), width=PANEL_PX, height=HEIGHT_PX, name=view, title=title)
        .mark_area(stroke="white", strokeWidth=0.5)
        .encode(
            x=x,
            y=alt.Y(
                "share:Q",
                stack="zero",
                title=None,
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(labelExpr=DECIMAL_AXIS, tickCount=4, grid=False),
            ),
            order=alt.Order("order:Q"),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(
                    domain=[kind.label for kind in kinds], range=[kind.colour for kind in kinds]
                ),
                legend=alt.Legend(title=None, orient="bottom", columns=3),
            ),
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.2)),
            tooltip=[
                where,
                alt.Tooltip("kind:N", title="kind"),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
        .add_params(chosen)
    )
    return areas
