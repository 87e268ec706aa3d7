"""Objects cut out: the box is the picture, and its ground truth all of it (METHODS 4.6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import frozen, owned
from boxlens.images.box_maps import map_boxes
from boxlens.images.crops import span_inside
from boxlens.images.perturbing.libraries import pillow
from boxlens.images.transforming.layout import Layout
from boxlens.images.transforming.transform import Transform
from boxlens.images.transforming.visible_objects import seen_neighbours, single_spans

if TYPE_CHECKING:
    from boxlens.images.crops import PixelSpan
    from boxlens.images.pixels import Pixels
    from boxlens.images.transforming.shot import Exposure, Shot
    from boxlens.images.transforming.transform import Change

# METHODS 4.6: the smaller side, whichever it is.
SMALLER_SIDE_PX = 300
# No longer side is made longer: a strip of one pixel would take hundreds of megabytes.
LONGEST_SIDE_PX = 30_000


def _plan_crops(shot: Shot, change: Change) -> tuple[Layout, ...]:
    return tuple(
        _cropped(shot, row, span, span.size_px, change) for row, span in single_spans(shot).items()
    )


def _plan_resized(shot: Shot, change: Change) -> tuple[Layout, ...]:
    return tuple(
        _cropped(shot, row, span, resized_size(span), change)
        for row, span in single_spans(shot).items()
    )


def resized_size(span: PixelSpan) -> tuple[int, int]:
    """Width and height with the smaller side at 300 pixels, the aspect kept up to rounding."""
    width, height = span.size_px
    scale = min(SMALLER_SIDE_PX / min(width, height), LONGEST_SIDE_PX / max(width, height))
    return max(round(width * scale), 1), max(round(height * scale), 1)


def _cropped(
    shot: Shot, row: int, span: PixelSpan, size: tuple[int, int], change: Change
) -> Layout:
    """Coordinates go by the sizes that result."""
    width, height = span.size_px
    x_scale, y_scale = size[0] / width, size[1] / height
    matrix = np.array([[x_scale, 0.0, -span.left * x_scale], [0.0, y_scale, -span.top * y_scale]])
    rows, boxes = frozen([row], np.int32), frozen([[0, 0, *size]], np.float64)
    layout = Layout(*size, owned(matrix), rows, boxes, subject=row)
    if not change.settings.ignore_neighbours:
        return layout
    neighbours, seen = seen_neighbours(shot, row, span)
    return replace(layout, ignored_row=neighbours, ignored_box=owned(map_boxes(seen, matrix)))


def _draw_crop(exposure: Exposure, layout: Layout, _change: Change) -> Pixels:
    """The box, however objects are cut out otherwise: a picture is a rectangle."""
    shot = exposure.shot
    span = span_inside(shot.box[layout.subject], shot.width_px, shot.height_px)
    # Layouts are made of objects with pixels alone.
    return exposure.pixels if span is None else span.of(exposure.pixels).copy()


def _draw_resized(exposure: Exposure, layout: Layout, change: Change) -> Pixels:
    """Bicubic, and smoothed before it is made smaller, as Pillow does both."""
    crop = _draw_crop(exposure, layout, change)
    size = (layout.width_px, layout.height_px)
    if size == (crop.shape[1], crop.shape[0]):
        return crop
    library = pillow()
    return np.array(library.fromarray(crop).resize(size, library.Resampling.BICUBIC))


CROP = Transform("crop", "Crop", "study", _plan_crops, _draw_crop, per_object=True)
CROP_RESIZED = Transform(
    "crop_resized", "Crop, resized", "study", _plan_resized, _draw_resized, per_object=True
)
