"""Suppression: which detections compete and survive; what an oracle keeps (METHODS 6.8)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
from boxlens.data.columns import Bools, Offsets, Rows
from boxlens.errors import ParameterError
from boxlens.matching import (
    COCO,
    UNLIMITED,
    VOC,
    Matches,
    Overlaps,
    assign,
    find_overlaps,
    reachable,
)

# Pairs that may overlap, looked at together: bounds memory where a detector says too much.
MOST_PAIRS = 50_000_000
# True positives are those of AP50.
MATCH_IOU = 0.5


def survivors(detections: Detections, *, iou: float, threads: int = 0) -> Bools:
    """Greedy non-maximum suppression in every class of every image, for all images at once.

    A detection goes where its IoU with a better one that stays is above `iou`; of equal scores the
    earlier is better.
    """
    if not 0 <= iou <= 1:
        raise ParameterError(f"suppression is above an overlap from 0 to 1, got {iou} (nms_iou)")
    stays = np.ones(len(detections), dtype=np.bool_)
    for rows, part in _parts(detections):
        stays[rows] = _walk(*_better_and_worse(part, iou, threads), len(part))
    return stays


def beside(detections: Detections, chosen: Bools, *, iou: float, threads: int = 0) -> Bools:
    """Detections with an IoU of `iou` or more to one of the chosen of their class and image."""
    overlaps = _rivals(detections, detections.where(chosen), reachable(iou), threads)
    near: Bools = np.diff(overlaps.offsets) > 0
    return near


def _rivals(detections: Detections, others: Detections, floor: float, threads: int) -> Overlaps:
    """The pairs of both tables; the others take the place of objects."""
    n_images = others.n_images
    rows = [table.class_row.max(initial=0) for table in (detections, others)]
    n_classes = int(max(rows)) + 1
    unknown = np.full(n_images, np.nan)
    images, _ = Images.of(range(n_images), unknown, unknown, [""] * n_images)
    gt = GroundTruth.of(
        n_images, image_row=others.image_row, class_row=others.class_row, box=others.box
    )
    dressed = Dataset("", images, Classes.of(range(n_classes), [""] * n_classes), gt)
    return find_overlaps(dressed, detections, VOC, floor=floor, threads=threads)


def _better_and_worse(detections: Detections, iou: float, threads: int) -> tuple[Rows, Rows]:
    """Pairs that cannot both stay: row of the better, row of the worse."""
    overlaps = _rivals(detections, detections, iou, threads)
    n = len(detections)
    worse = np.repeat(np.arange(n, dtype=np.int32), np.diff(overlaps.offsets))
    better = overlaps.gt_row
    score = detections.score
    ahead = (score[better] > score[worse]) | ((score[better] == score[worse]) & (better < worse))
    clash = ahead & (overlaps.iou > iou)
    return better[clash], worse[clash]


def _walk(better: Rows, worse: Rows, n: int) -> Bools:
    """Rounds instead of one walk: whoever has no better rival left stays, and its rivals go."""
    stays = np.ones(n, dtype=np.bool_)
    while len(worse):
        waiting = np.zeros(n, dtype=np.bool_)
        waiting[worse] = True
        stays[worse[~waiting[better]]] = False
        undecided = stays[better] & stays[worse]
        better, worse = better[undecided], worse[undecided]
    return stays


def _parts(detections: Detections) -> Iterator[tuple[slice, Detections]]:
    """Whole images, so many that all their pairs of one class fit."""
    part_of_image = np.cumsum(_pairs_by_image(detections)) // MOST_PAIRS
    if not len(part_of_image) or part_of_image[-1] == 0:
        yield slice(0, len(detections)), detections
        return
    row = np.arange(len(detections))
    for part in np.unique(part_of_image):
        images = np.flatnonzero(part_of_image == part)
        rows = slice(*detections.offsets[[images[0], images[-1] + 1]].tolist())
        inside = (row >= rows.start) & (row < rows.stop)
        yield rows, detections.where(inside)


def _pairs_by_image(detections: Detections) -> Offsets:
    n_classes = int(detections.class_row.max(initial=0)) + 1
    key = detections.image_row.astype(np.int64) * n_classes + detections.class_row
    present, count = np.unique(key, return_counts=True)
    pairs = np.zeros(detections.n_images, dtype=np.int64)
    np.add.at(pairs, present // n_classes, count.astype(np.int64) ** 2)
    return pairs


def suppress_perfectly(
    dataset: Dataset,
    detections: Detections,
    survive: Bools,
    *,
    oracle_iou: float = 0.5,
    threads: int = 0,
) -> Detections:
    """True positives stay, even those that real suppression takes away; of the detections that
    `survive` it, false positives go that overlap a true positive of their class.

    AP50 is never below that of the survivors. At stricter overlaps AP may be: a duplicate can be
    placed better than the true positive it overlaps.
    """
    found = _match(dataset, detections, UNLIMITED, threads).labels() == 1
    after = _match(dataset, detections.where(survive), COCO.max_dets, threads)
    rows = np.flatnonzero(survive)
    label = np.zeros(len(detections), dtype=np.int8)
    label[rows] = after.labels()
    # Beyond the limit of detections they count nowhere, and must not move up for deleted ones.
    counted = np.zeros(len(detections), dtype=np.bool_)
    counted[rows] = after.det_counted()
    near = beside(detections, found, iou=oracle_iou, threads=threads)
    # What is right only because a better detection of its object was suppressed is one too many
    # now; what counts neither way stays as it is.
    others = counted & ((label == 0) | ((label < 0) & ~near))
    return detections.where(found | others)


def _match(dataset: Dataset, detections: Detections, max_dets: int, threads: int) -> Matches:
    overlaps = find_overlaps(dataset, detections, COCO, floor=MATCH_IOU, threads=threads)
    return assign(
        dataset,
        detections,
        overlaps,
        COCO,
        iou_thresholds=(MATCH_IOU,),
        max_dets=max_dets,
        threads=threads,
    )
