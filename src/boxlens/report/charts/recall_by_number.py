"""Recall and average recall over the number of proposals there really are (METHODS 6.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.method_lines import (
    PANEL_PX,
    above_panel,
    ar_words,
    count_text,
    dashed_words,
    first_of,
    line_encoding,
    method_marks,
    method_panels,
    recall_limit,
)
from boxlens.report.charts.panels import message
from boxlens.report.charts.recall_order import styles_by_recall
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed, threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boxlens.proposals.recall.choice import RecallChoice
    from boxlens.proposals.recall.result import BudgetRecall, DatasetRecall
    from boxlens.report.charts.method_lines import LineStyle

PLOT_PX: Final = 180
# Average recall, and recall at the first of the chosen overlaps.
MOST_PANELS: Final = 6
# Bands of more methods would cover each other.
MOST_BANDS: Final = 4
# Beside the first and the last point.
ROOM: Final = 1.12
COUNT_AXIS: Final = "datum.value >= 1000 ? datum.value / 1000 + 'k' : format(datum.value, '.3~g')"


def recall_by_number_chart(
    dataset: DatasetRecall, choice: RecallChoice, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Average recall first, then one panel an overlap."""
    title = "Recall over the number of proposals"
    styles = styles_by_recall(dataset.methods)
    axes = _axes(dataset, styles)
    if not dataset.n_objects or axes is None:
        why = "there are no proposals" if dataset.n_objects else "there are no objects to find"
        return themed(message(why, width=WIDTH, height=PLOT_PX), title=title, about=about)
    ious = choice.ious[: MOST_PANELS - 1]
    panels = [_ar_panel(dataset, styles, ar_words(choice), axes)]
    panels += [_recall_panel(dataset, styles, iou, axes) for iou in ious]
    reading = (
        "Along x: proposals an image there really were, on average, which may be fewer than the "
        "budget. Every panel has its own end of y." + dashed_words(dataset.methods)
    )
    if _banded(dataset, styles):
        reading += " Bands: 95 % intervals, by resampling images."
    if len(ious) < len(choice.ious):
        reading += f" The first {len(ious)} of {len(choice.ious)} overlaps."
    reading += first_of(len(styles), len(dataset.methods))
    return themed(
        method_panels(styles, panels),
        title=title,
        about=about,
        reading=reading,
    )


@dataclass(frozen=True, slots=True)
class _Axes:
    """Panels share that of the numbers of proposals; recall has an end in every panel."""

    low: float
    high: float

    def x(self) -> alt.X:
        powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
        values = [10.0**power for power in powers]
        return alt.X(
            "n:Q",
            scale=alt.Scale(type="log", domain=[self.low, self.high], nice=False),
            axis=alt.Axis(
                title=None,
                # A short axis may hold no two powers of ten: then its ends are named.
                values=values if len(values) > 1 else [self.low * ROOM, self.high / ROOM],
                labelExpr=COUNT_AXIS,
            ),
        )

    @staticmethod
    def y(field: str, rows: list[dict[str, Any]]) -> alt.Y:
        """Recall at a high overlap is low: with the end of other panels its lines would be flat."""
        limit = recall_limit(row[key] for row in rows for key in ("value", "high") if key in row)
        return alt.Y(
            f"{field}:Q",
            scale=alt.Scale(domain=[0, limit], nice=False),
            axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=5),
        )


def _axes(dataset: DatasetRecall, styles: Mapping[str, LineStyle]) -> _Axes | None:
    """None where nothing was proposed."""
    found = [
        one
        for method in dataset.methods
        for one in method.by_budget
        if method.name in styles and one.n_mean > 0
    ]
    if not found:
        return None
    low, high = min(one.n_mean for one in found), max(one.n_mean for one in found)
    return _Axes(low / ROOM, (high if high > low else 10 * low) * ROOM)


def _banded(dataset: DatasetRecall, styles: Mapping[str, LineStyle]) -> bool:
    return len(styles) <= MOST_BANDS and any(
        not math.isnan(one.ar_low) for method in dataset.methods for one in method.by_budget
    )


def _records(
    dataset: DatasetRecall,
    styles: Mapping[str, LineStyle],
    value: Callable[[BudgetRecall], float],
    more: Callable[[BudgetRecall], dict[str, Any]] = lambda _: {},
) -> list[dict[str, Any]]:
    """A logarithm has no place for methods that propose nothing."""
    return [
        {
            "method": method.name,
            "n": one.n_mean,
            "count": count_text(one.n_mean),
            "budget": one.budget,
            "value": value(one),
            "text": decimal(value(one)),
            **more(one),
        }
        for method in dataset.methods
        for one in method.by_budget
        if method.name in styles and one.n_mean > 0 and not math.isnan(value(one))
    ]


def _interval(one: BudgetRecall) -> dict[str, Any]:
    if math.isnan(one.ar_low) or math.isnan(one.ar_high):
        return {"interval": "n/a"}
    told = f"{decimal(one.ar_low)} to {decimal(one.ar_high)}"
    return {"low": one.ar_low, "high": one.ar_high, "interval": told}


def _ar_panel(
    dataset: DatasetRecall,
    styles: Mapping[str, LineStyle],
    words: str,
    axes: _Axes,
) -> alt.LayerChart:
    rows = _records(dataset, styles, lambda one: one.ar, _interval)
    layers = _lines(rows, styles, words, axes, [alt.Tooltip("interval:N")])
    known = [row for row in rows if "low" in row]
    if known and _banded(dataset, styles):
        band = (
            alt.Chart(inline(known))
            .mark_area(opacity=0.18, line=False)
            .encode(
                x=axes.x(),
                y=axes.y("low", rows),
                y2="high:Q",
                color=line_encoding(styles)["color"],
            )
        )
        layers = [band, *layers]
    return _titled(layers, words)


def _recall_panel(
    dataset: DatasetRecall,
    styles: Mapping[str, LineStyle],
    iou: float,
    axes: _Axes,
) -> alt.LayerChart:
    rows = _records(dataset, styles, lambda one: one.recall.get(iou, math.nan))
    words = f"recall at IoU {threshold(iou)}"
    return _titled(_lines(rows, styles, words, axes, []), words)


def _titled(layers: list[alt.Chart], words: str) -> alt.LayerChart:
    return alt.LayerChart(layer=[*layers, above_panel(words)], width=PANEL_PX, height=PLOT_PX)


def _lines(
    rows: list[dict[str, Any]],
    styles: Mapping[str, LineStyle],
    words: str,
    axes: _Axes,
    more: list[alt.Tooltip],
) -> list[alt.Chart]:
    plot = alt.Chart(inline(rows)).encode(
        x=axes.x(),
        y=axes.y("value", rows),
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("count:N", title="proposals an image"),
            alt.Tooltip("budget:Q", format=","),
            alt.Tooltip("text:N", title=words),
            *more,
        ],
    )
    return method_marks(plot, styles)
