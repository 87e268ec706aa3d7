"""Confusion matrix: a confusion matrix with background, at one score and one IoU."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Rows
from boxlens.matching import Matches, Overlaps, find_overlaps, pair_one_to_one, reachable
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key
from boxlens.metrics.protocols import Prepared

BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class ConfusionResult(JsonRecord):
    """matrix[true, predicted]; the last row is nothing there, the last column nothing found."""

    iou: float
    min_score: float
    names: tuple[str, ...] = field(metadata=as_key("names", lambda names: [*names, BACKGROUND]))
    matrix: npt.NDArray[np.int64]
    # Where each detection and object stands in the matrix: its true, its predicted class; the
    # number of classes for nothing, -1 for not counted. Empty where nobody asked.
    det_true: Rows = field(default_factory=lambda: np.empty(0, dtype=np.int32), metadata=HIDDEN)
    gt_said: Rows = field(default_factory=lambda: np.empty(0, dtype=np.int32), metadata=HIDDEN)

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
    said = np.full(len(dataset.gt), background, dtype=np.int32)
    said[partner[paired]] = detections.class_row[paired]
    said[ignored] = -1
    alone = ~paired & ~weak & ~_on_any(overlaps, ignored)
    if prepared.det_unmatched_ignored is not None:
        alone &= ~prepared.det_unmatched_ignored
    true = np.full(len(detections), -1, dtype=np.int32)
    true[paired] = dataset.gt.class_row[partner[paired]]
    true[alone] = background
    return ConfusionResult(
        iou,
        min_score,
        dataset.classes.name,
        _matrix(dataset.gt.class_row, said, detections.class_row[alone], background),
        true,
        said,
    )


def _matrix(
    gt_class: Rows, gt_said: Rows, class_alone: Rows, background: int
) -> npt.NDArray[np.int64]:
    """Every object that counts, then the detections of nothing."""
    counted = gt_said >= 0
    size = background + 1
    of_objects = gt_class[counted].astype(np.int64) * size + gt_said[counted]
    of_nothing = background * size + class_alone.astype(np.int64)
    cells = np.concatenate([of_objects, of_nothing])
    return np.bincount(cells, minlength=size * size).reshape(size, size).astype(np.int64)


def _on_any(overlaps: Overlaps, objects: Bools) -> Bools:
    """Detections that overlap one of the objects."""
    hits = np.concatenate([[0], np.cumsum(objects[overlaps.gt_row])])
    return hits[overlaps.offsets[1:]] > hits[overlaps.offsets[:-1]]
