"""A study of robustness as a page: what breaks each detector, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.detector_robustness.failures import told_failures
from boxlens.detector_robustness.verdict import robustness_sentences
from boxlens.images.transforming.catalogue import label_of, title_of
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts.detector_lines import detector_words
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import counted, paragraph, tiles
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.pages.picture_notes import failure_notes, remarks_table
from boxlens.report.pages.robustness_page_tables import (
    class_tables,
    corruption_means_table,
    corruption_table,
    errors_table,
    graded_tables,
    sets_table,
    step_table,
    tile_pairs,
)
from boxlens.report.planning.robustness_figures import (
    CLASSES,
    CORRUPTIONS,
    ERRORS,
    GRADED,
    PLACES,
    STUDY,
    absent_sections,
)
from boxlens.report.planning.study_words import listed_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.detector_robustness.bound_file import KnownBound
    from boxlens.detector_robustness.result import RobustnessResult
    from boxlens.images.transforming.transform import Step
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "robustness"
MOST_NAMES = 3
MOST_TILES = 3
SETS = "sets"
TITLES = {
    STUDY: "Study",
    CORRUPTIONS: "Corruptions",
    GRADED: "Graded changes",
    ERRORS: "Errors",
    PLACES: "Places",
    CLASSES: "Classes",
    SETS: "Pictures",
}
READINGS = {
    STUDY: "The transforms of Borji and Iranmanesh: what detectors make of objects without their "
    "surroundings, of scenes without their objects' company, and of turned or blurred pictures. "
    "Relative: AP by that of the unchanged pictures. Drop: how much lower AP is.",
    CORRUPTIONS: "Usual corruptions from severity 1 to 5. Means are over severities, then over "
    "corruptions.",
    GRADED: "The same changes as in studies of proposals, level by level. Means are over levels "
    "that change something. Rotations are cropped, so they are set against the same crop unturned "
    "(0 deg), and that against the unchanged pictures; boxes of turned objects are estimates, so "
    "AP falls by them alone, and AP50 hardly.",
    ERRORS: "TIDE's kinds of errors at IoU .5, against those on the unchanged pictures (of "
    "rotations: the crop unturned); of transforms with several levels the mean.",
    PLACES: "Whether detections still lie where objects do.",
    CLASSES: "Which classes a change costs most.",
    SETS: "What was looked at. Gone: objects of the data set that no picture of the step asks for.",
}


def robustness_page(
    result: RobustnessResult, document: dict[str, Any], drawn: DrawnPlan, examples: Section
) -> str:
    """`document` is what results.json holds."""
    first = result.sets[0]
    about = (
        f"{counted(first.n_images, 'picture')}, {counted(first.n_objects, 'object')} of "
        f"{counted(len(result.classes), 'class', 'classes')}; "
        f"{counted(len(result.detectors), 'detector')}, "
        f"{counted(len(result.sets) - 1, 'step')}"
    )
    told = {**document, "parameters": _parameters(result, document["parameters"])}
    return page(
        page_title(result),
        about,
        [
            _summary(result),
            *_questions(result, drawn, examples),
            provenance_section(told),
        ],
    )


def page_title(result: RobustnessResult) -> tuple[str, str]:
    """Who, on which data set."""
    names = [detector_words(one.name) for one in result.detectors]
    who = listed_words(names, "detector", most=MOST_NAMES)
    return f"Robustness of {who}", result.dataset


def _summary(result: RobustnessResult) -> Section:
    first, *others = robustness_sentences(result) or ("Nothing can be said.",)
    parts = (
        tiles(tile_pairs(result, MOST_TILES)),
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
    )
    return Section("summary", "Summary", parts)


def _questions(
    result: RobustnessResult, drawn: DrawnPlan, examples: Section
) -> tuple[Section, ...]:
    study = step_table(result, ("study",), caption="Transforms of the study", folded=False)
    corrupted = step_table(
        result, CORRUPTION_GROUPS, caption="Corruptions, all numbers of every step", folded=True
    )
    graded = step_table(
        result, ("graded",), caption="Graded changes, all numbers of every step", folded=True
    )
    parts: dict[str, tuple[str, ...]] = {
        STUDY: (study,),
        CORRUPTIONS: (corruption_means_table(result), corruption_table(result), corrupted),
        GRADED: (graded_tables(result), graded),
        ERRORS: (errors_table(result),),
        PLACES: (),
        CLASSES: (class_tables(result),),
        SETS: (
            sets_table(result),
            failure_notes(told_failures(result.failed, {one.step.slug for one in result.sets})),
            remarks_table(result.remarks),
        ),
    }
    told = {} if result.bound is None else {CLASSES: f" {_bound_words(result.bound)}"}
    sections = [
        Section(
            name,
            TITLES[name],
            (drawn.cards(name), *shown),
            reading=READINGS[name] + told.get(name, ""),
            guide=GUIDE,
        )
        for name, shown in parts.items()
    ]
    # What is seen before what is counted of it.
    ordered = (*sections[:3], examples, *sections[3:])
    absent = absent_sections(result)
    return tuple(one for one in ordered if one.name not in absent)


def _bound_words(bound: KnownBound) -> str:
    return (
        f"UAP is what a detector would reach that finds every object and has the labels of the "
        f"classifier {bound.classifier}; over all classes it is {decimal(bound.uap)}."
    )


def _parameters(result: RobustnessResult, told: dict[str, Any]) -> dict[str, Any]:
    """Steps by transform: a run has hundreds."""
    return {
        **told,
        "steps": _steps_told(result.choice.steps),
        "n_images": told["n_images"] or "all",
    }


def _steps_told(steps: Sequence[Step]) -> list[str]:
    levels: dict[str, list[str]] = {}
    for step in steps:
        levels.setdefault(title_of(step), []).extend([label_of(step)] * step.graded)
    return [f"{title} ({', '.join(of)})" if of else title for title, of in levels.items()]
