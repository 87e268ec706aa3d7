"""Perturbations under which boxes move: scale and rotation.

A rotated picture is cropped so that nothing is seen that was not in it. The crop has the
picture's aspect: its corners lie where the diagonals of the picture meet the border of the turned
one, at the largest angle. All angles share this crop, the reference too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from boxlens.data.columns import Floats
from boxlens.images.box_maps import STAYS, composed, inverted
from boxlens.images.crops import PixelSpan
from boxlens.images.perturbing.families import LARGEST_ANGLE_DEG
from boxlens.images.perturbing.libraries import opencv, pillow
from boxlens.images.pixels import Pixels

# What a product of floats may exceed a whole number by: 1.1 x 100 pixels are 110.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A changed picture, and where the boxes of the original lie in it."""

    pixels: Pixels
    # 2 x 3: continuous coordinates of the reference picture to those of this one.
    matrix: Floats


def scaled(image: Pixels, factor: float) -> Perturbed:
    """Bicubic, and smoothed before it is made smaller, as Pillow does both.

    At least one pixel is left. Coordinates go by the sizes that result, not by the factor.
    """
    height, width = image.shape[:2]
    size, matrix = scale_map(width, height, factor)
    if size == (width, height):
        return Perturbed(image, STAYS)
    library = pillow()
    resized = library.fromarray(image).resize(size, library.Resampling.BICUBIC)
    return Perturbed(np.array(resized), matrix)


def scale_map(width_px: int, height_px: int, factor: float) -> tuple[tuple[int, int], Floats]:
    """The size of a scaled picture, and where its boxes go."""
    width, height = (max(math.ceil(side * factor - _ROUNDING), 1) for side in (width_px, height_px))
    matrix = np.array([[width / width_px, 0.0, 0.0], [0.0, height / height_px, 0.0]])
    return (width, height), matrix


def rotated(image: Pixels, angle_deg: float) -> Perturbed:
    """Counter-clockwise, bilinear."""
    if angle_deg == 0:
        return Perturbed(cropped(image), STAYS)
    height, width = image.shape[:2]
    crop = shared_crop(width, height)
    into_crop = _shift(-crop.left, -crop.top)
    turn = _turn(angle_deg, width / 2, height / 2)
    cv2 = opencv()
    pixels = cv2.warpAffine(
        image,
        _between_pixel_centres(composed(turn, into_crop)),
        crop.size_px,
        flags=cv2.INTER_LINEAR,
        # Only crops of a few pixels reach over the border.
        borderMode=cv2.BORDER_REPLICATE,
    )
    return Perturbed(pixels, composed(composed(inverted(into_crop), turn), into_crop))


def cropped(image: Pixels) -> Pixels:
    """What every rotation is compared with."""
    crop = shared_crop(image.shape[1], image.shape[0])
    return np.ascontiguousarray(crop.of(image))


def shared_crop(width_px: int, height_px: int) -> PixelSpan:
    """Rounded inwards; its centre is the picture's. One or two pixels are left at least."""
    share = kept_share(width_px / height_px, LARGEST_ANGLE_DEG)
    left, right = _middle(width_px, share)
    top, bottom = _middle(height_px, share)
    return PixelSpan(left, top, right, bottom)


def kept_share(aspect: float, angle_deg: float) -> float:
    """How much of a diagonal lies inside the picture turned by this angle."""
    angle = math.radians(abs(angle_deg))
    return 1 / (math.cos(angle) + max(aspect, 1 / aspect) * math.sin(angle))


def _middle(side_px: int, share: float) -> tuple[int, int]:
    first = math.ceil(side_px * (1 - share) / 2)
    first = min(first, (side_px - 1) // 2)
    return first, side_px - first


def _turn(angle_deg: float, x: float, y: float) -> Floats:
    """About a point, with y downwards."""
    cos, sin = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    turn = np.array([[cos, sin, 0.0], [-sin, cos, 0.0]])
    return composed(composed(_shift(-x, -y), turn), _shift(x, y))


def _shift(x: float, y: float) -> Floats:
    return np.array([[1.0, 0.0, x], [0.0, 1.0, y]])


def _between_pixel_centres(matrix: Floats) -> Floats:
    """OpenCV's coordinates are 0 in the middle of the first pixel, ours at its border."""
    return composed(composed(_shift(0.5, 0.5), matrix), _shift(-0.5, -0.5))
