"""Every measure of data sets side by side, of every class, and which classes are hardest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import Any, Final, NamedTuple

from boxlens.report.charts.difficulty_measures import (
    MOST_RANKED,
    hard_classes_chart,
    measure_densities_chart,
)
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.described.difficulty.columns import (
    HARD_END,
    MOST_SYSTEMS,
    NO_OBJECTS,
    measure_columns,
)
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
from boxlens.studies.difficulty.class_measures import (
    ClassDifficulty,
    DatasetDifficulty,
    defined_measures,
)
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES, MeasureName
from boxlens.studies.difficulty.published import PUBLISHED
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import class_sentences, dataset_sentences
from boxlens.wording import counted, listed

COUNTS: Final = {"n_images": "images", "n_objects": "objects", "n_classes": "classes"}
FILED_COUNTS: Final = (*COUNTS, "n_left_out")
QUARTILES: Final = ("lower_quartile", "median", "upper_quartile")
# Classes are ranked by these; by another only where neither is known.
RANKED_BY: Final[tuple[MeasureName, ...]] = ("cpl", "clutter")
# Of each end, in a terminal.
MOST_BRIEF: Final = 5
# Scores beside every class, before others at a click.
SHOWN_SYSTEMS: Final = 2


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
        "Means over classes, in which each class counts once, however many objects it has. "
        f"{HARD_END} Published: Russakovsky and others 2013, clutter with Objectness windows.",
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
    return Plot(
        "measures",
        "How hard the classes are by each measure",
        "Small objects, low CPL, high clutter and many instances make classes hard to localize. A "
        "curve further to the hard side means a harder data set, whatever the system.",
        partial(measure_densities_chart, result.datasets[:MOST_SYSTEMS], measures),
        legend=f"{legend} {HARD_END}{first_of(MOST_SYSTEMS, len(result.datasets), 'data sets')}",
        about=listed([one.name for one in result.datasets], 2, "data sets"),
        absent="" if measures else NO_OBJECTS,
    )


def _side_by_side(result: DifficultyResult) -> Table[Any]:
    """Data sets, and what was published of some, without counts."""
    searched = any(one.windows is not None for one in result.datasets)
    shown = [name for name in MEASURE_NAMES if name != "clutter" or searched]
    further = {"n_left_out": "objects not counted"}
    further |= {name: f"classes with {MEASURES[name].short}" for name in shown}
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
            *columns_of(COUNTS, lambda row, n: row[2].get(n), COUNT, heading=COUNTS.__getitem__),
            *columns_of(
                further,
                lambda row, n: row[2].get(n),
                COUNT,
                heading=further.__getitem__,
                further=True,
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
        used = one.windows
        if used is None:
            continue
        text = f"Clutter of {one.name}: the best {counted(used.limit, 'window')} per image of "
        text += f"{used.name} ({used.made_by})" if used.made_by else used.name
        text += f", in {used.n_images:,} of {counted(one.n_images, 'image')}"
        if one.searched_in_part:
            text += "; the table of classes says how many images of each class were searched"
        yield Note(f"{text}. Published: Objectness windows.")


def classes_section(result: DifficultyResult) -> Section:
    first = result.datasets[0]
    measures = defined_measures([first])
    ranked_by = [name for name in RANKED_BY if name in measures] or measures[:1] or RANKED_BY[:1]
    return Section(
        "classes",
        "Classes",
        (*(_ranking_plot(result, name) for name in ranked_by), _classes(result)),
        "Sort by a measure to see which classes are hard by it.",
        findings=tuple(class_sentences(first)),
    )


def _ranking_plot(result: DifficultyResult, measure: MeasureName) -> Plot:
    first = result.datasets[0]
    n_ranked = first.n_defined[measure]
    n_undefined = len(first.classes) - n_ranked
    legend = "Line: mean over classes. The hardest class comes first."
    if MEASURES[measure].crowded:
        legend += " The axis shows square roots."
    if n_ranked > 2 * MOST_RANKED + 1:
        legend += f" The {MOST_RANKED} hardest and easiest of {n_ranked:,} classes."
    return Plot(
        f"classes_by_{measure}",
        f"The hardest and easiest classes by {MEASURES[measure].short}",
        "Classes at the top are hard for any system: expect low scores there.",
        partial(hard_classes_chart, first, measure, linked=result.has_detectors),
        legend=legend + (f" Undefined for {n_undefined:,} more." if n_undefined else ""),
        about=first.name,
        absent="" if n_ranked else NO_OBJECTS,
    )


class _Class(NamedTuple):
    dataset: DatasetDifficulty
    # Row of the class there.
    row: int
    measured: ClassDifficulty


def _classes(result: DifficultyResult) -> Table[_Class]:
    """Of the first data set with the main score of every system."""
    first = result.datasets[0]
    rows = [
        _Class(one, row, measured)
        for one in result.datasets
        for row, measured in enumerate(one.classes)
    ]
    in_part = any(one.searched_in_part for one in result.datasets)
    several = len(result.datasets) > 1
    return Table(
        "classes",
        "Every class",
        rows,
        [
            Column("class", "class", lambda one: one.measured.name, TEXT),
            Column("dataset", "data set" if several else "", lambda one: one.dataset.name, TEXT),
            Column("n_images", "images", lambda one: one.measured.n_images, COUNT),
            Column("n_objects", "objects", lambda one: one.measured.n_objects, COUNT),
            *measure_columns(
                lambda one, name: one.measured.value(name), defined_measures(result.datasets)
            ),
            Column(
                "n_images_searched",
                "images searched" if in_part else "",
                lambda one: one.measured.n_images_searched,
                COUNT,
            ),
            *columns_of(
                result.systems,
                # Of the first data set, since systems were given that alone.
                lambda one, of: (
                    of.classes[one.row].scores.get(of.main_score) if one.dataset is first else None
                ),
                heading=lambda of: (
                    f"{result.label(of.main_score)}, {of.name}" if of.main_score else ""
                ),
                most=SHOWN_SYSTEMS,
            ),
        ],
        brief=_ends(rows[: len(first.classes)]),
        brief_caption=f"Hardest and easiest classes of {first.name} by CPL",
        wide=True,
    )


def _ends(rows: list[_Class]) -> list[_Class]:
    """The hardest and easiest by CPL; none where no class is harder than another."""
    by_name = {id(one.measured): one for one in rows}
    ranked = [by_name[id(one)] for one in rows[0].dataset.hardest_first("cpl")] if rows else []
    if not ranked or ranked[0].measured.cpl == ranked[-1].measured.cpl:
        return []
    cut = len(ranked) > 2 * MOST_BRIEF
    return [*ranked[:MOST_BRIEF], *ranked[-MOST_BRIEF:]] if cut else ranked
