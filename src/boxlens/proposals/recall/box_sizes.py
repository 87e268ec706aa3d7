"""How large boxes are beside their images: shares by the root of the relative area."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from boxlens.data import Dataset
    from boxlens.data.columns import Bools, Boxes, Floats, Offsets, Rows
    from boxlens.data.windows import Windows

N_BINS = 10


def relative_size(box: Boxes, image_size: Floats) -> Floats:
    """The root of a box's share of its image; NaN where the size is not known."""
    share: Floats = np.sqrt(box[:, 2] * box[:, 3] / (image_size[:, 0] * image_size[:, 1]))
    return share


def size_bins(size: Floats) -> Offsets:
    """Ten bins of one width; larger than the image is in the last one."""
    return np.clip((size * N_BINS).astype(np.int64), 0, N_BINS - 1)


def window_sizes(dataset: Dataset, windows: Windows, images: Bools) -> Floats:
    """The share of windows of these images in each bin; NaN without any."""
    image_row = np.repeat(np.arange(windows.n_images), np.diff(windows.offsets))
    kept = images[image_row]
    return _shares(dataset, windows.box[kept], image_row[kept])


def object_sizes(dataset: Dataset, objects: Bools) -> Floats:
    """The same of objects."""
    return _shares(dataset, dataset.gt.box[objects], dataset.gt.image_row[objects])


def _shares(dataset: Dataset, box: Boxes, image_row: Offsets | Rows) -> Floats:
    frame = np.ones((len(dataset.images), 2)) if dataset.relative else dataset.images.known_sizes()
    size = relative_size(box, frame[image_row])
    known = size[~np.isnan(size)]
    if not len(known):
        return np.full(N_BINS, np.nan)
    shares: Floats = np.bincount(size_bins(known), minlength=N_BINS) / len(known)
    return shares
