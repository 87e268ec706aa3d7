"""Between pixels and fractions of the image, the space of Open Images boxes; ids as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Dataset
from boxlens.data.boxes import corners_from_xywh
from boxlens.data.columns import Boxes, Floats, Ids, Rows
from boxlens.errors import InputError
from boxlens.formats.exact_sides import CORNERS, numbers_as_text
from boxlens.formats.open_images.table import FARTHEST
from boxlens.formats.places import Place

if TYPE_CHECKING:
    import polars as pl

# A data set without sizes whose boxes end here holds fractions, not pixels.
_WHOLE_IMAGE = 1 + 1e-6


def id_texts(ids: Ids) -> list[str]:
    return [str(key) for key in ids.tolist()]


def scale_px(dataset: Dataset) -> tuple[Floats, Floats]:
    """Width and height to multiply fractions by: 1 where an image has no size."""
    width = np.nan_to_num(dataset.images.width_px, nan=1.0)
    height = np.nan_to_num(dataset.images.height_px, nan=1.0)
    return width, height


def relative_corners(
    box: Boxes,
    image_row: Rows,
    dataset: Dataset,
    path: Path,
    describe: Callable[[int], str],
    *,
    drawn: bool = False,
) -> dict[str, pl.Series]:
    """XMin, XMax, YMin, YMax as fractions of the image, as text that reads back exactly.

    Boxes that the reader would take for pixels are refused; those that people have drawn must all
    lie near their image.
    """
    import polars as pl

    refuse_pixels_without_size(box, image_row, dataset, path)
    width, height = (size[image_row] for size in scale_px(dataset))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ends = np.abs(corners_from_xywh(box)) / np.stack([width, height] * 2, axis=1)
    far = ends > FARTHEST
    if (far.any() and drawn) or (far.sum(axis=0) > len(far) / 2).any():
        row = int(np.argmax(far.any(axis=1)))
        raise Place(path, describe(row)).error(
            f"box {box[row].tolist()} is more than {FARTHEST:g} image sizes away, and Open Images "
            "boxes are fractions of the image",
            "Correct the box or the size of its image",
        )
    texts = numbers_as_text(box, CORNERS, describe, path=path, scale=(width, height))
    columns = zip(*texts, strict=True) if texts else [()] * 4
    found = dict(zip(("XMin", "YMin", "XMax", "YMax"), columns, strict=True))
    names = ("XMin", "XMax", "YMin", "YMax")
    return {name: pl.Series(found[name], dtype=pl.String) for name in names}


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
