"""How many ranked windows must be looked at until one covers an object of a class (METHODS 3.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Dataset, Detections, GroundTruth, Notice
from boxlens.data.columns import Floats, Offsets
from boxlens.data.windows import Windows
from boxlens.errors import ParameterError
from boxlens.matching import VOC, find_overlaps, reachable
from boxlens.progress import Progress
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.counted_objects import (
    ClassImages,
    CountedObjects,
    class_images,
    class_means,
)
from boxlens.studies.difficulty.measures import OVERLAP

# Half a million windows at once, where each image has a thousand.
IMAGES_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Clutter:
    """One value per class: log2 of the mean rank over its searched images, NaN if it has none."""

    clutter: Floats
    n_images_searched: Offsets
    # Of each class and image the rank, from 1, of the first window on an object; one beyond the
    # limit where none is. Unknown, NaN, where the image was not searched.
    class_images: ClassImages
    rank: Floats
    notices: tuple[Notice, ...]


def measure_clutter(
    dataset: Dataset,
    objects: CountedObjects,
    windows: Windows,
    choice: DifficultyChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> Clutter:
    """METHODS 3.6: the log of the mean, not the mean of logs."""
    if windows.n_images != len(dataset.images):
        raise ParameterError(
            f"windows {windows.name!r} are rows of {windows.n_images} images, "
            f"the data set has {len(dataset.images)}: read them with this data set"
        )
    pairs = class_images(objects)
    rank = np.full(len(pairs), float(choice.n_windows + 1))
    of_object = _object_ranks(dataset, objects, windows, choice, threads, progress)
    np.minimum.at(rank, pairs.row_of_object, of_object)
    searched = windows.searched[pairs.image_row]
    rank[~searched] = np.nan
    class_row = pairs.class_row[searched]
    return Clutter(
        clutter=np.log2(class_means(rank[searched], class_row, objects.n_classes)),
        n_images_searched=np.bincount(class_row, minlength=objects.n_classes),
        class_images=pairs,
        rank=rank,
        notices=_notices(objects, windows),
    )


def _object_ranks(
    dataset: Dataset,
    objects: CountedObjects,
    windows: Windows,
    choice: DifficultyChoice,
    threads: int,
    progress: Progress | None,
) -> Floats:
    """The rank of the first window on each object, a part of the images after the other."""
    rank = np.full(len(objects), float(choice.n_windows + 1))
    whole = _plain(dataset, objects)
    n_images = len(dataset.images)
    for first in range(0, n_images if len(objects) else 0, IMAGES_AT_ONCE):
        last = min(first + IMAGES_AT_ONCE, n_images)
        if progress:
            progress("comparing windows with objects", first, n_images)
        shown, place = _best_windows(windows, first, last, choice.n_windows)
        overlaps = find_overlaps(
            whole.select_images(np.arange(first, last)),
            shown,
            VOC,
            floor=reachable(OVERLAP),
            same_class=False,
            threads=threads,
        )
        found = np.repeat(place, np.diff(overlaps.offsets))
        np.minimum.at(rank, objects.offsets[first] + overlaps.gt_row, found)
    if progress:
        progress("comparing windows with objects", n_images, n_images)
    return rank


def _plain(dataset: Dataset, objects: CountedObjects) -> Dataset:
    """The counted objects alone, in their order; nothing that is slow to cut into parts."""
    images = replace(dataset.images, negative=None, positive=None, not_exhaustive=None)
    gt = GroundTruth.of(
        len(images), image_row=objects.image_row, class_row=objects.class_row, box=objects.box
    )
    return Dataset(dataset.name, images, dataset.classes, gt)


def _best_windows(windows: Windows, first: int, last: int, limit: int) -> tuple[Detections, Floats]:
    """The best windows of some images as detections, and the rank of each from 1."""
    offsets = windows.offsets[first : last + 1]
    counts = np.diff(offsets)
    rank = np.arange(1, counts.sum() + 1) - np.repeat(offsets[:-1] - offsets[0], counts)
    best = rank <= limit
    image_row = np.repeat(np.arange(last - first), counts)[best]
    nothing = np.zeros(len(image_row), dtype=np.int32)
    detections = Detections.of(
        windows.name,
        last - first,
        image_row=image_row,
        class_row=nothing,
        box=windows.box[offsets[0] : offsets[-1]][best],
        score=nothing,
    )
    return detections, rank[best].astype(np.float64)


def _notices(objects: CountedObjects, windows: Windows) -> tuple[Notice, ...]:
    with_objects = np.diff(objects.offsets) > 0
    count = int((with_objects & ~windows.searched).sum())
    if not count:
        return ()
    message = (
        f"{count:,} of {int(with_objects.sum()):,} images with objects have no windows of "
        f"{windows.name!r}: clutter is that of the other images"
    )
    return (Notice("image_without_windows", count, message),)
