"""The single objects of a data set, which every measure of difficulty is taken over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.columns import Bools, Boxes, Floats, Offsets, Rows, owned, ratio
from boxlens.data.row_sums import group_sums
from boxlens.studies.difficulty.choice import DifficultyChoice


@dataclass(frozen=True, slots=True)
class CountedObjects:
    """One row per object, grouped by image."""

    image_row: Rows
    class_row: Rows
    # In the units of the data set, and as fractions of the image: NaN where its size is unknown.
    box: Boxes
    box_rel: Boxes
    offsets: Offsets
    n_classes: int
    # Crowds, groups and difficult ones.
    n_left_out: int

    def __len__(self) -> int:
        return len(self.image_row)

    @property
    def sized(self) -> Bools:
        """Objects in images of known size."""
        known: Bools = ~np.isnan(self.box_rel[:, 0])
        return known

    def notices(self) -> tuple[Notice, ...]:
        """Objects that scale and CPL have to leave out."""
        unsized = ~self.sized
        n_objects = int(unsized.sum())
        if not n_objects:
            return ()
        n_images = len(np.unique(self.image_row[unsized]))
        message = (
            f"scale and CPL need the sizes of images and leave out {n_objects:,} objects of "
            f"{n_images:,} images without one: add width and height to the ground truth (images of "
            "COCO files, <size> of VOC annotations)"
        )
        return (Notice("image_without_size", n_objects, message),)


@dataclass(frozen=True, slots=True)
class ClassImages:
    """One row per class and an image that has objects of it, classes ascending, then images."""

    class_row: Rows
    image_row: Rows
    # The row of every object.
    row_of_object: Offsets

    def __len__(self) -> int:
        return len(self.class_row)


def counted_objects(dataset: Dataset, choice: DifficultyChoice) -> CountedObjects:
    """Crowds and groups are never single objects; difficult ones count where asked for."""
    gt = dataset.gt
    counted = ~(gt.crowd | gt.group_of)
    if not choice.difficult:
        counted &= ~gt.difficult
    kept = gt if counted.all() else gt.where(counted)
    return CountedObjects(
        image_row=kept.image_row,
        class_row=kept.class_row,
        box=kept.box,
        box_rel=kept.box if dataset.relative else _relative(dataset, kept.box, kept.image_row),
        offsets=kept.offsets,
        n_classes=len(dataset.classes),
        n_left_out=len(gt) - len(kept),
    )


def class_images(objects: CountedObjects) -> ClassImages:
    """Which class occurs in which image."""
    n_images = max(len(objects.offsets) - 1, 1)
    key = objects.class_row.astype(np.int64) * n_images + objects.image_row
    present, row_of_object = np.unique(key, return_inverse=True)
    return ClassImages(
        class_row=owned((present // n_images).astype(np.int32)),
        image_row=owned((present % n_images).astype(np.int32)),
        row_of_object=owned(row_of_object.astype(np.int64)),
    )


def class_means(values: Floats, class_row: Rows, n_classes: int) -> Floats:
    """The mean of every class, NaN where it has no value."""
    n = np.bincount(class_row, minlength=n_classes)
    return ratio(group_sums(class_row, values, n_classes), n)


def _relative(dataset: Dataset, box: Boxes, image_row: Rows) -> Boxes:
    return owned(box / np.tile(dataset.images.known_sizes(), 2)[image_row])
