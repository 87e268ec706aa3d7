"""An evaluation: the scores of every detector, every class, and the readings asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from boxlens.metrics import DetectorResult, EvaluationResult
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.protocols import PROTOCOL_TITLES
from boxlens.report.described.evaluation.readings import readings
from boxlens.report.described.evaluation.scores import (
    class_plot,
    classes_table,
    confusion_plots,
    curve_plots,
    ends_of,
    filed_scores,
    level_of,
    main_metric,
    numbers_plot,
    scores_table,
)
from boxlens.report.described.extras import Extras, Run
from boxlens.report.study import SCORE, Note, Section, Study
from boxlens.wording import counted, interval, is_undefined, listed, score

GUIDE = "evaluate"


def study(result: EvaluationResult) -> Study:
    metric = main_metric(result)
    # The best first.
    ranked = sorted(
        result.detectors,
        key=lambda one: (math.isnan(one.metrics[metric]), -one.metrics[metric]),
    )
    tiles = {f"{metric} of {one.name}": one.metrics[metric] for one in ranked}
    if len(ranked) == 1:
        tiles = dict(ranked[0].metrics)
    return Study(
        title=listed([one.name for one in result.detectors], most=3, noun="detectors"),
        data=result.dataset,
        facts=(
            PROTOCOL_TITLES[result.protocol],
            counted(result.n_images, "image"),
            counted(result.n_objects, "object"),
        ),
        sentences=tuple(_sentences(ranked, metric)),
        tiles=tuple((name, value, SCORE) for name, value in tiles.items()),
        sections=(
            scores_section(result),
            Section("readings", "Further readings", tuple(readings(result)), guide=GUIDE),
            classes_section(result),
        ),
        main_plot="main_numbers" if level_of(result) else "class_scores",
    )


def extras(result: EvaluationResult) -> Extras:
    """Where it kept what was evaluated, also a run for the app."""
    of = result.inputs
    if of is None:
        return Extras()
    return Extras(Run(of.dataset, detections=with_unique_names(of.detections), iou=of.iou))


def scores_section(result: EvaluationResult) -> Section:
    sure = level_of(result)
    return Section(
        "scores",
        "Scores",
        (
            numbers_plot(result),
            class_plot(result),
            *curve_plots(result),
            *confusion_plots(result),
            scores_table(result),
            filed_scores(result),
        ),
        "Every number of the protocol" + (f", with its {sure} interval." if sure else "."),
        GUIDE,
    )


def classes_section(result: EvaluationResult) -> Section:
    n_empty = sum(one.n_gt == 0 for one in result.detectors[0].classes)
    without = Note(f"{counted(n_empty, 'class', 'classes')} without objects not shown.")
    return Section(
        "classes",
        "Classes",
        (classes_table(result), *[without] * bool(n_empty)),
        reading="Every class with objects. More numbers are shown at a click.",
        guide=GUIDE,
    )


def _sentences(ranked: Sequence[DetectorResult], metric: str) -> Iterator[str]:
    for one in ranked:
        value, (low, high) = one.metrics[metric], ends_of(one, metric)
        if math.isnan(value):
            yield f"{metric} of {one.name} is undefined: no object counts."
            continue
        between = "" if is_undefined(low) else f" ({interval(low, high)})"
        detections = counted(one.n_detections, "detection")
        yield f"{one.name} has {metric} {score(value)}{between} with {detections}."
    if len(ranked) > 1:
        yield "boxlens compare shows whether such differences are more than chance."
