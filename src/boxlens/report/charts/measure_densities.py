"""How hard the classes of data sets are: one panel a measure, one curve a data set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import numpy as np

from boxlens.dataset_difficulty.published import PUBLISHED
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    ROOTED,
    axis_kind,
    colours_of,
    defined_measures,
    key_lines,
    measure_text,
    panel_grid,
)
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    SOFT_INK,
    WIDTH,
    fixed,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.data.columns import Floats
    from boxlens.dataset_difficulty.class_measures import DatasetDifficulty
    from boxlens.dataset_difficulty.measures import MeasureName

PANEL_PX: Final = 152
PLOT_PX: Final = 78
# At the top of a panel: a line each for what was published.
LINE_PX: Final = 10
# Fewer classes are dots.
FEW_CLASSES: Final = 10
N_STEPS: Final = 121
MOST_MEANS: Final = 3
# No value lies outside; the density of those near an end is folded back.
BOUNDS: Final[Mapping[MeasureName, tuple[float, float]]] = {
    "instances_per_image": (1.0, math.inf),
    "neighbours": (0.0, math.inf),
    "scale": (0.0, 1.0),
    "cpl": (0.0, 1.0),
    "clutter": (0.0, math.inf),
}


def measure_densities_chart(
    datasets: Sequence[DatasetDifficulty], *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """At most as many data sets as there are colours; two may be called alike."""
    title = "How hard classes are, by every measure"
    measures = defined_measures(datasets)
    if not measures:
        empty = message("no class has objects that count", width=WIDTH, height=PLOT_PX)
        return themed(empty, title=title, about=about)
    colours = colours_of(set_names(datasets))
    shown = datasets[: len(colours)]
    panels = [_panel(shown, measure, list(colours.values())) for measure in measures]
    return themed(
        panel_grid(key_lines(colours), panels, 2, spacing=20),
        title=title,
        about=about,
        reading=_reading(datasets, measures, n_shown=len(shown)),
    )


def set_names(datasets: Sequence[DatasetDifficulty]) -> list[str]:
    """Names of data sets, numbered where they are equal."""
    names = [one.name for one in datasets]
    return [
        name if names.count(name) == 1 else f"{at + 1}: {name}" for at, name in enumerate(names)
    ]


def _reading(
    datasets: Sequence[DatasetDifficulty], measures: Sequence[MeasureName], *, n_shown: int
) -> str:
    text = "Curve: how many classes lie there; of a few classes each is a dot. Dashed: the mean."
    if any(measure in means for means in PUBLISHED.values() for measure in measures):
        text += f" Grey: published means of {' and '.join(PUBLISHED)}"
        text += ", clutter by Objectness windows." if "clutter" in measures else "."
    if ROOTED & set(measures):
        text += " Scale and CPL along their roots."
    text += " Hard are low scale and CPL, and high values of all others."
    if n_shown < len(datasets):
        text += f" The first {n_shown} of {len(datasets)} data sets."
    return text


def _values(dataset: DatasetDifficulty, measure: MeasureName) -> Floats:
    values = np.array([one.value(measure) for one in dataset.classes], dtype=np.float64)
    return values[~np.isnan(values)]


def _panel(
    datasets: Sequence[DatasetDifficulty], measure: MeasureName, colours: Sequence[str]
) -> alt.LayerChart:
    found = [_values(one, measure) for one in datasets]
    published = {name: means[measure] for name, means in PUBLISHED.items() if measure in means}
    low, high = _ends(found, measure, list(published.values()))
    scale = alt.Scale(type=axis_kind(measure), domain=[low, high], nice=False)
    x = alt.X("x:Q", title=None, scale=scale, axis=alt.Axis(labelExpr=DECIMAL_AXIS, tickCount=5))
    smooth = all(len(one) >= FEW_CLASSES and np.ptp(one) > 0 for one in found if len(one))
    marks = (
        _curves(found, measure, (low, high), colours, x)
        if smooth
        else _dots(datasets, found, measure, colours, x)
    )
    means: list[dict[str, Any]] = [
        {"x": one.means[measure], "colour": colour}
        for one, colour in zip(datasets, colours, strict=True)
        if not math.isnan(one.means[measure])
    ]
    rules = (
        alt.Chart(inline(means))
        .mark_rule(strokeWidth=1.25, strokeDash=[4, 2])
        .encode(
            x=x,
            y=fixed(alt.YValue, LINE_PX * len(published)),
            y2=fixed(alt.Y2Value, PLOT_PX),
            color=alt.Color("colour:N", scale=None),
        )
    )
    layers = alt.LayerChart(layer=[*marks, rules, *_published(published, x, (low, high))])
    told = ", ".join(measure_text(row["x"]) for row in means)
    words = MEASURE_WORDS[measure]
    noun = "mean" if len(means) == 1 else "means"
    titled: alt.LayerChart = layers.properties(
        width=PANEL_PX,
        height=PLOT_PX,
        title=panel_title(f"{words}: {noun} {told}" if len(means) <= MOST_MEANS else words),
    )
    return titled


def _ends(
    found: Sequence[Floats], measure: MeasureName, published: Sequence[float]
) -> tuple[float, float]:
    every = np.concatenate([*found, np.array(published, dtype=np.float64)])
    low, high = float(every.min()), float(every.max())
    lowest, highest = BOUNDS[measure]
    room = 0.06 * (high - low) or 0.05
    # From the natural end on, where values come near it.
    low = lowest if low - lowest < 0.5 * (high - low) + room else low - room
    return low, min(high + room, highest)


def _curves(
    found: Sequence[Floats],
    measure: MeasureName,
    ends: tuple[float, float],
    colours: Sequence[str],
    x: alt.X,
) -> list[alt.Chart]:
    # Where the axis shows roots, classes are counted along them.
    power = 0.5 if axis_kind(measure) == "sqrt" else 1.0
    grid = np.linspace(ends[0] ** power, ends[1] ** power, N_STEPS)
    low, high = (end**power for end in BOUNDS[measure])
    heights = [_density(one**power, grid, (low, high)) for one in found]
    rows = [
        {"x": float(at), "y": float(height), "colour": colour}
        for colour, curve in zip(colours, heights, strict=True)
        for at, height in zip(grid ** (1 / power), curve, strict=True)
    ]
    n_lines = sum(measure in means for means in PUBLISHED.values())
    # The tops stay below what was published.
    highest = max(float(curve.max()) for curve in heights) * PLOT_PX
    limit = highest / (PLOT_PX - LINE_PX * n_lines - 3)
    plot = alt.Chart(inline(rows)).encode(
        x=x,
        y=alt.Y("y:Q", axis=None, stack=None, scale=alt.Scale(domain=[0, limit], nice=False)),
        color=alt.Color("colour:N", scale=None),
    )
    lines = plot.mark_line(strokeWidth=1.5)
    return [plot.mark_area(opacity=0.2, line=False), lines] if len(found) == 1 else [lines]


def _density(values: Floats, grid: Floats, bounds: tuple[float, float]) -> Floats:
    """Gaussian kernels of Silverman's width; what would lie beyond an end is folded back."""
    if not len(values):
        return np.zeros(len(grid))
    quarter, three_quarters = np.percentile(values, (25, 75))
    spread = min(float(values.std()), float(three_quarters - quarter) / 1.34)
    width = 0.9 * (spread or float(values.std())) * len(values) ** -0.2
    folded = [values, *(2 * end - values for end in bounds if math.isfinite(end))]
    distance = (grid[:, None] - np.concatenate(folded)) / width
    density: Floats = np.exp(-0.5 * distance**2).sum(axis=1) / (
        len(values) * width * math.sqrt(2 * math.pi)
    )
    return density


def _dots(
    datasets: Sequence[DatasetDifficulty],
    found: Sequence[Floats],
    measure: MeasureName,
    colours: Sequence[str],
    x: alt.X,
) -> list[alt.Chart]:
    """A line a data set, a dot a class."""
    top = LINE_PX * sum(measure in means for means in PUBLISHED.values())
    step = (PLOT_PX - top) / len(found)
    rows = [
        {
            "x": one.value(measure),
            "y": top + step * (line + 0.5),
            "colour": colour,
            "class": one.name,
            "text": measure_text(one.value(measure)),
        }
        for line, (dataset, colour) in enumerate(zip(datasets, colours, strict=True))
        for one in dataset.classes
        if not math.isnan(one.value(measure))
    ]
    scale = alt.Scale(domain=[PLOT_PX, 0], nice=False)
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_point(filled=True, size=26, opacity=0.6)
        .encode(
            x=x,
            y=alt.Y("y:Q", axis=None, scale=scale),
            color=alt.Color("colour:N", scale=None),
            tooltip=[alt.Tooltip("class:N"), alt.Tooltip("text:N", title=MEASURE_WORDS[measure])],
        )
    )
    return [chart]


def _published(
    means: Mapping[str, float], x: alt.X, ends: tuple[float, float]
) -> Iterator[alt.Chart]:
    """A short stroke each, below one another, with the name where there is room."""
    middle = (ends[0] + ends[1]) / 2
    words: dict[str, Any] = {"fontSize": FONT_PX - 2, "color": SOFT_INK, "baseline": "middle"}
    for line, (name, value) in enumerate(means.items()):
        left = value > middle
        plot = alt.Chart(inline([{"x": value, "name": name.split()[0]}])).encode(x=x)
        yield plot.mark_rule(color=SOFT_INK, strokeWidth=1).encode(
            y=fixed(alt.YValue, LINE_PX * line + 1), y2=fixed(alt.Y2Value, LINE_PX * (line + 1) - 1)
        )
        yield plot.mark_text(
            align="right" if left else "left", dx=-3 if left else 3, **words
        ).encode(y=fixed(alt.YValue, LINE_PX * (line + 0.5)), text="name:N")
