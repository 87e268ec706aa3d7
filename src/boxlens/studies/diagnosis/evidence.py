"""What every error scheme is read off: overlaps with objects of any class, and one ranking."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Bools, Floats, Rows
from boxlens.data.similarity import Similarity, similar_classes
from boxlens.errors import ParameterError
from boxlens.matching import COCO, Overlaps, box_overlap, find_overlaps
from boxlens.metrics.ranking import Ranking, rank

# Boxes that overlap every object less lie on background.
BACKGROUND_IOU = 0.1


@dataclass(frozen=True, slots=True)
class Evidence:
    """Pairs of one image, any two classes, from the background IoU up; counted once."""

    dataset: Dataset
    detections: Detections
    # [class, class]: symmetric, no class is similar to itself (METHODS 1.1).
    similar: Bools
    ranking: Ranking
    foreground_iou: float
    background_iou: float
    # For crowds the overlap is the share of the detection inside them, as COCO has it.
    overlaps: Overlaps
    # Of every pair: its detection, the plain IoU (crowds too), whether the classes are the same.
    det_row: Rows
    iou: Floats
    same_class: Bools
    # Objects that count neither as found nor as missed: difficult ones and crowds.
    ignored: Bools

    def pairs_where(self, keep: Bools, iou: Floats | None = None) -> Overlaps:
        """Some of the pairs as a table of their own, with the plain IoU or another one."""
        kept = np.concatenate([[0], np.cumsum(keep)])
        values = self.iou if iou is None else iou
        return replace(
            self.overlaps,
            offsets=kept[self.overlaps.offsets].astype(np.int64),
            gt_row=self.overlaps.gt_row[keep],
            iou=values[keep],
            same_class=True,
        )

    def best(self, keep: Bools, *, last: bool = True) -> tuple[Floats, Rows]:
        """Of every detection the largest plain IoU among some pairs, and its object (0, -1: none).

        Of equal overlaps the later object is taken, as in matching (METHODS 10), or the first.
        """
        return best_of(self.pairs_where(keep), last=last)


def about_background(evidence: Evidence, asked: float | None) -> tuple[Notice, ...]:
    """Where nobody asked for an overlap, and the usual one is no looser than what is right."""
    background = evidence.background_iou
    if asked is not None or background == BACKGROUND_IOU:
        return ()
    message = (
        f"boxes below IoU {background:g} count as background: half of the IoU that counts as "
        f"right, because the usual {BACKGROUND_IOU:g} is not below it (--background-iou, "
        "background_iou)"
    )
    return (Notice("background_iou", 1, message),)


def _check_overlap(name: str, value: Any) -> None:
    if not isinstance(value, (int, float)) or not 0 < value <= 1:
        raise ParameterError(f"{name} must be a number above 0 and at most 1, got {value!r}")


def gather(
    dataset: Dataset,
    detections: Detections,
    *,
    foreground_iou: float = 0.5,
    background_iou: float | None = None,
    similar: Similarity = None,
    threads: int = 0,
) -> Evidence:
    """One pass over all pairs of boxes.

    Without `background_iou` it is .1, or half of the foreground IoU where that is .1 or less.
    """
    _check_overlap("iou", foreground_iou)
    if background_iou is None:
        looser = foreground_iou > BACKGROUND_IOU
        background_iou = BACKGROUND_IOU if looser else foreground_iou / 2
    _check_overlap("background_iou", background_iou)
    if background_iou >= foreground_iou:
        raise ParameterError(
            f"background_iou ({background_iou:g}) must be less than iou ({foreground_iou:g})"
        )
    overlaps = find_overlaps(
        dataset, detections, COCO, floor=background_iou, same_class=False, threads=threads
    )
    counts = np.diff(overlaps.offsets)
    det_row = np.repeat(np.arange(len(detections), dtype=np.int32), counts)
    gt_class = dataset.gt.class_row[overlaps.gt_row]
    return Evidence(
        dataset=dataset,
        detections=detections,
        similar=similar_classes(dataset.classes, similar),
        ranking=rank(detections, len(dataset.classes), threads=threads),
        foreground_iou=foreground_iou,
        background_iou=background_iou,
        overlaps=overlaps,
        det_row=det_row,
        iou=_plain_iou(dataset, detections, overlaps, det_row),
        same_class=detections.class_row[det_row] == gt_class,
        ignored=COCO.ignored(dataset.gt),
    )


def best_of(pairs: Overlaps, *, last: bool = True) -> tuple[Floats, Rows]:
    """The largest IoU of every detection and its object; 0 and -1 where it has no pair."""
    n = len(pairs.offsets) - 1
    best = np.zeros(n)
    gt_row = np.full(n, -1, dtype=np.int32)
    filled = np.flatnonzero(np.diff(pairs.offsets))
    if not len(filled):
        return best, gt_row
    begin = pairs.offsets[filled]
    best[filled] = np.maximum.reduceat(pairs.iou, begin)
    sizes = np.diff(pairs.offsets)[filled]
    at_best = np.flatnonzero(pairs.iou == np.repeat(best[filled], sizes))
    owner = np.repeat(filled, sizes)[at_best]
    # Of several writes to one place the last stays.
    chosen = at_best if last else at_best[::-1]
    gt_row[owner if last else owner[::-1]] = pairs.gt_row[chosen]
    return best, gt_row


def _plain_iou(
    dataset: Dataset, detections: Detections, overlaps: Overlaps, det_row: Rows
) -> Floats:
    """METHODS 1 knows no crowds: their IoU is that of their boxes."""
    in_region = np.flatnonzero(overlaps.region[overlaps.gt_row])
    if not len(in_region):
        return overlaps.iou
    iou = overlaps.iou.copy()
    iou[in_region] = box_overlap(
        detections.box[det_row[in_region]], dataset.gt.box[overlaps.gt_row[in_region]]
    )
    return iou
