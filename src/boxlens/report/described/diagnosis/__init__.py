"""What goes wrong, and what fixing it would add: the verdict, the schemes, objects and classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from boxlens.report.charts.class_blocks import class_blocks
from boxlens.report.charts.kinds import SIZES
from boxlens.report.described.diagnosis import plots, tables
from boxlens.report.described.examples import (
    Pictures,
    diagnosis_examples,
    example_pictures,
    examples_section,
)
from boxlens.report.described.extras import Extras, Run
from boxlens.report.described.sensitivity import OBJECTS, objects_section
from boxlens.report.pictures.exhibits import example_groups
from boxlens.report.study import COUNT, SCORE, Section, Study, Typeset
from boxlens.studies.diagnosis import DiagnosisResult
from boxlens.wording import counted, score

__all__ = ["OBJECTS", "study"]
GUIDE = "diagnose"
# Said by the class pages of the typeset report, or nearly so by its other figures and tables.
SAID_BY_CLASSES = (
    "schemes",
    "classes",
    "fp_by_class",
    "repair_orders_borji",
    *(f"pr_areas_{size}" for size in SIZES),
)


def study(result: DiagnosisResult, pictures: Pictures | None = None) -> Study:
    n, whose = result.tide.n, _whose(result)
    return Study(
        title=f"Diagnosis of {result.detections.name}",
        data=result.dataset.name,
        facts=(
            counted(len(result.detections), "detection"),
            counted(len(result.dataset.images), "image"),
            counted(len(result.dataset.gt), "object"),
            *(f"{whose}{name} {score(value)}" for name, value in result.metrics.items()),
        ),
        sentences=result.verdict.sentences,
        tiles=(
            *((name, value, SCORE) for name, value in result.metrics.items()),
            ("wrong detections", n["fp"], COUNT),
            ("objects not found", n["fn"], COUNT),
        ),
        sections=tuple(_sections(result, pictures)),
        main_table=tables.MAIN_TABLE,
        main_plot="quarter_page",
    ).of_detector(result.detections.name)


def _whose(result: DiagnosisResult) -> str:
    """Without what a data set does not verify, AP is not the one that COCO's rules give."""
    codes = {notice.code for notice in result.notices}
    return "" if codes & {"unverified_class", "not_exhaustive"} else "COCO "


def extras(result: DiagnosisResult) -> Extras:
    return Extras(
        Run(result.dataset, (result,)),
        pictures=partial(example_pictures, partial(example_groups, result), result.dataset),
    )


def _sections(result: DiagnosisResult, pictures: Pictures | None) -> Iterator[Section]:
    yield Section(
        "errors",
        "Errors",
        (
            *plots.error_plots(result),
            tables.tide_table(result),
            tables.sets_table(result.hoiem),
            tables.sizes_table(result.coco_analyze),
        ),
        reading="What is wrong with the detections, how often, and what it costs in AP.",
        guide=GUIDE,
    )
    yield Section(
        "repairs",
        "Fixes",
        (*plots.order_plots(result), tables.steps_table(result.borji), tables.orders_table(result)),
        reading="AP gained by fixing each kind of error, alone and after others.",
        guide=GUIDE,
        findings=tuple(row.sentence for row in result.verdict.findings),
    )
    if result.intervals is not None:
        yield Section(
            "intervals",
            "Intervals",
            (tables.intervals_table(result.intervals),),
            reading="How far the main numbers may lie from those of other images of the kind.",
            guide=GUIDE,
        )
    yield replace(
        objects_section(result.sensitivity, brief=True), findings=result.verdict.objects[1:]
    )
    yield Section(
        "schemes",
        "Schemes side by side",
        (
            *plots.crosswalk_plots(result),
            tables.labels_table(result.crosswalk),
            tables.crosswalk_table(result.crosswalk),
        ),
        reading="The same detections and objects under each scheme: where the four agree, a "
        "finding does not rest on a definition. All pairs of schemes are in "
        "tables/crosswalk.parquet.",
        guide=GUIDE,
    )
    yield examples_section(diagnosis_examples(result, pictures), pictures)
    yield Section(
        "classes",
        "Classes",
        (
            tables.classes_table(result),
            Typeset(partial(class_blocks, result), first=("intervals",), replaces=SAID_BY_CLASSES),
        ),
        reading="Shares of the top false positives of a class by kind. More columns: AP gained by "
        "fixing each of TIDE's errors (+), and the classes that its top false positives are on.",
        guide=GUIDE,
    )
