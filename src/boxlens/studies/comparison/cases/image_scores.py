"""One score per image, so that detectors can be compared case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from boxlens.data.columns import ratio
from boxlens.errors import ParameterError
from boxlens.metrics.image_counts import image_counts
from boxlens.metrics.protocols import prepare
from boxlens.studies.comparison.cases.fda import check_score_cut, fda

if TYPE_CHECKING:
    from boxlens.data import Dataset, Detections
    from boxlens.data.columns import Floats
    from boxlens.metrics.image_counts import ImageCountsResult
    from boxlens.studies.comparison.cases.fda import Mapping

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
    iou: float = 0.5,
    mapping: Mapping = "one_to_one",
    class_agnostic: bool = False,
    empty: float = 1.0,
    threads: int = 0,
) -> Floats:
    """A measure of every image over detections with score >= min_score.

    `mapping` and `class_agnostic` shape FDA; the other measures count COCO's matches at `iou`.
    FDA and F1 are `empty` where there is nothing to find and nothing was found, and 0 where only
    one of the two holds. Recall is NaN without objects, precision NaN without detections.
    """
    if measure not in MEASURES:
        raise ParameterError(f"a measure is one of {', '.join(MEASURES)}, got {measure!r}")
    if measure == "fda":
        return fda(
            dataset,
            detections,
            min_score=min_score,
            mapping=mapping,
            class_agnostic=class_agnostic,
            empty=empty,
            threads=threads,
        )
    check_score_cut(min_score)
    prepared = prepare(dataset, detections, "coco")
    matches = prepared.matches(iou, threads=threads)
    return _from_counts(image_counts(prepared, matches, min_score=min_score), measure, empty)


def _from_counts(counts: ImageCountsResult, measure: Measure, empty: float) -> Floats:
    tp, fp, fn = counts.tp, counts.fp, counts.fn
    if measure == "recall":
        return ratio(tp, tp + fn)
    if measure == "precision":
        return ratio(tp, tp + fp)
    return ratio(2 * tp, 2 * tp + fp + fn, empty)
