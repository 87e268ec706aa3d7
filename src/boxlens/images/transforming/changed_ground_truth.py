"""The ground truth of changed pictures, from their layouts and that of the unchanged ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import numpy as np

from boxlens.data import Dataset, Images
from boxlens.data.columns import Bools, Boxes, Floats, Rows, frozen, owned, take
from boxlens.data.dataset import GroundTruth
from boxlens.images.box_maps import ellipse_sides
from boxlens.images.transforming.layout import Layout


@dataclass(frozen=True, slots=True)
class Planned:
    """A picture to be made, and what of."""

    source_row: int
    # The picture of the same data set that its objects are pasted on, -1 where there is none.
    scene_row: int
    # Which of the pictures that are made of its source.
    place: int
    layout: Layout


def changed_ground_truth(
    dataset: Dataset, planned: Sequence[Planned], *, per_object: bool
) -> tuple[Dataset, Rows]:
    """The changed data set, and the row in the unchanged one of each of its objects.

    The data set itself where nothing has moved. Objects of scenes have row -1.
    """
    objects = _objects(planned, dataset.gt)
    images = _images(dataset.images, planned, per_object=per_object)
    object_row = owned(np.where(objects.of_scene, np.int32(-1), objects.row))
    if images is dataset.images and _unmoved(objects, dataset.gt):
        return dataset, object_row
    # An object may be in several pictures, and tools want ids that are unique.
    renumbered = per_object or bool(objects.of_scene.any())
    gt = _ground_truth(dataset.gt, planned, objects, renumbered=renumbered)
    return replace(dataset, images=images, gt=gt, source=None, notices=()), object_row


def object_names(
    planned: Sequence[Planned], gt: GroundTruth, source_names: Sequence[str]
) -> tuple[str, ...]:
    """Of pictures made for one object: after their source and the object.

    Numbers where that does not tell pictures apart.
    """
    names = []
    for one in planned:
        key = gt.id[gt.offsets[one.source_row] + one.layout.subject]
        names.append(f"{PurePosixPath(source_names[one.source_row]).with_suffix('')}-{key}.png")
    if len(set(names)) < len(names):
        return tuple(f"{number:06}.png" for number in range(1, len(names) + 1))
    return tuple(names)


@dataclass(frozen=True, slots=True)
class _Objects:
    """Of all pictures: rows of the ground truth they come from, and their boxes now."""

    image_row: Rows
    row: Rows
    box: Boxes
    ignored: Bools
    of_scene: Bools


def _objects(planned: Sequence[Planned], gt: GroundTruth) -> _Objects:
    """Objects of a picture in the order of the data set, those of the scene behind them."""
    columns: list[tuple[Rows, Boxes, Bools, Bools]] = []
    for one in planned:
        layout = one.layout
        own = np.concatenate([layout.row, layout.ignored_row]) + gt.offsets[one.source_row]
        order = np.argsort(own, kind="stable")
        rows, boxes = own[order], np.concatenate([layout.box, layout.ignored_box])[order]
        ignored = order >= len(layout.row)
        n_scene = len(layout.scene_row)
        if n_scene:
            rows = np.concatenate([rows, layout.scene_row + gt.offsets[one.scene_row]])
            boxes = np.concatenate([boxes, layout.scene_box])
            ignored = np.concatenate([ignored, np.ones(n_scene, np.bool_)])
        columns.append((rows, boxes, ignored, np.arange(len(rows)) >= len(own)))
    no = np.zeros(0, np.bool_)
    columns.append((np.zeros(0, np.int32), np.zeros((0, 4)), no, no))
    row, box, ignored, of_scene = (np.concatenate(column) for column in zip(*columns, strict=True))
    return _Objects(
        image_row=np.repeat(np.arange(len(planned)), [len(rows) for rows, *_ in columns[:-1]]),
        row=row.astype(np.int32),
        box=box,
        ignored=ignored,
        of_scene=of_scene,
    )


def _unmoved(objects: _Objects, gt: GroundTruth) -> bool:
    same_rows = np.array_equal(objects.row, np.arange(len(gt)))
    return same_rows and not objects.ignored.any() and np.array_equal(objects.box, gt.box)


def _ground_truth(
    gt: GroundTruth, planned: Sequence[Planned], objects: _Objects, *, renumbered: bool
) -> GroundTruth:
    return GroundTruth.of(
        len(planned),
        image_row=objects.image_row,
        class_row=gt.class_row[objects.row],
        box=objects.box,
        area_px=_areas(planned, objects, gt),
        crowd=gt.crowd[objects.row] | objects.ignored,
        difficult=gt.difficult[objects.row],
        group_of=gt.group_of[objects.row],
        ids=None if renumbered else take(gt.id, objects.row),
        attributes={name: take(column, objects.row) for name, column in gt.attributes.items()},
    )


def _images(images: Images, planned: Sequence[Planned], *, per_object: bool) -> Images:
    width = frozen([one.layout.width_px for one in planned], np.float64)
    height = frozen([one.layout.height_px for one in planned], np.float64)
    if per_object:
        rows = frozen([one.source_row for one in planned], np.int32)
        numbers = frozen(np.arange(1, len(rows) + 1), np.int64)
        return replace(images.select(rows, None), id=numbers, width_px=width, height_px=height)
    if np.array_equal(images.width_px, width) and np.array_equal(images.height_px, height):
        return images
    return replace(images, width_px=width, height_px=height)


def _areas(planned: Sequence[Planned], objects: _Objects, gt: GroundTruth) -> Floats:
    """By the map's change of areas, and by the share of the box that is left.

    Of the scene's objects, which are ignored, by the areas of their boxes before and after.
    """
    linear = np.stack([np.eye(2), *(one.layout.matrix[:, :2] for one in planned)])
    linear = linear[1:][objects.image_row]
    linear[objects.of_scene] = np.eye(2)
    stretch = np.abs(linear[:, 0, 0] * linear[:, 1, 1] - linear[:, 0, 1] * linear[:, 1, 0])
    mapped = ellipse_sides(gt.box[objects.row][:, 2:], linear).prod(axis=1)
    now = objects.box[:, 2:].prod(axis=1)
    share = np.divide(now, mapped, out=np.ones(len(now)), where=mapped > 0)
    share[~objects.of_scene] = share[~objects.of_scene].clip(max=1)
    areas: Floats = gt.area_px[objects.row] * stretch * share
    return areas
