"""What methods learn from a data set, by their names; what its boxes are like (METHODS 7.1-7.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.columns import Bools, Floats
from boxlens.errors import InputError, ParameterError
from boxlens.images import ImageFiles
from boxlens.progress import Progress
from boxlens.studies.proposals.generators.drawn_boxes import Gaussian, Uniform
from boxlens.studies.proposals.generators.protocols import Generator
from boxlens.studies.proposals.generators.sliding_window import SlidingWindow

# Those that learn from boxes alone, and those that look at pictures.
BLIND = ("uniform", "gaussian", "sliding-window")
TRAINABLE = (*BLIND, "objectness", "randomized-prim")
# Uniform covers all but this share of the boxes at each end.
TAIL = 0.005
# Sides of sliding windows are powers of two from 2^4 to 2^9, as published.
LEAST_POWER, GREATEST_POWER = 4, 9
LEAST_SHARE = 0.003


def train_generator(
    method: str,
    dataset: Dataset,
    files: ImageFiles | None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Generator:
    """A generator with the settings, tables or weights that the data set teaches."""
    if method in BLIND:
        of_boxes = (uniform_of, gaussian_of, sliding_window_of)[BLIND.index(method)]
        return of_boxes(dataset)
    if method not in TRAINABLE:
        raise ParameterError(f"{method} has nothing to learn; choose from {', '.join(TRAINABLE)}")
    if files is None:
        raise ParameterError(f"{method} learns from pictures: name their folder (--images, files)")
    if method == "objectness":
        from boxlens.studies.proposals.generators.objectness_training import train_objectness

        return train_objectness(dataset, files, seed=seed, progress=progress)
    from boxlens.studies.proposals.generators.randomized_prim_training import train_randomized_prim

    return train_randomized_prim(dataset, files, seed=seed, progress=progress)


@dataclass(frozen=True, slots=True)
class BoxStatistics:
    """One row per box; difficult ones are in, crowds, groups and boxes without area are not."""

    # Log2 of width / height, root of relative area, relative centre.
    shape: Floats
    # Width and height.
    side_px: Floats
    notices: tuple[Notice, ...] = ()


def box_statistics(dataset: Dataset) -> BoxStatistics:
    """Shapes of all boxes; what is left out is counted. Every image must have a known size."""
    gt = dataset.gt
    path = None if dataset.source is None else dataset.source.path
    whole = ~(gt.crowd | gt.group_of)
    image_size = dataset.images.known_sizes()[gt.image_row]
    unsized = whole & np.isnan(image_size).any(axis=1)
    if unsized.any():
        count = int(unsized.sum())
        raise InputError(
            f"{count:,} of {len(gt):,} boxes are in images of unknown size",
            path=path,
            remedy="Give the ground truth the sizes of its images",
        )
    side = gt.box[:, 2:] * (image_size if dataset.relative else 1)
    corner = gt.box[:, :2] * (image_size if dataset.relative else 1)
    empty = whole & ~(side > 0).all(axis=1)
    keep = whole & ~empty
    if keep.sum() < 2:
        raise InputError(
            "there are fewer than 2 boxes to learn from",
            path=path,
            remedy="Give a training set with boxes; crowds, groups and empty boxes do not count",
        )
    side, size = side[keep], image_size[keep]
    # The published numbers are of pixels counted from 1: a centre lies half a pixel further.
    centre = (corner[keep] + side / 2 + 0.5) / size
    root_area = np.sqrt(side.prod(axis=1) / size.prod(axis=1))
    shape = np.column_stack([np.log2(side[:, 0] / side[:, 1]), root_area, centre])
    return BoxStatistics(shape, side, _notices(whole, empty))


def _notices(whole: Bools, empty: Bools) -> tuple[Notice, ...]:
    found = []
    for code, mask, what in (("crowd", ~whole, "crowds or groups"), ("empty", empty, "empty")):
        count = int(mask.sum())
        if count:
            message = f"{count:,} boxes are {what}: not learnt from"
            found.append(Notice(f"{code}_boxes", count, message))
    return tuple(found)


def uniform_of(dataset: Dataset) -> Uniform:
    """Ranges that hold 99 % of the boxes."""
    shape = np.sort(box_statistics(dataset).shape, axis=0)
    n = len(shape)
    # The values themselves, not between them, as the published numbers were taken.
    ends = [max(round(share * n), 1) - 1 for share in (TAIL, 1 - TAIL)]
    (aspect, size, x, y) = shape[ends].T.tolist()
    return Uniform(
        x_low=x[0],
        x_high=x[1],
        y_low=y[0],
        y_high=y[1],
        area_low=size[0] ** 2,
        area_high=size[1] ** 2,
        aspect_low=2 ** aspect[0],
        aspect_high=2 ** aspect[1],
    )


def gaussian_of(dataset: Dataset) -> Gaussian:
    """Mean and covariance of the boxes."""
    shape = box_statistics(dataset).shape
    mean, covariance = shape.mean(axis=0).tolist(), np.cov(shape, rowvar=False).tolist()
    names = ("aspect", "size", "x", "y")
    settings = {f"mean_{name}": mean[row] for row, name in enumerate(names)}
    for row, name in enumerate(names):
        settings[f"variance_{name}"] = covariance[row][row]
        for column in range(row + 1, len(names)):
            settings[f"covariance_{name}_{names[column]}"] = covariance[row][column]
    return Gaussian(**settings)


def sliding_window_of(dataset: Dataset) -> SlidingWindow:
    """Sizes that LEAST_SHARE of the boxes or more have, sides rounded to powers of two."""
    side = box_statistics(dataset).side_px
    power = np.log2(side).round().clip(LEAST_POWER, GREATEST_POWER).astype(np.int64)
    sizes, counts = np.unique(power, axis=0, return_counts=True)
    frequent = sizes[counts >= LEAST_SHARE * len(side)]
    by_height = frequent[np.lexsort((-frequent[:, 0], -frequent[:, 1]))]
    return SlidingWindow(sizes=tuple((2**w, 2**h) for w, h in by_height.tolist()))
