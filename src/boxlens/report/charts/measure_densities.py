"""How hard the classes of data sets are: one panel per measure, one curve per data set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from boxlens.report.charts.colours import SOFT_INK, colours_of
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Mark
from boxlens.report.charts.forms.marks import dots, lines
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.studies.difficulty.measures import MEASURES, measure_text
from boxlens.studies.difficulty.published import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.data.columns import Floats
    from boxlens.report.charts.forms.layers import Row, Shown, Spec
    from boxlens.studies.difficulty.class_measures import DatasetDifficulty
    from boxlens.studies.difficulty.measures import MeasureName

PANEL_PX: Final = 152
PLOT_PX: Final = 78
# At the top of a panel: a line each for what was published.
LINE_PX: Final = 10
# Fewer classes are dots.
FEW_CLASSES: Final = 10
N_STEPS: Final = 121
MOST_MEANS: Final = 2
# No value lies outside; the density of those near an end is folded back.
BOUNDS: Final[Mapping[MeasureName, tuple[float, float]]] = {
    "instances_per_image": (1.0, math.inf),
    "neighbours": (0.0, math.inf),
    "scale": (0.0, 1.0),
    "cpl": (0.0, 1.0),
    "clutter": (0.0, math.inf),
}


def measure_densities_chart(
    datasets: Sequence[DatasetDifficulty], measures: Sequence[MeasureName]
) -> Spec:
    """At most as many data sets as there are colours."""
    colours = colours_of([one.name for one in datasets])
    panels = [_panel(datasets, measure, list(colours.values())) for measure in measures]
    return grid(panels, 2, above=key(colours, width=2 * PANEL_PX), gap=20)


def _panel(
    datasets: Sequence[DatasetDifficulty], measure: MeasureName, colours: Sequence[str]
) -> Spec:
    found = [_values(one, measure) for one in datasets]
    published = {name: means[measure] for name, means in PUBLISHED.items() if measure in means}
    top = LINE_PX * len(published)
    ends = _ends(found, measure, list(published.values()))
    means: list[Row] = [
        {"x": one.means[measure], "colour": colour}
        for one, colour in zip(datasets, colours, strict=True)
        if not math.isnan(one.means[measure])
    ]
    words = MEASURES[measure]
    told = ", ".join(measure_text(row["x"]) for row in means)
    noun = "mean" if len(means) == 1 else "means"
    smooth = all(len(one) >= FEW_CLASSES and np.ptp(one) > 0 for one in found if len(one))
    rows = (
        _curves(found, measure, ends, colours, PLOT_PX - top - 3)
        if smooth
        else _dots(datasets, measure, colours, PLOT_PX - top)
    )
    # Of several data sets only the lines are seen.
    area = Mark("area", {"x": "x", "y": "y"}, {"opacity": 0.2}, None if len(found) == 1 else ())
    return plot(
        rows,
        Axis(ends=ends, ticks=4, kind="sqrt" if words.crowded else "linear"),
        Axis(ends=(0, PLOT_PX), hidden=True),
        *((area, lines()) if smooth else (dots(size=26, opacity=0.6),)),
        Mark("rule", {"x": "x", "y": top, "y2": PLOT_PX}, {"strokeDash": [4, 2]}, means),
        *_published(published, sum(ends) / 2),
        width=PANEL_PX,
        height=PLOT_PX,
        title=f"{words.short}: {noun} {told}" if len(means) <= MOST_MEANS else words.short,
    )


def _values(dataset: DatasetDifficulty, measure: MeasureName) -> Floats:
    values = np.array([one.value(measure) for one in dataset.classes], dtype=np.float64)
    return values[~np.isnan(values)]


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
    top_px: float,
) -> Iterator[Row]:
    """The tops stay below what was published."""
    # Where the axis shows roots, classes are counted along them.
    power = 0.5 if MEASURES[measure].crowded else 1.0
    steps = np.linspace(ends[0] ** power, ends[1] ** power, N_STEPS)
    low, high = (end**power for end in BOUNDS[measure])
    heights = [_density(one**power, steps, (low, high)) for one in found]
    px = top_px / max(float(curve.max()) for curve in heights)
    for colour, curve in zip(colours, heights, strict=True):
        for at, height in zip(steps ** (1 / power), px * curve, strict=True):
            yield {"x": float(at), "y": float(height), "series": colour, "colour": colour}


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
    measure: MeasureName,
    colours: Sequence[str],
    top_px: float,
) -> Iterator[Row]:
    """One line per data set, one dot per class."""
    for line, (dataset, colour) in enumerate(zip(datasets, colours, strict=True)):
        up = top_px * (1 - (line + 0.5) / len(datasets))
        for one in dataset.classes:
            value = one.value(measure)
            tip = {"class": one.name, MEASURES[measure].short: measure_text(value)}
            yield {"x": value, "y": up, "colour": colour, "tip": tip}


def _published(means: Mapping[str, float], middle: float) -> Iterator[Mark]:
    """A short stroke each, below one another, with the name where there is room."""
    for line, (name, value) in enumerate(means.items()):
        row = [{"x": value, "text": name.split()[0]}]
        top = LINE_PX * line
        look = {"align": "right", "dx": -3} if value > middle else {"align": "left", "dx": 3}
        stroke: dict[str, Shown] = {"x": "x", "y": top + 1, "y2": top + LINE_PX - 1}
        place: dict[str, Shown] = {"x": "x", "y": top + LINE_PX / 2, "text": "text"}
        yield Mark("rule", stroke, {"color": SOFT_INK}, row)
        yield Mark("text", place, {**look, "fontSize": 8, "color": SOFT_INK}, row)
