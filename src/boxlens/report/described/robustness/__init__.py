"""Robustness: what breaks each detector, and how."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from boxlens.images.transforming.catalogue import label_of, title_of
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.report.described.extras import Extras
from boxlens.report.described.faulty_pictures import faulty_pictures
from boxlens.report.described.robustness import classes, errors, graded, places, scores, steps
from boxlens.report.described.robustness.examples import (
    StepGalleries,
    example_pictures,
    examples_section,
)
from boxlens.report.study import SCORE, Form, Part, Section, Study
from boxlens.studies.robustness.failures import told_failures
from boxlens.studies.robustness.result import RobustnessResult
from boxlens.studies.robustness.verdict import robustness_findings, robustness_sentences
from boxlens.wording import counted, listed, score

GUIDE = "robustness"
MOST_NAMES = MOST_TILES = 3
# Where they are not the name.
TITLES = {"graded": "Graded changes", "sets": "Pictures"}
READINGS = {
    "study": "The transforms of Borji and Iranmanesh: objects without their surroundings, scenes "
    "without other objects, rotated or blurred pictures. Relative: AP divided by that on the "
    "unchanged pictures. Drop: how much lower AP is.",
    "corruptions": "The usual corruptions from severity 1 to 5. Means are over severities, then "
    "over corruptions.",
    "graded": "The same changes as in studies of proposals, level by level. Means are over levels "
    "that change something. Boxes of rotated objects are estimates, which lowers AP, but hardly "
    "AP50.",
    "errors": "TIDE's kinds of errors at IoU 0.5, compared with those on the unchanged pictures "
    "(rotations: on the same crop unrotated); means over the levels of a transform.",
    "places": "Whether detections still lie where objects do.",
    "classes": "Which classes a change costs most.",
    "sets": "What was looked at. Gone: objects of the data set that are in no picture of the "
    "change.",
}


def study(result: RobustnessResult, pictures: StepGalleries | None = None) -> Study:
    first, bound = result.sets[0], result.bound
    names = [one.name for one in result.detectors]
    n_classes = sum(not math.isnan(ap) for ap in result.detectors[0].clean.by_class)
    return Study(
        title=f"Robustness of {listed(names, MOST_NAMES, 'detectors')}",
        data=result.dataset,
        facts=(
            counted(first.n_images, "picture"),
            f"{counted(first.n_objects, 'object')} of {counted(n_classes, 'class', 'classes')}",
            counted(len(result.sets) - 1, "change"),
            *([f"UAP {score(result.uap)} ({bound.classifier})"] if bound else []),
            *[counted(len(result.failed), "failure")] * bool(result.failed),
        ),
        sentences=robustness_sentences(result) or ("There is nothing to compare.",),
        tiles=tuple(_tiles(result)),
        sections=tuple(_sections(result, pictures)),
        parameters=_parameters(result),
    )


def extras(result: RobustnessResult) -> Extras:
    return Extras(pictures=partial(example_pictures, result))


def _sections(result: RobustnessResult, pictures: StepGalleries | None) -> Iterator[Section]:
    """The changes that were run; then what is asked of all of them."""
    run = {one.group for detector in result.detectors for one in detector.steps}
    findings = robustness_findings(result)
    about_bound = result.bound and (
        " Upper bound (UAP): the AP of a detector that finds every object and labels it as the "
        f"classifier {result.bound.classifier} does; over all classes it is {score(result.uap)}."
    )

    def section(name: str, parts: Iterable[Part]) -> Section:
        title, found = TITLES.get(name, name.capitalize()), findings.get(name, ())
        reading = READINGS[name] + (about_bound or "") * (name == "classes")
        return Section(name, title, tuple(parts), reading, GUIDE, findings=found)

    if "study" in run:
        yield section("study", scores.study_parts(result))
    if not run.isdisjoint(CORRUPTION_GROUPS):
        yield section("corruptions", scores.corruption_parts(result))
    if "graded" in run:
        yield section("graded", graded.parts(result))
    # What is seen before what is counted of it.
    yield examples_section(result, pictures)
    yield section("errors", errors.parts(result))
    yield section("places", places.parts(result))
    yield section("classes", classes.parts(result))
    yield section("sets", steps.set_tables(result))
    shown = told_failures(result.failed, {one.step.slug for one in result.sets})
    yield faulty_pictures("robustness", result.failed, result.remarks, shown)


def _tiles(result: RobustnessResult) -> Iterator[tuple[str, float, Form]]:
    for detector in result.detectors[:MOST_TILES]:
        yield f"AP unchanged, {detector.name}", detector.clean.metrics["AP"], SCORE
        if detector.corrupted:
            yield f"mean under corruption, {detector.name}", detector.corrupted[0].ap, SCORE
    yield "upper bound (UAP), unchanged", result.uap, SCORE


def _parameters(result: RobustnessResult) -> dict[str, Any]:
    """Steps by transform: a run has hundreds."""
    asked = result.choice.to_json()
    levels: dict[str, list[str]] = {}
    for step in result.choice.steps:
        levels.setdefault(title_of(step), []).extend([label_of(step)] * step.graded)
    told = [f"{title} ({', '.join(of)})" if of else title for title, of in levels.items()]
    return {**asked, "steps": told, "n_images": asked["n_images"] or "all"}
