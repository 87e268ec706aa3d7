"""Figures of robustness: what is left of AP, which errors grow, where boxes lie, which classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from boxlens.images.transforming.transform import CORRUPTION_GROUPS, Group
from boxlens.report.charts import robustness as charts
from boxlens.report.charts import robustness_losses as losses
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.robustness_density import robustness_density_chart
from boxlens.report.study import Plot
from boxlens.studies.robustness.error_growth import error_growth
from boxlens.studies.robustness.result import (
    DetectorRobustness,
    RobustnessResult,
    StepRobustness,
)
from boxlens.studies.robustness.steps import own_references, worst_of_transforms
from boxlens.wording import counted, listed, number

NO_SCORE = "no change has a score"
# As many as there are colours; and of figures with a panel per detector.
MOST_DETECTORS, MOST_PANELS = 8, 3
# So many more errors per object have the full colour; fewer than the least have no number.
FULL_COLOUR, LEAST_TOLD = 0.5, 0.005
# Beside the unchanged pictures; and what can be read.
MOST_STEPS, MOST_CLASSES = 3, 80


def study_plot(result: RobustnessResult) -> Plot:
    return _plot(
        result,
        "robustness_study",
        "AP under the transforms of the study",
        "Far below its stroke without a background: the detector relies on the scene. Far below it "
        "on crops: it needs objects as large as in scenes. Upside down: it relies on the usual "
        "orientation.",
        "Bar: score on the changed pictures. Stroke: the same detector on the unchanged ones.",
        charts.robustness_study_chart,
        there=_has_score(result, ("study",), "AP", "AP50"),
    )


def curves_plot(result: RobustnessResult) -> Plot:
    banded = any(one.drop is not None for of in result.detectors for one in of.steps)
    return _plot(
        result,
        "robustness_curves",
        "AP as corruptions grow stronger",
        "A line that falls at once: this corruption breaks the detector even when it is hardly "
        "visible. Lines that cross: which detector is better depends on how bad pictures are.",
        "Along x: severity; 0: the unchanged pictures. Along y: AP divided by that on the "
        "unchanged pictures." + " Band: interval of the drop, by resampling pictures." * banded,
        charts.robustness_curves_chart,
        there=_has_score(result, CORRUPTION_GROUPS, "AP"),
    )


def groups_plot(result: RobustnessResult) -> Plot:
    return _plot(
        result,
        "robustness_groups",
        "Mean performance under corruption, by group",
        "The shortest bar is the group to train against first. The detector with the best AP may "
        "lose more of it than others.",
        "Mean over severities, then over the corruptions of a group (how many, in brackets). "
        "Stroke: the unchanged pictures.",
        charts.robustness_groups_chart,
        there=any(not math.isnan(one.ap) for of in result.detectors for one in of.corrupted),
    )


def graded_plot(result: RobustnessResult) -> Plot:
    names = dict.fromkeys(
        one.step.name
        for detector in result.detectors
        for one in detector.steps
        if one.group == "graded" and not math.isnan(one.metrics["AP"])
    )
    crop = ", for rotations on the same crop unrotated" * bool(own_references(result))
    return _plot(
        result,
        "robustness_graded",
        "AP as pictures change by degrees",
        "How far a change may go before it costs anything: where lines leave the dashed ones.",
        f"Dashed: AP on the unchanged pictures{crop}.",
        partial(charts.robustness_graded_chart, names=list(names)),
        there=bool(names),
    )


def errors_plot(result: RobustnessResult) -> Plot:
    found = {one.name: error_growth(one) for one in result.detectors[:MOST_PANELS]}
    crop = " (rotations: on the same crop unrotated)" * bool(own_references(result))
    return _plot(
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
        lambda _: losses.robustness_errors_chart(found, FULL_COLOUR, LEAST_TOLD),
        there=any(not math.isnan(one.per_object) for of in found.values() for one in of),
        most=MOST_PANELS,
    )


def places_plot(result: RobustnessResult) -> Plot:
    steps = (one for of in result.detectors for one in (of.clean, *of.steps))
    return _plot(
        result,
        "robustness_density",
        "Where detections and objects are",
        "Maps of detections should look like those of objects above them. Pale: nothing is "
        "detected there any more. Dark where there are no objects: the change itself is detected.",
        "Boxes over each place, all pictures stretched to a square; detections with a score of "
        f"{number(result.choice.shown_score)} or more. Colours by log10(1 + n), the same in all "
        "maps; sets differ in how many pictures they have. Right of the unchanged pictures: where "
        "detections lie most differently from there, one level per transform.",
        robustness_density_chart,
        there=any(bool(one.density.any()) for one in steps),
        most=MOST_PANELS,
    )


def class_plots(result: RobustnessResult) -> Iterator[Plot]:
    """Of the first detectors: each has one row per class, and all are in the tables."""
    drawn = replace(result, detectors=result.detectors[:MOST_DETECTORS])
    for detector in result.detectors[:MOST_PANELS]:
        steps = shown_steps(detector)
        rows = shown_classes(detector, steps)
        whose = f": {detector.name}" * (len(result.detectors) > 1)
        yield Plot(
            "robustness_classes",
            f"AP of each class, unchanged and under what costs most{whose}",
            "Classes whose bar is far from its stroke are lost first; those that keep theirs are "
            "recognised by what the change leaves.",
            partial(losses.robustness_classes_chart, drawn, detector, steps, rows),
            legend=_class_legend(result, detector, steps, len(rows)),
            about=f"{detector.name} on {result.dataset}",
            absent="" if rows else "AP of every class is 0 or undefined",
            wide=True,
        )


def _class_legend(
    result: RobustnessResult,
    detector: DetectorRobustness,
    steps: Sequence[StepRobustness],
    n_shown: int,
) -> str:
    n_found = len(_found(detector, steps))
    n_never = sum(not math.isnan(value) for value in detector.clean.by_class) - n_found
    cropped = any(detector.reference_of(one) is not detector.clean for one in steps)
    legend = (
        "Classes by AP on the unchanged pictures, which strokes repeat in every panel"
        + " (rotations: on the same crop unrotated)" * cropped
        + ". No bar: there are no objects of the class, or none is found."
        + f" The {n_shown} of {n_found:,} classes that lose most." * (n_shown < n_found)
        + f" Not shown: {counted(n_never, 'class', 'classes')} with AP 0 in all panels."
        * (n_never > 0)
    )
    if result.bound is None:
        return legend
    return (
        f"{legend} Pink strokes: UAP, what {result.bound.classifier} reaches on the true boxes of "
        "the unchanged pictures."
    )


def shown_steps(detector: DetectorRobustness) -> list[StepRobustness]:
    """The study's, and last the worst of all others; one level per transform."""
    of_study, others = (
        worst_of_transforms(
            detector, [one for one in detector.steps if (one.group == "study") == is_study]
        )
        for is_study in (True, False)
    )
    last = others[: max(MOST_STEPS - len(of_study), 1)]
    return [*of_study[: MOST_STEPS - len(last)], *last]


def shown_classes(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes that are ever found, the best first; of too many those that lose most."""
    clean = detector.clean.by_class
    pairs = [(detector.reference_of(one).by_class, one.by_class) for one in steps]

    def lost(row: int) -> float:
        drops = [before[row] - after[row] for before, after in pairs]
        told = [drop for drop in drops if not math.isnan(drop)]
        return math.fsum(told) / len(told) if told else -1.0

    kept = sorted(_found(detector, steps), key=lambda row: -lost(row))[:MOST_CLASSES]
    return sorted(kept, key=lambda row: (-clean[row], row))


def _found(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes whose AP is above 0 somewhere."""
    looked_at = (detector.clean, *steps, *map(detector.reference_of, steps))
    return [
        row
        for row, value in enumerate(detector.clean.by_class)
        if not math.isnan(value) and any(one.by_class[row] > 0 for one in looked_at)
    ]


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
    chart: Callable[[RobustnessResult], Spec],
    *,
    there: bool,
    most: int = MOST_DETECTORS,
) -> Plot:
    """With as many detectors as can be told apart."""
    shown = replace(result, detectors=result.detectors[:most])
    who = listed([one.name for one in result.detectors], 2, "detectors")
    return Plot(
        name,
        title,
        reading,
        partial(chart, shown),
        legend=legend + first_of(most, len(result.detectors), "detectors"),
        about=f"{who} on {result.dataset}, {counted(result.sets[0].n_images, 'picture')}",
        absent="" if there else NO_SCORE,
        wide=True,
    )
