"""The study's augmentation of training crops: flip, rotation and colour jitter, each from a seed.

The study subtracts the mean as well; that belongs to the module's inputs (`classifier.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.images import Pixels
from boxlens.images.perturbing.libraries import opencv

FLIP_PROBABILITY = 0.5
LARGEST_ANGLE_DEG = 10.0
# Factors lie in 1 -+ these.
BRIGHTNESS = 0.2
CONTRAST = 0.2
SATURATION = 0.2
# Of a full turn, either way.
HUE = 0.02

# Shares of red, green and blue in grey (ITU-R BT.601).
_GREY_SHARES = np.array([0.299, 0.587, 0.114])


def augmented(square: Pixels, *, seed: int, epoch: int, row: int) -> Pixels:
    """The crop as epoch `epoch` shows it; nothing but the three numbers decides how."""
    random = np.random.RandomState([seed, epoch, row])
    # All numbers are drawn at once, in this order, whether they are used or not.
    flip, angle, brightness, contrast, saturation, hue = random.uniform(-1, 1, 6).tolist()
    if flip < 2 * FLIP_PROBABILITY - 1:
        square = np.ascontiguousarray(square[:, ::-1])
    turned = _rotated(square, angle * LARGEST_ANGLE_DEG)
    matrix = colour_matrix(
        brightness=1 + brightness * BRIGHTNESS,
        contrast=1 + contrast * CONTRAST,
        saturation=1 + saturation * SATURATION,
        hue=hue * HUE,
        mean_grey=float(turned.reshape(-1, 3).mean(axis=0) @ _GREY_SHARES),
    )
    return _uint8(opencv().transform(turned, matrix))


def colour_matrix(
    *, brightness: float, contrast: float, saturation: float, hue: float, mean_grey: float
) -> Floats:
    """All four as one matrix (3 x 4) on red, green, blue and 1, so that values are cut off once.

    Saturation moves colours away from their grey, hue turns them about the grey axis, brightness
    is a factor, and contrast one about the mean grey of the crop.
    """
    to_grey = np.tile(_GREY_SHARES, (3, 1))
    saturated = to_grey + saturation * (np.eye(3) - to_grey)
    factor = brightness * contrast
    offset = brightness * mean_grey * (1 - contrast)
    linear = factor * _turn_about_grey(2 * math.pi * hue) @ saturated
    return np.concatenate([linear, np.full((3, 1), offset)], axis=1)


def _turn_about_grey(angle: float) -> Floats:
    """A rotation about the axis of red = green = blue: greys stay."""
    cross = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / math.sqrt(3)
    along = np.full((3, 3), 1 / 3)
    turn: Floats = along + math.cos(angle) * (np.eye(3) - along) + math.sin(angle) * cross
    return turn


def _rotated(square: Pixels, angle_deg: float) -> Pixels:
    """About the centre; corners that come in from outside mirror the picture."""
    cv2 = opencv()
    side = square.shape[0]
    centre = ((side - 1) / 2, (side - 1) / 2)
    matrix = cv2.getRotationMatrix2D(centre, angle_deg, 1.0)
    return _uint8(
        cv2.warpAffine(
            square, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
        )
    )


def _uint8(values: Any) -> npt.NDArray[np.uint8]:
    return np.asarray(values, dtype=np.uint8)
