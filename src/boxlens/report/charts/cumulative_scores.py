"""Mean score of all classes up to a value of each measure, a line a system (METHODS 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    axis_kind,
    columns_of,
    key_lines,
    panel_grid,
    score_words,
    spread_out,
    system_colours,
    titled_score,
    without_score,
)
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.dataset_difficulty.accuracy import ScoreName
    from boxlens.dataset_difficulty.cumulative import CumulativeCurve
    from boxlens.dataset_difficulty.result import DifficultyResult

PANEL_PX: Final = 92
MOST_STEPS: Final = 160
# A mean over fewer is drawn paler.
FEW_CLASSES: Final = 5


def cumulative_scores_chart(
    result: DifficultyResult, score: ScoreName, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """One panel a measure."""
    title = f"Mean over classes up to a difficulty: {titled_score(result, score)}"
    colours = system_colours(result, bound_by=score)
    curves = [
        one
        for one in result.cumulative
        if one.score == score and not one.property and one.system in colours and len(one.x)
    ]
    measures = [name for name in MEASURE_WORDS if any(one.measure == name for one in curves)]
    if not measures:
        empty = message("no class has both a score and a measure", width=WIDTH, height=PANEL_PX)
        return themed(empty, title=title, about=about)
    limit = highest(curves)
    n_columns = columns_of(len(measures))
    panels = [
        cumulative_panel(
            {one.system: one for one in curves if one.measure == measure},
            colours,
            limit=limit,
            title=panel_title(MEASURE_WORDS[measure]),
            y_title=score_words(result, score) if at % n_columns == 0 else "",
        )
        for at, measure in enumerate(measures)
    ]
    reading = (
        f"At x: the mean over all classes whose measure is at most x; pale: fewer than "
        f"{FEW_CLASSES} classes. At the right end are all of them. Scale and CPL along their roots."
    )
    n_shown = sum(one.name in colours for one in result.systems)
    if n_shown < len(result.systems):
        reading += f" The first {n_shown} of {len(result.systems)} systems."
    reading += without_score(result, score)
    drawn = {one.system for one in curves}
    key = key_lines({name: colour for name, colour in colours.items() if name in drawn})
    return themed(panel_grid(key, panels, n_columns), title=title, about=about, reading=reading)


def highest(curves: Sequence[CumulativeCurve]) -> float:
    """Of all means, those over a few classes aside: panels beside each other share an axis."""
    many = [one.mean[one.n_classes >= FEW_CLASSES] for one in curves]
    means = [part for part in many if len(part)] or [one.mean for one in curves]
    return max(float(part.max()) for part in means) or 1.0


def cumulative_panel(
    curves: Mapping[str, CumulativeCurve],
    colours: Mapping[str, str],
    *,
    limit: float,
    title: alt.TitleParams,
    y_title: str,
    panel_px: int = PANEL_PX,
) -> alt.LayerChart:
    """Curves by what they are of; only the first panel of a line has a `y_title` and labels."""
    rows = [row for name, one in curves.items() for row in _records(name, one, colours[name])]
    pale = [row for row in rows if row["n"] <= FEW_CLASSES]
    many = [row for row in rows if row["n"] >= FEW_CLASSES]
    ends = min(row["x"] for row in rows), max(row["x"] for row in rows)
    domain = [ends[0], ends[1] if ends[1] > ends[0] else ends[0] + 1]
    kind = axis_kind(next(iter(curves.values())).measure)
    encoding = _encoding(alt.Scale(type=kind, domain=domain, nice=False), limit, y_title)
    layers = [
        alt.Chart(inline(part), width=panel_px, height=panel_px)
        .mark_line(strokeWidth=1.5, interpolate="step-after", opacity=opacity, clip=True)
        .encode(**encoding)
        for part, opacity in ((pale, 0.3), (many, 1.0))
        if part
    ]
    titled: alt.LayerChart = alt.LayerChart(layer=layers).properties(title=title)
    return titled


def _encoding(x_scale: alt.Scale, limit: float, y_title: str) -> dict[str, Any]:
    return {
        "x": alt.X(
            "x:Q",
            scale=x_scale,
            axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=3),
        ),
        "y": alt.Y(
            "mean:Q",
            scale=alt.Scale(domain=[0, 1.04 * limit], nice=False),
            axis=alt.Axis(
                title=y_title or None, labelExpr=DECIMAL_AXIS, tickCount=4, labels=bool(y_title)
            ),
        ),
        "color": alt.Color("colour:N", scale=None),
        "detail": "of:N",
        "tooltip": [
            alt.Tooltip("of:N"),
            alt.Tooltip("x:Q", title="up to", format=".3f"),
            alt.Tooltip("text:N", title="mean"),
            alt.Tooltip("n:Q", title="classes", format=","),
        ],
    }


def _records(name: str, curve: CumulativeCurve, colour: str) -> list[dict[str, Any]]:
    return [
        {
            "of": name,
            "colour": colour,
            "x": float(curve.x[at]),
            "mean": float(curve.mean[at]),
            "text": decimal(float(curve.mean[at])),
            "n": int(curve.n_classes[at]),
        }
        for at in _places(curve)
    ]


def _places(curve: CumulativeCurve) -> list[int]:
    """All of the pale beginning, and enough of the rest."""
    begin = int((curve.n_classes < FEW_CLASSES).sum())
    rest = spread_out(len(curve.x) - begin, MOST_STEPS) + begin if len(curve.x) > begin else ()
    return [*range(begin), *map(int, rest)]
