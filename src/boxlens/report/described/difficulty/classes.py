"""Every measure of every class, and which classes are hardest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from boxlens.report.charts.colours import FIRST, NEUTRAL, SECOND
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.choosing import GAP_LABEL, both_ends
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import dots, rule_at
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.selecting import picks
from boxlens.report.described.difficulty.datasets import NO_OBJECTS, measure_columns
from boxlens.report.study import COUNT, TEXT, Column, Plot, Section, Table, columns_of
from boxlens.studies.difficulty.class_measures import (
    ClassDifficulty,
    DatasetDifficulty,
    defined_measures,
)
from boxlens.studies.difficulty.measures import MEASURES, MeasureName, measure_text
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import class_sentences
from boxlens.wording import count

# Classes are ranked by these; by another only where neither is known.
RANKED_BY: Final[tuple[MeasureName, ...]] = ("cpl", "clutter")
# Of each end, in a figure and in a terminal.
MOST_RANKED, MOST_BRIEF = 15, 5
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
        findings=tuple(class_sentences(first)),
    )


def _ranking_plot(result: DifficultyResult, measure: MeasureName) -> Plot:
    first, of = result.datasets[0], MEASURES[measure]
    ranked = first.hardest_first(measure)
    n_undefined = len(first.classes) - len(ranked)
    legend = "Line: mean over classes. The hardest class comes first."
    if of.crowded:
        legend += " The axis shows square roots."
    if len(ranked) > 2 * MOST_RANKED + 1:
        legend += f" The {MOST_RANKED} hardest and easiest of {len(ranked):,} classes."
    return Plot(
        f"classes_by_{measure}",
        f"The hardest and easiest classes by {of.short}",
        "Classes at the top are hard for any system: expect low scores there.",
        partial(_draw_ranking, result, measure),
        legend=legend + (f" Undefined for {n_undefined:,} more." if n_undefined else ""),
        about=first.name,
        absent="" if ranked else NO_OBJECTS,
    )


def _draw_ranking(result: DifficultyResult, measure: MeasureName) -> Spec:
    """Where systems are detectors, a click on a class shows its objects in the app."""
    first, of = result.datasets[0], MEASURES[measure]
    shown = both_ends(first.hardest_first(measure), MOST_RANKED)
    known = {place: one for place, one in shown.items() if one is not None}
    cut = len(known) < len(shown)
    rows = []
    for at, (place, one) in enumerate(known.items()):
        value = one.value(measure)
        tip = {
            "class": one.name,
            of.short: measure_text(value),
            "objects": count(one.n_objects),
            "images": count(one.n_images),
        }
        colour = (SECOND if at < MOST_RANKED else FIRST) if cut else NEUTRAL
        objects = picks(one.name, None, of="objects", terms={"class": one.name})
        row = {"row": place, "colour": colour, "value": value, "tip": tip}
        rows.append(row | (objects if result.has_detectors else {}))
    return name_rows(
        rows,
        Names(
            {place: one.name if one else GAP_LABEL for place, one in shown.items()},
            px=13,
            grid=True,
        ),
        Axis(of.title, ticks=4, kind="sqrt" if of.crowded else "linear"),
        *rule_at(first.means[measure]),
        dots("value", size=32),
        width=130,
        columns={
            name: {row["row"]: row["tip"][name] for row in rows} for name in (of.short, "objects")
        },
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


def _ends(rows: Sequence[_Class]) -> list[_Class]:
    """The hardest and easiest by CPL; none where no class is harder than another."""
    by_name = {id(one.measured): one for one in rows}
    ranked = [by_name[id(one)] for one in rows[0].dataset.hardest_first("cpl")] if rows else []
    if not ranked or ranked[0].measured.cpl == ranked[-1].measured.cpl:
        return []
    cut = len(ranked) > 2 * MOST_BRIEF
    return [*ranked[:MOST_BRIEF], *ranked[-MOST_BRIEF:]] if cut else ranked
