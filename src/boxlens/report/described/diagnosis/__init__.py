"""What goes wrong, and what fixing it would add: the verdict, the schemes, objects and classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from boxlens.report.described.diagnosis import classes, errors, fixes, schemes
from boxlens.report.described.examples import (
    Pictures,
    diagnosis_examples,
    example_pictures,
    examples_section,
)
from boxlens.report.described.extras import Extras, Run
from boxlens.report.described.sensitivity import objects_section
from boxlens.report.pictures.exhibits import example_groups
from boxlens.report.study import COUNT, INTERVAL, SCORE, TEXT, Section, Study, table_of
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.wording import counted, level, score


def study(result: DiagnosisResult, pictures: Pictures | None = None) -> Study:
    n, metrics = result.tide.n, result.metrics
    # Without what a data set does not verify, AP is not the one that COCO's rules give.
    unverified = {notice.code for notice in result.notices} & {"unverified_class", "not_exhaustive"}
    whose = "" if unverified else "COCO "
    return Study(
        title=f"Diagnosis of {result.detections.name}",
        data=result.dataset.name,
        facts=(
            counted(len(result.detections), "detection"),
            counted(len(result.dataset.images), "image"),
            counted(len(result.dataset.gt), "object"),
            *(f"{whose}{name} {score(value)}" for name, value in metrics.items()),
        ),
        sentences=result.verdict.sentences,
        tiles=(
            *((name, value, SCORE) for name, value in metrics.items()),
            ("wrong detections", n["fp"], COUNT),
            ("objects not found", n["fn"], COUNT),
        ),
        sections=tuple(_sections(result, pictures)),
        main_table=errors.MAIN_TABLE,
        main_plot="quarter_page",
    ).of_detector(result.detections.name)


def extras(result: DiagnosisResult) -> Extras:
    return Extras(
        Run(result.dataset, (result,)),
        pictures=partial(example_pictures, partial(example_groups, result), result.dataset),
    )


def _sections(result: DiagnosisResult, pictures: Pictures | None) -> Iterator[Section]:
    about = f"{result.detections.name} on {result.dataset.name}"
    yield errors.section(result, about)
    yield fixes.section(result, about)
    if result.intervals is not None:
        sure, named = level(result.intervals.choice.level), result.intervals.named()
        table = table_of(
            "",
            f"{sure} intervals, by resampling images",
            {"number": TEXT, "value": SCORE, "interval": INTERVAL, "standard error": SCORE},
            ((name, one.value, (one.low, one.high), one.se) for name, one in named.items()),
        )
        reading = "How far the main numbers may lie from those of other images of the kind."
        yield Section("intervals", "Intervals", (table,), reading, guide="diagnose")
    objects = objects_section(result.sensitivity, brief=True)
    yield replace(objects, findings=result.verdict.objects[1:])
    yield schemes.section(result.crosswalk, about)
    yield examples_section(diagnosis_examples(result, pictures), pictures)
    yield classes.section(result)
