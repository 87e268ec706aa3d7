"""The score of every image under two detectors: one against the other, and by their difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.report.charts.detector_pair import FIRST, SECOND, UNDECIDED, key, short
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.theme import (
    DARK_BLUE,
    DECIMAL_AXIS,
    LINE,
    PALE_BLUE,
    WIDTH,
    inline,
    themed,
)

if TYPE_CHECKING:
    from boxlens.data.columns import Floats

PANEL_PX = 130
STRIP_PX = 155
# With more images than this, points become cells, and neighbours in the strip are averaged.
MOST_POINTS = 400
MOST_STEPS = 150
N_CELLS = 20


def image_scores_chart(
    scores: tuple[Floats, Floats],
    names: tuple[str, str],
    *,
    measure: str = "FDA",
    about: str = "",
) -> alt.VConcatChart | alt.Chart:
    """Left, image by image; right, the same images in the order of the difference."""
    title = f"{measure} of every image under both detectors"
    first, second = scores
    known = ~np.isnan(first) & ~np.isnan(second)
    if not known.any():
        empty = message("no image has a score of both", width=WIDTH, height=PANEL_PX)
        return themed(empty, title=title, about=about)
    first, second = first[known], second[known]
    few = len(first) <= MOST_POINTS
    limit = max(1.0, float(first.max()), float(second.max()))
    against = _points(first, second) if few else _cells(first, second, limit)
    entries = [(f"{short(names[0])} better", FIRST), (f"{short(names[1])} better", SECOND)]
    return themed(
        alt.vconcat(
            key(entries, width=2 * PANEL_PX),
            alt.hconcat(
                _against(against, names, limit, few=few),
                _strip(first, second, limit, measure),
                spacing=14,
            ),
            spacing=6,
        ),
        title=title,
        about=about,
        reading=_reading(first, second, names, n_unknown=int(np.count_nonzero(~known)), few=few),
    )


def _reading(
    first: Floats, second: Floats, names: tuple[str, str], *, n_unknown: int, few: bool
) -> str:
    n, ahead, behind = len(first), int((first > second).sum()), int((first < second).sum())
    text = (
        f"Of {n:,} images {names[0]} is better on {ahead:,}, {names[1]} on {behind:,}; they are "
        f"equal on {n - ahead - behind:,}. Left: {'a dot an image' if few else 'dark: many images'}"
        ". Right: images by falling difference, a line from one score to the other"
    )
    per_step = -(-n // MOST_STEPS)
    text += f", means of up to {per_step} neighbours." if per_step > 1 else "."
    return f"{text} {n_unknown:,} images without a score are left out." if n_unknown else text


def _colour(first: float, second: float) -> str:
    if first == second:
        return UNDECIDED
    return FIRST if first > second else SECOND


def _points(first: Floats, second: Floats) -> list[dict[str, Any]]:
    return [
        {"a": a, "b": b, "colour": _colour(a, b)}
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]


def _cells(first: Floats, second: Floats, limit: float) -> list[dict[str, Any]]:
    counts, edges, _ = np.histogram2d(first, second, bins=N_CELLS, range=((0, limit), (0, limit)))
    rows, columns = np.nonzero(counts)
    return [
        {
            "a": float(edges[row]),
            "a_end": float(edges[row + 1]),
            "b": float(edges[column]),
            "b_end": float(edges[column + 1]),
            "n": int(counts[row, column]),
        }
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _against(
    rows: list[dict[str, Any]], names: tuple[str, str], limit: float, *, few: bool
) -> alt.LayerChart:
    scale = alt.Scale(domain=[0, limit], nice=False)
    axis = alt.Axis(labelExpr=DECIMAL_AXIS, tickCount=4)
    plot = alt.Chart(inline(rows), width=PANEL_PX, height=PANEL_PX).encode(
        x=alt.X("b:Q", title=short(names[1]), scale=scale, axis=axis),
        y=alt.Y("a:Q", title=short(names[0]), scale=scale, axis=axis),
    )
    if few:
        marks = plot.mark_point(filled=True, size=14, opacity=0.6).encode(
            color=alt.Color("colour:N", scale=None)
        )
    else:
        marks = plot.mark_rect().encode(
            x2="b_end:Q",
            y2="a_end:Q",
            color=alt.Color(
                "n:Q",
                scale=alt.Scale(type="log", range=[PALE_BLUE, DARK_BLUE], interpolate="lab"),
                legend=None,
            ),
            tooltip=[alt.Tooltip("n:Q", title="images", format=",")],
        )
    diagonal = (
        alt.Chart(inline([{"a": 0, "b": 0}, {"a": limit, "b": limit}]))
        .mark_line(color=LINE, strokeWidth=0.75)
        .encode(x="b:Q", y="a:Q")
    )
    layers = alt.LayerChart(layer=[marks, diagonal])
    titled: alt.LayerChart = layers.properties(
        title=panel_title(f"above: {short(names[0])} better")
    )
    return titled


def _strip(first: Floats, second: Floats, limit: float, measure: str) -> alt.LayerChart:
    order = np.argsort(second - first, kind="stable")
    parts = np.array_split(order, min(MOST_STEPS, len(order)))
    done = np.cumsum([len(part) for part in parts])
    rows = [
        {
            "at": float(end - len(part) / 2) / len(order),
            "a": float(first[part].mean()),
            "b": float(second[part].mean()),
            "colour": _colour(float(first[part].mean()), float(second[part].mean())),
        }
        for part, end in zip(parts, done.tolist(), strict=True)
    ]
    y_axis = alt.Axis(title=measure, labelExpr=DECIMAL_AXIS, tickCount=4)
    scale = alt.Scale(domain=[0, limit], nice=False)
    plot = alt.Chart(inline(rows), width=STRIP_PX, height=PANEL_PX).encode(
        x=alt.X(
            "at:Q",
            title="share of images",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(labelExpr=DECIMAL_AXIS, tickCount=4),
        ),
        tooltip=[
            alt.Tooltip("a:Q", title="first", format=".3f"),
            alt.Tooltip("b:Q", title="second", format=".3f"),
        ],
    )
    lines = plot.mark_rule(strokeWidth=1, opacity=0.55).encode(
        y=alt.Y("a:Q", scale=scale, axis=y_axis), y2="b:Q", color=alt.Color("colour:N", scale=None)
    )
    dots = [
        plot.mark_point(filled=True, size=9, opacity=1, color=colour).encode(
            y=alt.Y(f"{name}:Q", scale=scale, axis=y_axis)
        )
        for name, colour in (("b", SECOND), ("a", FIRST))
    ]
    layers = alt.LayerChart(layer=[lines, *dots])
    titled: alt.LayerChart = layers.properties(title=panel_title("by falling difference"))
    return titled
