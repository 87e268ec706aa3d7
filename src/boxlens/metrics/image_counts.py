"""True positives, false positives and missed objects of every image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Ids
from boxlens.matching import Matches
from boxlens.metrics.json_form import JsonRecord
from boxlens.metrics.protocols import Prepared


@dataclass(frozen=True, slots=True)
class ImageCountsResult(JsonRecord):
    """One row per image, at one IoU, detections with score >= min_score."""

    iou: float
    min_score: float
    image_id: Ids
    tp: npt.NDArray[np.int64]
    fp: npt.NDArray[np.int64]
    fn: npt.NDArray[np.int64]


def image_counts(
    prepared: Prepared,
    matches: Matches,
    *,
    min_score: float = 0.25,
) -> ImageCountsResult:
    """Counts read off matches at one threshold; a stronger detection never loses its object to a
    weaker one, so cutting by score after matching equals cutting before.
    """
    dataset, detections = prepared.dataset, prepared.detections
    labels = prepared.labels(matches)
    strong = detections.score >= min_score
    n_images = len(dataset.images)

    def per_image(label: int) -> npt.NDArray[np.int64]:
        rows = detections.image_row[strong & (labels == label)]
        return np.bincount(rows, minlength=n_images).astype(np.int64)

    tp = per_image(1)
    positive = dataset.gt.image_row[prepared.positives(matches)]
    return ImageCountsResult(
        iou=matches.iou_thresholds[0],
        min_score=min_score,
        image_id=dataset.images.id,
        tp=tp,
        fp=per_image(-1),
        fn=np.bincount(positive, minlength=n_images).astype(np.int64) - tp,
    )
