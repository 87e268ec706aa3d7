"""Which figures a study of robustness has, and what to make of each."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts import robustness_classes as classes
from boxlens.report.charts import robustness_curves as curves
from boxlens.report.charts import robustness_density as density
from boxlens.report.charts import robustness_errors as errors
from boxlens.report.charts import robustness_graded as graded
from boxlens.report.charts import robustness_groups as groups
from boxlens.report.charts import robustness_study as study
from boxlens.report.charts.detector_lines import detector_styles, detector_words
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, plan_of
from boxlens.report.planning.study_words import listed_words, number_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from altair.typing import ChartType

    from boxlens.detector_robustness.result import RobustnessResult
    from boxlens.images.transforming.transform import Group

# Sections of the page.
STUDY, CORRUPTIONS, GRADED, ERRORS, PLACES, CLASSES = (
    "study",
    "corruptions",
    "graded",
    "errors",
    "places",
    "classes",
)
NO_SCORE = "no change has a score"
# Each has as many lines as there are classes; all of them are in the tables.
MOST_CLASS_FIGURES = 3


def robustness_figures(result: RobustnessResult) -> FigurePlan:
    """The study, corruptions, graded changes; then errors, places and classes."""
    absent = absent_sections(result)
    return plan_of(one for one in _figures(result) if one.section not in absent)


def absent_sections(result: RobustnessResult) -> set[str]:
    """Those whose changes were not run: nothing is to be said about them."""
    run = {one.group for detector in result.detectors for one in detector.steps}
    groups: dict[str, tuple[Group, ...]] = {
        STUDY: ("study",),
        CORRUPTIONS: CORRUPTION_GROUPS,
        GRADED: ("graded",),
    }
    return {section for section, of in groups.items() if run.isdisjoint(of)}


def _figures(result: RobustnessResult) -> Iterator[Figure | LeftOut]:
    yield from _change_figures(result)
    yield from _error_figures(result)
    yield from _class_figures(result)


def _wide(
    result: RobustnessResult,
    name: str,
    title: str,
    reading: str,
    section: str,
    chart: Callable[..., ChartType],
    *,
    there: bool,
) -> Figure | LeftOut:
    if not there:
        return LeftOut(title, NO_SCORE, section)
    draw = partial(chart, result, about=robustness_about(result))
    return Figure(name, title, reading, section, draw, wide=True)


def _change_figures(result: RobustnessResult) -> Iterator[Figure | LeftOut]:
    """What is left of AP."""
    yield _wide(
        result,
        "robustness_study",
        study.TITLE,
        "Far from its stroke without a background: the detector leans on the scene. Far from it "
        "on crops: it needs objects to be as large as in scenes. Upside down: it knows how things "
        "stand.",
        STUDY,
        study.robustness_study_chart,
        there=study.has_study(result),
    )
    yield _wide(
        result,
        "robustness_curves",
        curves.TITLE,
        "A line that falls at once: this corruption breaks the detector even when hardly seen. "
        "Lines that cross: which detector is better depends on how bad pictures are.",
        CORRUPTIONS,
        curves.robustness_curves_chart,
        there=curves.has_curves(result),
    )
    yield _wide(
        result,
        "robustness_groups",
        groups.TITLE,
        "The shortest bar is the group to train against first. A detector may be best in AP "
        "and lose more of it than others.",
        CORRUPTIONS,
        groups.robustness_groups_chart,
        there=groups.has_groups(result),
    )
    yield _wide(
        result,
        "robustness_graded",
        graded.TITLE,
        "How far a change may go before it costs anything: where lines leave the dashed ones.",
        GRADED,
        graded.robustness_graded_chart,
        there=bool(graded.graded_names(result)),
    )


def _error_figures(result: RobustnessResult) -> Iterator[Figure | LeftOut]:
    """What goes wrong, and where."""
    yield _wide(
        result,
        "robustness_errors",
        errors.TITLE,
        "Missed objects: the change hides them. Background: it makes things look like objects. "
        "Wrong class: they are seen, but not recognised.",
        ERRORS,
        errors.robustness_errors_chart,
        there=any(
            not math.isnan(one.per_object)
            for of in result.detectors
            for one in errors.error_growth(of)
        ),
    )
    yield _wide(
        result,
        "robustness_density",
        density.TITLE,
        "Maps of detections should look like those of objects above them. Pale: nothing is "
        "detected there any more. Dark where objects are not: the change itself is detected.",
        PLACES,
        density.robustness_density_chart,
        there=density.has_boxes(result),
    )


def _class_figures(result: RobustnessResult) -> Iterator[Figure | LeftOut]:
    styles = detector_styles(one.name for one in result.detectors)
    for detector in result.detectors[:MOST_CLASS_FIGURES]:
        name = detector_words(detector.name)
        title = f"{classes.TITLE}: {name}" if len(result.detectors) > 1 else classes.TITLE
        if not classes.shown_classes(detector, classes.shown_steps(detector)):
            yield LeftOut(title, classes.NOTHING_FOUND, CLASSES)
            continue
        yield Figure(
            "robustness_classes",
            title,
            "Classes whose bar is far from its stroke are lost first; those that keep theirs are "
            "recognised by what the change leaves.",
            CLASSES,
            partial(
                classes.robustness_classes_chart,
                result,
                detector,
                styles[name].colour,
                about=f"{name} on {result.dataset}",
            ),
            wide=True,
        )


def robustness_about(result: RobustnessResult) -> str:
    """Who, on which data set and how many pictures of it."""
    who = listed_words([detector_words(one.name) for one in result.detectors], "detector")
    return f"{who} on {result.dataset}, {number_words(result.sets[0].n_images, 'picture')}"
