"""Every class with its measures, and which are hardest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from boxlens.report.charts.difficulty_measures import MOST_RANKED, hard_classes_chart
from boxlens.report.described.difficulty.columns import GUIDE, NO_OBJECTS, measure_columns
from boxlens.report.study import COUNT, TEXT, Column, Plot, Section, Table, columns_of
from boxlens.studies.difficulty.class_measures import defined_measures
from boxlens.studies.difficulty.measures import MEASURES
from boxlens.studies.difficulty.verdict import class_sentences

if TYPE_CHECKING:
    from boxlens.studies.difficulty.class_measures import ClassDifficulty, DatasetDifficulty
    from boxlens.studies.difficulty.measures import MeasureName
    from boxlens.studies.difficulty.result import DifficultyResult

# Classes are ranked by these; by another only where neither is known.
RANKED_BY: Final[tuple[MeasureName, ...]] = ("cpl", "clutter")
# Of each end, in a terminal.
MOST_BRIEF: Final = 5
# Scores beside every class, before others at a click.
SHOWN_SYSTEMS: Final = 2


def classes_section(result: DifficultyResult) -> Section:
    first = result.datasets[0]
    measures = defined_measures([first])
    ranked_by = [name for name in RANKED_BY if name in measures] or measures[:1] or RANKED_BY[:1]
    return Section(
        "classes",
        "Classes",
        (*(_ranking_plot(result, name) for name in ranked_by), _classes(result)),
        "Sort by a measure to see which classes are hard by it.",
        GUIDE,
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
