"""Figures of robustness: what is left of AP, which errors grow, where boxes lie."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.charts import drawn_by
from boxlens.report.study import Plot
from boxlens.studies.robustness.error_growth import error_growth
from boxlens.studies.robustness.steps import own_references
from boxlens.wording import counted, listed, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.images.transforming.transform import Group
    from boxlens.studies.robustness.result import RobustnessResult

NO_SCORE = "no change has a score"
# As many as there are colours; and of figures with a panel per detector.
MOST_DETECTORS, MOST_PANELS = 8, 3
# So many more errors per object have the full colour; fewer than the least have no number.
FULL_COLOUR, LEAST_TOLD = 0.5, 0.005


def study_plots(result: RobustnessResult) -> Iterator[Plot]:
    yield _plot(
        result,
        "robustness_study",
        "AP under the transforms of the study",
        "Far below its stroke without a background: the detector relies on the scene. Far below it "
        "on crops: it needs objects as large as in scenes. Upside down: it relies on the usual "
        "orientation.",
        "Bar: score on the changed pictures. Stroke: the same detector on the unchanged ones.",
        there=_has_score(result, ("study",), "AP", "AP50"),
    )


def corruption_plots(result: RobustnessResult) -> Iterator[Plot]:
    banded = any(one.drop is not None for of in result.detectors for one in of.steps)
    yield _plot(
        result,
        "robustness_curves",
        "AP as corruptions grow stronger",
        "A line that falls at once: this corruption breaks the detector even when it is hardly "
        "visible. Lines that cross: which detector is better depends on how bad pictures are.",
        "Along x: severity; 0: the unchanged pictures. Along y: AP divided by that on the "
        "unchanged pictures." + " Band: interval of the drop, by resampling pictures." * banded,
        there=_has_score(result, CORRUPTION_GROUPS, "AP"),
    )
    yield _plot(
        result,
        "robustness_groups",
        "Mean performance under corruption, by group",
        "The shortest bar is the group to train against first. The detector with the best AP may "
        "lose more of it than others.",
        "Mean over severities, then over the corruptions of a group (how many, in brackets). "
        "Stroke: the unchanged pictures.",
        there=any(not math.isnan(one.ap) for of in result.detectors for one in of.corrupted),
    )


def graded_plots(result: RobustnessResult) -> Iterator[Plot]:
    names = dict.fromkeys(
        one.step.name
        for detector in result.detectors
        for one in detector.steps
        if one.group == "graded" and not math.isnan(one.metrics["AP"])
    )
    crop = ", for rotations on the same crop unrotated" * bool(own_references(result))
    yield _plot(
        result,
        "robustness_graded",
        "AP as pictures change by degrees",
        "How far a change may go before it costs anything: where lines leave the dashed ones.",
        f"Dashed: AP on the unchanged pictures{crop}.",
        list(names),
        there=bool(names),
    )


def error_plots(result: RobustnessResult) -> Iterator[Plot]:
    shown = result.detectors[:MOST_PANELS]
    found = [(one.name, error_growth(one)) for one in shown]
    crop = " (rotations: on the same crop unrotated)" * bool(own_references(result))
    yield replace(
        _plot(
            result,
            "robustness_errors",
            "Which errors grow",
            "Missed objects: the change hides them. Background: it makes things look like objects. "
            "Wrong class: objects are found, but not recognised.",
            "Errors per object, of detections with a score of "
            f"{number(result.choice.shown_score)} or more, minus those on the unchanged "
            f"pictures{crop}. Orange: more of them (full colour from {number(FULL_COLOUR)}); blue: "
            f"fewer; no number: less than {number(LEAST_TOLD)}; no cell: pictures of one object "
            "each have more background. Where a transform has several levels (how many, in "
            "brackets), their mean.",
            most=MOST_PANELS,
            there=any(not math.isnan(one.per_object) for _, of in found for one in of),
        ),
        draw=partial(
            drawn_by,
            "robustness_errors.robustness_errors_chart",
            found,
            FULL_COLOUR,
            LEAST_TOLD,
        ),
    )


def place_plots(result: RobustnessResult) -> Iterator[Plot]:
    steps = (one for of in result.detectors for one in (of.clean, *of.steps))
    yield _plot(
        result,
        "robustness_density",
        "Where boxes lie: detections against objects",
        "Maps of detections should look like those of objects above them. Pale: nothing is "
        "detected there any more. Dark where there are no objects: the change itself is detected.",
        "Boxes over each place, all pictures stretched to a square; detections with a score of "
        f"{number(result.choice.shown_score)} or more. Colours by log10(1 + n), the same in all "
        "maps; sets differ in how many pictures they have. Right of the unchanged pictures: where "
        "detections lie most differently from there, one level per transform.",
        most=MOST_PANELS,
        there=any(bool(one.density.any()) for one in steps),
    )


def _has_score(result: RobustnessResult, groups: Sequence[Group], *metrics: str) -> bool:
    return any(
        one.group in groups and not math.isnan(one.metrics[metric])
        for detector in result.detectors
        for one in detector.steps
        for metric in metrics
    )


def _plot(
    result: RobustnessResult,
    name: str,
    title: str,
    reading: str,
    legend: str,
    *given: Any,
    there: bool,
    most: int = MOST_DETECTORS,
) -> Plot:
    """With as many detectors as can be told apart."""
    shown = replace(result, detectors=result.detectors[:most])
    n_detectors = len(result.detectors)
    cut = f" The first {most} of {n_detectors} detectors." * (n_detectors > most)
    who = listed([one.name for one in result.detectors], 2, "detectors")
    return Plot(
        name,
        title,
        reading,
        partial(drawn_by, f"{name}.{name}_chart", shown, *given),
        legend=legend + cut,
        about=f"{who} on {result.dataset}, {counted(result.sets[0].n_images, 'picture')}",
        absent="" if there else NO_SCORE,
        wide=True,
    )
