"""Pixels grown large, and pictures compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.images.perturbing.in_place import compressed
from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    import numpy as np

    from boxlens.images.pixels import Pixels

# What is left of each side. Boxes of the first do not end between pixels, those of the second do:
# fine noise may be changed less by the second.
PIXELATE_SCALES = (0.6, 0.5, 0.4, 0.3, 0.25)
JPEG_QUALITIES = (25, 18, 15, 10, 7)


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
