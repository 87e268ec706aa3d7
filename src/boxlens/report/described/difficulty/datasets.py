"""Data sets side by side: every measure of each."""

from __future__ import annotations

import math
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from boxlens.report.charts.measure_densities import measure_densities_chart
from boxlens.report.described.difficulty.columns import (
    GUIDE,
    HARD_END,
    MOST_SYSTEMS,
    NO_OBJECTS,
    first_of,
    measure_columns,
    plot,
)
from boxlens.report.study import COUNT, TEXT, Column, Note, Plot, Section, Table
from boxlens.studies.difficulty.class_measures import defined_measures
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES
from boxlens.studies.difficulty.published import PUBLISHED
from boxlens.studies.difficulty.verdict import dataset_sentences
from boxlens.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boxlens.studies.difficulty.class_measures import DatasetDifficulty
    from boxlens.studies.difficulty.measures import MeasureName
    from boxlens.studies.difficulty.result import DifficultyResult

COUNTS: Final = {
    "n_images": "images",
    "n_objects": "objects",
    "n_classes": "classes",
}
FILED_COUNTS: Final = (*COUNTS, "n_left_out")
QUARTILES: Final = ("lower_quartile", "median", "upper_quartile")


def datasets_section(result: DifficultyResult) -> Section:
    return Section(
        "datasets",
        "Data sets",
        (
            _measures_plot(result),
            _side_by_side(result),
            *_windows(result),
            _quartiles(result),
            _filed(result),
        ),
        reading="Means over classes, in which each class counts once, however many objects it has. "
        f"{HARD_END} Published: Russakovsky and others 2013, clutter with Objectness windows.",
        guide=GUIDE,
        findings=tuple(dataset_sentences(result)),
    )


def _measures_plot(result: DifficultyResult) -> Plot:
    measures = defined_measures(result.datasets)
    legend = "Curve: density of classes; of a few classes each is a dot. Dashed: mean."
    if any(name in means for means in PUBLISHED.values() for name in measures):
        legend += f" Grey: published means of {listed(list(PUBLISHED))}"
        legend += ", clutter with Objectness windows." if "clutter" in measures else "."
    if any(MEASURES[name].crowded for name in measures):
        legend += " Scale and CPL have square-root axes."
    return plot(
        result,
        "measures",
        "How hard the classes are by each measure",
        "Small objects, low CPL, high clutter and many instances make classes hard to localize. A "
        "curve further to the hard side means a harder data set, whatever the system.",
        partial(measure_densities_chart, result.datasets[:MOST_SYSTEMS], measures),
        legend=f"{legend} {HARD_END}{first_of(MOST_SYSTEMS, len(result.datasets), 'data sets')}",
        about=listed([one.name for one in result.datasets], 2, "data sets"),
        absent="" if measures else NO_OBJECTS,
    )


class _Means(NamedTuple):
    """A data set, or what was published of one, which has no counts."""

    name: str
    means: Mapping[str, float]
    # Of what `COUNTS` names, and classes that have a measure.
    counts: Mapping[str, int]


def _side_by_side(result: DifficultyResult) -> Table[_Means]:
    rows = [
        _Means(one.name, one.means, {**one.n_defined, **{n: getattr(one, n) for n in FILED_COUNTS}})
        for one in result.datasets
    ]
    rows += [_Means(f"{name} (published)", means, {}) for name, means in PUBLISHED.items()]
    searched = any(one.windows is not None for one in result.datasets)
    shown = [name for name in MEASURE_NAMES if name != "clutter" or searched]
    more = {"n_left_out": "objects not counted"}
    more |= {name: f"classes with {MEASURES[name].short}" for name in shown}
    return Table(
        "",
        "Data sets side by side: means over classes",
        rows,
        [
            Column("", "data set", lambda row: row.name, TEXT),
            *measure_columns(lambda name, row: row.means.get(name, math.nan), shown),
            *(Column("", COUNTS[key], partial(_count, key), COUNT) for key in COUNTS),
            *(Column("", more[key], partial(_count, key), COUNT, further=True) for key in more),
        ],
        wide=True,
    )


def _count(name: str, row: _Means) -> int | None:
    return row.counts.get(name)


class _Quarter(NamedTuple):
    dataset: DatasetDifficulty
    # 0 to 2.
    at: int


def _quartiles(result: DifficultyResult) -> Table[_Quarter]:
    known = [one for one in result.datasets if any(one.n_defined.values())]
    return Table(
        "",
        "Quartiles of every measure over classes",
        [_Quarter(one, at) for one in known for at in range(len(QUARTILES))],
        [
            Column("", "data set", lambda row: row.dataset.name, TEXT),
            Column("", "quartile", lambda row: QUARTILES[row.at].replace("_", " "), TEXT),
            *measure_columns(
                lambda name, row: row.dataset.quartiles(name)[row.at], defined_measures(known)
            ),
        ],
        detail=True,
    )


def _filed(result: DifficultyResult) -> Table[DatasetDifficulty]:
    """As files have them: quartiles beside every mean."""
    columns: list[Column[DatasetDifficulty]] = [
        Column("dataset", "", lambda one: one.name, TEXT),
        *(Column(name, "", attrgetter(name), COUNT) for name in FILED_COUNTS),
        Column("windows", "", lambda one: one.windows and one.windows.name, TEXT),
        Column("windows_made_by", "", lambda one: _made_by(one) or None, TEXT),
        Column("n_windows", "", lambda one: one.windows and one.windows.n_windows, COUNT),
        Column("n_images_searched", "", lambda one: one.windows and one.windows.n_images, COUNT),
        *measure_columns(lambda name, one: one.means[name]),
    ]
    for name in MEASURE_NAMES:
        columns.append(Column(f"n_classes_{name}", "", partial(_n_defined, name), COUNT))
        for at, what in enumerate(QUARTILES):
            columns.append(Column(f"{name}_{what}", "", partial(_quartile, name, at)))
    return Table("datasets", "", result.datasets, columns)


def _made_by(one: DatasetDifficulty) -> str:
    return "" if one.windows is None else one.windows.made_by


def _n_defined(name: MeasureName, one: DatasetDifficulty) -> int:
    return one.n_defined[name]


def _quartile(name: MeasureName, at: int, one: DatasetDifficulty) -> float:
    return one.quartiles(name)[at]


def _windows(result: DifficultyResult) -> Iterator[Note]:
    """Clutter means nothing without the windows it was counted with."""
    for one in result.datasets:
        used = one.windows
        if used is None:
            continue
        text = f"Clutter of {one.name}: the best {counted(used.limit, 'window')} per image of "
        text += f"{used.name} ({used.made_by})" if used.made_by else used.name
        text += f", in {used.n_images:,} of {counted(one.n_images, 'image')}"
        if one.searched_in_part:
            text += "; the table of classes says how many images of each class were searched"
        yield Note(f"{text}. Published: Objectness windows.")
