"""Pixels grown large, pictures compressed, and stretched a little everywhere.

Elastic as COCO-C does it, without an affine map: pixels move by a smooth random field with a
standard deviation of 2.4 pixels at severity 5 times the root of height by width, and by
`largest_shift_px` at most, so that boxes count as unmoved.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from boxlens.images.perturbing.in_place import compressed
from boxlens.images.perturbing.libraries import opencv
from boxlens.images.pixels import Pixels

# What is left of each side. Boxes of the first do not end between pixels, those of the second do:
# fine noise may be changed less by the second.
PIXELATE_SCALES = (0.6, 0.5, 0.4, 0.3, 0.25)
JPEG_QUALITIES = (25, 18, 15, 10, 7)
# How much the smoothed field is enlarged.
ELASTIC_GAINS = (12.5, 16.25, 21.25, 25.0, 30.0)
# Of the height: what single pixels are drawn from, before they are smoothed.
_DRAWN_FROM = 0.005
# Of each side: sigma of the smoothing.
_SIGMA = 0.01
_LIMIT_DEVIATIONS = 4
# A field this smooth is drawn on a coarser grid: the same law, for less.
_FINE_ENOUGH_SIGMA_PX = 4


def pixelate(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    """Means over boxes, then each as large as its box; a side keeps one pixel at least."""
    cv2 = opencv()
    height, width = image.shape[:2]
    scale = PIXELATE_SCALES[severity - 1]
    small = (max(int(width * scale), 1), max(int(height * scale), 1))
    means = cv2.resize(image, small, interpolation=cv2.INTER_AREA)
    # The other nearest of OpenCV takes the upper left pixel and so shifts the picture.
    large: Pixels = cv2.resize(means, (width, height), interpolation=cv2.INTER_NEAREST_EXACT)
    return large


def jpeg_compression(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    return compressed(image, JPEG_QUALITIES[severity - 1])


def elastic_transform(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """One field for all severities."""
    cv2 = opencv()
    height, width = image.shape[:2]
    limit = largest_shift_px(width, height, severity)
    columns, rows = (
        np.clip(ELASTIC_GAINS[severity - 1] * _field(width, height, random), -limit, limit)
        for _ in range(2)
    )
    columns += np.arange(width, dtype=np.float32)
    rows += np.arange(height, dtype=np.float32)[:, None]
    moved: Pixels = cv2.remap(image, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return moved


def largest_shift_px(width: int, height: int, severity: int) -> float:
    """Along either axis."""
    drawn = _DRAWN_FROM * height / math.sqrt(3)
    left = math.sqrt(float(np.prod([(_kernel(side) ** 2).sum() for side in (width, height)])))
    return _LIMIT_DEVIATIONS * ELASTIC_GAINS[severity - 1] * drawn * left


def _field(width: int, height: int, random: np.random.Generator) -> npt.NDArray[np.float32]:
    cv2 = opencv()
    coarser = max(int(_SIGMA * min(width, height) / _FINE_ENOUGH_SIGMA_PX), 1)
    shape = (math.ceil(height / coarser), math.ceil(width / coarser))
    field: npt.NDArray[np.float32] = random.random(shape, dtype=np.float32)
    field -= 0.5
    # The mean of a block varies less than its pixels, by its side.
    field *= 2 * _DRAWN_FROM * height / coarser
    across, down = _kernel(width, coarser), _kernel(height, coarser)
    field = cv2.sepFilter2D(field, -1, across, down, borderType=cv2.BORDER_REFLECT)
    if coarser > 1:
        field = cv2.resize(field, (width, height))
    return field


def _kernel(side_px: int, coarser: int = 1) -> npt.NDArray[np.float32]:
    """A Gaussian up to three sigmas."""
    sigma = _SIGMA * side_px / coarser
    places = np.arange(-round(3 * sigma), round(3 * sigma) + 1)
    weights = np.exp(-(places**2) / (2 * sigma**2)).astype(np.float32)
    weights /= weights.sum()
    return weights
