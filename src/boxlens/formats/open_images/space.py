"""Between pixels and fractions of the image, the space of Open Images boxes; ids as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.boxes import corners_from_xywh
from boxlens.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from boxlens.data import Dataset
    from boxlens.data.columns import Boxes, Floats, Ids, Rows

# A data set without sizes whose boxes end here holds fractions, not pixels.
_WHOLE_IMAGE = 1 + 1e-6


def id_texts(ids: Ids) -> list[str]:
    return [str(key) for key in ids.tolist()]


def scale_px(dataset: Dataset) -> tuple[Floats, Floats]:
    """Width and height to multiply fractions by: 1 where an image has no size."""
    width = np.nan_to_num(dataset.images.width_px, nan=1.0)
    height = np.nan_to_num(dataset.images.height_px, nan=1.0)
    return width, height


def relative_corners(box: Boxes, image_row: Rows, dataset: Dataset, path: Path) -> list[Floats]:
    """XMin, XMax, YMin, YMax as fractions of the image."""
    refuse_pixels_without_size(box, image_row, dataset, path)
    width, height = (size[image_row] for size in scale_px(dataset))
    left, top, right, bottom = corners_from_xywh(box).T
    return [left / width, right / width, top / height, bottom / height]


def refuse_pixels_without_size(
    box: Boxes,
    image_row: Rows,
    dataset: Dataset,
    path: Path,
) -> None:
    """Fractions and pixels do not mix: an image without size must have boxes in fractions."""
    images = dataset.images
    unsized = np.isnan(images.width_px) | np.isnan(images.height_px)
    asked = unsized[image_row]
    if not asked.any():
        return
    known = unsized[dataset.gt.image_row]
    judged = dataset.gt.box[known] if known.any() else box[asked]
    if (judged[:, :2] + judged[:, 2:]).max() <= _WHOLE_IMAGE:
        return
    row = int(image_row[np.argmax(asked)])
    raise InputError(
        f"image {images.id[row]} has no size, and Open Images boxes are fractions of it",
        path=path,
        remedy="Give the ground truth the sizes of its images",
    )
