"""What is taken for what: a confusion matrix with background, at one score and one IoU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.matching import find_overlaps, pair_one_to_one, reachable

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.data.columns import Bools
    from boxlens.matching import Matches, Overlaps
    from boxlens.metrics.protocols import Prepared

BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class ConfusionResult:
    """matrix[true, predicted]; the last row is nothing there, the last column nothing found."""

    iou: float
    min_score: float
    names: tuple[str, ...]
    matrix: npt.NDArray[np.int64]

    def top(self, n: int = 10) -> list[tuple[str, str, int]]:
        """The most frequent confusions of one class with another."""
        between = self.matrix[:-1, :-1].copy()
        np.fill_diagonal(between, 0)
        order = np.argsort(-between, axis=None, kind="stable")[:n]
        pairs = [np.unravel_index(at, between.shape) for at in order]
        return [
            (self.names[true], self.names[said], int(between[true, said]))
            for true, said in pairs
            if between[true, said] > 0
        ]

    def to_json(self) -> dict[str, Any]:
        return {
            "iou": self.iou,
            "min_score": self.min_score,
            "names": [*self.names, BACKGROUND],
            "matrix": self.matrix.tolist(),
        }


def confusion(
    prepared: Prepared,
    matches: Matches,
    *,
    min_score: float = 0.25,
    threads: int = 0,
) -> ConfusionResult:
    """Pairs detections and objects of any class one to one, from the largest IoU down.

    Only detections that take part in the matches count, and objects as they are annotated. A
    detection left over that lies on an ignored object (crowd, difficult), or whose class is not
    annotated exhaustively in its image, is not counted.
    """
    dataset, detections = prepared.annotated or prepared.dataset, prepared.detections
    iou = matches.iou_thresholds[0]
    weak = (detections.score < min_score) | ~matches.det_counted()
    ignored = prepared.rule.ignored(dataset.gt) | prepared.rule.regions(dataset.gt)
    floor = reachable(iou)
    overlaps = find_overlaps(
        dataset, detections, prepared.rule, floor=floor, same_class=False, threads=threads
    )
    partner = pair_one_to_one(
        dataset,
        detections,
        overlaps,
        floor=floor,
        det_dropped=weak,
        gt_dropped=ignored,
        threads=threads,
    )
    background = len(dataset.classes)
    paired = partner >= 0
    said = np.full(len(dataset.gt), background)
    said[partner[paired]] = detections.class_row[paired]
    alone = ~paired & ~weak & ~_on_any(overlaps, ignored)
    if prepared.det_unmatched_ignored is not None:
        alone &= ~prepared.det_unmatched_ignored
    true = np.concatenate([dataset.gt.class_row[~ignored], np.full(alone.sum(), background)])
    predicted = np.concatenate([said[~ignored], detections.class_row[alone]])
    size = background + 1
    counts = np.bincount(true * size + predicted, minlength=size * size)
    return ConfusionResult(
        iou, min_score, dataset.classes.name, counts.reshape(size, size).astype(np.int64)
    )


def _on_any(overlaps: Overlaps, objects: Bools) -> Bools:
    """Detections that overlap one of the objects."""
    hits = np.concatenate([[0], np.cumsum(objects[overlaps.gt_row])])
    return hits[overlaps.offsets[1:]] > hits[overlaps.offsets[:-1]]
