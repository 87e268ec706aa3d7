"""Which figures a diagnosis and a sensitivity analysis have, and what to make of each."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.characteristic import characteristic_chart
from boxlens.report.charts.confusion_matrix import confusion_matrix_chart
from boxlens.report.charts.crosswalk import SCHEME_NAMES, crosswalk_chart
from boxlens.report.charts.false_positives import false_positives_chart
from boxlens.report.charts.fp_by_class import fp_by_class_chart
from boxlens.report.charts.fp_trends import fp_trends_chart
from boxlens.report.charts.interaction import interaction_chart
from boxlens.report.charts.misses import misses_chart
from boxlens.report.charts.pr_areas import pr_areas_chart
from boxlens.report.charts.repair_orders import repair_orders_chart
from boxlens.report.charts.sensitivity_summary import sensitivity_summary_chart
from boxlens.report.charts.tide_errors import tide_errors_chart
from boxlens.report.charts.waterfall import waterfall_chart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from altair.typing import ChartType

    from boxlens.diagnosis import DiagnosisResult
    from boxlens.object_sensitivity import SensitivityResult

ERRORS, REPAIRS, OBJECTS, SCHEMES = "errors", "repairs", "objects", "schemes"
# All pairs are in the table; one scheme against each of the others says most of it.
COMPARED = "tide"


@dataclass(frozen=True, slots=True)
class Figure:
    """The name of its files, its title, what to make of it, and where it stands."""

    name: str
    title: str
    reading: str
    section: str
    draw: Callable[[], ChartType]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A figure that cannot be drawn, and why."""

    title: str
    why: str
    section: str


@dataclass(frozen=True, slots=True)
class FigurePlan:
    """All figures of a result, in their order on the page."""

    figures: tuple[Figure, ...]
    left_out: tuple[LeftOut, ...]


def diagnosis_figures(result: DiagnosisResult) -> FigurePlan:
    """Every scheme, then the objects, then the schemes against each other."""
    return _plan(
        [
            *_errors(result),
            *_repairs(result),
            *_objects(result.sensitivity),
            *_crosswalks(result),
        ]
    )


def sensitivity_figures(result: SensitivityResult) -> FigurePlan:
    """The objects alone."""
    return _plan(_objects(result))


def _plan(found: Iterable[Figure | LeftOut]) -> FigurePlan:
    figures: list[Figure] = []
    left_out: list[LeftOut] = []
    names: dict[str, int] = {}
    for one in found:
        if isinstance(one, LeftOut):
            left_out.append(one)
            continue
        # Two attributes may differ in signs that no file name has.
        names[one.name] = names.get(one.name, 0) + 1
        again = names[one.name] > 1
        figures.append(replace(one, name=f"{one.name}_{names[one.name]}") if again else one)
    return FigurePlan(tuple(figures), tuple(left_out))


def _errors(result: DiagnosisResult) -> Iterator[Figure | LeftOut]:
    if math.isnan(result.borji.ap[0]):
        why = "the ground truth has no objects that count, so AP is undefined"
        yield LeftOut("What goes wrong", why, ERRORS)
        return
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
    if len(result.detections):
        yield Figure(
            "fp_trends",
            "How errors change along the ranking",
            "What grows to the right comes from unsure detections; what is wide at the left is "
            "wrong with confidence.",
            ERRORS,
            partial(fp_trends_chart, result.hoiem, about=about),
        )
    else:
        yield LeftOut("How errors change along the ranking", "there are no detections", ERRORS)
    yield Figure(
        "pr_areas",
        "What lies between the detector and perfect precision",
        "Each area is the AP that forgiving one more kind of error adds; the order of forgiving is "
        "fixed, so late kinds get what earlier ones leave.",
        ERRORS,
        partial(pr_areas_chart, result.coco_analyze, about=about),
    )
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
        partial(repair_orders_chart, result.tide.orders, about=f"TIDE: {_about(result)}"),
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
        partial(repair_orders_chart, result.borji.orders, about=f"Borji: {_about(result)}"),
    )


def _objects(result: SensitivityResult) -> Iterator[Figure | LeftOut]:
    if any(not math.isnan(row.sensitivity) for row in result.characteristics):
        yield Figure(
            "sensitivity",
            "What the detector is sensitive to",
            "A wide bar: the detector depends on this property. A large impact: many objects are "
            "of the bad kind, so that mending it pays.",
            OBJECTS,
            partial(sensitivity_summary_chart, result),
        )
    else:
        why = "no property of the objects has two kinds with enough objects in one class"
        yield LeftOut("What the detector is sensitive to", why, OBJECTS)
    if result.misses.n_missed:
        yield Figure(
            "misses",
            "Which objects are never found",
            "Kinds of objects with a large share of misses, and how many of the missed ones a "
            "looser overlap would count as found.",
            OBJECTS,
            partial(misses_chart, result),
        )
    else:
        why = "every object is found" if result.misses.n_objects else "there are no objects"
        yield LeftOut("Which objects are never found", why, OBJECTS)
    about = f"{result.detector} on {result.dataset}"
    for row in result.characteristics:
        title = f"How well objects are found by {row.name}"
        if any(not math.isnan(one.highest) for one in row.classes):
            yield Figure(
                f"by_{_file_name(row.name)}",
                title,
                "Points far from the dashed line are kinds of objects that are found worse or "
                "better than their class.",
                OBJECTS,
                partial(characteristic_chart, row, about=about),
            )
        else:
            yield LeftOut(title, "no class has enough objects in any subset", OBJECTS)
    for grid in result.interactions:
        yield Figure(
            f"cross_{_file_name(grid.first)}_{_file_name(grid.second)}",
            f"How well objects are found by {grid.first} and {grid.second}",
            "Where rows change with the column, the two properties act together.",
            OBJECTS,
            partial(interaction_chart, grid, about=about),
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


def _file_name(text: str) -> str:
    plain = re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_").lower()
    return plain[:60] or "attribute"
