"""One score per image, so that detectors can be compared case by case."""

from __future__ import annotations

from typing import Literal, get_args

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Floats, ratio
from boxlens.metrics.image_counts import image_counts
from boxlens.metrics.protocols import prepare
from boxlens.studies.comparison.cases.fda import Mapping, fda
from boxlens.studies.comparison.together.found_objects import IOU

Measure = Literal["fda", "f1", "recall", "precision"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
MEASURE_NAMES: dict[Measure, str] = {
    "fda": "FDA",
    "f1": "F1",
    "recall": "recall",
    "precision": "precision",
}


def image_scores(
    dataset: Dataset,
    detections: Detections,
    *,
    measure: Measure = "fda",
    min_score: float,
    mapping: Mapping = "one_to_one",
    class_agnostic: bool = False,
    threads: int = 0,
) -> Floats:
    """A measure of every image over detections with score >= min_score.

    `mapping` and `class_agnostic` shape FDA; the other measures count COCO's matches.
    FDA and F1 are 1 where there is nothing to find and nothing was found, and 0 where only
    one of the two holds. Recall is NaN without objects, precision NaN without detections.
    """
    if measure == "fda":
        return fda(
            dataset,
            detections,
            min_score=min_score,
            mapping=mapping,
            class_agnostic=class_agnostic,
            threads=threads,
        )
    prepared = prepare(dataset, detections, "coco")
    counts = image_counts(prepared, prepared.matches(IOU, threads=threads), min_score=min_score)
    tp, fp, fn = counts.tp, counts.fp, counts.fn
    if measure == "recall":
        return ratio(tp, tp + fn)
    if measure == "precision":
        return ratio(tp, tp + fp)
    return ratio(2 * tp, 2 * tp + fp + fn, 1.0)
