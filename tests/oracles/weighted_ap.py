"""A test set in which images count more than once, by writing them down more than once.

METHODS 11: an image drawn twice counts twice, one not drawn not at all. A ranked label of weight w
is w labels in a row; the values are then those of METHODS 0.6 and 2.1 on the longer list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from boxlens.data import Dataset, Detections, GroundTruth, Images
from boxlens.data.columns import id_column
from oracles import average_precision

Item = TypeVar("Item")


def repeated(items: Sequence[Item], weights: Sequence[int]) -> list[Item]:
    """Every item as often as it weighs, its copies side by side."""
    return [item for item, weight in zip(items, weights, strict=True) for _ in range(weight)]


def coco101(labels: list[int], weights: list[int], positives: int) -> float:
    return average_precision.ap_coco101(repeated(labels, weights), positives)


def voc07(labels: list[int], weights: list[int], positives: int) -> float:
    return average_precision.ap_voc07(repeated(labels, weights), positives)


def area(
    labels: list[int], weights: list[int], positives: float, values: list[float] | None = None
) -> float:
    """`values` are what a true positive counts (METHODS 9.4)."""
    counted = None if values is None else repeated(values, weights)
    return average_precision.ap_voc10(repeated(labels, weights), positives, counted)


def normalized(labels: list[int], weights: list[int], positives: int, n_normal: float) -> float:
    return average_precision.ap_normalized(repeated(labels, weights), positives, n_normal)


def recall(labels: list[int], weights: list[int], positives: int) -> float:
    return repeated(labels, weights).count(1) / positives if positives else float("nan")


def top_kinds(kinds: list[int], weights: list[int], positives: int, n_kinds: int) -> list[int]:
    """METHODS 1.3: the kinds among as many of the best detections as there are positives."""
    top = repeated(kinds, weights)[:positives]
    return [top.count(kind) for kind in range(n_kinds)]


def repeated_tables(
    dataset: Dataset, detections: Detections, weights: Sequence[int]
) -> tuple[Dataset, Detections]:
    """The data set in which image i stands weights[i] times in a row, under new ids."""
    origin = repeated(range(len(dataset.images)), weights)
    images = _images(dataset.images, origin)
    gt, det = dataset.gt, detections
    gt_copy, gt_row = _copies(gt.image_row.tolist(), origin)
    det_copy, det_row = _copies(det.image_row.tolist(), origin)
    objects = GroundTruth.of(
        len(origin),
        image_row=gt_copy,
        class_row=gt.class_row[gt_row],
        box=gt.box[gt_row],
        area_px=gt.area_px[gt_row],
        crowd=gt.crowd[gt_row],
        difficult=gt.difficult[gt_row],
        group_of=gt.group_of[gt_row],
    )
    found = Detections.of(
        det.name,
        len(origin),
        image_row=det_copy,
        class_row=det.class_row[det_row],
        box=det.box[det_row],
        score=det.score[det_row],
    )
    return replace(dataset, images=images, gt=objects), found


def _images(images: Images, origin: list[int]) -> Images:
    return replace(
        images.select(origin, None),
        id=id_column(list(range(1, len(origin) + 1))),
    )


def _copies(image_row: list[int], origin: list[int]) -> tuple[list[int], list[int]]:
    """For every row in every copy of its image: the copy, and the row it was."""
    pairs = [
        (copy, row)
        for copy, image in enumerate(origin)
        for row, home in enumerate(image_row)
        if home == image
    ]
    return [copy for copy, _ in pairs], [row for _, row in pairs]
