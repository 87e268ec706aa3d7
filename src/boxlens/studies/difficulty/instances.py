"""How many objects of a class an image has, how close they are, and how large (METHODS 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from boxlens.data import Dataset
from boxlens.data.boxes import areas
from boxlens.data.columns import Floats, Offsets, ratio
from boxlens.errors import ParameterError
from boxlens.matching.box_pairs import count_neighbours
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.counted_objects import CountedObjects, class_images, class_means

# Boxes that touch are rounded: x + w may miss the x of the next one by the last digit.
TOUCHING_PX: Final = 1e-6
TOUCHING_REL: Final = 1e-9


@dataclass(frozen=True, slots=True)
class InstanceMeasures:
    """One value per class."""

    n_images: Offsets
    n_objects: Offsets
    # Objects of the class in an image that has one.
    instances_per_image: Floats
    # Objects of the class in the same image that touch or overlap an object, on average.
    neighbours: Floats
    # Box area as a share of the image, over objects in images of known size.
    scale: Floats


def measure_instances(
    dataset: Dataset, objects: CountedObjects, choice: DifficultyChoice, *, threads: int = 0
) -> InstanceMeasures:
    """Boxes are taken as they are, also where they reach beyond the image."""
    if dataset.relative and choice.gap_px > 0:
        raise ParameterError(
            f"a gap of {choice.gap_px:g} pixels between neighbours: {dataset.name!r} has boxes as "
            "fractions of images of unknown size, so pixels are not known (--gap, gap_px)"
        )
    n_classes = objects.n_classes
    n_objects = np.bincount(objects.class_row, minlength=n_classes)
    n_images = np.bincount(class_images(objects).class_row, minlength=n_classes)
    neighbours = count_neighbours(
        objects.offsets,
        objects.class_row,
        objects.box,
        choice.gap_px + (TOUCHING_REL if dataset.relative else TOUCHING_PX),
        threads=threads,
    )
    sized = objects.sized
    return InstanceMeasures(
        n_images=n_images,
        n_objects=n_objects,
        instances_per_image=ratio(n_objects, n_images),
        neighbours=class_means(neighbours.astype(np.float64), objects.class_row, n_classes),
        scale=class_means(areas(objects.box_rel[sized]), objects.class_row[sized], n_classes),
    )
