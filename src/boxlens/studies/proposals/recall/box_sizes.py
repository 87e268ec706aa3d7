"""How large boxes are beside their images: shares by the root of the relative area."""

from __future__ import annotations

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Boxes, Floats, Offsets, Rows
from boxlens.data.windows import WindowPart

N_BINS = 10


def relative_size(box: Boxes, image_size: Floats) -> Floats:
    """The root of a box's share of its image; NaN where the size is not known."""
    share: Floats = np.sqrt(box[:, 2] * box[:, 3] / (image_size[:, 0] * image_size[:, 1]))
    return share


def size_bins(size: Floats) -> Offsets:
    """Ten bins of one width; larger than the image is in the last one."""
    return np.clip((size * N_BINS).astype(np.int64), 0, N_BINS - 1)


def window_sizes(dataset: Dataset, part: WindowPart) -> Offsets:
    """How many windows each image of a part has in each bin."""
    windows = part.windows
    image_row = np.repeat(np.arange(windows.n_images), np.diff(windows.offsets))
    return _counts(_frame(dataset)[part.images], windows.box, image_row)


def object_sizes(dataset: Dataset, objects: Bools) -> Floats:
    """The share of objects in each bin; NaN without any."""
    gt = dataset.gt
    return shares(_counts(_frame(dataset), gt.box[objects], gt.image_row[objects]))


def shares(counts: Offsets) -> Floats:
    """Of each bin in the counts of some images; NaN where all are 0."""
    total = int(counts.sum())
    return counts.sum(axis=0) / total if total else np.full(N_BINS, np.nan)


def _frame(dataset: Dataset) -> Floats:
    return np.ones((len(dataset.images), 2)) if dataset.relative else dataset.images.known_sizes()


def _counts(frame: Floats, box: Boxes, image_row: Offsets | Rows) -> Offsets:
    """By image and bin; boxes of images without known size are in none."""
    size = relative_size(box, frame[image_row])
    known = ~np.isnan(size)
    cell = image_row[known] * np.int64(N_BINS) + size_bins(size[known])
    return np.bincount(cell, minlength=len(frame) * N_BINS).reshape(-1, N_BINS)
