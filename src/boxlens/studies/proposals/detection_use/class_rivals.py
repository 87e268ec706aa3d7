"""Which detections compete: pairs of one class and image that overlap, and who of them survives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.errors import ParameterError
from boxlens.matching import VOC, find_overlaps, reachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.data import Detections
    from boxlens.data.columns import Bools, Offsets, Rows
    from boxlens.matching import Overlaps

# Pairs that may overlap, looked at together: bounds memory where a detector says too much.
MOST_PAIRS = 50_000_000


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
