"""An evaluation: the scores of every detector, every class, and the readings asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from boxlens.metrics import ClassResult, DetectorResult, EvaluationResult
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.intervals import Interval
from boxlens.report.charts.colours import SERIES, colours_of
from boxlens.report.charts.evaluation import (
    class_scores_chart,
    main_numbers_chart,
    mean_curves_chart,
)
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.described.confusion import confusion_plot
from boxlens.report.described.evaluation_readings import readings
from boxlens.report.described.extras import Extras, Run
from boxlens.report.study import (
    COUNT,
    INTERVAL,
    SCORE,
    TEXT,
    Column,
    Note,
    Part,
    Plot,
    Section,
    Study,
    Table,
    columns_of,
    file_name,
    table_of,
)
from boxlens.wording import counted, interval, is_undefined, level, listed, number, score

GUIDE = "evaluate"
MOST_NAMES = 3
# Of more classes, a figure has the worst and the best halves of so many.
MOST_CLASSES = 30
TITLES = {
    "coco": "COCO",
    "voc07": "VOC 2007 (11-point)",
    "voc12": "VOC 2010-2012 (area)",
    "lvis": "LVIS",
    "openimages": "Open Images",
}


def study(result: EvaluationResult) -> Study:
    metric = _main_metric(result)
    ranked = _ranked(result, metric)
    several = len(ranked) > 1
    return Study(
        title=listed([one.name for one in result.detectors], MOST_NAMES, "detectors"),
        data=result.dataset,
        facts=(
            TITLES[result.protocol],
            counted(result.n_images, "image"),
            counted(result.n_objects, "object"),
        ),
        sentences=tuple(_sentences(result)),
        tiles=tuple((f"{metric} of {one.name}", one.metrics[metric], SCORE) for one in ranked)
        if several
        else tuple((name, value, SCORE) for name, value in ranked[0].metrics.items()),
        sections=(
            scores_section(result),
            Section("readings", "Further readings", tuple(readings(result)), guide=GUIDE),
            classes_section(result),
        ),
        main_plot="main_numbers" if _level(result) else "class_scores",
    )


def extras(result: EvaluationResult) -> Extras:
    """Where it kept what was evaluated, also a run for the app."""
    of = result.inputs
    if of is None:
        return Extras()
    return Extras(Run(of.dataset, detections=with_unique_names(of.detections), iou=of.iou))


def scores_section(result: EvaluationResult) -> Section:
    sure = _level(result)
    return Section(
        "scores",
        "Scores",
        (
            _numbers_plot(result),
            _classes_plot(result),
            *_curve_plots(result),
            *_confusion_plots(result),
            _scores(result),
            _filed_scores(result),
        ),
        "Every number of the protocol" + (f", with its {sure} interval." if sure else "."),
        GUIDE,
    )


def classes_section(result: EvaluationResult) -> Section:
    n_empty = sum(one.n_gt == 0 for one in result.detectors[0].classes)
    without = counted(n_empty, "class", "classes")
    note: tuple[Part, ...] = (Note(f"{without} without objects not shown."),) if n_empty else ()
    return Section(
        "classes",
        "Classes",
        (_classes(result), *note),
        reading="Every class with objects. More numbers are shown at a click.",
        guide=GUIDE,
    )


def _main_metric(result: EvaluationResult) -> str:
    return next(iter(result.detectors[0].metrics))


def _ranked(result: EvaluationResult, metric: str) -> list[DetectorResult]:
    """The best first."""
    return sorted(
        result.detectors,
        key=lambda one: (math.isnan(one.metrics[metric]), -one.metrics[metric]),
    )


def _level(result: EvaluationResult) -> str:
    """95%; empty where intervals were not asked for."""
    sure = result.detectors[0].intervals is not None
    return level(result.parameters["intervals"]["level"]) if sure else ""


def _sentences(result: EvaluationResult) -> Iterator[str]:
    metric = _main_metric(result)
    ranked = _ranked(result, metric)
    for one in ranked:
        value = one.metrics[metric]
        if math.isnan(value):
            yield f"{metric} of {one.name} is undefined: no object counts."
            continue
        low, high = _ends(one.intervals, metric)
        between = "" if is_undefined(low) else f" ({interval(low, high)})"
        detections = counted(one.n_detections, "detection")
        yield f"{one.name} has {metric} {score(value)}{between} with {detections}."
    if len(ranked) > 1:
        yield "boxlens compare shows whether such differences are more than chance."


def _ends(intervals: Mapping[str, Interval] | None, name: str) -> tuple[float, float]:
    found = (intervals or {}).get(name)
    return (math.nan, math.nan) if found is None else (found.low, found.high)


def _scores(result: EvaluationResult) -> Table[str]:
    return Table(
        "",
        "Every number of the protocol",
        list(result.detectors[0].metrics),
        [
            Column("", "metric", str, TEXT),
            *(column for one in result.detectors for column in _of_detector(one, _level(result))),
        ],
    )


def _of_detector(one: DetectorResult, sure: str) -> Iterator[Column[str]]:
    yield Column("", one.name, one.metrics.get)
    if sure:
        yield Column("", sure, lambda metric: _ends(one.intervals, metric), INTERVAL)


def _classes(result: EvaluationResult) -> Table[int]:
    """The first number of each detector; the others at a click."""
    classes, several = result.detectors[0].classes, len(result.detectors) > 1
    rows = [row for row, one in enumerate(classes) if one.n_gt]
    metrics = classes[rows[0]].metrics if rows else ()
    return Table(
        "",
        "Every class",
        rows,
        [
            Column("", "class", lambda row: classes[row].name, TEXT),
            Column("", "objects", lambda row: classes[row].n_gt, COUNT),
            *(
                column
                for at, metric in enumerate(metrics)
                for one in result.detectors
                for column in _of_class(result, one, metric, further=at > 0)
            ),
            *columns_of(
                result.detectors,
                lambda row, one: one.classes[row].n_detections,
                COUNT,
                heading=lambda one: f"detections of {one.name}" if several else "detections",
                further=True,
            ),
        ],
        wide=True,
        detail=True,
    )


def _of_class(
    result: EvaluationResult, one: DetectorResult, metric: str, *, further: bool
) -> Iterator[Column[int]]:
    rows, sure, key = one.classes, _level(result), f"{metric} {one.name}"
    heading = key if len(result.detectors) > 1 else metric
    yield Column(key, heading, lambda row: rows[row].metrics[metric], SCORE, further)
    if sure:
        yield Column("", sure, lambda row: _ends(rows[row].intervals, metric), INTERVAL, further)


def _filed_scores(result: EvaluationResult) -> Table[Any]:
    """One row per number: of a detector as a whole (no class), and of each class."""
    forms = {"detector": TEXT, "class": TEXT, "n_objects": COUNT, "n_detections": COUNT}
    forms |= {"metric": TEXT, **dict.fromkeys(("value", "low", "high"), SCORE)}
    rows = (
        (one.name, name, n, of.n_detections, metric, value, *_ends(of.intervals, metric))
        for one in result.detectors
        for name, n, of in _whole_and_classes(result, one)
        for metric, value in of.metrics.items()
    )
    return table_of("scores", "", forms, rows)


def _whole_and_classes(
    result: EvaluationResult, one: DetectorResult
) -> Iterator[tuple[str | None, int, DetectorResult | ClassResult]]:
    yield None, result.n_objects, one
    yield from ((row.name, row.n_gt, row) for row in one.classes)


def _numbers_plot(result: EvaluationResult) -> Plot:
    sure, scores = _level(result), _filed_scores(result)
    # Those without a class.
    whole = [row for row in scores.rows if row[1] is None]
    known = any(not math.isnan(value) for one in result.detectors for value in one.metrics.values())
    return Plot(
        "main_numbers",
        "The main numbers, and how sure they are",
        "How far the numbers of another test set of this kind would be from these. Lines of two "
        "detectors that overlap do not mean that the detectors are alike: see boxlens compare.",
        partial(main_numbers_chart, replace(scores, rows=whole)),
        legend=f"Dot: the number. Line: {sure} interval, by resampling images. It is corrected for "
        f"the estimated bias, so the dot may be off its middle.{_first_detectors(result)}",
        about=_about(result),
        absent=("" if known else "every number is undefined")
        if sure
        else "intervals were not asked for (--intervals)",
    )


def _classes_plot(result: EvaluationResult) -> Plot:
    metric, colours = _main_metric(result), colours_of([one.name for one in result.detectors])
    ranked, half = _ranked_classes(result, metric), MOST_CLASSES // 2
    many = len(ranked) > MOST_CLASSES
    shown = [*ranked[:half], *ranked[-half:]] if many else ranked
    legend = "By the best detector, the worst class first." * (len(result.detectors) > 1)
    legend += f" The worst and the best {half} of {len(ranked)} classes." * many
    return Plot(
        "class_scores",
        f"{metric} of each class",
        "Classes far below the others are the ones to look at.",
        partial(class_scores_chart, replace(_classes(result), rows=shown), metric, colours),
        legend=f"{legend}{_first_detectors(result)}".strip(),
        about=f"{_about(result)}, {TITLES[result.protocol]}",
        absent="" if ranked else f"{metric} of every class is undefined",
    )


def _ranked_classes(result: EvaluationResult, metric: str) -> list[int]:
    """Places of classes with a number, by the best detector's that is drawn, the worst first."""
    best: dict[int, float] = {}
    for one in result.detectors[: len(SERIES)]:
        for row, of_class in enumerate(one.classes):
            value = of_class.metrics.get(metric, math.nan)
            if not math.isnan(value):
                best[row] = max(best.get(row, value), value)
    return sorted(best, key=lambda row: best[row])


def _curve_plots(result: EvaluationResult) -> Iterator[Plot]:
    curves = {
        one.name: one.extras.curves for one in result.detectors if one.extras.curves is not None
    }
    if curves:
        first = next(iter(curves.values()))
        known = any(row.points.n_positive > 0 for row in first.classes)
        yield Plot(
            "mean_curves",
            f"Precision over recall at IoU {number(first.iou)}",
            "The area under a line is AP at this overlap. Where it ends is all that is found.",
            partial(mean_curves_chart, curves),
            legend="The best precision at each recall or a higher one, as the mean over classes "
            "with objects. A class that never reaches a recall counts 0 there."
            f"{_first_detectors(result)}",
            about=_about(result),
            absent="" if known else "no object counts",
        )


def _first_detectors(result: EvaluationResult) -> str:
    return first_of(len(SERIES), len(result.detectors), "detectors")


def _confusion_plots(result: EvaluationResult) -> Iterator[Plot]:
    several = len(result.detectors) > 1
    for one in result.detectors:
        if one.extras.confusion is not None:
            plot = confusion_plot(
                one.extras.confusion,
                f"{one.name} on {result.dataset}",
                "Dark cells off the diagonal are pairs of classes to tell apart. The last column "
                "is what is not found.",
                f"confusion_matrix_{file_name(one.name)}" if several else "confusion_matrix",
            )
            of = f": {one.name}" if several else ""
            yield replace(plot, title=f"{plot.title}{of}", detector=one.name)


def _about(result: EvaluationResult) -> str:
    names: Sequence[str] = [one.name for one in result.detectors]
    return f"{listed(names, 1, 'detectors')} on {result.dataset}"
