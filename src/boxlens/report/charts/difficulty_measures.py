"""How hard classes are: by every measure, the hardest of them, and how many reach a target."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.colours import FIRST, NEUTRAL, SECOND, SOFT_INK, colours_of
from boxlens.report.charts.forms.axes import COUNTS, Axis, Names, around
from boxlens.report.charts.forms.choosing import GAP_LABEL, both_ends, spread_out
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Mark, Row, Shown, Spec
from boxlens.report.charts.forms.marks import dots, lines, rule_at
from boxlens.report.charts.forms.panels import grid, name_rows, plot
from boxlens.report.charts.forms.scatter import scatter
from boxlens.report.charts.selecting import picks
from boxlens.studies.difficulty.class_measures import DatasetDifficulty
from boxlens.studies.difficulty.matched_subset import MatchedSubset
from boxlens.studies.difficulty.measures import MEASURES, MeasureName, measure_text
from boxlens.studies.difficulty.published import PUBLISHED
from boxlens.wording import count, short

DENSITY_PX: Final = 152
HEIGHT_PX: Final = 78
# At the top of a panel: a line each for what was published.
PUBLISHED_PX: Final = 10
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
# Classes of each end that are ranked.
MOST_RANKED: Final = 15
# Of a subset.
PANEL_PX: Final = 138
PLOT_PX: Final = 110
MOST_STEPS: Final = 200


def measure_densities_chart(
    datasets: Sequence[DatasetDifficulty], measures: Sequence[MeasureName]
) -> Spec:
    """One panel per measure, one curve per data set: at most as many as there are colours."""
    colours = colours_of([one.name for one in datasets])
    panels = [_density_panel(datasets, measure, list(colours.values())) for measure in measures]
    return grid(panels, 2, above=key(colours, width=2 * DENSITY_PX), gap=20)


def _density_panel(
    datasets: Sequence[DatasetDifficulty], measure: MeasureName, colours: Sequence[str]
) -> Spec:
    every = [np.array([of.value(measure) for of in one.classes], float) for one in datasets]
    found = [values[~np.isnan(values)] for values in every]
    published = {name: means[measure] for name, means in PUBLISHED.items() if measure in means}
    top = PUBLISHED_PX * len(published)
    ends = _density_ends(np.concatenate([*found, list(published.values())]), measure)
    means: list[Row] = [
        {"x": one.means[measure], "colour": colour}
        for one, colour in zip(datasets, colours, strict=True)
        if not math.isnan(one.means[measure])
    ]
    of = MEASURES[measure]
    told = ", ".join(measure_text(row["x"]) for row in means)
    noun = "mean" if len(means) == 1 else "means"
    smooth = all(len(one) >= FEW_CLASSES and np.ptp(one) > 0 for one in found if len(one))
    rows = (
        _curves(found, measure, ends, colours, HEIGHT_PX - top - 3)
        if smooth
        else _dots(datasets, measure, colours, HEIGHT_PX - top)
    )
    # Of several data sets only the lines are seen.
    area = Mark("area", {"x": "x", "y": "y"}, {"opacity": 0.2}, None if len(found) == 1 else ())
    return plot(
        rows,
        Axis(ends=ends, ticks=4, kind="sqrt" if of.crowded else "linear"),
        Axis(ends=(0, HEIGHT_PX), hidden=True),
        *((area, lines()) if smooth else (dots(size=26, opacity=0.6),)),
        Mark("rule", {"x": "x", "y": top, "y2": HEIGHT_PX}, {"strokeDash": [4, 2]}, means),
        *_published(published, sum(ends) / 2),
        width=DENSITY_PX,
        height=HEIGHT_PX,
        title=f"{of.short}: {noun} {told}" if len(means) <= MOST_MEANS else of.short,
    )


def _density_ends(every: Floats, measure: MeasureName) -> tuple[float, float]:
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
        top = PUBLISHED_PX * line
        look = {"align": "right", "dx": -3} if value > middle else {"align": "left", "dx": 3}
        stroke: dict[str, Shown] = {"x": "x", "y": top + 1, "y2": top + PUBLISHED_PX - 1}
        place: dict[str, Shown] = {"x": "x", "y": top + PUBLISHED_PX / 2, "text": "text"}
        yield Mark("rule", stroke, {"color": SOFT_INK}, row)
        yield Mark("text", place, {**look, "fontSize": 8, "color": SOFT_INK}, row)


def hard_classes_chart(dataset: DatasetDifficulty, measure: MeasureName, *, linked: bool) -> Spec:
    """The hardest and the easiest; `linked`: in the app a click on a class shows its objects."""
    shown = both_ends(dataset.hardest_first(measure), MOST_RANKED)
    known = {place: one for place, one in shown.items() if one is not None}
    cut = len(known) < len(shown)
    of = MEASURES[measure]
    values = {place: measure_text(one.value(measure)) for place, one in known.items()}
    rows = []
    for at, (place, one) in enumerate(known.items()):
        objects = picks(one.name, None, of="objects", terms={"class": one.name})
        tip = {
            "class": one.name,
            of.short: values[place],
            "objects": count(one.n_objects),
            "images": count(one.n_images),
        }
        colour = (SECOND if at < MOST_RANKED else FIRST) if cut else NEUTRAL
        row = {"row": place, "colour": colour, "value": one.value(measure), "tip": tip}
        rows.append(row | (objects if linked else {}))
    labels = {place: one.name if one else GAP_LABEL for place, one in shown.items()}
    return name_rows(
        rows,
        Names(labels, px=13, grid=True),
        Axis(of.title, ticks=4, kind="sqrt" if of.crowded else "linear"),
        *rule_at(dataset.means[measure]),
        dots("value", size=32),
        width=130,
        columns={
            of.short: values,
            "objects": {place: count(one.n_objects) for place, one in known.items()},
        },
    )


def matched_subsets_chart(subsets: Sequence[MatchedSubset]) -> Spec:
    """One panel per subset."""
    return grid([_subset_panel(one) for one in subsets], 2, gap=18)


def _subset_panel(subset: MatchedSubset) -> Spec:
    n_classes = len(subset.means)
    steps = [_step(at + 1, float(subset.means[at])) for at in spread_out(n_classes, MOST_STEPS)]
    # Of a few classes each is a dot; no class at all may be hard enough.
    small = {"colour": FIRST, "size": 14, "opacity": int(n_classes < FEW_CLASSES)}
    large = {"colour": SECOND, "size": 40, "opacity": int(bool(subset.classes))}
    last = _step(len(subset.classes), subset.mean)
    last |= {} if subset.classes else {"y": subset.target}
    target = f"target {measure_text(subset.target)}"
    target += f", as {short(subset.target_of)}" if subset.target_of else ""
    # Of a few classes longer than they are, so that labels are whole numbers.
    end = 1.02 * max(n_classes, 4)
    return scatter(
        [*({**one, **small} for one in steps), {**last, **large, "name": chosen_text(subset)}],
        Axis("k hardest classes", (0, end), ticks=4, form=COUNTS),
        Axis(
            f"mean {MEASURES[subset.measure].short}",
            around([*map(float, subset.means), subset.target], 0.18),
            ticks=4,
        ),
        lines(rows=steps, color=FIRST),
        line=((0, subset.target), (end, subset.target)),
        size=0,
        width=PANEL_PX,
        height=PLOT_PX,
        title=f"Classes of {short(subset.dataset)}\n{target}",
    )


def _step(k: int, mean: float) -> Row:
    return {"x": k, "y": mean, "tip": {"classes": count(k), "mean": measure_text(mean)}}


def chosen_text(subset: MatchedSubset) -> str:
    """How many are as hard: 12 of 80; or that the target is out of reach."""
    k, n = len(subset.classes), len(subset.means)
    if not k:
        return "none is as hard"
    return f"{k:,} of {n:,}" if subset.reached else f"all {n:,}, still harder"
