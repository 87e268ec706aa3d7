"""Every measure of data sets side by side: how their classes spread, and means over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, TypeVar

import numpy as np

from boxlens.data.columns import Floats
from boxlens.report.charts.colours import SERIES, SOFT_INK, colours_of
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Mark, Row, Shown, Spec
from boxlens.report.charts.forms.marks import dots, lines
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.report.study import (
    COUNT,
    FINE_SCORE,
    SCORE,
    TEXT,
    Column,
    Note,
    Plot,
    Section,
    Table,
    columns_of,
    table_of,
)
from boxlens.studies.difficulty.class_measures import DatasetDifficulty, defined_measures
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES, MeasureName, measure_text
from boxlens.studies.difficulty.published import PUBLISHED
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import dataset_sentences
from boxlens.wording import counted, listed

Of = TypeVar("Of")
NO_OBJECTS: Final = "no class has objects that count"
HARD_END: Final = "Hard classes have low scale and CPL, and high values of the other measures."
COUNTS: Final = {"n_images": "images", "n_objects": "objects", "n_classes": "classes"}
FILED_COUNTS: Final = (*COUNTS, "n_left_out")
QUARTILES: Final = ("lower_quartile", "median", "upper_quartile")
WIDTH, HEIGHT = 152, 78
# At the top of a panel: a line each for what was published.
PUBLISHED_PX: Final = 10


def datasets_section(result: DifficultyResult) -> Section:
    measures = defined_measures(result.datasets)
    legend = "Curve: density of classes; of a few classes each is a dot. Dashed: mean."
    if any(name in means for means in PUBLISHED.values() for name in measures):
        legend += f" Grey: published means of {listed(list(PUBLISHED))}"
        legend += ", clutter with Objectness windows." if "clutter" in measures else "."
    if any(MEASURES[name].crowded for name in measures):
        legend += " Scale and CPL have square-root axes."
    figure = Plot(
        "measures",
        "How hard the classes are by each measure",
        "Small objects, low CPL, high clutter and many instances make classes hard to localize. A "
        "curve further to the hard side means a harder data set, whatever the system.",
        partial(_draw, result.datasets[: len(SERIES)], measures),
        legend=f"{legend} {HARD_END}{first_of(len(SERIES), len(result.datasets), 'data sets')}",
        about=listed([one.name for one in result.datasets], 2, "data sets"),
        absent="" if measures else NO_OBJECTS,
    )
    return Section(
        "datasets",
        "Data sets",
        (figure, _side_by_side(result), *_windows(result), _quartiles(result), _filed(result)),
        "Means over classes, in which each class counts once, however many objects it has. "
        f"{HARD_END} Published: Russakovsky and others 2013, clutter with Objectness windows.",
        findings=tuple(dataset_sentences(result)),
    )


def _draw(datasets: Sequence[DatasetDifficulty], measures: Sequence[MeasureName]) -> Spec:
    """One panel per measure, one curve per data set."""
    panels = [_panel(dict(zip(SERIES, datasets, strict=False)), one) for one in measures]
    above = key(colours_of([one.name for one in datasets]), width=2 * WIDTH)
    return grid(panels, 2, above=above, gap=20)


def _panel(datasets: Mapping[str, DatasetDifficulty], measure: MeasureName) -> Spec:
    """Of data sets by their colours."""
    of = MEASURES[measure]
    every = {colour: one.columns()[measure] for colour, one in datasets.items()}
    found = {colour: values[~np.isnan(values)] for colour, values in every.items()}
    published = {name: means[measure] for name, means in PUBLISHED.items() if measure in means}
    top = PUBLISHED_PX * len(published)
    ends = _ends(np.concatenate([*found.values(), list(published.values())]), measure)
    means: list[Row] = [
        {"x": one.means[measure], "colour": colour}
        for colour, one in datasets.items()
        if not math.isnan(one.means[measure])
    ]
    title = f"{of.short}: {'mean' if len(means) == 1 else 'means'} "
    title += ", ".join(measure_text(row["x"]) for row in means)
    # A few classes are dots.
    if all(len(one) >= 10 and np.ptp(one) > 0 for one in found.values() if len(one)):
        rows = _curves(found, measure, ends, HEIGHT - top - 3)
        # Of several data sets only the lines are seen.
        area = () if len(found) > 1 else (Mark("area", {"x": "x", "y": "y"}, {"opacity": 0.2}),)
        marks = (*area, lines())
    else:
        rows, marks = _dots(datasets, measure, HEIGHT - top), (dots(size=26, opacity=0.6),)
    return plot(
        rows,
        Axis(ends=ends, ticks=4, kind="sqrt" if of.crowded else "linear"),
        Axis(ends=(0, HEIGHT), hidden=True),
        *marks,
        Mark("rule", {"x": "x", "y": top, "y2": HEIGHT}, {"strokeDash": [4, 2]}, means),
        *_published(published, sum(ends) / 2),
        width=WIDTH,
        height=HEIGHT,
        # More means than two have no room.
        title=title if len(means) <= 2 else of.short,
    )


def _bounds(measure: MeasureName) -> tuple[float, float]:
    """No value lies outside."""
    lowest = 1.0 if measure == "instances_per_image" else 0.0
    return lowest, 1.0 if measure in ("scale", "cpl") else math.inf


def _ends(every: Floats, measure: MeasureName) -> tuple[float, float]:
    low, high = float(every.min()), float(every.max())
    lowest, highest = _bounds(measure)
    room = 0.06 * (high - low) or 0.05
    # From the natural end on, where values come near it.
    low = lowest if low - lowest < 0.5 * (high - low) + room else low - room
    return low, min(high + room, highest)


def _curves(
    found: Mapping[str, Floats], measure: MeasureName, ends: tuple[float, float], top_px: float
) -> Iterator[Row]:
    """Densities of values by colour; the tops stay below what was published."""
    # Where the axis shows roots, classes are counted along them.
    power = 0.5 if MEASURES[measure].crowded else 1.0
    steps = np.linspace(ends[0] ** power, ends[1] ** power, 121)
    low, high = (end**power for end in _bounds(measure))
    heights = {colour: _density(of**power, steps, (low, high)) for colour, of in found.items()}
    px = top_px / max(float(curve.max()) for curve in heights.values())
    for colour, curve in heights.items():
        for at, height in zip(steps ** (1 / power), px * curve, strict=True):
            yield {"x": float(at), "y": float(height), "series": colour, "colour": colour}


def _density(values: Floats, steps: Floats, bounds: tuple[float, float]) -> Floats:
    """Gaussian kernels of Silverman's width; what would lie beyond an end is folded back."""
    if not len(values):
        return np.zeros(len(steps))
    quarter, three_quarters = np.percentile(values, (25, 75))
    spread = min(float(values.std()), float(three_quarters - quarter) / 1.34)
    width = 0.9 * (spread or float(values.std())) * len(values) ** -0.2
    folded = [values, *(2 * end - values for end in bounds if math.isfinite(end))]
    distance = (steps[:, None] - np.concatenate(folded)) / width
    scale = len(values) * width * math.sqrt(2 * math.pi)
    density: Floats = np.exp(-0.5 * distance**2).sum(axis=1) / scale
    return density


def _dots(
    datasets: Mapping[str, DatasetDifficulty], measure: MeasureName, top_px: float
) -> Iterator[Row]:
    """One line per data set, one dot per class."""
    for line, (colour, dataset) in enumerate(datasets.items()):
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


def measure_columns(
    value: Callable[[Of, MeasureName], object], shown: Collection[str], *, further: bool = False
) -> list[Column[Of]]:
    """Every measure in files, those of `shown` for readers."""
    return columns_of(
        MEASURE_NAMES,
        value,
        FINE_SCORE,
        key=str,
        heading=lambda name: MEASURES[name].short if name in shown else "",
        further=further,
    )


def _side_by_side(result: DifficultyResult) -> Table[Any]:
    """Data sets, and what was published of some, without counts."""
    searched = any(one.windows is not None for one in result.datasets)
    shown = [name for name in MEASURE_NAMES if name != "clutter" or searched]
    headings = {**COUNTS, "n_left_out": "objects not counted"}
    headings |= {name: f"classes with {MEASURES[name].short}" for name in shown}
    rows: list[tuple[str, Mapping[str, float], Mapping[str, int]]] = [
        (one.name, one.means, {**one.n_defined, **{n: getattr(one, n) for n in FILED_COUNTS}})
        for one in result.datasets
    ]
    rows += [(f"{name} (published)", means, {}) for name, means in PUBLISHED.items()]
    return Table(
        "",
        "Data sets side by side: means over classes",
        rows,
        [
            Column("", "data set", lambda row: row[0], TEXT),
            *measure_columns(lambda row, name: row[1].get(name), shown),
            *columns_of(
                headings,
                lambda row, name: row[2].get(name),
                COUNT,
                heading=headings.__getitem__,
                most=len(COUNTS),
            ),
        ],
        wide=True,
    )


def _quartiles(result: DifficultyResult) -> Table[Any]:
    known = [one for one in result.datasets if any(one.n_defined.values())]
    measures = defined_measures(known)
    forms = {"data set": TEXT, "quartile": TEXT}
    forms |= {MEASURES[name].short: FINE_SCORE for name in measures}
    rows = (
        (one.name, of.replace("_", " "), *(one.quartiles(name)[at] for name in measures))
        for one in known
        for at, of in enumerate(QUARTILES)
    )
    return table_of("", "Quartiles of every measure over classes", forms, rows, detail=True)


def _filed(result: DifficultyResult) -> Table[Any]:
    """As files have them: quartiles beside every mean."""
    forms = {"dataset": TEXT, **dict.fromkeys(FILED_COUNTS, COUNT)}
    forms |= {"windows": TEXT, "windows_made_by": TEXT, "n_windows": COUNT}
    forms |= {"n_images_searched": COUNT, **dict.fromkeys(map(str, MEASURE_NAMES), SCORE)}
    for name in MEASURE_NAMES:
        forms |= {f"n_classes_{name}": COUNT, **{f"{name}_{of}": SCORE for of in QUARTILES}}
    rows = (
        (
            one.name,
            *attrgetter(*FILED_COUNTS)(one),
            *((of.name, of.made_by or None, of.n_windows, of.n_images) if of else (None,) * 4),
            *(one.means[name] for name in MEASURE_NAMES),
            *(n for name in MEASURE_NAMES for n in (one.n_defined[name], *one.quartiles(name))),
        )
        for one in result.datasets
        for of in [one.windows]
    )
    return table_of("datasets", "", forms, rows)


def _windows(result: DifficultyResult) -> Iterator[Note]:
    """Clutter means nothing without the windows it was counted with."""
    for one in result.datasets:
        if used := one.windows:
            text = f"Clutter of {one.name}: the best {counted(used.limit, 'window')} per image of "
            text += f"{used.name} ({used.made_by})" if used.made_by else used.name
            text += f", in {used.n_images:,} of {counted(one.n_images, 'image')}"
            if one.searched_in_part:
                text += "; the table of classes says how many images of each class were searched"
            yield Note(f"{text}. Published: Objectness windows.")
