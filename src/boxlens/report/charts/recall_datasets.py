"""Average recall on several data sets: a row a method, a dot a data set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import short_labels
from boxlens.report.charts.method_lines import ar_words
from boxlens.report.charts.panels import message, rows_axis
from boxlens.report.charts.system_lines import colours_of, key_lines
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.proposals.recall.result import BudgetRecall, ProposalRecallResult

PLOT_PX: Final = 420
ROW_PX: Final = 18
LABEL_CHARACTERS: Final = 24


def recall_datasets_chart(
    result: ProposalRecallResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """At the largest budget of the choice; at most as many data sets as there are colours."""
    words = ar_words(result.choice)
    title = f"{words} on every data set"
    colours = colours_of([one.name for one in result.datasets])
    rows = _records(result, colours)
    if not rows:
        empty = message(f"{words} is undefined everywhere", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    reading = (
        f"With at most {result.choice.largest:,} proposals; the best on average first. "
        "Strokes: 95 % intervals, by resampling images."
    )
    if len(colours) < len(result.datasets):
        reading += f" The first {len(colours)} of {len(result.datasets)} data sets."
    return themed(
        alt.vconcat(*key_lines(colours), _dots(rows, words), spacing=6),
        title=title,
        about=about,
        reading=reading,
    )


def _records(result: ProposalRecallResult, colours: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "method": method.name,
            "dataset": dataset.name,
            "colour": colours[dataset.name],
            "ar": found.ar,
            "text": decimal(found.ar),
            **_interval(found),
        }
        for dataset in result.datasets
        if dataset.name in colours
        for method in dataset.methods
        for found in method.chosen
        if found.budget == result.choice.largest and not math.isnan(found.ar)
    ]


def _interval(found: BudgetRecall) -> dict[str, Any]:
    known = not math.isnan(found.ar_low) and not math.isnan(found.ar_high)
    low, high = (found.ar_low, found.ar_high) if known else (found.ar, found.ar)
    told = f"{decimal(low)} to {decimal(high)}" if known else "n/a"
    return {"low": low, "high": high, "interval": told}


def _dots(rows: Sequence[Mapping[str, Any]], words: str) -> alt.LayerChart:
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row["method"], []).append(row["ar"])
    names = sorted(values, key=lambda name: -math.fsum(values[name]) / len(values[name]))
    sets = list(dict.fromkeys(row["dataset"] for row in rows))
    axis = alt.Axis(
        ticks=False, domain=False, grid=True, labelExpr=short_labels(names, LABEL_CHARACTERS)
    )
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(names)).encode(
        y=rows_axis("method", names, axis),
        yOffset=alt.YOffset("dataset:N", sort=sets, scale=alt.Scale(paddingOuter=0.8)),
        color=alt.Color("colour:N", scale=None),
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("dataset:N", title="data set"),
            alt.Tooltip("text:N", title=words),
            alt.Tooltip("interval:N", title="95 %"),
        ],
    )

    def at(field: str) -> alt.X:
        return alt.X(
            f"{field}:Q",
            scale=alt.Scale(zero=True, nice=True),
            axis=alt.Axis(title=words, labelExpr=DECIMAL_AXIS, tickCount=5),
        )

    return alt.LayerChart(
        layer=[
            plot.mark_rule(strokeWidth=1.5).encode(x=at("low"), x2="high:Q"),
            plot.mark_point(filled=True, size=32, opacity=1).encode(x=at("ar")),
        ]
    )
