"""Recall over the overlap that counts as found: a panel a budget, a line a method (METHODS 6.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.proposals.recall.average_recall import CURVE_IOUS
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.method_lines import (
    LINE_PX,
    above_panel,
    ar_words,
    column_heading,
    count_text,
    dashed_words,
    first_of,
    line_encoding,
    line_samples,
    method_styles,
    recall_limit,
)
from boxlens.report.charts.panels import message
from boxlens.report.charts.system_lines import spread_out
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, fixed, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.proposals.recall.choice import RecallChoice
    from boxlens.proposals.recall.result import BudgetRecall, DatasetRecall
    from boxlens.report.charts.method_lines import LineStyle

PLOT_PX: Final = 330
LEAST_PX: Final = 190
LIST_PX: Final = 200
COUNT_PX: Final = 46
NAME_CHARACTERS: Final = 20
MOST_PANELS: Final = 3


def recall_by_iou_chart(
    dataset: DatasetRecall, choice: RecallChoice, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Beside each panel the methods by their average recall, the best first."""
    title = "Recall over the overlap that is asked for"
    styles = method_styles(dataset.methods)
    if not dataset.n_objects or not styles:
        empty = message("there are no objects to find", width=WIDTH, height=LEAST_PX)
        return themed(empty, title=title, about=about)
    budgets = sorted(set(choice.budgets))
    shown = [budgets[at] for at in spread_out(len(budgets), MOST_PANELS)]
    limit = recall_limit(float(one.curve[0]) for method in dataset.methods for one in method.chosen)
    panels = [
        _panel(dataset, budget, styles, ar_words(choice), limit, last=budget == shown[-1])
        for budget in shown
    ]
    reading = (
        "Of all objects, the share met by a proposal of at least this IoU, one proposal an object. "
        f"{ar_words(choice)}: average recall; in brackets the proposals an image there really "
        "were." + dashed_words(dataset.methods)
    )
    if len(shown) < len(budgets):
        reading += f" {len(shown)} of {len(budgets)} budgets."
    reading += first_of(len(styles), len(dataset.methods))
    return themed(alt.vconcat(*panels, spacing=8), title=title, about=about, reading=reading)


def _panel(
    dataset: DatasetRecall,
    budget: int,
    styles: Mapping[str, LineStyle],
    words: str,
    limit: float,
    *,
    last: bool,
) -> alt.HConcatChart:
    found = {
        method.name: one
        for method in dataset.methods
        for one in method.chosen
        if one.budget == budget and method.name in styles
    }
    height = max(LEAST_PX, LINE_PX * len(found))
    lines = (
        alt.Chart(inline(_records(found)), width=PLOT_PX, height=height)
        .mark_line(strokeWidth=1.5)
        .encode(
            x=_axis("iou", "IoU" if last else None, (0.5, 1.0)),
            y=_axis("recall", "recall", (0.0, limit)),
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("iou:Q", title="IoU", format=".2f"),
                alt.Tooltip("recall:Q", format=".3f"),
            ],
            **line_encoding(styles),
        )
    )
    noun = "proposal" if budget == 1 else "proposals"
    titled = alt.LayerChart(layer=[lines, above_panel(f"at most {budget:,} {noun}")])
    return alt.hconcat(titled, _list(found, styles, words, height), spacing=18)


def _records(found: Mapping[str, BudgetRecall]) -> list[dict[str, Any]]:
    return [
        {"method": name, "iou": round(iou, 2), "recall": round(recall, 4)}
        for name, one in found.items()
        for iou, recall in zip(CURVE_IOUS.tolist(), one.curve.tolist(), strict=True)
        if not math.isnan(recall)
    ]


def _axis(field: str, title: str | None, ends: tuple[float, float]) -> Any:
    channel = alt.X if field == "iou" else alt.Y
    axis = alt.Axis(title=title, labelExpr=DECIMAL_AXIS, tickCount=5)
    return channel(f"{field}:Q", scale=alt.Scale(domain=list(ends), nice=False), axis=axis)


def _list(
    found: Mapping[str, BudgetRecall], styles: Mapping[str, LineStyle], words: str, height: int
) -> alt.LayerChart:
    """The methods in the order of their curves, with their numbers in two columns."""
    rows = [
        {
            "method": name,
            "text": short(name, NAME_CHARACTERS),
            "ar": decimal(one.ar),
            "count": f"({count_text(one.n_mean)})",
            "x": 0,
            "y": LINE_PX * (at + 0.5),
        }
        for at, (name, one) in enumerate(_best_first(found))
    ]
    names = line_samples(rows, styles, width=LIST_PX, height=height)
    plot = alt.Chart(inline(rows)).encode(
        y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False))
    )
    numbers = [
        plot.mark_text(align="right", baseline="middle").encode(
            x=fixed(alt.XValue, x), text=f"{field}:N"
        )
        for field, x in (("ar", LIST_PX - COUNT_PX), ("count", LIST_PX))
    ]
    headings = [column_heading(words, LIST_PX - COUNT_PX), column_heading("(mean #)", LIST_PX)]
    return alt.LayerChart(layer=[*names, *numbers, *headings], width=LIST_PX, height=height)


def _best_first(found: Mapping[str, BudgetRecall]) -> Sequence[tuple[str, BudgetRecall]]:
    return sorted(found.items(), key=lambda item: (math.isnan(item[1].ar), -item[1].ar))
