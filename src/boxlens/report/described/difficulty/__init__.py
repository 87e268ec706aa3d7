"""How hard data sets and their classes are, and what systems make of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from boxlens.data import Dataset
from boxlens.report.described.difficulty.classes import classes_section, subsets_section
from boxlens.report.described.difficulty.correlations import correlations_section
from boxlens.report.described.difficulty.datasets import datasets_section
from boxlens.report.described.difficulty.groups import properties_section
from boxlens.report.described.difficulty.systems import accuracy_section
from boxlens.report.described.difficulty.tree import hierarchy_section
from boxlens.report.described.extras import Extras, Run
from boxlens.report.study import FINE_SCORE, SCORE, Form, Plot, Section, Study, file_name
from boxlens.studies.difficulty.matched_subset import subset_dataset
from boxlens.studies.difficulty.measures import MEASURES
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import answer_sentences
from boxlens.wording import counted, listed, number

# Within a whole report: those that have something to say without further files.
OF_REPORT: Final = ("datasets", "accuracy", "correlations", "hierarchy", "classes")


def study(result: DifficultyResult) -> Study:
    """Data sets, then what systems make of them, and every class."""
    first = result.datasets[0]
    names = [one.name for one in result.systems]
    sections = (
        datasets_section(result),
        accuracy_section(result),
        correlations_section(result),
        hierarchy_section(result),
        properties_section(result),
        subsets_section(result),
        classes_section(result),
    )
    return Study(
        title=f"Difficulty for {listed(names, 3, 'systems')}" if names else "Difficulty",
        data=first.name,
        facts=(
            counted(first.n_images, "image"),
            counted(first.n_objects, "object"),
            counted(first.n_classes, "class", "classes"),
            *([counted(len(result.datasets), "data set")] if len(result.datasets) > 1 else []),
        ),
        sentences=tuple(answer_sentences(result)),
        tiles=tuple(_tiles(result)),
        sections=tuple(_about_systems(result, one) for one in sections),
        main_plot="measures",
        guide="difficulty",
    )


def extras(result: DifficultyResult, strict_coco: bool = False) -> Extras:
    """Subsets as data sets, if asked for with COCO's own fields alone.

    Without detections there is nothing for the app to show.
    """
    run = None
    if result.detections:
        run = Run(result.inputs[0], detections=result.detections, iou=result.choice.iou)
    return Extras(run, datasets=_subset_datasets(result), strict_coco=strict_coco)


def _subset_datasets(result: DifficultyResult) -> dict[str, Dataset | None]:
    """Those that were asked for, by the names of their files; None where no subset matches."""
    by_name = {one.name: one for one in result.inputs}
    found: dict[str, Dataset | None] = {}
    for one in result.subsets:
        if not result.choice.match or one.dataset not in by_name or not one.means.size:
            continue
        name = f"subset_{one.measure}"
        if name in found:
            name = f"{name}_{file_name(one.target_of or number(one.target))}"
        found[name] = subset_dataset(by_name[one.dataset], one) if one.reached else None
    return found


def study_in_report(result: DifficultyResult) -> Study:
    """Within a whole report: one figure per question, of the main score."""
    whole = study(result).with_own_names()
    sections = {one.name: one for one in whole.sections if one.name in OF_REPORT}
    # Of the correlations only the first figure.
    found = sections["correlations"]
    first, *others = found.parts
    parts = (first, *(part for part in others if not isinstance(part, Plot)))
    sections["correlations"] = replace(found, parts=parts)
    return replace(whole, sections=tuple(sections.values())).within("difficulty")


def _about_systems(result: DifficultyResult, section: Section) -> Section:
    """Plots that do not say what they are about are about the systems."""
    names, first = [one.name for one in result.systems], result.datasets[0].name
    about = f"{listed(names, 2, 'systems')} on {first}" if names else first
    detector = names[0] if len(names) == 1 else ""
    parts = (
        replace(one, about=one.about or about, detector=detector) if isinstance(one, Plot) else one
        for one in section.parts
    )
    return replace(section, parts=tuple(parts))


def _tiles(result: DifficultyResult) -> Iterator[tuple[str, float, Form]]:
    """Means of the first data set, then the main score of every system."""
    for name, value in result.datasets[0].means.items():
        if not math.isnan(value):
            yield f"mean {MEASURES[name].short}", value, FINE_SCORE
    for one in result.systems:
        if one.main_score is not None:
            yield f"{result.label(one.main_score)}, {one.name}", one.scores[one.main_score], SCORE
