"""Objects by themselves (METHODS 4.6): at their places with their surroundings gone, or cut out.

The box of a crop is the picture, and its ground truth all of it.
"""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from boxlens.data.columns import frozen, owned
from boxlens.images.box_maps import STAYS, map_boxes
from boxlens.images.crops import PixelSpan, span_inside
from boxlens.images.perturbing.libraries import opencv, pillow
from boxlens.images.pixels import Pixels
from boxlens.images.transforming.layout import Layout
from boxlens.images.transforming.shot import Exposure, Shot
from boxlens.images.transforming.transform import Change, Draw, Plan, Transform
from boxlens.images.transforming.visible_objects import (
    region_of,
    seen_neighbours,
    single_spans,
    visible_spans,
)

WHITE = np.uint8(255)
# METHODS 4.6: noise is uniform from 0 to 254.
NOISE_END = 255
# Sigma of the blurred background by the longer side: no object is recognised in it.
BLUR_SHARE = 0.1
# A wide Gaussian is applied to a picture made smaller until its sigma has so many pixels.
_SMALL_SIGMA_PX = 4.0
# METHODS 4.6: the smaller side, whichever it is.
SMALLER_SIDE_PX = 300
# No longer side is made longer: a strip of one pixel would take hundreds of megabytes.
LONGEST_SIDE_PX = 30_000


def _plan_each(shot: Shot, change: Change) -> tuple[Layout, ...]:
    """One picture per object that is not a crowd, of the size of the shot."""
    return tuple(_alone(shot, row, span, change) for row, span in single_spans(shot).items())


def _alone(shot: Shot, row: int, span: PixelSpan, change: Change) -> Layout:
    rows = frozen([row], np.int32)
    layout = Layout(shot.width_px, shot.height_px, STAYS, rows, owned(shot.box[rows]), subject=row)
    return _with_neighbours(layout, shot, span, change)


def _with_neighbours(layout: Layout, shot: Shot, span: PixelSpan, change: Change) -> Layout:
    """What else is seen where the object is, ignored if the settings say so."""
    if not change.settings.ignore_neighbours:
        return layout
    neighbours, seen = seen_neighbours(shot, layout.subject, span)
    return replace(
        layout, ignored_row=neighbours, ignored_box=owned(map_boxes(seen, layout.matrix))
    )


def _plan_together(shot: Shot, _change: Change) -> tuple[Layout, ...]:
    rows = frozen(list(single_spans(shot)), np.int32)
    return (Layout(shot.width_px, shot.height_px, STAYS, rows, owned(shot.box[rows])),)


def _on_white(exposure: Exposure, layout: Layout, change: Change) -> Pixels:
    return _on(WHITE, exposure, layout, change)


def _on_noise(exposure: Exposure, layout: Layout, change: Change) -> Pixels:
    key = zlib.crc32(exposure.shot.key.encode())
    random = np.random.default_rng([change.settings.seed, key, layout.subject])
    noise = random.integers(0, NOISE_END, exposure.pixels.shape, dtype=np.uint8)
    return _on(noise, exposure, layout, change)


def _on_blurred(exposure: Exposure, layout: Layout, change: Change) -> Pixels:
    return _on(_widely_blurred(exposure.pixels), exposure, layout, change)


def _on(ground: Pixels | np.uint8, exposure: Exposure, layout: Layout, change: Change) -> Pixels:
    region = region_of(exposure, layout.row, change.settings.cut)
    return np.where(region[..., None], exposure.pixels, ground)


def _widely_blurred(pixels: Pixels) -> Pixels:
    """By a Gaussian as wide as a tenth of the picture, mirrored at its border."""
    cv2 = opencv()
    height, width = pixels.shape[:2]
    sigma_px = BLUR_SHARE * max(width, height)
    factor = max(sigma_px / _SMALL_SIGMA_PX, 1.0)
    size = (max(round(width / factor), 1), max(round(height / factor), 1))
    small = cv2.resize(pixels.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    smooth = cv2.GaussianBlur(small, (0, 0), sigma_px / factor, borderType=cv2.BORDER_REFLECT)
    large = cv2.resize(smooth, (width, height), interpolation=cv2.INTER_LINEAR)
    blurred: Pixels = np.rint(large).astype(np.uint8)
    return blurred


def _others_white(exposure: Exposure, layout: Layout, change: Change) -> Pixels:
    """Crowds are painted over, too: nothing is left to be found that is not asked for."""
    rows = list(visible_spans(exposure.shot))
    others = frozen([row for row in rows if row != layout.subject], np.int32)
    cut = change.settings.cut
    hidden = region_of(exposure, others, cut) & ~region_of(exposure, layout.row, cut)
    return np.where(hidden[..., None], WHITE, exposure.pixels)


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
    return _with_neighbours(layout, shot, span, change)


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


def _of_each(name: str, title: str, plan: Plan, draw: Draw) -> Transform:
    return Transform(name, title, "study", plan, draw, per_object=True)


BACKGROUNDS = (
    _of_each("white_background", "White background", _plan_each, _on_white),
    _of_each("noise_background", "Noise background", _plan_each, _on_noise),
    _of_each("blurred_background", "Blurred background", _plan_each, _on_blurred),
    _of_each("one_object", "One object", _plan_each, _others_white),
    Transform("objects_only", "Objects only", "study", _plan_together, _on_white),
)
CROPS = (
    _of_each("crop", "Crop", _plan_crops, _draw_crop),
    _of_each("crop_resized", "Crop, resized", _plan_resized, _draw_resized),
)
