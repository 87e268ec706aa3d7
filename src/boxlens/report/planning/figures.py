"""Which figures a diagnosis and a sensitivity analysis have, and what to make of each."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.confusion_matrix import confusion_matrix_chart
from boxlens.report.charts.crosswalk import SCHEME_NAMES, crosswalk_chart
from boxlens.report.charts.false_positives import false_positives_chart
from boxlens.report.charts.fp_by_class import fp_by_class_chart
from boxlens.report.charts.fp_trends import fp_trends_chart
from boxlens.report.charts.pr_areas import SIZES, pr_areas_chart
from boxlens.report.charts.quarter_page import quarter_page_chart
from boxlens.report.charts.repair_orders import repair_orders_chart
from boxlens.report.charts.tide_errors import tide_errors_chart
from boxlens.report.charts.waterfall import waterfall_chart
from boxlens.report.planning.figure_plan import (
    ERRORS,
    REPAIRS,
    SCHEMES,
    Figure,
    FigurePlan,
    LeftOut,
    plan_of,
)
from boxlens.report.planning.object_figures import object_figures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.diagnosis import DiagnosisResult
    from boxlens.object_sensitivity import SensitivityResult

# All pairs are in the table; one scheme against each of the others says most of it.
COMPARED = "tide"


def diagnosis_figures(result: DiagnosisResult) -> FigurePlan:
    """Every scheme, then the objects, then the schemes against each other."""
    return plan_of(
        [
            *_errors(result),
            *_repairs(result),
            *object_figures(result.sensitivity),
            *_crosswalks(result),
        ]
    )


def sensitivity_figures(result: SensitivityResult) -> FigurePlan:
    """The objects alone."""
    return plan_of(object_figures(result))


def _errors(result: DiagnosisResult) -> Iterator[Figure | LeftOut]:
    if math.isnan(result.borji.ap[0]):
        why = "the ground truth has no objects that count, so AP is undefined"
        yield LeftOut("What goes wrong", why, ERRORS)
        return
    yield _quarter_page(result)
    yield from _kinds(result)
    yield _along_the_ranking(result)
    yield from _curves(result)
    yield from _classes(result)


def _quarter_page(result: DiagnosisResult) -> Figure:
    return Figure(
        "quarter_page",
        "The detector in a quarter of a page",
        "Made for a column of a paper. Above: a kind with a long bar is the one to mend. Below: a "
        "bar much wider than chance is a property that the detector depends on.",
        ERRORS,
        partial(quarter_page_chart, result.hoiem.sets[0], result.sensitivity, about=_about(result)),
    )


def _kinds(result: DiagnosisResult) -> Iterator[Figure | LeftOut]:
    about = _about(result)
    yield Figure(
        "tide_errors",
        "What repairing each kind of error would bring",
        "The longest bar is the first thing to mend. Gains are measured one at a time and do not "
        "add up to what is lost.",
        ERRORS,
        partial(tide_errors_chart, result.tide, about=about),
    )
    yield Figure(
        "false_positives",
        "What is wrong with the top false positives",
        "A large slice with a short bar is frequent but cheap; a small slice with a long bar costs "
        "more than its number suggests.",
        ERRORS,
        partial(false_positives_chart, result.hoiem.sets[0], about=about),
    )
    if any(notice.code == "no_similar_classes" for notice in result.notices):
        yield LeftOut(
            "Confusion with similar classes",
            "no class is known to be similar to another; groups of similar classes, a class tree "
            "or supercategories would tell (--similar)",
            ERRORS,
        )


def _along_the_ranking(result: DiagnosisResult) -> Figure | LeftOut:
    title = "How errors change along the ranking"
    if not len(result.detections):
        return LeftOut(title, "there are no detections", ERRORS)
    return Figure(
        "fp_trends",
        title,
        "What grows to the right comes from unsure detections; what is wide at the left is wrong "
        "with confidence.",
        ERRORS,
        partial(fp_trends_chart, result.hoiem, about=_about(result)),
    )


def _curves(result: DiagnosisResult) -> Iterator[Figure | LeftOut]:
    """All objects, then each range of sizes."""
    analyze, title = result.coco_analyze, "What lies between the detector and perfect precision"
    for column, area in enumerate(analyze.areas):
        of_size = f"{title}: {SIZES[area]} objects" if area in SIZES else title
        if math.isnan(analyze.mean_ap[-1, column]):
            unknown = "sizes in pixels are not known"
            why = unknown if result.dataset.relative else f"no object is {SIZES[area]}"
            yield LeftOut(of_size, why, ERRORS)
            continue
        yield Figure(
            f"pr_areas_{area}" if area in SIZES else "pr_areas",
            of_size,
            "Each area is the AP that forgiving one more kind of error adds; the order of "
            "forgiving is fixed, so late kinds get what earlier ones leave.",
            ERRORS,
            partial(pr_areas_chart, analyze, area=area, about=_about(result)),
        )


def _classes(result: DiagnosisResult) -> Iterator[Figure]:
    about = _about(result)
    yield Figure(
        "confusion_matrix",
        "What is taken for what",
        "Detections above the score where F1 is best. Dark cells off the diagonal are pairs of "
        "classes to tell apart; the last column is what is not found.",
        ERRORS,
        partial(confusion_matrix_chart, result.confusion, about=about),
    )
    yield Figure(
        "fp_by_class",
        "What is wrong with each class",
        "Each bar is one class; named are the classes that take a tenth or more of its errors.",
        ERRORS,
        partial(fp_by_class_chart, result.hoiem, about=about),
    )


def _repairs(result: DiagnosisResult) -> Iterator[Figure | LeftOut]:
    if math.isnan(result.borji.ap[0]):
        yield LeftOut("What repairs bring", "AP is undefined without objects", REPAIRS)
        return
    yield Figure(
        "repair_orders",
        "What a repair brings depends on what was repaired before",
        "A short bar is a conclusion that holds in any order; a long one depends on what else is "
        "mended.",
        REPAIRS,
        partial(
            repair_orders_chart, result.tide.orders, scheme="tide", about=f"TIDE: {_about(result)}"
        ),
    )
    yield Figure(
        "waterfall",
        "From AP to 1, one kind of error after the other",
        "The highest step is the largest loss in this one order; the figure of orders tells "
        "whether it stays the largest in others.",
        REPAIRS,
        partial(waterfall_chart, result.borji, about=_about(result)),
    )
    yield Figure(
        "repair_orders_borji",
        "Borji's steps in every order",
        "Where one step brings most in all orders, the conclusion does not rest on the sequence.",
        REPAIRS,
        partial(
            repair_orders_chart,
            result.borji.orders,
            scheme="borji",
            about=f"Borji: {_about(result)}",
        ),
    )


def _crosswalks(result: DiagnosisResult) -> Iterator[Figure | LeftOut]:
    for matrix in result.crosswalk.disagreements:
        pair = (matrix.first, matrix.second)
        if COMPARED not in pair:
            continue
        title = f"The same {matrix.what} under {SCHEME_NAMES[pair[0]]} and {SCHEME_NAMES[pair[1]]}"
        if matrix.counts.sum() == 0:
            yield LeftOut(title, "neither scheme finds an error", SCHEMES)
            continue
        yield Figure(
            f"crosswalk_{matrix.what}_{pair[0]}_{pair[1]}",
            title,
            "A row with one dark cell: both schemes mean the same; one that spreads: they differ.",
            SCHEMES,
            partial(crosswalk_chart, matrix, about=_about(result)),
        )


def _about(result: DiagnosisResult) -> str:
    return f"{result.detections.name} on {result.dataset.name}"
